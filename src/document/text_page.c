/* Colours of terminal text, by meaning, and links. */
#include "document/text_page.h"

#include <string.h>

static const char *const starts[LODE_N_STYLES] = {
	[LODE_STYLE_PLAIN] = "",
	[LODE_STYLE_BOLD] = "\033[1m",
	[LODE_STYLE_QUIET] = "\033[38;5;245m",
	[LODE_STYLE_ACCENT] = "\033[38;5;32m",
	[LODE_STYLE_RUN] = "\033[38;5;172m",
	[LODE_STYLE_WAIT] = "\033[38;5;68m",
	[LODE_STYLE_READY] = "\033[38;5;132m",
	[LODE_STYLE_BAD] = "\033[38;5;167m",
	[LODE_STYLE_GOOD] = "\033[38;5;35m",
	[LODE_STYLE_WARN] = "\033[38;5;136m",
};

const char *lode_style_start(enum lode_style style, bool has_color)
{
	return has_color ? starts[style] : "";
}

const char *lode_style_end(enum lode_style style, bool has_color)
{
	return has_color && style != LODE_STYLE_PLAIN ? "\033[0m" : "";
}

static void put_encoded(FILE *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-._~/+@,=";

	for (; *text; text++)
		fprintf(out, strchr(plain, *text) ? "%c" : "%%%02X", (unsigned char)*text);
}

void lode_style_link_put(FILE *out, const char *path, unsigned line, const char *shown,
			 const struct lode_text_page *page)
{
	if (!page->has_links || *path != '/') {
		fputs(shown, out);
		return;
	}
	fputs("\033]8;;file://", out);
	put_encoded(out, page->host);
	put_encoded(out, path);
	if (line && page->has_link_lines)
		fprintf(out, "#%u", line);
	fprintf(out, "\033\\%s\033]8;;\033\\", shown);
}
