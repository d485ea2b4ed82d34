/* Reads tracepoint formats with libtraceevent. */
#include "input/formats/perf/perf_tracepoints.h"

#include <pthread.h>
#include <stdio.h>
#include <traceevent/event-parse.h>

#include "base/decimal.h"
#include "base/slice.h"
#include "input/formats/perf/perf_abi.h"

/* libtraceevent keeps its place in the text in variables of the process: one thread at a time. */
static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;

/* In a child that is forked, no other thread can give it back. */
static void begin_child_tracepoints(void)
{
	pthread_mutex_init(&library_lock, NULL);
}

static void __attribute__((constructor)) heed_forks_tracepoints(void)
{
	(void)pthread_atfork(NULL, NULL, begin_child_tracepoints);
}

struct reading {
	struct lode_perf_events *events;
	struct lode_map wanted; /* id of the tracepoint -> index of an event with it */
	struct tep_handle *tep;
};

/* A field as the payload has it; size 0 when it is not there, or dynamic, or strange. */
static struct lode_perf_field field_of(struct tep_event *format, const char *name)
{
	struct tep_format_field *field = tep_find_any_field(format, name);
	struct lode_perf_field out = {0};

	if (!field || field->flags & TEP_FIELD_IS_DYNAMIC || field->offset < 0 ||
	    field->size <= 0 || field->offset > UINT16_MAX || field->size > UINT16_MAX)
		return out;
	out.offset = (uint16_t)field->offset;
	out.size = (uint16_t)field->size;
	return out;
}

static void need(struct lode_perf_payload *payload, struct lode_perf_field field)
{
	uint32_t end = (uint32_t)field.offset + field.size;

	if (field.size && end > payload->need)
		payload->need = end;
}

/* Of sockets. Addresses of IPv4 stand in those of IPv6, too. */
static void socket_fields(struct lode_perf_payload *payload, struct tep_event *format)
{
	payload->socket = field_of(format, "skaddr");
	if (!payload->socket.size)
		payload->socket = field_of(format, "sk");
	payload->amount = field_of(format, "newstate");
	if (!payload->amount.size)
		payload->amount = field_of(format, "ret");
	payload->port[0] = field_of(format, "sport");
	payload->port[1] = field_of(format, "dport");
	payload->address[0] = field_of(format, "saddr_v6");
	payload->address[1] = field_of(format, "daddr_v6");
	need(payload, payload->socket);
	need(payload, payload->amount);
	for (int i = 0; i < 2; i++) {
		need(payload, payload->port[i]);
		need(payload, payload->address[i]);
	}
}

/* The fields that any of the known tracepoints may have; those of others stay unused. */
static struct lode_perf_payload payload_of(struct tep_event *format)
{
	struct lode_perf_payload payload = {.common_flags = field_of(format, "common_flags")};

	payload.pid[0] = field_of(format, "prev_pid");
	payload.pid[1] = field_of(format, "next_pid");
	payload.comm[0] = field_of(format, "prev_comm");
	payload.comm[1] = field_of(format, "next_comm");
	payload.prev_state = field_of(format, "prev_state");
	if (!payload.pid[0].size) {
		payload.pid[0] = field_of(format, "pid");
		payload.comm[0] = field_of(format, "comm");
	}
	payload.nr = field_of(format, "__syscall_nr");
	if (!payload.nr.size)
		payload.nr = field_of(format, "nr");
	if (!payload.nr.size)
		payload.nr = field_of(format, "id");
	socket_fields(&payload, format);
	need(&payload, payload.common_flags);
	need(&payload, payload.prev_state);
	need(&payload, payload.nr);
	for (int i = 0; i < 2; i++) {
		need(&payload, payload.pid[i]);
		need(&payload, payload.comm[i]);
	}
	return payload;
}

/* The number behind "ID:" at the head of a format text; -1 without one. */
static int64_t format_id(const char *text, size_t size)
{
	const char *at = memmem(text, size < 256 ? size : 256, "\nID:", 4);
	const char *end = text + size;
	const char *first;
	int64_t id;

	if (!at)
		return -1;
	for (at += 4; at < end && *at == ' '; at++)
		;
	for (first = at; at < end && lode_is_digit(*at); at++)
		;
	return lode_int_parse(&id, first, (size_t)(at - first)) ? id : -1;
}

