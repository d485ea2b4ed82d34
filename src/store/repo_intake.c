/* Groups streams from several threads into transactions. */
#include "store/repo_intake.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/sorted.h"
#include "store/repo_entry.h"
#include "store/repo_segments.h"

enum { MAX_WAITING = 512 };
static const int64_t max_wait_ns = 1000000000;

struct waiting {
	struct lode_repo_entry *entry;
	char *path;
};

/* Of a stream that came alone: the earliest of the inputs that are equal to it. */
struct first {
	size_t place, nth; /* nth: was told so */
	enum lode_repo_added added;
};

struct lode_repo_intake {
	struct lode_repo *repo;
	struct lode_repo_intake_options options;
	pthread_mutex_t mutex; /* of all that follows, and of the repository */
	struct waiting waiting[MAX_WAITING];
	size_t n;
	int64_t first_ns; /* when the first of them came */
	int64_t last_id;  /* of a digest that was there before */
	size_t n_told;
	struct lode_map at; /* uid: of `firsts` */
	LODE_VEC(struct first) firsts;
};

struct lode_repo_intake *lode_repo_intake_new(struct lode_repo *repo,
					      const struct lode_repo_intake_options *options)
{
	struct lode_repo_intake *intake = lode_alloc0(1, sizeof(*intake));

	intake->repo = repo;
	intake->options = *options;
	pthread_mutex_init(&intake->mutex, NULL);
	if (lode_repo_number(&intake->last_id, repo, "SELECT coalesce(max(id), 0) FROM digest",
			     NULL) < 0)
		intake->last_id = 0; /* whatever is wrong is said when something is stored */
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

static void tell(struct lode_repo_intake *intake, const char *path, enum lode_repo_added added,
		 size_t n_streams)
{
	intake->options.told(intake->options.context, path, added, n_streams);
	intake->n_told++;
}

LODE_COMPARE(by_place, struct waiting, LODE_ORDER(a->entry->place, b->entry->place))

/* The place in `firsts` of the entry's equals; NULL: it is a merged digest, of which there are
 * none. */
static uint32_t *find_first(struct lode_repo_intake *intake, const struct lode_repo_entry *entry)
{
	return entry->streams.n == 1
		       ? lode_map_slot(&intake->at, lode_repo_uid_hash(entry->streams.at[0].uid))
		       : NULL;
}

/* Before it is stored. Those that wait are in the order of their places. */
static void take_turn(struct lode_repo_intake *intake, struct lode_repo_entry *entry)
{
	struct first first = {.place = entry->place, .nth = SIZE_MAX};
	uint32_t *at = find_first(intake, entry);
	struct first *other;

	if (!at)
		return;
	if (*at == LODE_NONE) {
		*at = (uint32_t)intake->firsts.n;
		lode_vec_append(&intake->firsts, first);
		return;
	}
	other = &intake->firsts.at[*at];
	if (other->place <= entry->place) {
		entry->turn = LODE_TURN_LATER;
		return;
	}
	other->place = entry->place;
	if (other->added == LODE_REPO_ADDED)
		entry->turn = LODE_TURN_ADDS;
}

/* Once it is stored. */
static void note_turn(struct lode_repo_intake *intake, const struct waiting *waiting,
		      enum lode_repo_added added)
{
	const struct lode_repo_entry *entry = waiting->entry;
	const uint32_t *at = find_first(intake, entry);
	struct first *first = at ? &intake->firsts.at[*at] : NULL;

	if (first && entry->turn != LODE_TURN_LATER) {
		if (first->nth != SIZE_MAX && first->added != LODE_REPO_THERE)
			intake->options.overtaken(intake->options.context, first->nth);
		*first = (struct first){entry->place, intake->n_told, added};
	}
	tell(intake, waiting->path, added, entry->streams.n);
}

static int store(struct lode_repo_intake *intake, struct lode_error *err)
{
	struct lode_repo_entry *entries[MAX_WAITING];
	enum lode_repo_added added[MAX_WAITING];
	int rc;

	if (!intake->n)
		return 0;
	lode_sort(intake->waiting, intake->n, by_place);
	for (size_t i = 0; i < intake->n; i++) {
		entries[i] = intake->waiting[i].entry;
		take_turn(intake, entries[i]);
	}
	rc = lode_repo_add(intake->repo, entries, intake->n, intake->options.replace, added, err);
	for (size_t i = 0; rc == 0 && i < intake->n; i++)
		note_turn(intake, &intake->waiting[i], added[i]);
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
	tell(intake, path, added, 0);
	pthread_mutex_unlock(&intake->mutex);
}

bool lode_repo_intake_has(struct lode_repo_intake *intake, const char *path, uint64_t key)
{
	bool has;

	pthread_mutex_lock(&intake->mutex);
	has = lode_repo_has_source(intake->repo, path, key, intake->last_id, NULL) > 0;
	pthread_mutex_unlock(&intake->mutex);
	return has;
}

void lode_repo_intake_free(struct lode_repo_intake *intake)
{
	if (!intake)
		return;
	drop_repo_intake(intake);
	lode_map_release(&intake->at);
	lode_vec_release(&intake->firsts);
	pthread_mutex_destroy(&intake->mutex);
	free(intake);
}
