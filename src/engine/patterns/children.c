/* Costs of all insertions into all children of a pattern, in one pass. */
#include "engine/patterns/children.h"

#include "engine/patterns/windows.h"

enum { MOST_COUNTERS = 1 << 19 }; /* 4 MB of them */

void lode_children_release(struct lode_children *children)
{
	lode_vec_release(&children->pairs);
	lode_vec_release(&children->rows);
	lode_vec_release(&children->row_of);
}

void lode_children_scratch_release(struct lode_children_scratch *scratch)
{
	lode_vec_release(&scratch->entries);
	lode_vec_release(&scratch->slot_end);
	lode_vec_release(&scratch->entry_of);
	lode_vec_release(&scratch->stamp);
	lode_vec_release(&scratch->pattern);
	lode_vec_release(&scratch->first);
	lode_vec_release(&scratch->last);
}

size_t lode_children_most(const struct lode_condition *condition)
{
	size_t n = MOST_COUNTERS /
		   ((condition->pattern.n + 2) * (size_t)lode_condition_n_items(condition));

	return n ? n : 1;
}

/* The distinct insertions that a sequence allows, by slot and by first occurrence. */
static void list_entries(struct lode_children_scratch *scratch,
			 const struct lode_condition *condition, uint32_t s)
{
	uint32_t n_pattern = (uint32_t)condition->pattern.n, n_items, at, end, e;
	uint32_t n_all = lode_condition_n_items(condition);
	const uint32_t *items = lode_condition_sequence(condition, s, &n_items);
	const uint32_t *first = lode_condition_windows(condition, s), *last = first + n_pattern;

	scratch->entries.n = scratch->slot_end.n = 0;
	lode_vec_reserve(&scratch->entries, (size_t)n_items * (n_pattern + 1));
	for (uint32_t slot = 0; slot <= n_pattern; slot++) {
		const uint8_t *is_open = condition->is_open.at + (size_t)slot * n_all;

		end = lode_window_end(last, n_pattern, n_items, slot);
		for (at = lode_window_begin(first, slot); at < end; at++) {
			uint32_t pair = slot * n_all + items[at];

			if (!is_open[items[at]])
				continue;
			/* entry_of is never cleared: what it says is checked. */
			e = scratch->entry_of.at[pair];
			if (e < scratch->entries.n && scratch->entries.at[e].pair == pair) {
				scratch->entries.at[e].last = at;
				continue;
			}
			scratch->entry_of.at[pair] = (uint32_t)scratch->entries.n;
			scratch->entries.at[scratch->entries.n++] =
				(struct lode_entry){pair, at, at};
		}
		lode_vec_append(&scratch->slot_end, (uint32_t)scratch->entries.n);
	}
}

/*
 * One child, one sequence in which P matches in one way only. Slots to the left stay, those to the
 * right are one further, and what stands in the slot itself is told by position. Entries are in
 * that order, so this is three plain loops without a branch on the data but in the middle one, and
 * no match of the longer pattern.
 */
static void add_tight(int64_t *row, const struct lode_entry *entries, uint32_t begin, uint32_t end,
		      uint32_t n, const struct lode_entry *own, uint32_t n_all, int64_t weight)
{
	uint32_t e;

	for (e = 0; e < begin; e++)
		row[entries[e].pair] += weight;
	for (; e < end; e++) {
		row[entries[e].pair] += entries[e].first < own->last ? weight : 0;
		row[entries[e].pair + n_all] += entries[e].last > own->first ? weight : 0;
	}
	for (; e < n; e++)
		row[entries[e].pair + n_all] += weight;
}

/* The same where P matches in several ways: the windows of the child itself are needed. */
static void add_loose(int64_t *row, const struct lode_condition *condition, uint32_t s,
		      uint32_t own_pair, struct lode_children_scratch *scratch)
{
	uint32_t n_pattern = (uint32_t)condition->pattern.n, n_items, at, end;
	uint32_t n_all = lode_condition_n_items(condition), own_slot = own_pair / n_all;
	const uint32_t *items = lode_condition_sequence(condition, s, &n_items);
	int64_t weight = condition->db.weight.at[s];
	uint32_t *pattern = scratch->pattern.at, *first = scratch->first.at,
		 *last = scratch->last.at;
	uint64_t stamp = ++scratch->last_stamp;

	scratch->work += n_items;
	for (uint32_t i = 0; i < n_pattern; i++)
		pattern[i < own_slot ? i : i + 1] = condition->pattern.at[i];
	pattern[own_slot] = own_pair % n_all;
	lode_windows_match(items, n_items, pattern, n_pattern + 1, first, last);
	for (uint32_t slot = 0; slot <= n_pattern + 1; slot++) {
		const uint8_t *is_open = condition->is_open.at +
					 (size_t)(slot <= own_slot ? slot : slot - 1) * n_all;
		size_t base = (size_t)slot * n_all;

		end = lode_window_end(last, n_pattern + 1, n_items, slot);
		for (at = lode_window_begin(first, slot); at < end; at++) {
			if (!is_open[items[at]] || scratch->stamp.at[base + items[at]] == stamp)
				continue;
			scratch->stamp.at[base + items[at]] = stamp;
			row[base + items[at]] += weight;
		}
	}
}