/* Some fields are the point of their tracepoint: without them it cannot be understood. */
static bool is_complete(const char *name, const struct lode_perf_payload *payload)
{
	if (!strcmp(name, "sched:sched_switch"))
		return payload->pid[0].size == 4 && payload->pid[1].size == 4 &&
		       payload->prev_state.size;
	if (!strncmp(name, "sched:sched_wak", 15))
		return payload->pid[0].size == 4;
	if (!strncmp(name, "sock:sock_", 10))
		return payload->socket.size == 8 && payload->amount.size == 4;
	if (!strcmp(name, "sock:inet_sock_set_state") || !strcmp(name, "tcp:tcp_rcv_space_adjust"))
		return payload->socket.size == 8 && payload->port[0].size == 2 &&
		       payload->port[1].size == 2 && payload->address[0].size == 16 &&
		       payload->address[1].size == 16;
	return true;
}

/* ---- Only what libtraceevent can be trusted with ---- */

static const char *skip_class(const char *p, const char *end, bool (*is_in)(char))
{
	while (p < end && is_in(*p))
		p++;
	return p;
}

static bool is_declaration(char c)
{
	return lode_is_word(c) || c == ' ' || c == '*';
}

/* `key`, one to six digits, `;` at `*p`, which moves behind them. */
static bool skip_number(const char **p, const char *end, const char *key)
{
	size_t len = strlen(key);
	const char *digits;

	if ((size_t)(end - *p) < len || memcmp(*p, key, len) != 0)
		return false;
	digits = *p + len;
	*p = skip_class(digits, end, lode_is_digit);
	if (*p == digits || *p - digits > 6 || *p == end || **p != ';')
		return false;
	++*p;
	return true;
}

/*
 * "\tfield:TYPE NAME;\toffset:N;\tsize:N;\tsigned:N;", perhaps "NAME[N]"; of types with brackets
 * only that of texts, which stand elsewhere.
 */
static bool is_plain_field(const char *p, const char *end)
{
	const char *name, *rest;

	if (!lode_text_skip(&p, end, "\tfield:"))
		return false;
	rest = p;
	if (!lode_text_skip(&rest, end, "__data_loc char[] "))
		rest = p;
	rest = skip_class(rest, end, is_declaration);
	for (name = rest; name > p && lode_is_word(name[-1]); name--)
		;
	/* A type of at least a letter, a blank or star, then a name that is none. */
	if (name == rest || lode_is_digit(*name) || name - p < 2 || !lode_is_word(*p) ||
	    lode_is_digit(*p))
		return false;
	if (rest < end && *rest == '[') {
		p = skip_class(rest + 1, end, lode_is_word);
		if (p == rest + 1 || p == end || *p != ']')
			return false;
		rest = p + 1;
	}
	if (rest == end || *rest++ != ';')
		return false;
	return skip_number(&rest, end, "\toffset:") && skip_number(&rest, end, "\tsize:") &&
	       (rest == end || (skip_number(&rest, end, "\tsigned:") && rest == end));
}

static bool is_plain_head(const char *p, const char *end)
{
	static const char name[] = "name: ", id[] = "ID: ", format[] = "format:";
	size_t n = (size_t)(end - p);

	if (n > sizeof(name) - 1 && !memcmp(p, name, sizeof(name) - 1))
		return skip_class(p + sizeof(name) - 1, end, lode_is_word) == end;
	if (n > sizeof(id) - 1 && !memcmp(p, id, sizeof(id) - 1))
		return skip_class(p + sizeof(id) - 1, end, lode_is_digit) == end && n < 16;
	return n == sizeof(format) - 1 && !memcmp(p, format, n);
}

/*
 * Has libtraceevent read the fields. It is not made for hostile texts (some crash it), so it gets
 * only lines of the plain form, which all fields that matter here have. The print format is left
 * out: nothing here prints, and its grammar is what newer kernels extend first.
 */
static struct tep_event *parse_fields(struct reading *reading, const char *system, const char *text,
				      size_t size, int id)
{
	static const char print[] = "\nprint fmt: \"\"\n";
	char *copy = lode_alloc(size + 2 + sizeof(print));
	const char *line = text, *end = text + size, *eol;
	bool has_fields = false, has_gap = false;
	size_t n = 0;
	int rc;

	for (; line < end; line = eol + 1) {
		bool is_field;

		eol = memchr(line, '\n', (size_t)(end - line));
		if (!eol)
			break;
		is_field = is_plain_field(line, eol);
		/* The common fields end with an empty line. */
		if (line == eol && has_fields && !has_gap)
			has_gap = true;
		else if (!is_field && (has_fields || !is_plain_head(line, eol)))
			continue;
		has_fields |= is_field;
		memcpy(copy + n, line, (size_t)(eol + 1 - line));
		n += (size_t)(eol + 1 - line);
	}
	memcpy(copy + n, print, sizeof(print));
	rc = has_gap ? tep_parse_event(reading->tep, copy, n + sizeof(print) - 1, system) : 1;
	free(copy);
	return rc ? NULL : tep_find_event(reading->tep, id);
}

