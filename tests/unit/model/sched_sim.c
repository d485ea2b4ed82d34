#include "unit/model/sched_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static uint32_t below(struct sim *sim, uint32_t n)
{
	struct test_random random = {sim->rng};
	uint32_t value = test_random_below(&random, n);

	sim->rng = random.state;
	return value;
}

static bool chance(struct sim *sim, uint32_t percent)
{
	return below(sim, 100) < percent;
}

/* Node of kernel functions, root first, up to a NULL. */
static uint32_t kernel_stack(struct lode_calltree *tree, ...)
{
	uint32_t node = 0;
	const char *name;
	va_list names;

	va_start(names, tree);
	while ((name = va_arg(names, const char *)))
		node = lode_calltree_push(
			tree, node, lode_frame_intern(tree, "[kernel]", name, LODE_FRAME_KERNEL));
	va_end(names);
	return node;
}

void sim_nodes(struct lode_calltree *tree, uint32_t node_of_raw[SIM_RAW])
{
	static const char *const kernel[] = {"do_syscall_64", "futex_wait", "io_schedule"};
	char name[16] = "user_a";
	uint32_t node;

	node_of_raw[0] = 0;
	for (uint32_t raw = 1; raw < SIM_INTERRUPT; raw++) {
		node = 0;
		name[5] = (char)('a' + raw % 3);
		if (raw < SIM_INTERRUPT - 1) {
			node = lode_calltree_push(tree, 0,
						  lode_frame_intern(tree, "app", "main", 0));
			node = lode_calltree_push(tree, node,
						  lode_frame_intern(tree, "app", name, 0));
		}
		for (uint32_t k = 0; raw % 4 && k < 3; k++)
			node = lode_calltree_push(tree, node,
						  lode_frame_intern(tree, "[kernel]", kernel[k],
								    LODE_FRAME_KERNEL));
		node_of_raw[raw] = node;
	}
	node_of_raw[SIM_INTERRUPT] = kernel_stack(tree, "asm_sysvec_thing", "net_rx_action", NULL);
	node_of_raw[SIM_SENT] = kernel_stack(tree, "tcp_sendmsg", "__dev_queue_xmit", "do_softirq",
					     "net_rx_action", "process_backlog", NULL);
}

void sim_feed(struct lode_builder *builder, const struct sim_record *r)
{
	switch (r->kind) {
	case SIM_SWITCH:
		lode_builder_switch(builder, &r->sw);
		break;
	case SIM_WAKING:
		lode_builder_waking(builder, &r->waking);
		break;
	case SIM_SAMPLE:
		lode_builder_sample(builder, &r->sample);
		break;
	case SIM_FORK:
		lode_builder_fork(builder, r->t_ns, r->tid, r->tid, r->parent_tid, r->parent_tid);
		break;
	case SIM_EXIT:
		lode_builder_exit(builder, r->t_ns, r->tid, r->tid);
		break;
	}
}

static struct sim_record *record(struct sim *sim, enum sim_record_kind kind)
{
	struct sim_record *r = lode_vec_append_zero(&sim->records);

	r->kind = kind;
	r->t_ns = r->sw.t_ns = r->waking.t_ns = r->sample.t_ns = sim->now_ns;
	/* Births and ends do not tell who ran before. */
	if (!sim->first_ns && kind != SIM_FORK && kind != SIM_EXIT)
		sim->first_ns = sim->now_ns;
	return r;
}

static uint32_t any_stack(struct sim *sim)
{
	return below(sim, SIM_INTERRUPT);
}

/* ---- The truth ---- */

static struct sim_event *note(struct sim *sim, int i, enum lode_event_kind kind, unsigned flags)
{
	struct sim_thread *t = &sim->threads.at[i];
	struct sim_event *e = lode_vec_append_zero(&t->events);

	e->kind = kind;
	e->start_ns = t->since_ns;
	e->end_ns = sim->now_ns;
	e->stack = t->stack;
	e->flags = t->flags | flags;
	e->cpu = e->left_cpu = t->cpu;
	e->waker = -1;
	return e;
}

/* Thread `i` is named by a record as running on its CPU: if that is news, it ran all along. */
static void seen(struct sim *sim, int i)
{
	struct sim_thread *t = &sim->threads.at[i];

	if (t->state != SIM_NEVER_SEEN_RUNNING)
		return;
	t->state = SIM_RUNNING;
	t->since_ns = sim->first_ns;
	t->flags = LODE_EVENT_CUT_START;
	t->first_sample = 0;
}

/* A record has its tid. */
static void named(struct sim *sim, int i)
{
	sim->threads.at[i].is_named = true;
}

/* A record shows it alive: after its exit record that is news. */
static void alive(struct sim *sim, int i)
{
	if (sim->threads.at[i].is_told)
		sim->threads.at[i].died_ns = sim->now_ns;
}

