/*
 * Losses: what a recording does not hold, counted and never dropped in silence.
 *
 * Imperfect streams are normal: keep what is good, add the loss, and every report shows it.
 */
#pragma once

#include "base/mem.h"

enum lode_loss_kind {
	LODE_LOSS_EVENTS,	 /* the recorder says that it dropped events (count) */
	LODE_LOSS_TRUNCATED,	 /* the file ends inside a record or before its promised end */
	LODE_LOSS_BAD_RECORD,	 /* a record that its type does not allow, skipped */
	LODE_LOSS_UNORDERED,	 /* records older than what was already delivered */
	LODE_LOSS_CONTRADICTION, /* a thread left a CPU that it never entered, and the like */
	LODE_LOSS_NO_SWITCH_IN,	 /* switch-in not recorded, inferred */
	LODE_LOSS_IDLE_GAP,	 /* switches to idle without the switch back (untraced idle CPU) */
	LODE_LOSS_NO_WAKER,	 /* a wait without a recorded waking */
	LODE_LOSS_UNDECODABLE,	 /* a tracepoint whose format is missing or not understood */
	LODE_LOSS_DUPLICATE, /* the same records a second time (a buffer written twice), left out */
	LODE_LOSS_OVERLAP,   /* calls that outlast the call they start in: cut (cost_ns: by) */
	LODE_LOSS_CALLERS,   /* calls of too many stacks: outer callers not distinguished */
	LODE_LOSS_CLOCK_JUMP, /* the input's clock leaps by more than a day */
	LODE_LOSS_CLOCKS,     /* threads on clocks that cannot be compared (call_clocks.h) */
	LODE_LOSS_PAUSE,      /* nothing for more than a day: no loss, but said */
	LODE_LOSS_BUILD_ID,   /* files that were told without a recorded build-id */
	LODE_LOSS_REQUEST,    /* a symptom that began, and its end is not there or in doubt */
	LODE_LOSS_NO_CALLS,   /* system calls that begin or end symptoms are known from stacks alone
			       */
	LODE_LOSS_BUNDLE,     /* the recording's bundle says that it is incomplete; all its words */
	LODE_LOSS_UNWIND,     /* stacks with code whose file has a damaged unwind table */
	LODE_LOSS_FILE,	      /* files of the input's folder that look like a part of it */
	LODE_LOSS_LEFT_OUT,   /* sound events that are not read: no loss, but said */
	LODE_LOSS_REPEATED,   /* records that repeat the one before (silent_loss.h) */
	LODE_LOSS_GAP,	  /* no record for far longer than ever else: perhaps no loss, but said */
	LODE_LOSS_SILENT, /* records that are missing, though the recorder reported no loss */
	LODE_LOSS_SKIPPED_CALLER, /* stacks that lack the caller of their innermost function */
	LODE_N_LOSS_KINDS,
};

struct lode_loss {
	enum lode_loss_kind kind;
	uint64_t count;
	int64_t offset;		   /* first place in the file, -1 unknown */
	int64_t first_ns, last_ns; /* span in which it happened */
	int64_t cost_ns;	   /* time that stands on it, where that makes sense */
	char detail[160];	   /* first occurrence in words */
};

struct lode_losses {
	struct lode_loss by_kind[LODE_N_LOSS_KINDS]; /* count 0: none */
};

/* The same where only kinds that occurred are kept, with words that are borrowed. */
struct lode_loss_note {
	enum lode_loss_kind kind;
	uint64_t count; /* not 0 */
	int64_t offset, first_ns, last_ns, cost_ns;
	const char *detail;
};

/* Lists the kinds that there are, in their order, with borrowed words; gives how many. */
size_t lode_losses_list(struct lode_loss_note notes[LODE_N_LOSS_KINDS],
			const struct lode_losses *losses);

/* Counts one or more losses; the first of its kind keeps its place and its words. */
void lode_loss_add(struct lode_losses *losses, enum lode_loss_kind kind, uint64_t count,
		   int64_t offset, int64_t t_ns, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/*
 * Lost events in percent of all: of those that the recorder dropped (LODE_LOSS_EVENTS) and the
 * records that were read. Every command shows this share.
 */
enum { LODE_NOTABLE_LOST_PCT = 1 }; /* more is said before anything that rests on the others */
double lode_lost_pct(uint64_t n_lost, uint64_t n_records);

/* "PATH: line 7: ", of a long path its end; `line` below 1: without. To begin `detail` with. */
enum { LODE_LOSS_PLACE_BYTES = 100 };
const char *lode_loss_place(char *buffer, const char *path, int64_t line);

/* Adds all of `from`, as if they had come behind those of `to`. */
void lode_losses_add(struct lode_losses *to, const struct lode_losses *from);

const char *lode_loss_name(enum lode_loss_kind kind);
/* The same behind a number: "1 lost event", "2 lost events". */
const char *lode_loss_words(enum lode_loss_kind kind, uint64_t n);
