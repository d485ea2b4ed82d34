#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/pio/model_file.h"
#include "cli/cmd_pio.h"
#include "cli/help.h"
#include "cli/html_option.h"
#include "cli/messages.h"
#include "cli/output_options.h"
#include "cli/pio_bridge.h"
#include "cli/pio_inputs.h"
#include "reports/pio_report.h"

struct analyse_values {
	struct pio_inputs inputs;
	struct pio_bridge bridge;
	const char *model, *html;
	int order;
	size_t top, points;
	int series;
	bool wants_json;
};

/* Rows of a page's heat map, and items of its other lists. */
enum { PAGE_TOP = 100 };

static const char *const series_choices[] = {"top", "all", "none", NULL};

#define AT(field) .offset = offsetof(struct analyse_values, field)

static const struct lode_option options[] = {
	PIO_MODEL_OPTION(offsetof(struct analyse_values, model)),
	PIO_INPUT_OPTIONS(offsetof(struct analyse_values, inputs)),
	PIO_BRIDGE_OPTIONS(offsetof(struct analyse_values, bridge)),

	{.name = "rank",
	 .argument = "BY",
	 .help = "order of periods: time (default), harm (slow requests beyond what is usual: long "
		 "ones first) or peak (share of slow requests: short, sharp ones stand beside long "
		 "ones)",
	 .set = lode_set_choice,
	 .choices = pio_order_choices,
	 AT(order),
	 .group = "Output"},
	PIO_TOP_OPTION(offsetof(struct analyse_values, top),
		       " (default 8 on the page, 50 in JSON; 0: no bound)"),
	{.name = "series",
	 .argument = "WHICH",
	 .help = "whose raw values JSON has: top (default: counters of the heat map, and the first "
		 "of each period), all or none",
	 .set = lode_set_choice,
	 .choices = series_choices,
	 AT(series)},
	{.name = "points",
	 .argument = "N",
	 .help = "of a counter's raw values at most (default 5000; 0: one per interval)",
	 .set = lode_set_count,
	 AT(points)},
	PIO_JSON_OPTION(offsetof(struct analyse_values, wants_json), "one JSON document"),
	LODE_HTML_OPTION(offsetof(struct analyse_values, html)),
	LODE_FORCE_OPTION,
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"When was it slow today, and which server was it?",
	 "lode pio -m shop.model --log access.log -c web=web.csv -c app=app.csv -c db=db.csv"},
	{"From counters alone",
	 "lode pio -m shop.model -c web=web.csv -c app=app.csv -c db=db.csv"},
	{"Did the update make it slower?",
	 "lode pio -m before.model --log access.log -c db=db.csv --json | jq .regression"},
	{NULL},
};

static void put_json(FILE *out, const void *report)
{
	lode_pio_report_json(out, report);
}

/* The page, named for the files that were read. */
static int put_html(const struct lode_command *self, const struct analyse_values *v,
		    const struct lode_pio_report *report)
{
	LODE_VEC(char *) inputs = {0};
	int code;

	for (size_t i = 0; i < v->inputs.list.n; i++)
		if (v->inputs.list.at[i].kind != PIO_THEN)
			lode_vec_append(&inputs, (char *)v->inputs.list.at[i].text);
	code = lode_html_put(self, v->html, "lode/pio/1", inputs.at, inputs.n, put_json, report);
	lode_vec_release(&inputs);
	return code;
}

static int report(const struct lode_command *self, const struct analyse_values *v,
		  const struct lode_pio_model *model, const struct pio_period *period)
{
	struct lode_pio_analysis analysis;
	struct lode_pio_report r = {
		.analysis = &analysis,
		.names = &model->names,
		.losses = &period->requests.losses,
		.order = (enum lode_pio_order)v->order,
		.top = v->top,
		.series = (enum lode_pio_series)v->series,
		.points = v->points,
		.columns = lode_columns(stdout, 100),
		.is_terminal = lode_columns(stdout, 0) > 0,
	};
	int code = LODE_EXIT_OK;

	lode_pio_analyse(&analysis, model, &period->counters,
			 period->has_log ? &period->requests : NULL);
	if (v->html)
		code = put_html(self, v, &r);
	else if (v->wants_json)
		lode_pio_report_json(stdout, &r);
	else
		lode_pio_report_text(stdout, &r);
	code = pio_worse(code, pio_bridge_write(self, &v->bridge, &analysis));
	lode_pio_analysis_release(&analysis);
	return code;
}

