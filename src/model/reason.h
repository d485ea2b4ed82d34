/*
 * Why a thread waited, and which device woke it, known from the frames of stacks (docs/model.md).
 *
 *   startup!main > startup!load > libc!read > [kernel]!vfs_read > filemap_read >
 *   folio_wait_bit_common > io_schedule > schedule                                  -> disk
 *
 * One table of function globs gives frames their meaning; the innermost frame with a meaning of its
 * own decides, frames that many reasons share (`schedule_timeout`) only when there is no other.
 * Waits for disk below a page fault are faults. Stacks without kernel frames are judged by their
 * user functions. All of it is worked out once per function and once per node of the call tree, so
 * that a wait costs one look-up.
 */
#pragma once

#include "model/frame.h"
#include "model/stream.h"

enum lode_stack_mark {
	LODE_MARK_USER = 1,	  /* has frames outside of the kernel */
	LODE_MARK_KERNEL = 2,	  /* has kernel frames */
	LODE_MARK_FAULT = 4,	  /* below a page fault */
	LODE_MARK_INTERRUPT = 8,  /* below the entry of an interrupt */
	LODE_MARK_KTHREAD = 16,	  /* starts in the entry function of kernel threads */
	LODE_MARK_TRANSMIT = 32,  /* hands a packet to a network device, in no interrupt */
	LODE_MARK_SENDER = 64,	  /* an interrupt, but the thread's own: lode_is_sender */
	LODE_MARK_HARDWARE = 128, /* below the entry of an interrupt that no thread asked for */
};

/* What one node's stack means. */
struct lode_stack_meaning {
	uint8_t reason;	     /* enum lode_wait_reason, by its kernel frames, or NONE */
	uint8_t rank;	     /* how specific that is: 0 not at all, 3 beyond doubt */
	uint8_t user_reason; /* the same by its user frames */
	uint8_t device;	     /* enum lode_device if it is the stack of a waking interrupt */
	uint8_t marks;	     /* enum lode_stack_mark */
};

/* One lode_stack_meaning per node of `tree`; the caller frees it. */
struct lode_stack_meaning *lode_stack_meanings(const struct lode_calltree *tree);

/*
 * The reason of a wait: `meaning` of the waiting stack, `hint` of the enclosing system call (or
 * LODE_REASON_NONE), state D, and the device that ended it. A poll that its timeout ended is a
 * timer's.
 */
enum lode_wait_reason lode_reason_of_wait(const struct lode_stack_meaning *meaning,
					  enum lode_wait_reason hint, bool is_disk_sleep,
					  enum lode_device device);

/*
 * A stack in softirq context is normally that of the interrupted thread. Not so where a thread has
 * just sent a packet to a thread of its own machine (loopback, veth, bridge): when the transmitting
 * function lets softirqs run again, they take the packet from the queue of its CPU, in the sender's
 * own system call, and the wake-up of the receiver is the sender's doing.
 *
 *   tcp_sendmsg > __dev_queue_xmit > __local_bh_enable_ip > do_softirq > net_rx_action >
 *   process_backlog > tcp_v4_rcv > sock_def_readable > try_to_wake_up
 *
 * False when the softirq ran elsewhere (ksoftirqd, on the way out of an interrupt, or where a
 * system call let softirqs run without having sent anything), when it polled a network card, and
 * when the stack shows too little. LIMIT: the queue of a CPU may also hold packets that a softirq
 * before had forwarded there from a network card; they are the sender's here.
 */
static inline bool lode_is_sender(const struct lode_stack_meaning *waker)
{
	return waker->marks & LODE_MARK_SENDER;
}

/* The device that woke: from the waker's stack, else from what the wait was for. */
enum lode_device lode_device_of_waking(const struct lode_stack_meaning *waker,
				       const struct lode_stack_meaning *waiting,
				       enum lode_wait_reason hint);

/* What a wait inside the system call `name` ("futex", "sys_enter_futex") is probably for. */
enum lode_wait_reason lode_reason_of_syscall(const char *name);
