/* The command line of lode pio train. */
#include "answers/pio/command_inputs.h"
#include "tool/help.h"
#include "tool/output_options.h"
#include "tool/terminal.h"
#include "tool/page_commands.h"

struct train_values {
	lode_text_list slos;
	LODE_VEC(struct lode_pio_incident) incidents;
	struct lode_pio_input_values inputs;
	const char *output;
	bool is_classic, is_plain, is_log, is_per_action;
	size_t window, min_requests, seed, rulesets, folds;
	int64_t step_ns;
	int by;
};

static const struct train_values train_defaults = {.min_requests = SIZE_MAX, .seed = 1, .by = -1};
static const char *const by_choices[] = {"start", "end", NULL};

#define AT(field) offsetof(struct train_values, field)

static int set_incident(const struct lode_option *option, void *field, const char *text,
			struct lode_error *err)
{
	LODE_VEC(struct lode_pio_incident) *list = field;
	struct lode_pio_incident incident;
	const char *comma = strchr(text, ',');
	char *from = lode_strdup(text);
	bool ok;

	(void)option;
	from[comma ? comma - text : 0] = '\0';
	ok = comma && lode_pio_parse_time(&incident.start_ns, from) &&
	     lode_pio_parse_time(&incident.end_ns, comma + 1) &&
	     incident.start_ns < incident.end_ns;
	free(from);
	if (!ok)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "--incident '%.80s': expected two times, such as "
				 "2026-11-28T05:00:00Z,2026-11-28T05:10:00Z",
				 text);
	lode_vec_append(list, incident);
	return 0;
}

static const struct lode_option options[] = {
	LODE_PIO_INPUT_OPTIONS(AT(inputs)),
	{.name = "then",
	 .help = "the following inputs are of another period; the model is trained on all periods",
	 .set = lode_set_pio_input,
	 .offset = AT(inputs.list)},

	LODE_OPTION("slo", "SERVICE:COUNTER[>NUMBER]", lode_set_list, AT(slos),
		    "in place of a log: an interval is slow if this counter is above NUMBER, or "
		    "below with <; without NUMBER, beyond all that it was in training; may be "
		    "repeated"),
	LODE_OPTION("incident", "FROM,TO", set_incident, AT(incidents),
		    "in place of a log: the service was slow from FROM to TO (UTC), and at no "
		    "other time; may be repeated"),

	LODE_OPTION("output", "FILE", lode_set_text, AT(output),
		    "write the model to FILE (default: standard output)", .letter = 'o',
		    .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_MODEL, .may_be_stdout = true,
		    .group = "Learning"),
	LODE_FORCE_OPTION,
	LODE_FLAG("classic", AT(is_classic),
		  "exactly as in the paper: plain response times, requests counted at their end, "
		  "one ruleset, no baseline"),
	LODE_OPTION("entity-label", "LABEL", lode_set_text, AT(inputs.entity_label),
		    "the label of Prometheus whose values are the services (default: found in "
		    "counters without a server)"),
	LODE_OPTION("interval", "TIME", lode_set_long_time, AT(step_ns),
		    "length of an interval (default: sampling interval of the fastest counter)"),
	LODE_FLAG("per-action", AT(is_per_action),
		  "learn usual response times per action instead of per (action, user)"),
	LODE_FLAG("plain", AT(is_plain), "use plain response times (default with --classic)"),
	LODE_FLAG("log-times", AT(is_log),
		  "use logarithms of response times (default without --classic)"),
	LODE_OPTION("by", "END", lode_set_choice, AT(by),
		    "assign requests to intervals by their start (default) or end (--classic)",
		    .choices = by_choices),
	LODE_OPTION("min-requests", "N", lode_set_positive, AT(min_requests),
		    "judge (action, user) pairs with fewer requests by their action (default 10; "
		    "--classic 1)"),
	LODE_OPTION("window", "N", lode_set_positive, AT(window),
		    "number of past intervals used for intensity and smoothing (default: half of "
		    "the usual duration of slow time, at most 5; --classic 5)"),
	LODE_OPTION("rulesets", "N", lode_set_positive, AT(rulesets),
		    "number of rulesets, each trained on a different LOW sample (default 5; "
		    "--classic 1)"),
	LODE_OPTION("seed", "N", lode_set_count, AT(seed), "random seed (default 1)"),
	LODE_OPTION("cross-validate", "N", lode_set_positive, AT(folds),
		    "also estimate the error by N-fold cross-validation"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Train on a day of a service with three servers",
	 "lode pio train --log access.log -c web=web.csv -c app=app.csv -c db=db.csv -o "
	 "shop.model"},
	{"Train on two days and estimate the error of the rules",
	 "lode pio train -l mon.log -c db=mon.csv --then -l tue.log -c db=tue.csv "
	 "--cross-validate 10 -o shop.model"},
	{NULL},
};

