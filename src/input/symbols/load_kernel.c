/* Loads the symbols of the kernel, its modules and the vDSO. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "base/bytes.h"
#include "base/folder.h"
#include "input/symbols/dso.h"
#include "input/symbols/elf_symbols.h"
#include "input/symbols/kallsyms.h"

/* ---- The kernel: kallsyms of the command line, of a cache, of the running kernel ---- */

struct kernel_search {
	struct lode_dso *dso;
	struct lode_kallsyms_options options;
	struct lode_error err; /* of the first file that was there but could not be used */
};

static const char *anchor_of(const struct lode_dso *dso)
{
	const char *name = strchr(dso->path, ']');

	return dso->kernel_anchor && name && name[1] ? name + 1 : NULL;
}

static bool load_kallsyms(struct kernel_search *search, const char *path)
{
	struct lode_dso *dso = search->dso;
	struct lode_error err = {0};
	int rc = lode_kallsyms_load(&dso->kallsyms, path, &search->options, &err);

	if (rc < 0 && rc != LODE_ERR_IO && search->err.status == LODE_OK)
		search->err = err;
	if (rc < 0)
		return false;
	dso->table = dso->kallsyms.kernel;
	dso->kallsyms.kernel = (struct lode_symtab){0};
	return true;
}

/* Names the file with the symbols, `how` it is known to fit, and how far they were moved. */
static void say_source(struct lode_dso *dso, const char *path, const char *how)
{
	int64_t by = (int64_t)dso->kallsyms.moved_by;
	char moved[64] = "";

	if (by)
		snprintf(moved, sizeof(moved), ", of another boot: moved by %s%#llx",
			 by < 0 ? "-" : "+",
			 (unsigned long long)(by < 0 ? 0 - (uint64_t)by : (uint64_t)by));
	lode_dso_say(dso, "%s, %s%s", path, how, moved);
}

static bool try_cached(void *context, const char *path)
{
	struct kernel_search *search = context;

	if (!load_kallsyms(search, path))
		return false;
	say_source(search->dso, path, "build-id verified");
	return true;
}

/* The build-id of the kernel that runs here. */
static size_t running_build_id(uint8_t build_id[LODE_BUILD_ID_MAX])
{
	struct lode_bytes notes;
	size_t size, n = 0;
	char *data;

	if (lode_file_read(&data, &size, "/sys/kernel/notes", 64 << 10, NULL) < 0)
		return 0;
	notes = lode_bytes_make(data, size, 0);
	while (!n && lode_bytes_left(&notes) && !notes.overrun) {
		uint32_t name_size = lode_bytes_u32(&notes), desc_size = lode_bytes_u32(&notes);
		uint32_t type = lode_bytes_u32(&notes);
		const void *name = lode_bytes_take(&notes, ((size_t)name_size + 3) & ~(size_t)3);
		const void *desc = lode_bytes_take(&notes, ((size_t)desc_size + 3) & ~(size_t)3);

		if (name && desc && type == NT_GNU_BUILD_ID && name_size == sizeof("GNU") &&
		    !memcmp(name, "GNU", sizeof("GNU")) && desc_size <= LODE_BUILD_ID_MAX) {
			memcpy(build_id, desc, desc_size);
			n = desc_size;
		}
	}
	free(data);
	return n;
}

static bool is_running_release(const struct lode_dso *dso)
{
	struct utsname name;

	return dso->kernel_release[0] && uname(&name) == 0 &&
	       !strcmp(name.release, dso->kernel_release);
}

static void try_running(struct kernel_search *search)
{
	static const char path[] = "/proc/kallsyms";
	struct lode_dso *dso = search->dso;
	uint8_t running[LODE_BUILD_ID_MAX];
	size_t n = running_build_id(running);
	char hex[2 * LODE_BUILD_ID_MAX + 1], text[1200];
	bool is_same;

	if (dso->build_id_size)
		is_same = n == dso->build_id_size && !memcmp(running, dso->build_id, n);
	else
		is_same = is_running_release(dso);
	if (is_same && load_kallsyms(search, path)) {
		say_source(dso, path,
			   dso->build_id_size ? "build-id verified"
					      : "not verified (no build-id in the recording, "
						"same release)");
		return;
	}
	if (search->err.status != LODE_OK) {
		lode_dso_say(dso, "%s", lode_error_text(&search->err, text, sizeof(text)));
		return;
	}
	lode_hex(hex, running, n);
	if (dso->build_id_size)
		lode_dso_say(dso,
			     "kernel: build-id %.16s recorded, the running kernel has %.16s; give "
			     "the recorded machine's /proc/kallsyms with --kallsyms",
			     dso->hex, n ? hex : "none");
	else
		lode_dso_say(dso,
			     "kernel: the recording was not made by the running kernel; give its "
			     "/proc/kallsyms with --kallsyms");
}

