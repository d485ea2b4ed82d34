/* Multiplies rows in three threads, statically shared; with argument 1, the last third of the rows
 * is full. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 300, STEPS = 6 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static double multiply_row(int length)
{
	volatile double sum = 0;

	for (int i = 0; i < length; i++)
		sum = sum * 0.999 + i;
	return sum;
}

int main(int argc, char **argv)
{
	int slow = argc > 1 && atoi(argv[1]);
	double sum = 0, waited = 0;

	omp_set_num_threads(3);
	for (int step = 0; step < STEPS; step++) {
		double mine = 0;
#pragma omp parallel reduction(+ : sum)
		{
#pragma omp for schedule(static) nowait
			for (int row = 0; row < ROWS; row++)
				sum += multiply_row(slow && row >= ROWS * 2 / 3 ? 250000 : 2500);
			if (omp_get_thread_num() == 0)
				mine = now();
		}
		waited += now() - mine;
	}
	printf("%g\nfault_ns %.0f\n", sum, waited * 1e9);
	return 0;
}
