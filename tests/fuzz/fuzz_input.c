/*
 * Any bytes as a compressed or plain file, read in different ways: they must agree. Of damaged
 * bytes a larger buffer may give less: zstd unpacks a frame that fits in one go, all or nothing.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "base/input.h"
#include "base/mem.h"

/* Stops decompression bombs: what is behind this is not looked at. */
#define MAX_BYTES ((size_t)4 << 20)

static size_t read_in_pieces(const char *path, uint8_t *to, size_t piece, int *status)
{
	struct lode_input *input;
	struct lode_error err;
	size_t n = 0;
	ssize_t got = 0;

	FUZZ_CHECK(lode_input_open(&input, path, &err) == 0);
	while (n < MAX_BYTES) {
		size_t want = piece < MAX_BYTES - n ? piece : MAX_BYTES - n;

		got = lode_input_read(input, to + n, want, &err);
		if (got <= 0)
			break;
		FUZZ_CHECK((size_t)got <= want);
		n += (size_t)got;
	}
	if (got < 0) {
		FUZZ_CHECK(err.message[0] && err.status == (enum lode_status)got);
		FUZZ_CHECK(err.offset <= lode_input_size_bytes(input));
	}
	*status = n < MAX_BYTES ? (int)got : 0;
	lode_input_close(input);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *path = fuzz_file(data, size);
	uint8_t *whole = lode_alloc(MAX_BYTES), *pieces = lode_alloc(MAX_BYTES);
	int status, status_of_pieces;
	size_t n = read_in_pieces(path, whole, MAX_BYTES, &status);
	size_t n_pieces = read_in_pieces(path, pieces, 997, &status_of_pieces);

	FUZZ_CHECK(status == status_of_pieces);
	FUZZ_CHECK(status < 0 ? n <= n_pieces : n == n_pieces);
	FUZZ_CHECK(memcmp(whole, pieces, n) == 0);
	free(whole);
	free(pieces);
	return 0;
}
