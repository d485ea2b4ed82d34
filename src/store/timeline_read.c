#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "model/call_levels.h"
#include "store/timeline_file.h"
#include "base/varint.h"

static const uint8_t magic[8] = "LODETML";

bool lode_timeline_recognise(const uint8_t *head, size_t size)
{
	return size >= sizeof(magic) && memcmp(head, magic, sizeof(magic)) == 0;
}

/* A directory as it is read. Any fault sets from.overrun, or `fault`. */
struct reader {
	struct lode_bytes from;
	struct lode_call_trace *trace;
	int64_t piece_at, pieces_end;
	const char *fault; /* first thing that is wrong */
};

static bool is_good(struct reader *r, bool condition, const char *fault)
{
	if (!condition && !r->fault)
		r->fault = fault;
	return condition && !r->fault && !r->from.overrun;
}

static uint64_t get(struct reader *r)
{
	return lode_varint_get(&r->from);
}

static int64_t get_signed(struct reader *r)
{
	return (int64_t)lode_varint_get_delta(&r->from, 0);
}

/* A number of things that take `bytes` each at least. */
static size_t get_count(struct reader *r, size_t bytes)
{
	uint64_t n = get(r);

	return is_good(r, n <= lode_bytes_left(&r->from) / bytes, "a count is too large")
		       ? (size_t)n
		       : 0;
}

/* A time at or behind another, or at or behind 0; never beyond LODE_CALL_TIME_MAX. */
static int64_t get_time(struct reader *r, int64_t base)
{
	uint64_t n = get(r);

	return is_good(r, n <= (uint64_t)(LODE_CALL_TIME_MAX - base), "a time is out of bounds")
		       ? base + (int64_t)n
		       : base;
}

static int64_t get_start(struct reader *r, int64_t base)
{
	int64_t t = (int64_t)lode_varint_get_delta(&r->from, (uint64_t)base);

	return is_good(r, t <= LODE_CALL_TIME_MAX && t >= -LODE_CALL_TIME_MAX,
		       "a time is out of bounds")
		       ? t
		       : 0;
}

/* A text in the arena of the functions' strings; "" after a fault. */
static const char *get_text(struct reader *r)
{
	size_t n = get_count(r, 1);
	const char *text = lode_bytes_take(&r->from, n);

	if (!text || !is_good(r, !memchr(text, 0, n), "a text holds a NUL byte"))
		return "";
	return lode_arena_strndup(&r->trace->functions.strings.arena, text, n);
}

static void get_losses(struct reader *r)
{
	uint64_t n = get(r);

	for (uint64_t i = 0; i < n && is_good(r, n <= 64, "too many kinds of losses"); i++) {
		struct lode_loss other, *loss = &other;

		if (i < LODE_N_LOSS_KINDS)
			loss = &r->trace->losses.by_kind[i];
		loss->count = get(r);
		if (!loss->count)
			continue;
		loss->kind = (enum lode_loss_kind)i;
		loss->offset = get_signed(r);
		loss->first_ns = get_signed(r);
		loss->last_ns = get_signed(r);
		loss->cost_ns = get_signed(r);
		snprintf(loss->detail, sizeof(loss->detail), "%s", get_text(r));
	}
}

static void get_functions(struct reader *r)
{
	size_t n = get_count(r, 8);

	for (uint32_t i = 0; i < n && is_good(r, true, NULL); i++) {
		struct lode_call_spread spread;
		const char *module = get_text(r), *name = get_text(r);
		uint32_t id = lode_frame_intern(&r->trace->functions, module, name, 0);

		spread.n = get(r);
		spread.total_ns = get(r);
		spread.min_ns = get_time(r, 0);
		spread.median_ns = get_time(r, 0);
		spread.p99_ns = get_time(r, 0);
		spread.max_ns = get_time(r, 0);
		if (is_good(r, id == i, "a function stands there twice"))
			lode_vec_append(&r->trace->spreads, spread);
	}
}

static struct lode_call_piece get_piece(struct reader *r)
{
	struct lode_call_piece piece = {.at = (uint64_t)r->piece_at};
	uint64_t size = get(r);

	piece.check = lode_bytes_u32(&r->from);
	if (!is_good(r, size <= (uint64_t)(r->pieces_end - r->piece_at) && size <= UINT32_MAX,
		     "a piece lies beyond the pieces"))
		return piece;
	piece.size = (uint32_t)size;
	r->piece_at += (int64_t)size;
	return piece;
}

