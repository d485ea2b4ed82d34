/* Requests map and unmap a buffer; with argument 1, a thread populates and frees a cache of 256 MB
 * meanwhile. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) static void *refresh_cache(void *unused)
{
	size_t size = 256 << 20;

	prctl(PR_SET_NAME, "cache");
	for (int i = 0; i < 6; i++) {
		char *cache = mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

		munmap(cache, size);
	}
	return unused;
}

__attribute__((noinline)) static long long serve_request(void)
{
	long long started = now_ns(), took;
	char *buffer =
		mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	buffer[0] = 1;
	munmap(buffer, 1 << 16);
	took = now_ns() - started;
	return took > 200000 ? took : 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	long long waited = 0;

	if (argc > 1 && atoi(argv[1]))
		pthread_create(&thread, NULL, refresh_cache, NULL);
	for (int i = 0; i < 60; i++) {
		waited += serve_request();
		usleep(5000);
	}
	printf("fault_ns %lld\n", waited);
	if (argc > 1 && atoi(argv[1]))
		pthread_join(thread, NULL);
	return 0;
}
