/* The command line of lode pio compare. */
#include "answers/pio/command_inputs.h"
#include "answers/pio/compare.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/page_commands.h"
#include "tool/terminal.h"

struct compare_values {
	lode_text_list before, after;
	const char *at, *html, *entity_label, *edges;
	int64_t step_ns;
	size_t top;
	unsigned n_threads;
	size_t memory_bytes;
	bool wants_json;
	struct lode_asked asked;
};

static const struct compare_values compare_defaults = {.top = SIZE_MAX};

#define AT(field) offsetof(struct compare_values, field)

static const struct lode_option options[] = {
	LODE_OPTION("before", "[SERVICE=]FILE", lode_set_list, AT(before),
		    "counters of the time before: a file or a folder (docs/formats/counters.md); "
		    "may be repeated",
		    .file = LODE_FILE_READ, .group = "Input"),
	LODE_OPTION("after", "[SERVICE=]FILE", lode_set_list, AT(after),
		    "counters of the time after; may be repeated", .file = LODE_FILE_READ),
	LODE_OPTION("at", "TIME", lode_set_text, AT(at),
		    "instead of both: compare before and after TIME (UTC) in the files given as "
		    "arguments (2026-11-28T05:00:15Z, or seconds since 1970)"),
	LODE_OPTION("entity-label", "LABEL", lode_set_text, AT(entity_label),
		    "the label of Prometheus whose values are the services (default: found in "
		    "counters without a server)"),
	LODE_OPTION("edges", "FILE", lode_set_text, AT(edges),
		    "which service calls which: lines 'caller,callee', or Jaeger's dependencies "
		    "(JSON); a caller gives way to what it calls",
		    .file = LODE_FILE_READ),
	LODE_OPTION("interval", "TIME", lode_set_some_time, AT(step_ns),
		    "length of an interval (default: sampling interval of the fastest counter)"),
	LODE_OPTION("threads", "N", lode_set_unsigned, AT(n_threads),
		    "use N threads (default: all CPUs); the result does not depend on N",
		    .letter = 'j', .is_aside = true),
	LODE_MEMORY_OPTION(AT(memory_bytes)),
	LODE_OPTION("top", "N", lode_set_count, AT(top),
		    "maximum number of services, and of counters of each (default 5; 50 on the "
		    "page and in JSON; 0: all)",
		    .letter = 'n', .group = "Output", .is_aside = true),
	LODE_PIO_JSON_OPTION(AT(wants_json), "print one JSON document"),
	LODE_HTML_OPTION(AT(html)),
	LODE_FORCE_OPTION,
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Which service changed between two times?",
	 "lode pio compare --before normal.csv --after anomalous.csv"},
	{"Since the deployment, counters of three services in a file each",
	 "lode pio compare --at 2026-11-28T05:00Z web=web.csv app=app.csv db=db.csv"},
	{NULL},
};

static int compare_misuse(const struct lode_command *self, const struct compare_values *v,
			  size_t n_files)
{
	int64_t at;

	if (v->at && (v->before.n || v->after.n))
		return lode_command_misused(self, "--at cannot be combined with --before, --after");
	if (v->at && !lode_pio_parse_time(&at, v->at))
		return lode_command_misused(self, "--at: '%.60s' is not a time", v->at);
	if (v->at && !n_files)
		return lode_command_misused(self, "--at: give files of counters");
	if (!v->at && n_files)
		return lode_command_misused(self, "give files with --before and --after, or --at "
						  "TIME");
	if (!v->at && (!v->before.n || !v->after.n))
		return lode_command_misused(self, "give --before FILE and --after FILE, or --at "
						  "TIME FILE");
	if (v->html && v->wants_json)
		return lode_command_misused(self, "--html cannot be combined with --json");
	return v->html ? lode_html_check(self) : LODE_EXIT_OK;
}