static void get_stacks(struct reader *r, struct lode_call_thread *thread)
{
	size_t n = get_count(r, 3);
	struct lode_call_stacks *stacks = &thread->stacks;

	if (!is_good(r, n < UINT32_MAX, "too many stacks"))
		return;
	lode_vec_reserve(&stacks->at, n + 1);
	for (uint32_t i = 1; i <= n; i++) {
		uint64_t back = get(r), function = get(r), unknown = get(r);
		struct lode_call_stack stack = {.function = (uint32_t)function};

		if (!is_good(r,
			     back >= 1 && back <= i && function < r->trace->spreads.n &&
				     unknown < thread->n_calls && unknown < INT32_MAX &&
				     (back == i || !unknown),
			     "a stack is not possible"))
			return;
		stack.caller = i - (uint32_t)back;
		stack.n_functions = stacks->at.at[stack.caller].n_functions + 1 + (uint32_t)unknown;
		if (stack.n_functions > thread->max_depth)
			thread->max_depth = stack.n_functions;
		lode_vec_append(&stacks->at, stack);
	}
}

static void get_late(struct reader *r, struct lode_call_thread *thread)
{
	size_t n = get_count(r, 5);
	int64_t before = 0;

	lode_vec_reserve(&thread->late, n);
	for (size_t i = 0; i < n && is_good(r, true, NULL); i++) {
		struct lode_call_late late = {.call.start_ns = get_start(r, before)};
		uint64_t stack, caller, index;

		late.call.duration_ns =
			get_time(r, late.call.start_ns > 0 ? late.call.start_ns : 0) -
			(late.call.start_ns > 0 ? late.call.start_ns : 0);
		stack = get(r);
		caller = get(r);
		index = get(r);
		late.call.stack = (uint32_t)stack;
		late.caller = caller ? (uint32_t)(caller - 1) : LODE_NONE;
		late.index = (uint32_t)index;
		if (!is_good(r,
			     stack > 0 && stack < thread->stacks.at.n && caller <= i &&
				     index < (uint64_t)1 << thread->block_bits,
			     "a late call is not possible"))
			return;
		before = late.call.start_ns;
		lode_vec_append(&thread->late, late);
	}
}

static void get_block(struct reader *r, struct lode_call_thread *thread, uint64_t first_call)
{
	const struct lode_call_span *last =
		thread->levels[0].n ? &thread->levels[0].at[thread->levels[0].n - 1] : NULL;
	struct lode_call_span block = {.first_call = first_call};
	uint64_t width = (uint64_t)1 << thread->block_bits, gap, depth, open, n_late;

	block.n_calls = thread->n_calls - first_call < width ? thread->n_calls - first_call : width;
	block.first_late = last ? last->first_late + last->n_late : 0;
	block.first_ns = get_start(r, last ? last->first_ns : 0);
	block.max_duration_ns = get_time(r, 0);
	gap = get(r);
	block.max_gap_ns = (int64_t)(gap - 1);
	block.top_start_ns = get_time(r, block.first_ns);
	block.top_end_ns = get_time(r, block.top_start_ns);
	depth = get(r);
	block.min_depth = (uint32_t)depth;
	open = get(r);
	block.open = open ? (uint32_t)(open - 1) : LODE_NONE;
	n_late = get(r);
	block.n_late = (uint32_t)n_late;
	block.calls = get_piece(r);
	block.sums = get_piece(r);
	if (is_good(r,
		    gap <= 2 * (uint64_t)LODE_CALL_TIME_MAX + 1 && depth < thread->max_depth &&
			    open <= thread->late.n && n_late <= thread->late.n - block.first_late &&
			    (!last || last->first_ns <= block.first_ns),
		    "a block of calls is not possible"))
		lode_vec_append(&thread->levels[0], block);
}

static void get_levels(struct reader *r, struct lode_call_thread *thread)
{
	for (uint64_t at = 0; at < thread->n_calls && is_good(r, true, NULL);
	     at += (uint64_t)1 << thread->block_bits)
		get_block(r, thread, at);
	if (!is_good(r, thread->levels[0].n > 0, "a thread without calls"))
		return;
	thread->n_levels = 1;
	while (thread->levels[thread->n_levels - 1].n > 1 && is_good(r, true, NULL)) {
		unsigned level = thread->n_levels;
		size_t n_below = thread->levels[level - 1].n;

		for (size_t i = 0; i < n_below; i += LODE_CALL_FAN_OUT) {
			size_t n =
				n_below - i < LODE_CALL_FAN_OUT ? n_below - i : LODE_CALL_FAN_OUT;
			struct lode_call_span over =
				lode_call_span_over(&thread->levels[level - 1].at[i], n);

			over.sums = get_piece(r);
			lode_vec_append(&thread->levels[level], over);
		}
		thread->n_levels++;
	}
	thread->first_ns = lode_call_thread_top(thread)->first_ns;
	thread->last_ns = lode_call_thread_top(thread)->top_end_ns;
}

