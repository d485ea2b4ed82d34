/* Hides the secrets of command lines: by names, by options of programs, and by their shapes. */
#include "record/secrets.h"

#include <fnmatch.h>

#include "base/decimal.h"
#include "base/mem.h"

enum { LEAST_RANDOM_BYTES = 20, MOST_NAME_BYTES = 256 };

struct hiding {
	const char *text;
	size_t size;
	bool *is_hidden; /* per byte */
};

/* Bytes [at, end) of the text. */
struct range {
	size_t at, end;
};

static void hide(struct hiding *h, size_t from, size_t to)
{
	if (from < to)
		memset(h->is_hidden + from, true, to - from);
}

/* ---- Words, arguments, names ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t';
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static size_t argument_end(const struct hiding *h, size_t at)
{
	const char *nul = memchr(h->text + at, '\0', h->size - at);

	return nul ? (size_t)(nul - h->text) : h->size;
}

static size_t argument_begin(const struct hiding *h, size_t at)
{
	while (at && h->text[at - 1])
		at--;
	return at;
}

static size_t word_end(const struct hiding *h, size_t at)
{
	while (at < h->size && h->text[at] && !is_blank(h->text[at]))
		at++;
	return at;
}

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

/* "--db-password", "PGPASSWORD", "apiKey", "X-Auth"; dashes in front do not count. */
static bool is_secret_name(const char *name, size_t len)
{
	static const char *const globs[] = {
		"*passw*",	 "*passphrase*", "*secret*",  "*token*",     "*credential*",
		"*auth*",	 "*key",	 "*pwd",      "*[-_.]pw",    "pw",
		"*pass",	 "pass",	 "pass[io]*", "*cookie",     "*bearer*",
		"*signature",	 "sig",		 "*[-_.]sig", "*session*id", "*jwt*",
		"*otp",		 "pin",		 "*dsn",      "*apikey*",    "*passcode*",
		"*private*key*", "*community",	 NULL};
	static const char *const harmless[] = {"*author", "*authors",  "*authoris*", "*authored*",
					       "*bypass", "*compass",  "*monkey",    "*hotkey",
					       "*turkey", "*tokeniz*", "*cwd",	     NULL};

	while (len && (*name == '-' || *name == '/'))
		name++, len--;
	return len && matches(name, len, globs) && !matches(name, len, harmless);
}

/* ---- NAME=VALUE and NAME: VALUE, anywhere ---- */

static bool is_of_name(char c)
{
	return lode_is_word(c) || c == '-' || c == '.' || c == '$' || c == '/';
}

/* Before `at`, a '=' or ':'; quotes and a blank may lie between. */
static struct range name_before(const struct hiding *h, size_t at)
{
	struct range name = {.end = at};

	while (name.end && is_blank(h->text[name.end - 1]))
		name.end--;
	if (name.end && is_quote(h->text[name.end - 1]))
		name.end--;
	name.at = name.end;
	while (name.at && is_of_name(h->text[name.at - 1]))
		name.at--;
	return name;
}

/*
 * Behind it. A value in quotes ends with them; one of a list with ';' or '&'; else that of an
 * argument that begins with its name, or of a header, with the argument; else with the word.
 */
static struct range value_behind(const struct hiding *h, size_t at, size_t name_at)
{
	size_t begin = argument_begin(h, at), end = argument_end(h, at);
	bool is_whole = h->text[at] == ':' || name_at == begin ||
			(name_at > begin && h->text[name_at - 1] == ';');
	struct range value = {.at = at + 1};

	while (value.at < end && is_blank(h->text[value.at]))
		value.at++;
	value.end = value.at;
	if (value.at < end && is_quote(h->text[value.at])) {
		const char *quote =
			memchr(h->text + value.at + 1, h->text[value.at], end - value.at - 1);

		value.at++;
		value.end = quote ? (size_t)(quote - h->text) : end;
		return value;
	}
	while (value.end < end && !strchr(";&", h->text[value.end]) &&
	       (is_whole || !is_blank(h->text[value.end])))
		value.end++;
	return value;
}

static void hide_named(struct hiding *h)
{
	for (size_t i = 1; i + 1 < h->size; i++) {
		struct range name, value;

		if (h->text[i] != '=' && h->text[i] != ':')
			continue;
		name = name_before(h, i);
		if (!is_secret_name(h->text + name.at, name.end - name.at) ||
		    (h->text[i] == ':' && h->size - i > 2 && !memcmp(h->text + i, "://", 3)))
			continue;
		value = value_behind(h, i, name.at);
		hide(h, value.at, value.end);
	}
}

/* ---- Options of which the next word, or the rest of this one, is a secret ---- */

enum announced { NOTHING, A_SECRET, A_LIKELY_SECRET, A_USER, A_HEADER };

