/* Finds the stacks in which threads of Go programs wait for a goroutine. */
#include "model/go_idle.h"

/* What a function is to Go's scheduler, of 1.5 to today. */
enum go_role {
	NO_ROLE,
	LOOKS,	/* for a goroutine, or starts the monitor, by calling one of the others */
	SLEEPS, /* until there is one, or the world goes on */
};

struct go_function {
	const char *name;
	enum go_role role;
};

static enum go_role role_of(const struct lode_calltree *tree, uint32_t frame)
{
	static const struct go_function functions[] = {
		{"runtime.schedule", LOOKS},	    {"runtime.exitsyscall0", LOOKS},
		{"runtime.findRunnable", SLEEPS},   {"runtime.findrunnable", SLEEPS},
		{"runtime.stopm", SLEEPS},	    {"runtime.gcstopm", SLEEPS},
		{"runtime.stoplockedm", SLEEPS},    {"runtime.startlockedm", SLEEPS},
		{"runtime.mstart1", LOOKS},	    {"runtime.sysmon", SLEEPS},
		{"runtime.templateThread", SLEEPS},
	};
	const char *function = lode_frame_function(tree, frame);

	if (tree->frames.at[frame].flags & LODE_FRAME_KERNEL ||
	    strncmp(function, "runtime.", 8) != 0)
		return NO_ROLE;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(function, functions[i].name))
			return functions[i].role;
	return NO_ROLE;
}

uint32_t *lode_go_idle_stacks(struct lode_calltree *tree)
{
	size_t n = tree->nodes.n;
	uint8_t *role = lode_alloc(tree->frames.n + 1);
	uint32_t *idle = lode_alloc0(n, sizeof(*idle));
	bool is_any = false;

	for (uint32_t i = 0; i < tree->frames.n; i++)
		role[i] = (uint8_t)role_of(tree, i);
	/* Parents have smaller ids; nodes from `n` on are those that are added here. */
	for (uint32_t i = 1; i < n; i++) {
		const struct lode_callnode *node = &tree->nodes.at[i];
		uint32_t frame = node->frame, caller = tree->nodes.at[node->parent].frame;

		idle[i] = idle[node->parent];
		if (idle[i] || !node->parent || role[frame] != SLEEPS || role[caller] != LOOKS ||
		    tree->frames.at[frame].module != tree->frames.at[caller].module)
			continue;
		is_any = true;
		idle[i] = lode_calltree_child(
			tree, 0,
			lode_frame_intern(tree, lode_frame_module(tree, frame), LODE_GO_IDLE, 0));
	}
	free(role);
	if (!is_any) {
		free(idle);
		return NULL;
	}
	return idle;
}
