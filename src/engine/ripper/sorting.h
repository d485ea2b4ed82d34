/*
 * Rows in the order of a column's values.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Sorts `rows` by column[row], none of them NaN; equal values stay in the order given. -0 equals
   +0. O(n). */
void lode_sort_rows(uint32_t *rows, size_t n, const double *column);

/* Sorts n values, none of them NaN. -0 becomes +0. */
void lode_sort_doubles(double *values, size_t n);
