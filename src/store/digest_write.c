/* Encodes a digest into columns. */
#include "store/digest_tree.h"
#include "base/sorted.h"

/* ---- Names of columns ---- */

static const char *const names[LODE_N_DIGEST_COLUMNS] = {
	[LODE_COLUMN_ORIGIN] = "origin",
	[LODE_COLUMN_COUNTS] = "counts",
	[LODE_COLUMN_STRING_NULS] = "string NULs",
	[LODE_COLUMN_STRING_TEXT] = "strings",
	[LODE_COLUMN_FRAME_MODULE] = "frame modules",
	[LODE_COLUMN_FRAME_FUNCTION] = "frame functions",
	[LODE_COLUMN_FRAME_FLAGS] = "frame flags",
	[LODE_COLUMN_NODE_PARENT] = "node parents",
	[LODE_COLUMN_NODE_FRAME] = "node frames",
	[LODE_COLUMN_STREAMS] = "streams",
	[LODE_COLUMN_SYMPTOM_STREAM] = "symptom streams",
	[LODE_COLUMN_SYMPTOM_PID] = "symptom pids",
	[LODE_COLUMN_SYMPTOM_TID] = "symptom tids",
	[LODE_COLUMN_SYMPTOM_COMM] = "symptom comms",
	[LODE_COLUMN_SYMPTOM_T0] = "symptom starts",
	[LODE_COLUMN_SYMPTOM_LENGTH] = "symptom lengths",
	[LODE_COLUMN_ROW_SYMPTOM] = "row symptoms",
	[LODE_COLUMN_ROW_STACK] = "row stacks",
	[LODE_COLUMN_ROW_KIND] = "row kinds",
	[LODE_COLUMN_ROW_REASON] = "row reasons",
	[LODE_COLUMN_ROW_WAKER] = "row wakers",
	[LODE_COLUMN_ROW_COST] = "row costs",
	[LODE_COLUMN_ROW_EVENTS] = "row events",
	[LODE_COLUMN_ROW_WORST_T0] = "row worst starts",
	[LODE_COLUMN_ROW_WORST_COST] = "row worst costs",
	[LODE_COLUMN_NAME_STACKS] = "name stacks",
	[LODE_COLUMN_NAME_CALLEES] = "name callees",
	[LODE_COLUMN_NAME_CALLERS] = "name callers",
	[LODE_COLUMN_PAIR_CALLER] = "pair callers",
	[LODE_COLUMN_PAIR_CALLEE] = "pair callees",
	[LODE_COLUMN_PAIR_COUNT] = "pair counts",
	[LODE_COLUMN_RUN_COUNTS] = "run counts",
	[LODE_COLUMN_RUN_KIND] = "run kinds",
	[LODE_COLUMN_RUN_PIECE] = "run pieces",
	[LODE_COLUMN_LINK_PARENT] = "link parents",
	[LODE_COLUMN_LINK_FRAME] = "link frames",
	[LODE_COLUMN_RUN_PARENT] = "run parents",
	[LODE_COLUMN_RUN_LENGTH] = "run lengths",
	[LODE_COLUMN_STREAM_CLOCK] = "stream clocks",
	[LODE_COLUMN_ROW_UNSAMPLED] = "row unsampled",
	[LODE_COLUMN_ROW_RUNNERS] = "row runners",
	[LODE_COLUMN_RUNNER_NAME] = "runner names",
	[LODE_COLUMN_RUNNER_COST] = "runner costs",
	[LODE_COLUMN_STREAM_SUBJECT] = "stream subjects",
	[LODE_COLUMN_SYMPTOM_CPU] = "symptom CPU times",
	[LODE_COLUMN_STREAM_RECORDS] = "stream records",
	[LODE_COLUMN_ROW_ALONE] = "row occurrences",
	[LODE_COLUMN_ROW_GROUPS] = "row numbers of groups",
	[LODE_COLUMN_ROW_GROUP] = "row groups",
	[LODE_COLUMN_SYMPTOM_GROUPS] = "symptom groups",
	[LODE_COLUMN_GROUP_COUNT] = "group occurrences",
};

const char *lode_digest_column_name(enum lode_digest_column column)
{
	return names[column];
}

