/* Reads and writes digests on disk. */
#include "store/digest_file.h"

#include <zstd.h>
#include <pthread.h>
#include <lzma.h>
#include <zlib.h>

#include "base/atomic_file.h"
#include "store/digest_columns.h"

/*
 * The first byte is in no text; the line feeds are what transfers as text would spoil. This header
 * is the same in all versions, so that a newer file is distinguished from a damaged one.
 */
static const uint8_t magic[8] = {0x8f, 'l', 'o', 'd', 'e', '\r', '\n', '\n'};

enum {
	AT_VERSION = 8,	     /* u32 */
	AT_HEADER_CRC = 12,  /* u32: CRC-32 of the header with zeros here */
	AT_SIZE = 16,	     /* u64: of the file */
	AT_CONTENT_CRC = 24, /* u64: CRC-64 of what follows */
	HEADER_BYTES = 32,
};

/*
 * LIMIT: how far a file may unfold: what is real stays below 20 times. Whatever would go beyond is
 * written uncompressed, so that a small file cannot ask for a large memory.
 */
static const uint64_t unfold_free_bytes = 1 << 20, unfold_factor = 500, node_bytes = 16;

/* From this size on a column is of costs and times, in which there is nothing to find: searching
   long for it would take longer than all the rest of making a digest. */
static const size_t large_column_bytes = 256 << 10;

static uint64_t unfold_limit(uint64_t n_stored)
{
	return unfold_free_bytes + unfold_factor * n_stored;
}

void lode_digest_origin_release(struct lode_digest_origin *origin)
{
	lode_vec_release(&origin->skipped);
	lode_arena_release(&origin->arena);
	memset(origin, 0, sizeof(*origin));
}

void lode_digest_origin_set(struct lode_digest_origin *origin, const char *shape,
			    const char *symptom_text)
{
	origin->shape = lode_arena_strndup(&origin->arena, shape, strlen(shape));
	origin->symptom_text =
		lode_arena_strndup(&origin->arena, symptom_text, strlen(symptom_text));
}

void lode_digest_origin_skip(struct lode_digest_origin *origin, const char *path,
			     const char *reason)
{
	struct lode_origin_skipped skipped = {
		lode_arena_strndup(&origin->arena, path, strlen(path)),
		lode_arena_strndup(&origin->arena, reason, strlen(reason)),
	};

	lode_vec_append(&origin->skipped, skipped);
}

/* ---- Origin ---- */

static void put_text_digest_file(lode_byte_vec *to, const char *text)
{
	for (; text && *text; text++)
		lode_vec_append(to, (uint8_t)*text);
	lode_vec_append(to, 0);
}

static void write_origin(lode_byte_vec *to, const struct lode_digest_origin *origin,
			 bool has_digest)
{
	lode_vec_append(to, (uint8_t)has_digest);
	lode_varint_put(to, origin->key);
	lode_varint_put(to, origin->n_inputs);
	lode_varint_put(to, origin->n_beside);
	lode_varint_put(to, (uint64_t)origin->input_bytes);
	put_text_digest_file(to, origin->shape);
	put_text_digest_file(to, origin->symptom_text);
	lode_varint_put(to, origin->skipped.n);
	for (size_t i = 0; i < origin->skipped.n; i++) {
		put_text_digest_file(to, origin->skipped.at[i].path);
		put_text_digest_file(to, origin->skipped.at[i].reason);
	}
	lode_varint_put(to, (uint64_t)origin->content_bytes);
}

static int read_origin(struct lode_digest_origin *origin, bool *has_digest, struct lode_bytes *from,
		       uint32_t version, const char *path, struct lode_error *err)
{
	const char *shape, *symptom_text, *skipped_path;
	uint64_t n;

	*has_digest = lode_bytes_u8(from);
	origin->key = lode_varint_get(from);
	origin->n_inputs = lode_varint_get(from);
	origin->n_beside = lode_varint_get(from);
	origin->input_bytes = (int64_t)lode_varint_get(from);
	shape = lode_bytes_string(from);
	symptom_text = lode_bytes_string(from);
	lode_digest_origin_set(origin, shape, symptom_text);
	for (n = lode_varint_get(from); n && !from->overrun; n--) {
		skipped_path = lode_bytes_string(from);
		lode_digest_origin_skip(origin, skipped_path, lode_bytes_string(from));
	}
	if (version > 1)
		origin->content_bytes = (int64_t)lode_varint_get(from);
	if (!from->overrun && !lode_bytes_left(from))
		return 0;
	lode_digest_origin_release(origin);
	return lode_fail(err, LODE_ERR_FORMAT, path, from->base_offset,
			 "damaged digest: its description is invalid");
}

