/* Threads that the CPU limit of their cgroup took off the CPU. */
#include "model/throttled.h"

/* What a stack ends with. */
enum stage {
	ELSEWHERE,
	IN_TASK_WORK, /* of whatever kind, or the one that throttles */
	LEAVING,      /* and nothing but the scheduler behind it */
};

static bool is_task_work(const char *function)
{
	return !strcmp(function, "task_work_run") || !strcmp(function, "throttle_cfs_rq_work");
}

static bool is_scheduler(const char *function)
{
	return !strcmp(function, "__schedule") || !strcmp(function, "schedule") ||
	       !strcmp(function, "__cond_resched") || !strcmp(function, "preempt_schedule") ||
	       !strcmp(function, "preempt_schedule_common") ||
	       !strcmp(function, "preempt_schedule_thunk");
}

static enum stage stage_of(const struct lode_calltree *tree, uint32_t frame, enum stage caller)
{
	const char *function;

	if (!(tree->frames.at[frame].flags & LODE_FRAME_KERNEL))
		return ELSEWHERE;
	function = lode_frame_function(tree, frame);
	if (is_task_work(function))
		return IN_TASK_WORK;
	return caller != ELSEWHERE && is_scheduler(function) ? LEAVING : ELSEWHERE;
}

bool *lode_throttled_stacks(const struct lode_calltree *tree)
{
	bool *throttled = lode_alloc0(tree->nodes.n, sizeof(*throttled));
	uint8_t *stage = lode_alloc0(tree->nodes.n, sizeof(*stage));

	/* Node 0 is the empty stack; parents have smaller ids. */
	for (uint32_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];

		stage[i] = (uint8_t)stage_of(tree, node->frame, (enum stage)stage[node->parent]);
		throttled[i] = stage[i] == LEAVING;
	}
	free(stage);
	return throttled;
}
