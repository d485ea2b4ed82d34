/* Parses kernel symbols. */
#include "input/symbols/kallsyms.h"

#include "base/ascii.h"
#include "input/symbols/files.h"

/* A kernel with every debugging option has some 30 MB. */
enum { MAX_BYTES = 256 << 20, PAGE_BYTES = 4096 };

struct line {
	uint64_t address;
	char type;
	char *name, *name_end;
	const char *module; /* NULL: the kernel itself */
};

/* The name between the brackets at `at`; NULL: there are none. */
static const char *parse_module(char *at, char *end)
{
	char *close = at < end && *at == '[' ? memchr(at, ']', (size_t)(end - at)) : NULL;

	if (!close)
		return NULL;
	*close = '\0';
	return at + 1;
}

/* One line "address type name[\t[module]]"; false when it is something else. */
static bool parse_line(char *at, char *end, struct line *line)
{
	char *start = at;
	int digit;

	line->address = 0;
	for (; at < end && (digit = lode_hex_digit(*at)) >= 0; at++)
		line->address = line->address << 4 | (unsigned)digit;
	if (at == start || at - start > 16 || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	line->type = at[1];
	line->name = at + 3;
	at = memchr(line->name, '\t', (size_t)(end - line->name));
	line->module = at ? parse_module(at + 1, end) : NULL;
	line->name_end = at ? at : end;
	if (!at && line->name_end[-1] == '\r')
		line->name_end--;
	return line->name_end > line->name && line->name[0];
}

/* Functions and data, defined: t w d b. Data is kept because it ends the function before it. */
static bool is_wanted(const struct line *line)
{
	switch (line->type | 0x20) {
	case 't':
	case 'w':
	case 'd':
	case 'b':
		return line->name[0] != '$'; /* mapping symbols of ARM and RISC-V */
	default:
		return false;
	}
}

static enum lode_binding binding_of(char type)
{
	if (type == 'W')
		return LODE_BINDING_WEAK;
	return type >= 'A' && type <= 'Z' ? LODE_BINDING_GLOBAL : LODE_BINDING_LOCAL;
}

/* ---- The kernel ---- */

static bool is_kernel_half(uint64_t address)
{
	return address >> 63;
}

/* Moves the kernel's symbols to their recorded addresses. Offsets of per-CPU data are no addresses.
 */
static int relocate(struct lode_kallsyms *out, const struct lode_kallsyms_options *options,
		    const char *path, struct lode_error *err)
{
	struct lode_symtab_entry *entry = out->kernel.entries.at;
	size_t n = out->kernel.entries.n, i;
	bool half;

	for (i = 0; i < n; i++)
		if (!strcmp(entry[i].name, options->anchor))
			break;
	if (i == n)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "no symbol %s, whose address the recording has", options->anchor);
	half = is_kernel_half(entry[i].start);
	out->moved_by = options->anchor_address - entry[i].start;
	if (!out->moved_by)
		return 0;
	for (i = 0; i < n; i++) {
		if (is_kernel_half(entry[i].start) != half)
			continue;
		entry[i].start += out->moved_by;
		entry[i].end += out->moved_by;
	}
	return 0;
}

static void add_symbol(struct lode_kallsyms *out, struct line *line)
{
	enum lode_binding binding = binding_of(line->type);

	*line->name_end = '\0';
	if (line->module)
		lode_vec_append(&out->modules,
				((struct lode_module_symbol){
					.address = line->address,
					.name = line->name,
					.module = line->module,
					.binding = binding,
					.is_code = strchr("tTwW", line->type) != NULL}));
	else
		lode_symtab_add(&out->kernel, line->address, 0, line->name, binding);
}

int lode_kallsyms_parse(struct lode_kallsyms *out, char *text, size_t size, const char *path,
			const struct lode_kallsyms_options *options, struct lode_error *err)
{
	char *at = text, *end = text + size, *newline;
	size_t n_lines = 0, n_symbols = 0;
	uint64_t seen = 0;
	int rc;

	*out = (struct lode_kallsyms){.text = text};
	*end = '\0';
	lode_vec_reserve(&out->kernel.entries, size / 45 + 1); /* a typical line */
	for (; at < end; at = newline + 1) {
		struct line line;

		newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline)
			newline = end;
		n_lines++;
		if (!parse_line(at, newline, &line))
			continue;
		n_symbols++;
		seen |= line.address;
		if (is_wanted(&line))
			add_symbol(out, &line);
	}
	if (n_symbols * 2 <= n_lines)
		rc = lode_fail(err, LODE_ERR_FORMAT, path, -1,
			       "not a kallsyms file: lines \"address type name\" expected");
	else if (!seen)
		rc = lode_fail(err, LODE_ERR_FORMAT, path, -1,
			       "all addresses are zero: the kernel hid them; copy /proc/kallsyms "
			       "as root, or after sysctl kernel.kptr_restrict=0");
	else
		rc = relocate(out, options, path, err);
	if (rc < 0)
		lode_kallsyms_release(out);
	else
		lode_symtab_settle(&out->kernel, LODE_SYMTAB_ELF);
	return rc;
}

int lode_kallsyms_load(struct lode_kallsyms *out, const char *path,
		       const struct lode_kallsyms_options *options, struct lode_error *err)
{
	size_t size;
	char *text;
	int rc = lode_file_read(&text, &size, path, MAX_BYTES, err);

	*out = (struct lode_kallsyms){0};
	return rc < 0 ? rc : lode_kallsyms_parse(out, text, size, path, options, err);
}

void lode_kallsyms_release(struct lode_kallsyms *kallsyms)
{
	lode_symtab_release(&kallsyms->kernel);
	lode_vec_release(&kallsyms->modules);
	free(kallsyms->text);
	*kallsyms = (struct lode_kallsyms){0};
}

/* ---- Modules ---- */

/*
 * How far a module moved between the file's boot and the recording; false: it does not fit into its
 * recorded place. The file does not have the module's start, but its first function lies in its
 * first page: code comes first in a module, and functions first in code.
 */
static bool module_move(const struct lode_kallsyms *kallsyms, const char *module, uint64_t start,
			uint64_t size, uint64_t *move)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < kallsyms->modules.n; i++) {
		const struct lode_module_symbol *symbol = &kallsyms->modules.at[i];

		if (!symbol->is_code || strcmp(symbol->module, module) != 0)
			continue;
		first = symbol->address < first ? symbol->address : first;
		last = symbol->address > last ? symbol->address : last;
	}
	if (first > last)
		return false;
	*move = 0;
	if (!kallsyms->moved_by && first >= start && last - start < size)
		return true; /* the same boot */
	*move = start / PAGE_BYTES * PAGE_BYTES - first / PAGE_BYTES * PAGE_BYTES;
	return first + *move >= start && last + *move - start < size;
}

bool lode_kallsyms_add_module(struct lode_symtab *symtab, const struct lode_kallsyms *kallsyms,
			      const char *module, uint64_t start, uint64_t size)
{
	uint64_t move;

	if (!module_move(kallsyms, module, start, size, &move))
		return false;
	for (size_t i = 0; i < kallsyms->modules.n; i++) {
		const struct lode_module_symbol *symbol = &kallsyms->modules.at[i];

		if (!strcmp(symbol->module, module))
			lode_symtab_add(symtab, symbol->address + move, 0, symbol->name,
					symbol->binding);
	}
	lode_symtab_settle(symtab, LODE_SYMTAB_ELF);
	return true;
}