static struct lode_pio_settings settings_of(const struct train_values *v)
{
	struct lode_pio_settings s = lode_pio_settings_default(v->is_classic);

	s.is_log = v->is_log || (s.is_log && !v->is_plain);
	s.is_per_action = v->is_per_action;
	if (v->by >= 0)
		s.is_by_start = v->by == 0;
	if (v->min_requests != SIZE_MAX)
		s.min_requests = (uint32_t)v->min_requests;
	if (v->window)
		s.window = (uint32_t)v->window;
	if (v->rulesets)
		s.n_rulesets = (uint32_t)v->rulesets;
	s.seed = v->seed;
	s.step_ns = v->step_ns;
	return s;
}

static struct lode_pio_train_request train_request_of(const struct train_values *v)
{
	return (struct lode_pio_train_request){
		.inputs = lode_pio_inputs_of(&v->inputs),
		.settings = settings_of(v),
		.slos = (const char *const *)v->slos.at,
		.n_slos = v->slos.n,
		.incidents = v->incidents.at,
		.n_incidents = v->incidents.n,
		.n_folds = (unsigned)v->folds,
		.model = v->output ? v->output : "-",
	};
}

struct lode_pio_train_request lode_pio_train_page_request(const struct lode_input_options *machine)
{
	struct train_values v = train_defaults;

	v.inputs.n_threads = machine->n_threads;
	v.inputs.memory_bytes = machine->memory_bytes;
	return train_request_of(&v);
}

static int train_and_write(const struct lode_command *self, const struct train_values *v)
{
	const struct lode_pio_train_request request = train_request_of(v);
	const struct lode_text_page page = lode_stdout_page();
	struct lode_pio_trained *trained;
	struct lode_error err;
	int rc = lode_pio_train_run(&trained, &request, &err);
	int code = lode_pio_say_notes(self, &trained->notes);

	if (rc == LODE_OK && strcmp(request.model, "-") != 0)
		lode_pio_model_text(stdout, &trained->model, &page);
	lode_pio_trained_free(trained);
	return code;
}

static int train_misuse(const struct lode_command *self, const struct train_values *v,
			const char *operand)
{
	if (operand)
		return lode_pio_misuse(self, &v->inputs, operand);
	for (size_t i = 0; i < v->slos.n; i++)
		if (lode_pio_slo_misuse(v->slos.at[i]))
			return lode_command_misused(self, "--slo '%.60s': %s", v->slos.at[i],
						    lode_pio_slo_misuse(v->slos.at[i]));
	for (size_t i = 0; v->slos.n + v->incidents.n && i < v->inputs.list.n; i++)
		if (v->is_classic || v->inputs.list.at[i].kind == LODE_PIO_LOG)
			return lode_command_misused(self, "--%s cannot be combined with %s",
						    v->slos.n ? "slo" : "incident",
						    v->is_classic ? "--classic" : "--log");
	if (v->is_plain && v->is_log)
		return lode_command_misused(self, "--plain and --log-times exclude each other");
	if (v->window > 63)
		return lode_command_misused(self, "--window must be at most 63");
	if (v->folds == 1)
		return lode_command_misused(self, "--cross-validate must be at least 2");
	return lode_pio_misuse(self, &v->inputs, NULL);
}

static int pio_train_command(const struct lode_command *self, int argc, char **argv)
{
	struct train_values v = train_defaults;
	int n, code;

	if (lode_command_start(self, &v, argc, argv, &n, &code)) {
		code = train_misuse(self, &v, n ? argv[0] : NULL);
		if (code == LODE_EXIT_OK)
			code = train_and_write(self, &v);
	}
	lode_vec_release(&v.inputs.list);
	lode_vec_release(&v.slos);
	lode_vec_release(&v.incidents);
	return code;
}

const struct lode_command lode_cmd_pio_train = {
	.name = "pio train",
	.summary = "learn when a service is slow, and which counters explain it",
	.usage = "[OPTION]... --counters [SERVER=]FILE... [--log FILE...]",
	.description = "Learns the usual response time of every (action, user), the share of slow "
		       "requests in slow intervals, and, by rules and by the healthy range of each "
		       "counter, which counters of which server explain them. The training period "
		       "should contain some slow time of the kinds to be recognised.\n\n"
		       "Without a log, all of training counts as healthy: it should be. See also "
		       "'lode pio compare'.\n\n"
		       "The model is a readable JSON file (docs/pio.md).",
	.options = options,
	.examples = examples,
	.run = pio_train_command,
};
