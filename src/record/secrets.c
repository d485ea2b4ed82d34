/* Tells by their names and shapes which words of a command line are nobody's business. */
#include "record/secrets.h"

#include <fnmatch.h>

#include "base/decimal.h"
#include "base/folder.h"

enum { LEAST_RANDOM_BYTES = 24, MOST_NAME_BYTES = 256 };

static bool matches(const char *word, size_t len, const char *const *globs)
{
	char text[MOST_NAME_BYTES];

	if (len >= sizeof(text))
		return false;
	memcpy(text, word, len);
	text[len] = '\0';
	for (; *globs; globs++)
		if (!fnmatch(*globs, text, FNM_CASEFOLD))
			return true;
	return false;
}

/* "--db-password", "PGPASSWORD", "apiKey" */
static bool is_secret_name(const char *name, size_t len)
{
	static const char *const globs[] = {
		"*passw*",  "*passphrase*", "*secret*", "*token*",   "*credential*",
		"*apikey*", "*api[-_]key*", "*auth*",	"*[-_.]key", "key",
		"*pwd",	    "--pass",	    "-pass",	NULL};
	static const char *const harmless[] = {"*author*", NULL};

	return matches(name, len, globs) && !matches(name, len, harmless);
}

/* The word behind it is one. */
static bool announces(const char *word, size_t len, const char *program)
{
	static const char *const user[] = {"-u", "--user", "--proxy-user", NULL};

	if (memchr(word, '=', len))
		return false;
	if (word[0] == '-' && is_secret_name(word, len))
		return true;
	return (!strcmp(program, "curl") || !strcmp(program, "wget")) && matches(word, len, user);
}

/* Keys and tokens: letters of both cases and digits, or many hexadecimal digits, and nothing else.
 */
static bool is_random(const char *word, size_t len)
{
	size_t n_digits = 0, n_upper = 0, n_lower = 0, n_hex = 0;

	if (len < LEAST_RANDOM_BYTES)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = word[i];

		if (!lode_is_word(c) && !strchr("+/=-", c))
			return false;
		n_digits += lode_is_digit(c);
		n_upper += c >= 'A' && c <= 'Z';
		n_lower += c >= 'a' && c <= 'z';
		n_hex += lode_hex_digit(c) >= 0;
	}
	return word[0] != '/' && n_digits >= 3 &&
	       ((n_upper >= 3 && n_lower >= 3) || (n_hex == len && len >= 32));
}

/* Which part of a word to hide; false: none. */
static bool find_secret(const char *word, size_t len, const char *program, size_t *from, size_t *to)
{
	const char *equals = memchr(word, '=', len), *scheme, *at;

	*from = 0;
	*to = len;
	if (equals && is_secret_name(word, (size_t)(equals - word))) {
		*from = (size_t)(equals - word) + 1;
		return true;
	}
	if ((!strncmp(program, "mysql", 5) || !strncmp(program, "mariadb", 7)) && len > 2 &&
	    !memcmp(word, "-p", 2)) {
		*from = 2;
		return true;
	}
	scheme = memmem(word, len, "://", 3);
	at = scheme ? memchr(scheme, '@', (size_t)(word + len - scheme)) : NULL;
	if (at && !memchr(scheme + 3, '/', (size_t)(at - scheme - 3))) {
		*from = (size_t)(scheme + 3 - word);
		*to = (size_t)(at - word);
		return true;
	}
	if (equals && is_random(equals + 1, (size_t)(word + len - equals - 1))) {
		*from = (size_t)(equals - word) + 1;
		return true;
	}
	return is_random(word, len);
}

/* Puts a mark in the place of [from, to). */
static size_t hide(char *word, size_t len, size_t from, size_t to)
{
	if (from == to)
		return len;
	word[from] = '*';
	memmove(word + from + 1, word + to, len - to);
	return len - (to - from) + 1;
}

static size_t word_bytes(const char *word, size_t size)
{
	size_t n = 0;

	while (n < size && word[n] && word[n] != ' ' && word[n] != '\n')
		n++;
	return n;
}

/* What a program is called behind its folder, for those whose options have secrets. */
static void copy_program(char program[16], const char *word, size_t len)
{
	size_t begin = len;

	while (begin && word[begin - 1] != '/')
		begin--;
	len -= begin;
	len = len < 15 ? len : 15;
	memcpy(program, word + begin, len);
	program[len] = '\0';
}

size_t lode_secrets_hide(char *arguments, size_t size)
{
	bool is_announced = false;
	char program[16] = "";
	size_t out = 0, from, to;

	for (size_t at = 0; at < size;) {
		size_t len = word_bytes(arguments + at, size - at);
		char *word = arguments + out;

		memmove(word, arguments + at, len);
		at += len;
		if (len && is_announced) {
			is_announced = false;
			len = hide(word, len, 0, len);
		} else if (len) {
			if (find_secret(word, len, program, &from, &to))
				len = hide(word, len, from, to);
			else
				is_announced = announces(word, len, program);
			/* "sh -c 'mysql -psecret'" runs another program. */
			if (word[0] != '-' && !memchr(word, '=', len))
				copy_program(program, word, len);
		}
		out += len;
		if (at < size)
			arguments[out++] = arguments[at++];
	}
	return out;
}
