/* Finds inlined functions and lines of source at an address, from DWARF. */
#include "input/symbols/inlines.h"

#include <dwarf.h>

#include "base/folder.h"
#include "base/map.h"
#include "input/symbols/demangle.h"
#include "input/symbols/dwarf_open.h"
#include "input/symbols/symtab.h"

/* The compiler's nesting is far below; a file that says more is broken. */
enum { MAX_DEPTH = 64 };

/* DIEs by the addresses that they cover. */
struct ranges {
	struct lode_symtab table;
	LODE_VEC(Dwarf_Off) dies; /* by order of adding to the table */
};

struct unit {
	bool is_read;
	struct ranges functions;
};

struct answer {
	const char *const *names;
	uint32_t n;
};

struct lode_inlines {
	struct lode_dwarf opened;
	Dwarf *dwarf; /* of it */
	bool keep_mangled;
	bool has_units;
	struct ranges unit_ranges;   /* .debug_aranges is not to be relied on: clang writes none */
	LODE_VEC(struct unit) units; /* in step with unit_ranges.dies */
	struct lode_arena arena;
	struct lode_map known; /* address -> index into answers */
	LODE_VEC(struct answer) answers;
	struct lode_strings files; /* absolute paths of source */
};

/* ---- Ranges ---- */

static void ranges_release(struct ranges *ranges)
{
	lode_symtab_release(&ranges->table);
	lode_vec_release(&ranges->dies);
}

static void ranges_add(struct ranges *ranges, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (end <= start)
			continue;
		lode_symtab_add(&ranges->table, start, end - start, NULL, LODE_BINDING_LOCAL);
		lode_vec_append(&ranges->dies, dwarf_dieoffset(die));
	}
}

/* Index into ranges->dies of what covers `address`, or LODE_NONE. */
static uint32_t ranges_find(const struct ranges *ranges, uint64_t address)
{
	uint32_t i = lode_symtab_find(&ranges->table, address);

	return i == LODE_NONE ? i : ranges->table.entries.at[i].order;
}

/* Next sibling; a chain that does not go forward is broken and ends. */
static bool next_sibling(Dwarf_Die *die)
{
	Dwarf_Off offset = dwarf_dieoffset(die);

	return dwarf_siblingof(die, die) == 0 && dwarf_dieoffset(die) > offset;
}

static void read_units(struct lode_inlines *inlines)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	inlines->has_units = true;
	while (dwarf_get_units(inlines->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0)
		if (type == DW_UT_compile)
			ranges_add(&inlines->unit_ranges, &die);
	lode_symtab_settle(&inlines->unit_ranges.table, LODE_SYMTAB_LAST_WINS);
	for (size_t i = 0; i < inlines->unit_ranges.dies.n; i++)
		(void)lode_vec_append_zero(&inlines->units);
}

/* Functions stand in units, but also in namespaces and types (C++, Rust). */
static void read_functions(struct ranges *functions, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			ranges_add(functions, &die);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
			read_functions(functions, &die, depth + 1);
			break;
		default:
			break;
		}
	} while (next_sibling(&die));
}

static bool find_function(struct lode_inlines *inlines, uint64_t address, Dwarf_Die *die)
{
	uint32_t i;
	struct unit *unit;

	if (!inlines->has_units)
		read_units(inlines);
	i = ranges_find(&inlines->unit_ranges, address);
	if (i == LODE_NONE)
		return false;
	unit = &inlines->units.at[i];
	if (!unit->is_read) {
		unit->is_read = true;
		if (dwarf_offdie(inlines->dwarf, inlines->unit_ranges.dies.at[i], die))
			read_functions(&unit->functions, die, 0);
		lode_symtab_settle(&unit->functions.table, LODE_SYMTAB_LAST_WINS);
	}
	i = ranges_find(&unit->functions, address);
	return i != LODE_NONE &&
	       dwarf_offdie(inlines->dwarf, unit->functions.dies.at[i], die) != NULL;
}

