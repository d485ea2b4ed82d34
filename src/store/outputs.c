/* Compares outputs with inputs: identity, kind, and whether a file may be replaced. */
#include "store/outputs.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/folder.h"
#include "base/atomic_file.h"
#include "base/manifest.h"

/* Room for the part of a message that a name may take. */
enum { NAME_BYTES = 160 };

/* One output: what is there under its name, if anything. */
struct target {
	const struct lode_named_file *file;
	struct stat st;
	bool exists, is_regular;
	enum lode_file_kind found; /* regular files only */
	char name[NAME_BYTES];	   /* for messages */
	struct lode_error *err;
};

static bool is_same_outputs(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_stdio(const struct lode_named_file *file)
{
	return strcmp(file->path, "-") == 0;
}

/* "--html: " stands before all that is said of its value. */
static int refuse_outputs(const struct target *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse_outputs(const struct target *t, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return lode_fail(t->err, LODE_ERR_ARG, NULL, -1, "--%s: %s", t->file->by, text);
}

/* ---- Is it an input? ---- */

/* Where a file will be, whether or not it is there: its folder, and its name in it. */
static bool is_same_place(const char *a, const char *b)
{
	char *full[2] = {lode_atomic_place(a), lode_atomic_place(b)};
	bool is_equal = strcmp(lode_path_base(full[0]), lode_path_base(full[1])) == 0;
	struct stat st[2];

	for (int i = 0; is_equal && i < 2; i++) {
		char *folder = lode_path_folder(full[i]);

		is_equal = stat(folder, &st[i]) == 0;
		free(folder);
	}
	is_equal = is_equal && is_same_outputs(&st[0], &st[1]);
	free(full[0]);
	free(full[1]);
	return is_equal;
}

static int refuse_input(const struct target *t, const struct lode_named_file *input)
{
	if (input->by)
		return refuse_outputs(t, "%s is already used by --%s: give --%s another file",
				      t->name, input->by, t->file->by);
	return refuse_outputs(t, "%s is an input of this command: give --%s another file", t->name,
			      t->file->by);
}

/* Files that belong to one that is named; NULL ends the list. */
static const char *const *companions_of(const struct lode_named_file *input)
{
	static const char *const of_database[] = {"-wal", "-shm", "-journal", NULL};
	static const char *const of_archive[] = {".index", ".meta", ".0", NULL}; /* of PCP */
	static const char *const none[] = {NULL};

	if (input->kind == LODE_KIND_REPOSITORY)
		return of_database;
	return input->by && strcmp(input->by, "counters") == 0 ? of_archive : none;
}

/* SQLite would take what it finds for its own: its files count before they are there, too. */
static bool is_companion(const struct target *t, const struct lode_named_file *input)
{
	const char *const *suffix = companions_of(input);
	char *place = *suffix ? lode_atomic_place(input->path) : NULL;
	bool is_found = false;
	char name[PATH_MAX];
	struct stat st;

	for (; *suffix && !is_found; suffix++) {
		snprintf(name, sizeof(name), "%s%s", place, *suffix);
		is_found = t->exists ? stat(name, &st) == 0 && is_same_outputs(&st, &t->st)
				     : is_same_place(name, t->file->path);
	}
	free(place);
	return is_found;
}

/*
 * Does the folder hold the target? Links in it are followed; circles are left by fts. What cannot
 * be opened cannot be read either, and is no input.
 */
static bool is_within(const struct target *t, const char *folder)
{
	char *const paths[] = {(char *)folder, NULL};
	char real[PATH_MAX];
	bool is_found = false;
	FTSENT *entry;
	FTS *walk;

	/* --symfs / is the machine itself: too much to look through for one program. */
	if (realpath(folder, real) && strcmp(real, "/") == 0)
		return t->found == LODE_KIND_PROGRAM;
	walk = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, NULL);
	if (!walk)
		return false;
	while (!is_found && (entry = fts_read(walk)))
		is_found = entry->fts_info == FTS_F && is_same_outputs(entry->fts_statp, &t->st);
	fts_close(walk);
	return is_found;
}

static int refuse_within(const struct target *t, const char *folder)
{
	char safe[NAME_BYTES];

	return refuse_outputs(t, "%s is in %s, which is an input: give --%s another file", t->name,
			      lode_escape(safe, sizeof(safe), folder), t->file->by);
}

/* Is it one of those that a manifest names? One that is not understood is refused by its reader. */
static bool is_listed(const struct target *t, const char *path)
{
	struct lode_manifest manifest = {0};
	bool is_found = false;
	struct stat st;

	if (lode_manifest_is(path) && lode_manifest_read(&manifest, path, false, NULL) == 0)
		for (size_t i = 0; i < manifest.lines.n && !is_found; i++)
			is_found = stat(manifest.lines.at[i].path, &st) == 0 &&
				   is_same_outputs(&st, &t->st);
	lode_manifest_release(&manifest);
	return is_found;
}

static int folder_length(const char *path)
{
	return (int)lode_path_folder_bytes(path);
}

/*
 * Symbols and the table of symptoms stand beside a recording without being named; `before` is the
 * operand before it.
 */
static int check_beside(const struct target *t, const char *recording, const char *before)
{
	int folder = folder_length(recording);
	char path[PATH_MAX];
	struct stat st;

	if (before && folder_length(before) == folder &&
	    strncmp(before, recording, (size_t)folder) == 0)
		return 0;
	snprintf(path, sizeof(path), "%.*ssymbols", folder, recording);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode) && is_within(t, path))
		return refuse_within(t, path);
	snprintf(path, sizeof(path), "%.*ssymptoms.tsv", folder, recording);
	if (t->file->kind != LODE_KIND_SYMPTOMS && stat(path, &st) == 0 &&
	    is_same_outputs(&st, &t->st))
		return refuse_outputs(t,
				      "%s is an input, read with the recordings beside it: give "
				      "--%s another file",
				      t->name, t->file->by);
	return 0;
}

