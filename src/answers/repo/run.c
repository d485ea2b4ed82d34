/* From a request to an answer: opens the repository, finds streams, does what is asked. */
#include "answers/repo/repo.h"
#include "base/lines.h"
#include "store/repo_query.h"

struct lode_repo_answer_state {
	struct lode_repo_answer answer; /* what the caller holds */
	struct lode_repo *repo;
	struct lode_repo_streams streams; /* all that were picked */
	struct lode_repo_pruned pruned;
	struct lode_arena arena;
};

/* "id=3f2a or id=77c0" */
static const char *query_of_ids(char *const *ids, size_t n, struct lode_arena *arena)
{
	enum { EACH = sizeof(" or id=0123456789abcdef") };
	char *text = lode_arena_alloc(arena, n * EACH, 1), *end = text;

	for (size_t i = 0; i < n; i++)
		end += snprintf(end, EACH, "%sid=%.16s", i ? " or " : "", ids[i]);
	return text;
}

static int pick_streams(struct lode_repo_answer_state *s, const struct lode_repo_request *request,
			struct lode_error *err)
{
	const char *text = request->n_ids ? query_of_ids(request->ids, request->n_ids, &s->arena)
					  : request->where;
	struct lode_repo_query *query = NULL;
	int rc = text ? lode_repo_query_parse(&query, text, request->now_ns, err) : 0;

	if (rc == 0)
		rc = lode_repo_find(&s->streams, s->repo, query, err);
	lode_repo_query_free(query);
	s->answer.is_of_streams = true;
	s->answer.is_of_all = !text;
	s->answer.where = request->n_ids ? NULL : request->where;
	s->answer.n_picked = s->streams.list.n;
	return rc;
}

/* The newest are listed: they are last. */
static int list_streams(struct lode_repo_answer_state *s, const struct lode_repo_request *request,
			struct lode_error *err)
{
	struct lode_repo_answer *answer = &s->answer;
	size_t n = answer->n_picked;

	for (size_t i = 0; i < n; i++) {
		answer->picked_symptoms += s->streams.list.at[i].n_symptoms;
		answer->picked_symptom_ns += s->streams.list.at[i].symptom_ns;
	}
	answer->n_streams = lode_listed(request->top, n);
	answer->n_more = n - answer->n_streams;
	answer->streams = n ? &s->streams.list.at[answer->n_more] : NULL;
	for (size_t i = 0; i < answer->n_streams; i++)
		answer->has_file_times |= !answer->streams[i].is_clock;
	answer->shape = lode_lines_split(lode_repo_shape(s->repo), &answer->n_shape, &s->arena);
	return lode_repo_sums(&answer->sums, s->repo, err);
}

static int label_streams(struct lode_repo_answer_state *s, const struct lode_repo_request *request,
			 struct lode_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < request->n_labels; i++)
		rc = lode_repo_set_label(s->repo, &s->streams, request->labels[i].key,
					 request->labels[i].value, err);
	return rc;
}

static int forget_streams(struct lode_repo_answer_state *s, const struct lode_repo_request *request,
			  struct lode_error *err)
{
	if (!request->may_forget)
		return list_streams(s, request, err);
	s->answer.is_forgotten = s->answer.n_picked > 0;
	return s->answer.n_picked ? lode_repo_forget(s->repo, &s->streams, err) : 0;
}

static int prune_repo(struct lode_repo_answer_state *s, const struct lode_repo_request *request,
		      struct lode_error *err)
{
	struct lode_repo_answer *answer = &s->answer;
	struct lode_repo_query *query = NULL;
	int rc = 0;

