/*
 * Functions that a format names in each event: text -> the sink's id, asked once per name.
 */
#ifndef LODE_CALL_NAMES_H
#define LODE_CALL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "model/calls.h"

struct lode_call_names {
	struct lode_strings strings;
	LODE_VEC(uint32_t) ids; /* [string id]: the sink's */
};

/* `module` may be NULL; it counts at the first sight of a name only. */
uint32_t lode_call_names_id(struct lode_call_names *names, struct lode_call_sink *sink,
			    const char *module, const char *name, size_t len);
void lode_call_names_release(struct lode_call_names *names);

#endif
