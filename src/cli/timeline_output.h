/*
 * What `lode timeline` writes for the page that draws timelines.
 */
#ifndef LODE_TIMELINE_OUTPUT_H
#define LODE_TIMELINE_OUTPUT_H

#include "cli/command.h"
#include "reports/timeline_report.h"

/* --json --page: the page's document on standard output. Exit code. */
int lode_timeline_put_page(const struct lode_command *self,
			   const struct lode_timeline_report *report);

/* --html: the page's document and, unless --whole-only, its windows and what everybody did
   meanwhile, as one file. */
int lode_timeline_put_html(const struct lode_command *self,
			   const struct lode_timeline_report *report, const char *path,
			   const char *input, bool is_whole_only);

/* --json --page --window: one window. */
int lode_timeline_put_window(const struct lode_command *self, struct lode_timeline_job *job,
			     const struct lode_regtime_options *options,
			     const struct lode_call_thread *only);

#endif
