/* Starts perf and the command in the right order, and waits for the end of both. */
#include "record/perf_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/duration.h"
#include "record/first_second.h"
#include "record/parent_watch.h"
#include "record/socket_names.h"

/* Beyond the duration, for lode to end perf itself. */
static const int64_t grace_ns = INT64_C(30000000000);

enum { READ, WRITE };

struct run {
	const struct lode_record_options *options;
	struct lode_perf_run *out;
	pid_t perf, command, watcher; /* 0: none, or reaped */
	void (*note)(void *context, pid_t command);
	void *note_context;
	int perf_gate, command_gate; /* a byte lets it begin; closed, it ends without */
	int control[2], ack[2];	     /* to perf, and back */
	int signals;
	struct pollfd *targets; /* a pidfd of each process to look at; -1: it has ended */
	size_t n_targets, n_alive;
	bool is_over;	 /* perf was told to end: what was to be recorded has ended */
	sigset_t before; /* of this thread's mask */
	int64_t deadline_ns;
	struct lode_first_second stacks;
	struct lode_socket_names names;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void say_perf_run(const struct run *run, const char *text)
{
	if (run->options->warn)
		run->options->warn(run->options->say_context, text);
}

/* ---- Children that wait until they are told to begin ---- */

/* In the child. */
static void wait_at(const int gate[2])
{
	char byte;
	ssize_t n;

	close(gate[WRITE]);
	do
		n = read(gate[READ], &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(0);
}

static void open_gate(int *gate)
{
	/* The process that waited there may be dead. */
	if (*gate >= 0 && write(*gate, "", 1) < 0)
		errno = 0;
	close_fd(gate);
}

static void run_program(const char *path, char *const *argv) __attribute__((noreturn));

static void run_program(const char *path, char *const *argv)
{
	execvp(path, argv);
	fprintf(stderr, "lode: %s: %s\n", path, strerror(errno));
	_exit(127);
}

static int start_command(struct run *run, struct lode_error *err)
{
	int gate[2];

	if (pipe2(gate, O_CLOEXEC))
		return lode_fail_errno(err, errno, NULL, "cannot create a pipe");
	run->command = fork();
	if (run->command == 0) {
		/* By this name readers know the command (model/builder.c). */
		prctl(PR_SET_NAME, "perf-exec");
		wait_at(gate);
		sigprocmask(SIG_SETMASK, &run->before, NULL);
		umask(run->options->command_umask);
		run_program(run->options->command[0], run->options->command);
	}
	close(gate[READ]);
	run->command_gate = gate[WRITE];
	if (run->command < 0) {
		run->command = 0;
		return lode_fail_errno(err, errno, run->options->command[0], "cannot start it");
	}
	run->out->command = run->command;
	run->note(run->note_context, run->command);
	return 0;
}

static int start_perf(struct run *run, const char *data, struct lode_error *err)
{
	char **argv = lode_record_controlled_command(run->options, data, run->control[READ],
						     run->ack[WRITE]);
	pid_t parent = getpid();
	int gate[2], rc = 0;

	if (pipe2(gate, O_CLOEXEC)) {
		free(argv);
		return lode_fail_errno(err, errno, NULL, "cannot create a pipe");
	}
	run->perf = fork();
	if (run->perf == 0) {
		lode_end_with_parent(parent, SIGINT);
		wait_at(gate);
		sigprocmask(SIG_SETMASK, &run->before, NULL);
		/* Both ends: perf 6.1 fails, its file not closed, when the other side hangs up. */
		fcntl(run->control[READ], F_SETFD, 0);
		fcntl(run->control[WRITE], F_SETFD, 0);
		fcntl(run->ack[WRITE], F_SETFD, 0);
		lode_record_exec_perf(run->options, argv);
		fprintf(stderr, "lode: %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	if (run->perf < 0) {
		run->perf = 0;
		rc = lode_fail_errno(err, errno, argv[0], "cannot start it");
	}
	close(gate[READ]);
	run->perf_gate = gate[WRITE];
	close_fd(&run->control[READ]);
	close_fd(&run->ack[WRITE]);
	free(argv);
	return rc;
}

static int open_all(struct run *run, struct lode_error *err)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* Under nohup it does not count. */
	if (sigaction(SIGHUP, NULL, &hangup) < 0 || hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	/* perf may end while it is written to. */
	sigaddset(&set, SIGPIPE);
	/* Blocked before there is a child: its end must not go unnoticed. */
	sigprocmask(SIG_BLOCK, &set, &run->before);
	sigdelset(&set, SIGPIPE);
	run->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->signals < 0 || pipe2(run->control, O_CLOEXEC) || pipe2(run->ack, O_CLOEXEC))
		return lode_fail_errno(err, errno, NULL, "preparing to run perf");
	return 0;
}

/* One that is gone already, or that this kernel cannot watch, is not waited for. */
static void open_targets(struct run *run)
{
	const struct lode_record_options *options = run->options;

	run->targets = lode_alloc0(options->n_pids + 1, sizeof(*run->targets));
	for (; run->n_targets < options->n_pids; run->n_targets++) {
		struct pollfd *target = &run->targets[run->n_targets];

		target->fd = lode_pidfd_open(options->pids[run->n_targets]);
		target->events = POLLIN;
		run->n_alive += target->fd >= 0;
	}
}

static int start(struct run *run, const char *data, struct lode_error *err)
{
	char dumps[LODE_DUMPS_PATH_BYTES];
	int64_t end_ns = INT64_MAX;
	int rc = open_all(run, err);

	open_targets(run);
	if (rc == 0 && run->options->command)
		rc = start_command(run, err);
	if (rc == 0)
		rc = start_perf(run, data, err);
	if (rc < 0)
		return rc;
	if (run->options->duration_ns > 0)
		end_ns = lode_clock_ns(CLOCK_MONOTONIC) + run->options->duration_ns + grace_ns;
	lode_dumps_path(dumps, data);
	run->watcher = lode_watcher_start(run->perf, end_ns, run->options->may_dump ? dumps : NULL);
	open_gate(&run->perf_gate);
	/* A perf that has ended already has said why. */
	lode_first_second_init(&run->stacks, run->options, data, run->control[WRITE]);
	if (!lode_first_second_enable(&run->stacks, &run->before) && errno != EPIPE)
		return lode_fail_errno(err, errno, NULL, "telling perf to begin");
	return 0;
}

/* ---- Ends ---- */

/* Both close their files. */
static void end_perf(struct run *run)
{
	if (run->perf)
		kill(run->perf, SIGINT);
	lode_dump_recorder_stop(&run->stacks.dumps);
}

static void stop(struct run *run)
{
	bool is_again = run->out->was_stopped;

	run->out->was_stopped = true;
	run->deadline_ns = INT64_MAX;
	close_fd(&run->command_gate);
	end_perf(run);
	if (!run->command)
		return;
	if (!is_again) {
		kill(run->command, SIGTERM);
		return;
	}
	run->out->still_running = run->command;
	run->command = 0;
}

static void reap(struct run *run)
{
	int status;

	if (run->perf && waitpid(run->perf, &status, WNOHANG) == run->perf) {
		run->perf = 0;
		run->out->ended_early = !run->out->was_stopped && !run->is_over &&
					(run->command || !run->options->command);
		/* One that has not begun ends here; the run of another is its user's. */
		close_fd(&run->command_gate);
		if (run->command && run->out->has_recorded && run->out->ended_early)
			say_perf_run(run, "perf exited before the command: the rest of the run was "
					  "not recorded");
	}
	lode_dump_recorder_reap(&run->stacks.dumps);
	if (run->command && waitpid(run->command, &status, WNOHANG) == run->command) {
		run->command = 0;
		if (run->out->has_recorded)
			run->out->command_status = status;
		end_perf(run);
	}
}

static void take_signals(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			stop(run);
	reap(run);
}

/* When the last of them has ended, there is nothing more to record. */
static void take_ends(struct run *run)
{
	if (!run->n_alive || poll(run->targets, run->n_targets, 0) <= 0)
		return;
	for (size_t i = 0; i < run->n_targets; i++) {
		char text[64];

		if (run->targets[i].fd < 0 || !run->targets[i].revents)
			continue;
		close_fd(&run->targets[i].fd);
		run->n_alive--;
		snprintf(text, sizeof(text), "process %d ended%s", run->options->pids[i],
			 run->n_alive ? "" : ", and with it the recording");
		say_perf_run(run, text);
	}
	if (run->n_alive)
		return;
	run->is_over = true;
	end_perf(run);
}

/* Without a command: who makes something happen needs to know when. */
static void say_begin(const struct run *run)
{
	const struct lode_record_options *options = run->options;
	char what[80] = "the whole machine", at_most[LODE_DURATION_BYTES] = "", text[200];

	if (options->command)
		return;
	if (options->n_pids == 1)
		snprintf(what, sizeof(what), "process %d until it ends", options->pids[0]);
	else if (options->n_pids)
		snprintf(what, sizeof(what), "%zu processes until the last one ends",
			 options->n_pids);
	if (options->duration_ns > 0)
		lode_duration_text(options->duration_ns, at_most, sizeof(at_most));
	snprintf(text, sizeof(text), "recording %s%s%s (Ctrl-C stops it)", what,
		 !*at_most	   ? ""
		 : options->n_pids ? ", for at most "
				   : " for ",
		 at_most);
	say_perf_run(run, text);
}

/* Both perfs answer each command; when the first are done, events are on. */
static void take_answer(struct run *run, bool is_of_second)
{
	char text[64];
	ssize_t n = is_of_second ? 0 : read(run->ack[READ], text, sizeof(text));
	unsigned n_answers = 0;

	if (is_of_second)
		lode_dump_recorder_answered(&run->stacks.dumps);
	else if (n <= 0)
		close_fd(&run->ack[READ]);
	for (ssize_t i = 0; i < n; i++)
		n_answers += text[i] == '\n';
	if (!lode_first_second_answered(&run->stacks, n_answers) || run->out->was_stopped)
		return;
	if (run->out->has_recorded) {
		lode_first_second_flushed(&run->stacks);
		return;
	}
	run->out->has_recorded = true;
	run->out->begin_ns = lode_clock_ns(CLOCK_MONOTONIC);
	/* Both perfs run. */
	if (run->options->perf_link)
		(void)unlink(run->options->perf_link);
	if (run->options->duration_ns > 0)
		run->deadline_ns = lode_clock_ns(CLOCK_MONOTONIC) + run->options->duration_ns;
	lode_first_second_begin(&run->stacks, run->out->begin_ns);
	if (run->options->name_in_turns)
		lode_socket_names_begin(&run->names, run->out->begin_ns);
	open_gate(&run->command_gate);
	say_begin(run);
}

/* Until there is something to take; 0: a time has come. */
static int wait_for_some(struct run *run, bool has_answer[2])
{
	size_t n = run->out->has_recorded ? run->n_targets : 0;
	struct pollfd *fds = lode_alloc0(n + 4, sizeof(*fds));
	struct timespec left = {0};
	int64_t until_ns =
		run->stacks.due_ns < run->deadline_ns ? run->stacks.due_ns : run->deadline_ns;
	int64_t left_ns;
	int rc;

	if (run->names.due_ns < until_ns)
		until_ns = run->names.due_ns;
	left_ns = until_ns - lode_clock_ns(CLOCK_MONOTONIC);
	fds[0] = (struct pollfd){.fd = run->signals, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = run->ack[READ], .events = POLLIN};
	fds[2] = (struct pollfd){.fd = run->stacks.verdict, .events = POLLIN};
	fds[3] = (struct pollfd){.fd = run->stacks.dumps.ack, .events = POLLIN};
	memcpy(fds + 4, run->targets, n * sizeof(*fds));
	if (left_ns > 0) {
		left.tv_sec = left_ns / 1000000000;
		left.tv_nsec = left_ns % 1000000000;
	}
	rc = ppoll(fds, n + 4, until_ns == INT64_MAX ? NULL : &left, NULL);
	has_answer[0] = rc > 0 && fds[1].revents;
	has_answer[1] = rc > 0 && fds[3].revents;
	if (rc > 0 && fds[2].revents)
		lode_first_second_decide(&run->stacks);
	free(fds);
	return rc;
}

/* While an answer is owed, perf is told nothing more: it may hang. */
static void turn_names(struct run *run, int64_t now_ns)
{
	bool can_tell = !run->stacks.n_owed && !run->stacks.dumps.n_owed;

	switch (lode_socket_names_tick(&run->names, now_ns, can_tell)) {
	case LODE_NAMES_ON:
		lode_first_second_tell(&run->stacks, lode_names_on);
		break;
	case LODE_NAMES_OFF:
		lode_first_second_tell(&run->stacks, lode_names_off);
		break;
	case LODE_NAMES_AS_THEY_ARE:
		break;
	}
}

static void take_time(struct run *run)
{
	int64_t now_ns = lode_clock_ns(CLOCK_MONOTONIC);

	if (now_ns >= run->deadline_ns) {
		stop(run);
		return;
	}
	if (now_ns >= run->stacks.due_ns)
		lode_first_second_tick(&run->stacks, now_ns);
	if (now_ns >= run->names.due_ns)
		turn_names(run, now_ns);
}

static int wait_for_all(struct run *run, struct lode_error *err)
{
	while (run->perf || run->command) {
		bool has_answer[2];
		int n = wait_for_some(run, has_answer);

		if (n < 0 && errno != EINTR)
			return lode_fail_errno(err, errno, NULL, "waiting for perf");
		if (n == 0)
			take_time(run);
		for (int i = 0; i < 2; i++)
			if (has_answer[i])
				take_answer(run, i);
		if (run->out->has_recorded)
			take_ends(run);
		take_signals(run);
	}
	return 0;
}

int lode_perf_run(struct lode_perf_run *out, const struct lode_record_options *options,
		  const char *data, void (*note)(void *context, pid_t command), void *context,
		  struct lode_error *err)
{
	struct run run = {
		.options = options,
		.out = out,
		.note = note,
		.note_context = context,
		.perf_gate = -1,
		.command_gate = -1,
		.control = {-1, -1},
		.ack = {-1, -1},
		.signals = -1,
		.deadline_ns = INT64_MAX,
		.stacks = {.verdict = -1, .due_ns = INT64_MAX, .dumps = {.control = -1, .ack = -1}},
		.names = {.due_ns = INT64_MAX},
	};
	sigset_t pipe_signal;
	int rc;

	*out = (struct lode_perf_run){.command_status = -1};
	rc = start(&run, data, err);
	if (rc == 0)
		rc = wait_for_all(&run, err);
	/* On a failure a process that waits at a gate finds it closed, and both perfs end. */
	close_fd(&run.perf_gate);
	close_fd(&run.command_gate);
	end_perf(&run);
	if (run.perf)
		waitpid(run.perf, NULL, 0);
	lode_first_second_end(&run.stacks, out->has_recorded && rc == 0);
	lode_socket_names_end(&run.names);
	out->kind = run.stacks.kind;
	if (run.command)
		waitpid(run.command, NULL, 0);
	lode_watcher_wait(run.watcher);
	for (int i = 0; i < 2; i++) {
		close_fd(&run.control[i]);
		close_fd(&run.ack[i]);
	}
	close_fd(&run.signals);
	for (size_t i = 0; i < run.n_targets; i++)
		close_fd(&run.targets[i].fd);
	free(run.targets);
	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	while (sigtimedwait(&pipe_signal, NULL, &(struct timespec){0}) > 0)
		;
	sigprocmask(SIG_SETMASK, &run.before, NULL);
	return rc;
}
