/* Layouts and meanings of a recording's events. */
#include "input/formats/perf/perf_event.h"

#include <stdio.h>
#include <time.h>
#include <traceevent/event-parse.h>

#include "input/formats/perf/perf_abi.h"
#include "input/formats/perf/perf_sample.h"

/* ---- Asking ---- */

static bool is_text(const struct tep_format_field *field)
{
	return field->flags & TEP_FIELD_IS_STRING ||
	       (field->flags & TEP_FIELD_IS_ARRAY && field->elementsize <= 1);
}

static struct lode_perf_tapped tapped_of(struct tep_event *format, const char *name,
					 unsigned element)
{
	struct tep_format_field *field = format ? tep_find_any_field(format, name) : NULL;
	struct lode_perf_tapped out = {0};
	int offset, size;

	if (!field || field->offset < 0 || field->size <= 0 || field->flags & TEP_FIELD_IS_RELATIVE)
		return out;
	offset = field->offset;
	size = field->size;
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		if (size != 4 || !is_text(field))
			return out;
		out.how = LODE_PERF_TEXT_ELSEWHERE;
	} else if (is_text(field)) {
		out.how = LODE_PERF_TEXT;
	} else {
		if (field->flags & TEP_FIELD_IS_ARRAY && field->elementsize <= (unsigned)size / 2) {
			size = (int)field->elementsize;
			offset += size * (int)element;
			if (offset > field->offset + field->size - size)
				return out;
		}
		if (size != 1 && size != 2 && size != 4 && size != 8)
			return out;
		out.how =
			field->flags & TEP_FIELD_IS_SIGNED ? LODE_PERF_SIGNED : LODE_PERF_UNSIGNED;
	}
	if (offset > UINT16_MAX - size || size > UINT16_MAX / 2)
		return out;
	out.offset = (uint16_t)offset;
	out.size = (uint16_t)size;
	return out;
}

static void need(struct lode_perf_tap *tap, const struct lode_perf_tapped *field)
{
	if (field->size && field->offset + field->size > tap->need)
		tap->need = (uint16_t)(field->offset + field->size);
}

/* Asks `tap` about an event. `format`: of its tracepoint; NULL when it is not known. */
static void perf_tap_ask(struct lode_perf_tap *out, const struct lode_tap *tap,
			 const struct lode_tap_kind *kind, struct tep_event *format)
{
	struct lode_tap_wish wish = {.id = LODE_NONE};

	*out = (struct lode_perf_tap){.id = LODE_NONE};
	if (!tap || !tap->kind)
		return;
	tap->kind(tap->context, kind, &wish);
	out->id = wish.id;
	out->wants_stack = wish.wants_stack;
	out->n_fields =
		(uint8_t)(wish.n_fields < LODE_TAP_FIELDS ? wish.n_fields : LODE_TAP_FIELDS);
	for (unsigned i = 0; i < out->n_fields; i++) {
		out->field[i] = tapped_of(format, wish.field[i], wish.element[i]);
		out->found |= (uint8_t)((out->field[i].size != 0) << i);
		need(out, &out->field[i]);
	}
	if (wish.text)
		out->text = tapped_of(format, wish.text, 0);
	if (out->text.how != LODE_PERF_TEXT && out->text.how != LODE_PERF_TEXT_ELSEWHERE)
		out->text.size = 0;
	need(out, &out->text);
}

/* ---- Keeping ---- */

struct text {
	const uint8_t *at;
	size_t len;
};

static struct text text_of(const struct lode_perf_tapped *field, const uint8_t *raw,
			   size_t raw_bytes)
{
	struct text text = {raw + field->offset, field->size};
	uint32_t place;

	if (field->how == LODE_PERF_TEXT_ELSEWHERE) {
		place = lode_perf_u32(raw + field->offset);
		text.len = place >> 16;
		if ((place & 0xffff) + text.len > raw_bytes)
			return (struct text){raw, 0};
		text.at = raw + (place & 0xffff);
	}
	text.len = strnlen((const char *)text.at, text.len);
	return text;
}

static uint64_t value_of_perf_tap(const struct lode_perf_tapped *field, const uint8_t *raw,
				  size_t raw_bytes)
{
	const uint8_t *p = raw + field->offset;
	bool is_signed = field->how == LODE_PERF_SIGNED;
	struct text text;

	if (field->how == LODE_PERF_TEXT || field->how == LODE_PERF_TEXT_ELSEWHERE) {
		text = text_of(field, raw, raw_bytes);
		return lode_hash_bytes(text.at, text.len, 0);
	}
	switch (field->size) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		return is_signed ? (uint64_t)(int16_t)lode_perf_u16(p) : lode_perf_u16(p);
	case 4:
		return is_signed ? (uint64_t)(int32_t)lode_perf_u32(p) : lode_perf_u32(p);
	case 8:
		return lode_perf_u64(p);
	default:
		return 0;
	}
}

