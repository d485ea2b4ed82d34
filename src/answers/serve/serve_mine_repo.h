/*
 * A repository that is served: its site, and another one whenever others have changed its streams.
 *
 *   look, once a second --(changed)--> mine anew, beside the answering --> the server shows that
 *
 * Who asks meanwhile gets what was there. What is mined anew takes as long as it took at the start,
 * and until it is shown there are two models in memory; afterwards it rests, so that imports that
 * go on for hours cost a part of the machine. Signatures need none of this: they are read when they
 * are asked for.
 */
#pragma once

#include <stdbool.h>

#include "answers/serve/serve_mine.h"
#include "serve/server.h"

struct lode_serve_repo;

/* As lode_serve_mine_open, with options->repo; the site is there with the same codes. */
int lode_serve_repo_open(struct lode_serve_repo **out, const struct lode_command *self,
			 const struct lode_serve_mine_options *options);

/* Of one report, "mine"; the caller holds it as well. */
struct lode_site *lode_serve_repo_site(struct lode_serve_repo *repo);

/* Looks after the repository from now on, and has the server show what became of it. */
void lode_serve_repo_follow(struct lode_serve_repo *repo, struct lode_server *server);

/* Shows nothing more; false: it is still mining, and `repo` and its options must stay. NULL: true.
 */
bool lode_serve_repo_stop(struct lode_serve_repo *repo);
void lode_serve_repo_close(struct lode_serve_repo *repo); /* NULL does nothing */
