/*
 * Classes of intervals, and the intensity transformation [PIO13, Algorithm 1].
 *
 *   class       L L H H H H M L L L L L        window 3
 *   intensity   0 0 0 2 4 6 8 8 6 4 2 0        majority HIGH +2, MED -1, LOW -2, never below 0
 *
 * Ties go to HIGH, then to MED. An interval without a class (no requests, no counters) counts for
 * none of them; a window of nothing else leaves the intensity as it is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum lode_pio_class {
	LODE_PIO_LOW,
	LODE_PIO_MED,
	LODE_PIO_HIGH,
	LODE_PIO_NONE, /* not known */
};

const char *lode_pio_class_name(enum lode_pio_class class); /* "LOW"; "NONE" */

/*
 * One step: `classes` ends (at n - 1) with the newest interval, of which the last `window` count;
 * fewer at the beginning.
 */
uint32_t lode_intensity_step(const uint8_t *classes, size_t n, size_t window, uint32_t intensity);
/* The intensity at each of n intervals, from 0. */
void lode_intensity_all(uint32_t *intensity, const uint8_t *classes, size_t n, size_t window);

/* How alike neighbours are in being HIGH: the correlation from one interval to the next, 0 to 0.99;
   0 where none or all are. Pairs with an interval without a class are left out. */
double lode_pio_likeness(const uint8_t *classes, size_t n);

/* p percent of n values (NaN left out) are below: linear between ranks; NaN without values. */
double lode_percentile(const double *values, size_t n, double p);
/* As lode_percentile, of values that are sorted and no NaN. */
double lode_percentile_sorted(const double *sorted, size_t n, double p);
/*
 * HIGH at or above `high`, MED at or above `med`, else LOW. A ratio of 0 is LOW whatever the
 * bounds: where less than a part in twenty is ever slow, both are 0.
 */
enum lode_pio_class lode_pio_class_of(double ratio, double med, double high);