/*
 * Folders are for outputs that may exist without doing harm: an earlier page among
 * recordings is no recording.
 */
static bool may_be_gathered(const struct target *t)
{
	return t->found != t->file->kind || lode_file_kind_is_gathered(t->file->kind);
}

static int check_input(const struct target *t, const struct lode_named_file *input,
		       const char *before)
{
	struct stat st;
	int rc = is_stdio(input) ? fstat(STDIN_FILENO, &st) : stat(input->path, &st);

	if (is_companion(t, input))
		return refuse_input(t, input);
	if (rc < 0 || !t->exists)
		return 0;
	if (S_ISDIR(st.st_mode)) {
		if (t->is_regular && may_be_gathered(t) && is_within(t, input->path))
			return refuse_within(t, input->path);
		return 0;
	}
	if (S_ISCHR(st.st_mode))
		return 0;
	if (is_same_outputs(&st, &t->st))
		return refuse_input(t, input);
	if (!t->is_regular || input->by || !may_be_gathered(t))
		return 0;
	if (S_ISREG(st.st_mode) && is_listed(t, input->path))
		return refuse_within(t, input->path);
	return check_beside(t, input->path, before);
}

/* One option twice, of which the last one counts; or $LODE_REPO beside --repo. */
static bool is_same_thing(const struct lode_named_file *a, const struct lode_named_file *b)
{
	return b->by &&
	       (strcmp(a->by, b->by) == 0 || (a->use == LODE_FILE_UPDATED && a->kind == b->kind &&
					      a->kind == LODE_KIND_REPOSITORY));
}

static int check_inputs(const struct target *t, const struct lode_named_files *files)
{
	const char *before = NULL;
	int rc = 0;

	for (size_t i = 0; i < files->list.n && rc == 0; i++) {
		const struct lode_named_file *input = &files->list.at[i];

		if (input->use == LODE_FILE_WRITTEN || is_same_thing(t->file, input))
			continue;
		rc = check_input(t, input, before);
		if (!input->by)
			before = input->path;
	}
	return rc;
}

/* ---- Is it another output? ---- */

static int check_others(const struct target *t, const struct lode_named_files *files)
{
	for (size_t i = 0; &files->list.at[i] != t->file; i++) {
		const struct lode_named_file *other = &files->list.at[i];
		struct stat st;
		bool is_equal;

		if (other->use != LODE_FILE_WRITTEN)
			continue;
		if (is_stdio(t->file) || is_stdio(other))
			is_equal = is_stdio(t->file) && is_stdio(other);
		else if (t->exists && stat(other->path, &st) == 0)
			is_equal = !S_ISCHR(st.st_mode) && is_same_outputs(&st, &t->st);
		else
			is_equal = is_same_place(t->file->path, other->path);
		/* The last one counts. */
		if (is_equal && strcmp(t->file->by, other->by) != 0)
			return refuse_outputs(
				t, "%s is also used by --%s: give each option its own file",
				t->name, other->by);
	}
	return 0;
}

/* ---- May it be replaced, can it be made? ---- */

static int refuse_kind(const struct target *t)
{
	const char *is = lode_file_kind_words(t->found);
	const char *wanted = lode_file_kind_words(t->file->kind);
	const char *article_end = strchr(wanted, ' ');

	wanted = article_end ? article_end + 1 : wanted;
	if (t->found == LODE_KIND_PROGRAM)
		return refuse_outputs(t, "%s is %s, not an earlier %s: give another file", t->name,
				      is, wanted);
	if (lode_file_kind_is_read(t->found))
		return refuse_outputs(
			t,
			"%s is %s, not an earlier %s. If it is an input, the file to write "
			"is missing: --%s FILE %s. To replace it, add --force",
			t->name, is, wanted, t->file->by, t->name);
	return refuse_outputs(
		t, "%s is %s, not an earlier %s: give another file, or replace it with --force",
		t->name, is, wanted);
}

