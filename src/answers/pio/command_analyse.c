/* The command lines of lode pio analyse and lode pio show. */
#include "engine/pio/model_file.h"
#include "answers/pio/command_inputs.h"
#include "tool/command.h"
#include "tool/terminal.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/page_commands.h"
#include "document/export/export_file.h"

struct analyse_values {
	struct lode_pio_input_values inputs;
	const char *model, *html;
	/* Symptoms of recordings. */
	const char *symptoms, *comm, *clock_offset;
	lode_text_list streams;
	int order;
	size_t top, points;
	int series;
	bool wants_json;
	struct lode_asked asked;
};

/* Rows of a page's heat map, and items of its other lists. */
enum { PAGE_TOP = 100 };

static const struct analyse_values analyse_defaults = {.top = SIZE_MAX, .points = 5000};
static const char *const order_choices[] = {"time", "harm", "peak", NULL};
static const char *const series_choices[] = {"top", "all", "none", NULL};

#define AT(field) offsetof(struct analyse_values, field)

static const struct lode_option options[] = {
	LODE_PIO_MODEL_OPTION(AT(model)),
	LODE_PIO_INPUT_OPTIONS(AT(inputs)),

	LODE_OPTION("symptoms-out", "FILE", lode_set_text, AT(symptoms),
		    "write the slow periods as symptoms of the recordings given by --stream, for "
		    "'lode mine --symptoms' and 'lode suspects --symptoms'",
		    .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_SYMPTOMS,
		    .group = "Symptoms for recordings"),
	LODE_OPTION("stream", "FILE", lode_set_list, AT(streams),
		    "a recording made at the same time; may be repeated", .file = LODE_FILE_READ),
	LODE_OPTION("symptom-comm", "GLOB", lode_set_text, AT(comm),
		    "threads that get the symptoms, by name (default: all except kernel threads)"),
	LODE_OPTION("clock-offset", "TIME", lode_set_text, AT(clock_offset),
		    "offset from a recording's clock to wall clock time (since 1970, UTC), for "
		    "recordings without it (made without 'perf record -k')"),

	LODE_OPTION(
		"rank", "BY", lode_set_choice, AT(order),
		"order of periods: time (default), harm (number of excess slow requests: favours "
		"long periods) or peak (share of slow requests: also short, sharp ones)",
		.choices = order_choices, .group = "Output"),
	LODE_PIO_TOP_OPTION(AT(top), " (default 8 on the page, 50 in JSON; 0: all)"),
	LODE_OPTION("series", "WHICH", lode_set_choice, AT(series),
		    "counters with raw values in JSON: top (default: those of the heat map, and "
		    "the first of each period), all or none",
		    .choices = series_choices, .is_aside = true),
	LODE_OPTION("points", "N", lode_set_count, AT(points),
		    "maximum number of raw values per counter (default 5000; 0: one per interval)",
		    .is_aside = true),
	LODE_PIO_JSON_OPTION(AT(wants_json), "print one JSON document"),
	LODE_HTML_OPTION(AT(html)),
	LODE_FORCE_OPTION,
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"When was the service slow today, and which server caused it?",
	 "lode pio -m shop.model --log access.log -c web=web.csv -c app=app.csv -c db=db.csv"},
	{"From counters alone",
	 "lode pio -m shop.model -c web=web.csv -c app=app.csv -c db=db.csv"},
	{"Did the update make the service slower?",
	 "lode pio -m before.model --log access.log -c db=db.csv --json | jq .regression"},
	{NULL},
};

/* ---- What is wrong with the command line ---- */

static bool parse_offset(int64_t *out, const char *text)
{
	bool is_negative = *text == '-';

	if (!lode_duration_parse(out, text + is_negative))
		return false;
	*out = is_negative ? -*out : *out;
	return true;
}

static int bridge_misuse(const struct lode_command *self, const struct analyse_values *v)
{
	int64_t offset;

	if (v->clock_offset && !parse_offset(&offset, v->clock_offset))
		return lode_command_misused(self, "--clock-offset: '%.60s' is not a time",
					    v->clock_offset);
	if (v->symptoms && !v->streams.n)
		return lode_command_misused(self, "--symptoms-out requires --stream FILE");
	if (!v->symptoms && (v->streams.n || v->comm || v->clock_offset))
		return lode_command_misused(self, "--stream requires --symptoms-out FILE");
	return LODE_EXIT_OK;
}

static int analyse_misuse(const struct lode_command *self, const struct analyse_values *v,
			  const char *operand)
{
	int code = operand ? lode_pio_misuse(self, &v->inputs, operand) : LODE_EXIT_OK;

	if (code == LODE_EXIT_OK && v->html && v->wants_json)
		code = lode_command_misused(self, "--html cannot be combined with --json");
	if (code == LODE_EXIT_OK && v->html)
		code = lode_html_check(self);
	if (code == LODE_EXIT_OK)
		code = lode_pio_model_misuse(self, v->model);
	if (code == LODE_EXIT_OK)
		code = lode_pio_misuse(self, &v->inputs, NULL);
	return code == LODE_EXIT_OK ? bridge_misuse(self, v) : code;
}

/* ---- The answer ---- */

/* The page, named for the files that were read. */
static int put_pio_html(const struct lode_command *self, const struct analyse_values *v,
			const struct lode_pio_answer *answer)
{
	LODE_VEC(char *) inputs = {0};
	int code;

	for (size_t i = 0; i < v->inputs.list.n; i++)
		if (v->inputs.list.at[i].kind != LODE_PIO_THEN)
			lode_vec_append(&inputs, (char *)v->inputs.list.at[i].text);
	code = lode_html_put(self, v->html, &lode_pio_document, answer, inputs.at, inputs.n);
	lode_vec_release(&inputs);
	return code;
}

