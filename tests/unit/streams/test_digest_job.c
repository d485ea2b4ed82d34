/* streams/digest_job.h: many streams, on whatever way and with however many threads: one digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/stream.h"
#include "streams/digest_dir.h"
#include "streams/digest_job.h"
#include "random.h"

/* More than wait in memory as they are: they are packed meanwhile. */
enum { N_STREAMS = 70 };

static char folder[] = "/tmp/lode-job-XXXXXX";
static char *paths[N_STREAMS];

static char *in_folder(const char *name)
{
	char *path = lode_alloc(256);

	snprintf(path, 256, "%s/%s", folder, name);
	return path;
}

static void write_stream(struct test_random *random, const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (int line = 0; line < 30; line++) {
		for (uint32_t n = 1 + test_random_below(random, 8); n; n--)
			fprintf(file, "f%u;", test_random_below(random, 30));
		fprintf(file, "leaf %u\n", 1 + test_random_below(random, 100));
	}
	fclose(file);
}

static int make_streams(void **state)
{
	struct test_random random = {3};
	char name[32];

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < N_STREAMS; i++) {
		snprintf(name, sizeof(name), "s%02d.folded", i);
		paths[i] = in_folder(name);
		/* The one in the middle is no recording. */
		if (i == N_STREAMS / 2)
			assert_int_equal(fclose(fopen(paths[i], "w")), 0);
		else
			write_stream(&random, paths[i]);
	}
	return 0;
}

static void remove_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(path);
}

static int remove_streams(void **state)
{
	char *digests = in_folder("d");

	(void)state;
	for (int i = 0; i < N_STREAMS; i++)
		free(paths[i]);
	remove_folder(digests);
	remove_folder(folder);
	free(digests);
	return 0;
}

static struct lode_digest_job_options options_for(unsigned n_threads)
{
	return (struct lode_digest_job_options){
		.narrow = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .cpu = -1},
		.unit = "samples",
		.symptoms = {.pid = -1},
		.n_threads = n_threads,
	};
}

static void run(struct lode_digest_job *job, char **inputs, size_t n,
		const struct lode_digest_job_options *options)
{
	struct lode_error err;
	char text[1200];

	if (lode_digest_job_run(job, inputs, n, options, &err) < 0)
		fail_msg("%s", lode_error_text(&err, text, sizeof(text)));
}

/* The job's digest and all that goes with it, as bytes. */
static lode_byte_vec bytes_of(const struct lode_digest_job *job)
{
	lode_byte_vec bytes = {0};

	lode_digest_pack(&bytes, job->digest, &job->origin, LODE_DIGEST_LEVEL_MEMORY);
	return bytes;
}

static void check_same(lode_byte_vec *a, const struct lode_digest_job *job)
{
	lode_byte_vec b = bytes_of(job);

	assert_int_equal(a->n, b.n);
	assert_memory_equal(a->at, b.at, b.n);
	lode_vec_release(&b);
}

static void test_the_digest_is_the_same_on_every_way(void **state)
{
	struct lode_digest_job_options one = options_for(1), four = options_for(4);
	struct lode_digest_job job;
	lode_byte_vec expected;
	char *digests = in_folder("d");

	(void)state;
	run(&job, paths, N_STREAMS, &one);
	assert_int_equal(job.digest->streams.n, N_STREAMS - 1);
	assert_int_equal(job.skipped.n, 1);
	assert_string_equal(job.skipped.at[0].path, paths[N_STREAMS / 2]);
	expected = bytes_of(&job);
	lode_digest_job_release(&job);

	run(&job, paths, N_STREAMS, &four);
	check_same(&expected, &job);
	lode_digest_job_release(&job);

	four.digest_dir = digests;
	run(&job, paths, N_STREAMS, &four); /* made, and merged from the disk */
	check_same(&expected, &job);
	assert_int_equal(job.outputs.n, N_STREAMS - 1);
	assert_int_equal(job.outputs.at[5].state, LODE_DIGEST_MADE);
	lode_digest_job_release(&job);

	run(&job, paths, N_STREAMS, &four); /* kept */
	check_same(&expected, &job);
	assert_int_equal(job.outputs.at[5].state, LODE_DIGEST_KEPT);
	lode_digest_job_release(&job);

	four.digest_dir = NULL;
	four.memory_bytes = 1; /* one at a time */
	run(&job, &digests, 1, &four);
	check_same(&expected, &job);
	assert_int_equal(job.n_inputs, N_STREAMS);
	lode_digest_job_release(&job);
	lode_vec_release(&expected);
	free(digests);
}

