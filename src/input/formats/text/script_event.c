/* Events of perf script text and what they mean. */
#include "input/formats/text/script_event.h"

#include "model/counted_time.h"

/* ---- Fields ---- */

static const char block_prefix[] = "block:block_rq_";

static bool is_digit_of(unsigned base, char c)
{
	return base == 16 ? lode_hex_digit(c) >= 0 : lode_is_digit(c);
}

/* A number at `*at`, which moves behind it; "-" and "0x" may stand before it. */
static bool number(uint64_t *out, const char **at, const char *end, unsigned base)
{
	const char *p = *at;
	bool is_negative = p < end && *p == '-';

	p += is_negative;
	if (end - p > 2 && p[0] == '0' && p[1] == 'x') {
		base = 16;
		p += 2;
	}
	if (p == end || !is_digit_of(base, *p))
		return false;
	for (*out = 0; p < end && is_digit_of(base, *p); p++)
		*out = *out * base + (uint64_t)lode_hex_digit(*p);
	if (is_negative)
		*out = 0 - *out;
	*at = p;
	return true;
}

/* "NR 202 (7f10a8, 80, 2, 0, 0, 0)", "NR 202 = 0". */
static bool raw_syscall(uint64_t *out, const char *at, const char *end, const char *field,
			unsigned element)
{
	bool is_args = !strcmp(field, "args");

	if ((!is_args && strcmp(field, "id") != 0) || !lode_text_skip(&at, end, "NR ") ||
	    !number(out, &at, end, 10))
		return false;
	if (!is_args)
		return true;
	if (!lode_text_skip(&at, end, " ("))
		return false;
	for (unsigned i = 0; number(out, &at, end, 16); i++) {
		if (i == element)
			return true;
		if (!lode_text_skip(&at, end, ", "))
			break;
	}
	return false;
}

/* "254,0 " of "254,0 WS 65536 () 1234 + 128"; the flags come next. */
static bool skip_device(uint64_t *device, const char **at, const char *end)
{
	uint64_t major, minor;

	if (!number(&major, at, end, 10) || !lode_text_skip(at, end, ",") ||
	    !number(&minor, at, end, 10) || !lode_text_skip(at, end, " "))
		return false;
	*device = major << 20 | minor;
	return true;
}

/* What stands in the brackets may be anything. */
static bool block_request(uint64_t *out, const char *at, const char *end, const char *field)
{
	uint64_t device, sector;
	const char *p = at, *plus;

	if (!skip_device(&device, &p, end))
		return false;
	if (!strcmp(field, "dev")) {
		*out = device;
		return true;
	}
	for (plus = p; plus + 4 < end; plus++) {
		if (*plus != ')' || plus[1] != ' ')
			continue;
		p = plus + 2;
		if (!number(&sector, &p, end, 10) || !lode_text_skip(&p, end, " + "))
			continue;
		if (!strcmp(field, "sector")) {
			*out = sector;
			return true;
		}
		return !strcmp(field, "nr_sector") && number(out, &p, end, 10);
	}
	return false;
}

struct lode_slice lode_script_text(const char *tracepoint, struct lode_slice payload,
				   const char *field)
{
	const char *end = payload.at + payload.len, *p = payload.at;
	size_t len = strlen(field);
	struct lode_slice none = {payload.at, 0}, text;
	uint64_t device;

	if (!strcmp(field, "rwbs") && lode_text_begins(tracepoint, block_prefix) &&
	    skip_device(&device, &p, end)) {
		text = (struct lode_slice){p, 0};
		while (p < end && *p != ' ')
			p++;
		text.len = (size_t)(p - text.at);
		return text;
	}
	for (p = payload.at; p + len < end; p++) {
		if ((p > payload.at && lode_is_word(p[-1])) || memcmp(p, field, len) != 0)
			continue;
		if (p[len] == '=')
			text.at = p + len + 1;
		else if (p[len] == ':' && p + len + 1 < end && p[len + 1] == ' ')
			text.at = p + len + 2;
		else
			continue;
		for (p = text.at; p < end && *p != ' ' && *p != ','; p++)
			;
		text.len = (size_t)(p - text.at);
		return text;
	}
	return none;
}