static void add_thread(struct lode_call_trace *trace, struct lode_call_thread *thread)
{
	if (!trace->threads.n || thread->first_ns < trace->first_ns)
		trace->first_ns = thread->first_ns;
	if (!trace->threads.n || thread->last_ns > trace->last_ns)
		trace->last_ns = thread->last_ns;
	trace->n_calls += thread->n_calls;
	trace->n_events += thread->n_events;
	for (unsigned i = 0; i < LODE_N_REPAIRS; i++)
		trace->repairs[i] += thread->repairs[i];
	lode_vec_append(&trace->threads, thread);
}

static void get_thread(struct reader *r, uint64_t n_repairs)
{
	int64_t pid = get_signed(r), tid = get_signed(r);
	const char *name = get_text(r);
	struct lode_call_thread *thread = lode_call_thread_new((int32_t)pid, (int32_t)tid, 1);
	uint64_t bits;

	thread->pieces.is_index = true;
	if (*name)
		thread->name =
			lode_strings_intern(&r->trace->functions.strings, name, strlen(name));
	thread->n_calls = get(r);
	thread->n_events = get(r);
	for (uint64_t i = 0; i < n_repairs; i++) {
		uint64_t n = get(r);

		if (i < LODE_N_REPAIRS)
			thread->repairs[i] = n;
	}
	bits = get(r);
	if (is_good(r, bits >= 1 && bits <= LODE_CALL_BLOCK_BITS_MAX,
		    "blocks of calls are too large"))
		thread->block_bits = (unsigned)bits;
	get_stacks(r, thread);
	get_late(r, thread);
	/* A block takes more than ten bytes here. */
	if (is_good(r, thread->n_calls >> thread->block_bits <= lode_bytes_left(&r->from) / 10,
		    "more calls than there is room for"))
		get_levels(r, thread);
	if (is_good(r, true, NULL))
		add_thread(r->trace, thread);
	else
		lode_call_thread_free(thread);
}

static char *copy_text(const char *text)
{
	return *text ? lode_strdup(text) : NULL;
}

int lode_timeline_directory_read(struct lode_call_trace *trace, const uint8_t *data, size_t size,
				 int64_t pieces_end, const char *path, struct lode_error *err)
{
	struct reader r = {.from = lode_bytes_make(data, size, 0),
			   .trace = trace,
			   .piece_at = LODE_TIMELINE_HEADER_BYTES,
			   .pieces_end = pieces_end};
	uint64_t ticks, n_repairs;
	size_t n_threads;

	trace->source = lode_strdup(get_text(&r));
	trace->format = copy_text(get_text(&r));
	trace->command = copy_text(get_text(&r));
	trace->host = copy_text(get_text(&r));
	ticks = lode_bytes_u64(&r.from);
	memcpy(&trace->ticks_per_ns, &ticks, sizeof(ticks));
	get_losses(&r);
	get_functions(&r);
	n_repairs = get(&r);
	is_good(&r, n_repairs <= 64, "too many kinds of repairs");
	n_threads = get_count(&r, 10);
	for (size_t i = 0; i < n_threads && is_good(&r, true, NULL); i++)
		get_thread(&r, n_repairs);
	is_good(&r, lode_bytes_left(&r.from) == 0, "bytes behind its end");
	if (r.from.overrun && !r.fault)
		r.fault = "it ends too early";
	if (r.fault)
		return lode_fail(err, LODE_ERR_FORMAT, path, pieces_end,
				 "the directory of the index is damaged: %s", r.fault);
	return LODE_OK;
}

static int read_at(int file, void *to, size_t size, int64_t offset, const char *path,
		   struct lode_error *err)
{
	ssize_t n;

	do
		n = pread(file, to, size, offset);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return lode_fail_errno(err, errno, path, "reading it");
	if ((size_t)n < size)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, offset + n,
				 "the index ends here; %zu bytes more should follow",
				 size - (size_t)n);
	return LODE_OK;
}

