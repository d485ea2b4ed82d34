/* Reads the index of a function trace. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "model/call_clocks.h"
#include "model/call_levels.h"
#include "store/timeline_file.h"
#include "base/varint.h"

static const uint8_t magic[8] = "LODETML";

bool lode_timeline_recognise(const uint8_t *head, size_t size)
{
	return size >= sizeof(magic) && memcmp(head, magic, sizeof(magic)) == 0;
}

/* Something that was packed, as it is read. Any fault sets from.overrun, or `fault`. */
struct reader {
	struct lode_bytes from;
	struct lode_call_trace *trace;
	int64_t piece_at, pieces_end;
	const char *fault; /* first thing that is wrong */
};

struct place {
	int64_t offset;
	uint64_t size;
	uint32_t check;
};

/* Where the parts of a thread are. */
struct places {
	int64_t pieces_at;
	struct place spans, stacks; /* pieces end where spans begin */
	pthread_mutex_t lock;	    /* one of our threads reads them */
};

struct loader {
	struct lode_call_loader base;
	LODE_VEC(struct places *) threads; /* as trace->threads */
	const char *path;
	bool is_plain; /* parts are neither packed nor checked */
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

	if (!text || !is_good(r, !memchr(text, 0, n), "a text contains a NUL byte"))
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
		if (is_good(r, id == i, "a function is a duplicate"))
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
	struct lode_call_stacks *stacks = &thread->stacks;
	uint32_t max_depth = 0;

	if (!is_good(r, thread->n_stacks - 1 <= lode_bytes_left(&r->from) / 3, "too many stacks"))
		return;
	lode_vec_reserve(&stacks->at, thread->n_stacks);
	for (uint32_t i = 1; i < thread->n_stacks; i++) {
		uint64_t back = get(r), function = get(r), unknown = get(r);
		struct lode_call_stack stack = {.function = (uint32_t)function};

		if (!is_good(r,
			     back >= 1 && back <= i && function < r->trace->spreads.n &&
				     unknown < thread->max_depth && (back == i || !unknown),
			     "a stack is not possible"))
			return;
		stack.caller = i - (uint32_t)back;
		stack.n_functions = stacks->at.at[stack.caller].n_functions + 1 + (uint32_t)unknown;
		if (stack.n_functions > max_depth)
			max_depth = stack.n_functions;
		lode_vec_append(&stacks->at, stack);
	}
	is_good(r, max_depth == thread->max_depth, "stacks are not as deep as they should be");
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
		late.caller = caller ? (uint32_t)(i - caller) : LODE_NONE;
		late.index = (uint32_t)index;
		if (!is_good(r,
			     stack > 0 && stack < thread->n_stacks && caller <= i &&
				     index < (uint64_t)1 << thread->block_bits,
			     "a late call is not possible"))
			return;
		before = late.call.start_ns;
		lode_vec_append(&thread->late, late);
	}
}

static void get_longest(struct reader *r, const struct lode_call_thread *thread,
			struct lode_call_span *block)
{
	uint64_t duration = get(r), stack, index, second;

