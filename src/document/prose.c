/* Sentences for terminals: words into lines. */
#include "document/prose.h"

#include <stdarg.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/written.h"

enum { most_columns = 100 }; /* wider prose is hard to read */

static size_t width_of(const char *text, size_t len)
{
	char *word = lode_alloc(len + 1);
	size_t width;

	memcpy(word, text, len);
	word[len] = '\0';
	width = lode_escape_width(word);
	free(word);
	return width;
}

/* Bytes of the word that begins there; a number and its unit are one: "1.00 s", "34 %". */
static size_t word_length(const char *text)
{
	static const char *const units[] = {"s",  "ms", "µs", "ns", "min", "%",
					    "kB", "MB", "GB", "TB", NULL};
	size_t len = strcspn(text, " \n");

	if (text[len] != ' ' || !len || !lode_is_digit(text[len - 1]))
		return len;
	for (size_t i = 0; units[i]; i++) {
		size_t n = strlen(units[i]);

		if (strncmp(text + len + 1, units[i], n) == 0 &&
		    strcspn(text + len + 1, " \n.,;:)") == n)
			return len + 1 + strcspn(text + len + 1, " \n");
	}
	return len;
}

/* One line of the text, up to `end`, on as many as it takes. */
static void put_line(FILE *out, const char *text, const char *end, unsigned hang, size_t columns)
{
	size_t blanks = strspn(text, " "), at = 0, n_words = 0;

	for (text += blanks; text < end; text += blanks) {
		size_t len = word_length(text), width = width_of(text, len);

		if (n_words && at + blanks + width > columns) {
			fprintf(out, "\n%*s", (int)hang, "");
			at = hang;
			n_words = 0;
		} else {
			fprintf(out, "%*s", (int)blanks, "");
			at += blanks;
		}
		fwrite(text, 1, len, out);
		at += width;
		n_words++;
		text += len;
		blanks = strspn(text, " ");
	}
	fputc('\n', out);
}

void lode_prose_put(FILE *out, const struct lode_text_page *page, unsigned hang, const char *text)
{
	size_t columns = page->columns < most_columns ? page->columns : most_columns;

	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		put_line(out, text, end, hang, columns);
	}
}

FILE *lode_prose_open(struct lode_prose *prose)
{
	prose->words = lode_written_open(&prose->text, &prose->size);
	return prose->words;
}

void lode_prose_close(FILE *out, const struct lode_text_page *page, unsigned hang,
		      struct lode_prose *prose)
{
	lode_written_close(prose->words);
	lode_prose_put(out, page, hang, prose->text);
	free(prose->text);
}

void lode_prose(FILE *out, const struct lode_text_page *page, unsigned hang, const char *format,
		...)
{
	struct lode_prose prose;
	va_list args;

	lode_prose_open(&prose);
	va_start(args, format);
	vfprintf(prose.words, format, args);
	va_end(args);
	lode_prose_close(out, page, hang, &prose);
}