static void end_run(struct sim *sim, int i, uint32_t stack, unsigned flags)
{
	struct sim_thread *t = &sim->threads.at[i];
	struct sim_event *e = note(sim, i, LODE_EVENT_RUNNING, flags);

	e->stack = stack;
	e->first_sample = t->first_sample;
	e->n_samples = t->samples.n - t->first_sample;
	t->first_sample = t->samples.n;
}

/* The last switch is not recorded: for all that is known, it ended when it was last seen. */
static void vanish(struct sim *sim, int i)
{
	struct sim_thread *t = &sim->threads.at[i];

	if (t->state == SIM_RUNNING) {
		end_run(sim, i, 0, LODE_EVENT_INFERRED);
		t->events.at[t->events.n - 1].end_ns = t->died_ns;
	}
	t->state = SIM_DEAD;
}

static void begin(struct sim *sim, int i, int state, uint32_t cpu, uint32_t stack, unsigned flags)
{
	struct sim_thread *t = &sim->threads.at[i];

	t->state = state;
	t->since_ns = sim->now_ns;
	t->cpu = cpu;
	t->stack = stack;
	t->flags = flags;
}

/* ---- What can happen ---- */

static int spawn(struct sim *sim, int32_t tid)
{
	struct sim_thread *t = lode_vec_append_zero(&sim->threads);

	t->tid = tid;
	t->cpu = UINT32_MAX;
	t->early_ns = INT64_MIN;
	t->died_ns = INT64_MAX;
	return (int)sim->threads.n - 1;
}

static int pick(struct sim *sim, bool (*fits)(const struct sim_thread *))
{
	int chosen = -1, n = 0;

	for (size_t i = 0; i < sim->threads.n; i++)
		if (fits(&sim->threads.at[i]) && below(sim, (uint32_t)++n) == 0)
			chosen = (int)i;
	return chosen;
}

static bool can_run(const struct sim_thread *t)
{
	return t->state == SIM_READY || t->state == SIM_NEVER_SEEN_READY ||
	       (t->state == SIM_WAITING && t->is_early);
}

static bool can_wake(const struct sim_thread *t)
{
	return (t->state == SIM_WAITING && !t->is_early) || t->state == SIM_NEVER_SEEN_WAITING;
}

static bool is_awake(const struct sim_thread *t)
{
	return t->state == SIM_READY || t->state == SIM_RUNNING;
}

static void do_sample(struct sim *sim, uint32_t cpu)
{
	struct sim_record *r = record(sim, SIM_SAMPLE);
	int i = sim->on_cpu[cpu];
	struct sim_thread *t;

	r->sample.cpu = cpu;
	r->sample.stack = any_stack(sim);
	if (i < 0)
		return;
	t = &sim->threads.at[i];
	r->sample.pid = r->sample.tid = t->is_exiting && t->state == SIM_RUNNING ? -1 : t->tid;
	if (r->sample.tid > 0)
		named(sim, i);
	seen(sim, i);
	alive(sim, i);
	lode_vec_append(&t->samples, r->sample.stack);
}

static void leave(struct sim *sim, uint32_t cpu, int i, bool is_last, struct lode_switch *sw)
{
	struct sim_thread *t = &sim->threads.at[i];

	seen(sim, i);
	named(sim, i);
	alive(sim, i);
	sw->prev_pid = t->tid;
	sw->stack = any_stack(sim);
	sw->left = is_last	     ? LODE_LEFT_DEAD
		   : chance(sim, 40) ? LODE_LEFT_RUNNABLE
				     : LODE_LEFT_SLEEPING;
	end_run(sim, i, sw->stack, 0);
	if (sw->left == LODE_LEFT_DEAD) {
		begin(sim, i, SIM_DEAD, cpu, 0, 0);
		t->died_ns = sim->now_ns;
	} else if (sw->left == LODE_LEFT_RUNNABLE) {
		begin(sim, i, SIM_READY, cpu, sw->stack, LODE_EVENT_PREEMPTED);
	} else {
		begin(sim, i, SIM_WAITING, cpu, sw->stack, 0);
		t->is_early = t->early_ns != INT64_MIN && sim->now_ns - t->early_ns <= 1000000;
	}
}

