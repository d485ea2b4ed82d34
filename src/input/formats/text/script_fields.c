/* Parses tracepoint fields of perf script text. */
#include "input/formats/text/script_fields.h"

#include "base/map.h"

static const char block_prefix[] = "block:block_rq_";

static bool starts_with_script_fields(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

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

static bool skip_script_fields(const char **at, const char *end, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(end - *at) < len || memcmp(*at, text, len) != 0)
		return false;
	*at += len;
	return true;
}

/* "NR 202 (7f10a8, 80, 2, 0, 0, 0)", "NR 202 = 0". */
static bool raw_syscall(uint64_t *out, const char *at, const char *end, const char *field,
			unsigned element)
{
	bool is_args = !strcmp(field, "args");

	if ((!is_args && strcmp(field, "id") != 0) || !skip_script_fields(&at, end, "NR ") ||
	    !number(out, &at, end, 10))
		return false;
	if (!is_args)
		return true;
	if (!skip_script_fields(&at, end, " ("))
		return false;
	for (unsigned i = 0; number(out, &at, end, 16); i++) {
		if (i == element)
			return true;
		if (!skip_script_fields(&at, end, ", "))
			break;
	}
	return false;
}

/* "254,0 " of "254,0 WS 65536 () 1234 + 128"; the flags come next. */
static bool skip_device(uint64_t *device, const char **at, const char *end)
{
	uint64_t major, minor;

	if (!number(&major, at, end, 10) || !skip_script_fields(at, end, ",") ||
	    !number(&minor, at, end, 10) || !skip_script_fields(at, end, " "))
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
		if (!number(&sector, &p, end, 10) || !skip_script_fields(&p, end, " + "))
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

	if (!strcmp(field, "rwbs") && starts_with_script_fields(tracepoint, block_prefix) &&
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

	if (starts_with_script_fields(tracepoint, "raw_syscalls:"))
		return raw_syscall(out, at, end, field, element);
	if (starts_with_script_fields(tracepoint, block_prefix) &&
	    block_request(out, at, end, field))
		return true;
	if (starts_with_script_fields(tracepoint, "sched:sched_wak") && !strcmp(field, "pid") &&
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
