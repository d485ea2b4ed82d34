/* See parent_watch.h: a process that outlives lode for as long as it takes to end its child. */
#include "record/parent_watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

/* A recording of gigabytes takes perf a while to close. */
enum { KILL_AFTER_MS = 5 * 60 * 1000 };

void lode_end_with_parent(pid_t parent, int signum)
{
	prctl(PR_SET_PDEATHSIG, signum);
	if (getppid() != parent)
		_exit(127);
}

/* glibc before 2.36 has no names for these. */
int lode_pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static void send(int pidfd, int signum)
{
	(void)syscall(SYS_pidfd_send_signal, pidfd, signum, NULL, 0);
}

/* Waits for one of them, or for that time of CLOCK_MONOTONIC (INT64_MAX: as long as it takes). */
static void wait_for(struct pollfd *fds, nfds_t n, int64_t end_ns)
{
	int64_t left_ms = -1;
	int rc;

	do {
		if (end_ns != INT64_MAX) {
			left_ms = (end_ns - lode_clock_ns(CLOCK_MONOTONIC)) / 1000000 + 1;
			left_ms = left_ms < 0 ? 0 : left_ms > INT32_MAX ? INT32_MAX : left_ms;
		}
		rc = poll(fds, n, (int)left_ms);
	} while (rc < 0 && errno == EINTR);
}

static void watch(struct pollfd fds[2], int64_t end_ns)
{
	int child = fds[0].fd;

	wait_for(fds, 2, end_ns);
	if (fds[0].revents)
		return;
	send(child, SIGINT);
	/* At the end of its time lode sees to the rest, if it is there. */
	if (!fds[1].revents)
		wait_for(fds, 2, INT64_MAX);
	if (fds[0].revents)
		return;
	send(child, SIGINT);
	wait_for(fds, 1, lode_clock_ns(CLOCK_MONOTONIC) + KILL_AFTER_MS * INT64_C(1000000));
	if (!fds[0].revents)
		send(child, SIGKILL);
}

/* Kernels before 5.9 leave them open. */
static void close_from(unsigned first, unsigned last)
{
	if (first <= last)
		(void)syscall(SYS_close_range, first, last, 0);
}

/* Keeps no pipe open whose end a reader awaits, and is not stopped with lode's group.
 */
static void stand_alone(int a, int b)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

	prctl(PR_SET_NAME, "lode-watch");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	if (low)
		close_from(0, low - 1);
	close_from(low + 1, high - 1);
	close_from(high + 1, ~0U);
}

static void run_watcher(int lode, int child, int64_t end_ns, const char *leftover)
	__attribute__((noreturn));

static void run_watcher(int lode, int child, int64_t end_ns, const char *leftover)
{
	struct pollfd fds[] = {{.fd = child, .events = POLLIN}, {.fd = lode, .events = POLLIN}};

	stand_alone(lode, child);
	watch(fds, end_ns);
	if (fds[1].revents && leftover)
		(void)unlink(leftover);
	_exit(0);
}

pid_t lode_watcher_start(pid_t child, int64_t end_ns, const char *leftover)
{
	int fds[] = {lode_pidfd_open(getpid()), lode_pidfd_open(child)};
	pid_t pid = -1;

	if (fds[0] >= 0 && fds[1] >= 0)
		pid = fork();
	if (pid == 0)
		run_watcher(fds[0], fds[1], end_ns, leftover);
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return pid;
}

void lode_watcher_wait(pid_t watcher)
{
	while (watcher > 0 && waitpid(watcher, NULL, 0) < 0 && errno == EINTR)
		;
}
