/*
 * Many numbers sorted by their digits, in time that grows as their number does.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Something that `item` says, and the number it is sorted by. */
struct lode_keyed {
	uint32_t key, item;
};

/* Sorts by key; equal ones stay in the order given. `spare` is as long: gives which of the two
   holds the result. */
struct lode_keyed *lode_keyed_sort(struct lode_keyed *items, struct lode_keyed *spare, size_t n);

/* Sorts `rows` by column[row], none of them NaN; equal values stay in the order given. -0 equals
   +0. O(n). */
void lode_sort_rows(uint32_t *rows, size_t n, const double *column);

/* Sorts n values, none of them NaN. -0 becomes +0. */
void lode_sort_doubles(double *values, size_t n);