static const struct program_option {
	const char *programs, *options; /* globs */
} known_options[] = {
	{"sshpass", "-p"},  {"redis-cli", "-a"},   {"ldap*", "-w"},	{"mysql*", "-p"},
	{"mariadb*", "-p"}, {"mongo*", "-p"},	   {"sqlcmd", "-P"},	{"bcp", "-P"},
	{"ipmitool", "-P"}, {"mosquitto_*", "-P"}, {"snmp*", "-[cAX]"}, {"openssl", "-[kK]"},
	{"zip", "-P"},	    {"unzip", "-P"},	   {"vault", "login"},	{NULL, NULL},
};

static bool is_of_program_option(const char *program, const char *word, size_t len)
{
	for (const struct program_option *known = known_options; known->programs; known++)
		if (!fnmatch(known->programs, program, 0) &&
		    matches(word, len, (const char *const[]){known->options, NULL}))
			return true;
	return false;
}

/* What the word behind this one is. Of -h and -H, one is a header; of others, case is no matter. */
static enum announced announce(const char *word, size_t len, const char *program)
{
	static const char *const users[] = {"-u", "--user", "--proxy-user", "--username", NULL};
	static const char *const headers[] = {"-H", "--header", "--proxy-header", NULL};
	static const char *const likely[] = {"-p", "-w", "-a", NULL};
	static const char *const bare[] = {"password", "passwd", "passphrase", "pass",	 "pwd",
					   "secret",   "token",	 "apikey",     "bearer", NULL};

	if (memchr(word, '=', len))
		return NOTHING;
	if (is_of_program_option(program, word, len) ||
	    (*word == '-' && is_secret_name(word, len)) || matches(word, len, bare))
		return A_SECRET;
	if (matches(word, len, users))
		return A_USER;
	if (len == 2 && !memcmp(word, "-h", 2))
		return NOTHING;
	if (matches(word, len, headers))
		return A_HEADER;
	return matches(word, len, likely) ? A_LIKELY_SECRET : NOTHING;
}

/* Ports and paths follow -p as well, of programs that have no passwords there. */
static bool is_port_or_path(const char *word, size_t len)
{
	size_t n_digits = 0;

	while (n_digits < len && lode_is_digit(word[n_digits]))
		n_digits++;
	return *word == '/' || *word == '-' || (n_digits == len && len <= 5);
}

static void hide_announced(struct hiding *h, struct range value, enum announced what,
			   const char *program)
{
	static const char *const harmless[] = {"accept*",    "content-*",     "host",
					       "user-agent", "range",	      "expect",
					       "origin",     "cache-control", NULL};
	const char *text = h->text + value.at;
	size_t len = value.end - value.at;
	const char *parting;

	switch (what) {
	case NOTHING:
		break;
	case A_SECRET:
		hide(h, value.at, value.end);
		break;
	case A_LIKELY_SECRET:
		if (!is_port_or_path(text, len))
			hide(h, value.at, value.end);
		break;
	case A_USER:
		/* "me:pw", "DOMAIN\me%pw", lftp's "me,pw". */
		parting = memchr(text, ':', len) ?: memchr(text, '%', len) ?: memchr(text, ',', len);
		if (!strcmp(program, "curl") || !strcmp(program, "wget"))
			hide(h, value.at, value.end);
		else if (parting)
			hide(h, value.at + (size_t)(parting - text) + 1, value.end);
		break;
	case A_HEADER:
		parting = memchr(text, ':', len);
		if (parting && matches(text, (size_t)(parting - text), harmless))
			break;
		if (parting)
			value.at += (size_t)(parting - text) + 1;
		while (value.at < value.end && is_blank(h->text[value.at]))
			value.at++;
		hide(h, value.at, value.end);
		break;
	}
}

/* "-phunter2", "/p:hunter2", "-ume:hunter2": mysql's manner, which others share. */
static void hide_attached(struct hiding *h, struct range word)
{
	static const char *const harmless[] = {"-pthread",  "-pipe", "-pedantic*", "-print*",
					       "-path",	    "-perm", "-prune",	   "-pr",
					       "-pj*",	    "-pid*", "-pie",	   "-pg",
					       "-progress", "-port", NULL};
	const char *text = h->text + word.at;
	size_t len = word.end - word.at;

	if (len > 2 && !memcmp(text, "-p", 2) && !memchr(text, '=', len) &&
	    (!is_secret_name(text, len) || is_secret_name(text + 2, len - 2)) &&
	    !matches(text, len, harmless) && !is_port_or_path(text + 2, len - 2))
		hide(h, word.at + 2, word.end);
	if (len > 3 && !strncasecmp(text, "/p:", 3))
		hide(h, word.at + 3, word.end);
	if (len > 2 && (!strncasecmp(text, "-u", 2) || !strncmp(text, "--user=", 7))) {
		const char *colon = memchr(text, ':', len) ?: memchr(text, '%', len);

		if (colon)
			hide(h, word.at + (size_t)(colon - text) + 1, word.end);
	}
}

