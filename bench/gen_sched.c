#include "gen_sched.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	NOBODY = -1,
	THREADS_PER_PROCESS = 8,
	COMMAND_PID = 1000,
	TICK_NS = 1001001, /* 999 Hz */
	SLICE_NS = 3000000,
	MAX_WAIT_CHAIN = 4,
	STATE_SLEEPING = 1,
	STATE_DISK = 2,
	STATE_DEAD = 16,
	FLAG_IRQS_OFF = 1,
	FLAG_HARDIRQ = 8,
};

enum state { STATE_UNBORN, STATE_READY, STATE_RUNNING, STATE_BLOCKED, STATE_GONE };

struct thread {
	int32_t pid, tid;
	char comm[16];
	enum state state;
	bool is_main, is_named;
	uint32_t cpu;
	uint32_t site;
	bool is_busy; /* its activity was interrupted, and goes on */
	int64_t since_ns;
	int waits_for;	/* thread, or NOBODY */
	uint32_t lives; /* activities until a thread that was made on the way ends; 0: it stays */
	LODE_VEC(int) waiters;
};

struct cpu {
	int current;
	LODE_VEC(int) queue;
	int64_t block_ns, slice_end_ns; /* when the current thread blocks; when others may run */
	int64_t tick_ns;		/* next clock sample */
	int64_t enter_ns;		/* idle: when the first of the queue gets in */
	uint64_t n_to_lose, n_lost;
};

/* A device or timer that will wake a thread. */
struct alarm {
	int64_t t_ns;
	int thread;
};

struct sched {
	struct gen_perf *perf;
	const struct gen_world *world;
	const struct gen_sched_options *options;
	struct gen_truth *truth;
	struct gen_random random;
	int64_t now_ns;
	struct thread *threads;
	uint32_t n_threads;
	struct cpu *cpus;
	LODE_VEC(struct alarm) alarms; /* a heap, the earliest first */
};

/* ---- Alarms ---- */

static void swap_alarms(struct sched *s, size_t a, size_t b)
{
	struct alarm alarm = s->alarms.at[a];

	s->alarms.at[a] = s->alarms.at[b];
	s->alarms.at[b] = alarm;
}

static void add_alarm(struct sched *s, int64_t t_ns, int thread)
{
	struct alarm alarm = {t_ns, thread};
	size_t i = s->alarms.n;

	lode_vec_append(&s->alarms, alarm);
	for (; i && s->alarms.at[(i - 1) / 2].t_ns > s->alarms.at[i].t_ns; i = (i - 1) / 2)
		swap_alarms(s, i, (i - 1) / 2);
}

static int take_alarm(struct sched *s)
{
	int thread = s->alarms.at[0].thread;
	size_t i = 0, child;

	s->alarms.at[0] = s->alarms.at[--s->alarms.n];
	while ((child = 2 * i + 1) < s->alarms.n) {
		if (child + 1 < s->alarms.n &&
		    s->alarms.at[child + 1].t_ns < s->alarms.at[child].t_ns)
			child++;
		if (s->alarms.at[i].t_ns <= s->alarms.at[child].t_ns)
			break;
		swap_alarms(s, i, child);
		i = child;
	}
	return thread;
}

/* ---- Costs ---- */

static void add_cost(struct gen_cost *cost, enum state state, int64_t ns)
{
	*(state == STATE_RUNNING   ? &cost->run_ns
	  : state == STATE_BLOCKED ? &cost->wait_ns
				   : &cost->ready_ns) += ns;
}

/* The thread leaves its state: the time in it goes to its site. */
static void enter_state(struct sched *s, struct thread *t, enum state state)
{
	int planted = s->world->sites.at[t->site].planted;

	if (t->state != STATE_UNBORN && t->state != STATE_GONE) {
		add_cost(&s->truth->all, t->state, s->now_ns - t->since_ns);
		if (planted >= 0)
			add_cost(&s->truth->planted[planted], t->state, s->now_ns - t->since_ns);
	}
	t->state = state;
	t->since_ns = s->now_ns;
}

/* ---- Records ---- */

static struct gen_stamp stamp_of(const struct sched *s, uint32_t cpu)
{
	int current = s->cpus[cpu].current;

	return (struct gen_stamp){
		.t_ns = s->now_ns,
		.cpu = cpu,
		.pid = current == NOBODY ? 0 : s->threads[current].pid,
		.tid = current == NOBODY ? 0 : s->threads[current].tid,
	};
}

