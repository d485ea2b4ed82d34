/* Reads an input file as bytes, compressed or not, or standard input. */
#include "base/found_file.h"
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decompress.h"
#include "base/mem.h"
#include "base/text_form.h"

#define RAW_BYTES ((size_t)512 << 10) /* what is read from the file at once, at least */

/* Text in another form on its way to UTF-8 with line feeds. */
struct text {
	struct lode_text_converter converter;
	size_t raw_n; /* peeked before the form was known */
	size_t at, n; /* out[at .. n) is converted and not given */
	uint8_t raw[LODE_PEEK_BYTES];
	uint8_t out[LODE_TEXT_GROWTH * (LODE_PEEK_BYTES + 1)];
};

struct lode_input {
	char *path;
	int fd;
	bool owns_fd;
	bool is_regular;
	bool is_positioned; /* regular, and `offset` counts from its start: read by pread */
	enum lode_codec codec;
	struct lode_decompressor *decompressor; /* NULL: plain */
	bool is_done;				/* the decompressor has seen the end */
	struct text *text;			/* NULL: bytes are given as they are */
	int64_t size_bytes;
	int64_t offset;	       /* of the next byte to be read from the file */
	int64_t content_bytes; /* given so far, uncompressed */
	/* A fault behind bytes that could be read: those are given first, then this, for ever. */
	struct lode_error failure;
	bool has_failed, is_raw_end;
	size_t raw_at, raw_n; /* raw[raw_at .. raw_n) is read and not used */
	uint8_t *raw;
	size_t peek_at, peek_n; /* peeked, decompressed, not consumed */
	uint8_t peek[LODE_PEEK_BYTES];
};

static ssize_t read_fully(const struct lode_input *input, void *buffer, size_t size, int64_t offset,
			  struct lode_error *err)
{
	size_t n = 0;

	while (n < size) {
		ssize_t rc = input->is_positioned ? pread(input->fd, (char *)buffer + n, size - n,
							  (off_t)(offset + (int64_t)n))
						  : read(input->fd, (char *)buffer + n, size - n);

		if (rc == 0)
			break;
		if (rc < 0 && errno == EINTR)
			continue;
		if (rc < 0) {
			if (n) /* the fault shows again at the next call */
				break;
			return lode_fail_errno(err, errno, input->path, "reading failed");
		}
		n += (size_t)rc;
	}
	return (ssize_t)n;
}

/* Reads behind what `raw` holds unused, until it is full or the file ends. */
static int fill_raw(struct lode_input *input, struct lode_error *err)
{
	size_t left = input->raw_n - input->raw_at;
	ssize_t n;

	memmove(input->raw, input->raw + input->raw_at, left);
	input->raw_at = 0;
	input->raw_n = left;
	n = read_fully(input, input->raw + left, RAW_BYTES - left, input->offset, err);
	if (n < 0)
		return (int)n;
	input->is_raw_end = n == 0;
	input->raw_n += (size_t)n;
	input->offset += n;
	return 0;
}

static int open_file(struct lode_input *input, const char *path, bool is_found,
		     struct lode_error *err)
{
	struct stat st;

	if (!is_found && !strcmp(path, "-")) {
		input->path = lode_strdup("standard input");
		input->fd = STDIN_FILENO;
	} else {
		input->path = lode_strdup(path);
		input->fd = is_found ? lode_found_open(path)
				     : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (input->fd < 0 && is_found && errno == ENXIO)
			return lode_fail(err, LODE_ERR_FORMAT, path, -1, "not a regular file");
		if (input->fd < 0 && errno == EACCES)
			return lode_fail_errno(err, errno, path,
					       "cannot open it (recordings made as root belong to "
					       "root: chown it, or read it as root)");
		if (input->fd < 0)
			return lode_fail_errno(err, errno, path, "cannot open it");
		input->owns_fd = true;
	}
	if (fstat(input->fd, &st))
		return lode_fail_errno(err, errno, input->path, "cannot get its status");
	if (S_ISDIR(st.st_mode))
		return lode_fail(err, LODE_ERR_IO, input->path, -1,
				 "is a directory, not a file: give a file in it");
	input->is_regular = S_ISREG(st.st_mode);
	/* Standard input may be a regular file that was read in part. */
	input->is_positioned =
		input->is_regular && (input->owns_fd || lseek(input->fd, 0, SEEK_CUR) == 0);
	input->size_bytes = input->is_regular ? (int64_t)st.st_size : -1;
	if (input->is_regular)
		(void)posix_fadvise(input->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* only advice */
	return 0;
}

/* What some editors and spreadsheets write before a text. */
static void skip_byte_order_mark(struct lode_input *input)
{
	uint8_t head[3];

	if (lode_input_peek(input, head, sizeof(head), NULL) == sizeof(head) &&
	    !memcmp(head, "\xef\xbb\xbf", sizeof(head)))
		input->peek_at = sizeof(head);
}

static void recognise_text(struct lode_input *input)
{
	uint8_t head[LODE_PEEK_LEAST_BYTES];
	ssize_t n = lode_input_peek(input, head, sizeof(head), NULL);
	enum lode_text_form form =
		n > 0 ? lode_text_form_recognise(head, (size_t)n) : LODE_TEXT_PLAIN;

	if (form == LODE_TEXT_PLAIN)
		return;
	input->text = lode_alloc0(1, sizeof(*input->text));
	input->text->converter.form = form;
	input->text->raw_n = input->peek_n - input->peek_at;
	memcpy(input->text->raw, input->peek + input->peek_at, input->text->raw_n);
	input->peek_at = input->peek_n = 0;
}

/* Many are opened for their first bytes alone: what is peeked later is not cleared. */
static struct lode_input *new_input(void)
{
	struct lode_input *input = lode_alloc(sizeof(*input));

