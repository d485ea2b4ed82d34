/* The symboliser: from module and address to a function. */
#include "input/symbols/symbols.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "input/symbols/build_ids.h"
#include "input/symbols/debuginfod.h"
#include "input/symbols/demangle.h"
#include "input/symbols/dso.h"
#include "input/symbols/inlines.h"
#include "input/symbols/jit.h"

/* ---- The symboliser ---- */

static char *copy_or_null(const char *s)
{
	return s && s[0] ? lode_strdup(s) : NULL;
}

static char *find_home_debug(void)
{
	const char *home = getenv("HOME");
	char path[4096];

	if (!home || !home[0] || snprintf(path, sizeof(path), "%s/.debug", home) >= 4096)
		return NULL;
	return access(path, X_OK) == 0 ? lode_strdup(path) : NULL;
}

static int check_directory(const char *path, const char *option, struct lode_error *err)
{
	struct stat st;

	if (!path || !path[0])
		return 0;
	if (stat(path, &st) < 0)
		return lode_fail_errno(err, errno, path, option);
	if (!S_ISDIR(st.st_mode))
		return lode_fail(err, LODE_ERR_ARG, path, -1, "%s: not a directory", option);
	return 0;
}

int lode_symboliser_new(struct lode_symboliser **out, const struct lode_symbol_options *options,
			struct lode_error *err)
{
	struct lode_symboliser *symboliser;
	struct lode_debuginfod *debuginfod = NULL;
	int rc = check_directory(options->buildid_dir, "--buildid-dir", err);

	*out = NULL;
	if (rc == 0)
		rc = check_directory(options->symfs, "--symfs", err);
	if (rc == 0 && options->kallsyms && access(options->kallsyms, R_OK) < 0)
		rc = lode_fail_errno(err, errno, options->kallsyms, "--kallsyms");
	if (rc == 0 && options->debuginfod_ns)
		rc = lode_debuginfod_new(&debuginfod, options->debuginfod_ns, err);
	if (rc < 0)
		return rc;
	symboliser = lode_alloc0(1, sizeof(*symboliser));
	pthread_mutex_init(&symboliser->lock, NULL);
	symboliser->want_inlined = options->want_inlined;
	symboliser->keep_mangled = options->keep_mangled;
	symboliser->tells_missing = options->tells_missing;
	symboliser->kallsyms = copy_or_null(options->kallsyms);
	symboliser->buildid_dir = copy_or_null(options->buildid_dir);
	symboliser->symfs = copy_or_null(options->symfs);
	symboliser->home_debug = find_home_debug();
	symboliser->debuginfod = debuginfod;
	*out = symboliser;
	return 0;
}

void lode_symboliser_borrow(struct lode_symboliser *symboliser, struct lode_build_ids *build_ids)
{
	lode_build_ids_free(symboliser->build_ids);
	symboliser->build_ids = build_ids;
}

static void dso_free(struct lode_dso *dso)
{
	lode_symtab_release(&dso->table);
	lode_symtab_release(&dso->added);
	lode_vec_release(&dso->additions);
	lode_elf_map_release(&dso->map);
	lode_arena_release(&dso->names);
	lode_inlines_free(dso->inlines);
	pthread_mutex_destroy(&dso->lock);
	free(dso->program_path);
	free(dso->symbols_path);
	free(dso->text);
	lode_kallsyms_release(&dso->kallsyms);
	free(dso->shown);
	free(dso->path);
	free(dso->name);
	free(dso->kernel_release);
	free(dso->recording);
	free(dso->host);
	free(dso->recording_dir);
	free(dso);
}

void lode_symboliser_free(struct lode_symboliser *symboliser)
{
	if (!symboliser)
		return;
	lode_vec_release_each(&symboliser->dsos, it, dso_free(*it));
	lode_vec_release(&symboliser->kernel_of);
	lode_vec_release(&symboliser->dumps);
	lode_strings_release(&symboliser->keys);
	lode_strings_release(&symboliser->recordings);
	pthread_mutex_destroy(&symboliser->lock);
	lode_build_ids_free(symboliser->build_ids);
	lode_debuginfod_free(symboliser->debuginfod);
	free(symboliser->kallsyms);
	free(symboliser->buildid_dir);
	free(symboliser->symfs);
	free(symboliser->home_debug);
	free(symboliser);
}

