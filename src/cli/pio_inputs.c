#include "cli/pio_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory_limit.h"
#include "cli/messages.h"
#include "reports/pio_report.h"
#include "sources/counters/counter_source.h"

static const int64_t DAY_NS = (int64_t)86400 * 1000000000;

const char *const pio_order_choices[] = {"time", "harm", "peak", NULL};

int pio_set_input(const struct lode_option *option, void *field, const char *text,
		  struct lode_error *err)
{
	pio_input_list *list = field;
	enum pio_input_kind kind = option->name[0] == 'l'   ? PIO_LOG
				   : option->name[0] == 'c' ? PIO_COUNTERS
							    : PIO_THEN;

	if (kind != PIO_THEN && !*text)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "--%s needs the name of a file",
				 option->name);
	if (kind == PIO_COUNTERS && text[strcspn(text, "=/")] == '=' &&
	    !text[strcspn(text, "=/") + 1])
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "--%s %.60s names no file: SERVER=FILE, such as web=web.csv",
				 option->name, text);
	lode_vec_append(list, ((struct pio_input){kind, text}));
	return 0;
}

size_t pio_inputs_periods(const pio_input_list *list)
{
	size_t n = 1;

	for (size_t i = 0; i < list->n; i++)
		n += list->at[i].kind == PIO_THEN;
	return n;
}

int pio_worse(int a, int b)
{
	return a > b ? a : b;
}

/* The next input of a kind in a period, from *at on; NULL at its end. */
static const char *next_input(const pio_input_list *list, size_t number, enum pio_input_kind kind,
			      size_t *at)
{
	size_t period = 0;

	for (size_t i = 0; i < list->n; i++) {
		period += list->at[i].kind == PIO_THEN;
		if (i < *at || period != number || list->at[i].kind != kind)
			continue;
		*at = i + 1;
		return list->at[i].text;
	}
	return NULL;
}

/* "web=FILE" where no file has that whole name. */
static int read_counter_file(struct lode_counter_log *log, const char *text, struct lode_error *err)
{
	size_t len = strcspn(text, "=/");
	struct lode_counter_facts facts;
	char *server;
	int rc;

	if (text[len] != '=')
		return lode_counters_read(log, text, NULL, &facts, err);
	server = lode_strdup(text);
	server[len] = 0;
	rc = lode_counters_read(log, text + len + 1, server, &facts, err);
	free(server);
	return rc;
}

int pio_say_losses(const struct lode_command *self, const struct lode_losses *losses)
{
	int code = LODE_EXIT_OK;
	char words[1000];

	for (int k = 0; k < LODE_N_LOSS_KINDS; k++) {
		const struct lode_loss *loss = &losses->by_kind[k];

		if (!loss->count)
			continue;
		lode_say(self, "%llu %s%s%s", (unsigned long long)loss->count,
			 lode_loss_words((enum lode_loss_kind)k, loss->count),
			 loss->count > 1 ? "; first: " : ": ",
			 lode_escape(words, sizeof(words), loss->detail));
		code = LODE_EXIT_INCOMPLETE;
	}
	return code;
}

/* Says the losses of the input that was just read, and adds them to those before it. */
static int close_losses(const struct lode_command *self, struct lode_losses *losses,
			const struct lode_losses *before)
{
	int code = pio_say_losses(self, losses);
	struct lode_losses all = *before;

	lode_losses_add(&all, losses);
	*losses = all;
	return code;
}

/* Files of a folder that could not be read. */
static void say_skipped(const struct lode_command *self, struct lode_counter_log *log)
{
	char *text, safe[4096];

	while ((text = lode_counter_log_next_skipped(log))) {
		lode_say(self, "%s", lode_escape(safe, sizeof(safe), text));
		free(text);
	}
}

int pio_read_counters(const struct lode_command *self, const struct pio_inputs *inputs,
		      size_t number, struct pio_period *period)
{
	int code = LODE_EXIT_OK, worst = LODE_EXIT_OK;
	struct lode_losses *losses;
	size_t at = 0, n_read = 0;
	struct lode_error err;
	const char *text;

	period->raw = lode_counter_log_new();
	losses = lode_counter_log_losses(period->raw);
	while ((text = next_input(&inputs->list, number, PIO_COUNTERS, &at))) {
		struct lode_losses before = *losses;
		int rc;

		memset(losses, 0, sizeof(*losses));
		rc = read_counter_file(period->raw, text, &err);
		say_skipped(self, period->raw);
		code = pio_worse(code, close_losses(self, losses, &before));
		if (rc < 0) {
			worst = pio_worse(worst, lode_say_error(self, &err));
			code = LODE_EXIT_INCOMPLETE;
			continue;
		}
		n_read++;
	}
	if (!n_read)
		return worst ? worst
			     : lode_command_misused(self,
						    "give counters: --counters [SERVER=]FILE");
	return code;
}