/* ---- Writing ---- */

static void put_u32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void put_u64(uint8_t *at, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t header_crc(const uint8_t *data)
{
	uint8_t header[HEADER_BYTES];

	memcpy(header, data, sizeof(header));
	memset(header + AT_HEADER_CRC, 0, sizeof(uint32_t));
	return (uint32_t)crc32(0, header, sizeof(header));
}

void lode_digest_seal(uint8_t *data, size_t size)
{
	put_u64(data + AT_SIZE, size);
	put_u64(data + AT_CONTENT_CRC, lzma_crc64(data + HEADER_BYTES, size - HEADER_BYTES, 0));
	put_u32(data + AT_HEADER_CRC, header_crc(data));
}

/* A column as it is stored: compressed if that is shorter. */
/*
 * A context for decompressing zstd that is this thread's own, and is used again for each of many
 * small blocks: making one asks the CPU what it can do, for which a virtual machine goes to its
 * host and back.
 */
static pthread_once_t zstd_once = PTHREAD_ONCE_INIT;
static pthread_key_t zstd_key;

static void free_thread_zstd(void *zstd)
{
	ZSTD_freeDCtx(zstd);
}

static void make_thread_zstd_key(void)
{
	if (pthread_key_create(&zstd_key, free_thread_zstd) != 0)
		lode_oom(0);
}

/* Never NULL; freed when the thread ends. */
static ZSTD_DCtx *thread_zstd(void)
{
	ZSTD_DCtx *zstd;

	pthread_once(&zstd_once, make_thread_zstd_key);
	zstd = pthread_getspecific(zstd_key);
	if (zstd)
		return zstd;
	zstd = ZSTD_createDCtx();
	if (!zstd || pthread_setspecific(zstd_key, zstd) != 0)
		lode_oom(0);
	return zstd;
}

static void compress_column(lode_byte_vec *stored, const lode_byte_vec *plain, ZSTD_CCtx *zstd,
			    int level)
{
	size_t n;

	if (!plain->n)
		return;
	if (plain->n >= large_column_bytes)
		level = LODE_DIGEST_LEVEL_MEMORY;
	lode_vec_reserve(stored, ZSTD_compressBound(plain->n));
	n = ZSTD_compressCCtx(zstd, stored->at, stored->capacity, plain->at, plain->n, level);
	if (ZSTD_isError(n) || n >= plain->n) {
		lode_vec_reserve(stored, plain->n);
		memcpy(stored->at, plain->at, plain->n);
		n = plain->n;
	}
	stored->n = n;
}

/* Its version; what only the whole tells is set by lode_digest_seal. */
static void put_header(lode_byte_vec *out)
{
	uint8_t header[HEADER_BYTES] = {0};

	memcpy(header, magic, sizeof(magic));
	put_u32(header + AT_VERSION, LODE_DIGEST_VERSION);
	lode_vec_append_all(out, header, sizeof(header));
}

static void put_columns(lode_byte_vec *out, const struct lode_digest_columns *plain,
			const struct lode_digest_columns *stored)
{
	lode_varint_put(out, LODE_N_DIGEST_COLUMNS);
	for (size_t i = 0; i < LODE_N_DIGEST_COLUMNS; i++) {
		lode_varint_put(out, plain->at[i].n);
		lode_varint_put(out, stored->at[i].n);
	}
	for (size_t i = 0; i < LODE_N_DIGEST_COLUMNS; i++)
		lode_vec_append_all(out, stored->at[i].at, stored->at[i].n);
}

/* Gives the size that the columns take, compressed where that is shorter. */
static uint64_t make_columns(struct lode_digest_columns *plain, struct lode_digest_columns *stored,
			     ZSTD_CCtx *zstd, int level)
{
	uint64_t n_stored = 0;

	for (size_t i = 0; i < LODE_N_DIGEST_COLUMNS; i++) {
		compress_column(&stored->at[i], &plain->at[i], zstd, level);
		n_stored += stored->at[i].n;
	}
	return n_stored;
}

static uint64_t total_bytes(const struct lode_digest_columns *columns)
{
	uint64_t n = 0;

	for (size_t i = 0; i < LODE_N_DIGEST_COLUMNS; i++)
		n += columns->at[i].n;
	return n;
}

void lode_digest_pack(lode_byte_vec *out, const struct lode_digest *digest,
		      const struct lode_digest_origin *origin, int level)
{
	struct lode_digest_columns plain = {0}, stored = {0}, *kept = &stored;
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t start = out->n;
	uint64_t n_stored, n_nodes = digest ? digest->tree.nodes.n : 0;

	if (!zstd)
		lode_oom(sizeof(plain));
	write_origin(&plain.at[LODE_COLUMN_ORIGIN], origin, digest != NULL);
	if (digest)
		lode_digest_columns_write(&plain, digest, false);
	n_stored = make_columns(&plain, &stored, zstd, level);
	if (total_bytes(&plain) + n_nodes * node_bytes > unfold_limit(n_stored)) {
		lode_digest_columns_release(&plain);
		write_origin(&plain.at[LODE_COLUMN_ORIGIN], origin, digest != NULL);
		if (digest)
			lode_digest_columns_write(&plain, digest, true);
		kept = &plain;
		n_stored = total_bytes(&plain);
	}
	/* Room for most of it at once; each writer makes sure of its own. */
	lode_vec_reserve(out, start + HEADER_BYTES + n_stored);
	put_header(out);
	put_columns(out, &plain, kept);
	lode_digest_seal(out->at + start, out->n - start);
	ZSTD_freeCCtx(zstd);
	lode_digest_columns_release(&plain);
	lode_digest_columns_release(&stored);
}

/* ---- Reading ---- */

bool lode_digest_recognise(const uint8_t *head, size_t size)
{
	return size >= sizeof(magic) && memcmp(head, magic, sizeof(magic)) == 0;
}

/* The header of any version; gives the size that the file must have. */
static int read_header_digest_file(uint64_t *size, const uint8_t *data, size_t n, const char *path,
				   struct lode_error *err)
{
	struct lode_bytes b = lode_bytes_make(data, n, 0);
	const uint8_t *found = lode_bytes_take(&b, sizeof(magic));
	uint32_t version = lode_bytes_u32(&b), crc = lode_bytes_u32(&b);

	*size = lode_bytes_u64(&b);
	if (n < HEADER_BYTES)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, (int64_t)n,
				 "truncated digest: its header has %d bytes, the file %zu",
				 HEADER_BYTES, n);
	if (memcmp(found, magic, sizeof(magic)) != 0)
		return lode_fail(err, LODE_ERR_FORMAT, path, 0, "this is not a digest");
	if (crc != header_crc(data))
		return lode_fail(err, LODE_ERR_FORMAT, path, AT_HEADER_CRC,
				 "damaged digest: its header's checksum is wrong");
	if (version > LODE_DIGEST_VERSION)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, AT_VERSION,
				 "made by a newer lode: version %u of digests, this one reads %u",
				 version, LODE_DIGEST_VERSION);
	if (version == 0 || *size < HEADER_BYTES)
		return lode_fail(err, LODE_ERR_FORMAT, path, AT_VERSION,
				 "damaged digest: version %u, %llu bytes", version,
				 (unsigned long long)*size);
	return 0;
}