	block->longest.duration_ns = block->second_ns = -1;
	if (!duration)
		return;
	block->longest.start_ns = get_time(r, block->first_ns);
	stack = get(r);
	index = get(r);
	second = get(r);
	block->longest.duration_ns = (int64_t)(duration - 1);
	block->longest.stack = (uint32_t)stack;
	block->longest_index = (uint32_t)index;
	block->second_ns = (int64_t)(second - 1);
	is_good(r,
		duration - 1 <= (uint64_t)block->max_duration_ns && second <= duration &&
			block->longest.start_ns <=
				LODE_CALL_TIME_MAX - block->longest.duration_ns &&
			stack > 0 && stack < thread->n_stacks && index < block->n_calls,
		"a block's longest call is not possible");
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
	get_longest(r, thread, &block);
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
	lode_call_thread_add_level(thread);
	for (uint64_t at = 0; at < thread->n_calls && is_good(r, true, NULL);
	     at += (uint64_t)1 << thread->block_bits)
		get_block(r, thread, at);
	if (!is_good(r, thread->levels[0].n > 0, "a thread without calls"))
		return;
	while (thread->levels[thread->n_levels - 1].n > 1 && is_good(r, true, NULL)) {
		unsigned level = thread->n_levels;
		size_t n_below = thread->levels[level - 1].n;

		lode_call_thread_add_level(thread);
		for (size_t i = 0; i < n_below; i += LODE_CALL_FAN_OUT) {
			size_t n =
				n_below - i < LODE_CALL_FAN_OUT ? n_below - i : LODE_CALL_FAN_OUT;
			struct lode_call_span over =
				lode_call_span_over(&thread->levels[level - 1].at[i], n);

			over.sums = get_piece(r);
			lode_vec_append(&thread->levels[level], over);
		}
	}
	is_good(r,
		lode_call_recorded_ns(r->trace, thread, thread->first_ns) ==
				lode_call_thread_top(thread)->first_ns &&
			lode_call_recorded_ns(r->trace, thread, thread->last_ns) ==
				lode_call_thread_top(thread)->top_end_ns,
		"a thread is not as long as it should be");
	is_good(r, r->piece_at == r->pieces_end, "pieces that no thread owns");
}

static void get_spans(struct reader *r, struct lode_call_thread *thread)
{
	get_late(r, thread);
	/* A block takes more than ten bytes here. */
	if (is_good(r, thread->n_calls >> thread->block_bits <= lode_bytes_left(&r->from) / 10,
		    "more calls than there is room for"))
		get_levels(r, thread);
}

/* ---- Parts of threads, when they are needed ---- */

static int finish_timeline_read(struct reader *r, const char *path, int64_t offset,
				const char *what, struct lode_error *err)
{
	is_good(r, lode_bytes_left(&r->from) == 0, "trailing bytes");
	if (r->from.overrun && !r->fault)
		r->fault = "it ends too early";
	if (!r->fault)
		return LODE_OK;
	return lode_fail(err, LODE_ERR_FORMAT, path, offset, "%s of the index is damaged: %s", what,
			 r->fault);
}

static int read_at(int file, void *to, size_t size, int64_t offset, const char *path,
		   struct lode_error *err)
{
	ssize_t n;

	do
		n = pread(file, to, size, offset);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return lode_fail_errno(err, errno, path, "cannot read it");
	if ((size_t)n < size)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, offset + n,
				 "the index ends here; %zu bytes more should follow",
				 size - (size_t)n);
	return LODE_OK;
}

/* The bytes at a place, unpacked: the caller's. */
static int read_packed(uint8_t **out, size_t *out_size, int file, struct place place,
		       const char *path, const char *what, struct lode_error *err)
{
	uint8_t *packed = lode_alloc(place.size), *data;
	unsigned long long plain;
	size_t n;
	int rc = read_at(file, packed, place.size, place.offset, path, err);

	if (rc == LODE_OK && lode_call_check(packed, place.size) != place.check)
		rc = lode_fail(err, LODE_ERR_FORMAT, path, place.offset,
			       "%s of the index is damaged: its checksum is wrong", what);
	plain = rc == LODE_OK ? ZSTD_getFrameContentSize(packed, place.size) : 0;
	if (rc == LODE_OK && plain > LODE_TIMELINE_DIRECTORY_MAX) /* not known: more than any */
		rc = lode_fail(err, LODE_ERR_LIMIT, path, place.offset,
			       "%s of the index has no size, or one above %zu bytes", what,
			       LODE_TIMELINE_DIRECTORY_MAX);
	if (rc < 0) {
		free(packed);
		return rc;
	}
	data = lode_alloc(plain);
	n = ZSTD_decompress(data, plain, packed, place.size);
	free(packed);
	if (ZSTD_isError(n) || n != plain) {
		free(data);
		return lode_fail(err, LODE_ERR_FORMAT, path, place.offset,
				 "%s of the index cannot be decompressed", what);
	}
	*out = data;
	*out_size = n;
	return LODE_OK;
}

