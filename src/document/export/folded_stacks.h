/*
 * Folded stacks, "a;b;c cost": what flame graphs are drawn from.
 */
#pragma once

#include <stdio.h>

#include "model/frame.h"

/* One line for each stack with a cost above 0 (by node of the tree), in the order of their texts.
 */
void lode_folded_print(FILE *out, const struct lode_calltree *tree, const int64_t *cost);

/* The same with two costs, for stacks where either is above 0: "a;b;c 31 33". */
void lode_folded_print_two(FILE *out, const struct lode_calltree *tree, const int64_t *first,
			   const int64_t *second);