	memset(input, 0, offsetof(struct lode_input, peek));
	return input;
}

static int open_input(struct lode_input **out, const char *path, bool is_found,
		      struct lode_error *err)
{
	struct lode_input *input = new_input();
	int rc;

	*out = NULL;
	input->fd = -1;
	rc = open_file(input, path, is_found, err);
	if (rc < 0)
		goto out;
	input->raw = lode_alloc(RAW_BYTES);
	/* A terminal or pipe may give less than a magic number at a time: fill_raw reads on. */
	rc = fill_raw(input, err);
	if (rc < 0)
		goto out;
	input->codec = lode_codec_recognise(input->raw, input->raw_n);
	if (input->codec != LODE_CODEC_PLAIN)
		input->decompressor = lode_decompressor_new(input->codec);
	skip_byte_order_mark(input);
	recognise_text(input);
	*out = input;
	input = NULL;
out:
	lode_input_close(input);
	return rc;
}

int lode_input_open(struct lode_input **out, const char *path, struct lode_error *err)
{
	return open_input(out, path, false, err);
}

int lode_input_open_found(struct lode_input **out, const char *path, struct lode_error *err)
{
	return open_input(out, path, true, err);
}

void lode_input_open_bytes(struct lode_input **out, const char *name, const void *bytes,
			   size_t size)
{
	struct lode_input *input = new_input();

	input->fd = -1;
	input->path = lode_strdup(name);
	input->raw = lode_alloc(size + 1);
	if (size)
		memcpy(input->raw, bytes, size);
	input->raw_n = size;
	input->offset = input->size_bytes = (int64_t)size;
	input->is_raw_end = true;
	skip_byte_order_mark(input);
	recognise_text(input);
	*out = input;
}

void lode_input_close(struct lode_input *input)
{
	if (!input)
		return;
	lode_decompressor_free(input->decompressor);
	if (input->owns_fd)
		close(input->fd);
	free(input->raw);
	free(input->text);
	free(input->path);
	free(input);
}

const char *lode_input_path(const struct lode_input *input)
{
	return input->path;
}

bool lode_input_is_seekable(const struct lode_input *input)
{
	return input->is_positioned && !input->decompressor && !input->text;
}

int64_t lode_input_size_bytes(const struct lode_input *input)
{
	return input->size_bytes;
}

int64_t lode_input_consumed_bytes(const struct lode_input *input)
{
	int64_t consumed = input->offset - (int64_t)(input->raw_n - input->raw_at);

	return input->decompressor ? consumed
				   : consumed - (int64_t)(input->peek_n - input->peek_at);
}

/* Up to `size` bytes of content; fewer only at the end or before a fault. */
static ssize_t read_plain(struct lode_input *input, uint8_t *buffer, size_t size,
			  struct lode_error *err)
{
	size_t n = 0;

	while (n < size) {
		size_t have = input->raw_n - input->raw_at;
		size_t want = size - n;

		if (have) {
			if (want > have)
				want = have;
			memcpy(buffer + n, input->raw + input->raw_at, want);
			input->raw_at += want;
			n += want;
		} else if (input->is_raw_end) {
			break;
		} else if (want >= RAW_BYTES) { /* straight into the caller's memory */
			ssize_t rc = read_fully(input, buffer + n, want, input->offset, err);

			if (rc < 0)
				return n ? (ssize_t)n : rc;
			input->is_raw_end = rc == 0;
			input->offset += rc;
			n += (size_t)rc;
		} else {
			int rc = fill_raw(input, err);

			if (rc < 0)
				return n ? (ssize_t)n : rc;
		}
	}
	return (ssize_t)n;
}

static ssize_t read_compressed(struct lode_input *input, uint8_t *buffer, size_t size,
			       struct lode_error *err)
{
	struct lode_flow flow = {.out = buffer, .out_size = size};
	int rc = 0;

