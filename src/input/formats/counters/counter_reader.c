/* What readers of counter files share. */
#include "input/formats/counters/counter_reader.h"

bool lode_counter_time(struct lode_counter_reader *reader, int64_t *out_ns, const char *text,
		       size_t len)
{
	struct lode_log_time time;

	if (!lode_log_time_parse(&time, &reader->clock, text, len))
		return false;
	*out_ns = time.ns;
	if (!time.has_zone) {
		*out_ns = lode_log_zone_utc(&reader->zone, time.ns, reader->last_ns);
		reader->facts->is_zone_assumed = true;
	}
	reader->last_ns = *out_ns;
	return true;
}

void lode_counter_host(struct lode_counter_reader *reader, const char *host, size_t len)
{
	if (reader->is_server_given || !len || len >= sizeof(reader->host))
		return;
	memcpy(reader->host, host, len);
	reader->host[len] = '\0';
	reader->server = reader->host;
}

void lode_counter_add(struct lode_counter_reader *reader, const char *server, const char *name,
		      enum lode_counter_kind kind, int64_t t_ns, double value)
{
	size_t server_len = strlen(server), name_len = strlen(name), n = reader->series.text.n;
	struct lode_counter_column column = {server, name, kind};
	uint32_t id;

	reader->key.n = 0;
	lode_vec_reserve(&reader->key, server_len + name_len + 1);
	memcpy(reader->key.at, server, server_len);
	reader->key.at[server_len] = '\0';
	memcpy(reader->key.at + server_len + 1, name, name_len);
	id = lode_strings_intern(&reader->series, reader->key.at, server_len + 1 + name_len);
	if (id == n)
		lode_vec_append(&reader->groups, lode_counter_log_group(reader->log, &column, 1));
	lode_counter_log_row(reader->log, reader->groups.at[id], t_ns, &value);
	reader->facts->n_rows++;
}

static int64_t line_in_file(const struct lode_counter_reader *reader, int64_t offset, int64_t line)
{
	return reader->part ? lode_text_part_line(reader->part, offset, line) : line;
}

void lode_counter_place(struct lode_counter_reader *reader, int64_t offset, int64_t line)
{
	lode_counter_log_place(reader->log, reader->path, line_in_file(reader, offset, line));
}

void lode_counter_bad(struct lode_counter_reader *reader, int64_t offset, int64_t line,
		      const char *what)
{
	lode_loss_add(lode_counter_log_losses(reader->log), LODE_LOSS_BAD_RECORD, 1, offset,
		      reader->last_ns, "%s: line %lld %s", reader->path,
		      (long long)line_in_file(reader, offset, line), what);
}

double lode_counter_number(const char *text, size_t len, bool *is_bad)
{
	static const double powers[] = {1,   1e1, 1e2,	1e3,  1e4,  1e5,  1e6,	1e7,
					1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	uint64_t mantissa = 0;
	size_t i, n_digits = 0, n_behind = 0;
	bool is_negative, has_point = false;
	char copy[64], *end;
	double value;

	while (len && lode_is_blank(*text)) {
		text++;
		len--;
	}
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\r'))
		len--;
	if (!len || (len == 1 && *text == '-'))
		return NAN;
	is_negative = *text == '-';
	/* Up to 15 digits are exact, and so is their quotient by a power of ten, rounded once. */
	for (i = is_negative; i < len && n_digits <= 15; i++) {
		if (lode_is_digit(text[i])) {
			mantissa = mantissa * 10 + (uint64_t)(text[i] - '0');
			n_digits++;
			n_behind += has_point;
		} else if (text[i] == '.' && !has_point) {
			has_point = true;
		} else {
			break;
		}
	}
	if (i == len && n_digits && n_digits <= 15) {
		value = (double)mantissa / powers[n_behind];
		return is_negative ? -value : value;
	}
	if (len >= sizeof(copy)) {
		*is_bad = true;
		return NAN;
	}
	memcpy(copy, text, len);
	copy[len] = '\0';
	value = strtod(copy, &end);
	*is_bad |= end != copy + len;
	/* "NaN" is a way to say missing; infinities are no counts. */
	return end == copy + len && isfinite(value) ? value : NAN;
}
