/* A table of build-ids by host and path, filled when it is asked. */
#include "input/symbols/build_ids.h"

#include <pthread.h>

#include "base/map.h"

struct lent_id {
	uint8_t bytes[LODE_LENT_BUILD_ID_BYTES];
	size_t size;
	size_t recording; /* the first that had it */
	bool is_contradicted;
};

struct lent_table {
	bool is_filled;
	size_t n_read;
	struct lode_strings keys; /* host, NUL, path; ids are indices of `at` */
	LODE_VEC(struct lent_id) at;
};

struct lode_build_ids {
	lode_build_ids_fill *fill;
	void *context;
	void (*free_context)(void *context);

	pthread_mutex_t lock; /* for all below; held while recordings are read */
	struct lent_table tables[LODE_N_LENDERS];
	enum lode_lender filling;
};

struct lode_build_ids *lode_build_ids_new(lode_build_ids_fill *fill, void *context,
					  void (*free_context)(void *context))
{
	struct lode_build_ids *build_ids = lode_alloc0(1, sizeof(*build_ids));

	build_ids->fill = fill;
	build_ids->context = context;
	build_ids->free_context = free_context;
	pthread_mutex_init(&build_ids->lock, NULL);
	return build_ids;
}

void lode_build_ids_free(struct lode_build_ids *build_ids)
{
	if (!build_ids)
		return;
	build_ids->free_context(build_ids->context);
	for (int i = 0; i < LODE_N_LENDERS; i++) {
		lode_strings_release(&build_ids->tables[i].keys);
		lode_vec_release(&build_ids->tables[i].at);
	}
	pthread_mutex_destroy(&build_ids->lock);
	free(build_ids);
}

typedef LODE_VEC(char) char_vec;

static char_vec make_key_of_path(const char *host, const char *path)
{
	char_vec key = {0};

	lode_vec_append_all(&key, host, strlen(host) + 1);
	lode_vec_append_all(&key, path, strlen(path));
	return key;
}

void lode_build_ids_add(struct lode_build_ids *build_ids, const char *host, const char *path,
			const uint8_t *bytes, size_t size)
{
	static const uint8_t zeros[LODE_LENT_BUILD_ID_BYTES];
	struct lent_table *table = &build_ids->tables[build_ids->filling];
	struct lent_id id = {.size = size, .recording = table->n_read}, *known;
	char_vec key;
	uint32_t at;

	if (!size || size > sizeof(id.bytes) || !memcmp(bytes, zeros, size))
		return;
	memcpy(id.bytes, bytes, size);
	key = make_key_of_path(host, path);
	at = lode_strings_intern(&table->keys, key.at, key.n);
	lode_vec_release(&key);
	if (at == table->at.n)
		lode_vec_append(&table->at, id);
	known = &table->at.at[at];
	/* Who is asked no longer once one knows it counts for nothing, although it may be read for
	   the sake of another path. */
	if (build_ids->filling != LODE_LENDER_PACKED_OTHER || known->recording == table->n_read)
		known->is_contradicted |=
			known->size != size || memcmp(known->bytes, bytes, size) != 0;
}

/* What recordings of one kind say; NULL: nothing. */
static const struct lent_id *find_lent(struct lode_build_ids *build_ids, enum lode_lender lender,
				       const char_vec *key)
{
	struct lent_table *table = &build_ids->tables[lender];
	uint32_t at;

	build_ids->filling = lender;
	for (;;) {
		at = lode_strings_find(&table->keys, key->at, key->n);
		if (table->is_filled || (at != LODE_NONE && lender == LODE_LENDER_PACKED_OTHER))
			return at == LODE_NONE ? NULL : &table->at.at[at];
		table->is_filled =
			!build_ids->fill(build_ids, build_ids->context, lender, table->n_read);
		table->n_read++;
	}
}

static bool is_equal(const struct lent_id *a, const struct lent_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

enum lode_build_id_answer lode_build_ids_find(struct lode_build_ids *build_ids, const char *host,
					      const char *path, bool may_unpack,
					      uint8_t bytes[LODE_LENT_BUILD_ID_BYTES], size_t *size)
{
	enum lode_build_id_answer answer = LODE_BUILD_ID_UNKNOWN;
	char_vec key = make_key_of_path(host, path);
	const struct lent_id *id, *other = NULL;

	pthread_mutex_lock(&build_ids->lock);
	id = find_lent(build_ids, LODE_LENDER_PLAIN, &key);
	if (may_unpack)
		other = find_lent(build_ids, LODE_LENDER_PACKED_INPUT, &key);
	if (may_unpack && !id && !other)
		other = find_lent(build_ids, LODE_LENDER_PACKED_OTHER, &key);
	if (!id)
		id = other;
	if (id) {
		answer = id->is_contradicted || (other && other->is_contradicted) ||
					 (other && !is_equal(id, other))
				 ? LODE_BUILD_ID_CONTRADICTED
				 : LODE_BUILD_ID_FOUND;
		memcpy(bytes, id->bytes, id->size);
		*size = id->size;
	}
	pthread_mutex_unlock(&build_ids->lock);
	lode_vec_release(&key);
	return answer;
}
