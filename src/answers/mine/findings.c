/* lode mine in a sentence or two, and in a few lines: the costliest clusters. */
#include "answers/mine/mine.h"
#include "answers/clusters/alias_words.h"
#include "answers/clusters/cluster_brief.h"
#include "base/duration.h"
#include "document/findings.h"
#include "document/units.h"
#include "model/go_idle.h"

#include <math.h>

/* ---- In a sentence or two ---- */

/* The first problem of the table: sentence, table and next command are about the same one. NULL:
   there is none. */
static const struct lode_cluster *first_cluster(const struct lode_mined *mined)
{
	for (size_t i = 0; i < mined->n_clusters; i++)
		if (!lode_cluster_is_unrecorded(mined, &mined->clusters[i]))
			return &mined->clusters[i];
	return NULL;
}

/* The clusters that are problems. */
static size_t count_problems(const struct lode_mined *mined)
{
	size_t n = 0;

	for (size_t i = 0; i < mined->n_clusters; i++)
		n += !lode_cluster_is_unrecorded(mined, &mined->clusters[i]);
	return n;
}

/* Time without an event, if it is more than the first problem; "": it is not. */
static const char *unrecorded_words(struct lode_arena *arena, const struct lode_mined *mined)
{
	const struct lode_cluster *c = first_cluster(mined);
	char cost[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER];
	int64_t sum_ns = 0;

	for (size_t i = 0; i < mined->n_clusters; i++)
		if (lode_cluster_is_unrecorded(mined, &mined->clusters[i]))
			sum_ns += mined->clusters[i].own_ns;
	if (sum_ns <= (c ? c->own_ns : 0))
		return "";
	return lode_finding_text(
		arena, " For %s of this time (%s) the recording does not show what threads did.",
		lode_format_share(share, sum_ns, mined->symptom_ns),
		lode_format_cost(cost, sum_ns, mined->digest->unit));
}

/* ", first seen 2026-11-20 04:04 UTC": where all recordings know the time of day, and an earlier
   one does without it. */
static const char *first_seen(struct lode_arena *arena, const struct lode_mined *mined,
			      const struct lode_cluster *c)
{
	const struct lode_digest *digest = mined->digest;
	int64_t first_ns = INT64_MAX;
	bool is_since = false;
	char text[LODE_UTC_BYTES];

	for (size_t i = 0; i < c->n_worst; i++) {
		const struct lode_digest_symptom *symptom =
			&digest->symptoms.at[c->worst[i].symptom];
		const struct lode_digest_stream *stream = &digest->streams.at[symptom->stream];

		if (c->worst[i].symptom_cost_ns > 0 &&
		    stream->t0_ns + stream->wall_offset_ns < first_ns)
			first_ns = stream->t0_ns + stream->wall_offset_ns;
	}
	for (size_t i = 0; i < digest->streams.n; i++) {
		const struct lode_digest_stream *stream = &digest->streams.at[i];

		if (!stream->has_wall_clock)
			return "";
		is_since |= stream->t0_ns + stream->wall_offset_ns < first_ns;
	}
	return is_since && first_ns != INT64_MAX
		       ? lode_finding_text(arena, ", first seen %s UTC",
					   lode_utc_text(text, first_ns, "%Y-%m-%d %H:%M"))
		       : "";
}

/* "7.57 s of the 22.3 s that 6 symptoms took (34.0 %), in 5 of 6 recordings" */
static const char *cost_words(struct lode_arena *arena, const struct lode_mine_answer *answer,
			      const struct lode_cluster *c)
{
	const struct lode_mined *mined = answer->mined;
	const char *unit = mined->digest->unit;
	char own[LODE_UNITS_BUFFER], whole[LODE_UNITS_BUFFER], n[LODE_UNITS_BUFFER];
	char share[LODE_UNITS_BUFFER];
	const char *spread = lode_opening_spread(arena, c->n_streams, answer->n_streams);

	lode_format_share(share, c->own_ns, mined->symptom_ns);
	lode_format_cost(own, c->own_ns, unit);
	if (strcmp(unit, "ns") != 0)
		return lode_finding_text(arena, "%s of %s (%s)%s", own,
					 lode_format_cost_long(whole, mined->symptom_ns, unit),
					 share, spread);
	if (answer->cpu)
		return lode_finding_text(arena, "%s of %s of CPU time (%s)%s%s", own,
					 lode_format_cost(whole, mined->symptom_ns, unit), share,
					 spread, first_seen(arena, mined, c));
	return lode_finding_text(arena, "%s of the %s that %s took (%s)%s%s", own,
				 lode_format_cost(whole, mined->symptom_ns, unit),
				 lode_format_plural(n, answer->n_symptoms, "symptom"), share,
				 spread, first_seen(arena, mined, c));
}

