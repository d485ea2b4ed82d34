/* Magic bytes and headings of lode's own files and of those that stand beside them. */
#include "store/file_kind.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include "base/decompress.h"
#include "store/digest_file.h"
#include "store/repo_db.h"
#include "store/timeline_file.h"

struct head {
	const char *at;
	size_t n;
};

static bool begins(const struct head *head, const void *bytes, size_t n)
{
	return head->n >= n && memcmp(head->at, bytes, n) == 0;
}

static bool begins_with(const struct head *head, const char *text)
{
	return begins(head, text, strlen(text));
}

static bool has(const struct head *head, const char *text)
{
	return memmem(head->at, head->n, text, strlen(text)) != NULL;
}

static bool is_html(const struct head *head)
{
	static const char doctype[] = "<!doctype html", element[] = "<html";

	return (head->n >= strlen(doctype) &&
		strncasecmp(head->at, doctype, strlen(doctype)) == 0) ||
	       (head->n >= strlen(element) && strncasecmp(head->at, element, strlen(element)) == 0);
}

/* The application's id stands at byte 68 of SQLite's header, the highest byte first. */
static enum lode_file_kind kind_of_database(const struct head *head)
{
	const uint8_t *at = (const uint8_t *)head->at + 68;
	uint32_t id;

	if (head->n < 72)
		return LODE_KIND_DATABASE;
	id = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
	return id == LODE_REPO_APPLICATION_ID ? LODE_KIND_REPOSITORY : LODE_KIND_DATABASE;
}

static enum lode_file_kind kind_of_compressed(const struct head *head)
{
	/* What document/export/export_pprof says in gzip's header: a comment, and no other field.
	 */
	static const char pprof[] = "lode pprof";
	static const size_t header = 10;

	if (begins(head, "\x1f\x8b\x08\x10", 4) && head->n >= header + sizeof(pprof) &&
	    memcmp(head->at + header, pprof, sizeof(pprof)) == 0)
		return LODE_KIND_PPROF;
	return LODE_KIND_COMPRESSED;
}

static enum lode_file_kind kind_of_json(const struct head *head)
{
	bool is_export = has(head, "\"exporter\":\"lode\"") || has(head, "\"exporter\": \"lode\"");

	if (has(head, "\"schema\": \"lode/pio-model/") || has(head, "\"schema\":\"lode/pio-model/"))
		return LODE_KIND_MODEL;
	if (has(head, "\"schema\": \"lode/") || has(head, "\"schema\":\"lode/"))
		return LODE_KIND_REPORT;
	if (is_export && has(head, "speedscope.app/file-format-schema.json"))
		return LODE_KIND_SPEEDSCOPE;
	if (is_export && has(head, "\"otherData\""))
		return LODE_KIND_CHROME_TRACE;
	return LODE_KIND_JSON;
}

static bool is_symptoms(const struct head *head)
{
	return begins_with(head, "stream\ttid\tt0_ns\tt1_ns\tfunction\tduration_ns\n") ||
	       begins_with(head, "stream\ttid\tt0_ns\tt1_ns\tcomm\n");
}

static enum lode_file_kind kind_of_text(const struct head *head)
{
	if (begins_with(head, "# Performance signatures: lode sign ") ||
	    begins_with(head, "format: lode/signatures/"))
		return LODE_KIND_SIGNATURES;
	if (begins_with(head, "lode-pio-watch "))
		return LODE_KIND_WATCH_STATE;
	if (is_symptoms(head))
		return LODE_KIND_SYMPTOMS;
	for (size_t i = 0; i < head->n; i++) {
		unsigned char c = (unsigned char)head->at[i];

		if (c < ' ' && (c == 0 || !strchr("\t\n\r\f\033", c)))
			return LODE_KIND_UNKNOWN;
	}
	return LODE_KIND_TEXT;
}

enum lode_file_kind lode_file_kind_of(const void *bytes, size_t size)
{
	const struct head head = {bytes, size};

