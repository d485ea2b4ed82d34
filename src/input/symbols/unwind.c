/* Unwinds user stacks from registers and a stack dump. */
#include "input/symbols/unwind.h"

#include "input/symbols/cfi.h"
#include "input/symbols/dso.h"

/* How a machine's registers are numbered by perf and by DWARF. */
struct machine {
	const char *name;
	uint8_t perf_pc, perf_sp; /* bits of the mask */
	uint8_t sp, fp, n_regs;	  /* DWARF numbers */
	const int8_t *dwarf_of;	  /* perf number -> DWARF number, -1: none */
	uint64_t address_mask;	  /* without pointer authentication and tags */
};

/* ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8 .. r15 */
static const int8_t x86_64_regs[] = {0,	 3,  2,	 1,  4, 5, 6,  7,  16, -1, -1, -1,
				     -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};
/* x0 .. x30, sp, pc: DWARF numbers are the same, but for pc, which has none */
static const int8_t aarch64_regs[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
				      11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
				      22, 23, 24, 25, 26, 27, 28, 29, 30, 31, -1};

static const struct machine machines[] = {
	{"x86_64", 8, 7, 7, 6, sizeof(x86_64_regs), x86_64_regs, UINT64_MAX},
	{"aarch64", 32, 31, 31, 29, sizeof(aarch64_regs), aarch64_regs, ((uint64_t)1 << 48) - 1},
};

/* A module's frame information in this unwinder. */
struct module {
	const struct lode_dso *dso;
	struct lode_cfi *cfi; /* NULL: none */
	bool is_damaged;      /* some of it is left out */
	const struct lode_elf_map *map;
	uint64_t entry; /* where the program starts; 0: unknown */
};

struct lode_unwinder {
	const struct machine *machine;
	struct lode_dso *(*dso_of)(void *context, uint32_t dso);
	void *context;
	struct lode_map index; /* address of a struct lode_dso -> index into modules */
	LODE_VEC(struct module) modules;
	const struct lode_dso *damaged; /* of the last stack */
};

struct lode_unwinder *lode_unwinder_new(const char *machine,
					struct lode_dso *(*dso_of)(void *context, uint32_t dso),
					void *context)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		struct lode_unwinder *unwinder;

		if (!machine || strcmp(machine, machines[i].name) != 0)
			continue;
		unwinder = lode_alloc0(1, sizeof(*unwinder));
		unwinder->machine = &machines[i];
		unwinder->dso_of = dso_of;
		unwinder->context = context;
		return unwinder;
	}
	return NULL;
}

void lode_unwinder_free(struct lode_unwinder *unwinder)
{
	if (!unwinder)
		return;
	lode_vec_release_each(&unwinder->modules, it, lode_cfi_free(it->cfi));
	lode_map_release(&unwinder->index);
	free(unwinder);
}

/* ---- Modules ---- */

static struct module *module_of(struct lode_unwinder *unwinder, uint32_t id)
{
	struct lode_dso *dso = unwinder->dso_of(unwinder->context, id);
	struct lode_elf_file *program, *debug;
	struct module *module;
	GElf_Ehdr header;
	uint32_t slot;

	if (!dso)
		return NULL;
	slot = lode_map_number(&unwinder->index, (uintptr_t)dso, unwinder->modules.n);
	if (slot < unwinder->modules.n)
		return &unwinder->modules.at[slot];
	module = lode_vec_append_zero(&unwinder->modules);
	module->dso = dso;
	lode_dso_open_files(dso, &program, &debug);
	module->map = &dso->map;
	if (program && gelf_getehdr(program->elf, &header))
		module->entry = header.e_entry;
	module->cfi = lode_cfi_new_take(program, debug, &module->is_damaged);
	return module;
}

/* ---- Memory: the part of the stack that was recorded ---- */

struct memory {
	uint64_t start;
	const uint8_t *bytes;
	size_t size;
};

static bool read_stack(void *context, uint64_t address, uint64_t *value)
{
	const struct memory *memory = context;
	uint64_t at = address - memory->start;

	if (at >= memory->size || memory->size - at < sizeof(*value))
		return false;
	memcpy(value, memory->bytes + at, sizeof(*value));
	return true;
}

/* ---- Frames ---- */

struct walk {
	struct lode_unwinder *unwinder;
	const struct lode_stack_dump *dump;
	struct memory memory;
	struct lode_cfi_regs regs;
	uint64_t pc;
	bool is_return_address; /* pc is behind a call, so the call is one byte back */
};

static bool read_registers(struct walk *walk)
{
	const struct machine *machine = walk->unwinder->machine;
	const struct lode_stack_dump *dump = walk->dump;
	bool has_pc = false, has_sp = false;
	size_t n = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t value;

		if (!(dump->mask >> bit & 1))
			continue;
		if (n == dump->n_regs)
			break;
		memcpy(&value, dump->regs + 8 * n++, sizeof(value));
		if (bit == machine->perf_pc) {
			walk->pc = value;
			has_pc = true;
		}
		if (bit == machine->perf_sp) {
			walk->memory.start = value;
			has_sp = true;
		}
		if (bit >= machine->n_regs || machine->dwarf_of[bit] < 0)
			continue;
		walk->regs.value[machine->dwarf_of[bit]] = value;
		walk->regs.valid |= (uint64_t)1 << machine->dwarf_of[bit];
	}
	return has_pc && has_sp;
}

