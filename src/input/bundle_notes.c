/* What makes a folder a bundle; its file INCOMPLETE, written in place and read back. */
#include "input/bundle_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/found_file.h"
#include "base/glob.h"
#include "input/titles.h"

enum { FILE_BYTES = 4096, PATH_BYTES = 4200 };

static const char head[] = "lode record: this bundle is incomplete\n";

static bool has_any(const char *dir, const char *const *names, size_t n)
{
	char path[PATH_BYTES];

	for (size_t i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

bool lode_bundle_is(const char *path)
{
	static const char *const recordings[] = {"perf.data", "perf.data.zst"};
	static const char *const notes[] = {".command", "INCOMPLETE", "symptoms.tsv"};
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return false;
	return lode_glob_match("*.lode", lode_path_base(path)) ||
	       (has_any(path, recordings, 2) && has_any(path, notes, 3));
}

static int write_file(const char *dir, const char *lines, int flags, struct lode_error *err)
{
	char path[PATH_BYTES], text[FILE_BYTES];
	ssize_t n = -1;
	int fd;

	/* Line feeds behind the text: the file never has to grow. */
	memset(text, '\n', sizeof(text));
	n = snprintf(text, sizeof(text) - 1, "%s%s", head, lines);
	text[(size_t)n < sizeof(text) - 1 ? (size_t)n : sizeof(text) - 2] = '\n';
	snprintf(path, sizeof(path), "%s/INCOMPLETE", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | flags, 0666);
	if (fd < 0)
		return lode_fail_errno(err, errno, path, "cannot write it");
	errno = ENOSPC;
	n = pwrite(fd, text, sizeof(text), 0);
	if (close(fd) || n != (ssize_t)sizeof(text)) {
		int errnum = errno;

		if (flags & O_CREAT)
			unlink(path);
		return lode_fail_errno(err, errnum, path, "cannot write it");
	}
	return 0;
}

int lode_bundle_lacks_begin(const char *dir, struct lode_error *err)
{
	return write_file(dir,
			  "lode record did not finish: perf.data is as perf left it;\n"
			  "symbols, symptoms.tsv and README may be missing or truncated\n",
			  O_CREAT | O_EXCL, err);
}

int lode_bundle_lacks_say(const char *dir, const char *lines, struct lode_error *err)
{
	return write_file(dir, lines, 0, err);
}

void lode_bundle_lacks_settle(const char *dir)
{
	char path[PATH_BYTES], text[FILE_BYTES];
	bool is_cut;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/INCOMPLETE", dir);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return;
	n = read(fd, text, sizeof(text));
	while (n > 1 && text[n - 1] == '\n' && text[n - 2] == '\n')
		n--;
	is_cut = n > 0 && ftruncate(fd, n) == 0;
	(void)is_cut; /* else it ends with empty lines */
	close(fd);
}

void lode_bundle_lacks_end(const char *dir)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/INCOMPLETE", dir);
	unlink(path);
}

void lode_bundle_notes_remove(const char *dir)
{
	const char *const names[] = {".command", ".pids", LODE_STACKS_NOTE, lode_titles_file};
	char path[PATH_BYTES];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	lode_bundle_lacks_end(dir);
}

/* The first bytes of the note NAME beside the recording; -1: there is none. */
static ssize_t read_beside(char *text, size_t size, const char *recording, const char *name)
{
	char path[PATH_BYTES];
	ssize_t n = -1;
	FILE *in;

	snprintf(path, sizeof(path), "%.*s%s", (int)lode_path_folder_bytes(recording), recording,
		 name);
	in = strcmp(recording, "-") == 0 ? NULL : lode_found_stream(path);
	if (!in)
		return -1;
	n = (ssize_t)fread(text, 1, size, in);
	fclose(in);
	return n;
}

char *lode_bundle_lacks_read(const char *recording)
{
	char text[FILE_BYTES + 1];
	ssize_t n = read_beside(text, FILE_BYTES, recording, "INCOMPLETE");

	while (n > 0 && text[n - 1] == '\n')
		n--;
	if (n < 0)
		return NULL;
	text[n] = '\0';
	return strncmp(text, head, sizeof(head) - 1) == 0 ? lode_strdup(text + sizeof(head) - 1)
							  : NULL;
}

static int write_words(const char *dir, const char *name, char *const *words,
		       struct lode_error *err)
{
	char path[PATH_BYTES];
	bool is_bad = false;
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	out = fopen(path, "wbe");
	if (!out)
		return lode_fail_errno(err, errno, path, "cannot write it");
	for (; *words; words++)
		is_bad |= fwrite(*words, 1, strlen(*words) + 1, out) != strlen(*words) + 1;
	if (fclose(out) || is_bad) {
		int errnum = errno;

		unlink(path);
		return lode_fail_errno(err, errnum, path, "cannot write it");
	}
	return 0;
}

int lode_bundle_command_write(const char *dir, char *const *words, struct lode_error *err)
{
	return write_words(dir, ".command", words, err);
}

int lode_bundle_pids_write(const char *dir, const char *pids, struct lode_error *err)
{
	char *const words[] = {(char *)pids, NULL}; /* which it does not write to */

	return write_words(dir, ".pids", words, err);
}

static char *read_words(const char *recording, const char *name)
{
	char text[FILE_BYTES + 1];
	ssize_t n = read_beside(text, FILE_BYTES, recording, name);

	if (n <= 0)
		return NULL;
	for (ssize_t i = 0; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
	text[n] = '\0';
	return lode_strdup(text);
}

char *lode_bundle_command_read(const char *recording)
{
	return read_words(recording, ".command");
}

char *lode_bundle_pids_read(const char *recording)
{
	return read_words(recording, ".pids");
}

void lode_bundle_stacks_write(const char *dir, bool has_dumps, unsigned mark, bool gave_up)
{
	char text[16];
	char *const words[] = {(char *)(has_dumps ? "dumps" : "chains"), text,
			       (char *)(gave_up ? "ended" : NULL), NULL};

	snprintf(text, sizeof(text), "%04x", mark);
	(void)write_words(dir, LODE_STACKS_NOTE, words, NULL);
}

bool lode_bundle_stacks_read(const char *recording, bool *has_dumps, unsigned *mark)
{
	char *text = read_words(recording, LODE_STACKS_NOTE), kind[8] = "";
	bool is_told = text && sscanf(text, "%7s %4x", kind, mark) == 2;

	free(text);
	*has_dumps = strcmp(kind, "dumps") == 0;
	return is_told && (*has_dumps || strcmp(kind, "chains") == 0);
}

bool lode_bundle_stacks_gave_up(const char *recording)
{
	char *text = read_words(recording, LODE_STACKS_NOTE), word[8] = "";
	bool is_told = text && sscanf(text, "%*7s %*4x %7s", word) == 1;

	free(text);
	return is_told && strcmp(word, "ended") == 0;
}