/* True when the sample is to be dropped. The first one kept after that comes behind a LOST. */
static bool is_lost(struct sched *s, uint32_t cpu)
{
	struct cpu *c = &s->cpus[cpu];
	struct gen_stamp stamp = stamp_of(s, cpu);

	if (!s->options->has_losses)
		return false;
	if (!c->n_to_lose && !c->n_lost && gen_below(&s->random, 4000) == 0)
		c->n_to_lose = 1 + gen_below(&s->random, 60);
	if (c->n_to_lose) {
		c->n_to_lose--;
		c->n_lost++;
		s->truth->n_lost++;
		return true;
	}
	if (c->n_lost) {
		gen_perf_lost(s->perf, &stamp, c->n_lost);
		c->n_lost = 0;
	}
	return false;
}

static void set_comm(char to[16], const struct sched *s, int thread, uint32_t cpu)
{
	if (thread == NOBODY)
		snprintf(to, 16, "swapper/%u", cpu);
	else
		memcpy(to, s->threads[thread].comm, 16);
}

static void record_switch(struct sched *s, uint32_t cpu, int next, int64_t prev_state,
			  const struct gen_chain *chain)
{
	int prev = s->cpus[cpu].current;
	struct gen_stamp stamp = stamp_of(s, cpu);
	struct gen_switch_payload payload = {
		.flags = FLAG_IRQS_OFF,
		.preempt_count = 2,
		.pid = stamp.tid,
		.prev_pid = stamp.tid,
		.prev_prio = prev == NOBODY ? 120 : 120 + (int)cpu % 2,
		.prev_state = prev_state,
		.next_pid = next == NOBODY ? 0 : s->threads[next].tid,
		.next_prio = 120,
	};

	s->truth->n_switches++;
	if (is_lost(s, cpu))
		return;
	set_comm(payload.prev_comm, s, prev, cpu);
	set_comm(payload.next_comm, s, next, cpu);
	if (prev_state == STATE_DEAD)
		stamp.pid = stamp.tid = -1; /* the kernel has forgotten its number by then */
	gen_perf_switch(s->perf, &stamp, &payload, chain);
}

static void record_waking(struct sched *s, uint32_t cpu, int wakee, uint32_t target, bool is_irq,
			  const struct gen_chain *chain)
{
	struct gen_stamp stamp = stamp_of(s, cpu);
	struct gen_waking_payload payload = {
		.flags = FLAG_IRQS_OFF | (is_irq ? FLAG_HARDIRQ : 0),
		.preempt_count = 1,
		.pid = stamp.tid,
		.wakee = s->threads[wakee].tid,
		.prio = 120,
		.target_cpu = (int32_t)target,
	};

	s->truth->n_wakings++;
	if (is_lost(s, cpu))
		return;
	memcpy(payload.comm, s->threads[wakee].comm, 16);
	gen_perf_waking(s->perf, &stamp, &payload, chain);
}

/* ---- Activities ---- */

static void pick_site(struct sched *s, struct thread *t)
{
	const struct gen_world *world = s->world;
	const struct gen_planted *planted;

	if (world->n_planted && gen_below(&s->random, 6) == 0) {
		planted = &world->planted[gen_zipf(&s->random, world->n_planted)];
		/* Sites of main threads and of workers take turns. */
		t->site = planted->first_site + gen_below(&s->random, planted->n_sites / 2) * 2 +
			  !t->is_main;
		s->truth->planted[world->sites.at[t->site].planted].n++;
	} else if (t->is_main) {
		t->site = gen_zipf(&s->random, world->n_main_sites);
	} else {
		t->site = world->n_main_sites + gen_zipf(&s->random, world->n_worker_sites);
	}
	s->truth->all.n++;
}

/* What a clock sample finds: the site, or, in unplanted activities, now and then another one. */
static const struct gen_chain *pick_run(struct sched *s, const struct thread *t)
{
	const struct gen_site *site = &s->world->sites.at[t->site];
	uint32_t other = gen_zipf(&s->random, s->world->n_main_sites);

	if (site->planted < 0 && t->is_main && gen_below(&s->random, 2))
		site = &s->world->sites.at[other];
	return &site->run[gen_below(&s->random, GEN_RUNS_PER_SITE)];
}

static int64_t run_length(struct sched *s, const struct gen_site *site)
{
	bool burns = site->planted >= 0 && s->world->planted[site->planted].is_cpu;

	return gen_exponential(&s->random, burns ? 6e6 : 1.2e6, 20000);
}