static int unpack_directory(struct lode_call_trace *trace, const uint8_t *packed, size_t size,
			    int64_t offset, const char *path, struct lode_error *err)
{
	unsigned long long plain = ZSTD_getFrameContentSize(packed, size);
	uint8_t *data;
	size_t n;
	int rc;

	if (plain == ZSTD_CONTENTSIZE_UNKNOWN || plain == ZSTD_CONTENTSIZE_ERROR ||
	    plain > LODE_TIMELINE_DIRECTORY_MAX)
		return lode_fail(err, LODE_ERR_LIMIT, path, offset,
				 "the directory of the index says no size, or one beyond %zu bytes",
				 LODE_TIMELINE_DIRECTORY_MAX);
	data = lode_alloc(plain);
	n = ZSTD_decompress(data, plain, packed, size);
	if (ZSTD_isError(n) || n != plain)
		rc = lode_fail(err, LODE_ERR_FORMAT, path, offset,
			       "the directory of the index cannot be unpacked");
	else
		rc = lode_timeline_directory_read(trace, data, n, offset, path, err);
	free(data);
	return rc;
}

static int read_header(struct lode_bytes *header, int64_t file_bytes, uint64_t *offset,
		       uint64_t *size, uint64_t *check, const char *path, struct lode_error *err)
{
	const uint8_t *start = header->at;
	uint32_t version, fan_out;

	if (!lode_timeline_recognise(start, LODE_TIMELINE_HEADER_BYTES))
		return lode_fail(err, LODE_ERR_FORMAT, path, 0, "not an index of a function trace");
	lode_bytes_take(header, sizeof(magic));
	version = lode_bytes_u32(header);
	fan_out = lode_bytes_u32(header);
	*offset = lode_bytes_u64(header);
	*size = lode_bytes_u64(header);
	*check = lode_bytes_u64(header);
	if (version != LODE_TIMELINE_VERSION)
		return lode_fail(
			err, LODE_ERR_UNSUPPORTED, path, 8,
			"an index of version %u; this lode reads version %u: make it again "
			"from the trace",
			version, LODE_TIMELINE_VERSION);
	if (lode_bytes_u64(header) != lode_call_check(start, LODE_TIMELINE_HEADER_BYTES - 8) ||
	    fan_out != LODE_CALL_FAN_OUT || *offset < LODE_TIMELINE_HEADER_BYTES)
		return lode_fail(err, LODE_ERR_FORMAT, path, 0, "the index's header is damaged");
	if (*offset > (uint64_t)file_bytes || *size > (uint64_t)file_bytes - *offset)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, file_bytes,
				 "the index ends here; its directory is at %llu",
				 (unsigned long long)*offset);
	return LODE_OK;
}

static int load(struct lode_call_trace *trace, int file, const char *path, struct lode_error *err)
{
	uint8_t bytes[LODE_TIMELINE_HEADER_BYTES], *packed;
	struct lode_bytes header = lode_bytes_make(bytes, sizeof(bytes), 0);
	uint64_t offset = 0, size = 0, check = 0;
	struct stat st;
	int rc;

	if (fstat(file, &st) < 0)
		return lode_fail_errno(err, errno, path, "reading it");
	rc = read_at(file, bytes, sizeof(bytes), 0, path, err);
	if (rc == LODE_OK)
		rc = read_header(&header, st.st_size, &offset, &size, &check, path, err);
	if (rc < 0)
		return rc;
	packed = lode_alloc(size);
	rc = read_at(file, packed, size, (int64_t)offset, path, err);
	if (rc == LODE_OK && lode_call_check(packed, size) != check)
		rc = lode_fail(err, LODE_ERR_FORMAT, path, (int64_t)offset,
			       "the directory of the index is damaged: its checksum is wrong");
	if (rc == LODE_OK)
		rc = unpack_directory(trace, packed, size, (int64_t)offset, path, err);
	free(packed);
	return rc;
}

int lode_timeline_load(struct lode_call_trace **out, const char *path, struct lode_error *err)
{
	struct lode_call_trace *trace;
	int file = open(path, O_RDONLY | O_CLOEXEC), rc;

	*out = NULL;
	if (file < 0)
		return lode_fail_errno(err, errno, path, "opening it");
	trace = lode_call_trace_new();
	trace->path = path;
	atomic_store(&trace->store.path, path);
	atomic_store(&trace->store.file, file + 1);
	rc = load(trace, file, path, err);
	if (rc < 0) {
		lode_call_trace_free(trace);
		return rc;
	}
	*out = trace;
	return LODE_OK;
}
