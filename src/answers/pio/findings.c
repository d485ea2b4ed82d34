/* lode pio in a few lines: the worst periods, and what caused them. */
#include <inttypes.h>

#include "answers/pio/pio.h"
#include "document/findings.h"
#include "document/units.h"

/* How much a period hurt: requests that were slow; without a log, how long it was. */
static double hurt_of(const struct lode_pio_found *period)
{
	return period->n_slow > 0 ? (double)period->n_slow : (double)period->duration_ns * 1e-18;
}

/* The period that hurt most of those that are not in `told`. */
static size_t worst_period(const struct lode_pio_found_list *periods, const bool *told)
{
	size_t worst = periods->n;

	for (size_t i = 0; i < periods->n; i++)
		if (!told[i] && (worst == periods->n ||
				 hurt_of(&periods->at[i]) > hurt_of(&periods->at[worst])))
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

/* ": 1,234 of 4,000 requests slow; db, disk_util" */
static const char *behind_words(const struct lode_pio_found *p, struct lode_arena *arena)
{
	const struct lode_pio_found_counter *counter = counter_behind(p);
	char slow[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER];
	const char *requests = "", *server = "";

	if (p->n_requests > 0)
		requests = lode_finding_text(arena, ", %s of %s requests slow",
					     lode_format_count(slow, (uint64_t)p->n_slow),
					     lode_format_count(all, (uint64_t)p->n_requests));
	if (p->n_servers && counter && strcmp(counter->server, p->servers[0].server) == 0)
		server = lode_finding_text(arena, "; %s stands out, mainly %s",
					   p->servers[0].server, counter->counter);
	else if (p->n_servers)
		server = lode_finding_text(arena, "; %s stands out", p->servers[0].server);
	return lode_finding_text(arena, "%s%s", requests, server);
}

static const char *period_words(const struct lode_pio_answer *answer, struct lode_arena *arena)
{
	const struct lode_pio_found_list *periods = &answer->periods;
	bool *told = lode_alloc0(periods->n + 1, sizeof(*told));
	const struct lode_pio_found *p = &periods->at[worst_period(periods, told)];
	char n[LODE_UNITS_BUFFER], lasted[LODE_UNITS_BUFFER], slow[LODE_UNITS_BUFFER];
	char length[LODE_UNITS_BUFFER];
	int64_t slow_ns = 0;

	free(told);
	for (size_t i = 0; i < periods->n; i++)
		slow_ns += periods->at[i].duration_ns;
	lode_format_cost(lasted, p->duration_ns, "ns");
	if (periods->n == 1)
		return lode_finding_text(arena,
					 "The service was slow once: from %s for %s of %s%s.",
					 p->start_utc, lasted,
					 lode_format_cost(length, answer->length_ns, "ns"),
					 behind_words(p, arena));
	return lode_finding_text(arena,
				 "The service was slow in %s, %s of %s. The worst began at %s and "
				 "lasted %s%s.",
				 lode_format_plural(n, periods->n, "period"),
				 lode_format_cost(slow, slow_ns, "ns"),
				 lode_format_cost(length, answer->length_ns, "ns"), p->start_utc,
				 lasted, behind_words(p, arena));
}

/* Worse than in training, as a whole; and what no counter explains. */
static const char *other_words(const struct lode_pio_answer *answer, struct lode_arena *arena)
{
	const struct lode_pio_comparison *g = &answer->regression;
	char n[LODE_UNITS_BUFFER];
	const char *worse = "", *unexplained = "";

	if (!isnan(g->z) && g->z > 2)
		worse = lode_finding_text(
			arena, " Very slow intervals: %.1f %%, more than in training (%.1f %%).",
			g->high_pct, g->expected_pct);
	if (answer->unexplained.n)
		unexplained = lode_finding_text(
			arena, " The log shows %s of slowness that no counter explains.",
			lode_format_plural(n, answer->unexplained.n, "further period"));
	return lode_finding_text(arena, "%s%s", worse, unexplained);
}

struct lode_opening lode_pio_opening(const struct lode_pio_answer *answer,
				     const struct lode_pio_request *request,
				     struct lode_arena *arena)
{
	const struct lode_asked *asked = request->asked;
	char length[LODE_UNITS_BUFFER];
	const char *first =
		answer->periods.n
			? period_words(answer, arena)
			: lode_finding_text(arena, "No slow period in %s.",
					    lode_format_cost(length, answer->length_ns, "ns"));
	struct lode_opening opening = {
		.finding = lode_finding_text(arena, "%s%s", first, other_words(answer, arena))};

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
		       const struct lode_pio_found *p, struct lode_arena *arena)
{
	const struct lode_pio_found_counter *counter = counter_behind(p);
	int64_t n = (int64_t)answer->pictures.n_intervals, step = answer->step_ns;
	char lasted[LODE_UNITS_BUFFER], slow[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER];
	const char *requests = "", *behind = "";
	struct lode_finding *finding;
	int64_t from, to, margin;

	if (p->n_requests > 0)
		requests = lode_finding_text(arena, ": %s of %s requests slow",
					     lode_format_count(slow, (uint64_t)p->n_slow),
					     lode_format_count(all, (uint64_t)p->n_requests));
	if (counter)
		behind = lode_finding_text(arena, "; %s: %s", counter->server, counter->counter);
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
	const struct lode_pio_found_list *periods = &answer->periods;
	bool *told = lode_alloc0(periods->n + 1, sizeof(*told));
	size_t i;

	lode_findings_open(out, &answer->opening, arena);
	for (i = 0; i < periods->n; i++)
		out->weight += periods->at[i].duration_ns;
	while (lode_findings_have_room(out) && (i = worst_period(periods, told)) < periods->n) {
		told[i] = true;
		add_period(out, answer, &periods->at[i], arena);
	}
	free(told);
}