void lode_digest_columns_release(struct lode_digest_columns *columns)
{
	for (size_t i = 0; i < LODE_N_DIGEST_COLUMNS; i++)
		lode_vec_release(&columns->at[i]);
}

static lode_byte_vec *column(struct lode_digest_columns *columns, enum lode_digest_column id)
{
	return &columns->at[id];
}

static void put_delta(struct lode_digest_columns *columns, enum lode_digest_column id,
		      int64_t value, int64_t base)
{
	lode_varint_put_delta(column(columns, id), (uint64_t)value, (uint64_t)base);
}

static void put_text_digest_write(lode_byte_vec *to, const char *text, size_t len)
{
	lode_varint_put(to, len);
	lode_vec_append_all(to, text, len);
}

/* `n_nodes`: of those in the columns of nodes. */
static void write_counts(lode_byte_vec *to, const struct lode_digest *digest, size_t n_nodes)
{
	const uint64_t counts[] = {
		digest->tree.strings.text.n,
		digest->tree.frames.n,
		n_nodes,
		digest->streams.n,
		digest->symptoms.n,
		digest->rows.n,
		digest->names.n_with.n,
		digest->names.pairs.n,
		digest->names.n_stacks,
		digest->n_events,
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		lode_varint_put(to, counts[i]);
	lode_varint_put(to, digest->unit != NULL);
	if (digest->unit)
		put_text_digest_write(to, digest->unit, strlen(digest->unit));
}

/*
 * Ids are in order of first sight, so most of them are either the next new one, written as 0, or
 * one seen not long ago.
 */
static void put_seen(lode_byte_vec *to, uint64_t *next, uint32_t id)
{
	lode_varint_put_delta(to, *next, id);
	if (id >= *next)
		*next = (uint64_t)id + 1;
}

/* Each with the NUL that ends it; string 0, the empty one, is always there and not written. */
static void write_strings(struct lode_digest_columns *out, const struct lode_strings *strings)
{
	lode_byte_vec *text = column(out, LODE_COLUMN_STRING_TEXT);

	for (size_t i = 1; i < strings->text.n; i++) {
		const char *string = strings->text.at[i];
		size_t len = strings->len.at[i];

		for (const char *nul = string;
		     (nul = memchr(nul, 0, len - (size_t)(nul - string)));)
			lode_varint_put(column(out, LODE_COLUMN_STRING_NULS),
					text->n + (size_t)(nul++ - string));
		lode_vec_append_all(text, string, len + 1);
	}
}

/*
 * Functions are in order of first sight, modules come again and again, and say what most of their
 * frames' flags are.
 */
static void write_frames(struct lode_digest_columns *out, const struct lode_calltree *tree)
{
	uint8_t *flags_of = lode_alloc0(tree->strings.text.n, sizeof(*flags_of));
	uint64_t next = 1;

	for (size_t i = 0; i < tree->frames.n; i++) {
		const struct lode_frame *frame = &tree->frames.at[i];

		lode_varint_put(column(out, LODE_COLUMN_FRAME_MODULE), frame->module);
		if (frame->module >= next)
			next = (uint64_t)frame->module + 1;
		put_seen(column(out, LODE_COLUMN_FRAME_FUNCTION), &next, frame->function);
		lode_varint_put(column(out, LODE_COLUMN_FRAME_FLAGS),
				frame->flags ^ flags_of[frame->module]);
		flags_of[frame->module] = (uint8_t)frame->flags;
	}
	free(flags_of);
}

void lode_digest_nodes_write(struct lode_digest_columns *out, const struct lode_calltree *tree)
{
	uint64_t next_frame = 0;

	/* Node 0 is the empty stack: always there. */
	for (size_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];

		/* A stack is filled from its root: the node before is mostly the parent. */
		lode_varint_put(column(out, LODE_COLUMN_NODE_PARENT), i - 1 - node->parent);
		put_seen(column(out, LODE_COLUMN_NODE_FRAME), &next_frame, node->frame);
	}
}

