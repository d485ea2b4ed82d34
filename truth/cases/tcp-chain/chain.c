// A server of a chain, or its client.
//
// usage: chain NAME PORT NEXT SLOW
//
// Each server passes requests on to NEXT; the last one looks a row up, and with SLOW rebuilds its
// index every tenth time. The client asks 200 times and tells how long the slow answers took.
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static uint64_t *table;
enum { rows = 1 << 20 };

static void must(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int connect_to(int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0, "connect");
	return fd;
}

__attribute__((noinline)) static void rehash_index(void)
{
	for (int round = 0; round < 40; round++)
		for (size_t i = 0; i < rows; i++)
			table[i] = (table[i] ^ i) * 1099511628211u;
}

__attribute__((noinline)) static uint64_t lookup_row(uint64_t key, int is_slow)
{
	if (is_slow && key % 10 == 0)
		rehash_index();
	return table[key % rows];
}

__attribute__((noinline)) static uint64_t ask(int next, uint64_t key)
{
	uint64_t answer;

	must(write(next, &key, sizeof(key)) == sizeof(key), "write");
	must(read(next, &answer, sizeof(answer)) == sizeof(answer), "read");
	return answer;
}

__attribute__((noinline)) static void serve(int peer, int next, int is_slow)
{
	uint64_t key, answer;

	while (read(peer, &key, sizeof(key)) == sizeof(key)) {
		answer = next < 0 ? lookup_row(key, is_slow) : ask(next, key);
		must(write(peer, &answer, sizeof(answer)) == sizeof(answer), "write");
	}
}

static void run_client(int port)
{
	int fd = connect_to(port);
	int64_t late_ns = 0;

	for (uint64_t i = 0; i < 200; i++) {
		int64_t asked = now_ns(), took;

		ask(fd, i);
		took = now_ns() - asked;
		late_ns += took > 3000000 ? took : 0;
		usleep(1000);
	}
	printf("fault_ns %lld\n", (long long)late_ns);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	int fd, one = 1;

	if (argc != 5)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	if (strcmp(argv[1], "client") == 0) {
		run_client(atoi(argv[3]));
		return 0;
	}
	table = calloc(rows, sizeof(*table));
	at.sin_port = htons((uint16_t)atoi(argv[2]));
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	must(bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, 8) == 0, "listen");
	for (;;) {
		int peer = accept(fd, NULL, NULL), next = -1;

		must(peer >= 0, "accept");
		if (atoi(argv[3]) && fork() == 0) {
			next = connect_to(atoi(argv[3]));
			serve(peer, next, atoi(argv[4]));
			return 0;
		} else if (!atoi(argv[3])) {
			serve(peer, -1, atoi(argv[4]));
		}
		close(peer);
	}
}
