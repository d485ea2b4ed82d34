/* The command line of lode pio watch: news on standard output and to a hook, until a signal. */
#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "engine/pio/model_file.h"
#include "answers/pio/command_inputs.h"
#include "answers/pio/parts.h"
#include "answers/pio/watch.h"
#include "tool/ending_signals.h"
#include "tool/terminal.h"
#include "tool/messages.h"
#include "answers/pio/hook.h"
#include "base/clock.h"
#include "base/written.h"
#include "input/formats/counters/counter_source.h"

enum {
	POLL_MS = 250,
	IDLE_POLLS = 6,	   /* in vain, before --once believes that this was all */
	SAVE_SECONDS = 30, /* between two writings of the state without news */
};

struct watch_values {
	struct lode_pio_input_values inputs;
	const char *model, *state, *command;
	int from;
	size_t top;
	bool is_once, wants_json;
};

static const char *const from_choices[] = {"end", "start", NULL};

#define AT(field) offsetof(struct watch_values, field)

static const struct lode_option options[] = {
	LODE_PIO_MODEL_OPTION(AT(model)),
	LODE_PIO_INPUT_OPTIONS(AT(inputs)),

	LODE_OPTION("from", "WHERE", lode_set_choice, AT(from),
		    "position to start reading at: end (default: only new data) or start",
		    .choices = from_choices, .group = "Watching"),
	LODE_OPTION("state", "FILE", lode_set_text, AT(state),
		    "save the position in FILE, and continue from there when restarted",
		    .file = LODE_FILE_UPDATED, .kind = LODE_KIND_WATCH_STATE),
	LODE_FLAG("once", AT(is_once), "process existing data, then exit (for cron, with --state)"),
	LODE_OPTION("exec", "COMMAND", lode_set_text, AT(command),
		    "run COMMAND (in sh) for each event, with JSON on its standard input and "
		    "LODE_PIO_EVENT, _START, _END, _DURATION, _SERVER, _COUNTER in its "
		    "environment; does not wait for it",
		    .group = "Output"),
	LODE_PIO_TOP_OPTION(AT(top), " in JSON (default 50; 0: all)"),
	LODE_PIO_JSON_OPTION(AT(wants_json), "print one JSON document per line"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Send a mail when the shop gets slow",
	 "lode pio watch -m shop.model -l access.log -c web=web.csv -c db=db.csv --state "
	 "shop.state --exec 'mail -s \"shop $LODE_PIO_EVENT\" ops'"},
	{"JSON lines for an alerting system",
	 "lode pio watch -m shop.model -l access.log -c db=db.csv --json"},
	{"What would it have reported last night?",
	 "lode pio watch -m shop.model -l access.log -c db=db.csv --from start --once"},
	{NULL},
};

struct watching {
	const struct lode_command *self;
	const struct watch_values *values;
	struct lode_hook hook;
	bool is_incomplete;
};

/* ---- News ---- */