void lode_perf_tap_keep(const struct lode_perf_tap *tap, const uint8_t *raw, size_t raw_bytes,
			uint8_t *to)
{
	struct text text;
	uint64_t value;

	for (unsigned i = 0; i < tap->n_fields; i++, to += sizeof(value)) {
		value = tap->field[i].size ? value_of_perf_tap(&tap->field[i], raw, raw_bytes) : 0;
		memcpy(to, &value, sizeof(value));
	}
	if (!tap->text.size)
		return;
	text = text_of(&tap->text, raw, raw_bytes);
	if (text.len > LODE_TAP_TEXT_BYTES - 1)
		text.len = LODE_TAP_TEXT_BYTES - 1;
	memset(to, 0, LODE_TAP_TEXT_BYTES);
	memcpy(to, text.at, text.len);
}

/* ---- Events ---- */

void lode_perf_events_release(struct lode_perf_events *events)
{
	lode_vec_release(&events->at);
	lode_map_release(&events->by_id);
	lode_strings_release(&events->strings);
}

const char *lode_perf_events_text(struct lode_perf_events *events, const char *text)
{
	uint32_t id = lode_strings_intern(&events->strings, text, strlen(text));

	return events->strings.text.at[id];
}

struct field {
	uint64_t bit;
	uint16_t *at; /* NULL: only its room counts */
};

/* Eight bytes for each field of `sample_type`, from `at` on; gives where they end. */
static uint16_t lay_out_fields(const struct lode_perf_event *event, const struct field *fields,
			       size_t n, uint16_t at, uint16_t *id)
{
	for (size_t i = 0; i < n; i++) {
		if (!(event->sample_type & fields[i].bit))
			continue;
		if (fields[i].at)
			*fields[i].at = at;
		else if (fields[i].bit == PERF_SAMPLE_ID && !*id)
			*id = at;
		at += 8;
	}
	return at;
}

/* Words of a sample before the fields without a fixed place, in file order. */
static void lay_out_sample(struct lode_perf_event *event)
{
	const struct field fields[] = {
		{PERF_SAMPLE_IDENTIFIER, &event->at_id},
		{PERF_SAMPLE_IP, &event->at_ip},
		{PERF_SAMPLE_TID, &event->at_tid},
		{PERF_SAMPLE_TIME, &event->at_time},
		{PERF_SAMPLE_ADDR, NULL},
		{PERF_SAMPLE_ID, NULL},
		{PERF_SAMPLE_STREAM_ID, NULL},
		{PERF_SAMPLE_CPU, &event->at_cpu},
		{PERF_SAMPLE_PERIOD, &event->at_period},
	};

	event->fixed_bytes = lay_out_fields(event, fields, sizeof(fields) / sizeof(*fields),
					    LODE_PERF_RECORD_HEADER_BYTES, &event->at_id);
}

/* The sample_id at the end of other records, last field first. */
static void lay_out_trailer(struct lode_perf_event *event)
{
	const struct field fields[] = {
		{PERF_SAMPLE_IDENTIFIER, &event->back_id},
		{PERF_SAMPLE_CPU, &event->back_cpu},
		{PERF_SAMPLE_STREAM_ID, NULL},
		{PERF_SAMPLE_ID, NULL},
		{PERF_SAMPLE_TIME, &event->back_time},
		{PERF_SAMPLE_TID, &event->back_tid},
	};

	if (event->sample_id_all)
		event->trailer_bytes =
			lay_out_fields(event, fields, sizeof(fields) / sizeof(*fields), 8,
				       &event->back_id) -
			8;
}

static bool flag_bit(uint64_t flags, unsigned bit)
{
	return flags >> bit & 1;
}

struct lode_perf_event *lode_perf_events_add(struct lode_perf_events *events,
					     struct lode_bytes attr)
{
	struct lode_perf_event *event = lode_vec_append_zero(&events->at);
	uint64_t flags, regs_intr;

