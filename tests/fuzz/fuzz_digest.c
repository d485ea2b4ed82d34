/*
 * Any bytes as a digest. What begins as a digest file gets right checksums first, so that what lies
 * behind them is met; anything else is taken for the columns themselves, each behind its length.
 * Both give an error that says something, or a digest that keeps its promises, merges, and is the
 * same after it was written and read.
 */
#include "fuzz/fuzz.h"

#include "store/digest_columns.h"
#include "store/digest_file.h"

static void check_tree(const struct lode_calltree *tree)
{
	for (size_t i = 0; i < tree->frames.n; i++) {
		FUZZ_CHECK(tree->frames.at[i].module < tree->strings.text.n);
		FUZZ_CHECK(tree->frames.at[i].function < tree->strings.text.n);
	}
	for (size_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];

		FUZZ_CHECK(node->parent < i && node->frame < tree->frames.n);
		FUZZ_CHECK(node->depth == tree->nodes.at[node->parent].depth + 1);
	}
}

static void check_groups(const struct lode_digest *digest, const struct lode_digest_row *row)
{
	const struct lode_digest_symptom *symptom = &digest->symptoms.at[row->symptom];
	const uint32_t *shared = digest->shared.at + row->first_shared;

	for (uint32_t i = 0; i < row->n_shared; i++) {
		FUZZ_CHECK(shared[i] < symptom->n_groups && (i == 0 || shared[i - 1] < shared[i]));
		FUZZ_CHECK(digest->groups.at[symptom->first_group + shared[i]] > 0);
	}
}

static void check_digest(const struct lode_digest *digest)
{
	size_t n_strings = digest->tree.strings.text.n;

	check_tree(&digest->tree);
	for (size_t i = 0; i < digest->streams.n; i++) {
		FUZZ_CHECK(digest->streams.at[i].path < n_strings);
		FUZZ_CHECK(digest->streams.at[i].host < n_strings);
		FUZZ_CHECK(digest->streams.at[i].kernel < n_strings);
	}
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		FUZZ_CHECK(digest->symptoms.at[i].stream < digest->streams.n);
		FUZZ_CHECK(digest->symptoms.at[i].comm < n_strings);
	}
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];

		FUZZ_CHECK(row->symptom < digest->symptoms.n && row->waker < n_strings);
		FUZZ_CHECK(row->stack < digest->tree.nodes.n && row->cost_ns >= 0);
		FUZZ_CHECK(row->kind < LODE_N_EVENT_KINDS && row->reason < LODE_N_REASONS);
		FUZZ_CHECK(i == 0 || lode_digest_row_compare(row - 1, row) < 0);
		check_groups(digest, row);
	}
	FUZZ_CHECK(digest->names.n_with.n <= digest->tree.frames.n);
	for (size_t i = 0; i < digest->names.pairs.n; i++) {
		FUZZ_CHECK(digest->names.pairs.at[i].caller < digest->names.n_with.n);
		FUZZ_CHECK(digest->names.pairs.at[i].callee < digest->names.n_with.n);
	}
}

static void pack(lode_byte_vec *out, const struct lode_digest *digest)
{
	static const struct lode_digest_origin none = {.shape = "", .symptom_text = ""};

	lode_digest_pack(out, digest, &none, LODE_DIGEST_LEVEL_MEMORY);
}

static struct lode_digest *unpack(const lode_byte_vec *data)
{
	struct lode_digest_origin origin = {0};
	struct lode_digest *digest;

	FUZZ_CHECK(lode_digest_unpack(&digest, &origin, data->at, data->n, "again", NULL) == 0);
	lode_digest_origin_release(&origin);
	return digest;
}

/* Written, read, and written: the same bytes. (The first time, the unit becomes a string.) */
static void check_round_trip(struct lode_digest *digest)
{
	lode_byte_vec first = {0}, second = {0}, third = {0};
	struct lode_digest *read, *again, *merged = lode_digest_new();

	pack(&first, digest);
	read = unpack(&first);
	pack(&second, read);
	again = unpack(&second);
	pack(&third, again);
	FUZZ_CHECK(second.n == third.n && memcmp(second.at, third.at, second.n) == 0);
	lode_digest_merge(merged, read);
	FUZZ_CHECK(merged->rows.n == read->rows.n && merged->streams.n == read->streams.n);
	check_digest(merged);
	lode_digest_free(merged);
	lode_digest_free(read);
	lode_digest_free(again);
	lode_vec_release(&first);
	lode_vec_release(&second);
	lode_vec_release(&third);
}

static int read_file(struct lode_digest **digest, uint8_t *data, size_t size,
		     struct lode_error *err)
{
	struct lode_digest_origin origin = {0};
	int rc;

	if (size >= 32) {
		data[8] = (uint8_t)(1 + (data[8] + 1) % LODE_DIGEST_VERSION); /* any that is read */
		memset(data + 9, 0, 3);
		lode_digest_seal(data, size);
	}
	rc = lode_digest_unpack(digest, &origin, data, size, "fuzz", err);
	lode_digest_origin_release(&origin);
	return rc;
}

static int read_columns(struct lode_digest **digest, const uint8_t *data, size_t size,
			struct lode_error *err)
{
	struct lode_bytes from = lode_bytes_make(data, size, 0), columns[LODE_N_DIGEST_COLUMNS];

	for (size_t i = 0; i < LODE_N_DIGEST_COLUMNS; i++) {
		uint64_t n = lode_varint_get(&from);

		columns[i] =
			lode_bytes_sub(&from, n < lode_bytes_left(&from) ? (size_t)n
									 : lode_bytes_left(&from));
	}
	return lode_digest_columns_read(digest, columns, 1 << 20, "fuzz", err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_error err = {0};
	struct lode_digest *digest = NULL;
	uint8_t *copy = lode_alloc(size);
	int rc;

	if (size)
		memcpy(copy, data, size);
	if (lode_digest_recognise(copy, size))
		rc = read_file(&digest, copy, size, &err);
	else
		rc = read_columns(&digest, copy, size, &err);
	if (rc < 0)
		FUZZ_CHECK(!digest && err.message[0] && err.status == rc);
	if (digest) {
		check_digest(digest);
		check_round_trip(digest);
	}
	lode_digest_free(digest);
	free(copy);
	return 0;
}
