/*
 * A service with a thread for each connection: each line is answered when its page is rendered.
 *
 * usage: service PORT
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

__attribute__((noinline)) static uint64_t render_page(uint64_t seed)
{
	for (int i = 0; i < 5000000; i++)
		seed = (seed ^ (seed >> 29)) * 0xbf58476d1ce4e5b9u + (uint64_t)i;
	return seed;
}

static void *serve(void *data)
{
	int peer = (int)(intptr_t)data;
	char line[64];
	static volatile uint64_t pages;
	pthread_setname_np(pthread_self(), "render");
	while (read(peer, line, sizeof line) > 0) {
		pages += render_page(strtoull(line, NULL, 10));
		dprintf(peer, "ok\n");
	}
	close(peer);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)atoi(argc > 1 ? argv[1] : "0")),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 16))
		return 1;
	for (int peer; (peer = accept(fd, NULL, NULL)) >= 0;) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)peer))
			return 1;
		pthread_detach(thread);
	}
	return 1;
}
