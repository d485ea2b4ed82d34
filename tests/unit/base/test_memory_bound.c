/* base/memory_bound.h: blocks hold what was written to them whether they are on files or not, their
 * files go with them, and what cannot be had is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/memory_bound.h"
#include "base/pool.h"
#include "cases.h"
#include "random.h"

enum { N_BLOCKS = 12, MAX_BLOCK_BYTES = 3 << 20 };

/* Blocks that are made, grow, shrink and go at random, beside a plain copy of what is in them. */
struct block {
	uint8_t *at, *truth;
	size_t size;
};

static void fill(struct block *block, size_t from, struct test_random *random)
{
	for (size_t i = from; i < block->size; i += 1 + test_random_below(random, 2000))
		block->at[i] = block->truth[i] = (uint8_t)test_random_below(random, 256);
}

static void change(struct block *block, struct test_random *random)
{
	size_t old = block->size, size = 1 + test_random_below(random, MAX_BLOCK_BYTES);

	if (!block->at || test_random_below(random, 4) == 0) {
		free(block->at);
		free(block->truth);
		block->at = lode_alloc0(size, 1);
		block->truth = calloc(size, 1);
		old = 0;
	} else {
		block->at = lode_realloc_n(block->at, size, 1);
		block->truth = realloc(block->truth, size);
		if (size > old) {
			memset(block->at + old, 0, size - old);
			memset(block->truth + old, 0, size - old);
		}
	}
	assert_non_null(block->truth);
	block->size = size;
	fill(block, old < size ? old : 0, random);
}

static bool holds_what_was_written(const struct block *block)
{
	return !block->size || memcmp(block->at, block->truth, block->size) == 0;
}

/* How many of its steps found something else. */
static size_t one_walk(uint64_t seed, size_t bound)
{
	struct test_random random = {seed};
	struct block blocks[N_BLOCKS] = {0};

	size_t n_wrong = 0;

	for (int step = 0; step < 60; step++) {
		/* Memory is short at any moment, and may be enough again. */
		lode_memory_keep_to(test_random_below(&random, 3) ? bound : 0);
		change(&blocks[test_random_below(&random, N_BLOCKS)], &random);
		n_wrong += !holds_what_was_written(&blocks[test_random_below(&random, N_BLOCKS)]);
	}
	for (size_t i = 0; i < N_BLOCKS; i++) {
		n_wrong += !holds_what_was_written(&blocks[i]);
		free(blocks[i].at);
		free(blocks[i].truth);
	}
	lode_memory_keep_to(0);
	return n_wrong;
}

/* Mappings of files without a name. */
static size_t count_files(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	size_t n = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		n += strstr(line, " (deleted)") != NULL;
	fclose(maps);
	return n;
}

static void blocks_hold_what_was_written(void **state)
{
	size_t before = lode_memory_in_files(), seen;

	(void)state;
	for (uint64_t seed = 1; seed <= 15; seed++)
		assert_int_equal(one_walk(seed, 1), 0);
	seen = lode_memory_in_files();
	assert_true(seen > before + ((size_t)100 << 20));
}

static void their_files_go_with_them(void **state)
{
	uint8_t *block;
	size_t before = count_files();

	(void)state;
	lode_memory_keep_to(1);
	block = lode_alloc(8 << 20);
	assert_int_equal(count_files(), before + 1);
	memset(block, 7, 8 << 20);
	block = lode_realloc_n(block, 16 << 20, 1);
	if (!LODE_IS_SANITIZED) /* they keep for a while what was freed */
		assert_int_equal(count_files(), before + 1);
	assert_int_equal(block[0], 7);
	assert_int_equal(block[(8 << 20) - 1], 7);
	free(block);
	if (!LODE_IS_SANITIZED)
		assert_int_equal(count_files(), before);
	lode_memory_keep_to(0);
}

/* The flags of the mapping at `address`, as /proc/self/smaps has them: " rd wr sh ... ". */
static void flags_of(const void *address, char *flags, size_t size)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	unsigned long long begin, end, at = (uintptr_t)address;
	char line[4096], dash;
	bool is_in = false;

	assert_non_null(maps);
	*flags = '\0';
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%llx%c%llx ", &begin, &dash, &end) == 3 && dash == '-')
			is_in = begin <= at && at < end;
		else if (is_in && !strncmp(line, "VmFlags:", 8))
			snprintf(flags, size, "%.200s", line + 8);
	}
	fclose(maps);
}