	event->name = event->unit = "";
	event->tap.id = LODE_NONE;
	event->type = lode_bytes_u32(&attr);
	(void)lode_bytes_u32(&attr); /* its size */
	event->config = lode_bytes_u64(&attr);
	event->period = lode_bytes_u64(&attr);
	event->sample_type = lode_bytes_u64(&attr);
	event->read_format = lode_bytes_u64(&attr);
	flags = lode_bytes_u64(&attr);
	event->is_freq = flag_bit(flags, LODE_PERF_ATTR_FREQ);
	event->sample_id_all = flag_bit(flags, LODE_PERF_ATTR_SAMPLE_ID_ALL);
	event->context_switch = flag_bit(flags, LODE_PERF_ATTR_CONTEXT_SWITCH);
	lode_bytes_take(&attr, 24); /* wakeup, breakpoint or config1, config2 */
	event->branch_sample_type = lode_bytes_u64(&attr);
	event->regs_user = lode_bytes_u64(&attr);
	(void)lode_bytes_u32(&attr); /* sample_stack_user */
	event->is_monotonic = lode_bytes_i32(&attr) == CLOCK_MONOTONIC &&
			      flag_bit(flags, LODE_PERF_ATTR_USE_CLOCKID);
	regs_intr = lode_bytes_u64(&attr);
	(void)lode_bytes_u32(&attr); /* aux_watermark */
	event->max_stack = lode_bytes_u16(&attr);
	if (event->max_stack == 0)
		event->max_stack = LODE_PERF_DEFAULT_MAX_STACK;
	event->n_regs_user = (uint8_t)__builtin_popcountll(event->regs_user);
	event->n_regs_intr = (uint8_t)__builtin_popcountll(regs_intr);
	lay_out_sample(event);
	lay_out_trailer(event);
	/* All events of a recording have the id in the same place, or none could be distinguished.
	 */
	if (events->at.n == 1) {
		events->at_id = event->at_id;
		events->back_id = event->back_id;
	}
	return event;
}

void lode_perf_events_add_id(struct lode_perf_events *events, uint64_t id)
{
	*lode_map_slot(&events->by_id, id) = (uint32_t)events->at.n - 1;
}

const char *lode_perf_event_default_name(const struct lode_perf_event *event, char *buffer,
					 size_t size)
{
	static const char *const hardware[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};
	static const char *const software[] = {
		"cpu-clock",	    "task-clock",   "page-faults",  "context-switches",
		"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy",	    "bpf-output",   "cgroup-switches",
	};

	if (event->tracepoint)
		return event->tracepoint;
	if (event->type == PERF_TYPE_HARDWARE &&
	    (uint32_t)event->config < sizeof(hardware) / sizeof(*hardware))
		return hardware[(uint32_t)event->config];
	if (event->type == PERF_TYPE_SOFTWARE &&
	    event->config < sizeof(software) / sizeof(*software))
		return software[event->config];
	snprintf(buffer, size, "type %u config 0x%llx", event->type,
		 (unsigned long long)event->config);
	return buffer;
}

/* The tracepoint's class. [sched_wakeup_new] is not a waking: no wait ends with it. */
static enum lode_perf_class class_of_tracepoint(const char *name, const char **syscall)
{
	static const struct {
		const char *name;
		enum lode_perf_class class;
	} known[] = {
		{"sched:sched_switch", LODE_PERF_SCHED_SWITCH},
		{"sched:sched_waking", LODE_PERF_SCHED_WAKING},
		{"sched:sched_wakeup", LODE_PERF_SCHED_WAKEUP},
		{"sched:sched_wakeup_new", LODE_PERF_SCHED_WAKEUP_NEW},
		{"sock:sock_send_length", LODE_PERF_SOCKET_SENT},
		{"sock:sock_recv_length", LODE_PERF_SOCKET_RECEIVED},
		{"sock:inet_sock_set_state", LODE_PERF_SOCKET_STATE},
		{"tcp:tcp_rcv_space_adjust", LODE_PERF_SOCKET_NAMED},
		{"block:block_rq_insert", LODE_PERF_DISK_REQUEST},
		{"block:block_rq_issue", LODE_PERF_DISK_REQUEST},
		{"raw_syscalls:sys_enter", LODE_PERF_SYS_ENTER},
		{"raw_syscalls:sys_exit", LODE_PERF_SYS_EXIT},
	};
	static const char enter[] = "syscalls:sys_enter_", leave[] = "syscalls:sys_exit_";

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(name, known[i].name))
			return known[i].class;
	if (!strncmp(name, enter, sizeof(enter) - 1)) {
		*syscall = name + sizeof(enter) - 1;
		return LODE_PERF_SYS_ENTER;
	}
	if (!strncmp(name, leave, sizeof(leave) - 1))
		return LODE_PERF_SYS_EXIT;
	return LODE_PERF_OTHER;
}