static void write_losses(lode_byte_vec *to, const struct lode_digest *digest,
			 const struct lode_digest_stream *stream)
{
	const struct lode_loss_note *losses = lode_digest_losses_of(digest, stream);

	lode_varint_put(to, stream->n_losses);
	for (size_t i = 0; i < stream->n_losses; i++) {
		const struct lode_loss_note *loss = &losses[i];

		lode_varint_put(to, loss->kind);
		lode_varint_put(to, loss->count);
		lode_varint_put_delta(to, (uint64_t)loss->offset, 0);
		lode_varint_put_delta(to, (uint64_t)loss->first_ns, (uint64_t)stream->t0_ns);
		lode_varint_put_delta(to, (uint64_t)loss->last_ns, (uint64_t)loss->first_ns);
		lode_varint_put_delta(to, (uint64_t)loss->cost_ns, 0);
		put_text_digest_write(to, loss->detail, strlen(loss->detail));
	}
}

static void write_clocks(lode_byte_vec *to, const struct lode_digest *digest)
{
	int64_t before = 0;
	bool is_known = false;

	for (size_t i = 0; i < digest->streams.n; i++)
		is_known |= digest->streams.at[i].has_wall_clock;
	for (size_t i = 0; is_known && i < digest->streams.n; i++) {
		const struct lode_digest_stream *stream = &digest->streams.at[i];

		lode_varint_put(to, stream->has_wall_clock);
		if (!stream->has_wall_clock)
			continue;
		lode_varint_put_delta(to, (uint64_t)stream->wall_offset_ns, (uint64_t)before);
		before = stream->wall_offset_ns;
	}
}

/* Both columns are empty where they would say nothing but zeros. */
static void write_subjects(struct lode_digest_columns *out, const struct lode_digest *digest)
{
	bool has_subject = false, has_cpu = false;

	for (size_t i = 0; i < digest->streams.n; i++)
		has_subject |= digest->streams.at[i].subject != 0;
	for (size_t i = 0; i < digest->symptoms.n; i++)
		has_cpu |= digest->symptoms.at[i].is_cpu_time;
	for (size_t i = 0; has_subject && i < digest->streams.n; i++)
		lode_vec_append(column(out, LODE_COLUMN_STREAM_SUBJECT),
				digest->streams.at[i].subject);
	for (size_t i = 0; has_cpu && i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[i];

		lode_varint_put(column(out, LODE_COLUMN_SYMPTOM_CPU),
				symptom->is_cpu_time ? (uint64_t)symptom->cpu_ns + 1 : 0);
	}
}

static void write_records(lode_byte_vec *to, const struct lode_digest *digest)
{
	bool is_known = false;

	for (size_t i = 0; i < digest->streams.n; i++)
		is_known |= digest->streams.at[i].n_records != 0;
	for (size_t i = 0; is_known && i < digest->streams.n; i++)
		lode_varint_put(to, digest->streams.at[i].n_records);
}

static void write_streams(struct lode_digest_columns *out, const struct lode_digest *digest)
{
	lode_byte_vec *to = column(out, LODE_COLUMN_STREAMS);

	write_clocks(column(out, LODE_COLUMN_STREAM_CLOCK), digest);
	write_subjects(out, digest);
	write_records(column(out, LODE_COLUMN_STREAM_RECORDS), digest);
	for (size_t i = 0; i < digest->streams.n; i++) {
		const struct lode_digest_stream *stream = &digest->streams.at[i];

		lode_varint_put(to, stream->path);
		lode_varint_put(to, stream->host);
		lode_varint_put(to, stream->kernel);
		lode_varint_put(to, stream->content_hash);
		lode_varint_put_delta(to, (uint64_t)stream->t0_ns, 0);
		lode_varint_put_delta(to, (uint64_t)stream->t1_ns, (uint64_t)stream->t0_ns);
		lode_varint_put_delta(to, (uint64_t)stream->lost_cost_ns, 0);
		write_losses(to, digest, stream);
	}
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[i];
		const struct lode_digest_stream *stream = &digest->streams.at[symptom->stream];

		put_delta(out, LODE_COLUMN_SYMPTOM_STREAM, symptom->stream,
			  i ? symptom[-1].stream : 0);
		put_delta(out, LODE_COLUMN_SYMPTOM_PID, symptom->pid, 0);
		put_delta(out, LODE_COLUMN_SYMPTOM_TID, symptom->tid, symptom->pid);
		lode_varint_put(column(out, LODE_COLUMN_SYMPTOM_COMM), symptom->comm);
		put_delta(out, LODE_COLUMN_SYMPTOM_T0, symptom->t0_ns, stream->t0_ns);
		put_delta(out, LODE_COLUMN_SYMPTOM_LENGTH, symptom->t1_ns, symptom->t0_ns);
	}
}

