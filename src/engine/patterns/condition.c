/* Conditional databases: sequences cut down to what a pattern can still take in. */
#include "engine/patterns/condition.h"

#include "engine/patterns/windows.h"
#include "base/sorted.h"

void lode_scratch_release(struct lode_scratch *scratch)
{
	lode_vec_release(&scratch->counters);
	lode_vec_release(&scratch->touched);
	lode_map_release(&scratch->sparse);
	lode_vec_release(&scratch->first);
	lode_vec_release(&scratch->last);
	lode_vec_release(&scratch->keep);
	lode_thin_scratch_release(&scratch->thin);
	lode_vec_release(&scratch->kept);
	lode_vec_release(&scratch->renumbered);
	lode_vec_release(&scratch->tail);
}

void lode_condition_release(struct lode_condition *condition)
{
	lode_merge_release(&condition->db);
	lode_vec_release(&condition->global);
	lode_vec_release(&condition->pattern);
	lode_vec_release(&condition->cost);
	lode_vec_release(&condition->is_open);
	lode_vec_release(&condition->windows);
	lode_vec_release(&condition->is_tight);
}

/* Past this (64 MB) only those counters are made that are used: deep stacks have many slots. */
enum { MOST_COUNTERS = 1 << 22 };

static void reserve_counters(struct lode_scratch *scratch, size_t n)
{
	size_t n_before = scratch->counters.capacity;

	lode_vec_reserve(&scratch->counters, n);
	if (scratch->counters.capacity > n_before)
		memset(scratch->counters.at + n_before, 0,
		       (scratch->counters.capacity - n_before) * sizeof(*scratch->counters.at));
}

static void reserve_matches(struct lode_scratch *scratch, const struct lode_selection *selection)
{
	lode_vec_reserve(&scratch->first, (size_t)selection->n_pattern + 1);
	lode_vec_reserve(&scratch->last, (size_t)selection->n_pattern + 1);
}

static struct lode_slot_counter *sparse_counter(struct lode_scratch *scratch, size_t at)
{
	uint32_t index = lode_map_number(&scratch->sparse, at, scratch->touched.n);

	if (index == scratch->touched.n) {
		reserve_counters(scratch, scratch->touched.n + 1);
		lode_vec_append(&scratch->touched, at);
	}
	return &scratch->counters.at[index];
}

static inline void count_at(struct lode_scratch *scratch, size_t at, uint64_t stamp, int64_t weight,
			    bool is_sparse)
{
	struct lode_slot_counter *counter =
		is_sparse ? sparse_counter(scratch, at) : &scratch->counters.at[at];

	if (counter->stamp == stamp)
		return;
	counter->stamp = stamp;
	if (!is_sparse && counter->cost == 0)
		lode_vec_append(&scratch->touched, at);
	counter->cost += weight;
}

static inline void count_sequence(struct lode_scratch *scratch,
				  const struct lode_selection *selection, const uint32_t *items,
				  uint32_t n_items, int64_t weight, bool is_sparse)
{
	uint32_t n_all = lode_condition_n_items(selection->parent);
	uint32_t *first = scratch->first.at, *last = scratch->last.at;
	uint64_t stamp = ++scratch->stamp;
	uint32_t at, end;

	scratch->work += n_items;
	lode_windows_match(items, n_items, selection->pattern, selection->n_pattern, first, last);
	for (uint32_t slot = 0; slot <= selection->n_pattern; slot++) {
		size_t row = (size_t)slot * n_all;
		const uint8_t *is_open =
			selection->is_open + (size_t)selection->origin[slot] * n_all;

		end = lode_window_end(last, selection->n_pattern, n_items, slot);
		for (at = lode_window_begin(first, slot); at < end; at++)
			if (is_open[items[at]])
				count_at(scratch, row + items[at], stamp, weight, is_sparse);
	}
}

LODE_COMPARE(compare_insertions, struct lode_insertion,
	     LODE_ORDER(a->slot, b->slot) ?: LODE_ORDER(a->item, b->item))

