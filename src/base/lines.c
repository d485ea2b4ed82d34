/* Reads a text input line by line. */
#include "base/lines.h"

#define FIRST_BUFFER_BYTES ((size_t)1 << 20)

void lode_lines_init(struct lode_lines *lines, struct lode_input *input)
{
	memset(lines, 0, sizeof(*lines));
	lines->input = input;
	lines->size = FIRST_BUFFER_BYTES;
	lines->buffer = lode_alloc(lines->size + 1); /* one for the NUL behind the last line */
}

void lode_lines_release(struct lode_lines *lines)
{
	free(lines->buffer);
	memset(lines, 0, sizeof(*lines));
}

/* Reads on behind what is not given yet. */
static int fill_lines(struct lode_lines *lines, struct lode_error *err)
{
	size_t left = lines->end - lines->at;
	ssize_t n;

	if (left == lines->size) {
		if (lines->size >= LODE_LINE_MAX_BYTES) {
			lines->is_skipping = true;
			lines->offset = lines->next_offset;
			return lode_fail_line(err, LODE_ERR_LIMIT, lode_input_path(lines->input),
					      ++lines->number, "the line is longer than %zu MiB",
					      LODE_LINE_MAX_BYTES >> 20);
		}
		lines->size *= 2;
		lines->buffer = lode_realloc_n(lines->buffer, lines->size + 1, 1);
	}
	memmove(lines->buffer, lines->buffer + lines->at, left);
	lines->at = 0;
	lines->end = left;
	n = lode_input_read(lines->input, lines->buffer + left, lines->size - left, err);
	if (n < 0)
		return (int)n;
	lines->is_end = n == 0;
	lines->end += (size_t)n;
	return 0;
}

bool lode_lines_may_go_on(const struct lode_lines *lines)
{
	return lines->is_skipping;
}

/* Goes behind the next line feed, or to the end. */
static int skip_line(struct lode_lines *lines, struct lode_error *err)
{
	int rc = 0;

	while (rc == 0 && lines->is_skipping) {
		char *start = lines->buffer + lines->at;
		const char *feed = memchr(start, '\n', lines->end - lines->at);
		size_t n = feed ? (size_t)(feed - start) + 1 : lines->end - lines->at;

		lines->at += n;
		lines->next_offset += (int64_t)n;
		lines->is_skipping = !feed && !lines->is_end;
		if (lines->is_skipping)
			rc = fill_lines(lines, err);
	}
	lines->is_skipping = false; /* what fails now is not a long line */
	return rc;
}

int lode_lines_next(struct lode_lines *lines, char **line, size_t *len, struct lode_error *err)
{
	size_t searched = 0; /* of buffer[at ..): holds no line feed */
	int skipped = skip_line(lines, err);
	char *feed;
	size_t n;

	if (skipped < 0)
		return skipped;
	for (;;) {
		char *start = lines->buffer + lines->at;
		int rc;

		n = lines->end - lines->at;
		feed = memchr(start + searched, '\n', n - searched);
		if (feed || lines->is_end)
			break;
		searched = n;
		rc = fill_lines(lines, err);
		if (rc < 0)
			return rc;
	}
	if (!feed && !n)
		return 0;
	*line = lines->buffer + lines->at;
	lines->is_unended = !feed;
	lines->offset = lines->next_offset;
	if (feed)
		n = (size_t)(feed - *line);
	lines->at += n + (feed ? 1 : 0);
	lines->next_offset += (int64_t)(n + (feed ? 1 : 0));
	lines->number++;
	if (feed && n && (*line)[n - 1] == '\r')
		n--;
	(*line)[n] = '\0';
	*len = n;
	return 1;
}

int64_t lode_text_part_line(const struct lode_text_part *part, int64_t offset, int64_t number)
{
	bool is_head = offset < (int64_t)part->head_size;

	return is_head || !part->lines_between ? number
					       : number + part->lines_between(part->context);
}

const char **lode_lines_split(const char *text, size_t *n, struct lode_arena *arena)
{
	const char **lines;
	size_t n_most = 1, len;

	for (const char *c = text; c && *c; c++)
		n_most += *c == '\n';
	lines = lode_arena_array(arena, const char *, n_most);
	*n = 0;
	for (const char *at = text; at && *at; at += len + (at[len] == '\n')) {
		len = strcspn(at, "\n");
		if (len)
			lines[(*n)++] = lode_arena_strndup(arena, at, len);
	}
	return lines;
}

const char *lode_lines_join(const char *const *lines, size_t n, struct lode_arena *arena)
{
	size_t size = 1;
	char *text, *end;

	for (size_t i = 0; i < n; i++)
		size += strlen(lines[i]) + 1;
	text = end = lode_arena_alloc(arena, size, 1);
	*end = '\0';
	for (size_t i = 0; i < n; i++)
		end = stpcpy(i ? stpcpy(end, "\n") : end, lines[i]);
	return text;
}
