/*
 * What threads did: kinds of events, why they waited, what ended a wait.
 */
#ifndef LODE_PUBLIC_EVENT_H
#define LODE_PUBLIC_EVENT_H

#ifdef __cplusplus
extern "C" {
#endif

enum lode_event_kind {
	LODE_EVENT_RUNNING,
	LODE_EVENT_WAITING,
	LODE_EVENT_READY,
	LODE_N_EVENT_KINDS,
};

/* Why a thread was blocked. */
enum lode_wait_reason {
	LODE_REASON_NONE, /* not a waiting event */
	LODE_REASON_LOCK,
	LODE_REASON_DISK,
	LODE_REASON_FAULT, /* disk I/O for a page fault */
	LODE_REASON_NETWORK,
	LODE_REASON_IPC, /* pipe, unix socket, other data from another thread */
	LODE_REASON_POLL,
	LODE_REASON_TIMER,
	LODE_REASON_CHILD,
	LODE_REASON_OTHER,
	LODE_REASON_IDLE, /* no work: a thread of a Go program without a goroutine to run */
	LODE_N_REASONS,
};

/* What ended a wait when no thread did: the device behind the interrupt. */
enum lode_device {
	LODE_DEVICE_NONE, /* ended by a thread */
	LODE_DEVICE_DISK,
	LODE_DEVICE_NETWORK,
	LODE_DEVICE_TIMER,
	LODE_DEVICE_OTHER,
	LODE_DEVICE_CPU_LIMIT, /* of a cgroup: its next period */
	LODE_N_DEVICES,
};

enum lode_event_flag {
	LODE_EVENT_UNSAMPLED = 1,  /* running, without a sample: stack of another run like it */
	LODE_EVENT_CUT_START = 2,  /* was open when the recording began */
	LODE_EVENT_CUT_END = 4,	   /* still open when the recording ended */
	LODE_EVENT_INFERRED = 8,   /* one of its ends was not recorded, and worked out */
	LODE_EVENT_NO_WAKER = 16,  /* waiting: the waking was not recorded */
	LODE_EVENT_PREEMPTED = 32, /* ready: left the CPU runnable (else: woken, not yet running) */
	LODE_EVENT_FROM_IDLE = 64, /* waiting: woken from an interrupt that hit the idle thread */
	/* waiting: a timer ended it, and it was taken up again: waker, device and reason are those
	   of the last such wait; ready: between two of them */
	LODE_EVENT_REARMED = 128,
};

const char *lode_event_kind_name(enum lode_event_kind kind);	 /* "run", "wait", "ready" */
const char *lode_wait_reason_name(enum lode_wait_reason reason); /* "lock", "disk", ... */
const char *lode_device_name(enum lode_device device);

#ifdef __cplusplus
}
#endif

#endif
