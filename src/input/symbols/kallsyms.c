/* Parses kernel symbols. */
#include "input/symbols/kallsyms.h"

#include "base/ascii.h"
#include "input/symbols/files.h"

/* A kernel with every debugging option has some 30 MB. */
enum { MAX_BYTES = 256 << 20 };

struct line {
	uint64_t address;
	char type;
	char *name, *name_end;
	bool is_module;
};

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
	line->is_module = at != NULL;
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

/* Moves the symbols to where the recording's kernel had them. */
static int relocate(struct lode_symtab *symtab, const struct lode_kallsyms_options *options,
		    const char *path, struct lode_error *err)
{
	struct lode_symtab_entry *entry = symtab->entries.at;
	size_t n = 0, i;
	uint64_t delta;

	for (i = 0; i < symtab->entries.n; i++)
		if (!entry[i].is_module && !strcmp(entry[i].name, options->anchor))
			break;
	if (i == symtab->entries.n)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "no symbol %s, which the recording needs to locate its kernel",
				 options->anchor);
	delta = options->anchor_address - entry[i].start;
	if (!delta)
		return 0;
	for (i = 0; i < symtab->entries.n; i++) {
		if (entry[i].is_module)
			continue;
		entry[n] = entry[i];
		entry[n].start += delta;
		entry[n].end += delta;
		n++;
	}
	symtab->entries.n = n;
	return 0;
}

int lode_kallsyms_parse(struct lode_symtab *symtab, char *text, size_t size, const char *path,
			const struct lode_kallsyms_options *options, struct lode_error *err)
{
	char *at = text, *end = text + size, *newline;
	size_t n_lines = 0, n_symbols = 0;
	uint64_t seen = 0;
	int rc;

	*end = '\0';
	lode_vec_reserve(&symtab->entries, size / 45 + 1); /* a typical line */
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
		if (!is_wanted(&line))
			continue;
		*line.name_end = '\0';
		lode_symtab_add(symtab, line.address, 0, line.name, binding_of(line.type));
		symtab->entries.at[symtab->entries.n - 1].is_module = line.is_module;
	}
	if (n_symbols * 2 <= n_lines)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "not a kallsyms file: lines \"address type name\" expected");
	if (!seen)
		return lode_fail(err, LODE_ERR_FORMAT, path, -1,
				 "all addresses are zero: the kernel hid them; copy /proc/kallsyms "
				 "as root, or after sysctl kernel.kptr_restrict=0");
	if (options->anchor) {
		rc = relocate(symtab, options, path, err);
		if (rc < 0)
			return rc;
	}
	lode_symtab_settle(symtab, LODE_SYMTAB_KALLSYMS);
	return 0;
}

int lode_kallsyms_load(struct lode_symtab *symtab, char **text, const char *path,
		       const struct lode_kallsyms_options *options, struct lode_error *err)
{
	size_t size;
	int rc = lode_file_read(text, &size, path, MAX_BYTES, err);

	if (rc < 0)
		return rc;
	rc = lode_kallsyms_parse(symtab, *text, size, path, options, err);
	if (rc < 0) {
		lode_symtab_release(symtab);
		free(*text);
		*text = NULL;
	}
	return rc;
}
