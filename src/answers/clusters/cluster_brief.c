/* A cluster in a few lines. */
#include "answers/clusters/cluster_brief.h"
#include "base/escape.h"
#include "document/units.h"

#include "answers/clusters/common_part.h"
#include "answers/clusters/headline.h"
#include "answers/clusters/variants.h"
#include "document/findings.h"
#include "document/table.h"
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

LODE_COMPARE(costliest_first, struct lode_cluster_part,
	     LODE_ORDER(b->cost_ns, a->cost_ns) ?: strcmp(a->name, b->name))

size_t lode_cluster_parts(struct lode_cluster_part parts[LODE_CLUSTER_PARTS],
			  const struct lode_cluster *c)
{
	const int64_t *run_ns = c->kind_reason_ns[LODE_EVENT_RUNNING];
	const int64_t *wait_ns = c->kind_reason_ns[LODE_EVENT_WAITING];
	struct lode_cluster_part all[LODE_CLUSTER_PARTS] = {
		{"ready", lode_cluster_contended_ns(c)},
		{"cpu", run_ns[LODE_REASON_NONE]},
		{"unknown", wait_ns[LODE_REASON_NONE] + c->ready_unknown_ns},
	};
	size_t n_all = 3, n = 0;

	for (unsigned r = LODE_REASON_NONE + 1; r < LODE_N_REASONS; r++)
		all[n_all++] =
			(struct lode_cluster_part){lode_wait_reason_name((enum lode_wait_reason)r),
						   run_ns[r] + wait_ns[r]};
	for (size_t i = 0; i < n_all; i++)
		if (all[i].cost_ns > 0)
			parts[n++] = all[i];
	lode_sort(parts, n, costliest_first);
	return n;
}

size_t lode_cluster_ends(struct lode_cluster_part ends[LODE_N_ENDS], const struct lode_cluster *c)
{
	size_t n = 0;

	for (unsigned e = 0; e < LODE_N_ENDS; e++) {
		int64_t sum_ns = 0;

		for (unsigned r = 0; r < LODE_N_REASONS; r++)
			sum_ns += c->end_reason_ns[e][r];
		if (sum_ns > 0)
			ends[n++] = (struct lode_cluster_part){lode_chain_end_name(e), sum_ns};
	}
	lode_sort(ends, n, costliest_first);
	return n;
}

/* "lock → ": in what the symptom's thread waited for those that were at `end`; "": in the same, or
   for no thread. */
static const char *waited_in(char *buffer, size_t size, const struct lode_cluster *c,
			     const char *end)
{
	unsigned e = 0, best = LODE_REASON_NONE;

	while (strcmp(lode_chain_end_name(e), end) != 0)
		e++;
	for (unsigned r = 0; r < LODE_N_REASONS; r++)
		if (c->end_reason_ns[e][r] > c->end_reason_ns[e][best])
			best = r;
	buffer[0] = '\0';
	if (best != LODE_REASON_NONE && best != e)
		snprintf(buffer, size, "%s → ", lode_wait_reason_name((enum lode_wait_reason)best));
	return buffer;
}

static const char *words_of_ends(char *buffer, size_t size, const struct lode_cluster *cluster,
				 bool has_waits)
{
	struct lode_cluster_part ends[LODE_N_ENDS];
	size_t n = lode_cluster_ends(ends, cluster), used = 0;
	char waits[32];

	if (!n)
		snprintf(buffer, size, "-");
	/* The second is said as well when it is a third of the cost. */
	for (size_t i = 0; i < n && i < 2 && used < size; i++)
		if (!i || (double)ends[i].cost_ns * 3 >= (double)cluster->own_ns)
			used += (size_t)snprintf(
				buffer + used, size - used, "%s%s%s %.0f %%", i ? ", " : "",
				has_waits ? waited_in(waits, sizeof(waits), cluster, ends[i].name)
					  : "",
				ends[i].name,
				100 * (double)ends[i].cost_ns / (double)cluster->own_ns);
	return buffer;
}

const char *lode_cluster_why(char *buffer, size_t size, const struct lode_cluster *cluster)
{
	return words_of_ends(buffer, size, cluster, true);
}

