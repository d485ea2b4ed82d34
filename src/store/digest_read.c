/* Decodes the columns of a digest. */
#include "store/digest_columns.h"
#include "model/subject.h"
#include "store/digest_tree.h"

#include <stdarg.h>
#include <stdio.h>

/* A digest being read; `rc` keeps the first fault, after which nothing more is read. */
struct reader {
	struct lode_bytes *columns;
	struct lode_digest *digest;
	const char *path;
	struct lode_error *err;
	int rc;
	const char *unit; /* with its length; NULL: none */
	size_t unit_len;
	size_t n_strings, n_frames, n_nodes, n_streams, n_symptoms, n_rows, n_names, n_pairs;
};

static struct lode_bytes *column(struct reader *r, enum lode_digest_column id)
{
	return &r->columns[id];
}

static void __attribute__((format(printf, 3, 4)))
refuse(struct reader *r, enum lode_digest_column id, const char *format, ...)
{
	char what[256];
	va_list args;

	if (r->rc < 0)
		return;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	r->rc = lode_fail(r->err, LODE_ERR_FORMAT, r->path, column(r, id)->base_offset,
			  "damaged digest: column of %s: %s", lode_digest_column_name(id), what);
}

/* The next number, which must be below `bound`; 0 otherwise, so that it can be used unharmed. */
static uint32_t get_below(struct reader *r, enum lode_digest_column id, uint64_t value,
			  size_t bound)
{
	if (value < bound)
		return (uint32_t)value;
	refuse(r, id, "%llu, where there are %zu", (unsigned long long)value, bound);
	return 0;
}

/* The next number of a column, which must be below `bound`. */
static uint32_t get_id(struct reader *r, enum lode_digest_column id, size_t bound)
{
	return get_below(r, id, lode_varint_get(column(r, id)), bound);
}

/* The next number of a column, written as its difference to `base`. */
static int64_t get_delta(struct reader *r, enum lode_digest_column id, int64_t base)
{
	return (int64_t)lode_varint_get_delta(column(r, id), (uint64_t)base);
}

static uint64_t get_seen(struct lode_bytes *from, uint64_t *next)
{
	/* Written as next - id. */
	uint64_t id = *next - lode_varint_get_delta(from, 0);

	if (id >= *next)
		*next = id + 1;
	return id;
}

/*
 * Counts stand before what they count: each item takes at least a byte in each of its columns, so
 * that nothing is allocated that the file does not pay for.
 */
static size_t get_count(struct reader *r, size_t n_free, enum lode_digest_column first,
			enum lode_digest_column last)
{
	uint64_t n = lode_varint_get(column(r, LODE_COLUMN_COUNTS));

	for (unsigned c = first; c <= last; c++)
		if (n > lode_bytes_left(column(r, c)) + n_free) {
			refuse(r, c, "%zu bytes for %llu items", lode_bytes_left(column(r, c)),
			       (unsigned long long)n);
			return n_free;
		}
	if (n < n_free || n >= LODE_NONE) {
		refuse(r, LODE_COLUMN_COUNTS, "%llu %s", (unsigned long long)n,
		       lode_digest_column_name(first));
		return n_free;
	}
	return (size_t)n;
}

static const char *get_text(struct lode_bytes *from, size_t *len)
{
	uint64_t n = lode_varint_get(from);
	const char *text;

	*len = 0;
	if (n > lode_bytes_left(from)) {
		from->overrun = true;
		return "";
	}
	text = lode_bytes_take(from, (size_t)n);
	*len = (size_t)n;
	return text ? text : "";
}

