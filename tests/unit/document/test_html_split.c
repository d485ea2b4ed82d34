/* Reports in two parts: each has what it should, and together they are what was there. */
#include "document/html_split.h"
#include "cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after those */
#include <cmocka.h>

static const char schema[] = "lode/mine/1";

static unsigned below(unsigned *seed, unsigned n)
{
	return (unsigned)rand_r(seed) % n;
}

static void add(struct lode_html_text *text, const char *s)
{
	size_t n = strlen(s);

	lode_vec_reserve(&text->bytes, text->bytes.n + n + 1);
	memcpy(text->bytes.at + text->bytes.n, s, n + 1);
	text->bytes.n += n;
}

static void add_member(struct lode_html_text *text, const char *key, const char *value)
{
	if (text->bytes.n && text->bytes.at[text->bytes.n - 1] != '{')
		add(text, ",");
	add(text, "\"");
	add(text, key);
	add(text, "\":");
	add(text, value);
}

static void clear(struct lode_html_text *text)
{
	text->bytes.n = 0;
	add(text, "");
}

/* Values with everything that could be mistaken for structure. */
static const char *random_value(unsigned *seed)
{
	static const char *const values[] = {
		"0",
		"-12.5e3",
		"null",
		"true",
		"\"\"",
		"\"}],{[\"",
		"\"a\\\"b,\\\\\"",
		"\"\\\\\"",
		"[]",
		"{}",
		"[1,[2,{\"clusters\":[]}],\"]\"]",
		"{\"flame\":{\"x\":[{}]},\"k\":\"{\"}",
		"\"\\u007d \xc3\xa4\"",
	};

	return values[below(seed, sizeof(values) / sizeof(*values))];
}

/* Members in random order: all of them, those that stay, and those that are set apart. */
static void random_members(struct lode_html_text *text, struct lode_html_text *light,
			   struct lode_html_text *apart, const char *const *names, size_t n_names,
			   size_t n_apart, unsigned *seed)
{
	for (unsigned n = below(seed, 7); n; n--) {
		size_t k = below(seed, (unsigned)n_names);
		const char *value = random_value(seed);

		add_member(text, names[k], value);
		if (k >= n_apart) {
			add_member(light, names[k], value);
			continue;
		}
		if (apart->bytes.n)
			add(apart, ",");
		add(apart, "\"");
		add(apart, names[k]);
		add(apart, "\":");
		add(apart, value);
	}
}

static void append_apart(struct lode_html_text *to, const struct lode_html_text *apart)
{
	if (!apart->bytes.n)
		return;
	if (to->bytes.at[to->bytes.n - 1] != '{')
		add(to, ",");
	add(to, apart->bytes.at);
}

struct document {
	struct lode_html_text text, light, rest, joined;
};

static void random_document(struct document *d, unsigned seed)
{
	static const char *const tops[] = {"frames", "paths",  "reasons", "devices",
					   "unit",   "inputs", "flame"};
	static const char *const items[] = {"flame", "worst",  "patterns", "by_stream",
					    "id",    "frames", "own_ns"};
	struct lode_html_text apart = {0}, item = {0}, light = {0}, own = {0};
	unsigned n_items = below(&seed, 6);

	clear(&d->text), clear(&d->light), clear(&d->rest), clear(&d->joined);
	clear(&apart);
	add(&d->text, "{");
	add(&d->light, "{");
	random_members(&d->text, &d->light, &apart, tops, 7, 4, &seed);
	add(&d->rest, apart.bytes.at);
	add(&d->rest, "\n");
	add(&d->joined, d->light.bytes.at);
	add_member(&d->text, "clusters", "[");
	add_member(&d->light, "clusters", "[");
	add_member(&d->joined, "clusters", "[");
	for (unsigned i = 0; i < n_items; i++) {
		clear(&item), clear(&light), clear(&own);
		add(&item, i ? ",{" : "{");
		add(&light, i ? ",{" : "{");
		random_members(&item, &light, &own, items, 7, 4, &seed);
		add(&d->text, item.bytes.at);
		add(&d->text, "}");
		add(&d->light, light.bytes.at);
		add(&d->light, "}");
		add(&d->rest, own.bytes.at);
		add(&d->rest, "\n");
		append_apart(&light, &own);
		add(&d->joined, light.bytes.at);
		add(&d->joined, "}");
	}
	add(&d->text, "]}");
	add(&d->light, "]}");
	add(&d->joined, "]");
	append_apart(&d->joined, &apart);
	add(&d->joined, "}");
	lode_vec_release(&apart.bytes);
	lode_vec_release(&item.bytes);
	lode_vec_release(&light.bytes);
	lode_vec_release(&own.bytes);
}

