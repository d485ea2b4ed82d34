/* Writes JSON as a stream. */
#include "base/json.h"

#include <math.h>
#include <yajl/yajl_gen.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/utf8.h"

/* yajl prints a number, a comma and a line feed one by one: they are written together. */
struct lode_json {
	yajl_gen gen;
	FILE *out;
	bool is_escaping; /* the string at hand has characters that terminals obey */
	size_t n;
	char text[8 << 10];
};

static void write_text(struct lode_json *json)
{
	fwrite_unlocked(json->text, 1, json->n, json->out); /* a document is one thread's */
	json->n = 0;
}

static void put_text(struct lode_json *json, const char *text, size_t len)
{
	if (len > sizeof(json->text) - json->n)
		write_text(json);
	if (len > sizeof(json->text)) {
		fwrite_unlocked(text, 1, len, json->out);
		return;
	}
	memcpy(json->text + json->n, text, len);
	json->n += len;
}

/* Whole characters of one string and the ASCII around it: yajl has escaped what JSON must. Rare,
   and apart, so that `print` needs no stack. */
static __attribute__((noinline)) void put_escaped(struct lode_json *json, const char *text,
						  size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		char escaped[16];
		uint32_t c = 0;

		n = lode_utf8_take(&c, text + i, len - i);
		if (!n || c < 0x7f || !lode_escape_hides(c)) {
			n = n ? n : 1;
			put_text(json, text + i, n);
			continue;
		}
		if (c > 0xffff)
			snprintf(escaped, sizeof(escaped), "\\u%04x\\u%04x",
				 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
		else
			snprintf(escaped, sizeof(escaped), "\\u%04x", c);
		put_text(json, escaped, strlen(escaped));
	}
}

static void print(void *context, const char *text, size_t len)
{
	struct lode_json *json = context;

	if (json->is_escaping) {
		put_escaped(json, text, len);
	} else if (len > sizeof(json->text) - json->n) {
		put_text(json, text, len);
	} else {
		memcpy(json->text + json->n, text, len);
		json->n += len;
	}
}

static struct lode_json *open_document(FILE *out, const char *schema, bool is_pretty)
{
	struct lode_json *json = lode_alloc(sizeof(*json));

	json->out = out;
	json->n = 0;
	json->is_escaping = false;
	json->gen = yajl_gen_alloc(NULL);
	if (!json->gen)
		lode_oom(0);
	yajl_gen_config(json->gen, yajl_gen_beautify, is_pretty);
	yajl_gen_config(json->gen, yajl_gen_indent_string, " ");
	yajl_gen_config(json->gen, yajl_gen_print_callback, print, json);
	yajl_gen_map_open(json->gen);
	if (schema)
		lode_json_text(json, "schema", schema);
	return json;
}

struct lode_json *lode_json_open(FILE *out, const char *schema)
{
	return open_document(out, schema, true);
}

struct lode_json *lode_json_open_line(FILE *out, const char *schema)
{
	return open_document(out, schema, false);
}

struct lode_json *lode_json_open_plain(FILE *out)
{
	return open_document(out, NULL, false);
}

struct lode_json *lode_json_open_pretty(FILE *out)
{
	return open_document(out, NULL, true);
}

void lode_json_close(struct lode_json *json)
{
	yajl_gen_map_close(json->gen);
	write_text(json);
	yajl_gen_free(json->gen);
	free(json);
}

/* Text that may hold any character; yajl checks UTF-8 only when asked, and then drops the text:
   repaired here instead. */
static void put_any(struct lode_json *json, const char *text, size_t len)
{
	size_t used = 0;
	char *valid;

	if (!u8_check((const uint8_t *)text, len)) {
		yajl_gen_string(json->gen, (const unsigned char *)text, len);
		return;
	}
	valid = lode_alloc(len * strlen(LODE_UTF8_REPLACEMENT));
	for (size_t i = 0; i < len;) {
		uint32_t c;
		size_t n = lode_utf8_take(&c, text + i, len - i);

		memcpy(valid + used, n ? text + i : LODE_UTF8_REPLACEMENT, n ? n : 3);
		used += n ? n : 3;
		i += n ? n : 1;
	}
	yajl_gen_string(json->gen, (const unsigned char *)valid, used);
	free(valid);
}

static void put_string(struct lode_json *json, const char *text)
{
	size_t len = strlen(text);

	if (lode_escape_plain(text, len) == len) {
		yajl_gen_string(json->gen, (const unsigned char *)text, len);
		return;
	}
	json->is_escaping = true;
	put_any(json, text, len);
	json->is_escaping = false;
}

static void put_key(struct lode_json *json, const char *key)
{
	if (key)
		put_string(json, key);
}

void lode_json_int(struct lode_json *json, const char *key, int64_t value)
{
	/* Columns of hundreds of thousands: several times as fast as yajl's own, by sprintf. */
	uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char digits[24], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + left % 10);
	while (left /= 10);
	if (value < 0)
		*--at = '-';
	put_key(json, key);
	yajl_gen_number(json->gen, at, (size_t)(digits + sizeof(digits) - at));
}

void lode_json_text(struct lode_json *json, const char *key, const char *value)
{
	put_key(json, key);
	put_string(json, value);
}

void lode_json_bool(struct lode_json *json, const char *key, bool value)
{
	put_key(json, key);
	yajl_gen_bool(json->gen, value);
}

void lode_json_id(struct lode_json *json, const char *key, uint64_t id)
{
	char text[17];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)id);
	lode_json_text(json, key, text);
}

static void put_number(struct lode_json *json, const char *key, double value, int digits)
{
	char text[40];
	int len;

	put_key(json, key);
	len = snprintf(text, sizeof(text), "%.*g", digits, isfinite(value) ? value : 0.0);
	yajl_gen_number(json->gen, text, (size_t)len);
}

void lode_json_number(struct lode_json *json, const char *key, double value)
{
	/* Seven digits: what is printed is the same on every machine. */
	put_number(json, key, value, 7);
}

void lode_json_exact(struct lode_json *json, const char *key, double value)
{
	put_number(json, key, value, 15);
}

void lode_json_shortest(struct lode_json *json, const char *key, double value)
{
	char text[40];
	int digits = 5;

	if (!isfinite(value)) {
		lode_json_null(json, key);
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*g", ++digits, value);
	while (digits < 17 && strtod(text, NULL) != value);
	put_number(json, key, value, digits);
}

void lode_json_microseconds(struct lode_json *json, const char *key, int64_t value_ns)
{
	uint64_t size = value_ns < 0 ? -(uint64_t)value_ns : (uint64_t)value_ns;
	char text[40];
	int len;

	put_key(json, key);
	len = snprintf(text, sizeof(text), "%s%llu.%03llu", value_ns < 0 ? "-" : "",
		       (unsigned long long)(size / 1000), (unsigned long long)(size % 1000));
	yajl_gen_number(json->gen, text, (size_t)len);
}

void lode_json_null(struct lode_json *json, const char *key)
{
	put_key(json, key);
	yajl_gen_null(json->gen);
}

void lode_json_object(struct lode_json *json, const char *key)
{
	put_key(json, key);
	yajl_gen_map_open(json->gen);
}

void lode_json_end_object(struct lode_json *json)
{
	yajl_gen_map_close(json->gen);
}

void lode_json_array(struct lode_json *json, const char *key)
{
	put_key(json, key);
	yajl_gen_array_open(json->gen);
}

void lode_json_end_array(struct lode_json *json)
{
	yajl_gen_array_close(json->gen);
}

void lode_json_break(struct lode_json *json)
{
	print(json, "\n", 1);
}
