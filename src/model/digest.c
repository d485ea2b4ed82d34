/* Digests: rows, merging, memory (docs/digest.md). */
#include "model/digest.h"

#include <assert.h>

#include "base/number_sort.h"
#include "base/sorted.h"
#include "base/time_sum.h"

/* ---- Order of rows ---- */

/*
 * Rows are long and their stacks are short: stacks are sorted, with the place of their row, by
 * counting, 11 bits at a time, so that three passes over 8 bytes a row do what a sort by comparison
 * needs some twenty passes over whole rows for. A stack has few rows in a symptom: what is left to
 * compare is next to nothing.
 */
enum { WORTH_IT = 256 }; /* rows: below, the counters alone cost more than comparing */

int lode_digest_row_compare(const void *left, const void *right)
{
	const struct lode_digest_row *a = left, *b = right;
	int order = LODE_ORDER(a->symptom, b->symptom) ?: LODE_ORDER(a->stack, b->stack);

	order = order ?: LODE_ORDER(a->kind, b->kind) ?: LODE_ORDER(a->reason, b->reason);
	return order ?: LODE_ORDER(a->waker, b->waker);
}

static void sort_by_comparison(struct lode_digest_row *rows, size_t n)
{
	lode_sort(rows, n, lode_digest_row_compare);
}