static enum lode_style style_of_cluster(const struct lode_cluster *cluster)
{
	struct lode_cluster_part ends[LODE_N_ENDS];
	size_t n = lode_cluster_ends(ends, cluster);

	return !n				      ? LODE_STYLE_PLAIN
	       : strcmp(ends[0].name, "ready") == 0   ? LODE_STYLE_READY
	       : strcmp(ends[0].name, "cpu") == 0     ? LODE_STYLE_RUN
	       : strcmp(ends[0].name, "unknown") == 0 ? LODE_STYLE_QUIET
						      : LODE_STYLE_WAIT;
}

void lode_cluster_set_why(struct lode_table *table, size_t row, size_t column,
			  const struct lode_cluster *cluster)
{
	char why[128];

	lode_table_set(table, row, column, "%s", lode_cluster_why(why, sizeof(why), cluster));
	lode_table_style(table, row, column, style_of_cluster(cluster));
}

void lode_cluster_set_headline(struct lode_table *table, size_t row, size_t column,
			       const struct lode_mined *mined, const struct lode_cluster *cluster,
			       size_t room, size_t more_room, size_t max_lines)
{
	char text[LODE_CELL_LINES * (LODE_COMMON_LINE + 160)];

	lode_table_set(table, row, column, "%s",
		       lode_headline_text(text, sizeof(text), mined, cluster, room, more_room,
					  max_lines));
}

/* ---- In a few lines ---- */

enum { BRIEF_COLUMNS = 110, BRIEF_LINES = 3, FINDING_COLUMNS = 60 };

static void part_lines(struct lode_cluster_brief *out, char *text, struct lode_arena *arena)
{
	out->lines = lode_arena_array(arena, const char *, BRIEF_LINES);
	for (char *line = text, *end; line && *line && out->n_lines < BRIEF_LINES; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		out->lines[out->n_lines++] = lode_arena_strdup(arena, line);
	}
}

const struct lode_cluster_brief *lode_cluster_brief_of(const struct lode_mined *mined,
						       const struct lode_cluster *cluster,
						       struct lode_arena *arena)
{
	struct lode_cluster_brief *out = lode_arena_array(arena, struct lode_cluster_brief, 1);
	char text[BRIEF_LINES * LODE_COMMON_LINE], why[128];

	memset(out, 0, sizeof(*out));
	lode_cluster_why(why, sizeof(why), cluster);
	out->why = lode_arena_strdup(arena, why);
	lode_headline_text(text, sizeof(text), mined, cluster, BRIEF_COLUMNS, BRIEF_COLUMNS,
			   BRIEF_LINES);
	part_lines(out, text, arena);
	lode_variants_short(text, sizeof(text), mined->digest, cluster, BRIEF_COLUMNS);
	out->variants = lode_arena_strdup(arena, text);
	return out;
}

/* ---- As a finding ---- */

const char *lode_finding_line(struct lode_arena *arena, const struct lode_mined *mined,
			      const struct lode_cluster *cluster)
{
	char line[4 * LODE_COMMON_LINE];

	lode_headline_text(line, sizeof(line), mined, cluster, FINDING_COLUMNS, FINDING_COLUMNS, 1);
	return lode_finding_text(arena, "%s", line[0] ? line : "no common function");
}

/* The program's own function that tells most, of those that half of the cost has if there are any;
   LODE_NONE: there is none. */
static uint32_t own_frame(const struct lode_digest *digest, const struct lode_headline_hop *hop)
{
	uint32_t frame = lode_telling_frame(digest, hop->branch, hop->n_branch);

	return frame == LODE_NONE ? lode_telling_frame(digest, hop->frames, hop->n) : frame;
}

/* That, else the last function that not every program passes through. */
static uint32_t named_frame(const struct lode_digest *digest, const struct lode_headline_hop *hop)
{
	uint32_t frame = own_frame(digest, hop);

	for (size_t i = hop->n; i-- > 0 && frame == LODE_NONE;)
		if (lode_is_telling(digest, hop->frames[i]))
			frame = hop->frames[i];
	return frame;
}

static bool is_device(const char *name)
{
	for (size_t i = 0; lode_device_names[i]; i++)
		if (strcmp(lode_device_names[i], name) == 0)
			return true;
	return false;
}

