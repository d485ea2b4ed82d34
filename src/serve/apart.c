/* Runs a question in a child process, within limits of memory and time. */
#include "serve/apart.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_codes.h"
#include "base/pool.h"
#include "base/written.h"

/* LIMIT: of an answer that comes through the pipe. */
static const size_t most_answer_bytes = (size_t)256 << 20;

enum { AGAIN_MS = 50 }; /* until what is pending is asked again */

/* What comes through the pipe first. */
struct outcome {
	int rc;
	struct lode_error err;
};

/* ---- In the child ---- */

/* Connections, and other questions' pipes, are the server's: open here, they would not end where it
   ends them. */
static void close_connections(const int ours[2])
{
	DIR *list = opendir("/proc/self/fd");
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);
		struct stat st;

		if (fd > STDERR_FILENO && fd != ours[0] && fd != ours[1] && fstat(fd, &st) == 0 &&
		    (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)))
			close(fd);
	}
	if (list)
		closedir(list);
}

/* Memory that it may write to, as RLIMIT_DATA counts it: what the server has, and more. Threads
   have stacks, which count as a whole. */
static void limit_memory(size_t more_bytes)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	const size_t stacks = ((size_t)lode_pool_cpus() + 4) * ((size_t)16 << 20);
	unsigned long long pages = 0;
	FILE *in = fopen("/proc/self/statm", "re");
	struct rlimit limit;

	if (in && fscanf(in, "%*s %*s %*s %*s %*s %llu", &pages) == 1) {
		limit.rlim_cur = limit.rlim_max = pages * page_bytes + more_bytes + stacks;
		(void)setrlimit(RLIMIT_DATA, &limit);
	}
	if (in)
		fclose(in);
}

bool lode_apart_write(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

void lode_apart_begin(const int ours[2], pid_t server, size_t memory_bytes)
{
	const struct rlimit no_core = {0, 0};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != server)
		_exit(LODE_EXIT_FAILURE);
	(void)setrlimit(RLIMIT_CORE, &no_core);
	close_connections(ours);
	if (memory_bytes)
		limit_memory(memory_bytes);
}

static void __attribute__((noreturn))
be_child(int to, int said, pid_t server, lode_site_answer *answer, void *context,
	 const struct lode_site_query *query, const struct lode_apart_limits *limits)
{
	struct outcome outcome = {.rc = LODE_OK};
	char *json;
	size_t n;
	FILE *out;

	lode_apart_begin((const int[]){to, said}, server, limits->memory_bytes);
	(void)dup2(said, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	out = lode_written_open(&json, &n);
	outcome.rc = answer(context, query, out, &outcome.err);
	lode_written_close(out);
	if (lode_apart_write(to, &outcome, sizeof(outcome)) && outcome.rc == LODE_OK)
		(void)lode_apart_write(to, json, n);
	_exit(LODE_EXIT_OK);
}

/* ---- In the server ---- */

typedef LODE_VEC(char) byte_vec;

enum end { ANSWERED, TOO_SLOW, TOO_LARGE, STOPPED };

static bool is_stopping(const struct lode_apart_limits *limits)
{
	return limits->is_stopping && atomic_load(limits->is_stopping);
}

/* Takes all that comes until the child closes the pipe. */
static enum end take_answer(byte_vec *out, int from, int64_t until_ms,
			    const struct lode_apart_limits *limits)
{
	for (;;) {
		int64_t rest_ms = until_ms - lode_clock_ms(CLOCK_MONOTONIC);
		struct pollfd ready = {.fd = from, .events = POLLIN};
		char piece[1 << 16];
		ssize_t n;

		if (is_stopping(limits))
			return STOPPED;
		if (rest_ms <= 0)
			return TOO_SLOW;
		if (out->n > most_answer_bytes)
			return TOO_LARGE;
		if (poll(&ready, 1,
			 rest_ms < LODE_APART_LOOK_MS ? (int)rest_ms : LODE_APART_LOOK_MS) <= 0)
			continue;
		n = read(from, piece, sizeof(piece));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return ANSWERED;
		lode_vec_append_all(out, piece, (size_t)n);
	}
}

int lode_apart_fail(int status, const char *what, const char *said, size_t memory_bytes,
		    struct lode_error *err)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == LODE_EXIT_FAILURE) {
		lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
			  "%s needs more memory than the %zu MiB of --memory%s%.300s", what,
			  memory_bytes >> 20, *said ? ": " : "", said);
		return LODE_SITE_NO_MEMORY;
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return lode_fail(err, LODE_ERR_IO, NULL, -1,
				 "the process of %s was killed, by a user or because the "
				 "machine has no memory left; the server goes on",
				 what);
	if (WIFSIGNALED(status))
		return lode_fail(err, LODE_ERR_IO, NULL, -1,
				 "%s failed with signal %d, which is a bug in lode; the "
				 "server goes on",
				 what, WTERMSIG(status));
	return lode_fail(err, LODE_ERR_IO, NULL, -1, "%s was cut%s%.300s", what, *said ? ": " : "",
			 said);
}

