/* Follows a growing text file over rotation, line by line. */
#include "base/follow_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/lines.h"
#include "base/map.h"

enum {
	START_BYTES = 256,     /* that tell a file from another */
	LINGER_READS = 4,      /* in vain, before a rotated file is left: writers reopen late */
	HEAD_BYTES = 16 << 10, /* of a head, and as many more as its lines need */
	HEAD_LINES = 10,       /* headers of counters have up to 7 */
};

struct lode_follow {
	char *path;
	bool is_from_end; /* for the first file that is opened */
	int fd;		  /* -1: none */
	struct stat is;	  /* the open file, when it was opened */
	uint32_t file;
	uint8_t start[START_BYTES];
	uint32_t n_start;
	int64_t offset;	     /* of the next byte to be read from the file */
	LODE_VEC(char) text; /* text[given .. n) is read and not given */
	size_t given;
	bool is_skipping; /* the rest of a line that is too long */
	unsigned n_in_vain;
	uint64_t n_truncations;
	LODE_VEC(char) head;
	bool is_head_whole;	    /* it does not grow any more */
	int64_t counted, n_counted; /* bytes of the file of which lines were counted; lines */
};

struct lode_follow *lode_follow_new(const char *path, bool is_from_end)
{
	struct lode_follow *f = lode_alloc0(1, sizeof(*f));

	f->path = lode_strdup(path);
	f->is_from_end = is_from_end;
	f->fd = -1;
	return f;
}

void lode_follow_free(struct lode_follow *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	lode_vec_release(&f->text);
	lode_vec_release(&f->head);
	free(f->path);
	free(f);
}

const char *lode_follow_path(const struct lode_follow *f)
{
	return f->path;
}

uint64_t lode_follow_truncations(const struct lode_follow *f)
{
	return f->n_truncations;
}

static ssize_t read_at(int fd, void *buffer, size_t size, int64_t offset)
{
	size_t n = 0;

	while (n < size) {
		ssize_t rc = pread(fd, (char *)buffer + n, size - n, (off_t)(offset + (int64_t)n));

		if (rc < 0 && errno == EINTR)
			continue;
		if (rc < 0)
			return n ? (ssize_t)n : -1;
		if (rc == 0)
			break;
		n += (size_t)rc;
	}
	return (ssize_t)n;
}

int64_t lode_follow_lines_before(struct lode_follow *f, int64_t offset)
{
	enum { PIECE = 1 << 16 };
	char *piece = lode_alloc(PIECE);
	ssize_t n = 1;

	if (offset < f->counted)
		f->counted = f->n_counted = 0;
	while (f->counted < offset && n > 0) {
		size_t most = offset - f->counted < PIECE ? (size_t)(offset - f->counted) : PIECE;

		n = read_at(f->fd, piece, most, f->counted);
		for (ssize_t i = 0; i < n; i++)
			f->n_counted += piece[i] == '\n';
		f->counted += n > 0 ? n : 0;
	}
	free(piece);
	return f->n_counted;
}

/* ---- One file ---- */

/* Reading goes on at `offset` of the open file, of which nothing is known. */
static void start_at(struct lode_follow *f, int64_t offset)
{
	f->offset = offset;
	f->text.n = f->given = 0;
	f->head.n = 0;
	f->is_head_whole = f->is_skipping = false;
	f->n_start = 0;
	f->n_in_vain = 0;
	f->counted = f->n_counted = 0;
	f->file++;
}

static void use(struct lode_follow *f, int fd, const struct stat *st, int64_t offset)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = fd;
	f->is = *st;
	start_at(f, offset);
}

/* The first bytes up to where we are say which file it is. */
static void learn_start(struct lode_follow *f)
{
	size_t want = f->offset < START_BYTES ? (size_t)f->offset : START_BYTES;
	ssize_t n;

	if (f->n_start >= want)
		return;
	n = read_at(f->fd, f->start, want, 0);
	f->n_start = n > 0 ? (uint32_t)n : 0;
}

/* It is shorter than it was, or begins otherwise: rewritten in place. */
static bool is_truncated(const struct lode_follow *f)
{
	uint8_t now[START_BYTES];
	struct stat st = {0};

	if (fstat(f->fd, &st) || st.st_size < f->offset)
		return true;
	return f->n_start && (read_at(f->fd, now, f->n_start, 0) != (ssize_t)f->n_start ||
			      memcmp(now, f->start, f->n_start) != 0);
}

/* Behind the last whole line. */
static int64_t end_of_lines(int fd, int64_t size)
{
	char block[4096];

	while (size > 0) {
		int64_t from = size > (int64_t)sizeof(block) ? size - (int64_t)sizeof(block) : 0;
		ssize_t n = read_at(fd, block, (size_t)(size - from), from);
		const char *feed = n > 0 ? memrchr(block, '\n', (size_t)n) : NULL;

		if (feed)
			return from + (feed - block) + 1;
		if (n <= 0)
			return size;
		size = from;
	}
	return 0;
}

