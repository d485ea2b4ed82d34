/* Any bytes at all as kallsyms, perf-PID.map, jitdump, Go's table of functions, ELF file (its
   symbols, its frame information, its DWARF): the first byte chooses. */
#include "fuzz/fuzz.h"

#include <elfutils/libdwelf.h>
#include <string.h>

#include "base/map.h"
#include "input/symbols/cfi.h"
#include "input/symbols/demangle.h"
#include "input/symbols/elf_file.h"
#include "input/symbols/elf_symbols.h"
#include "input/symbols/go_functions.h"
#include "input/symbols/inlines.h"
#include "input/symbols/jit.h"
#include "input/symbols/kallsyms.h"

/* Ranges are in order, disjoint, and owned by symbols with names; lookups agree with them. */
static void check_table(const struct lode_symtab *symtab)
{
	uint64_t end = 0;

	for (size_t i = 0; i < symtab->starts.n; i++) {
		uint32_t owner = symtab->owners.at[i];

		FUZZ_CHECK(symtab->starts.at[i] >= end);
		FUZZ_CHECK(symtab->ends.at[i] > symtab->starts.at[i]);
		FUZZ_CHECK(owner < symtab->entries.n);
		FUZZ_CHECK(symtab->entries.at[owner].name[0]);
		FUZZ_CHECK(lode_symtab_find(symtab, symtab->starts.at[i]) == owner);
		FUZZ_CHECK(lode_symtab_find(symtab, symtab->ends.at[i] - 1) == owner);
		end = symtab->ends.at[i];
	}
}

static char *copy(const uint8_t *data, size_t size)
{
	char *text = lode_alloc(size + 1);

	memcpy(text, data, size);
	return text;
}

static void read_kallsyms(const uint8_t *data, size_t size)
{
	struct lode_kallsyms_options options = {"_text", 0xffffffff91000000};
	struct lode_kallsyms kallsyms;
	struct lode_symtab symtab = {0};

	if (lode_kallsyms_parse(&kallsyms, copy(data, size), size, "fuzz", &options, NULL) < 0)
		return;
	check_table(&kallsyms.kernel);
	if (kallsyms.modules.n &&
	    lode_kallsyms_add_module(&symtab, &kallsyms, kallsyms.modules.at[0].module,
				     0xffffffffc0001000, UINT64_C(1) << size % 40))
		check_table(&symtab);
	lode_symtab_release(&symtab);
	lode_kallsyms_release(&kallsyms);
}

static void read_map(const uint8_t *data, size_t size)
{
	struct lode_symtab symtab = {0};
	char *text = copy(data, size);
	int rc = lode_perfmap_parse(&symtab, text, size, "fuzz", NULL);

	FUZZ_CHECK((rc == 0) == (symtab.entries.n > 0));
	lode_symtab_settle(&symtab, LODE_SYMTAB_LAST_WINS);
	check_table(&symtab);
	lode_symtab_release(&symtab);
	free(text);
}

static void read_dump(const uint8_t *data, size_t size)
{
	struct lode_symtab symtab = {0};
	struct lode_arena names = {0};

	(void)lode_jitdump_parse(&symtab, &names, NULL, data, size, "fuzz", NULL);
	lode_symtab_settle(&symtab, LODE_SYMTAB_LAST_WINS);
	check_table(&symtab);
	lode_symtab_release(&symtab);
	lode_arena_release(&names);
}

static void read_elf(struct lode_elf_file *file, int depth)
{
	struct lode_symtab symtab = {0};
	struct lode_arena names = {0};
	struct lode_elf_map map = {0};
	struct lode_elf_file *inner;
	uint64_t address;
	uint32_t crc;

	if (!file)
		return;
	(void)lode_elf_add_symbols(&symtab, &names, file, LODE_ELF_SYMTAB);
	(void)lode_elf_add_symbols(&symtab, &names, file, LODE_ELF_DYNSYM);
	(void)lode_elf_add_plt(&symtab, &names, file);
	(void)lode_elf_add_go_functions(&symtab, &names, file);
	(void)dwelf_elf_gnu_debuglink(file->elf, &crc);
	inner = depth ? NULL : lode_elf_open_minidebug(file);
	if (inner)
		read_elf(inner, 1);
	lode_elf_map_build(&map, file);
	(void)lode_elf_map_find(&map, 0x1000, &address);
	lode_symtab_settle(&symtab, LODE_SYMTAB_ELF);
	check_table(&symtab);
	for (size_t i = 0; i < symtab.entries.n && i < 16; i++) {
		char shown[64];

		lode_demangle_short(symtab.entries.at[i].name, shown, sizeof(shown));
	}
	lode_elf_map_release(&map);
	lode_symtab_release(&symtab);
	lode_arena_release(&names);
	lode_elf_close(file);
}

static void read_go_table(const uint8_t *data, size_t size)
{
	struct lode_symtab symtab = {0};
	struct lode_arena names = {0};

	(void)lode_go_table_parse(&symtab, &names, data, size, 0x400000);
	lode_symtab_settle(&symtab, LODE_SYMTAB_ELF);
	check_table(&symtab);
	lode_symtab_release(&symtab);
	lode_arena_release(&names);
}

/* A stack of zeros and ones. */
static bool read_word(void *context, uint64_t address, uint64_t *value)
{
	(void)context;
	*value = address >> 3 & 1;
	return address < 0x10000;
}

static void read_cfi(const uint8_t *data, size_t size)
{
	struct lode_elf_file *file = lode_elf_open_take(copy(data, size), size, "fuzz");
	struct lode_cfi *cfi = file ? lode_cfi_new_take(file, NULL, NULL) : NULL;

	for (uint64_t at = 0; cfi && at < 0x1000; at += 16) {
		struct lode_cfi_regs regs = {.valid = ((uint64_t)1 << LODE_CFI_N_REGS) - 1};
		struct lode_cfi_step step;

		(void)lode_cfi_step(cfi, at, &regs, &step, read_word, NULL);
	}
	lode_cfi_free(cfi);
}

static void read_dwarf(const uint8_t *data, size_t size)
{
	struct lode_inlines *inlines = lode_inlines_open(fuzz_file(data, size), false, NULL);

	for (uint64_t at = 0; inlines && at < 0x1000; at += 16) {
		const char *const *names;
		uint32_t n;

		lode_inlines_find(inlines, at, &names, &n);
		for (uint32_t i = 0; i < n; i++)
			FUZZ_CHECK(names[i] != NULL);
	}
	lode_inlines_free(inlines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] & 7) {
	case 0:
		read_kallsyms(data + 1, size - 1);
		break;
	case 1:
		read_map(data + 1, size - 1);
		break;
	case 2:
		read_dump(data + 1, size - 1);
		break;
	case 4:
		read_cfi(data + 1, size - 1);
		break;
	case 5:
		read_dwarf(data + 1, size - 1);
		break;
	case 6:
		read_go_table(data + 1, size - 1);
		break;
	default:
		read_elf(lode_elf_open_take(copy(data + 1, size - 1), size - 1, "fuzz"), 0);
		break;
	}
	return 0;
}