static void read_counts(struct reader *r)
{
	struct lode_bytes *from = column(r, LODE_COLUMN_COUNTS);

	r->n_strings = get_count(r, 1, LODE_COLUMN_STRING_TEXT, LODE_COLUMN_STRING_TEXT);
	r->n_frames = get_count(r, 0, LODE_COLUMN_FRAME_MODULE, LODE_COLUMN_FRAME_FLAGS);
	r->n_nodes = get_count(r, 1, LODE_COLUMN_NODE_PARENT, LODE_COLUMN_NODE_FRAME);
	r->n_streams = get_count(r, 0, LODE_COLUMN_STREAMS, LODE_COLUMN_STREAMS);
	r->n_symptoms = get_count(r, 0, LODE_COLUMN_SYMPTOM_STREAM, LODE_COLUMN_SYMPTOM_LENGTH);
	r->n_rows = get_count(r, 0, LODE_COLUMN_ROW_SYMPTOM, LODE_COLUMN_ROW_WORST_COST);
	r->n_names = get_count(r, 0, LODE_COLUMN_NAME_STACKS, LODE_COLUMN_NAME_CALLERS);
	r->n_pairs = get_count(r, 0, LODE_COLUMN_PAIR_CALLER, LODE_COLUMN_PAIR_COUNT);
	r->digest->names.n_stacks = lode_varint_get(from);
	r->digest->n_events = lode_varint_get(from);
	if (r->n_names > r->n_frames)
		refuse(r, LODE_COLUMN_COUNTS, "%zu names of %zu frames", r->n_names, r->n_frames);
	if (lode_varint_get(from))
		r->unit = get_text(from, &r->unit_len);
	if (r->unit && memchr(r->unit, 0, r->unit_len))
		refuse(r, LODE_COLUMN_COUNTS, "a unit with a NUL");
}

/* Length of the string at the cursor: to the first NUL that does not belong to it. */
static size_t string_length(struct reader *r, uint64_t *next_nul)
{
	struct lode_bytes *text = column(r, LODE_COLUMN_STRING_TEXT);
	struct lode_bytes *nuls = column(r, LODE_COLUMN_STRING_NULS);
	const uint8_t *from = text->at, *nul;

	for (;; from = nul + 1) {
		nul = text->at == text->end ? NULL : memchr(from, 0, (size_t)(text->end - from));
		if (!nul) {
			refuse(r, LODE_COLUMN_STRING_TEXT, "a string without an end");
			return 0;
		}
		if ((uint64_t)(nul - text->start) != *next_nul)
			return (size_t)(nul - text->at);
		*next_nul = lode_bytes_left(nuls) ? lode_varint_get(nuls) : UINT64_MAX;
	}
}

static void read_strings(struct reader *r)
{
	struct lode_strings *strings = &r->digest->tree.strings;
	struct lode_bytes *text = column(r, LODE_COLUMN_STRING_TEXT);
	struct lode_bytes *nuls = column(r, LODE_COLUMN_STRING_NULS);
	uint64_t next_nul = lode_bytes_left(nuls) ? lode_varint_get(nuls) : UINT64_MAX;

	lode_map_reserve(&strings->index, r->n_strings);
	for (size_t i = 1; i < r->n_strings && r->rc == 0; i++) {
		size_t len = string_length(r, &next_nul);
		const char *string = lode_bytes_take(text, len + 1);

		if (r->rc == 0 && string && lode_strings_intern(strings, string, len) != i)
			refuse(r, LODE_COLUMN_STRING_TEXT, "string %zu is a duplicate", i);
	}
	if (r->unit && r->rc == 0) { /* one of them, mostly */
		uint32_t id = lode_strings_intern(strings, r->unit, r->unit_len);

		r->digest->unit = strings->text.at[id];
	}
}

static void read_frames(struct reader *r)
{
	struct lode_calltree *tree = &r->digest->tree;
	uint8_t *flags_of = lode_alloc0(r->n_strings, sizeof(*flags_of));
	uint64_t next = 1;

	lode_map_reserve(&tree->frame_index, r->n_frames);
	for (size_t i = 0; i < r->n_frames && r->rc == 0; i++) {
		uint32_t module, function;
		uint64_t flags;

		module = get_id(r, LODE_COLUMN_FRAME_MODULE, r->n_strings);
		if (module >= next)
			next = (uint64_t)module + 1;
		function = get_below(r, LODE_COLUMN_FRAME_FUNCTION,
				     get_seen(column(r, LODE_COLUMN_FRAME_FUNCTION), &next),
				     r->n_strings);
		flags = lode_varint_get(column(r, LODE_COLUMN_FRAME_FLAGS)) ^ flags_of[module];
		flags_of[module] = (uint8_t)get_below(r, LODE_COLUMN_FRAME_FLAGS, flags,
						      LODE_FRAME_INLINED * 2);
		if (r->rc == 0 && lode_frame_add(tree, module, function, flags_of[module]) != i)
			refuse(r, LODE_COLUMN_FRAME_FUNCTION, "frame %zu is a duplicate", i);
	}
	free(flags_of);
}

