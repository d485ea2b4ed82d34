/* Counts what a recording lacks. */
#include "model/loss.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const names[LODE_N_LOSS_KINDS] = {
	[LODE_LOSS_EVENTS] = "lost events",
	[LODE_LOSS_TRUNCATED] = "truncated input",
	[LODE_LOSS_BAD_RECORD] = "bad records",
	[LODE_LOSS_UNORDERED] = "records out of order",
	[LODE_LOSS_CONTRADICTION] = "contradictory switches",
	[LODE_LOSS_NO_SWITCH_IN] = "switch-ins inferred",
	[LODE_LOSS_IDLE_GAP] = "switches from idle missing",
	[LODE_LOSS_NO_WAKER] = "waits without a waker",
	[LODE_LOSS_UNDECODABLE] = "undecodable events",
	[LODE_LOSS_DUPLICATE] = "duplicated buffers",
	[LODE_LOSS_OVERLAP] = "overlapping calls cut",
	[LODE_LOSS_CALLERS] = "calls with ambiguous outer callers",
	[LODE_LOSS_CLOCK_JUMP] = "clock jumps",
	[LODE_LOSS_CLOCKS] = "clocks beside the first",
	[LODE_LOSS_PAUSE] = "pauses of more than a day",
	[LODE_LOSS_BUILD_ID] = "build-ids inferred",
	[LODE_LOSS_REQUEST] = "requests not measured",
	[LODE_LOSS_NO_CALLS] = "recordings without system calls",
	[LODE_LOSS_BUNDLE] = "incomplete bundles",
	[LODE_LOSS_UNWIND] = "stacks through damaged unwind tables",
	[LODE_LOSS_FILE] = "files that cannot be read",
	[LODE_LOSS_REPEATED] = "repeated records",
	[LODE_LOSS_GAP] = "outlying gaps",
	[LODE_LOSS_SILENT] = "signs of missing records",
	[LODE_LOSS_LEFT_OUT] = "events left out",
	[LODE_LOSS_SKIPPED_CALLER] = "stacks without their innermost caller",
};

static const char *const names_of_one[LODE_N_LOSS_KINDS] = {
	[LODE_LOSS_EVENTS] = "lost event",
	[LODE_LOSS_TRUNCATED] = "truncated input",
	[LODE_LOSS_BAD_RECORD] = "bad record",
	[LODE_LOSS_UNORDERED] = "record out of order",
	[LODE_LOSS_CONTRADICTION] = "contradictory switch",
	[LODE_LOSS_NO_SWITCH_IN] = "switch-in inferred",
	[LODE_LOSS_IDLE_GAP] = "switch from idle missing",
	[LODE_LOSS_NO_WAKER] = "wait without a waker",
	[LODE_LOSS_UNDECODABLE] = "undecodable event",
	[LODE_LOSS_DUPLICATE] = "duplicated buffer",
	[LODE_LOSS_OVERLAP] = "overlapping call cut",
	[LODE_LOSS_CALLERS] = "call with ambiguous outer callers",
	[LODE_LOSS_CLOCK_JUMP] = "clock jump",
	[LODE_LOSS_CLOCKS] = "clock beside the first",
	[LODE_LOSS_PAUSE] = "pause of more than a day",
	[LODE_LOSS_BUILD_ID] = "build-id inferred",
	[LODE_LOSS_REQUEST] = "request not measured",
	[LODE_LOSS_NO_CALLS] = "recording without system calls",
	[LODE_LOSS_BUNDLE] = "incomplete bundle",
	[LODE_LOSS_UNWIND] = "stack through a damaged unwind table",
	[LODE_LOSS_FILE] = "file that cannot be read",
	[LODE_LOSS_REPEATED] = "repeated record",
	[LODE_LOSS_GAP] = "outlying gap",
	[LODE_LOSS_SILENT] = "sign of missing records",
	[LODE_LOSS_LEFT_OUT] = "event left out",
	[LODE_LOSS_SKIPPED_CALLER] = "stack without its innermost caller",
};

const char *lode_loss_name(enum lode_loss_kind kind)
{
	return names[kind];
}

const char *lode_loss_words(enum lode_loss_kind kind, uint64_t n)
{
	return n == 1 ? names_of_one[kind] : names[kind];
}

double lode_lost_pct(uint64_t n_lost, uint64_t n_records)
{
	return n_lost ? 100 * (double)n_lost / ((double)n_lost + (double)n_records) : 0;
}

void lode_loss_add(struct lode_losses *losses, enum lode_loss_kind kind, uint64_t count,
		   int64_t offset, int64_t t_ns, const char *format, ...)
{
	struct lode_loss *loss = &losses->by_kind[kind];
	va_list args;

	if (loss->count == 0) {
		loss->kind = kind;
		loss->offset = offset;
		loss->first_ns = t_ns;
		va_start(args, format);
		vsnprintf(loss->detail, sizeof(loss->detail), format, args);
		va_end(args);
	}
	loss->count += count;
	loss->last_ns = t_ns;
}

const char *lode_loss_place(char *buffer, const char *path, int64_t line)
{
	enum { MOST = 60 };
	size_t n = strlen(path);
	bool is_cut = n > MOST;
	int used = snprintf(buffer, LODE_LOSS_PLACE_BYTES, "%s%s: ", is_cut ? "..." : "",
			    path + (is_cut ? n - MOST : 0));

	if (line > 0)
		snprintf(buffer + used, (size_t)(LODE_LOSS_PLACE_BYTES - used),
			 "line %lld: ", (long long)line);
	return buffer;
}

void lode_losses_add(struct lode_losses *to, const struct lode_losses *from)
{
	for (unsigned k = 0; k < LODE_N_LOSS_KINDS; k++) {
		const struct lode_loss *loss = &from->by_kind[k];

		if (!loss->count)
			continue;
		lode_loss_add(to, (enum lode_loss_kind)k, loss->count, loss->offset, loss->first_ns,
			      "%s", loss->detail);
		to->by_kind[k].last_ns = loss->last_ns;
		to->by_kind[k].cost_ns += loss->cost_ns;
	}
}

size_t lode_losses_list(struct lode_loss_note notes[LODE_N_LOSS_KINDS],
			const struct lode_losses *losses)
{
	size_t n = 0;

	for (unsigned k = 0; k < LODE_N_LOSS_KINDS; k++) {
		const struct lode_loss *loss = &losses->by_kind[k];

		if (loss->count)
			notes[n++] = (struct lode_loss_note){
				.kind = (enum lode_loss_kind)k,
				.count = loss->count,
				.offset = loss->offset,
				.first_ns = loss->first_ns,
				.last_ns = loss->last_ns,
				.cost_ns = loss->cost_ns,
				.detail = loss->detail,
			};
	}
	return n;
}