static const char *name_of(struct lode_arena *arena, const struct lode_mine_answer *answer,
			   const struct lode_cluster *c)
{
	return lode_finding_name(arena, answer->mined, c);
}

static const char *alias_of(struct lode_arena *arena, const struct lode_mine_answer *answer,
			    const struct lode_cluster *c)
{
	return lode_alias_words(arena, answer->digest,
				lode_finding_known_by(arena, answer->mined, c));
}

/* What a busy machine cost; "": it was not. */
static const char *busy_words(struct lode_arena *arena, const struct lode_mine_answer *answer)
{
	const struct lode_mined *mined = answer->mined;
	int64_t ready_ns = mined->contended_ns;
	char ready[LODE_UNITS_BUFFER], whole[LODE_UNITS_BUFFER], rest[LODE_UNITS_BUFFER];
	char share[LODE_UNITS_BUFFER], who[256];

	if (!answer->busy)
		return "";
	return lode_finding_text(
		arena,
		"CPU contention: for %s of this time (%s of %s) threads were ready but waited for "
		"a CPU, while the CPUs ran %s. On an idle machine these symptoms would take %s.",
		lode_format_share(share, ready_ns, mined->aoi_ns),
		lode_format_cost(ready, ready_ns, "ns"),
		lode_format_cost(whole, mined->aoi_ns, "ns"),
		lode_who_ran(who, sizeof(who), mined->digest, mined->ran_instead,
			     mined->n_ran_instead, ready_ns, 2),
		lode_format_cost(rest, mined->symptom_ns - ready_ns, "ns"));
}

/* Ready time that is not contention, if it is much; "": it is not. */
static const char *unknown_words(struct lode_arena *arena, const struct lode_mine_answer *answer)
{
	const struct lode_mined *mined = answer->mined;
	char ready[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER];

	if (!answer->ready_unknown)
		return "";
	return lode_finding_text(
		arena,
		"For %s of this time (%s) threads were last seen ready, and what "
		"they waited for is unknown: %s.",
		lode_format_share(share, mined->ready_unknown_ns, mined->symptom_ns),
		lode_format_cost(ready, mined->ready_unknown_ns, "ns"), answer->ready_unknown);
}

#define LOST_EVENTS \
	"%s%s were lost while recording: costs are lower bounds, and chains may end early. "

/* Lost events come before anything that rests on the others; "": few were. Without their share
   where digests of older versions lack the number of records. */
static const char *lost_words(struct lode_arena *arena, const struct lode_mine_answer *answer)
{
	uint64_t n_lost = answer->quality.n_losses[LODE_LOSS_EVENTS];
	double lost_pct = answer->quality.lost_pct;
	char n[LODE_UNITS_BUFFER], pct[LODE_UNITS_BUFFER];

	if (!n_lost || lost_pct <= LODE_NOTABLE_LOST_PCT)
		return "";
	lode_format_count(n, n_lost);
	if (isnan(lost_pct))
		return lode_finding_text(arena, LOST_EVENTS, n, "");
	return lode_finding_text(arena, LOST_EVENTS, lode_format_pct(pct, lost_pct),
				 lode_finding_text(arena, " of the events (%s)", n));
}

/* "1.9": CPU time over the length of the recordings; "" where they have none. */
static const char *cpus_used(struct lode_arena *arena, const struct lode_mined *mined)
{
	const struct lode_digest *digest = mined->digest;
	char length[LODE_UNITS_BUFFER];
	double length_ns = 0, cpus;

	for (size_t i = 0; i < digest->streams.n; i++)
		length_ns +=
			(double)digest->streams.at[i].t1_ns - (double)digest->streams.at[i].t0_ns;
	if (length_ns <= 0 || strcmp(digest->unit, "ns") != 0)
		return "";
	cpus = (double)mined->symptom_ns / length_ns;
	return lode_finding_text(arena, " in %s of recording (%.2f CPUs on average)",
				 lode_format_cost(length, (int64_t)length_ns, "ns"), cpus);
}

