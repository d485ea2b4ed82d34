/* Recording from the first check to the whole bundle. */
#include "record/recorder.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <inttypes.h>

#include "record/bundle.h"
#include "record/dump_recorder.h"
#include "record/frame_pointers.h"
#include "record/idle_cpus.h"
#include "record/perf_run.h"
#include "record/rights.h"
#include "record/socket_names.h"
#include "record/stacks_seen.h"
#include "record/stored_words.h"
#include "record/title_watch.h"
#include "base/unnamed_file.h"
#include "input/bundle_notes.h"

/* ---- Running processes to record ---- */

/* The process that a thread belongs to; 0: there is no such thread. */
static int32_t process_of(int32_t pid)
{
	char path[64], line[256];
	int32_t process = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "Tgid: %" SCNd32, &process) == 1)
			break;
	if (in)
		fclose(in);
	return process;
}

/* LODE_ERR_ARG with the first that is not there, or is a thread of another process. */
static int check_targets(const int32_t *pids, size_t n, struct lode_error *err)
{
	for (size_t i = 0; i < n; i++) {
		int32_t process = process_of(pids[i]);

		if (!process)
			return lode_fail(err, LODE_ERR_ARG, NULL, -1, "--pid: no process %" PRId32,
					 pids[i]);
		if (process != pids[i])
			return lode_fail(err, LODE_ERR_ARG, NULL, -1,
					 "--pid: %" PRId32 " is a thread of process %" PRId32
					 "; give the process id",
					 pids[i], process);
	}
	return 0;
}

char *lode_targets_text(const int32_t *pids, size_t n)
{
	enum { NUMBER_BYTES = 12 };
	size_t size = n * NUMBER_BYTES + 1, at = 0;
	char *text = lode_alloc0(size, 1);

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%" PRId32, i ? "," : "", pids[i]);
	return text;
}

void lode_target_name(char *name, size_t size, int32_t pid)
{
	char path[64];
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/comm", pid);
	in = fopen(path, "re");
	if (!in || !fgets(name, (int)size, in))
		snprintf(name, size, "system");
	if (in)
		fclose(in);
	name[strcspn(name, "\n")] = '\0';
	for (char *c = name; *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ')
			*c = '_';
	if (!name[0] || name[0] == '.')
		snprintf(name, size, "system");
}

/* ---- Recording ---- */

static int find_perf(char *path, size_t size, const char *given, struct lode_error *err)
{
	if (lode_find_program(path, size, given ? given : "perf", err) == 0)
		return 0;
	if (given)
		return LODE_ERR_IO;
	return lode_fail(err, LODE_ERR_IO, NULL, -1,
			 "perf is not installed. Debian: sudo apt install linux-perf; Ubuntu: sudo "
			 "apt install linux-tools-generic; Fedora: sudo dnf install perf");
}

/* The command's end as a shell tells it. */
static int exit_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : -1;
}

/* perf says itself what went wrong; what it left tells whether there is a recording. */
static int check_recording(const char *data, const struct lode_perf_run *run,
			   struct lode_error *err)
{
	struct stat st;

	if (run->has_recorded && stat(data, &st) == 0 && st.st_size > 0)
		return 0;
	unlink(data);
	if (run->was_stopped)
		return lode_fail(err, LODE_ERR_IO, NULL, -1, "stopped before perf had begun");
	return lode_fail(err, LODE_ERR_IO, NULL, -1,
			 "perf did not write a recording; see its message above (lode requires "
			 "perf 5.10 or newer)");
}

/* From the first second on: without the note readers take the first that was called perf-exec,
   another recording's maybe. */
static void note_command(void *context, pid_t command)
{
	const char *bundle = context;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)command);
	(void)lode_bundle_pids_write(bundle, pid, NULL);
}

static int run_perf(struct lode_record_result *result, const struct lode_record_options *options,
		    const char *data, int titles_fd, enum lode_stack_kind *kind,
		    struct lode_error *err)
{
	struct lode_spinners spinners = {0};
	struct lode_perf_run run = {0};
	pid_t titles = titles_fd < 0 ? 0 : lode_title_watch_start(titles_fd, options->titles);
	int rc = 0;

	if (options->keep_awake)
		rc = lode_spinners_start(&spinners, err);
	if (rc == 0)
		rc = lode_perf_run(&run, options, data, note_command, result->bundle, err);
	lode_spinners_stop(&spinners);
	lode_title_watch_stop(titles);
	if (rc < 0)
		return rc;
	result->was_stopped = run.was_stopped;
	result->begin_ns = run.begin_ns;
	*kind = run.kind;
	result->still_running = run.still_running;
	result->command_exit = run.command_status < 0 ? -1 : exit_of(run.command_status);
	return check_recording(data, &run, err);
}

/* Whether there are dumps to keep; a short recording ends before that is decided. */
static bool is_one_of_dumps(enum lode_stack_kind kind, const struct lode_record_options *options,
			    const char *chains, const char *dumps, const char *program)
{
	struct lode_dumps_seen records = {0};
	struct lode_stacks_seen seen;

	if (kind == LODE_STACKS_CHAINS)
		return false;
	if (kind == LODE_STACKS_UNDECIDED) {
		lode_stacks_look(&seen, chains, dumps, program);
		if (!lode_want_dumps(options, &seen))
			return false;
	}
	lode_dumps_walk(&records, dumps, 0);
	return records.n && !lode_are_too_many_dumps(options, false, &records);
}

