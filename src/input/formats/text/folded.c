/*
 * Folded stacks, the format of FlameGraph's tools (docs/formats/folded.md):
 *
 *   process;main;read_all;vfs_read_[k] 1234
 *
 * One line is one stack, root first, and what it cost; one file is one stream with one thread,
 * whose events lie one behind the other in the order of the lines. Sorted files repeat the
 * beginning of the line before: that part is compared, not parsed again.
 */
#include "input/source.h"

#include "base/decimal.h"
#include "base/escape.h"
#include "base/lines.h"
#include "input/formats/text/modules.h"

#define FOLDED_TID     1
#define MAX_TOTAL      (((int64_t)1 << 61) - 1) /* LIMIT: the builder takes times up to it */
#define IDENTITY_BYTES ((size_t)64 << 10)	/* of text, hashed for the stream's identity */

/* A stack of the line before: where its text ends, and what it is. */
struct mark {
	size_t end; /* offset of the ';' (or the end) behind the frame */
	uint32_t node;
	bool is_kernel; /* a "-" or "--" was passed: the rest are kernel frames */
};

struct folded {
	struct lode_lines lines;
	const struct lode_source_options *options;
	struct lode_builder *builder;
	struct lode_stream *stream; /* the builder's */
	const char *path;
	int64_t total;
	uint64_t n_lines;
	uint64_t n_too_long;
	int64_t first_too_long; /* number of that line */
	uint64_t identity;	/* hash over the first bytes of text */
	size_t n_hashed;
	LODE_VEC(char) previous; /* the stack of the line before */
	LODE_VEC(struct mark) marks;
	struct lode_strings texts[2]; /* distinct frames as written; [1]: in the kernel's part */
	LODE_VEC(uint32_t) frames[2]; /* text id -> frame */
};

/* ---- One frame ---- */

static bool is_module_char(char c)
{
	return lode_is_letter(c) || lode_is_digit(c) || (c && strchr("._+-/[]@", c));
}

/* Length of the module in "module!function"; 0 if there is none. `operator!` has none. */
static size_t module_len(const char *text, size_t len)
{
	const char *bang = memchr(text, '!', len);
	size_t n = bang ? (size_t)(bang - text) : 0;

	if (n == 0 || n + 1 == len || (n == 8 && !memcmp(text, "operator", 8)))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!is_module_char(text[i]))
			return 0;
	return n;
}

static bool is_kernel_module(const char *module)
{
	return !strcmp(module, "[kernel]") || !strcmp(module, "kernel") ||
	       !strcmp(module, "kernel.kallsyms") || !strcmp(module, "[kernel.kallsyms]") ||
	       !strcmp(module, "vmlinux");
}

/* Takes the annotation off the end of `text`, as stackcollapse scripts write it: 'k', or 0. */
static char take_annotation(const char *text, size_t *len)
{
	size_t n = *len;

	if (n <= 4 || text[n - 1] != ']' || text[n - 3] != '[' || text[n - 4] != '_' ||
	    !strchr("kij", text[n - 2]))
		return 0;
	*len = n - 4;
	return text[n - 2];
}

/* "[libc.so.6]" is a frame of that module without a symbol. */
static uint32_t unknown_frame(struct lode_calltree *tree, char *text, size_t len, bool is_kernel)
{
	char *inside = text + 1;

	text[len - 1] = '\0';
	if (is_kernel || is_kernel_module(inside))
		return lode_frame_intern(tree, "[kernel]", "", LODE_FRAME_KERNEL);
	return lode_frame_intern(tree, *inside ? inside : "unknown", "", 0);
}

static uint32_t parse_frame(struct lode_calltree *tree, const char *written, size_t len,
			    bool is_kernel)
{
	char *text = lode_alloc(len + 1);
	char annotation, *function = text;
	const char *module = "";
	uint32_t flags = 0, frame;
	size_t n;

	memcpy(text, written, len);
	annotation = take_annotation(text, &len);
	text[len] = '\0';
	is_kernel |= annotation == 'k';
	n = module_len(text, len);
	if (n) {
		text[n] = '\0';
		function = text + n + 1;
		module = lode_path_base(text);
		is_kernel |= is_kernel_module(module);
	} else if (annotation == 'j') {
		module = "[jit]";
	}
	if (is_kernel)
		flags |= LODE_FRAME_KERNEL;
	if (annotation == 'i')
		flags |= LODE_FRAME_INLINED;
	if (!n && len >= 2 && text[0] == '[' && text[len - 1] == ']')
		frame = unknown_frame(tree, text, len, is_kernel);
	else if (!len)
		frame = lode_frame_intern(tree, "unknown", "", 0);
	else
		frame = lode_frame_intern(tree, is_kernel ? "[kernel]" : module, function, flags);
	free(text);
	return frame;
}