/* The kernel would read megabytes around each page that is looked up. */
static void blocks_on_files_are_read_page_by_page(void **state)
{
	uint8_t *block;
	char flags[256];

	(void)state;
	lode_memory_keep_to(1);
	block = lode_alloc(8 << 20);
	flags_of(block + (4 << 20), flags, sizeof(flags));
	assert_non_null(strstr(flags, " rr "));
	lode_memory_keep_to(0);
	free(block);
}

/* Pages of `block` in memory, be they the process's or only in the kernel's cache. */
static size_t count_cached(uint8_t *pages, size_t n, size_t page_bytes)
{
	unsigned char *is_cached = calloc(n, 1);
	size_t n_cached = 0;

	assert_non_null(is_cached);
	assert_int_equal(mincore(pages, n * page_bytes, is_cached), 0);
	for (size_t i = 0; i < n; i++)
		n_cached += is_cached[i] & 1;
	free(is_cached);
	return n_cached;
}

/* Given up by the process, but not dropped from the cache: there is room. */
static void pages_that_are_given_up_stay_in_the_cache(void **state)
{
	enum { size = 16 << 20 };
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), n = size / page_bytes - 2;
	uint8_t *block, *pages;

	(void)state;
	lode_memory_keep_to(1);
	block = lode_alloc(size);
	pages = block + page_bytes - (uintptr_t)block % page_bytes;
	memset(block, 7, size);
	assert_int_equal(msync(pages, n * page_bytes, MS_SYNC), 0);
	for (size_t i = 0; i < size; i += page_bytes) /* written: the process's again */
		assert_int_equal(block[i], 7);
	usleep(500000); /* the watch looks ten times a second */
	assert_true(count_cached(pages, n, page_bytes) > n / 2);
	for (size_t i = 0; i < size; i += page_bytes)
		assert_int_equal(block[i], 7);
	lode_memory_keep_to(0);
	free(block);
}

/* Of `n` pages, those that the kernel takes for used again; -1: only root may ask. */
static ssize_t count_used_again(uint8_t *pages, size_t n, size_t page_bytes)
{
	const uint64_t frame = ((uint64_t)1 << 55) - 1, again = 1 << 2 | 1 << 6;
	int map = open("/proc/self/pagemap", O_RDONLY), flags = open("/proc/kpageflags", O_RDONLY);
	ssize_t n_again = map < 0 || flags < 0 ? -1 : 0;
	uint64_t entry, of_page;

	for (size_t i = 0; i < n && n_again >= 0; i++) {
		(void)*(volatile uint8_t *)&pages[i * page_bytes]; /* the process's, for now */
		if (pread(map, &entry, 8,
			  (off_t)((uintptr_t)&pages[i * page_bytes] / page_bytes * 8)) != 8)
			n_again = -1;
		else if (entry & frame &&
			 pread(flags, &of_page, 8, (off_t)((entry & frame) * 8)) == 8)
			n_again += (of_page & again) != 0;
	}
	close(map);
	close(flags);
	return n_again;
}

/* The kernel keeps pages that are looked up all the time, not those that came last. */
static void pages_that_are_used_again_count_as_used(void **state)
{
	enum { size = 8 << 20 };
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), n = size / page_bytes - 2;
	uint8_t *block, *pages;
	ssize_t n_again;

	(void)state;
	lode_memory_keep_to(1);
	block = lode_alloc(size);
	pages = block + page_bytes - (uintptr_t)block % page_bytes;
	memset(block, 7, size);
	for (int round = 0; round < 3; round++) {
		usleep(250000); /* the watch gives all of it up ten times a second */
		for (size_t i = 0; i < size; i += page_bytes)
			assert_int_equal(block[i], 7);
	}
	n_again = count_used_again(pages, n, page_bytes);
	lode_memory_keep_to(0);
	free(block);
	if (n_again < 0)
		skip();
	assert_true((size_t)n_again > n / 2);
}

/* Room that was made is no more there for others, be it used or not. */
static void blocks_that_are_not_used_yet_count(void **state)
{
	size_t before = lode_memory_in_files();
	void *blocks[4];

	(void)state;
	if (LODE_IS_SANITIZED)
		skip(); /* what it has reserved is not known */
	lode_memory_keep_to((size_t)200 << 20);
	for (int i = 0; i < 4; i++)
		blocks[i] = lode_alloc(60 << 20);
	assert_true(lode_memory_in_files() > before);
	for (int i = 0; i < 4; i++)
		free(blocks[i]);
	lode_memory_keep_to(0);
}

