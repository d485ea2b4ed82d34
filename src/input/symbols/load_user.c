/* Finds and loads the symbols of a program or library. */
#include <elfutils/libdwelf.h>
#include <stdio.h>

#include "base/folder.h"
#include "input/symbols/build_ids.h"
#include "input/symbols/debuginfod.h"
#include "input/symbols/dso.h"
#include "input/symbols/elf_symbols.h"
#include "input/symbols/go_functions.h"
#include "input/symbols/inlines.h"

/*
 * Which files on disk are the module that was recorded. The program itself tells where its code
 * lies and what its PLT calls; full symbols may be in it or in a separate debug file.
 */
struct search {
	struct lode_dso *dso;
	struct lode_roots roots;
	struct lode_elf_file *program; /* has code */
	struct lode_elf_file *symbols; /* has .symtab; may be the program */
	bool is_verified;	       /* build-ids are compared: one is known */
	uint8_t build_id[LODE_BUILD_ID_MAX];
	size_t build_id_size;
	uint32_t link_crc;    /* of the debug link that is being followed */
	bool follows_link;    /* candidates need that CRC where build-ids cannot tell */
	char refused[384];    /* the first file that was there, but is not the recorded one */
	const char *known_by; /* why its file is the recorded one, without a recorded build-id */
	bool is_contradicted; /* other recordings have several build-ids for it */
	const char *asked;    /* what came of asking debuginfod, or "" */
	char no_inlines[208]; /* why its debug information is not read, or "" */
};

static void short_hex(char *hex, const uint8_t *bytes, size_t size)
{
	if (!size)
		memcpy(hex, "none", 5);
	else
		lode_hex(hex, bytes, size < 8 ? size : 8);
}

static void refuse_load_user(struct search *search, const struct lode_elf_file *file)
{
	char recorded[17], found[17];

	if (search->refused[0])
		return;
	short_hex(recorded, search->build_id, search->build_id_size);
	short_hex(found, file->build_id, file->build_id_size);
	snprintf(search->refused, sizeof(search->refused),
		 "%s: build-id %s %s, file has %s; put the right file into --symfs or "
		 "--buildid-dir",
		 file->path, recorded,
		 search->dso->build_id_size ? "recorded" : "in other recordings of this host",
		 found);
}

static bool is_recorded_file(const struct search *search, const struct lode_elf_file *file)
{
	uint32_t crc;

	if (!search->is_verified)
		return true;
	if (search->build_id_size && file->build_id_size)
		return file->build_id_size == search->build_id_size &&
		       !memcmp(file->build_id, search->build_id, search->build_id_size);
	return search->follows_link && lode_file_crc(file->path, &crc) && crc == search->link_crc;
}

/* Of a file that was recorded without build-id, its layout is all that could tell it. */
static bool has_recorded_code(struct search *search, const struct lode_elf_file *file)
{
	const struct lode_dso *dso = search->dso;
	struct lode_elf_map map = {0};
	enum lode_elf_fit fit;

	lode_elf_map_build(&map, file);
	fit = lode_elf_map_fit(&map, dso->code, dso->n_code);
	lode_elf_map_release(&map);
	if (fit == LODE_ELF_FITS || (fit == LODE_ELF_MOVED && dso->build_id_size))
		return true;
	if (!search->refused[0])
		snprintf(search->refused, sizeof(search->refused),
			 "%s: its code is not at the recorded place (at 0x%llx, 0x%llx bytes): it "
			 "has been %s since; put the recorded file into --symfs or --buildid-dir",
			 file->path, (unsigned long long)dso->code[0].offset,
			 (unsigned long long)dso->code[0].bytes,
			 dso->build_id_size ? "stripped or changed" : "rebuilt or stripped");
	return false;
}

static void take_load_user(struct lode_elf_file **slot, struct lode_elf_file *file)
{
	if (!*slot)
		*slot = file;
}

/* A candidate of lode_files_*: true when nothing better can come. */
static bool consider(void *context, const char *path)
{
	struct search *search = context;
	struct lode_elf_file *file = lode_elf_open(path);

	if (!file)
		return false;
	if (!is_recorded_file(search, file)) {
		refuse_load_user(search, file);
		lode_elf_close(file);
		return false;
	}
	if (file->has_code && !has_recorded_code(search, file)) {
		lode_elf_close(file);
		return false;
	}
	if (file->has_code)
		take_load_user(&search->program, file);
	if (file->has_symtab)
		take_load_user(&search->symbols, file);
	if (search->program != file && search->symbols != file)
		lode_elf_close(file);
	return search->program && search->symbols;
}

