/* Reports as pages. */
#include "tool/output_options.h"

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
