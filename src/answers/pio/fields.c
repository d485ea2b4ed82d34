/* Fields of the documents of lode pio and lode pio watch. */
#include "answers/pio/parts.h"
#include "answers/pio/watch.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): names of members have none */

/* ---- A finding ---- */

static const struct lode_field server_fields[] = {
	LODE_FIELD(struct lode_pio_found_server, server, NULL),
	LODE_FIELD(struct lode_pio_found_server, value, "what it has to show"),
	LODE_FIELD_AS("bottleneck", struct lode_pio_found_server, is_bottleneck,
		      "true: the server itself was slow"),
	LODE_FIELD_AS("start", struct lode_pio_found_server, start_ns, "start of the bottleneck",
		      .absent = "it was not a bottleneck"),
	LODE_FIELD_AS("end", struct lode_pio_found_server, end_ns, NULL,
		      .absent = "it was not a bottleneck"),
};
LODE_RECORD(server, struct lode_pio_found_server);

static const struct lode_field counter_fields[] = {
	LODE_FIELD(struct lode_pio_found_counter, server, NULL),
	LODE_FIELD(struct lode_pio_found_counter, counter, NULL),
	LODE_FIELD(struct lode_pio_found_counter, value, "what it has to show"),
	LODE_FIELD(
		struct lode_pio_found_counter, deviation,
		"median deviation: above 1 the counter was over its healthy range, below -1 under",
		.absent = "the model is classic"),
	LODE_FIELD_AS("start", struct lode_pio_found_counter, start_ns,
		      "when it had something to show"),
	LODE_FIELD_AS("end", struct lode_pio_found_counter, end_ns, NULL),
};
LODE_RECORD(counter, struct lode_pio_found_counter);

#define HIT_FIELDS(what, key)                                                                  \
	static const struct lode_field what##_fields[] = {                                     \
		LODE_FIELD_AS(key, struct lode_pio_found_hit, name, NULL),                     \
		LODE_FIELD_AS("slow", struct lode_pio_found_hit, n_slow, "its slow requests"), \
	};                                                                                     \
	LODE_RECORD(what, struct lode_pio_found_hit)
HIT_FIELDS(action, "action");
HIT_FIELDS(user, "user");

#define MORE(key, struct_, member) \
	LODE_FIELD_AS(key, struct_, member, "left out by --top", .absent = "none were", .least = 1)

#define FOUND(key, member, text, ...) \
	LODE_FIELD_AS(key, struct lode_pio_found, member, text, __VA_ARGS__)
#define FOUND_LIST(key, member, count, record, text) \
	LODE_LIST(key, struct lode_pio_found, member, count, &record, text)

static const struct lode_field span_fields[] = {
	FOUND("start", start_ns, NULL),
	FOUND("end", end_ns, NULL),
};
LODE_RECORD(span, struct lode_pio_found);

static const struct lode_field size_fields[] = {
	FOUND("start_utc", start_utc, NULL),
	FOUND("duration_ns", duration_ns, NULL, .is_positive = true, .least = 1),
	FOUND("intensity_max", intensity_max, NULL),
	FOUND("evidence_max", evidence_max, NULL, .absent = "the model is classic"),
	FOUND("requests", n_requests, NULL, .absent = "there is no log", .is_positive = true),
	FOUND("slow", n_slow, NULL, .absent = "there is no log", .is_positive = true),
};
LODE_RECORD(size, struct lode_pio_found);

static const struct lode_field ranked_fields[] = {
	FOUND("client", n_client, "slow only for the client", .absent = "there is no log",
	      .is_positive = true),
	FOUND_LIST("servers", servers, n_servers, server_record, "by evidence"),
	FOUND_LIST("counters", counters, n_counters, counter_record, "by evidence"),
	MORE("counters_more", struct lode_pio_found, n_counters_more),
	FOUND_LIST("actions", actions.at, actions.n, action_record, "affected, by slow requests"),
	MORE("actions_more", struct lode_pio_found, actions.n_more),
	FOUND_LIST("users", users.at, users.n, user_record, "affected, by slow requests"),
	MORE("users_more", struct lode_pio_found, users.n_more),
};
LODE_RECORD(ranked, struct lode_pio_found);

static const struct lode_field moved_fields[] = {
	LODE_FIELD(struct lode_pio_found_moved, server, NULL),
	LODE_FIELD(struct lode_pio_found_moved, counter, NULL),
	LODE_FIELD(struct lode_pio_found_moved, before, "its median outside of slow periods"),
	LODE_FIELD(struct lode_pio_found_moved, within, "and in this one"),
};
LODE_RECORD(moved, struct lode_pio_found_moved);

static const char *const lists[] = {"low_other", "med_high", NULL};

