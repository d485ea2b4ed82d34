/*
 * Pieces of JSON that lode/pio/1 and lode/pio-watch/1 share, and the parts of lode/pio/1 that
 * pictures are drawn from.
 */
#ifndef LODE_PIO_PARTS_H
#define LODE_PIO_PARTS_H

#include "reports/json.h"
#include "reports/pio_report.h"

/* How many of `n` are shown; `top` 0: all. */
static inline size_t lode_pio_shown(size_t n, size_t top)
{
	return top && n > top ? top : n;
}

/* "key_more": how many were left out, when some were. */
void lode_pio_put_more(struct lode_json *json, const char *key, size_t n, size_t top);
/* "server" and "counter" of a counter of the model. */
void lode_pio_put_counter(struct lode_json *json, const struct lode_pio_model *model, uint32_t c);

/* "servers", "counters", "actions" and "users" of a period. */
void lode_pio_put_ranked(struct lode_json *json, const struct lode_pio_analysis *analysis,
			 const struct lode_pio_period *period,
			 const struct lode_request_names *names, size_t top);

/*
 * Rows of the heat map: counters that ever left 0 in the matrix, of these the `most` (0: all) with
 * the largest cells, by server and name; value: the largest cell. Gives how many there are in all.
 */
size_t lode_pio_map_rows(lode_pio_ranking *rows, const struct lode_pio_analysis *analysis,
			 size_t most);

/* "bounds", "servers", "rules", "matrix", "series_step_ns", "series", "intervals" (docs/json.md).
 */
void lode_pio_put_pictures(struct lode_json *json, const struct lode_pio_report *report);

#endif
