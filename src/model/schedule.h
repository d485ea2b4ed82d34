/*
 * The scheduler state machine behind struct lode_builder (docs/model.md): who runs on each CPU,
 * what each thread does and since when. It writes the events of a stream's threads.
 *
 *   sched_switch  prev: running -> waiting | ready | dead      next: ready | waiting -> running
 *   sched_waking  waiting -> ready
 *   own event     a thread seen at work where it should not be: its switch-in was not recorded
 *
 * From a thread's first known moment to its last, its events tile its life: each call closes the
 * interval that ends and opens the next one at the same nanosecond. Until lode_builder_finish the
 * columns `stack` and `other_stack` hold raw ids, and `reason` and `device` hold the hints below.
 *
 * Only builder.c uses this. Times must not run backwards; the builder sees to that.
 */
#pragma once

#include "model/builder.h"
#include "model/silent_loss.h"

#define LODE_CPU_NOWHERE UINT32_MAX

/* Hints in the column `reason`: enum lode_wait_reason of the system call, state D, and a request
   that the thread sent to a disk since its last wait. */
#define LODE_HINT_DISK_SLEEP 0x80
#define LODE_HINT_ASKED_DISK 0x40
/* Hints in the column `device`: decided from the waker's frames at the end. */
#define LODE_HINT_INTERRUPT 0xf0 /* certainly an interrupt: which device? */
#define LODE_HINT_UNTOLD    0xf1 /* the recording does not say whether it was an interrupt */

enum lode_sched_state {
	LODE_SCHED_UNSEEN, /* nothing known yet */
	LODE_SCHED_RUNNING,
	LODE_SCHED_WAITING,
	LODE_SCHED_READY,
	LODE_SCHED_GONE, /* off its CPU without a recorded switch-out */
	LODE_SCHED_DEAD,
};

/* A row of struct lode_events. */
struct lode_sched_event {
	int64_t start_ns, cost_ns;
	uint32_t stack, other, other_stack;
	uint16_t cpu;
	uint8_t kind, reason, device, flags;
};

/* Events are collected in rows and written to the columns by the cache line, not one by one. */
enum { LODE_SCHED_STAGED = 8 };

struct lode_sched_thread {
	int64_t since_ns;      /* start of the open interval */
	int64_t early_wake_ns; /* a waking that came while it still ran, else INT64_MIN */
	size_t first_tile;     /* running: index of its interval's first event, staged ones too */
	uint32_t stack;	       /* raw stack with which it left the CPU */
	uint32_t cpu;	       /* where it runs, or the CPU it left */
	uint8_t state;	       /* enum lode_sched_state */
	uint8_t flags;	       /* enum lode_event_flag of the open interval */
	uint8_t hint;	       /* of the open wait, as in the column `reason` */
	uint8_t syscall;       /* enum lode_wait_reason that the open system call suggests */
	bool is_exiting;       /* has had its exit record, and still runs to its last switch */
	bool has_asked_disk;   /* since its last wait */
	uint8_t n_staged;
	struct lode_sched_event staged[LODE_SCHED_STAGED]; /* follow those in the columns */
};

/* One closed run on a CPU. */
struct lode_sched_run {
	lode_thread_id thread;
	int64_t start_ns, end_ns;
};

struct lode_sched_cpu {
	lode_thread_id current; /* LODE_NONE: not known; LODE_IDLE */
	int64_t since_ns;
	bool is_seen;	   /* some record told who ran here */
	bool is_uncertain; /* records were lost since the last switch */
	/*
	 * Closed runs of which no later one is longer: lengths fall from first to last. So the
	 * longest run since any time is found by one binary search.
	 */
	LODE_VEC(struct lode_sched_run) longest;
	struct lode_cpu log; /* all of it, to be the stream's */
};

struct lode_schedule {
	struct lode_stream *stream;		    /* borrowed */
	int64_t from_ns, to_ns;			    /* events are clipped to this window */
	int64_t first_ns;			    /* since when who runs is recorded */
	bool running_only;			    /* one CPU is read: waits would be guesses */
	LODE_VEC(struct lode_sched_thread) threads; /* one per thread of the stream */
	LODE_VEC(struct lode_sched_cpu) cpus;
	struct lode_silent silent;
	struct lode_sched_cpu nowhere; /* stands in where the CPU is not known */
};

/* `next` or `prev` LODE_NONE: the record does not say. `record`: its times, CPU and stack count. */
void lode_schedule_switch(struct lode_schedule *schedule, const struct lode_switch *record,
			  lode_thread_id prev, lode_thread_id next);
/* `waker` LODE_NONE: the thread that runs there. */
void lode_schedule_waking(struct lode_schedule *schedule, const struct lode_waking *record,
			  lode_thread_id waker, lode_thread_id wakee);
void lode_schedule_sample(struct lode_schedule *schedule, const struct lode_sample *record,
			  lode_thread_id thread);
/* `thread` does something on `cpu` (may be LODE_CPU_NOWHERE) at `t_ns`, so it runs. */
void lode_schedule_own(struct lode_schedule *schedule, lode_thread_id thread, uint32_t cpu,
		       int64_t t_ns);
/* Created: ready until its first switch-in. */
void lode_schedule_born(struct lode_schedule *schedule, lode_thread_id thread, int64_t t_ns);
/* Its exit record: it runs on to its last switch, or until it is last seen if that is missing. */
void lode_schedule_exiting(struct lode_schedule *schedule, lode_thread_id thread, int64_t t_ns);
/* Its tid was given to a new thread: whatever is open ends here. */
void lode_schedule_replaced(struct lode_schedule *schedule, lode_thread_id thread, int64_t t_ns);
/*
 * A record from behind the window, where nothing is delivered any more: `thread` (LODE_NONE:
 * the thread that ran on `cpu`) is alive, so one that has had its exit record lasted as long.
 */
void lode_schedule_later(struct lode_schedule *schedule, lode_thread_id thread, uint32_t cpu,
			 int64_t t_ns);
/* Records of `cpu` (LODE_CPU_NOWHERE: any) may be missing up to here. */
void lode_schedule_lost(struct lode_schedule *schedule, uint32_t cpu);
/* Cuts everything that is open at `end_ns`; who runs on after its exit record ended when last seen.
 */
void lode_schedule_close(struct lode_schedule *schedule, int64_t end_ns);

struct lode_sched_thread *lode_schedule_thread(struct lode_schedule *schedule,
					       lode_thread_id thread);
void lode_schedule_release(struct lode_schedule *schedule);