static const struct lode_field use_fields[] = {
	LODE_FIELD(struct lode_pio_found_rule, ruleset, NULL),
	LODE_FIELD_CHOICE("list", struct lode_pio_found_rule, is_med_high, lists, "of `rules`"),
	LODE_FIELD(struct lode_pio_found_rule, rule, "index of the rule in that list"),
	LODE_FIELD_AS("intervals", struct lode_pio_found_rule, n_intervals,
		      "intervals decided by it"),
};
LODE_RECORD(use, struct lode_pio_found_rule);

static const struct lode_field period_fields[] = {
	LODE_FIELDS_HERE(&span_record),
	FOUND("reported", known_ns, "when it was detected"),
	LODE_FIELDS_HERE(&size_record),
	FOUND("excess_slow", excess_slow, "slow requests in excess of the usual number",
	      .absent = "there is no log"),
	LODE_FIELDS_HERE(&ranked_record),
	FOUND_LIST("rules", rules, n_rules, use_record, "rules that decided its intervals"),
	MORE("rules_more", struct lode_pio_found, n_rules_more),
	LODE_FIELD_POINTER("moved", struct lode_pio_found, moved, &moved_record,
			   "the counter that moved most",
			   .absent = "the model explains the period, or no counter moved"),
};
LODE_RECORD(period, struct lode_pio_found);

/* ---- Is the model of this service still? ---- */

static const struct lode_field named_fields[] = {
	LODE_FIELD(struct lode_pio_named, server, NULL),
	LODE_FIELD(struct lode_pio_named, counter, NULL),
};
LODE_RECORD(named, struct lode_pio_named);

