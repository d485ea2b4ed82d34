#include "symbols/inlines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "symbols/demangle.h"

/* The compiler's nesting is far below; a file that says more is broken. */
enum { MAX_DEPTH = 64 };

struct answer {
	const char *const *names;
	uint32_t n;
};

struct lode_inlines {
	Dwarf *dwarf;
	int fd;
	bool keep_mangled;
	struct lode_arena arena;
	struct lode_map known; /* address -> index into answers */
	LODE_VEC(struct answer) answers;
};

struct lode_inlines *lode_inlines_open(const char *path, bool keep_mangled)
{
	struct lode_inlines *inlines;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Dwarf *dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);

	if (!dwarf) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	inlines = lode_alloc0(1, sizeof(*inlines));
	inlines->dwarf = dwarf;
	inlines->fd = fd;
	inlines->keep_mangled = keep_mangled;
	return inlines;
}

void lode_inlines_free(struct lode_inlines *inlines)
{
	if (!inlines)
		return;
	dwarf_end(inlines->dwarf);
	close(inlines->fd);
	lode_arena_release(&inlines->arena);
	lode_map_release(&inlines->known);
	lode_vec_release(&inlines->answers);
	free(inlines);
}

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static const char *name_of(struct lode_inlines *inlines, Dwarf_Die *die)
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
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_namespace:
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
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static struct answer look_up(struct lode_inlines *inlines, uint64_t address)
{
	const char *names[MAX_DEPTH];
	struct answer answer = {0};
	Dwarf_Die die;
	uint32_t n = 0;

	if (!dwarf_addrdie(inlines->dwarf, address, &die))
		return answer;
	for (int depth = 0; n < MAX_DEPTH && depth < 4 * MAX_DEPTH; depth++) {
		if (!step_in(&die, address))
			break;
		if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
			names[n++] = name_of(inlines, &die);
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
	uint32_t *slot = lode_map_slot(&inlines->known, address);

	if (*slot == LODE_NONE) {
		*slot = (uint32_t)inlines->answers.n;
		lode_vec_append(&inlines->answers, look_up(inlines, address));
	}
	*names = inlines->answers.at[*slot].names;
	*n = inlines->answers.at[*slot].n;
}
