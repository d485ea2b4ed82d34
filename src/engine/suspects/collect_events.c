/* From events to pairs: what each role's event begins and ends. */
#include <stdio.h>

#include "engine/suspects/collect.h"
#include "model/syscalls.h"

/* Numbers beyond are no system calls of any architecture: they share one metric. */
enum { MAX_SYSCALL = 4096, X32_BIT = 0x40000000 };

/* ---- Measuring ---- */

static bool was_lost(const struct lode_collect *c, uint32_t cpu, int64_t since_ns)
{
	return cpu == UINT32_MAX ? c->last_lost_ns > since_ns
				 : cpu < c->lost_ns.n && c->lost_ns.at[cpu] > since_ns;
}

static bool is_doubtful(const struct lode_collect *c, const struct lode_open_call *call,
			uint32_t end_cpu)
{
	if (c->last_lost_ns <= call->start_ns)
		return false;
	return c->lost_anywhere_ns > call->start_ns || was_lost(c, call->cpu, call->start_ns) ||
	       was_lost(c, end_cpu, call->start_ns);
}

/* A pair: `end_cpu` UINT32_MAX says that begin and end have no CPU of their own. */
static void measure_collect_events(struct lode_collect *c, uint32_t what,
				   const struct lode_open_call *call,
				   const struct lode_tap_event *end, uint32_t end_cpu)
{
	int64_t value;

	if (!c->whats.at[what].is_wanted || !(call->flags & LODE_CALL_INSIDE) || !end->is_inside)
		return;
	if (__builtin_sub_overflow(end->t_ns, call->start_ns, &value) || value < 0 ||
	    is_doubtful(c, call, end_cpu)) {
		lode_collect_lose(c, what, LODE_EXECUTION_DOUBTFUL);
		return;
	}
	lode_collect_append(c, what, call, value);
}

static void lose_end(struct lode_collect *c, uint32_t what, const struct lode_tap_event *end,
		     enum lode_execution_loss loss)
{
	if (end->is_inside)
		lode_collect_lose(c, what, loss);
}

void lode_collect_on_lost_call(void *context, const struct lode_lane *lane,
			       const struct lode_open_call *call, enum lode_execution_loss loss)
{
	struct lode_collect *c = context;

	if (call->what == c->born)
		c->n_newborn--;
	/* Most wakings are not followed by a packet: that is no loss. */
	if (lane->space == LODE_SPACE_WAKING || !(call->flags & LODE_CALL_INSIDE))
		return;
	/* Only the packets that they queue were to be measured. */
	if (lane->space == LODE_SPACE_SOFTIRQ && !c->has_role[LODE_ROLE_SOFTIRQ_EXIT])
		return;
	lode_collect_lose(c, call->what, loss);
	if (call->flags & LODE_CALL_FUTEX_WAIT)
		lode_collect_lose(c, c->futex, loss);
}

static struct lode_open_call call_of(struct lode_collect *c, const struct lode_tap_event *event,
				     uint32_t what, bool is_syscall)
{
	/* In order of first sight; but most wakings come to nothing. */
	if (c->whats.at[what].is_wanted && event->is_inside && what != c->receive)
		(void)lode_collect_metric(c, what);
	return (struct lode_open_call){
		.start_ns = event->t_ns,
		.what = what,
		.stack = lode_collect_stack(c, event->stack, is_syscall),
		.cpu = event->cpu,
		.tid = event->tid,
		.flags = event->is_inside ? LODE_CALL_INSIDE : 0,
	};
}

/* The idle threads of all CPUs are tid 0. */
static struct lode_lane lane_of_thread(uint32_t space, int32_t tid, uint32_t cpu)
{
	return (struct lode_lane){{(uint32_t)tid, tid == 0 ? (uint64_t)cpu + 1 : 0}, space};
}

static struct lode_lane lane_of_cpu(uint32_t space, const struct lode_tap_event *event)
{
	/* Where CPUs are not recorded, a handler runs in the name of one thread. */
	if (event->cpu == UINT32_MAX)
		return (struct lode_lane){{(uint32_t)event->tid, 1}, space};
	return (struct lode_lane){{event->cpu, 0}, space};
}

/* ---- System calls ---- */

