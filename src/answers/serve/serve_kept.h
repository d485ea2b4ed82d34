/*
 * The last report of a repository that was served, kept in the user's cache folder: who serves an
 * unchanged repository again shows it at once.
 *
 *   $XDG_CACHE_HOME/lode, or ~/.cache/lode
 *     served-00 ... served-63     what it is of (program, repository, options, state), then the
 *                                 report's JSON
 *
 * A report belongs to one build of lode, one repository and one set of options, by whose hash its
 * file is called: of two with the same, the later one stays. Nothing breaks when the folder is
 * removed, damaged or cannot be written.
 */
#pragma once

#include <stddef.h>

#include "store/repo_watch.h"

struct lode_kept_report {
	/* What was mined is what is there now, byte for byte; else another state of it was. */
	bool is_current;
	int64_t mined_ns; /* since the epoch */
	int64_t took_ms;  /* to mine it */
	int code;	  /* exit code that it gave */
	char *json;
	size_t json_bytes;
};

/* `asked`: the options that the report depends on, as text; `watch` has looked. False: there is
   none. */
bool lode_kept_report_read(struct lode_kept_report *out, const struct lode_repo_watch *watch,
			   const char *asked);
void lode_kept_report_release(struct lode_kept_report *report);

/* Keeps it, unless the repository has changed since `watch` looked: then it is unknown which state
   it is of. That it could not is no failure. */
void lode_kept_report_write(const struct lode_kept_report *report,
			    const struct lode_repo_watch *watch, const char *asked);
