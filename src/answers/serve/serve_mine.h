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

#include <stdio.h>

#include "base/error.h"
#include "tool/aoi_options.h"
#include "tool/command.h"
#include "tool/input_options.h"
#include "tool/mining_options.h"
#include "document/html.h"
#include "serve/site.h"

struct lode_serve_mine;

/* All borrowed, for as long as it is served. */
struct lode_serve_mine_options {
	const struct lode_input_options *input;
	const struct lode_aoi_values *aoi;	 /* settled */
	const struct lode_mining_values *mining; /* settled */
	const char *symptom;			 /* in place of aoi's; NULL: as that says */
	const char *repo, *where;		 /* NULL: of the inputs; all streams */
	bool is_anew; /* something else was shown before, which pages may still ask about */
	char *const *inputs;
	size_t n_inputs;
};

/*
 * Reads and mines; says what was skipped, and what is wrong. Gives an exit code as lode mine does;
 * `*out` is there with LODE_EXIT_OK and LODE_EXIT_INCOMPLETE. A repository is only read: its last
 * run stays what it is.
 */
int lode_serve_mine_open(struct lode_serve_mine **out, const struct lode_command *self,
			 const struct lode_serve_mine_options *options);
void lode_serve_mine_close(struct lode_serve_mine *mine); /* NULL does nothing */

/* "lode/mine/1" as it is served: the list of clusters. */
struct lode_html_report lode_serve_mine_report(const struct lode_serve_mine *mine);

/* Adds what can be asked of it, and changed, to a report of the site. */
void lode_serve_mine_add(struct lode_serve_mine *mine, struct lode_site *site, const char *report);
