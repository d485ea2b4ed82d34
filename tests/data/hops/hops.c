/*
 * Four servers in a row, each of which asks the next: shop -> gate -> auth -> pricing -> store.
 * Every tenth request makes the store rebuild its index, three hops away from who waits first.
 *
 *     cc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o hops hops.c
 *     ./hops tcp|unix|udp REQUESTS [ADDRESS NETNS]
 *
 * With ADDRESS and NETNS, pricing and store run in that network namespace (`ip netns`), where
 * pricing listens on ADDRESS, so that one hop goes over what joins it to the others.
 *
 * The last line is the truth: what shop waited for, and what the store spent in rehash_index.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

enum { GATE, AUTH, PRICING, STORE, N_SERVERS };
static const char *const names[N_SERVERS] = {"gate", "auth", "pricing", "store"};
static const char *kind, *far_address, *far_netns;
static int listeners[N_SERVERS];
static int64_t *rehash_ns; /* shared with the parent */

struct message {
	uint32_t number, price;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- Work ---- */

static volatile uint32_t table[4096];

static inline __attribute__((always_inline)) uint32_t mix(uint32_t seed, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		seed = seed * 1664525 + 1013904223;
		table[seed >> 20] += seed;
	}
	return seed;
}

static NOINLINE uint32_t check_token(uint32_t number)
{
	return mix(number, 30000) | 1;
}

static NOINLINE uint32_t apply_discounts(uint32_t number)
{
	return mix(number, 30000) | 1;
}

static NOINLINE uint32_t rehash_index(uint32_t number)
{
	int64_t start_ns = now_ns();
	uint32_t sum = mix(number, 20000000);

	*rehash_ns += now_ns() - start_ns;
	return sum | 1;
}

static NOINLINE uint32_t scan_bucket(uint32_t number)
{
	return mix(number, 60000) | 1;
}

static NOINLINE uint32_t lookup_row(uint32_t number)
{
	return (number % 10 == 9 ? rehash_index(number) : scan_bucket(number)) | 1;
}

/* ---- Sockets ---- */

static socklen_t address_of(int server, struct sockaddr_storage *out)
{
	struct sockaddr_un *un = (void *)out;
	struct sockaddr_in *in = (void *)out;
	const char *address = server == PRICING && far_address ? far_address : "127.0.0.1";

	memset(out, 0, sizeof(*out));
	if (!strcmp(kind, "unix")) {
		un->sun_family = AF_UNIX;
		/* An abstract name. */
		snprintf(un->sun_path + 1, sizeof(un->sun_path) - 1, "hops-%d-%d", getppid(),
			 server);
		return offsetof(struct sockaddr_un, sun_path) + 1 + strlen(un->sun_path + 1);
	}
	in->sin_family = AF_INET;
	in->sin_port = htons(27150 + server);
	inet_pton(AF_INET, address, &in->sin_addr);
	return sizeof(*in);
}

static int socket_new(void)
{
	int domain = !strcmp(kind, "unix") ? AF_UNIX : AF_INET;
	int fd = socket(domain, !strcmp(kind, "udp") ? SOCK_DGRAM : SOCK_STREAM, 0), yes = 1;

	if (fd < 0)
		die("socket");
	if (domain == AF_INET)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (!strcmp(kind, "tcp"))
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	return fd;
}

static void listen_as(int server)
{
	struct sockaddr_storage address;
	socklen_t size;

	size = address_of(server, &address);
	listeners[server] = socket_new();
	if (bind(listeners[server], (void *)&address, size) < 0)
		die("bind");
	if (strcmp(kind, "udp") && listen(listeners[server], 8) < 0)
		die("listen");
}

static int connect_to(int server)
{
	struct sockaddr_storage address;
	socklen_t size = address_of(server, &address);
	int fd = socket_new();

	for (int i = 0; connect(fd, (void *)&address, size) < 0; i++) {
		if (i == 5000)
			die("connect");
		usleep(1000);
	}
	return fd;
}

static NOINLINE struct message ask(int fd, uint32_t number)
{
	struct message message = {number, 0};

	if (write(fd, &message, sizeof(message)) != sizeof(message) ||
	    read(fd, &message, sizeof(message)) != sizeof(message))
		die("ask");
	return message;
}

/* ---- The servers ---- */

static NOINLINE uint32_t answer(int server, uint32_t number, int next)
{
	switch (server) {
	case AUTH:
		check_token(number);
		return ask(next, number).price;
	case PRICING:
		return ask(next, number).price + apply_discounts(number);
	case STORE:
		return lookup_row(number);
	default:
		return ask(next, number).price;
	}
}

static NOINLINE void serve_requests(int server)
{
	int is_udp = !strcmp(kind, "udp"), next = -1, fd = listeners[server];
	struct sockaddr_storage from;
	socklen_t size = sizeof(from);
	struct message message;

	if (server != STORE)
		next = connect_to(server + 1);
	if (!is_udp)
		fd = accept(fd, NULL, NULL);
	for (;;) {
		ssize_t n = is_udp ? recvfrom(fd, &message, sizeof(message), 0, (void *)&from,
					      (size = sizeof(from), &size))
				   : read(fd, &message, sizeof(message));

		if (n != sizeof(message) || message.number == UINT32_MAX)
			break;
		message.price = answer(server, message.number, next);
		n = is_udp ? sendto(fd, &message, sizeof(message), 0, (void *)&from, size)
			   : write(fd, &message, sizeof(message));
		if (n != sizeof(message))
			die("answer");
	}
	if (is_udp && next >= 0) {
		message.number = UINT32_MAX;
		(void)!write(next, &message, sizeof(message));
	}
}

static void start_server(int server)
{
	int netns;

	if (fork())
		return;
	prctl(PR_SET_NAME, names[server]);
	if (far_netns && server >= PRICING) {
		netns = open(far_netns, O_RDONLY);
		if (netns < 0 || setns(netns, CLONE_NEWNET) < 0)
			die(far_netns);
	}
	listen_as(server);
	serve_requests(server);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned n_requests = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	int64_t start_ns, waited_ns;
	int fd;

	kind = argc > 1 ? argv[1] : "";
	if (!n_requests || (strcmp(kind, "tcp") && strcmp(kind, "unix") && strcmp(kind, "udp"))) {
		fprintf(stderr, "usage: hops tcp|unix|udp REQUESTS [ADDRESS NETNS]\n");
		return 2;
	}
	far_address = argc > 4 ? argv[3] : NULL;
	far_netns = argc > 4 ? argv[4] : NULL;
	rehash_ns = mmap(NULL, sizeof(*rehash_ns), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rehash_ns == MAP_FAILED)
		die("mmap");
	for (int server = N_SERVERS; server-- > 0;)
		start_server(server);
	if (!fork()) {
		prctl(PR_SET_NAME, "shop");
		fd = connect_to(GATE);
		usleep(5000);
		start_ns = now_ns();
		for (uint32_t i = 0; i < n_requests; i++)
			ask(fd, i);
		waited_ns = now_ns() - start_ns;
		if (!strcmp(kind, "udp"))
			(void)!write(fd, &(struct message){UINT32_MAX, 0}, sizeof(struct message));
		printf("shop_ns %lld rehash_ns %lld\n", (long long)waited_ns,
		       (long long)*rehash_ns);
		fflush(stdout);
		_exit(0);
	}
	while (wait(NULL) > 0)
		continue;
	return 0;
}
