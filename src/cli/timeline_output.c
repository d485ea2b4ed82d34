#include "cli/timeline_output.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/messages.h"
#include "cli/progress.h"
#include "job/timeline_views.h"
#include "job/timeline_window.h"
#include "reports/html.h"
#include "reports/timeline_page.h"

/* As many as a wide screen has pixels for. */
enum { SINGLE_CALLS = 1500 };

static int make_views(struct lode_timeline_views *views, const struct lode_timeline_report *report,
		      bool is_whole_only, struct lode_error *err)
{
	const struct lode_timeline_views_options options = {
		.regtime = report->options,
		.whole_budget = LODE_VIEWS_WHOLE_BUDGET,
		.meanwhile_bytes = is_whole_only ? 0 : LODE_VIEWS_MEANWHILE_BYTES,
		.page_bytes = is_whole_only ? 0 : LODE_VIEWS_PAGE_BYTES,
	};

	return lode_timeline_views_make(views, report->job, &options, err);
}

int lode_timeline_put_page(const struct lode_command *self,
			   const struct lode_timeline_report *report)
{
	struct lode_timeline_views views;
	struct lode_error err;

	if (make_views(&views, report, false, &err) < 0)
		return lode_say_error(self, &err);
	lode_timeline_page_json(stdout, report, &views);
	putchar('\n');
	lode_timeline_views_release(&views);
	return LODE_EXIT_OK;
}

/* The page's own document, what everybody did meanwhile, then windows. */
enum { PART_PAGE, PART_MEANWHILES, PART_WINDOWS };

static void write_part(struct lode_html_part *part, const struct lode_timeline_report *report,
		       const struct lode_timeline_views *views, size_t number)
{
	char *json = NULL, name[40];
	FILE *out = open_memstream(&json, &part->json_bytes);

	if (!out)
		lode_oom(1);
	switch (number) {
	case PART_PAGE:
		snprintf(name, sizeof(name), "timeline");
		part->schema = "lode/timeline-page/1";
		lode_timeline_page_json(out, report, views);
		break;
	case PART_MEANWHILES:
		snprintf(name, sizeof(name), "timeline-part-meanwhile");
		part->schema = "lode/timeline-meanwhiles/1";
		lode_timeline_meanwhiles_json(out, report, views);
		break;
	default:
		number -= PART_WINDOWS;
		snprintf(name, sizeof(name), "timeline-part-%zu", number);
		part->schema = "lode/timeline-windows/1";
		lode_timeline_part_json(out, report, views, number);
	}
	if (fclose(out) != 0)
		lode_oom(part->json_bytes);
	part->name = lode_strdup(name);
	part->title = "";
	part->json = json;
}

static int write_page(const struct lode_timeline_report *report, const char *path,
		      const char *input, bool is_whole_only, struct lode_error *err)
{
	struct lode_timeline_views views;
	struct lode_html_part *parts;
	size_t n;
	int rc = make_views(&views, report, is_whole_only, err);

	if (rc < 0)
		return rc;
	n = is_whole_only ? PART_MEANWHILES : PART_WINDOWS + lode_timeline_page_parts(&views);
	parts = lode_alloc0(n, sizeof(*parts));
	for (size_t i = 0; i < n; i++)
		write_part(&parts[i], report, &views, i);
	parts[0].title = input;
	rc = lode_html_write(path, parts, n, err);
	for (size_t i = 0; i < n; i++) {
		free((char *)parts[i].name);
		free((char *)parts[i].json);
	}
	free(parts);
	lode_timeline_views_release(&views);
	return rc;
}

int lode_timeline_put_html(const struct lode_command *self,
			   const struct lode_timeline_report *report, const char *path,
			   const char *input, bool is_whole_only)
{
	struct lode_stopwatch watch;
	struct lode_error err;
	int rc;

	lode_stopwatch_start(&watch, "making the page");
	rc = write_page(report, path, input, is_whole_only, &err);
	lode_stopwatch_end(&watch);
	return rc < 0 ? lode_say_error(self, &err) : LODE_EXIT_OK;
}

int lode_timeline_put_window(const struct lode_command *self, struct lode_timeline_job *job,
			     const struct lode_regtime_options *options,
			     const struct lode_call_thread *only)
{
	const struct lode_timeline_window_query query = {
		.t0_ns = options->t0_ns,
		.t1_ns = options->t1_ns,
		.single_calls = SINGLE_CALLS,
		.only = only,
		.n_threads = job->n_threads,
	};
	struct lode_regtime *window;
	struct lode_error err;

	if (lode_timeline_window(&window, job->trace, options, &query, &err) < 0)
		return lode_say_error(self, &err);
	lode_timeline_window_json(stdout, window, query.t0_ns, query.t1_ns);
	putchar('\n');
	lode_regtime_free(window);
	return LODE_EXIT_OK;
}
