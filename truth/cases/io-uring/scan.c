/*
 * Reads 5,000 blocks of 4 KiB of a file by io_uring, one after the other: with argument 1 past the
 * page cache, with 0 out of it. Prints how long it waited for blocks.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <liburing.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCK = 4096, N_BLOCKS = 16384, N_READS = 5000 };

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((noinline)) static void await_block(struct io_uring *ring)
{
	struct io_uring_cqe *done;
	if (io_uring_wait_cqe(ring, &done) || done->res != BLOCK)
		exit(1);
	io_uring_cqe_seen(ring, done);
}

__attribute__((noinline)) static int64_t scan_segment(struct io_uring *ring, int fd, char *block)
{
	int64_t waited_ns = 0;
	for (unsigned i = 0; i < N_READS; i++) {
		struct io_uring_sqe *request = io_uring_get_sqe(ring);
		io_uring_prep_read(request, fd, block, BLOCK,
				   (uint64_t)(i * 7919 % N_BLOCKS) * BLOCK);
		io_uring_submit(ring);
		int64_t asked = now_ns();
		await_block(ring);
		waited_ns += now_ns() - asked;
	}
	return waited_ns;
}

int main(int argc, char **argv)
{
	struct io_uring ring;
	void *block;
	int fd = open(argv[1], O_RDONLY | (argc > 2 && argv[2][0] == '1' ? O_DIRECT : 0));
	if (fd < 0 || posix_memalign(&block, BLOCK, BLOCK) || io_uring_queue_init(8, &ring, 0) < 0)
		return 1;
	printf("fault_ns %lld\n", (long long)scan_segment(&ring, fd, block));
	io_uring_queue_exit(&ring);
	return 0;
}
