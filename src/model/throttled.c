/* Threads that the CPU limit of their cgroup took off the CPU. */
#include "model/throttled.h"

/* What a function is to this. */
enum role {
	ANY_ROLE,
	TASK_WORK, /* of whatever kind, or the one that throttles */
	SCHEDULER,
};

/* What a stack ends with. */
enum stage {
	ELSEWHERE,
	IN_TASK_WORK,
	LEAVING, /* task work, and nothing but the scheduler behind it */
};

static bool is_one_of(const char *function, const char *const *names)
{
	while (*names && strcmp(function, *names) != 0)
		names++;
	return *names;
}

static enum role role_of(const struct lode_calltree *tree, uint32_t frame)
{
	static const char *const task_work[] = {"task_work_run", "throttle_cfs_rq_work", NULL};
	static const char *const scheduler[] = {
		"__schedule",
		"schedule",
		"__cond_resched",
		"preempt_schedule",
		"preempt_schedule_common",
		"preempt_schedule_thunk",
		NULL,
	};
	const char *function;

	if (!(tree->frames.at[frame].flags & LODE_FRAME_KERNEL))
		return ANY_ROLE;
	function = lode_frame_function(tree, frame);
	if (is_one_of(function, task_work))
		return TASK_WORK;
	return is_one_of(function, scheduler) ? SCHEDULER : ANY_ROLE;
}

static enum stage stage_of(enum role role, enum stage caller)
{
	if (role == TASK_WORK)
		return IN_TASK_WORK;
	return caller != ELSEWHERE && role == SCHEDULER ? LEAVING : ELSEWHERE;
}

bool *lode_throttled_stacks(const struct lode_calltree *tree)
{
	bool *throttled = lode_alloc0(tree->nodes.n, sizeof(*throttled));
	uint8_t *stage = lode_alloc0(tree->nodes.n, sizeof(*stage));
	uint8_t *role = lode_alloc(tree->frames.n + 1);

	for (uint32_t frame = 0; frame < tree->frames.n; frame++)
		role[frame] = (uint8_t)role_of(tree, frame);
	/* Node 0 is the empty stack; parents have smaller ids. */
	for (uint32_t i = 1; i < tree->nodes.n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];

		stage[i] = (uint8_t)stage_of((enum role)role[node->frame],
					     (enum stage)stage[node->parent]);
		throttled[i] = stage[i] == LEAVING;
	}
	free(role);
	free(stage);
	return throttled;
}
