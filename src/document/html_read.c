/* Reads the JSON of reports out of lode's HTML files. */
#include "document/html_read.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include "base/ascii.h"
#include "document/html_split.h"

static const char opening[] = "<script type=\"application/octet-stream\" class=\"lode-report\"";
static const char findings_opening[] =
	"<script type=\"application/octet-stream\" class=\"lode-findings\"";
static const char rest_opening[] = "<script type=\"application/octet-stream\" class=\"lode-rest\"";

/* Where reading stands in a page. */
struct place {
	const char *start, *at, *end;
	const char *path;
	struct lode_error *err;
};

static int fail_html_read(const struct place *p, enum lode_status status, const char *what)
{
	return lode_fail(p->err, status, p->path, p->at - p->start, "%s", what);
}

static bool skip_html_read(struct place *p, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(p->end - p->at) < n || memcmp(p->at, text, n) != 0)
		return false;
	p->at += n;
	return true;
}

/* "&#NN;" of ASCII, the only entities that lode writes. */
static size_t decode(char *text, size_t n)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned value = 0;
		size_t k = i + 2;

		if (text[i] != '&' || i + 3 >= n || text[i + 1] != '#') {
			text[out++] = text[i];
			continue;
		}
		while (k < n && lode_is_digit(text[k]) && value < 0x80)
			value = value * 10 + (unsigned)(text[k++] - '0');
		if (k < n && text[k] == ';' && value >= 0x20 && value < 0x80) {
			text[out++] = (char)value;
			i = k;
		} else {
			text[out++] = text[i];
		}
	}
	return out;
}

/* The value of the attribute that must come next. */
static const char *attribute(struct place *p, struct lode_arena *arena, const char *name)
{
	const char *value, *end;
	char *copy;

	if (!skip_html_read(p, " ") || !skip_html_read(p, name) || !skip_html_read(p, "=\""))
		return NULL;
	value = p->at;
	end = memchr(value, '"', (size_t)(p->end - value));
	if (!end)
		return NULL;
	p->at = end + 1;
	copy = lode_arena_strndup(arena, value, (size_t)(end - value));
	copy[decode(copy, (size_t)(end - value))] = 0;
	return copy;
}

static int digit(char c)
{
	return c >= 'A' && c <= 'Z'   ? c - 'A'
	       : c >= 'a' && c <= 'z' ? c - 'a' + 26
	       : lode_is_digit(c)     ? c - '0' + 52
	       : c == '+'	      ? 62
	       : c == '/'	      ? 63
				      : -1;
}

/* Base64 up to `end`; the bytes are the caller's. False: it is none. */
static bool unbase64(const char *text, const char *end, unsigned char **out, size_t *n_out)
{
	size_t n = (size_t)(end - text), n_digits = n;
	unsigned char *bytes;

	*out = NULL;
	if (n % 4 != 0)
		return false;
	while (n_digits > 0 && n - n_digits < 2 && text[n_digits - 1] == '=')
		n_digits--;
	*n_out = n_digits * 3 / 4;
	bytes = lode_alloc(*n_out + 4);
	for (size_t i = 0, at = 0; i < n; i += 4, at += 3) {
		uint32_t word = 0;

		for (size_t k = i; k < i + 4; k++) {
			int d = k < n_digits ? digit(text[k]) : 0;

			if (d < 0) {
				free(bytes);
				return false;
			}
			word = word << 6 | (uint32_t)d;
		}
		for (size_t k = 0; k < 3 && at + k < *n_out; k++)
			bytes[at + k] = (unsigned char)(word >> (16 - 8 * k));
	}
	*out = bytes;
	return true;
}

/* What `from` holds when inflated, and a NUL, in the arena; NULL: nothing sound, or too much. */
static char *inflate_text(struct lode_arena *arena, const unsigned char *from, size_t n,
			  size_t *out)
{
	LODE_VEC(char) text = {0};
	z_stream z = {.next_in = (unsigned char *)from, .avail_in = (unsigned)n};
	char *copy = NULL;
	int rc = Z_OK;

	if (inflateInit(&z) != Z_OK)
		lode_oom(sizeof(z));
	while (rc == Z_OK && text.n < LODE_HTML_JSON_MAX) {
		lode_vec_reserve(&text, text.n + (1 << 16));
		z.next_out = (unsigned char *)text.at + text.n;
		z.avail_out = 1 << 16;
		rc = inflate(&z, Z_NO_FLUSH);
		text.n += (1 << 16) - z.avail_out;
	}
	if (rc == Z_STREAM_END) {
		*out = text.n;
		copy = lode_arena_strndup(arena, text.at, text.n);
	}
	inflateEnd(&z);
	lode_vec_release(&text);
	return copy;
}

static bool is_word_html_read(const char *text)
{
	return *text && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(text);
}

/* What stands packed in the element whose opening tag ends here; its text is the arena's. */
static int read_packed(const char **text, size_t *n_text, struct lode_arena *arena, struct place *p)
{
	const char *encoding = attribute(p, arena, "data-encoding"), *end;
	unsigned char *packed;
	size_t n;

	if (!encoding || !skip_html_read(p, ">"))
		return fail_html_read(p, LODE_ERR_FORMAT, "a report's element is malformed");
	if (strcmp(encoding, "deflate") != 0)
		return fail_html_read(p, LODE_ERR_UNSUPPORTED, "a report has an unknown encoding");
	end = memchr(p->at, '<', (size_t)(p->end - p->at));
	if (!end)
		return fail_html_read(p, LODE_ERR_TRUNCATED, "the page ends within a report");
	if (!unbase64(p->at, end, &packed, &n))
		return fail_html_read(p, LODE_ERR_FORMAT, "a report is not valid base64");
	*text = inflate_text(arena, packed, n, n_text);
	free(packed);
	if (!*text)
		return fail_html_read(p, LODE_ERR_FORMAT, "a report cannot be decompressed");
	p->at = end;
	return LODE_OK;
}