static uint32_t what_of_nr(struct lode_collect *c, uint64_t nr)
{
	const char *name;
	char text[128];
	uint32_t *what;

	if (!strcmp(c->arch, "x86_64"))
		nr &= ~(uint64_t)X32_BIT;
	if (nr >= MAX_SYSCALL)
		return c->other_syscall;
	while (c->what_of_nr.n <= nr)
		lode_vec_append(&c->what_of_nr, LODE_NONE);
	what = &c->what_of_nr.at[nr];
	if (*what == LODE_NONE) {
		name = lode_syscall_name(c->arch, (int64_t)nr);
		if (name)
			snprintf(text, sizeof(text), "syscall:%s", name);
		else
			snprintf(text, sizeof(text), "syscall:%llu", (unsigned long long)nr);
		*what = lode_collect_what(c, text, "ns");
	}
	return *what;
}

/* `op`: of the futex call; NULL: not recorded. */
static bool waits_on_futex(const struct lode_collect *c, uint32_t what, const uint64_t *op)
{
	switch (c->whats.at[what].futex) {
	case LODE_FUTEX_BY_OP:
		return op && lode_futex_op_waits(*op);
	case LODE_FUTEX_WAITS:
		return true;
	case LODE_FUTEX_NONE:
		break;
	}
	return false;
}

/* Of a new thread nothing was seen before: it is in no call, and returns from clone. */
static bool take_newborn(struct lode_collect *c, const struct lode_lane *lane)
{
	const struct lode_open_call *call;
	struct lode_open_call born;

	if (!c->n_newborn)
		return false;
	call = lode_pairing_innermost(&c->calls, lane);
	if (!call || call->what != c->born)
		return false;
	(void)lode_pairing_end(&c->calls, lane, c->born, &born);
	c->n_newborn--;
	return true;
}

static void enter_collect_events(struct lode_collect *c, const struct lode_tap_event *event,
				 uint32_t what, const uint64_t *op)
{
	struct lode_lane lane = lane_of_thread(LODE_SPACE_SYSCALL, event->tid, event->cpu);
	struct lode_open_call call = call_of(c, event, what, true);

	if (waits_on_futex(c, what, op))
		call.flags |= LODE_CALL_FUTEX_WAIT;
	(void)take_newborn(c, &lane);
	/* No call enters itself: the exit of the one before was lost. */
	lode_pairing_begin(&c->calls, &lane, &call, false);
}

/* Takes what ends on the lane; false: nothing does, which is counted. */
static bool take_ended(struct lode_open_call *call, struct lode_collect *c,
		       const struct lode_lane *lane, const struct lode_tap_event *event,
		       uint32_t what)
{
	switch (lode_pairing_end(&c->calls, lane, what, call)) {
	case LODE_PAIRED:
		return true;
	case LODE_PAIRED_NO_START:
		if (what != LODE_ANY_CALL)
			lose_end(c, what, event, LODE_EXECUTION_NO_START);
		break;
	case LODE_PAIRED_MISMATCHED:
		lose_end(c, what, event, LODE_EXECUTION_MISMATCHED);
		break;
	}
	return false;
}

static void leave_collect_events(struct lode_collect *c, const struct lode_tap_event *event,
				 uint32_t what)
{
	struct lode_lane lane = lane_of_thread(LODE_SPACE_SYSCALL, event->tid, event->cpu);
	struct lode_open_call call;

	if (take_newborn(c, &lane) || !take_ended(&call, c, &lane, event, what))
		return;
	measure_collect_events(c, call.what, &call, event, event->cpu);
	if (call.flags & LODE_CALL_FUTEX_WAIT)
		measure_collect_events(c, c->futex, &call, event, event->cpu);
}

static void raw_syscall(struct lode_collect *c, const struct lode_tap_event *event, bool is_exit)
{
	uint32_t what;

	if (!(event->found & 1))
		return;
	/* After a signal's return, and where a tracer forbade the call, the number is gone. */
	if (is_exit && (int64_t)event->values[0] < 0) {
		leave_collect_events(c, event, LODE_ANY_CALL);
		return;
	}
	what = what_of_nr(c, event->values[0]);
	if (is_exit)
		leave_collect_events(c, event, what);
	else
		enter_collect_events(c, event, what, event->found & 2 ? &event->values[1] : NULL);
}

/* ---- Requests of block devices ---- */

void lode_collect_on_lost_request(void *context, const struct lode_open_call *call,
				  enum lode_execution_loss loss)
{
	if (call->flags & LODE_CALL_INSIDE)
		lode_collect_lose(context, call->what, loss);
}

