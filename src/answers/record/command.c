/* The command line of lode record. */
#include <inttypes.h>
#include <unistd.h>

#include "base/escape.h"
#include "tool/command.h"
#include "tool/messages.h"
#include "tool/option_values.h"
#include "tool/output_options.h"
#include "record/recorder.h"
#include "record/rights.h"
#include "document/units.h"

typedef LODE_VEC(int32_t) pid_vec;

struct record_values {
	pid_vec pids;
	const char *output, *perf;
	lode_text_list events;
	struct lode_readers readers;
	unsigned cpu_rate;
	size_t buffer_bytes;
	int64_t duration_ns;
	int call_graph;
	bool want_syscalls, want_network, keep_awake, keep_plain, no_symbols, no_titles, is_dry_run;
	int titles;
};

enum call_graph { CALL_GRAPH_AUTO, CALL_GRAPH_FP, CALL_GRAPH_DWARF };

static const char *const call_graphs[] = {
	[CALL_GRAPH_AUTO] = "auto", [CALL_GRAPH_FP] = "fp", [CALL_GRAPH_DWARF] = "dwarf", NULL};

static const char *const title_choices[] = {[LODE_TITLES_NAMES] = "names",
					    [LODE_TITLES_FULL] = "full",
					    [LODE_TITLES_NONE] = "none",
					    NULL};

#define AT(field) offsetof(struct record_values, field)

static int set_pids(const struct lode_option *option, void *field, const char *text,
		    struct lode_error *err)
{
	pid_vec *pids = field;

	for (const char *rest = text; *rest;) {
		size_t n = strcspn(rest, ",");
		char one[16];
		int32_t pid;
		int rc;

		snprintf(one, sizeof(one), "%.*s", n < sizeof(one) ? (int)n : 15, rest);
		rc = lode_set_pid(option, &pid, one, err);
		if (rc < 0)
			return rc;
		lode_vec_append(pids, pid);
		rest += n + (rest[n] == ',' && rest[n + 1]);
	}
	return pids->n ? 0 : lode_set_pid(option, &(int32_t){0}, text, err);
}

static const struct lode_option options[] = {
	LODE_OPTION("output", "DIR", lode_set_text, AT(output),
		    "the bundle to create (default COMMAND.lode, with a number if that exists)",
		    .letter = 'o', .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_FOLDER,
		    .group = "Output"),
	LODE_GROUP_OPTION(AT(readers), "the bundle"),
	LODE_FLAG("no-compress", AT(keep_plain), "do not compress perf.data"),
	LODE_FLAG("no-symbols", AT(no_symbols),
		  "do not copy programs: the bundle can then be read on this machine only"),
	LODE_OPTION(
		"titles", "HOW", lode_set_choice, AT(titles),
		"what to store of command lines. names (default): program, script, subcommand or "
		"first file, and titles that programs write themselves, of processes that the "
		"symptoms reach; full: command lines of all processes, without apparent secrets; "
		"none: nothing",
		.choices = title_choices),
	LODE_FLAG("no-titles", AT(no_titles), "the same as --titles none"),

	LODE_OPTION("duration", "TIME", lode_set_long_time, AT(duration_ns),
		    "stop after this time, such as 10s or 2m (a bare number is seconds); without a "
		    "COMMAND, record the whole machine for this time",
		    .group = "Recording"),
	LODE_OPTION("pid", "PID[,PID]", set_pids, AT(pids),
		    "record these running processes instead of a COMMAND, until the last one ends, "
		    "--duration or Ctrl-C; the symptoms are their threads over that time"),
	LODE_FLAG("syscalls", AT(want_syscalls),
		  "record system calls as well: for lode suspects, and for more precise wait "
		  "reasons"),
	LODE_FLAG("network", AT(want_network),
		  "record TCP sends and receives as well: follows requests to servers that were "
		  "busy when the request arrived (Linux 6.3 or newer)"),
	LODE_OPTION("event", "EVENT", lode_set_list, AT(events),
		    "record another event, as for perf record -e, such as a perf probe that "
		    "delimits requests (lode mine --symptom from=EVENT,to=EVENT); may be repeated"),
	LODE_OPTION("call-graph", "HOW", lode_set_choice, AT(call_graph),
		    "fp: frame pointers (small, and whole where programs are built with "
		    "-fno-omit-frame-pointer); dwarf: stack dumps of 32 KiB, large and slow, but "
		    "fp where events are too many for them; auto (default): fp, but dwarf where "
		    "stacks end early and events are few: decided "
		    "before recording with --pid, else in the first second, in which both are "
		    "recorded",
		    .choices = call_graphs),
	LODE_OPTION("cpu-rate", "HZ", lode_set_unsigned, AT(cpu_rate),
		    "CPU samples per second on each CPU (default 999); every wait is recorded, "
		    "whatever the rate"),
	LODE_FLAG("keep-awake", AT(keep_awake),
		  "keep idle CPUs spinning at the lowest priority, to see interrupts that end "
		  "waits on virtual machines that do not trace idle CPUs; slows down the recorded "
		  "programs"),
	LODE_OPTION("buffer", "SIZE", lode_set_size, AT(buffer_bytes),
		    "perf's buffer for each CPU (default 8M, with stack dumps up to 64M); increase "
		    "it if events were lost"),
	LODE_OPTION("perf", "FILE", lode_set_text, AT(perf),
		    "the perf program (default: the one in PATH)", .file = LODE_FILE_READ),
	LODE_FLAG("dry-run", AT(is_dry_run), "print perf's command line and do nothing"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Why does my program start so slowly?",
	 "sudo lode record -- ./program --option && lode mine program.lode"},
	{"Record several runs for a reliable answer",
	 "for i in 1 2 3 4 5; do sudo lode record ./program; done; lode mine program*.lode"},
	{"What do these two servers wait for?",
	 "sudo lode record --pid 1234,1240 --duration 10s && lode mine nginx.lode"},
	{"What does the whole machine wait for?",
	 "sudo lode record --duration 10s -o machine.lode && lode mine --symptom comm=nginx "
	 "machine.lode"},
	{NULL},
};