static int read_plain(uint8_t **out, size_t *out_size, int file, struct place place,
		      const char *path, struct lode_error *err)
{
	int rc;

	*out_size = place.size;
	*out = lode_alloc(place.size);
	rc = read_at(file, *out, place.size, place.offset, path, err);
	if (rc < 0)
		free(*out);
	return rc;
}

static int load_part(struct loader *loader, struct lode_call_trace *trace,
		     struct lode_call_thread *thread, const struct places *places, unsigned part,
		     struct lode_error *err)
{
	const char *what = part == LODE_CALL_SPANS ? "a part (spans)" : "a part (stacks)";
	struct place place = part == LODE_CALL_SPANS ? places->spans : places->stacks;
	int file = atomic_load(&trace->store.file) - 1, rc;
	struct reader r = {
		.trace = trace, .piece_at = places->pieces_at, .pieces_end = places->spans.offset};
	uint8_t *data = NULL;
	size_t size = 0;

	rc = loader->is_plain ? read_plain(&data, &size, file, place, loader->path, err)
			      : read_packed(&data, &size, file, place, loader->path, what, err);
	if (rc < 0)
		return rc;
	r.from = lode_bytes_make(data, size, 0);
	if (part == LODE_CALL_SPANS)
		get_spans(&r, thread);
	else
		get_stacks(&r, thread);
	rc = finish_timeline_read(&r, loader->path, place.offset, what, err);
	if (rc == LODE_OK && part == LODE_CALL_SPANS)
		lode_call_clocks_move(trace, thread);
	free(data);
	return rc;
}

/* What was read of a part that turned out to be damaged goes again: it is asked for once more. */
static void forget_part(struct lode_call_thread *thread, unsigned part)
{
	if (part == LODE_CALL_STACKS) {
		thread->stacks.at.n = 1;
		return;
	}
	thread->late.n = 0;
	lode_call_thread_forget_levels(thread);
}

static int load_timeline_read(struct lode_call_loader *base, struct lode_call_trace *trace,
			      struct lode_call_thread *thread, unsigned parts,
			      struct lode_error *err)
{
	struct loader *loader = (struct loader *)base;
	struct places *places = loader->threads.at[thread->index];
	int rc = LODE_OK;

	pthread_mutex_lock(&places->lock);
	for (unsigned part = LODE_CALL_SPANS; part <= LODE_CALL_STACKS && rc == LODE_OK;
	     part <<= 1) {
		if (!(parts & part) || (atomic_load(&thread->parts) & part))
			continue;
		rc = load_part(loader, trace, thread, places, part, err);
		if (rc == LODE_OK)
			atomic_fetch_or(&thread->parts, part);
		else
			forget_part(thread, part);
	}
	pthread_mutex_unlock(&places->lock);
	return rc;
}

static void free_loader(struct lode_call_loader *base)
{
	struct loader *loader = (struct loader *)base;

	for (size_t i = 0; i < loader->threads.n; i++) {
		pthread_mutex_destroy(&loader->threads.at[i]->lock);
		free(loader->threads.at[i]);
	}
	lode_vec_release(&loader->threads);
	free(loader);
}

/* ---- The directory ---- */

static void add_thread_timeline_read(struct lode_call_trace *trace, struct lode_call_thread *thread)
{
	trace->n_calls += thread->n_calls;
	trace->n_events += thread->n_events;
	for (unsigned i = 0; i < LODE_N_REPAIRS; i++)
		trace->repairs[i] += lode_call_repairs(thread, (enum lode_call_repair)i);
	lode_vec_append(&trace->threads, thread);
}

/* A part of a thread, behind what comes before it. */
static struct place get_place(struct reader *r)
{
	struct place place = {.offset = r->piece_at};