/* The elements that follow a report with what was set apart from it. */
static int read_rest(struct lode_html_text *rest, struct place *p)
{
	int rc = LODE_OK;

	while (rc == LODE_OK && skip_html_read(p, "</script>\n") &&
	       skip_html_read(p, rest_opening)) {
		struct lode_arena arena = {0}; /* not all of them at the same time */
		const char *text;
		size_t n = 0;

		if (!attribute(p, &arena, "data-line"))
			rc = fail_html_read(p, LODE_ERR_FORMAT,
					    "the second part of a report is malformed");
		else
			rc = read_packed(&text, &n, &arena, p);
		if (rc == LODE_OK && n > LODE_HTML_JSON_MAX - rest->bytes.n)
			rc = fail_html_read(p, LODE_ERR_LIMIT, "a report is larger than 2 GiB");
		if (rc == LODE_OK)
			lode_vec_append_all(&rest->bytes, text, n);
		lode_arena_release(&arena);
	}
	return rc;
}

/* Puts the report together again, if it was parted. */
static int add_rest(struct lode_html_reports *reports, struct lode_html_part *part, struct place *p)
{
	struct lode_html_text rest = {0}, whole = {0};
	int rc = read_rest(&rest, p);

	if (rc == LODE_OK && rest.bytes.n) {
		if (lode_html_join(&whole, part->schema, part->json, part->json_bytes,
				   rest.bytes.at, rest.bytes.n)) {
			part->json =
				lode_arena_strndup(&reports->arena, whole.bytes.at, whole.bytes.n);
			part->json_bytes = whole.bytes.n;
		} else {
			rc = fail_html_read(p, LODE_ERR_FORMAT,
					    "the two parts of a report do not match");
		}
	}
	lode_vec_release(&rest.bytes);
	lode_vec_release(&whole.bytes);
	return rc;
}

static int read_part(struct lode_html_reports *reports, struct place *p)
{
	struct lode_html_part part = {0};
	size_t ignored;
	int rc;

	part.name = attribute(p, &reports->arena, "data-name");
	part.schema = attribute(p, &reports->arena, "data-schema");
	part.title = attribute(p, &reports->arena, "data-title");
	if (!part.name || !part.schema || !part.title)
		return fail_html_read(p, LODE_ERR_FORMAT, "a report's element is malformed");
	if (!is_word_html_read(part.name))
		return fail_html_read(p, LODE_ERR_FORMAT, "a report has an invalid name");
	rc = read_packed(&part.json, &part.json_bytes, &reports->arena, p);
	if (rc == LODE_OK)
		rc = add_rest(reports, &part, p);
	if (rc == LODE_OK && skip_html_read(p, findings_opening))
		rc = read_packed(&part.findings, &ignored, &reports->arena, p);
	if (rc == LODE_OK)
		lode_vec_append(&reports->parts, part);
	return rc;
}

int lode_html_read_bytes(struct lode_html_reports *reports, const char *bytes, size_t n,
			 const char *path, struct lode_error *err)
{
	struct place p = {.start = bytes, .at = bytes, .end = bytes + n, .path = path, .err = err};
	size_t before = reports->parts.n;

	while (p.at < p.end) {
		const char *next = memmem(p.at, (size_t)(p.end - p.at), opening, strlen(opening));
		int rc;

		if (!next)
			break;
		p.at = next + strlen(opening);
		rc = read_part(reports, &p);
		if (rc < 0)
			return rc;
	}
	p.at = bytes;
	if (reports->parts.n == before)
		return fail_html_read(&p, LODE_ERR_FORMAT, "this page contains no lode report");
	return LODE_OK;
}

int lode_html_read(struct lode_html_reports *reports, const char *path, struct lode_error *err)
{
	LODE_VEC(char) text = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
	ssize_t n = 1;

	if (fd < 0)
		return lode_fail_errno(err, errno, path, "cannot open");
	while (n > 0 && text.n < LODE_HTML_FILE_MAX) {
		lode_vec_reserve(&text, text.n + (1 << 16));
		n = read(fd, text.at + text.n, 1 << 16);
		text.n += n > 0 ? (size_t)n : 0;
	}
	if (n < 0)
		rc = lode_fail_errno(err, errno, path, "cannot read");
	else if (n > 0)
		rc = lode_fail(err, LODE_ERR_LIMIT, path, (int64_t)text.n,
			       "the page is larger than 256 MiB");
	else
		rc = lode_html_read_bytes(reports, text.at ? text.at : "", text.n, path, err);
	close(fd);
	lode_vec_release(&text);
	return rc;
}

void lode_html_reports_take(struct lode_html_reports *reports, const struct lode_html_part *parts,
			    size_t n_parts)
{
	struct lode_arena *arena = &reports->arena;

	for (size_t i = 0; i < n_parts; i++) {
		struct lode_html_text json = {0};
		struct lode_html_part part = parts[i];

		lode_html_add_compact(&json, part.json, part.json_bytes);
		part.json = lode_arena_strndup(arena, json.bytes.at, json.bytes.n);
		part.json_bytes = json.bytes.n;
		part.name = lode_arena_strdup(arena, part.name);
		part.title = lode_arena_strdup(arena, part.title);
		if (part.findings)
			part.findings = lode_arena_strdup(arena, part.findings);
		lode_vec_append(&reports->parts, part);
		lode_vec_release(&json.bytes);
	}
}

void lode_html_reports_release(struct lode_html_reports *reports)
{
	lode_vec_release(&reports->parts);
	lode_arena_release(&reports->arena);
}
