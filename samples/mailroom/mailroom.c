/*
 * mailroom: four threads that sort letters into one shelf, and a slow visitor.
 *
 *   sorter-1..3   take letters, read the address (letter_read > address_parse), put them into the
 *                 shelf (shelf_put) under its lock (shelf_lock)
 *   archivist     every 200 ms looks through the shelf (archive_run > shelf_scan); once, it copies
 * it all while it holds the lock (archive_copy, 60 ms): the sorters' shelf_lock wait porter brings
 * letters every 5 ms (cart_unload); rests for 150 ms in the middle
 *
 * Sorter 2 has one illegible letter (address_guess, 25 ms of CPU).
 *
 *   clang -O1 -pthread -fxray-instrument -fxray-instruction-threshold=1 -fno-pie -no-pie mailroom.c
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

enum { n_sorters = 3, n_slots = 64, run_ms = 800 };

static pthread_mutex_t shelf = PTHREAD_MUTEX_INITIALIZER;
static uint64_t slots[n_slots];
static atomic_int letters;
static atomic_bool is_over;

NOINLINE int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

NOINLINE void rest(int64_t ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

NOINLINE uint64_t address_parse(uint64_t letter)
{
	for (int i = 0; i < 40; i++)
		letter = letter * 6364136223846793005u + 1442695040888963407u;
	return letter;
}

NOINLINE uint64_t address_guess(uint64_t letter)
{
	int64_t until = now_ms() + 25;

	while (now_ms() < until)
		for (int i = 0; i < 200000; i++)
			letter = letter * 2862933555777941757u + 3037000493u;
	return letter;
}

NOINLINE uint64_t letter_read(uint64_t letter, int is_illegible)
{
	return is_illegible ? address_guess(letter) : address_parse(letter);
}

NOINLINE void shelf_lock(void)
{
	pthread_mutex_lock(&shelf);
}

NOINLINE void shelf_put(uint64_t address)
{
	shelf_lock();
	slots[address % n_slots] += address;
	pthread_mutex_unlock(&shelf);
}

NOINLINE int letter_take(void)
{
	int n = atomic_load(&letters);

	while (n > 0)
		if (atomic_compare_exchange_weak(&letters, &n, n - 1))
			return 1;
	return 0;
}

NOINLINE void sort_letter(uint64_t letter, int is_illegible)
{
	shelf_put(letter_read(letter, is_illegible));
}

static void *sorter(void *arg)
{
	uint64_t number = (uint64_t)(uintptr_t)arg, n = 0;

	while (!atomic_load(&is_over)) {
		if (letter_take()) {
			n++;
			sort_letter(number << 32 | n, number == 2 && n == 200);
		} else {
			rest(2);
		}
	}
	return NULL;
}

NOINLINE uint64_t shelf_scan(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < n_slots; i++)
		sum += slots[i];
	return sum;
}

NOINLINE void archive_copy(void)
{
	shelf_lock();
	shelf_scan();
	rest(60);
	pthread_mutex_unlock(&shelf);
}

NOINLINE void archive_run(int round)
{
	if (round == 1)
		archive_copy();
	else
		shelf_scan();
}

static void *archivist(void *arg)
{
	(void)arg;
	for (int round = 0; !atomic_load(&is_over); round++) {
		rest(200);
		archive_run(round);
	}
	return NULL;
}

NOINLINE void cart_unload(void)
{
	atomic_fetch_add(&letters, 14);
}

static void *porter(void *arg)
{
	int64_t start = now_ms();

	(void)arg;
	for (int trip = 0; now_ms() - start < run_ms; trip++) {
		cart_unload();
		rest(trip == 95 ? 150 : 5);
	}
	atomic_store(&is_over, 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[n_sorters + 2];

	for (uintptr_t i = 0; i < n_sorters; i++)
		pthread_create(&threads[i], NULL, sorter, (void *)(i + 1));
	pthread_create(&threads[n_sorters], NULL, archivist, NULL);
	pthread_create(&threads[n_sorters + 1], NULL, porter, NULL);
	for (int i = 0; i < n_sorters + 2; i++)
		pthread_join(threads[i], NULL);
	printf("%llu\n", (unsigned long long)shelf_scan());
	return 0;
}