/* ---- Moves ---- */

static uint32_t choose_cpu(struct sched *s, const struct thread *t)
{
	if (s->cpus[t->cpu].current == NOBODY && !s->cpus[t->cpu].queue.n)
		return t->cpu;
	for (uint32_t i = 0; i < s->options->n_cpus; i++)
		if (s->cpus[i].current == NOBODY && !s->cpus[i].queue.n)
			return i;
	return t->cpu;
}

static void enqueue(struct sched *s, int thread, uint32_t cpu)
{
	struct cpu *c = &s->cpus[cpu];

	s->threads[thread].cpu = cpu;
	if (c->current == NOBODY && !c->queue.n)
		c->enter_ns = s->now_ns + gen_exponential(&s->random, 8000, 1500);
	lode_vec_append(&c->queue, thread);
}

static int dequeue(struct cpu *c)
{
	int thread;

	if (!c->queue.n)
		return NOBODY;
	thread = c->queue.at[0];
	memmove(c->queue.at, c->queue.at + 1, --c->queue.n * sizeof(*c->queue.at));
	return thread;
}

/* `chain` is where `cpu`'s current thread, or its interrupt, is. */
static void wake(struct sched *s, uint32_t cpu, int wakee, bool is_irq,
		 const struct gen_chain *chain)
{
	struct thread *t = &s->threads[wakee];
	uint32_t target = choose_cpu(s, t);

	record_waking(s, cpu, wakee, target, is_irq, chain);
	t->waits_for = NOBODY;
	enter_state(s, t, STATE_READY);
	enqueue(s, wakee, target);
}

static void switch_to(struct sched *s, uint32_t cpu, int64_t prev_state,
		      const struct gen_chain *chain)
{
	struct cpu *c = &s->cpus[cpu];
	int next = dequeue(c);
	struct gen_stamp stamp;
	struct thread *t;

	record_switch(s, cpu, next, prev_state, chain);
	c->current = next;
	if (next == NOBODY)
		return;
	t = &s->threads[next];
	enter_state(s, t, STATE_RUNNING);
	if (!t->is_busy)
		pick_site(s, t);
	t->is_busy = true;
	c->slice_end_ns = s->now_ns + SLICE_NS;
	c->block_ns = s->now_ns + run_length(s, &s->world->sites.at[t->site]);
	c->tick_ns +=
		s->now_ns > c->tick_ns ? (s->now_ns - c->tick_ns + TICK_NS) / TICK_NS * TICK_NS : 0;
	if (!t->is_named) {
		t->is_named = true;
		stamp = stamp_of(s, cpu);
		gen_perf_comm(s->perf, &stamp, t->comm, false);
	}
}

/* Whether waiting for `other` would close a circle, or make a long chain longer. */
static bool may_wait_for(const struct sched *s, int thread, int other)
{
	for (int length = 0; other != NOBODY; other = s->threads[other].waits_for)
		if (other == thread || ++length > MAX_WAIT_CHAIN ||
		    s->threads[other].state == STATE_UNBORN ||
		    s->threads[other].state == STATE_GONE)
			return false;
	return true;
}

static void arrange_waking(struct sched *s, int thread, const struct gen_site *site)
{
	struct thread *t = &s->threads[thread];
	int process = thread / THREADS_PER_PROCESS * THREADS_PER_PROCESS, other;

	if (site->wait == GEN_WAIT_LOCK || site->wait == GEN_WAIT_PIPE) {
		for (int tries = 0; tries < 6; tries++) {
			other = process + (int)gen_below(&s->random, THREADS_PER_PROCESS);
			/* Threads that may end are nobody's hope. */
			if (other >= (int)s->n_threads || s->threads[other].lives ||
			    !may_wait_for(s, thread, other))
				continue;
			t->waits_for = other;
			lode_vec_append(&s->threads[other].waiters, thread);
			return;
		}
	}
	add_alarm(s,
		  s->now_ns + gen_exponential(&s->random, site->wait == GEN_WAIT_TIMER ? 8e6 : 2e6,
					      30000),
		  thread);
}

