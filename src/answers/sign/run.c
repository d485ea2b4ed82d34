/* From a request to an answer: opens the store, lists signatures or changes them. */
#include <ctype.h>

#include "answers/sign/sign.h"
#include "answers/sign/signature_store.h"
#include "document/findings.h"
#include "document/units.h"

/* ---- What is said first ---- */

static const char *listed_words(const struct lode_sign_answer *answer, struct lode_arena *arena)
{
	size_t n_retired = 0;
	char n[LODE_UNITS_BUFFER], retired[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < answer->n_signatures; i++)
		n_retired += answer->signatures[i].is_retired;
	if (!answer->n_signatures)
		return lode_finding_text(arena, "No signatures in %s", answer->path);
	return lode_finding_text(arena, "%s in %s%s%s",
				 lode_format_plural(n, answer->n_signatures, "signature"),
				 answer->path, n_retired ? ", retired: " : "",
				 n_retired ? lode_format_count(retired, n_retired) : "");
}

/* "Signed NAME: 2 patterns, cluster 1 of 90 samples in total" */
static const char *signed_words(const struct lode_sign_answer *answer, struct lode_arena *arena)
{
	const struct lode_cluster_choice *cluster = answer->cluster;
	char text[LODE_UNITS_BUFFER];
	const char *words =
		lode_finding_text(arena, "%c%s %s: %s", toupper(*answer->action),
				  answer->action + 1, answer->name,
				  lode_format_plural(text, answer->n_patterns, "pattern"));

	if (cluster)
		words = lode_finding_text(arena, "%s, cluster %u", words, cluster->rank);
	if (cluster && cluster->unit)
		words = lode_finding_text(arena, "%s of %s in total", words,
					  lode_format_cost_long(text, cluster->total_ns,
								cluster->unit));
	return words;
}

static const char *words_of(const struct lode_sign_answer *answer, struct lode_arena *arena)
{
	const struct lode_signature_merge *merge = &answer->merge;
	const struct lode_signature *shown =
		answer->act == LODE_SIGNATURE_SHOW ? answer->signatures : NULL;
	char n[LODE_UNITS_BUFFER];

	if (shown)
		return lode_finding_text(arena, "%s, %s: %s", answer->name,
					 shown->is_retired ? "retired" : "active",
					 lode_format_plural(n, shown->n_patterns, "pattern"));
	switch (answer->act) {
	case LODE_SIGNATURE_LIST:
		return listed_words(answer, arena);
	case LODE_SIGNATURE_SIGN:
		return signed_words(answer, arena);
	case LODE_SIGNATURE_EXPORT:
		return lode_finding_text(arena, "Exported %s to %s",
					 lode_format_plural(n, answer->n_signatures, "signature"),
					 answer->other);
	case LODE_SIGNATURE_IMPORT:
		return lode_finding_text(arena, "Imported: %zu new, %zu changed, %zu unchanged",
					 merge->n_new, merge->n_changed, merge->n_same);
	default:
		return lode_finding_text(arena, "%c%s %s", toupper(*answer->action),
					 answer->action + 1, answer->name);
	}
}

static struct lode_opening opening_of_sign(const struct lode_sign_answer *answer,
					   struct lode_arena *arena)
{
	bool is_measured = answer->is_of_repo && answer->all->list.n;

	return (struct lode_opening){
		.finding = lode_finding_text(arena, "%s.", words_of(answer, arena)),
		.next_command =
			is_measured ? lode_next_of_repo(arena, "coverage", answer->path) : NULL,
	};
}

/* ---- The answer ---- */

struct lode_sign_state {
	struct lode_sign_answer answer; /* what the caller holds */
	/* What other files contain, read before the store is locked. */
	struct lode_cluster_choice choice; /* of `from`; then of the repository */
	struct lode_signatures imported;
	struct lode_repo *repo;
	struct lode_signature_store store;
	struct lode_arena arena;
};

static const struct sign_act {
	const char *done;
	bool is_reading; /* changes nothing */
	bool makes;	 /* the file need not be there */
} acts[LODE_N_SIGNATURE_ACTS] = {
	[LODE_SIGNATURE_SIGN] = {"signed", false, true},
	[LODE_SIGNATURE_EDIT] = {"changed", false, false},
	[LODE_SIGNATURE_RETIRE] = {"retired", false, false},
	[LODE_SIGNATURE_ACTIVATE] = {"activated", false, false},
	[LODE_SIGNATURE_DELETE] = {"deleted", false, false},
	[LODE_SIGNATURE_LIST] = {"listed", true, false},
	[LODE_SIGNATURE_SHOW] = {"listed", true, false},
	[LODE_SIGNATURE_EXPORT] = {"exported", true, false},
	[LODE_SIGNATURE_IMPORT] = {"imported", false, true},
};

