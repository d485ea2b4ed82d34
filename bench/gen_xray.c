/*
 * gen_xray: an XRay flight data recorder log (version 5) of any size, the same for the same seed.
 *
 *   gen_xray [--calls N] [--threads N] [--seed N] [--hz N] [--buffer BYTES] [--basic] [--lost PCT]
 *            [--fork PCT] [--symbols FILE] LOG
 *
 * Threads serve requests of a few kinds each: a request calls functions of a fixed random call
 * graph up to 24 deep, with own time around each call. As in real programs most calls of a function
 * go to the same callee, in loops, and a third of all functions are leaves that many others call
 * (locks, allocation, comparisons): threads have some thousands of distinct stacks, where those of
 * a recorded storage engine have 300 to 900; --fork is the share of functions that call two others
 * beside leaves, and makes more of them. Between requests a thread now and then has nothing to do.
 * A few calls per thread are planted outliers of 50 to 800 ms. --basic writes a basic log
 * (version 3), --lost leaves out that share of the buffers, as a recorder that had none free.
 *
 * On standard output, the truth as a table:
 *
 *   thread  <tid> <calls> <first ns> <last ns>
 *   outlier <tid> <function> <start ns> <duration ns>
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_random.h"

enum {
	N_FUNCTIONS = 600,
	N_INNER = 400,	/* functions up to here call others; the thread's own function is 1 */
	N_ROOTS = 12,	/* functions that requests start with, from 2 on */
	ROOTS_EACH = 3, /* of them, in one thread */
	INNER_SPAN = 30,
	CALLEES_MAX = 6,
	CALLS_MAX = 4, /* that one call makes */
	DEPTH_MAX = 24,
	OUTLIERS = 3, /* per thread */
	METADATA = 16,
	BASIC_RECORD = 32,
};

struct function {
	uint32_t callees[CALLEES_MAX]; /* the usual ones first */
	uint32_t n_callees;
	uint32_t own_ticks; /* mean, around each call that it makes */
};

struct frame {
	uint32_t function;
	uint32_t n_calls_left;
	uint64_t planted_at; /* ticks at its entry if it is an outlier, else 0 */
};

struct thread {
	int32_t tid;
	uint32_t kind; /* of requests that it serves */
	uint32_t depth;
	uint64_t now, last_event; /* ticks */
	uint64_t first, n_calls, budget;
	uint64_t outliers[OUTLIERS]; /* numbers of the calls that are, rising */
	uint32_t next_outlier;
	bool is_done;
	struct gen_random random;
	struct frame stack[DEPTH_MAX + 2];
};

struct options {
	uint64_t calls, seed, hz, buffer;
	uint32_t threads, lost_pct, fork_pct;
	bool is_basic;
	const char *log, *symbols;
};

struct gen {
	struct options options;
	struct function functions[N_FUNCTIONS + 1];
	struct thread *threads;
	uint8_t *buffer;
	size_t n; /* bytes in the buffer */
	FILE *log;
	int32_t pid;
};

/* ---- Records ---- */

static void put(struct gen *gen, const void *data, size_t size)
{
	memcpy(gen->buffer + gen->n, data, size);
	gen->n += size;
}

static void put_metadata(struct gen *gen, unsigned kind, const void *body, size_t size)
{
	uint8_t record[METADATA] = {(uint8_t)(kind << 1 | 1)};

	memcpy(record + 1, body, size);
	put(gen, record, sizeof(record));
}

static void put_cpu(struct gen *gen, struct thread *t)
{
	uint8_t body[10] = {(uint8_t)gen_below(&t->random, 16)};

	memcpy(body + 2, &t->now, sizeof(t->now));
	put_metadata(gen, 2, body, sizeof(body));
	t->last_event = t->now;
}