static void do_switch(struct sim *sim, uint32_t cpu)
{
	int prev = sim->on_cpu[cpu], next = chance(sim, 80) ? pick(sim, can_run) : -1;
	struct sim_record *r;
	struct sim_thread *t;
	uint32_t stack;
	bool is_last, is_lost;

	if (prev < 0 && next < 0)
		return;
	/* Now and then one is preempted, or waits, between its exit record and its end. */
	is_last = prev >= 0 && sim->threads.at[prev].is_exiting && chance(sim, 80);
	is_lost = is_last && sim->threads.at[prev].is_told && chance(sim, sim->lose_last_pct);
	if (is_lost) {
		vanish(sim, prev);
		sim->n_lost++;
	}
	sim->on_cpu[cpu] = next;
	if (is_lost && next < 0)
		return;
	r = record(sim, SIM_SWITCH);
	r->sw.cpu = cpu;
	if (is_lost)
		r->sw.prev_pid = -1;
	else if (prev >= 0)
		leave(sim, cpu, prev, is_last, &r->sw);
	if (next >= 0) {
		t = &sim->threads.at[next];
		named(sim, next);
		alive(sim, next);
		r->sw.next_pid = t->tid;
		stack = t->stack;
		if (t->state != SIM_NEVER_SEEN_READY)
			note(sim, next, LODE_EVENT_READY, 0)->cpu = cpu;
		begin(sim, next, SIM_RUNNING, cpu, stack, 0);
		t->early_ns = INT64_MIN;
		t->is_early = false;
		t->first_sample = t->samples.n;
	}
}

static void do_waking(struct sim *sim, uint32_t cpu)
{
	int waker = sim->on_cpu[cpu],
	    wakee = chance(sim, 80) ? pick(sim, can_wake) : pick(sim, is_awake);
	bool is_sent = chance(sim, 20), has_context = chance(sim, 60);
	/* The stack of a sender means nothing in an interrupt's own context. */
	bool in_hardirq = has_context && chance(sim, 20);
	bool by_interrupt = waker < 0 || in_hardirq || (!is_sent && chance(sim, 30));
	struct sim_record *r;
	struct sim_event *e;
	struct sim_thread *t;

	if (wakee < 0 || wakee == waker)
		return;
	r = record(sim, SIM_WAKING);
	t = &sim->threads.at[wakee];
	named(sim, wakee);
	r->waking.cpu = cpu;
	r->waking.wakee_tid = t->tid;
	r->waking.has_context = has_context;
	r->waking.in_interrupt = has_context && (by_interrupt || is_sent);
	r->waking.in_hardirq = in_hardirq;
	r->waking.stack = is_sent					? SIM_SENT
			  : by_interrupt && (waker < 0 || !has_context) ? SIM_INTERRUPT
									: any_stack(sim);
	if (waker >= 0) {
		const struct sim_thread *w = &sim->threads.at[waker];

		r->waking.waker_tid = w->is_exiting && w->state == SIM_RUNNING ? -1 : w->tid;
		if (r->waking.waker_tid > 0)
			named(sim, waker);
		seen(sim, waker);
		alive(sim, waker);
	}
	if (t->state == SIM_RUNNING)
		t->early_ns = sim->now_ns;
	if (t->state == SIM_NEVER_SEEN_WAITING) {
		t->since_ns = sim->first_ns;
		t->flags = LODE_EVENT_CUT_START;
	} else if (t->state != SIM_WAITING || t->is_early) {
		return;
	}
	e = note(sim, wakee, LODE_EVENT_WAITING, waker < 0 ? LODE_EVENT_FROM_IDLE : 0);
	e->by_interrupt = by_interrupt;
	e->waker = by_interrupt ? -1 : waker;
	e->waker_stack = r->waking.stack;
	alive(sim, wakee);
	begin(sim, wakee, SIM_READY, t->cpu, t->stack, 0);
}

static void do_fork(struct sim *sim, uint32_t cpu)
{
	int parent = sim->on_cpu[cpu], dead = -1;
	int32_t tid = 100 + (int32_t)sim->threads.n;
	struct sim_record *r;

	/* Now and then a tid that is free again. */
	for (size_t i = 0; i < sim->threads.n; i++)
		if (sim->threads.at[i].state == SIM_DEAD)
			dead = (int)i;
	for (size_t i = 0; dead >= 0 && i < sim->threads.n; i++)
		if (sim->threads.at[i].tid == sim->threads.at[dead].tid &&
		    sim->threads.at[i].state != SIM_DEAD)
			dead = -1;
	if (parent < 0 || sim->threads.n > 14)
		return;
	if (dead >= 0)
		tid = sim->threads.at[dead].tid;
	r = record(sim, SIM_FORK);
	r->tid = tid;
	r->parent_tid = sim->threads.at[parent].tid;
	named(sim, parent);
	begin(sim, spawn(sim, tid), SIM_READY, UINT32_MAX, 0, 0);
	named(sim, (int)sim->threads.n - 1);
}

static void do_exit(struct sim *sim, uint32_t cpu)
{
	int i = sim->on_cpu[cpu];
	struct sim_record *r;

	if (i < 0 || sim->threads.at[i].is_exiting)
		return;
	r = record(sim, SIM_EXIT);
	r->tid = sim->threads.at[i].tid;
	sim->threads.at[i].is_exiting = true;
	sim->threads.at[i].is_told = sim->threads.at[i].is_named;
	alive(sim, i);
}