/* Into `tree`, which is that of the digest or of its pieces: frames are the digest's. */
static void read_nodes(struct reader *r, struct lode_calltree *tree)
{
	uint64_t next = 0;

	for (size_t i = 1; i < r->n_nodes && r->rc == 0; i++) {
		uint64_t back = lode_varint_get(column(r, LODE_COLUMN_NODE_PARENT));
		uint32_t parent, frame;

		parent = get_below(r, LODE_COLUMN_NODE_PARENT, i - 1 - back, i);
		frame = get_below(r, LODE_COLUMN_NODE_FRAME,
				  get_seen(column(r, LODE_COLUMN_NODE_FRAME), &next), r->n_frames);
		if (r->rc == 0 && lode_calltree_child(tree, parent, frame) != i)
			refuse(r, LODE_COLUMN_NODE_FRAME, "stack %zu is a duplicate", i);
	}
}

static void read_tree(struct reader *r, uint64_t node_limit)
{
	struct lode_calltree *tree = &r->digest->tree, pieces;
	enum lode_digest_column id;
	const char *wrong;

	if (!lode_bytes_left(column(r, LODE_COLUMN_RUN_COUNTS))) {
		read_nodes(r, tree);
		return;
	}
	lode_calltree_init(&pieces);
	read_nodes(r, &pieces);
	if (r->rc == 0) {
		wrong = lode_digest_tree_read(tree, &pieces, r->columns, node_limit, &id);
		if (wrong)
			refuse(r, id, "%s", wrong);
	}
	r->n_nodes = tree->nodes.n;
	lode_calltree_release(&pieces);
}

static void read_losses(struct reader *r, struct lode_digest_stream *stream)
{
	struct lode_bytes *from = column(r, LODE_COLUMN_STREAMS);
	struct lode_digest *digest = r->digest;
	uint64_t n = lode_varint_get(from);
	uint32_t least = 0;

	stream->first_loss = (uint32_t)digest->losses.n;
	for (; n && r->rc == 0 && !from->overrun; n--) {
		uint32_t kind = get_id(r, LODE_COLUMN_STREAMS, LODE_N_LOSS_KINDS);
		struct lode_loss_note loss = {.kind = (enum lode_loss_kind)kind};
		const char *detail;
		size_t len;

		loss.count = lode_varint_get(from);
		loss.offset = get_delta(r, LODE_COLUMN_STREAMS, 0);
		loss.first_ns = get_delta(r, LODE_COLUMN_STREAMS, stream->t0_ns);
		loss.last_ns = get_delta(r, LODE_COLUMN_STREAMS, loss.first_ns);
		loss.cost_ns = get_delta(r, LODE_COLUMN_STREAMS, 0);
		detail = get_text(from, &len);
		if (kind < least)
			refuse(r, LODE_COLUMN_STREAMS, "loss of kind %u out of order", kind);
		if (len && memchr(detail, 0, len))
			refuse(r, LODE_COLUMN_STREAMS, "a loss described with a NUL");
		least = kind + 1;
		if (!loss.count || r->rc < 0)
			continue;
		loss.detail = lode_arena_strndup(&digest->tree.strings.arena, detail, len);
		lode_vec_append(&digest->losses, loss);
		stream->n_losses++;
	}
}

static void read_streams(struct reader *r)
{
	struct lode_bytes *from = column(r, LODE_COLUMN_STREAMS);

	for (size_t i = 0; i < r->n_streams && r->rc == 0; i++) {
		struct lode_digest_stream *stream = lode_vec_append_zero(&r->digest->streams);

		stream->path = get_id(r, LODE_COLUMN_STREAMS, r->n_strings);
		stream->host = get_id(r, LODE_COLUMN_STREAMS, r->n_strings);
		stream->kernel = get_id(r, LODE_COLUMN_STREAMS, r->n_strings);
		stream->content_hash = lode_varint_get(from);
		stream->t0_ns = get_delta(r, LODE_COLUMN_STREAMS, 0);
		stream->t1_ns = get_delta(r, LODE_COLUMN_STREAMS, stream->t0_ns);
		stream->lost_cost_ns = get_delta(r, LODE_COLUMN_STREAMS, 0);
		read_losses(r, stream);
		if (from->overrun)
			refuse(r, LODE_COLUMN_STREAMS, "ends within recording %zu of %zu", i,
			       r->n_streams);
	}
}

