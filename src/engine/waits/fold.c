/* Folds pieces of events into digest rows. */
#include "engine/waits/fold.h"

#include "base/glob.h"
#include "base/sorted.h"

/* ---- Content filters ---- */

enum {
	HAS_INCLUDED = 1, /* an include matches the frame, or one of the stack's frames */
	HAS_EXCLUDED = 2,
};

static bool matches_any(const char *const *globs, size_t n_globs, const char *text)
{
	for (size_t i = 0; i < n_globs; i++)
		if (lode_glob_match(globs[i], text))
			return true;
	return false;
}

static uint8_t match_text(const struct lode_aoi_options *options, const char *text)
{
	return (matches_any(options->include, options->n_include, text) ? HAS_INCLUDED : 0) |
	       (matches_any(options->exclude, options->n_exclude, text) ? HAS_EXCLUDED : 0);
}

static uint8_t match_frame(const struct lode_calltree *tree, uint32_t frame,
			   const struct lode_aoi_options *options)
{
	const char *module = lode_frame_module(tree, frame);
	const char *function = lode_frame_function(tree, frame);
	size_t size = strlen(module) + strlen(function) + 8; /* room for "!", "[]" or "→ " */
	char *full_name = lode_alloc(size);
	uint8_t found = match_text(options, lode_frame_full_name(tree, frame, full_name, size));

	if (!(tree->frames.at[frame].flags & (LODE_FRAME_LINK | LODE_FRAME_UNKNOWN)))
		found |= match_text(options, function);
	free(full_name);
	return found;
}

void lode_content_filter(struct lode_digest *digest, const struct lode_aoi_options *options)
{
	const struct lode_calltree *tree = &digest->tree;
	uint8_t *of_frame, *of_node, wanted = options->n_include ? HAS_INCLUDED : 0;
	size_t n_rows = 0;

	if (!options->n_include && !options->n_exclude)
		return;
	of_frame = lode_alloc(tree->frames.n);
	of_node = lode_alloc0(tree->nodes.n, 1);
	for (size_t i = 0; i < tree->frames.n; i++)
		of_frame[i] = match_frame(tree, (uint32_t)i, options);
	for (size_t i = 1; i < tree->nodes.n; i++)
		of_node[i] = of_node[tree->nodes.at[i].parent] | of_frame[tree->nodes.at[i].frame];
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];

		if (of_node[row->stack] == wanted)
			digest->rows.at[n_rows++] = *row;
	}
	digest->rows.n = n_rows;
	free(of_frame);
	free(of_node);
}

/* ---- Rows ---- */

static uint32_t new_row(struct lode_fold *fold, const struct lode_piece *piece)
{
	struct lode_digest_row row = {
		.stack = piece->stack,
		.waker = piece->waker,
		.kind = (uint8_t)piece->kind,
		.reason = (uint8_t)piece->reason,
	};

	lode_vec_append(&fold->rows, row);
	lode_vec_append(&fold->last_part, LODE_NONE);
	lode_vec_append(&fold->last_occurrence, LODE_NONE);
	return (uint32_t)fold->rows.n - 1;
}

static uint32_t *slot_of(struct lode_fold *fold, uint32_t stack, uint32_t waker, unsigned kind,
			 unsigned reason)
{
	uint32_t *label = lode_map_slot(&fold->label_of,
					(uint64_t)waker << 32 | (uint64_t)kind << 16 | reason);

	if (*label == LODE_NONE)
		*label = fold->n_labels++;
	return lode_map_slot(&fold->row_of, (uint64_t)stack << 32 | *label);
}

/* The stack's latest row has another label. */
static uint32_t look_up_fold(struct lode_fold *fold, const struct lode_piece *piece,
			     uint32_t latest)
{
	const struct lode_digest_row *row = &fold->rows.at[latest];
	uint32_t *slot = slot_of(fold, row->stack, row->waker, row->kind, row->reason);

	*slot = latest;
	slot = slot_of(fold, piece->stack, piece->waker, piece->kind, piece->reason);
	if (*slot == LODE_NONE)
		*slot = new_row(fold, piece);
	return *slot;
}

