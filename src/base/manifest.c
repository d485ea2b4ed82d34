/* Reads and writes lists of recordings. */
#include "base/manifest.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/lines.h"

static const char head_text[] = LODE_MANIFEST_HEAD;
static const size_t n_head_kind = sizeof("#lode manifest ") - 1;

bool lode_manifest_recognise(const uint8_t *head, size_t size)
{
	return size >= n_head_kind && memcmp(head, head_text, n_head_kind) == 0;
}

bool lode_manifest_is(const char *path)
{
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	ssize_t n;

	if (lode_input_open(&input, path, NULL) < 0)
		return false;
	n = lode_input_peek(input, head, sizeof(head), NULL);
	lode_input_close(input);
	return n > 0 && lode_manifest_recognise(head, (size_t)n);
}

/* ---- Reading ---- */

struct reader {
	struct lode_manifest *out;
	struct lode_lines lines;
	lode_byte_vec labels; /* of the line */
	const char *path;
	bool may_lack_head;
	struct lode_error *err;
};

#define REFUSE(r, ...) \
	lode_fail((r)->err, LODE_ERR_FORMAT, (r)->path, (r)->lines.offset, __VA_ARGS__)

static bool is_key(const char *key, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", key[i]) &&
		    (!i || !strchr("0123456789.-", key[i])))
			return false;
	return len > 0;
}

static bool is_field(const char *field, size_t n_key, const char *key)
{
	return strlen(key) == n_key && memcmp(field, key, n_key) == 0;
}

static void put(lode_byte_vec *out, const char *text)
{
	lode_vec_append_all(out, (const uint8_t *)text, strlen(text));
}

/* "KEY=VALUE": ours, or one more of the labels. */
static int take_field(struct reader *r, struct lode_manifest_line *line, const char *field)
{
	const char *equals = strchr(field, '=');
	size_t n_key = equals ? (size_t)(equals - field) : 0;

	if (!is_key(field, n_key))
		return REFUSE(r,
			      "line %" PRId64 ": expected KEY=VALUE after the path, found '%.60s'",
			      r->lines.number, field);
	if (is_field(field, n_key, "name")) {
		line->name = equals + 1;
	} else if (is_field(field, n_key, "bytes")) {
		if (!lode_int_parse(&line->bytes, equals + 1, strlen(equals + 1)) ||
		    line->bytes < 0)
			return REFUSE(r, "line %" PRId64 ": '%.40s' is not a number of bytes",
				      r->lines.number, equals + 1);
	} else {
		if (r->labels.n)
			put(&r->labels, "\t");
		put(&r->labels, field);
	}
	return 0;
}

static int add_line(struct reader *r, const struct lode_manifest_line *line)
{
	struct lode_manifest *out = r->out;
	size_t n_known = out->names.text.n;
	uint32_t id = lode_strings_intern(&out->names, line->name, strlen(line->name));
	struct lode_manifest_line kept = {.name = out->names.text.at[id], .bytes = line->bytes};

	if (id < n_known)
		return REFUSE(r, "line %" PRId64 ": %.200s is listed twice, and would count twice",
			      r->lines.number, line->name);
	kept.path = strcmp(line->path, line->name) == 0
			    ? kept.name
			    : lode_arena_strndup(&out->arena, line->path, strlen(line->path));
	kept.labels = r->labels.n ? lode_arena_strndup(&out->arena, (const char *)r->labels.at,
						       r->labels.n)
				  : "";
	lode_vec_append(&out->lines, kept);
	return 0;
}

static int read_line(struct reader *r, char *text)
{
	struct lode_manifest_line line = {.bytes = -1};
	char *field;
	int rc = 0;

	r->labels.n = 0;
	line.path = line.name = strsep(&text, "\t");
	while (rc == 0 && (field = strsep(&text, "\t")))
		rc = take_field(r, &line, field);
	if (rc == 0 && (!*line.path || !*line.name))
		rc = REFUSE(r, "line %" PRId64 ": the %s is empty", r->lines.number,
			    *line.path ? "name" : "path");
	return rc == 0 ? add_line(r, &line) : rc;
}

static int read_head(struct reader *r, const char *text)
{
	if (strncmp(text, head_text, n_head_kind) != 0)
		return r->may_lack_head ? 0
					: REFUSE(r, "this is not a manifest: its first line is not "
						    "'#lode manifest 1'");
	if (strlen(text) + 1 != sizeof(head_text) - 1 ||
	    strncmp(text, head_text, strlen(text)) != 0)
		return lode_fail(r->err, LODE_ERR_UNSUPPORTED, r->path, 0,
				 "made by a newer lode: manifests of version '%.20s'",
				 text + n_head_kind);
	return 0;
}

int lode_manifest_read(struct lode_manifest *out, const char *path, bool may_lack_head,
		       struct lode_error *err)
{
	struct reader r = {.out = out, .path = path, .may_lack_head = may_lack_head, .err = err};
	struct lode_input *input;
	char *line;
	size_t len;
	int rc = lode_input_open(&input, path, err);

	if (rc < 0)
		return rc;
	lode_lines_init(&r.lines, input);
	while ((rc = lode_lines_next(&r.lines, &line, &len, err)) > 0) {
		if (strlen(line) != len)
			rc = REFUSE(&r, "line %" PRId64 ": a zero byte, where text is expected",
				    r.lines.number);
		else if (strchr(line, '\r'))
			rc = REFUSE(&r, "line %" PRId64 ": a carriage return within the line",
				    r.lines.number);
		else if (r.lines.number == 1)
			rc = read_head(&r, line);
		if (rc < 0 || (len && *line != '#' && (rc = read_line(&r, line)) < 0))
			break;
	}
	if (rc == 0 && !r.lines.number && !may_lack_head)
		rc = read_head(&r, "");
	lode_vec_release(&r.labels);
	lode_lines_release(&r.lines);
	lode_input_close(input);
	return rc;
}

void lode_manifest_release(struct lode_manifest *manifest)
{
	lode_vec_release(&manifest->lines);
	lode_strings_release(&manifest->names);
	lode_arena_release(&manifest->arena);
	memset(manifest, 0, sizeof(*manifest));
}

/* ---- Writing ---- */

void lode_manifest_put(lode_byte_vec *out, const struct lode_manifest_line *line)
{
	char bytes[32];

	put(out, line->path);
	if (strcmp(line->path, line->name) != 0) {
		put(out, "\tname=");
		put(out, line->name);
	}
	if (line->bytes >= 0) {
		snprintf(bytes, sizeof(bytes), "\tbytes=%" PRId64, line->bytes);
		put(out, bytes);
	}
	if (*line->labels) {
		put(out, "\t");
		put(out, line->labels);
	}
	put(out, "\n");
}
