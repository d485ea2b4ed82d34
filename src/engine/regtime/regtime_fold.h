/*
 * Folding: what takes negligible time becomes "and 14 more, 0.02 %" (design §5).
 */
#pragma once

#include "engine/regtime/regtime.h"

/*
 * Folds an expression, the last item of `thread`: marks its nodes, or drops them if `keeps` is
 * false, and sums them up in the item. `folded_in` is scratch by function, zeroed once per thread.
 */
void lode_regtime_fold(struct lode_regtime_thread *thread, struct lode_regtime_item *item,
		       bool keeps, uint32_t *folded_in);
