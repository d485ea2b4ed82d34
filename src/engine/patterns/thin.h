/*
 * Thins out copies of a pattern's own functions, which recursion and loops make plenty of.
 *
 *   P = a b, x can be inserted behind b:     a a b a b x b b   ->   a b x
 *
 * Of two copies that can both stand for the same item of P, one goes if nothing that matters lies
 * between them: whatever contains P and more, and is contained in the sequence, still is. Fewer
 * copies mean equal sequences, and matches of P that are unique.
 */
#pragma once

#include "base/mem.h"

struct lode_thin_input {
	const uint32_t *items; /* the sequence */
	uint32_t n_items;
	const uint32_t *pattern;
	uint32_t n_pattern;
	const uint32_t *first, *last; /* windows.h */
	const uint8_t *is_open;	      /* [slot * n_all + item] */
	uint32_t n_all;
};

struct lode_thin_scratch {
	LODE_VEC(uint32_t) stands_for; /* per place: how many items of P it can stand for */
	LODE_VEC(uint8_t) is_inserted; /* per place: something can be inserted there */
};
void lode_thin_scratch_release(struct lode_thin_scratch *scratch);

/* Clears keep[place] of those that go; of others, it leaves keep[] alone. */
void lode_thin(uint8_t *keep, const struct lode_thin_input *input,
	       struct lode_thin_scratch *scratch);