static uint32_t frame_of_folded(struct folded *f, const char *text, size_t len, bool is_kernel)
{
	uint32_t id = lode_strings_find(&f->texts[is_kernel], text, len);

	if (id == LODE_NONE) {
		id = lode_strings_intern(&f->texts[is_kernel], text, len);
		lode_vec_append(&f->frames[is_kernel],
				parse_frame(&f->stream->tree, text, len, is_kernel));
	}
	return f->frames[is_kernel].at[id];
}

/* ---- One stack ---- */

static size_t common_prefix(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (i + 8 <= n) {
		uint64_t x, y;

		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			break;
		i += 8;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

static bool is_delimiter(const char *text, size_t len)
{
	return (len == 1 || len == 2) && text[0] == '-' && text[len - 1] == '-';
}

/* Node of a stack; remembers its frames' nodes for the next line. */
static uint32_t stack_of(struct folded *f, const char *text, size_t len)
{
	size_t common =
		common_prefix(text, f->previous.at, len < f->previous.n ? len : f->previous.n);
	struct mark mark = {0};
	size_t at = 0;

	/* The deepest frame that both lines end at the same place. */
	while (f->marks.n && (f->marks.at[f->marks.n - 1].end > common ||
			      (f->marks.at[f->marks.n - 1].end < len &&
			       text[f->marks.at[f->marks.n - 1].end] != ';')))
		f->marks.n--;
	if (f->marks.n) {
		mark = f->marks.at[f->marks.n - 1];
		at = mark.end + 1;
	}
	while (at < len) {
		const char *semicolon = memchr(text + at, ';', len - at);
		size_t end = semicolon ? (size_t)(semicolon - text) : len;

		if (mark.node && is_delimiter(text + at, end - at))
			mark.is_kernel = true;
		else
			mark.node = lode_calltree_push(&f->stream->tree, mark.node,
						       frame_of_folded(f, text + at, end - at,
								       mark.is_kernel));
		mark.end = end;
		lode_vec_append(&f->marks, mark);
		at = end + 1;
	}
	f->previous.n = 0;
	lode_vec_reserve(&f->previous, len + 8);
	memcpy(f->previous.at, text, len);
	f->previous.n = len;
	return mark.node;
}

/* ---- One line ---- */

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

enum count_kind { COUNT_OK, COUNT_NONE, COUNT_NOT_WHOLE, COUNT_TOO_LARGE };

/*
 * Splits a line into its stack (its length goes to *stack_len unless there is no count) and its
 * count. What looks like a number but is none (12.5, 1,234, -3, 1e6) is distinguished from what is
 * no number at all.
 */
static enum count_kind parse_count(const char *line, size_t len, size_t *stack_len, int64_t *count)
{
	bool is_number = true, has_digit = false;
	size_t start, end;

	while (len && lode_is_blank(line[len - 1]))
		len--;
	for (start = len; start && !lode_is_blank(line[start - 1]); start--) {
		has_digit |= lode_is_digit(line[start - 1]);
		is_number &= lode_is_digit(line[start - 1]);
	}
	if (!has_digit || start < 2) /* no number, or nothing before it */
		return COUNT_NONE;
	for (end = start; end && lode_is_blank(line[end - 1]); end--)
		;
	*stack_len = end;
	if (!is_number) {
		if (!lode_is_digit(line[start]) && !is_one_of(line[start], "+-."))
			return COUNT_NONE;
		for (size_t i = start; i < len; i++)
			if (!lode_is_digit(line[i]) && !is_one_of(line[i], ".,'_+-eE"))
				return COUNT_NONE;
		return COUNT_NOT_WHOLE;
	}
	if (!lode_int_parse(count, line + start, len - start))
		return COUNT_TOO_LARGE;
	return end ? COUNT_OK : COUNT_NONE;
}

/* Shortened for a message. */
static const char *excerpt(const char *line, char *buffer, size_t size)
{
	return lode_escape_fit(buffer, size, line, 40);
}

/* "# mode: wall", as Austin writes above its stacks. */
static bool is_comment(const char *line, size_t len)
{
	return len && line[0] == '#' && (len == 1 || lode_is_blank(line[1]));
}

/* The stable identity: the first bytes of text, and in the end how much there was. */
static void identify(struct folded *f, const char *line, size_t len)
{
	if (f->n_hashed >= IDENTITY_BYTES)
		return;
	f->identity = lode_stable_hash(line, len, f->identity);
	f->n_hashed += len;
}

static int take_line_folded(struct folded *f, const char *line, size_t len, struct lode_error *err)
{
	struct lode_sample sample = {
		.t_ns = f->total, .cpu = UINT32_MAX, .pid = FOLDED_TID, .tid = FOLDED_TID};
	char shown[200];
	size_t stack_len = 0;

	if (!len || is_comment(line, len))
		return 0;
	identify(f, line, len);
	switch (parse_count(line, len, &stack_len, &sample.weight_ns)) {
	case COUNT_OK:
		break;
	case COUNT_NONE:
		lode_loss_add(&f->stream->losses,
			      f->lines.is_unended ? LODE_LOSS_TRUNCATED : LODE_LOSS_BAD_RECORD, 1,
			      f->lines.offset, 0, "line %lld has no count at its end: %s",
			      (long long)f->lines.number, excerpt(line, shown, sizeof(shown)));
		return 0;
	case COUNT_NOT_WHOLE:
		return lode_fail_line(err, LODE_ERR_UNSUPPORTED, f->path, f->lines.number,
				      "counts must be whole numbers without separators, this one "
				      "is not: %s",
				      excerpt(strrchr(line, ' ') ? strrchr(line, ' ') + 1 : line,
					      shown, sizeof(shown)));
	case COUNT_TOO_LARGE:
		return lode_fail_line(err, LODE_ERR_LIMIT, f->path, f->lines.number,
				      "the count does not fit 63 bits");
	}
	if (sample.weight_ns > MAX_TOTAL - f->total)
		return lode_fail_line(err, LODE_ERR_LIMIT, f->path, f->lines.number,
				      "the counts up to here sum to 2^61 or more");
	f->total += sample.weight_ns;
	sample.stack = stack_of(f, line, stack_len);
	f->n_lines++;
	if (f->options->folded_kind == LODE_EVENT_WAITING)
		lode_builder_offcpu(f->builder, &sample);
	else
		lode_builder_sample(f->builder, &sample);
	if (f->options->progress && f->n_lines % 4096 == 0)
		f->options->progress(f->options->progress_context,
				     lode_input_consumed_bytes(f->lines.input));
	return 0;
}

/* The next line that is not too long; those that are, are lost. */
static int next_folded(struct folded *f, char **line, size_t *len, struct lode_error *err)
{
	int rc;

	while ((rc = lode_lines_next(&f->lines, line, len, err)) < 0 &&
	       lode_lines_may_go_on(&f->lines)) {
		if (!f->n_too_long++)
			f->first_too_long = f->lines.number;
		lode_loss_add(&f->stream->losses, LODE_LOSS_BAD_RECORD, 1, f->lines.offset, 0,
			      "line %lld is longer than %zu MiB", (long long)f->lines.number,
			      LODE_LINE_MAX_BYTES >> 20);
	}
	return rc;
}

static int read_lines_folded(struct folded *f, struct lode_error *err)
{
	char *line;
	size_t len;
	int rc;

	while ((rc = next_folded(f, &line, &len, err)) > 0) {
		rc = take_line_folded(f, line, len, err);
		if (rc < 0)
			return rc;
	}
	if (rc < 0 && f->n_lines) { /* what was whole is good */
		lode_loss_add(&f->stream->losses, LODE_LOSS_TRUNCATED, 1, f->lines.next_offset,
			      f->total, "%s", err->message);
		rc = 0;
	}
	return rc;
}

/* Hands the stream over; the call tree's nodes were used as raw stacks. */
static struct lode_stream *finish_folded(struct folded *f)
{
	size_t n = f->stream->tree.nodes.n;
	uint32_t *nodes = lode_alloc(n * sizeof(*nodes));
	struct lode_stream *stream = f->stream;
	uint64_t sums[2] = {f->n_lines, (uint64_t)f->total};

	for (size_t i = 0; i < n; i++)
		nodes[i] = (uint32_t)i;
	lode_builder_time(f->builder, f->total);
	lode_builder_finish(f->builder, nodes, n);
	f->builder = NULL;
	free(nodes);
	stream->n_samples = f->n_lines;
	stream->content_hash = lode_stable_hash(sums, sizeof(sums), f->identity);
	stream->has_callchains = true;
	stream->has_samples = false; /* sums over unknown threads and times */
	for (size_t t = 0; t < stream->threads.n; t++) {
		struct lode_events *events = &stream->threads.at[t].events;

		stream->threads.at[t].is_command = true;
		for (size_t i = 0; i < events->n; i++)
			if (f->options->folded_kind == LODE_EVENT_READY)
				events->kind[i] = LODE_EVENT_READY;
	}
	lode_text_modules(stream, "names come from the file");
	return stream;
}

static void init_folded(struct folded *f, struct lode_input *input,
			const struct lode_source_options *options)
{

	memset(f, 0, sizeof(*f));
	f->options = options;
	f->path = lode_input_path(input);
	lode_lines_init(&f->lines, input);
	/* Stacks have no times: --time and --cpu mean nothing here. */
	f->builder = lode_builder_new(f->path, "folded", options->unit ? options->unit : "samples",
				      NULL);
	f->stream = lode_builder_stream(f->builder);
	lode_builder_expect_switches(f->builder, false);
	lode_builder_comm(f->builder, 0, FOLDED_TID, FOLDED_TID, lode_path_base(f->path), false);
}

static void release_folded(struct folded *f)
{
	lode_builder_free(f->builder);
	lode_lines_release(&f->lines);
	lode_vec_release(&f->previous);
	lode_vec_release(&f->marks);
	for (int i = 0; i < 2; i++) {
		lode_strings_release(&f->texts[i]);
		lode_vec_release(&f->frames[i]);
	}
}

static int folded_load(struct lode_stream **out, struct lode_input *input,
		       const struct lode_source_options *options, struct lode_error *err)
{
	struct folded f;
	struct lode_error local;
	int rc;

	*out = NULL;
	init_folded(&f, input, options);
	rc = read_lines_folded(&f, err ? err : &local);
	if (rc == 0 && !f.n_lines && f.n_too_long)
		rc = lode_fail_line(err, LODE_ERR_LIMIT, f.path, f.first_too_long,
				    "the line is longer than %zu MiB", LODE_LINE_MAX_BYTES >> 20);
	if (rc == 0 && !f.n_lines)
		rc = lode_fail(err, LODE_ERR_FORMAT, f.path, -1,
			       "no line is a stack and a count, as in 'main;read 12'");
	if (rc == 0)
		*out = finish_folded(&f);
	release_folded(&f);
	return rc;
}

static bool has_only_numbers(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!lode_is_digit(text[i]) && text[i] != '.' && text[i] != ' ')
			return false;
	return true;
}

/*
 * Lines of others that end in a number. A table's columns are separated by tabs, set in or numbers,
 * as no function's name is; "read(3, ...) = 832" is strace's.
 */
static bool is_other_text(const char *text, size_t stack_len)
{
	return memchr(text, '\t', stack_len) || memchr(text, '\0', stack_len) || *text == ' ' ||
	       has_only_numbers(text, stack_len) ||
	       (stack_len > 2 && !memcmp(text + stack_len - 2, " =", 2));
}

/* In its first line: later ones are bad lines, which a crash leaves in a good file. */
static bool has_nul(const char *text, const char *end)
{
	const char *feed = memchr(text, '\n', (size_t)(end - text));

	return memchr(text, '\0', (size_t)((feed ? feed : end) - text));
}

/*
 * Text whose lines are stacks with a count. Only the lines that are whole within `head` are judged;
 * a stack may be longer than it.
 */
static bool folded_recognise(const uint8_t *head, size_t size)
{
	const char *text = (const char *)head, *end = text + size, *feed;
	size_t n_good = 0, n_bad = 0;

	/* JSON may be one line, and have a ';' in it. */
	if (!size || has_nul(text, end) || *text == '{' || (size > 1 && !memcmp(head, "[{", 2)))
		return false;
	for (; text < end; text = feed + 1) {
		size_t stack_len;
		int64_t count;
		enum count_kind kind;

		feed = memchr(text, '\n', (size_t)(end - text));
		if (!feed && size >= LODE_PEEK_LEAST_BYTES) /* goes on behind the head */
			return n_good > n_bad || (!n_good && !n_bad && memchr(head, ';', size));
		if (!feed)
			feed = end;
		if (feed == text || (feed == text + 1 && *text == '\r') ||
		    is_comment(text, (size_t)(feed - text)))
			continue;
		kind = parse_count(text, (size_t)(feed - text) - (feed[-1] == '\r'), &stack_len,
				   &count);
		if (kind != COUNT_NONE && is_other_text(text, stack_len))
			kind = COUNT_NONE;
		n_good += kind != COUNT_NONE;
		n_bad += kind == COUNT_NONE;
	}
	return n_good > n_bad;
}

/* With a ';' to count: many tables end their lines in numbers. */
static bool recognise_unnamed(const uint8_t *head, size_t size)
{
	return memchr(head, ';', size) && folded_recognise(head, size);
}

static const char *const file_globs[] = {"*.folded", "*.collapsed", NULL};

const struct lode_format lode_format_folded = {
	.name = "folded",
	.words = "folded stacks",
	.recognise = folded_recognise,
	.recognise_unnamed = recognise_unnamed,
	.globs = file_globs,
	.named = "folded stacks",
	.begins = "lines of 'frame;frame count'",
	.load = folded_load,
};
