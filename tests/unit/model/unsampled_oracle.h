/* By the definition in model/unsampled.h, run by run: which stack time without a sample has. */
#ifndef UNSAMPLED_ORACLE_H
#define UNSAMPLED_ORACLE_H

#include "model/stream.h"

/* `events`: one per thread of `stream`, with the stacks of switch-outs, which are replaced. */
void unsampled_oracle(const struct lode_stream *stream, struct lode_events *events);

/* The stack without its kernel frames; all of it when it has no others. */
uint32_t plain_user_part(const struct lode_calltree *tree, uint32_t node);

#endif