/* Gives the version. */
static int check_content(const uint8_t *data, size_t size, const char *path, struct lode_error *err)
{
	struct lode_bytes b = lode_bytes_make(data, size, 0);
	uint64_t expected;
	uint32_t version;
	int rc = read_header_digest_file(&expected, data, size, path, err);

	if (rc < 0)
		return rc;
	if (size < expected)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, (int64_t)size,
				 "truncated digest: %llu bytes expected, %zu found",
				 (unsigned long long)expected, size);
	if (size > expected)
		return lode_fail(err, LODE_ERR_FORMAT, path, (int64_t)expected,
				 "%llu extra bytes after the digest",
				 (unsigned long long)(size - expected));
	lode_bytes_take(&b, AT_VERSION);
	version = lode_bytes_u32(&b);
	lode_bytes_take(&b, AT_CONTENT_CRC - AT_HEADER_CRC);
	if (lode_bytes_u64(&b) != lzma_crc64(data + HEADER_BYTES, size - HEADER_BYTES, 0))
		return lode_fail(err, LODE_ERR_FORMAT, path, HEADER_BYTES,
				 "damaged digest: the checksum of its content is wrong");
	return (int)version;
}

/* Where the columns are, and how large they will be. */
struct table {
	uint64_t plain[LODE_N_DIGEST_COLUMNS];
	struct lode_bytes stored[LODE_N_DIGEST_COLUMNS];
	uint64_t n_plain, n_stored;
};