void lode_condition_count(lode_insertion_vec *out, const struct lode_selection *selection,
			  int64_t min_cost, struct lode_scratch *scratch)
{
	const struct lode_condition *parent = selection->parent;
	uint32_t n_all = lode_condition_n_items(parent), n_items;
	size_t n_counters = ((size_t)selection->n_pattern + 1) * n_all;
	size_t most = scratch->most_counters ? scratch->most_counters : MOST_COUNTERS;
	bool is_sparse = n_counters > most;

	out->n = 0;
	reserve_matches(scratch, selection);
	if (!is_sparse)
		reserve_counters(scratch, n_counters);
	for (uint32_t i = 0; i < selection->n_sequences; i++) {
		uint32_t s = selection->sequences[i];
		const uint32_t *items = lode_condition_sequence(parent, s, &n_items);

		if (is_sparse)
			count_sequence(scratch, selection, items, n_items, parent->db.weight.at[s],
				       true);
		else
			count_sequence(scratch, selection, items, n_items, parent->db.weight.at[s],
				       false);
	}
	for (size_t t = 0; t < scratch->touched.n; t++) {
		size_t at = scratch->touched.at[t];
		uint32_t slot = (uint32_t)(at / n_all), item = (uint32_t)(at % n_all);
		struct lode_slot_counter *counter = &scratch->counters.at[is_sparse ? t : at];
		struct lode_insertion insertion = {
			slot, item, counter->cost,
			selection->is_open[(size_t)selection->origin[slot] * n_all + item]};

		counter->cost = 0;
		if (insertion.cost >= min_cost)
			lode_vec_append(out, insertion);
	}
	scratch->touched.n = 0;
	if (is_sparse)
		lode_map_release(&scratch->sparse);
	lode_sort(out->at, out->n, compare_insertions);
}

LODE_COMPARE(compare_tail_items, struct lode_tail_item,
	     LODE_ORDER(a->best, b->best) ?: LODE_ORDER(a->item, b->item))

/* Numbers the items that can be inserted, cheapest first, then the pattern's other ones. */
static void renumber(struct lode_condition *out, const struct lode_selection *selection,
		     const lode_insertion_vec *insertions, struct lode_scratch *scratch)
{
	const struct lode_condition *parent = selection->parent;
	uint32_t n_all = lode_condition_n_items(parent), *new_id, i;

	scratch->tail.n = 0;
	lode_vec_reserve(&scratch->renumbered, n_all);
	new_id = scratch->renumbered.at;
	memset(new_id, 0xff, n_all * sizeof(*new_id));
	for (size_t k = 0; k < insertions->n; k++) {
		const struct lode_insertion *insertion = &insertions->at[k];

		if (new_id[insertion->item] == UINT32_MAX) {
			new_id[insertion->item] = (uint32_t)scratch->tail.n;
			lode_vec_append(&scratch->tail,
					((struct lode_tail_item){0, insertion->item}));
		}
		if (insertion->cost > scratch->tail.at[new_id[insertion->item]].best)
			scratch->tail.at[new_id[insertion->item]].best = insertion->cost;
	}
	lode_sort(scratch->tail.at, scratch->tail.n, compare_tail_items);
	out->global.n = out->pattern.n = 0;
	for (i = 0; i < scratch->tail.n; i++) {
		new_id[scratch->tail.at[i].item] = i;
		lode_vec_append(&out->global, parent->global.at[scratch->tail.at[i].item]);
	}
	out->n_tail = (uint32_t)scratch->tail.n;
	for (i = 0; i < selection->n_pattern; i++) {
		uint32_t item = selection->pattern[i];

		if (new_id[item] == UINT32_MAX) {
			new_id[item] = (uint32_t)out->global.n;
			lode_vec_append(&out->global, parent->global.at[item]);
		}
		lode_vec_append(&out->pattern, new_id[item]);
	}
}

/*
 * first[] and last[] of the selection's pattern in a sequence of the parent. Where the parent's
 * pattern matches in one way only, they are its own with those of the inserted item between them.
 */