void lode_dso_load_kernel(struct lode_dso *dso)
{
	static const char *const kinds[] = {"kallsyms", "kallsyms.zst", NULL};
	struct kernel_search search = {.dso = dso,
				       .options = {.anchor = anchor_of(dso),
						   .anchor_address = dso->kernel_anchor}};
	struct lode_roots roots = lode_dso_roots(dso);
	char text[1200];

	if (!search.options.anchor) {
		lode_dso_say(dso, "kernel: the recording lacks the kernel's address, which differs "
				  "from boot to boot: no kallsyms file can be matched");
		return;
	}
	if (dso->symboliser->kallsyms) {
		if (load_kallsyms(&search, dso->symboliser->kallsyms))
			say_source(dso, dso->symboliser->kallsyms, "as given by --kallsyms");
		else
			lode_dso_say(dso, "%s", lode_error_text(&search.err, text, sizeof(text)));
		return;
	}
	if (dso->build_id_size && lode_files_by_build_id(&roots, "[kernel.kallsyms]", dso->hex,
							 kinds, try_cached, &search))
		return;
	try_running(&search);
}

/* ---- A module of the kernel ---- */

/* The name that the kernel has for "[ext4]" or "/lib/modules/6.1.0/kernel/fs/ext4/ext4.ko.xz". */
static void module_name(const char *path, char *name, size_t size)
{
	const char *base = lode_path_base(path);
	size_t n;

	base += *base == '[';
	n = strcspn(base, "].");
	snprintf(name, size, "%.*s", (int)n, base);
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
}

void lode_dso_load_kmodule(struct lode_dso *dso)
{
	struct lode_dso *kernel = lode_symboliser_kernel(dso->symboliser, dso);
	char name[64];

	lode_dso_load(kernel);
	lode_dso_say(dso, "%s", kernel->status);
	module_name(dso->path, name, sizeof(name));
	if (!kernel->table.entries.n || !name[0] || dso->additions.n)
		return;
	if (!dso->n_code || !lode_kallsyms_add_module(&dso->table, &kernel->kallsyms, name,
						      dso->code[0].offset, dso->code[0].bytes))
		lode_dso_say(dso,
			     "kernel module %s: not in the kallsyms file at a place that fits "
			     "its recorded address",
			     name);
}

/* ---- The vdso: a small ELF file that the kernel maps into every process ---- */

static bool load_vdso_file(struct lode_dso *dso, struct lode_elf_file *file)
{
	if (!file)
		return false;
	if (dso->build_id_size &&
	    (file->build_id_size != dso->build_id_size ||
	     memcmp(file->build_id, dso->build_id, dso->build_id_size) != 0)) {
		lode_elf_close(file);
		return false;
	}
	if (!lode_elf_add_symbols(&dso->table, &dso->names, file, LODE_ELF_SYMTAB))
		(void)lode_elf_add_symbols(&dso->table, &dso->names, file, LODE_ELF_DYNSYM);
	lode_elf_map_build(&dso->map, file);
	lode_symtab_settle(&dso->table, LODE_SYMTAB_ELF);
	dso->program_path = lode_strdup(file->path);
	lode_elf_close(file);
	return true;
}

static bool try_cached_vdso(void *context, const char *path)
{
	struct lode_dso *dso = context;

	if (!load_vdso_file(dso, lode_elf_open(path)))
		return false;
	lode_dso_say(dso, "%s, build-id verified", path);
	return true;
}

void lode_dso_load_vdso(struct lode_dso *dso)
{
	static const char *const kinds[] = {"vdso", "elf", NULL};
	struct lode_roots roots = lode_dso_roots(dso);

	if (dso->build_id_size &&
	    lode_files_by_build_id(&roots, "[vdso]", dso->hex, kinds, try_cached_vdso, dso))
		return;
	if ((dso->build_id_size || is_running_release(dso)) && load_vdso_file(dso, lode_own_vdso()))
		lode_dso_say(dso, "vdso of the running kernel, %s",
			     dso->build_id_size ? "build-id verified"
						: "not verified (no build-id in the recording, "
						  "same release)");
	else
		lode_dso_say(dso, "vdso of another kernel; `perf buildid-cache` keeps it, give "
				  "its folder with --buildid-dir");
}