bool lode_script_value(uint64_t *out, const char *tracepoint, struct lode_slice payload,
		       const char *field, unsigned element)
{
	const char *at = payload.at, *end = payload.at + payload.len;
	struct lode_script_waking waking;
	struct lode_slice text;

	if (lode_text_begins(tracepoint, "raw_syscalls:"))
		return raw_syscall(out, at, end, field, element);
	if (lode_text_begins(tracepoint, block_prefix) && block_request(out, at, end, field))
		return true;
	if (lode_text_begins(tracepoint, "sched:sched_wak") && !strcmp(field, "pid") &&
	    lode_script_parse_waking(&waking, payload)) {
		*out = (uint64_t)(int64_t)waking.pid;
		return true;
	}
	text = lode_script_text(tracepoint, payload, field);
	if (!text.len || element)
		return false;
	at = text.at;
	end = text.at + text.len;
	if (!number(out, &at, end, 10) || at != end)
		*out = lode_hash_bytes(text.at, text.len, 0);
	return true;
}

/* ---- Events ---- */

/* Keys of system calls that are known by name: above any system call's number. */
#define SYSCALL_KEYS ((int64_t)1 << 20)

/* Of several counters the cost is that of the first of the highest rank. */
enum { OTHER, CYCLES, TIME };

/* "cycles:ppp", "cpu/event=0x3c/u": letters behind a counter's name. */
static bool is_modifier(const char *text)
{
	return *text && strspn(text, "ukhGHpPSDIWeb") == strlen(text);
}

static bool is_tracepoint(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon && colon > name && !strchr(name, '/') && !is_modifier(colon + 1);
}

/* The counter's name without modifiers is `name`. */
static bool is_counter(const char *event, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(event, name, n) && (event[n] == '\0' || event[n] == ':');
}

static void classify(struct lode_script_event *event)
{
	static const struct {
		const char *name;
		enum lode_script_class class;
	} known[] = {
		{"sched:sched_switch", LODE_SCRIPT_SWITCH},
		{"sched:sched_waking", LODE_SCRIPT_WAKING},
		{"sched:sched_wakeup", LODE_SCRIPT_WAKEUP},
		{"sched:sched_process_fork", LODE_SCRIPT_FORK},
		{"sched:sched_process_exit", LODE_SCRIPT_EXIT},
		/* LIMIT: their numbers are not named: the text does not tell the machine. */
		{"raw_syscalls:sys_enter", LODE_SCRIPT_SYS_ENTER},
		{"raw_syscalls:sys_exit", LODE_SCRIPT_SYS_EXIT},
	};

	event->syscall_key = SYSCALL_KEYS + event->index;
	event->is_tracepoint = is_tracepoint(event->name);
	event->is_time = is_counter(event->name, "cpu-clock") ||
			 is_counter(event->name, "task-clock") ||
			 is_counter(event->name, "offcpu-time");
	event->rank = event->is_time ? TIME : strstr(event->name, "cycles") ? CYCLES : OTHER;
	if (is_counter(event->name, "offcpu-time"))
		event->class = LODE_SCRIPT_OFFCPU;
	else if (!event->is_tracepoint)
		event->class = LODE_SCRIPT_CPU;
	else if (!strncmp(event->name, "syscalls:sys_enter_", 19)) {
		event->class = LODE_SCRIPT_SYS_ENTER;
		event->syscall = event->name + 19;
	} else if (!strncmp(event->name, "syscalls:sys_exit_", 18))
		event->class = LODE_SCRIPT_SYS_EXIT;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(event->name, known[i].name))
			event->class = known[i].class;
}

static struct lode_script_event *event_of(struct lode_script_events *events, const char *name,
					  size_t len)
{
	uint32_t id = lode_strings_find(&events->names, name, len);
	struct lode_script_event *event;

	if (id != LODE_NONE)
		return &events->at.at[id];
	id = lode_strings_intern(&events->names, name, len);
	event = lode_vec_append_zero(&events->at);
	event->name = events->names.text.at[id];
	event->index = id;
	classify(event);
	return event;
}

const struct lode_script_event *lode_script_events_count(struct lode_script_events *events,
							 const char *name, size_t len)
{
	struct lode_script_event *event = NULL;

	if (events->last) {
		event = &events->at.at[events->last - 1];
		if (events->names.len.at[event->index] != len ||
		    memcmp(event->name, name, len) != 0)
			event = NULL;
	}
	if (!event)
		event = event_of(events, name, len);
	events->last = event->index + 1;
	event->n++;
	return event;
}

void lode_script_events_has_callchain(struct lode_script_events *events,
				      const struct lode_script_event *event)
{
	if (event)
		events->at.at[event->index].has_callchain = true;
}

/* The number behind `key` in a description. */
static uint64_t number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 0) : 0;
}

void lode_script_events_describe(struct lode_script_events *events, const char *text)
{
	static const char name_is[] = "name = ", both[] = "{ sample_period, sample_freq } = ";
	const char *name = strstr(text, name_is), *end;
	struct lode_script_event *event;
	uint64_t rate;

	if (!name)
		return;
	name += sizeof(name_is) - 1;
	end = strstr(name, ", ");
	if (!end || end == name)
		return;
	event = event_of(events, name, (size_t)(end - name));
	rate = number_behind(end, both);
	if (number_behind(end, ", freq = "))
		event->frequency = rate;
	else
		event->period = rate;
}