static void read_format(struct reading *reading, const char *system, const char *text, size_t size)
{
	int64_t id = format_id(text, size);
	uint32_t first = id < 0 ? LODE_NONE : lode_map_find(&reading->wanted, (uint64_t)id);
	struct lode_perf_payload payload;
	struct tep_event *format;
	const char *kept;
	char name[256];

	if (first >= reading->events->at.n)
		return;
	/* Once is enough: the same id cannot be two tracepoints. */
	*lode_map_slot(&reading->wanted, (uint64_t)id) = LODE_NONE - 1;
	format = parse_fields(reading, system, text, size, (int)id);
	if (!format || !format->name)
		return;
	snprintf(name, sizeof(name), "%s:%s", system, format->name);
	payload = payload_of(format);
	if (!is_complete(name, &payload))
		return;
	kept = lode_perf_events_text(reading->events, name);
	for (size_t i = first; i < reading->events->at.n; i++) {
		struct lode_perf_event *event = &reading->events->at.at[i];

		if (event->type != PERF_TYPE_TRACEPOINT || event->config != (uint64_t)id)
			continue;
		event->tracepoint = kept;
		event->payload = payload;
		if (reading->events->tap)
			lode_perf_event_ask(reading->events, event, format);
	}
}

/* A text of a 64-bit size, bounded by what is left. */
static struct lode_bytes sized(struct lode_bytes *data)
{
	uint64_t size = lode_bytes_u64(data);

	if (size > lode_bytes_left(data))
		data->overrun = true;
	return lode_bytes_sub(data, data->overrun ? lode_bytes_left(data) : (size_t)size);
}

static void read_formats(struct reading *reading, struct lode_bytes *data, const char *system)
{
	uint32_t n = lode_bytes_u32(data);
	struct lode_bytes text;

	for (uint32_t i = 0; i < n && !data->overrun; i++) {
		text = sized(data);
		if (!data->overrun)
			read_format(reading, system, (const char *)text.at, lode_bytes_left(&text));
	}
}

static void read_systems(struct reading *reading, struct lode_bytes *data)
{
	uint32_t n = lode_bytes_u32(data);

	for (uint32_t i = 0; i < n && !data->overrun; i++)
		read_formats(reading, data, lode_bytes_string(data));
}

static int read_all_perf_tracepoints(struct reading *reading, struct lode_bytes *data,
				     const char *path, struct lode_error *err)
{
	static const uint8_t magic[10] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};
	const void *found = lode_bytes_take(data, sizeof(magic));
	uint8_t is_big_endian, long_size;

	if (!found || memcmp(found, magic, sizeof(magic)) != 0)
		return lode_fail(err, LODE_ERR_FORMAT, path, lode_bytes_offset(data),
				 "tracing data do not begin with the magic number");
	(void)lode_bytes_string(data); /* version: 0.5 and 0.6 are the same up to here */
	is_big_endian = lode_bytes_u8(data);
	long_size = lode_bytes_u8(data);
	(void)lode_bytes_u32(data); /* page size */
	if (is_big_endian || (long_size != 4 && long_size != 8))
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, lode_bytes_offset(data),
				 "tracing data are of another byte order or word size (%u)",
				 long_size);
	tep_set_long_size(reading->tep, long_size);
	tep_set_file_bigendian(reading->tep, TEP_LITTLE_ENDIAN);
	(void)lode_bytes_string(data); /* "header_page" */
	(void)sized(data);
	(void)lode_bytes_string(data); /* "header_event" */
	(void)sized(data);
	read_formats(reading, data, "ftrace");
	read_systems(reading, data);
	if (data->overrun)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, lode_bytes_offset(data),
				 "tracing data end before their last format");
	return LODE_OK;
}

int lode_perf_tracepoints_read(struct lode_perf_events *events, struct lode_bytes data,
			       const char *path, struct lode_error *err)
{
	struct reading reading = {.events = events};
	int rc;

	for (size_t i = events->at.n; i > 0; i--)
		if (events->at.at[i - 1].type == PERF_TYPE_TRACEPOINT)
			*lode_map_slot(&reading.wanted, events->at.at[i - 1].config) =
				(uint32_t)i - 1;
	reading.tep = tep_alloc();
	if (!reading.tep)
		lode_oom(sizeof(reading));
	pthread_mutex_lock(&library_lock);
	tep_set_loglevel(TEP_LOG_NONE);
	rc = read_all_perf_tracepoints(&reading, &data, path, err);
	pthread_mutex_unlock(&library_lock);
	tep_free(reading.tep);
	lode_map_release(&reading.wanted);
	return rc;
}
