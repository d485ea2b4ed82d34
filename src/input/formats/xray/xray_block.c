/* Decodes one buffer of a flight data recorder log. */
#include "input/formats/xray/xray_block.h"

#include "base/bytes.h"
#include "input/formats/xray/xray_format.h"

static const uint8_t event_kinds[XRAY_N_KINDS] = {
	[XRAY_ENTER] = LODE_CALL_ENTER,
	[XRAY_EXIT] = LODE_CALL_EXIT,
	[XRAY_TAIL_EXIT] = LODE_CALL_EXIT_TAIL,
	[XRAY_ENTER_ARGUMENT] = LODE_CALL_ENTER,
};

/* What records change while a buffer is decoded. */
struct state {
	const uint8_t *at, *end;
	uint64_t now; /* in ticks */
	unsigned version;
	const char *fault; /* stops the decoding; `ended`: without being one */
};

static const char ended[] = "";

/*
 * Custom and typed events carry data behind their record. Since version 5 (typed ones always) they
 * have a difference in ticks, which counts for the records that follow; before, their own time.
 */
static void skip_event(struct state *state, struct lode_bytes record, bool is_typed)
{
	int32_t size = lode_bytes_i32(&record);

	if (is_typed || state->version >= 5)
		state->now += (uint64_t)(int64_t)lode_bytes_i32(&record);
	if (size < 0 || size > state->end - state->at)
		state->fault = "an event with more data than the buffer has";
	else
		state->at += size;
}

static void metadata(struct state *state)
{
	struct lode_bytes record;

	if (state->end - state->at < XRAY_METADATA_BYTES) {
		state->fault = "the buffer ends inside a record";
		return;
	}
	record = lode_bytes_make(state->at, XRAY_METADATA_BYTES, 0);
	state->at += XRAY_METADATA_BYTES;
	switch (lode_bytes_u8(&record) >> 1) {
	case XRAY_NEW_CPU:
		lode_bytes_u16(&record);
		state->now = lode_bytes_u64(&record);
		break;
	case XRAY_TSC_WRAP:
		state->now = lode_bytes_u64(&record);
		break;
	case XRAY_CUSTOM_EVENT:
		skip_event(state, record, false);
		break;
	case XRAY_TYPED_EVENT:
		skip_event(state, record, true);
		break;
	case XRAY_END_OF_BUFFER:
		state->fault = state->version == 1 ? ended : "an end of buffer record";
		break;
	case XRAY_NEW_BUFFER:
	case XRAY_WALL_CLOCK:
	case XRAY_CALL_ARGUMENT:
	case XRAY_EXTENTS:
	case XRAY_PROCESS:
		break;
	default:
		state->fault = "a record of unknown kind";
	}
}

/*
 * The loop that everything waits for: one load, one multiplication or two and one store per event.
 * `is_ns`: a tick is a nanosecond.
 */
static inline __attribute__((always_inline)) size_t
decode(struct state *state, struct lode_call_event *out, struct lode_ticks ticks, bool is_ns)
{
	size_t n = 0;

	while (!state->fault && state->at < state->end) {
		const uint8_t *at = state->at, *end = state->end;
		uint64_t now = state->now;

		while (end - at >= XRAY_FUNCTION_BYTES) {
			uint32_t word, ticks_since;

			memcpy(&word, at, sizeof(word));
			memcpy(&ticks_since, at + sizeof(word), sizeof(ticks_since));
			if ((word & XRAY_IS_METADATA) || (word >> 1 & 7) >= XRAY_N_KINDS)
				break;
			if (!lode_ticks_is_near(&ticks, now + ticks_since) &&
			    !lode_ticks_move(&ticks, now + ticks_since))
				break;
			now += ticks_since;
			at += XRAY_FUNCTION_BYTES;
			out[n].t_ns = is_ns ? (int64_t)now : lode_ticks_near(&ticks, now);
			out[n].function = word >> 4;
			out[n].kind = event_kinds[word >> 1 & 7];
			n++;
		}
		state->at = at;
		state->now = now;
		if (at < end && (*at & XRAY_IS_METADATA))
			metadata(state);
		else if (end - at >= XRAY_FUNCTION_BYTES)
			state->fault = (*at >> 1 & 7) >= XRAY_N_KINDS
					       ? "a function record of unknown kind"
					       : "a time beyond any clock";
		else if (at < end)
			state->fault = "the buffer ends inside a record";
	}
	return n;
}

/* Pairs entries and exits inside the buffer; see the header. */
static void find_seams(struct lode_xray_block *block)
{
	const struct lode_call_event *events = block->events.at + 1;
	size_t n = block->events.n - 1, depth = 0;
	uint32_t *stack;

	block->exits.n = 0;
	lode_vec_reserve(&block->opens, n + 1);
	stack = block->opens.at;
	for (size_t i = 0; i < n; i++) {
		uint32_t function = events[i].function;
		size_t found = depth;

		if (events[i].kind == LODE_CALL_ENTER) {
			stack[depth++] = function;
			continue;
		}
		while (found && stack[found - 1] != function)
			found--;
		if (found)
			depth = found - 1;
		else
			lode_vec_append(&block->exits, function);
	}
	block->opens.n = depth;
}

void lode_xray_block_decode(struct lode_xray_block *block, const uint8_t *bytes, size_t size,
			    unsigned version, const struct lode_ticks *ticks)
{
	struct state state = {.at = bytes, .end = bytes + size, .version = version};
	struct lode_call_event *out;

	lode_vec_reserve(&block->events, size / XRAY_FUNCTION_BYTES + 1);
	out = block->events.at + 1;
	block->events.n = 1 + (ticks->per_s == 1000000000 ? decode(&state, out, *ticks, true)
							  : decode(&state, out, *ticks, false));
	block->fault = state.fault == ended ? NULL : state.fault;
	block->fault_at = (size_t)(state.at - bytes);
	find_seams(block);
}

void lode_xray_block_release(struct lode_xray_block *block)
{
	lode_vec_release(&block->events);
	lode_vec_release(&block->exits);
	lode_vec_release(&block->opens);
}
