/*
 * --speedscope, --pprof and --chrome-trace: files for other tools, in place of text
 * (docs/exports.md). Each may be given beside the others; a command takes those that it has
 * something for.
 */
#pragma once

#include "tool/command.h"
#include "tool/option_values.h"
#include "document/export/export_file.h"
#include "document/export/export_stacks.h"

struct lode_export_values {
	const char *speedscope, *pprof, *chrome_trace;
};

#define LODE_EXPORTED(of_kind) .file = LODE_FILE_WRITTEN, .kind = (of_kind), .may_be_stdout = true

/* In a table of options; `at` is the offset of a struct lode_export_values. */
#define LODE_PPROF_EXPORT_OPTION(at, what)                                   \
	LODE_OPTION("pprof", "FILE", lode_set_text,                          \
		    (at) + offsetof(struct lode_export_values, pprof), what, \
		    LODE_EXPORTED(LODE_KIND_PPROF))
#define LODE_STACK_EXPORT_OPTIONS(at)                                                          \
	LODE_OPTION("speedscope", "FILE", lode_set_text,                                       \
		    (at) + offsetof(struct lode_export_values, speedscope),                    \
		    "write stacks for speedscope.app instead of text; '-' is standard output " \
		    "(docs/exports.md)",                                                       \
		    LODE_EXPORTED(LODE_KIND_SPEEDSCOPE)),                                      \
		LODE_PPROF_EXPORT_OPTION(                                                      \
			at, "write stacks for pprof ('go tool pprof FILE') instead of text")
#define LODE_TRACE_EXPORT_OPTION(at, what)                                          \
	LODE_OPTION("chrome-trace", "FILE", lode_set_text,                          \
		    (at) + offsetof(struct lode_export_values, chrome_trace), what, \
		    LODE_EXPORTED(LODE_KIND_CHROME_TRACE))

static inline bool lode_export_is_asked(const struct lode_export_values *values)
{
	return values->speedscope || values->pprof || values->chrome_trace;
}

/*
 * 0, or LODE_EXIT_USAGE when that was said: bytes for a terminal, or that
 * `others` (further forms of output, such as "--json") were given as well: `has_others`.
 */
int lode_export_check(const struct lode_command *self, const struct lode_export_values *values,
		      bool has_others, const char *others);

/* Writes the stacks in the forms that were asked for. Gives an exit code. */
int lode_export_put_stacks(const struct lode_command *self, const struct lode_export_values *values,
			   const struct lode_export_stacks *stacks);
/* Writes one file, by `put`. */
int lode_export_put_file(const struct lode_command *self, const char *path, lode_export_put *put,
			 const void *what);
