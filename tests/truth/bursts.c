/*
 * Short bursts on a CPU between waits, whose functions time themselves: what a profile of them must
 * come to. Two programs in one, so that what is tuned on the first can be reported on the second.
 *
 *	bursts pipe|mixed|phases SECONDS > truth.tsv
 *
 * pipe: one thread; a request is alpha, then beta, then a wait in ask_peer; now and then gamma and
 *a wait in nap_short mixed: three threads of one pool; long-tailed lengths, three kinds of request,
 *waits in two functions phases: what a request does changes every 300 ms, its waits do not
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

enum { ALPHA, BETA, GAMMA, DELTA, N_FUNCTIONS, MOST_THREADS = 4 };
static const char *const names[] = {"alpha", "beta", "gamma_", "delta"};

struct worker {
	int ask, answer;
	uint64_t random;
	int64_t spent_ns[N_FUNCTIONS];
	pthread_t thread;
};
static struct worker workers[MOST_THREADS];
static int64_t end_ns;
static volatile uint64_t sink;

/* Without the vDSO's frames: a system call of our own, so that stacks are whole. */
static long call(long nr, long a, long b, long c)
{
	long out;

	__asm__ volatile("syscall"
			 : "=a"(out)
			 : "a"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return out;
}

static inline __attribute__((always_inline)) int64_t now_ns(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (int64_t)((uint64_t)hi << 32 | lo);
}

static double ticks_per_ns;

/* Of this thread: what it was preempted for is nobody's. */
static inline __attribute__((always_inline)) int64_t cpu_ns(void)
{
	struct timespec t;

	call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t, 0);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Works for about `ns`, and gives how long it was. */
#define SPIN(w, f, ns)                                               \
	do {                                                         \
		int64_t used = cpu_ns(), start = now_ns(),           \
			want = (int64_t)((double)(ns)*ticks_per_ns); \
		uint64_t x = (uint64_t)start;                        \
		while (now_ns() - start < want)                      \
			for (int i = 0; i < 20; i++)                 \
				x = x * 6364136223846793005u + 1;    \
		sink = x;                                            \
		(w)->spent_ns[f] += cpu_ns() - used;                 \
	} while (0)

NOINLINE void alpha(struct worker *w, int64_t ns)
{
	SPIN(w, ALPHA, ns);
	__asm__ volatile("");
}
NOINLINE void beta(struct worker *w, int64_t ns)
{
	SPIN(w, BETA, ns);
	__asm__ volatile("");
}
NOINLINE void gamma_(struct worker *w, int64_t ns)
{
	SPIN(w, GAMMA, ns);
	__asm__ volatile("");
}
NOINLINE void delta(struct worker *w, int64_t ns)
{
	SPIN(w, DELTA, ns);
	__asm__ volatile("");
}

NOINLINE void ask_peer(struct worker *w)
{
	char byte = 1;

	call(SYS_write, w->ask, (long)&byte, 1);
	call(SYS_read, w->answer, (long)&byte, 1);
	__asm__ volatile("");
}

NOINLINE void nap_short(int64_t ns)
{
	struct timespec t = {0, ns};

	call(SYS_nanosleep, (long)&t, 0, 0);
	__asm__ volatile("");
}

static uint64_t draw(struct worker *w, uint64_t bound)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random % bound;
}

NOINLINE void serve_pipe(struct worker *w, uint64_t i)
{
	if (i % 7 == 6) {
		gamma_(w, 50000 + (int64_t)draw(w, 350000));
		nap_short(100000);
	} else {
		alpha(w, 50000 + (int64_t)draw(w, 200000));
		beta(w, 50000 + (int64_t)draw(w, 100000));
		ask_peer(w);
	}
	__asm__ volatile("");
}

NOINLINE void serve_mixed(struct worker *w, uint64_t i)
{
	uint64_t kind = draw(w, 10);
	int64_t tail = 20000 + (int64_t)draw(w, 60000);

	(void)i;
	for (int k = 0; k < 3 && draw(w, 3) == 0; k++)
		tail *= 3;
	if (kind < 6) {
		delta(w, 30000 + (int64_t)draw(w, 40000));
		ask_peer(w);
		alpha(w, tail);
		nap_short(50000);
	} else if (kind < 9) {
		beta(w, tail);
		ask_peer(w);
	} else {
		gamma_(w, 2 * tail);
		delta(w, 40000);
		nap_short(200000);
	}
	__asm__ volatile("");
}

NOINLINE void serve_phases(struct worker *w, uint64_t i)
{
	struct timespec t;

	(void)i;
	clock_gettime(CLOCK_MONOTONIC, &t);
	if (t.tv_nsec / 300000000 % 2)
		alpha(w, 100000 + (int64_t)draw(w, 300000));
	else
		beta(w, 30000 + (int64_t)draw(w, 60000));
	ask_peer(w);
	__asm__ volatile("");
}

static void (*serve)(struct worker *w, uint64_t i);

static void *work(void *of)
{
	struct worker *w = of;

	for (uint64_t i = 0; now_ns() < end_ns; i++)
		serve(w, i);
	return NULL;
}

/* The peer answers after a moment. */
static void *peer(void *of)
{
	int *fds = of;
	char byte;

	while (call(SYS_read, fds[0], (long)&byte, 1) == 1) {
		nap_short(100000);
		call(SYS_write, fds[1], (long)&byte, 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static int to[MOST_THREADS][2], from[MOST_THREADS][2], ends[MOST_THREADS][2];
	int n = 1;
	double seconds = argc > 2 ? atof(argv[2]) : 3;
	struct timespec a, b;
	int64_t t0 = now_ns();

	serve = serve_pipe;
	if (argc > 1 && !strcmp(argv[1], "mixed")) {
		serve = serve_mixed;
		n = 3;
	} else if (argc > 1 && !strcmp(argv[1], "phases")) {
		serve = serve_phases;
	}
	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while ((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec < 50000000);
	ticks_per_ns = (double)(now_ns() - t0) /
		       (double)((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec);
	end_ns = now_ns() + (int64_t)(seconds * 1e9 * ticks_per_ns);
	for (int i = 0; i < n; i++) {
		pthread_t thread;

		if (pipe(to[i]) || pipe(from[i]))
			return 1;
		ends[i][0] = to[i][0];
		ends[i][1] = from[i][1];
		workers[i] = (struct worker){
			to[i][1], from[i][0], 88172645463325252u + (uint64_t)i * 7919, {0}, 0};
		pthread_create(&thread, NULL, peer, ends[i]);
		pthread_setname_np(thread, "peer");
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
		pthread_setname_np(workers[i].thread, "worker");
	}
	for (int i = 0; i < n; i++)
		pthread_join(workers[i].thread, NULL);
	for (int f = 0; f < N_FUNCTIONS; f++) {
		int64_t sum = 0;

		for (int i = 0; i < n; i++)
			sum += workers[i].spent_ns[f];
		printf("%s\t%lld\n", names[f], (long long)sum);
	}
	return 0;
}
