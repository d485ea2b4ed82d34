/* Messages on stderr and their exit codes. */
#include "tool/messages.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/escape.h"

enum { line_bytes = 8192 };

void lode_say(const struct lode_command *self, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "lode %s: ", self->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

int lode_say_error(const struct lode_command *self, const struct lode_error *err)
{
	char text[2048], safe[line_bytes];
	char *line, *rest = text;
	bool is_empty = err->status == LODE_ERR_EMPTY;
	bool is_several = (err->status == LODE_ERR_ARG && !*err->path) || is_empty;

	lode_error_text(err, text, sizeof(text));
	line = is_several ? strsep(&rest, "\n") : text;
	lode_say(self, "%s", lode_escape(safe, sizeof(safe), line));
	/* What to do about it, as a sentence of its own. */
	while (is_empty && (line = strsep(&rest, "\n")))
		lode_say(self, "%s", lode_escape(safe, sizeof(safe), line));
	/* A mistake in a query is shown in its place, on lines of its own; in the text of any other
	   error a line feed is a name's, and must not look like a line of ours. */
	while (is_several && (line = strsep(&rest, "\n")))
		fprintf(stderr, "%s\n", lode_escape(safe, sizeof(safe), line));
	switch (err->status) {
	case LODE_ERR_ARG:
		return LODE_EXIT_USAGE;
	case LODE_ERR_FORMAT:
	case LODE_ERR_TRUNCATED:
	case LODE_ERR_UNSUPPORTED:
	case LODE_ERR_EMPTY:
		return LODE_EXIT_NOTHING;
	case LODE_ERR_LIMIT: /* of a file: it holds more than anybody can have meant */
		return *err->path ? LODE_EXIT_NOTHING : LODE_EXIT_FAILURE;
	default:
		return LODE_EXIT_FAILURE;
	}
}

void lode_say_inputs(const struct lode_command *self, const char *what,
		     const struct lode_skipped_input *inputs, size_t n)
{
	char path[line_bytes], reason[line_bytes];

	for (size_t i = 0; i < n; i++)
		lode_say(self, "%s: %s%s", lode_escape(path, sizeof(path), inputs[i].path), what,
			 lode_escape(reason, sizeof(reason), inputs[i].reason));
}

void lode_say_skipped(const struct lode_command *self, const struct lode_digest_job *job)
{
	lode_say_inputs(self, "skipped: ", job->skipped.at, job->skipped.n);
	lode_say_incomplete(self, job->incomplete.at, job->incomplete.n);
	lode_say_other_files(self, job->n_other);
}

void lode_say_other_files(const struct lode_command *self, size_t n)
{
	if (n)
		lode_say(self, "%zu file%s skipped: neither name nor content matches a recording",
			 n, n == 1 ? "" : "s");
}

void lode_say_incomplete(const struct lode_command *self, const struct lode_skipped_input *inputs,
			 size_t n)
{
	lode_say_inputs(self, "incomplete: ", inputs, n);
}
