#include <pthread.h>
#include <string.h>
#include <stdlib.h>
#include <stdio.h>
void trace_start(void), trace_stop(void);
#define I __attribute__((xray_always_instrument, noinline))
I __attribute__((xray_log_args(1))) int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
I int last(int n)
{
	__asm__ volatile("");
	return n + 1;
}
I int jump(int n)
{
	__asm__ volatile("");
	return last(n);
} /* a tail call */
I void mark(int i)
{
	static char text[] = "a marker of this program";
}
I void *work(void *arg)
{
	int n = 0;
	for (int i = 0; i < 12; i++) {
		n += fib((int)(long)arg + i % 4);
		n += jump(i);
		if (i % 3 == 0)
			mark(i);
	}
	return (void *)(long)n;
}
int main(void)
{
	pthread_t t[2];
	trace_start();
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, (void *)(2 + i));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	trace_stop();
	return 0;
}
