/*
 * Where text goes: how wide its lines may be, and whether it may have colours.
 */
#pragma once

#include <stdbool.h>

struct lode_text_page {
	unsigned columns;
	bool has_color; /* escape sequences of terminals are fine (document/style.h) */
	/* Of a terminal: it may have links to files of this host; a fragment may be their line. */
	bool has_links, has_link_lines;
	char host[65]; /* "" unknown */
};
