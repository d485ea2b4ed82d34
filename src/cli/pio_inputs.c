#include "cli/pio_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "cli/messages.h"
#include "sources/counters/counter_source.h"

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

int pio_read_counters(const struct lode_command *self, const struct pio_inputs *inputs,
		      size_t number, struct pio_period *period)
{
	int code = LODE_EXIT_OK, worst = LODE_EXIT_OK;
	size_t at = 0, n_read = 0;
	struct lode_error err;
	const char *text;

	period->raw = lode_counter_log_new();
	while ((text = next_input(&inputs->list, number, PIO_COUNTERS, &at))) {
		if (read_counter_file(period->raw, text, &err) < 0) {
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

int pio_align(const struct lode_command *self, int64_t step_ns, struct pio_period *period)
{
	struct lode_losses *losses = lode_counter_log_losses(period->raw);
	struct lode_error err;
	int rc = lode_counters_align(&period->counters, period->raw, step_ns, &err);

	for (int k = 0; k < LODE_N_LOSS_KINDS; k++) {
		const struct lode_loss *loss = &losses->by_kind[k];

		if (loss->count)
			lode_loss_add(&period->requests.losses, (enum lode_loss_kind)k, loss->count,
				      loss->offset, loss->first_ns, "%s", loss->detail);
	}
	lode_counter_log_free(period->raw);
	period->raw = NULL;
	return rc < 0 ? lode_say_error(self, &err) : LODE_EXIT_OK;
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
		if (lode_requests_read(&sink, text, &options, &facts, &err) < 0) {
			worst = pio_worse(worst, lode_say_error(self, &err));
			code = LODE_EXIT_INCOMPLETE;
			continue;
		}
		n_read++;
		period->has_log = true;
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
