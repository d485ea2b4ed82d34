/*
 * Goes into a cgroup, reads a file once from end to end, and looks 6,000 pages of it up. Prints how
 * long look-ups took that were slower than memory is.
 *
 * usage: index CGROUP.PROCS FILE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, N_LOOK_UPS = 6000 };

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((noinline)) static unsigned look_up(const volatile unsigned char *index,
						  uint64_t page)
{
	return index[page * PAGE] + index[page * PAGE + PAGE / 2];
}

static void enter(const char *procs)
{
	FILE *f = fopen(procs, "w");
	if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f))
		exit(1);
}

int main(int argc, char **argv)
{
	struct stat st;
	if (argc < 3)
		return 2;
	enter(argv[1]);
	int fd = open(argv[2], O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		return 1;
	static char buffer[1 << 20];
	while (read(fd, buffer, sizeof buffer) > 0)
		;
	const unsigned char *index = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (index == MAP_FAILED || madvise((void *)index, (size_t)st.st_size, MADV_RANDOM))
		return 1;
	uint64_t n_pages = (uint64_t)st.st_size / PAGE, sum = 0;
	int64_t late_ns = 0;
	for (uint64_t i = 0; i < N_LOOK_UPS; i++) {
		int64_t asked = now_ns();
		sum += look_up(index, i * 7919 % n_pages);
		int64_t took = now_ns() - asked;
		late_ns += took > 20000 ? took : 0;
	}
	printf("sum %llu\nfault_ns %lld\n", (unsigned long long)sum, (long long)late_ns);
	return 0;
}
