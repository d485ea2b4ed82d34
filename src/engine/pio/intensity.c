/* Classes of intervals and the intensity transformation (PIO13, Algorithm 1). */
#include "engine/pio/intensity.h"

#include <math.h>

#include "base/mem.h"
#include "base/number_sort.h"

const char *lode_pio_class_name(enum lode_pio_class class)
{
	static const char *const names[] = {"LOW", "MED", "HIGH", "NONE"};

	return names[class];
}

uint32_t lode_intensity_step(const uint8_t *classes, size_t n, size_t window, uint32_t intensity)
{
	size_t counts[4] = {0};
	size_t most;

	for (size_t i = n < window ? 0 : n - window; i < n; i++)
		counts[classes[i]]++;
	most = counts[LODE_PIO_LOW];
	if (counts[LODE_PIO_MED] > most)
		most = counts[LODE_PIO_MED];
	if (counts[LODE_PIO_HIGH] > most)
		most = counts[LODE_PIO_HIGH];
	if (!most)
		return intensity;
	if (most == counts[LODE_PIO_HIGH])
		return intensity + 2;
	if (most == counts[LODE_PIO_MED])
		return intensity > 1 ? intensity - 1 : 0;
	return intensity > 2 ? intensity - 2 : 0;
}

void lode_intensity_all(uint32_t *intensity, const uint8_t *classes, size_t n, size_t window)
{
	uint32_t now = 0;

	for (size_t i = 0; i < n; i++) {
		now = lode_intensity_step(classes, i + 1, window, now);
		intensity[i] = now;
	}
}

double lode_pio_likeness(const uint8_t *classes, size_t n)
{
	double products = 0, share;
	size_t n_known = 0, n_high = 0, n_pairs = 0;

	for (size_t i = 0; i < n; i++) {
		n_known += classes[i] != LODE_PIO_NONE;
		n_high += classes[i] == LODE_PIO_HIGH;
	}
	if (!n_high || n_high == n_known)
		return 0;
	share = (double)n_high / (double)n_known;
	for (size_t i = 1; i < n; i++) {
		if (classes[i] == LODE_PIO_NONE || classes[i - 1] == LODE_PIO_NONE)
			continue;
		products += ((classes[i] == LODE_PIO_HIGH) - share) *
			    ((classes[i - 1] == LODE_PIO_HIGH) - share);
		n_pairs++;
	}
	if (!n_pairs)
		return 0;
	return fmin(0.99, fmax(0, products / (double)n_pairs / (share * (1 - share))));
}

double lode_percentile_sorted(const double *sorted, size_t n, double p)
{
	double place = p / 100 * (double)(n ? n - 1 : 0);
	size_t below = (size_t)place;

	if (!n)
		return NAN;
	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double lode_percentile(const double *values, size_t n, double p)
{
	double *sorted = lode_alloc((n + 1) * sizeof(*sorted));
	size_t kept = 0;
	double result;

	for (size_t i = 0; i < n; i++) {
		if (!isnan(values[i]))
			sorted[kept++] = values[i];
	}
	lode_sort_doubles(sorted, kept);
	result = lode_percentile_sorted(sorted, kept, p);
	free(sorted);
	return result;
}

enum lode_pio_class lode_pio_class_of(double ratio, double med, double high)
{
	if (isnan(ratio))
		return LODE_PIO_NONE;
	if (ratio <= 0)
		return LODE_PIO_LOW;
	return ratio >= high ? LODE_PIO_HIGH : ratio >= med ? LODE_PIO_MED : LODE_PIO_LOW;
}