static void write_rows(struct lode_digest_columns *out, const struct lode_digest *digest)
{
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];
		bool is_first = i == 0 || row[-1].symptom != row->symptom;

		lode_varint_put(column(out, LODE_COLUMN_ROW_SYMPTOM),
				row->symptom - (i ? row[-1].symptom : 0));
		put_delta(out, LODE_COLUMN_ROW_STACK, row->stack, is_first ? 0 : row[-1].stack);
		lode_vec_append(column(out, LODE_COLUMN_ROW_KIND), row->kind);
		lode_vec_append(column(out, LODE_COLUMN_ROW_REASON), row->reason);
		lode_varint_put(column(out, LODE_COLUMN_ROW_WAKER), row->waker);
		put_delta(out, LODE_COLUMN_ROW_COST, row->cost_ns, 0);
		lode_varint_put(column(out, LODE_COLUMN_ROW_EVENTS), row->n_events);
		put_delta(out, LODE_COLUMN_ROW_WORST_T0, row->worst_t0_ns,
			  digest->symptoms.at[row->symptom].t0_ns);
		/* Most rows are one event, which is then the costliest. */
		put_delta(out, LODE_COLUMN_ROW_WORST_COST, row->cost_ns, row->worst_cost_ns);
	}
}

/* Of rows of one kind alone, and only if there is anything to say. */
static void write_row_details(struct lode_digest_columns *out, const struct lode_digest *digest)
{
	bool has_unsampled = false;

	for (size_t i = 0; i < digest->rows.n; i++)
		has_unsampled |= digest->rows.at[i].unsampled_ns != 0;
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];

		if (has_unsampled && row->kind == LODE_EVENT_RUNNING)
			lode_varint_put(column(out, LODE_COLUMN_ROW_UNSAMPLED),
					(uint64_t)(row->cost_ns - row->unsampled_ns));
		if (!digest->runners.n || row->kind != LODE_EVENT_READY)
			continue;
		lode_varint_put(column(out, LODE_COLUMN_ROW_RUNNERS), row->n_runners);
		for (uint32_t k = 0; k < row->n_runners; k++) {
			const struct lode_digest_runner *runner =
				&digest->runners.at[row->first_runner + k];

			lode_varint_put(column(out, LODE_COLUMN_RUNNER_NAME), runner->name);
			/* They sum to the row's cost. */
			if (k + 1 < row->n_runners)
				lode_varint_put(column(out, LODE_COLUMN_RUNNER_COST),
						(uint64_t)runner->cost_ns);
		}
	}
}

/* A row's groups, each as the difference to the one before, the first one to the first one of the
   row before with any. */
static void write_row_groups(struct lode_digest_columns *out, const struct lode_digest *digest,
			     const struct lode_digest_row *row, uint32_t *first)
{
	const uint32_t *groups = digest->shared.at + row->first_shared;

	lode_varint_put(column(out, LODE_COLUMN_ROW_GROUPS), row->n_shared);
	if (!row->n_shared)
		return;
	put_delta(out, LODE_COLUMN_ROW_GROUP, groups[0], *first);
	*first = groups[0];
	for (uint32_t i = 1; i < row->n_shared; i++)
		lode_varint_put(column(out, LODE_COLUMN_ROW_GROUP), groups[i] - groups[i - 1] - 1);
}

