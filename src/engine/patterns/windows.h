/*
 * Where in a sequence a function can be put into a pattern.
 *
 *   sequence  a x b y a z b        pattern  a b      first[]  0 2    (leftmost match)
 *             0 1 2 3 4 5 6                          last[]   4 6    (rightmost match)
 *
 * The window of slot i, before the pattern's item i (or behind all of it), lies between first[i-1]
 * and last[i], ends excluded: a function can be inserted at slot i of the pattern, the sequence
 * still containing it, exactly if it stands in that window. Mostly both matches are the same and
 * the windows tile the sequence, so that walking all of them costs one pass.
 */
#pragma once

#include <stdint.h>

/* `sequence` must contain `pattern`. `first` and `last` have room for n_pattern. */
static inline void lode_windows_match(const uint32_t *sequence, uint32_t n_sequence,
				      const uint32_t *pattern, uint32_t n_pattern, uint32_t *first,
				      uint32_t *last)
{
	uint32_t at = 0, j;

	for (j = 0; j < n_pattern; j++) {
		while (sequence[at] != pattern[j])
			at++;
		first[j] = at++;
	}
	at = n_sequence;
	for (j = n_pattern; j-- > 0;) {
		while (sequence[--at] != pattern[j])
			;
		last[j] = at;
	}
}

static inline uint32_t lode_window_begin(const uint32_t *first, uint32_t slot)
{
	return slot ? first[slot - 1] + 1 : 0;
}

static inline uint32_t lode_window_end(const uint32_t *last, uint32_t n_pattern,
				       uint32_t n_sequence, uint32_t slot)
{
	return slot < n_pattern ? last[slot] : n_sequence;
}
