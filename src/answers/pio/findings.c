/* lode pio in a few lines: the worst periods, and what caused them. */
#include <inttypes.h>

#include "answers/pio/pio.h"
#include "document/findings.h"
#include "document/units.h"

/* Slow periods, explained by counters or not. */
struct slow {
	const struct lode_pio_answer *answer;
	size_t n;
	bool *told;
};

static struct slow slow_periods(const struct lode_pio_answer *answer)
{
	size_t n = answer->periods.n + answer->unexplained.n;

	return (struct slow){answer, n, lode_alloc0(n + 1, sizeof(bool))};
}

static const struct lode_pio_found *slow_at(const struct slow *slow, size_t i)
{
	size_t n = slow->answer->periods.n;

	return i < n ? &slow->answer->periods.at[i] : &slow->answer->unexplained.at[i - n];
}

/* How much a period hurt: requests that were slow beyond the usual; without a log, how long it was.
 */
static double hurt_of(const struct lode_pio_found *period)
{
	return period->excess_slow > 0 ? period->excess_slow : (double)period->duration_ns * 1e-18;
}

/* The period that hurt most of those that are not reported yet; slow->n: there is none. */
static size_t worst_period(const struct slow *slow)
{
	size_t worst = slow->n;

	for (size_t i = 0; i < slow->n; i++)
		if (!slow->told[i] &&
		    (worst == slow->n || hurt_of(slow_at(slow, i)) > hurt_of(slow_at(slow, worst))))
			worst = i;
	return worst;
}

/* Of the counters behind a period the first of the server at its head. */
static const struct lode_pio_found_counter *counter_behind(const struct lode_pio_found *period)
{
	const char *server = period->n_servers ? period->servers[0].server : "";

	for (size_t i = 0; i < period->n_counters; i++)
		if (strcmp(period->counters[i].server, server) == 0)
			return &period->counters[i];
	return period->n_counters ? &period->counters[0] : NULL;
}

/* ---- In a sentence or two ---- */

/* "; the model does not explain it; the counter that moved most is web/idle, from 98 to 44" */
static const char *unexplained_words(const struct lode_pio_found *p, struct lode_arena *arena)
{
	const struct lode_pio_found_moved *moved = p->moved;

	return moved ? lode_finding_text(arena,
					 "; the model does not explain it; the counter that moved "
					 "most is %s%s%s, from %.4g to %.4g",
					 moved->server, moved->server[0] ? "/" : "", moved->counter,
					 moved->before, moved->within)
		     : "; no counter explains it";
}

/* ": 1,234 of 4,000 requests slow; db, disk_util" */
static const char *behind_words(const struct lode_pio_found *p, bool is_explained,
				struct lode_arena *arena)
{
	const struct lode_pio_found_counter *counter = counter_behind(p);
	char slow[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER];
	const char *requests = "", *server = "";

	if (p->n_requests > 0)
		requests = lode_finding_text(arena, ", %s of %s %s slow",
					     lode_format_count(slow, (uint64_t)p->n_slow),
					     lode_format_count(all, (uint64_t)p->n_requests),
					     p->judged);
	if (!is_explained)
		server = unexplained_words(p, arena);
	else if (p->n_servers && counter && strcmp(counter->server, p->servers[0].server) == 0)
		server = lode_finding_text(arena, "; %s stands out, mainly %s",
					   p->servers[0].server, counter->counter);
	else if (p->n_servers)
		server = lode_finding_text(arena, "; %s stands out", p->servers[0].server);
	return lode_finding_text(arena, "%s%s", requests, server);
}

static const char *period_words(const struct lode_pio_answer *answer, struct lode_arena *arena)
{
	struct slow slow = slow_periods(answer);
	size_t worst = worst_period(&slow), n_unexplained = answer->unexplained.n;
	const struct lode_pio_found *p = slow_at(&slow, worst);
	bool is_explained = worst < answer->periods.n;
	char n[LODE_UNITS_BUFFER], lasted[LODE_UNITS_BUFFER], in_all[LODE_UNITS_BUFFER];
	char length[LODE_UNITS_BUFFER];
	const char *others = "", *what = answer->training.has_log
						 ? "The service was slow"
						 : "Counters left their healthy ranges";
	int64_t slow_ns = 0;

	free(slow.told);
	for (size_t i = 0; i < slow.n; i++)
		slow_ns += slow_at(&slow, i)->duration_ns;
	lode_format_cost(lasted, p->duration_ns, "ns");
	if (slow.n == 1)
		return lode_finding_text(arena, "%s once: from %s for %s of %s%s.", what,
					 p->start_utc, lasted,
					 lode_format_cost(length, answer->length_ns, "ns"),
					 behind_words(p, is_explained, arena));
	if (n_unexplained > !is_explained)
		others = lode_finding_text(arena, " The model does not explain %zu of the others.",
					   n_unexplained - !is_explained);
	return lode_finding_text(arena,
				 "%s in %s, %s of %s. The worst began at %s and "
				 "lasted %s%s.%s",
				 what, lode_format_plural(n, slow.n, "period"),
				 lode_format_cost(in_all, slow_ns, "ns"),
				 lode_format_cost(length, answer->length_ns, "ns"), p->start_utc,
				 lasted, behind_words(p, is_explained, arena), others);
}

