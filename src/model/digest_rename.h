/*
 * Functions of a digest get other names, or are left out, in all of its stacks.
 */
#pragma once

#include "model/digest.h"

/*
 * frame_of[f]: the frame that f becomes; LODE_NONE: it is left out, and its callees get its caller
 * as theirs. Frames and strings keep their ids. Rows that become alike in all but their costs stay
 * two, next to each other. O(nodes + rows log rows).
 */
void lode_digest_rename(struct lode_digest *digest, const uint32_t *frame_of);