/* The same measure on another kind of core: "cpu_atom/cycles/P", "cpu_core/cycles/P". */
static bool is_same_measure(const struct lode_script_event *a, const struct lode_script_event *b)
{
	const char *slash = strchr(a->name, '/'), *other = strchr(b->name, '/');
	size_t n = slash ? strcspn(slash + 1, "/") + 1 : 0;

	return a == b ||
	       (slash && other && !strncmp(slash, other, n) && (other[n] == '/' || !other[n]) &&
		(slash - a->name != other - b->name ||
		 strncmp(a->name, b->name, (size_t)(slash - a->name)) != 0));
}

/* Whether its samples carry cost; `*is_first`: those of other events before no longer do. */
static bool is_cost(struct lode_script_events *events, const struct lode_script_event *event,
		    bool *is_first)
{
	const struct lode_script_event *cost =
		events->cost ? &events->at.at[events->cost - 1] : NULL;

	*is_first = !cost || event->rank > cost->rank;
	if (!*is_first)
		return is_same_measure(cost, event);
	events->cost = event->index + 1;
	events->has_unit = events->is_varied = false;
	events->period = 0;
	return true;
}

int64_t lode_script_weight(struct lode_script_events *events, const struct lode_script_event *event,
			   const struct lode_script_sample *sample, bool *is_first)
{
	int64_t period = sample->period > INT64_MAX ? 0 : (int64_t)sample->period;

	*is_first = false;
	if (event->class == LODE_SCRIPT_OFFCPU)
		return period;
	if (event->class != LODE_SCRIPT_CPU || !is_cost(events, event, is_first))
		return 0;
	if (event->is_time && sample->has_period)
		return period;
	if (event->frequency)
		return (int64_t)(1000000000 / event->frequency);
	if (!events->has_unit)
		events->period = period;
	events->has_unit = true;
	events->is_varied |= !sample->has_period || period != events->period ||
			     sample->cpu == UINT32_MAX || !sample->t_ns;
	return sample->has_period ? period : 1;
}

/* Samples of other counters than the one that carries cost, which watch the same time. */
static void note_left_out(const struct lode_script_events *events, struct lode_stream *stream)
{
	const struct lode_script_event *cost = &events->at.at[events->cost - 1];

	for (size_t i = 0; i < events->at.n; i++) {
		const struct lode_script_event *event = &events->at.at[i];

		if (event->class == LODE_SCRIPT_CPU && event->n && !is_same_measure(cost, event))
			lode_loss_add(&stream->losses, LODE_LOSS_LEFT_OUT, event->n, -1, 0,
				      "samples of %s: the cost is in %s", event->name, cost->name);
	}
}

static const char *unit_of(const struct lode_script_events *events, struct lode_stream *stream)
{
	const struct lode_script_event *cost = &events->at.at[events->cost - 1];
	const char *slash = strchr(cost->name, '/');

	for (size_t i = 0; slash && i < events->at.n; i++)
		if (&events->at.at[i] != cost && is_same_measure(cost, &events->at.at[i]))
			return lode_arena_strndup(&stream->arena, slash + 1,
						  strcspn(slash + 1, "/"));
	return *cost->name ? stream->event_counts.at[events->cost - 1].name : "samples";
}

void lode_script_events_finish(const struct lode_script_events *events, struct lode_stream *stream)
{
	for (size_t i = 0; i < events->at.n; i++) {
		const struct lode_script_event *event = &events->at.at[i];
		struct lode_event_count count = {.n = event->n,
						 .period = event->period,
						 .frequency = event->frequency,
						 .is_tracepoint = event->is_tracepoint,
						 .has_callchain = event->has_callchain};

		stream->has_callchains |= event->has_callchain;
		count.name = lode_arena_strndup(&stream->arena, event->name, strlen(event->name));
		lode_vec_append(&stream->event_counts, count);
	}
	if (stream->has_switches || !events->cost)
		return;
	note_left_out(events, stream);
	if (events->has_unit && !events->is_varied &&
	    events->at.at[events->cost - 1].rank == CYCLES) {
		lode_stream_count_time(stream);
		return;
	}
	if (events->has_unit || stream->t1_ns == 0)
		lode_stream_use_cost_as_time(stream);
	if (events->has_unit)
		stream->unit = unit_of(events, stream);
}

void lode_script_events_release(struct lode_script_events *events)
{
	lode_strings_release(&events->names);
	lode_vec_release(&events->at);
}
