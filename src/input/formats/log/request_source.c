/* Reads request logs of servers, proxies and applications, in parallel. */
#include "input/formats/log/request_source.h"

#include <stdio.h>

#include "base/delimited.h"
#include "base/escape.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "input/formats/log/log_action.h"
#include "input/formats/log/log_layout.h"
#include "input/formats/log/log_request.h"
#include "input/formats/log/request_times.h"
#include "input/strangers.h"

enum {
	BLOCK_BYTES = 1 << 20,
	MAX_THREADS = 64,
	SPARE_ITEMS = 2,       /* beyond one per thread, so that no thread waits for a slow block */
	MAX_REMEMBERED = 4096, /* URLs per thread whose action is remembered */
	LOOK_BACK = 4096,      /* and for how many of them it is asked whether that helps */
};

static const int64_t LONG_NS = 10 * INT64_C(1000000000);
static const int64_t ROUNDING_NS = 10000000; /* two clocks, each in ms or less */

/* A text that a worker met for the first time: `len` bytes of the item's texts. */
struct fresh {
	uint32_t len;
	bool is_user;
};

/* A block of whole lines, and what came of it. */
struct item {
	const struct lode_log_layout *layout;
	char *text;
	size_t size, capacity;
	int64_t offset;	  /* of its text in the log */
	size_t head_size; /* of the log's part (struct lode_text_part) */
	unsigned worker;
	LODE_VEC(struct lode_request) requests; /* names: the worker's own ids */
	LODE_VEC(uint32_t) lines;		/* where each stands, from 1 within the block */
	LODE_VEC(uint32_t) zoneless;		/* requests whose end is a wall clock's */
	LODE_VEC(struct fresh) fresh;
	LODE_VEC(char) fresh_text;
	uint64_t n_lines, n_no_response, n_bad;
	uint64_t bad_line; /* the first, from 1 within the block */
	int64_t bad_offset;
	char bad_words[240];
};

struct worker {
	struct lode_log_splitter *splitter;
	struct lode_log_action *action;
	struct lode_log_clock clock;
	struct lode_strings actions, users;
	/* URLs met, and their actions; of so many that were looked up, how many were there. */
	struct lode_strings urls;
	LODE_VEC(uint32_t) action_of_url;
	unsigned n_asked, n_found;
	bool is_memory_useless;
};

/* A worker's ids, as the taker knows them. */
struct ids {
	LODE_VEC(uint32_t) of; /* the worker's id -> the sink's; LODE_NONE: not used yet */
	struct lode_strings texts;
};

struct reading {
	const struct lode_log_options *options;
	const struct lode_request_sink *sink;
	struct lode_log_facts *facts;
	struct lode_error *err;
	struct lode_input *input;
	const char *path;
	const struct lode_text_part *part;	    /* NULL: the path is read */
	LODE_VEC(struct lode_log_layout *) layouts; /* the last one is in use */
	char *rest;				    /* the begun line behind the last block */
	size_t rest_size, rest_capacity;
	int64_t offset;
	size_t n_header_lines;
	bool is_end, is_cut; /* cut: the input ended in a fault */
	struct lode_error fault;
	unsigned n_threads;
	struct worker workers[MAX_THREADS];
	struct ids actions[MAX_THREADS], users[MAX_THREADS];
	struct lode_log_zone zone;
	int64_t last_ns;
	struct lode_request_times times;
	struct item items[MAX_THREADS + SPARE_ITEMS];
};

/* ---- Blocks of lines ---- */

/* Puts what is left of the last block, and new bytes, into the item. < 0: a fault of the input. */
static int fill_request_source(struct reading *r, struct item *item)
{
	ssize_t n;

	if (item->capacity < r->rest_size + BLOCK_BYTES + 1) {
		item->capacity = r->rest_size + BLOCK_BYTES + 1;
		item->text = lode_realloc_n(item->text, item->capacity, 1);
	}
	if (r->rest_size)
		memcpy(item->text, r->rest, r->rest_size);
	item->size = r->rest_size;
	item->offset = r->offset;
	r->rest_size = 0;
	n = lode_input_read(r->input, item->text + item->size, BLOCK_BYTES, &r->fault);
	if (n < 0) {
		r->is_end = r->is_cut = true;
		return LODE_OK;
	}
	item->size += (size_t)n;
	r->is_end = (size_t)n < BLOCK_BYTES;
	return LODE_OK;
}

