/* Tests whether tracepoints are recorded on idle CPUs, and keeps CPUs from idling. */
#include "record/idle_cpus.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/parent_watch.h"
#include "record/rights.h"

/* ---- Are they traced? ---- */

enum {
	N_SLEEPS = 6, /* on each CPU */
	SLEEP_NS = 100000,
	ENOUGH = 3, /* switches to idle, without one back, are no chance */
};

/* Counts the switches on a CPU that the filter lets through; -1: cannot be had. */
static int count_switches(int cpu, const char *filter)
{
	int fd = lode_open_counter("sched", "sched_switch", cpu);

	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static uint64_t take_count(int fd)
{
	uint64_t n = 0;

	if (fd < 0 || read(fd, &n, sizeof(n)) != sizeof(n))
		n = 0;
	if (fd >= 0)
		close(fd);
	return n;
}

static bool is_untraced(int cpu)
{
	const struct timespec pause = {.tv_nsec = SLEEP_NS};
	int to = count_switches(cpu, "next_pid == 0"), from = count_switches(cpu, "prev_pid == 0");
	bool is_counted = to >= 0 && from >= 0;
	uint64_t n_to, n_from;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (is_counted && sched_setaffinity(0, sizeof(set), &set) == 0)
		for (int i = 0; i < N_SLEEPS; i++)
			(void)nanosleep(&pause, NULL);
	n_to = take_count(to);
	n_from = take_count(from);
	return is_counted && n_to >= ENOUGH && !n_from;
}

bool lode_idle_is_untraced(void)
{
	bool is_found = false;
	cpu_set_t before;

	if (sched_getaffinity(0, sizeof(before), &before))
		return false;
	for (int cpu = 0; cpu < CPU_SETSIZE && !is_found; cpu++)
		if (CPU_ISSET(cpu, &before))
			is_found = is_untraced(cpu);
	(void)sched_setaffinity(0, sizeof(before), &before);
	return is_found;
}

/* ---- Spinners ---- */

/* In the child: pins itself, takes the lowest class, and spins until it is killed. */
static void spin(int cpu, pid_t parent) __attribute__((noreturn));

static void spin(int cpu, pid_t parent)
{
	struct sched_param param = {0};
	sigset_t none;
	cpu_set_t set;

	prctl(PR_SET_NAME, "lode-awake");
	lode_end_with_parent(parent, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Ctrl-C goes to the whole group: the spinners stay until the recording has ended. */
	signal(SIGINT, SIG_IGN);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_IDLE, &param))
		_exit(1);
	for (;;)
		__asm__ volatile("");
}

int lode_spinners_start(struct lode_spinners *spinners, struct lode_error *err)
{
	pid_t parent = getpid();
	cpu_set_t set;

	memset(spinners, 0, sizeof(*spinners));
	if (sched_getaffinity(0, sizeof(set), &set))
		return lode_fail_errno(err, errno, NULL, "asking for the CPUs of this process");
	spinners->pids = lode_alloc0((size_t)CPU_COUNT(&set), sizeof(*spinners->pids));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		pid_t pid;

		if (!CPU_ISSET(cpu, &set))
			continue;
		pid = fork();
		if (pid == 0)
			spin(cpu, parent);
		if (pid < 0) {
			int errnum = errno;

			lode_spinners_stop(spinners);
			return lode_fail_errno(err, errnum, NULL, "cannot start a spinner process");
		}
		spinners->pids[spinners->n++] = pid;
	}
	return 0;
}

void lode_spinners_stop(struct lode_spinners *spinners)
{
	for (size_t i = 0; i < spinners->n; i++)
		kill(spinners->pids[i], SIGKILL);
	for (size_t i = 0; i < spinners->n; i++)
		waitpid(spinners->pids[i], NULL, 0);
	free(spinners->pids);
	memset(spinners, 0, sizeof(*spinners));
}