static void test_without_a_merge_the_digests_are_listed_alone(void **state)
{
	struct lode_digest_job_options options = options_for(2);
	struct lode_digest_job job;
	char *digests = in_folder("d");

	(void)state;
	options.digest_dir = digests;
	options.no_merge = true;
	options.again = true;
	run(&job, paths, N_STREAMS, &options);
	assert_null(job.digest);
	assert_int_equal(job.outputs.n, N_STREAMS - 1);
	assert_int_equal(job.skipped.n, 1);
	for (size_t i = 0; i < job.outputs.n; i++) {
		struct stat st;

		assert_int_equal(job.outputs.at[i].state, LODE_DIGEST_MADE);
		assert_int_equal(stat(job.outputs.at[i].digest_path, &st), 0);
		assert_int_equal(job.outputs.at[i].digest_bytes, st.st_size);
	}
	lode_digest_job_release(&job);
	free(digests);
}

/* How many recordings are in memory after the run; all of them are taken. */
static size_t count_kept(size_t keep_bytes, lode_byte_vec *expected)
{
	struct lode_digest_job_options options = options_for(4);
	struct lode_digest_job job;
	size_t n;

	options.keep_bytes = keep_bytes;
	run(&job, paths, N_STREAMS, &options);
	check_same(expected, &job);
	n = job.kept.n;
	for (size_t i = 0; i < n; i += 2) {
		const char *path = job.kept.at[i].path;
		struct lode_stream *stream = lode_digest_job_take_stream(&job, path);

		assert_non_null(stream);
		assert_string_equal(stream->path, path);
		assert_null(lode_digest_job_take_stream(&job, path));
		lode_stream_free(stream);
	}
	assert_null(lode_digest_job_take_stream(&job, "/nowhere"));
	lode_digest_job_release(&job);
	return n;
}

static void test_recordings_stay_in_memory_as_many_as_fit(void **state)
{
	struct lode_digest_job_options one = options_for(1);
	struct lode_digest_job job;
	lode_byte_vec expected;
	size_t n;

	(void)state;
	run(&job, paths, N_STREAMS, &one);
	assert_int_equal(job.kept.n, 0);
	expected = bytes_of(&job);
	lode_digest_job_release(&job);
	assert_int_equal(count_kept(1 << 20, &expected), N_STREAMS - 1);
	n = count_kept(4096, &expected);
	assert_in_range(n, 1, N_STREAMS / 2);
	lode_vec_release(&expected);
}

static void test_a_folder_has_one_writer(void **state)
{
	struct lode_digest_job_options options = options_for(1);
	struct lode_digest_dir dir = {.fd = -1};
	struct lode_digest_job job;
	struct lode_error err;
	char *digests = in_folder("d");

	(void)state;
	options.digest_dir = digests;
	assert_int_equal(lode_digest_dir_open(&dir, digests, &err), 0);
	assert_int_equal(lode_digest_job_run(&job, paths, 2, &options, &err), LODE_ERR_IO);
	assert_non_null(strstr(err.message, "another lode"));
	lode_digest_job_release(&job);
	lode_digest_dir_close(&dir);
	run(&job, paths, 2, &options);
	lode_digest_job_release(&job);
	free(digests);
}

/* A write that fails is a failure of the run, not of one recording. */
static void test_a_digest_that_cannot_be_written_ends_the_run(void **state)
{
	struct lode_digest_job_options options = options_for(2);
	struct lode_digest_dir dir = {.path = folder};
	struct lode_digest_job job;
	struct lode_error err;
	char *target = lode_digest_dir_file(&dir, paths[1]);

	(void)state;
	options.digest_dir = folder;
	assert_int_equal(mkdir(target, 0777), 0); /* cannot be renamed to */
	assert_int_equal(lode_digest_job_run(&job, paths, 3, &options, &err), LODE_ERR_IO);
	assert_string_equal(err.path, target);
	lode_digest_job_release(&job);
	assert_int_equal(rmdir(target), 0);
	free(target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_digest_is_the_same_on_every_way),
		cmocka_unit_test(test_without_a_merge_the_digests_are_listed_alone),
		cmocka_unit_test(test_recordings_stay_in_memory_as_many_as_fit),
		cmocka_unit_test(test_a_folder_has_one_writer),
		cmocka_unit_test(test_a_digest_that_cannot_be_written_ends_the_run),
	};

	return cmocka_run_group_tests(tests, make_streams, remove_streams);
}
