/* Tracepoints that metrics are made of, and their fields. */
#include "engine/suspects/metric_events.h"

#include <stdio.h>

#define REQUEST                              \
	{                                    \
		"dev", "sector", "nr_sector" \
	}

/* One tracepoint: its role, and what is wanted of it. */
static const struct known {
	const char *tracepoint;
	const char *field[3];
	const char *text;
	enum lode_event_role role;
	uint8_t element[3];
	bool begins; /* an execution: its stack counts */
} known[] = {
	{"raw_syscalls:sys_enter", {"id", "args"}, NULL, LODE_ROLE_RAW_ENTER, {0, 1}, true},
	{"raw_syscalls:sys_exit", {"id"}, NULL, LODE_ROLE_RAW_EXIT, {0}, false},
	{"block:block_rq_insert", REQUEST, "rwbs", LODE_ROLE_RQ_INSERT, {0}, true},
	{"block:block_rq_issue", REQUEST, "rwbs", LODE_ROLE_RQ_ISSUE, {0}, true},
	{"block:block_rq_complete", REQUEST, "rwbs", LODE_ROLE_RQ_COMPLETE, {0}, false},
	{"block:block_rq_requeue", REQUEST, "rwbs", LODE_ROLE_RQ_REQUEUE, {0}, false},
	{"irq:irq_handler_entry", {"irq"}, "name", LODE_ROLE_IRQ_ENTRY, {0}, true},
	{"irq:irq_handler_exit", {"irq"}, NULL, LODE_ROLE_IRQ_EXIT, {0}, false},
	{"irq:softirq_entry", {"vec"}, NULL, LODE_ROLE_SOFTIRQ_ENTRY, {0}, true},
	{"irq:softirq_exit", {"vec"}, NULL, LODE_ROLE_SOFTIRQ_EXIT, {0}, false},
	{"net:net_dev_queue", {NULL}, NULL, LODE_ROLE_NET_QUEUE, {0}, false},
	{"net:netif_receive_skb", {NULL}, NULL, LODE_ROLE_NET_RECEIVE, {0}, false},
	{"sched:sched_waking", {"pid"}, NULL, LODE_ROLE_WAKING, {0}, true},
	{"sched:sched_switch", {NULL}, NULL, LODE_ROLE_SWITCH, {0}, false},
};

static const char enter[] = "syscalls:sys_enter_", leave[] = "syscalls:sys_exit_";

enum lode_event_role lode_event_role_of(const char *tracepoint, const char **syscall)
{
	if (!tracepoint)
		return LODE_ROLE_NONE;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(tracepoint, known[i].tracepoint))
			return known[i].role;
	if (!strncmp(tracepoint, enter, sizeof(enter) - 1)) {
		*syscall = tracepoint + sizeof(enter) - 1;
		return LODE_ROLE_ENTER;
	}
	if (!strncmp(tracepoint, leave, sizeof(leave) - 1)) {
		*syscall = tracepoint + sizeof(leave) - 1;
		return LODE_ROLE_EXIT;
	}
	return LODE_ROLE_NONE;
}

void lode_event_role_wish(enum lode_event_role role, struct lode_tap_wish *wish)
{
	if (role == LODE_ROLE_ENTER) {
		wish->wants_stack = true;
		wish->field[0] = "op";
		wish->n_fields = 1;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (known[i].role != role)
			continue;
		wish->wants_stack = known[i].begins;
		wish->text = known[i].text;
		for (wish->n_fields = 0; wish->n_fields < 3 && known[i].field[wish->n_fields];
		     wish->n_fields++) {
			wish->field[wish->n_fields] = known[i].field[wish->n_fields];
			wish->element[wish->n_fields] = known[i].element[wish->n_fields];
		}
	}
}

const char *lode_softirq_name(uint64_t vec, char *buffer, size_t size)
{
	static const char *const names[] = {"HI",	"TIMER",   "NET_TX", "NET_RX",	"BLOCK",
					    "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

	if (vec < sizeof(names) / sizeof(*names))
		return names[vec];
	snprintf(buffer, size, "%llu", (unsigned long long)vec);
	return buffer;
}

bool lode_futex_op_waits(uint64_t op)
{
	/* Without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME. */
	switch (op & 0x7f) {
	case 0:	 /* FUTEX_WAIT */
	case 6:	 /* FUTEX_LOCK_PI */
	case 9:	 /* FUTEX_WAIT_BITSET */
	case 11: /* FUTEX_WAIT_REQUEUE_PI */
	case 13: /* FUTEX_LOCK_PI2 */
		return true;
	default:
		return false;
	}
}