/* Which programs took the CPU, then where in them. */
static const char *cpu_words(struct lode_arena *arena, const struct lode_mine_answer *answer)
{
	const struct lode_mined *mined = answer->mined;
	const struct lode_cluster *c = first_cluster(mined);
	char whole[LODE_UNITS_BUFFER], own[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER];
	const char *hottest = "", *unit = mined->digest->unit;

	if (c && c->own_ns > 0)
		hottest = lode_finding_text(
			arena, " Hottest call path: %s, %s (%s)%s.",
			lode_finding_line(arena, mined, c), lode_format_cost(own, c->own_ns, unit),
			lode_format_share(share, c->own_ns, mined->symptom_ns),
			lode_opening_spread(arena, c->n_streams, answer->n_streams));
	return lode_finding_text(
		arena, "%s: %s%s: %s.%s", strcmp(unit, "ns") == 0 ? "CPU time" : "Samples",
		lode_format_cost_long(whole, mined->symptom_ns, unit), cpus_used(arena, mined),
		lode_mine_programs_text(arena, answer->cpu->programs, answer->cpu->n_programs,
					mined->symptom_ns, false),
		hottest);
}

static bool is_all_filtered(const struct lode_mine_answer *answer)
{
	return answer->is_filtered && !answer->mined->n_aoi_events;
}

/* Where the first cluster is a wait that only another tool can explain: which; "": it is not. */
static const char *go_words(const struct lode_mine_answer *answer, const struct lode_cluster *c)
{
	const struct lode_calltree *tree = &answer->mined->digest->tree;

	for (size_t i = 0; c && i < c->n_common; i++)
		if (!strcmp(lode_frame_function(tree, c->common[i]), LODE_GO_IDLE))
			return " What goroutines wait for is not in a perf recording: Go's "
			       "execution trace shows it (runtime/trace, go tool trace).";
	return "";
}

/* "is the largest of 14 problems", "is first of 14 problems by average, 6.51 ms". */
static const char *place_words(struct lode_arena *arena, const struct lode_mine_answer *answer,
			       const struct lode_cluster *c)
{
	const struct lode_mined *mined = answer->mined;
	const char *unit = mined->digest->unit;
	char n[LODE_UNITS_BUFFER], by[LODE_UNITS_BUFFER];

	if (count_problems(mined) == 1)
		return "is the only problem";
	lode_format_count(n, count_problems(mined));
	switch (answer->ranked_by) {
	case LODE_RANK_TOTAL:
		lode_format_cost_long(by, c->total_ns, unit);
		break;
	case LODE_RANK_AVERAGE:
		if (!answer->is_classic && c->mean_ns < 0)
			return lode_finding_text(arena, "is first of %s problems", n);
		lode_format_cost_long(by, answer->is_classic ? c->average_ns : c->mean_ns, unit);
		break;
	case LODE_RANK_STREAMS:
		lode_format_plural(by, c->n_streams, "recording");
		break;
	case LODE_RANK_EVENTS:
		lode_format_plural(by, c->n_events, "event");
		break;
	case LODE_RANK_OWN:
		return lode_finding_text(arena, "is the largest of %s problems", n);
	}
	return lode_finding_text(arena, "is first of %s problems by %s, %s", n, answer->rank, by);
}

static const char *problem_words(struct lode_arena *arena, const struct lode_mine_answer *answer)
{
	const struct lode_mined *mined = answer->mined;
	const struct lode_cluster *c = first_cluster(mined);
	const char *busy = busy_words(arena, answer), *first;
	char n[LODE_UNITS_BUFFER], cost[LODE_UNITS_BUFFER], least[LODE_UNITS_BUFFER];

	if (answer->cpu)
		return cpu_words(arena, answer);
	if (is_all_filtered(answer))
		return lode_finding_text(
			arena,
			"Nothing to mine: no stack of the %s that %s took passes the content "
			"filters (--include, --exclude, --only, --reason).",
			lode_format_cost(cost, mined->symptom_ns, mined->digest->unit),
			lode_format_plural(n, answer->n_symptoms, "symptom"));
	if (!c || c->own_ns <= 0)
		return lode_finding_text(
			arena, "No call pattern costs %s or more of the %s that %s took.%s%s",
			lode_format_cost_long(least, mined->min_cost, mined->digest->unit),
			lode_format_cost(cost, mined->symptom_ns, mined->digest->unit),
			lode_format_plural(n, answer->n_symptoms, "symptom"), *busy ? " " : "",
			busy);
	first = lode_finding_text(arena, "%s%s (%s) %s: %s.%s", name_of(arena, answer, c),
				  alias_of(arena, answer, c), lode_finding_why(arena, c),
				  place_words(arena, answer, c), cost_words(arena, answer, c),
				  go_words(answer, c));
	return *busy ? lode_finding_text(arena, "%s %s", first, busy) : first;
}