/* Keeps what stands behind `size` for the next block. */
static void keep_rest(struct reading *r, struct item *item, size_t size)
{
	r->rest_size = item->size - size;
	if (r->rest_capacity < r->rest_size) {
		r->rest_capacity = r->rest_size;
		r->rest = lode_realloc_n(r->rest, r->rest_capacity, 1);
	}
	if (r->rest_size)
		memcpy(r->rest, item->text + size, r->rest_size);
	item->size = size;
	r->offset += (int64_t)size;
}

/* W3C logs name their columns again whenever the server starts: one layout per block. */
static size_t at_fields(struct reading *r, const char *text, size_t size)
{
	static const char mark[] = "#Fields:";
	const char *at = text, *feed, *end = text + size;

	if (size >= sizeof(mark) - 1 && memcmp(text, mark, sizeof(mark) - 1) == 0) {
		feed = memchr(text, '\n', size);
		feed = feed ? feed : end;
		lode_vec_append(&r->layouts,
				lode_log_layout_w3c(text + sizeof(mark) - 1,
						    (size_t)(feed - text) - sizeof(mark) + 1,
						    r->options->fields, r->layouts.at[0]->is_iis));
		r->layouts.at[r->layouts.n - 1]->comma = r->layouts.at[0]->comma;
		at = feed;
	}
	while ((at = memmem(at, (size_t)(end - at), "\n#Fields:", sizeof(mark))) != NULL)
		return (size_t)(at + 1 - text);
	return size;
}

static int make_request_source(void *context, void *out)
{
	struct reading *r = context;
	struct item *item = out;
	const char *feed;
	size_t size;

	if (r->is_end && !r->rest_size)
		return LODE_PIPELINE_END;
	if (r->is_end) { /* what a change of columns left over */
		item->size = 0;
		if (item->capacity < r->rest_size + 1) {
			item->capacity = r->rest_size + 1;
			item->text = lode_realloc_n(item->text, item->capacity, 1);
		}
		memcpy(item->text, r->rest, r->rest_size);
		item->size = r->rest_size;
		item->offset = r->offset;
		r->rest_size = 0;
	} else {
		fill_request_source(r, item);
	}
	size = item->size;
	feed = memrchr(item->text, '\n', size);
	if (!r->is_end) {
		if (!feed && size > LODE_LINE_MAX_BYTES)
			return lode_fail(r->err, LODE_ERR_LIMIT, r->path, item->offset,
					 "a line is longer than %zu bytes: this is not a log",
					 LODE_LINE_MAX_BYTES);
		size = feed ? (size_t)(feed - item->text) + 1 : 0;
	} else if (r->is_cut) {
		size = feed ? (size_t)(feed - item->text) + 1 : 0; /* a line that was cut is none */
		item->size = size;
	}
	if (r->layouts.at[0]->family == LODE_LOG_W3C)
		size = at_fields(r, item->text, size);
	keep_rest(r, item, size);
	item->layout = r->layouts.at[r->layouts.n - 1];
	return LODE_PIPELINE_ITEM;
}

/* ---- Lines, in parallel ---- */

/* A worker's id of a text; the taker learns it with the item. */
static uint32_t own_id(struct item *item, struct lode_strings *strings, const char *text,
		       size_t len, bool is_user)
{
	size_t n = strings->text.n;
	uint32_t id = lode_strings_intern(strings, text, len);

	if (id == n) {
		lode_vec_append(&item->fresh, ((struct fresh){(uint32_t)len, is_user}));
		lode_vec_reserve(&item->fresh_text, item->fresh_text.n + len + 1);
		memcpy(item->fresh_text.at + item->fresh_text.n, text, len);
		item->fresh_text.n += len;
	}
	return id;
}

/* Whether what was seen so far speaks for looking up this URL: none of a million comes again soon.
 */
