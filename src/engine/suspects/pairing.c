/* Pairs begins with ends in lanes. */
#include "engine/suspects/pairing.h"

/* No lode_map, which keeps every key: a lane leaves when its last call ends, and of requests and
   their sectors there is no end. */
struct lode_lane_slot {
	struct lode_lane lane;
	uint32_t innermost; /* index + 1 into calls; 0: the slot is free */
};

enum { FIRST_SLOTS = 64 };

/* ---- Lanes ---- */

static size_t home_of(const struct lode_pairing *pairing, const struct lode_lane *lane)
{
	uint64_t hash = (lane->words[0] + lane->space) * 0x9e3779b97f4a7c15u ^ lane->words[1];

	hash *= 0x9fb21c651e98df25u;
	return (hash ^ hash >> 32) & (pairing->n_slots - 1);
}

static bool is_same_pairing(const struct lode_lane *a, const struct lode_lane *b)
{
	return a->words[0] == b->words[0] && a->words[1] == b->words[1] && a->space == b->space;
}

/* The lane's slot, or the free one where it would be. */
static struct lode_lane_slot *slot_of(const struct lode_pairing *pairing,
				      const struct lode_lane *lane)
{
	size_t i = home_of(pairing, lane);

	while (pairing->slots[i].innermost && !is_same_pairing(&pairing->slots[i].lane, lane))
		i = (i + 1) & (pairing->n_slots - 1);
	return &pairing->slots[i];
}

static struct lode_lane_slot *find_slot(const struct lode_pairing *pairing,
					const struct lode_lane *lane)
{
	struct lode_lane_slot *slot = pairing->n_lanes ? slot_of(pairing, lane) : NULL;

	return slot && slot->innermost ? slot : NULL;
}

static void grow(struct lode_pairing *pairing)
{
	struct lode_lane_slot *old = pairing->slots;
	size_t n = pairing->n_slots;

	pairing->n_slots = n ? n * 2 : FIRST_SLOTS;
	pairing->slots = lode_alloc0(pairing->n_slots, sizeof(*old));
	for (size_t i = 0; i < n; i++)
		if (old[i].innermost)
			*slot_of(pairing, &old[i].lane) = old[i];
	free(old);
}

/* What stands behind a slot that becomes free moves up, so that no search ends too early. */
static void remove_slot(struct lode_pairing *pairing, struct lode_lane_slot *slot)
{
	size_t mask = pairing->n_slots - 1, hole = (size_t)(slot - pairing->slots), i = hole;

	for (;;) {
		size_t home;

		i = (i + 1) & mask;
		if (!pairing->slots[i].innermost)
			break;
		home = home_of(pairing, &pairing->slots[i].lane);
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			pairing->slots[hole] = pairing->slots[i];
			hole = i;
		}
	}
	pairing->slots[hole].innermost = 0;
	pairing->n_lanes--;
}

/* ---- Calls ---- */

static uint32_t take_place(struct lode_pairing *pairing)
{
	uint32_t place = pairing->free_call;

	if (!place) {
		(void)lode_vec_append_zero(&pairing->calls);
		return (uint32_t)pairing->calls.n - 1;
	}
	pairing->free_call = pairing->calls.at[place - 1].outer;
	return place - 1;
}

/* Takes the innermost call out; the slot is gone when it was the only one. */
static struct lode_open_call pop(struct lode_pairing *pairing, struct lode_lane_slot *slot)
{
	struct lode_nested_call *nested = &pairing->calls.at[slot->innermost - 1];
	struct lode_open_call call = nested->call;
	uint32_t place = slot->innermost, outer = nested->outer;

	nested->outer = pairing->free_call;
	pairing->free_call = place;
	if (outer == LODE_NONE)
		remove_slot(pairing, slot);
	else
		slot->innermost = outer + 1;
	return call;
}

/* The outermost call of a lane that is too deep. */
static void drop_outermost(struct lode_pairing *pairing, const struct lode_lane *lane,
			   struct lode_lane_slot *slot)
{
	uint32_t at = slot->innermost - 1, inner = LODE_NONE;