/* "31.0 days" */
static const char *days_text(char *buffer, size_t size, int64_t ns)
{
	snprintf(buffer, size, "%.1f days", (double)ns / 86400e9);
	return buffer;
}

/* Pauses of more than a day. */
static void say_pauses(const struct lode_command *self, const struct lode_counters *counters)
{
	char from[LODE_PIO_TIME_BYTES], length[40];

	for (size_t i = 0; i < counters->pauses.n; i++) {
		const struct lode_interval_pause *p = &counters->pauses.at[i];
		int64_t n = p->n_left_out - (i ? p[-1].n_left_out : 0) + LODE_PAUSE_KEPT;

		if (n * counters->step_ns <= DAY_NS)
			continue;
		lode_say(self, "no counter was sampled for %s from %s on",
			 days_text(length, sizeof(length), n * counters->step_ns),
			 lode_pio_time_text(from,
					    lode_counters_time(counters,
							       p->at - (size_t)LODE_PAUSE_KEPT / 2),
					    false));
	}
}

struct lode_counter_bound pio_grid_bound(const struct pio_inputs *inputs, size_t n_counters)
{
	size_t bytes = lode_memory_budget(inputs->memory_bytes);

	return (struct lode_counter_bound){bytes < SIZE_MAX / 8 ? bytes * 8 : SIZE_MAX, n_counters};
}

int pio_align(const struct lode_command *self, int64_t step_ns,
	      const struct lode_counter_bound *bound, struct pio_period *period)
{
	struct lode_error err;
	int rc = lode_counters_align(&period->counters, period->raw, step_ns, bound, &err);

	lode_losses_add(&period->requests.losses, lode_counter_log_losses(period->raw));
	lode_counter_log_free(period->raw);
	period->raw = NULL;
	if (rc == LODE_OK)
		say_pauses(self, &period->counters);
	return rc < 0 ? lode_say_error(self, &err) : LODE_EXIT_OK;
}

/* No loss: nothing is missing of what was read, but a clock that was set looks just like it. */
static void say_leaps(const struct lode_command *self, const char *path,
		      const struct lode_request_leaps *leaps)
{
	char name[1000], length[40], more[60] = "";
	int64_t by_ns;

	if (!leaps->n)
		return;
	if (leaps->n > 1)
		snprintf(more, sizeof(more), "; so it does %llu times",
			 (unsigned long long)leaps->n);
	if (__builtin_sub_overflow(leaps->to_ns, leaps->from_ns, &by_ns))
		by_ns = INT64_MAX;
	lode_say(self, "%s: line %lld: the clock goes %s by %s here%s",
		 lode_escape(name, sizeof(name), path), (long long)leaps->line,
		 by_ns < 0 ? "back" : "on",
		 days_text(length, sizeof(length), by_ns < 0 ? -by_ns : by_ns), more);
}

int pio_read_logs(const struct lode_command *self, const struct pio_inputs *inputs, size_t number,
		  struct pio_period *period, struct lode_request_names *names)
{
	struct lode_request_sink sink = lode_request_log_sink(&period->requests, names);
	struct lode_log_options options = inputs->log;
	int code = LODE_EXIT_OK, worst = LODE_EXIT_OK;
	struct lode_log_facts facts;
	size_t at = 0, n_read = 0;
	struct lode_error err;
	const char *text;

	options.n_threads = inputs->n_threads;
	while ((text = next_input(&inputs->list, number, PIO_LOG, &at))) {
		struct lode_losses before = period->requests.losses;
		int rc;

		memset(&period->requests.losses, 0, sizeof(before));
		rc = lode_requests_read(&sink, text, &options, &facts, &err);
		code = pio_worse(code, close_losses(self, &period->requests.losses, &before));
		if (rc < 0) {
			worst = pio_worse(worst, lode_say_error(self, &err));
			code = LODE_EXIT_INCOMPLETE;
			continue;
		}
		n_read++;
		period->has_log = true;
		say_leaps(self, text, &facts.leaps);
	}
	if (at && !n_read)
		return worst;
	return code;
}

void pio_period_release(struct pio_period *period)
{
	lode_request_log_release(&period->requests);
	lode_counters_release(&period->counters);
	lode_counter_log_free(period->raw);
}