static uint32_t row_for(struct lode_fold *fold, const struct lode_piece *piece)
{
	const struct lode_digest_row *row;
	uint32_t *last;

	if (piece->stack >= fold->last_row.n) {
		size_t n = fold->last_row.n;

		lode_vec_reserve(&fold->last_row, (size_t)piece->stack + 1);
		fold->last_row.n = fold->last_row.capacity;
		memset(fold->last_row.at + n, 0xff,
		       (fold->last_row.n - n) * sizeof(*fold->last_row.at));
	}
	last = &fold->last_row.at[piece->stack];
	if (*last == LODE_NONE)
		return *last = new_row(fold, piece);
	row = &fold->rows.at[*last];
	if (row->waker != piece->waker || row->kind != piece->kind || row->reason != piece->reason)
		*last = look_up_fold(fold, piece, *last);
	return *last;
}

/* ---- Events of rows ---- */

/* One more event of a row; ties of cost go to the earlier one. */
static void count_event(struct lode_digest_row *row, int64_t start_ns, int64_t cost_ns)
{
	if (!row->n_events || cost_ns > row->worst_cost_ns ||
	    (cost_ns == row->worst_cost_ns && start_ns < row->worst_t0_ns)) {
		row->worst_cost_ns = cost_ns;
		row->worst_t0_ns = start_ns;
	}
	row->n_events++;
}

/* Parts of an event mostly follow each other in their row: then they are one from the start. */
static void add_part(struct lode_fold *fold, const struct lode_piece *piece, uint32_t row)
{
	uint32_t *last = &fold->last_part.at[row];
	struct lode_fold_part *part = *last == LODE_NONE ? NULL : &fold->parts.at[*last];
	struct lode_fold_part new = {piece->thread, piece->event, piece->start_ns, piece->cost_ns,
				     row};

	if (part && part->event == piece->event && part->thread == piece->thread &&
	    part->start_ns <= piece->start_ns) {
		part->cost_ns += piece->cost_ns;
		return;
	}
	*last = (uint32_t)fold->parts.n;
	lode_vec_append(&fold->parts, new);
}

uint32_t lode_fold_add(struct lode_fold *fold, const struct lode_piece *piece, uint32_t occurrence)
{
	uint32_t index = row_for(fold, piece);
	struct lode_digest_row *row = &fold->rows.at[index];

	row->cost_ns += piece->cost_ns;
	if (piece->is_unsampled)
		row->unsampled_ns += piece->cost_ns;
	if (piece->is_whole)
		count_event(row, piece->start_ns, piece->cost_ns);
	else
		add_part(fold, piece, index);
	if (fold->last_occurrence.at[index] != occurrence) {
		fold->last_occurrence.at[index] = occurrence;
		lode_vec_append(&fold->occurred, ((struct lode_keyed){occurrence, index}));
	}
	return index;
}

void lode_fold_ran(struct lode_fold *fold, uint32_t row, uint32_t name, int64_t cost_ns)
{
	uint32_t slot =
		lode_map_number(&fold->runner_of, (uint64_t)row << 32 | name, fold->runners.n);

	if (slot == fold->runners.n)
		lode_vec_append(&fold->runners, ((struct lode_fold_runner){row, {name, 0}}));
	fold->runners.at[slot].ran.cost_ns += cost_ns;
}

/* By name, not by id: the same in whatever order names were met. */
LODE_COMPARE_WITH(runner_compare, struct lode_digest_runner, const struct lode_strings *names,
		  strcmp(names->text.at[a->name], names->text.at[b->name]))

