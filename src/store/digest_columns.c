/* Columns of a digest file. */
#include "store/digest_columns.h"

static const char *const names[LODE_N_DIGEST_COLUMNS] = {
	[LODE_COLUMN_ORIGIN] = "origin",
	[LODE_COLUMN_COUNTS] = "counts",
	[LODE_COLUMN_STRING_NULS] = "string NULs",
	[LODE_COLUMN_STRING_TEXT] = "strings",
	[LODE_COLUMN_FRAME_MODULE] = "frame modules",
	[LODE_COLUMN_FRAME_FUNCTION] = "frame functions",
	[LODE_COLUMN_FRAME_FLAGS] = "frame flags",
	[LODE_COLUMN_NODE_PARENT] = "node parents",
	[LODE_COLUMN_NODE_FRAME] = "node frames",
	[LODE_COLUMN_STREAMS] = "streams",
	[LODE_COLUMN_SYMPTOM_STREAM] = "symptom streams",
	[LODE_COLUMN_SYMPTOM_PID] = "symptom pids",
	[LODE_COLUMN_SYMPTOM_TID] = "symptom tids",
	[LODE_COLUMN_SYMPTOM_COMM] = "symptom comms",
	[LODE_COLUMN_SYMPTOM_T0] = "symptom starts",
	[LODE_COLUMN_SYMPTOM_LENGTH] = "symptom lengths",
	[LODE_COLUMN_ROW_SYMPTOM] = "row symptoms",
	[LODE_COLUMN_ROW_STACK] = "row stacks",
	[LODE_COLUMN_ROW_KIND] = "row kinds",
	[LODE_COLUMN_ROW_REASON] = "row reasons",
	[LODE_COLUMN_ROW_WAKER] = "row wakers",
	[LODE_COLUMN_ROW_COST] = "row costs",
	[LODE_COLUMN_ROW_EVENTS] = "row events",
	[LODE_COLUMN_ROW_WORST_T0] = "row worst starts",
	[LODE_COLUMN_ROW_WORST_COST] = "row worst costs",
	[LODE_COLUMN_NAME_STACKS] = "name stacks",
	[LODE_COLUMN_NAME_CALLEES] = "name callees",
	[LODE_COLUMN_NAME_CALLERS] = "name callers",
	[LODE_COLUMN_PAIR_CALLER] = "pair callers",
	[LODE_COLUMN_PAIR_CALLEE] = "pair callees",
	[LODE_COLUMN_PAIR_COUNT] = "pair counts",
	[LODE_COLUMN_RUN_COUNTS] = "run counts",
	[LODE_COLUMN_RUN_KIND] = "run kinds",
	[LODE_COLUMN_RUN_PIECE] = "run pieces",
	[LODE_COLUMN_LINK_PARENT] = "link parents",
	[LODE_COLUMN_LINK_FRAME] = "link frames",
	[LODE_COLUMN_RUN_PARENT] = "run parents",
	[LODE_COLUMN_RUN_LENGTH] = "run lengths",
	[LODE_COLUMN_STREAM_CLOCK] = "stream clocks",
	[LODE_COLUMN_ROW_UNSAMPLED] = "row unsampled",
	[LODE_COLUMN_ROW_RUNNERS] = "row runners",
	[LODE_COLUMN_RUNNER_NAME] = "runner names",
	[LODE_COLUMN_RUNNER_COST] = "runner costs",
	[LODE_COLUMN_STREAM_SUBJECT] = "stream subjects",
	[LODE_COLUMN_SYMPTOM_CPU] = "symptom CPU times",
};

const char *lode_digest_column_name(enum lode_digest_column column)
{
	return names[column];
}

void lode_digest_columns_release(struct lode_digest_columns *columns)
{
	for (size_t i = 0; i < LODE_N_DIGEST_COLUMNS; i++)
		lode_vec_release(&columns->at[i]);
}
