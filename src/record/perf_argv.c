/* Builds perf's command line. */
#include <unistd.h>

#include "base/shell_words.h"
#include "record/recorder.h"
#include "record/rights.h"

/* Words of a command line; one heap block holds the texts behind the pointers. */
struct words {
	LODE_VEC(size_t) starts;
	LODE_VEC(char) text;
};

static void add_perf_argv(struct words *words, const char *word)
{
	lode_vec_append(&words->starts, words->text.n);
	do
		lode_vec_append(&words->text, *word);
	while (*word++);
}

static char **finish_perf_argv(struct words *words)
{
	size_t n = words->starts.n, head = (n + 1) * sizeof(char *);
	char **out = lode_alloc(head + words->text.n);
	char *text = (char *)out + head;

	memcpy(text, words->text.at, words->text.n);
	for (size_t i = 0; i < n; i++)
		out[i] = text + words->starts.at[i];
	out[n] = NULL;
	lode_vec_release(&words->starts);
	lode_vec_release(&words->text);
	return out;
}

struct recorded_event {
	const char *group, *name, *terms, *filter; /* terms and filter may be NULL */
};

static void add_events(struct words *words, const struct recorded_event *events, size_t n)
{
	char event[160];

	for (const struct recorded_event *e = events; e < events + n; e++) {
		/* Kernels without block devices or without these tracepoints record without them.
		 */
		if (!lode_has_tracepoint(e->group, e->name) && strcmp(e->group, "sched") != 0)
			continue;
		snprintf(event, sizeof(event), "%s:%s%s", e->group, e->name,
			 e->terms ? e->terms : "");
		add_perf_argv(words, "-e");
		add_perf_argv(words, event);
		if (!e->filter)
			continue;
		add_perf_argv(words, "--filter");
		add_perf_argv(words, e->filter);
	}
}

#define NO_STACK "/call-graph=no/"

/*
 * Stacks are most of what recording costs, and are taken where something reads them: not of an idle
 * CPU, and of wakings in interrupts alone (TRACE_FLAG_HARDIRQ, _SOFTIRQ, _NMI), since elsewhere the
 * waker is the thread that runs. There the kernel's frames tell, so that dumps would add nothing.
 */
static void add_scheduler(struct words *words, const char *of_switches)
{
	const struct recorded_event events[] = {
		{"sched", "sched_switch", of_switches, "prev_pid != 0"},
		{"sched", "sched_switch", NO_STACK, "prev_pid == 0"},
		{"sched", "sched_waking", "/call-graph=fp/", "common_flags & 0x58"},
		{"sched", "sched_waking", NO_STACK, "!(common_flags & 0x58)"},
	};

	add_events(words, events, sizeof(events) / sizeof(*events));
}

static void add_block(struct words *words)
{
	static const struct recorded_event events[] = {
		{"block", "block_rq_insert", NO_STACK, NULL},
		{"block", "block_rq_issue", NO_STACK, NULL},
		{"block", "block_rq_complete", NO_STACK, NULL},
	};

	add_events(words, events, sizeof(events) / sizeof(*events));
}

/* Too many for dumps, unless they were asked for. */
static void add_syscalls(struct words *words, const struct lode_record_options *options)
{
	const struct recorded_event events[] = {
		{"raw_syscalls", "sys_enter", options->dump_bytes ? "/call-graph=fp/" : NULL, NULL},
		{"raw_syscalls", "sys_exit", NO_STACK, NULL},
	};

	add_events(words, events, sizeof(events) / sizeof(*events));
}

/*
 * TCP alone: of datagrams and Unix sockets no tracepoint says who is at the other end. Filters keep
 * the rest from being copied at all. States of sockets say which ones make a connection;
 * tcp_rcv_space_adjust says it of connections that are older than the recording.
 */
static void add_network(struct words *words)
{
	static const struct recorded_event events[] = {
		{"sock", "sock_send_length", NO_STACK, "protocol == 6 && ret > 0"},
		{"sock", "sock_recv_length", NO_STACK, "protocol == 6 && ret > 0 && !(flags & 2)"},
		{"sock", "inet_sock_set_state", NO_STACK,
		 "protocol == 6 && (newstate == 1 || newstate == 2 || newstate == 7)"},
		{"tcp", "tcp_rcv_space_adjust", NO_STACK, NULL},
	};

	add_events(words, events, sizeof(events) / sizeof(*events));
}

/* Dumps of stacks are a hundred times the size of their chains. A power of two, as perf needs it.
 */
