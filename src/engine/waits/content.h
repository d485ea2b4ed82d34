/*
 * Content filter of an area of interest: which stacks pass the --include and --exclude globs.
 */
#pragma once

#include "engine/waits/aoi.h"

/*
 * Drops the digest's rows whose stacks do not pass, see struct lode_aoi_options. Each frame is
 * matched once: O(frames * globs + nodes + rows). A glob is tried on "function" and
 * "module!function"; on frames without a symbol as "[module]", and on links as "→ comm" alone, so
 * that the name of a thread is not taken for a function's.
 */
void lode_content_filter(struct lode_digest *digest, const struct lode_aoi_options *options);