static bool is_looked_up(struct worker *w, const struct lode_log_request *line)
{
	if (line->method.len && (line->method.len != 3 || *line->method.at != 'G'))
		return false;
	if (w->n_asked == LOOK_BACK && w->urls.text.n == MAX_REMEMBERED) {
		w->is_memory_useless = w->n_found < LOOK_BACK / 2;
		w->n_asked = w->n_found = 0;
	}
	w->n_asked += w->n_asked < LOOK_BACK;
	return !w->is_memory_useless || lode_log_action_wants_query(w->action);
}

/* The action of a URL. */
static uint32_t action_of(struct worker *w, struct item *item, const struct lode_log_request *line)
{
	const char *url = line->url.at ? line->url.at : "", *query, *action;
	size_t len = line->url.len, action_len;
	bool is_asked = is_looked_up(w, line);
	uint32_t url_id = LODE_NONE, id;

	query = lode_log_action_wants_query(w->action) ? NULL : memchr(url, '?', len);
	if (query)
		len = (size_t)(query - url);
	if (is_asked)
		url_id = lode_strings_find(&w->urls, url, len);
	if (url_id != LODE_NONE) {
		w->n_found++;
		return w->action_of_url.at[url_id];
	}
	action = lode_log_action_of(w->action, line->method.at ? line->method.at : "",
				    line->method.len, url, len, &action_len);
	id = own_id(item, &w->actions, action, action_len, false);
	if (is_asked && w->urls.text.n < MAX_REMEMBERED) {
		(void)lode_strings_intern(&w->urls, url, len);
		lode_vec_append(&w->action_of_url, id);
	}
	return id;
}

static void count_bad(struct item *item, enum lode_log_verdict verdict, const char *line)
{
	int64_t offset = item->offset + (line - item->text);
	char shown[160];

	if (offset < (int64_t)item->head_size)
		return;
	if (item->n_bad++ == 0) {
		item->bad_line = item->n_lines;
		item->bad_offset = offset;
		snprintf(item->bad_words, sizeof(item->bad_words), "%s: %s",
			 lode_log_verdict_words(verdict),
			 lode_escape_fit(shown, sizeof(shown), line, 60));
	}
}

static void parse_line(struct worker *w, struct item *item, char *line, size_t len)
{
	struct lode_slice spans[LODE_N_LOG_ROLES];
	struct lode_log_request parsed;
	enum lode_log_verdict verdict = LODE_LOG_BAD_LINE;

	item->n_lines++;
	if (len && line[len - 1] == '\r')
		len--;
	if (!len || (*line == '#' && item->layout->family != LODE_LOG_LITERALS))
		return;
	line[len] = '\0';
	if (lode_log_split(w->splitter, item->layout, line, len, spans))
		verdict = lode_log_request_parse(&parsed, &w->clock,
						 lode_log_split_units(w->splitter, item->layout),
						 item->layout->comma, spans);
	if (verdict == LODE_LOG_NO_RESPONSE) {
		item->n_no_response++;
	} else if (verdict != LODE_LOG_IS_REQUEST) {
		count_bad(item, verdict, line);
	} else {
		if (!parsed.has_zone)
			lode_vec_append(&item->zoneless, (uint32_t)item->requests.n);
		parsed.request.action = action_of(w, item, &parsed);
		parsed.request.user = parsed.user.len ? own_id(item, &w->users, parsed.user.at,
							       parsed.user.len, true)
						      : LODE_NONE;
		lode_vec_append(&item->requests, parsed.request);
		lode_vec_append(&item->lines, (uint32_t)item->n_lines);
	}
}

static void work_request_source(void *context, void *at, unsigned worker)
{
	struct reading *r = context;
	struct item *item = at;
	char *p = item->text, *end = p + item->size;

	item->worker = worker;
	item->head_size = r->part ? r->part->head_size : 0;
	item->requests.n = item->lines.n = item->zoneless.n = item->fresh.n = item->fresh_text.n =
		0;
	item->n_lines = item->n_no_response = item->n_bad = 0;
	while (p < end) {
		char *feed = memchr(p, '\n', (size_t)(end - p));

		if (!feed)
			feed = end; /* the last line; there is room for its NUL */
		parse_line(&r->workers[worker], item, p, (size_t)(feed - p));
		p = feed + 1;
	}
}

