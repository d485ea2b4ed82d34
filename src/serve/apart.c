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
static const size_t most_answer_bytes = (size_t)1 << 30;

/* What comes through the pipe first. */
struct outcome {
	int rc;
	struct lode_error err;
};

/* ---- In the child ---- */

/* Connections are the server's: open here, they would not end where it ends them. */
static void close_sockets(void)
{
	DIR *list = opendir("/proc/self/fd");
	struct dirent *entry;

	while (list && (entry = readdir(list))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);
		struct stat st;

		if (fd > STDERR_FILENO && fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
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

static bool write_all(int fd, const void *bytes, size_t n)
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

static void __attribute__((noreturn))
be_child(int to, int said, lode_site_answer *answer, void *context,
	 const struct lode_site_query *query, const struct lode_apart_limits *limits)
{
	const struct rlimit no_core = {0, 0};
	struct outcome outcome = {.rc = LODE_OK};
	char *json;
	size_t n;
	FILE *out;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)setrlimit(RLIMIT_CORE, &no_core);
	(void)dup2(said, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	close_sockets();
	if (limits->memory_bytes)
		limit_memory(limits->memory_bytes);
	out = lode_written_open(&json, &n);
	outcome.rc = answer(context, query, out, &outcome.err);
	lode_written_close(out);
	if (write_all(to, &outcome, sizeof(outcome)) && outcome.rc == LODE_OK)
		(void)write_all(to, json, n);
	_exit(LODE_EXIT_OK);
}

/* ---- In the server ---- */

typedef LODE_VEC(char) byte_vec;

/* Takes all that comes until the child closes the pipe. False: not in time, or too much. */
static bool take_answer(byte_vec *out, int from, int64_t until_ms)
{
	for (;;) {
		int64_t rest_ms = until_ms - lode_clock_ns(CLOCK_MONOTONIC) / 1000000;
		struct pollfd ready = {.fd = from, .events = POLLIN};
		char piece[1 << 16];
		ssize_t n;

		if (rest_ms <= 0 || out->n > most_answer_bytes)
			return false;
		if (poll(&ready, 1, rest_ms < 1000 ? (int)rest_ms : 1000) <= 0)
			continue;
		n = read(from, piece, sizeof(piece));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		lode_vec_append_all(out, piece, (size_t)n);
	}
}

/* Why there is no answer: what the child said last, or how it ended. */
static int fail_apart(int status, int said, size_t memory_bytes, struct lode_error *err)
{
	char text[512];
	ssize_t n = read(said, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (WIFEXITED(status) && WEXITSTATUS(status) == LODE_EXIT_FAILURE) {
		lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
			  "the answer needs more memory than the %zu MiB of --memory: %.300s",
			  memory_bytes >> 20, text);
		return LODE_SITE_NO_MEMORY;
	}
	if (WIFSIGNALED(status))
		return lode_fail(err, LODE_ERR_IO, NULL, -1,
				 "the answer failed with signal %d, which is a bug in lode; the "
				 "server goes on",
				 WTERMSIG(status));
	return lode_fail(err, LODE_ERR_IO, NULL, -1, "the answer was cut: %.300s", text);
}

/* Ends the child if need be, and takes apart what it wrote. */
static int finish_apart(char **json, size_t *n, byte_vec *got, bool is_whole, pid_t child, int said,
			const struct lode_apart_limits *limits, struct lode_error *err)
{
	struct outcome outcome;
	int status = 0;

	if (!is_whole)
		kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!is_whole) {
		lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
			  "the answer takes longer than %lld s; ask for less, or use lode mine",
			  (long long)(limits->time_ms / 1000));
		return LODE_SITE_SLOW;
	}
	if (status != 0 || got->n < sizeof(outcome))
		return fail_apart(status, said, limits->memory_bytes, err);
	memcpy(&outcome, got->at, sizeof(outcome));
	if (outcome.rc != LODE_OK) {
		if (err)
			*err = outcome.err;
		return outcome.rc;
	}
	*n = got->n - sizeof(outcome);
	*json = lode_alloc(*n + 1);
	memcpy(*json, got->at + sizeof(outcome), *n);
	(*json)[*n] = '\0';
	return LODE_OK;
}

int lode_apart_answer(char **json, size_t *n, lode_site_answer *answer, void *context,
		      const struct lode_site_query *query, const struct lode_apart_limits *limits,
		      struct lode_error *err)
{
	int64_t until_ms = lode_clock_ns(CLOCK_MONOTONIC) / 1000000 + limits->time_ms;
	int data[2] = {-1, -1}, said[2] = {-1, -1}, rc;
	pid_t child = -1;
	byte_vec got = {0};
	bool is_whole;

	*json = NULL;
	*n = 0;
	/* What it says beyond the pipe's room is lost: it must not wait for a reader. */
	if (pipe2(data, O_CLOEXEC) == 0 && pipe2(said, O_CLOEXEC | O_NONBLOCK) == 0)
		child = fork();
	if (child == 0)
		be_child(data[1], said[1], answer, context, query, limits);
	if (child > 0) {
		close(data[1]);
		data[1] = -1;
		is_whole = take_answer(&got, data[0], until_ms);
		rc = finish_apart(json, n, &got, is_whole, child, said[0], limits, err);
	} else {
		rc = lode_fail_errno(err, errno, NULL, "cannot start a process for the answer");
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