static bool is_cpu_event(const struct lode_perf_event *event)
{
	if (!(event->sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN)))
		return false;
	switch (event->type) {
	case PERF_TYPE_SOFTWARE:
		return event->config == PERF_COUNT_SW_CPU_CLOCK ||
		       event->config == PERF_COUNT_SW_TASK_CLOCK;
	case PERF_TYPE_HARDWARE: /* the upper half names the PMU on machines with several */
		return (uint32_t)event->config == PERF_COUNT_HW_CPU_CYCLES ||
		       (uint32_t)event->config == PERF_COUNT_HW_REF_CPU_CYCLES;
	case PERF_TYPE_TRACEPOINT:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_BREAKPOINT:
		return false;
	default: /* a PMU's own number: only its name tells */
		return strstr(event->name, "cycles") != NULL;
	}
}

/* A counter that says what its samples cost where nothing says how long threads ran. */
static bool is_other_counter(const struct lode_perf_event *event)
{
	if (!(event->sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN)) || !event->period ||
	    event->class != LODE_PERF_OTHER)
		return false;
	return event->type != PERF_TYPE_TRACEPOINT && event->type != PERF_TYPE_BREAKPOINT &&
	       (event->type != PERF_TYPE_SOFTWARE || (event->config != PERF_COUNT_SW_DUMMY &&
						      event->config != PERF_COUNT_SW_BPF_OUTPUT));
}

/* The same measure: on another kind of core, or with stack dumps in turn with chains. */
static bool is_same_measure(const struct lode_perf_event *a, const struct lode_perf_event *b)
{
	if (a->type != b->type)
		return false;
	return (a->type == PERF_TYPE_HARDWARE && (uint32_t)a->config == (uint32_t)b->config &&
		a->config != b->config) ||
	       (a->config == b->config &&
		(a->sample_type ^ b->sample_type) & PERF_SAMPLE_STACK_USER);
}

void lode_perf_event_ask(const struct lode_perf_events *events, struct lode_perf_event *event,
			 struct tep_event *format)
{
	struct lode_perf_field flags = event->payload.common_flags;
	char buffer[64];
	struct lode_tap_kind kind = {
		.name = *event->name ? event->name
				     : lode_perf_event_default_name(event, buffer, sizeof(buffer)),
		.tracepoint = event->tracepoint,
		.is_sampled = event->is_freq || event->period > 1,
		.has_switches = event->context_switch,
	};

	perf_tap_ask(&event->tap, events->tap, &kind, format);
	if (event->tap.id != LODE_NONE && format && flags.offset + flags.size > event->tap.need)
		event->tap.need = (uint16_t)(flags.offset + flags.size);
}

void lode_perf_events_classify(struct lode_perf_events *events)
{
	const struct lode_perf_event *cpu = NULL;
	bool has_waits = false;

	events->has_waking = events->has_switch_tracepoint = events->has_context_switch = false;
	events->has_twins = events->has_cycles = false;
	events->other = 0;
	for (size_t i = 0; i < events->at.n; i++) {
		struct lode_perf_event *event = &events->at.at[i];

		event->class = LODE_PERF_OTHER;
		event->is_time = event->type == PERF_TYPE_SOFTWARE &&
				 event->config <= PERF_COUNT_SW_TASK_CLOCK;
		if (event->tracepoint)
			event->class = class_of_tracepoint(event->tracepoint, &event->syscall);
		else if (event->type == PERF_TYPE_SOFTWARE && !strcmp(event->name, "offcpu-time"))
			event->class = LODE_PERF_OFFCPU;
		else if (is_cpu_event(event) && (!cpu || is_same_measure(cpu, event)))
			event->class = LODE_PERF_CPU;
		event->is_count = event->class == LODE_PERF_CPU && !event->is_freq;
		events->has_cycles |= event->is_count && !event->is_time;
		if (event->class == LODE_PERF_CPU && !cpu)
			cpu = event;
		has_waits |= event->class == LODE_PERF_OFFCPU;
		if (!events->other && is_other_counter(event))
			events->other = (uint32_t)i + 1;
		/* Tracepoints are asked about where their formats are at hand. */
		if (events->tap && !event->tracepoint)
			lode_perf_event_ask(events, event, NULL);
		events->has_waking |= event->class == LODE_PERF_SCHED_WAKING;
		events->has_twins |=
			events->has_switch_tracepoint && event->class == LODE_PERF_SCHED_SWITCH;
		events->has_switch_tracepoint |= event->class == LODE_PERF_SCHED_SWITCH;
		events->has_context_switch |= event->context_switch;
	}
	if (cpu || has_waits || events->has_switch_tracepoint || events->has_context_switch)
		events->other = 0;
	if (!events->other)
		return;
	events->at.at[events->other - 1].class = LODE_PERF_CPU;
	events->at.at[events->other - 1].is_count = true;
}
