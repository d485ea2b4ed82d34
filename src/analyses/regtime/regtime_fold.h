/*
 * Folding: what takes negligible time becomes "and 14 more, 0.02 %" (design §5).
 */
#ifndef LODE_REGTIME_FOLD_H
#define LODE_REGTIME_FOLD_H

#include "analyses/regtime/regtime.h"

/* Marks nodes, sums them up in their expressions, and counts glyphs. */
void lode_regtime_fold(struct lode_regtime_thread *thread,
		       const struct lode_regtime_options *options);

#endif