	place.size = get(r);
	place.check = lode_bytes_u32(&r->from);
	if (is_good(r, place.size <= (uint64_t)(r->pieces_end - r->piece_at),
		    "a thread's part lies beyond the threads"))
		r->piece_at += (int64_t)place.size;
	return place;
}

static void get_places(struct reader *r, struct places *places)
{
	uint64_t size = get(r);

	places->pieces_at = r->piece_at;
	if (is_good(r, size <= (uint64_t)(r->pieces_end - r->piece_at),
		    "a thread's pieces lie beyond the threads"))
		r->piece_at += (int64_t)size;
	places->spans = get_place(r);
	places->stacks = get_place(r);
}

static void get_figures(struct reader *r, struct lode_call_thread *thread, uint64_t n_repairs)
{
	uint64_t bits, depth, n_stacks;

	thread->n_calls = get(r);
	thread->n_events = get(r);
	for (uint64_t i = 0; i < n_repairs; i++) {
		uint64_t n = get(r);

		if (i < LODE_N_REPAIRS && n)
			lode_call_repaired(thread, (enum lode_call_repair)i, n);
	}
	thread->first_ns = get_start(r, 0);
	thread->last_ns = get_time(r, thread->first_ns);
	depth = get(r);
	n_stacks = get(r);
	bits = get(r);
	is_good(r, thread->n_calls > 0, "a thread without calls");
	if (is_good(r,
		    bits >= 1 && bits <= LODE_CALL_BLOCK_BITS_MAX && n_stacks >= 1 &&
			    n_stacks < UINT32_MAX && depth >= 1 && depth <= INT32_MAX,
		    "a thread's figures are not possible")) {
		thread->max_depth = (uint32_t)depth;
		thread->n_stacks = (uint32_t)n_stacks + 1;
		thread->block_bits = (unsigned)bits;
	}
}

static void get_thread(struct reader *r, struct loader *loader, uint64_t n_repairs)
{
	int64_t pid = get_signed(r), tid = get_signed(r);
	const char *name = get_text(r);
	struct lode_call_thread *thread = lode_call_thread_new((int32_t)pid, (int32_t)tid, 1);
	struct places *places = lode_alloc0(1, sizeof(*places));

	thread->pieces.is_index = true;
	atomic_init(&thread->parts, 0);
	thread->index = (uint32_t)loader->threads.n;
	pthread_mutex_init(&places->lock, NULL);
	lode_vec_append(&loader->threads, places);
	if (*name)
		thread->name =
			lode_strings_intern(&r->trace->functions.strings, name, strlen(name));
	get_figures(r, thread, n_repairs);
	get_places(r, places);
	if (is_good(r, true, NULL))
		add_thread_timeline_read(r->trace, thread);
	else
		lode_call_thread_free(thread);
}

static char *copy_text(const char *text)
{
	return *text ? lode_strdup(text) : NULL;
}

static void get_directory(struct reader *r, struct loader *loader)
{
	struct lode_call_trace *trace = r->trace;
	uint64_t ticks, n_repairs;
	size_t n_threads;

	trace->source = lode_strdup(get_text(r));
	trace->format = copy_text(get_text(r));
	trace->command = copy_text(get_text(r));
	trace->host = copy_text(get_text(r));
	ticks = lode_bytes_u64(&r->from);
	memcpy(&trace->ticks_per_ns, &ticks, sizeof(ticks));
	get_losses(r);
	get_functions(r);
	n_repairs = get(r);
	is_good(r, n_repairs <= 64, "too many kinds of repairs");
	n_threads = get_count(r, 20);
	for (size_t i = 0; i < n_threads && is_good(r, true, NULL); i++)
		get_thread(r, loader, n_repairs);
	is_good(r, r->piece_at == r->pieces_end, "bytes between the threads and it");
}

static int read_directory(struct lode_call_trace *trace, const uint8_t *data, size_t size,
			  int64_t threads_end, const char *path, bool is_plain,
			  struct lode_error *err)
{
	struct loader *loader = lode_alloc0(1, sizeof(*loader));
	struct reader r = {.from = lode_bytes_make(data, size, 0),
			   .trace = trace,
			   .piece_at = LODE_TIMELINE_HEADER_BYTES,
			   .pieces_end = threads_end};