/* 1: opened; 0: not there; < 0. Only regular files can be followed. */
static int open_file(const char *path, int *fd, struct stat *st, struct lode_error *err)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd < 0 && errno == ENOENT)
		return 0;
	if (*fd < 0)
		return lode_fail_errno(err, errno, path, "cannot open it");
	if (fstat(*fd, st) == 0 && S_ISREG(st->st_mode))
		return 1;
	close(*fd);
	*fd = -1;
	return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
			 "is not a regular file: only those can be followed");
}

/* ---- Rotation ---- */

static bool is_same_follow_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_later(const struct stat *a, const struct stat *b)
{
	if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
		return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
	return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* "app.log.1", "app.log-20261121": what rotation makes of "app.log". */
static bool is_rotated_name(const char *name, const char *base)
{
	size_t len = strlen(base);

	return strncmp(name, base, len) == 0 && name[len] &&
	       strspn(name + len, ".-_0123456789") == strlen(name + len);
}

typedef bool sibling_wanted(const struct stat *st, const struct stat *is);

static bool is_that_file(const struct stat *st, const struct stat *is)
{
	return is_same_follow_file(st, is);
}

static bool is_file_after(const struct stat *st, const struct stat *is)
{
	return !is_same_follow_file(st, is) && is_later(st, is);
}

/* The oldest rotated sibling that is wanted, opened; -1: none. */
static int find_sibling(const struct lode_follow *f, sibling_wanted *is_wanted,
			const struct stat *is, struct stat *found)
{
	const char *base = lode_path_base(f->path);
	char *folder = lode_path_folder(f->path);
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	int best = -1;

	while (dir && (entry = readdir(dir))) {
		struct stat st = {0};
		int fd;

		if (!is_rotated_name(entry->d_name, base))
			continue;
		fd = openat(dirfd(dir), entry->d_name,
			    O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd < 0)
			continue;
		if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_wanted(&st, is) ||
		    (best >= 0 && !is_later(found, &st))) {
			close(fd);
			continue;
		}
		if (best >= 0)
			close(best);
		best = fd;
		*found = st;
	}
	if (dir)
		closedir(dir);
	free(folder);
	return best;
}

/* Goes on with the file that came after the open one, if there is one. 1, 0 or < 0. */
static int go_on(struct lode_follow *f, struct lode_error *err)
{
	struct stat now = {0}, found = {0}, at_path = {0};
	int fd, rc, sibling;

	if (fstat(f->fd, &now))
		now = f->is;
	rc = open_file(f->path, &fd, &at_path, err);
	if (rc <= 0)
		return rc;
	if (is_same_follow_file(&at_path, &now)) {
		close(fd);
		return 0;
	}
	/* Rotated twice or more between two looks: the ones between come first. */
	sibling = find_sibling(f, is_file_after, &now, &found);
	if (sibling >= 0 && !is_same_follow_file(&found, &at_path) && is_later(&at_path, &found)) {
		close(fd);
		use(f, sibling, &found, 0);
		return 1;
	}
	if (sibling >= 0)
		close(sibling);
	use(f, fd, &at_path, 0);
	return 1;
}

static bool is_place(int fd, const struct lode_follow_place *place)
{
	uint8_t start[START_BYTES];
	struct stat st = {0};

	return place->n_start <= START_BYTES && place->offset >= 0 && fstat(fd, &st) == 0 &&
	       (uint64_t)st.st_dev == place->device && (uint64_t)st.st_ino == place->inode &&
	       st.st_size >= place->offset &&
	       read_at(fd, start, place->n_start, 0) == (ssize_t)place->n_start &&
	       lode_stable_hash(start, place->n_start, 0) == place->start_hash;
}

