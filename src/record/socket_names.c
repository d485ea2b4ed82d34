/* Counts receives, and says when those of busy CPUs need not be recorded. */
#include "record/socket_names.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/shell_words.h"
#include "record/rights.h"

static const int64_t look_ns = 50000000, turn_ns = 500000000, second_ns = 1000000000;

const char lode_names_on[] = "enable tcp:tcp_rcv_space_adjust\n";
const char lode_names_off[] = "disable tcp:tcp_rcv_space_adjust\n";

/* ---- Which perf ---- */

bool lode_version_turns_events(const char *text)
{
	const char *at = strstr(text, "version ");
	unsigned major, minor;

	return at && sscanf(at, "version %u.%u", &major, &minor) == 2 &&
	       (major > 5 || (major == 5 && minor >= 12));
}

bool lode_perf_turns_events(const char *perf)
{
	char *command = NULL, text[256];
	size_t size;
	FILE *f = open_memstream(&command, &size);
	bool does;

	if (!f)
		return false;
	lode_shell_word_put(f, perf);
	fputs(" --version 2>/dev/null", f);
	fclose(f);
	f = popen(command, "re");
	free(command);
	if (!f)
		return false;
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	does = lode_version_turns_events(text);
	pclose(f);
	return does;
}

/* ---- When ---- */

void lode_socket_names_begin(struct lode_socket_names *names, int64_t now_ns)
{
	*names = (struct lode_socket_names){
		.n_cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF),
		.is_on = true,
		.turn_ns = now_ns,
		.seen_ns = now_ns,
		.due_ns = now_ns + look_ns,
	};
	names->cpus = lode_alloc0(names->n_cpus, sizeof(*names->cpus));
	for (size_t i = 0; i < names->n_cpus; i++)
		names->cpus[i].counter = lode_open_counter("tcp", "tcp_rcv_space_adjust", (int)i);
}

void lode_socket_names_end(struct lode_socket_names *names)
{
	for (size_t i = 0; i < names->n_cpus; i++)
		if (names->cpus[i].counter >= 0)
			close(names->cpus[i].counter);
	free(names->cpus);
	*names = (struct lode_socket_names){.due_ns = INT64_MAX};
}

/* Of the CPU with the most. */
static uint64_t count_receives(struct lode_socket_names *names)
{
	uint64_t most = 0;

	for (size_t i = 0; i < names->n_cpus; i++) {
		struct lode_names_cpu *cpu = &names->cpus[i];
		uint64_t n;

		if (cpu->counter < 0 || read(cpu->counter, &n, sizeof(n)) != sizeof(n))
			continue;
		most = n - cpu->n_counted > most ? n - cpu->n_counted : most;
		cpu->n_counted = n;
	}
	return most;
}

/* Counting costs as well. */
static void turn_counters(const struct lode_socket_names *names, unsigned long request)
{
	for (size_t i = 0; i < names->n_cpus; i++)
		if (names->cpus[i].counter >= 0)
			(void)ioctl(names->cpus[i].counter, request, 0);
}

enum lode_names_change lode_socket_names_decide(struct lode_socket_names *names, uint64_t most,
						int64_t now_ns)
{
	double for_s = (double)(now_ns - names->seen_ns) / (double)second_ns;
	bool is_busy = (double)most > LODE_MOST_NAMED_PER_S * for_s;

	names->seen_ns = now_ns;
	if (!names->is_on) {
		names->is_on = true;
		names->turn_ns = now_ns;
		names->due_ns = now_ns + look_ns;
		return LODE_NAMES_ON;
	}
	names->due_ns = now_ns + look_ns;
	if (!is_busy)
		return LODE_NAMES_AS_THEY_ARE;
	names->is_on = false;
	if (names->turn_ns + turn_ns > names->due_ns)
		names->due_ns = names->turn_ns + turn_ns;
	return LODE_NAMES_OFF;
}

enum lode_names_change lode_socket_names_tick(struct lode_socket_names *names, int64_t now_ns,
					      bool can_tell)
{
	enum lode_names_change change;

	if (!can_tell) {
		names->due_ns = now_ns + look_ns;
		return LODE_NAMES_AS_THEY_ARE;
	}
	change = lode_socket_names_decide(names, count_receives(names), now_ns);
	if (change == LODE_NAMES_ON)
		turn_counters(names, PERF_EVENT_IOC_ENABLE);
	else if (change == LODE_NAMES_OFF)
		turn_counters(names, PERF_EVENT_IOC_DISABLE);
	return change;
}