	*loader = (struct loader){.base = {.load = load_timeline_read, .free = free_loader},
				  .path = path,
				  .is_plain = is_plain};
	trace->loader = &loader->base;
	get_directory(&r, loader);
	lode_call_clocks_find(trace);
	return finish_timeline_read(&r, path, threads_end, "the directory", err);
}

int lode_timeline_directory_read(struct lode_call_trace *trace, const uint8_t *data, size_t size,
				 int64_t threads_end, const char *path, struct lode_error *err)
{
	return read_directory(trace, data, size, threads_end, path, true, err);
}

static int read_header_timeline(struct lode_bytes *header, int64_t file_bytes,
				struct place *directory, const char *path, struct lode_error *err)
{
	const uint8_t *start = header->at;
	uint32_t version, fan_out;
	uint64_t offset, check;

	if (!lode_timeline_recognise(start, LODE_TIMELINE_HEADER_BYTES))
		return lode_fail(err, LODE_ERR_FORMAT, path, 0, "not an index of a function trace");
	lode_bytes_take(header, sizeof(magic));
	version = lode_bytes_u32(header);
	fan_out = lode_bytes_u32(header);
	offset = lode_bytes_u64(header);
	directory->size = lode_bytes_u64(header);
	check = lode_bytes_u64(header);
	if (version != LODE_TIMELINE_VERSION)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, 8,
				 "index version %u, but this lode reads version %u: rebuild it "
				 "from the trace",
				 version, LODE_TIMELINE_VERSION);
	if (lode_bytes_u64(header) != lode_call_check(start, LODE_TIMELINE_HEADER_BYTES - 8) ||
	    fan_out != LODE_CALL_FAN_OUT || offset < LODE_TIMELINE_HEADER_BYTES)
		return lode_fail(err, LODE_ERR_FORMAT, path, 0, "the index's header is damaged");
	if (offset > (uint64_t)file_bytes || directory->size > (uint64_t)file_bytes - offset)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, file_bytes,
				 "the index ends here; its directory is at %llu",
				 (unsigned long long)offset);
	directory->offset = (int64_t)offset;
	directory->check = (uint32_t)check;
	return LODE_OK;
}

static int open_index(struct lode_call_trace *trace, int file, const char *path,
		      struct lode_error *err)
{
	uint8_t bytes[LODE_TIMELINE_HEADER_BYTES] = {0}, *data = NULL;
	struct lode_bytes header = lode_bytes_make(bytes, sizeof(bytes), 0);
	struct place place = {0};
	struct stat st;
	size_t size = 0;
	int rc;

	if (fstat(file, &st) < 0)
		return lode_fail_errno(err, errno, path, "cannot read it");
	rc = read_at(file, bytes, sizeof(bytes), 0, path, err);
	if (rc == LODE_OK)
		rc = read_header_timeline(&header, st.st_size, &place, path, err);
	if (rc == LODE_OK)
		rc = read_packed(&data, &size, file, place, path, "the directory", err);
	if (rc < 0)
		return rc;
	rc = read_directory(trace, data, size, place.offset, path, false, err);
	free(data);
	return rc;
}

int lode_timeline_load(struct lode_call_trace **out, const char *path, struct lode_error *err)
{
	struct lode_call_trace *trace;
	int file = open(path, O_RDONLY | O_CLOEXEC), rc;

	*out = NULL;
	if (file < 0)
		return lode_fail_errno(err, errno, path, "cannot open it");
	trace = lode_call_trace_new();
	trace->path = path;
	atomic_store(&trace->store.path, path);
	atomic_store(&trace->store.file, file + 1);
	rc = open_index(trace, file, path, err);
	if (rc < 0) {
		lode_call_trace_free(trace);
		return rc;
	}
	*out = trace;
	return LODE_OK;
}