static int check_there(const struct target *t, bool is_forced)
{
	if (t->file->kind == LODE_KIND_FOLDER) {
		if (S_ISDIR(t->st.st_mode))
			return 0;
		return refuse_outputs(
			t, "%s is %s, not a folder: give the folder to write to", t->name,
			t->is_regular ? lode_file_kind_words(t->found) : "a special file");
	}
	if (S_ISDIR(t->st.st_mode))
		return refuse_outputs(t, "%s is a folder: give the file to write, --%s FILE",
				      t->name, t->file->by);
	if (S_ISBLK(t->st.st_mode))
		return refuse_outputs(t, "%s is a block device: give the file to write", t->name);
	/* Which of them have the symbols of a recording is known when it has been read. */
	if (t->found == LODE_KIND_PROGRAM && is_forced)
		return refuse_outputs(
			t,
			"%s is a program or library, which may be the one that symbols are read "
			"from: --force does not replace it; give another file",
			t->name);
	if (t->is_regular && t->found != LODE_KIND_EMPTY && t->found != t->file->kind && !is_forced)
		return refuse_kind(t);
	return 0;
}

/* Better now than after an hour of mining. */
static int check_folder(const struct target *t)
{
	char *place = lode_atomic_place(t->file->path), safe[NAME_BYTES], reason[128];
	char *folder = lode_path_folder(place);
	int rc = 0;

	if (access(folder, W_OK) < 0)
		rc = lode_fail(t->err, LODE_ERR_IO, NULL, -1, "--%s: cannot write to folder %s: %s",
			       t->file->by, lode_escape(safe, sizeof(safe), folder),
			       strerror_r(errno, reason, sizeof(reason)));
	free(folder);
	free(place);
	return rc;
}

static int check_written(const struct lode_named_file *file, const struct lode_named_files *files,
			 struct lode_error *err)
{
	struct target t = {.file = file, .err = err};
	int rc;

	lode_escape(t.name, sizeof(t.name), file->path);
	if (is_stdio(file) && !file->may_be_stdout)
		return refuse_outputs(&t, "give a file name, or /dev/stdout for standard output");
	if (is_stdio(file))
		return check_others(&t, files);
	if (file->path[0] == '-')
		return refuse_outputs(
			&t,
			"the file to write is missing: '%s' looks like an option (./%s "
			"would be a file of that name)",
			t.name, t.name);
	t.exists = stat(file->path, &t.st) == 0;
	t.is_regular = t.exists && S_ISREG(t.st.st_mode);
	if (t.is_regular)
		t.found = t.st.st_size ? lode_file_kind_read(file->path) : LODE_KIND_EMPTY;
	rc = t.exists && (S_ISCHR(t.st.st_mode) || S_ISDIR(t.st.st_mode)) ? 0
									  : check_inputs(&t, files);
	if (rc == 0)
		rc = check_others(&t, files);
	if (rc == 0 && t.exists)
		rc = check_there(&t, files->is_forced);
	if (rc == 0 && (!t.exists || t.is_regular))
		rc = check_folder(&t);
	return rc;
}

/* Updated files are handled by their command; they are not inputs, either. */
static int check_updated(const struct lode_named_file *file, const struct lode_named_files *files,
			 struct lode_error *err)
{
	struct target t = {.file = file, .err = err};

	lode_escape(t.name, sizeof(t.name), file->path);
	t.exists = stat(file->path, &t.st) == 0;
	t.is_regular = t.exists && S_ISREG(t.st.st_mode);
	if (!t.is_regular)
		return 0;
	/* It may lie in a folder that is read: what it is was never an input of that kind. */
	t.found = file->kind;
	return check_inputs(&t, files);
}

/* "lode mine --folded a.folded >>a.folded": an output that is not named as one. */
static int check_stdout(const struct lode_named_files *files, struct lode_error *err)
{
	struct target t = {.exists = true};
	char safe[NAME_BYTES];

	if (fstat(STDOUT_FILENO, &t.st) < 0 || !S_ISREG(t.st.st_mode))
		return 0;
	for (size_t i = 0; i < files->list.n; i++) {
		const struct lode_named_file *file = &files->list.at[i];
		struct stat st;

		if (file->use != LODE_FILE_READ && file->use != LODE_FILE_UPDATED)
			continue;
		if ((is_stdio(file) ? fstat(STDIN_FILENO, &st) : stat(file->path, &st)) < 0)
			continue;
		if (is_same_outputs(&st, &t.st) ||
		    (S_ISREG(st.st_mode) && !file->by && is_listed(&t, file->path)))
			return lode_fail(err, LODE_ERR_ARG, NULL, -1,
					 "standard output goes to %s, which is an input: redirect "
					 "it to another file",
					 is_same_outputs(&st, &t.st)
						 ? lode_escape(safe, sizeof(safe), file->path)
						 : "a file that the manifest names");
	}
	return 0;
}

int lode_outputs_check(const struct lode_named_files *files, struct lode_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < files->list.n && rc == 0; i++) {
		const struct lode_named_file *file = &files->list.at[i];

		if (file->use == LODE_FILE_WRITTEN)
			rc = check_written(file, files, err);
		else if (file->use == LODE_FILE_UPDATED)
			rc = check_updated(file, files, err);
	}
	return rc == 0 ? check_stdout(files, err) : rc;
}

void lode_named_files_release(struct lode_named_files *files)
{
	lode_vec_release(&files->list);
}