/* Without a recorded build-id the path's file is all there is to go by. */
static bool consider_first(void *context, const char *path)
{
	struct search *search = context;

	(void)consider(context, path);
	return search->program != NULL;
}

/* Whether the recorded mapping is the file's code, all of it and nothing else. */
static bool has_layout(const struct lode_dso *dso, const struct lode_elf_file *file)
{
	struct lode_elf_map map = {0};
	bool is_same = false;

	lode_elf_map_build(&map, file);
	for (size_t i = 0; i < map.segments.n; i++)
		is_same |= lode_elf_segment_is(&map, &map.segments.at[i], &dso->code[0]);
	lode_elf_map_release(&map);
	return is_same;
}

/* A program of a cache: right is only the only one. True when there are two. */
static bool consider_layout(void *context, const char *path)
{
	struct search *search = context;
	struct lode_elf_file *file = lode_elf_open(path);

	if (!file || !file->has_code || !has_layout(search->dso, file)) {
		lode_elf_close(file);
		return false;
	}
	if (!search->program) {
		search->program = file;
		return false;
	}
	lode_elf_close(file);
	lode_elf_close(search->program);
	search->program = NULL;
	return true;
}

/*
 * perf writes down the build-ids of modules that samples fall into, not of all that callchains pass
 * through: a program that only calls others may have none.
 */
static void find_by_layout(struct search *search)
{
	if (!search->dso->n_code || search->program)
		return;
	(void)lode_files_in_caches(&search->roots, consider_layout, search);
	if (!search->program)
		return;
	search->known_by = "the only program found whose code has the recorded size and place";
	if (search->program->has_symtab)
		search->symbols = search->program;
}

static bool consider_fitting(void *context, const char *path)
{
	const struct search *search = context;
	struct lode_elf_file *file = lode_elf_open(path);
	bool is_fitting = file && file->has_code && has_layout(search->dso, file);

	lode_elf_close(file);
	return is_fitting;
}

/* Whether there are files that a build-id could tell to be the recorded one, or servers that may
   have it. */
static bool has_candidates(struct search *search)
{
	struct lode_roots home = {.buildid_dir = search->roots.home_debug};

	return search->dso->symboliser->debuginfod ||
	       lode_files_in_caches(&search->roots, consider_fitting, search) ||
	       lode_files_in_caches(&home, consider_fitting, search) ||
	       lode_files_by_name(&search->roots, search->dso->path, consider_fitting, search);
}

static void follow_debug_files(struct search *search, const char *hex)
{
	const char *link;
	char name[256];

	if (lode_files_debug_by_id(&search->roots, hex, consider, search) || !search->program)
		return;
	link = dwelf_elf_gnu_debuglink(search->program->elf, &search->link_crc);
	if (!link || strlen(link) >= sizeof(name))
		return;
	snprintf(name, sizeof(name), "%s", link);
	search->follows_link = true;
	lode_files_debuglink(&search->roots, search->dso->path, name, consider, search);
	search->follows_link = false;
}

/* ELF files that `perf inject --jit` writes, one for each function, often beside the recording. */
static bool is_jitted(const struct lode_dso *dso)
{
	return !strncmp(lode_path_base(dso->path), "jitted-", 7);
}

static const char *const cached_kinds[] = {"elf", "debug", NULL};

/* Files of a build-id that is known. */
static void find_by_build_id(struct search *search, const uint8_t *build_id, size_t size)
{
	const char *path = search->dso->path;
	char hex[2 * LODE_BUILD_ID_MAX + 1];

	search->is_verified = true;
	search->build_id_size = size;
	memcpy(search->build_id, build_id, size);
	lode_hex(hex, build_id, size);
	if (!lode_files_by_build_id(&search->roots, path, hex, cached_kinds, consider, search) &&
	    !lode_files_by_path(&search->roots, path, consider, search) &&
	    !lode_files_by_name(&search->roots, path, consider, search))
		follow_debug_files(search, hex);
}