static void start_buffer(struct gen *gen, struct thread *t)
{
	uint64_t s = t->now / gen->options.hz;
	uint32_t us = (uint32_t)((t->now - s * gen->options.hz) * 1000000 / gen->options.hz);
	uint8_t wall[12];

	gen->n = 0;
	if (gen->options.is_basic)
		return;
	memcpy(wall, &s, sizeof(s));
	memcpy(wall + 8, &us, sizeof(us));
	put_metadata(gen, 0, &t->tid, sizeof(t->tid));
	put_metadata(gen, 4, wall, sizeof(wall));
	put_metadata(gen, 9, &gen->pid, sizeof(gen->pid));
	put_cpu(gen, t);
}

static void write_buffer(struct gen *gen, struct thread *t)
{
	uint8_t extents[METADATA] = {7 << 1 | 1};
	uint64_t size = gen->n;

	if (gen_below(&t->random, 100) < gen->options.lost_pct)
		return;
	memcpy(extents + 1, &size, sizeof(size));
	if (!gen->options.is_basic)
		fwrite(extents, 1, sizeof(extents), gen->log);
	fwrite(gen->buffer, 1, gen->n, gen->log);
}

/* kind: 0 enters, 1 leaves. Takes its time from t->now. */
static void put_event(struct gen *gen, struct thread *t, uint32_t kind, uint32_t function)
{
	uint64_t since = t->now - t->last_event;
	uint32_t words[2] = {kind << 1 | function << 4, (uint32_t)since};

	if (gen->options.is_basic) {
		uint8_t record[BASIC_RECORD] = {0, 0, 0, (uint8_t)kind};

		memcpy(record + 4, &function, 4);
		memcpy(record + 8, &t->now, 8);
		memcpy(record + 16, &t->tid, 4);
		memcpy(record + 20, &gen->pid, 4);
		put(gen, record, sizeof(record));
	} else {
		if (since > UINT32_MAX) {
			put_metadata(gen, 3, &t->now, sizeof(t->now));
			words[1] = 0;
		}
		put(gen, words, sizeof(words));
	}
	t->last_event = t->now;
}

/* ---- What the program does ---- */

static void make_functions(struct gen *gen, struct gen_random *random)
{
	for (uint32_t f = 2; f <= N_FUNCTIONS; f++) {
		struct function *function = &gen->functions[f];
		uint32_t n_inner, n_callees;

		function->own_ticks = 20 + gen_below(random, 180);
		if (f > N_INNER)
			continue;
		/* Inner functions call later ones, one or two, and some leaves. */
		n_inner = f + INNER_SPAN > N_INNER
				  ? 0
				  : 1 + (gen_below(random, 100) < gen->options.fork_pct);
		n_callees = n_inner + 1 + gen_below(random, CALLEES_MAX - n_inner);
		for (uint32_t i = 0; i < n_callees; i++)
			function->callees[i] =
				i < n_inner
					? f + 1 + gen_below(random, INNER_SPAN)
					: N_INNER + 1 + gen_below(random, N_FUNCTIONS - N_INNER);
		function->n_callees = n_callees;
	}
}

/* Which callee is next: three times in four the first that is left. */
static uint32_t next_callee(struct gen *gen, struct thread *t, uint32_t function)
{
	const struct function *f = &gen->functions[function];
	uint32_t i = 0;

	while (i + 1 < f->n_callees && gen_below(&t->random, 4) == 0)
		i++;
	return f->callees[i];
}

static uint64_t own_time(struct gen *gen, struct thread *t, uint32_t function)
{
	uint32_t mean = gen->functions[function].own_ticks;

	return 10 + gen_below(&t->random, 2 * mean + 1);
}