/* A pair, unless its end may be another one's. */
static void measure_request(struct lode_collect *c, const struct lode_block_request *request,
			    const struct lode_tap_event *end)
{
	if (request->is_ambiguous)
		lode_collect_on_lost_request(c, &request->call, LODE_EXECUTION_DOUBTFUL);
	else
		measure_collect_events(c, request->call.what, &request->call, end, UINT32_MAX);
}

static void insert(struct lode_collect *c, const struct lode_tap_event *event,
		   struct lode_block_request *request)
{
	request->call = call_of(c, event, c->queue, false);
	lode_block_add(&c->queued, request);
	if (c->whats.at[c->length].is_wanted && event->is_inside)
		lode_collect_append(c, c->length, &request->call,
				    (int64_t)lode_block_count(&c->queued, request->device));
}

static void issue(struct lode_collect *c, const struct lode_tap_event *event,
		  struct lode_block_request *request)
{
	struct lode_block_request inserted;
	int32_t tid = event->tid;

	/* Without an insert it went to the device at once. */
	while (lode_block_take_within(&c->queued, request, &inserted)) {
		measure_request(c, &inserted, event);
		tid = inserted.call.tid; /* the kernel's threads issue for others */
		if (!lode_block_has_sectors(request))
			break;
	}
	if (!c->has_role[LODE_ROLE_RQ_COMPLETE])
		return;
	request->call = call_of(c, event, c->device, false);
	request->call.tid = tid;
	lode_block_add(&c->issued, request);
}

static void complete(struct lode_collect *c, const struct lode_tap_event *event,
		     const struct lode_block_request *end)
{
	struct lode_block_request request;

	switch (lode_block_complete(&c->issued, end, &request)) {
	case LODE_BLOCK_DONE:
		measure_request(c, &request, event);
		break;
	case LODE_BLOCK_UNKNOWN:
		lose_end(c, c->device, event, LODE_EXECUTION_NO_START);
		break;
	case LODE_BLOCK_NOTHING:
	case LODE_BLOCK_PART:
		break;
	}
}

static void block_event(struct lode_collect *c, enum lode_event_role role,
			const struct lode_tap_event *event)
{
	struct lode_block_request request = {.device = event->values[0],
					     .sector = event->values[1],
					     .n_sectors = event->values[2],
					     .flags = lode_block_flags(event->text)};

	if ((event->found & 7) != 7)
		return;
	if (role == LODE_ROLE_RQ_INSERT)
		insert(c, event, &request);
	else if (role == LODE_ROLE_RQ_ISSUE)
		issue(c, event, &request);
	else if (role == LODE_ROLE_RQ_COMPLETE)
		complete(c, event, &request);
	else
		lode_block_requeue(&c->issued, &request);
}

/* ---- Interrupts, softirqs, the network ---- */

static void handler_begins(struct lode_collect *c, const struct lode_tap_event *event,
			   struct lode_lane lane, uint32_t what)
{
	struct lode_open_call call = call_of(c, event, what, false);

	lode_pairing_begin(&c->calls, &lane, &call, false);
}

static void handler_ends(struct lode_collect *c, const struct lode_tap_event *event,
			 struct lode_lane lane, uint32_t what)
{
	struct lode_open_call call;

	if (take_ended(&call, c, &lane, event, what))
		measure_collect_events(c, call.what, &call, event, event->cpu);
}

static uint32_t what_named(struct lode_collect *c, const char *kind, const char *name)
{
	char text[128];

	snprintf(text, sizeof(text), "%s:%s", kind, name);
	return lode_collect_what(c, text, "ns");
}

static void irq_event(struct lode_collect *c, const struct lode_tap_event *event, bool is_exit)
{
	struct lode_lane lane = lane_of_cpu(LODE_SPACE_IRQ, event);
	char number[32];

	/* Its exit has the number alone: of one number, only one handler runs on a CPU at a time.
	 */
	lane.words[1] += event->values[0] << 1;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)event->values[0]);
	if (is_exit)
		handler_ends(c, event, lane, LODE_ANY_CALL);
	else
		handler_begins(c, event, lane,
			       what_named(c, "irq",
					  event->text && *event->text ? event->text : number));
}

static void softirq_event(struct lode_collect *c, const struct lode_tap_event *event, bool is_exit)
{
	struct lode_lane lane = lane_of_cpu(LODE_SPACE_SOFTIRQ, event);
	char number[32];
	uint32_t what = what_named(c, "softirq",
				   lode_softirq_name(event->values[0], number, sizeof(number)));

	if (is_exit)
		handler_ends(c, event, lane, what);
	else
		handler_begins(c, event, lane, what);
}

