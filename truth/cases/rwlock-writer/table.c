/* Updates a table under a write lock; with argument 1, two readers scan it under overlapping read
 * locks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static unsigned table[1 << 16];

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) static unsigned scan_table(int ms)
{
	long long until = now_ns() + ms * 1000000LL;
	unsigned sum = 0;

	while (now_ns() < until)
		for (int i = 0; i < 1 << 16; i++)
			sum += table[i] * 31 + (sum >> 3);
	return sum;
}

static void *read_often(void *offset)
{
	unsigned sum = 0;

	prctl(PR_SET_NAME, "scanner");
	usleep((useconds_t)(size_t)offset);
	for (int i = 0; i < 9; i++) {
		pthread_rwlock_rdlock(&lock);
		sum += scan_table(40);
		pthread_rwlock_unlock(&lock);
		usleep(3000);
	}
	return (void *)(size_t)sum;
}

__attribute__((noinline)) static void update_table(void)
{
	pthread_rwlock_wrlock(&lock);
	table[7]++;
	pthread_rwlock_unlock(&lock);
}

int main(int argc, char **argv)
{
	int slow = argc > 1 && atoi(argv[1]);
	pthread_t readers[2];
	long long waited = 0, started;

	if (slow)
		for (size_t i = 0; i < 2; i++)
			pthread_create(&readers[i], NULL, read_often, (void *)(i * 20000));
	usleep(30000);
	for (int i = 0; i < 3; i++) {
		started = now_ns();
		update_table();
		waited += now_ns() - started;
		usleep(10000);
	}
	printf("fault_ns %lld\n", waited);
	if (slow)
		for (int i = 0; i < 2; i++)
			pthread_join(readers[i], NULL);
	return 0;
}
