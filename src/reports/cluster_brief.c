/* A cluster in a few lines. */
#include "reports/cluster_brief.h"

#include <string.h>

#include "reports/common_part.h"
#include "reports/mine_report.h"
#include "reports/variants.h"

enum { BRIEF_COLUMNS = 110, BRIEF_LINES = 3 };

static void part_lines(struct lode_cluster_brief *out, char *text, struct lode_arena *arena)
{
	out->lines = lode_arena_array(arena, const char *, BRIEF_LINES);
	for (char *line = text, *end; line && *line && out->n_lines < BRIEF_LINES; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		out->lines[out->n_lines++] = lode_arena_strndup(arena, line, strlen(line));
	}
}

void lode_cluster_brief_build(struct lode_cluster_brief *out, const struct lode_digest *digest,
			      const struct lode_cluster *cluster, struct lode_arena *arena)
{
	char text[BRIEF_LINES * LODE_COMMON_LINE], why[64];
	struct lode_mainline mainline = {0};

	memset(out, 0, sizeof(*out));
	lode_cluster_why(why, sizeof(why), cluster);
	out->why = lode_arena_strndup(arena, why, strlen(why));
	lode_mainline_build(&mainline, cluster);
	lode_common_part_short(text, sizeof(text), digest, mainline.frames.at,
			       mainline.gap_before.at, mainline.frames.n, BRIEF_COLUMNS,
			       BRIEF_COLUMNS, BRIEF_LINES);
	lode_mainline_release(&mainline);
	part_lines(out, text, arena);
	lode_variants_short(text, sizeof(text), digest, cluster, BRIEF_COLUMNS);
	out->variants = lode_arena_strndup(arena, text, strlen(text));
}