static int read_table(struct table *table, struct lode_bytes *from, uint32_t version,
		      const char *path, struct lode_error *err)
{
	uint64_t stored[LODE_N_DIGEST_COLUMNS] = {0}, n_stored = 0;
	size_t n_columns = version == 1	  ? LODE_N_DIGEST_COLUMNS_1
			   : version == 2 ? LODE_N_DIGEST_COLUMNS_2
			   : version == 3 ? LODE_N_DIGEST_COLUMNS_3
			   : version <= 5 ? LODE_N_DIGEST_COLUMNS_4
			   : version == 6 ? LODE_N_DIGEST_COLUMNS_6
			   : version == 7 ? LODE_N_DIGEST_COLUMNS_7
					  : LODE_N_DIGEST_COLUMNS;

	if (lode_varint_get(from) != n_columns)
		return lode_fail(err, LODE_ERR_FORMAT, path, HEADER_BYTES,
				 "damaged digest: it does not have the %zu columns of version %u",
				 n_columns, version);
	for (size_t i = 0; i < n_columns; i++) {
		table->plain[i] = lode_varint_get(from);
		stored[i] = lode_varint_get(from);
		if (stored[i] > table->plain[i] || !stored[i] != !table->plain[i] ||
		    __builtin_add_overflow(table->n_plain, table->plain[i], &table->n_plain) ||
		    __builtin_add_overflow(n_stored, stored[i], &n_stored))
			from->overrun = true;
	}
	if (from->overrun || n_stored != lode_bytes_left(from))
		return lode_fail(err, LODE_ERR_FORMAT, path, HEADER_BYTES,
				 "damaged digest: its columns do not match its size");
	if (table->n_plain > unfold_limit(n_stored))
		return lode_fail(err, LODE_ERR_LIMIT, path, HEADER_BYTES,
				 "the digest would expand from %llu bytes to %llu",
				 (unsigned long long)n_stored, (unsigned long long)table->n_plain);
	table->n_stored = n_stored;
	/* Those that an older version has not are empty. */
	for (size_t i = 0; i < LODE_N_DIGEST_COLUMNS; i++)
		table->stored[i] = lode_bytes_sub(from, (size_t)stored[i]);
	return 0;
}

/* The first `n` columns, uncompressed: in place where they are, else in `buffer`. */
static int unfold(struct lode_bytes *columns, size_t n, const struct table *table, uint8_t *buffer,
		  const char *path, struct lode_error *err)
{
	ZSTD_DCtx *zstd = thread_zstd();
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct lode_bytes *stored = &table->stored[i];
		size_t plain = (size_t)table->plain[i];
		size_t got;

		columns[i] = *stored;
		if (lode_bytes_left(stored) == plain)
			continue;
		got = ZSTD_decompressDCtx(zstd, buffer, plain, stored->at, lode_bytes_left(stored));
		if (ZSTD_isError(got) || got != plain)
			rc = lode_fail(err, LODE_ERR_FORMAT, path, stored->base_offset,
				       "damaged digest: column of %s: %s",
				       lode_digest_column_name((enum lode_digest_column)i),
				       ZSTD_isError(got) ? ZSTD_getErrorName(got) : "too short");
		columns[i] = lode_bytes_make(buffer, plain, stored->base_offset);
		buffer += plain;
	}
	return rc;
}

