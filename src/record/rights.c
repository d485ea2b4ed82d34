/* Checks the rights that recording needs. */
#include "record/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/shell_words.h"

/* Where tracepoints are described. */
static const char *tracefs_folder(void)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

	return access("/sys/kernel/tracing/events", F_OK) != 0 &&
			       access("/sys/kernel/debug/tracing/events", F_OK) == 0
		       ? places[1]
		       : places[0];
}

bool lode_has_tracepoint(const char *group, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs_folder(), group, name);
	return access(path, R_OK) == 0;
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

int lode_find_program(char *path, size_t size, const char *program, struct lode_error *err)
{
	const char *folders = getenv("PATH");

	if (strchr(program, '/')) {
		snprintf(path, size, "%s", program);
		if (is_program(path))
			return 0;
		return lode_fail(err, LODE_ERR_IO, program, -1,
				 access(path, F_OK) == 0 ? "not an executable program"
							 : "no such program");
	}
	if (!folders)
		folders = "/usr/bin:/bin";
	while (*folders) {
		size_t len = strcspn(folders, ":");

		snprintf(path, size, "%.*s/%s", (int)len, folders, program);
		if (len && is_program(path))
			return 0;
		folders += len + (folders[len] == ':');
	}
	return lode_fail(err, LODE_ERR_IO, program, -1, "no such program in PATH");
}

/* First number in a small file of the kernel's, or `otherwise`. */
static long read_number(const char *path, long otherwise)
{
	char text[32] = "";
	FILE *f = fopen(path, "re");

	if (!f)
		return otherwise;
	if (fgets(text, sizeof(text), f))
		otherwise = strtol(text, NULL, 10);
	fclose(f);
	return otherwise;
}

/* Its number; -1: it has none that may be read. */
static long tracepoint_id(const char *group, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs_folder(), group, name);
	return read_number(path, -1);
}

static int fail_tracefs(int errnum, const char *path, struct lode_error *err)
{
	if (errnum == ENOENT)
		return lode_fail(err, LODE_ERR_IO, path, -1,
				 "the kernel's tracepoints are not available. Mount them: sudo "
				 "mount -t tracefs tracefs /sys/kernel/tracing");
	return lode_fail(
		err, LODE_ERR_IO, path, -1,
		"this user may not read tracepoints. Run lode record as root (sudo), or allow it "
		"until the next boot: sudo mount -o remount,mode=755 /sys/kernel/tracing");
}

static int fail_open(int errnum, struct lode_error *err)
{
	long paranoid = read_number("/proc/sys/kernel/perf_event_paranoid", 2);

	if (errnum == EACCES || errnum == EPERM)
		return lode_fail(
			err, LODE_ERR_IO, NULL, -1,
			"the kernel does not let this user record the whole machine "
			"(kernel.perf_event_paranoid is %ld). Run lode record as root (sudo), or "
			"allow it until the next boot: sudo sysctl kernel.perf_event_paranoid=-1",
			paranoid);
	if (errnum == ENOSYS)
		return lode_fail(err, LODE_ERR_IO, NULL, -1,
				 "this kernel has no performance events (perf_event_open)");
	return lode_fail_errno(err, errnum, NULL, "opening the tracepoint sched:sched_switch");
}

int lode_check_rights(struct lode_error *err)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
	};
	char path[128];
	long id;
	int fd;

	snprintf(path, sizeof(path), "%s/events/sched/sched_switch/id", tracefs_folder());
	if (access(path, R_OK) != 0)
		return fail_tracefs(errno, path, err);
	id = read_number(path, -1);
	if (id < 0)
		return lode_fail(err, LODE_ERR_IO, path, -1, "this is not a tracepoint's number");
	attr.config = (unsigned long)id;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fail_open(errno, err);
	close(fd);
	return 0;
}

