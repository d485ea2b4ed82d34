#include "analyses/suspects/metric_events.h"

#include <stdio.h>
#include <string.h>

/* One tracepoint: its role, and what is wanted of it. */
static const struct known {
	const char *tracepoint;
	enum lode_event_role role;
	const char *field[3];
	uint8_t element[3];
	const char *text;
	bool begins; /* an execution: its stack counts */
} known[] = {
	{"raw_syscalls:sys_enter", LODE_ROLE_RAW_ENTER, {"id", "args"}, {0, 1}, NULL, true},
	{"raw_syscalls:sys_exit", LODE_ROLE_RAW_EXIT, {"id"}, {0}, NULL, false},
	{"block:block_rq_insert",
	 LODE_ROLE_RQ_INSERT,
	 {"dev", "sector", "nr_sector"},
	 {0},
	 NULL,
	 true},
	{"block:block_rq_issue",
	 LODE_ROLE_RQ_ISSUE,
	 {"dev", "sector", "nr_sector"},
	 {0},
	 NULL,
	 true},
	{"block:block_rq_complete",
	 LODE_ROLE_RQ_COMPLETE,
	 {"dev", "sector", "nr_sector"},
	 {0},
	 NULL,
	 false},
	{"block:block_rq_requeue",
	 LODE_ROLE_RQ_REQUEUE,
	 {"dev", "sector", "nr_sector"},
	 {0},
	 NULL,
	 false},
	{"irq:irq_handler_entry", LODE_ROLE_IRQ_ENTRY, {"irq"}, {0}, "name", true},
	{"irq:irq_handler_exit", LODE_ROLE_IRQ_EXIT, {"irq"}, {0}, NULL, false},
	{"irq:softirq_entry", LODE_ROLE_SOFTIRQ_ENTRY, {"vec"}, {0}, NULL, true},
	{"irq:softirq_exit", LODE_ROLE_SOFTIRQ_EXIT, {"vec"}, {0}, NULL, false},
	{"net:net_dev_queue", LODE_ROLE_NET_QUEUE, {NULL}, {0}, NULL, false},
	{"net:netif_receive_skb", LODE_ROLE_NET_RECEIVE, {NULL}, {0}, NULL, false},
	{"sched:sched_waking", LODE_ROLE_WAKING, {"pid"}, {0}, NULL, true},
	{"sched:sched_switch", LODE_ROLE_SWITCH, {NULL}, {0}, NULL, false},
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