#define NAMED(list, text) \
	LODE_LIST(#list, struct lode_pio_retraining, list.at, list.n, &named_record, text)

static const struct lode_field retraining_fields[] = {
	NAMED(vanished, "counters of the model that have no value"),
	NAMED(shifted, "counters with a new level: ignored"),
	NAMED(appeared, "counters that are not in the model"),
	LODE_FIELD_AS("unjudged_requests", struct lode_pio_retraining, n_unjudged,
		      "requests of actions not seen in training"),
	LODE_FIELD_AS("class_drift", struct lode_pio_retraining, is_class_drift,
		      "true: the share of HIGH intervals differs greatly from training"),
	LODE_FIELD_AS("advised", struct lode_pio_retraining, is_advised, NULL),
};
LODE_RECORD(retraining, struct lode_pio_retraining);

static const struct lode_field training_fields[] = {
	LODE_FIELD_AS("intervals", struct lode_pio_trained_on, n_intervals,
		      "intervals the model was trained on"),
	LODE_FIELD(struct lode_pio_trained_on, length_ns, "their duration", .is_positive = true),
	LODE_FIELD(struct lode_pio_trained_on, shared_pct,
		   "share of the analysed time that training covered as well, in %",
		   .is_positive = true, .most = 100),
	LODE_FIELD_AS("same_time", struct lode_pio_trained_on, is_same_time,
		      "true: trained on at least half of the time analysed"),
	LODE_FIELD(struct lode_pio_trained_on, has_log,
		   "false: periods are those in which counters left their healthy ranges"),
	LODE_FIELD_AS("short", struct lode_pio_trained_on, is_short,
		      "true: fewer than 200 intervals, so the healthy ranges are rough"),
};
LODE_RECORD(training, struct lode_pio_trained_on);

static const char *const verdicts[] = {"worse", "better", "same", "unknown", NULL};

static const struct lode_field regression_fields[] = {
	LODE_FIELD_AS("intervals", struct lode_pio_comparison, n, NULL),
	LODE_FIELD_AS("high", struct lode_pio_comparison, n_high, "intervals that are HIGH"),
	LODE_FIELD(struct lode_pio_comparison, expected, "share of HIGH intervals in training"),
	LODE_FIELD(struct lode_pio_comparison, z, "difference in standard errors",
		   .absent = "there are too few to compare"),
	LODE_FIELD_AS("estimated", struct lode_pio_comparison, is_estimated,
		      "true: estimated from counters, without a log"),
	LODE_FIELD(struct lode_pio_comparison, verdict, "significant beyond two standard errors",
		   .choices = verdicts),
};
LODE_RECORD(regression, struct lode_pio_comparison);

/* ---- Pictures ---- */

#define PICTURE(key, member, text, ...) \
	LODE_FIELD_AS(key, struct lode_pio_pictures, member, text, __VA_ARGS__)

static const struct lode_field bound_fields[] = {
	PICTURE("med", med, "SARatio from which an interval is MED"),
	PICTURE("high", high, "SARatio from which it is HIGH"),
	PICTURE("healthy", healthy, "usual share of slow requests",
		.absent = "the model is classic"),
	PICTURE("evidence", evidence, "bound not exceeded in healthy time",
		.absent = "the model is classic"),
};
LODE_RECORD(bound, struct lode_pio_pictures);

static const struct lode_field evidence_fields[] = {
	LODE_FIELD(struct lode_pio_line, server, NULL),
	LODE_COLUMN("evidence", struct lode_pio_line, values, n, "per interval",
		    .is_positive = true),
};
LODE_RECORD(evidence, struct lode_pio_line);

static const char *const thens[] = {"LOW", "OTHER", "MED", "HIGH", NULL};

static const struct lode_field rule_fields[] = {
	LODE_FIELD(struct lode_pio_rule_row, ruleset, NULL),
	LODE_FIELD(struct lode_pio_rule_row, rule,
		   "index of the rule; the default follows the last one"),
	LODE_FIELD(struct lode_pio_rule_row, text, NULL),
	LODE_FIELD(struct lode_pio_rule_row, then, NULL, .choices = thens),
	LODE_FIELD_AS("covered", struct lode_pio_rule_row, n_covered, "training intervals covered"),
	LODE_FIELD_AS("wrong", struct lode_pio_rule_row, n_wrong, "of these, misclassified"),
	LODE_TUPLES("intervals", struct lode_pio_rule_row, spans, n_spans, 2,
		    "intervals decided by it: first and last of each range"),
};
LODE_RECORD(rule, struct lode_pio_rule_row);

#define RULES(list) LODE_LIST(#list, struct lode_pio_pictures, list.at, list.n, &rule_record, NULL)

static const struct lode_field rules_fields[] = {
	RULES(low_other),
	RULES(med_high),
};
LODE_RECORD(rules, struct lode_pio_pictures);

static const struct lode_field matrix_fields[] = {
	LODE_FIELD(struct lode_pio_line, server, NULL),
	LODE_FIELD(struct lode_pio_line, counter, NULL),
	LODE_COLUMN("values", struct lode_pio_line, values, n, "per interval", .is_positive = true),
};
LODE_RECORD(matrix, struct lode_pio_line);

#define BORDER(member, text) \
	LODE_FIELD(struct lode_pio_values, member, text, .absent = "it had no value in training")

static const struct lode_field series_fields[] = {
	LODE_FIELD(struct lode_pio_values, server, NULL),
	LODE_FIELD(struct lode_pio_values, counter, NULL),
	BORDER(median, "of healthy time"),
	BORDER(low, "bound of the healthy range"),
	BORDER(high, "bound of the healthy range"),
	LODE_FIELD_AS("drifting", struct lode_pio_values, is_drifting,
		      "true: it drifts, so its level is ignored"),
	LODE_COLUMN("values", struct lode_pio_values, values, n,
		    "the value furthest from the median in each series_step_ns", .has_gaps = true),
};
LODE_RECORD(series, struct lode_pio_values);

static const char *const classes[] = {"LOW", "MED", "HIGH", "NONE", NULL};

struct interval_row {
	int64_t t_ns;
	double sa_ratio, evidence;
	uint8_t class, estimated;
	uint32_t intensity, n, n_slow;
};

static void make_interval(void *row, const void *owner, size_t i)
{
	const struct lode_pio_pictures *pictures = owner;
	const struct lode_pio_analysis *a = pictures->analysis;
	const struct lode_pio_interval *at = &a->intervals[i];

	*(struct interval_row *)row = (struct interval_row){
		.t_ns = lode_pio_time(a, i),
		.sa_ratio = at->sa_ratio,
		.evidence =
			a->model->settings.is_classic ? (double)NAN : lode_pio_finite(at->evidence),
		.class = at->class,
		.estimated = at->estimated,
		.intensity = at->intensity,
		.n = at->n,
		.n_slow = at->n_slow,
	};
}

static const struct lode_field interval_fields[] = {
	LODE_FIELD_AS("t", struct interval_row, t_ns, "start of the interval"),
	LODE_FIELD(struct interval_row, sa_ratio, "share of slow requests",
		   .absent = "there were no requests", .is_positive = true, .most = 1),
	LODE_FIELD_CHOICE("class", struct interval_row, class, classes, "by the log"),
	LODE_FIELD_CHOICE("estimated", struct interval_row, estimated, classes, "from counters"),
	LODE_FIELD(struct interval_row, intensity, NULL),
	LODE_FIELD_AS("requests", struct interval_row, n, NULL),
	LODE_FIELD_AS("slow", struct interval_row, n_slow, NULL),
	LODE_FIELD(struct interval_row, evidence, "highest evidence of any server",
		   .absent = "the model is classic"),
};
LODE_RECORD(interval, struct interval_row);

static const struct lode_field picture_fields[] = {
	LODE_RECORD_HERE("bounds", &bound_record, NULL),
	LODE_LIST("servers", struct lode_pio_pictures, servers.at, servers.n, &evidence_record,
		  "evidence against each server; empty with a classic model"),
	LODE_RECORD_HERE("rules", &rules_record, NULL),
	LODE_LIST("matrix", struct lode_pio_pictures, matrix.at, matrix.n, &matrix_record,
		  "rule coverage of the counters with the largest cells"),
	MORE("matrix_more", struct lode_pio_pictures, n_matrix_more),
	PICTURE("series_step_ns", series_step_ns, NULL, .is_positive = true, .least = 1),
	LODE_LIST("series", struct lode_pio_pictures, series, n_series, &series_record,
		  "raw values, by --series"),
	LODE_ROWS("intervals", struct lode_pio_pictures, n_intervals, make_interval,
		  &interval_record, NULL),
};
LODE_RECORD(picture, struct lode_pio_pictures);

/* ---- The documents ---- */

static const struct lode_field pause_fields[] = {
	LODE_FIELD(struct lode_pio_pause, interval,
		   "index into `intervals` of the first interval after it"),
	LODE_FIELD(struct lode_pio_pause, left_out_ns, "duration of this pause and all before it",
		   .is_positive = true, .least = 1),
};
LODE_RECORD(pause, struct lode_pio_pause);

#define PERIODS(list, text) \
	LODE_LIST(#list, struct lode_pio_answer, list.at, list.n, &period_record, text)

static const struct lode_field answer_fields[] = {
	LODE_FIELDS_OF(struct lode_pio_answer, opening, &lode_opening_record),
	LODE_FIELD_AS("classic", struct lode_pio_answer, is_classic, "the paper's pipeline"),
	LODE_FIELD(struct lode_pio_answer, step_ns, "length of an interval", .is_positive = true,
		   .least = 1),
	LODE_FIELD_AS("start", struct lode_pio_answer, start_ns, NULL),
	LODE_FIELD_AS("end", struct lode_pio_answer, end_ns, NULL),
	LODE_LIST("pauses", struct lode_pio_answer, pauses, n_pauses, &pause_record,
		  "time without samples, left out of `intervals`"),
	LODE_FIELD(struct lode_pio_answer, has_log, NULL),
	PERIODS(periods, "slow periods, by --rank"),
	PERIODS(unfelt, "counters out of range, but users were not affected"),
	PERIODS(unexplained, "slow by the log, but not explained by the model"),
	LODE_FIELD_RECORD("training", struct lode_pio_answer, training, &training_record, NULL),
	LODE_FIELD_RECORD("retraining", struct lode_pio_answer, retraining, &retraining_record,
			  NULL),
	LODE_FIELD_RECORD("regression", struct lode_pio_answer, regression, &regression_record,
			  NULL),
	LODE_LIST("losses", struct lode_pio_answer, losses, n_losses, &lode_loss_record,
		  "losses in logs and counters"),
	LODE_FIELDS_OF(struct lode_pio_answer, pictures, &picture_record),
};
LODE_RECORD(answer, struct lode_pio_answer);

const struct lode_document lode_pio_document = {
	.schema = "lode/pio/1",
	.file = "pio",
	.title = "lode pio --json",
	.doc = "Times are ns since the epoch, UTC.",
	.record = &answer_record,
	.find = lode_pio_findings,
};

const char *const lode_pio_event_names[] = {
	[LODE_PIO_STARTED] = "started",
	[LODE_PIO_ENDED] = "ended",
	[LODE_PIO_WITHDRAWN] = "withdrawn",
	[LODE_PIO_UNEXPLAINED] = "unexplained",
	[LODE_PIO_UNEXPLAINED_ENDED] = "unexplained_ended",
	NULL,
};

static const struct lode_field known_fields[] = {
	LODE_FIELDS_HERE(&span_record),
	FOUND("known", known_ns, "when it was detected"),
	LODE_FIELDS_HERE(&size_record),
	LODE_FIELDS_HERE(&ranked_record),
};
LODE_RECORD(known, struct lode_pio_found);

static const struct lode_field event_fields[] = {
	LODE_FIELD_CHOICE("event", struct lode_pio_event, kind, lode_pio_event_names, NULL),
	LODE_FIELDS_OF(struct lode_pio_event, found, &known_record),
};
LODE_RECORD(event, struct lode_pio_event);

const struct lode_document lode_pio_watch_document = {
	.schema = "lode/pio-watch/1",
	.file = "pio-watch",
	.title = "a line of lode pio watch --json",
	.record = &event_record,
};
/* NOLINTEND(bugprone-macro-parentheses) */
