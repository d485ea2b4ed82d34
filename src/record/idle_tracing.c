/* Tests whether tracepoints are recorded on idle CPUs. */
#include "record/idle_tracing.h"

#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "record/rights.h"

enum {
	N_SLEEPS = 6, /* on each CPU */
	SLEEP_NS = 100000,
	ENOUGH = 3, /* switches to idle, without one back, are no chance */
};

/* Counts the switches on a CPU that the filter lets through; -1: cannot be had. */
static int count_switches(int cpu, const char *filter)
{
	int fd = lode_open_counter("sched_switch", cpu);

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