static void read_clocks(struct reader *r)
{
	struct lode_bytes *from = column(r, LODE_COLUMN_STREAM_CLOCK);
	uint64_t offset = 0;

	if (!lode_bytes_left(from))
		return;
	for (size_t i = 0; i < r->digest->streams.n && r->rc == 0; i++) {
		struct lode_digest_stream *stream = &r->digest->streams.at[i];

		stream->has_wall_clock = get_id(r, LODE_COLUMN_STREAM_CLOCK, 2);
		if (!stream->has_wall_clock)
			continue;
		offset = lode_varint_get_delta(from, offset);
		stream->wall_offset_ns = (int64_t)offset;
	}
}

/* Neither is in digests of older versions: lengths count, as they did when these were made. */
static void read_subjects(struct reader *r)
{
	bool has_subject = lode_bytes_left(column(r, LODE_COLUMN_STREAM_SUBJECT)) > 0;
	bool has_cpu = lode_bytes_left(column(r, LODE_COLUMN_SYMPTOM_CPU)) > 0;
	int64_t sum_ns = 0;

	for (size_t i = 0; has_subject && i < r->digest->streams.n && r->rc == 0; i++)
		r->digest->streams.at[i].subject =
			(uint8_t)get_below(r, LODE_COLUMN_STREAM_SUBJECT,
					   lode_bytes_u8(column(r, LODE_COLUMN_STREAM_SUBJECT)),
					   LODE_N_SUBJECTS);
	for (size_t i = 0; has_cpu && i < r->digest->symptoms.n && r->rc == 0; i++) {
		struct lode_digest_symptom *symptom = &r->digest->symptoms.at[i];
		uint64_t cpu = lode_varint_get(column(r, LODE_COLUMN_SYMPTOM_CPU));

		if (!cpu)
			continue;
		symptom->is_cpu_time = true;
		symptom->cpu_ns = (int64_t)(cpu - 1);
		if (symptom->cpu_ns < 0 || __builtin_add_overflow(sum_ns, symptom->cpu_ns, &sum_ns))
			refuse(r, LODE_COLUMN_SYMPTOM_CPU, "symptom %zu took %lld ns", i,
			       (long long)symptom->cpu_ns);
	}
}

static void read_records(struct reader *r)
{
	struct lode_bytes *from = column(r, LODE_COLUMN_STREAM_RECORDS);
	bool is_known = lode_bytes_left(from) > 0;

	for (size_t i = 0; is_known && i < r->digest->streams.n; i++)
		r->digest->streams.at[i].n_records = lode_varint_get(from);
}

/* A pid or tid: 32 bits and a sign. */
static int32_t get_thread(struct reader *r, enum lode_digest_column id, int64_t base)
{
	int64_t value = get_delta(r, id, base);

	if (value < INT32_MIN || value > INT32_MAX)
		refuse(r, id, "%lld is not an id", (long long)value);
	return (int32_t)value;
}

static void read_symptoms(struct reader *r)
{
	uint64_t stream = 0;
	int64_t sum_ns = 0;

	for (size_t i = 0; i < r->n_symptoms && r->rc == 0; i++) {
		struct lode_digest_symptom *symptom = lode_vec_append_zero(&r->digest->symptoms);
		int64_t length_ns;

		stream = lode_varint_get_delta(column(r, LODE_COLUMN_SYMPTOM_STREAM), stream);
		symptom->stream = get_below(r, LODE_COLUMN_SYMPTOM_STREAM, stream, r->n_streams);
		if (r->rc < 0)
			return;
		symptom->pid = get_thread(r, LODE_COLUMN_SYMPTOM_PID, 0);
		symptom->tid = get_thread(r, LODE_COLUMN_SYMPTOM_TID, symptom->pid);
		symptom->comm = get_id(r, LODE_COLUMN_SYMPTOM_COMM, r->n_strings);
		symptom->t0_ns = get_delta(r, LODE_COLUMN_SYMPTOM_T0,
					   r->digest->streams.at[symptom->stream].t0_ns);
		symptom->t1_ns = get_delta(r, LODE_COLUMN_SYMPTOM_LENGTH, symptom->t0_ns);
		if (__builtin_sub_overflow(symptom->t1_ns, symptom->t0_ns, &length_ns) ||
		    __builtin_add_overflow(sum_ns, length_ns, &sum_ns))
			refuse(r, LODE_COLUMN_SYMPTOM_LENGTH, "symptom %zu has no length", i);
	}
}

