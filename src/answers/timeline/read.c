/* From a function trace, or an index of one, to its timeline. */
#include "answers/timeline/read.h"

#include "base/found_file.h"
#include "base/memory_limit.h"
#include "base/pool.h"
#include "model/call_intake.h"
#include "base/atomic_file.h"
#include "base/escape.h"
#include "base/written.h"
#include "store/timeline_file.h"

/* "-", folders and pipes are never an index; of a pipe, nothing is taken here. */
static bool is_index_file(const char *path)
{
	uint8_t head[8];
	FILE *file = strcmp(path, "-") != 0 ? lode_found_stream(path) : NULL;
	size_t n;

	if (!file)
		return false;
	n = fread(head, 1, sizeof(head), file);
	fclose(file);
	return lode_timeline_recognise(head, n);
}

struct reading {
	const char *path;
	struct lode_call_options options;
};

static int read_calls(void *context, struct lode_call_sink *sink, struct lode_error *err)
{
	const struct reading *reading = context;

	return lode_calls_read(reading->path, &reading->options, sink, err);
}

int lode_timeline_job_read(struct lode_timeline_job *job, const char *path,
			   const struct lode_timeline_job_options *options, struct lode_error *err)
{
	struct reading reading = {path, options->reading};
	struct lode_call_intake_options intake = {
		.memory_bytes = lode_memory_budget(options->memory_bytes)};
	int rc;

	memset(job, 0, sizeof(*job));
	job->n_threads = options->n_threads ? options->n_threads : lode_pool_cpus();
	job->is_index = is_index_file(path);
	intake.n_threads = job->n_threads;
	reading.options.n_threads = job->n_threads;
	if (job->is_index)
		rc = lode_timeline_load(&job->trace, path, err);
	else
		rc = lode_call_intake(&job->trace, path, read_calls, &reading, &intake, err);
	if (rc < 0)
		return rc;
	if (!job->trace->threads.n)
		rc = lode_fail(err, LODE_ERR_FORMAT, path, -1, "it contains no function calls");
	if (rc < 0)
		lode_timeline_job_release(job);
	return rc;
}

int lode_timeline_job_save(struct lode_timeline_job *job, const char *index, struct lode_error *err)
{
	return index ? lode_timeline_save(index, job->trace, &job->index_bytes, err) : LODE_OK;
}

int lode_timeline_job_compress(struct lode_timeline_job *job,
			       const struct lode_regtime_options *options, struct lode_error *err)
{
	struct lode_regtime_options with = *options;
	int rc;

	with.n_threads = job->n_threads;
	rc = lode_regtime_run(&job->regtime, job->trace, &with, err);
	if (rc == LODE_OK)
		lode_outliers_find(&job->outliers, job->regtime);
	return rc;
}

int lode_timeline_job_leaves(struct lode_meanwhile *out, const struct lode_timeline_job *job,
			     const bool *is_shown, struct lode_error *err)
{
	int rc = LODE_OK;

	*out = (struct lode_meanwhile){.n_threads = job->regtime->n_threads};
	out->threads = lode_alloc0(out->n_threads, sizeof(*out->threads));
	for (size_t i = 0; i < out->n_threads && rc == LODE_OK; i++) {
		const struct lode_regtime_thread *t = &job->regtime->threads[i];
		struct lode_meanwhile one;

		if (is_shown && !is_shown[i])
			continue;
		out->threads[i].thread = t->thread;
		if (!t->is_compressed)
			continue;
		if (t->t0_ns == t->thread->first_ns && t->t1_ns == t->thread->last_ns) {
			lode_meanwhile_of_whole(&out->threads[i], job->trace, t);
			continue;
		}
		rc = lode_meanwhile_make(&one, job->trace, t->thread, t->thread->clock, t->t0_ns,
					 t->t1_ns, 1, err);
		if (rc < 0)
			break;
		out->threads[i] = one.threads[0];
		free(one.threads);
	}
	if (rc < 0)
		lode_meanwhile_release(out);
	return rc;
}

void lode_timeline_job_release(struct lode_timeline_job *job)
{
	lode_outliers_release(&job->outliers);
	lode_regtime_free(job->regtime);
	lode_call_trace_free(job->trace);
	memset(job, 0, sizeof(*job));
}

char *lode_timeline_incomplete(const struct lode_call_trace *trace)
{
	static const enum lode_loss_kind kinds[] = {LODE_LOSS_TRUNCATED, LODE_LOSS_BAD_RECORD,
						    LODE_LOSS_CLOCK_JUMP, LODE_LOSS_FILE};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (trace->losses.by_kind[kinds[i]].count)
			return lode_strdup(*trace->losses.by_kind[kinds[i]].detail
						   ? trace->losses.by_kind[kinds[i]].detail
						   : lode_loss_name(kinds[i]));
	return NULL;
}

int lode_timeline_symptoms(const char *path, const struct lode_timeline_job *job, uint32_t function,
			   struct lode_error *err)
{
	char *text = NULL, name[4096], safe[4 * sizeof(name)];
	size_t size = 0;
	FILE *out = lode_written_open(&text, &size);
	int rc;

	fputs("stream\ttid\tt0_ns\tt1_ns\tfunction\tduration_ns\n", out);
	for (size_t i = 0; i < job->outliers.at.n; i++) {
		const struct lode_outlier *o = &job->outliers.at.at[i];
		const struct lode_call_thread *thread;
		long long start_ns, end_ns;

		/* A symptom has a length. */
		if ((function != LODE_NONE && o->function != function) || o->duration_ns <= 0)
			continue;
		lode_frame_full_name(&job->trace->functions, o->function, name, sizeof(name));
		thread = job->trace->threads.at[o->thread];
		start_ns = lode_call_recorded_ns(job->trace, thread, o->start_ns);
		end_ns = start_ns + o->duration_ns;
		fprintf(out, "%s\t%d\t%lld\t%lld\t%s\t%lld\n", job->trace->source, thread->tid,
			start_ns, end_ns, lode_escape(safe, sizeof(safe), name),
			(long long)o->duration_ns);
	}
	lode_written_close(out);
	rc = lode_atomic_write(path, text, size, err);
	free(text);
	return rc;
}
