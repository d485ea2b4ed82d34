/* base/input.h: every wrapping reads as the bytes inside, and damage is said after the good part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/decompress.h"
#include "base/input.h"
#include "base/mem.h"
#include "random.h"

typedef LODE_VEC(uint8_t) bytes_vec;

static char dir[64];
static char path[128];

static void append(bytes_vec *to, const void *data, size_t n)
{
	lode_vec_reserve(to, to->n + n + 1);
	memcpy(to->at + to->n, data, n);
	to->n += n;
}

/* Half noise, half repetition, so that compressed blocks of all kinds occur. */
static void fill(bytes_vec *v, struct test_random *random, size_t n)
{
	lode_vec_reserve(v, n + 1);
	for (v->n = 0; v->n < n;) {
		size_t run = 1 + test_random_below(random, 300);
		uint8_t byte = (uint8_t)test_random_below(random, 256);
		bool is_noise = test_random_below(random, 2);

		for (; run && v->n < n; run--)
			v->at[v->n++] = is_noise ? (uint8_t)test_random_below(random, 256) : byte;
	}
}

static void pack_zstd(bytes_vec *to, const uint8_t *data, size_t n)
{
	size_t bound = ZSTD_compressBound(n);
	ZSTD_CCtx *cctx = ZSTD_createCCtx();
	size_t size;

	ZSTD_CCtx_setParameter(cctx, ZSTD_c_checksumFlag, 1);
	lode_vec_reserve(to, to->n + bound);
	size = ZSTD_compress2(cctx, to->at + to->n, bound, data, n);
	assert_false(ZSTD_isError(size));
	to->n += size;
	ZSTD_freeCCtx(cctx);
}

static void pack_gzip(bytes_vec *to, const uint8_t *data, size_t n)
{
	z_stream z = {0};
	size_t bound;

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	bound = deflateBound(&z, n);
	lode_vec_reserve(to, to->n + bound);
	z.next_in = (Bytef *)data;
	z.avail_in = (uInt)n;
	z.next_out = to->at + to->n;
	z.avail_out = (uInt)bound;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	to->n += z.total_out;
	deflateEnd(&z);
}

static void pack_xz(bytes_vec *to, const uint8_t *data, size_t n)
{
	size_t bound = lzma_stream_buffer_bound(n);
	size_t at = 0;

	lode_vec_reserve(to, to->n + bound);
	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, data, n, to->at + to->n,
						 &at, bound),
			 LZMA_OK);
	to->n += at;
}

static void pack_plain(bytes_vec *to, const uint8_t *data, size_t n)
{
	append(to, data, n);
}

static const struct packer {
	const char *name;
	void (*pack)(bytes_vec *to, const uint8_t *data, size_t n);
} packers[] = {
	{"plain", pack_plain},
	{"zstd", pack_zstd},
	{"gzip", pack_gzip},
	{"xz", pack_xz},
};

