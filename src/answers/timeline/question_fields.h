/*
 * The answers to questions in the document of lode timeline (question_fields.c), and the records
 * that they share with its other parts (fields.c).
 */
#pragma once

#include "answers/timeline/timeline.h"

#define FUNCTION(struct_) LODE_FIELD_OF("function", LODE_TYPE_FRAME, struct_, function, NULL)
/* A time that is never below 0. */
#define LENGTH(key, struct_, member) LODE_FIELD_AS(key, struct_, member, NULL, .is_positive = true)

struct lode_timeline_span {
	int64_t t0_ns, t1_ns;
};

struct lode_timeline_node {
	uint32_t function, caller;
	uint64_t n_calls, total_ns, own_ns;
};
typedef LODE_VEC(struct lode_timeline_node) lode_timeline_nodes;

struct lode_timeline_item {
	const char *kind;
	struct lode_regtime_item of;
	const struct lode_regtime_item *folded; /* `of`, where something is */
	int64_t duration_ns;
	uint32_t function;
	const struct lode_timeline_node *nodes;
	size_t n_nodes;
};
/* `nodes`: room for those of an expression, until the next item is made. */
void lode_timeline_item_make(struct lode_timeline_item *out, lode_timeline_nodes *nodes,
			     const struct lode_regtime_thread *thread,
			     const struct lode_regtime_item *item);

struct lode_timeline_outlier {
	struct lode_outlier of;
	int32_t pid, tid;
};
/* Outlier `i` of the trace. */
void lode_timeline_outlier_make(struct lode_timeline_outlier *out,
				const struct lode_timeline_answer *answer, size_t i);

extern const struct lode_record lode_timeline_leaf_record;   /* of struct lode_leaf */
extern const struct lode_record lode_timeline_spread_record; /* of struct lode_call_spread */
extern const struct lode_record lode_timeline_span_record;
extern const struct lode_record lode_timeline_item_record;
extern const struct lode_record lode_timeline_outlier_record;

/* "functions", "during", "at", "function": those that were asked. Lives in the arena. */
extern const struct lode_record lode_timeline_questions_record;
const struct lode_timeline_questions *
lode_timeline_questions_of(const struct lode_timeline_answer *answer, lode_timeline_nodes *nodes,
			   struct lode_arena *arena);