	if (input->has_failed) {
		if (err)
			*err = input->failure;
		return input->failure.status;
	}
	while (flow.out_size && !input->is_done) {
		if (input->raw_at == input->raw_n && !input->is_raw_end) {
			rc = fill_raw(input, &input->failure);
			if (rc < 0)
				break;
		}
		flow.in = input->raw + input->raw_at;
		flow.in_size = input->raw_n - input->raw_at;
		flow.is_last = input->is_raw_end;
		rc = lode_decompress(input->decompressor, &flow, input->path,
				     input->offset - (int64_t)flow.in_size, &input->failure);
		input->raw_at = input->raw_n - flow.in_size;
		if (rc < 0)
			break;
		input->is_done = rc == LODE_FLOW_END;
	}
	if (rc >= 0)
		return (ssize_t)(size - flow.out_size);
	input->has_failed = true;
	if (flow.out_size < size)
		return (ssize_t)(size - flow.out_size);
	return read_compressed(input, buffer, 0, err);
}

static ssize_t read_bytes(struct lode_input *input, void *buffer, size_t size,
			  struct lode_error *err)
{
	return input->decompressor ? read_compressed(input, buffer, size, err)
				   : read_plain(input, buffer, size, err);
}

/* As read_plain. */
static ssize_t read_text(struct lode_input *input, uint8_t *buffer, size_t size,
			 struct lode_error *err)
{
	struct text *text = input->text;
	size_t n = 0;

	while (n < size) {
		size_t more = text->n - text->at < size - n ? text->n - text->at : size - n;
		ssize_t raw_n = (ssize_t)text->raw_n;

		memcpy(buffer + n, text->out + text->at, more);
		text->at += more;
		n += more;
		if (n == size)
			break;
		if (!raw_n)
			raw_n = read_bytes(input, text->raw, sizeof(text->raw), err);
		if (raw_n <= 0)
			return n ? (ssize_t)n : raw_n;
		text->raw_n = text->at = 0;
		text->n = lode_text_convert(&text->converter, text->out, text->raw, (size_t)raw_n);
	}
	return (ssize_t)n;
}

static ssize_t read_content(struct lode_input *input, void *buffer, size_t size,
			    struct lode_error *err)
{
	return input->text ? read_text(input, buffer, size, err)
			   : read_bytes(input, buffer, size, err);
}

/* Gives how many bytes are there to be looked at, `size` unless the end comes first. */
static ssize_t fill_peek(struct lode_input *input, size_t size, struct lode_error *err)
{
	size_t have = input->peek_n - input->peek_at;
	ssize_t n;

	if (have >= size)
		return (ssize_t)size;
	memmove(input->peek, input->peek + input->peek_at, have);
	input->peek_at = 0;
	input->peek_n = have;
	n = read_content(input, input->peek + have, size - have, err);
	if (n < 0 && !have)
		return n;
	if (n > 0)
		input->peek_n += (size_t)n;
	return (ssize_t)input->peek_n;
}

static bool has_two_lines(const uint8_t *text, size_t size)
{
	const uint8_t *feed = memchr(text, '\n', size);

	return feed && memchr(feed + 1, '\n', size - (size_t)(feed + 1 - text));
}

ssize_t lode_input_peek(struct lode_input *input, void *buffer, size_t size, struct lode_error *err)
{
	size_t least = size < LODE_PEEK_LEAST_BYTES ? size : LODE_PEEK_LEAST_BYTES;
	ssize_t n = fill_peek(input, least, err);

	if (size > LODE_PEEK_BYTES)
		size = LODE_PEEK_BYTES;
	if (n == (ssize_t)least && size > least &&
	    !has_two_lines(input->peek + input->peek_at, least))
		n = fill_peek(input, size, err);
	if (n > 0)
		memcpy(buffer, input->peek + input->peek_at, (size_t)n);
	return n;
}

ssize_t lode_input_peek_all(struct lode_input *input, void *buffer, size_t size,
			    struct lode_error *err)
{
	ssize_t n = fill_peek(input, size < LODE_PEEK_BYTES ? size : LODE_PEEK_BYTES, err);

	if (n > 0)
		memcpy(buffer, input->peek + input->peek_at, (size_t)n);
	return n;
}

ssize_t lode_input_read(struct lode_input *input, void *buffer, size_t size, struct lode_error *err)
{
	size_t have = input->peek_n - input->peek_at;
	ssize_t n;

	if (have > size)
		have = size;
	memcpy(buffer, input->peek + input->peek_at, have);
	input->peek_at += have;
	input->content_bytes += (int64_t)have;
	if (have == size)
		return (ssize_t)size;
	n = read_content(input, (uint8_t *)buffer + have, size - have, err);
	if (n < 0)
		return have ? (ssize_t)have : n;
	input->content_bytes += n;
	return (ssize_t)have + n;
}

int64_t lode_input_content_bytes(const struct lode_input *input)
{
	return lode_input_is_seekable(input) ? input->size_bytes : input->content_bytes;
}

ssize_t lode_input_read_at(struct lode_input *input, void *buffer, size_t size, int64_t offset,
			   struct lode_error *err)
{
	if (!lode_input_is_seekable(input))
		return lode_fail(err, LODE_ERR_UNSUPPORTED, input->path, offset,
				 "compressed or piped input cannot be read at an offset");
	if (offset < 0)
		return lode_fail(err, LODE_ERR_ARG, input->path, -1, "negative offset");
	return read_fully(input, buffer, size, offset, err);
}