/* ---- Names and zones, in order ---- */

static void learn(struct reading *r, const struct item *item)
{
	const char *text = item->fresh_text.at;

	for (size_t i = 0; i < item->fresh.n; i++) {
		const struct fresh *f = &item->fresh.at[i];
		struct ids *ids = &(f->is_user ? r->users : r->actions)[item->worker];

		(void)lode_strings_intern(&ids->texts, text, f->len);
		lode_vec_append(&ids->of, LODE_NONE);
		text += f->len;
	}
}

/* The sink's id, given at the first use in the log's order: so it does not depend on threads. */
static uint32_t shared_id(struct ids *ids, struct lode_strings *names, uint32_t own)
{
	if (ids->of.at[own] == LODE_NONE)
		ids->of.at[own] =
			lode_strings_intern(names, ids->texts.text.at[own], ids->texts.len.at[own]);
	return ids->of.at[own];
}

static void count_request_source(struct reading *r, const struct item *item)
{
	struct lode_log_facts *facts = r->facts;
	int64_t bad_line = (int64_t)(facts->n_lines + item->bad_line);

	if (item->n_bad && r->part)
		bad_line = lode_text_part_line(r->part, item->bad_offset, bad_line);
	if (item->n_bad)
		lode_loss_add(r->sink->losses, LODE_LOSS_BAD_RECORD, item->n_bad, item->bad_offset,
			      r->last_ns, "%s: line %lld %s", r->path, (long long)bad_line,
			      item->bad_words);
	facts->n_lines += item->n_lines;
	facts->n_requests += item->requests.n;
	facts->n_no_response += item->n_no_response;
	facts->is_zone_assumed |= item->zoneless.n > 0;
}

static int take_request_source(void *context, void *at)
{
	struct reading *r = context;
	struct item *item = at;
	const uint32_t *zoneless = item->zoneless.at, *last = zoneless + item->zoneless.n;
	int64_t first_line;

	learn(r, item);
	for (size_t i = 0; i < item->requests.n; i++) {
		struct lode_request *request = &item->requests.at[i];

		if (zoneless < last && *zoneless == i) {
			request->end_ns = lode_log_zone_utc(&r->zone, request->end_ns, r->last_ns);
			zoneless++;
		}
		r->last_ns = request->end_ns;
		r->facts->n_long += request->response_ns > LONG_NS;
		r->facts->n_longer_behind +=
			request->upstream_ns > request->response_ns + ROUNDING_NS;
		request->action = shared_id(&r->actions[item->worker], &r->sink->names->actions,
					    request->action);
		if (request->user != LODE_NONE)
			request->user = shared_id(&r->users[item->worker], &r->sink->names->users,
						  request->user);
	}
	first_line = (int64_t)r->facts->n_lines;
	count_request_source(r, item);
	if (r->options->progress)
		r->options->progress(r->options->progress_context,
				     lode_input_consumed_bytes(r->input));
	if (!item->requests.n)
		return LODE_OK;
	if (r->part) /* a part of a log that is followed: what comes next is not known */
		return r->sink->requests(r->sink->context, item->requests.at, item->requests.n,
					 r->err);
	return lode_request_times_take(&r->times, item->requests.at, item->lines.at,
				       item->requests.n, first_line, r->err);
}

/* ---- The whole ---- */

