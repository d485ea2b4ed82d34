/* Runs a second perf that takes stack dumps. */
#include "record/dump_recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/folder.h"
#include "record/parent_watch.h"
#include "record/rights.h"

enum { READ, WRITE };

struct lode_record_options lode_dump_options(const struct lode_record_options *options)
{
	struct lode_record_options out = *options;

	out.want_dwarf = true;
	out.dump_bytes = options->want_at_once ? 0 : LODE_LATER_DUMP_BYTES;
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

static void run_second(const struct lode_record_options *options, char *const *argv, pid_t parent,
		       const int control[2], int ack, const sigset_t *mask)
	__attribute__((noreturn));

static void run_second(const struct lode_record_options *options, char *const *argv, pid_t parent,
		       const int control[2], int ack, const sigset_t *mask)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	lode_end_with_parent(parent, SIGKILL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	/* Its failure is no failure of the recording, but of interest if dumps were wanted. */
	if (nowhere >= 0 && !options->want_at_once)
		dup2(nowhere, STDERR_FILENO);
	/* Both ends: perf 6.1 fails, its file not closed, when the other side hangs up. */
	fcntl(control[READ], F_SETFD, 0);
	fcntl(control[WRITE], F_SETFD, 0);
	fcntl(ack, F_SETFD, 0);
	lode_record_exec_perf(options, argv);
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
		run_second(options, argv, parent, control, ack[WRITE], mask);
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

/* ---- Counting switches: when their stack dumps are too many ---- */

static const int64_t second_ns = 1000000000;

void lode_dump_budget_open(struct lode_dump_budget *budget,
			   const struct lode_record_options *options, int64_t now_ns)
{
	const struct lode_record_options with = lode_dump_options(options);

	*budget = (struct lode_dump_budget){
		.most_bytes = (int64_t)lode_record_buffer_bytes(&with) / 2,
		.emptied_per_s = LODE_MOST_DUMP_BYTES,
		.samples_per_s = options->cpu_rate,
		.dump_bytes = with.dump_bytes ? (int64_t)with.dump_bytes : LODE_DUMP_BYTES,
		.n_cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF),
		.seen_ns = now_ns,
	};
	budget->cpus = lode_alloc0(budget->n_cpus, sizeof(*budget->cpus));
	for (size_t i = 0; i < budget->n_cpus; i++)
		budget->cpus[i].counter = lode_open_switch_counter((int)i);
}

void lode_dump_budget_close(struct lode_dump_budget *budget)
{
	for (size_t i = 0; i < budget->n_cpus; i++)
		if (budget->cpus[i].counter >= 0)
			close(budget->cpus[i].counter);
	free(budget->cpus);
	*budget = (struct lode_dump_budget){0};
}

bool lode_dump_budget_take(const struct lode_dump_budget *budget, struct lode_dump_cpu *cpu,
			   uint64_t n_switches, int64_t for_ns)
{
	int64_t bytes = (int64_t)n_switches * budget->dump_bytes;

	/* In microseconds, bytes of a day fit; what waits longer is written by then. */
	for_ns = for_ns < 0 ? 0 : for_ns > 86400 * second_ns ? 86400 * second_ns : for_ns;
	bytes += (budget->samples_per_s * budget->dump_bytes - budget->emptied_per_s) *
		 (for_ns / 1000) / (second_ns / 1000);
	cpu->waiting_bytes += bytes;
	if (cpu->waiting_bytes < 0)
		cpu->waiting_bytes = 0;
	return cpu->waiting_bytes > budget->most_bytes;
}

bool lode_dump_budget_is_spent(struct lode_dump_budget *budget, int64_t now_ns)
{
	bool is_spent = false;

	for (size_t i = 0; i < budget->n_cpus; i++) {
		struct lode_dump_cpu *cpu = &budget->cpus[i];
		uint64_t n;

		if (cpu->counter < 0 || read(cpu->counter, &n, sizeof(n)) != sizeof(n))
			continue;
		is_spent |= lode_dump_budget_take(budget, cpu, n - cpu->n_counted,
						  now_ns - budget->seen_ns);
		cpu->n_counted = n;
	}
	budget->seen_ns = now_ns;
	return is_spent;
}