static void write_occurrences(struct lode_digest_columns *out, const struct lode_digest *digest)
{
	bool is_counted = false, has_groups = false;
	uint32_t first = 0;

	for (size_t i = 0; i < digest->rows.n; i++)
		is_counted |= lode_digest_row_is_counted(&digest->rows.at[i]);
	for (size_t i = 0; i < digest->symptoms.n; i++)
		has_groups |= digest->symptoms.at[i].n_groups != 0;
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];

		/* Most are one event, and that is one occurrence. */
		if (is_counted)
			put_delta(out, LODE_COLUMN_ROW_ALONE, row->n_alone, row->n_events);
		if (has_groups)
			write_row_groups(out, digest, row, &first);
	}
	for (size_t i = 0; has_groups && i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[i];

		lode_varint_put(column(out, LODE_COLUMN_SYMPTOM_GROUPS), symptom->n_groups);
		for (uint32_t k = 0; k < symptom->n_groups; k++)
			lode_varint_put(column(out, LODE_COLUMN_GROUP_COUNT),
					digest->groups.at[symptom->first_group + k]);
	}
}

LODE_COMPARE(by_callee, struct lode_name_pair,
	     LODE_ORDER(a->callee, b->callee) ?: LODE_ORDER(a->caller, b->caller))

/* By callee, then caller: their own order is of no account, and would double what they take. */
static void write_pairs(struct lode_digest_columns *out, const struct lode_name_stats *names)
{
	size_t n = names->pairs.n;
	struct lode_name_pair *pairs = lode_alloc(n * sizeof(*pairs));

	if (n) {
		memcpy(pairs, names->pairs.at, n * sizeof(*pairs));
		lode_sort(pairs, n, by_callee);
	}
	for (size_t i = 0; i < n; i++) {
		bool is_same = i && pairs[i].callee == pairs[i - 1].callee;

		lode_varint_put(column(out, LODE_COLUMN_PAIR_CALLEE),
				pairs[i].callee - (i ? pairs[i - 1].callee : 0));
		/* The first caller of a function was mostly seen just before it. */
		put_delta(out, LODE_COLUMN_PAIR_CALLER, is_same ? pairs[i].caller : pairs[i].callee,
			  is_same ? pairs[i - 1].caller : pairs[i].caller);
		put_delta(out, LODE_COLUMN_PAIR_COUNT, pairs[i].n, i ? pairs[i - 1].n : 0);
	}
	free(pairs);
}

/*
 * A frame's callees and callers are the sums of its pairs, and a stack with it has a caller for it
 * unless it is the root: what is written is what is not to be expected, mostly 0.
 */
static void write_names(struct lode_digest_columns *out, const struct lode_name_stats *names)
{
	uint64_t *n_callee = lode_alloc0(names->n_with.n, sizeof(*n_callee));
	uint64_t *n_caller = lode_alloc0(names->n_with.n, sizeof(*n_caller));

	for (size_t i = 0; i < names->pairs.n; i++) {
		n_callee[names->pairs.at[i].caller] += names->pairs.at[i].n;
		n_caller[names->pairs.at[i].callee] += names->pairs.at[i].n;
	}
	for (size_t i = 0; i < names->n_with.n; i++) {
		put_delta(out, LODE_COLUMN_NAME_STACKS, names->n_with.at[i], names->n_caller.at[i]);
		put_delta(out, LODE_COLUMN_NAME_CALLEES, names->n_callee.at[i], n_callee[i]);
		put_delta(out, LODE_COLUMN_NAME_CALLERS, names->n_caller.at[i], n_caller[i]);
	}
	free(n_callee);
	free(n_caller);
}

void lode_digest_columns_write(struct lode_digest_columns *columns,
			       const struct lode_digest *digest, bool is_flat)
{
	size_t n_nodes = digest->tree.nodes.n;

	if (!is_flat && lode_digest_tree_is_chained(&digest->tree))
		n_nodes = lode_digest_tree_write(columns, &digest->tree);
	else
		lode_digest_nodes_write(columns, &digest->tree);
	write_counts(column(columns, LODE_COLUMN_COUNTS), digest, n_nodes);
	write_strings(columns, &digest->tree.strings);
	write_frames(columns, &digest->tree);
	write_streams(columns, digest);
	write_rows(columns, digest);
	write_row_details(columns, digest);
	write_occurrences(columns, digest);
	write_pairs(columns, &digest->names);
	write_names(columns, &digest->names);
}
