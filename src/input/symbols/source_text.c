/* Reads source files that debug information names, below the folders that the user names. */
#include "input/symbols/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/folder.h"

static bool is_named_like_source(const char *path)
{
	static const char *const ends[] = {
		"c",   "h",	"cc",  "hh",  "cpp", "hpp",   "cxx",  "hxx", "c++", "h++",
		"ipp", "tcc",	"inl", "inc", "def", "s",     "asm",  "m",   "mm",  "rs",
		"go",  "d",	"f",   "for", "f90", "f95",   "f03",  "f08", "adb", "ads",
		"ada", "pas",	"pp",  "zig", "nim", "swift", "ml",   "mli", "hs",  "cu",
		"cl",  "y",	"yy",  "l",   "ll",  "re",    "vala", "cr",  "jl",  "java",
		"kt",  "scala", "py",  "pyx", "rb",  "js",
	};
	const char *base = lode_path_base(path), *dot = strrchr(base, '.');

	/* Headers of the C++ library have none: they are not read. */
	for (size_t i = 0; dot && i < sizeof(ends) / sizeof(*ends); i++)
		if (strcasecmp(dot + 1, ends[i]) == 0)
			return true;
	return false;
}

/*
 * Opens `name` below the folder. The kernel resolves it in one step and refuses whatever leaves the
 * folder, be it "..", a symbolic link or a rename meanwhile. LIMIT: Linux before 5.6 cannot: there,
 * no source is shown.
 */
static int open_below(const char *folder, const char *name)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
	int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), fd, saved;

	if (dir < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	saved = errno;
	close(dir);
	errno = saved;
	return fd;
}

/* Absolute, for readers and links. On the heap. */
static char *path_below(const char *folder, const char *name)
{
	char *real = realpath(folder, NULL), *path = lode_path_join(real ? real : folder, name);

	free(real);
	return path;
}

static int fail_to_open(const char *path, int why, struct lode_error *err)
{
	if (why == EXDEV)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
				 "a symbolic link leaves the folder of --source-dir: not shown");
	if (why == ENOSYS)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
				 "reading source needs openat2 (Linux 5.6): not shown");
	return lode_fail_errno(err, why, path, "no source");
}

static int read_text(struct lode_source_text *out, int fd, const char *path, struct lode_error *err)
{
	struct stat st;
	ssize_t got = 1;

	if (fstat(fd, &st) < 0)
		return lode_fail_errno(err, errno, path, "no source");
	if (!S_ISREG(st.st_mode))
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
				 "not a regular file: not shown");
	if ((uint64_t)st.st_size > LODE_SOURCE_BYTES)
		return lode_fail(err, LODE_ERR_LIMIT, path, -1, "larger than 16 MiB: not shown");
	out->bytes = lode_alloc((size_t)st.st_size + 1);
	while (got > 0 && out->n_bytes < (size_t)st.st_size) {
		got = read(fd, out->bytes + out->n_bytes, (size_t)st.st_size - out->n_bytes);
		out->n_bytes += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		return lode_fail_errno(err, errno, path, "no source");
	if (memchr(out->bytes, 0, out->n_bytes))
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1, "not text: not shown");
	out->changed_s = st.st_mtim.tv_sec;
	return LODE_OK;
}

/* "/build/app/./src/../x.c" -> "build/app/x.c". False: too long, or nothing is left. */
static bool plain_names(char *names, size_t size, const char *file)
{
	size_t n = 0;

	for (const char *at = file; *at; at += strcspn(at, "/")) {
		size_t bytes;

		at += strspn(at, "/");
		bytes = strcspn(at, "/");
		if (bytes == 0 || (bytes == 1 && *at == '.'))
			continue;
		if (bytes == 2 && at[0] == '.' && at[1] == '.') {
			while (n && names[--n] != '/')
				;
			continue;
		}
		if (n + bytes + 2 > size)
			return false;
		if (n)
			names[n++] = '/';
		memcpy(names + n, at, bytes);
		n += bytes;
	}
	names[n] = '\0';
	return n > 0;
}

static void find_lines(struct lode_source_text *text)
{
	const char *end = text->bytes + text->n_bytes, *next;

	for (const char *at = text->bytes; at < end; at = next) {
		next = memchr(at, '\n', (size_t)(end - at));
		next = next ? next + 1 : end;
		lode_vec_append(&text->starts, (uint32_t)(at - text->bytes));
	}
}

int lode_source_dirs_check(const struct lode_source_dirs *dirs, struct lode_error *err)
{
	for (size_t i = 0; i < dirs->n; i++) {
		int fd = open(dirs->at[i], O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			return lode_fail_errno(err, errno, dirs->at[i], "--source-dir");
		close(fd);
	}
	return LODE_OK;
}

int lode_source_text_load(struct lode_source_text *out, const struct lode_source_dirs *dirs,
			  const char *file, struct lode_error *err)
{
	char names[PATH_MAX];
	int rc, saved;

	*out = (struct lode_source_text){0};
	if (!dirs->n)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, file, -1,
				 "name its folder with --source-dir to see the text");
	if (!is_named_like_source(file) || !plain_names(names, sizeof(names), file))
		return lode_fail(err, LODE_ERR_UNSUPPORTED, file, -1,
				 "not the name of a source file: not shown");
	for (const char *name = names; name;
	     name = strchr(name, '/') ? strchr(name, '/') + 1 : NULL)
		for (size_t i = 0; i < dirs->n; i++) {
			int fd = open_below(dirs->at[i], name);

			if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
				continue;
			saved = errno;
			out->path = path_below(dirs->at[i], name);
			rc = fd < 0 ? fail_to_open(out->path, saved, err)
				    : read_text(out, fd, out->path, err);
			if (fd >= 0)
				close(fd);
			if (rc == LODE_OK)
				find_lines(out);
			else
				lode_source_text_release(out);
			return rc;
		}
	return lode_fail(err, LODE_ERR_IO, file, -1, "not found below %s of --source-dir",
			 dirs->n == 1 ? "the folder" : "the folders");
}

void lode_source_text_release(struct lode_source_text *text)
{
	free(text->bytes);
	free(text->path);
	lode_vec_release(&text->starts);
	*text = (struct lode_source_text){0};
}

const char *lode_source_text_line(const struct lode_source_text *text, uint32_t line, size_t *n)
{
	size_t start, end;

	if (!line || line > text->starts.n)
		return NULL;
	start = text->starts.at[line - 1];
	end = line < text->starts.n ? text->starts.at[line] : text->n_bytes;
	while (end > start && (text->bytes[end - 1] == '\n' || text->bytes[end - 1] == '\r'))
		end--;
	*n = end - start;
	return text->bytes + start;
}
