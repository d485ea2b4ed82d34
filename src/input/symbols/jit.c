/* Parses perf-PID.map and jit-PID.dump. */
#include "input/symbols/jit.h"

#include <stdio.h>
#include <unistd.h>

#include "input/symbols/dso.h"
#include "input/symbols/process_map.h"
#include "base/ascii.h"
#include "base/bytes.h"
#include "base/folder.h"
#include "base/sorted.h"

/* ---- Loading ---- */

/* Both are written by the program for as long as it runs; larger ones are not genuine. */
enum { MAX_MAP_BYTES = 1 << 30, MAX_DUMP_BYTES = 1 << 30 };

struct jit_search {
	struct lode_dso *dso;
	lode_jit_turns *turns; /* wanted in place of the symbols; NULL: not wanted */
	struct lode_error err; /* of the first file that was there but could not be used */
	char path[384];	       /* of the file that was used */
	const char *in_tmp;    /* its map's path in our /tmp, which may be another process's */
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

static bool try_map_elsewhere(void *context, const char *path)
{
	const struct jit_search *search = context;

	return strcmp(path, search->in_tmp) != 0 && try_map(context, path);
}

/* The map of the recorded process, if it still runs: of a container, it is nowhere else. */
static bool try_process(struct jit_search *search)
{
	const struct lode_dso *dso = search->dso;
	char path[64];
	int fd;

	if (!lode_process_was_recorded(dso->pid, dso->host, dso->recording))
		return false;
	fd = lode_process_map_open(dso->pid);
	if (fd < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!try_map(search, path)) {
		close(fd);
		return false;
	}
	close(fd);
	snprintf(search->path, sizeof(search->path), "the map of process %d", (int)dso->pid);
	return true;
}

static bool try_dump(void *context, const char *path)
{
	struct jit_search *search = context;
	struct lode_symtab unused = {0};
	struct lode_arena names = {0};
	struct lode_error err = {0};
	size_t size;
	char *data;
	int rc = lode_file_read(&data, &size, path, MAX_DUMP_BYTES, &err);

	if (rc == 0 && search->turns)
		rc = lode_jitdump_parse(&unused, &names, search->turns, data, size, path, &err);
	else if (rc == 0)
		rc = lode_jitdump_parse(&search->dso->table, &search->dso->names, NULL, data, size,
					path, &err);
	lode_symtab_release(&unused);
	lode_arena_release(&names);
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
	search.in_tmp = map;
	if ((dump && lode_files_by_name(&roots, dump->path, try_dump, &search)) ||
	    lode_files_by_name(&roots, map, try_map_elsewhere, &search) || try_process(&search) ||
	    try_map(&search, map)) {
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

void lode_dso_jit_turns(struct lode_dso *dump, lode_jit_turns *out)
{
	struct jit_search search = {.dso = dump, .turns = out};
	struct lode_roots roots = lode_dso_roots(dump);

	if (dump->kind == LODE_DSO_USER && lode_jit_dump_pid(dump->path))
		(void)lode_files_by_name(&roots, dump->path, try_dump, &search);
}

/* ---- The two formats ---- */

int32_t lode_jit_dump_pid(const char *path)
{
	const char *name = lode_path_base(path);
	long pid;
	char *end;

	if (strncmp(name, "jit-", 4) != 0 || !lode_is_digit(name[4]))
		return 0;
	pid = strtol(name + 4, &end, 10);
	return !strcmp(end, ".dump") && pid > 0 && pid <= INT32_MAX ? (int32_t)pid : 0;
}

/* ---- perf-PID.map ---- */

/* A hex number, with or without 0x; moves *at behind it and one blank. */
static bool take_hex(char **at, const char *end, uint64_t *value)
{
	char *p = *at, *start;

	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	*value = 0;
	for (start = p; p < end; p++) {
		int digit = lode_hex_digit(*p);

		if (digit < 0)
			break;
		*value = *value << 4 | (unsigned)digit;
	}
	if (p == start || p - start > 16 || p == end || (*p != ' ' && *p != '\t'))
		return false;
	*at = p + 1;
	return true;
}

int lode_perfmap_parse(struct lode_symtab *symtab, char *text, size_t size, const char *path,
		       struct lode_error *err)
{
	char *at = text, *end = text + size, *newline;
	size_t before = symtab->entries.n;

	*end = '\0';
	for (; at < end; at = newline + 1) {
		uint64_t start, length;

		newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline)
			newline = end;
		*newline = '\0';
		if (!take_hex(&at, newline, &start) || !take_hex(&at, newline, &length))
			continue;
		if (*at && length)
			lode_symtab_add(symtab, start, length, at, LODE_BINDING_GLOBAL);
	}
	if (symtab->entries.n == before)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "no line of the form \"start size name\" in it");
	return 0;
}

/* ---- jitdump ---- */

enum {
	JIT_MAGIC = 0x4a695444, /* "JiTD" of a little-endian writer */
	JIT_HEADER_BYTES = 40,
	JIT_ARCH_TIMES = 1, /* flag of the header: times are cycles */
	JIT_CODE_LOAD = 0,
	JIT_CODE_MOVE = 1,
	JIT_CODE_CLOSE = 3,
};

/* A function that came to be at an address, in file order. */
struct load {
	uint64_t time, start, size, id;
	uint32_t order;
	bool is_shared; /* other functions were at some of its addresses */
	const char *name;
};

typedef LODE_VEC(struct load) load_vec;

static void add_load(load_vec *loads, struct load load)
{
	load.order = (uint32_t)loads->n;
	lode_vec_append(loads, load);
}

/* pid, tid, vma, address, size, id, name, code bytes */
static void read_load(load_vec *loads, struct lode_map *by_id, struct lode_arena *names,
		      struct lode_bytes *record, uint64_t time)
{
	struct load load = {.time = time};
	const char *name;

