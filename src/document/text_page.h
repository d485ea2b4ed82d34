/*
 * Where text goes: how wide its lines may be, and whether it may have colours.
 */
#pragma once

#include <stdbool.h>

struct lode_text_page {
	unsigned columns;
	bool has_color; /* escape sequences of terminals are fine (document/style.h) */
};
