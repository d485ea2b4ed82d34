/*
 * Area of interest: the events that a symptom's delay consists of, folded to a digest
 * (docs/waits.md).
 */
#pragma once

#include "model/digest.h"
#include "model/stream.h"
#include "model/symptom.h"

enum lode_scope {
	LODE_SCOPE_CRITICAL, /* every ns of the symptom attributed exactly once (critpath.h) */
	LODE_SCOPE_GRAPH,    /* StackMine, Fig. 2 (waitgraph.h): whole events, own stacks */
	LODE_SCOPE_THREAD,   /* events of the thread alone, cut at t0 and t1, own stacks */
	/* A stream without switches has no waits to follow: every scope is the thread's samples in
	   [t0, t1), with their weights. */
};

/* Content filters: lists of globs on "function" or "module!function"; a stack passes if it has a
   frame that an include matches (or there is no include) and none that an exclude matches. */
struct lode_aoi_options {
	enum lode_scope scope;
	bool own_stacks;	    /* --stacks own: the last link alone */
	const char *const *include; /* n_include globs, borrowed */
	size_t n_include;
	const char *const *exclude;
	size_t n_exclude;
	unsigned kinds;	  /* bit per enum lode_event_kind; 0 = all */
	unsigned reasons; /* bit per enum lode_wait_reason; 0 = all */
};

/*
 * Folds the symptoms of one stream into a new digest (one stream, its symptoms, rows, names).
 *
 * With LODE_SCOPE_CRITICAL, of a stream with switches, and no content filter, the costs of a
 * symptom's rows sum to t1 - t0. Time of which the stream has no event of the symptom's thread is a
 * wait without a reason in the one frame `[unrecorded]`, one event per gap. A row's reason is that
 * of the symptom thread's wait at the chain's start; in the other scopes, the event's own. Its
 * waker is who ended the last wait in the chain, named as links are (chain.h). Of streams without
 * switches it is not known how many occurrences there are; of others, occurrences.h says what one
 * is.
 *
 * Fails only on symptoms that the stream cannot have (LODE_ERR_ARG).
 */
int lode_aoi_digest(struct lode_digest **out, const struct lode_stream *stream,
		    const struct lode_symptom *symptoms, size_t n_symptoms,
		    const struct lode_aoi_options *options, struct lode_error *err);