static void begin(struct lode_children *children, const struct lode_condition *condition,
		  struct lode_children_scratch *scratch)
{
	size_t n_pairs = condition->is_open.n, n_before = scratch->stamp.capacity;

	children->row_length = n_pairs + lode_condition_n_items(condition);
	children->rows.n = children->pairs.n * children->row_length;
	lode_vec_reserve(&children->rows, children->rows.n);
	memset(children->rows.at, 0, children->rows.n * sizeof(*children->rows.at));
	lode_vec_reserve(&children->row_of, n_pairs);
	memset(children->row_of.at, 0, n_pairs * sizeof(*children->row_of.at));
	for (size_t i = 0; i < children->pairs.n; i++)
		children->row_of.at[children->pairs.at[i]] = (uint32_t)i + 1;
	lode_vec_reserve(&scratch->stamp, children->row_length);
	if (scratch->stamp.capacity > n_before)
		memset(scratch->stamp.at + n_before, 0,
		       (scratch->stamp.capacity - n_before) * sizeof(*scratch->stamp.at));
	n_before = scratch->entry_of.capacity;
	lode_vec_reserve(&scratch->entry_of, n_pairs);
	if (scratch->entry_of.capacity > n_before)
		memset(scratch->entry_of.at + n_before, 0,
		       (scratch->entry_of.capacity - n_before) * sizeof(*scratch->entry_of.at));
	lode_vec_reserve(&scratch->pattern, condition->pattern.n + 1);
	lode_vec_reserve(&scratch->first, condition->pattern.n + 1);
	lode_vec_reserve(&scratch->last, condition->pattern.n + 1);
}

void lode_children_count(struct lode_children *children, const struct lode_condition *condition,
			 const uint32_t *sequences, uint32_t n_sequences,
			 struct lode_children_scratch *scratch)
{
	uint32_t n_all = lode_condition_n_items(condition), slot, from, end;

	begin(children, condition, scratch);
	for (uint32_t i = 0; i < n_sequences; i++) {
		uint32_t s = sequences[i];
		bool is_tight = condition->is_tight.at[s];

		list_entries(scratch, condition, s);
		scratch->work += scratch->entries.n;
		for (slot = 0, from = 0; slot <= condition->pattern.n; slot++, from = end) {
			end = scratch->slot_end.at[slot];
			for (uint32_t e = from; e < end; e++) {
				const struct lode_entry *own = &scratch->entries.at[e];
				uint32_t row = children->row_of.at[own->pair];
				int64_t *at;

				if (row == 0)
					continue;
				scratch->work += scratch->entries.n / 4;
				at = children->rows.at + (row - 1) * children->row_length;
				if (is_tight)
					add_tight(at, scratch->entries.at, from, end,
						  (uint32_t)scratch->entries.n, own, n_all,
						  condition->db.weight.at[s]);
				else
					add_loose(at, condition, s, own->pair, scratch);
			}
		}
	}
}

bool lode_children_insertions(lode_insertion_vec *out, const struct lode_children *children,
			      size_t row, const struct lode_condition *condition, int64_t min_cost)
{
	const int64_t *cost = children->rows.at + row * children->row_length;
	uint32_t n_all = lode_condition_n_items(condition), own_pair = children->pairs.at[row];
	uint32_t own_slot = own_pair / n_all;
	bool has_watched = false;

	out->n = 0;
	for (uint32_t slot = 0; slot <= condition->pattern.n + 1; slot++, cost += n_all) {
		const uint8_t *is_open = condition->is_open.at +
					 (size_t)(slot <= own_slot ? slot : slot - 1) * n_all;

		for (uint32_t x = 0; x < n_all; x++) {
			uint8_t state = is_open[x];

			if (cost[x] < min_cost || state == LODE_CLOSED)
				continue;
			if (slot == own_slot && x == own_pair % n_all)
				state = LODE_WATCHED;
			has_watched |= state == LODE_WATCHED;
			lode_vec_append(out, ((struct lode_insertion){slot, x, cost[x], state}));
		}
	}
	return has_watched;
}
