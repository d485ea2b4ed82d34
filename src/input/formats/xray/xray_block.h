/*
 * One buffer of a flight data recorder log, decoded: events with XRay's own function ids, and what
 * the buffer tells of the call stack around it.
 *
 *   before     main > read > [buffer:  > lock < lock < read > write > lock ]
 *   `exits`    read                    left here, entered before
 *   `opens`    write lock              entered here, not left
 *
 * By these one sees whether the buffer can follow the one before (xray_fdr.c).
 */
#pragma once

#include "model/calls.h"
#include "input/formats/xray/xray_ticks.h"

struct lode_xray_block {
	LODE_VEC(struct lode_call_event) events; /* at[0] is room for the caller's; n counts it */
	LODE_VEC(uint32_t) exits, opens;
	const char *fault; /* what stopped decoding before the end, or NULL */
	size_t fault_at;   /* bytes into the buffer */
};

/* `version` of the log. The block's storage is used again. */
void lode_xray_block_decode(struct lode_xray_block *block, const uint8_t *bytes, size_t size,
			    unsigned version, const struct lode_ticks *ticks);
void lode_xray_block_release(struct lode_xray_block *block);
