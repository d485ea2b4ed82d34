/* Writes reports as one HTML file. */
#include "document/html.h"

#include <assert.h>
#include <limits.h>
#include <zlib.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "base/written.h"
#include "document/html_split.h"
#include "base/atomic_file.h"

/* Made by tools/build-pages; the template ends in a NUL. */
extern const unsigned char lode_pages_template[];
extern const size_t lode_pages_template_size;
extern const char lode_pages_template_missing[];

/* Where the reports go; web/tools/single-file.mjs sees to it that there is one. */
static const char marker[] = "<!--lode:data-->";

/* Bytes of lines that are packed together: a cluster is unpacked with its neighbours. */
enum { BLOCK_BYTES = 1 << 19 };

static void add_html(struct lode_html_text *text, const void *bytes, size_t n)
{
	lode_vec_append_all(&text->bytes, bytes, n);
}

static void add_text(struct lode_html_text *text, const char *s)
{
	add_html(text, s, strlen(s));
}

/*
 * An attribute's value: markup as entities, and nothing but UTF-8, as HTML wants it. Bytes that are
 * not become U+FFFD.
 */
static void add_attribute(struct lode_html_text *text, const char *name, const char *value)
{
	char entity[16];

	add_text(text, " ");
	add_text(text, name);
	add_text(text, "=\"");
	for (size_t n, left = strlen(value); left; value += n, left -= n) {
		uint32_t c;

		n = lode_utf8_take(&c, value, left);
		if (n == 0) {
			add_text(text, LODE_UTF8_REPLACEMENT);
			n = 1;
		} else if (c < 0x20 || (n == 1 && strchr("&<>\"'", *value))) {
			snprintf(entity, sizeof(entity), "&#%u;", c < 0x20 ? ' ' : c);
			add_text(text, entity);
		} else {
			add_html(text, value, n);
		}
	}
	add_text(text, "\"");
}

void lode_html_add_compact(struct lode_html_text *text, const char *json, size_t n)
{
	const char *end = json + n;

	while (json < end) {
		const char *line = memchr(json, '\n', (size_t)(end - json));

		if (!line)
			line = end;
		add_html(text, json, (size_t)(line - json));
		while (line < end && (*line == '\n' || lode_is_blank(*line)))
			line++;
		json = line;
	}
}

static void deflate_text(struct lode_html_text *out, const char *bytes, size_t n)
{
	z_stream z = {0};
	unsigned char buffer[1 << 16];
	size_t left = n;
	int rc = deflateInit(&z, 4);

	if (rc != Z_OK)
		lode_oom(sizeof(z));
	z.next_in = (unsigned char *)bytes;
	do {
		if (z.avail_in == 0) {
			z.avail_in = left > UINT_MAX ? UINT_MAX : (unsigned)left;
			left -= z.avail_in;
		}
		z.next_out = buffer;
		z.avail_out = sizeof(buffer);
		rc = deflate(&z, left ? Z_NO_FLUSH : Z_FINISH);
		assert(rc == Z_OK || rc == Z_BUF_ERROR || rc == Z_STREAM_END);
		add_html(out, buffer, sizeof(buffer) - z.avail_out);
	} while (rc != Z_STREAM_END);
	deflateEnd(&z);
}

static void add_base64(struct lode_html_text *text, const struct lode_html_text *from)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *s = (const unsigned char *)from->bytes.at;
	size_t n = from->bytes.n;

	lode_vec_reserve(&text->bytes, text->bytes.n + n / 3 * 4 + 4);
	for (size_t i = 0; i < n; i += 3) {
		uint32_t word = (uint32_t)s[i] << 16 | (i + 1 < n ? (uint32_t)s[i + 1] << 8 : 0) |
				(i + 2 < n ? s[i + 2] : 0);
		char four[] = {digits[word >> 18], digits[word >> 12 & 63],
			       i + 1 < n ? digits[word >> 6 & 63] : '=',
			       i + 2 < n ? digits[word & 63] : '='};

		add_html(text, four, sizeof(four));
	}
}

/* What ends the opening tag, the bytes packed, and the end of the element. */
static void add_packed(struct lode_html_text *text, const char *bytes, size_t n)
{
	struct lode_html_text packed = {0};

	deflate_text(&packed, bytes, n);
	add_text(text, " data-encoding=\"deflate\">");
	add_base64(text, &packed);
	add_text(text, "</script>\n");
	lode_vec_release(&packed.bytes);
}