static int choose_layout(struct reading *r, struct lode_error *err)
{
	const char *format = r->options->format;
	struct lode_log_layout *layout = NULL;
	char peeked[LODE_PEEK_BYTES + 1], why[600], *head = peeked;
	ssize_t n = lode_input_peek(r->input, head, LODE_PEEK_BYTES, err);
	enum lode_date_order order;
	const char *feed;
	int rc;

	if (n < 0)
		return (int)n;
	head[n] = '\0';
	if (n == 0)
		return lode_fail(err, LODE_ERR_FORMAT, r->path, 0, "the log is empty");
	feed = memchr(head, '\n', (size_t)n);
	if (feed && lode_cells_stated_delimiter(head, (size_t)(feed - head))) {
		r->n_header_lines++;
		n -= feed + 1 - head;
		head += feed + 1 - head;
		feed = memchr(head, '\n', (size_t)n);
	}
	if (!format || !strcmp(format, "w3c")) {
		layout = lode_log_layout_guess(head, (size_t)n, r->options->fields, why,
					       sizeof(why));
	} else if (!strcmp(format, "json")) {
		layout = lode_log_layout_json(r->options->fields);
	} else if (!strcmp(format, "csv")) {
		layout = lode_log_layout_table(head, feed ? (size_t)(feed - head) : (size_t)n,
					       r->options->fields);
		snprintf(why, sizeof(why),
			 "no known time and response time columns; name them, as in --fields "
			 "'time=ts,response=took:ms'");
	} else {
		rc = lode_log_layout_compile(&layout, format, r->options->fields, err);
		if (rc < 0)
			return rc;
	}
	if (!layout) {
		(void)lode_stranger_words(why, sizeof(why), (const uint8_t *)head, (size_t)n,
					  "a request log has a time and a response time in each "
					  "line");
		return lode_fail(err, LODE_ERR_FORMAT, r->path, 0, "%s", why);
	}
	lode_vec_append(&r->layouts, layout);
	order = lode_date_order_find(r->input, head, (size_t)n);
	for (unsigned i = 0; i < r->n_threads; i++)
		r->workers[i].clock.order = order;
	lode_log_layout_describe(layout, head, (size_t)n);
	snprintf(r->facts->format, sizeof(r->facts->format), "%s", layout->words);
	r->facts->has_action = layout->has_action;
	r->facts->is_comma_assumed = layout->is_comma_assumed;
	r->n_header_lines += layout->family == LODE_LOG_TABLE;
	return LODE_OK;
}

/* A table's header is no request. */
static int skip_header(struct reading *r, struct lode_error *err)
{
	char c;
	ssize_t n;

	while (r->facts->n_lines < r->n_header_lines) {
		do {
			n = lode_input_read(r->input, &c, 1, err);
			if (n < 0)
				return (int)n;
			r->offset += n;
		} while (n > 0 && c != '\n');
		r->facts->n_lines++;
	}
	return LODE_OK;
}

static int run_request_source(struct reading *r)
{
	const struct lode_pipeline pipeline = {
		.make = make_request_source,
		.work = work_request_source,
		.take = take_request_source,
		.context = r,
		.items = r->items,
		.item_bytes = sizeof(*r->items),
		.n_items = r->n_threads + SPARE_ITEMS,
	};

	return lode_pipeline_run(&pipeline, r->n_threads);
}

static int set_up(struct reading *r, struct lode_error *err)
{
	int rc;

	r->n_threads = r->options->n_threads ? r->options->n_threads : lode_pool_cpus();
	if (r->n_threads > MAX_THREADS)
		r->n_threads = MAX_THREADS;
	for (unsigned i = 0; i < r->n_threads; i++) {
		rc = lode_log_action_new(&r->workers[i].action, r->options->action, err);
		if (rc < 0)
			return rc;
		r->workers[i].splitter = lode_log_splitter_new();
	}
	rc = LODE_OK;
	if (r->part)
		lode_input_open_bytes(&r->input, r->path, r->part->text, r->part->size);
	else
		rc = lode_input_open(&r->input, r->path, err);
	if (rc == LODE_OK)
		rc = choose_layout(r, err);
	if (rc == LODE_OK)
		rc = skip_header(r, err);
	return rc;
}

static void release_request_source(struct reading *r)
{
	for (unsigned i = 0; i < r->n_threads; i++) {
		struct worker *w = &r->workers[i];

		lode_log_splitter_free(w->splitter);
		lode_log_action_free(w->action);
		lode_strings_release(&w->actions);
		lode_strings_release(&w->users);
		lode_strings_release(&w->urls);
		lode_vec_release(&w->action_of_url);
		lode_strings_release(&r->actions[i].texts);
		lode_vec_release(&r->actions[i].of);
		lode_strings_release(&r->users[i].texts);
		lode_vec_release(&r->users[i].of);
	}
	for (size_t i = 0; i < r->n_threads + SPARE_ITEMS; i++) {
		free(r->items[i].text);
		lode_vec_release(&r->items[i].requests);
		lode_vec_release(&r->items[i].lines);
		lode_vec_release(&r->items[i].zoneless);
		lode_vec_release(&r->items[i].fresh);
		lode_vec_release(&r->items[i].fresh_text);
	}
	lode_vec_release_each(&r->layouts, it, lode_log_layout_free(*it));
	lode_request_times_release(&r->times);
	free(r->rest);
	lode_input_close(r->input);
	free(r);
}

