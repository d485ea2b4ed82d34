/*
 * The call tree of a digest with chained stacks, in a tenth of the bytes that its nodes would take.
 *
 * Chained stacks (engine/waits/chain.h) repeat the same stacks behind thousands of links. Cut at
 * its links, the tree falls apart into pieces, and all pieces are parts of one small tree:
 *
 *   main > lock > "→ store" > start > lock > "→ disk"      main > lock            link, base 1
 *   main > poll > "→ store" > start > read                 main > poll            link, base 2
 *                                                          start > lock, read     pieces of both
 *
 * What is written is the tree of pieces, node by node, and the tree itself as runs: stretches of
 * nodes each of which is the child of the one before. A run is told by the piece that it ends with:
 * it consists of all of its callers that are not yet there behind its base. Node ids are as they
 * were.
 *
 *   run 0   a new base: parent and frame of its link; then a run behind it, or none (piece 0)
 *       1   more of the same base
 *       2   elsewhere: parent and length are written, for trees that were merged of several
 */
#pragma once

#include "store/digest_columns.h"

enum lode_tree_run { LODE_TREE_RUN_LINK, LODE_TREE_RUN_SAME, LODE_TREE_RUN_ELSEWHERE };

/* Is there a link in the tree? */
bool lode_digest_tree_is_chained(const struct lode_calltree *tree);

/* Writes the tree of pieces as LODE_COLUMN_NODE_*, and all columns of runs. Gives how many pieces
   there are, the empty one included. */
size_t lode_digest_tree_write(struct lode_digest_columns *out, const struct lode_calltree *tree);

/*
 * Fills `tree`, which has its frames, from the columns of runs; `pieces` is the tree of pieces, of
 * the same frames. At most `limit` nodes are made. Gives NULL, or what is wrong, and in which
 * column.
 */
const char *lode_digest_tree_read(struct lode_calltree *tree, const struct lode_calltree *pieces,
				  struct lode_bytes *columns, uint64_t limit,
				  enum lode_digest_column *column);
