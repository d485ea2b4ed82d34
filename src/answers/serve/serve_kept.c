/* Keeps the last report of a repository in the user's cache folder. */
#include "answers/serve/serve_kept.h"

#include <inttypes.h>
#include <link.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/input.h"
#include "base/map.h"
#include "base/written.h"

enum { N_FILES = 64, PATH_BYTES = 4096 };

static const char heading[] = "lode served report 1\n";

/* ---- What a report is of ---- */

/* The build-id of a loaded object, as a number. */
static int read_build_id(struct dl_phdr_info *object, size_t size, void *out)
{
	uint64_t *id = out;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr);
		const char *end = at + segment->p_memsz;
		ElfW(Nhdr) note;

		for (; segment->p_type == PT_NOTE && at + sizeof(note) <= end;
		     at +=
		     sizeof(note) + (note.n_namesz + 3) / 4 * 4 + (note.n_descsz + 3) / 4 * 4) {
			memcpy(&note, at, sizeof(note));
			if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU"))
				*id = lode_stable_hash(at + sizeof(note) + sizeof("GNU"),
						       note.n_descsz, 0);
		}
	}
	return 1; /* the first object is the program */
}

/* This very program: another build may write other reports. 0: not known. */
static uint64_t program_id(void)
{
	uint64_t id = 0;

	dl_iterate_phdr(read_build_id, &id);
	return id;
}

/* Of whatever state of the repository; NULL: of which program is not known. */
static char *subject_of(const struct lode_repo_watch *watch, const char *asked)
{
	uint64_t program = program_id();
	char *text = NULL, *path;
	size_t size;
	FILE *out;

	if (!program)
		return NULL;
	path = realpath(watch->path, NULL);
	out = lode_written_open(&text, &size);
	fprintf(out,
		"program %016" PRIx64 "\nrepository %s\nfile %" PRIu64 " %" PRIu64 "\nasked %s\n",
		program, path ? path : "", watch->files[0].device, watch->files[0].inode, asked);
	lode_written_close(out);
	free(path);
	return text;
}

/* ---- Where it is ---- */

static bool make_folder(char *path, size_t size)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n = cache && *cache == '/' ? snprintf(path, size, "%s", cache)
		: home && *home	       ? snprintf(path, size, "%s/.cache", home)
				       : -1;

	if (n < 0 || (size_t)n + sizeof("/lode/served-00") > size)
		return false;
	/* Reports show what runs where: only their owner may read them. */
	(void)mkdir(path, 0700);
	memcpy(path + n, "/lode", sizeof("/lode"));
	(void)mkdir(path, 0700);
	return true;
}

static bool kept_place(char *path, size_t size, const char *subject)
{
	size_t n;

	if (!make_folder(path, size))
		return false;
	n = strlen(path);
	snprintf(path + n, size - n, "/served-%02u",
		 (unsigned)(lode_stable_hash(subject, strlen(subject), 0) % N_FILES));
	return true;
}

/* ---- Reading ---- */

static char *read_kept(const char *path, size_t *n)
{
	struct lode_input *input;
	char *data = NULL;
	ssize_t got = -1;

	if (lode_input_open_found(&input, path, NULL) < 0)
		return NULL;
	if (lode_input_is_seekable(input)) {
		size_t size = (size_t)lode_input_content_bytes(input);

		data = lode_alloc(size + 1);
		got = lode_input_read(input, data, size, NULL);
	}
	lode_input_close(input);
	if (got <= 0) {
		free(data);
		return NULL;
	}
	data[got] = 0;
	*n = (size_t)got;
	return data;
}

/* Header: heading, subject, state, sums; a blank line; the JSON. False: it is something else. */
static bool parse(struct lode_kept_report *out, const struct lode_repo_watch *watch,
		  const char *subject, const char *data, size_t n)
{
	size_t skip = sizeof(heading) - 1, n_subject = strlen(subject);
	uint64_t state, picked, hash;
	size_t size;
	int at = 0;

	if (n < skip + n_subject || memcmp(data, heading, skip) != 0 ||
	    memcmp(data + skip, subject, n_subject) != 0)
		return false;
	data += skip + n_subject;
	n -= skip + n_subject;
	if (sscanf(data,
		   "state %" SCNx64 " %" SCNx64 "\nmined %" SCNd64 " %" SCNd64
		   " %d\njson %zu %" SCNx64 "\n%n",
		   &state, &picked, &out->mined_ns, &out->took_ms, &out->code, &size, &hash,
		   &at) != 7 ||
	    !at || n - (size_t)at != size || lode_stable_hash(data + at, size, 0) != hash)
		return false;
	out->is_current = state == watch->state && picked == watch->picked;
	out->json = lode_alloc(size + 1);
	memcpy(out->json, data + at, size);
	out->json_bytes = size;
	return true;
}

bool lode_kept_report_read(struct lode_kept_report *out, const struct lode_repo_watch *watch,
			   const char *asked)
{
	char *subject = watch->has_seen ? subject_of(watch, asked) : NULL, *data, path[PATH_BYTES];
	bool is_there = false;
	size_t n;

	memset(out, 0, sizeof(*out));
	if (subject && kept_place(path, sizeof(path), subject) &&
	    (data = read_kept(path, &n)) != NULL) {
		is_there = parse(out, watch, subject, data, n);
		free(data);
	}
	free(subject);
	return is_there;
}

void lode_kept_report_release(struct lode_kept_report *report)
{
	free(report->json);
	memset(report, 0, sizeof(*report));
}

/* ---- Writing ---- */

/* Others may have changed it while it was read: what was mined is then of neither state. */
static bool is_unchanged(const struct lode_repo_watch *watch)
{
	struct lode_repo_watch now = {.path = watch->path, .where = watch->where};

	return watch->has_seen &&
	       lode_repo_watch_look(&now, lode_clock_ns(CLOCK_REALTIME), NULL) >= 0 &&
	       now.state == watch->state && now.picked == watch->picked &&
	       now.files[0].device == watch->files[0].device &&
	       now.files[0].inode == watch->files[0].inode;
}

void lode_kept_report_write(const struct lode_kept_report *report,
			    const struct lode_repo_watch *watch, const char *asked)
{
	char *subject = is_unchanged(watch) ? subject_of(watch, asked) : NULL, *text = NULL,
	     path[PATH_BYTES];
	struct stat st;
	size_t size;
	FILE *out;

	if (!subject)
		return;
	out = lode_written_open(&text, &size);
	fprintf(out,
		"%s%sstate %016" PRIx64 " %016" PRIx64 "\nmined %" PRId64 " %" PRId64
		" %d\njson %zu %016" PRIx64 "\n",
		heading, subject, watch->state, watch->picked, report->mined_ns, report->took_ms,
		report->code, report->json_bytes,
		lode_stable_hash(report->json, report->json_bytes, 0));
	fwrite(report->json, 1, report->json_bytes, out);
	lode_written_close(out);
	/* A pipe would be written to, and its reader waited for. */
	if (kept_place(path, sizeof(path), subject) &&
	    (lstat(path, &st) < 0 || S_ISREG(st.st_mode)))
		(void)lode_atomic_write_private(path, text, size, NULL);
	free(text);
	free(subject);
}