static void say_record(void *context, const char *text)
{
	if (isatty(STDERR_FILENO))
		lode_say(context, "%s ...", text);
}

static void warn(void *context, const char *text)
{
	lode_say(context, "%s", text);
}

static void print_dry_run(const struct lode_record_options *record)
{
	char **argv = lode_record_perf_command(record, "perf.data");

	lode_record_print_command(stdout, argv);
	free(argv);
}

/* Readers do not see what a recording lacks: it is reported while it can be recorded again. */
static void say_lost(const struct lode_command *self, const struct lode_record_result *result)
{
	char pct[LODE_UNITS_BUFFER];

	if (!result->n_lost)
		return;
	lode_say(self,
		 "%" PRIu64 " of %" PRIu64
		 " events were lost (%s): perf could not keep up, so waits and "
		 "wakers are incomplete. Record again with %s--buffer %s and a lower --cpu-rate",
		 result->n_lost, result->n_lost + result->n_events,
		 lode_format_pct(pct, lode_lost_pct(result->n_lost, result->n_events)),
		 result->has_dumps ? "--call-graph fp (programs built with "
				     "-fno-omit-frame-pointer), or "
				   : "",
		 result->has_dumps ? "256M" : "64M");
}

static void say_titles(const struct lode_command *self, const struct lode_record_result *result,
		       const struct lode_record_options *with)
{
	char processes[40];

	snprintf(processes, sizeof(processes), "%zu process%s", result->n_titles,
		 result->n_titles == 1 ? "" : "es");
	if (with->titles == LODE_TITLES_NONE)
		lode_say(self, "command lines stored: none, only the names of threads");
	else if (with->titles == LODE_TITLES_FULL)
		lode_say(self,
			 "stored: command lines of %s, without apparent secrets. No rule finds all "
			 "secrets: check titles.tsv before you share the bundle",
			 processes);
	else
		lode_say(self,
			 "command lines stored: program and script, subcommand or first file of "
			 "%s (--titles full: all arguments; none: nothing)",
			 processes);
}

static void say_result(const struct lode_command *self, const struct lode_record_result *result,
		       const struct lode_record_options *with)
{
	bool has_syscalls = with->want_syscalls;
	char size[LODE_UNITS_BUFFER], modules[LODE_UNITS_BUFFER], name[2400];

	lode_escape(name, sizeof(name), result->bundle);
	lode_say(self, "%s: recording of %s, symbols of %s%s", name,
		 lode_format_bytes(size, result->size_bytes),
		 lode_format_plural(modules, result->n_modules, "module"),
		 result->was_stopped ? " (stopped)" : "");
	if (result->n_missing)
		lode_say(self, "%zu modules not copied: changed or removed since they were loaded",
			 result->n_missing);
	for (char *line, *rest = result->lacks; (line = strsep(&rest, "\n"));)
		if (*line)
			lode_say(self, "%s %s", name, line);
	say_lost(self, result);
	say_titles(self, result, with);
	if (result->still_running)
		lode_say(self, "the command is still running (process %d)",
			 (int)result->still_running);
	/* The processes that were to be recorded did nothing, which was said. */
	if (with->n_pids && !result->n_symptoms)
		return;
	lode_say(self, "next: lode mine %s%s%s", name, has_syscalls ? ", lode suspects " : "",
		 has_syscalls ? name : "");
}

