/* Groups streams from several threads into transactions. */
#include "store/repo_intake.h"

#include <pthread.h>

#include "base/clock.h"
#include "store/repo_entry.h"
#include "store/repo_segments.h"

enum { MAX_WAITING = 128 };
static const int64_t max_wait_ns = 1000000000;

struct waiting {
	struct lode_repo_entry *entry;
	char *path;
};

struct lode_repo_intake {
	struct lode_repo *repo;
	struct lode_repo_intake_options options;
	pthread_mutex_t mutex; /* of all that follows, and of the repository */
	struct waiting waiting[MAX_WAITING];
	size_t n;
	int64_t first_ns; /* when the first of them came */
};

struct lode_repo_intake *lode_repo_intake_new(struct lode_repo *repo,
					      const struct lode_repo_intake_options *options)
{
	struct lode_repo_intake *intake = lode_alloc0(1, sizeof(*intake));

	intake->repo = repo;
	intake->options = *options;
	pthread_mutex_init(&intake->mutex, NULL);
	return intake;
}

static void drop_repo_intake(struct lode_repo_intake *intake)
{
	for (size_t i = 0; i < intake->n; i++) {
		lode_repo_entry_free(intake->waiting[i].entry);
		free(intake->waiting[i].path);
	}
	intake->n = 0;
}

static int store(struct lode_repo_intake *intake, struct lode_error *err)
{
	struct lode_repo_entry *entries[MAX_WAITING];
	enum lode_repo_added added[MAX_WAITING];
	int rc;

	if (!intake->n)
		return 0;
	for (size_t i = 0; i < intake->n; i++)
		entries[i] = intake->waiting[i].entry;
	rc = lode_repo_add(intake->repo, entries, intake->n, intake->options.replace, added, err);
	for (size_t i = 0; rc == 0 && i < intake->n; i++)
		intake->options.told(intake->options.context, intake->waiting[i].path, added[i],
				     entries[i]->streams.n);
	drop_repo_intake(intake);
	/* They are there; only reading them is slower until segments are merged. */
	if (rc == 0 && !intake->options.defer)
		return lode_repo_settle(intake->repo, err);
	lode_repo_forget_recent(intake->repo);
	return rc;
}

int lode_repo_intake_put(struct lode_repo_intake *intake, struct lode_repo_entry *entry,
			 const char *path, bool more, struct lode_error *err)
{
	int64_t now_ns = lode_clock_ns(CLOCK_REALTIME);
	int rc = 0;

	pthread_mutex_lock(&intake->mutex);
	if (!intake->n)
		intake->first_ns = now_ns;
	intake->waiting[intake->n++] = (struct waiting){entry, lode_strdup(path)};
	if (!more || intake->n == MAX_WAITING || now_ns - intake->first_ns > max_wait_ns ||
	    now_ns < intake->first_ns)
		rc = store(intake, err);
	pthread_mutex_unlock(&intake->mutex);
	return rc;
}

int lode_repo_intake_flush(struct lode_repo_intake *intake, struct lode_error *err)
{
	int rc;

	pthread_mutex_lock(&intake->mutex);
	rc = store(intake, err);
	pthread_mutex_unlock(&intake->mutex);
	return rc;
}

void lode_repo_intake_tell(struct lode_repo_intake *intake, const char *path,
			   enum lode_repo_added added)
{
	pthread_mutex_lock(&intake->mutex);
	intake->options.told(intake->options.context, path, added, 0);
	pthread_mutex_unlock(&intake->mutex);
}

bool lode_repo_intake_has(struct lode_repo_intake *intake, const char *path, uint64_t key)
{
	bool has;

	pthread_mutex_lock(&intake->mutex);
	has = lode_repo_has_source(intake->repo, path, key, NULL) > 0;
	pthread_mutex_unlock(&intake->mutex);
	return has;
}

void lode_repo_intake_free(struct lode_repo_intake *intake)
{
	if (!intake)
		return;
	drop_repo_intake(intake);
	pthread_mutex_destroy(&intake->mutex);
	free(intake);
}
