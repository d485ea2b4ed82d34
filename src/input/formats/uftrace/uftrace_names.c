/* Resolves addresses of a uftrace recording. */
#include "input/formats/uftrace/uftrace_names.h"

#include <stdio.h>

#include "base/lines.h"
#include "base/sorted.h"
#include "input/call_source.h"
#include "input/symbols/demangle.h"
#include "input/symbols/symtab.h"

struct module {
	const char *file;     /* "demo.sym", in the directory */
	const char *path;     /* of the module, as the symbol file says */
	const char *build_id; /* "" unknown */
	const char *base_name;
	bool is_loaded;
	struct lode_symtab symtab;
};

struct range {
	uint64_t start, end;
	uint32_t module; /* LODE_NONE: no symbol file */
	const char *base_name;
};

struct session {
	bool is_loaded;
	LODE_VEC(struct range) ranges; /* by start */
	struct lode_map functions;     /* address -> the sink's */
};

struct lode_uftrace_names {
	const char *directory;
	const struct lode_uftrace_tasks *tasks;
	bool is_relative;
	struct lode_call_sink *sink;
	LODE_VEC(struct module) modules;
	struct session *sessions;
	struct lode_arena arena;
};

/* ---- Symbol files ---- */

/* Calls `take` with each line of a file in the directory; a file that cannot be read has none. */
static void for_lines(struct lode_uftrace_names *names, const char *file,
		      bool (*take)(void *context, char *line, size_t len), void *context)
{
	char *path = lode_path_join(names->directory, file);
	struct lode_input *input;
	struct lode_lines lines;
	char *line;
	size_t len;

	if (lode_input_open_found(&input, path, NULL) == 0) {
		lode_lines_init(&lines, input);
		while (lode_lines_next(&lines, &line, &len, NULL) > 0 && take(context, line, len))
			continue;
		lode_lines_release(&lines);
		lode_input_close(input);
	}
	free(path);
}

struct loading {
	struct lode_uftrace_names *names;
	struct module *module;
	struct session *session;
};

static bool take_heading(void *context, char *line, size_t len)
{
	static const char path[] = "# path name: ", build_id[] = "# build-id: ";
	struct loading *loading = context;
	struct lode_arena *arena = &loading->names->arena;

	if (!strncmp(line, path, sizeof(path) - 1))
		loading->module->path = lode_arena_strndup(arena, line + sizeof(path) - 1,
							   len - (sizeof(path) - 1));
	else if (!strncmp(line, build_id, sizeof(build_id) - 1))
		loading->module->build_id = lode_arena_strndup(arena, line + sizeof(build_id) - 1,
							       len - (sizeof(build_id) - 1));
	return len && *line == '#';
}

/* "0000000000001263 T nap_us"; later versions may put a size before the type. */
static bool take_symbol(void *context, char *line, size_t len)
{
	struct loading *loading = context;
	char *at;
	uint64_t address;
	const char *readable;

	(void)len;
	if (*line == '#')
		return true;
	address = strtoull(line, &at, 16);
	if (at == line || *at != ' ')
		return true;
	at++;
	if (at[0] && at[1] != ' ') { /* the size */
		at = strchr(at, ' ');
		if (!at)
			return true;
		at++;
	}
	if (!at[0] || at[1] != ' ' || !at[2])
		return true;
	readable = lode_demangle(at + 2, &loading->names->arena);
	if (!readable)
		readable = lode_arena_strndup(&loading->names->arena, at + 2, strlen(at + 2));
	lode_symtab_add(&loading->module->symtab, address, 0, readable, LODE_BINDING_GLOBAL);
	return true;
}

static void find_modules(struct lode_uftrace_names *names)
{
	lode_path_list paths = {0};

	(void)lode_folder_list(&paths, names->directory, NULL);
	for (size_t i = 0; i < paths.n; i++) {
		struct loading loading = {.names = names};
		const char *name = lode_path_base(paths.at[i]);
		size_t n = strlen(name);
		struct module *module;

		if (n < 5 || strcmp(name + n - 4, ".sym") != 0)
			continue;
		module = lode_vec_append_zero(&names->modules);
		module->file = lode_arena_strndup(&names->arena, name, n);
		module->base_name = lode_arena_strndup(&names->arena, name, n - 4);
		module->path = module->build_id = "";
		loading.module = module;
		for_lines(names, module->file, take_heading, &loading);
		if (*module->path)
			module->base_name = lode_path_base(module->path);
	}
	lode_path_list_release(&paths);
}

/* By build-id, else by path, else by name. */
static uint32_t find_module(const struct lode_uftrace_names *names, const char *path,
			    const char *build_id)
{
	uint32_t best = LODE_NONE;
	unsigned best_rank = 0;

	for (uint32_t i = 0; i < names->modules.n; i++) {
		const struct module *m = &names->modules.at[i];
		unsigned rank = 0;

		if (*build_id && !strcmp(m->build_id, build_id))
			rank = 3;
		else if (*build_id && *m->build_id)
			continue;
		else if (!strcmp(m->path, path))
			rank = 2;
		else if (!strcmp(m->base_name, lode_path_base(path)))
			rank = 1;
		if (rank > best_rank) {
			best = i;
			best_rank = rank;
		}
	}
	return best;
}

/* ---- Maps ---- */