static int record(const struct lode_command *self, const struct record_values *v, char **command)
{
	struct lode_record_options with = {
		.command = command,
		.pids = v->pids.at,
		.n_pids = v->pids.n,
		.bundle = v->output,
		.perf = v->perf,
		.cpu_rate = v->cpu_rate,
		.buffer_bytes = v->buffer_bytes,
		.duration_ns = v->duration_ns,
		.readers = v->readers,
		.want_syscalls = v->want_syscalls,
		.want_network = v->want_network,
		.want_dwarf = v->call_graph == CALL_GRAPH_DWARF,
		.choose_stacks = v->call_graph == CALL_GRAPH_AUTO,
		.events = (char *const *)v->events.at,
		.n_events = v->events.n,
		.keep_awake = v->keep_awake,
		.keep_plain = v->keep_plain,
		.no_symbols = v->no_symbols,
		.titles = v->no_titles ? LODE_TITLES_NONE : (enum lode_titles)v->titles,
		.say = say_record,
		.warn = warn,
		.say_context = (void *)self,
	};
	struct lode_record_result result;
	struct lode_error err;
	int code;

	if (v->is_dry_run) {
		print_dry_run(&with);
		return LODE_EXIT_OK;
	}
	if (lode_record(&result, &with, &err) < 0) {
		lode_say_error(self, &err);
		code = err.status == LODE_ERR_ARG ? LODE_EXIT_USAGE : LODE_EXIT_FAILURE;
	} else {
		bool is_whole = !result.lacks;

		say_result(self, &result, &with);
		/* The command's own: a script that is recorded goes on as it would. Stopping it is
		   what was asked for, and no failure. */
		code = !is_whole				       ? LODE_EXIT_FAILURE
		       : result.was_stopped || result.command_exit < 0 ? LODE_EXIT_OK
								       : result.command_exit;
	}
	lode_record_result_release(&result);
	return code;
}

static int record_as_asked(const struct lode_command *self, struct record_values *values, int n,
			   char **argv)
{
	char **command;
	int code;

	if (n == 0 && values->duration_ns < 0 && !values->pids.n)
		return lode_command_misused(self, "give a COMMAND, --pid or --duration");
	if (n && values->pids.n)
		return lode_command_misused(self, "give a COMMAND or --pid, not both");
	/* A power of two of pages is what perf takes. */
	while (values->buffer_bytes & (values->buffer_bytes - 1))
		values->buffer_bytes &= values->buffer_bytes - 1;
	if (values->buffer_bytes &&
	    (values->buffer_bytes < 1 << 16 || values->buffer_bytes > 1 << 30))
		return lode_command_misused(self, "--buffer must be between 64K and 1G");
	if (!values->is_dry_run && lode_in_pid_namespace())
		lode_say(self,
			 "running in a PID namespace (a container), where the pids of scheduling "
			 "events cannot be resolved. Run lode record on the host, or in a "
			 "container with the host's PID namespace (docker run --pid=host)");
	command = calloc((size_t)n + 1, sizeof(*command));
	if (!command)
		return LODE_EXIT_FAILURE;
	for (int i = 0; i < n; i++)
		command[i] = argv[i];
	code = record(self, values, n ? command : NULL);
	free(command);
	return code;
}

static int run_record(const struct lode_command *self, int argc, char **argv)
{
	struct record_values values = {.cpu_rate = 999, .duration_ns = -1};
	int n, code;

	if (lode_command_start(self, &values, argc, argv, &n, &code))
		code = record_as_asked(self, &values, n, argv);
	lode_vec_release(&values.pids);
	lode_vec_release(&values.events);
	return code;
}

const struct lode_command lode_cmd_record = {
	.name = "record",
	.summary = "record a program, processes or the whole machine with perf",
	.usage = "[OPTION]... [--] COMMAND [ARGUMENT]... | --pid PID[,PID]",
	.description = "Runs COMMAND and records the whole machine meanwhile: each context switch "
		       "and wake-up with its call stack, CPU samples, block I/O. The result is a "
		       "folder, the bundle: the recording, the symbols to read it on any machine, "
		       "and the lifetime of the command. Only its owner may read it: root, or the "
		       "user who ran sudo, and with --group the members of that group.\n\n"
		       "Requires perf and permission to record the whole machine (root, or "
		       "kernel.perf_event_paranoid -1 and a readable tracefs). Ctrl-C stops the "
		       "recording; the bundle is still written. The exit code is that of the "
		       "command (128 + signal), or 4 if it could not be recorded.",
	.options = options,
	.examples = examples,
	.first_operand_ends = true,
	.run = run_record,
};
