/* Watching a repository: stamps of its files first, then its state. */
#include "store/repo_watch.h"

#include <stdio.h>
#include <sys/stat.h>

#include "store/repo.h"
#include "store/repo_query.h"

/* File systems tell times by ticks of some ms, some by seconds: what is younger may hide a change.
 */
static const int64_t settled_ns = 2000000000;
static const int64_t picked_again_ns = INT64_C(60000000000);

static struct lode_file_stamp stamp_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return (struct lode_file_stamp){.device = 0};
	return (struct lode_file_stamp){
		.device = st.st_dev,
		.inode = st.st_ino,
		.size = st.st_size,
		.mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
	};
}

/* The file, and its log of changes. */
static void take_stamps(struct lode_file_stamp files[2], const char *path)
{
	size_t size = strlen(path) + sizeof("-wal");
	char *wal = lode_alloc(size);

	snprintf(wal, size, "%s-wal", path);
	files[0] = stamp_of(path);
	files[1] = stamp_of(wal);
	free(wal);
}

static bool are_same(const struct lode_file_stamp a[2], const struct lode_file_stamp b[2])
{
	for (int i = 0; i < 2; i++)
		if (a[i].device != b[i].device || a[i].inode != b[i].inode ||
		    a[i].size != b[i].size || a[i].mtime_ns != b[i].mtime_ns)
			return false;
	return true;
}

static bool are_settled(const struct lode_file_stamp files[2], int64_t now_ns)
{
	return files[0].mtime_ns < now_ns - settled_ns && files[1].mtime_ns < now_ns - settled_ns;
}

/* Which streams the query picks, as a number. */
static int pick(uint64_t *out, struct lode_repo *repo, const char *where, int64_t now_ns,
		struct lode_error *err)
{
	struct lode_repo_streams streams = {0};
	struct lode_repo_query *query;
	int rc = lode_repo_query_parse(&query, where, now_ns, err);

	*out = 0;
	if (rc == 0)
		rc = lode_repo_find(&streams, repo, query, err);
	for (size_t i = 0; i < streams.list.n; i++)
		*out = lode_stable_hash(&streams.list.at[i].row, sizeof(streams.list.at[i].row),
					*out);
	lode_repo_streams_release(&streams);
	lode_repo_query_free(query);
	return rc;
}

/* Of one moment. */
static int read_state(uint64_t *state, uint64_t *picked, const struct lode_repo_watch *watch,
		      int64_t now_ns, struct lode_error *err)
{
	struct lode_repo *repo;
	int rc = lode_repo_open(&repo, watch->path, LODE_REPO_READ, err);

	*state = *picked = 0;
	if (rc == 0)
		rc = lode_repo_snapshot(repo, err);
	if (rc == 0) {
		rc = lode_repo_state(state, repo, err);
		if (rc == 0 && watch->where)
			rc = pick(picked, repo, watch->where, now_ns, err);
		lode_repo_snapshot_end(repo);
	}
	lode_repo_close(repo);
	return rc;
}

int lode_repo_watch_look(struct lode_repo_watch *watch, int64_t now_ns, struct lode_error *err)
{
	struct lode_file_stamp files[2];
	uint64_t state, picked;
	bool is_due = watch->where && now_ns - watch->picked_ns >= picked_again_ns;
	bool is_other, is_first = !watch->has_seen;
	int rc;

	/* Before it is read: what is written from here on is another stamp. */
	take_stamps(files, watch->path);
	if (!is_first && watch->is_settled && !is_due && are_same(files, watch->files))
		return 0;
	rc = read_state(&state, &picked, watch, now_ns, err);
	if (rc < 0)
		return rc;
	/* Another file is another repository, whatever it counts. */
	is_other = is_first || state != watch->state || picked != watch->picked ||
		   files[0].device != watch->files[0].device ||
		   files[0].inode != watch->files[0].inode;
	memcpy(watch->files, files, sizeof(files));
	watch->has_seen = true;
	watch->is_settled = are_settled(files, now_ns);
	watch->state = state;
	watch->picked = picked;
	watch->picked_ns = now_ns;
	return is_other;
}
