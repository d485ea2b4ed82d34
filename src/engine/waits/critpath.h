/*
 * Critical path of one symptom: what each nanosecond of it was spent on (docs/waits.md).
 *
 *   UI        |run|~~~~~~~~~~~ wait ~~~~~~~~~~~|ready|run|
 *   worker     ~ wait ~|run|~~~ wait ~~~|run|wake UI
 *   disk                     wakes worker
 *
 *   spans     |UI |UI  |UI  |UI         |UI     | UI | UI |
 *             |   |work|work|work (disk)|worker |    |    |     time -->
 *
 * While the symptom's thread runs or is ready, the time is its own. While it was blocked, the time
 * is that of the thread that woke it, over the same stretch; if that one was blocked too, of its
 * waker; and so on. A span is a stretch of time with its chain of links: (thread, event) from the
 * symptom's thread down to who the time belongs to, each link but the last a wait that the next
 * one's thread, or one that it was to create, ended.
 *
 * A wait is the end of its chain when
 *  - a device ended it, or it is not known what did (nothing is guessed),
 *  - it slept or polled until a timeout (reason timer): the ender shows nothing of what it
 *    waited for; a poll that a thread ended is followed as any other wait,
 *  - its waker is in the chain already, or the chain is LODE_CRITPATH_MAX_LINKS long,
 *  - for the part of it of which nothing is known of its waker: dead, not recorded.
 *
 * Before its waker was born, the time is that of the thread that created it, if a fork tells, and
 * before that was born, of its creator.
 *
 * Waits that were taken up again after a time-out are one (model/rearmed.h), and being ready
 * between them is a part of it.
 *
 * Spans are in time order, they touch, and together they are [t0, t1): every ns once, always. Time
 * of which the stream has no event of the symptom's thread is a span too, see lode_link.
 */
#pragma once

#include "model/stream.h"
#include "model/symptom.h"

/* LIMIT: real chains have a handful of links; damaged recordings could have as many as threads. */
enum { LODE_CRITPATH_MAX_LINKS = 64 };

/* Links are shared by the chains that begin alike: a tree, parents before their children. */
struct lode_link {
	uint32_t parent; /* link of the wait that this one explains; LODE_NONE: first link */
	lode_thread_id thread;
	uint32_t event; /* index into the thread's events; LODE_NONE: none was recorded */
	/* A wait for a server, while that was at another client's request: whose; else LODE_NONE.
	 */
	lode_thread_id serving;
	bool is_queued; /* sends and receives say that it was at another one, whosever */
};

struct lode_span {
	int64_t start_ns, end_ns;
	uint32_t link; /* last link of its chain */
};

/* `{ 0 }` is an empty path, ready for lode_critpath_build. */
struct lode_critpath {
	LODE_VEC(struct lode_link) links;
	LODE_VEC(struct lode_span) spans;
	LODE_VEC(size_t) last_found; /* per thread: where to look first, whatever it holds */
};

/*
 * Fills `path`, whose memory is used again when it held another symptom's. The stream must have
 * switches: without them there is no timeline. O(spans * links per chain).
 */
void lode_critpath_build(struct lode_critpath *path, const struct lode_stream *stream,
			 const struct lode_symptom *symptom);
/*
 * Appends the spans of `thread` over [t0_ns, t1_ns), their links behind `parent`, as if that waited
 * for it.
 */
void lode_critpath_branch(struct lode_critpath *path, const struct lode_stream *stream,
			  uint32_t parent, lode_thread_id thread, int64_t t0_ns, int64_t t1_ns);
void lode_critpath_release(struct lode_critpath *path);