static void find_windows(const struct lode_selection *selection, uint32_t s, const uint32_t *items,
			 uint32_t n_items, uint32_t *first, uint32_t *last)
{
	const struct lode_condition *parent = selection->parent;
	uint32_t slot = selection->inserted_slot, n = (uint32_t)parent->pattern.n, item, at, end;
	const uint32_t *tight;

	if (slot == LODE_NO_SLOT || !parent->is_tight.at[s]) {
		lode_windows_match(items, n_items, selection->pattern, selection->n_pattern, first,
				   last);
		return;
	}
	tight = lode_condition_windows(parent, s);
	item = selection->pattern[slot];
	memcpy(first, tight, slot * sizeof(*first));
	memcpy(first + slot + 1, tight + slot, (n - slot) * sizeof(*first));
	memcpy(last, first, (n + 1) * sizeof(*last));
	at = lode_window_begin(tight, slot);
	while (items[at] != item)
		at++;
	first[slot] = at;
	end = lode_window_end(tight, n, n_items, slot);
	while (items[--end] != item)
		;
	last[slot] = end;
}

/* Marks the occurrences that stay: those that can be inserted, and those that P can match. */
static void mark_kept(uint8_t *keep, const struct lode_condition *out,
		      const struct lode_selection *selection, const uint32_t *items,
		      uint32_t n_items, const struct lode_scratch *scratch)
{
	uint32_t n_new = lode_condition_n_items(out), n_pattern = selection->n_pattern;
	const uint32_t *new_id = scratch->renumbered.at;
	const uint32_t *first = scratch->first.at, *last = scratch->last.at;
	uint32_t at, end;

	memset(keep, 0, n_items);
	for (uint32_t slot = 0; slot <= n_pattern; slot++) {
		const uint8_t *is_open = out->is_open.at + (size_t)slot * n_new;

		end = lode_window_end(last, n_pattern, n_items, slot);
		for (at = lode_window_begin(first, slot); at < end; at++)
			if (new_id[items[at]] != UINT32_MAX && is_open[new_id[items[at]]])
				keep[at] = 1;
		if (slot == n_pattern)
			break;
		for (at = first[slot]; at <= last[slot]; at++)
			if (items[at] == selection->pattern[slot])
				keep[at] = 1;
	}
}

/* Appends what stays of a sequence; gives its length. */
static uint32_t append_loose(struct lode_condition *out, const struct lode_selection *selection,
			     const uint32_t *items, uint32_t n_items, struct lode_scratch *scratch)
{
	uint32_t n_pattern = selection->n_pattern, n_kept = 0, n_thin = 0;
	uint32_t *to = out->db.items.at + out->db.items.n, *kept, *first, *last;
	struct lode_thin_input thin;

	lode_vec_reserve(&scratch->keep, n_items);
	mark_kept(scratch->keep.at, out, selection, items, n_items, scratch);
	lode_vec_reserve(&scratch->kept, n_items + 2 * (size_t)n_pattern);
	kept = scratch->kept.at + 2 * n_pattern;
	for (uint32_t at = 0; at < n_items; at++) {
		kept[n_kept] = scratch->renumbered.at[items[at]];
		n_kept += scratch->keep.at[at];
	}
	first = scratch->kept.at;
	last = first + n_pattern;
	lode_windows_match(kept, n_kept, out->pattern.at, n_pattern, first, last);
	thin = (struct lode_thin_input){.items = kept,
					.n_items = n_kept,
					.pattern = out->pattern.at,
					.n_pattern = n_pattern,
					.first = first,
					.last = last,
					.is_open = out->is_open.at,
					.n_all = lode_condition_n_items(out)};
	memset(scratch->keep.at, 1, n_kept);
	lode_thin(scratch->keep.at, &thin, &scratch->thin);
	for (uint32_t at = 0; at < n_kept; at++) {
		to[n_thin] = kept[at];
		n_thin += scratch->keep.at[at];
	}
	return n_thin;
}

/*
 * The same when P matches in one way: its windows tile the sequence, so one walk does it. Writing
 * always and advancing if kept spares an unpredictable branch.
 */