static int analyse(const struct lode_command *self, const struct analyse_values *v)
{
	struct lode_request_log_options log = {0};
	struct lode_pio_model model;
	struct pio_period period = {0};
	struct lode_counter_bound bound;
	struct lode_error err;
	int code;

	if (lode_pio_model_read(&model, v->model, &err) < 0)
		return lode_say_error(self, &err);
	bound = pio_grid_bound(&v->inputs, model.counters.n);
	log.step_ns = model.settings.step_ns;
	log.is_by_start = model.settings.is_by_start;
	log.is_whole_response = model.settings.is_whole_response;
	lode_request_log_init(&period.requests, &log, &model.usual, true);
	code = pio_read_counters(self, &v->inputs, 0, &period);
	if (code < LODE_EXIT_USAGE)
		code = pio_worse(code, pio_align(self, log.step_ns, &bound, &period));
	if (code < LODE_EXIT_USAGE)
		code = pio_worse(code, pio_read_logs(self, &v->inputs, 0, &period, &model.names));
	if (code < LODE_EXIT_USAGE)
		code = pio_worse(code, report(self, v, &model, &period));
	pio_period_release(&period);
	lode_pio_model_release(&model);
	return code;
}

static int run(const struct lode_command *self, int argc, char **argv)
{
	struct analyse_values v = {.top = SIZE_MAX, .points = 5000};
	struct lode_error err;
	int n, code;

	if (!lode_command_start(self, &v, argc, argv, &n, &code))
		goto out;
	if (v.top == SIZE_MAX)
		v.top = v.html ? PAGE_TOP : v.wants_json ? 50 : 8;
	if (n)
		code = lode_command_misused(self,
					    "'%.60s': name logs with --log and counters with "
					    "--counters",
					    argv[0]);
	else if (v.html && v.wants_json)
		code = lode_command_misused(self, "--html stands alone, without --json");
	else if (v.html && lode_html_check(self) != LODE_EXIT_OK)
		code = LODE_EXIT_FAILURE;
	else if (!v.model)
		code = lode_command_misused(self,
					    "give a model: --model FILE, made by 'lode pio train'");
	else if (lode_log_options_check(&v.inputs.log, &err) < 0)
		code = lode_command_misused(self, "%s", err.message);
	else if ((code = pio_bridge_check(self, &v.bridge)) == LODE_EXIT_OK)
		code = analyse(self, &v);
out:
	lode_vec_release(&v.inputs.list);
	lode_vec_release(&v.bridge.streams);
	return code;
}

const struct lode_command lode_cmd_pio_analyse = {
	.name = "pio analyse",
	.summary = "say when a service was slow, and which counter of which server goes with it",
	.usage = "[OPTION]... --model FILE --counters [SERVER=]FILE... [--log FILE...]",
	.description =
		"Finds slow periods in counters by a model, from their first second on, and ranks "
		"servers and counters by what they have to show. With the request log of the same "
		"time it also says who was hit, leaves out what nobody felt, and names slow time "
		"that no counter explains.",
	.options = options,
	.examples = examples,
	.run = run,
};

/* ---- show ---- */

static const struct lode_option show_options[] = {LODE_OPTIONS_END};

static const struct lode_example show_examples[] = {
	{"What does this model know?", "lode pio show shop.model"},
	{NULL},
};

static int show(const struct lode_command *self, int argc, char **argv)
{
	struct lode_pio_model model;
	struct lode_error err;
	int n, code;

	if (!lode_command_start(self, NULL, argc, argv, &n, &code))
		return code;
	if (n != 1)
		return lode_command_misused(self, "give one model");
	if (lode_pio_model_read(&model, argv[0], &err) < 0)
		return lode_say_error(self, &err);
	lode_pio_model_report(stdout, &model);
	lode_pio_model_release(&model);
	return LODE_EXIT_OK;
}

const struct lode_command lode_cmd_pio_show = {
	.name = "pio show",
	.summary = "say what a model has learnt",
	.usage = "MODEL",
	.description = "Shows a model's training periods, bounds and rules.",
	.options = show_options,
	.examples = show_examples,
	.run = show,
};