static void enter(struct gen *gen, struct thread *t, uint32_t function)
{
	struct frame *frame = &t->stack[t->depth++];

	put_event(gen, t, 0, function);
	frame->function = function;
	frame->planted_at = 0;
	frame->n_calls_left = t->depth <= DEPTH_MAX ? gen->functions[function].n_callees : 0;
	if (frame->n_calls_left)
		frame->n_calls_left = gen_below(&t->random, CALLS_MAX + 1);
	t->n_calls++;
	if (t->next_outlier < OUTLIERS && t->n_calls >= t->outliers[t->next_outlier] &&
	    frame->n_calls_left == 0) {
		t->next_outlier++;
		frame->planted_at = t->now;
		t->now += gen->options.hz / 1000 * (50 + gen_below(&t->random, 750));
	}
	t->now += own_time(gen, t, function);
}

static int64_t to_ns(const struct gen *gen, uint64_t ticks)
{
	return (int64_t)((unsigned __int128)ticks * 1000000000 / gen->options.hz);
}

static void leave(struct gen *gen, struct thread *t)
{
	struct frame *frame = &t->stack[--t->depth];

	put_event(gen, t, 1, frame->function);
	if (frame->planted_at)
		printf("outlier\t%d\tfunction_%u\t%" PRId64 "\t%" PRId64 "\n", t->tid,
		       frame->function, to_ns(gen, frame->planted_at),
		       to_ns(gen, t->now) - to_ns(gen, frame->planted_at));
	if (t->depth)
		t->now += own_time(gen, t, t->stack[t->depth - 1].function);
}

/* One event of the thread. */
static void step(struct gen *gen, struct thread *t)
{
	struct frame *frame = t->depth ? &t->stack[t->depth - 1] : NULL;

	if (!frame) {
		enter(gen, t, 1);
		t->first = t->last_event;
	} else if (t->n_calls >= t->budget) {
		leave(gen, t);
		t->is_done = t->depth == 0;
	} else if (t->depth == 1) { /* the next request */
		if (gen_below(&t->random, 400) == 0)
			t->now += gen->options.hz / 1000000 * gen_below(&t->random, 100000);
		enter(gen, t,
		      2 + (t->kind * ROOTS_EACH + gen_below(&t->random, ROOTS_EACH)) % N_ROOTS);
	} else if (frame->n_calls_left) {
		frame->n_calls_left--;
		enter(gen, t, next_callee(gen, t, frame->function));
	} else {
		leave(gen, t);
	}
}

static void fill_buffer(struct gen *gen, struct thread *t)
{
	start_buffer(gen, t);
	while (!t->is_done && gen->n + METADATA + BASIC_RECORD <= gen->options.buffer) {
		if (!gen->options.is_basic && gen_below(&t->random, 4000) == 0)
			put_cpu(gen, t);
		step(gen, t);
	}
	write_buffer(gen, t);
}

static void make_threads(struct gen *gen, struct gen_random *random)
{
	uint64_t parts = 0, calls = gen->options.calls;

	/* Some threads do much more than others. */
	for (uint32_t i = 0; i < gen->options.threads; i++)
		parts += 1 + i % 5;
	for (uint32_t i = 0; i < gen->options.threads; i++) {
		struct thread *t = &gen->threads[i];

		t->tid = gen->pid + (int32_t)i;
		t->kind = i;
		t->random.state = gen_u64(random);
		t->budget = gen->options.calls * (1 + i % 5) / parts;
		if (i + 1 == gen->options.threads)
			t->budget = calls;
		calls -= t->budget;
		if (t->budget == 0)
			t->is_done = true;
		t->now = gen->options.hz * 100 + gen_below(&t->random, 1000000);
		for (uint64_t k = 0; k < OUTLIERS; k++)
			t->outliers[k] = t->budget * (2 * k + 1) / (2 * OUTLIERS) + 2;
	}
}

static void generate(struct gen *gen)
{
	for (;;) {
		struct thread *next = NULL;

		for (uint32_t i = 0; i < gen->options.threads; i++)
			if (!gen->threads[i].is_done && (!next || gen->threads[i].now < next->now))
				next = &gen->threads[i];
		if (!next)
			return;
		fill_buffer(gen, next);
	}
}

