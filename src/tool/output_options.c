/* Reports as pages, and files for other tools. */
#include "tool/output_options.h"

#include <unistd.h>

#include "tool/messages.h"
#include "tool/progress.h"

int lode_html_options_check(const struct lode_command *self, const char *html, bool wants_json,
			    bool wants_detail)
{
	if (html && wants_json)
		return lode_command_misused(self, "--html cannot be combined with --json");
	if (wants_detail && !wants_json)
		return lode_command_misused(self, "--detail requires --json");
	return LODE_EXIT_OK;
}

int lode_html_check(const struct lode_command *self)
{
	if (!lode_html_missing())
		return LODE_EXIT_OK;
	lode_say(self,
		 "this lode was built without HTML pages: %s. Rebuild it with Node 18 or later and "
		 "npm (docs/pages.md)",
		 lode_html_missing());
	return LODE_EXIT_FAILURE;
}

int lode_html_put(const struct lode_command *self, const char *path,
		  const struct lode_document *document, const void *answer, char *const *inputs,
		  size_t n_inputs)
{
	struct lode_html_part part;
	struct lode_stopwatch watch;
	struct lode_error err;
	int rc;

	lode_html_part_make(&part, document, answer, inputs, n_inputs);
	lode_stopwatch_start(&watch, "writing the page");
	rc = lode_html_write(path, &part, 1, &err);
	lode_stopwatch_end(&watch);
	lode_html_part_release(&part);
	return rc < 0 ? lode_say_error(self, &err) : LODE_EXIT_OK;
}

/* ---- Files for other tools ---- */

int lode_export_check(const struct lode_command *self, const struct lode_export_values *values,
		      bool has_others, const char *others)
{
	if (!lode_export_is_asked(values))
		return 0;
	if (has_others)
		return lode_command_misused(self, "--%s cannot be combined with %s",
					    values->speedscope ? "speedscope"
					    : values->pprof    ? "pprof"
							       : "chrome-trace",
					    others);
	if (values->pprof && strcmp(values->pprof, "-") == 0 && isatty(STDOUT_FILENO))
		return lode_command_misused(
			self, "--pprof - writes binary data: redirect it to a file or pipe");
	return 0;
}

int lode_export_put_file(const struct lode_command *self, const char *path, lode_export_put *put,
			 const void *what)
{
	struct lode_error err;

	if (path && lode_export_write(path, put, what, &err) < 0)
		return lode_say_error(self, &err);
	return LODE_EXIT_OK;
}

int lode_export_put_stacks(const struct lode_command *self, const struct lode_export_values *values,
			   const struct lode_export_stacks *stacks)
{
	int code = lode_export_put_file(self, values->speedscope, lode_export_speedscope, stacks);

	if (code == LODE_EXIT_OK)
		code = lode_export_put_file(self, values->pprof, lode_export_pprof, stacks);
	return code;
}