static bool is_code(const struct walk *walk, uint64_t address)
{
	struct lode_place place;

	return lode_spaces_find(walk->dump->spaces, walk->dump->pid, address, &place);
}

/* By the frame pointer, where no module tells better (JIT code): two saved words at fp. */
static bool step_by_frame_pointer(struct walk *walk, uint64_t *return_address)
{
	const struct machine *machine = walk->unwinder->machine;
	uint64_t fp = walk->regs.value[machine->fp], saved;

	if (!(walk->regs.valid >> machine->fp & 1) || !read_stack(&walk->memory, fp, &saved) ||
	    !read_stack(&walk->memory, fp + 8, return_address))
		return false;
	*return_address &= machine->address_mask;
	/* Frames lie above each other; anything else was no frame pointer. */
	if (fp < walk->regs.value[machine->sp] || (saved && saved <= fp) ||
	    !is_code(walk, *return_address - 1))
		return false;
	walk->regs.value[machine->fp] = saved;
	walk->regs.value[machine->sp] = fp + 16;
	walk->regs.valid = (uint64_t)1 << machine->fp | (uint64_t)1 << machine->sp;
	return true;
}

/* Not every _start says that it has no caller: the code at a program's entry is the outermost. */
static bool is_entry(const struct module *module, uint64_t address)
{
	enum { START_BYTES = 64 };

	return module->entry && address - module->entry < START_BYTES;
}

static enum lode_cfi_result step_by_cfi(struct walk *walk, struct lode_cfi_step *step)
{
	const struct machine *machine = walk->unwinder->machine;
	uint64_t lookup = walk->pc - walk->is_return_address, address;
	struct lode_place place;
	struct module *module;
	enum lode_cfi_result result;

	if (!lode_spaces_find(walk->dump->spaces, walk->dump->pid, lookup, &place))
		return LODE_CFI_NO_ROW;
	module = module_of(walk->unwinder, place.dso);
	if (!module || !lode_elf_map_find(module->map, place.address, &address))
		return LODE_CFI_NO_ROW;
	if (is_entry(module, address))
		return LODE_CFI_OK; /* without a return address */
	result = module->cfi ? lode_cfi_step(module->cfi, address, &walk->regs, step, read_stack,
					     &walk->memory)
			     : LODE_CFI_NO_ROW;
	if (result == LODE_CFI_NO_ROW && module->is_damaged && !walk->unwinder->damaged)
		walk->unwinder->damaged = module->dso;
	if (result != LODE_CFI_OK)
		return result;
	step->return_address &= machine->address_mask;
	walk->regs.value[machine->sp] = step->cfa;
	walk->regs.valid |= (uint64_t)1 << machine->sp;
	return LODE_CFI_OK;
}

/* Moves to the caller; false with `end` when there is none. */
static bool step(struct walk *walk, enum lode_unwind_end *end)
{
	struct lode_cfi_step step = {0};
	uint64_t sp = walk->regs.value[walk->unwinder->machine->sp], pc = walk->pc;
	enum lode_cfi_result result = step_by_cfi(walk, &step);

	if (result == LODE_CFI_NO_MEMORY) {
		*end = LODE_UNWIND_CUT;
		return false;
	}
	if (result == LODE_CFI_NO_ROW && !step_by_frame_pointer(walk, &step.return_address)) {
		*end = LODE_UNWIND_STUCK;
		return false;
	}
	if (!step.return_address) {
		*end = LODE_UNWIND_ROOT;
		return false;
	}
	walk->pc = step.return_address;
	walk->is_return_address = !step.is_signal;
	if (walk->pc == pc && walk->regs.value[walk->unwinder->machine->sp] == sp) {
		*end = LODE_UNWIND_STUCK; /* would go on for ever */
		return false;
	}
	return true;
}

size_t lode_unwind(struct lode_unwinder *unwinder, const struct lode_stack_dump *dump,
		   uint64_t *addresses, size_t max, enum lode_unwind_end *end)
{
	struct walk walk = {.unwinder = unwinder,
			    .dump = dump,
			    .memory = {.bytes = dump->stack, .size = dump->stack_bytes}};
	enum lode_unwind_end how = LODE_UNWIND_STUCK;
	size_t n = 0;

	unwinder->damaged = NULL;
	/* LIMIT: of a 32-bit process under a 64-bit kernel only the leaf is told. */
	if (dump->abi && read_registers(&walk) && max) {
		addresses[n++] = walk.pc;
		while (dump->abi == 2 && n < max && step(&walk, &how))
			addresses[n++] = walk.pc + !walk.is_return_address;
		if (n == max)
			how = LODE_UNWIND_CUT;
	}
	if (end)
		*end = how;
	return n;
}

const struct lode_dso *lode_unwinder_damaged(const struct lode_unwinder *unwinder)
{
	return unwinder->damaged;
}
