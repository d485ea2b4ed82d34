/* Quoted cells, and which delimiter a table has. */
#include "base/delimited.h"

struct lode_slice lode_cells_unquote(struct lode_cells *cells)
{
	char *start = cells->at + 1, *out = start, *p = start;

	for (; p < cells->end; p++) {
		if (*p == '"') {
			if (p + 1 == cells->end || p[1] != '"')
				break;
			p++;
		}
		*out++ = *p;
	}
	cells->is_odd |= p == cells->end || (p + 1 < cells->end && p[1] != cells->delimiter);
	p = memchr(p, cells->delimiter, (size_t)(cells->end - p));
	cells->at = p ? p + 1 : NULL;
	return (struct lode_slice){start, (size_t)(out - start)};
}

struct lode_slice lode_cells_name(struct lode_slice cell)
{
	size_t len;

	do {
		len = cell.len;
		cell = lode_slice_trim(cell);
		if (cell.len && (*cell.at == '#' || *cell.at == '"')) {
			cell.at++;
			cell.len--;
		}
		cell.len -= lode_slice_ends(cell, "\"");
	} while (cell.len < len);
	return cell;
}

char lode_cells_delimiter(const char *header, size_t len, const char *delimiters)
{
	char best = '\0';
	size_t most = 0;

	for (; *delimiters; delimiters++) {
		size_t n = 0;

		for (size_t i = 0; i < len; i++)
			n += header[i] == *delimiters;
		if (n > most) {
			most = n;
			best = *delimiters;
		}
	}
	return best;
}

char lode_cells_stated_delimiter(const char *line, size_t len)
{
	len -= len && line[len - 1] == '\r';
	return len == 5 && !memcmp(line, "sep=", 4) ? line[4] : '\0';
}