static void add_range(struct lode_uftrace_names *names, struct session *session, uint64_t start,
		      uint64_t end, const char *path, const char *build_id)
{
	struct range range = {.start = start, .end = end};

	/* Old versions have a line per segment: the first one's start is the module's. */
	if (session->ranges.n) {
		struct range *last = &session->ranges.at[session->ranges.n - 1];

		if (!strcmp(last->base_name, lode_path_base(path)) && start >= last->end) {
			last->end = end;
			return;
		}
	}
	range.module = find_module(names, path, build_id);
	range.base_name = lode_arena_strndup(&names->arena, lode_path_base(path),
					     strlen(lode_path_base(path)));
	lode_vec_append(&session->ranges, range);
}

/* "400000-405000 r-xp 00000000 00:00 0    ./demo build-id:4394..." */
static bool take_map(void *context, char *line, size_t len)
{
	struct loading *loading = context;
	char *at, *build_id;
	uint64_t start = strtoull(line, &at, 16), end;

	(void)len;
	if (at == line || *at != '-')
		return true;
	end = strtoull(at + 1, &at, 16);
	for (int field = 0; field < 4; field++) {
		at += strspn(at, " \t");
		at += strcspn(at, " \t");
	}
	at += strspn(at, " \t");
	if (!*at || *at == '[' || end <= start)
		return true;
	build_id = strstr(at, " build-id:");
	if (build_id) {
		*build_id = '\0';
		build_id += strlen(" build-id:");
	}
	add_range(loading->names, loading->session, start, end, at, build_id ? build_id : "");
	return true;
}

LODE_COMPARE(by_start, struct range, LODE_ORDER(a->start, b->start))

static void load_session(struct lode_uftrace_names *names, uint32_t index)
{
	struct session *session = &names->sessions[index];
	const char *sid = names->tasks->sessions.at[index].sid;
	struct loading loading = {.names = names, .session = session};
	char file[128];

	session->is_loaded = true;
	snprintf(file, sizeof(file), "sid-%s.map", sid);
	for_lines(names, file, take_map, &loading);
	for (size_t i = 0; i < names->tasks->dlopens.n; i++) {
		const struct lode_uftrace_dlopen *loaded = &names->tasks->dlopens.at[i];

		/* Its end is not recorded: it extends to the next module. */
		if (!strcmp(loaded->sid, sid))
			add_range(names, session, loaded->base, UINT64_MAX, loaded->path, "");
	}
	lode_sort(session->ranges.at, session->ranges.n, by_start);
}

static const struct range *find_range(struct lode_uftrace_names *names, uint32_t index,
				      uint64_t address)
{
	struct session *session = &names->sessions[index];
	size_t low = 0, high;

	if (!session->is_loaded)
		load_session(names, index);
	for (high = session->ranges.n; low < high;) {
		size_t middle = (low + high) / 2;

		if (session->ranges.at[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < session->ranges.at[low - 1].end ? &session->ranges.at[low - 1]
								: NULL;
}

static const char *symbol_at(struct lode_uftrace_names *names, const struct range *range,
			     uint64_t address)
{
	struct module *module;
	uint32_t i;

	if (!range || range->module == LODE_NONE)
		return NULL;
	module = &names->modules.at[range->module];
	if (!module->is_loaded) {
		struct loading loading = {.names = names, .module = module};

		module->is_loaded = true;
		for_lines(names, module->file, take_symbol, &loading);
		lode_symtab_settle(&module->symtab, LODE_SYMTAB_ELF);
	}
	i = lode_symtab_find(&module->symtab,
			     names->is_relative ? address - range->start : address);
	if (i == LODE_NONE || !strcmp(module->symtab.entries.at[i].name, "__sym_end"))
		return NULL;
	return module->symtab.entries.at[i].name;
}

/* ---- Public ---- */

struct lode_uftrace_names *lode_uftrace_names_new(const char *directory,
						  const struct lode_uftrace_tasks *tasks,
						  bool is_relative, struct lode_call_sink *sink)
{
	struct lode_uftrace_names *names = lode_alloc0(1, sizeof(*names));

	names->directory = directory;
	names->tasks = tasks;
	names->is_relative = is_relative;
	names->sink = sink;
	names->sessions = lode_alloc0(tasks->sessions.n + 1, sizeof(*names->sessions));
	find_modules(names);
	return names;
}

void lode_uftrace_names_free(struct lode_uftrace_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->tasks->sessions.n + 1; i++) {
		lode_vec_release(&names->sessions[i].ranges);
		lode_map_release(&names->sessions[i].functions);
	}
	lode_vec_release_each(&names->modules, it, lode_symtab_release(&it->symtab));
	free(names->sessions);
	lode_arena_release(&names->arena);
	free(names);
}

bool lode_uftrace_is_code(struct lode_uftrace_names *names, uint32_t session, uint64_t address)
{
	return session != LODE_NONE &&
	       symbol_at(names, find_range(names, session, address), address) != NULL;
}

uint32_t lode_uftrace_function(struct lode_uftrace_names *names, uint32_t session, uint64_t address)
{
	/* The last entry stands for threads without a session. */
	uint32_t index = session == LODE_NONE ? (uint32_t)names->tasks->sessions.n : session;
	uint32_t *slot = lode_map_slot(&names->sessions[index].functions, address);
	const struct range *range;
	const char *name, *module = NULL;
	char number[32];

	if (*slot != LODE_NONE)
		return *slot;
	range = session == LODE_NONE ? NULL : find_range(names, session, address);
	name = symbol_at(names, range, address);
	if (range)
		module = range->base_name;
	snprintf(number, sizeof(number), "0x%llx", (unsigned long long)address);
	*slot = names->sink->function(names->sink->context, module, name ? name : number);
	return *slot;
}