/* The running thread lets those go who wait for it, and its process's next thread be born. */
static void help_others(struct sched *s, uint32_t cpu)
{
	int thread = s->cpus[cpu].current, first = thread / THREADS_PER_PROCESS;
	struct thread *t = &s->threads[thread];
	struct gen_stamp stamp;

	for (size_t i = 0; i < t->waiters.n; i++) {
		s->now_ns += 1 + gen_below(&s->random, 2000);
		wake(s, cpu, t->waiters.at[i], false, &s->world->sites.at[t->site].waking);
	}
	t->waiters.n = 0;
	first *= THREADS_PER_PROCESS;
	for (int i = first; t->is_main && i < first + THREADS_PER_PROCESS; i++) {
		if (i >= (int)s->n_threads || s->threads[i].state != STATE_UNBORN)
			continue;
		s->now_ns++;
		stamp = stamp_of(s, cpu);
		stamp.tid = s->threads[i].tid;
		gen_perf_fork(s->perf, &stamp, t->pid, t->tid);
		enter_state(s, &s->threads[i], STATE_READY);
		enqueue(s, i, choose_cpu(s, &s->threads[i]));
		return;
	}
}

static void block(struct sched *s, uint32_t cpu)
{
	int thread = s->cpus[cpu].current;
	struct thread *t = &s->threads[thread];
	const struct gen_site *site = &s->world->sites.at[t->site];
	struct gen_stamp stamp;

	help_others(s, cpu);
	s->now_ns++;
	t->is_busy = false;
	if (t->lives && --t->lives == 0) {
		stamp = stamp_of(s, cpu);
		gen_perf_exit(s->perf, &stamp, t->pid, t->pid);
		s->now_ns++;
		enter_state(s, t, STATE_GONE);
		switch_to(s, cpu, STATE_DEAD, &s->world->exiting);
		return;
	}
	arrange_waking(s, thread, site);
	enter_state(s, t, STATE_BLOCKED);
	switch_to(s, cpu,
		  site->wait == GEN_WAIT_DISK || site->wait == GEN_WAIT_FAULT ? STATE_DISK
									      : STATE_SLEEPING,
		  &site->blocked);
}

static void preempt(struct sched *s, uint32_t cpu)
{
	int thread = s->cpus[cpu].current;
	struct thread *t = &s->threads[thread];

	enter_state(s, t, STATE_READY);
	lode_vec_append(&s->cpus[cpu].queue, thread);
	switch_to(s, cpu, 0, &s->world->sites.at[t->site].preempted);
}

static void tick(struct sched *s, uint32_t cpu)
{
	struct gen_stamp stamp = stamp_of(s, cpu);

	s->cpus[cpu].tick_ns += TICK_NS;
	if (!is_lost(s, cpu))
		gen_perf_clock(s->perf, &stamp, pick_run(s, &s->threads[s->cpus[cpu].current]));
}

static void interrupt(struct sched *s)
{
	int wakee = take_alarm(s);
	uint32_t cpu = s->threads[wakee].cpu;
	int current = s->cpus[cpu].current;

	wake(s, cpu, wakee, true,
	     current == NOBODY ? &s->world->idle_interrupted
			       : &s->world->sites.at[s->threads[current].site].interrupted);
}

/* ---- The whole ---- */

static int64_t next_of(const struct cpu *c)
{
	int64_t t = c->tick_ns < c->block_ns ? c->tick_ns : c->block_ns;

	if (c->current == NOBODY)
		return c->queue.n ? c->enter_ns : INT64_MAX;
	return c->queue.n && c->slice_end_ns < t ? c->slice_end_ns : t;
}

static void step(struct sched *s)
{
	int64_t t = s->alarms.n ? s->alarms.at[0].t_ns : INT64_MAX;
	uint32_t cpu = s->options->n_cpus;
	struct cpu *c;

	for (uint32_t i = 0; i < s->options->n_cpus; i++)
		if (next_of(&s->cpus[i]) < t) {
			t = next_of(&s->cpus[i]);
			cpu = i;
		}
	s->now_ns = t > s->now_ns ? t : s->now_ns + 1;
	if (cpu == s->options->n_cpus) {
		interrupt(s);
		return;
	}
	c = &s->cpus[cpu];
	if (c->current == NOBODY)
		switch_to(s, cpu, 0, &s->world->idle);
	else if (t == c->tick_ns)
		tick(s, cpu);
	else if (t == c->block_ns)
		block(s, cpu);
	else
		preempt(s, cpu);
}