/* ---- Opening ---- */

struct lode_inlines *lode_inlines_open(const char *path, bool keep_mangled, struct lode_error *err)
{
	struct lode_inlines *inlines;
	struct lode_dwarf opened;

	if (lode_dwarf_open(&opened, path, err) < 0)
		return NULL;
	inlines = lode_alloc0(1, sizeof(*inlines));
	inlines->opened = opened;
	inlines->dwarf = opened.dwarf;
	inlines->keep_mangled = keep_mangled;
	return inlines;
}

void lode_inlines_free(struct lode_inlines *inlines)
{
	if (!inlines)
		return;
	lode_dwarf_close(&inlines->opened);
	ranges_release(&inlines->unit_ranges);
	lode_vec_release_each(&inlines->units, it, ranges_release(&it->functions));
	lode_arena_release(&inlines->arena);
	lode_map_release(&inlines->known);
	lode_vec_release(&inlines->answers);
	lode_strings_release(&inlines->files);
	free(inlines);
}

/* ---- Looking up ---- */

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static const char *name_of_inlines(struct lode_inlines *inlines, Dwarf_Die *die)
{
	const char *linkage = string_of(die, DW_AT_linkage_name), *name, *readable;

	if (!linkage)
		linkage = string_of(die, DW_AT_MIPS_linkage_name);
	readable =
		linkage && !inlines->keep_mangled ? lode_demangle(linkage, &inlines->arena) : NULL;
	if (readable)
		return readable;
	name = linkage && inlines->keep_mangled ? linkage : string_of(die, DW_AT_name);
	if (!name)
		name = linkage ? linkage : "[inlined]";
	return lode_arena_strndup(&inlines->arena, name, strlen(name));
}

/* The child of `die` that holds `address` and may hold inlined functions. */
static bool step_in(Dwarf_Die *die, uint64_t address)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (dwarf_haspc(&child, address) > 0) {
				*die = child;
				return true;
			}
			break;
		default:
			break;
		}
	} while (next_sibling(&child));
	return false;
}

static struct answer look_up_inlines(struct lode_inlines *inlines, uint64_t address)
{
	const char *names[MAX_DEPTH];
	struct answer answer = {0};
	Dwarf_Die die;
	uint32_t n = 0;

	if (!find_function(inlines, address, &die))
		return answer;
	for (int depth = 0; n < MAX_DEPTH && depth < 4 * MAX_DEPTH; depth++) {
		if (!step_in(&die, address))
			break;
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			names[n++] = name_of_inlines(inlines, &die);
	}
	if (n) {
		const char **kept = lode_arena_array(&inlines->arena, const char *, n);

		memcpy(kept, names, n * sizeof(*names));
		answer.names = kept;
		answer.n = n;
	}
	return answer;
}

void lode_inlines_find(struct lode_inlines *inlines, uint64_t address, const char *const **names,
		       uint32_t *n)
{
	uint32_t slot = lode_map_number(&inlines->known, address, inlines->answers.n);

	if (slot == inlines->answers.n)
		lode_vec_append(&inlines->answers, look_up_inlines(inlines, address));
	*names = inlines->answers.at[slot].names;
	*n = inlines->answers.at[slot].n;
}

/* ---- Lines ---- */

/* The function at `address`, or what was inlined there at that level; false: not known. */
static bool find_level(struct lode_inlines *inlines, uint64_t address, uint32_t level,
		       Dwarf_Die *die)
{
	if (!find_function(inlines, address, die))
		return false;
	for (int depth = 0; level && depth < 4 * MAX_DEPTH && step_in(die, address); depth++)
		level -= dwarf_tag(die) == DW_TAG_inlined_subroutine;
	return level == 0;
}

/* What is inlined in `die` at the address, directly. */
static bool find_inlined(Dwarf_Die *die, uint64_t address)
{
	for (int depth = 0; depth < 4 * MAX_DEPTH && step_in(die, address); depth++)
		if (dwarf_tag(die) == DW_TAG_inlined_subroutine)
			return true;
	return false;
}

