#include "recorder/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "recorder/bundle.h"
#include "recorder/child.h"
#include "recorder/keep_awake.h"
#include "recorder/rights.h"

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

static int run_perf(struct lode_record_result *result, const struct lode_record_options *options,
		    char *const *argv, struct lode_error *err)
{
	struct lode_spinners spinners = {0};
	int status = 0, rc = 0;

	if (options->keep_awake)
		rc = lode_spinners_start(&spinners, err);
	if (rc == 0)
		rc = lode_child_run(&status, &result->was_stopped, (const char *const *)argv,
				    options->duration_ns, err);
	lode_spinners_stop(&spinners);
	result->command_exit = options->command ? exit_of(status) : -1;
	return rc;
}

/* perf says itself what went wrong; what it left tells whether there is a recording. */
static int check_recording(const char *data, struct lode_error *err)
{
	struct stat st;

	if (stat(data, &st) == 0 && st.st_size > 0)
		return 0;
	return lode_fail(err, LODE_ERR_IO, NULL, -1,
			 "perf made no recording; its own message stands above");
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
	argv = lode_record_perf_command(options, data);
	rc = run_perf(out, options, argv, err);
	if (rc == 0)
		rc = check_recording(data, err);
	/* Nothing but an empty directory: it goes again. */
	if (rc < 0)
		rmdir(out->bundle);
	else
		rc = lode_bundle_fill(out, out->bundle, options, argv, err);
	free(argv);
	return rc;
}

int lode_record(struct lode_record_result *out, const struct lode_record_options *options,
		struct lode_error *err)
{
	struct lode_record_options found = *options;
	char perf[1024], program[1024];
	int rc;

	*out = (struct lode_record_result){.command_exit = -1};
	rc = find_perf(perf, sizeof(perf), options->perf, err);
	if (rc == 0 && options->command)
		rc = lode_find_program(program, sizeof(program), options->command[0], err);
	if (rc == 0)
		rc = lode_check_rights(err);
	if (rc < 0)
		return rc;
	found.perf = perf;
	return record(out, &found, err);
}

void lode_record_result_release(struct lode_record_result *result)
{
	free(result->bundle);
	result->bundle = NULL;
}
