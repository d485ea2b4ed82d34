/* A process that reads the command lines of others: when programs start, and now and then. */
#include "record/title_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/decimal.h"
#include "input/titles.h"
#include "record/parent_watch.h"
#include "record/stored_words.h"

static const int64_t tick_ns = 100000000, young_ns = 1000000000, refresh_ns = 1000000000;

enum {
	MOST_COMMAND_BYTES = 16 << 10, /* LIMIT: of a command line; its rest is left out */
	MOST_READS = 100,	       /* of old processes in one tick: 1,000 in a second */
	MOST_EXECS = 64,	       /* between two looks at whether it is to end */
	NICE = -10,
};

struct watched_process {
	int32_t pid;
	int64_t seen_ns, read_ns;
	uint64_t hash; /* of what was written; 0: nothing */
	uint64_t tick; /* in which it was there last */
};

struct title_watch {
	FILE *out;
	enum lode_titles titles;
	LODE_VEC(struct watched_process) processes;
	struct lode_map index_of; /* pid -> index */
	uint64_t tick;
	size_t turn; /* whose refresh is due next */
	char buffer[MOST_COMMAND_BYTES + 1];
};

/* ---- One process ---- */

static void write_title(struct title_watch *w, int32_t pid, int64_t now_ns, size_t size)
{
	fprintf(w->out, "%lld\t%d\t", (long long)now_ns, pid);
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)w->buffer[i];

		if (!c)
			fputs("\\0", w->out);
		else if (c == '\\')
			fputs("\\\\", w->out);
		else if (c < ' ' || c == 0x7f)
			fprintf(w->out, "\\x%02x", c);
		else
			fputc(c, w->out);
	}
	fputc('\n', w->out);
}

/* Bytes of its command line; 0: it is gone, or a kernel thread. */
static size_t read_command(struct title_watch *w, int32_t pid)
{
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, w->buffer, MOST_COMMAND_BYTES);
	close(fd);
	/* Titles stand in room that arguments had; what is left of it is NULs or blanks. */
	while (n > 0 && (!w->buffer[n - 1] || w->buffer[n - 1] == ' '))
		n--;
	return n > 0 ? (size_t)n : 0;
}

static void look_at_process(struct title_watch *w, struct watched_process *p, int64_t now_ns)
{
	size_t size = read_command(w, p->pid);
	uint64_t hash = size ? lode_hash_bytes(w->buffer, size, 0) | 1 : 0;

	p->read_ns = now_ns;
	if (!hash || hash == p->hash)
		return;
	p->hash = hash;
	size = lode_words_store(w->buffer, size, w->titles, p->pid);
	if (size)
		write_title(w, p->pid, now_ns, size);
}

/* ---- All of them ---- */

/* Notes that a process is there, and looks at it if it is new, young, or `has_begun` a program. */
static void meet(struct title_watch *w, int32_t pid, int64_t now_ns, bool has_begun)
{
	uint32_t index = lode_map_number(&w->index_of, (uint32_t)pid, w->processes.n);
	struct watched_process fresh = {.pid = pid, .seen_ns = now_ns};
	struct watched_process *p;

	if (index == w->processes.n)
		lode_vec_append(&w->processes, fresh);
	p = &w->processes.at[index];
	/* Gone in between: the number is another's now. */
	if (p->tick && p->tick + 1 < w->tick)
		*p = fresh;
	p->tick = w->tick;
	if (has_begun || !p->read_ns || now_ns - p->seen_ns < young_ns)
		look_at_process(w, p, now_ns);
}

/* Old ones take turns. */
static void refresh(struct title_watch *w, int64_t now_ns, unsigned most)
{
	size_t n = w->processes.n;

	for (size_t i = 0; i < n && most; i++) {
		struct watched_process *p = &w->processes.at[w->turn++ % n];

		if (p->tick != w->tick || now_ns - p->read_ns < refresh_ns)
			continue;
		look_at_process(w, p, now_ns);
		most--;
	}
}

static void look_around(struct title_watch *w, unsigned most)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int32_t pid;

	w->tick++;
	while (proc && (entry = readdir(proc)))
		if (lode_is_digit(entry->d_name[0]) &&
		    lode_int32_parse(&pid, entry->d_name, strlen(entry->d_name)))
			meet(w, pid, lode_clock_ns(CLOCK_MONOTONIC), false);
	if (proc)
		closedir(proc);
	refresh(w, lode_clock_ns(CLOCK_MONOTONIC), most);
	fflush(w->out);
}

/* Those of which the kernel has told. */
static void look_at_execs(struct title_watch *w, int execs)
{
	int32_t pids[MOST_EXECS];
	size_t n = lode_exec_events_read(execs, pids, MOST_EXECS);

	for (size_t i = 0; i < n; i++)
		meet(w, pids[i], lode_clock_ns(CLOCK_MONOTONIC), true);
}

static void watch_titles(int fd, enum lode_titles titles, pid_t parent) __attribute__((noreturn));