static void name_thread(struct sched *s, uint32_t i)
{
	struct thread *t = &s->threads[i];
	uint32_t in_process = i % THREADS_PER_PROCESS;

	t->is_main = in_process == 0;
	t->pid = (int32_t)(COMMAND_PID + i / THREADS_PER_PROCESS * 100);
	t->tid = t->pid + (int32_t)in_process;
	t->waits_for = NOBODY;
	t->since_ns = s->now_ns;
	t->cpu = i % s->options->n_cpus;
	if (t->is_main)
		snprintf(t->comm, sizeof(t->comm), "synthapp");
	else
		snprintf(t->comm, sizeof(t->comm), "worker-%u", in_process);
	/* The last threads of a process are born on the way, and the very last ends. */
	t->is_named = in_process < THREADS_PER_PROCESS - 2;
	if (in_process == THREADS_PER_PROCESS - 1)
		t->lives = 20;
}

/* A thread that is there from the start; records of `t_ns` 0 are those that perf makes up. */
static void announce(struct sched *s, uint32_t i, int64_t t_ns)
{
	struct thread *t = &s->threads[i];
	struct gen_stamp stamp = {.t_ns = t_ns, .pid = t->pid, .tid = t->tid};

	gen_perf_fork(s->perf, &stamp, t->is_main ? COMMAND_PID : t->pid,
		      t->is_main ? COMMAND_PID : t->pid);
	gen_perf_comm(s->perf, &stamp, t->comm, false);
	for (int m = GEN_APP; t->is_main && m < GEN_N_MODULES; m++)
		gen_perf_mmap(s->perf, &stamp, (enum gen_module)m);
}

/*
 * The first process is the recorded command: perf's child, called perf-exec until it executes the
 * program, in the first moment of the recording. The others are its children.
 */
static void make_threads(struct sched *s)
{
	struct gen_stamp stamp = {.pid = COMMAND_PID, .tid = COMMAND_PID};
	uint32_t i;

	gen_perf_fork(s->perf, &stamp, 1, 1);
	gen_perf_comm(s->perf, &stamp, "perf-exec", false);
	for (i = 0; i < s->n_threads; i++) {
		name_thread(s, i);
		if (s->threads[i].is_named && i >= THREADS_PER_PROCESS)
			announce(s, i, 0);
	}
	stamp.t_ns = s->now_ns;
	gen_perf_comm(s->perf, &stamp, s->threads[0].comm, true);
	for (int m = GEN_APP; m < GEN_N_MODULES; m++)
		gen_perf_mmap(s->perf, &stamp, (enum gen_module)m);
	for (i = 0; i < s->n_threads; i++) {
		if (!s->threads[i].is_named)
			continue;
		if (i && i < THREADS_PER_PROCESS)
			announce(s, i, s->now_ns);
		enter_state(s, &s->threads[i], STATE_READY);
		enqueue(s, (int)i, s->threads[i].cpu);
	}
}

void gen_sched_run(struct gen_perf *perf, const struct gen_world *world,
		   const struct gen_sched_options *options, struct gen_truth *truth)
{
	struct sched s = {
		.perf = perf,
		.world = world,
		.options = options,
		.truth = truth,
		.random = {options->seed},
		.now_ns = 1000000000,
		.n_threads = options->n_threads,
	};
	struct gen_stamp stamp = {.pid = -1, .tid = 0};

	s.threads = lode_alloc0(s.n_threads, sizeof(*s.threads));
	s.cpus = lode_alloc0(options->n_cpus, sizeof(*s.cpus));
	for (uint32_t i = 0; i < options->n_cpus; i++) {
		s.cpus[i].current = NOBODY;
		s.cpus[i].tick_ns = s.now_ns + (int64_t)i * 1000;
	}
	gen_perf_mmap(perf, &stamp, GEN_KERNEL);
	make_threads(&s);
	truth->t0_ns = s.now_ns;
	while ((!options->n_events || gen_perf_n_samples(perf) < options->n_events) &&
	       (!options->n_bytes || gen_perf_n_bytes(perf) < options->n_bytes))
		step(&s);
	for (uint32_t i = 0; i < s.n_threads; i++) {
		enter_state(&s, &s.threads[i], STATE_GONE);
		lode_vec_release(&s.threads[i].waiters);
	}
	for (uint32_t i = 0; i < options->n_cpus; i++)
		lode_vec_release(&s.cpus[i].queue);
	truth->t1_ns = s.now_ns;
	truth->n_samples += gen_perf_n_samples(perf);
	lode_vec_release(&s.alarms);
	free(s.threads);
	free(s.cpus);
}
