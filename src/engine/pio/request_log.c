/* Takes in the requests of one period, for training or analysis. */
#include "engine/pio/request_log.h"

#include <assert.h>
#include <unistd.h>

#include "model/interval_axis.h"
#include "base/unnamed_file.h"

/* ---- Requests kept small ---- */

enum { BLOCK_BYTES = 1 << 20, ITEM_MAX_BYTES = 32 };

struct block {
	uint8_t *at; /* NULL: in the file */
	int64_t offset;
	size_t size;
};

struct lode_request_spool {
	LODE_VEC(struct block) blocks;
	struct lode_spooled_request last; /* before the next item */
	uint64_t n;
	size_t memory_bytes, held_bytes;
	int fd; /* -1: no file yet */
	int64_t file_bytes;
};

struct lode_request_spool *lode_request_spool_new(size_t memory_bytes)
{
	struct lode_request_spool *spool = lode_alloc0(1, sizeof(*spool));

	spool->memory_bytes = memory_bytes;
	spool->fd = -1;
	return spool;
}

void lode_request_spool_free(struct lode_request_spool *spool)
{
	if (!spool)
		return;
	lode_vec_release_each(&spool->blocks, it, free(it->at));
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool);
}

/* ---- Items ---- */

static uint8_t *put_request_spool(uint8_t *p, uint64_t x)
{
	for (; x >= 0x80; x >>= 7)
		*p++ = (uint8_t)(x | 0x80);
	*p++ = (uint8_t)x;
	return p;
}

static const uint8_t *get(const uint8_t *p, uint64_t *x)
{
	unsigned shift = 0;

	*x = 0;
	do {
		*x |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
	} while (*p++ & 0x80);
	return p;
}

static uint64_t zigzag(int64_t x)
{
	return (uint64_t)x << 1 ^ (uint64_t)(x >> 63);
}

static int64_t unzigzag(uint64_t x)
{
	return (int64_t)(x >> 1) ^ -(int64_t)(x & 1);
}

/* Most logs have whole milliseconds or microseconds: the lowest bits say which unit. */
static uint64_t pack_time(int64_t ns)
{
	if (ns % 1000000 == 0)
		return (uint64_t)(ns / 1000000) << 2;
	if (ns % 1000 == 0)
		return (uint64_t)(ns / 1000) << 2 | 1;
	return (uint64_t)ns << 2 | 2;
}

static int64_t unpack_time(uint64_t x)
{
	static const int64_t units[4] = {1000000, 1000, 1, 1};

	return (int64_t)(x >> 2) * units[x & 3];
}

/* Writes the last block, which is full, to the file. */
static int put_away(struct lode_request_spool *spool, struct block *block, struct lode_error *err)
{
	int rc = spool->fd < 0 ? lode_unnamed_file_open(&spool->fd, err) : LODE_OK;

	if (rc == LODE_OK)
		rc = lode_unnamed_file_write(spool->fd, block->at, block->size, spool->file_bytes,
					     err);
	if (rc < 0) {
		lode_error_context(err, "storing requests");
		return rc;
	}
	block->offset = spool->file_bytes;
	spool->file_bytes += (int64_t)block->size;
	free(block->at);
	block->at = NULL;
	return 0;
}

static int next_block(struct lode_request_spool *spool, struct lode_error *err)
{
	assert(!spool->blocks.n || spool->blocks.at);
	if (spool->blocks.n) {
		struct block *full = &spool->blocks.at[spool->blocks.n - 1];

		if (spool->memory_bytes && spool->held_bytes + BLOCK_BYTES > spool->memory_bytes) {
			int rc = put_away(spool, full, err);

			if (rc < 0)
				return rc;
		} else {
			full->at = lode_realloc_n(full->at, full->size, 1);
			spool->held_bytes += full->size;
		}
	}
	lode_vec_append(&spool->blocks, ((struct block){.at = lode_alloc(BLOCK_BYTES)}));
	spool->last = (struct lode_spooled_request){0};
	return 0;
}

int lode_request_spool_add(struct lode_request_spool *spool,
			   const struct lode_spooled_request *item, struct lode_error *err)
{
	struct block *block = spool->blocks.n ? &spool->blocks.at[spool->blocks.n - 1] : NULL;
	uint8_t *p;

	if (!block || block->size + ITEM_MAX_BYTES > BLOCK_BYTES) {
		int rc = next_block(spool, err);

		if (rc < 0)
			return rc;
		block = &spool->blocks.at[spool->blocks.n - 1];
	}
	p = block->at + block->size;
	p = put_request_spool(p, zigzag(item->interval - spool->last.interval));
	p = put_request_spool(p, item->pair);
	p = put_request_spool(p, pack_time(item->response_ns));
	block->size = (size_t)(p - block->at);
	spool->last = *item;
	spool->n++;
	return 0;
}

int lode_request_spool_next(const struct lode_request_spool *spool,
			    struct lode_request_spool_reader *reader,
			    struct lode_spooled_request *item, struct lode_error *err)
{
	const struct block *block;
	const uint8_t *start, *p;
	uint64_t interval, pair, response;

	while (reader->block < spool->blocks.n &&
	       reader->at == spool->blocks.at[reader->block].size) {
		reader->block++;
		reader->at = 0;
		reader->last = (struct lode_spooled_request){0};
	}
	if (reader->block == spool->blocks.n)
		return 0;
	block = &spool->blocks.at[reader->block];
	start = block->at;
	if (!start) {
		if (!reader->buffer)
			reader->buffer = lode_alloc(BLOCK_BYTES);
		if (reader->at == 0) {
			int rc = lode_unnamed_file_read(spool->fd, reader->buffer, block->size,
							block->offset, err);

			if (rc < 0)
				return rc;
		}
		start = reader->buffer;
	}
	p = get(start + reader->at, &interval);
	p = get(p, &pair);
	p = get(p, &response);
	reader->at = (size_t)(p - start);
	*item = (struct lode_spooled_request){.interval =
						      reader->last.interval + unzigzag(interval),
					      .pair = (uint32_t)pair,
					      .response_ns = unpack_time(response)};
	reader->last = *item;
	return 1;
}

void lode_request_spool_reader_release(struct lode_request_spool_reader *reader)
{
	free(reader->buffer);
	*reader = (struct lode_request_spool_reader){0};
}

/* ---- Counts per interval: pages, found by the number of their first interval ---- */

static int64_t page_of(int64_t interval)
{
	return interval / LODE_TALLY_PAGE - (interval % LODE_TALLY_PAGE < 0);
}

struct lode_interval_counts *lode_interval_tally_at(struct lode_interval_tally *tally,
						    int64_t interval)
{
	int64_t number = page_of(interval);
	uint32_t place;

	if (tally->last >= tally->pages.n || tally->pages.at[tally->last].number != number) {
		place = lode_map_number(&tally->index, (uint64_t)number, tally->pages.n);
		if (place == tally->pages.n)
			lode_vec_append(&tally->pages,
					((struct lode_tally_page){.number = number}));
		tally->last = place;
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

	if (!log->spool) /* counted already */
		return 0;
	while ((rc = lode_request_spool_next(log->spool, &reader, &item, err)) > 0)
		judge_request_log(log, item.interval, lode_usual_bound(log->usual, item.pair),
				  item.response_ns, item.response_ns);
	lode_request_spool_reader_release(&reader);
	lode_request_spool_free(log->spool);
	log->spool = NULL;
	return rc;
}
