/*
 * lode repo: what is in a repository, and its care.
 *
 *	request --> the repository, read or changed --> answer --> text, JSON
 *
 * What a repository is: store/repo.h; what is done to it: store/repo_care.h.
 */
#pragma once

#include "document/fields.h"
#include "document/findings.h"
#include "document/text_page.h"
#include "store/repo_care.h"

enum lode_repo_word {
	LODE_REPO_LIST,
	LODE_REPO_SHOW,
	LODE_REPO_LABELS,
	LODE_REPO_LABEL,
	LODE_REPO_FORGET,
	LODE_REPO_PRUNE,
	LODE_REPO_CHECK,
	LODE_REPO_COMPACT,
	LODE_N_REPO_WORDS
};

struct lode_repo_request {
	enum lode_repo_word word;
	const char *repo; /* its file */
	/* Streams whose ids begin so (16 hex digits at most), else those that a query picks; with
	   neither, all are listed, and the repository itself is shown. */
	char *const *ids;
	size_t n_ids;
	const char *where;
	int64_t now_ns;			      /* that ages in it count from, since the epoch */
	size_t top;			      /* longest list; 0: no bound */
	const struct lode_repo_label *labels; /* to set; a value NULL: to remove */
	size_t n_labels;
	bool may_forget;		/* else it is only said what would be forgotten */
	struct lode_repo_limits limits; /* prune: what may stay */
	bool rebuild;			/* compact: rebuilds all segments */
};

/* What the word asked for; the rest is 0. */
struct lode_repo_answer {
	enum lode_repo_word word;
	struct lode_opening opening;
	const char *path;	    /* of the repository */
	struct lode_repo_sums sums; /* of all streams; of a compaction: after it */
	int64_t was_bytes;	    /* size of the file before a compaction */
	const char **shape;	    /* options that its digests were made with */
	size_t n_shape;

	bool is_of_streams;	  /* they were asked for, and looked for */
	bool is_of_all;		  /* neither by ids nor by a query */
	const char *where;	  /* NULL: they were not picked by a query */
	size_t n_picked;	  /* by query or ids */
	uint64_t picked_symptoms; /* of these */
	int64_t picked_symptom_ns;
	const struct lode_repo_stream *streams; /* the newest of these, by time */
	size_t n_streams, n_more;
	bool has_file_times; /* times of some are those of their files */
	bool is_forgotten;
	/* Of prune: what went, or would go; the streams are these. */
	const struct lode_repo_pruned *pruned;
	int64_t max_bytes;

	struct lode_repo_label_counts labels;
	struct lode_repo_check check;
	int64_t n_more_faults; /* than it lists */
	bool is_sound;

	struct lode_repo_answer_state *state; /* what all of this points into */
};

/*
 * `*out` is the caller's to free, also on failure. Fails as lode_repo_open and the functions of
 * store/repo.h do; LODE_ERR_ARG: a wrong query. That no stream is picked is no failure.
 */
int lode_repo_run(struct lode_repo_answer **out, const struct lode_repo_request *request,
		  struct lode_error *err);
void lode_repo_answer_free(struct lode_repo_answer *answer);

/* "lode/repo/1" of list and show, "lode/repo-labels/1", "lode/repo-prune/1", "lode/repo-check/1":
   docs/repo.md. */
extern const struct lode_document lode_repo_document, lode_repo_labels_document,
	lode_repo_prune_document, lode_repo_check_document;

struct lode_opening lode_repo_opening(const struct lode_repo_answer *answer,
				      struct lode_arena *arena);
void lode_repo_text(FILE *out, const struct lode_repo_answer *answer,
		    const struct lode_text_page *page);