/* Of one recording with chains and one with dumps, one is kept. */
static void keep_one(struct lode_record_result *result, enum lode_stack_kind kind,
		     const struct lode_record_options *options, const char *data,
		     const char *program)
{
	char dumps[LODE_DUMPS_PATH_BYTES];

	if (!options->may_dump)
		return;
	lode_dumps_path(dumps, data);
	result->has_dumps =
		is_one_of_dumps(kind, options, data, dumps, program) && rename(dumps, data) == 0;
	unlink(dumps);
}

static int record(struct lode_record_result *out, const struct lode_record_options *options,
		  const char *program, struct lode_error *err)
{
	enum lode_stack_kind kind = LODE_STACKS_CHAINS;
	struct lode_record_options with, run_with = *options;
	char data[1024], link[1040];
	char **argv;
	int titles = -1, rc = lode_bundle_make(&out->bundle, options, err);

	if (rc < 0)
		return rc;
	snprintf(data, sizeof(data), "%s/perf.data", out->bundle);
	snprintf(link, sizeof(link), "%s/lode-perf", out->bundle);
	if (symlink(options->perf, link) == 0)
		run_with.perf_link = link;
	/* Without room for it, processes have no titles. */
	if (options->titles != LODE_TITLES_NONE && lode_unnamed_file_open(&titles, NULL) < 0)
		titles = -1;
	rc = run_perf(out, &run_with, data, titles, &kind, err);
	if (run_with.perf_link)
		(void)unlink(link);
	/* Nothing but an empty directory: it goes again. */
	if (rc < 0) {
		if (titles >= 0)
			close(titles);
		lode_bundle_notes_remove(out->bundle);
		rmdir(out->bundle);
		return rc;
	}
	keep_one(out, kind, options, data, program);
	with = out->has_dumps ? lode_dump_options(options) : *options;
	with.command = NULL; /* which the README has as far as it is stored */
	argv = lode_record_perf_command(&with, data);
	rc = lode_bundle_fill(out, out->bundle, options, titles, argv, err);
	if (titles >= 0)
		close(titles);
	if (rc == 0 && options->command)
		lode_bundle_stacks_write(
			out->bundle, out->has_dumps, lode_words_mark(options->command),
			!out->has_dumps && (options->want_at_once || options->want_later));
	free(argv);
	return rc;
}

/* At the end: while it is written, the bundle is for its owner alone. */
static void share_bundle(const struct lode_record_options *options, const char *bundle)
{
	struct lode_readers readers = options->readers;
	struct lode_error why = {0};
	char text[1024];

	lode_readers_take_sudo(&readers);
	if (lode_private_share(bundle, &readers, &why) == 0 || !options->warn)
		return;
	snprintf(text, sizeof(text), "%.400s: %s", why.path, why.message);
	options->warn(options->say_context, text);
}

/* As a recording near by has it, or for the first second to find out. */
static void follow_before(struct lode_record_options *options, const char *program)
{
	char *where = NULL, text[640];
	enum lode_stack_kind kind = options->may_dump && options->command
					    ? lode_stacks_before(&where, options, program)
					    : LODE_STACKS_UNDECIDED;

	options->want_later = kind == LODE_STACKS_DUMPS;
	options->may_dump &= kind != LODE_STACKS_CHAINS;
	if (options->want_later && options->warn) {
		snprintf(text, sizeof(text),
			 "taking stack dumps, as %.500s has them (use --call-graph fp to avoid "
			 "them)",
			 where);
		options->warn(options->say_context, text);
	}
	free(where);
}

int lode_record(struct lode_record_result *out, const struct lode_record_options *options,
		struct lode_error *err)
{
	struct lode_record_options found = *options;
	char perf[1024], program[1024] = "";
	int rc;

	*out = (struct lode_record_result){.command_exit = -1};
	rc = find_perf(perf, sizeof(perf), options->perf, err);
	if (rc == 0 && options->command)
		rc = lode_find_program(program, sizeof(program), options->command[0], err);
	if (rc == 0)
		rc = check_targets(options->pids, options->n_pids, err);
	if (rc == 0)
		rc = lode_check_rights(err);
	if (rc == 0)
		rc = lode_check_cpu_rate(options->cpu_rate, err);
	if (rc == 0 && options->want_network)
		rc = lode_check_network(err);
	for (size_t i = 0; rc == 0 && i < options->n_events; i++)
		rc = lode_check_event(perf, options->events[i], err);
	if (rc < 0)
		return rc;
	found.perf = perf;
	found.switch_records = lode_idle_is_untraced();
	found.name_in_turns = options->want_network && lode_perf_turns_events(perf);
	if (options->choose_stacks)
		lode_choose_stacks(&found);
	found.may_dump = options->choose_stacks && !options->n_pids;
	follow_before(&found, program);
	/* Dumps are a second perf's, which can be ended when they are too many. */
	found.want_at_once = found.want_dwarf;
	found.may_dump |= found.want_dwarf;
	found.want_dwarf = false;
	/* Of this process and its children: whatever is written to the bundle. */
	found.command_umask = umask(0077);
	/* By which lode mine knows what is the recorder's. */
	prctl(PR_SET_NAME, "lode-record");
	rc = record(out, &found, options->command ? program : NULL, err);
	prctl(PR_SET_NAME, "lode");
	umask(found.command_umask);
	if (out->bundle && access(out->bundle, F_OK) == 0)
		share_bundle(&found, out->bundle);
	if (rc == 0)
		lode_say_stacks(&found, out);
	return rc;
}

void lode_record_result_release(struct lode_record_result *result)
{
	free(result->bundle);
	free(result->lacks);
	result->bundle = result->lacks = NULL;
}