static int put_symptoms(FILE *out, const void *answer, struct lode_error *err)
{
	(void)err;
	lode_pio_symptoms_put(out, answer);
	return LODE_OK;
}

static int write_symptoms(const struct lode_command *self, const struct analyse_values *v,
			  const struct lode_pio_answer *answer)
{
	struct lode_error err;

	if (!answer->has_symptoms)
		return LODE_EXIT_OK;
	if (lode_export_write(v->symptoms, put_symptoms, answer, &err) < 0)
		return lode_say_error(self, &err);
	if (!answer->symptoms.n)
		lode_say(self, "no symptoms: no slow period overlaps a thread of the recordings");
	return LODE_EXIT_OK;
}

static int put_pio_answer(const struct lode_command *self, const struct analyse_values *v,
			  const struct lode_pio_answer *answer, const struct lode_text_page *page)
{
	int code = LODE_EXIT_OK;

	if (v->html)
		code = put_pio_html(self, v, answer);
	else if (v->wants_json)
		lode_document_put(stdout, &lode_pio_document, answer, NULL);
	else
		lode_pio_text(lode_paged_stdout(), answer, page);
	return lode_pio_worse(code, write_symptoms(self, v, answer));
}

static struct lode_pio_request pio_request_of(const struct analyse_values *v,
					      const struct lode_text_page *page)
{
	return (struct lode_pio_request){
		.model = v->model,
		.inputs = lode_pio_inputs_of(&v->inputs),
		.order = (enum lode_pio_order)v->order,
		.top = v->top != SIZE_MAX ? v->top
		       : v->html	  ? PAGE_TOP
		       : v->wants_json	  ? 50
					  : 8,
		.series = (enum lode_pio_series)v->series,
		.points = v->points,
		.wants_pictures = v->html || v->wants_json,
		.map_columns = v->html || v->wants_json ? 0 : lode_pio_text_map_columns(page),
		.bridge = {.streams = v->streams.at,
			   .n_streams = v->streams.n,
			   .comm = v->comm,
			   .has_offset = v->clock_offset},
		.symptoms = v->symptoms,
		.asked = v->asked.command ? &v->asked : NULL,
	};
}

struct lode_pio_request lode_pio_page_request(const struct lode_input_options *machine)
{
	struct analyse_values v = analyse_defaults;

	v.html = "";
	v.inputs.n_threads = machine->n_threads;
	v.inputs.memory_bytes = machine->memory_bytes;
	return pio_request_of(&v, NULL);
}

static int answer_pio(const struct lode_command *self, const struct analyse_values *v)
{
	const struct lode_text_page page = lode_stdout_page();
	struct lode_pio_request request = pio_request_of(v, &page);
	struct lode_pio_answer *answer;
	struct lode_error err;
	int code, rc;

	if (v->clock_offset)
		parse_offset(&request.bridge.wall_offset_ns, v->clock_offset);
	rc = lode_pio_run(&answer, &request, &err);
	code = lode_pio_say_notes(self, &answer->notes);
	if (rc == LODE_OK)
		code = lode_pio_worse(code, put_pio_answer(self, v, answer, &page));
	lode_pio_free(answer);
	return code;
}

static int pio_analyse_command(const struct lode_command *self, int argc, char **argv)
{
	struct analyse_values v = analyse_defaults;
	int n, code;

	if (lode_command_start(self, &v, argc, argv, &n, &code)) {
		lode_asked_make(&v.asked, self, argc, argv, n, NULL);
		code = analyse_misuse(self, &v, n ? argv[0] : NULL);
		if (code == LODE_EXIT_OK)
			code = answer_pio(self, &v);
	}
	lode_vec_release(&v.inputs.list);
	lode_vec_release(&v.streams);
	lode_asked_release(&v.asked);
	return code;
}

const struct lode_command lode_cmd_pio_analyse = {
	.name = "pio analyse",
	.summary = "find when a service was slow, and which counters explain it",
	.usage = "[OPTION]... --model FILE --counters [SERVER=]FILE... [--log FILE...]",
	.description = "Finds slow periods in counters with a model, and ranks servers and "
		       "counters by evidence. With the request log of the same time it also shows "
		       "which actions and users were affected, omits periods that did not slow any "
		       "request, and reports slow time that no counter explains.",
	.options = options,
	.examples = examples,
	.run = pio_analyse_command,
};

/* ---- show ---- */

static const struct lode_option show_options[] = {LODE_OPTIONS_END};

static const struct lode_example show_examples[] = {
	{"What has this model learned?", "lode pio show shop.model"},
	{NULL},
};

static int pio_show_command(const struct lode_command *self, int argc, char **argv)
{
	const struct lode_text_page page = lode_stdout_page();
	struct lode_pio_model model;
	struct lode_error err;
	int n, code;

	if (!lode_command_start(self, NULL, argc, argv, &n, &code))
		return code;
	if (n != 1)
		return lode_command_misused(self, "give one model");
	if (lode_pio_model_read(&model, argv[0], &err) < 0)
		return lode_say_error(self, &err);
	lode_pio_model_text(stdout, &model, &page);
	lode_pio_model_release(&model);
	return LODE_EXIT_OK;
}

const struct lode_command lode_cmd_pio_show = {
	.name = "pio show",
	.summary = "show what a model has learned",
	.usage = "MODEL",
	.description = "Shows the training periods, bounds and rules of a model.",
	.options = show_options,
	.examples = show_examples,
	.run = pio_show_command,
};
