/*
 * A client that asks again and again and waits for each answer:
 *
 *     cc -O1 -g -fno-omit-frame-pointer -o client client.c
 *     ./client NAME PORT TIMES PAUSE_US REQUEST
 *
 * NAME is its comm. Each time it connects once more if PAUSE_US is negative.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int connect_to(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (void *)&address, sizeof(address)) < 0) {
		perror("connect");
		exit(1);
	}
	return fd;
}

static __attribute__((noinline)) void ask(int fd, const char *request)
{
	static char answer[65536];

	if (write(fd, request, strlen(request)) < 0 || read(fd, answer, sizeof(answer)) <= 0)
		exit(1);
}

int main(int argc, char **argv)
{
	int fd = -1, pause_us;

	if (argc != 6)
		return 2;
	prctl(PR_SET_NAME, argv[1]);
	pause_us = atoi(argv[4]);
	for (int i = 0; i < atoi(argv[3]); i++) {
		if (fd < 0)
			fd = connect_to(atoi(argv[2]));
		ask(fd, argv[5]);
		if (pause_us < 0) {
			close(fd);
			fd = -1;
		}
		usleep((unsigned)abs(pause_us));
	}
	return 0;
}