static void read_row_digest(struct reader *r, struct lode_digest_row *row, uint64_t *symptom,
			    uint64_t *stack)
{
	uint64_t more = lode_varint_get(column(r, LODE_COLUMN_ROW_SYMPTOM));

	*symptom += more;
	row->symptom = get_below(r, LODE_COLUMN_ROW_SYMPTOM, *symptom, r->n_symptoms);
	if (r->rc < 0)
		return;
	*stack = lode_varint_get_delta(column(r, LODE_COLUMN_ROW_STACK), more ? 0 : *stack);
	row->stack = get_below(r, LODE_COLUMN_ROW_STACK, *stack, r->n_nodes);
	row->kind = (uint8_t)get_below(r, LODE_COLUMN_ROW_KIND,
				       lode_bytes_u8(column(r, LODE_COLUMN_ROW_KIND)),
				       LODE_N_EVENT_KINDS);
	row->reason = (uint8_t)get_below(r, LODE_COLUMN_ROW_REASON,
					 lode_bytes_u8(column(r, LODE_COLUMN_ROW_REASON)),
					 LODE_N_REASONS);
	row->waker = get_id(r, LODE_COLUMN_ROW_WAKER, r->n_strings);
	row->cost_ns = get_delta(r, LODE_COLUMN_ROW_COST, 0);
	row->n_events = get_id(r, LODE_COLUMN_ROW_EVENTS, (size_t)UINT32_MAX + 1);
	row->worst_t0_ns =
		get_delta(r, LODE_COLUMN_ROW_WORST_T0, r->digest->symptoms.at[row->symptom].t0_ns);
	/* Written as cost - worst cost. */
	row->worst_cost_ns =
		(int64_t)((uint64_t)row->cost_ns -
			  lode_varint_get_delta(column(r, LODE_COLUMN_ROW_WORST_COST), 0));
}

/*
 * Rows must be as lode_digest keeps them: in order, none twice, and with costs whose sums fit,
 * which analyses rely on.
 */
static void read_rows(struct reader *r)
{
	struct lode_digest *digest = r->digest;
	uint64_t symptom = 0, stack = 0;
	int64_t sum_ns = 0;

	lode_vec_reserve(&digest->rows, r->n_rows);
	for (size_t i = 0; i < r->n_rows && r->rc == 0; i++) {
		struct lode_digest_row *row = lode_vec_append_zero(&digest->rows);

		read_row_digest(r, row, &symptom, &stack);
		if (i && r->rc == 0 && lode_digest_row_compare(row - 1, row) >= 0)
			refuse(r, LODE_COLUMN_ROW_STACK, "row %zu is out of order", i);
		if (row->cost_ns < 0 || __builtin_add_overflow(sum_ns, row->cost_ns, &sum_ns))
			refuse(r, LODE_COLUMN_ROW_COST, "row %zu costs %lld ns", i,
			       (long long)row->cost_ns);
	}
}

static void read_runners(struct reader *r, struct lode_digest_row *row, uint64_t n)
{
	int64_t left_ns = row->cost_ns;

	if (n > lode_bytes_left(column(r, LODE_COLUMN_RUNNER_NAME))) {
		refuse(r, LODE_COLUMN_ROW_RUNNERS, "%llu runners", (unsigned long long)n);
		return;
	}
	row->first_runner = (uint32_t)r->digest->runners.n;
	row->n_runners = (uint32_t)n;
	for (uint64_t k = 0; k < n && r->rc == 0; k++) {
		struct lode_digest_runner runner = {
			.name = get_id(r, LODE_COLUMN_RUNNER_NAME, r->n_strings),
			.cost_ns = left_ns,
		};

		if (k + 1 < n)
			runner.cost_ns =
				(int64_t)lode_varint_get(column(r, LODE_COLUMN_RUNNER_COST));
		if (runner.cost_ns < 0 || runner.cost_ns > left_ns) {
			refuse(r, LODE_COLUMN_RUNNER_COST, "%lld ns of %lld",
			       (long long)runner.cost_ns, (long long)left_ns);
			return;
		}
		left_ns -= runner.cost_ns;
		lode_vec_append(&r->digest->runners, runner);
	}
}

