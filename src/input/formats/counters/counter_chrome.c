/*
 * Counter events of Chrome's trace events (docs/formats/chrome-trace.md): each member of "args" is
 * a counter of the process. What processes are called may be said at the end, so values are kept
 * until then.
 */
#include <stdio.h>

#include "base/decimal.h"
#include "input/formats/chrome/chrome_events.h"
#include "input/formats/counters/counter_reader.h"

struct value {
	int64_t t_ns;
	double value;
	uint32_t pid, name; /* of `texts` */
};

struct counters {
	struct lode_counter_reader *reader;
	struct lode_strings texts;
	LODE_VEC(struct value) values;
	struct lode_map names; /* pid -> name, the last one that came */
	LODE_VEC(char) name;
	uint64_t n_events;
};

static uint32_t intern_slice(struct counters *c, struct lode_slice text)
{
	return lode_strings_intern(&c->texts, text.at ? text.at : "", text.at ? text.len : 0);
}

static void append(struct counters *c, const char *before, struct lode_slice text)
{
	lode_vec_append_all(&c->name, before, strlen(before));
	lode_vec_append_all(&c->name, text.at, text.len);
}

/* "gpu[0x1].used" */
static uint32_t counter_name(struct counters *c, const struct lode_chrome_event *event,
			     struct lode_slice arg)
{
	c->name.n = 0;
	append(c, "", event->name);
	if (event->id.len) {
		append(c, "[", event->id);
		lode_vec_append(&c->name, ']');
	}
	append(c, ".", arg);
	return lode_strings_intern(&c->texts, c->name.at, c->name.n);
}

static void bad_event(struct counters *c, const char *what)
{
	lode_loss_add(lode_counter_log_losses(c->reader->log), LODE_LOSS_BAD_RECORD, 1, -1,
		      c->reader->last_ns, "%s: event %llu: %s", c->reader->path,
		      (unsigned long long)c->n_events, what);
}

static void take_counters(struct counters *c, const struct lode_chrome_event *event)
{
	int64_t t_ns;

	if (!event->ts.at || !lode_decimal_parse(&t_ns, event->ts.at, event->ts.len, 3)) {
		bad_event(c, "its \"ts\" is not a time in microseconds");
		return;
	}
	if (!event->name.len) {
		bad_event(c, "a counter without a name");
		return;
	}
	c->reader->last_ns = t_ns;
	for (size_t i = 0; i < event->n_args; i++) {
		bool is_bad = false;
		double value = lode_counter_number(event->args[i].value.at,
						   event->args[i].value.len, &is_bad);

		if (is_bad)
			bad_event(c, "the value of a counter is not a number");
		else if (!isnan(value))
			lode_vec_append(
				&c->values,
				((struct value){t_ns, value, intern_slice(c, event->pid),
						counter_name(c, event, event->args[i].key)}));
	}
}

static void take_process_name(struct counters *c, const struct lode_chrome_event *event)
{
	if (strcmp(event->name.at ? event->name.at : "", "process_name") != 0)
		return;
	for (size_t i = 0; i < event->n_args; i++)
		if (!strcmp(event->args[i].key.at, "name"))
			*lode_map_slot(&c->names, intern_slice(c, event->pid)) =
				intern_slice(c, event->args[i].value);
}

static int take_counter_event(void *context, const struct lode_chrome_event *event)
{
	struct counters *c = context;

	c->n_events++;
	if (event->ph.len == 1 && *event->ph.at == 'C')
		take_counters(c, event);
	else if (event->ph.len == 1 && *event->ph.at == 'M')
		take_process_name(c, event);
	return LODE_OK;
}

/* Whose counters a process's are: the file's, if it has those of one process alone. */
static const char *server_of(const struct counters *c, uint32_t pid, bool is_only, char *buffer,
			     size_t size)
{
	const char *number = c->texts.text.at[pid];
	uint32_t name = lode_map_find(&c->names, pid);

	if (is_only)
		return c->reader->server;
	snprintf(buffer, size, "%.200s%s%.40s",
		 name == LODE_NONE ? "process" : c->texts.text.at[name], *number ? " " : "",
		 number);
	return buffer;
}

static void give_values(struct counters *c)
{
	bool is_only = true;

	for (size_t i = 1; i < c->values.n; i++)
		is_only &= c->values.at[i].pid == c->values.at[0].pid;
	for (size_t i = 0; i < c->values.n; i++) {
		const struct value *value = &c->values.at[i];
		char server[256];

		lode_counter_add(c->reader,
				 server_of(c, value->pid, is_only, server, sizeof(server)),
				 c->texts.text.at[value->name], LODE_COUNTER_STATE, value->t_ns,
				 value->value);
	}
}

static int read_chrome(struct lode_counter_reader *reader, struct lode_error *err)
{
	struct counters c = {.reader = reader};
	const struct lode_chrome_reader events = {
		.take = take_counter_event, .context = &c, .wants_args = true};
	struct lode_error fault = {0};
	bool is_open;
	int rc = lode_chrome_events_read(&events, reader->input, &is_open, &fault);

	reader->facts->format = "counter events of a Chrome trace";
	give_values(&c);
	if (rc < 0 && reader->facts->n_rows)
		lode_loss_add(lode_counter_log_losses(reader->log), LODE_LOSS_TRUNCATED, 1,
			      fault.offset, reader->last_ns, "%s: %s", reader->path, fault.message);
	else if (rc < 0)
		*err = fault;
	else if (!reader->facts->n_rows)
		rc = lode_fail(err, LODE_ERR_FORMAT, reader->path, -1,
			       "none of its %llu events is a counter (\"ph\" C); its calls are for "
			       "'lode timeline'",
			       (unsigned long long)c.n_events);
	lode_strings_release(&c.texts);
	lode_vec_release(&c.values);
	lode_map_release(&c.names);
	lode_vec_release(&c.name);
	return reader->facts->n_rows ? LODE_OK : rc;
}

/* Of a file of a folder, which may be for its calls. */
static bool recognise_counters(const uint8_t *head, size_t size)
{
	return lode_chrome_recognise(head, size) &&
	       (memmem(head, size, "\"ph\":\"C\"", 8) || memmem(head, size, "\"ph\": \"C\"", 9));
}

const struct lode_format lode_format_chrome_counters = {
	.name = "counter events of Chrome traces",
	.words = "counter events of Chrome traces (JSON)",
	.recognise = lode_chrome_recognise,
	.recognise_unnamed = recognise_counters,
	.read_counters = read_chrome,
};