static void add_rest(struct lode_html_text *text, const struct lode_html_split *split)
{
	for (size_t line = 0, next; line < split->lines.n; line = next) {
		size_t from = split->lines.at[line], to = from;
		char number[24];

		for (next = line;
		     next < split->lines.n && (next == line || to - from < BLOCK_BYTES);)
			to = ++next < split->lines.n ? split->lines.at[next] : split->rest.bytes.n;
		add_text(text, "<script type=\"application/octet-stream\" class=\"lode-rest\"");
		snprintf(number, sizeof(number), "%zu", line);
		add_attribute(text, "data-line", number);
		add_packed(text, split->rest.bytes.at + from, to - from);
	}
}

static void add_part(struct lode_html_text *text, const struct lode_html_part *part)
{
	struct lode_html_text json = {0};
	struct lode_html_split split;
	bool is_split;

	lode_html_add_compact(&json, part->json, part->json_bytes);
	is_split = lode_html_split(&split, part->schema, json.bytes.at, json.bytes.n);
	add_text(text, "<script type=\"application/octet-stream\" class=\"lode-report\"");
	add_attribute(text, "data-name", part->name);
	add_attribute(text, "data-schema", part->schema);
	add_attribute(text, "data-title", part->title);
	if (is_split) {
		add_packed(text, split.light.bytes.at, split.light.bytes.n);
		add_rest(text, &split);
	} else {
		add_packed(text, json.bytes.at, json.bytes.n);
	}
	if (part->findings) {
		add_text(text, "<script type=\"application/octet-stream\" class=\"lode-findings\"");
		add_packed(text, part->findings, strlen(part->findings));
	}
	lode_html_split_release(&split);
	lode_vec_release(&json.bytes);
}

const char *lode_html_missing(void)
{
	return lode_pages_template_size ? NULL : lode_pages_template_missing;
}

int lode_html_write(const char *path, const struct lode_html_part *parts, size_t n_parts,
		    struct lode_error *err)
{
	const char *page = (const char *)lode_pages_template, *at;
	struct lode_html_text text = {0};
	int rc;

	if (lode_html_missing())
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
				 "this lode was built without HTML pages: %s", lode_html_missing());
	at = strstr(page, marker);
	assert(at);
	add_html(&text, page, (size_t)(at - page));
	for (size_t i = 0; i < n_parts; i++)
		add_part(&text, &parts[i]);
	add_text(&text, at + strlen(marker));
	rc = lode_atomic_write(path, text.bytes.at, text.bytes.n, err);
	lode_vec_release(&text.bytes);
	return rc;
}

void lode_html_part_tell(struct lode_html_part *part, const struct lode_findings *findings)
{
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	lode_findings_put(out, findings);
	lode_written_close(out);
	part->findings = text;
}

/* "slow/", "slow/ and 2 more": a title of the inputs, in `buffer`. */
static const char *title_inputs(char *buffer, size_t size, char *const *inputs, size_t n_inputs)
{
	if (n_inputs == 0)
		snprintf(buffer, size, "the repository");
	else if (n_inputs == 1)
		snprintf(buffer, size, "%s", inputs[0]);
	else
		snprintf(buffer, size, "%s and %zu more", inputs[0], n_inputs - 1);
	return buffer;
}

void lode_html_part_make(struct lode_html_part *out, const struct lode_document *document,
			 const void *answer, char *const *inputs, size_t n_inputs)
{
	const char *name = strchr(document->schema, '/') + 1;
	struct lode_findings findings;
	struct lode_arena arena = {0};
	char title[1024], *json;
	FILE *text;

	*out = (struct lode_html_part){.schema = document->schema};
	out->name = strndup(name, strcspn(name, "/"));
	if (!out->name)
		lode_oom(strlen(name));
	out->title = lode_strdup(title_inputs(title, sizeof(title), inputs, n_inputs));
	text = lode_written_open(&json, &out->json_bytes);
	lode_document_put(text, document, answer, NULL);
	lode_written_close(text);
	out->json = json;
	if (document->find) {
		document->find(&findings, answer, &arena);
		lode_html_part_tell(out, &findings);
	}
	lode_arena_release(&arena);
}

void lode_html_part_release(struct lode_html_part *part)
{
	free((char *)part->name);
	free((char *)part->title);
	free((char *)part->json);
	free((char *)part->findings);
}

char *lode_html_served_page(size_t *size)
{
	static const char no_connection[] = "connect-src 'none'", own[] = "connect-src 'self'";
	const char *page = (const char *)lode_pages_template, *at;
	char *copy;

	_Static_assert(sizeof(no_connection) == sizeof(own), "overwritten concurrently");
	if (lode_html_missing())
		return NULL;
	*size = strlen(page);
	copy = lode_strdup(page);
	at = strstr(page, no_connection);
	assert(at);
	memcpy(copy + (at - page), own, strlen(own));
	return copy;
}
