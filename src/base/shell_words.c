/* Quotes command lines so that a shell takes them as they are. */
#include "base/shell_words.h"

#include <glob.h>
#include <locale.h>

#include "base/folder.h"
#include "base/written.h"

enum { MIN_FILES = 4 }; /* that a pattern is easier to read than */

static void put_quoted(FILE *out, const char *word, size_t n)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-_./:=,@%+";

	if (n && strspn(word, plain) >= n) {
		fwrite(word, 1, n, out);
		return;
	}
	fputc('\'', out);
	for (; n; word++, n--)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
	fputc('\'', out);
}

void lode_shell_word_put(FILE *out, const char *word)
{
	put_quoted(out, word, strlen(word));
}

/* ---- Files as a pattern ---- */

/* START*END */
struct pattern {
	const char *start, *end;
	size_t start_bytes, end_bytes;
};

static size_t same_at_start(const char *a, const char *b, size_t max)
{
	size_t n = 0;

	while (n < max && a[n] == b[n])
		n++;
	return n;
}

static size_t same_at_end(const char *a, size_t n_a, const char *b, size_t n_b, size_t max)
{
	size_t n = 0;

	while (n < max && a[n_a - n - 1] == b[n_b - n - 1])
		n++;
	return n;
}

/* What all names share; a character of several bytes is not split. */
static struct pattern pattern_of(const char *const *words, size_t n_words)
{
	const char *first = words[0];
	size_t folder = lode_path_folder_bytes(first), bytes = strlen(first);
	size_t shortest = bytes, start = bytes, end = bytes - folder;

	for (size_t i = 1; i < n_words; i++) {
		size_t n = strlen(words[i]);

		shortest = n < shortest ? n : shortest;
		end = same_at_end(first, bytes, words[i], n, end < n - folder ? end : n - folder);
	}
	while (end && first[bytes - end] & 0x80)
		end--;
	for (size_t i = 1; i < n_words; i++)
		start = same_at_start(first, words[i],
				      start < shortest - end ? start : shortest - end);
	while (start > folder && first[start - 1] & 0x80)
		start--;
	return (struct pattern){first, first + bytes - end, start, end};
}

/* Whether shells make exactly these words of it, whatever they sort by: bytes or the locale. */
static bool is_exact(const struct pattern *p, const char *const *words, size_t n_words)
{
	locale_t locale = newlocale(LC_COLLATE_MASK | LC_CTYPE_MASK, "", 0), before = 0;
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);
	glob_t found;
	bool is;

	for (size_t i = 0; i < p->start_bytes; i++)
		fprintf(out, "%s%c", strchr("*?[]\\", p->start[i]) ? "\\" : "", p->start[i]);
	fputc('*', out);
	for (size_t i = 0; i < p->end_bytes; i++)
		fprintf(out, "%s%c", strchr("*?[]\\", p->end[i]) ? "\\" : "", p->end[i]);
	lode_written_close(out);
	if (locale)
		before = uselocale(locale);
	is = glob(text, 0, NULL, &found) == 0;
	if (locale) {
		uselocale(before);
		freelocale(locale);
	}
	free(text);
	if (!is)
		return false;
	is = found.gl_pathc == n_words;
	for (size_t i = 0; i < n_words && is; i++)
		is = strcmp(found.gl_pathv[i], words[i]) == 0;
	globfree(&found);
	return is;
}

/* *.data before slow-*.data before slow-1*7.data: the first that gives these files alone. */
static bool pattern_find(struct pattern *out, const char *const *words, size_t n_words)
{
	struct pattern all = pattern_of(words, n_words);
	const char *dot = memchr(all.end, '.', all.end_bytes);
	size_t folder = lode_path_folder_bytes(words[0]);

	*out = all;
	out->end = dot ? dot : all.end + all.end_bytes;
	out->end_bytes = strlen(out->end);
	out->start_bytes = folder;
	if (is_exact(out, words, n_words))
		return true;
	out->start_bytes = all.start_bytes;
	if (all.start_bytes > folder && is_exact(out, words, n_words))
		return true;
	*out = all;
	return (dot ? dot : all.end + all.end_bytes) > all.end && is_exact(out, words, n_words);
}

/* How many words from the first on are names of one folder, in order. */
static size_t n_of_folder(const char *const *words, size_t n_words)
{
	size_t folder = lode_path_folder_bytes(words[0]), n = 1;

	while (n < n_words && lode_path_folder_bytes(words[n]) == folder &&
	       strncmp(words[n], words[0], folder) == 0 && strcmp(words[n - 1], words[n]) < 0)
		n++;
	return n;
}

void lode_shell_words_put(FILE *out, const char *const *words, size_t n_words)
{
	for (size_t n; n_words; words += n, n_words -= n) {
		struct pattern p;

		n = n_of_folder(words, n_words);
		if (n >= MIN_FILES && pattern_find(&p, words, n)) {
			fputc(' ', out);
			if (p.start_bytes)
				put_quoted(out, p.start, p.start_bytes);
			fputc('*', out);
			if (p.end_bytes)
				put_quoted(out, p.end, p.end_bytes);
			continue;
		}
		for (size_t i = 0; i < n; i++) {
			fputc(' ', out);
			lode_shell_word_put(out, words[i]);
		}
	}
}
