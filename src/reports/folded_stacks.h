/*
 * Folded stacks, "a;b;c cost": what flame graphs are drawn from.
 */
#ifndef LODE_FOLDED_STACKS_H
#define LODE_FOLDED_STACKS_H

#include <stdint.h>
#include <stdio.h>

#include "model/frame.h"

/* One line for each stack with a cost above 0 (by node of the tree), in the order of their texts.
 */
void lode_folded_print(FILE *out, const struct lode_calltree *tree, const int64_t *cost);

#endif