bool lode_follow_resume(struct lode_follow *f, const struct lode_follow_place *place)
{
	struct stat st, that = {.st_dev = (dev_t)place->device, .st_ino = (ino_t)place->inode};
	struct lode_error err;
	int fd;

	f->is_from_end = false;
	if (open_file(f->path, &fd, &st, &err) <= 0)
		fd = -1;
	if (fd >= 0 && !is_place(fd, place)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		fd = find_sibling(f, is_that_file, &that, &st);
	if (fd >= 0 && !is_place(fd, place)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		return false;
	use(f, fd, &st, place->offset);
	learn_start(f);
	return true;
}

bool lode_follow_place(const struct lode_follow *f, struct lode_follow_place *place)
{
	if (f->fd < 0)
		return false;
	place->device = (uint64_t)f->is.st_dev;
	place->inode = (uint64_t)f->is.st_ino;
	place->offset = f->offset - (int64_t)(f->text.n - f->given);
	place->n_start = place->offset < (int64_t)f->n_start ? (uint32_t)place->offset : f->n_start;
	place->start_hash = lode_stable_hash(f->start, place->n_start, 0);
	return true;
}

/* ---- Lines ---- */

/* The first lines of the file, as far as they stand before `offset`. */
static void find_head(struct lode_follow *f, int64_t offset, struct lode_follow_chunk *chunk)
{
	size_t want = HEAD_BYTES, lines = 0, end = 0;

	while (!f->is_head_whole) {
		ssize_t n;
		bool is_all;

		if ((int64_t)want > offset)
			want = (size_t)offset;
		lode_vec_reserve(&f->head, want + 1);
		n = read_at(f->fd, f->head.at, want, 0);
		f->head.n = n > 0 ? (size_t)n : 0;
		is_all = f->head.n == (size_t)offset || f->head.n < want;
		lines = end = 0;
		for (size_t i = 0; i < f->head.n; i++) {
			if (f->head.at[i] == '\n') {
				lines++;
				end = i + 1;
			}
		}
		f->is_head_whole = lines >= HEAD_LINES && want >= HEAD_BYTES;
		f->head.n = end;
		if (is_all || want >= LODE_LINE_MAX_BYTES)
			break;
		want *= 2;
	}
	chunk->head = f->head.at;
	chunk->head_size = f->head.n;
}

/* Gives text[given .. end), of which the last `n_added` bytes are not the file's. */
static int give(struct lode_follow *f, size_t end, size_t n_added, struct lode_follow_chunk *chunk)
{
	*chunk = (struct lode_follow_chunk){.text = f->text.at + f->given,
					    .size = end - f->given,
					    .offset = f->offset + (int64_t)n_added -
						      (int64_t)(f->text.n - f->given),
					    .file = f->file};
	if (chunk->offset > 0)
		find_head(f, chunk->offset, chunk);
	f->given = end;
	return 1;
}

/* The end of the whole lines that are read and not given; `given` if there is none. */
static size_t whole_lines(const struct lode_follow *f)
{
	const char *from = f->text.at + f->given;
	const char *feed = f->text.n > f->given ? memrchr(from, '\n', f->text.n - f->given) : NULL;

	return feed ? (size_t)(feed - f->text.at) + 1 : f->given;
}

/* Drops the rest of a line that is too long; true while it goes on. */
static bool skip_follow_file(struct lode_follow *f)
{
	char *feed = f->text.n ? memchr(f->text.at, '\n', f->text.n) : NULL;

	f->given = feed ? (size_t)(feed - f->text.at) + 1 : f->text.n;
	f->is_skipping = !feed;
	return f->is_skipping;
}

/* Reads on behind what is there. 1: something came; 0: nothing; < 0. */
static int fill_follow_file(struct lode_follow *f, size_t most, struct lode_error *err)
{
	size_t left = f->text.n - f->given;
	ssize_t n;

	if (left)
		memmove(f->text.at, f->text.at + f->given, left);
	f->text.n = left;
	f->given = 0;
	lode_vec_reserve(&f->text, left + most + 1);
	n = read_at(f->fd, f->text.at + left, most, f->offset);
	if (n < 0)
		return lode_fail_errno(err, errno, f->path, "reading failed");
	f->text.n += (size_t)n;
	f->offset += n;
	if (n)
		learn_start(f);
	return n > 0;
}

/* The open file has nothing more: was it rotated? 1: there is its last line, or (chunk empty)
   another file is open now; 0: no. */
static int at_end(struct lode_follow *f, struct lode_follow_chunk *chunk, struct lode_error *err)
{
	struct stat st = {0}, at_path = {0};

	if (fstat(f->fd, &st) || stat(f->path, &at_path) || is_same_follow_file(&st, &at_path)) {
		f->n_in_vain = 0;
		return 0;
	}
	if (++f->n_in_vain < LINGER_READS)
		return 0;
	if (f->text.n > f->given && !f->is_skipping) { /* this line will not be completed */
		lode_vec_append(&f->text, '\n');
		return give(f, f->text.n, 1, chunk);
	}
	return go_on(f, err);
}

int lode_follow_read(struct lode_follow *f, size_t most, struct lode_follow_chunk *chunk,
		     struct lode_error *err)
{
	*chunk = (struct lode_follow_chunk){0};
	if (f->fd < 0) {
		struct stat st = {0};
		int fd = -1, rc = open_file(f->path, &fd, &st, err);

		if (rc <= 0)
			return rc;
		use(f, fd, &st, f->is_from_end ? end_of_lines(fd, st.st_size) : 0);
		f->is_from_end = false;
		learn_start(f);
	} else if (is_truncated(f)) {
		f->n_truncations++;
		start_at(f, 0);
	}
	for (;;) {
		size_t end;
		int rc = fill_follow_file(f, most, err);

		if (rc < 0)
			return rc;
		if (rc == 0) {
			rc = at_end(f, chunk, err);
			if (rc > 0 && !chunk->size)
				continue;
			return rc;
		}
		f->n_in_vain = 0;
		if (f->is_skipping && skip_follow_file(f))
			continue;
		end = whole_lines(f);
		if (end > f->given)
			return give(f, end, 0, chunk);
		if (f->text.n - f->given > LODE_LINE_MAX_BYTES) {
			f->given = f->text.n;
			f->is_skipping = true;
			return lode_fail(err, LODE_ERR_LIMIT, f->path, f->offset,
					 "a line is longer than %zu bytes: it is skipped",
					 LODE_LINE_MAX_BYTES);
		}
	}
}