/* Paths may be those that the compiler was given: from the folder in which it ran. */
static const char *absolute(struct lode_inlines *inlines, Dwarf_Die *unit, const char *file)
{
	Dwarf_Attribute attribute;
	const char *folder;
	char *path;
	uint32_t id;

	if (!file || file[0] == '/')
		return file;
	folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	if (!folder)
		return file;
	path = lode_path_join(folder, strncmp(file, "./", 2) == 0 ? file + 2 : file);
	id = lode_strings_intern(&inlines->files, path, strlen(path));
	free(path);
	return inlines->files.text.at[id];
}

static struct lode_source_line line_of_call(struct lode_inlines *inlines, Dwarf_Die *inlined)
{
	struct lode_source_line out = {0};
	Dwarf_Attribute attribute;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t n;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
	    !dwarf_diecu(inlined, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, &n) != 0 ||
	    file >= n || !line || line > INT32_MAX)
		return out;
	out.file = absolute(inlines, &unit, dwarf_filesrc(files, file, NULL, NULL));
	out.line = (uint32_t)line;
	return out;
}

static struct lode_source_line line_of_row(struct lode_inlines *inlines, Dwarf_Die *unit,
					   Dwarf_Line *row)
{
	struct lode_source_line out = {0};
	int line = 0;

	if (row && dwarf_lineno(row, &line) == 0 && line > 0) {
		out.file = absolute(inlines, unit, dwarf_linesrc(row, NULL, NULL));
		out.line = (uint32_t)line;
	}
	return out;
}

/* The unit of an address, whether or not a function is known there (assembly). */
static bool find_unit(struct lode_inlines *inlines, uint64_t address, Dwarf_Die *unit)
{
	uint32_t i;

	if (!inlines->has_units)
		read_units(inlines);
	i = ranges_find(&inlines->unit_ranges, address);
	return i != LODE_NONE &&
	       dwarf_offdie(inlines->dwarf, inlines->unit_ranges.dies.at[i], unit) != NULL;
}

struct lode_source_line lode_inlines_line(struct lode_inlines *inlines, uint64_t address,
					  uint32_t level)
{
	struct lode_source_line out = {0};
	Dwarf_Die die, unit;

	if (find_level(inlines, address, level, &die) && find_inlined(&die, address))
		out = line_of_call(inlines, &die);
	if (!out.file && find_unit(inlines, address, &unit))
		out = line_of_row(inlines, &unit, dwarf_getsrc_die(&unit, address));
	return out;
}

bool lode_inlines_span(struct lode_inlines *inlines, uint64_t address, uint32_t level,
		       struct lode_source_line *first, uint32_t *last)
{
	Dwarf_Lines *rows;
	Dwarf_Die die, unit;
	const char *file;
	int line = 0;
	size_t n;

	*first = (struct lode_source_line){0};
	*last = 0;
	if (!find_level(inlines, address, level, &die) || !find_unit(inlines, address, &unit))
		return false;
	file = absolute(inlines, &unit, dwarf_decl_file(&die));
	if (!file || dwarf_decl_line(&die, &line) != 0 || line <= 0)
		return false;
	*first = (struct lode_source_line){file, (uint32_t)line};
	*last = (uint32_t)line;
	if (dwarf_getsrclines(&unit, &rows, &n) != 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		struct lode_source_line at;
		Dwarf_Addr where;
		bool is_end;

		if (dwarf_lineaddr(row, &where) != 0 || dwarf_lineendsequence(row, &is_end) != 0 ||
		    is_end || dwarf_haspc(&die, where) <= 0)
			continue;
		at = line_of_row(inlines, &unit, row);
		if (at.file && at.line > *last && strcmp(at.file, file) == 0)
			*last = at.line;
	}
	return true;
}
