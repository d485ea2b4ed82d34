/* Recording from the first check to the whole bundle. */
#include "record/recorder.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/bundle.h"
#include "record/first_second.h"
#include "record/frame_pointers.h"
#include "record/idle_tracing.h"
#include "record/keep_awake.h"
#include "record/perf_run.h"
#include "record/rights.h"
#include "record/targets.h"
#include "record/title_watch.h"
#include "input/bundle_notes.h"

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
			 "perf made no recording; its own message is above (lode needs perf "
			 "5.10 or newer)");
}

static int run_perf(struct lode_record_result *result, const struct lode_record_options *options,
		    const char *data, struct lode_error *err)
{
	struct lode_spinners spinners = {0};
	struct lode_perf_run run = {0};
	pid_t titles = options->no_titles ? 0 : lode_title_watch_start(result->bundle);
	int rc = 0;

	if (options->keep_awake)
		rc = lode_spinners_start(&spinners, err);
	if (rc == 0)
		rc = lode_perf_run(&run, options, data, err);
	lode_spinners_stop(&spinners);
	lode_title_watch_stop(titles);
	if (rc < 0)
		return rc;
	result->was_stopped = run.was_stopped;
	result->begin_ns = run.begin_ns;
	result->dumps_ns = run.dumps_ns;
	result->has_dumps = options->want_dwarf || run.dumps_ns;
	result->still_running = run.still_running;
	result->command_exit = run.command_status < 0 ? -1 : exit_of(run.command_status);
	return check_recording(data, &run, err);
}

static int record(struct lode_record_result *out, const struct lode_record_options *options,
		  struct lode_error *err)
{
	char data[1024];
	char **argv;
	int rc = lode_bundle_make(&out->bundle, options, err);

	if (rc < 0)
		return rc;
	snprintf(data, sizeof(data), "%s/perf.data", out->bundle);
	rc = run_perf(out, options, data, err);
	/* Nothing but an empty directory: it goes again. */
	if (rc < 0) {
		lode_bundle_notes_remove(out->bundle);
		rmdir(out->bundle);
		return rc;
	}
	argv = lode_record_perf_command(options, data);
	rc = lode_bundle_fill(out, out->bundle, options, argv, err);
	free(argv);
	return rc;
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
		rc = lode_targets_check(options->pids, options->n_pids, err);
	if (rc == 0)
		rc = lode_check_rights(err);
	if (rc == 0)
		rc = lode_check_cpu_rate(options->cpu_rate, err);
	if (rc == 0 && options->want_network)
		rc = lode_check_network(err);
	if (rc < 0)
		return rc;
	found.perf = perf;
	found.switch_records = lode_idle_is_untraced();
	if (options->choose_stacks)
		lode_choose_stacks(&found);
	found.may_dump = options->choose_stacks && options->command && lode_can_dump_later(perf);
	rc = record(out, &found, err);
	if (rc == 0)
		lode_say_stacks(&found, options->command ? program : NULL, out);
	return rc;
}

void lode_record_result_release(struct lode_record_result *result)
{
	free(result->bundle);
	free(result->lacks);
	result->bundle = result->lacks = NULL;
}
