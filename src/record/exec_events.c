/* Listens to the kernel's process connector. */
#include "record/exec_events.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