int lode_digest_unpack(struct lode_digest **digest, struct lode_digest_origin *origin,
		       const uint8_t *data, size_t size, const char *path, struct lode_error *err)
{
	struct lode_bytes from, columns[LODE_N_DIGEST_COLUMNS] = {0};
	struct table table = {0};
	uint8_t *buffer = NULL;
	bool has_digest = false;
	uint32_t version;
	size_t n = digest ? LODE_N_DIGEST_COLUMNS : LODE_COLUMN_ORIGIN + 1;
	int rc = check_content(data, size, path, err);

	if (digest)
		*digest = NULL;
	if (rc < 0)
		return rc;
	from = lode_bytes_make(data + HEADER_BYTES, size - HEADER_BYTES, HEADER_BYTES);
	version = (uint32_t)rc;
	rc = read_table(&table, &from, version, path, err);
	if (rc < 0)
		return rc;
	buffer = lode_alloc(digest ? table.n_plain : table.plain[LODE_COLUMN_ORIGIN]);
	rc = unfold(columns, n, &table, buffer, path, err);
	if (rc == 0)
		rc = read_origin(origin, &has_digest, &columns[LODE_COLUMN_ORIGIN], version, path,
				 err);
	if (rc == 0 && digest && has_digest) {
		rc = lode_digest_columns_read(digest, columns,
					      unfold_limit(table.n_stored) / node_bytes, path, err);
		if (rc < 0)
			lode_digest_origin_release(origin);
	}
	free(buffer);
	return rc;
}

/* ---- On disk ---- */

/* Reads to the size that the header says, and a byte more if there is one: too many is a fault. */
static int read_bytes(lode_byte_vec *data, struct lode_input *input, struct lode_error *err)
{
	static const size_t chunk = (size_t)1 << 20;
	const char *path = lode_input_path(input);
	uint64_t size;
	ssize_t got;
	int rc;

	lode_vec_reserve(data, HEADER_BYTES);
	got = lode_input_read(input, data->at, HEADER_BYTES, err);
	if (got < 0)
		return (int)got;
	data->n = (size_t)got;
	rc = read_header_digest_file(&size, data->at, data->n, path, err);
	if (rc < 0)
		return rc;
	/* The size is the file's word: room is made for what comes. */
	while (data->n <= size && got > 0) {
		uint64_t want = size + 1 - data->n;

		lode_vec_reserve(data, data->n + (want < chunk ? (size_t)want : chunk));
		got = lode_input_read(input, data->at + data->n,
				      want < chunk ? (size_t)want : chunk, err);
		if (got < 0)
			return (int)got;
		data->n += (size_t)got;
	}
	return 0;
}

int lode_digest_read(struct lode_digest **digest, struct lode_digest_origin *origin,
		     struct lode_input *input, struct lode_error *err)
{
	lode_byte_vec data = {0};
	int rc = read_bytes(&data, input, err);

	if (digest)
		*digest = NULL;
	if (rc == 0)
		rc = lode_digest_unpack(digest, origin, data.at, data.n, lode_input_path(input),
					err);
	lode_vec_release(&data);
	return rc;
}

int lode_digest_load(struct lode_digest **digest, struct lode_digest_origin *origin,
		     const char *path, struct lode_error *err)
{
	struct lode_input *input;
	int rc = lode_input_open(&input, path, err);

	if (digest)
		*digest = NULL;
	if (rc < 0)
		return rc;
	rc = lode_digest_read(digest, origin, input, err);
	lode_input_close(input);
	return rc;
}

int lode_digest_load_packed(struct lode_digest **digest, struct lode_digest_origin *origin,
			    lode_byte_vec *bytes, const char *path, struct lode_error *err)
{
	struct lode_input *input;
	int rc = lode_input_open(&input, path, err);

	*digest = NULL;
	if (rc < 0)
		return rc;
	bytes->n = 0;
	rc = read_bytes(bytes, input, err);
	if (rc == 0)
		rc = lode_digest_unpack(digest, origin, bytes->at, bytes->n, path, err);
	lode_input_close(input);
	return rc;
}

int lode_digest_save(const char *path, const struct lode_digest *digest,
		     const struct lode_digest_origin *origin, size_t *size, struct lode_error *err)
{
	lode_byte_vec data = {0};
	int rc;

	lode_digest_pack(&data, digest, origin, LODE_DIGEST_LEVEL_FILE);
	if (size)
		*size = data.n;
	rc = lode_atomic_write_private(path, data.at, data.n, err);
	lode_vec_release(&data);
	return rc;
}
