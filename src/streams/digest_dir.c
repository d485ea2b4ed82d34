/* A folder of digests: makes only those that are missing or out of date. */
#include "streams/digest_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "streams/digest_job.h"
#include "base/atomic_file.h"
#include "store/digest_file.h"
#include "input/bundle_notes.h"

/* Raised when the same recording and the same options give another digest than before. */
static const uint64_t rules = 4;

int lode_digest_dir_open(struct lode_digest_dir *dir, const char *path, struct lode_error *err)
{
	dir->path = path;
	dir->fd = -1;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return lode_fail_errno(err, errno, path, "cannot create the folder");
	dir->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0)
		return lode_fail_errno(err, errno, path, "cannot open the folder");
	/* Where the file system has no locks, writing is still atomic. */
	if (flock(dir->fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK) {
			lode_digest_dir_close(dir);
			return lode_fail(err, LODE_ERR_IO, path, -1,
					 "another lode is writing digests to this folder");
		}
	} else {
		lode_atomic_sweep(path, LODE_DIGEST_SUFFIX);
	}
	return 0;
}

void lode_digest_dir_close(struct lode_digest_dir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	dir->fd = -1;
}

char *lode_digest_dir_file(const struct lode_digest_dir *dir, const char *recording)
{
	static const int max_name = 180; /* leaves room for the rest in NAME_MAX */
	char real[PATH_MAX];
	const char *place = realpath(recording, real) ? real : recording;
	const char *name = strcmp(recording, "-") == 0 ? "stdin" : lode_path_base(recording);
	size_t size = strlen(dir->path) + (size_t)max_name + 64;
	char *file = lode_alloc(size);

	snprintf(file, size, "%s/%.*s-%016llx%s", dir->path, max_name, name,
		 (unsigned long long)lode_stable_hash(place, strlen(place), 0), LODE_DIGEST_SUFFIX);
	return file;
}

static uint64_t hash_text(const char *text, uint64_t seed)
{
	return text ? lode_stable_hash(text, strlen(text), seed + 1) : lode_hash_u64(seed + 2);
}

static uint64_t hash_file(const char *path, uint64_t seed)
{
	char buffer[16384];
	struct lode_input *input;
	ssize_t n;

	if (!path || lode_input_open(&input, path, NULL) < 0)
		return hash_text(NULL, seed);
	while ((n = lode_input_read(input, buffer, sizeof(buffer), NULL)) > 0)
		seed = lode_stable_hash(buffer, (size_t)n, seed);
	lode_input_close(input);
	return seed;
}

uint64_t lode_digest_key(const char *recording, const char *shape, const char *table,
			 const struct lode_digest_job_options *options)
{
	const struct lode_symbol_options *symbols = &options->symbols;
	struct stat st;
	int64_t state[3];
	uint64_t key;
	char *lacks;

	if (stat(recording, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	state[0] = st.st_size;
	state[1] = st.st_mtim.tv_sec;
	state[2] = st.st_mtim.tv_nsec;
	key = lode_stable_hash(state, sizeof(state), rules);
	key = hash_text(shape, key);
	key = hash_text(symbols->kallsyms, key);
	key = hash_text(symbols->buildid_dir, key);
	key = hash_text(symbols->symfs, key);
	if (symbols->debuginfod_ns)
		key = hash_text("debuginfod", key);
	key = hash_file(options->symptoms.tsv_path, key);
	key = hash_file(table, key);
	lacks = lode_bundle_lacks_read(recording);
	if (lacks)
		key = hash_text(lacks, key);
	free(lacks);
	return key ? key : 1;
}
