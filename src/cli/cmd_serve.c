#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/html_option.h"
#include "cli/messages.h"
#include "cli/option_values.h"
#include "cli/page_overview.h"
#include "cli/page_runs.h"
#include "cli/serve_timeline.h"
#include "server/server.h"

struct serve_values {
	const char *address, *token_file, *threads;
	lode_text_list names;
	size_t port;
	bool is_open;
};

#define AT(field) .offset = offsetof(struct serve_values, field)

enum { DEFAULT_PORT = 7070 };

static const struct lode_option options[] = {
	{.name = "port",
	 .letter = 'p',
	 .argument = "N",
	 .help = "listen there (default 7070; 0: any that is free)",
	 .set = lode_set_count,
	 AT(port),
	 .group = "Where"},
	{.name = "address",
	 .argument = "ADDRESS",
	 .help = "listen at this address, in numbers (default 127.0.0.1)",
	 .set = lode_set_text,
	 AT(address)},
	{.name = "open",
	 .help = "an address beyond this machine is meant; everybody then needs the token",
	 .set = lode_set_flag,
	 AT(is_open)},
	{.name = "host-name",
	 .argument = "NAME",
	 .help = "the machine's name for others; may be repeated",
	 .set = lode_set_list,
	 AT(names)},
	{.name = "token-file",
	 .argument = "FILE",
	 .help = "has the token, 16 to 32 letters and digits (default: made at each start)",
	 .set = lode_set_text,
	 AT(token_file)},
	{.name = "threads",
	 .letter = 'j',
	 .argument = "N",
	 .help = "use N threads for analyses (default: all CPUs)",
	 .set = lode_set_text,
	 AT(threads),
	 .group = "Machine"},
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"A report that somebody mailed, or one page of several", "lode serve report.html"},
	{"Fifty million calls, down to each of them", "lode serve run.lodet"},
	{"Everything in a folder", "lode serve incident-4711/"},
	{"From a server without a browser: on your own machine,",
	 "ssh -L 7070:localhost:7070 server lode serve recordings/"},
	{NULL},
};

/* Everything that must live while the server answers. */
struct serving {
	const struct lode_command *self;
	const struct serve_values *values;
	struct lode_survey survey;
	struct lode_page_runs runs;
	struct lode_page_overview overview;
	struct lode_site *site;
	LODE_VEC(struct lode_serve_timeline *) timelines;
};

static void starts(void *context, const struct lode_page_runs *runs, size_t i)
{
	const struct serving *s = context;

	lode_say(s->self, "%zu of %zu: %s", i + 1, runs->list.n, runs->list.at[i].analysis);
}

/* Timelines answer for any window, from an index of their trace. */
static int add_timelines(struct serving *s, struct lode_error *err)
{
	for (size_t i = 0; i < s->runs.list.n; i++) {
		const struct lode_page_run *run = &s->runs.list.at[i];
		struct lode_serve_timeline *timeline;

		if (strcmp(run->analysis, "timeline") != 0 || !run->n_parts)
			continue;
		if (lode_serve_timeline_open(&timeline, run->title, run->index, err) < 0)
			return err->status;
		lode_vec_append(&s->timelines, timeline);
		/* The overview stands before all others by now. */
		lode_serve_timeline_add(timeline, s->site,
					s->runs.reports.parts.at[run->first_part + 1].name);
	}
	return LODE_OK;
}

static int fill_site(struct serving *s, struct lode_error *err)
{
	size_t size = 0;
	char *page = lode_html_served_page(&size);

	s->site = lode_site_new();
	lode_site_set_page(s->site, page, size);
	free(page);
	for (size_t i = 0; i < s->runs.reports.parts.n; i++) {
		const struct lode_html_part *part = &s->runs.reports.parts.at[i];

		lode_site_add_report(s->site, part->name, part->schema, part->title, part->json,
				     part->json_bytes);
	}
	return add_timelines(s, err);
}

