/* Starts spinners of class SCHED_IDLE on every CPU. */
#include "record/keep_awake.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/parent_watch.h"

/* In the child: pins itself, takes the lowest class, and spins until it is killed. */
static void spin(int cpu, pid_t parent) __attribute__((noreturn));

static void spin(int cpu, pid_t parent)
{
	struct sched_param param = {0};
	sigset_t none;
	cpu_set_t set;

	prctl(PR_SET_NAME, "lode-awake");
	lode_end_with_parent(parent, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Ctrl-C goes to the whole group: the spinners stay until the recording has ended. */
	signal(SIGINT, SIG_IGN);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sched_setscheduler(0, SCHED_IDLE, &param))
		_exit(1);
	for (;;)
		__asm__ volatile("");
}

int lode_spinners_start(struct lode_spinners *spinners, struct lode_error *err)
{
	pid_t parent = getpid();
	cpu_set_t set;

	memset(spinners, 0, sizeof(*spinners));
	if (sched_getaffinity(0, sizeof(set), &set))
		return lode_fail_errno(err, errno, NULL, "asking for the CPUs of this process");
	spinners->pids = lode_alloc0((size_t)CPU_COUNT(&set), sizeof(*spinners->pids));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		pid_t pid;

		if (!CPU_ISSET(cpu, &set))
			continue;
		pid = fork();
		if (pid == 0)
			spin(cpu, parent);
		if (pid < 0) {
			int errnum = errno;

			lode_spinners_stop(spinners);
			return lode_fail_errno(err, errnum, NULL, "cannot start a spinner process");
		}
		spinners->pids[spinners->n++] = pid;
	}
	return 0;
}

void lode_spinners_stop(struct lode_spinners *spinners)
{
	for (size_t i = 0; i < spinners->n; i++)
		kill(spinners->pids[i], SIGKILL);
	for (size_t i = 0; i < spinners->n; i++)
		waitpid(spinners->pids[i], NULL, 0);
	free(spinners->pids);
	memset(spinners, 0, sizeof(*spinners));
}
