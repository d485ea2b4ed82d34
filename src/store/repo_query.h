/*
 * Which streams of a repository: the language of --where.
 *
 *   release=2.1 and host~web*             (comm=git or comm=make) and not kernel~6.*
 *   time>=2026-11-01 and time<2026-12     age<7d and release>=2.9
 *
 * A comparison is FIELD OP VALUE with = != ~ !~ < <= > >=; `~` compares with a glob (base/glob.h).
 * `not` binds tighter than `and`, that tighter than `or`. Values with blanks, parentheses or
 * operators in them stand in quotes, "..." or '...'.
 *
 *   id            beginning of the stream's id                           = != ~ !~
 *   host, kernel, path                                                   all
 *   comm          of any of its symptoms (also: command)                 = != ~ !~
 *   time          start of the recording, UTC: 2026, 2026-11, 2026-11-01, 2026-11-01T12:30[:15];
 *                 stands for all of that year, month, day ...            all but ~ !~
 *   age           before now: 90m, 12h, 7d, 2w                           < <= > >=
 *   symptoms, symptom_time, length   count; durations                    all but ~ !~
 *   anything else: a label. < and its like compare numbers inside as numbers: 2.9 < 2.10
 *
 * A stream without that label (or symptom) meets no comparison with it but != and !~, which are
 * true exactly where = and ~ are not.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

struct lode_repo_query;

/*
 * `now_ns`: what ages count from, since the epoch. A mistake gives LODE_ERR_ARG with three lines:
 * what is wrong, the text, and a caret below the place.
 */
int lode_repo_query_parse(struct lode_repo_query **out, const char *text, int64_t now_ns,
			  struct lode_error *err);
void lode_repo_query_free(struct lode_repo_query *query);

/* A duration of base/duration.h with its unit, or days or weeks: 90m, 7d, 2w. False: it is none. */
bool lode_repo_query_age(int64_t *out_ns, const char *text);

/* Is `key` a field of the language, and so no name for a label? */
int lode_repo_query_is_field(const char *key, size_t len);
