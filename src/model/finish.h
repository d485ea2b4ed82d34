/*
 * The last step of building a stream: raw stacks become nodes of the call tree, and what only the
 * frames tell is decided: why a thread waited, which device woke it, who is a kernel thread.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct lode_stream;

/*
 * `node_of_raw[raw]` is the node of each raw id; an id outside has no stack. Afterwards it is that
 * without the tracers at the leaf (tracers.h). Also extends `stream->stack_flags` to all nodes and
 * sets LODE_STACK_USER. O(events + nodes).
 */
void lode_stream_resolve(struct lode_stream *stream, uint32_t *node_of_raw, size_t n_raw);