/* Why there is no answer: what the child said last, or how it ended. */
static int fail_apart(int status, int said, size_t memory_bytes, struct lode_error *err)
{
	char text[512];
	ssize_t n = read(said, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return lode_apart_fail(status, "the answer", text, memory_bytes, err);
}

static int fail_unfinished(enum end end, const struct lode_apart_limits *limits,
			   struct lode_error *err)
{
	switch (end) {
	case TOO_SLOW:
		lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
			  "the answer takes longer than %lld s; ask for less, or use lode mine",
			  (long long)(limits->time_ms / 1000));
		return LODE_SITE_SLOW;
	case TOO_LARGE:
		return lode_fail(
			err, LODE_ERR_LIMIT, NULL, -1,
			"the answer is larger than %zu MiB; ask for less, or use lode mine",
			most_answer_bytes >> 20);
	default:
		lode_fail(err, LODE_ERR_IO, NULL, -1, "the server is stopping");
		return LODE_SITE_PENDING;
	}
}

/* Ends the child if need be, and takes apart what it wrote. */
static int finish_apart(char **json, size_t *n, byte_vec *got, enum end end, pid_t child, int said,
			const struct lode_apart_limits *limits, struct lode_error *err)
{
	struct outcome outcome;
	int status = 0;

	if (end != ANSWERED)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (end != ANSWERED)
		return fail_unfinished(end, limits, err);
	if (status != 0 || got->n < sizeof(outcome))
		return fail_apart(status, said, limits->memory_bytes, err);
	memcpy(&outcome, got->at, sizeof(outcome));
	if (outcome.rc != LODE_OK) {
		if (err)
			*err = outcome.err;
		return outcome.rc;
	}
	*n = got->n - sizeof(outcome);
	memmove(got->at, got->at + sizeof(outcome), *n);
	got->n = *n;
	lode_vec_append(got, '\0');
	*json = got->at;
	*got = (byte_vec){0};
	return LODE_OK;
}

static int ask_child(char **json, size_t *n, lode_site_answer *answer, void *context,
		     const struct lode_site_query *query, const struct lode_apart_limits *limits,
		     int64_t until_ms, struct lode_error *err)
{
	int data[2] = {-1, -1}, said[2] = {-1, -1}, rc;
	pid_t child = -1, server = getpid();
	byte_vec got = {0};
	enum end end;

	/* What it says beyond the pipe's room is lost: it must not wait for a reader. */
	if (pipe2(data, O_CLOEXEC) == 0 && pipe2(said, O_CLOEXEC | O_NONBLOCK) == 0)
		child = fork();
	if (child == 0)
		be_child(data[1], said[1], server, answer, context, query, limits);
	if (child > 0) {
		close(data[1]);
		data[1] = -1;
		end = take_answer(&got, data[0], until_ms, limits);
		rc = finish_apart(json, n, &got, end, child, said[0], limits, err);
	} else {
		lode_fail_errno(err, errno, NULL,
				"cannot start a process for the answer; try again in a moment");
		rc = LODE_SITE_PENDING;
	}
	for (int i = 0; i < 2; i++) {
		if (data[i] >= 0)
			close(data[i]);
		if (said[i] >= 0)
			close(said[i]);
	}
	lode_vec_release(&got);
	return rc;
}

int lode_apart_answer(char **json, size_t *n, lode_site_answer *answer, void *context,
		      const struct lode_site_query *query, const struct lode_apart_limits *limits,
		      struct lode_error *err)
{
	int64_t start_ms = lode_clock_ms(CLOCK_MONOTONIC);
	int rc;

	*json = NULL;
	*n = 0;
	for (;;) {
		if (is_stopping(limits))
			return fail_unfinished(STOPPED, limits, err);
		rc = ask_child(json, n, answer, context, query, limits, start_ms + limits->time_ms,
			       err);
		if (rc != LODE_SITE_PENDING ||
		    lode_clock_ms(CLOCK_MONOTONIC) - start_ms > limits->patience_ms)
			return rc;
		usleep(AGAIN_MS * 1000);
	}
}
