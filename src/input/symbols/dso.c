/* Loads and resolves one module. */
#include "input/symbols/dso.h"

#include "input/symbols/demangle.h"
#include "input/symbols/inlines.h"

/* ---- Loading ---- */

static void load_dso(struct lode_dso *dso)
{
	if (dso->is_loaded)
		return;
	dso->is_loaded = true;
	switch (dso->kind) {
	case LODE_DSO_USER:
		lode_dso_load_user(dso);
		break;
	case LODE_DSO_VDSO:
		lode_dso_load_vdso(dso);
		break;
	case LODE_DSO_KERNEL:
		lode_dso_load_kernel(dso);
		break;
	case LODE_DSO_KMODULE:
		lode_dso_load_kmodule(dso);
		break;
	case LODE_DSO_JIT:
		lode_dso_load_jit(dso);
		break;
	}
	dso->shown = lode_alloc0(dso->table.entries.n, sizeof(*dso->shown));
}

void lode_dso_load(struct lode_dso *dso)
{
	pthread_mutex_lock(&dso->lock);
	load_dso(dso);
	pthread_mutex_unlock(&dso->lock);
}

void lode_dso_add_symbol(struct lode_dso *dso, uint64_t start, uint64_t size, const char *name)
{
	struct lode_symtab_entry *entry;

	if (!size || !name[0])
		return;
	pthread_mutex_lock(&dso->lock);
	entry = lode_vec_append_zero(&dso->additions);
	entry->start = start;
	entry->end = size > UINT64_MAX - start ? UINT64_MAX : start + size;
	entry->name = lode_arena_strndup(&dso->names, name, strlen(name));
	dso->has_new_additions = true;
	pthread_mutex_unlock(&dso->lock);
}

static void settle_additions(struct lode_dso *dso)
{
	if (!dso->has_new_additions)
		return;
	dso->has_new_additions = false;
	lode_symtab_release(&dso->added);
	for (size_t i = 0; i < dso->additions.n; i++) {
		const struct lode_symtab_entry *entry = &dso->additions.at[i];

		lode_symtab_add(&dso->added, entry->start, entry->end - entry->start, entry->name,
				LODE_BINDING_GLOBAL);
	}
	lode_symtab_settle(&dso->added, LODE_SYMTAB_LAST_WINS);
}

/* ---- Looking up, with the lock held ---- */

static const char *shown_name(struct lode_dso *dso, uint32_t index)
{
	const char *name = dso->table.entries.at[index].name, *readable = NULL;
	size_t n;

	if (dso->shown[index])
		return dso->shown[index];
	if (dso->symboliser->keep_mangled)
		return dso->shown[index] = name;
	if (dso->kind == LODE_DSO_JIT)
		readable = lode_script_name(name, &dso->names);
	else if (dso->is_mangled)
		readable = lode_demangle(name, &dso->names);
	else if ((n = lode_function_bytes(name, strlen(name))) < strlen(name))
		readable = lode_arena_strndup(&dso->names, name, n);
	return dso->shown[index] = readable ? readable : name;
}

/* What the recording itself says comes before any file. */
static bool find_added(struct lode_dso *dso, uint64_t address, struct lode_symbol *out)
{
	uint32_t i = lode_symtab_find(&dso->added, address), order;

	if (i == LODE_NONE)
		return false;
	order = dso->added.entries.at[i].order;
	out->name = dso->additions.at[order].name;
	out->index = (uint32_t)dso->table.entries.n + order;
	return true;
}

static void find_in_table(struct lode_dso *dso, uint64_t address, struct lode_symbol *out)
{
	bool is_file = dso->kind == LODE_DSO_USER || dso->kind == LODE_DSO_VDSO;
	uint32_t index;

	if (is_file && !lode_elf_map_find(&dso->map, address, &address))
		return;
	index = lode_symtab_find(&dso->table, address);
	if (index != LODE_NONE) {
		const char *recorded = dso->table.entries.at[index].name;

		out->index = index;
		out->name = shown_name(dso, index);
		out->is_part = lode_function_is_part(recorded, strlen(recorded));
	}
	if (dso->inlines)
		lode_inlines_find(dso->inlines, address, &out->inlined, &out->n_inlined);
}

void lode_dso_resolve(struct lode_dso *dso, const uint64_t *addresses, size_t n,
		      struct lode_symbol *out)
{
	pthread_mutex_lock(&dso->lock);
	load_dso(dso);
	settle_additions(dso);
	for (size_t i = 0; i < n; i++) {
		out[i] = (struct lode_symbol){.index = LODE_NONE};
		if (!find_added(dso, addresses[i], &out[i]))
			find_in_table(dso, addresses[i], &out[i]);
	}
	pthread_mutex_unlock(&dso->lock);
}

void lode_dso_open_files(struct lode_dso *dso, struct lode_elf_file **program,
			 struct lode_elf_file **debug)
{
	bool is_own;

	*program = *debug = NULL;
	lode_dso_load(dso);
	is_own = dso->kind == LODE_DSO_VDSO && dso->program_path &&
		 !strcmp(dso->program_path, "[vdso]");
	if (is_own)
		*program = lode_own_vdso();
	else if (dso->program_path)
		*program = lode_elf_open(dso->program_path);
	if (dso->symbols_path)
		*debug = lode_elf_open(dso->symbols_path);
}

/* ---- Telling ---- */

const char *lode_dso_name(const struct lode_dso *dso)
{
	return dso->name;
}

bool lode_dso_is_inferred(const struct lode_dso *dso)
{
	return dso->is_inferred;
}

/* The file at the recorded path is the recorded one, though a copy of it was read. */
static bool is_at_recorded_path(const struct lode_dso *dso)
{
	struct lode_elf_file *file = lode_elf_open(dso->path);
	bool is_same = file && file->build_id_size == dso->build_id_size &&
		       !memcmp(file->build_id, dso->build_id, dso->build_id_size);

	lode_elf_close(file);
	return is_same;
}

const char *lode_dso_stripped_file(const struct lode_dso *dso)
{
	if (!dso->is_stripped || !dso->build_id_size)
		return NULL;
	return is_at_recorded_path(dso) ? dso->path : dso->program_path;
}

const char *lode_dso_build_id(const struct lode_dso *dso)
{
	return dso->hex;
}

const char *lode_dso_status(const struct lode_dso *dso)
{
	/* Reading is const to the caller; the lock inside is ours to turn. */
	struct lode_dso *locked = (struct lode_dso *)dso;
	const char *status = dso->status;

	pthread_mutex_lock(&locked->lock);
	if (!locked->is_loaded)
		status = "none of its addresses was looked up";
	pthread_mutex_unlock(&locked->lock);
	return status;
}

bool lode_dso_has_symbols(const struct lode_dso *dso)
{
	struct lode_dso *locked = (struct lode_dso *)dso;
	bool has;

	pthread_mutex_lock(&locked->lock);
	has = locked->table.entries.n || locked->additions.n;
	pthread_mutex_unlock(&locked->lock);
	return has;
}