size_t lode_record_buffer_bytes(const struct lode_record_options *options)
{
	enum { CHAINS = 8 << 20, DUMPS = 64 << 20, SHARE = 16 };
	size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	size_t bytes = options->want_dwarf ? DUMPS : CHAINS;
	size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);

	if (options->buffer_bytes)
		return options->buffer_bytes;
	while (bytes > CHAINS && bytes * cpus > memory / SHARE)
		bytes /= 2;
	return bytes;
}

/*
 * No -F and no -c: they would also sample the tracepoints, and events would go missing without a
 * trace of it. The rate of the CPU clock stands in its event.
 */
static char **command_line(const struct lode_record_options *options, const char *data,
			   const char *control)
{
	struct words words = {0};
	char clock[128], buffer[32], dumps[80] = "", of_switches[96] = "";
	size_t dump_bytes = options->dump_bytes ? options->dump_bytes : (size_t)LODE_DUMP_BYTES;
	bool has_own_dumps = options->want_dwarf && options->dump_bytes && options->want_syscalls;

	add_perf_argv(&words, options->perf ? options->perf : "perf");
	add_perf_argv(&words, "record");
	add_perf_argv(&words, "-q");
	add_perf_argv(&words, "-a");
	add_perf_argv(&words, "-k");
	add_perf_argv(&words, "CLOCK_MONOTONIC");
	snprintf(buffer, sizeof(buffer), "%zuK", lode_record_buffer_bytes(options) >> 10);
	add_perf_argv(&words, "-m");
	add_perf_argv(&words, buffer);
	/*
	 * Where system calls have call chains beside dumps of other events: after a --call-graph
	 * dwarf for all events perf excludes user frames from the chains of each.
	 */
	if (has_own_dumps) {
		snprintf(dumps, sizeof(dumps), "call-graph=dwarf,stack-size=%zu", dump_bytes);
		snprintf(of_switches, sizeof(of_switches), "/%s/", dumps);
	}
	snprintf(clock, sizeof(clock), "cpu-clock/freq=%u,name=cpu-clock%s%s/", options->cpu_rate,
		 *dumps ? "," : "", dumps);
	add_perf_argv(&words, "-e");
	add_perf_argv(&words, clock);
	add_scheduler(&words, of_switches);
	add_block(&words);
	if (options->want_syscalls)
		add_syscalls(&words, options);
	if (options->want_network)
		add_network(&words);
	for (size_t i = 0; i < options->n_events; i++) {
		add_perf_argv(&words, "-e");
		add_perf_argv(&words, options->events[i]);
	}
	if (options->want_dwarf && !has_own_dumps) {
		snprintf(clock, sizeof(clock), "dwarf,%zu", dump_bytes);
		add_perf_argv(&words, "--call-graph");
		add_perf_argv(&words, clock);
	} else {
		add_perf_argv(&words, "-g");
	}
	/* Where they are not needed, they cost a tenth of what switches most, for nothing. */
	if (options->switch_records)
		add_perf_argv(&words, "--switch-events");
	/* Build-ids of all that is mapped, and no copies in ~/.debug: the bundle gets its own. */
	add_perf_argv(&words, "--buildid-all");
	add_perf_argv(&words, "-N");
	add_perf_argv(&words, "-o");
	add_perf_argv(&words, data);
	/* Events off at first, so that the command is told to begin when they are on. */
	if (control) {
		add_perf_argv(&words, "-D");
		add_perf_argv(&words, "-1");
		add_perf_argv(&words, "--control");
		add_perf_argv(&words, control);
	} else if (options->command) {
		add_perf_argv(&words, "--");
		for (char *const *word = options->command; *word; word++)
			add_perf_argv(&words, *word);
	}
	return finish_perf_argv(&words);
}

char **lode_record_perf_command(const struct lode_record_options *options, const char *data)
{
	return command_line(options, data, NULL);
}

char **lode_record_controlled_command(const struct lode_record_options *options, const char *data,
				      int control_fd, int ack_fd)
{
	char control[64];

	snprintf(control, sizeof(control), "fd:%d,%d", control_fd, ack_fd);
	return command_line(options, data, control);
}

void lode_record_exec_perf(const struct lode_record_options *options, char *const *argv)
{
	if (options->perf_link)
		execv(options->perf_link, argv);
	execvp(argv[0], argv);
}

void lode_record_print_command(FILE *out, char *const *argv)
{
	for (char *const *word = argv; *word; word++) {
		fputs(word == argv ? "" : " ", out);
		lode_shell_word_put(out, *word);
	}
	fputc('\n', out);
}