/* Pages of a block are given up while it is there, never those of what has its place afterwards. */
static void the_place_of_a_freed_block_is_left_alone(void **state)
{
	enum { n = 8, size = 2 << 20 };
	uint8_t *blocks[n];

	(void)state;
	lode_memory_keep_to(1);
	for (int i = 0; i < n; i++)
		memset(blocks[i] = lode_alloc(size), 1, size);
	for (int i = 0; i < n; i++)
		free(blocks[i]);
	for (int i = 0; i < n; i++) {
		blocks[i] = malloc(size);
		assert_non_null(blocks[i]);
		memset(blocks[i], 7, size);
	}
	usleep(400000);
	for (int i = 0; i < n; i++) {
		for (size_t at = 0; at < size; at++)
			assert_int_equal(blocks[i][at], 7);
		free(blocks[i]);
	}
	lode_memory_keep_to(0);
}

/* Pages of the last block are given up until there is room, in the midst of it. Another block goes,
 * and a smaller one comes: what lies behind that one is not touched. */
static void a_block_that_comes_while_another_is_given_up(void **state)
{
	enum { size = 64 << 20, small = 24 << 20, behind_size = 40 << 20, rest_us = 150000 };
	uint8_t *behind = malloc(behind_size), *first, *last;

	(void)state;
	assert_non_null(behind);
	memset(behind, 7, behind_size);
	lode_memory_keep_to((size_t)100 << 20);
	first = lode_alloc(small);
	last = lode_alloc(size);
	memset(last, 1, size);
	usleep(rest_us);
	free(first);
	first = lode_alloc(small); /* where the first was */
	memset(last, 1, size);
	usleep(rest_us);
	for (size_t at = 0; at < behind_size; at++)
		assert_int_equal(behind[at], 7);
	free(first);
	free(last);
	lode_memory_keep_to(0);
	free(behind);
}

static void nothing_goes_to_files_while_there_is_room(void **state)
{
	size_t before = lode_memory_in_files();

	(void)state;
	lode_memory_keep_to((size_t)1 << 40);
	free(lode_alloc(64 << 20));
	free(lode_alloc0(1, LODE_LARGE_BYTES));
	lode_memory_keep_to(0);
	free(lode_alloc(64 << 20));
	lode_memory_keep_to(1);
	free(lode_alloc(LODE_LARGE_BYTES - 1));
	lode_memory_keep_to(0);
	assert_int_equal(lode_memory_in_files(), before);
}

static void walk_side_by_side(void *n_wrong, size_t index, unsigned worker)
{
	(void)worker;
	((size_t *)n_wrong)[index] = one_walk(index + 100, 1);
}

/* Threads give up pages of each other's blocks, while these are made, grow and go. */
static void threads_change_blocks_side_by_side(void **state)
{
	enum { N_WALKS = 8 };
	size_t n_wrong[N_WALKS] = {0};

	(void)state;
	lode_pool_run(2, N_WALKS, walk_side_by_side, n_wrong);
	for (size_t i = 0; i < N_WALKS; i++)
		assert_int_equal(n_wrong[i], 0);
}

static void walk_in_parallel(void *context, size_t index, unsigned worker)
{
	struct test_random random = {index + 1};
	LODE_VEC(uint64_t) numbers = {0};

	(void)worker;
	for (uint64_t i = 0; i < 300000; i++)
		lode_vec_append(&numbers, test_random_next(&random));
	random = (struct test_random){index + 1};
	for (uint64_t i = 0; i < 300000; i++)
		((size_t *)context)[index] += numbers.at[i] == test_random_next(&random);
	lode_vec_release(&numbers);
}

static void threads_spill_side_by_side(void **state)
{
	size_t n_right[16] = {0};

	(void)state;
	lode_memory_keep_to(1);
	lode_pool_run(4, 16, walk_in_parallel, n_right);
	lode_memory_keep_to(0);
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(n_right[i], 300000);
}

/* What a child that runs `act` writes to its standard error; its exit code. */
static int told_by(void (*act)(void), char *text, size_t size)
{
	int pipes[2], status;
	ssize_t n, all = 0;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(pipes[1], STDERR_FILENO);
		act();
		_exit(0);
	}
	close(pipes[1]);
	while ((n = read(pipes[0], text + all, size - 1 - (size_t)all)) > 0)
		all += n;
	text[all] = '\0';
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void allocate_without_a_folder(void)
{
	setenv("TMPDIR", "/nonexistent-folder", 1);
	lode_memory_keep_to(1);
	free(lode_alloc(1 << 20));
}