static void add_inputs(lode_pio_input_list *list, const char *const *files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		lode_vec_append(list, ((struct lode_pio_input){LODE_PIO_COUNTERS, files[i]}));
}

static int put_compared(const struct lode_command *self, const struct compare_values *v,
			const lode_pio_input_list *list,
			const struct lode_pio_compare_answer *answer,
			const struct lode_text_page *page)
{
	LODE_VEC(char *) inputs = {0};
	int code = LODE_EXIT_OK;

	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].kind != LODE_PIO_THEN)
			lode_vec_append(&inputs, (char *)list->at[i].text);
	if (v->html)
		code = lode_html_put(self, v->html, &lode_pio_compare_document, answer, inputs.at,
				     inputs.n);
	else if (v->wants_json)
		lode_document_put(stdout, &lode_pio_compare_document, answer, NULL);
	else
		lode_pio_compare_text(lode_paged_stdout(), answer, page);
	lode_vec_release(&inputs);
	return code;
}

static int answer_compare(const struct lode_command *self, const struct compare_values *v,
			  char **files, size_t n_files)
{
	const struct lode_text_page page = lode_stdout_page();
	struct lode_pio_compare_request request = {
		.at_ns = LODE_NO_INT,
		.step_ns = v->step_ns,
		.edges = v->edges,
		.top = v->top != SIZE_MAX	  ? v->top
		       : v->wants_json || v->html ? 50
						  : 5,
		.asked = v->asked.command ? &v->asked : NULL,
	};
	struct lode_pio_compare_answer *answer;
	lode_pio_input_list list = {0};
	struct lode_error err;
	int code, rc;

	if (v->at) {
		lode_pio_parse_time(&request.at_ns, v->at);
		add_inputs(&list, (const char *const *)files, n_files);
	} else {
		add_inputs(&list, v->before.at, v->before.n);
		lode_vec_append(&list, ((struct lode_pio_input){LODE_PIO_THEN, NULL}));
		add_inputs(&list, v->after.at, v->after.n);
	}
	request.inputs = (struct lode_pio_inputs){.at = list.at,
						  .n = list.n,
						  .entity_label = v->entity_label,
						  .n_threads = v->n_threads,
						  .memory_bytes = v->memory_bytes};
	rc = lode_pio_compare_run(&answer, &request, &err);
	code = lode_pio_say_notes(self, &answer->notes);
	if (rc == LODE_OK)
		code = lode_pio_worse(code, put_compared(self, v, &list, answer, &page));
	lode_pio_compare_free(answer);
	lode_vec_release(&list);
	return code;
}

static int pio_compare_command(const struct lode_command *self, int argc, char **argv)
{
	struct compare_values v = compare_defaults;
	int n, code;

	if (lode_command_start(self, &v, argc, argv, &n, &code)) {
		lode_asked_make(&v.asked, self, argc, argv, n, NULL);
		code = compare_misuse(self, &v, (size_t)n);
		if (code == LODE_EXIT_OK)
			code = answer_compare(self, &v, argv, (size_t)n);
	}
	lode_vec_release(&v.before);
	lode_vec_release(&v.after);
	lode_asked_release(&v.asked);
	return code;
}

const struct lode_command lode_cmd_pio_compare = {
	.name = "pio compare",
	.summary = "compare the counters of two times: which service changed, and how",
	.usage = "[OPTION]... --before FILE... --after FILE...\n"
		 "--at TIME [SERVICE=]FILE...",
	.description = "Ranks services by how far their counters left what they did before, "
		       "with the counters, direction and start of the change. It needs neither "
		       "a request log nor a model. If nothing changed more than counters do by "
		       "themselves, it says so.\n\n"
		       "A file is a service, unless the names of its columns contain the services "
		       "(carts_cpu, orders_cpu, ...).",
	.reads = LODE_HOLDS_COUNTERS,
	.options = options,
	.examples = examples,
	.run = pio_compare_command,
};
