/*
 * A digest as columns of bytes: each kind of number by itself, as the small difference to what was
 * to be expected there, so that a general compressor finds little left to do.
 *
 *   stack    17  17  18  21          events   1  1  1  3
 *   written  17  +0  +1  +3          written  1  1  1  3
 *
 * Ids are written as they are: what is read has the same ids in the same order, so analyses of it
 * give the same bytes. docs/formats/digest.md has the columns one by one.
 */
#pragma once

#include "base/error.h"
#include "model/digest.h"
#include "base/varint.h"

/* In the order in which they stand in the file. New ones go to the end of a new version. */
enum lode_digest_column {
	LODE_COLUMN_ORIGIN, /* struct lode_digest_origin: read without the others */
	LODE_COLUMN_COUNTS,
	LODE_COLUMN_STRING_NULS,
	LODE_COLUMN_STRING_TEXT,
	LODE_COLUMN_FRAME_MODULE,
	LODE_COLUMN_FRAME_FUNCTION,
	LODE_COLUMN_FRAME_FLAGS,
	LODE_COLUMN_NODE_PARENT,
	LODE_COLUMN_NODE_FRAME,
	LODE_COLUMN_STREAMS, /* all fields of one after another: there are few */
	LODE_COLUMN_SYMPTOM_STREAM,
	LODE_COLUMN_SYMPTOM_PID,
	LODE_COLUMN_SYMPTOM_TID,
	LODE_COLUMN_SYMPTOM_COMM,
	LODE_COLUMN_SYMPTOM_T0,
	LODE_COLUMN_SYMPTOM_LENGTH,
	LODE_COLUMN_ROW_SYMPTOM,
	LODE_COLUMN_ROW_STACK,
	LODE_COLUMN_ROW_KIND,
	LODE_COLUMN_ROW_REASON,
	LODE_COLUMN_ROW_WAKER,
	LODE_COLUMN_ROW_COST,
	LODE_COLUMN_ROW_EVENTS,
	LODE_COLUMN_ROW_WORST_T0,
	LODE_COLUMN_ROW_WORST_COST,
	LODE_COLUMN_NAME_STACKS,
	LODE_COLUMN_NAME_CALLEES,
	LODE_COLUMN_NAME_CALLERS,
	LODE_COLUMN_PAIR_CALLER,
	LODE_COLUMN_PAIR_CALLEE,
	LODE_COLUMN_PAIR_COUNT,
	/* Of version 2: runs, all empty where the tree has no links (digest_tree.h). */
	LODE_COLUMN_RUN_COUNTS,
	LODE_COLUMN_RUN_KIND,
	LODE_COLUMN_RUN_PIECE,
	LODE_COLUMN_LINK_PARENT,
	LODE_COLUMN_LINK_FRAME,
	LODE_COLUMN_RUN_PARENT,
	LODE_COLUMN_RUN_LENGTH,
	/* Of version 3: empty where no stream says which time of day its times are. */
	LODE_COLUMN_STREAM_CLOCK,
	/* Of version 4: empty where no running row has such time, no ready row says who ran. */
	LODE_COLUMN_ROW_UNSAMPLED,
	LODE_COLUMN_ROW_RUNNERS,
	LODE_COLUMN_RUNNER_NAME,
	LODE_COLUMN_RUNNER_COST,
	/* Of version 6: empty where all subjects are commands, no symptom is measured in CPU time.
	 */
	LODE_COLUMN_STREAM_SUBJECT,
	LODE_COLUMN_SYMPTOM_CPU,
	/* Of version 7: empty where no stream's number of records is known. */
	LODE_COLUMN_STREAM_RECORDS,
	/* Of version 8: empty where the number of occurrences is known of no row, or no symptom has
	   groups. */
	LODE_COLUMN_ROW_ALONE,
	LODE_COLUMN_ROW_GROUPS,
	LODE_COLUMN_ROW_GROUP,
	LODE_COLUMN_SYMPTOM_GROUPS,
	LODE_COLUMN_GROUP_COUNT,
	LODE_N_DIGEST_COLUMNS,
	LODE_N_DIGEST_COLUMNS_1 = LODE_COLUMN_RUN_COUNTS,   /* of version 1 */
	LODE_N_DIGEST_COLUMNS_2 = LODE_COLUMN_STREAM_CLOCK, /* of version 2 */
	LODE_N_DIGEST_COLUMNS_3 = LODE_COLUMN_ROW_UNSAMPLED,
	LODE_N_DIGEST_COLUMNS_4 = LODE_COLUMN_STREAM_SUBJECT, /* of versions 4 and 5 */
	LODE_N_DIGEST_COLUMNS_6 = LODE_COLUMN_STREAM_RECORDS,
	LODE_N_DIGEST_COLUMNS_7 = LODE_COLUMN_ROW_ALONE,
};

const char *lode_digest_column_name(enum lode_digest_column column); /* "row cost" */

/* Columns being written. `{ 0 }` is empty. */
struct lode_digest_columns {
	lode_byte_vec at[LODE_N_DIGEST_COLUMNS];
};
void lode_digest_columns_release(struct lode_digest_columns *columns);

/* Appends all columns of `digest`, the origin's apart; `is_flat`: without runs. */
void lode_digest_columns_write(struct lode_digest_columns *columns,
			       const struct lode_digest *digest, bool is_flat);
/* The two columns of a tree's nodes alone. */
void lode_digest_nodes_write(struct lode_digest_columns *columns, const struct lode_calltree *tree);

/*
 * The digest that columns of LODE_N_DIGEST_COLUMNS cursors say; the origin's is not looked at.
 * Nothing in them is trusted: a count is held against the bytes that are left, an id against what
 * it points to, and rows must be in order. At most `node_limit` nodes come of runs, which alone
 * hold more items than bytes. `path` is for messages; their offset is where the column is in the
 * file (its cursor's base).
 */
int lode_digest_columns_read(struct lode_digest **out, struct lode_bytes *columns,
			     uint64_t node_limit, const char *path, struct lode_error *err);