/* What the rest is to be read with: a model that has seen the data, or very little. */
static const char *training_words(const struct lode_pio_answer *answer, struct lode_arena *arena)
{
	const struct lode_pio_trained_on *training = &answer->training;
	char length[LODE_UNITS_BUFFER];

	lode_format_cost(length, training->length_ns, "ns");
	if (training->is_same_time && training->is_short)
		return lode_finding_text(arena,
					 "Weak evidence: the model was trained on the time "
					 "analysed, and on %s only. ",
					 length);
	if (training->is_same_time)
		return "Weak evidence: the model was trained on the time analysed. ";
	return training->is_short
		       ? lode_finding_text(
				 arena, "Weak evidence: the model was trained on %s only. ", length)
		       : "";
}

/* Worse than in training, as a whole. */
static const char *worse_words(const struct lode_pio_answer *answer, struct lode_arena *arena)
{
	const struct lode_pio_comparison *g = &answer->regression;

	return !isnan(g->z) && g->z > 2
		       ? lode_finding_text(
				 arena,
				 " Very slow intervals: %.1f %%, more than in training (%.1f %%).",
				 g->high_pct, g->expected_pct)
		       : "";
}

struct lode_opening lode_pio_opening(const struct lode_pio_answer *answer,
				     const struct lode_pio_request *request,
				     struct lode_arena *arena)
{
	const struct lode_asked *asked = request->asked;
	char length[LODE_UNITS_BUFFER];
	const char *first =
		answer->periods.n + answer->unexplained.n
			? period_words(answer, arena)
			: lode_finding_text(arena,
					    answer->training.has_log
						    ? "No slow period in %s."
						    : "All counters kept to their healthy ranges "
						      "for %s.",
					    lode_format_cost(length, answer->length_ns, "ns"));
	struct lode_opening opening = {
		.finding = lode_finding_text(arena, "%s%s%s", training_words(answer, arena), first,
					     worse_words(answer, arena))};

	if (asked && request->symptoms && answer->symptoms.n) {
		opening.next_command = lode_finding_text(arena, "lode mine --symptoms %s",
							 lode_next_word(arena, request->symptoms));
		for (size_t i = 0; i < request->bridge.n_streams; i++)
			opening.next_command = lode_finding_text(
				arena, "%s %s", opening.next_command,
				lode_next_word(arena, request->bridge.streams[i]));
	} else {
		opening.next_command = lode_next_page(arena, asked);
	}
	return opening;
}

/* ---- In a few lines ---- */

static void add_period(struct lode_findings *out, const struct lode_pio_answer *answer,
		       const struct lode_pio_found *p, bool is_explained, struct lode_arena *arena)
{
	const struct lode_pio_found_counter *counter = counter_behind(p);
	int64_t n = (int64_t)answer->pictures.n_intervals, step = answer->step_ns;
	char lasted[LODE_UNITS_BUFFER], slow[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER];
	const char *requests = "", *behind = "";
	struct lode_finding *finding;
	int64_t from, to, margin;

	if (p->n_requests > 0)
		requests = lode_finding_text(arena, ": %s of %s %s slow",
					     lode_format_count(slow, (uint64_t)p->n_slow),
					     lode_format_count(all, (uint64_t)p->n_requests),
					     p->judged);
	if (is_explained && counter)
		behind = lode_finding_text(arena, "; %s: %s", counter->server, counter->counter);
	else if (!is_explained)
		behind = unexplained_words(p, arena);
	finding = lode_findings_add(
		out,
		lode_finding_text(arena, "%s, %s%s%s", p->start_utc,
				  lode_format_cost(lasted, p->duration_ns, "ns"), requests, behind),
		NULL);
	if (step <= 0)
		return;
	from = (p->start_ns - answer->start_ns) / step;
	to = (p->end_ns - answer->start_ns) / step;
	margin = 2 * (to - from) > 20 ? 2 * (to - from) : 20;
	finding->params[0] = (struct lode_finding_param){
		"at", lode_finding_text(arena, "%" PRId64, from + (to - from) / 2)};
	finding->params[1] = (struct lode_finding_param){
		"zoom",
		lode_finding_text(arena, "%" PRId64 "-%" PRId64, from > margin ? from - margin : 0,
				  to + margin < n ? to + margin : n)};
}

void lode_pio_findings(struct lode_findings *out, const void *of, struct lode_arena *arena)
{
	const struct lode_pio_answer *answer = of;
	struct slow slow = slow_periods(answer);
	size_t i;

	lode_findings_open(out, &answer->opening, arena);
	for (i = 0; i < slow.n; i++)
		out->weight += slow_at(&slow, i)->duration_ns;
	while (lode_findings_have_room(out) && (i = worst_period(&slow)) < slow.n) {
		slow.told[i] = true;
		add_period(out, answer, slow_at(&slow, i), i < answer->periods.n, arena);
	}
	free(slow.told);
}
