/* Interns the modules that a recording names. */
#include "input/formats/perf/perf_dsos.h"

#include <stdio.h>

#include "base/slice.h"

/* How the path of the kernel begins; the name of its first symbol follows. */
static const char kernel_path[] = "[kernel.kallsyms]";

void lode_perf_dsos_release(struct lode_perf_dsos *dsos)
{
	lode_vec_release(&dsos->at);
	lode_strings_release(&dsos->keys);
	lode_strings_release(&dsos->paths);
	lode_vec_release(&dsos->id_of_path);
}

/* The module of that key, which is made from `fresh` when it is new. */
static uint32_t intern(struct lode_perf_dsos *dsos, const struct lode_perf_dso *fresh)
{
	size_t len = strlen(fresh->path), head = 16 + sizeof(fresh->build_id), size = head + len;
	char small[512], *key = size < sizeof(small) ? small : lode_alloc(size + 1);
	uint32_t id;

	memset(key, 0, head);
	memcpy(key, &fresh->start, sizeof(fresh->start));
	memcpy(key + 8, &fresh->pid, sizeof(fresh->pid));
	key[12] = (char)fresh->kind;
	memcpy(key + 16, fresh->build_id, fresh->build_id_size);
	memcpy(key + head, fresh->path, len);
	id = lode_strings_intern(&dsos->keys, key, size);
	if (id == dsos->at.n) {
		lode_vec_append(&dsos->at, *fresh);
		/* Interned texts end in NUL and stay where they are. */
		dsos->at.at[id].path = dsos->keys.text.at[id] + head;
	}
	if (key != small)
		free(key);
	return id;
}

static bool is_anonymous(const char *path)
{
	static const char *const prefixes[] = {"//anon", "/dev/zero", "/anon_hugepage",
					       "[heap]", "[stack",    "[anon",
					       "/SYSV",	 "/memfd:",   "anon_inode:"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (lode_text_begins(path, prefixes[i]))
			return true;
	return !*path;
}

static void set_build_id(struct lode_perf_dso *dso, const uint8_t *build_id, uint8_t size)
{
	if (!build_id || size > sizeof(dso->build_id))
		return;
	memcpy(dso->build_id, build_id, size);
	dso->build_id_size = size;
}

uint32_t lode_perf_dsos_user(struct lode_perf_dsos *dsos, const char *path, int32_t pid,
			     const uint8_t *build_id, uint8_t build_id_size)
{
	struct lode_perf_dso dso = {.kind = LODE_DSO_USER, .path = path};

	if (lode_text_begins(path, "[vdso")) {
		dso.kind = LODE_DSO_VDSO;
	} else if (is_anonymous(path)) {
		dso.kind = LODE_DSO_JIT;
		dso.pid = pid;
	} else {
		set_build_id(&dso, build_id, build_id_size);
	}
	return intern(dsos, &dso);
}

void lode_perf_dsos_mapped(struct lode_perf_dsos *dsos, uint32_t id, uint64_t offset,
			   uint64_t bytes)
{
	struct lode_perf_dso *dso = &dsos->at.at[id];

	if (dso->kind != LODE_DSO_USER || dso->n_code == LODE_MAX_CODE_RANGES || !bytes)
		return;
	for (size_t i = 0; i < dso->n_code; i++)
		if (dso->code[i].offset == offset && dso->code[i].bytes == bytes)
			return;
	dso->code[dso->n_code++] = (struct lode_code_range){offset, bytes};
}

uint32_t lode_perf_dsos_kernel(struct lode_perf_dsos *dsos, const char *path, uint64_t start,
			       uint64_t size, uint64_t page_offset, const uint8_t *build_id,
			       uint8_t build_id_size)
{
	struct lode_perf_dso dso = {
		.kind = LODE_DSO_KMODULE, .path = path, .start = start, .size = size};

	if (lode_text_begins(path, kernel_path)) {
		dso.kind = LODE_DSO_KERNEL;
		dso.start = page_offset;
	}
	set_build_id(&dso, build_id, build_id_size);
	return intern(dsos, &dso);
}

uint32_t lode_perf_dsos_ksymbol(struct lode_perf_dsos *dsos, const char *name, uint64_t start,
				uint64_t size)
{
	char path[512];
	struct lode_perf_dso dso = {.kind = LODE_DSO_KMODULE, .path = path, .start = start};
	uint32_t id;

	/* Its place is part of its name: another recording may have the program elsewhere. */
	snprintf(path, sizeof(path), "[bpf:%llx]%s", (unsigned long long)start, name);
	id = intern(dsos, &dso);
	dsos->at.at[id].symbol = strchr(dsos->at.at[id].path, ']') + 1;
	dsos->at.at[id].size = size;
	return id;
}

/* Takes in the header's build-ids that came since. The last word on a path counts. */
static void index_build_ids(struct lode_perf_dsos *dsos, const struct lode_perf_header *header)
{
	for (; dsos->n_ids < header->build_ids.n; dsos->n_ids++) {
		const char *path = header->build_ids.at[dsos->n_ids].path;
		uint32_t at = lode_strings_intern(&dsos->paths, path, strlen(path));

		if (at == dsos->id_of_path.n)
			lode_vec_append(&dsos->id_of_path, dsos->n_ids);
		dsos->id_of_path.at[at] = dsos->n_ids;
	}
}

/* The path under which the header has a module's build-id. */
static const char *path_of_build_id(const struct lode_perf_dso *dso)
{
	return dso->kind == LODE_DSO_KERNEL ? kernel_path : dso->path;
}

struct lode_dso *lode_perf_dsos_open(struct lode_perf_dsos *dsos, uint32_t id,
				     const struct lode_perf_header *header,
				     struct lode_symboliser *symboliser, const char *recording)
{
	struct lode_perf_dso *dso = id < dsos->at.n ? &dsos->at.at[id] : NULL;
	struct lode_dso_key key = {
		.kernel_release = header->kernel, .recording = recording, .host = header->host};
	const char *path;
	uint32_t at;

	if (!dso || !symboliser || dso->dso)
		return dso ? dso->dso : NULL;
	index_build_ids(dsos, header);
	path = path_of_build_id(dso);
	at = lode_strings_find(&dsos->paths, path, strlen(path));
	if (!dso->build_id_size && at != LODE_NONE) {
		const struct lode_perf_build_id *known =
			&header->build_ids.at[dsos->id_of_path.at[at]];

		set_build_id(dso, known->bytes, known->size);
	}
	key.kind = dso->kind;
	key.path = dso->path;
	key.pid = dso->pid;
	key.build_id = dso->build_id_size ? dso->build_id : NULL;
	key.build_id_size = dso->build_id_size;
	memcpy(key.code, dso->code, sizeof(key.code));
	key.n_code = dso->n_code;
	key.is_of_command = dso->is_of_command;
	if (dso->kind == LODE_DSO_KERNEL) {
		key.kernel_anchor = dso->start;
	} else if (dso->kind == LODE_DSO_KMODULE) {
		key.code[0] = (struct lode_code_range){dso->start, dso->size};
		key.n_code = 1;
	}
	dso->dso = lode_symboliser_dso(symboliser, &key);
	if (dso->symbol)
		lode_dso_add_symbol(dso->dso, dso->start, dso->size, dso->symbol);
	return dso->dso;
}