/* "NAME=text"; control characters become spaces: they are for shells and mails. */
static char *variable(const char *name, const char *text)
{
	size_t size = strlen(name) + strlen(text) + 2;
	char *v = lode_alloc(size);

	snprintf(v, size, "%s=%s", name, text);
	for (char *at = v; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = ' ';
	return v;
}

static void run_hook(struct watching *w, const struct lode_pio_event *event)
{
	const struct lode_pio_found *p = &event->found;
	char end[LODE_PIO_TIME_BYTES], length[32];
	char *variables[7] = {0}, *text = NULL;
	struct lode_error err;
	size_t size = 0;
	FILE *out = lode_written_open(&text, &size);

	lode_document_put_line(out, &lode_pio_watch_document, event, NULL);
	lode_written_close(out);
	snprintf(length, sizeof(length), "%lld", (long long)(p->duration_ns / 1000000000));
	variables[0] = variable("LODE_PIO_EVENT", lode_pio_event_names[event->kind]);
	variables[1] = variable("LODE_PIO_START", p->start_utc);
	variables[2] = variable("LODE_PIO_END", lode_pio_time_text(end, p->end_ns, false));
	variables[3] = variable("LODE_PIO_DURATION", length);
	variables[4] = variable("LODE_PIO_SERVER", p->n_servers ? p->servers[0].server : "");
	variables[5] =
		variable("LODE_PIO_COUNTER", p->n_counters_there ? p->counters[0].counter : "");
	if (lode_hook_run(&w->hook, (const char *const *)variables, text, size, &err) < 0) {
		lode_say_error(w->self, &err);
		w->is_incomplete = true;
	}
	for (size_t i = 0; variables[i]; i++)
		free(variables[i]);
	free(text);
}

static void put_event(void *context, const struct lode_pio_event *event)
{
	struct watching *w = context;

	if (w->values->wants_json)
		lode_document_put_line(stdout, &lode_pio_watch_document, event, NULL);
	else
		lode_pio_event_text(stdout, event, lode_columns(stdout, 0));
	fflush(stdout);
	if (w->hook.command)
		run_hook(w, event);
}

static void warn_of_input(void *context, const struct lode_error *what)
{
	struct watching *w = context;

	lode_say_error(w->self, what);
	w->is_incomplete = true;
}

/* ---- Watching ---- */

static void add_counters(struct lode_pio_watch *watch, const char *text)
{
	char *server;
	const char *path = lode_pio_counter_path(text, &server);

	lode_pio_watch_add_counters(watch, path, server);
	free(server);
}

static struct lode_pio_watch *open_watch(const struct watch_values *v, struct lode_pio_model *model)
{
	struct lode_pio_watch_options o = {.log = v->inputs.log,
					   .is_from_start = v->from == 1,
					   .state_path = v->state,
					   .top = v->top};
	struct lode_pio_watch *watch = lode_pio_watch_new(model, &o);

	for (size_t i = 0; i < v->inputs.list.n; i++) {
		const struct lode_pio_input *input = &v->inputs.list.at[i];

		if (input->kind == LODE_PIO_LOG)
			lode_pio_watch_add_log(watch, input->text);
		else
			add_counters(watch, input->text);
	}
	return watch;
}

/* A missing file may appear later, or its name is mistyped: only this message shows it. */
static void name_missing(struct watching *w)
{
	for (size_t i = 0; i < w->values->inputs.list.n; i++) {
		const struct lode_pio_input *input = &w->values->inputs.list.at[i];
		bool is_log = input->kind == LODE_PIO_LOG, is_once = w->values->is_once;
		char *server = NULL;
		const char *path =
			is_log ? input->text : lode_pio_counter_path(input->text, &server);
		struct lode_error err;

		if (!lode_counters_is_query(path) && access(path, F_OK) != 0 && errno == ENOENT) {
			lode_fail(&err, LODE_ERR_IO, path, -1, "%s",
				  is_once ? "does not exist"
					  : "does not exist yet: waiting for it");
			lode_say_error(w->self, &err);
			w->is_incomplete |= is_once;
		}
		free(server);
	}
}

/* Waits for a signal; gives whether it says to end. */
static bool wait_for_end(int signals, int timeout_ms)
{
	struct pollfd p = {.fd = signals, .events = POLLIN};
	struct signalfd_siginfo info;

	return poll(&p, 1, timeout_ms) > 0 &&
	       read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info);
}

static void follow(struct watching *w, struct lode_pio_watch *watch, int signals)
{
	const struct lode_pio_watcher watcher = {w, put_event, warn_of_input};
	int64_t since_save_ms = 0, judged = INT64_MIN;
	int n_idle = 0;
	struct lode_error err;

	for (;;) {
		bool is_more = lode_pio_watch_poll(watch, &watcher);

		lode_hook_reap(&w->hook);
		if (lode_pio_watch_judged_ns(watch) != judged)
			n_idle = 0;
		judged = lode_pio_watch_judged_ns(watch);
		n_idle += !is_more;
		if (w->values->is_once && n_idle >= IDLE_POLLS)
			return;
		since_save_ms += is_more ? 1 : POLL_MS;
		if (w->values->state && since_save_ms >= SAVE_SECONDS * 1000) {
			since_save_ms = 0;
			if (lode_pio_watch_save(watch, &err) < 0)
				warn_of_input(w, &err);
		}
		if (wait_for_end(signals, is_more ? 0 : w->values->is_once ? 1 : POLL_MS))
			return;
		if (ferror(stdout)) /* the reader of the lines has gone */
			return;
	}
}