	if (size == 0)
		return LODE_KIND_EMPTY;
	if (lode_digest_recognise(bytes, size))
		return LODE_KIND_DIGEST;
	if (lode_timeline_recognise(bytes, size))
		return LODE_KIND_INDEX;
	if (begins_with(&head, "PERFILE2") || begins_with(&head, "2ELIFREP"))
		return LODE_KIND_RECORDING;
	if (begins_with(&head, "\177ELF"))
		return LODE_KIND_PROGRAM;
	if (begins(&head, "SQLite format 3", 16))
		return kind_of_database(&head);
	if (lode_codec_recognise(bytes, size) != LODE_CODEC_PLAIN)
		return kind_of_compressed(&head);
	if (is_html(&head))
		return has(&head, "<title>lode</title>") ? LODE_KIND_PAGE : LODE_KIND_HTML;
	if (head.at[0] == '{' || head.at[0] == '[')
		return kind_of_json(&head);
	return kind_of_text(&head);
}

static bool is_packed_recording(const char *path)
{
	struct lode_input *input;
	char head[8];
	ssize_t n;

	if (lode_input_open_found(&input, path, NULL) < 0)
		return false;
	n = lode_input_peek(input, head, sizeof(head), NULL);
	lode_input_close(input);
	return n > 0 && lode_file_kind_of(head, (size_t)n) == LODE_KIND_RECORDING;
}

enum lode_file_kind lode_file_kind_read(const char *path)
{
	char head[LODE_FILE_HEAD_BYTES];
	enum lode_file_kind kind;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	size_t n = 0;
	ssize_t got = 0;

	if (fd < 0)
		return LODE_KIND_UNKNOWN;
	do {
		got = read(fd, head + n, sizeof(head) - n);
		n += got > 0 ? (size_t)got : 0;
	} while (n < sizeof(head) && (got > 0 || (got < 0 && errno == EINTR)));
	close(fd);
	kind = got < 0 ? LODE_KIND_UNKNOWN : lode_file_kind_of(head, n);
	return kind == LODE_KIND_COMPRESSED && is_packed_recording(path) ? LODE_KIND_RECORDING
									 : kind;
}

const char *lode_file_kind_words(enum lode_file_kind kind)
{
	static const char *const words[] = {
		[LODE_KIND_UNKNOWN] = "a file of another kind",
		[LODE_KIND_TEXT] = "a text",
		[LODE_KIND_EMPTY] = "empty",
		[LODE_KIND_PAGE] = "a page of lode",
		[LODE_KIND_DIGEST] = "a digest of lode",
		[LODE_KIND_INDEX] = "a trace index of lode",
		[LODE_KIND_REPOSITORY] = "a repository of lode",
		[LODE_KIND_MODEL] = "a pio model of lode",
		[LODE_KIND_WATCH_STATE] = "a pio watch state of lode",
		[LODE_KIND_SIGNATURES] = "a signature file of lode",
		[LODE_KIND_SYMPTOMS] = "a symptom table of lode",
		[LODE_KIND_SPEEDSCOPE] = "a speedscope profile of lode",
		[LODE_KIND_PPROF] = "a pprof profile of lode",
		[LODE_KIND_CHROME_TRACE] = "a Chrome trace of lode",
		[LODE_KIND_REPORT] = "a JSON report of lode",
		[LODE_KIND_RECORDING] = "a perf recording",
		[LODE_KIND_COMPRESSED] = "a compressed file",
		[LODE_KIND_PROGRAM] = "a program or library",
		[LODE_KIND_DATABASE] = "an SQLite database",
		[LODE_KIND_HTML] = "an HTML page of something else",
		[LODE_KIND_JSON] = "a JSON file of something else",
		[LODE_KIND_FOLDER] = "a folder",
	};

	assert(kind >= 0 && kind < sizeof(words) / sizeof(*words));
	return words[kind];
}

bool lode_file_kind_is_gathered(enum lode_file_kind kind)
{
	return kind == LODE_KIND_DIGEST || kind == LODE_KIND_INDEX;
}

bool lode_file_kind_is_read(enum lode_file_kind kind)
{
	switch (kind) {
	case LODE_KIND_DIGEST:
	case LODE_KIND_INDEX:
	case LODE_KIND_REPOSITORY:
	case LODE_KIND_RECORDING:
	case LODE_KIND_COMPRESSED:
	case LODE_KIND_TEXT:
	case LODE_KIND_JSON:
	case LODE_KIND_UNKNOWN:
		return true;
	default:
		return false;
	}
}