static void write_file(const void *data, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

/* Reads all in pieces of random size, with peeks between; gives the status of the end. */
static int read_all(bytes_vec *got, struct test_random *random, struct lode_error *err)
{
	struct lode_input *input;
	static uint8_t buffer[1 << 20];
	int rc = lode_input_open(&input, path, err);
	ssize_t n;

	got->n = 0;
	if (rc < 0) {
		assert_null(input);
		return rc;
	}
	for (;;) {
		size_t size = test_random_below(random, 8) ? test_random_below(random, 5000) + 1
							   : sizeof(buffer);

		if (test_random_below(random, 3) == 0) {
			static uint8_t head[LODE_PEEK_BYTES];
			size_t most =
				test_random_below(random, 8) ? LODE_PEEK_LEAST_BYTES : sizeof(head);
			size_t want = 1 + test_random_below(random, most);
			ssize_t peeked = lode_input_peek(input, head, want, err);

			if (peeked > 0) {
				n = lode_input_read(input, buffer, (size_t)peeked, err);
				assert_int_equal(n, peeked);
				assert_memory_equal(head, buffer, (size_t)n);
				append(got, buffer, (size_t)n);
			}
		}
		n = lode_input_read(input, buffer, size, err);
		if (n <= 0)
			break;
		assert_true((size_t)n <= size);
		append(got, buffer, (size_t)n);
	}
	if (n < 0) { /* a fault stays */
		struct lode_error again;

		assert_int_equal(lode_input_read(input, buffer, 1, &again), n);
		assert_int_equal(lode_input_peek(input, buffer, 1, &again), n);
	} else {
		assert_int_equal(lode_input_read(input, buffer, 1, err), 0);
		assert_int_equal(lode_input_consumed_bytes(input), lode_input_size_bytes(input));
	}
	lode_input_close(input);
	return (int)n;
}

static void all_wrappings_of_several_frames_read_as_their_content(void **state)
{
	static const size_t sizes[] = {0, 1, 5, 4095, 4096, 4097, 100000, 1300000};
	struct test_random random = {.state = 1};
	bytes_vec content = {0}, part = {0}, file = {0}, got = {0};
	struct lode_error err;

	(void)state;
	for (size_t p = 0; p < sizeof(packers) / sizeof(*packers); p++) {
		for (size_t i = 0; i < 40; i++) {
			size_t n_frames = 1 + test_random_below(&random, 3);

			content.n = file.n = 0;
			for (size_t k = 0; k < n_frames; k++) {
				fill(&part, &random, sizes[(i + k) % 8]);
				append(&content, part.at, part.n);
				packers[p].pack(&file, part.at, part.n);
			}
			lode_vec_reserve(&file, 1);
			write_file(file.at, file.n);
			if (read_all(&got, &random, &err) != 0)
				fail_msg("%s round %zu: %s", packers[p].name, i, err.message);
			assert_int_equal(got.n, content.n);
			if (got.n)
				assert_memory_equal(got.at, content.at, got.n);
		}
	}
	lode_vec_release(&content);
	lode_vec_release(&part);
	lode_vec_release(&file);
	lode_vec_release(&got);
}

static void a_file_cut_at_any_length_gives_a_prefix_and_then_says_truncated(void **state)
{
	struct test_random random = {.state = 2};
	bytes_vec content = {0}, file = {0}, got = {0};
	struct lode_error err;

	(void)state;
	for (size_t p = 1; p < sizeof(packers) / sizeof(*packers); p++) {
		size_t second;

		fill(&content, &random, 1500);
		file.n = 0;
		packers[p].pack(&file, content.at, 700);
		second = file.n;
		packers[p].pack(&file, content.at + 700, 800);
		for (size_t cut = LODE_CODEC_HEAD_BYTES; cut < file.n; cut++) {
			int rc;

			write_file(file.at, cut);
			rc = read_all(&got, &random, &err);
			assert_true(got.n <= content.n);
			assert_memory_equal(got.at, content.at, got.n);
			if (cut == second) { /* a whole file of one frame */
				assert_int_equal(rc, 0);
				assert_int_equal(got.n, 700);
				continue;
			}
			if (rc != LODE_ERR_TRUNCATED)
				fail_msg("%s cut at %zu of %zu: %d", packers[p].name, cut, file.n,
					 rc);
			assert_int_equal(err.offset, cut);
			assert_string_equal(err.path, path);
			if (cut > second)
				assert_true(got.n >= 700);
		}
	}
	lode_vec_release(&content);
	lode_vec_release(&file);
	lode_vec_release(&got);
}

static void flipped_bits_never_crash_and_checksums_tell(void **state)
{
	struct test_random random = {.state = 3};
	bytes_vec content = {0}, file = {0}, got = {0};
	struct lode_error err;

	(void)state;
	for (size_t p = 1; p < sizeof(packers) / sizeof(*packers); p++) {
		fill(&content, &random, 3000);
		file.n = 0;
		packers[p].pack(&file, content.at, content.n);
		for (size_t i = 0; i < 400; i++) {
			size_t at = LODE_CODEC_HEAD_BYTES +
				    test_random_below(&random,
						      (uint32_t)file.n - LODE_CODEC_HEAD_BYTES);
			uint8_t flip = (uint8_t)(1u << test_random_below(&random, 8));
			int rc;

			file.at[at] ^= flip;
			write_file(file.at, file.n);
			rc = read_all(&got, &random, &err);
			file.at[at] ^= flip;
			/* A flip in a field without meaning (a time, a name) may go unseen: then
			   the content is whole. Anything else must fail. */
			if (rc == 0) {
				assert_int_equal(got.n, content.n);
				assert_memory_equal(got.at, content.at, got.n);
			} else {
				assert_true(err.offset >= 0 && err.offset <= (int64_t)file.n);
				assert_true(err.message[0]);
			}
		}
	}
	lode_vec_release(&content);
	lode_vec_release(&file);
	lode_vec_release(&got);
}

static void garbage_behind_compressed_data_is_an_error_after_the_content(void **state)
{
	struct test_random random = {.state = 4};
	bytes_vec content = {0}, file = {0}, got = {0};
	struct lode_error err;

	(void)state;
	for (size_t p = 1; p < sizeof(packers) / sizeof(*packers); p++) {
		fill(&content, &random, 1000);
		file.n = 0;
		packers[p].pack(&file, content.at, content.n);
		append(&file, "garbage garbage garbage", 23);
		write_file(file.at, file.n);
		assert_int_equal(read_all(&got, &random, &err), LODE_ERR_FORMAT);
		assert_int_equal(got.n, content.n);
		assert_memory_equal(got.at, content.at, got.n);
	}
	/* Zeros behind gzip are padding. */
	file.n = 0;
	pack_gzip(&file, content.at, content.n);
	append(&file, "\0\0\0\0\0\0", 6);
	write_file(file.at, file.n);
	assert_int_equal(read_all(&got, &random, &err), 0);
	lode_vec_release(&content);
	lode_vec_release(&file);
	lode_vec_release(&got);
}

static void a_directory_and_a_missing_file_are_told_apart(void **state)
{
	struct lode_input *input;
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_input_open(&input, dir, &err), LODE_ERR_IO);
	assert_null(input);
	assert_non_null(strstr(err.message, "directory"));
	assert_string_equal(err.path, dir);
	assert_int_equal(lode_input_open(&input, "/nonexistent/file", &err), LODE_ERR_IO);
	assert_non_null(strstr(err.message, "No such file"));
	write_file("x", 1);
	if (geteuid() != 0) { /* root may read everything */
		chmod(path, 0);
		assert_int_equal(lode_input_open(&input, path, &err), LODE_ERR_IO);
		assert_non_null(strstr(err.message, "chown"));
		chmod(path, 0600);
	}
}