/* The first packet that a softirq queues; later ones would hold the same time once more. */
static void net_queue(struct lode_collect *c, const struct lode_tap_event *event)
{
	struct lode_lane lane = lane_of_cpu(LODE_SPACE_SOFTIRQ, event);
	struct lode_open_call *call = lode_pairing_innermost(&c->calls, &lane);

	if (!call || call->flags & LODE_CALL_SENT || (event->has_context && !event->in_softirq))
		return;
	call->flags |= LODE_CALL_SENT;
	measure_collect_events(c, c->send, call, event, event->cpu);
}

static void waking(struct lode_collect *c, const struct lode_tap_event *event)
{
	int32_t wakee = (int32_t)event->values[0];
	struct lode_lane lane = lane_of_thread(LODE_SPACE_WAKING, wakee, 0);
	struct lode_open_call call = call_of(c, event, c->receive, false);

	/* Only the waking before a packet counts: all others are no losses. */
	if (event->found & 1 && wakee > 0)
		lode_pairing_begin(&c->calls, &lane, &call, false);
}

static void net_receive(struct lode_collect *c, const struct lode_tap_event *event)
{
	struct lode_lane lane = lane_of_thread(LODE_SPACE_WAKING, event->tid, 0);
	struct lode_open_call call;

	if (lode_pairing_end(&c->calls, &lane, LODE_ANY_CALL, &call) == LODE_PAIRED)
		measure_collect_events(c, c->receive, &call, event, event->cpu);
}

/* ---- Own metrics ---- */

static bool key_value(const struct lode_tap_event *event, uint8_t place, const char *name,
		      uint64_t *value)
{
	if (place < LODE_TAP_FIELDS && event->found >> place & 1)
		*value = event->values[place];
	else if (!strcmp(name, "cpu") && event->cpu != UINT32_MAX)
		*value = event->cpu;
	else if (!strcmp(name, "tid"))
		*value = (uint32_t)event->tid;
	else if (!strcmp(name, "pid"))
		*value = (uint32_t)event->pid;
	else
		return false;
	return true;
}

static bool own_lane(struct lode_collect *c, const struct lode_collect_use *use,
		     const struct lode_tap_event *event, struct lode_lane *lane)
{
	const struct lode_own_metric *own = &c->spec->own.at[use->own];
	const char *const *names = use->is_end ? own->end_key : own->begin_key;
	uint64_t values[LODE_METRIC_KEYS] = {0};

	if (!own->n_keys) {
		*lane = lane_of_thread(LODE_SPACE_OWN + use->own, event->tid, event->cpu);
		return true;
	}
	for (unsigned i = 0; i < own->n_keys; i++) {
		if (key_value(event, use->key[i], names[i], &values[i]))
			continue;
		lode_collect_note(c, "%s: the recorded events %s have no field %s", own->name,
				  use->is_end ? own->end : own->begin, names[i]);
		return false;
	}
	*lane = (struct lode_lane){{values[0], values[1]}, LODE_SPACE_OWN + use->own};
	/* Lanes have two words: a third and fourth value go into the second, well mixed. */
	if (own->n_keys > 2)
		lane->words[1] = lode_hash_bytes(&values[1], sizeof(values) - sizeof(*values), 0);
	return true;
}

static void own_event(struct lode_collect *c, const struct lode_collect_use *use,
		      const struct lode_tap_event *event)
{
	uint32_t what = c->own.at[use->own];
	uint32_t end_cpu = c->spec->own.at[use->own].n_keys ? UINT32_MAX : event->cpu;
	struct lode_open_call call;
	struct lode_lane lane;

	if (!own_lane(c, use, event, &lane))
		return;
	if (!use->is_end) {
		call = call_of(c, event, what, false);
		lode_pairing_begin(&c->calls, &lane, &call, true);
	} else if (lode_pairing_end(&c->calls, &lane, what, &call) == LODE_PAIRED) {
		measure_collect_events(c, what, &call, event, end_cpu);
	} else {
		lose_end(c, what, event, LODE_EXECUTION_NO_START);
	}
}

/* ---- What the source hands over ---- */