	(void)lode_bytes_take(record, 4 + 4 + 8);
	load.start = lode_bytes_u64(record);
	load.size = lode_bytes_u64(record);
	load.id = lode_bytes_u64(record);
	name = lode_bytes_string(record);
	if (record->overrun || !load.size || !name[0])
		return;
	load.name = lode_arena_strndup(names, name, strlen(name));
	*lode_map_slot(by_id, load.id) = (uint32_t)loads->n;
	add_load(loads, load);
}

/* pid, tid, vma, old address, new address, size, id */
static void read_move(load_vec *loads, const struct lode_map *by_id, struct lode_bytes *record,
		      uint64_t time)
{
	struct load load = {.time = time};
	uint32_t from;

	(void)lode_bytes_take(record, 4 + 4 + 8 + 8);
	load.start = lode_bytes_u64(record);
	load.size = lode_bytes_u64(record);
	load.id = lode_bytes_u64(record);
	from = lode_map_find(by_id, load.id);
	if (record->overrun || from >= loads->n || !load.size)
		return;
	load.name = loads->at[from].name;
	add_load(loads, load);
}

LODE_COMPARE(compare_loads, struct load,
	     LODE_ORDER(a->time, b->time) ?: LODE_ORDER(a->order, b->order))
LODE_COMPARE(compare_starts, struct load,
	     LODE_ORDER(a->start, b->start) ?: LODE_ORDER(a->order, b->order))

static uint64_t end_of(const struct load *load)
{
	return load->size > UINT64_MAX - load->start ? UINT64_MAX : load->start + load->size;
}

/* The same function again, as runtimes write it that replay what they have. */
static bool is_same(const struct load *a, const struct load *b)
{
	return a->start == b->start && a->size == b->size && !strcmp(a->name, b->name);
}

/* LIMIT: a function of 4 GiB is no function. */
#define MAX_SHARED_BYTES ((uint64_t)UINT32_MAX)

/* Marks those that overlap others, in order of their starts. */
static void mark_shared(load_vec *loads)
{
	lode_sort(loads->at, loads->n, compare_starts);
	for (size_t from = 0, i; from < loads->n; from = i) {
		uint64_t end = end_of(&loads->at[from]);
		bool is_shared = false;

		for (i = from + 1; i < loads->n && loads->at[i].start < end; i++) {
			is_shared |= !is_same(&loads->at[from], &loads->at[i]);
			if (end_of(&loads->at[i]) > end)
				end = end_of(&loads->at[i]);
		}
		for (size_t k = from; k < i; k++)
			loads->at[k].is_shared = is_shared && loads->at[k].size <= MAX_SHARED_BYTES;
	}
}

/* In order of time. Places begin where the addresses of programs have ended. */
static void add_shared(struct lode_symtab *symtab, lode_jit_turns *turns, const load_vec *loads)
{
	uint64_t place = UINT64_C(1) << 63;

	for (size_t i = 0; i < loads->n; i++) {
		const struct load *load = &loads->at[i];

		if (!load->is_shared)
			continue;
		lode_symtab_add(symtab, place, load->size, load->name, LODE_BINDING_GLOBAL);
		if (turns && load->time <= INT64_MAX)
			lode_vec_append(turns,
					((struct lode_jit_turn){(int64_t)load->time, load->start,
								load->size, place}));
		place += load->size + 1;
	}
}

int lode_jitdump_parse(struct lode_symtab *symtab, struct lode_arena *names, lode_jit_turns *turns,
		       const void *data, size_t size, const char *path, struct lode_error *err)
{
	struct lode_bytes bytes = lode_bytes_make(data, size, 0);
	struct lode_map by_id = {0};
	load_vec loads = {0};
	uint32_t magic = lode_bytes_u32(&bytes), header;

	(void)lode_bytes_u32(&bytes); /* version: all so far share what is read here */
	header = lode_bytes_u32(&bytes);
	if (bytes.overrun || magic != JIT_MAGIC || header < JIT_HEADER_BYTES || header > size)
		return lode_fail(err, LODE_ERR_FORMAT, path, 0,
				 "not a jitdump file of a little-endian machine");
	(void)lode_bytes_take(&bytes, 20); /* machine, pid, time */
	if (lode_bytes_u64(&bytes) & JIT_ARCH_TIMES)
		turns = NULL;
	(void)lode_bytes_take(&bytes, header - JIT_HEADER_BYTES);
	while (lode_bytes_left(&bytes) >= 16) {
		uint32_t id = lode_bytes_u32(&bytes), total = lode_bytes_u32(&bytes);
		uint64_t time = lode_bytes_u64(&bytes);
		struct lode_bytes record;

		if (total < 16 || id == JIT_CODE_CLOSE)
			break;
		record = lode_bytes_sub(&bytes, total - 16);
		if (record.overrun)
			break; /* the program died while it wrote */
		if (id == JIT_CODE_LOAD)
			read_load(&loads, &by_id, names, &record, time);
		else if (id == JIT_CODE_MOVE)
			read_move(&loads, &by_id, &record, time);
	}
	mark_shared(&loads);
	lode_sort(loads.at, loads.n, compare_loads);
	for (size_t i = 0; i < loads.n; i++)
		lode_symtab_add(symtab, loads.at[i].start, loads.at[i].size, loads.at[i].name,
				LODE_BINDING_GLOBAL);
	add_shared(symtab, turns, &loads);
	lode_map_release(&by_id);
	if (!loads.n)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1, "no function in it");
	lode_vec_release(&loads);
	return 0;
}
