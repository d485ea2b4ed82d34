#include "sources/counters/counter_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "sources/counters/counter_reader.h"

/* Binary files of sar's begin with this number, in the byte order of their machine. */
static const uint16_t sar_magic = 0xd596;

enum format { UNKNOWN, TABLE, SADF, SAR, JSON };

static bool is_sar(const uint8_t *head, size_t size)
{
	uint16_t magic = 0;

	if (size >= sizeof(magic))
		memcpy(&magic, head, sizeof(magic));
	return magic == sar_magic || magic == __builtin_bswap16(sar_magic);
}

static enum format format_of(const uint8_t *head, size_t size)
{
	static const char sadf[] = "# hostname;interval;timestamp;";
	const char *text = (const char *)head;
	size_t blank = 0;

	if (!size)
		return UNKNOWN;
	if (is_sar(head, size))
		return SAR;
	if (size >= sizeof(sadf) - 1 && memcmp(text, sadf, sizeof(sadf) - 1) == 0)
		return SADF;
	while (blank < size && memchr(" \t\r\n", text[blank], 4))
		blank++;
	if (blank < size && text[blank] == '{' &&
	    (memmem(text, size, "\"sysstat\"", 9) || memmem(text, size, "\"resultType\"", 12)))
		return JSON;
	return lode_counter_is_table(text, size) ? TABLE : UNKNOWN;
}

bool lode_counters_recognise(const uint8_t *head, size_t size)
{
	return format_of(head, size) != UNKNOWN;
}

/* "/data/counters_web.csv.zst" -> "web" */
static char *server_of(const char *path)
{
	static const char *const prefixes[] = {"counters_", "counters-", "counters."};
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	char *server;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			name += strlen(prefixes[i]);
	server = lode_strdup(name);
	server[strcspn(server, ".")] = '\0';
	return server;
}

static int read_by_format(struct lode_counter_reader *reader, struct lode_error *err)
{
	char head[LODE_PEEK_BYTES + 1], shown[100];
	ssize_t n = lode_input_peek(reader->input, head, LODE_PEEK_BYTES, err);

	if (n < 0)
		return (int)n;
	head[n] = '\0';
	switch (format_of((const uint8_t *)head, (size_t)n)) {
	case TABLE:
		return lode_counter_read_table(reader, err);
	case SADF:
		return lode_counter_read_sadf(reader, err);
	case SAR:
		return lode_counter_read_sar(reader, err);
	case JSON:
		return lode_counter_read_json(reader, err);
	case UNKNOWN:
		break;
	}
	if (n == 0)
		return lode_fail(err, LODE_ERR_FORMAT, reader->path, 0, "the file is empty");
	return lode_fail(err, LODE_ERR_FORMAT, reader->path, 0,
			 "no table with a header and times, and no other format of counters that "
			 "lode knows; it begins with '%s'",
			 lode_escape_fit(shown, sizeof(shown), head, 60));
}

/* `input` is closed; NULL: what is at `path`. */
static int read_counters(struct lode_counter_log *log, struct lode_input *input, const char *path,
			 const char *server, struct lode_counter_facts *facts,
			 struct lode_error *err)
{
	struct lode_counter_reader reader = {.log = log,
					     .path = path,
					     .is_server_given = server != NULL,
					     .facts = facts,
					     .last_ns = INT64_MIN};
	struct lode_error local;
	char *by_name = server_of(path);
	int rc = LODE_OK;

	memset(facts, 0, sizeof(*facts));
	err = err ? err : &local;
	reader.server = server ? server : by_name;
	reader.input = input;
	if (!input)
		rc = lode_input_open(&reader.input, path, err);
	if (rc == LODE_OK)
		rc = read_by_format(&reader, err);
	if (rc == LODE_OK && !facts->n_rows)
		rc = lode_fail(
			err, LODE_ERR_FORMAT, path, -1, "no row is a sample: %s",
			lode_counter_log_losses(log)->by_kind[LODE_LOSS_BAD_RECORD].count
				? lode_counter_log_losses(log)->by_kind[LODE_LOSS_BAD_RECORD].detail
				: "it has none");
	lode_input_close(reader.input);
	lode_strings_release(&reader.series);
	lode_vec_release(&reader.groups);
	lode_vec_release(&reader.key);
	free(by_name);
	return rc;
}

int lode_counters_read(struct lode_counter_log *log, const char *path, const char *server,
		       struct lode_counter_facts *facts, struct lode_error *err)
{
	return read_counters(log, NULL, path, server, facts, err);
}

int lode_counters_read_text(struct lode_counter_log *log, const char *name,
			    const struct lode_counter_text *text, const char *server,
			    struct lode_counter_facts *facts, struct lode_error *err)
{
	struct lode_input *input;

	lode_input_open_bytes(&input, name, text->at, text->size);
	return read_counters(log, input, name, server, facts, err);
}
