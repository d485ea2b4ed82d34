/* Adds names of threads from a table to a trace. */
#include "input/thread_names.h"

#include "base/decimal.h"
#include "base/lines.h"

static void on_about(void *context, const struct lode_calls_about *about)
{
	struct lode_call_sink *inner = ((struct lode_thread_names *)context)->inner;

	if (inner->about)
		inner->about(inner->context, about);
}

static uint32_t on_thread(void *context, int32_t pid, int32_t tid, const char *name)
{
	struct lode_thread_names *names = context;
	uint32_t id = name ? LODE_NONE : lode_map_find(&names->by_tid, (uint32_t)tid);

	return names->inner->thread(names->inner->context, pid, tid,
				    id == LODE_NONE ? name : names->strings.text.at[id]);
}

static uint32_t on_function(void *context, const char *module, const char *name)
{
	struct lode_call_sink *inner = ((struct lode_thread_names *)context)->inner;

	return inner->function(inner->context, module, name);
}

static int on_events(void *context, uint32_t thread, const struct lode_call_event *at, size_t n,
		     struct lode_error *err)
{
	struct lode_call_sink *inner = ((struct lode_thread_names *)context)->inner;

	return inner->events(inner->context, thread, at, n, err);
}

static bool take_line_thread_names(struct lode_thread_names *names, const char *line, size_t len)
{
	size_t n = strcspn(line, "\t ");
	int32_t tid;

	if (n + 1 >= len || !lode_int32_parse(&tid, line, n))
		return false;
	*lode_map_slot(&names->by_tid, (uint32_t)tid) =
		lode_strings_intern(&names->strings, line + n + 1, len - n - 1);
	return true;
}

int lode_thread_names_open(struct lode_thread_names *names, const char *path,
			   struct lode_call_sink *inner, struct lode_error *err)
{
	struct lode_input *input;
	struct lode_lines lines;
	char *line;
	size_t len;
	int rc;

	*names = (struct lode_thread_names){
		.sink = {.about = on_about,
			 .thread = on_thread,
			 .function = on_function,
			 .events = on_events,
			 .losses = inner->losses},
		.inner = inner,
	};
	names->sink.context = names;
	rc = lode_input_open(&input, path, err);
	if (rc < 0)
		return rc;
	lode_lines_init(&lines, input);
	while ((rc = lode_lines_next(&lines, &line, &len, err)) > 0) {
		if (len == 0 || *line == '#' || take_line_thread_names(names, line, len) ||
		    lines.number == 1)
			continue; /* the first may be a heading */
		rc = lode_fail_line(err, LODE_ERR_FORMAT, path, lines.number,
				    "expected \"tid <tab> name\"");
		break;
	}
	lode_lines_release(&lines);
	lode_input_close(input);
	return rc;
}

void lode_thread_names_release(struct lode_thread_names *names)
{
	lode_strings_release(&names->strings);
	lode_map_release(&names->by_tid);
}
