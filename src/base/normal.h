/* The normal distribution, as far as its tail goes. */
#pragma once

#include <math.h>

/* Of normal deviates the chance of one above z, as a logarithm. */
static inline double lode_log_normal_above(double z)
{
	if (z > 30)
		return -z * z / 2 - log(z * sqrt(2 * M_PI));
	return log(erfc(z / sqrt(2)) / 2);
}