/* "scrub → scrub_personal_data 49 %, write 31 %"; the first of them alone without shares. */
static const char *forks_name(struct lode_arena *arena, const struct lode_headline_hop *hop,
			      bool has_shares)
{
	const char *text = "", *before = "";
	char name[1024];

	if (!has_shares)
		return hop->forks[0].name;
	if (hop->thread[0])
		text = lode_finding_text(arena, "%s → ",
					 lode_escape(name, sizeof(name), hop->thread));
	for (size_t i = 0; i < hop->n_forks; i++, before = ", ")
		text = lode_finding_text(arena, "%s%s%s %.0f %%", text, before, hop->forks[i].name,
					 100 * hop->forks[i].share);
	return text;
}

static const char *name_of_cluster(struct lode_arena *arena, const struct lode_mined *mined,
				   const struct lode_cluster *cluster, bool has_shares)
{
	const struct lode_digest *digest = mined->digest;
	struct lode_headline_hop *hops;
	size_t n_hops = lode_headline_hops(&hops, mined, cluster, arena), n = n_hops;
	uint32_t frame = LODE_NONE, any = LODE_NONE;
	const char *thread = NULL;
	char name[1024];

	if (n && hops[n - 1].n_forks)
		return forks_name(arena, &hops[n - 1], has_shares);
	while (n && hops[n - 1].is_more)
		n--;
	/* Threads that half of the cost goes on to, where the last that all agree on has no name.
	 */
	if (n && own_frame(digest, &hops[n - 1]) == LODE_NONE)
		for (size_t i = n_hops; i-- > n && frame == LODE_NONE;)
			frame = own_frame(digest, &hops[i]);
	for (size_t i = n; i-- > 0 && frame == LODE_NONE && !thread;) {
		frame = named_frame(digest, &hops[i]);
		any = any == LODE_NONE && hops[i].n ? hops[i].frames[hops[i].n - 1] : any;
		if (frame == LODE_NONE && hops[i].thread[0] && !hops[i].is_kernel_thread &&
		    (hops[i].n || !is_device(hops[i].thread)))
			thread = hops[i].thread;
	}
	if (thread)
		return lode_finding_text(arena, "%s", lode_escape(name, sizeof(name), thread));
	frame = frame == LODE_NONE ? any : frame;
	if (frame == LODE_NONE)
		return "no common function";
	return lode_finding_text(arena, "%s",
				 lode_short_label(name, sizeof(name), &digest->tree, frame));
}

const char *lode_finding_known_by(struct lode_arena *arena, const struct lode_mined *mined,
				  const struct lode_cluster *cluster)
{
	return name_of_cluster(arena, mined, cluster, false);
}

const char *lode_finding_name(struct lode_arena *arena, const struct lode_mined *mined,
			      const struct lode_cluster *cluster)
{
	return name_of_cluster(arena, mined, cluster, true);
}

const char *lode_finding_why(struct lode_arena *arena, const struct lode_cluster *cluster)
{
	char why[200];

	return lode_finding_text(arena, "%s", words_of_ends(why, sizeof(why), cluster, false));
}

const char *lode_who_ran(char *text, size_t size, const struct lode_digest *digest,
			 const struct lode_digest_runner *runners, size_t n, int64_t ready_ns,
			 size_t most)
{
	char name[128], share[LODE_UNITS_BUFFER];
	int64_t rest_ns = ready_ns;
	size_t used = 0, n_named = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n && n_named < most && used < size; i++) {
		if (!lode_runner_is_thread(digest, &runners[i]))
			continue;
		lode_escape_fit(name, sizeof(name), digest->tree.strings.text.at[runners[i].name],
				24);
		used += (size_t)snprintf(text + used, size - used, "%s%s %s", n_named++ ? ", " : "",
					 name,
					 lode_format_share(share, runners[i].cost_ns, ready_ns));
		rest_ns -= runners[i].cost_ns;
	}
	if (rest_ns > 0 && used < size)
		snprintf(text + used, size - used, "%sothers %s", used ? ", " : "",
			 lode_format_share(share, rest_ns, ready_ns));
	return text;
}
