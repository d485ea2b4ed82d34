#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/escape.h"
#include "tool/command.h"
#include "tool/messages.h"
#include "tool/option_values.h"
#include "record/recorder.h"
#include "record/rights.h"
#include "document/units.h"

struct record_values {
	const char *output, *perf;
	unsigned cpu_rate;
	size_t buffer_bytes;
	int64_t duration_ns;
	int call_graph;
	bool want_syscalls, want_network, keep_awake, keep_plain, no_symbols, is_dry_run;
};

static const char *const call_graphs[] = {"fp", "dwarf", NULL};

#define AT(field) offsetof(struct record_values, field)

static const struct lode_option options[] = {
	LODE_OPTION("output", "DIR", lode_set_text, AT(output),
		    "the bundle to make (default: COMMAND.lode, with a number if that is there)",
		    .letter = 'o', .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_FOLDER,
		    .group = "Output"),
	LODE_FLAG("no-compress", AT(keep_plain), "leave perf.data as perf wrote it"),
	LODE_FLAG("no-symbols", AT(no_symbols),
		  "no copies of programs: the bundle is read on this machine only"),

	LODE_OPTION("duration", "TIME", lode_set_some_time, AT(duration_ns),
		    "stop after this time; without a COMMAND, record the machine for so long",
		    .group = "What is recorded"),
	LODE_FLAG("syscalls", AT(want_syscalls),
		  "system calls too: for lode suspects, and for finer wait reasons"),
	LODE_FLAG("network", AT(want_network),
		  "sends and receives of TCP connections too: follows requests to servers that "
		  "were busy when they came (Linux 6.3 or newer)"),
	LODE_OPTION("call-graph", "HOW", lode_set_choice, AT(call_graph),
		    "fp: frame pointers (default; small and whole where programs are built with "
		    "-fno-omit-frame-pointer); dwarf: stack dumps of 32 KiB, large and slow",
		    .choices = call_graphs),
	LODE_OPTION("cpu-rate", "HZ", lode_set_unsigned, AT(cpu_rate),
		    "CPU samples per second on each CPU (default 999); waits are recorded each, "
		    "whatever the rate"),
	LODE_FLAG("keep-awake", AT(keep_awake),
		  "keep idle CPUs spinning at the lowest class: for virtual machines that trace "
		  "nothing while a CPU idles (lode info tells)"),
	LODE_OPTION("buffer", "SIZE", lode_set_size, AT(buffer_bytes),
		    "perf's buffer of each CPU (default 8M); larger when events were lost"),
	LODE_OPTION("perf", "FILE", lode_set_text, AT(perf),
		    "the perf program (default: the one in PATH)", .file = LODE_FILE_READ),
	LODE_FLAG("dry-run", AT(is_dry_run), "print perf's command line and do nothing"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Why does my program start so slowly?",
	 "sudo lode record -- ./program --option && lode mine program.lode"},
	{"Several runs make the answer firm",
	 "for i in 1 2 3 4 5; do sudo lode record ./program; done; lode mine program*.lode"},
	{"What is the whole machine waiting for?",
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

static void say_result(const struct lode_command *self, const struct lode_record_result *result,
		       bool has_syscalls)
{
	char size[LODE_UNITS_BUFFER], modules[LODE_UNITS_BUFFER], name[2400];

	lode_escape(name, sizeof(name), result->bundle);
	lode_say(self, "%s: recording of %s, symbols of %s%s", name,
		 lode_format_bytes(size, result->size_bytes),
		 lode_format_plural(modules, result->n_modules, "module"),
		 result->was_stopped ? " (stopped)" : "");
	if (result->n_missing)
		lode_say(self, "%zu modules changed or vanished since they were run: not copied",
			 result->n_missing);
	for (char *line, *rest = result->lacks; (line = strsep(&rest, "\n"));)
		if (*line)
			lode_say(self, "%s %s", name, line);
	if (result->still_running)
		lode_say(self, "the command goes on running (process %d)",
			 (int)result->still_running);
	lode_say(self, "next: lode mine %s%s%s", name, has_syscalls ? ", lode suspects " : "",
		 has_syscalls ? name : "");
}

static int record(const struct lode_command *self, const struct record_values *v, char **command)
{
	struct lode_record_options with = {
		.command = command,
		.bundle = v->output,
		.perf = v->perf,
		.cpu_rate = v->cpu_rate,
		.buffer_bytes = v->buffer_bytes,
		.duration_ns = v->duration_ns,
		.want_syscalls = v->want_syscalls,
		.want_network = v->want_network,
		.want_dwarf = v->call_graph == 1,
		.keep_awake = v->keep_awake,
		.keep_plain = v->keep_plain,
		.no_symbols = v->no_symbols,
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

		say_result(self, &result, v->want_syscalls);
		/* The command's own: a script that is recorded goes on as it would. Stopping it is
		   what was asked for, and no failure. */
		code = !is_whole				       ? LODE_EXIT_FAILURE
		       : result.was_stopped || result.command_exit < 0 ? LODE_EXIT_OK
								       : result.command_exit;
	}
	lode_record_result_release(&result);
	return code;
}

static int run_record(const struct lode_command *self, int argc, char **argv)
{
	struct record_values values = {.cpu_rate = 999, .buffer_bytes = 8 << 20, .duration_ns = -1};
	char **command;
	int n, code;

	if (!lode_command_start(self, &values, argc, argv, &n, &code))
		return code;
	if (n == 0 && values.duration_ns < 0)
		return lode_command_misused(self, "say what to run, or for how long (--duration)");
	/* A power of two of pages is what perf takes. */
	while (values.buffer_bytes & (values.buffer_bytes - 1))
		values.buffer_bytes &= values.buffer_bytes - 1;
	if (values.buffer_bytes < 1 << 16 || values.buffer_bytes > 1 << 30)
		return lode_command_misused(self, "--buffer: from 64K to 1G");
	if (!values.is_dry_run && lode_in_pid_namespace())
		lode_say(self,
			 "processes have numbers of their own here, as in a container, and the "
			 "kernel's scheduling events have the machine's: who waits for whom "
			 "will not be known. Run lode record on the host, or in a container "
			 "that shares its numbers (docker run --pid=host)");
	command = calloc((size_t)n + 1, sizeof(*command));
	if (!command)
		return LODE_EXIT_FAILURE;
	for (int i = 0; i < n; i++)
		command[i] = argv[i];
	code = record(self, &values, n ? command : NULL);
	free(command);
	return code;
}

const struct lode_command lode_cmd_record = {
	.name = "record",
	.summary = "record a run of a program with perf, as the analyses need it",
	.usage = "[OPTION]... [--] COMMAND [ARGUMENT]...",
	.description =
		"Runs COMMAND and records the whole machine meanwhile: each context switch and "
		"wake-up with its call stack, CPU samples, block I/O. What is left is a folder, "
		"the "
		"bundle: the recording, the symbols to read it on any machine, and the times "
		"between which the command lived.\n\n"
		"Needs perf, and the right to use it on the whole machine (root, or "
		"kernel.perf_event_paranoid -1 and a readable tracefs). Ctrl-C ends the recording, "
		"and the bundle is still made. The exit code is the command's own (128 + signal), "
		"or 4 when it could not be recorded.",
	.options = options,
	.examples = examples,
	.first_operand_ends = true,
	.run = run_record,
};
