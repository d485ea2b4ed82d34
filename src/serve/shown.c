/* The site that is shown, and its replacement while requests are under way. */
#include "serve/shown.h"

struct lode_shown *lode_shown_new(struct lode_site *site)
{
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
	shown->kept = lode_kept_new(LODE_SITE_KEPT_BYTES);
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

	/* Between the look and the count nobody may let it go. */
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