/* Other files are read first: who holds a repository must not wait for standard input. */
static int read_other_files(struct lode_sign_state *s, const struct lode_sign_request *request,
			    struct lode_error *err)
{
	const char *cluster = request->change.cluster;

	if (request->change.act == LODE_SIGNATURE_IMPORT)
		return lode_signatures_read(&s->imported, request->other, err);
	return cluster && request->from
		       ? lode_cluster_choice_of_json(&s->choice, request->from, cluster, err)
		       : 0;
}

static int open_store(struct lode_sign_state *s, const struct lode_sign_request *request,
		      struct lode_error *err)
{
	const struct sign_act *act = &acts[request->change.act];
	const char *path = s->answer.path;
	int rc = 0;

	if (request->repo)
		rc = lode_repo_open(&s->repo, path,
				    act->is_reading ? LODE_REPO_READ : LODE_REPO_WRITE, err);
	if (rc < 0)
		return rc;
	return act->is_reading
		       ? lode_signature_store_open(&s->store, s->repo, path, act->makes, err)
		       : lode_signature_store_begin(&s->store, s->repo, path, act->makes, err);
}

static int change_signature(struct lode_sign_state *s, const struct lode_sign_request *request,
			    struct lode_error *err)
{
	struct lode_signature_request change = request->change;
	int rc = 0;

	if (change.cluster && !request->from)
		rc = lode_cluster_choice_of_run(&s->choice, s->repo, change.cluster, err);
	if (rc < 0)
		return rc;
	if (change.cluster)
		s->answer.cluster = change.edit.words.cluster = &s->choice;
	s->answer.n_patterns = s->choice.n_patterns + change.edit.words.n_patterns;
	return lode_signature_request_apply(&s->store.signatures, &change, request->now_s, err);
}

static int do_sign_act(struct lode_sign_state *s, const struct lode_sign_request *request,
		       struct lode_error *err)
{
	struct lode_signatures *list = &s->store.signatures;
	struct lode_signature_store to = {.signatures = *list, .path = request->other};

	switch (request->change.act) {
	case LODE_SIGNATURE_LIST:
		return 0;
	case LODE_SIGNATURE_SHOW:
		return lode_signature_named(list, request->change.name, err) ? 0 : LODE_ERR_ARG;
	case LODE_SIGNATURE_EXPORT:
		s->answer.is_bare = strcmp(request->other, "-") == 0;
		return s->answer.is_bare ? 0 : lode_signature_store_save(&to, err);
	case LODE_SIGNATURE_IMPORT:
		return lode_signature_merge(&s->answer.merge, list, &s->imported, request->now_s,
					    err);
	default:
		return change_signature(s, request, err);
	}
}

static void list_signatures(struct lode_sign_state *s)
{
	const struct lode_signatures *all = &s->store.signatures;
	struct lode_sign_answer *answer = &s->answer;

	answer->all = all;
	answer->signatures = answer->name ? lode_signatures_find(all, answer->name) : all->list.at;
	answer->n_signatures = answer->name ? answer->signatures != NULL : all->list.n;
	answer->opening = opening_of_sign(answer, &s->arena);
}

int lode_sign_run(struct lode_sign_answer **out, const struct lode_sign_request *request,
		  struct lode_error *err)
{
	struct lode_sign_state *s = lode_alloc0(1, sizeof(*s));
	const struct lode_signature_request *change = &request->change;
	int rc;

	s->answer = (struct lode_sign_answer){
		.act = change->act,
		.action = acts[change->act].done,
		.path = request->repo ? request->repo : request->signatures,
		.is_of_repo = request->repo != NULL,
		.name = change->edit.rename ? change->edit.rename : change->name,
		.other = request->other,
		.state = s,
	};
	*out = &s->answer;
	rc = read_other_files(s, request, err);
	if (rc == 0)
		rc = open_store(s, request, err);
	if (rc == 0)
		rc = do_sign_act(s, request, err);
	if (rc == 0 && !acts[change->act].is_reading)
		rc = lode_signature_store_save(&s->store, err);
	if (rc == 0)
		list_signatures(s);
	return rc;
}

void lode_sign_free(struct lode_sign_answer *answer)
{
	struct lode_sign_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	lode_signature_store_release(&s->store);
	lode_repo_close(s->repo);
	lode_cluster_choice_release(&s->choice);
	lode_signatures_release(&s->imported);
	lode_arena_release(&s->arena);
	free(s);
}