/* Runners become the digest's, row by row, and rows say where they are. */
static void place_runners(struct lode_fold *fold, struct lode_digest *digest)
{
	size_t next = digest->runners.n;
	struct lode_digest_row *row;

	lode_vec_reserve(&digest->runners, next + fold->runners.n);
	digest->runners.n += fold->runners.n;
	for (size_t i = 0; i < fold->runners.n; i++)
		fold->rows.at[fold->runners.at[i].row].n_runners++;
	for (size_t i = 0; i < fold->rows.n; i++) {
		row = &fold->rows.at[i];
		if (row->n_runners)
			row->first_runner = (uint32_t)next;
		next += row->n_runners;
		row->n_runners = 0;
	}
	for (size_t i = 0; i < fold->runners.n; i++) {
		row = &fold->rows.at[fold->runners.at[i].row];
		digest->runners.at[row->first_runner + row->n_runners++] = fold->runners.at[i].ran;
	}
	for (size_t i = 0; i < fold->rows.n; i++) {
		row = &fold->rows.at[i];
		if (row->n_runners > 1)
			lode_sort_r(digest->runners.at + row->first_runner, row->n_runners,
				    runner_compare, &digest->tree.strings);
	}
	fold->runners.n = 0;
	lode_map_release(&fold->runner_of);
}

LODE_COMPARE(part_compare, struct lode_fold_part,
	     LODE_ORDER(a->thread, b->thread) ?: LODE_ORDER(a->event, b->event)
		     ?: LODE_ORDER(a->start_ns, b->start_ns))

/* Puts the parts of each event together; `part` .. `end` are those of one row. */
static void count_row(struct lode_digest_row *row, struct lode_fold_part *part,
		      const struct lode_fold_part *end)
{
	const struct lode_fold_part *first;
	int64_t cost_ns;

	if (end - part > 1)
		lode_sort(part, (size_t)(end - part), part_compare);
	while (part < end) {
		first = part;
		cost_ns = 0;
		for (; part < end && part->thread == first->thread && part->event == first->event;
		     part++)
			cost_ns += part->cost_ns;
		count_event(row, first->start_ns, cost_ns);
	}
}

/* Brings the parts of each row together by counting: most rows have one part, and little to sort.
 */
static void count_parts(struct lode_fold *fold)
{
	size_t n_rows = fold->rows.n, n = fold->parts.n, begin = 0;
	struct lode_fold_part *parts;
	uint32_t *end;

	if (!n)
		return;
	parts = lode_alloc(n * sizeof(*parts));
	end = lode_alloc0(n_rows + 1, sizeof(*end));
	for (size_t i = 0; i < n; i++)
		end[fold->parts.at[i].row + 1]++;
	for (size_t r = 0; r < n_rows; r++)
		end[r + 1] += end[r];
	for (size_t i = 0; i < n; i++)
		parts[end[fold->parts.at[i].row]++] = fold->parts.at[i];
	for (size_t r = 0; r < n_rows; begin = end[r++])
		count_row(&fold->rows.at[r], parts + begin, parts + end[r]);
	free(parts);
	free(end);
}

/* ---- Occurrences of rows ---- */

/* Mostly they come one after the other. */
static void sort_occurrences(struct lode_fold *fold)
{
	size_t n = fold->occurred.n, i = 1;

	while (i < n && fold->occurred.at[i - 1].key <= fold->occurred.at[i].key)
		i++;
	if (i >= n)
		return;
	lode_vec_reserve(&fold->occurred, 2 * n);
	if (lode_keyed_sort(fold->occurred.at, fold->occurred.at + n, n) != fold->occurred.at)
		memcpy(fold->occurred.at, fold->occurred.at + n, n * sizeof(*fold->occurred.at));
}

LODE_COMPARE(by_row, struct lode_keyed, LODE_ORDER(a->item, b->item))

/* One more occurrence, in these rows. */
static void count_occurrence(struct lode_fold *fold, struct lode_keyed *rows, size_t n)
{
	uint32_t set = LODE_NONE, next;

	lode_sort(rows, n, by_row);
	if (rows[0].item == rows[n - 1].item) {
		fold->rows.at[rows[0].item].n_alone++;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (i && rows[i].item == rows[i - 1].item)
			continue;
		next = lode_pair_index_find(&fold->set_of, fold->sets.at, sizeof(*fold->sets.at),
					    set, rows[i].item);
		if (next == LODE_NONE) {
			next = (uint32_t)fold->sets.n;
			lode_pair_index_add(&fold->set_of, fold->sets.at, sizeof(*fold->sets.at),
					    set, rows[i].item);
			lode_vec_append(&fold->sets,
					((struct lode_fold_set){set, rows[i].item, 0}));
		}
		set = next;
	}
	fold->sets.at[set].n++;
}

