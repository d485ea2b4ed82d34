/*
 * Which modules of a recording matter to the command that was recorded.
 */
#pragma once

#include "model/stream.h"
#include "model/symptom.h"

/* The life of each thread of the command, from its exec; without a command, of every thread. */
void lode_command_lives(lode_symptom_vec *out, const struct lode_stream *stream);

/*
 * The processes that the symptoms' lines can name: their own, and those on their critical paths.
 * Keys of `pids`.
 */
void lode_relevant_processes(struct lode_map *pids, const struct lode_stream *stream,
			     const lode_symptom_vec *symptoms);

/*
 * One flag per module name (string id of the stream's tree): does a stack of the command pass
 * through it, or one of a thread that it waited for meanwhile, near or far? Without a recorded
 * command all do. To be freed.
 */
int lode_relevant_modules(bool **out, const struct lode_stream *stream, struct lode_error *err);
