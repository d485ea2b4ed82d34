/* Loads the symbols of code made at run time. */
#include <stdio.h>

#include "input/symbols/dso.h"
#include "input/symbols/jit.h"

/* Both are written by the program for as long as it runs; beyond that nobody can have meant it. */
enum { MAX_MAP_BYTES = 1 << 30, MAX_DUMP_BYTES = 1 << 30 };

struct jit_search {
	struct lode_dso *dso;
	struct lode_error err; /* of the first file that was there but could not be used */
	char path[384];	       /* of the file that was used */
};

static void note(struct jit_search *search, const struct lode_error *err)
{
	if (err->status != LODE_ERR_IO && search->err.status == LODE_OK)
		search->err = *err;
}

static bool try_map(void *context, const char *path)
{
	struct jit_search *search = context;
	struct lode_dso *dso = search->dso;
	struct lode_error err = {0};
	size_t size;

	if (lode_file_read(&dso->text, &size, path, MAX_MAP_BYTES, &err) < 0 ||
	    lode_perfmap_parse(&dso->table, dso->text, size, path, &err) < 0) {
		note(search, &err);
		free(dso->text);
		dso->text = NULL;
		return false;
	}
	snprintf(search->path, sizeof(search->path), "%s", path);
	return true;
}

static bool try_dump(void *context, const char *path)
{
	struct jit_search *search = context;
	struct lode_dso *dso = search->dso;
	struct lode_error err = {0};
	size_t size;
	char *data;
	int rc = lode_file_read(&data, &size, path, MAX_DUMP_BYTES, &err);

	if (rc == 0)
		rc = lode_jitdump_parse(&dso->table, &dso->names, data, size, path, &err);
	free(data);
	if (rc < 0) {
		note(search, &err);
		return false;
	}
	snprintf(search->path, sizeof(search->path), "%s", path);
	return true;
}

void lode_dso_load_jit(struct lode_dso *dso)
{
	struct jit_search search = {.dso = dso};
	struct lode_roots roots = lode_dso_roots(dso);
	struct lode_dso *dump = lode_symboliser_dump(dso->symboliser, dso);
	char map[64], text[1200];

	snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)dso->pid);
	if ((dump && lode_files_by_name(&roots, dump->path, try_dump, &search)) ||
	    lode_files_by_name(&roots, map, try_map, &search)) {
		lode_symtab_settle(&dso->table, LODE_SYMTAB_LAST_WINS);
		lode_dso_say(dso, "%s, not verified (such files have no build-id)", search.path);
		return;
	}
	if (search.err.status != LODE_OK)
		lode_dso_say(dso, "%s", lode_error_text(&search.err, text, sizeof(text)));
	else
		lode_dso_say(dso,
			     "code generated at run time without a %s; have the runtime write one "
			     "and put it beside the recording",
			     map + 5);
}
