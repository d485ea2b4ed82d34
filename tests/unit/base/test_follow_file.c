/* base/follow_file.h: every line once and in order, whatever is done to the file meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/follow_file.h"
#include "base/mem.h"
#include "random.h"
#include "scratch.h"

struct world {
	struct scratch scratch;
	const char *path;
	FILE *out;
	uint64_t written; /* numbers 0 .. written - 1 were, each on a line */
	uint64_t read;
	uint64_t seed;
	int rotations;
};

static void open_log(struct world *w)
{
	w->out = fopen(w->path, "a");
	assert_non_null(w->out);
}

static void set_up(struct world *w, uint64_t seed)
{
	memset(w, 0, sizeof(*w));
	scratch_make(&w->scratch);
	w->path = scratch_path(&w->scratch, "app.log");
	w->seed = seed;
}

static void tear_down(struct world *w)
{
	if (w->out)
		fclose(w->out);
	scratch_remove(&w->scratch);
}

/* Takes what there is; each line must hold the number after the last one's. */
static void drain(struct world *w, struct lode_follow *f, size_t most, int n_reads)
{
	struct lode_follow_chunk chunk;
	struct lode_error err;

	for (int i = 0; i < n_reads; i++) {
		int rc = lode_follow_read(f, most, &chunk, &err);
		const char *at = chunk.text;

		assert_true(rc >= 0);
		if (!rc)
			continue;
		assert_true(chunk.size > 0 && chunk.text[chunk.size - 1] == '\n');
		assert_true(chunk.offset == 0 || chunk.head_size > 0);
		assert_true(!chunk.head_size || chunk.head[chunk.head_size - 1] == '\n');
		while (at < chunk.text + chunk.size) {
			char *end;
			uint64_t number = strtoull(at, &end, 10);

			if (number != w->read || *end != '\n')
				fail_msg("seed %llu: %llu instead of %llu",
					 (unsigned long long)w->seed, (unsigned long long)number,
					 (unsigned long long)w->read);
			w->read++;
			at = end + 1;
		}
	}
}

/* A write may end anywhere in a line. */
static void write_some(struct world *w, struct test_random *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		fprintf(w->out, "%llu", (unsigned long long)w->written);
		if (test_random_below(r, 4) == 0)
			fflush(w->out);
		fputc('\n', w->out);
		w->written++;
	}
	fflush(w->out);
}

/* File systems keep times coarsely, and rotation is not faster than that: waits until a file that
   is written now is later than `path`. */
static void let_time_pass(const char *path)
{
	char probe[200];
	struct stat then, now;

	snprintf(probe, sizeof(probe), "%s-probe", path);
	assert_int_equal(stat(path, &then), 0);
	do {
		FILE *out = fopen(probe, "w");

		assert_non_null(out);
		fputc('x', out);
		fclose(out);
		assert_int_equal(stat(probe, &now), 0);
		assert_int_equal(remove(probe), 0);
		usleep(500);
	} while (now.st_mtim.tv_sec == then.st_mtim.tv_sec &&
		 now.st_mtim.tv_nsec == then.st_mtim.tv_nsec);
}

static void rename_log(struct world *w)
{
	char name[160];

	fclose(w->out);
	snprintf(name, sizeof(name), "%s.%d", w->path, w->rotations++);
	assert_int_equal(rename(w->path, name), 0);
	let_time_pass(name);
	open_log(w);
}

static void lines_come_once_over_renames_and_restarts(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct test_random r = {seed};
		struct world w;
		struct lode_follow *f;

		set_up(&w, seed);
		f = lode_follow_new(w.path, false);
		drain(&w, f, 64, 2); /* not there yet */
		open_log(&w);
		drain(&w, f, 64, 1); /* from now on it is known */
		for (int i = 0; i < 30; i++) {
			struct lode_follow_place place;

			switch (test_random_below(&r, 8)) {
			case 0:
				if (w.rotations < 6)
					rename_log(&w);
				break;
			case 1: /* restarted; maybe after a rotation or two */
				if (!lode_follow_place(f, &place))
					break;
				lode_follow_free(f);
				f = lode_follow_new(w.path, true);
				if (test_random_below(&r, 2) && w.rotations < 5) {
					write_some(&w, &r, test_random_below(&r, 9));
					rename_log(&w);
					write_some(&w, &r, 1 + test_random_below(&r, 9));
					if (test_random_below(&r, 2))
						rename_log(&w);
				}
				assert_true(lode_follow_resume(f, &place));
				break;
			default:
				write_some(&w, &r, test_random_below(&r, 50));
			}
			drain(&w, f, 1 + test_random_below(&r, 200),
			      (int)test_random_below(&r, 12));
		}
		for (int i = 0; i < 400 && w.read < w.written; i++)
			drain(&w, f, 256, 10);
		if (w.read != w.written)
			fail_msg("seed %llu: %llu of %llu", (unsigned long long)seed,
				 (unsigned long long)w.read, (unsigned long long)w.written);
		assert_int_equal(lode_follow_truncations(f), 0);
		lode_follow_free(f);
		tear_down(&w);
	}
}