static void cut(struct sim *sim, int i)
{
	struct sim_thread *t = &sim->threads.at[i];

	switch ((int)t->state) {
	case SIM_RUNNING:
		if (t->is_told)
			vanish(sim, i);
		else
			end_run(sim, i, 0, LODE_EVENT_CUT_END);
		break;
	case SIM_WAITING:
		alive(sim, i);
		note(sim, i, t->is_early ? LODE_EVENT_READY : LODE_EVENT_WAITING,
		     LODE_EVENT_CUT_END);
		break;
	case SIM_READY:
		alive(sim, i);
		note(sim, i, LODE_EVENT_READY, LODE_EVENT_CUT_END);
		break;
	default:
		break;
	}
}

void sim_play(struct sim *sim, uint64_t seed, size_t n_records)
{
	uint32_t n_cpus, n_threads;

	sim->rng = seed;
	n_cpus = 1 + below(sim, SIM_CPUS);
	n_threads = 1 + below(sim, 8);
	sim->now_ns = 1 + below(sim, 1000);
	for (uint32_t c = 0; c < SIM_CPUS; c++)
		sim->on_cpu[c] = -1;
	for (uint32_t i = 0; i < n_threads; i++) {
		int id = spawn(sim, 100 + (int32_t)i);
		struct sim_thread *t = &sim->threads.at[id];

		t->state = chance(sim, 50) ? SIM_NEVER_SEEN_WAITING : SIM_NEVER_SEEN_READY;
		if (i < n_cpus && chance(sim, 60)) {
			t->state = SIM_NEVER_SEEN_RUNNING;
			t->cpu = i;
			sim->on_cpu[i] = (int)i;
		}
	}
	while (sim->records.n < n_records) {
		uint32_t cpu = below(sim, n_cpus), what = below(sim, 100);

		if (chance(sim, 80))
			sim->now_ns += below(sim, 50);
		if (chance(sim, 1))
			sim->now_ns += 2000000;
		if (what < 40)
			do_switch(sim, cpu);
		else if (what < 70)
			do_waking(sim, cpu);
		else if (what < 94)
			do_sample(sim, cpu);
		else if (what < 97)
			do_fork(sim, cpu);
		else
			do_exit(sim, cpu);
	}
	sim->now_ns = sim->records.at[sim->records.n - 1].t_ns;
	for (size_t i = 0; i < sim->threads.n; i++)
		cut(sim, (int)i);
}

void sim_release(struct sim *sim)
{
	for (size_t i = 0; i < sim->threads.n; i++) {
		lode_vec_release(&sim->threads.at[i].events);
		lode_vec_release(&sim->threads.at[i].samples);
	}
	lode_vec_release(&sim->threads);
	lode_vec_release(&sim->records);
}

/* ---- The stream ---- */

struct lode_stream *sim_finish(struct lode_builder *b)
{
	uint32_t nodes[SIM_RAW];

	sim_nodes(&lode_builder_stream(b)->tree, nodes);
	return lode_builder_finish(b, nodes, SIM_RAW);
}

void sim_check_tiles(uint64_t seed, const struct lode_stream *stream)
{
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		const struct lode_events *e = &thread->events;

		for (size_t k = 0; k < e->n; k++) {
			if (e->cost_ns[k] <= 0)
				FAIL_AT(seed, "thread %zu event %zu costs %lld\n", i, k,
					(long long)e->cost_ns[k]);
			if (k > 0 && e->start_ns[k] != lode_event_end_ns(e, k - 1))
				FAIL_AT(seed, "thread %zu event %zu starts at %lld after %lld\n", i,
					k, (long long)e->start_ns[k],
					(long long)lode_event_end_ns(e, k - 1));
			assert_in_range(e->kind[k], 0, LODE_N_EVENT_KINDS - 1);
			assert_in_range(e->reason[k], 0, LODE_N_REASONS - 1);
			assert_in_range(e->device[k], 0, LODE_N_DEVICES - 1);
			assert_true(e->stack[k] < stream->tree.nodes.n);
			assert_true(e->other_stack[k] < stream->tree.nodes.n);
			assert_true(e->other[k] == LODE_NONE || e->other[k] < stream->threads.n);
			assert_true((e->reason[k] == LODE_REASON_NONE) ==
				    (e->kind[k] != LODE_EVENT_WAITING));
		}
		if (e->n == 0)
			continue;
		assert_true(e->start_ns[0] >= stream->t0_ns);
		assert_true(lode_event_end_ns(e, e->n - 1) <= stream->t1_ns);
		assert_true(lode_event_end_ns(e, e->n - 1) <= thread->died_ns);
	}
}
