/*
 * Where text goes: how wide its lines may be, and whether a terminal shows it.
 */
#pragma once

#include <stdbool.h>

struct lode_text_page {
	unsigned columns;
	bool is_terminal; /* escape sequences for bold are fine */
};