static void watch_titles(int fd, enum lode_titles titles, pid_t parent)
{
	/* Not on the stack, of which dumps may be recorded. */
	struct title_watch *w = lode_alloc0(1, sizeof(*w));
	struct pollfd fds[] = {{.events = POLLIN}, {.events = POLLIN}};
	int64_t next_ns = INT64_MIN;
	sigset_t set;
	int stop;

	w->titles = titles;
	prctl(PR_SET_NAME, "lode-titles");
	lode_end_with_parent(parent, SIGKILL);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_SETMASK, &set, NULL);
	/* Ctrl-C goes to the whole group: it stays until the recording has ended. */
	signal(SIGINT, SIG_IGN);
	w->out = fdopen(fd, "w");
	stop = signalfd(-1, &set, SFD_CLOEXEC);
	if (!w->out || stop < 0)
		_exit(1);
	/* Those who live for a millisecond must be read within it; it does little. */
	if (setpriority(PRIO_PROCESS, 0, NICE))
		errno = 0;
	fds[0].fd = stop;
	fds[1].fd = lode_exec_events_open();
	while (!fds[0].revents) {
		int64_t now_ns = lode_clock_ns(CLOCK_MONOTONIC);

		if (now_ns >= next_ns) {
			look_around(w, MOST_READS);
			next_ns = now_ns + tick_ns;
		}
		if (poll(fds, 2, (int)((next_ns - now_ns) / 1000000 + 1)) > 0 && fds[1].revents)
			look_at_execs(w, fds[1].fd);
	}
	look_around(w, MOST_READS);
	_exit(fclose(w->out) ? 1 : 0);
}

pid_t lode_title_watch_start(int fd, enum lode_titles titles)
{
	pid_t parent = getpid(), child = fork();

	if (child == 0)
		watch_titles(fd, titles, parent);
	return child < 0 ? 0 : child;
}

void lode_title_watch_stop(pid_t watch)
{
	if (watch <= 0)
		return;
	kill(watch, SIGTERM);
	while (waitpid(watch, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- What was seen, into the bundle ---- */

/* "T_NS <tab> PID <tab> TITLE" */
static int32_t pid_of_line(const char *line)
{
	const char *tab = strchr(line, '\t');
	int32_t pid = -1;

	if (!tab || !lode_int32_parse(&pid, tab + 1, strcspn(tab + 1, "\t")))
		return -1;
	return pid;
}

/* Copies the lines of `pids`; gives how many processes they are of. */
static size_t copy_titles(FILE *out, FILE *in, const struct lode_map *pids)
{
	struct lode_map written = {0};
	char *line = NULL;
	size_t size = 0, n = 0;

	while (getline(&line, &size, in) > 0) {
		int32_t pid = pid_of_line(line);

		if (pid < 0 || (pids && lode_map_find(pids, (uint32_t)pid) == LODE_NONE))
			continue;
		fputs(line, out);
		n += lode_map_number(&written, (uint32_t)pid, (uint32_t)n) == n;
	}
	free(line);
	lode_map_release(&written);
	return n;
}

int lode_titles_write(size_t *n, const char *bundle, int fd, const struct lode_map *pids,
		      struct lode_error *err)
{
	char path[4200];
	FILE *in, *out;
	int errnum;

	*n = 0;
	snprintf(path, sizeof(path), "%s/%s", bundle, lode_titles_file);
	in = lseek(fd, 0, SEEK_SET) < 0 ? NULL : fdopen(dup(fd), "r");
	out = in ? fopen(path, "we") : NULL;
	errnum = errno;
	if (out) {
		*n = copy_titles(out, in, pids);
		errnum = ferror(out) ? EIO : 0;
		if (fclose(out))
			errnum = errno;
	}
	if (in)
		fclose(in);
	/* One that is cut would name some processes only; without any there is no file. */
	if (errnum || !*n)
		unlink(path);
	return errnum ? lode_fail_errno(err, errnum, path, "cannot write it") : 0;
}

/* ---- Programs that start, of the kernel's process connector ---- */

enum { EVENT_AT = sizeof(struct nlmsghdr) + sizeof(struct cn_msg), BUFFER_BYTES = 1 << 20 };

/* A process with several execs in a row is told once for each; forks and ends are not taken. */
static int take_execs_only(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, EVENT_AT + offsetof(struct proc_event, what)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_EXEC), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

static int listen_to_kernel(int fd)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
	uint32_t order = PROC_CN_MCAST_LISTEN;
	char message[NLMSG_SPACE(sizeof(struct cn_msg) + sizeof(order))] = {0};
	struct nlmsghdr header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct cn_msg) + sizeof(order)),
				  .nlmsg_type = NLMSG_DONE};
	struct cn_msg to = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof(order)};

	memcpy(message, &header, sizeof(header));
	memcpy(message + NLMSG_HDRLEN, &to, sizeof(to));
	memcpy(message + NLMSG_HDRLEN + sizeof(to), &order, sizeof(order));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return -1;
	return send(fd, message, header.nlmsg_len, 0) == (ssize_t)header.nlmsg_len ? 0 : -1;
}

int lode_exec_events_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
	int bytes = BUFFER_BYTES;

	if (fd < 0)
		return -1;
	/* Bursts of processes; without the right to so much, what the machine allows. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		errno = 0;
	if (take_execs_only(fd) == 0 && listen_to_kernel(fd) == 0)
		return fd;
	close(fd);
	return -1;
}

size_t lode_exec_events_read(int fd, int32_t *pids, size_t most)
{
	size_t n = 0;

	while (n < most) {
		char message[512];
		ssize_t size = recv(fd, message, sizeof(message), 0);
		struct proc_event event = {0};

		/* What there was no room for is found by looking around. */
		if (size < 0 && (errno == EINTR || errno == ENOBUFS))
			continue;
		if (size < 0)
			break;
		if (size < EVENT_AT + (ssize_t)offsetof(struct proc_event, event_data.exec) +
				   (ssize_t)sizeof(event.event_data.exec))
			continue;
		memcpy(&event, message + EVENT_AT,
		       (size_t)size - EVENT_AT < sizeof(event) ? (size_t)size - EVENT_AT
							       : sizeof(event));
		pids[n++] = event.event_data.exec.process_tgid;
	}
	return n;
}
