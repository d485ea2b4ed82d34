/* Fields of the document of lode pio compare. */
#include "answers/pio/compare.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): names of members have none */

static const char *const directions[] = {"up", "down", NULL};

static const struct lode_field changed_counter_fields[] = {
	LODE_FIELD(struct lode_pio_changed_counter, rank, NULL),
	LODE_FIELD(struct lode_pio_changed_counter, counter, NULL),
	LODE_FIELD_CHOICE("direction", struct lode_pio_changed_counter, is_fall, directions, NULL),
	LODE_FIELD(struct lode_pio_changed_counter, before, "median"),
	LODE_FIELD(struct lode_pio_changed_counter, after, "median"),
	LODE_FIELD(struct lode_pio_changed_counter, deviation,
		   "shift of the median in ranges of the time before"),
	LODE_FIELD_AS("since", struct lode_pio_changed_counter, since_ns, "when it began"),
	LODE_FIELD_AS("total", struct lode_pio_changed_counter, is_total,
		      "true: it only grows, so its growth per interval was compared"),
};
LODE_RECORD(changed_counter, struct lode_pio_changed_counter);

static const struct lode_field changed_fields[] = {
	LODE_FIELD(struct lode_pio_changed, rank, NULL),
	LODE_FIELD(struct lode_pio_changed, service, NULL),
	LODE_FIELD_AS("since", struct lode_pio_changed, since_ns,
		      "when the first of its three strongest counters changed"),
	LODE_FIELD(struct lode_pio_changed, confidence, "0 to 1", .is_positive = true, .most = 1),
	LODE_FIELD(struct lode_pio_changed, evidence, "stands out above `bound`",
		   .is_positive = true),
	LODE_LIST("counters", struct lode_pio_changed, counters, n_counters,
		  &changed_counter_record, "best first"),
	LODE_FIELD_AS("counters_more", struct lode_pio_changed, n_counters_more,
		      "left out by --top", .absent = "none were", .least = 1),
};
LODE_RECORD(changed, struct lode_pio_changed);

static const struct lode_field compared_time_fields[] = {
	LODE_FIELD_AS("start", struct lode_pio_compared_time, start_ns, NULL),
	LODE_FIELD_AS("end", struct lode_pio_compared_time, end_ns, NULL),
	LODE_FIELD_AS("intervals", struct lode_pio_compared_time, n_intervals, NULL),
};
LODE_RECORD(compared_time, struct lode_pio_compared_time);

static const char *const sources[] = {"files", "before_separator", "behind_separator", "label",
				      NULL};

#define COMPARED(key, member, text, ...) \
	LODE_FIELD_AS(key, struct lode_pio_compare_answer, member, text, __VA_ARGS__)

static const struct lode_field compared_fields[] = {
	LODE_FIELDS_OF(struct lode_pio_compare_answer, opening, &lode_opening_record),
	LODE_FIELD_RECORD("before", struct lode_pio_compare_answer, before, &compared_time_record,
			  NULL),
	LODE_FIELD_RECORD("after", struct lode_pio_compare_answer, after, &compared_time_record,
			  NULL),
	COMPARED("step_ns", step_ns, "length of an interval", .is_positive = true, .least = 1),
	COMPARED("stands_out", stands_out, "false: `services` is empty"),
	COMPARED("evidence", evidence, "highest of any service", .is_positive = true),
	COMPARED("natural", natural, "highest evidence of any service within the time before",
		 .is_positive = true),
	COMPARED("bound", bound, "evidence from which a service stands out", .is_positive = true),
	LODE_LIST("services", struct lode_pio_compare_answer, services, n_services, &changed_record,
		  "best first"),
	COMPARED("services_more", n_services_more, "left out by --top", .absent = "none were",
		 .least = 1),
	COMPARED("services_compared", n_services_all, NULL),
	LODE_FIELD_CHOICE("services_from", struct lode_pio_compare_answer, source, sources,
			  "whether the files or the columns' names give the services"),
	COMPARED("separator", separator, "of the columns' names, or the label",
		 .absent = "the files give them"),
	COMPARED("counters_compared", n_compared, NULL),
	COMPARED("counters_too_few", n_too_few, "with fewer than 4 values before or after"),
	COMPARED("counters_unmatched", n_unmatched, "only before, or only after"),
	LODE_LIST("losses", struct lode_pio_compare_answer, losses, n_losses, &lode_loss_record,
		  "losses in counters"),
};
LODE_RECORD(compared, struct lode_pio_compare_answer);

const struct lode_document lode_pio_compare_document = {
	.schema = "lode/pio-compare/1",
	.file = "pio-compare",
	.title = "lode pio compare --json",
	.record = &compared_record,
	.doc = "Times are ns since the epoch, UTC.",
	.find = lode_pio_compare_findings,
};
/* NOLINTEND(bugprone-macro-parentheses) */
