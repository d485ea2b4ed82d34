/*
 * Fields of a tracepoint's payload as `perf script` prints them, for the tap (model/tap.h).
 *
 *   irq=24 name=virtio1-req.0                   most: name=value
 *   uaddr: 0x7f10a8, op: 0x00000080             syscalls:*: name: value
 *   NR 202 (7f10a8, 80, 2, 0, 0, 0)             raw_syscalls:sys_enter: id, args[]
 *   254,0 WS 65536 () 1234 + 128 none,0,0 [dd]  block:*: dev, rwbs, sector, nr_sector
 *   dd:17 [120] CPU:001                         libtraceevent's plugin for sched_waking: comm, pid
 */
#pragma once

#include "input/formats/text/script_line.h"

/* The field's value, of an array its element's; of text a hash. False if it is not there. */
bool lode_script_value(uint64_t *out, const char *tracepoint, struct lode_slice payload,
		       const char *field, unsigned element);
/* The field as text; an empty one if it is not there. */
struct lode_slice lode_script_text(const char *tracepoint, struct lode_slice payload,
				   const char *field);
