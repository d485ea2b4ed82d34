/* Words of function names, and the cost of replacing one name by another (design §3.4). */
#include "engine/clusters/words.h"

#include "base/sorted.h"

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