	if (request->where)
		rc = lode_repo_query_parse(&query, request->where, request->now_ns, err);
	if (rc == 0)
		rc = lode_repo_prune(&s->pruned, s->repo, query, &request->limits, err);
	lode_repo_query_free(query);
	if (rc < 0)
		return rc;
	answer->pruned = &s->pruned;
	answer->max_bytes = request->limits.max_bytes;
	answer->is_forgotten = !request->limits.is_dry;
	answer->n_picked = s->pruned.n;
	/* The oldest n, of which the newest are listed. */
	s->streams.list.n = 0;
	lode_vec_append_all(&s->streams.list, s->pruned.streams.list.at, s->pruned.n);
	return list_streams(s, request, err);
}

static int compact_repo(struct lode_repo_answer_state *s, const struct lode_repo_request *request,
			struct lode_error *err)
{
	struct lode_repo_sums *sums = &s->answer.sums;
	int rc = lode_repo_sums(sums, s->repo, err);

	s->answer.was_bytes = sums->file_bytes;
	if (rc == 0)
		rc = lode_repo_compact(s->repo, request->rebuild, err);
	return rc == 0 ? lode_repo_sums(sums, s->repo, err) : rc;
}

static int check_repo(struct lode_repo_answer_state *s, struct lode_error *err)
{
	struct lode_repo_check *check = &s->answer.check;
	int rc = lode_repo_check(check, s->repo, err);

	s->answer.n_more_faults = check->n_faults - (int64_t)check->faults.n;
	s->answer.is_sound = rc == 0 && !check->n_faults;
	return rc;
}

static int do_repo_word(struct lode_repo_answer_state *s, const struct lode_repo_request *request,
			struct lode_error *err)
{
	enum lode_repo_word word = request->word;
	bool has_words = request->n_ids || request->where;
	int rc = 0;

	if (word == LODE_REPO_LIST || word == LODE_REPO_LABEL || word == LODE_REPO_FORGET ||
	    (word == LODE_REPO_SHOW && has_words))
		rc = pick_streams(s, request, err);
	if (rc < 0)
		return rc;
	switch (word) {
	case LODE_REPO_LIST:
	case LODE_REPO_SHOW:
		return list_streams(s, request, err);
	case LODE_REPO_LABELS:
		return lode_repo_label_counts(&s->answer.labels, s->repo, err);
	case LODE_REPO_LABEL:
		return label_streams(s, request, err);
	case LODE_REPO_FORGET:
		return forget_streams(s, request, err);
	case LODE_REPO_PRUNE:
		return prune_repo(s, request, err);
	case LODE_REPO_CHECK:
		return check_repo(s, err);
	case LODE_REPO_COMPACT:
	default:
		return compact_repo(s, request, err);
	}
}

int lode_repo_run(struct lode_repo_answer **out, const struct lode_repo_request *request,
		  struct lode_error *err)
{
	struct lode_repo_answer_state *s = lode_alloc0(1, sizeof(*s));
	enum lode_repo_word word = request->word;
	/* To find out what would be pruned is to do it, and to take it back. */
	bool is_changing = word == LODE_REPO_LABEL || word == LODE_REPO_COMPACT ||
			   word == LODE_REPO_PRUNE ||
			   (word == LODE_REPO_FORGET && request->may_forget);
	int rc;

	s->answer = (struct lode_repo_answer){.word = word, .path = request->repo, .state = s};
	*out = &s->answer;
	rc = lode_repo_open(&s->repo, request->repo, is_changing ? LODE_REPO_WRITE : LODE_REPO_READ,
			    err);
	if (rc == 0)
		rc = do_repo_word(s, request, err);
	if (rc == 0)
		s->answer.opening = lode_repo_opening(&s->answer, &s->arena);
	return rc;
}

void lode_repo_answer_free(struct lode_repo_answer *answer)
{
	struct lode_repo_answer_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	lode_repo_label_counts_release(&answer->labels);
	lode_repo_check_release(&answer->check);
	lode_repo_streams_release(&s->streams);
	lode_repo_pruned_release(&s->pruned);
	lode_repo_close(s->repo);
	lode_arena_release(&s->arena);
	free(s);
}
