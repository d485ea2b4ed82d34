#include <stdio.h>
#include <pthread.h>
#include <unistd.h>
__attribute__((noinline)) int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__attribute__((noinline)) const char *label(const char *s, long x, double d)
{
	return x % 2 ? s : d > 3 ? "a longer text" : "short";
}
void *work(void *arg)
{
	for (int i = 0; i < 4; i++) {
		fib(i + (int)(long)arg);
		label("text", i, i * 1.5);
		usleep(100);
	}
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, (void *)2);
	work((void *)1);
	pthread_join(t, 0);
	return 0;
}
