/*
 * A served mine report, for the files that answer for it. Inside of answers/serve/serve_mine*.c.
 */
#pragma once

#include "engine/signatures/signature_cover.h"
#include "engine/signatures/signature_match.h"
#include "answers/mine/served.h"
#include "answers/serve/serve_mine.h"
#include "answers/sign/signature_request.h"
#include "streams/stream_set.h"

struct lode_serve_change {
	struct lode_serve_mine *mine;
	enum lode_signature_act act;
};

struct lode_serve_mine {
	const char *repo; /* NULL: of files */
	bool is_anew;
	struct lode_source_dirs dirs;
	struct lode_digest_job_options read; /* how recordings are read once more */
	struct lode_mine_answer *answer;
	const struct lode_mined *mined; /* of the answer */
	struct lode_drill drill;
	lode_stream_keys keys;
	struct lode_rows_of_nodes rows; /* of a repository */
	struct lode_serve_change changes[LODE_N_SIGNATURE_CHANGES];
};

/* The cluster that a parameter names. Gives LODE_OK, LODE_ERR_ARG or LODE_SITE_ABSENT. */
int lode_serve_find_cluster(const struct lode_cluster **out, const struct lode_serve_mine *mine,
			    const struct lode_site_query *query, const char *parameter,
			    struct lode_error *err);

/* The report's repository, for the process of one question. LODE_SITE_PENDING: the process was
   started while the server was reading the repository itself, and cannot. */
int lode_serve_open_repo(struct lode_repo **out, const struct lode_serve_mine *mine,
			 enum lode_repo_mode mode, struct lode_error *err);

/* Questions about signatures, and changes; trend as well, which may be a signature's. */
void lode_serve_signatures_add(struct lode_serve_mine *mine, struct lode_site *site,
			       const char *report);
/* Of a repository: its streams of one value of a label against those of another. */
void lode_serve_compare_add(struct lode_serve_mine *mine, struct lode_site *site,
			    const char *report);
