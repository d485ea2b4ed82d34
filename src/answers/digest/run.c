/* From a request to an answer: makes digests, merges them, and sums up. */
#include <sys/stat.h>

#include "answers/digest/digest.h"
#include "base/lines.h"
#include "store/digest_file.h"
#include "document/findings.h"
#include "document/units.h"

/* ---- What is said first ---- */

/* Compressed recordings have two sizes, and a share of each. */
static const char *share_words(struct lode_arena *arena, int64_t bytes, int64_t content_bytes,
			       int64_t input_bytes)
{
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER];
	bool is_compressed = content_bytes > input_bytes;
	int64_t of_bytes = is_compressed ? content_bytes : input_bytes;
	const char *words = lode_finding_text(arena, "%s", lode_format_bytes(a, bytes));

	if (of_bytes > 0)
		words = lode_finding_text(arena, "%s, %s of %s recordings", words,
					  lode_format_share(share, bytes, of_bytes),
					  lode_format_bytes(b, of_bytes));
	if (is_compressed)
		words = lode_finding_text(arena, "%s, %s of the %s they take compressed", words,
					  lode_format_share(share, bytes, input_bytes),
					  lode_format_bytes(b, input_bytes));
	return words;
}

static struct lode_opening opening_of_digest(const struct lode_digest_answer *answer,
					     struct lode_arena *arena)
{
	const struct lode_digest_sums *sums = &answer->sums;
	const struct lode_digest_merged *merged = answer->merged;
	const char *kept = "", *all = "", *to = merged ? merged->path : answer->folder;
	size_t n = sums->n_made + sums->n_kept;

	if (answer->folder)
		kept = lode_finding_text(arena, "%zu digest%s in %s (%zu made, %zu kept): %s.", n,
					 n == 1 ? "" : "s", answer->folder, sums->n_made,
					 sums->n_kept,
					 share_words(arena, sums->digest_bytes, sums->content_bytes,
						     sums->input_bytes));
	if (merged)
		all = lode_finding_text(arena, "%zu recording%s in %s: %s.", merged->n_streams,
					merged->n_streams == 1 ? "" : "s", merged->path,
					share_words(arena, merged->bytes,
						    answer->job->origin.content_bytes,
						    answer->job->input_bytes));
	return (struct lode_opening){
		.finding = lode_finding_text(arena, "%s%s%s", kept, *kept && *all ? " " : "", all),
		.next_command =
			to ? lode_finding_text(arena, "lode mine %s", lode_next_word(arena, to))
			   : NULL,
	};
}

/* ---- The answer ---- */

struct lode_digest_answer_state {
	struct lode_digest_answer answer; /* what the caller holds */
	struct lode_digest_job job;
	struct lode_digest_merged merged;
	struct lode_arena arena;
};

static struct lode_digest_sums sum_up(const struct lode_digest_job *job)
{
	struct lode_digest_sums sums = {0};
	bool is_known = true;

	for (size_t i = 0; i < job->outputs.n; i++) {
		const struct lode_digest_output *output = &job->outputs.at[i];

		if (output->state == LODE_DIGEST_GIVEN) {
			sums.n_given++;
			continue;
		}
		sums.n_made += output->state == LODE_DIGEST_MADE;
		sums.n_kept += output->state == LODE_DIGEST_KEPT;
		lode_origin_add_bytes(&sums.input_bytes, output->input_bytes);
		sums.digest_bytes += output->digest_bytes;
		lode_origin_add_bytes(&sums.content_bytes, output->content_bytes);
		is_known &= output->content_bytes > 0;
	}
	if (!is_known)
		sums.content_bytes = 0;
	return sums;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_skipped(const struct lode_digest_job *job, const char *path)
{
	size_t i = 0;

	while (i < job->skipped.n && strcmp(job->skipped.at[i].path, path) != 0)
		i++;
	return i < job->skipped.n;
}

/* A part of a larger job says what it lacks, also where that is everything: a manifest, or the
   digest of one. */
static bool has_to_merge(const struct lode_digest_job *job,
			 const struct lode_digest_request *request)
{
	if (job->n_inputs == job->n_unread)
		return false;
	if (job->digest && job->digest->streams.n)
		return true;
	for (size_t i = 0; i < request->n_inputs; i++) {
		const char *path = request->inputs[i];

		if (lode_manifest_is(path) || (!is_folder(path) && !is_skipped(job, path)))
			return true;
	}
	return false;
}

static int save_merged(struct lode_digest_answer_state *s, const char *path, struct lode_error *err)
{
	const struct lode_digest *digest = s->job.digest;
	size_t size = 0;
	int rc = lode_digest_save(path, digest, &s->job.origin, &size, err);

	s->merged.path = path;
	s->merged.bytes = (int64_t)size;
	if (digest) {
		s->merged.n_streams = digest->streams.n;
		s->merged.n_symptoms = digest->symptoms.n;
		s->merged.n_rows = digest->rows.n;
	}
	s->answer.merged = &s->merged;
	return rc;
}

int lode_digest_run(struct lode_digest_answer **out, const struct lode_digest_request *request,
		    struct lode_error *err)
{
	struct lode_digest_answer_state *s = lode_alloc0(1, sizeof(*s));
	struct lode_digest_answer *answer = &s->answer;
	size_t n;
	int rc;

	answer->state = s;
	answer->job = &s->job;
	*out = answer;
	rc = lode_digest_job_run(&s->job, request->inputs, request->n_inputs, &request->job, err);
	if (rc < 0)
		return rc;
	n = s->job.outputs.n;
	if (request->merged ? !has_to_merge(&s->job, request) : !n)
		return lode_fail(err, LODE_ERR_EMPTY, NULL, -1, "no usable recording in %s",
				 request->n_inputs == 1 ? "the input" : "the inputs");
	answer->folder = request->job.digest_dir;
	answer->sums = sum_up(&s->job);
	answer->shape = lode_lines_split(s->job.origin.shape, &answer->n_shape, &s->arena);
	answer->list = s->job.outputs.at;
	answer->n_listed = lode_listed(request->top, n);
	answer->n_more = n - answer->n_listed;
	rc = request->merged ? save_merged(s, request->merged, err) : 0;
	answer->opening = opening_of_digest(answer, &s->arena);
	return rc;
}

void lode_digest_answer_free(struct lode_digest_answer *answer)
{
	struct lode_digest_answer_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	lode_digest_job_release(&s->job);
	lode_arena_release(&s->arena);
	free(s);
}