static void write_header(struct gen *gen)
{
	uint8_t header[32] = {0};
	uint16_t version = gen->options.is_basic ? 3 : 5, type = gen->options.is_basic ? 0 : 1;
	uint32_t flags = 3;

	memcpy(header, &version, 2);
	memcpy(header + 2, &type, 2);
	memcpy(header + 4, &flags, 4);
	memcpy(header + 8, &gen->options.hz, 8);
	memcpy(header + 16, &gen->options.buffer, 8);
	fwrite(header, 1, sizeof(header), gen->log);
}

static int write_symbols(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fprintf(f, "# function id\taddress\tname\n");
	for (int i = 1; i <= N_FUNCTIONS; i++)
		fprintf(f, "%d\t0x%X\tfunction_%d\n", i, 0x400000 + i * 64, i);
	return fclose(f);
}

static int run(struct gen *gen)
{
	struct gen_random random = {gen->options.seed};

	gen->pid = 1000;
	gen->log = fopen(gen->options.log, "wb");
	if (!gen->log || (gen->options.symbols && write_symbols(gen->options.symbols))) {
		fprintf(stderr, "gen_xray: %s\n", strerror(errno));
		return 4;
	}
	gen->buffer = malloc(gen->options.buffer);
	gen->threads = calloc(gen->options.threads, sizeof(*gen->threads));
	if (!gen->buffer || !gen->threads)
		return 4;
	make_functions(gen, &random);
	gen->functions[1].own_ticks = 100;
	make_threads(gen, &random);
	write_header(gen);
	generate(gen);
	for (uint32_t i = 0; i < gen->options.threads; i++) {
		const struct thread *t = &gen->threads[i];

		printf("thread\t%d\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\n", t->tid, t->n_calls,
		       to_ns(gen, t->first), to_ns(gen, t->last_event));
	}
	free(gen->buffer);
	free(gen->threads);
	if (fclose(gen->log)) {
		fprintf(stderr, "gen_xray: %s: %s\n", gen->options.log, strerror(errno));
		return 4;
	}
	return 0;
}

static bool parse(struct options *options, int argc, char **argv)
{
	uint64_t threads = 28, lost = 0, fork = 28;
	const struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {{"--calls", &options->calls},
		       {"--threads", &threads},
		       {"--seed", &options->seed},
		       {"--hz", &options->hz},
		       {"--buffer", &options->buffer},
		       {"--lost", &lost},
		       {"--fork", &fork}};

	for (int i = 1; i < argc; i++) {
		size_t k = 0;

		while (k < sizeof(numbers) / sizeof(*numbers) && strcmp(argv[i], numbers[k].name))
			k++;
		if (k < sizeof(numbers) / sizeof(*numbers) && i + 1 < argc)
			*numbers[k].value = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--basic"))
			options->is_basic = true;
		else if (!strcmp(argv[i], "--symbols") && i + 1 < argc)
			options->symbols = argv[++i];
		else if (argv[i][0] == '-' || options->log)
			return false;
		else
			options->log = argv[i];
	}
	options->threads = (uint32_t)threads;
	options->lost_pct = (uint32_t)lost;
	options->fork_pct = (uint32_t)fork;
	return options->log && threads > 0 && threads < 100000 && options->buffer >= 256 &&
	       options->hz >= 1000000 && options->calls >= threads;
}

int main(int argc, char **argv)
{
	static struct gen gen;

	gen.options =
		(struct options){.calls = 1000000, .seed = 1, .hz = 2596126000, .buffer = 262144};
	if (!parse(&gen.options, argc, argv)) {
		fprintf(stderr,
			"usage: gen_xray [--calls N] [--threads N] [--seed N] [--hz N] "
			"[--buffer BYTES] [--basic] [--lost PCT] [--fork PCT] [--symbols FILE] "
			"LOG\n");
		return 2;
	}
	return run(&gen);
}