/* ---- Modules ---- */

void lode_dso_say(struct lode_dso *dso, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(dso->status, sizeof(dso->status), format, args);
	va_end(args);
}

struct lode_roots lode_dso_roots(const struct lode_dso *dso)
{
	return (struct lode_roots){.buildid_dir = dso->symboliser->buildid_dir,
				   .recording_dir = dso->recording_dir,
				   .home_debug = dso->symboliser->home_debug,
				   .symfs = dso->symboliser->symfs};
}

/* Does a directory hold anything that a bundle of symbols has? */
static bool has_bundle(const char *dir)
{
	static const char *const below[] = {"symbols", ".debug", ".build-id"};
	char path[4096];

	for (size_t i = 0; i < sizeof(below) / sizeof(*below); i++)
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, below[i]) < sizeof(path) &&
		    access(path, X_OK) == 0)
			return true;
	return false;
}

/* The path without the mark of a file that was deleted while it was mapped. */
static char *clean_path(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t n = strlen(path);
	char *copy = lode_strdup(path);

	if (n > sizeof(mark) - 1 && !strcmp(copy + n - (sizeof(mark) - 1), mark))
		copy[n - (sizeof(mark) - 1)] = '\0';
	return copy;
}

static const char *frame_name(const struct lode_dso *dso)
{
	switch (dso->kind) {
	case LODE_DSO_KERNEL:
	case LODE_DSO_KMODULE:
		return "[kernel]";
	case LODE_DSO_VDSO:
		return "[vdso]";
	case LODE_DSO_JIT:
		/* The pid in the map's name would keep equal functions of two runs apart. */
		return "[jit]";
	case LODE_DSO_USER:
		break;
	}
	return lode_path_base(dso->path);
}

static bool is_dump(const struct lode_dso *dso)
{
	return dso->kind == LODE_DSO_USER && lode_jit_dump_pid(dso->path);
}

static struct lode_dso *dso_new(struct lode_symboliser *symboliser, const struct lode_dso_key *key)
{
	struct lode_dso *dso = lode_alloc0(1, sizeof(*dso));
	size_t n = key->build_id ? key->build_id_size : 0;

	dso->symboliser = symboliser;
	dso->kind = key->kind;
	dso->path = clean_path(key->path ? key->path : "");
	/* A build-id of zeros is how some recorders say that there is none. */
	for (size_t i = 0; i < n; i++)
		if (key->build_id[i])
			dso->build_id_size = n < LODE_BUILD_ID_MAX ? n : LODE_BUILD_ID_MAX;
	if (key->build_id && dso->build_id_size)
		memcpy(dso->build_id, key->build_id, dso->build_id_size);
	lode_hex(dso->hex, dso->build_id, dso->build_id_size);
	dso->pid = key->pid ? key->pid : lode_jit_dump_pid(dso->path);
	dso->kernel_anchor = key->kernel_anchor;
	memcpy(dso->code, key->code, sizeof(dso->code));
	dso->n_code = key->n_code;
	if (key->kind == LODE_DSO_USER)
		dso->is_of_command = key->is_of_command && !dso->build_id_size;
	dso->kernel_release = lode_strdup(key->kernel_release ? key->kernel_release : "");
	dso->recording = lode_strdup(key->recording ? key->recording : "");
	dso->host = lode_strdup(key->host ? key->host : "");
	if (key->recording && key->recording[0])
		dso->recording_dir = lode_path_folder(key->recording);
	dso->name = lode_strdup(frame_name(dso));
	pthread_mutex_init(&dso->lock, NULL);
	return dso;
}

/* ---- Interning ---- */

typedef LODE_VEC(char) char_vec;

/*
 * Everything that decides what a module's symbols are. Recordings share modules, save where the
 * recording itself matters: its processes' JIT code and its kernel's modules, and everything when
 * it has a bundle of its own beside it.
 */