static void close_files(struct search *search)
{
	if (search->symbols != search->program)
		lode_elf_close(search->symbols);
	lode_elf_close(search->program);
	search->symbols = search->program = NULL;
}

/* What other recordings of the host say of the same path; false: nothing. */
static bool find_by_other_recordings(struct search *search, bool may_unpack)
{
	struct lode_dso *dso = search->dso;
	struct lode_build_ids *build_ids = dso->symboliser->build_ids;
	uint8_t build_id[LODE_LENT_BUILD_ID_BYTES];
	size_t size;

	if (!build_ids || search->program || search->is_verified || !dso->n_code)
		return search->is_verified;
	switch (lode_build_ids_find(build_ids, dso->host, dso->path, may_unpack, build_id, &size)) {
	case LODE_BUILD_ID_UNKNOWN:
		return false;
	case LODE_BUILD_ID_CONTRADICTED:
		search->is_contradicted = true;
		return false;
	case LODE_BUILD_ID_FOUND:
		break;
	}
	find_by_build_id(search, build_id, size);
	/* The file may have been replaced between the two: its code tells. */
	if (search->program && !has_layout(dso, search->program)) {
		snprintf(search->refused, sizeof(search->refused),
			 "%s: other recordings of this host have it, but its code does not have "
			 "the recorded size and place",
			 search->program->path);
		close_files(search);
	}
	if (search->program || !search->refused[0])
		search->known_by = "by other recordings of this host";
	return true;
}

/* Without a recorded build-id: most reliable first, and what costs most last. */
static void find_unidentified(struct search *search)
{
	struct lode_dso *dso = search->dso;
	const struct lode_elf_file *program;
	char hex[2 * LODE_BUILD_ID_MAX + 1];

	if (lode_files_in_bundle(&search->roots, dso->path, consider_first, search))
		search->known_by = "beside the recording, at the recorded path";
	else if (find_by_other_recordings(search, false))
		return;
	if (!search->program &&
	    !lode_files_by_path(&search->roots, dso->path, consider_first, search) &&
	    is_jitted(dso))
		(void)lode_files_by_name(&search->roots, dso->path, consider_first, search);
	find_by_layout(search);
	program = search->program;
	if (!program && dso->is_of_command &&
	    (dso->symboliser->tells_missing || has_candidates(search)) &&
	    find_by_other_recordings(search, true))
		return;
	if (!program || search->symbols)
		return;
	/* Its debug file must at least belong to the program that was found. */
	search->is_verified = true;
	search->build_id_size = program->build_id_size;
	memcpy(search->build_id, program->build_id, program->build_id_size);
	lode_hex(hex, program->build_id, program->build_id_size);
	if (!lode_files_by_build_id(&search->roots, dso->path, hex, cached_kinds, consider, search))
		follow_debug_files(search, hex);
	search->refused[0] = '\0';
}

/* What no place here has: the program, and the symbols that it lacks. */
static void ask_debuginfod(struct search *search)
{
	struct lode_debuginfod *servers = search->dso->symboliser->debuginfod;
	bool is_over = false;

	if (!servers || !search->build_id_size)
		return;
	for (int symbols = search->program != NULL;
	     symbols < 2 && !(search->program && search->symbols); symbols++) {
		char *path = lode_debuginfod_find(servers, search->build_id, search->build_id_size,
						  !symbols, &is_over);

		search->is_verified = true;
		if (path)
			(void)consider(search, path);
		free(path);
		if (!search->program)
			break;
	}
	search->asked = search->symbols ? ""
			: is_over	? ", the time limit for debuginfod is exceeded"
					: ", debuginfod does not have it";
}

/* The build-id that is shown is that of the file that was inferred. */
static void note_inferred(struct search *search)
{
	struct lode_dso *dso = search->dso;
	const struct lode_elf_file *program = search->program;

	if (!search->known_by)
		return;
	dso->is_inferred = true;
	if (program)
		lode_hex(dso->hex, program->build_id, program->build_id_size);
	else
		lode_hex(dso->hex, search->build_id, search->build_id_size);
}

static void find_files(struct search *search)
{
	struct lode_dso *dso = search->dso;

	if (dso->build_id_size)
		find_by_build_id(search, dso->build_id, dso->build_id_size);
	else
		find_unidentified(search);
	ask_debuginfod(search);
	note_inferred(search);
}

