/* Options that the parts of lode pio share, and what they say of their inputs. */
#include "answers/pio/command_inputs.h"

#include "base/escape.h"
#include "base/log_time.h"
#include "tool/messages.h"

int lode_set_pio_input(const struct lode_option *option, void *field, const char *text,
		       struct lode_error *err)
{
	lode_pio_input_list *list = field;
	enum lode_pio_input_kind kind = option->name[0] == 'l'	 ? LODE_PIO_LOG
					: option->name[0] == 'c' ? LODE_PIO_COUNTERS
								 : LODE_PIO_THEN;

	if (kind != LODE_PIO_THEN && !*text)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "--%s requires a file name",
				 option->name);
	if (kind == LODE_PIO_COUNTERS && text[strcspn(text, "=/")] == '=' &&
	    !text[strcspn(text, "=/") + 1])
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "--%s %.60s: the file is missing; expected SERVER=FILE, such as "
				 "web=web.csv",
				 option->name, text);
	lode_vec_append(list, ((struct lode_pio_input){kind, text}));
	return 0;
}

struct lode_pio_inputs lode_pio_inputs_of(const struct lode_pio_input_values *values)
{
	return (struct lode_pio_inputs){values->list.at,   values->list.n,
					values->log,	   values->entity_label,
					values->n_threads, values->memory_bytes};
}

int lode_pio_misuse(const struct lode_command *self, const struct lode_pio_input_values *values,
		    const char *operand)
{
	struct lode_error err;

	if (operand)
		return lode_command_misused(self,
					    "unexpected argument '%.60s': give logs with --log and "
					    "counters with --counters",
					    operand);
	if (lode_log_options_check(&values->log, &err) < 0)
		return lode_command_misused(self, "%s", err.message);
	return LODE_EXIT_OK;
}

int lode_pio_model_misuse(const struct lode_command *self, const char *model)
{
	return model ? LODE_EXIT_OK
		     : lode_command_misused(self,
					    "give a model: --model FILE, made by 'lode pio train'");
}

bool lode_pio_parse_time(int64_t *out, const char *text)
{
	struct lode_log_clock clock = {0};
	struct lode_log_time time;
	int64_t end;

	if (lode_log_time_parse(&time, &clock, text, strlen(text))) {
		*out = time.ns;
		return true;
	}
	return lode_date_parse(out, &end, text);
}

int lode_pio_worse(int a, int b)
{
	return a > b ? a : b;
}

static int say_note(const struct lode_command *self, const struct lode_pio_note *note)
{
	char safe[8192];

	if (note->error)
		return lode_say_error(self, note->error);
	if (note->kind == LODE_PIO_LACKS)
		return lode_command_misused(self, "%s", note->text);
	lode_say(self, "%s", lode_escape(safe, sizeof(safe), note->text));
	return LODE_EXIT_OK;
}

int lode_pio_say_notes(const struct lode_command *self, const struct lode_pio_notes *notes)
{
	int code = LODE_EXIT_OK;

	for (size_t i = 0; i < notes->list.n; i++) {
		const struct lode_pio_note *note = &notes->list.at[i];
		int said = say_note(self, note);

		if (note->kind == LODE_PIO_LOST)
			said = LODE_EXIT_INCOMPLETE;
		code = lode_pio_worse(code, said);
	}
	return code;
}