static int watch_all(struct watching *w, struct lode_pio_watch *watch)
{
	const struct lode_pio_watcher watcher = {w, put_event, warn_of_input};
	struct lode_pio_notes notes = {0};
	int code = LODE_EXIT_OK, signals;
	struct lode_error err;
	sigset_t ends;

	lode_ending_signals_block(&ends);
	signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0) {
		lode_fail_errno(&err, errno, NULL, "cannot handle signals");
		return lode_say_error(w->self, &err);
	}
	if (w->values->state && lode_pio_watch_resume(watch, &watcher, &err) < 0) {
		close(signals);
		return lode_say_error(w->self, &err);
	}
	name_missing(w);
	follow(w, watch, signals);
	close(signals);
	if (w->values->state && lode_pio_watch_save(watch, &err) < 0)
		code = lode_say_error(w->self, &err);
	lode_pio_note_losses(&notes, lode_pio_watch_losses(watch));
	code = lode_pio_worse(code, lode_pio_say_notes(w->self, &notes));
	lode_pio_notes_release(&notes);
	if (ferror(stdout))
		code = lode_pio_worse(code, LODE_EXIT_FAILURE);
	return w->is_incomplete ? lode_pio_worse(code, LODE_EXIT_INCOMPLETE) : code;
}

static int watch_inputs(const struct lode_command *self, const struct watch_values *v)
{
	struct lode_pio_model model;
	struct watching w = {.self = self, .values = v, .hook = {.command = v->command}};
	struct lode_pio_watch *watch;
	struct lode_error err;
	int code;

	if (lode_pio_model_read(&model, v->model, &err) < 0)
		return lode_say_error(self, &err);
	watch = open_watch(v, &model);
	code = watch_all(&w, watch);
	lode_pio_watch_free(watch);
	lode_hook_release(&w.hook);
	lode_pio_model_release(&model);
	return code;
}

/* A query that is wrong is wrong each time it is asked. */
static int query_misuse(const struct lode_command *self, const struct watch_values *v,
			const char *text)
{
	int64_t now = lode_clock_ns(CLOCK_REALTIME), step_ns;
	int code = LODE_EXIT_OK;
	struct lode_error err;
	char *server, *query;
	const char *path = lode_pio_counter_path(text, &server);

	if (lode_counters_is_query(path)) {
		query = lode_counters_query_between(path, v->from == 1 ? INT64_MIN : now, now,
						    &step_ns, &err);
		code = query ? LODE_EXIT_OK : lode_say_error(self, &err);
		free(query);
	}
	free(server);
	return code;
}

static int watch_misuse(const struct lode_command *self, const struct watch_values *v,
			const char *operand)
{
	bool has_counters = false;
	int code = operand ? lode_pio_misuse(self, &v->inputs, operand) : LODE_EXIT_OK;

	for (size_t i = 0; i < v->inputs.list.n; i++) {
		const struct lode_pio_input *input = &v->inputs.list.at[i];

		has_counters |= input->kind == LODE_PIO_COUNTERS;
		if (code == LODE_EXIT_OK && input->kind == LODE_PIO_COUNTERS)
			code = query_misuse(self, v, input->text);
	}
	if (code == LODE_EXIT_OK)
		code = lode_pio_model_misuse(self, v->model);
	if (code == LODE_EXIT_OK && !has_counters)
		code = lode_command_misused(self, "give counters: --counters [SERVER=]FILE");
	return code == LODE_EXIT_OK ? lode_pio_misuse(self, &v->inputs, NULL) : code;
}

static int pio_watch_command(const struct lode_command *self, int argc, char **argv)
{
	struct watch_values v = {.top = 50};
	int n, code;

	lode_ending_signals_heed();
	if (lode_command_start(self, &v, argc, argv, &n, &code)) {
		code = watch_misuse(self, &v, n ? argv[0] : NULL);
		if (code == LODE_EXIT_OK)
			code = watch_inputs(self, &v);
	}
	lode_vec_release(&v.inputs.list);
	return code;
}

const struct lode_command lode_cmd_pio_watch = {
	.name = "pio watch",
	.summary = "follow logs and counters, and report when and where the service gets slow",
	.usage = "[OPTION]... --model FILE --counters [SERVER=]FILE... [--log FILE...]",
	.description =
		"Follows files as they grow, across rotation, asks Prometheus "
		"(prometheus:http://...) at each of its steps, and prints a line when a slow "
		"period starts (dated back to its first slow interval) and when it ends. "
		"Results are the same as those of 'lode pio analyse' on the same data.\n\n"
		"Runs until SIGTERM or SIGINT. With --state, a restarted watch resumes "
		"where it stopped, without repeating or losing a period.",
	.options = options,
	.examples = examples,
	.run = pio_watch_command,
};