static void a_missing_folder_is_named(void **state)
{
	char text[1024];

	(void)state;
	assert_int_equal(told_by(allocate_without_a_folder, text, sizeof(text)), 4);
	assert_non_null(strstr(text, "/nonexistent-folder"));
	assert_non_null(strstr(text, "TMPDIR"));
	assert_non_null(strstr(text, "--memory"));
}

static void hold_too_much_in_small_blocks(void)
{
	enum { small_bytes = 100 << 10 };

	lode_memory_keep_to((size_t)70 << 20);
	for (int i = 0; i < 2000; i++) {
		memset(lode_alloc(small_bytes), i, small_bytes);
		free(lode_alloc(LODE_LARGE_BYTES));
	}
}

/* malloc keeps what was freed below a block that is still there. */
static void free_much_of_small_blocks(void)
{
	enum { n = 1500, small_bytes = 64 << 10 };
	static void *blocks[n];

	for (int i = 0; i < n; i++)
		memset(blocks[i] = lode_alloc(small_bytes), i, small_bytes);
	for (int i = 0; i < n - 1; i++)
		free(blocks[i]);
	lode_memory_keep_to((size_t)70 << 20);
	for (int i = 0; i < 200; i++)
		free(lode_alloc(small_bytes));
	free(blocks[n - 1]);
	fputs("goes on", stderr);
}

static void what_was_freed_is_not_counted(void **state)
{
	char text[1024];

	(void)state;
	assert_int_equal(told_by(free_much_of_small_blocks, text, sizeof(text)), 0);
	assert_string_equal(text, "goes on");
}

enum { N_LOOKED_UP = 10, LOOKED_UP_BYTES = 32 << 20 };

struct looked_up {
	uint64_t *at[N_LOOKED_UP];
	size_t n_wrong[4];
};

static void look_up_at_random(void *context, size_t index, unsigned worker)
{
	struct looked_up *tables = context;
	struct test_random random = {index + 1};

	(void)worker;
	for (int i = 0; i < 200000; i++) {
		size_t table = test_random_below(&random, N_LOOKED_UP);
		size_t at = test_random_below(&random, LOOKED_UP_BYTES / 8);

		tables->n_wrong[index] += tables->at[table][at] != table + at;
	}
}

/* Says the peak of resident memory, in MiB. */
static void look_up_five_times_the_bound(void)
{
	struct looked_up tables = {0};
	struct rusage usage;

	lode_memory_keep_to((size_t)64 << 20);
	for (size_t table = 0; table < N_LOOKED_UP; table++) {
		tables.at[table] = lode_alloc(LOOKED_UP_BYTES);
		for (size_t at = 0; at < LOOKED_UP_BYTES / 8; at++)
			tables.at[table][at] = table + at;
	}
	lode_pool_run(4, 4, look_up_at_random, &tables);
	getrusage(RUSAGE_SELF, &usage);
	for (int i = 0; i < 4; i++)
		if (tables.n_wrong[i])
			fputs("wrong ", stderr);
	fprintf(stderr, "%ld", usage.ru_maxrss / 1024);
}

/* 320 MiB are looked up. Without giving up pages all of it would be resident, and on a busy machine
   even with a thread that does. */
static void resident_memory_stays_near_the_bound(void **state)
{
	char text[1024], *end;
	long peak;

	(void)state;
	if (LODE_IS_SANITIZED)
		skip();
	assert_int_equal(told_by(look_up_five_times_the_bound, text, sizeof(text)), 0);
	peak = strtol(text, &end, 10);
	if (*end || peak < 32 || peak > 128)
		fail_msg("peak in MiB: %s", text);
}

static int say_what_was_found(void *context)
{
	/* More than there may be: whoever ends the process may have it. */
	memset(lode_alloc(80 << 20), 1, 80 << 20);
	for (int i = 0; i < 400; i++)
		memset(lode_alloc(100 << 10), i, 100 << 10);
	fprintf(stderr, "found: %s\n", (const char *)context);
	return 1;
}

static void hold_too_much_after_a_finding(void)
{
	static char finding[] = "something";

	lode_memory_before_end(say_what_was_found, finding);
	hold_too_much_in_small_blocks();
}

