/* Says in words what counted as a symptom. */
#include "streams/symptom_words.h"

#include "base/written.h"

static const char beside[] = "those listed in symptoms.tsv beside the recordings";

static void count_subjects(size_t n[LODE_N_SUBJECTS], const struct lode_digest *digest)
{
	for (size_t i = 0; digest && i < digest->streams.n; i++)
		n[digest->streams.at[i].subject]++;
}

/* Of recordings of one kind, or of several. */
static void write_subjects(FILE *out, const size_t n[LODE_N_SUBJECTS], size_t n_all)
{
	size_t n_whole = n[LODE_SUBJECT_UNNAMED] + n[LODE_SUBJECT_MACHINE];

	if (n_all && n[LODE_SUBJECT_MACHINE] == n_all)
		fputs("every recorded thread, whole recording, as the recorded command only waited",
		      out);
	else if (n_all && n[LODE_SUBJECT_UNNAMED] == n_all)
		fputs("every recorded thread, whole recording, as no command was recorded", out);
	else if (n_all && n[LODE_SUBJECT_PROCESSES] == n_all)
		fputs("every thread of the processes that were recorded, whole recording", out);
	else
		fputs(LODE_DEFAULT_SYMPTOMS, out);
	if (n_whole && n_whole < n_all)
		fprintf(out,
			"; in %zu of %zu recordings, whose command only waited or is unknown, "
			"every recorded thread",
			n_whole, n_all);
}

void lode_job_say_symptoms(struct lode_digest_job *job)
{
	const char *common = job->origin.symptom_text;
	size_t len = strlen(LODE_DEFAULT_SYMPTOMS), n[LODE_N_SUBJECTS] = {0}, size;
	bool is_default = !strncmp(common, LODE_DEFAULT_SYMPTOMS, len);
	char *text;
	FILE *out;

	job->symptom_text = common;
	if (!job->origin.n_beside && !is_default)
		return;
	count_subjects(n, job->digest);
	out = lode_written_open(&text, &size);
	if (job->origin.n_beside)
		fputs(beside, out);
	if (job->origin.n_beside < job->origin.n_inputs) {
		fputs(job->origin.n_beside ? "; elsewhere " : "", out);
		if (is_default)
			write_subjects(out, n, job->digest ? job->digest->streams.n : 0);
		fputs(is_default ? common + len : common, out);
	}
	job->symptom_text = lode_written_keep(out, &text, &size, &job->arena);
}
