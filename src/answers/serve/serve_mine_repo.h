/*
 * A repository that is served: its site, and another one whenever others have changed its streams.
 * It is mined in processes of their own (serve/maker.h), which then answer what is asked of the
 * report: the server goes on, and shows what it has, whatever becomes of them.
 * A first mining that takes longer than a second is waited for by who asks: until then the report
 * is pending, and says how far it is.
 *
 *   mine --(a second is over)--> a pending site --(mined)--> the server shows what came of it
 *
 *   look, once a second --(changed)--> mine again, beside the answering --> the server shows that
 *
 * Who asks meanwhile gets what was there. What is mined again takes as long as it took at the
 * start, and until it is shown there are two such processes; afterwards it rests, so that imports
 * that go on for hours cost a part of the machine. Signatures need none of this: they are read when
 * they are asked for.
 */
#pragma once

#include "answers/serve/serve_mine.h"
#include "serve/server.h"
#include "tool/command.h"

struct lode_serve_repo;

/*
 * `request`: of an answer to be served; what it points to is borrowed. Reads and mines; says what
 * was skipped, and what is wrong. Gives an exit code as lode mine does; `*out` is there with
 * LODE_EXIT_OK and LODE_EXIT_INCOMPLETE. It starts a thread: signals must be blocked. Mining that
 * fails later ends the process with SIGTERM. The repository is only read: its last run stays what
 * it is.
 */
int lode_serve_repo_open(struct lode_serve_repo **out, const struct lode_command *self,
			 const struct lode_mine_request *request,
			 const struct lode_source_dirs *dirs);

/* Of one report, "mine"; the caller holds it as well. */
struct lode_site *lode_serve_repo_site(struct lode_serve_repo *repo);

/* The site says how far mining is. */
bool lode_serve_repo_is_mining(struct lode_serve_repo *repo);

/* Looks after the repository from now on, and has the server show what became of it. */
void lode_serve_repo_follow(struct lode_serve_repo *repo, struct lode_server *server);

/* Shows nothing more; false: it is still at work, and `repo` and its request must stay. NULL: true.
 */
bool lode_serve_repo_stop(struct lode_serve_repo *repo);
/* Of the process: why a first mining failed that took long. NULL: it did not. */
int lode_serve_repo_code(struct lode_serve_repo *repo);
void lode_serve_repo_close(struct lode_serve_repo *repo); /* NULL does nothing */