/* What rows of one kind have alone; empty in digests of older versions. */
static void read_row_details(struct reader *r)
{
	bool has_unsampled = lode_bytes_left(column(r, LODE_COLUMN_ROW_UNSAMPLED)) > 0;
	bool has_runners = lode_bytes_left(column(r, LODE_COLUMN_ROW_RUNNERS)) > 0;

	for (size_t i = 0; i < r->digest->rows.n && r->rc == 0; i++) {
		struct lode_digest_row *row = &r->digest->rows.at[i];
		uint64_t sampled_ns;

		if (has_unsampled && row->kind == LODE_EVENT_RUNNING) {
			sampled_ns = lode_varint_get(column(r, LODE_COLUMN_ROW_UNSAMPLED));
			if (sampled_ns > (uint64_t)row->cost_ns)
				refuse(r, LODE_COLUMN_ROW_UNSAMPLED, "row %zu: more than its cost",
				       i);
			else
				row->unsampled_ns = row->cost_ns - (int64_t)sampled_ns;
		}
		if (has_runners && row->kind == LODE_EVENT_READY)
			read_runners(r, row, lode_varint_get(column(r, LODE_COLUMN_ROW_RUNNERS)));
	}
}

static void read_groups(struct reader *r, struct lode_digest_symptom *symptom)
{
	struct lode_bytes *counts = column(r, LODE_COLUMN_GROUP_COUNT);
	uint64_t n = lode_varint_get(column(r, LODE_COLUMN_SYMPTOM_GROUPS));

	if (n > lode_bytes_left(counts)) {
		refuse(r, LODE_COLUMN_SYMPTOM_GROUPS, "%zu bytes for %llu groups",
		       lode_bytes_left(counts), (unsigned long long)n);
		return;
	}
	symptom->first_group = (uint32_t)r->digest->groups.n;
	symptom->n_groups = (uint32_t)n;
	for (; n; n--) {
		uint32_t count = get_id(r, LODE_COLUMN_GROUP_COUNT, (size_t)UINT32_MAX + 1);

		if (!count)
			refuse(r, LODE_COLUMN_GROUP_COUNT, "a group without an occurrence");
		lode_vec_append(&r->digest->groups, count);
	}
}

static void read_row_groups(struct reader *r, struct lode_digest_row *row, uint64_t *first)
{
	uint32_t n_groups = r->digest->symptoms.at[row->symptom].n_groups;
	uint64_t n = lode_varint_get(column(r, LODE_COLUMN_ROW_GROUPS)), group = *first;

	if (n > lode_bytes_left(column(r, LODE_COLUMN_ROW_GROUP))) {
		refuse(r, LODE_COLUMN_ROW_GROUPS, "%llu groups", (unsigned long long)n);
		return;
	}
	row->first_shared = (uint32_t)r->digest->shared.n;
	row->n_shared = (uint32_t)n;
	for (uint64_t k = 0; k < n && r->rc == 0; k++) {
		if (k)
			group += get_id(r, LODE_COLUMN_ROW_GROUP, n_groups) + (uint64_t)1;
		else
			*first = group =
				lode_varint_get_delta(column(r, LODE_COLUMN_ROW_GROUP), *first);
		lode_vec_append(&r->digest->shared,
				get_below(r, LODE_COLUMN_ROW_GROUP, group, n_groups));
	}
}

/* Behind rows. Empty in digests of older versions: how many there are is unknown. */
static void read_occurrences(struct reader *r)
{
	struct lode_digest *digest = r->digest;
	bool is_counted = lode_bytes_left(column(r, LODE_COLUMN_ROW_ALONE)) > 0;
	bool has_groups = lode_bytes_left(column(r, LODE_COLUMN_SYMPTOM_GROUPS)) > 0;
	uint64_t first = 0;

	for (size_t i = 0; has_groups && i < digest->symptoms.n && r->rc == 0; i++)
		read_groups(r, &digest->symptoms.at[i]);
	for (size_t i = 0; i < digest->rows.n && r->rc == 0; i++) {
		struct lode_digest_row *row = &digest->rows.at[i];

		if (is_counted)
			row->n_alone = get_below(r, LODE_COLUMN_ROW_ALONE,
						 (uint64_t)get_delta(r, LODE_COLUMN_ROW_ALONE,
								     row->n_events),
						 (size_t)UINT32_MAX + 1);
		if (has_groups)
			read_row_groups(r, row, &first);
	}
}

