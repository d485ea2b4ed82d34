/* Table of substitution costs of every two functions. */
#include "engine/clusters/subtable.h"

#include "base/pool.h"
#include "base/sorted.h"

/* ---- Words ---- */

static bool is_upper(unsigned char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_letter(unsigned char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z') || c >= 0x80;
}

void lode_words_append(struct lode_words *words, const char *name)
{
	size_t start = words->word.n, size = strlen(name), from = 0, k;
	char *folded = lode_strdup(name);

	for (size_t i = 0; i < size; i++)
		if (is_upper((unsigned char)folded[i]))
			folded[i] += 'a' - 'A';
	for (size_t i = 0; i < size; i = k) {
		if (!is_letter((unsigned char)name[i])) {
			k = i + 1;
			continue;
		}
		from = i;
		for (k = i + 1; k < size && is_letter((unsigned char)name[k]); k++)
			if (is_upper((unsigned char)name[k]) &&
			    !is_upper((unsigned char)name[k - 1]))
				break;
		lode_vec_append(&words->word,
				lode_strings_intern(&words->words, folded + from, k - from));
	}
	lode_sort(words->word.at + start, words->word.n - start, lode_compare_u32);
	lode_vec_append(&words->end, words->word.n);
	free(folded);
}

void lode_words_release(struct lode_words *words)
{
	lode_strings_release(&words->words);
	lode_vec_release(&words->word);
	lode_vec_release(&words->end);
}

size_t lode_words_common(const struct lode_words *words, uint32_t a, uint32_t b)
{
	size_t i = lode_words_start(words, a), k = lode_words_start(words, b), n = 0;

	while (i < words->end.at[a] && k < words->end.at[b]) {
		uint32_t x = words->word.at[i], y = words->word.at[k];

		n += x == y;
		i += x <= y;
		k += y <= x;
	}
	return n;
}

double lode_words_sub(const struct lode_words *words, uint32_t a, uint32_t b)
{
	size_t n_both = lode_words_count(words, a) + lode_words_count(words, b);

	if (!n_both)
		return 1;
	return (double)(n_both - 2 * lode_words_common(words, a, b)) / (double)n_both;
}

uint32_t lode_words_sub_units(const struct lode_words *words, uint32_t a, uint32_t b)
{
	return lode_sub_units(lode_words_common(words, a, b),
			      lode_words_count(words, a) + lode_words_count(words, b));
}

/* ---- The table ---- */

struct fraction {
	uint32_t part, whole; /* Sub = part / whole */
};

LODE_COMPARE(compare_fractions, struct fraction, LODE_ORDER(a->part * b->whole, b->part * a->whole))

struct build {
	struct lode_sub_table *table;
	const struct lode_words *words;
	uint32_t *function; /* per row */
	size_t *start;	    /* per word + 1: names that have it, in `name` */
	uint32_t *name;	    /* their rows, as often as they have it */
	uint16_t *code_of;  /* common * stride + words of both */
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
	value[n++] = (struct fraction){0, 1}; /* of the row that is shared, whatever the names */
	value[n++] = (struct fraction){1, 1};
	for (uint32_t both = 1; both <= most; both++)
		for (uint32_t common = 0; 2 * common <= both; common++)
			value[n++] = (struct fraction){both - 2 * common, both};
	lode_sort(value, n, compare_fractions);
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

static void list_names(struct build *b)
{
	size_t n_words = b->words->words.text.n;

	b->start = lode_alloc0(n_words + 2, sizeof(*b->start));
	b->name = lode_alloc(b->words->word.n * sizeof(*b->name));
	for (size_t row = 0; row < b->table->n; row++)
		for (size_t i = lode_words_start(b->words, b->function[row]);
		     i < b->words->end.at[b->function[row]]; i++)
			b->start[b->words->word.at[i] + 2]++;
	for (size_t w = 2; w < n_words + 2; w++)
		b->start[w] += b->start[w - 1];
	for (uint32_t row = 0; row < b->table->n; row++)
		for (size_t i = lode_words_start(b->words, b->function[row]);
		     i < b->words->end.at[b->function[row]]; i++)
			b->name[b->start[b->words->word.at[i] + 1]++] = row;
}

/*
 * One row. Words shared as bags: the k-th time that a word stands in this name counts for names
 * that have it k times or more, which stand k times in a row in its list.
 */
static void fill_row(void *context, size_t job, unsigned worker)
{
	const struct build *b = context;
	const struct lode_words *words = b->words;
	uint16_t *common = b->n_common[worker], *row = b->table->code + job * (b->table->n + 1);
	uint32_t f = b->function[job];
	size_t own = lode_words_count(words, f), first = lode_words_start(words, f), nth = 0, run;

	memset(common, 0, b->table->n * sizeof(*common));
	for (size_t i = first; i < words->end.at[f]; i++) {
		uint32_t word = words->word.at[i];

		nth = i > first && words->word.at[i - 1] == word ? nth + 1 : 1;
		run = 0;
		for (size_t k = b->start[word]; k < b->start[word + 1]; k++) {
			run = k > b->start[word] && b->name[k - 1] == b->name[k] ? run + 1 : 1;
			common[b->name[k]] += run == nth;
		}
	}
	for (size_t i = 0; i < b->table->n; i++)
		row[i] = b->code_of[common[i] * b->stride + own +
				    lode_words_count(words, b->function[i])];
	row[job] = 0; /* also when it has no words at all */
	row[b->table->n] = 0;
}

struct candidate {
	uint32_t function, count;
};

/* The more frequent goes first. */
LODE_COMPARE(compare_candidates, struct candidate,
	     LODE_ORDER(b->count, a->count) ?: LODE_ORDER(a->function, b->function))

/* Which functions have a row; these stand in the order of the functions. Gives their most words. */
static size_t choose_rows(struct build *b, size_t n, const uint32_t *count, size_t max_rows)
{
	struct lode_sub_table *table = b->table;
	struct candidate *candidate = lode_alloc(n * sizeof(*candidate));
	size_t n_candidates = 0, most = 0, n_words;

	table->row = lode_alloc(n * sizeof(*table->row));
	for (uint32_t f = 0; f < n; f++) {
		table->row[f] = LODE_NONE;
		if (lode_words_count(b->words, f) <= LODE_SUB_TABLE_WORDS)
			candidate[n_candidates++] = (struct candidate){f, count[f]};
	}
	if (n_candidates > max_rows) {
		lode_sort(candidate, n_candidates, compare_candidates);
		n_candidates = max_rows;
	}
	for (size_t i = 0; i < n_candidates; i++)
		table->row[candidate[i].function] = 0;
	table->n = n_candidates;
	b->function = lode_alloc(n_candidates * sizeof(*b->function));
	for (uint32_t f = 0, row = 0; f < n; f++) {
		if (table->row[f] == LODE_NONE) {
			table->row[f] = (uint32_t)n_candidates;
			continue;
		}
		n_words = lode_words_count(b->words, f);
		most = n_words > most ? n_words : most;
		b->function[row] = f;
		table->row[f] = row++;
	}
	free(candidate);
	return most;
}

void lode_sub_table_init(struct lode_sub_table *table, const struct lode_words *words, size_t n,
			 const uint32_t *count, size_t max_rows, unsigned n_threads)
{
	struct build b = {.table = table, .words = words};
	size_t most;

	memset(table, 0, sizeof(*table));
	most = choose_rows(&b, n, count, max_rows);
	table->code = lode_alloc((table->n + 1) * (table->n + 1) * sizeof(*table->code));
	memset(table->code + table->n * (table->n + 1), 0, (table->n + 1) * sizeof(*table->code));
	number_values(&b, (uint32_t)(2 * most));
	list_names(&b);
	b.n_common = lode_alloc(n_threads * sizeof(*b.n_common));
	for (unsigned i = 0; i < n_threads; i++)
		b.n_common[i] = lode_alloc(table->n * sizeof(**b.n_common));
	lode_pool_run(n_threads, table->n, fill_row, &b);
	for (unsigned i = 0; i < n_threads; i++)
		free(b.n_common[i]);
	free(b.n_common);
	free(b.function);
	free(b.start);
	free(b.name);
	free(b.code_of);
}

void lode_sub_table_release(struct lode_sub_table *table)
{
	free(table->row);
	free(table->code);
	free(table->sub);
	free(table->units);
	memset(table, 0, sizeof(*table));
}
