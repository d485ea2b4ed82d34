/*
 * Where text goes: how wide its lines may be, and whether it may have colours.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct lode_text_page {
	unsigned columns;
	bool has_color; /* escape sequences of terminals are fine */
	/* Of a terminal: it may have links to files of this host; a fragment may be their line. */
	bool has_links, has_link_lines;
	char host[65]; /* "" unknown */
};

/*
 * Colours of text for terminals, by meaning: the hues of the pages (web/src/style/theme.css), as
 * the nearest of 256 that reads on dark and on light.
 */
enum lode_style {
	LODE_STYLE_PLAIN,
	LODE_STYLE_BOLD,
	LODE_STYLE_QUIET,
	LODE_STYLE_ACCENT, /* what may be copied, or followed */
	LODE_STYLE_RUN,	   /* kinds of time: on a CPU, */
	LODE_STYLE_WAIT,   /* waiting, whatever for, */
	LODE_STYLE_READY,  /* ready without a CPU */
	LODE_STYLE_BAD,	   /* worse, new */
	LODE_STYLE_GOOD,   /* better, gone */
	LODE_STYLE_WARN,   /* something is missing, or not to be relied on */
	LODE_N_STYLES,
};

/* "\033[...m", and what ends it; "" without colours or plain. */
const char *lode_style_start(enum lode_style style, bool has_color);
const char *lode_style_end(enum lode_style style, bool has_color);
/*
 * `shown`, which leads to a file of this machine (OSC 8) where the page has links and the path
 * begins with a '/'; to its line where the terminal knows what to do with it, 0: none. `shown` is
 * harmless already; the path may be anything.
 */
void lode_style_link_put(FILE *out, const char *path, unsigned line, const char *shown,
			 const struct lode_text_page *page);
