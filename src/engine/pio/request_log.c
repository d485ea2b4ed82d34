/* Takes in the requests of one period, for training or analysis. */
#include "engine/pio/request_log.h"

#include "model/interval_axis.h"

/* ---- Counts per interval: pages, found by the number of their first interval ---- */

static int64_t page_of(int64_t interval)
{
	return interval / LODE_TALLY_PAGE - (interval % LODE_TALLY_PAGE < 0);
}

struct lode_interval_counts *lode_interval_tally_at(struct lode_interval_tally *tally,
						    int64_t interval)
{
	int64_t number = page_of(interval);
	uint32_t *place;

	if (tally->last >= tally->pages.n || tally->pages.at[tally->last].number != number) {
		place = lode_map_slot(&tally->index, (uint64_t)number);
		if (*place == LODE_NONE) {
			*place = (uint32_t)tally->pages.n;
			lode_vec_append(&tally->pages,
					((struct lode_tally_page){.number = number}));
		}
		tally->last = *place;
	}
	return &tally->pages.at[tally->last].at[interval - number * LODE_TALLY_PAGE];
}

const struct lode_interval_counts *lode_interval_tally_find(const struct lode_interval_tally *tally,
							    int64_t interval)
{
	int64_t number = page_of(interval);
	uint32_t place = lode_map_find(&tally->index, (uint64_t)number);

	if (place == LODE_NONE)
		return NULL;
	return &tally->pages.at[place].at[interval - number * LODE_TALLY_PAGE];
}

/* Drops what was counted in pages that end at or before `interval`. */
static void forget_pages(struct lode_interval_tally *tally, int64_t interval)
{
	int64_t first = page_of(interval);
	size_t kept = 0;

	for (size_t i = 0; i < tally->pages.n; i++)
		kept += tally->pages.at[i].number >= first;
	if (kept == tally->pages.n)
		return;
	kept = 0;
	lode_map_release(&tally->index);
	tally->index = (struct lode_map){0};
	for (size_t i = 0; i < tally->pages.n; i++) {
		if (tally->pages.at[i].number < first)
			continue;
		tally->pages.at[kept] = tally->pages.at[i];
		*lode_map_slot(&tally->index, (uint64_t)tally->pages.at[kept].number) =
			(uint32_t)kept;
		kept++;
	}
	tally->pages.n = kept;
	tally->last = 0;
}

/* ---- Requests ---- */

void lode_request_log_init(struct lode_request_log *log,
			   const struct lode_request_log_options *options, struct lode_usual *usual,
			   bool is_judging)
{
	*log = (struct lode_request_log){.options = *options, .usual = usual};
	if (!is_judging)
		log->spool = lode_request_spool_new(options->memory_bytes);
	log->first_ns = INT64_MAX;
	log->last_ns = INT64_MIN;
}

void lode_request_log_release(struct lode_request_log *log)
{
	lode_request_spool_free(log->spool);
	lode_vec_release(&log->tally.pages);
	lode_map_release(&log->tally.index);
	lode_vec_release(&log->hits);
}

static void hit(struct lode_request_log *log, int64_t interval, uint32_t pair)
{
	struct lode_slow_hits *last = log->hits.n ? &log->hits.at[log->hits.n - 1] : NULL;

	if (last && last->interval == interval && last->pair == pair)
		last->n++;
	else
		lode_vec_append(&log->hits, ((struct lode_slow_hits){interval, pair, 1}));
}

/* Counts a request whose bound is known; gives whether it is SLOW. */
static bool judge_request_log(struct lode_request_log *log, int64_t interval, double bound,
			      int64_t judged_ns, int64_t response_ns)
{
	struct lode_interval_counts *t;
	bool is_slow = (double)judged_ns > bound;

	if (isinf(bound)) {
		log->n_unjudged++;
		return false;
	}
	t = lode_interval_tally_at(&log->tally, interval);
	t->n++;
	t->n_slow += is_slow;
	t->n_client += !is_slow && (double)response_ns > bound;
	return is_slow;
}

static int take_request_log(void *context, const struct lode_request *at, size_t n,
			    struct lode_error *err)
{
	struct lode_request_log *log = context;

	for (size_t i = 0; i < n; i++) {
		const struct lode_request *r = &at[i];
		int64_t t = log->options.is_by_start ? r->end_ns - r->response_ns : r->end_ns;
		int64_t interval = lode_interval_of(t, log->options.step_ns);
		uint32_t pair = lode_usual_pair(log->usual, r->action, r->user);
		int64_t judged = r->response_ns;

		if (!log->options.is_whole_response && r->upstream_ns >= 0 &&
		    r->upstream_ns < r->response_ns)
			judged = r->upstream_ns;
		log->n_requests++;
		log->first_ns = t < log->first_ns ? t : log->first_ns;
		log->last_ns = t > log->last_ns ? t : log->last_ns;
		if (log->spool) {
			struct lode_spooled_request item = {interval, judged, pair};
			int rc = lode_request_spool_add(log->spool, &item, err);

			if (rc < 0)
				return rc;
			lode_usual_add(log->usual, pair, judged);
		} else if (judge_request_log(log, interval, lode_usual_bound(log->usual, pair),
					     judged, r->response_ns)) {
			hit(log, interval, pair);
		}
	}
	return 0;
}

struct lode_request_sink lode_request_log_sink(struct lode_request_log *log,
					       struct lode_request_names *names)
{
	return (struct lode_request_sink){.context = log,
					  .names = names,
					  .requests = take_request_log,
					  .losses = &log->losses};
}

void lode_request_log_forget(struct lode_request_log *log, int64_t interval)
{
	size_t kept = 0;

	for (size_t i = 0; i < log->hits.n; i++) {
		if (log->hits.at[i].interval >= interval)
			log->hits.at[kept++] = log->hits.at[i];
	}
	log->hits.n = kept;
	forget_pages(&log->tally, interval);
}

int lode_request_log_count(struct lode_request_log *log, struct lode_error *err)
{
	struct lode_request_spool_reader reader = {0};
	struct lode_spooled_request item;
	int rc;

	while ((rc = lode_request_spool_next(log->spool, &reader, &item, err)) > 0)
		judge_request_log(log, item.interval, lode_usual_bound(log->usual, item.pair),
				  item.response_ns, item.response_ns);
	lode_request_spool_reader_release(&reader);
	lode_request_spool_free(log->spool);
	log->spool = NULL;
	return rc;
}
