#include "analyses/waits/fold.h"

#include <stdlib.h>

static struct lode_digest_row *row_for(struct lode_fold *fold, const struct lode_piece *piece,
				       uint32_t *index)
{
	uint32_t *label = lode_map_slot(&fold->label_of, (uint64_t)piece->waker << 32 |
								 (uint64_t)piece->kind << 16 |
								 (uint64_t)piece->reason);
	uint32_t *slot;

	if (*label == LODE_NONE)
		*label = fold->n_labels++;
	slot = lode_map_slot(&fold->row_of, (uint64_t)piece->stack << 32 | *label);
	if (*slot == LODE_NONE) {
		struct lode_digest_row row = {
			.stack = piece->stack,
			.waker = piece->waker,
			.kind = (uint8_t)piece->kind,
			.reason = (uint8_t)piece->reason,
		};

		*slot = (uint32_t)fold->rows.n;
		lode_vec_append(&fold->rows, row);
	}
	*index = *slot;
	return &fold->rows.at[*slot];
}

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

void lode_fold_add(struct lode_fold *fold, const struct lode_piece *piece)
{
	uint32_t index;
	struct lode_digest_row *row = row_for(fold, piece, &index);
	struct lode_part part = {index, piece->thread, piece->event, piece->start_ns,
				 piece->cost_ns};

	row->cost_ns += piece->cost_ns;
	if (piece->is_whole)
		count_event(row, piece->start_ns, piece->cost_ns);
	else
		lode_vec_append(&fold->parts, part);
}

static int part_compare(const void *left, const void *right)
{
	const struct lode_part *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Puts the parts of each event in a row together. */
static void count_parts(struct lode_fold *fold)
{
	const struct lode_part *part, *end, *first;
	int64_t cost_ns;

	if (!fold->parts.n)
		return;
	qsort(fold->parts.at, fold->parts.n, sizeof(*fold->parts.at), part_compare);
	part = fold->parts.at;
	end = part + fold->parts.n;
	while (part < end) {
		first = part;
		cost_ns = 0;
		for (; part < end && part->row == first->row && part->thread == first->thread &&
		       part->event == first->event;
		     part++)
			cost_ns += part->cost_ns;
		count_event(&fold->rows.at[first->row], first->start_ns, cost_ns);
	}
}

void lode_fold_finish(struct lode_fold *fold, struct lode_digest *digest, uint32_t symptom)
{
	count_parts(fold);
	for (size_t i = 0; i < fold->rows.n; i++)
		fold->rows.at[i].symptom = symptom;
	if (fold->rows.n) {
		qsort(fold->rows.at, fold->rows.n, sizeof(*fold->rows.at), lode_digest_row_compare);
		lode_vec_reserve(&digest->rows, digest->rows.n + fold->rows.n);
	}
	for (size_t i = 0; i < fold->rows.n; i++)
		lode_vec_append(&digest->rows, fold->rows.at[i]);
	fold->rows.n = fold->parts.n = 0;
	lode_map_release(&fold->row_of);
}

void lode_fold_release(struct lode_fold *fold)
{
	lode_map_release(&fold->row_of);
	lode_map_release(&fold->label_of);
	lode_vec_release(&fold->rows);
	lode_vec_release(&fold->parts);
	fold->n_labels = 0;
}