static const char *all_words(struct lode_arena *arena, const struct lode_mine_answer *answer)
{
	const char *unknown = unknown_words(arena, answer);

	return lode_finding_text(arena, "%s%s%s%s", problem_words(arena, answer),
				 unrecorded_words(arena, answer->mined), *unknown ? " " : "",
				 unknown);
}

/* A cluster's worst symptom as a trace can be looked at where there is a recording of it. */
static const char *next_of_shown(struct lode_arena *arena, const struct lode_mine_answer *answer,
				 const struct lode_mine_request *request)
{
	uint32_t rank = answer->shown->cluster->rank;

	if (request->repo && !request->n_inputs)
		return lode_finding_text(
			arena, "lode sign --repo %s --cluster %u --name %s",
			lode_next_word(arena, request->repo), rank,
			lode_next_word(arena, lode_finding_known_by(arena, answer->mined,
								    answer->shown->cluster)));
	if (strcmp(answer->digest->unit, "ns") == 0 && !request->reading.is_joined)
		return lode_next_again(arena, request->asked,
				       "--show %u --chrome-trace cluster-%u.json", rank, rank);
	return rank < answer->mined->n_clusters
		       ? lode_next_again(arena, request->asked, "--show %u", rank + 1)
		       : NULL;
}

struct lode_opening lode_mine_opening(const struct lode_mine_answer *answer,
				      const struct lode_mine_request *request,
				      struct lode_arena *arena)
{
	const struct lode_cluster *c =
		answer->shown ? answer->shown->cluster : first_cluster(answer->mined);
	struct lode_opening opening = {0};

	if (answer->shown) {
		opening.finding =
			lode_finding_text(arena, "Cluster %u, %s%s (%s): %s.", c->rank,
					  name_of(arena, answer, c), alias_of(arena, answer, c),
					  lode_finding_why(arena, c), cost_words(arena, answer, c));
		opening.next_command =
			request->asked ? next_of_shown(arena, answer, request) : NULL;
		return opening;
	}
	opening.finding = lode_finding_text(arena, "%s%s", lost_words(arena, answer),
					    all_words(arena, answer));
	if (c)
		opening.next_command = lode_next_again(arena, request->asked, "--show %u", c->rank);
	else if (!is_all_filtered(answer))
		opening.next_command = lode_next_again(arena, request->asked, "--patterns 20");
	return opening;
}

/* ---- In a few lines ---- */

void lode_mine_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_mine_answer *answer = of;
	const struct lode_mined *mined = answer->mined;
	const struct lode_digest *digest = mined->digest;
	int64_t whole_ns = mined->symptom_ns;
	char cost[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER], streams[LODE_UNITS_BUFFER];

	lode_findings_open(out, &answer->opening, arena);
	out->weight = whole_ns;
	for (size_t i = 0; i < mined->n_clusters && lode_findings_have_room(out); i++) {
		const struct lode_cluster *c = &mined->clusters[i];
		const char *text =
			lode_finding_text(arena, "%s  %s  %s: %s, in %s",
					  lode_format_share(share, c->own_ns, whole_ns),
					  lode_format_cost(cost, c->own_ns, digest->unit),
					  lode_finding_line(arena, mined, c),
					  lode_finding_why(arena, c),
					  lode_format_plural(streams, c->n_streams, "recording"));

		if (c->own_ns > 0 && !lode_cluster_is_unrecorded(mined, c))
			lode_findings_add(out, text, lode_finding_id(arena, c->id))->share =
				(double)c->own_ns / (double)whole_ns;
	}
}
