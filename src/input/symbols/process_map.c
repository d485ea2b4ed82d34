/* Finds the JIT map of a process that still runs. */
#include "input/symbols/process_map.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* The process's number in its innermost PID namespace: its own in files that it writes. */
static int own_pid(int32_t pid)
{
	char path[64], line[256];
	int own = pid;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, "NSpid:", 6))
			own = atoi(strrchr(line, '\t') + 1);
	if (status)
		fclose(status);
	return own > 0 ? own : pid;
}

int lode_process_map_open(int32_t pid)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	char root[64], map[64];
	struct stat st;
	int dir, fd;

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	snprintf(map, sizeof(map), "tmp/perf-%d.map", own_pid(pid));
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = dir < 0 ? -1 : (int)syscall(SYS_openat2, dir, map, &how, sizeof(how));
	if (dir >= 0)
		close(dir);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* When the process started, by the wall clock; 0: it is gone. */
static time_t start_of(int32_t pid)
{
	char path[64], line[1024] = "";
	unsigned long long ticks = 0;
	struct timespec boot;
	const char *behind;
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	stat = fopen(path, "re");
	if (!stat)
		return 0;
	/* Field 22, counted from behind the name, which may hold anything. */
	behind = fgets(line, sizeof(line), stat) ? strrchr(line, ')') : NULL;
	fclose(stat);
	for (int i = 2; behind && i < 22; i++)
		behind = strchr(behind + 1, ' ');
	if (!behind || clock_gettime(CLOCK_BOOTTIME, &boot) < 0)
		return 0;
	ticks = strtoull(behind, NULL, 10);
	return time(NULL) - boot.tv_sec + (time_t)(ticks / (unsigned long)sysconf(_SC_CLK_TCK));
}

bool lode_process_was_recorded(int32_t pid, const char *host, const char *recording)
{
	struct utsname self;
	struct stat st;
	time_t start = start_of(pid);

	return start && uname(&self) == 0 && !strcmp(self.nodename, host) &&
	       stat(recording, &st) == 0 && start <= st.st_mtime;
}
