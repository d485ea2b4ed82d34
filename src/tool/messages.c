/* Messages on stderr and their exit codes. */
#include "tool/messages.h"

#include <stdarg.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "document/units.h"

enum { line_bytes = 8192, MAX_LINES = 20 };

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
	case LODE_ERR_LIMIT: /* of a file: larger than any genuine one */
		return *err->path ? LODE_EXIT_NOTHING : LODE_EXIT_FAILURE;
	default:
		return LODE_EXIT_FAILURE;
	}
}

static void say_input(const struct lode_command *self, const char *what,
		      const struct lode_skipped_input *input)
{
	char path[line_bytes], reason[line_bytes];

	lode_say(self, "%s: %s: %s", lode_escape(path, sizeof(path), input->path), what,
		 lode_escape(reason, sizeof(reason), input->reason));
}

/*
 * Inputs that were skipped or are incomplete for the same reason, as one kind: of a million
 * recordings, a thousand lack something, and a terminal has no room for a thousand lines.
 *
 *   web-1: lost events (3): CPU 2        kind 0, 2 inputs, as web-1
 *   web-2: unknown format                kind 1, 1 input
 *   web-7: lost events (12): CPU 0       kind 0: numbers make no difference
 */
struct input_kind {
	const struct lode_skipped_input *first;
	size_t n;
};

typedef LODE_VEC(struct input_kind) input_kinds; /* in the order of their first */

/* The reason without its numbers: "lost events (#): CPU #"; an offset is one, too. */
static size_t without_numbers(char *out, const char *reason)
{
	char *end = out;

	while (*reason) {
		bool is_hex = reason[0] == '0' && reason[1] == 'x';

		if (!lode_is_digit(*reason)) {
			*end++ = *reason++;
			continue;
		}
		reason += is_hex ? 2 : 0;
		while (is_hex ? lode_hex_digit(*reason) >= 0 : lode_is_digit(*reason))
			reason++;
		*end++ = '#';
	}
	return (size_t)(end - out);
}

/* The inputs are borrowed. O(length of their reasons). */
static void build_kinds(input_kinds *out, const struct lode_skipped_input *inputs, size_t n)
{
	struct lode_strings texts = {0};
	char *text = NULL;
	size_t size = 0;

	for (size_t i = 0; i < n; i++) {
		size_t need = strlen(inputs[i].reason) + 1;
		uint32_t kind;

		if (need > size) {
			free(text);
			text = lode_alloc(need);
			size = need;
		}
		kind = lode_strings_intern(&texts, text, without_numbers(text, inputs[i].reason));
		while (out->n <= kind)
			lode_vec_append_zero(out);
		if (!out->at[kind].n++)
			out->at[kind].first = &inputs[i];
	}
	free(text);
	lode_strings_release(&texts);
}

static void say_kind(const struct lode_command *self, const char *what,
		     const struct input_kind *kind)
{
	char path[line_bytes], reason[line_bytes], n[LODE_UNITS_BUFFER];

	lode_say(self, "%s inputs %s, such as %s: %s", lode_format_count(n, kind->n), what,
		 lode_escape(path, sizeof(path), kind->first->path),
		 lode_escape(reason, sizeof(reason), kind->first->reason));
}

static void say_kinds(const struct lode_command *self, const char *what,
		      const struct lode_skipped_input *inputs, size_t n)
{
	input_kinds kinds = {0};
	char count[LODE_UNITS_BUFFER];
	size_t said = 0;

	build_kinds(&kinds, inputs, n);
	for (size_t i = 0; i < kinds.n && i < MAX_LINES; i++) {
		const struct input_kind *kind = &kinds.at[i];

		if (kind->n > 1)
			say_kind(self, what, kind);
		else
			say_input(self, what, kind->first);
		said += kind->n;
	}
	if (said < n)
		lode_say(self, "%s inputs %s for other reasons", lode_format_count(count, n - said),
			 what);
	lode_say(self, "--json lists all %s inputs", lode_format_count(count, n));
	lode_vec_release(&kinds);
}

void lode_say_inputs(const struct lode_command *self, const char *what,
		     const struct lode_skipped_input *inputs, size_t n)
{
	if (n > MAX_LINES) {
		say_kinds(self, what, inputs, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		say_input(self, what, &inputs[i]);
}

bool lode_said_add(struct lode_said *said, const char *path, const char *reason)
{
	size_t n = strlen(path) + strlen(reason) + 2, n_before;
	char *text;

	if (!said)
		return true;
	text = lode_alloc(n);
	snprintf(text, n, "%s\n%s", path, reason);
	n_before = said->texts.text.n;
	(void)lode_strings_intern(&said->texts, text, n - 1);
	free(text);
	return said->texts.text.n > n_before;
}

void lode_said_release(struct lode_said *said)
{
	lode_strings_release(&said->texts);
}

void lode_say_inputs_once(const struct lode_command *self, const char *what,
			  const struct lode_skipped_input *inputs, size_t n, struct lode_said *said)
{
	LODE_VEC(struct lode_skipped_input) fresh = {0};

	for (size_t i = 0; i < n; i++)
		if (lode_said_add(said, inputs[i].path, inputs[i].reason))
			lode_vec_append(&fresh, inputs[i]);
	lode_say_inputs(self, what, fresh.at, fresh.n);
	lode_vec_release(&fresh);
}

void lode_say_skipped_once(const struct lode_command *self, const struct lode_digest_job *job,
			   struct lode_said *said)
{
	lode_say_inputs_once(self, "skipped", job->skipped.at, job->skipped.n, said);
	lode_say_inputs_once(self, "incomplete", job->incomplete.at, job->incomplete.n, said);
	lode_say_other_files(self, job->n_other);
}

void lode_say_skipped(const struct lode_command *self, const struct lode_digest_job *job)
{
	lode_say_skipped_once(self, job, NULL);
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
	lode_say_inputs(self, "incomplete", inputs, n);
}
