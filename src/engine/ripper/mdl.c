/* Description lengths of rules and their errors, in bits. */
#include "engine/ripper/mdl.h"

#include <math.h>

/* Bits to say which `k` of `t` things are meant, when each is expected with probability `p`. */
static double subset_bits(double t, double k, double p)
{
	double bits = p > 0 ? -k * log2(p) : 0;

	if (p < 1)
		bits -= (t - k) * log2(1 - p);
	return bits;
}

double lode_mdl_rule(size_t n_conditions, double n_possible)
{
	double k = (double)n_conditions, bits;

	if (!n_conditions)
		return 0;
	bits = log2(k);
	if (n_conditions > 1)
		bits += 2 * log2(bits);
	if (n_possible > k)
		bits += subset_bits(n_possible, k, k / n_possible);
	/* Half: attributes say much the same, [RIPPER95]. */
	return bits / 2;
}

double lode_mdl_exceptions(const struct lode_rule_counts *c, double expected_fp)
{
	double covered = c->covered, uncovered = c->uncovered;
	double fp = c->false_positives, fn = c->false_negatives;
	double bits = log2(covered + uncovered + 1);

	/* The larger side's errors are coded by what is expected of them, the smaller's by what
	   is left. */
	if (covered > uncovered) {
		bits += subset_bits(covered, fp, expected_fp * (fp + fn) / covered);
		if (uncovered > 0)
			bits += subset_bits(uncovered, fn, fn / uncovered);
	} else {
		if (covered > 0)
			bits += subset_bits(covered, fp, fp / covered);
		if (uncovered > 0)
			bits += subset_bits(uncovered, fn,
					    (1 - expected_fp) * (fp + fn) / uncovered);
	}
	return bits;
}