static void read_pairs(struct reader *r)
{
	uint64_t callee = 0, caller = 0, n = 0;

	lode_vec_reserve(&r->digest->names.pairs, r->n_pairs);
	lode_map_reserve(&r->digest->names.pair_index, r->n_pairs);
	for (size_t i = 0; i < r->n_pairs && r->rc == 0; i++) {
		uint64_t more = lode_varint_get(column(r, LODE_COLUMN_PAIR_CALLEE));
		struct lode_bytes *callers = column(r, LODE_COLUMN_PAIR_CALLER);
		struct lode_name_pair pair;
		uint64_t before = caller;

		callee += more;
		if (i && !more)
			caller = lode_varint_get_delta(callers, caller);
		else /* written as callee - caller */
			caller = callee - lode_varint_get_delta(callers, 0);
		if (i && !more && caller <= before)
			refuse(r, LODE_COLUMN_PAIR_CALLER, "pair %zu is out of order", i);
		n = lode_varint_get_delta(column(r, LODE_COLUMN_PAIR_COUNT), n);
		pair.callee = get_below(r, LODE_COLUMN_PAIR_CALLEE, callee, r->n_names);
		pair.caller = get_below(r, LODE_COLUMN_PAIR_CALLER, caller, r->n_names);
		pair.n = n;
		if (r->rc == 0)
			lode_name_stats_add_pair(&r->digest->names, &pair);
	}
}

static void read_names(struct reader *r)
{
	struct lode_name_stats *names = &r->digest->names;
	uint64_t *n_callee = lode_alloc0(r->n_names, sizeof(*n_callee));
	uint64_t *n_caller = lode_alloc0(r->n_names, sizeof(*n_caller));
	uint64_t callers;

	for (size_t i = 0; i < names->pairs.n; i++) {
		n_callee[names->pairs.at[i].caller] += names->pairs.at[i].n;
		n_caller[names->pairs.at[i].callee] += names->pairs.at[i].n;
	}
	for (size_t i = 0; i < r->n_names && r->rc == 0; i++) {
		callers = lode_varint_get_delta(column(r, LODE_COLUMN_NAME_CALLERS), n_caller[i]);
		lode_vec_append(&names->n_caller, callers);
		lode_vec_append(&names->n_callee,
				lode_varint_get_delta(column(r, LODE_COLUMN_NAME_CALLEES),
						      n_callee[i]));
		lode_vec_append(&names->n_with,
				lode_varint_get_delta(column(r, LODE_COLUMN_NAME_STACKS), callers));
	}
	free(n_callee);
	free(n_caller);
}

/* Every column is used to its last byte: what is left over was not understood. */
static void check_ends(struct reader *r)
{
	for (unsigned c = LODE_COLUMN_COUNTS; c < LODE_N_DIGEST_COLUMNS; c++) {
		if (column(r, c)->overrun)
			refuse(r, c, "ends too early");
		else if (lode_bytes_left(column(r, c)))
			refuse(r, c, "%zu bytes too many", lode_bytes_left(column(r, c)));
	}
}

int lode_digest_columns_read(struct lode_digest **out, struct lode_bytes *columns,
			     uint64_t node_limit, const char *path, struct lode_error *err)
{
	struct reader r = {.columns = columns, .path = path, .err = err};

	*out = NULL;
	r.digest = lode_digest_new();
	read_counts(&r);
	if (r.rc == 0)
		read_strings(&r);
	read_frames(&r);
	read_tree(&r, node_limit);
	read_streams(&r);
	read_clocks(&r);
	read_symptoms(&r);
	read_subjects(&r);
	read_records(&r);
	read_rows(&r);
	read_row_details(&r);
	read_occurrences(&r);
	read_pairs(&r);
	read_names(&r);
	check_ends(&r);
	if (r.rc < 0)
		lode_digest_free(r.digest);
	else
		*out = r.digest;
	return r.rc;
}