/* Sets become the symptom's groups, and rows say in which of them they are. */
static void place_groups(struct lode_fold *fold, struct lode_digest *digest,
			 struct lode_digest_symptom *symptom)
{
	size_t n_shared = digest->shared.n;

	symptom->first_group = (uint32_t)digest->groups.n;
	for (size_t i = 0; i < fold->sets.n; i++)
		for (uint32_t at = fold->sets.at[i].n ? (uint32_t)i : LODE_NONE; at != LODE_NONE;
		     at = fold->sets.at[at].before)
			fold->rows.at[fold->sets.at[at].row].n_shared++;
	for (size_t i = 0; i < fold->rows.n; i++) {
		struct lode_digest_row *row = &fold->rows.at[i];

		row->first_shared = (uint32_t)n_shared;
		n_shared += row->n_shared;
		row->n_shared = 0;
	}
	lode_vec_reserve(&digest->shared, n_shared);
	digest->shared.n = n_shared;
	for (size_t i = 0; i < fold->sets.n; i++) {
		if (!fold->sets.at[i].n)
			continue;
		for (uint32_t at = (uint32_t)i; at != LODE_NONE; at = fold->sets.at[at].before) {
			struct lode_digest_row *row = &fold->rows.at[fold->sets.at[at].row];

			digest->shared.at[row->first_shared + row->n_shared++] = symptom->n_groups;
		}
		lode_vec_append(&digest->groups, fold->sets.at[i].n);
		symptom->n_groups++;
	}
}

static void count_occurrences(struct lode_fold *fold, struct lode_digest *digest, uint32_t symptom)
{
	struct lode_keyed *rows;
	size_t n = fold->occurred.n;

	sort_occurrences(fold);
	rows = fold->occurred.at;
	for (size_t i = 0, first = 0; i < n; i++)
		if (i + 1 == n || rows[i + 1].key != rows[i].key) {
			count_occurrence(fold, rows + first, i + 1 - first);
			first = i + 1;
		}
	place_groups(fold, digest, &digest->symptoms.at[symptom]);
	fold->occurred.n = fold->sets.n = fold->last_occurrence.n = 0;
	lode_pair_index_release(&fold->set_of);
}

/* ---- The end of a symptom ---- */

void lode_fold_finish(struct lode_fold *fold, struct lode_digest *digest, uint32_t symptom)
{
	size_t n = fold->rows.n;

	count_parts(fold);
	count_occurrences(fold, digest, symptom);
	place_runners(fold, digest);
	for (size_t i = 0; i < n; i++) {
		fold->rows.at[i].symptom = symptom;
		fold->last_row.at[fold->rows.at[i].stack] = LODE_NONE;
	}
	if (n) {
		lode_vec_append_all(&digest->rows, fold->rows.at, n);
	}
	fold->rows.n = fold->parts.n = fold->last_part.n = 0;
	lode_map_release(&fold->row_of);
}

void lode_fold_release(struct lode_fold *fold)
{
	lode_vec_release(&fold->last_row);
	lode_map_release(&fold->row_of);
	lode_map_release(&fold->label_of);
	lode_vec_release(&fold->rows);
	lode_vec_release(&fold->last_part);
	lode_vec_release(&fold->parts);
	lode_vec_release(&fold->last_occurrence);
	lode_vec_release(&fold->occurred);
	lode_vec_release(&fold->sets);
	lode_pair_index_release(&fold->set_of);
	lode_map_release(&fold->runner_of);
	lode_vec_release(&fold->runners);
	fold->n_labels = 0;
}