static void only_plain_files_are_read_at_an_offset(void **state)
{
	struct test_random random = {.state = 5};
	bytes_vec content = {0}, file = {0};
	struct lode_input *input;
	struct lode_error err;
	uint8_t buffer[2000];

	(void)state;
	fill(&content, &random, 100000);
	write_file(content.at, content.n);
	assert_int_equal(lode_input_open(&input, path, &err), 0);
	assert_true(lode_input_is_seekable(input));
	assert_int_equal(lode_input_size_bytes(input), content.n);
	for (size_t i = 0; i < 200; i++) {
		size_t at = test_random_below(&random, 101000);
		size_t left = at < content.n ? content.n - at : 0;
		ssize_t n = lode_input_read_at(input, buffer, sizeof(buffer), (int64_t)at, &err);

		assert_int_equal(n, left < sizeof(buffer) ? left : sizeof(buffer));
		if (n)
			assert_memory_equal(buffer, content.at + at, (size_t)n);
	}
	/* The sequential place is not moved by that. */
	assert_int_equal(lode_input_read(input, buffer, 10, &err), 10);
	assert_memory_equal(buffer, content.at, 10);
	lode_input_close(input);

	pack_zstd(&file, content.at, content.n);
	write_file(file.at, file.n);
	assert_int_equal(lode_input_open(&input, path, &err), 0);
	assert_false(lode_input_is_seekable(input));
	assert_int_equal(lode_input_read_at(input, buffer, 1, 0, &err), LODE_ERR_UNSUPPORTED);
	lode_input_close(input);
	lode_vec_release(&content);
	lode_vec_release(&file);
}

static void standard_input_is_read_from_a_pipe(void **state)
{
	struct lode_input *input;
	struct lode_error err;
	int saved = dup(STDIN_FILENO);
	char buffer[64];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "main;f 1\n", 9), 9);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(lode_input_open(&input, "-", &err), 0);
	assert_false(lode_input_is_seekable(input));
	assert_int_equal(lode_input_size_bytes(input), -1);
	assert_int_equal(lode_input_peek(input, buffer, sizeof(buffer), &err), 9);
	assert_int_equal(lode_input_read(input, buffer, sizeof(buffer), &err), 9);
	assert_memory_equal(buffer, "main;f 1\n", 9);
	assert_int_equal(lode_input_read(input, buffer, sizeof(buffer), &err), 0);
	lode_input_close(input);
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
}

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/lode-test-input-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/file", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_wrappings_of_several_frames_read_as_their_content),
		cmocka_unit_test(a_file_cut_at_any_length_gives_a_prefix_and_then_says_truncated),
		cmocka_unit_test(flipped_bits_never_crash_and_checksums_tell),
		cmocka_unit_test(garbage_behind_compressed_data_is_an_error_after_the_content),
		cmocka_unit_test(a_directory_and_a_missing_file_are_told_apart),
		cmocka_unit_test(only_plain_files_are_read_at_an_offset),
		cmocka_unit_test(standard_input_is_read_from_a_pipe),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