static void release(struct document *d)
{
	lode_vec_release(&d->text.bytes);
	lode_vec_release(&d->light.bytes);
	lode_vec_release(&d->rest.bytes);
	lode_vec_release(&d->joined.bytes);
}

static void check_text(const struct lode_html_text *is, const struct lode_html_text *should,
		       unsigned seed)
{
	if (is->bytes.n != should->bytes.n ||
	    (is->bytes.n && memcmp(is->bytes.at, should->bytes.at, is->bytes.n) != 0))
		fail_msg("seed %u: %.*s\nshould be %s", seed, (int)is->bytes.n, is->bytes.at,
			 should->bytes.at);
}

static void parts_are_what_they_should_be(void **state)
{
	struct document d = {0};

	(void)state;
	for (unsigned seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct lode_html_split split;
		struct lode_html_text joined = {0};
		size_t n_lines = 0;

		random_document(&d, seed);
		if (!lode_html_split(&split, schema, d.text.bytes.at, d.text.bytes.n))
			fail_msg("seed %u: %s is not split", seed, d.text.bytes.at);
		check_text(&split.light, &d.light, seed);
		check_text(&split.rest, &d.rest, seed);
		for (size_t i = 0; i < split.rest.bytes.n; i++)
			if (i == 0 || split.rest.bytes.at[i - 1] == '\n')
				assert_int_equal(split.lines.at[n_lines++], i);
		assert_int_equal(split.lines.n, n_lines);
		assert_true(lode_html_join(&joined, schema, split.light.bytes.at,
					   split.light.bytes.n, split.rest.bytes.at,
					   split.rest.bytes.n));
		check_text(&joined, &d.joined, seed);
		lode_vec_release(&joined.bytes);
		lode_html_split_release(&split);
	}
	release(&d);
}

/* Cut and changed texts, each in memory of its own size: a sanitizer sees one byte too far. */
static void anything_else_is_refused_or_harmless(void **state)
{
	struct document d = {0};

	(void)state;
	for (unsigned seed = 1; seed <= TEST_CASES(3000); seed++) {
		unsigned random = seed;
		struct lode_html_split split;
		struct lode_html_text joined = {0};
		size_t n, n_rest;
		char *text, *rest;

		random_document(&d, seed);
		n = below(&random, (unsigned)d.text.bytes.n);
		text = malloc(n ? n : 1);
		memcpy(text, d.text.bytes.at, n);
		assert_false(lode_html_split(&split, schema, text, n)); /* cut: no end */
		if (n)
			text[below(&random, (unsigned)n)] = "{}[]\",:\\1\n"[below(&random, 10)];
		lode_html_split(&split, schema, text, n);
		lode_html_split_release(&split);
		free(text);

		n_rest = below(&random, (unsigned)d.rest.bytes.n);
		rest = malloc(n_rest ? n_rest : 1);
		memcpy(rest, d.rest.bytes.at, n_rest);
		n = d.light.bytes.n;
		text = malloc(n);
		memcpy(text, d.light.bytes.at, n);
		assert_false(lode_html_join(&joined, schema, text, n, rest, n_rest));
		lode_vec_release(&joined.bytes);
		text[below(&random, (unsigned)n)] = "{}[]\",:\\1\n"[below(&random, 10)];
		lode_html_join(&joined, schema, text, n, d.rest.bytes.at, d.rest.bytes.n);
		lode_vec_release(&joined.bytes);
		free(text);
		free(rest);
	}
	release(&d);
}

static void other_documents_stay_whole(void **state)
{
	static const char *const texts[] = {"[]", "{}", "{\"clusters\":{}}", "{\"clusters\":[1]}",
					    "{\"clusters\":[]} x"};
	struct lode_html_split split;

	(void)state;
	assert_false(lode_html_split(&split, "lode/pio/1", "{\"clusters\":[]}", 15));
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(lode_html_split(&split, schema, texts[i], strlen(texts[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_what_they_should_be),
		cmocka_unit_test(anything_else_is_refused_or_harmless),
		cmocka_unit_test(other_documents_stay_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