/* What a program is called behind its folder. */
static void copy_program(char program[16], const char *word, size_t len)
{
	const char *slash = memrchr(word, '/', len);
	size_t begin = slash ? (size_t)(slash - word) + 1 : 0;

	len = len - begin < 15 ? len - begin : 15;
	memcpy(program, word + begin, len);
	program[len] = '\0';
}

static void hide_of_options(struct hiding *h)
{
	enum announced announced = NOTHING;
	char program[16] = "", first[16] = "";

	for (size_t at = 0; at < h->size; at++) {
		struct range word = {at, word_end(h, at)};
		size_t len = word.end - at;
		bool is_argument = !at || !h->text[at - 1];

		if (!len)
			continue;
		if (announced) {
			/* Of an argument of its own, all; else a word, or what is in quotes. */
			if (is_argument)
				word.end = argument_end(h, at);
			else if (is_quote(h->text[at]))
				word = value_behind(h, at - 1, at);
			hide_announced(h, word, announced, program);
			announced = NOTHING;
		} else {
			hide_attached(h, word);
			if (!h->is_hidden[word.end - 1])
				announced = announce(h->text + at, len, program);
			/* "openssl enc -k pw" */
			if (!announced && is_of_program_option(first, h->text + at, len))
				announced = A_SECRET;
			/* "sh -c 'mysql -psecret'" runs another program. */
			if (h->text[at] != '-' && !memchr(h->text + at, '=', len))
				copy_program(program, h->text + at, len);
			if (at == 0)
				copy_program(first, h->text, len);
		}
		at = word.end;
	}
}

/* ---- Shapes ---- */

/* scheme://me:pw@host, me:pw@host */
static void hide_users(struct hiding *h, struct range word)
{
	const char *text = h->text + word.at;
	size_t len = word.end - word.at;
	const char *scheme = memmem(text, len, "://", 3), *colon, *at;

	at = memchr(text, '@', len);
	if (scheme && at > scheme) {
		size_t from = (size_t)(scheme - text) + 3, end = from;
		const char *last;

		while (end < len && !strchr("/?#", text[end]))
			end++;
		last = memrchr(text + from, '@', end - from);
		/* Behind a '/' only with a password, which may have one. */
		if (last || memchr(text + from, ':', (size_t)(at - text) - from))
			hide(h, word.at + from, word.at + (size_t)((last ? last : at) - text));
		return;
	}
	colon = memchr(text, ':', len);
	if (at && colon && colon > text && colon + 1 < at &&
	    !memchr(text, '/', (size_t)(colon - text)))
		hide(h, word.at + (size_t)(colon - text) + 1, word.at + (size_t)(at - text));
}

/* Keys and tokens: letters of both cases and digits, or many hexadecimal digits; or as those who
   give them out mark them. */
static bool is_random(const char *word, size_t len)
{
	static const char *const marked[] = {"AKIA*",	"ASIA*",      "gh[pousr]_*", "github_pat_*",
					     "glpat-*", "xox[a-z]-*", "sk-*",	     "[sr]k_live_*",
					     "eyJ*",	"AIza*",      "ya29.*",	     "hvs.*",
					     "npm_*",	"dckr_pat_*", NULL};
	size_t n_digits = 0, n_upper = 0, n_lower = 0, n_hex = 0;

	if (len < 12)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = word[i];

		if (!lode_is_word(c) && !strchr("+.-", c))
			return false;
		n_digits += lode_is_digit(c);
		n_upper += c >= 'A' && c <= 'Z';
		n_lower += c >= 'a' && c <= 'z';
		n_hex += lode_hex_digit(c) >= 0;
	}
	if (n_digits && matches(word, len, marked))
		return true;
	return len >= LEAST_RANDOM_BYTES && n_digits >= 3 &&
	       ((n_upper >= 3 && n_lower >= 3) || (n_hex == len && len >= 32));
}

static void hide_shapes(struct hiding *h)
{
	for (size_t at = 0; at < h->size; at++) {
		struct range word = {at, word_end(h, at)};

		hide_users(h, word);
		for (size_t end; at < word.end; at = end + 1) {
			for (end = at; end < word.end && !strchr("/=:,;&?@'\"", h->text[end]);)
				end++;
			if (is_random(h->text + at, end - at))
				hide(h, at, end);
		}
		at = word.end;
	}
}

size_t lode_secrets_hide(char *arguments, size_t size)
{
	struct hiding h = {
		.text = arguments,
		.size = size,
		.is_hidden = lode_alloc0(size + 1, sizeof(*h.is_hidden)),
	};
	size_t out = 0;

	hide_named(&h);
	hide_of_options(&h);
	hide_shapes(&h);
	for (size_t i = 0; i < size; i++) {
		if (!h.is_hidden[i])
			arguments[out++] = arguments[i];
		else if (!i || !h.is_hidden[i - 1])
			arguments[out++] = '*';
	}
	free(h.is_hidden);
	return out;
}
