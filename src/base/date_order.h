/*
 * Whether day or month is first in dates with slashes. One date tells it ("28/11/2026",
 * "11/28/2026"), another does not ("05/11/2026"): the file that it is of decides.
 */
#pragma once

#include "base/input.h"

enum lode_date_order { LODE_DATE_UNKNOWN, LODE_DATE_DAY_FIRST, LODE_DATE_MONTH_FIRST };

/* The first two numbers of a date with slashes that begins here, and the bytes up to its year; 0:
   there is none. */
size_t lode_date_slashed(int *first, int *second, const char *text, size_t len);

static inline enum lode_date_order lode_date_order_of(int first, int second)
{
	return first > 12			? LODE_DATE_DAY_FIRST
	       : second > 12 || first == second ? LODE_DATE_MONTH_FIRST
						: LODE_DATE_UNKNOWN;
}

/*
 * By all dates of the head, which is what lode_input_peek gave; UNKNOWN if they contradict each
 * other, or if there are none. If they leave it open, the first date of the file that decides,
 * where the input is seekable.
 */
enum lode_date_order lode_date_order_find(struct lode_input *input, const char *head, size_t size);