/* The token of a file that only its owner can read; the caller's. */
static int read_token(char *token, size_t size, const char *path, struct lode_error *err)
{
	FILE *in = fopen(path, "re");

	if (!in)
		return lode_fail_errno(err, errno, path, "cannot open");
	if (!fgets(token, (int)size, in))
		*token = 0;
	fclose(in);
	token[strcspn(token, "\r\n")] = 0;
	return LODE_OK;
}

static void wait_for_the_end(void)
{
	sigset_t set;
	int signum;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigwait(&set, &signum);
}

/* Before any thread is there: all of them must leave these to wait_for_the_end. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static int answer(struct serving *s)
{
	const struct serve_values *v = s->values;
	struct lode_server_options options = {
		.address = v->address,
		.port = (uint16_t)v->port,
		.is_open = v->is_open,
		.names = v->names.at,
		.n_names = v->names.n,
	};
	struct lode_server *server;
	struct lode_error err;
	char token[128], url[200];

	if (v->token_file) {
		if (read_token(token, sizeof(token), v->token_file, &err) < 0)
			return lode_say_error(s->self, &err);
		options.token = token;
	}
	block_signals();
	if (lode_server_start(&server, s->site, &options, &err) < 0)
		return lode_say_error(s->self, &err);
	printf("%s\n", lode_server_url(server, v->is_open, url, sizeof(url)));
	fflush(stdout);
	lode_say(s->self, "%zu report%s there; Ctrl-C ends it", s->runs.reports.parts.n,
		 s->runs.reports.parts.n == 1 ? " is" : "s are");
	wait_for_the_end();
	lode_server_stop(server);
	return LODE_EXIT_OK;
}

static int serve(struct serving *s, char **inputs, size_t n_inputs)
{
	struct lode_error err;

	lode_survey(&s->survey, inputs, n_inputs);
	lode_page_runs_say_unread(s->self, &s->survey);
	if (lode_page_runs_plan(&s->runs, &s->survey, s->values->threads, true, &err) < 0 ||
	    lode_page_runs_do(&s->runs, starts, s, &err) < 0)
		return lode_say_error(s->self, &err);
	lode_page_overview_make(&s->overview, &s->runs, &s->survey, inputs, n_inputs);
	if (lode_page_overview_exit(&s->overview) == LODE_EXIT_NOTHING) {
		lode_say(s->self, "nothing here could be analysed");
		return LODE_EXIT_NOTHING;
	}
	if (fill_site(s, &err) < 0)
		return lode_say_error(s->self, &err);
	return answer(s);
}

static int run(const struct lode_command *self, int argc, char **argv)
{
	struct serve_values values = {.port = DEFAULT_PORT};
	struct serving serving = {.self = self, .values = &values};
	int n, code = LODE_EXIT_OK;

	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		if (n == 0)
			code = lode_command_misused(self, "give pages, recordings, traces, or "
							  "folders of them");
		else if (values.port > UINT16_MAX)
			code = lode_command_misused(self, "--port: a port is at most 65535");
		else
			code = lode_html_check(self);
		if (code == LODE_EXIT_OK)
			code = serve(&serving, argv, (size_t)n);
	}
	lode_site_free(serving.site);
	for (size_t i = 0; i < serving.timelines.n; i++)
		lode_serve_timeline_close(serving.timelines.at[i]);
	lode_vec_release(&serving.timelines);
	lode_page_overview_release(&serving.overview);
	lode_page_runs_release(&serving.runs);
	lode_survey_release(&serving.survey);
	lode_vec_release(&values.names);
	return code;
}

const struct lode_command lode_cmd_serve = {
	.name = "serve",
	.summary = "show reports in the browser, with what needs the engine",
	.usage = "[OPTION]... INPUT...",
	.description =
		"Runs what fits on the inputs, as lode analyze does, or takes the reports of pages "
		"that --html wrote, and shows them at an address that it prints. A timeline is "
		"then "
		"not bound to what fits into a page: any window of any thread is summed up again, "
		"down to single calls.\n\n"
		"Only this machine can reach it, unless --open and --address say otherwise; then "
		"everybody needs the token that is part of the address printed. It speaks HTTP: "
		"beyond a trusted network, use ssh -L or a proxy with TLS.",
	.options = options,
	.examples = examples,
	.run = run,
};
