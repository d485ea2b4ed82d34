/*
 * Whether a stack matches the pattern of a signature: the definition, frame by frame.
 */
#ifndef LODE_TEST_PATTERN_ORACLE_H
#define LODE_TEST_PATTERN_ORACLE_H

#include "model/signature_pattern.h"

/* Whether the glob of a step matches the frame: by its function, "module!function", or label. */
bool pattern_step_matches(const char *glob, const struct lode_calltree *tree, uint32_t frame);

bool pattern_holds(const struct lode_signature_step *steps, size_t n,
		   const struct lode_calltree *tree, uint32_t stack);

#endif