static void make_key(char_vec *bytes, const struct lode_dso *dso)
{
	const char *place = "";

	if (dso->kind == LODE_DSO_JIT || dso->kind == LODE_DSO_KMODULE || is_dump(dso))
		place = dso->recording;
	else if (dso->recording_dir && has_bundle(dso->recording_dir))
		place = dso->recording_dir;
	lode_vec_append_all(bytes, &dso->kind, sizeof(dso->kind));
	lode_vec_append_all(bytes, dso->path, strlen(dso->path) + 1);
	lode_vec_append_all(bytes, dso->hex, strlen(dso->hex) + 1);
	lode_vec_append_all(bytes, place, strlen(place) + 1);
	if (dso->kind == LODE_DSO_JIT || is_dump(dso))
		lode_vec_append_all(bytes, &dso->pid, sizeof(dso->pid));
	if (dso->kind == LODE_DSO_KERNEL)
		lode_vec_append_all(bytes, &dso->kernel_anchor, sizeof(dso->kernel_anchor));
	for (size_t i = 0; i < dso->n_code; i++)
		lode_vec_append_all(bytes, &dso->code[i], sizeof(dso->code[i]));
	if (dso->n_code && !dso->build_id_size) {
		lode_vec_append_all(bytes, dso->host, strlen(dso->host) + 1);
		lode_vec_append(bytes, (char)dso->is_of_command);
	}
	if (dso->kind != LODE_DSO_USER)
		lode_vec_append_all(bytes, dso->kernel_release, strlen(dso->kernel_release) + 1);
}

static void note_kernel(struct lode_symboliser *symboliser, struct lode_dso *kernel,
			const char *recording)
{
	uint32_t id = lode_strings_intern(&symboliser->recordings, recording, strlen(recording));

	while (symboliser->kernel_of.n <= id)
		lode_vec_append(&symboliser->kernel_of, NULL);
	symboliser->kernel_of.at[id] = kernel;
}

struct lode_dso *lode_symboliser_dso(struct lode_symboliser *symboliser,
				     const struct lode_dso_key *key)
{
	struct lode_dso *dso = dso_new(symboliser, key), *known = NULL;
	char_vec bytes = {0};
	uint32_t id;

	make_key(&bytes, dso);
	pthread_mutex_lock(&symboliser->lock);
	id = lode_strings_intern(&symboliser->keys, bytes.at, bytes.n);
	if (id < symboliser->dsos.n) {
		known = symboliser->dsos.at[id];
	} else {
		lode_vec_append(&symboliser->dsos, dso);
		if (is_dump(dso))
			lode_vec_append(&symboliser->dumps, dso);
	}
	if (key->kind == LODE_DSO_KERNEL)
		note_kernel(symboliser, known ? known : dso, dso->recording);
	pthread_mutex_unlock(&symboliser->lock);
	lode_vec_release(&bytes);
	if (!known)
		return dso;
	dso_free(dso);
	return known;
}

struct lode_dso *lode_symboliser_kernel(struct lode_symboliser *symboliser,
					const struct lode_dso *module)
{
	struct lode_dso *kernel = NULL;
	uint32_t id;

	pthread_mutex_lock(&symboliser->lock);
	id = lode_strings_find(&symboliser->recordings, module->recording,
			       strlen(module->recording));
	if (id != LODE_NONE)
		kernel = symboliser->kernel_of.at[id];
	pthread_mutex_unlock(&symboliser->lock);
	if (kernel)
		return kernel;
	return lode_symboliser_dso(symboliser,
				   &(struct lode_dso_key){.kind = LODE_DSO_KERNEL,
							  .path = "[kernel.kallsyms]",
							  .kernel_release = module->kernel_release,
							  .recording = module->recording});
}

struct lode_dso *lode_symboliser_dump(struct lode_symboliser *symboliser,
				      const struct lode_dso *jit)
{
	struct lode_dso *found = NULL;

	pthread_mutex_lock(&symboliser->lock);
	for (size_t i = 0; i < symboliser->dumps.n && !found; i++) {
		struct lode_dso *dump = symboliser->dumps.at[i];

		if (dump->pid == jit->pid && !strcmp(dump->recording, jit->recording))
			found = dump;
	}
	pthread_mutex_unlock(&symboliser->lock);
	return found;
}