int lode_check_cpu_rate(unsigned rate_hz, struct lode_error *err)
{
	long most = read_number("/proc/sys/kernel/perf_event_max_sample_rate", LONG_MAX);

	if (rate_hz <= most)
		return 0;
	return lode_fail(err, LODE_ERR_ARG, NULL, -1,
			 "--cpu-rate %u: this kernel takes at most %ld samples per second "
			 "(kernel.perf_event_max_sample_rate); try --cpu-rate %ld, or allow more: "
			 "sudo sysctl kernel.perf_event_max_sample_rate=%u",
			 rate_hz, most, most < 999 ? most : 999L, rate_hz);
}

int lode_check_network(struct lode_error *err)
{
	if (lode_has_tracepoint("sock", "sock_send_length") &&
	    lode_has_tracepoint("sock", "sock_recv_length"))
		return 0;
	return lode_fail(err, LODE_ERR_ARG, NULL, -1,
			 "--network: this kernel has no tracepoints sock:sock_send_length and "
			 "sock_recv_length, which came with Linux 6.3. Without --network, a wait "
			 "over a socket is followed where the sender itself woke the reader");
}

/* What perf points at: "     \\___ unknown tracepoint". Empty if it gives no reason. */
static void read_reason(char *reason, size_t size, FILE *in)
{
	static const char pointer[] = "\\___ ";
	char line[512];

	reason[0] = '\0';
	while (fgets(line, sizeof(line), in)) {
		const char *at = strstr(line, pointer);

		line[strcspn(line, "\n")] = '\0';
		if (at && !reason[0])
			lode_escape(reason, size, at + strlen(pointer));
	}
}

int lode_check_event(const char *perf, const char *event, struct lode_error *err)
{
	char *command = NULL, reason[160], name[160];
	size_t size;
	FILE *f = open_memstream(&command, &size);

	if (!f)
		return 0;
	lode_shell_word_put(f, perf);
	fputs(" record -a --dry-run -o /dev/null -e ", f);
	lode_shell_word_put(f, event);
	fputs(" 2>&1 >/dev/null", f);
	fclose(f);
	f = popen(command, "re");
	free(command);
	if (!f)
		return 0;
	read_reason(reason, sizeof(reason), f);
	/* Of other failures perf itself gives the reason when it is run. */
	if (pclose(f) == 0 || !reason[0])
		return 0;
	return lode_fail(err, LODE_ERR_ARG, NULL, -1,
			 "--event %s: perf does not take this event (%s); perf list lists those "
			 "that it takes",
			 lode_escape_fit(name, sizeof(name), event, 60), reason);
}

int lode_open_counter(const char *group, const char *name, int cpu)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr)};
	long id = tracepoint_id(group, name);

	if (id < 0)
		return -1;
	attr.config = (unsigned long)id;
	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int lode_open_switch_counter(int cpu)
{
	int fd = lode_open_counter("sched", "sched_switch", cpu);

	if (fd >= 0)
		(void)ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "prev_pid != 0");
	return fd;
}

double lode_switch_rate(unsigned for_ms)
{
	const struct timespec pause = {.tv_sec = for_ms / 1000,
				       .tv_nsec = for_ms % 1000 * 1000000L};
	size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	int *fds = lode_alloc(cpus * sizeof(*fds));
	uint64_t sum = 0, count;

	for (size_t i = 0; i < cpus; i++)
		fds[i] = lode_open_switch_counter((int)i);
	(void)nanosleep(&pause, NULL);
	for (size_t i = 0; i < cpus; i++) {
		if (fds[i] < 0)
			continue;
		if (read(fds[i], &count, sizeof(count)) == sizeof(count))
			sum += count;
		close(fds[i]);
	}
	free(fds);
	return 1000.0 * (double)sum / for_ms;
}

bool lode_in_pid_namespace(void)
{
	/* The number of the first namespace is part of the kernel's interface: PROC_PID_INIT_INO.
	 */
	static const char first[] = "pid:[4026531836]";
	char link[64];
	ssize_t n = readlink("/proc/self/ns/pid", link, sizeof(link));

	return n > 0 && ((size_t)n != sizeof(first) - 1 || memcmp(link, first, (size_t)n) != 0);
}
