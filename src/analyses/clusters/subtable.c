#include "analyses/clusters/subtable.h"

#include <stdlib.h>

#include "base/pool.h"

struct fraction {
	uint32_t part, whole; /* Sub = part / whole */
};

static int compare_fractions(const void *a, const void *b)
{
	const struct fraction *x = a, *y = b;
	uint32_t left = x->part * y->whole, right = y->part * x->whole;

	return (left > right) - (left < right);
}

struct build {
	struct lode_sub_table *table;
	const struct lode_words *words;
	size_t *start;	   /* per word + 1: names that have it, in `name` */
	uint32_t *name;	   /* as often as they have it */
	uint16_t *code_of; /* common * stride + words of both */
	size_t stride;
	uint16_t **n_common; /* per worker: words shared with each name */
};

/* All values that Sub can take with up to `most` words in both names, and their codes. */
static void number_values(struct build *b, uint32_t most)
{
	size_t n = 0, n_codes = 0;
	struct fraction *value = lode_alloc0((size_t)(most + 2) * (most + 2), sizeof(*value));

	b->stride = most + 1;
	b->code_of = lode_alloc0((size_t)(most + 1) * (most + 1), sizeof(*b->code_of));
	value[n++] = (struct fraction){1, 1};
	for (uint32_t both = 1; both <= most; both++)
		for (uint32_t common = 0; 2 * common <= both; common++)
			value[n++] = (struct fraction){both - 2 * common, both};
	qsort(value, n, sizeof(*value), compare_fractions);
	for (size_t i = 0; i < n; i++)
		if (!i || compare_fractions(&value[n_codes - 1], &value[i]))
			value[n_codes++] = value[i];
	b->table->n_codes = n_codes;
	b->table->sub = lode_alloc(n_codes * sizeof(*b->table->sub));
	b->table->units = lode_alloc(n_codes * sizeof(*b->table->units));
	for (size_t i = 0; i < n_codes; i++) {
		b->table->sub[i] = (double)value[i].part / value[i].whole;
		/* As lode_sub_units: any fraction of that value has the same nearest unit. */
		b->table->units[i] =
			(uint32_t)(((uint64_t)value[i].part * 2 * LODE_SUB_ONE + value[i].whole) /
				   (2 * (uint64_t)value[i].whole));
	}
	for (uint32_t both = 0; both <= most; both++)
		for (uint32_t common = 0; 2 * common <= both; common++) {
			struct fraction key = {both ? both - 2 * common : 1, both ? both : 1};
			const struct fraction *found =
				bsearch(&key, value, n_codes, sizeof(key), compare_fractions);

			b->code_of[common * b->stride + both] = (uint16_t)(found - value);
		}
	free(value);
}

static void list_names(struct build *b, size_t n)
{
	size_t n_words = b->words->words.text.n;

	b->start = lode_alloc0(n_words + 2, sizeof(*b->start));
	b->name = lode_alloc(b->words->word.n * sizeof(*b->name));
	for (size_t i = 0; i < b->words->word.n; i++)
		b->start[b->words->word.at[i] + 2]++;
	for (size_t w = 2; w < n_words + 2; w++)
		b->start[w] += b->start[w - 1];
	for (uint32_t f = 0; f < n; f++)
		for (size_t i = lode_words_start(b->words, f); i < b->words->end.at[f]; i++)
			b->name[b->start[b->words->word.at[i] + 1]++] = f;
}

/*
 * One row. Words shared as bags: the k-th time that a word stands in this name counts for names
 * that have it k times or more, which stand k times in a row in its list.
 */
static void fill_row(void *context, size_t f, unsigned worker)
{
	const struct build *b = context;
	const struct lode_words *words = b->words;
	uint16_t *common = b->n_common[worker], *row = b->table->code + f * b->table->n;
	size_t own = lode_words_count(words, (uint32_t)f), nth = 0, run;
	size_t first = lode_words_start(words, (uint32_t)f), i, k;

	memset(common, 0, b->table->n * sizeof(*common));
	for (i = first; i < words->end.at[f]; i++) {
		uint32_t word = words->word.at[i];

		nth = i > first && words->word.at[i - 1] == word ? nth + 1 : 1;
		run = 0;
		for (k = b->start[word]; k < b->start[word + 1]; k++) {
			run = k > b->start[word] && b->name[k - 1] == b->name[k] ? run + 1 : 1;
			common[b->name[k]] += run == nth;
		}
	}
	for (i = 0; i < b->table->n; i++)
		row[i] = b->code_of[common[i] * b->stride + own +
				    lode_words_count(words, (uint32_t)i)];
	row[f] = 0; /* also when it has no words at all */
}

void lode_sub_table_init(struct lode_sub_table *table, const struct lode_words *words, size_t n,
			 unsigned n_threads)
{
	struct build b = {.table = table, .words = words};
	size_t most = 0, count;

	memset(table, 0, sizeof(*table));
	for (uint32_t f = 0; f < n; f++) {
		count = lode_words_count(words, f);
		most = count > most ? count : most;
	}
	if (!n || n > LODE_SUB_TABLE_FUNCTIONS || 2 * most > LODE_SUB_TABLE_WORDS)
		return;
	table->n = n;
	table->code = lode_alloc(n * n * sizeof(*table->code));
	number_values(&b, (uint32_t)(2 * most));
	list_names(&b, n);
	b.n_common = lode_alloc(n_threads * sizeof(*b.n_common));
	for (unsigned i = 0; i < n_threads; i++)
		b.n_common[i] = lode_alloc(n * sizeof(**b.n_common));
	lode_pool_run(n_threads, n, fill_row, &b);
	for (unsigned i = 0; i < n_threads; i++)
		free(b.n_common[i]);
	free(b.n_common);
	free(b.start);
	free(b.name);
	free(b.code_of);
}

void lode_sub_table_release(struct lode_sub_table *table)
{
	free(table->code);
	free(table->sub);
	free(table->units);
	memset(table, 0, sizeof(*table));
}