static void what_was_found_is_said_before_the_end(void **state)
{
	char text[1024];

	(void)state;
	if (LODE_IS_SANITIZED)
		skip();
	assert_int_equal(told_by(hold_too_much_after_a_finding, text, sizeof(text)), 1);
	assert_non_null(strstr(text, "--memory allows 70 MiB: try --memory "));
	assert_non_null(strstr(text, "\nfound: something\n"));
}

static void hold_too_much_where_more_cannot_be_had(void)
{
	struct rlimit limit = {(rlim_t)150 << 20, (rlim_t)150 << 20};

	setrlimit(RLIMIT_DATA, &limit);
	hold_too_much_in_small_blocks();
}

/* A bound that the process could not have would be useless advice. */
static void the_limit_to_raise_is_named(void **state)
{
	char text[1024];

	(void)state;
	if (LODE_IS_SANITIZED)
		skip();
	assert_int_equal(told_by(hold_too_much_where_more_cannot_be_had, text, sizeof(text)), 4);
	assert_non_null(strstr(text, "--memory allows 70 MiB and ulimit -d 150 MiB: try with "));
	assert_non_null(strstr(text, " for ulimit -d"));
}

static void make_a_large_map(void)
{
	struct lode_map map = {0};

	lode_memory_keep_to((size_t)100 << 20);
	lode_map_reserve(&map, 2000000); /* 64 MiB: fits */
	fputs("the first fits;", stderr);
	lode_map_reserve(&map, 4000000); /* 128 MiB */
}

/* A hash table on a file would be read back from the disk at each look-up. */
static void a_table_that_does_not_fit_is_refused(void **state)
{
	char text[1024];

	(void)state;
	if (LODE_IS_SANITIZED)
		skip();
	assert_int_equal(told_by(make_a_large_map, text, sizeof(text)), 4);
	assert_non_null(strstr(text, "the first fits;"));
	assert_non_null(strstr(text, "random access"));
	assert_non_null(strstr(text, "--memory allows 100 MiB"));
}

static void make_a_map_after_other_work(void)
{
	enum { n = 1000, small_bytes = 64 << 10 };
	static void *blocks[n];
	struct lode_map map = {0};

	for (int i = 0; i < n; i++)
		memset(blocks[i] = lode_alloc(small_bytes), i, small_bytes);
	for (int i = 0; i < n - 1; i++)
		free(blocks[i]);
	lode_memory_keep_to((size_t)100 << 20);
	lode_map_reserve(&map, 2000000);
	free(blocks[n - 1]);
	lode_map_release(&map);
	fputs("goes on", stderr);
}

/* 62 MiB were freed before, which malloc has kept. */
static void a_table_fits_where_others_were_freed(void **state)
{
	char text[1024];

	(void)state;
	assert_int_equal(told_by(make_a_map_after_other_work, text, sizeof(text)), 0);
	assert_string_equal(text, "goes on");
}

static void what_cannot_go_to_disk_is_refused(void **state)
{
	char text[1024];

	(void)state;
	if (LODE_IS_SANITIZED)
		skip(); /* memory of the sanitizer cannot be told from the program's */
	assert_int_equal(told_by(hold_too_much_in_small_blocks, text, sizeof(text)), 4);
	assert_non_null(strstr(text, "--memory allows 70 MiB: try --memory "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* In children: before there is a second thread. */
		cmocka_unit_test(a_missing_folder_is_named),
		cmocka_unit_test(what_cannot_go_to_disk_is_refused),
		cmocka_unit_test(what_was_found_is_said_before_the_end),
		cmocka_unit_test(resident_memory_stays_near_the_bound),
		cmocka_unit_test(what_was_freed_is_not_counted),
		cmocka_unit_test(the_limit_to_raise_is_named),
		cmocka_unit_test(a_table_that_does_not_fit_is_refused),
		cmocka_unit_test(a_table_fits_where_others_were_freed),
		cmocka_unit_test(nothing_goes_to_files_while_there_is_room),
		cmocka_unit_test(a_block_that_comes_while_another_is_given_up),
		cmocka_unit_test(blocks_that_are_not_used_yet_count),
		cmocka_unit_test(blocks_hold_what_was_written),
		cmocka_unit_test(their_files_go_with_them),
		cmocka_unit_test(blocks_on_files_are_read_page_by_page),
		cmocka_unit_test(pages_that_are_given_up_stay_in_the_cache),
		cmocka_unit_test(pages_that_are_used_again_count_as_used),
		cmocka_unit_test(the_place_of_a_freed_block_is_left_alone),
		cmocka_unit_test(threads_spill_side_by_side),
		cmocka_unit_test(threads_change_blocks_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
