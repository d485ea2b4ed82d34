/*
 * A mine report that is served: mined in this program, whose model then answers what pages ask of
 * it (docs/serve.md). Of a repository, its signatures are read and changed as well.
 *
 *   recordings ---------+--> digest --> clusters --> report, cluster, streams, symptoms, trend
 *   repository, query --+      |                            | path: the recording once more
 *        |                     +--> signatures' costs       v
 *        +-- signatures -------+        sign, edit, retire, activate, delete
 */
#pragma once

#include "answers/mine/mine.h"
#include "answers/mine/source.h"
#include "serve/site.h"

struct lode_serve_mine;

/*
 * `answer` was made for being served, and is borrowed, as all else is; `reading`: how its
 * recordings are read once more. `repo`: whose signatures may be changed; NULL: of files.
 * `dirs`: folders of source, whose text needs the token.
 * `is_anew`: something else was shown before, which pages may still ask about.
 */
struct lode_serve_mine *lode_serve_mine_new(struct lode_mine_answer *answer,
					    const struct lode_digest_job_options *reading,
					    const struct lode_source_dirs *dirs, const char *repo,
					    bool is_anew);
/* What can be asked of one that another process has (serve/maker.h): its answers are not here. */
struct lode_serve_mine *lode_serve_mine_outline(const struct lode_source_dirs *dirs,
						const char *repo);
void lode_serve_mine_close(struct lode_serve_mine *mine); /* NULL does nothing */

/* Adds what can be asked of it, and changed, to a report of the site. */
void lode_serve_mine_add(struct lode_serve_mine *mine, struct lode_site *site, const char *report);
