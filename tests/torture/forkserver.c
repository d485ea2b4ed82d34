/*
 * Starts the program once and runs its main() many times, each in a forked child: what a sanitizer
 * and the dynamic linker do at start is done once. Preloaded (LD_PRELOAD); the program is as it is.
 *
 * A request on standard input, all integers u32 in the machine's order:
 *
 *   bytes that follow | seconds of CPU | seconds | MiB of address space (0: no limit) | arguments
 *   folder NUL | file for stdout NUL | file for stderr NUL | each argument NUL
 *
 * The answer on standard output: wait status, ms of CPU, KiB of memory at most. The first 12 bytes
 * are zeros: ready.
 *
 * TORTURE_COUNTERS=COUNTERS:BYTES:ADDRESSES:BYTES:FILE (hexadecimal, places in the program's file):
 * a byte per edge, which -fsanitize=fuzzer-no-link counts, and what edges these are. They go to
 * FILE at each child's end, and to FILE.addresses at the start, behind where the program lies in
 * memory.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_REQUEST = 1 << 16, MAX_ARGUMENTS = 256, ENVIRONMENT_FAILED = 98 };

struct request {
	uint32_t bytes, cpu_s, wall_s, memory_mb, n_arguments;
};
struct answer {
	int32_t status;
	uint32_t cpu_ms, max_kb;
};
typedef int main_function(int, char **, char **);

static main_function *program_main;
static struct {
	unsigned long counters, n_counters, addresses, n_addresses;
	char file[256];
	uint64_t base; /* of the program in memory */
	int fd;	       /* where a child writes its counters */
} coverage;

static void get(int fd, void *to, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t got = read(fd, (char *)to + at, n - at);

		if (got <= 0) /* nobody asks any more */
			_exit(0);
		at += (size_t)got;
	}
}

static void limit(int resource, rlim_t value)
{
	struct rlimit limits = {value, value};

	if (setrlimit(resource, &limits))
		_exit(ENVIRONMENT_FAILED);
}

static void redirect(const char *path, int flags, int to)
{
	int fd = open(path, flags, 0600);

	if (fd < 0 || dup2(fd, to) < 0)
		_exit(ENVIRONMENT_FAILED);
	close(fd);
}

/* The first object is the program. */
static int take_base(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	coverage.base = info->dlpi_addr;
	return 1;
}

static int open_saved(const char *suffix)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s%s", coverage.file, suffix);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		_exit(ENVIRONMENT_FAILED);
	return fd;
}

static void save(int fd, unsigned long at, size_t size, size_t with_base)
{
	if (lseek(fd, 0, SEEK_SET) || write(fd, &coverage.base, with_base) != (ssize_t)with_base ||
	    write(fd, (const void *)(coverage.base + at), size) != (ssize_t)size)
		_exit(ENVIRONMENT_FAILED);
	close(fd);
}

static void save_counters(void)
{
	save(coverage.fd, coverage.counters, coverage.n_counters, 0);
}

static void prepare_coverage(void)
{
	const char *said = getenv("TORTURE_COUNTERS");

	if (!said || sscanf(said, "%lx:%lx:%lx:%lx:%255s", &coverage.counters, &coverage.n_counters,
			    &coverage.addresses, &coverage.n_addresses, coverage.file) != 5)
		return;
	dl_iterate_phdr(take_base, NULL);
	save(open_saved(".addresses"), coverage.addresses, coverage.n_addresses,
	     sizeof(coverage.base));
}

static int run(const struct request *request, char *text, char **environment)
{
	char *arguments[MAX_ARGUMENTS + 1] = {NULL}, *part[3];

	for (size_t i = 0; i < 3; i++, text += strlen(text) + 1)
		part[i] = text;
	for (size_t i = 0; i < request->n_arguments && i < MAX_ARGUMENTS;
	     i++, text += strlen(text) + 1)
		arguments[i] = text;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chdir(part[0]))
		_exit(ENVIRONMENT_FAILED);
	redirect("/dev/null", O_RDONLY, 0);
	redirect(part[1], O_WRONLY | O_CREAT | O_TRUNC, 1);
	redirect(part[2], O_WRONLY | O_CREAT | O_TRUNC, 2);
	limit(RLIMIT_CPU, request->cpu_s);
	limit(RLIMIT_CORE, 0);
	if (request->memory_mb)
		limit(RLIMIT_AS, (rlim_t)request->memory_mb << 20);
	/* Before lode import confines itself to the files that it was given. */
	if (coverage.n_counters) {
		coverage.fd = open_saved("");
		atexit(save_counters);
	}
	alarm(request->wall_s);
	return program_main((int)request->n_arguments, arguments, environment);
}

static int serve(int argc, char **argv, char **environment)
{
	int in = fcntl(0, F_DUPFD_CLOEXEC, 100), out = fcntl(1, F_DUPFD_CLOEXEC, 100);
	struct answer answer = {0};

	(void)argc;
	(void)argv;
	(void)environment; /* as it is when a request comes: environ */
	prepare_coverage();
	unsetenv("LD_PRELOAD"); /* what the program starts is not a server */
	for (;;) {
		static char text[MAX_REQUEST + 1];
		struct request request;
		struct rusage used;
		pid_t child;

		if (write(out, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
			return 0;
		get(in, &request, sizeof(request));
		if (request.bytes > MAX_REQUEST)
			return 1;
		get(in, text, request.bytes);
		text[request.bytes] = 0;
		child = fork();
		if (child == 0) {
			close(in);
			close(out);
			exit(run(&request, text, environ));
		}
		if (child < 0 || wait4(child, &answer.status, 0, &used) < 0)
			return 1;
		answer.cpu_ms = (uint32_t)((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
					   (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
		answer.max_kb = (uint32_t)used.ru_maxrss;
	}
}

/* What the C library starts a program with: its main is exchanged for the server. */
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	int (*start)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
		     void *) = dlsym(RTLD_NEXT, "__libc_start_main");

	program_main = main;
	return start(serve, argc, argv, init, fini, rtld_fini, stack_end);
}
