/* Bounded cache of answers. */
#include "serve/kept.h"

#include "base/map.h"
#include "base/memory_bound.h"

/* ---- One answer ---- */

void lode_made_headers(struct MHD_Response *response, const char *type)
{
	static const char *const always[][2] = {
		{"X-Content-Type-Options", "nosniff"},
		{"X-Frame-Options", "DENY"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Cache-Control", "no-cache"},
	};
	/* The page has a policy of its own in its head, stricter than could be said here without
	   knowing its script; what stands here holds as well. */
	bool is_page = strncmp(type, "text/html", 9) == 0;

	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		lode_http.MHD_add_response_header(response, always[i][0], always[i][1]);
	lode_http.MHD_add_response_header(response, "Content-Type", type);
	lode_http.MHD_add_response_header(response, "Content-Security-Policy",
					  is_page ? "frame-ancestors 'none'; base-uri 'none'; "
						    "form-action 'none'; object-src 'none'"
						  : "default-src 'none'; frame-ancestors 'none'");
}

static struct MHD_Response *response_of(const char *bytes, size_t n, bool is_packed,
					const struct lode_site_document *document)
{
	/* MHD asks for bytes that it could change; it never does. */
	struct MHD_Response *response =
		lode_http.MHD_create_response_from_buffer(n, (void *)(uintptr_t)bytes,
							  MHD_RESPMEM_PERSISTENT);

	if (!response)
		lode_oom(n);
	lode_made_headers(response, document->type);
	lode_http.MHD_add_response_header(response, "ETag", document->tag);
	lode_http.MHD_add_response_header(response, "Vary", "Accept-Encoding");
	if (is_packed)
		lode_http.MHD_add_response_header(response, "Content-Encoding", "gzip");
	return response;
}

static void make_responses(struct lode_made *made)
{
	const struct lode_site_document *d = &made->document;

	made->n_users = 1;
	made->plain = response_of(d->plain, d->plain_bytes, false, d);
	if (d->gzip)
		made->packed = response_of(d->gzip, d->gzip_bytes, true, d);
}

struct lode_made *lode_made_of_document(const struct lode_site_document *document)
{
	struct lode_made *made = lode_alloc0(1, sizeof(*made));

	made->document = *document;
	make_responses(made);
	return made;
}

struct lode_made *lode_made_of_json(const char *json, size_t n)
{
	struct lode_made *made = lode_alloc0(1, sizeof(*made));

	lode_site_document_make(&made->document, "application/json", json, n, &made->arena);
	make_responses(made);
	return made;
}

void lode_made_release(struct lode_made *made)
{
	if (!made || __atomic_sub_fetch(&made->n_users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	lode_http.MHD_destroy_response(made->plain);
	if (made->packed)
		lode_http.MHD_destroy_response(made->packed);
	lode_arena_release(&made->arena);
	free(made);
}

/* ---- Many ---- */

struct item {
	char *key;
	struct lode_made *made;
};

struct generation {
	struct lode_map place_of; /* hash of the key -> its place */
	LODE_VEC(struct item) items;
	size_t bytes;
};

struct lode_kept {
	pthread_mutex_t lock;
	struct generation young, old;
	size_t most_bytes; /* of one of them */
};

static void release_kept(struct generation *generation)
{
	for (size_t i = 0; i < generation->items.n; i++) {
		free(generation->items.at[i].key);
		lode_made_release(generation->items.at[i].made);
	}
	lode_vec_release(&generation->items);
	lode_map_release(&generation->place_of);
	memset(generation, 0, sizeof(*generation));
}

struct lode_kept *lode_kept_new(size_t most_bytes)
{
	struct lode_kept *kept = lode_alloc0(1, sizeof(*kept));

	pthread_mutex_init(&kept->lock, NULL);
	kept->most_bytes = most_bytes / 2;
	return kept;
}

void lode_kept_free(struct lode_kept *kept)
{
	if (!kept)
		return;
	release_kept(&kept->young);
	release_kept(&kept->old);
	pthread_mutex_destroy(&kept->lock);
	free(kept);
}

static struct lode_made *find_kept(const struct generation *generation, uint64_t hash,
				   const char *key)
{
	uint32_t place = lode_map_find(&generation->place_of, hash);

	if (place == LODE_NONE || strcmp(generation->items.at[place].key, key) != 0)
		return NULL;
	return generation->items.at[place].made;
}

/* Of two keys with one hash, the later is found. */
static void put_kept(struct lode_kept *kept, uint64_t hash, const char *key, struct lode_made *made)
{
	struct generation *young = &kept->young;

	__atomic_add_fetch(&made->n_users, 1, __ATOMIC_RELAXED);
	*lode_map_slot(&young->place_of, hash) = (uint32_t)young->items.n;
	lode_vec_append(&young->items, ((struct item){lode_strdup(key), made}));
	young->bytes += made->document.plain_bytes + made->document.gzip_bytes + strlen(key) +
			sizeof(*made);
	if (young->bytes <= kept->most_bytes)
		return;
	release_kept(&kept->old);
	kept->old = *young;
	memset(young, 0, sizeof(*young));
}

struct lode_made *lode_kept_find(struct lode_kept *kept, const char *key)
{
	uint64_t hash = lode_hash_bytes(key, strlen(key), 0);
	struct lode_made *made;

	pthread_mutex_lock(&kept->lock);
	made = find_kept(&kept->young, hash, key);
	if (!made) {
		made = find_kept(&kept->old, hash, key);
		if (made)
			put_kept(kept, hash, key, made);
	}
	if (made)
		__atomic_add_fetch(&made->n_users, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&kept->lock);
	return made;
}

void lode_kept_put(struct lode_kept *kept, const char *key, struct lode_made *made)
{
	uint64_t hash = lode_hash_bytes(key, strlen(key), 0);

	pthread_mutex_lock(&kept->lock);
	put_kept(kept, hash, key, made);
	pthread_mutex_unlock(&kept->lock);
}

/* ---- The site that is shown ---- */

struct lode_shown *lode_shown_new(struct lode_site *site)
{
	size_t bound = lode_memory_bound();
	struct lode_shown *shown = lode_alloc0(1, sizeof(*shown));
	size_t n;

	lode_site_hold(site);
	lode_site_finish(site);
	n = lode_site_n_documents(site);
	shown->site = site;
	shown->n_users = 1;
	shown->made = lode_alloc0(n, sizeof(struct lode_made *));
	for (size_t i = 0; i < n; i++)
		shown->made[i] = lode_made_of_document(lode_site_document(site, i));
	shown->kept = lode_kept_new(
		bound && bound / 4 < LODE_SITE_KEPT_BYTES ? bound / 4 : LODE_SITE_KEPT_BYTES);
	return shown;
}

void lode_shown_release(struct lode_shown *shown)
{
	if (!shown || __atomic_sub_fetch(&shown->n_users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	for (size_t i = 0; i < lode_site_n_documents(shown->site); i++)
		lode_made_release(shown->made[i]);
	free(shown->made);
	lode_kept_free(shown->kept);
	lode_site_free(shown->site);
	free(shown);
}

void lode_showcase_init(struct lode_showcase *showcase, struct lode_shown *first)
{
	pthread_mutex_init(&showcase->lock, NULL);
	showcase->now = first;
}

struct lode_shown *lode_showcase_take(struct lode_showcase *showcase)
{
	struct lode_shown *shown;

	/* It must not be released between the look and the count. */
	pthread_mutex_lock(&showcase->lock);
	shown = showcase->now;
	__atomic_add_fetch(&shown->n_users, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&showcase->lock);
	return shown;
}

void lode_showcase_put(struct lode_showcase *showcase, struct lode_shown *next)
{
	struct lode_shown *before;

	pthread_mutex_lock(&showcase->lock);
	before = showcase->now;
	showcase->now = next;
	pthread_mutex_unlock(&showcase->lock);
	lode_shown_release(before);
}

void lode_showcase_release(struct lode_showcase *showcase)
{
	if (!showcase->now)
		return;
	lode_shown_release(showcase->now);
	pthread_mutex_destroy(&showcase->lock);
}
