/* Runs a second perf that takes stack dumps. */
#include "record/dump_recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folder.h"
#include "record/parent_watch.h"

enum { READ, WRITE };

struct lode_record_options lode_dump_options(const struct lode_record_options *options)
{
	struct lode_record_options out = *options;

	out.want_dwarf = true;
	out.dump_bytes = LODE_LATER_DUMP_BYTES;
	return out;
}

void lode_dumps_path(char path[LODE_DUMPS_PATH_BYTES], const char *data)
{
	snprintf(path, LODE_DUMPS_PATH_BYTES, "%.*s.dumps", (int)lode_path_folder_bytes(data),
		 data);
}

static void close_ends(struct lode_dump_recorder *recorder)
{
	if (recorder->control >= 0)
		close(recorder->control);
	if (recorder->ack >= 0)
		close(recorder->ack);
	recorder->control = recorder->ack = -1;
	recorder->n_owed = 0;
}

void lode_dump_recorder_tell(struct lode_dump_recorder *recorder, const char *line)
{
	size_t n = strlen(line);

	/* One that has ended is noticed at its other end. */
	if (recorder->control >= 0 && write(recorder->control, line, n) == (ssize_t)n)
		recorder->n_owed++;
}

static void run_second(char *const *argv, pid_t parent, const int control[2], int ack,
		       const sigset_t *mask) __attribute__((noreturn));

static void run_second(char *const *argv, pid_t parent, const int control[2], int ack,
		       const sigset_t *mask)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	lode_end_with_parent(parent, SIGKILL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	/* What goes wrong with it is no failure of the recording. */
	if (nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	/* Both ends: perf 6.1 fails, its file not closed, when the other side hangs up. */
	fcntl(control[READ], F_SETFD, 0);
	fcntl(control[WRITE], F_SETFD, 0);
	fcntl(ack, F_SETFD, 0);
	execvp(argv[0], argv);
	_exit(127);
}

void lode_dump_recorder_start(struct lode_dump_recorder *recorder,
			      const struct lode_record_options *options, const char *data,
			      const sigset_t *mask)
{
	struct lode_record_options with = lode_dump_options(options);
	int control[2], ack[2];
	pid_t parent = getpid();
	char **argv;

	*recorder = (struct lode_dump_recorder){.control = -1, .ack = -1};
	lode_dumps_path(recorder->path, data);
	if (pipe2(control, O_CLOEXEC))
		return;
	if (pipe2(ack, O_CLOEXEC)) {
		close(control[READ]);
		close(control[WRITE]);
		return;
	}
	argv = lode_record_controlled_command(&with, recorder->path, control[READ], ack[WRITE]);
	recorder->perf = fork();
	if (recorder->perf == 0)
		run_second(argv, parent, control, ack[WRITE], mask);
	free(argv);
	close(control[READ]);
	close(ack[WRITE]);
	recorder->control = control[WRITE];
	recorder->ack = ack[READ];
	if (recorder->perf < 0) {
		recorder->perf = 0;
		close_ends(recorder);
	}
	lode_dump_recorder_tell(recorder, "enable\n");
}

void lode_dump_recorder_answered(struct lode_dump_recorder *recorder)
{
	char text[64];
	ssize_t n = read(recorder->ack, text, sizeof(text));

	if (n <= 0) {
		recorder->is_broken |= !recorder->is_stopped;
		close_ends(recorder);
	}
	for (ssize_t i = 0; i < n; i++)
		if (text[i] == '\n' && recorder->n_owed)
			recorder->n_owed--;
}

void lode_dump_recorder_flush(struct lode_dump_recorder *recorder)
{
	lode_dump_recorder_tell(recorder, "ping\n");
	lode_dump_recorder_tell(recorder, "ping\n");
}

void lode_dump_recorder_stop(struct lode_dump_recorder *recorder)
{
	if (recorder->perf && !recorder->is_stopped)
		kill(recorder->perf, SIGINT);
	recorder->is_stopped = true;
}

void lode_dump_recorder_reap(struct lode_dump_recorder *recorder)
{
	if (recorder->perf && waitpid(recorder->perf, NULL, WNOHANG) == recorder->perf)
		recorder->perf = 0;
}

void lode_dump_recorder_finish(struct lode_dump_recorder *recorder)
{
	while (recorder->perf && waitpid(recorder->perf, NULL, 0) < 0 && errno == EINTR)
		;
	recorder->perf = 0;
	close_ends(recorder);
}

void lode_dump_recorder_discard(struct lode_dump_recorder *recorder)
{
	if (recorder->perf)
		kill(recorder->perf, SIGKILL);
	lode_dump_recorder_finish(recorder);
	if (recorder->path[0])
		unlink(recorder->path);
}