static const char contradiction[] =
	", and other recordings of this host have several build-ids for it";

static void say_missing(const struct search *search)
{
	struct lode_dso *dso = search->dso;
	char hex[17];

	if (search->refused[0]) {
		lode_dso_say(dso, "%s", search->refused);
	} else if (search->symbols) {
		lode_dso_say(dso,
			     "%s: debug file without its program, which is needed for the code "
			     "layout; put the program into --symfs or --buildid-dir",
			     search->symbols->path);
	} else if (search->build_id_size) {
		short_hex(hex, search->build_id, search->build_id_size);
		lode_dso_say(dso,
			     "no file with build-id %s%s (%s) found%s; put it into --symfs or "
			     "--buildid-dir",
			     hex,
			     search->known_by ? ", according to other recordings of this host" : "",
			     dso->path, search->asked);
	} else {
		lode_dso_say(dso, "%s: no such ELF file%s; put it into --symfs", dso->path,
			     search->is_contradicted ? contradiction : "");
	}
}

static void open_inlines(struct search *search)
{
	struct lode_dso *dso = search->dso;
	bool keep_mangled = dso->symboliser->keep_mangled;
	const struct lode_elf_file *files[] = {search->symbols, search->program};
	struct lode_error err;

	for (int i = 0; i < 2 && !dso->inlines; i++) {
		if (!files[i] || (i && files[1] == files[0]))
			continue;
		dso->inlines = lode_inlines_open(files[i]->path, keep_mangled, &err);
		if (!dso->inlines && err.status != LODE_ERR_EMPTY)
			snprintf(search->no_inlines, sizeof(search->no_inlines), "; %.200s",
				 err.message);
	}
}

static void load_symbols(struct search *search)
{
	struct lode_dso *dso = search->dso;
	struct lode_elf_file *minidebug = NULL;
	const char *table = ".symtab";
	enum lode_elf_fit fit;
	size_t n = 0;

	if (search->symbols)
		n = lode_elf_add_symbols(&dso->table, &dso->names, search->symbols,
					 LODE_ELF_SYMTAB);
	if (!n) {
		table = ".dynsym only";
		n = lode_elf_add_symbols(&dso->table, &dso->names, search->program,
					 LODE_ELF_DYNSYM);
		minidebug = lode_elf_open_minidebug(search->program);
	}
	if (minidebug &&
	    lode_elf_add_symbols(&dso->table, &dso->names, minidebug, LODE_ELF_SYMTAB)) {
		table = ".dynsym and .gnu_debugdata";
		n++;
	} else if (!search->symbols &&
		   lode_elf_add_go_functions(&dso->table, &dso->names, search->program)) {
		table = ".gopclntab";
		n++;
	}
	dso->is_stripped = !strcmp(table, ".dynsym only");
	lode_elf_close(minidebug);
	n += lode_elf_add_plt(&dso->table, &dso->names, search->program);
	lode_elf_map_build(&dso->map, search->program);
	fit = lode_elf_map_fit(&dso->map, dso->code, dso->n_code);
	lode_symtab_settle(&dso->table, LODE_SYMTAB_ELF);
	dso->is_mangled = true;
	dso->program_path = lode_strdup(search->program->path);
	if (search->symbols && search->symbols != search->program)
		dso->symbols_path = lode_strdup(search->symbols->path);
	if (dso->symboliser->want_inlined)
		open_inlines(search);
	lode_dso_say(dso, "%s: %s%s, %s%s%s%s%s",
		     search->symbols ? search->symbols->path : search->program->path,
		     n ? table : "no symbols in it", search->asked,
		     dso->build_id_size ? "build-id verified"
		     : search->known_by ? "build-id inferred: "
					: "not verified (no build-id in the recording",
		     search->known_by	       ? search->known_by
		     : search->is_contradicted ? contradiction
					       : "",
		     dso->build_id_size || search->known_by ? "" : ")",
		     fit == LODE_ELF_MOVED ? ", stripped since: its code was placed by its mapping"
					   : "",
		     search->no_inlines);
}

void lode_dso_load_user(struct lode_dso *dso)
{
	struct search search = {.dso = dso, .roots = lode_dso_roots(dso), .asked = ""};

	find_files(&search);
	if (!search.program)
		say_missing(&search);
	else
		load_symbols(&search);
	close_files(&search);
}