/* What was whole is good; a log of which nothing is a request is none. */
static int conclude(struct reading *r, struct lode_error *err)
{
	const struct lode_loss *bad = &r->sink->losses->by_kind[LODE_LOSS_BAD_RECORD];

	if (r->is_cut && !r->facts->n_requests) {
		*err = r->fault;
		return r->fault.status;
	}
	if (r->is_cut)
		lode_loss_add(r->sink->losses, LODE_LOSS_TRUNCATED, 1, r->offset, r->last_ns,
			      "%s: %s", r->path, r->fault.message);
	r->facts->leaps = r->times.leaps;
	if (!r->facts->n_requests)
		return lode_fail(err, LODE_ERR_FORMAT, r->path, -1, "no line is a request: %s",
				 bad->count ? bad->detail : "no request has a response time");
	return LODE_OK;
}

/* `part` NULL: what is at `path`. */
static int read_log(const struct lode_request_sink *sink, const char *path,
		    const struct lode_text_part *part, const struct lode_log_options *options,
		    struct lode_log_facts *facts, struct lode_error *err)
{
	struct reading *r = lode_alloc0(1, sizeof(*r));
	struct lode_error local;
	int rc;

	memset(facts, 0, sizeof(*facts));
	r->options = options;
	r->sink = sink;
	r->facts = facts;
	r->err = err ? err : &local;
	r->path = path;
	r->part = part;
	r->last_ns = INT64_MIN;
	rc = set_up(r, r->err);
	r->times = (struct lode_request_times){.sink = sink, .path = path};
	if (rc == LODE_OK)
		rc = run_request_source(r);
	if (rc == LODE_OK)
		rc = lode_request_times_end(&r->times, r->err);
	if (rc == LODE_OK)
		rc = conclude(r, r->err);
	release_request_source(r);
	return rc;
}

int lode_requests_read(const struct lode_request_sink *sink, const char *path,
		       const struct lode_log_options *options, struct lode_log_facts *facts,
		       struct lode_error *err)
{
	return read_log(sink, path, NULL, options, facts, err);
}

int lode_requests_read_text(const struct lode_request_sink *sink, const char *name,
			    const struct lode_text_part *part,
			    const struct lode_log_options *options, struct lode_log_facts *facts,
			    struct lode_error *err)
{
	return read_log(sink, name, part, options, facts, err);
}

int lode_log_options_check(const struct lode_log_options *options, struct lode_error *err)
{
	static const char *const names[] = {"w3c", "json", "csv"};
	struct lode_log_action *action;
	struct lode_log_layout *layout;
	char why[300];
	int rc = lode_log_action_new(&action, options->action, err);

	lode_log_action_free(action);
	if (rc < 0)
		return rc;
	if (lode_log_fields_misuse(options->fields, why, sizeof(why)))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "%s", why);
	if (!options->format)
		return LODE_OK;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(options->format, names[i]))
			return LODE_OK;
	rc = lode_log_layout_compile(&layout, options->format, options->fields, err);
	lode_log_layout_free(layout);
	return rc;
}

static bool recognise_log(const uint8_t *head, size_t size)
{
	char why[400], *text = lode_alloc(size + 1);
	struct lode_log_layout *layout;
	bool is_log;

	memcpy(text, head, size);
	text[size] = '\0';
	layout = size ? lode_log_layout_guess(text, size, NULL, why, sizeof(why)) : NULL;
	is_log = layout != NULL;
	lode_log_layout_free(layout);
	free(text);
	return is_log;
}

const struct lode_format lode_format_log = {
	.name = "request log",
	.recognise = recognise_log,
	.read_requests = lode_requests_read,
};