static uint32_t append_tight(struct lode_condition *out, const struct lode_selection *selection,
			     const uint32_t *items, uint32_t n_items,
			     const struct lode_scratch *scratch)
{
	uint32_t n_new = lode_condition_n_items(out), *to = out->db.items.at + out->db.items.n;
	const uint32_t *new_id = scratch->renumbered.at, *last = scratch->last.at;
	uint32_t n_kept = 0, at = 0, end;

	for (uint32_t slot = 0; slot <= selection->n_pattern; slot++) {
		const uint8_t *is_open = out->is_open.at + (size_t)slot * n_new;

		end = lode_window_end(last, selection->n_pattern, n_items, slot);
		for (; at < end; at++) {
			uint32_t id = new_id[items[at]];

			to[n_kept] = id;
			n_kept += id < n_new && is_open[id] != LODE_CLOSED;
		}
		if (slot < selection->n_pattern)
			to[n_kept++] = new_id[items[at++]];
	}
	return n_kept;
}

/* Notes the windows of the sequence that was merged last, if it was a new one. */
static void add_windows(struct lode_condition *out)
{
	uint32_t n_pattern = (uint32_t)out->pattern.n, n_items, *first, *last;
	const uint32_t *items;

	if (out->is_tight.n == out->db.n)
		return;
	lode_vec_reserve(&out->windows, out->windows.n + 2 * (size_t)n_pattern);
	first = out->windows.at + out->windows.n;
	last = first + n_pattern;
	out->windows.n += 2 * (size_t)n_pattern;
	items = lode_condition_sequence(out, out->db.n - 1, &n_items);
	lode_windows_match(items, n_items, out->pattern.at, n_pattern, first, last);
	lode_vec_append(&out->is_tight, memcmp(first, last, n_pattern * sizeof(*first)) == 0);
}

static void set_costs(struct lode_condition *out, const lode_insertion_vec *insertions,
		      const struct lode_scratch *scratch)
{
	uint32_t n_new = lode_condition_n_items(out);
	size_t n = (out->pattern.n + 1) * n_new;

	out->has_watched = false;
	out->cost.n = out->is_open.n = n;
	lode_vec_reserve(&out->cost, n);
	lode_vec_reserve(&out->is_open, n);
	memset(out->cost.at, 0, n * sizeof(*out->cost.at));
	memset(out->is_open.at, 0, n);
	for (size_t k = 0; k < insertions->n; k++) {
		const struct lode_insertion *insertion = &insertions->at[k];
		size_t pair =
			(size_t)insertion->slot * n_new + scratch->renumbered.at[insertion->item];

		out->cost.at[pair] = insertion->cost;
		out->is_open.at[pair] = insertion->state;
		out->has_watched |= insertion->state == LODE_WATCHED;
	}
}

void lode_condition_build(struct lode_condition *out, const struct lode_selection *selection,
			  const lode_insertion_vec *insertions, int64_t total,
			  struct lode_scratch *scratch)
{
	const struct lode_condition *parent = selection->parent;
	uint32_t n_items, n_kept;

	reserve_matches(scratch, selection);
	renumber(out, selection, insertions, scratch);
	set_costs(out, insertions, scratch);
	out->total = total;
	out->windows.n = out->is_tight.n = 0;
	lode_merge_begin(&out->db, selection->n_sequences);
	for (uint32_t i = 0; i < selection->n_sequences; i++) {
		uint32_t s = selection->sequences[i];
		const uint32_t *items = lode_condition_sequence(parent, s, &n_items);

		scratch->work += n_items;
		lode_vec_reserve(&out->db.items, out->db.items.n + n_items + 1);
		find_windows(selection, s, items, n_items, scratch->first.at, scratch->last.at);
		n_kept = memcmp(scratch->first.at, scratch->last.at,
				selection->n_pattern * sizeof(*scratch->first.at)) == 0
				 ? append_tight(out, selection, items, n_items, scratch)
				 : append_loose(out, selection, items, n_items, scratch);
		/* With nothing but P left, a sequence has said all that it has to say. */
		if (n_kept > selection->n_pattern) {
			out->db.items.n += n_kept;
			lode_merge_close(&out->db, parent->db.weight.at[s]);
			add_windows(out);
		}
	}
}
