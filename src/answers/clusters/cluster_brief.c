/* A cluster in a few lines. */
#include "answers/clusters/cluster_brief.h"
#include "base/escape.h"
#include "document/units.h"

#include <stdio.h>
#include <string.h>

#include "answers/clusters/headline.h"
#include "answers/clusters/variants.h"
#include "document/findings.h"
#include "base/sorted.h"

/* ---- What it is about ---- */

enum lode_event_kind lode_cluster_kind(const struct lode_cluster *cluster)
{
	unsigned best = 0;

	for (unsigned k = 1; k < LODE_N_EVENT_KINDS; k++) {
		if (cluster->split_ns[k] > cluster->split_ns[best])
			best = k;
	}
	return (enum lode_event_kind)best;
}

enum lode_wait_reason lode_cluster_reason(const struct lode_cluster *cluster)
{
	unsigned best = LODE_REASON_NONE;

	for (unsigned r = LODE_REASON_NONE + 1; r < LODE_N_REASONS; r++) {
		if (cluster->reason_ns[r] > (best ? cluster->reason_ns[best] : 0))
			best = r;
	}
	return (enum lode_wait_reason)best;
}

/* What a cluster's own cost is made of, as its owner sees it. */
struct part {
	const char *name;
	int64_t ns;
};

static int costliest_first(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return LODE_ORDER(y->ns, x->ns) ?: strcmp(x->name, y->name);
}

/*
 * Waits by their reason, whatever others did meanwhile (chained stacks end there); the rest is the
 * symptom's own running and ready time.
 */
static size_t parts_of(struct part *parts, const struct lode_cluster *c)
{
	int64_t run_ns = c->split_ns[LODE_EVENT_RUNNING], ready_ns = c->split_ns[LODE_EVENT_READY];
	int64_t self_ns = c->own_ns;
	size_t n = 0;

	for (unsigned r = LODE_REASON_NONE + 1; r < LODE_N_REASONS; r++) {
		self_ns -= c->reason_ns[r];
		parts[n++] = (struct part){lode_wait_reason_name((enum lode_wait_reason)r),
					   c->reason_ns[r]};
	}
	if (run_ns + ready_ns > 0) {
		int64_t self_run_ns =
			(int64_t)((double)self_ns * (double)run_ns / (double)(run_ns + ready_ns));

		parts[n++] = (struct part){"cpu", self_run_ns};
		parts[n++] = (struct part){"ready", self_ns - self_run_ns};
	} else {
		/* Time of which nothing was recorded: not even whether the thread waited. */
		parts[n++] = (struct part){"unknown", self_ns};
	}
	lode_sort(parts, n, costliest_first);
	return n;
}

const char *lode_cluster_why(char *buffer, size_t size, const struct lode_cluster *cluster)
{
	struct part parts[LODE_N_REASONS + 2];
	size_t n = parts_of(parts, cluster);

	/* The second is said as well when it is a third of the cost. */
	if (n > 1 && parts[1].ns * 3 >= cluster->own_ns && parts[1].ns > 0)
		snprintf(buffer, size, "%s, %s", parts[0].name, parts[1].name);
	else
		snprintf(buffer, size, "%s", parts[0].name);
	return buffer;
}

/* ---- In a few lines ---- */

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

void lode_cluster_brief_build(struct lode_cluster_brief *out, const struct lode_mined *mined,
			      const struct lode_cluster *cluster, struct lode_arena *arena)
{
	char text[BRIEF_LINES * LODE_COMMON_LINE], why[64];

	memset(out, 0, sizeof(*out));
	lode_cluster_why(why, sizeof(why), cluster);
	out->why = lode_arena_strndup(arena, why, strlen(why));
	lode_headline_text(text, sizeof(text), mined, cluster, BRIEF_COLUMNS, BRIEF_COLUMNS,
			   BRIEF_LINES);
	part_lines(out, text, arena);
	lode_variants_short(text, sizeof(text), mined->digest, cluster, BRIEF_COLUMNS);
	out->variants = lode_arena_strndup(arena, text, strlen(text));
}

/* ---- As a finding ---- */

const char *lode_finding_known_by(struct lode_arena *arena, const struct lode_calltree *tree,
				  const uint32_t *common, size_t n_common)
{
	char last[1024] = "";

	for (size_t i = n_common; i-- > 0;) {
		char name[1024];

		lode_frame_full_name(tree, common[i], name, sizeof(name));
		if (i + 1 == n_common)
			memcpy(last, name, sizeof(last));
		if (*name != '[' && strncmp(name, "libc", 4) != 0 && strncmp(name, "ld-", 3) != 0 &&
		    strchr(name, '!'))
			return lode_finding_text(arena, "%s", lode_finding_function(name));
	}
	return n_common ? lode_finding_text(arena, "%s", lode_finding_function(last))
			: "no common function";
}

const char *lode_finding_why(struct lode_arena *arena, const struct lode_cluster *cluster)
{
	char why[200];

	return lode_finding_text(arena, "%s", lode_cluster_why(why, sizeof(why), cluster));
}

const char *lode_who_ran(char *text, size_t size, const struct lode_digest *digest,
			 const struct lode_digest_runner *runners, size_t n, int64_t ready_ns,
			 size_t most)
{
	char name[128], share[LODE_UNITS_BUFFER];
	int64_t rest_ns = ready_ns;
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n && i < most && used < size; i++) {
		lode_escape_fit(name, sizeof(name), digest->tree.strings.text.at[runners[i].name],
				24);
		used += (size_t)snprintf(text + used, size - used, "%s%s %s", i ? ", " : "", name,
					 lode_format_share(share, runners[i].cost_ns, ready_ns));
		rest_ns -= runners[i].cost_ns;
	}
	if (rest_ns > 0 && used < size)
		snprintf(text + used, size - used, "%sothers %s", used ? ", " : "",
			 lode_format_share(share, rest_ns, ready_ns));
	return text;
}
