/* Names, times and rules in words. */
#include <stdarg.h>

#include "answers/pio/parts.h"
#include "base/escape.h"
#include "base/duration.h"
#include "base/written.h"

const char *lode_pio_time_text(char *buffer, int64_t t_ns, bool is_short)
{
	int millis = (int)(t_ns / 1000000 % 1000);
	char clock[LODE_UTC_BYTES], fraction[8] = "";

	lode_utc_text(clock, t_ns, is_short ? "%H:%M:%S" : LODE_UTC_SECONDS);
	if (millis)
		snprintf(fraction, sizeof(fraction), ".%03d", millis);
	snprintf(buffer, LODE_PIO_TIME_BYTES, "%.24s%s%s", clock, fraction, is_short ? "" : " UTC");
	return buffer;
}

const char *lode_pio_counter_text(char *buffer, size_t size, const char *server,
				  const char *counter, size_t columns)
{
	char name[1024];

	snprintf(name, sizeof(name), "%s%s%s", server, server[0] ? "/" : "", counter);
	return lode_escape_fit(buffer, size, name, columns);
}

const char *lode_pio_deviation_text(char *buffer, double deviation)
{
	buffer[0] = '\0';
	if (fabs(deviation) > 1)
		snprintf(buffer, LODE_PIO_TIME_BYTES, " %s%.*f×", deviation > 0 ? "↑" : "↓",
			 fabs(deviation) < 10, fabs(deviation));
	return buffer;
}

const char *lode_pio_server_name(const struct lode_pio_model *model, uint32_t server)
{
	uint32_t n = 0;

	/* Servers are numbered in the order of the counters, which stand together by server. */
	for (size_t c = 0; c < model->counters.n; c++) {
		n += c &&
		     strcmp(model->counters.at[c].server, model->counters.at[c - 1].server) != 0;
		if (n == server)
			return model->counters.at[c].server[0] ? model->counters.at[c].server
							       : "(no server)";
	}
	return "?";
}

/* ---- Rules ---- */

static void put_safe_name(FILE *out, const char *name)
{
	size_t size = 4 * strlen(name) + 1;
	char *safe = lode_alloc(size);

	fputs(lode_escape(safe, size, name), out);
	free(safe);
}

static const char *rule_text(const struct lode_pio_model *model, const struct lode_rule *rule,
			     const char *then, struct lode_arena *arena)
{
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	for (size_t i = 0; rule && i < rule->conditions.n; i++) {
		const struct lode_rule_condition *c = &rule->conditions.at[i];
		const struct lode_pio_counter *counter = &model->counters.at[c->attribute];

		fputs(i ? " and " : "", out);
		if (counter->server[0]) {
			put_safe_name(out, counter->server);
			fputc('/', out);
		}
		put_safe_name(out, counter->name);
		fprintf(out, " %s %.6g", c->comparison == LODE_AT_MOST ? "<=" : ">=", c->value);
	}
	fprintf(out, "%s-> %s", rule && rule->conditions.n ? " " : "else ", then);
	return lode_written_keep(out, &text, &size, arena);
}

struct lode_pio_rule_row lode_pio_rule_row(const struct lode_pio_model *model, size_t ruleset,
					   bool is_med_high, size_t at, struct lode_arena *arena)
{
	static const char *const names[2][2] = {{"LOW", "OTHER"}, {"MED", "HIGH"}};
	const struct lode_pio_rules *rules = &model->rules.at[ruleset];
	const struct lode_ruleset *set = is_med_high ? &rules->med_high : &rules->low_other;
	const struct lode_rule *rule = at < set->rules.n ? &set->rules.at[at] : NULL;
	struct lode_pio_rule_row row = {
		.ruleset = (uint32_t)ruleset,
		.rule = (uint32_t)at,
		.then = names[is_med_high][rule ? rule->class : set->default_class],
		.n_covered = rule ? rule->n_covered : set->n_covered,
		.n_wrong = rule ? rule->n_wrong : set->n_wrong,
	};

	row.text = rule_text(model, rule, row.then, arena);
	return row;
}

/* ---- Notes ---- */

void lode_pio_note(struct lode_pio_notes *notes, enum lode_pio_note_kind kind, const char *format,
		   ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		lode_oom(0);
	lode_vec_append(&notes->list,
			((struct lode_pio_note){
				kind, lode_arena_strndup(&notes->arena, text, (size_t)len), NULL}));
	free(text);
}

int lode_pio_note_error(struct lode_pio_notes *notes, enum lode_pio_note_kind kind,
			const struct lode_error *error)
{
	struct lode_error *kept = lode_arena_array(&notes->arena, struct lode_error, 1);

	*kept = *error;
	lode_vec_append(&notes->list, ((struct lode_pio_note){kind, NULL, kept}));
	return error->status;
}

void lode_pio_notes_release(struct lode_pio_notes *notes)
{
	lode_vec_release(&notes->list);
	lode_arena_release(&notes->arena);
}

const char *lode_pio_slo_text(char *buffer, size_t size, const struct lode_pio_slo *slo)
{
	char name[200];

	snprintf(buffer, size, "%s %c %.4g",
		 lode_pio_counter_text(name, sizeof(name), slo->server, slo->name, 60),
		 slo->is_fall ? '<' : '>', slo->bound);
	return buffer;
}
