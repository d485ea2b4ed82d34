#include "cli/html_option.h"

#include <string.h>

#include "cli/messages.h"
#include "cli/progress.h"
#include "reports/html.h"

const char *lode_html_misuse(const char *html, bool wants_json, bool wants_detail)
{
	if (html && wants_json)
		return "--html stands alone, without --json";
	if (wants_detail && !wants_json)
		return "--detail goes with --json";
	return NULL;
}

int lode_html_check(const struct lode_command *self)
{
	if (!lode_html_missing())
		return LODE_EXIT_OK;
	lode_say(self,
		 "this lode was built without its pages: %s. Building it again with Node 18 or "
		 "later and npm at hand adds them (docs/pages.md)",
		 lode_html_missing());
	return LODE_EXIT_FAILURE;
}

int lode_html_put(const struct lode_command *self, const char *path, const char *schema,
		  char *const *inputs, size_t n_inputs, void (*put)(FILE *out, const void *report),
		  const void *report)
{
	struct lode_stopwatch watch;
	struct lode_error err;
	char name[32];
	int rc;

	/* "lode/pio/1": pio */
	snprintf(name, sizeof(name), "%s", strchr(schema, '/') + 1);
	*strchrnul(name, '/') = '\0';
	lode_stopwatch_start(&watch, "making the page");
	rc = lode_html_write_report(path, name, schema, inputs, n_inputs, put, report, &err);
	lode_stopwatch_end(&watch);
	return rc < 0 ? lode_say_error(self, &err) : LODE_EXIT_OK;
}
