/*
 * Reads the traces of NonSequitur. A file is one thread of a run; files of a folder, sorted by
 * name, are the threads of one. A thread's number is the one its file's name ends in; where those
 * are not all there and different, files count from 1.
 */
#include "base/decimal.h"
#include "base/lines.h"
#include "input/call_batch.h"
#include "input/formats/calltext/call_line.h"
#include "input/call_source.h"

struct reader {
	const struct lode_call_options *options;
	struct lode_call_sink *sink;
	struct lode_call_names names;
	struct lode_call_batches batches;
	uint64_t n_events;
	bool is_alone; /* one file: progress is in its bytes */
};

static bool recognise_nonsequitur(const uint8_t *head, size_t size)
{
	const char *text = (const char *)head;
	const char *end = memchr(text, '\n', size);
	size_t len = end ? (size_t)(end - text) : size;
	struct lode_call_line line;

	if (len && text[len - 1] == '\r')
		len--;
	return lode_call_parse_nonsequitur(&line, text, len);
}

static int read_lines_nonsequitur(struct reader *reader, struct lode_input *input, uint32_t thread,
				  struct lode_error *err)
{
	struct lode_losses *losses = reader->sink->losses;
	struct lode_error fault;
	struct lode_lines lines;
	char *text;
	size_t len;
	int rc, more;

	lode_lines_init(&lines, input);
	for (rc = LODE_OK; rc == LODE_OK;) {
		struct lode_call_line line;

		more = lode_lines_next(&lines, &text, &len, &fault);
		if (more < 0)
			lode_loss_add(losses, LODE_LOSS_TRUNCATED, 1, lines.next_offset, 0, "%s",
				      fault.message);
		if (more <= 0)
			break;
		if (len == 0)
			continue;
		if (!lode_call_parse_nonsequitur(&line, text, len)) {
			lode_loss_add(losses, LODE_LOSS_BAD_RECORD, 1, lines.offset, 0,
				      "%s, line %lld: not \"0|1 function time\"",
				      lode_input_path(input), (long long)lines.number);
			continue;
		}
		reader->n_events++;
		if (reader->is_alone && reader->options->progress && lines.number % 65536 == 0)
			reader->options->progress(reader->options->progress_context,
						  lode_input_consumed_bytes(input),
						  lode_input_size_bytes(input));
		rc = lode_call_batches_add(&reader->batches, thread, line.t_ns, line.kind,
					   lode_call_names_id(&reader->names, reader->sink, NULL,
							      line.function, line.function_len),
					   err);
	}
	lode_lines_release(&lines);
	return rc < 0 ? rc : lode_call_batches_flush(&reader->batches, err);
}

/* "runs/trace1_20.txt.zst": "trace1_20", with the length of that. */
static const char *stem(const char *path, size_t *len)
{
	static const char *const endings[] = {".zst", ".gz", ".xz", ".txt", ".log"};
	const char *base = lode_path_base(path);

	*len = strlen(base);
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t n = strlen(endings[i]);

		if (*len > n && !strncmp(base + *len - n, endings[i], n))
			*len -= n;
	}
	return base;
}

/* The number at the end of the stem, -1 if there is none (or one of more than nine digits). */
static int32_t number_in_name(const char *path)
{
	size_t len;
	const char *base = stem(path, &len);
	size_t from = len;
	int64_t value;

	while (from && lode_is_digit(base[from - 1]))
		from--;
	if (from == len || len - from > 9 || !lode_int_parse(&value, base + from, len - from))
		return -1;
	return (int32_t)value;
}

static bool are_numbered(char *const *paths, size_t n)
{
	struct lode_map seen = {0};
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++) {
		int32_t number = number_in_name(paths[i]);
		uint32_t *slot = number < 0 ? NULL : lode_map_slot(&seen, (uint64_t)number);

		ok = slot && *slot == LODE_NONE;
		if (ok)
			*slot = 1;
	}
	lode_map_release(&seen);
	return ok;
}

static uint32_t add_thread_nonsequitur(struct reader *reader, const char *path, int32_t tid)
{
	struct lode_call_sink *sink = reader->sink;
	size_t len;
	const char *base = stem(path, &len);
	struct lode_arena arena = {0};
	uint32_t thread =
		sink->thread(sink->context, 0, tid, lode_arena_strndup(&arena, base, len));

	lode_arena_release(&arena);
	return thread;
}

static int read_one(struct reader *reader, const char *path, int32_t tid, struct lode_error *err)
{
	struct lode_input *input;
	int rc = lode_input_open(&input, path, err);

	if (rc < 0)
		return rc;
	rc = read_lines_nonsequitur(reader, input, add_thread_nonsequitur(reader, path, tid), err);
	lode_input_close(input);
	return rc;
}

static int finish_nonsequitur(struct reader *reader, int rc, const char *path,
			      struct lode_error *err)
{
	lode_call_names_release(&reader->names);
	lode_call_batches_release(&reader->batches);
	if (rc == LODE_OK && reader->n_events == 0)
		rc = lode_fail(err, LODE_ERR_FORMAT, path, -1, "no line is \"0|1 function time\"");
	return rc;
}

static void start(struct reader *reader, const struct lode_call_options *options,
		  struct lode_call_sink *sink)
{
	static const struct lode_calls_about about = {.format = "NonSequitur text"};

	*reader = (struct reader){.options = options, .sink = sink, .batches.sink = sink};
	if (sink->about)
		sink->about(sink->context, &about);
}

static int read_files(char *const *paths, size_t n, const struct lode_call_options *options,
		      struct lode_call_sink *sink, struct lode_error *err)
{
	bool numbered = are_numbered(paths, n);
	struct reader reader;
	int rc = LODE_OK;

	start(&reader, options, sink);
	for (size_t i = 0; i < n && rc == LODE_OK; i++) {
		rc = read_one(&reader, paths[i],
			      numbered ? number_in_name(paths[i]) : (int32_t)(i + 1), err);
		if (options->progress)
			options->progress(options->progress_context, (int64_t)i + 1, (int64_t)n);
	}
	return finish_nonsequitur(&reader, rc, n ? paths[0] : NULL, err);
}

static int read_file_nonsequitur(struct lode_input *input, const struct lode_call_options *options,
				 struct lode_call_sink *sink, struct lode_error *err)
{
	const char *path = lode_input_path(input);
	int32_t tid = number_in_name(path);
	struct reader reader;
	int rc;

	start(&reader, options, sink);
	reader.is_alone = true;
	rc = read_lines_nonsequitur(&reader, input,
				    add_thread_nonsequitur(&reader, path, tid < 0 ? 1 : tid), err);
	return finish_nonsequitur(&reader, rc, path, err);
}

const struct lode_format lode_format_nonsequitur = {
	.name = "NonSequitur text",
	.words = "\"0|1 function time\" lines",
	.recognise = recognise_nonsequitur,
	.read_calls = read_file_nonsequitur,
	.read_calls_of_files = read_files,
};
