/*
 * Functions that a format names in each event: text -> the sink's id, asked once per name.
 */
#pragma once

#include "base/map.h"
#include "model/calls.h"

struct lode_call_names {
	struct lode_strings strings;
	/* String id + 1 of a name lately seen, by what its ends look like; 0: none. Traces name the
	   same few functions again and again. */
	uint32_t recent[256];
	LODE_VEC(uint32_t) ids; /* [string id]: the sink's, LODE_NONE if not asked yet */
};

/* `module` may be NULL; it counts at the first sight of a name only. */
uint32_t lode_call_names_id(struct lode_call_names *names, struct lode_call_sink *sink,
			    const char *module, const char *name, size_t len);
/* In two steps, where a text may turn out not to be a function: its string id, then the sink's. */
uint32_t lode_call_names_string(struct lode_call_names *names, const char *name, size_t len);
uint32_t lode_call_names_of(struct lode_call_names *names, struct lode_call_sink *sink,
			    const char *module, uint32_t string);
void lode_call_names_release(struct lode_call_names *names);