static void sort_symptom(struct lode_digest_row *rows, size_t n)
{
	struct lode_keyed *places, *sorted;
	struct lode_digest_row *copy;

	if (n < WORTH_IT) {
		sort_by_comparison(rows, n);
		return;
	}
	places = lode_alloc(2 * n * sizeof(*places));
	copy = lode_alloc(n * sizeof(*copy));
	memcpy(copy, rows, n * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		places[i] = (struct lode_keyed){rows[i].stack, (uint32_t)i};
	sorted = lode_keyed_sort(places, places + n, n);
	for (size_t i = 0, first = 0; i < n; i++) {
		rows[i] = copy[sorted[i].item];
		if (i + 1 == n || sorted[i + 1].key != sorted[i].key) {
			sort_by_comparison(rows + first, i + 1 - first);
			first = i + 1;
		}
	}
	free(places);
	free(copy);
}

void lode_digest_rows_sort(struct lode_digest_row *rows, size_t n)
{
	for (size_t i = 0, first = 0; i < n; i++)
		if (i + 1 == n || rows[i + 1].symptom != rows[i].symptom) {
			sort_symptom(rows + first, i + 1 - first);
			first = i + 1;
		}
}

bool lode_runner_is_thread(const struct lode_digest *digest,
			   const struct lode_digest_runner *runner)
{
	const char *name = digest->tree.strings.text.at[runner->name];

	return strcmp(name, LODE_RUNNER_IDLE) != 0 && strcmp(name, LODE_RUNNER_UNRECORDED) != 0 &&
	       strcmp(name, LODE_RUNNER_NO_WAKEUPS) != 0;
}

int64_t lode_digest_ready_unknown_ns(const struct lode_digest *digest,
				     const struct lode_digest_row *row)
{
	int64_t unknown_ns = 0;

	for (uint32_t k = 0; k < row->n_runners; k++) {
		const struct lode_digest_runner *runner =
			&digest->runners.at[row->first_runner + k];

		if (!lode_runner_is_thread(digest, runner))
			unknown_ns += runner->cost_ns;
	}
	return unknown_ns;
}

struct lode_digest *lode_digest_new(void)
{
	struct lode_digest *digest = lode_alloc0(1, sizeof(*digest));

	lode_calltree_init(&digest->tree);
	return digest;
}

void lode_digest_free(struct lode_digest *digest)
{
	if (!digest)
		return;
	lode_calltree_release(&digest->tree);
	lode_vec_release(&digest->streams);
	lode_vec_release(&digest->losses);
	lode_vec_release(&digest->symptoms);
	lode_vec_release(&digest->rows);
	lode_vec_release(&digest->runners);
	lode_vec_release(&digest->groups);
	lode_vec_release(&digest->shared);
	lode_vec_release(&digest->aliases);
	lode_name_stats_release(&digest->names);
	free(digest);
}

static void append_loss(struct lode_digest *to, struct lode_loss_note loss)
{
	loss.detail = lode_arena_strndup(&to->tree.strings.arena, loss.detail, strlen(loss.detail));
	lode_vec_append(&to->losses, loss);
}

void lode_digest_losses_copy(struct lode_digest *to, struct lode_digest_stream *stream,
			     const struct lode_loss_note *losses, size_t n)
{
	stream->first_loss = (uint32_t)to->losses.n;
	stream->n_losses = (uint32_t)n;
	for (size_t i = 0; i < n; i++)
		append_loss(to, losses[i]);
}

void lode_digest_loss_insert(struct lode_digest *digest, const struct lode_loss_note *loss)
{
	struct lode_digest_stream *stream = &digest->streams.at[digest->streams.n - 1];
	struct lode_loss_note *at;

	assert(stream->first_loss + stream->n_losses == digest->losses.n);
	append_loss(digest, *loss);
	at = &digest->losses.at[digest->losses.n - 1];
	for (uint32_t n = stream->n_losses++; n && at[-1].kind > at->kind; n--, at--) {
		struct lode_loss_note after = at[-1];

		at[-1] = *at;
		*at = after;
	}
}

struct lode_digest_runner *lode_digest_runners_copy(struct lode_digest *to,
						    const struct lode_digest *from,
						    struct lode_digest_row *row)
{
	size_t first = to->runners.n;

	if (!row->n_runners)
		return NULL;
	lode_vec_append_all(&to->runners, from->runners.at + row->first_runner, row->n_runners);
	row->first_runner = (uint32_t)first;
	return to->runners.at + first;
}

/* ---- Merge ---- */

/* Ids of one digest in another: made on first use, so that each costs one look-up. */
struct remap {
	struct lode_digest *into;
	const struct lode_digest *from;
	uint32_t *strings, *frames, *nodes;
};

static uint32_t string_into(struct remap *remap, uint32_t id)
{
	const struct lode_strings *from = &remap->from->tree.strings;

	if (remap->strings[id] == LODE_NONE)
		remap->strings[id] = lode_strings_intern(&remap->into->tree.strings,
							 from->text.at[id], from->len.at[id]);
	return remap->strings[id];
}

/* A frame's flags are those of all its occurrences, whichever came first. */
static uint32_t frame_into(struct lode_calltree *tree, const struct lode_calltree *from,
			   uint32_t id)
{
	uint32_t to = lode_frame_copy(tree, from, id);

	tree->frames.at[to].flags |= from->frames.at[id].flags;
	return to;
}

static void remap_init(struct remap *remap, struct lode_digest *into,
		       const struct lode_digest *from)
{
	struct lode_calltree *tree = &into->tree;
	const struct lode_callnode *node;

	remap->into = into;
	remap->from = from;
	remap->strings = lode_alloc(from->tree.strings.text.n * sizeof(*remap->strings));
	remap->frames = lode_alloc(from->tree.frames.n * sizeof(*remap->frames));
	remap->nodes = lode_alloc(from->tree.nodes.n * sizeof(*remap->nodes));
	for (size_t i = 0; i < from->tree.strings.text.n; i++)
		remap->strings[i] = LODE_NONE;
	for (size_t i = 0; i < from->tree.frames.n; i++)
		remap->frames[i] = frame_into(tree, &from->tree, (uint32_t)i);
	remap->nodes[0] = 0;
	for (size_t i = 1; i < from->tree.nodes.n; i++) {
		node = &from->tree.nodes.at[i];
		remap->nodes[i] = lode_calltree_child(tree, remap->nodes[node->parent],
						      remap->frames[node->frame]);
	}
}

static void remap_release(struct remap *remap)
{
	free(remap->strings);
	free(remap->frames);
	free(remap->nodes);
}

static void merge_streams(struct remap *remap)
{
	struct lode_digest *into = remap->into;
	uint32_t n_streams = (uint32_t)into->streams.n, n_groups = (uint32_t)into->groups.n;

	for (size_t i = 0; i < remap->from->streams.n; i++) {
		struct lode_digest_stream stream = remap->from->streams.at[i];

		stream.path = string_into(remap, stream.path);
		stream.host = string_into(remap, stream.host);
		stream.kernel = string_into(remap, stream.kernel);
		lode_digest_losses_copy(into, &stream, lode_digest_losses_of(remap->from, &stream),
					stream.n_losses);
		lode_vec_append(&into->streams, stream);
	}
	for (size_t i = 0; i < remap->from->symptoms.n; i++) {
		struct lode_digest_symptom symptom = remap->from->symptoms.at[i];

		symptom.stream += n_streams;
		symptom.first_group += n_groups;
		symptom.comm = string_into(remap, symptom.comm);
		lode_vec_append(&into->symptoms, symptom);
	}
	lode_vec_append_all(&into->groups, remap->from->groups.at, remap->from->groups.n);
}

static void merge_rows(struct remap *remap, uint32_t n_symptoms)
{
	struct lode_digest *into = remap->into;
	struct lode_digest_runner *runners;
	size_t n_rows = into->rows.n;
	uint32_t n_shared = (uint32_t)into->shared.n;

	lode_vec_reserve(&into->rows, n_rows + remap->from->rows.n);
	for (size_t i = 0; i < remap->from->rows.n; i++) {
		struct lode_digest_row row = remap->from->rows.at[i];

		row.symptom += n_symptoms;
		row.first_shared += n_shared;
		row.stack = remap->nodes[row.stack];
		row.waker = row.waker ? string_into(remap, row.waker) : 0;
		runners = lode_digest_runners_copy(into, remap->from, &row);
		for (uint32_t k = 0; k < row.n_runners; k++)
			runners[k].name = string_into(remap, runners[k].name);
		lode_vec_append(&into->rows, row);
	}
	lode_vec_append_all(&into->shared, remap->from->shared.at, remap->from->shared.n);
	/* All symptoms of `from` are behind those of `into`: only its own rows change places. */
	if (into->rows.n > n_rows)
		lode_digest_rows_sort(into->rows.at + n_rows, into->rows.n - n_rows);
}

const char *lode_digest_unit(const char *a, const char *b)
{
	if (!a || !b)
		return a ? a : b;
	return strcmp(a, b) == 0 ? a : LODE_UNIT_MIXED;
}

static void merge_unit(struct lode_digest *into, const struct lode_digest *from)
{
	struct lode_strings *strings = &into->tree.strings;
	const char *unit = lode_digest_unit(into->unit, from->unit);
	uint32_t id;

	if (unit == into->unit)
		return;
	id = lode_strings_intern(strings, unit, strlen(unit)); /* may move `text` */
	into->unit = strings->text.at[id];
}

static void sum_up(struct lode_digest_totals *sums, const struct lode_digest *digest)
{
	if (sums->n_rows > digest->rows.n || sums->n_symptoms > digest->symptoms.n)
		*sums = (struct lode_digest_totals){0};
	for (; sums->n_rows < digest->rows.n; sums->n_rows++)
		sums->cost_ns = lode_time_add(sums->cost_ns, digest->rows.at[sums->n_rows].cost_ns);
	for (; sums->n_symptoms < digest->symptoms.n; sums->n_symptoms++) {
		const struct lode_digest_symptom *s = &digest->symptoms.at[sums->n_symptoms];

		sums->length_ns = lode_time_add(sums->length_ns, s->t1_ns - s->t0_ns);
	}
}

bool lode_digest_fits(struct lode_digest *into, const struct lode_digest *from)
{
	struct lode_digest_totals theirs = {0};

	sum_up(&into->totals, into);
	sum_up(&theirs, from);
	return lode_time_add(into->totals.cost_ns, theirs.cost_ns) < INT64_MAX &&
	       lode_time_add(into->totals.length_ns, theirs.length_ns) < INT64_MAX;
}

void lode_digest_merge(struct lode_digest *into, const struct lode_digest *from)
{
	uint32_t n_symptoms = (uint32_t)into->symptoms.n;
	struct remap remap;

	remap_init(&remap, into, from);
	merge_unit(into, from);
	merge_streams(&remap);
	merge_rows(&remap, n_symptoms);
	lode_name_stats_merge(&into->names, &from->names, remap.frames, into->tree.frames.n);
	into->n_events += from->n_events;
	remap_release(&remap);
}

void lode_digest_merge_names(struct lode_digest *into, const struct lode_digest *from)
{
	const struct lode_name_stats *names = &from->names;
	uint32_t *frames = lode_alloc0(from->tree.frames.n + 1, sizeof(*frames));
	bool *is_named = lode_alloc0(from->tree.frames.n + 1, sizeof(*is_named));

	for (size_t i = 0; i < names->n_with.n; i++)
		is_named[i] = names->n_with.at[i] | names->n_callee.at[i] | names->n_caller.at[i];
	for (size_t i = 0; i < names->pairs.n; i++)
		is_named[names->pairs.at[i].caller] = is_named[names->pairs.at[i].callee] = true;
	for (size_t i = 0; i < from->tree.frames.n; i++)
		if (is_named[i])
			frames[i] = frame_into(&into->tree, &from->tree, (uint32_t)i);
	lode_name_stats_merge(&into->names, names, frames, into->tree.frames.n);
	free(frames);
	free(is_named);
}
