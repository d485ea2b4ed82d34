/* A table of build-ids by host and path, filled when it is asked. */
#include "input/symbols/build_ids.h"

#include <pthread.h>

#include "base/map.h"

struct lent_id {
	uint8_t bytes[LODE_LENT_BUILD_ID_BYTES];
	size_t size;
	bool is_contradicted;
};

struct lent_table {
	bool is_filled;
	bool is_too_much;
	struct lode_strings keys; /* host, NUL, path; ids are indices of `at` */
	LODE_VEC(struct lent_id) at;
};

struct lode_build_ids {
	lode_build_ids_fill *fill;
	void *context;
	void (*free_context)(void *context);

	pthread_mutex_t lock; /* for all below; held while recordings are read */
	/* Of plain recordings, and of packed ones: apart, so that an answer does not depend on who
	   has asked before. */
	struct lent_table tables[2];
	struct lent_table *filling;
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
	for (int i = 0; i < 2; i++) {
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
	struct lent_table *table = build_ids->filling;
	struct lent_id id = {.size = size}, *known;
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
	known->is_contradicted |= known->size != size || memcmp(known->bytes, bytes, size) != 0;
}

/* What recordings of one kind say; NULL: nothing, or there are too many to be asked. */
static const struct lent_id *find_lent(struct lode_build_ids *build_ids, bool is_packed,
				       const char_vec *key)
{
	struct lent_table *table = &build_ids->tables[is_packed];
	uint32_t at;

	if (!table->is_filled) {
		table->is_filled = true;
		build_ids->filling = table;
		table->is_too_much = !build_ids->fill(build_ids, build_ids->context, is_packed);
	}
	at = table->is_too_much ? LODE_NONE : lode_strings_find(&table->keys, key->at, key->n);
	return at == LODE_NONE ? NULL : &table->at.at[at];
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
	id = find_lent(build_ids, false, &key);
	if (may_unpack)
		other = find_lent(build_ids, true, &key);
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
