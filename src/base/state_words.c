/* Writes and parses words of small state files. */
#include "base/state_words.h"

#include <inttypes.h>
#include <math.h>

#include "base/mem.h"

static bool is_blank_state_words(char c)
{
	return c == ' ' || c == '\n';
}

/* The length of the next word, at which `at` then stands. */
static size_t next(struct lode_state_words *w)
{
	size_t n = 0;

	while (w->at < w->end && is_blank_state_words(*w->at))
		w->at++;
	while (w->at + n < w->end && !is_blank_state_words(w->at[n]))
		n++;
	return n;
}

bool lode_state_are(struct lode_state_words *w, const char *word)
{
	size_t n = next(w);

	if (w->is_bad || n != strlen(word) || memcmp(w->at, word, n) != 0)
		return false;
	w->at += n;
	return true;
}

void lode_state_expect(struct lode_state_words *w, const char *word)
{
	if (!lode_state_are(w, word))
		w->is_bad = true;
}

int64_t lode_state_int(struct lode_state_words *w)
{
	size_t n = next(w);
	char *end = NULL;
	int64_t value = n && !w->is_bad ? strtoll(w->at, &end, 10) : 0;

	if (!n || end != w->at + n) {
		w->is_bad = true;
		return 0;
	}
	w->at = end;
	return value;
}

size_t lode_state_count(struct lode_state_words *w)
{
	int64_t n = lode_state_int(w);

	if (n < 0 || n > w->end - w->at) {
		w->is_bad = true;
		return 0;
	}
	return (size_t)n;
}

double lode_state_number(struct lode_state_words *w)
{
	size_t n = next(w);
	char *end = NULL;
	double value = n && !w->is_bad ? strtod(w->at, &end) : 0;

	if (!n || end != w->at + n) {
		w->is_bad = true;
		return 0;
	}
	w->at = end;
	return value;
}

char *lode_state_text(struct lode_state_words *w, size_t *len)
{
	char *end = NULL, *text;
	int64_t n = next(w) && !w->is_bad ? strtoll(w->at, &end, 10) : -1;

	*len = 0;
	if (n < 0 || !end || *end != ':' || n > w->end - (end + 1)) {
		w->is_bad = true;
		return lode_strdup("");
	}
	text = lode_alloc((size_t)n + 1);
	memcpy(text, end + 1, (size_t)n);
	text[n] = '\0';
	w->at = end + 1 + n;
	*len = (size_t)n;
	return text;
}

void lode_state_put_number(FILE *out, double x)
{
	if (isnan(x))
		fputs("nan", out);
	else if (x == floor(x) && fabs(x) < 1e15)
		fprintf(out, "%.0f", x);
	else
		fprintf(out, "%a", x);
}

void lode_state_put_text(FILE *out, const char *text, size_t len)
{
	fprintf(out, "%zu:", len);
	fwrite(text, 1, len, out);
}