static void take_role(struct lode_collect *c, const struct lode_collect_kind *kind,
		      const struct lode_tap_event *event)
{
	switch (kind->role) {
	case LODE_ROLE_RAW_ENTER:
	case LODE_ROLE_RAW_EXIT:
		raw_syscall(c, event, kind->role == LODE_ROLE_RAW_EXIT);
		break;
	case LODE_ROLE_ENTER:
		enter_collect_events(c, event, kind->what,
				     event->found & 1 ? &event->values[0] : NULL);
		break;
	case LODE_ROLE_EXIT:
		leave_collect_events(c, event, kind->what);
		break;
	case LODE_ROLE_RQ_INSERT:
	case LODE_ROLE_RQ_ISSUE:
	case LODE_ROLE_RQ_COMPLETE:
	case LODE_ROLE_RQ_REQUEUE:
		block_event(c, kind->role, event);
		break;
	case LODE_ROLE_IRQ_ENTRY:
	case LODE_ROLE_IRQ_EXIT:
		if (event->found & 1)
			irq_event(c, event, kind->role == LODE_ROLE_IRQ_EXIT);
		break;
	case LODE_ROLE_SOFTIRQ_ENTRY:
	case LODE_ROLE_SOFTIRQ_EXIT:
		if (event->found & 1)
			softirq_event(c, event, kind->role == LODE_ROLE_SOFTIRQ_EXIT);
		break;
	case LODE_ROLE_NET_QUEUE:
		net_queue(c, event);
		break;
	case LODE_ROLE_NET_RECEIVE:
		net_receive(c, event);
		break;
	case LODE_ROLE_WAKING:
		waking(c, event);
		break;
	case LODE_ROLE_NONE:
	case LODE_ROLE_SWITCH:
	case LODE_N_ROLES:
		break;
	}
}

void lode_collect_on_event(void *context, const struct lode_tap_event *event)
{
	struct lode_collect *c = context;
	struct lode_collect_kind *kind = &c->kinds.at[event->id];

	take_role(c, kind, event);
	for (size_t i = 0; i < kind->uses.n; i++)
		own_event(c, &kind->uses.at[i], event);
}

/* What a thread has open ends with it. */
static void close_thread(struct lode_collect *c, int32_t tid)
{
	struct lode_lane lane = lane_of_thread(LODE_SPACE_SYSCALL, tid, 0);

	if (tid <= 0)
		return;
	lode_pairing_close(&c->calls, &lane, LODE_EXECUTION_DIED);
	lane.space = LODE_SPACE_WAKING;
	lode_pairing_close(&c->calls, &lane, LODE_EXECUTION_DIED);
	for (uint32_t i = 0; i < c->own.n; i++) {
		lane.space = LODE_SPACE_OWN + i;
		if (!c->spec->own.at[i].n_keys)
			lode_pairing_close(&c->calls, &lane, LODE_EXECUTION_DIED);
	}
}

void lode_collect_on_born(void *context, int64_t t_ns, int32_t pid, int32_t tid)
{
	struct lode_collect *c = context;
	struct lode_lane lane = lane_of_thread(LODE_SPACE_SYSCALL, tid, 0);
	struct lode_open_call born = {.start_ns = t_ns, .what = c->born, .tid = tid};

	(void)pid;
	if (t_ns <= 0 || tid <= 0)
		return; /* it lived before the recording */
	close_thread(c, tid);
	lode_pairing_begin(&c->calls, &lane, &born, false);
	c->n_newborn++;
}

void lode_collect_on_ended(void *context, int64_t t_ns, int32_t tid)
{
	(void)t_ns;
	close_thread(context, tid);
}

void lode_collect_on_lost(void *context, int64_t t_ns, uint32_t cpu)
{
	struct lode_collect *c = context;

	if (t_ns > c->last_lost_ns)
		c->last_lost_ns = t_ns;
	/* Which requests still wait is not known any more, and how long the queue is. */
	lode_block_close(&c->queued, LODE_EXECUTION_DOUBTFUL);
	lode_block_close(&c->issued, LODE_EXECUTION_DOUBTFUL);
	if (cpu > UINT16_MAX) {
		c->lost_anywhere_ns = t_ns;
		return;
	}
	while (c->lost_ns.n <= cpu)
		lode_vec_append(&c->lost_ns, INT64_MIN);
	c->lost_ns.at[cpu] = t_ns;
}

void lode_collect_close_calls(struct lode_collect *c)
{
	lode_pairing_close_all(&c->calls, LODE_EXECUTION_NO_END);
	lode_block_close(&c->queued, LODE_EXECUTION_NO_END);
	lode_block_close(&c->issued, LODE_EXECUTION_NO_END);
}