static void a_truncated_file_is_read_anew(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct test_random r = {seed};
		struct world w;
		struct lode_follow *f;
		uint64_t n_cuts = 0;

		set_up(&w, seed);
		open_log(&w);
		f = lode_follow_new(w.path, false);
		for (int i = 0; i < 20; i++) {
			write_some(&w, &r, 1 + test_random_below(&r, 60));
			drain(&w, f, 1000, 20);
			assert_int_equal(w.read, w.written);
			if (test_random_below(&r, 3) == 0) { /* what logrotate calls copytruncate */
				assert_int_equal(truncate(w.path, 0), 0);
				n_cuts++;
				/* Even when as much was written before anybody looked. */
				write_some(&w, &r, 1 + test_random_below(&r, 300));
			}
		}
		drain(&w, f, 1000, 40);
		assert_int_equal(w.read, w.written);
		assert_int_equal(lode_follow_truncations(f), n_cuts);
		lode_follow_free(f);
		tear_down(&w);
	}
}

static void from_the_end_means_the_next_whole_line(void **state)
{
	struct lode_follow_chunk chunk;
	struct lode_follow *f;
	struct lode_error err;
	struct world w;

	(void)state;
	set_up(&w, 0);
	open_log(&w);
	fputs("head\nold\nbegun", w.out);
	fflush(w.out);
	f = lode_follow_new(w.path, true);
	assert_int_equal(lode_follow_read(f, 100, &chunk, &err), 0);
	fputs(" and ended\n", w.out);
	fflush(w.out);
	assert_int_equal(lode_follow_read(f, 100, &chunk, &err), 1);
	assert_int_equal(chunk.size, strlen("begun and ended\n"));
	assert_memory_equal(chunk.text, "begun and ended\n", chunk.size);
	assert_int_equal(chunk.head_size, strlen("head\nold\n"));
	assert_memory_equal(chunk.head, "head\nold\n", chunk.head_size);
	assert_int_equal(lode_follow_lines_before(f, chunk.offset), 2);
	assert_int_equal(lode_follow_lines_before(f, chunk.offset + (int64_t)chunk.size), 3);
	assert_int_equal(lode_follow_lines_before(f, 5), 1);
	lode_follow_free(f);
	tear_down(&w);
}

static void the_end_of_a_rotated_file_is_a_line(void **state)
{
	struct lode_follow_chunk chunk;
	struct lode_follow *f;
	struct lode_error err;
	struct world w;
	int rc = 0;

	(void)state;
	set_up(&w, 0);
	open_log(&w);
	fputs("a\nlast", w.out);
	fflush(w.out);
	f = lode_follow_new(w.path, false);
	assert_int_equal(lode_follow_read(f, 100, &chunk, &err), 1);
	rename_log(&w);
	fputs("new\n", w.out);
	fflush(w.out);
	for (int i = 0; i < 10 && !rc; i++)
		rc = lode_follow_read(f, 100, &chunk, &err);
	assert_int_equal(rc, 1);
	assert_memory_equal(chunk.text, "last\n", 5);
	assert_int_equal(lode_follow_lines_before(f, chunk.offset), 1);
	assert_int_equal(lode_follow_read(f, 100, &chunk, &err), 1);
	assert_memory_equal(chunk.text, "new\n", 4);
	assert_int_equal(lode_follow_lines_before(f, chunk.offset), 0);
	lode_follow_free(f);
	tear_down(&w);
}

static void another_file_with_that_inode_is_not_gone_back_to(void **state)
{
	struct lode_follow_place place;
	struct lode_follow_chunk chunk;
	struct lode_follow *f;
	struct lode_error err;
	struct world w;

	(void)state;
	set_up(&w, 0);
	open_log(&w);
	fputs("one\ntwo\n", w.out);
	fflush(w.out);
	f = lode_follow_new(w.path, false);
	assert_int_equal(lode_follow_read(f, 100, &chunk, &err), 1);
	assert_true(lode_follow_place(f, &place));
	lode_follow_free(f);
	assert_int_equal(truncate(w.path, 0), 0);
	fputs("three\nfour\nfive\n", w.out);
	fflush(w.out);
	f = lode_follow_new(w.path, true);
	assert_false(lode_follow_resume(f, &place));
	assert_int_equal(lode_follow_read(f, 100, &chunk, &err), 1);
	assert_memory_equal(chunk.text, "three\n", 6);
	lode_follow_free(f);
	tear_down(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_once_over_renames_and_restarts),
		cmocka_unit_test(a_truncated_file_is_read_anew),
		cmocka_unit_test(from_the_end_means_the_next_whole_line),
		cmocka_unit_test(the_end_of_a_rotated_file_is_a_line),
		cmocka_unit_test(another_file_with_that_inode_is_not_gone_back_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