	while (pairing->calls.at[at].outer != LODE_NONE) {
		pairing->calls.at[at].depth--;
		inner = at;
		at = pairing->calls.at[at].outer;
	}
	pairing->lost(pairing->context, lane, &pairing->calls.at[at].call, LODE_EXECUTION_NO_END);
	pairing->calls.at[inner].outer = LODE_NONE;
	pairing->calls.at[at].outer = pairing->free_call;
	pairing->free_call = at + 1;
}

/* How many calls lie on the innermost open one of this kind; -1: none is open. */
static int calls_above(const struct lode_pairing *pairing, const struct lode_lane_slot *slot,
		       uint32_t what)
{
	uint32_t at = slot->innermost - 1;

	for (int n = 0; at != LODE_NONE; n++, at = pairing->calls.at[at].outer)
		if (pairing->calls.at[at].call.what == what || what == LODE_ANY_CALL)
			return n;
	return -1;
}

static void lose(struct lode_pairing *pairing, const struct lode_lane *lane,
		 struct lode_lane_slot *slot, enum lode_execution_loss loss)
{
	struct lode_open_call call = pop(pairing, slot);

	pairing->lost(pairing->context, lane, &call, loss);
}

void lode_pairing_begin(struct lode_pairing *pairing, const struct lode_lane *lane,
			const struct lode_open_call *call, bool may_nest)
{
	struct lode_lane_slot *slot = find_slot(pairing, lane);
	uint32_t outer = LODE_NONE, depth = 0, place;
	int n = slot && !may_nest ? calls_above(pairing, slot, call->what) : -1;

	for (; n >= 0; n--) {
		lose(pairing, lane, slot, LODE_EXECUTION_NO_END);
		slot = n ? slot : find_slot(pairing, lane);
	}
	if (slot && pairing->calls.at[slot->innermost - 1].depth == LODE_PAIRING_DEPTH - 1)
		drop_outermost(pairing, lane, slot);
	if (!slot) {
		if (pairing->n_lanes * 2 >= pairing->n_slots)
			grow(pairing);
		slot = slot_of(pairing, lane);
		slot->lane = *lane;
		pairing->n_lanes++;
	} else {
		outer = slot->innermost - 1;
		depth = pairing->calls.at[outer].depth + 1;
	}
	place = take_place(pairing);
	pairing->calls.at[place] =
		(struct lode_nested_call){.call = *call, .outer = outer, .depth = depth};
	slot->innermost = place + 1;
}

enum lode_paired lode_pairing_end(struct lode_pairing *pairing, const struct lode_lane *lane,
				  uint32_t what, struct lode_open_call *out)
{
	struct lode_lane_slot *slot = find_slot(pairing, lane);
	int n;

	if (!slot)
		return LODE_PAIRED_NO_START;
	n = calls_above(pairing, slot, what);
	if (n < 0) {
		lose(pairing, lane, slot, LODE_EXECUTION_MISMATCHED);
		return LODE_PAIRED_MISMATCHED;
	}
	while (n-- > 0)
		lose(pairing, lane, slot, LODE_EXECUTION_NO_END);
	*out = pop(pairing, slot);
	return LODE_PAIRED;
}

struct lode_open_call *lode_pairing_innermost(struct lode_pairing *pairing,
					      const struct lode_lane *lane)
{
	struct lode_lane_slot *slot = find_slot(pairing, lane);

	return slot ? &pairing->calls.at[slot->innermost - 1].call : NULL;
}

void lode_pairing_close(struct lode_pairing *pairing, const struct lode_lane *lane,
			enum lode_execution_loss loss)
{
	struct lode_lane_slot *slot;

	while ((slot = find_slot(pairing, lane)))
		lose(pairing, lane, slot, loss);
}

void lode_pairing_close_all(struct lode_pairing *pairing, enum lode_execution_loss loss)
{
	/* Removing moves slots up into the hole: the same place is looked at again. */
	for (size_t i = 0; i < pairing->n_slots; i++) {
		while (pairing->slots[i].innermost) {
			struct lode_lane lane = pairing->slots[i].lane;

			lode_pairing_close(pairing, &lane, loss);
		}
	}
}

void lode_pairing_release(struct lode_pairing *pairing)
{
	free(pairing->slots);
	lode_vec_release(&pairing->calls);
	pairing->slots = NULL;
	pairing->n_slots = pairing->n_lanes = 0;
	pairing->free_call = 0;
}
