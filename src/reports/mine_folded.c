#include <stdlib.h>
#include <string.h>

#include "reports/mine_report.h"

/* A frame's name where ";" parts frames and a blank the cost: those in it must not. */
static void put_frame(FILE *out, const char *label)
{
	for (; *label; label++) {
		unsigned char c = (unsigned char)*label;

		fputc(c == ';' ? ':' : c < 0x20 || c == 0x7f ? '?' : c, out);
	}
}

static void put_stack(FILE *out, const struct lode_calltree *tree, uint32_t stack, uint32_t *frames)
{
	size_t n = lode_calltree_path(tree, stack, frames);
	char label[4096];

	for (size_t i = 0; i < n; i++) {
		fputs(i ? ";" : "", out);
		put_frame(out, lode_frame_label(tree, frames[i], label, sizeof(label)));
	}
	if (n == 0)
		fputs("[no stack]", out);
}

void lode_mine_report_folded(FILE *out, const struct lode_digest *digest)
{
	const struct lode_calltree *tree = &digest->tree;
	int64_t *cost = lode_alloc0(tree->nodes.n, sizeof(*cost));
	uint32_t deepest = 0, *frames;

	for (size_t i = 0; i < digest->rows.n; i++)
		cost[digest->rows.at[i].stack] += digest->rows.at[i].cost_ns;
	for (size_t i = 0; i < tree->nodes.n; i++) {
		if (tree->nodes.at[i].depth > deepest)
			deepest = tree->nodes.at[i].depth;
	}
	frames = lode_alloc((deepest + 1) * sizeof(*frames));
	for (size_t i = 0; i < tree->nodes.n; i++) {
		if (cost[i] <= 0)
			continue;
		put_stack(out, tree, (uint32_t)i, frames);
		fprintf(out, " %lld\n", (long long)cost[i]);
	}
	free(frames);
	free(cost);
}
