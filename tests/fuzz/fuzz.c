#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "engine/waits/aoi.h"
#include "model/stream.h"

/* Larger ones are left out: a digest takes longer than reading. */
enum { MOST_SYMPTOMS = 32, MOST_DIGESTED_EVENTS = 2000 };

/* Of the digest of all threads' whole lives: each ns of a symptom is in one row (aoi.h). */
static void check_digest_of(const struct lode_stream *stream, const struct lode_symptom *symptoms,
			    size_t n, enum lode_scope scope)
{
	struct lode_aoi_options options = {.scope = scope};
	int64_t sums[MOST_SYMPTOMS] = {0};
	struct lode_digest *digest;
	struct lode_error err;

	FUZZ_CHECK(lode_aoi_digest(&digest, stream, symptoms, n, &options, &err) == 0);
	FUZZ_CHECK(digest->symptoms.n == n);
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];

		FUZZ_CHECK(row->symptom < n && row->cost_ns >= 0);
		FUZZ_CHECK(row->stack < digest->tree.nodes.n);
		sums[row->symptom] += row->cost_ns;
	}
	for (size_t i = 0; i < n && scope == LODE_SCOPE_CRITICAL && stream->has_switches; i++)
		FUZZ_CHECK(sums[i] == symptoms[i].t1_ns - symptoms[i].t0_ns);
	lode_digest_free(digest);
}

static void check_digests(const struct lode_stream *stream)
{
	struct lode_symptom symptoms[MOST_SYMPTOMS];
	size_t n = 0, n_events = 0;

	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_events *e = &stream->threads.at[i].events;

		n_events += e->n;
		if (!e->n || n == MOST_SYMPTOMS)
			continue;
		symptoms[n++] = (struct lode_symptom){
			.thread = (lode_thread_id)i,
			.t0_ns = e->start_ns[0],
			.t1_ns = stream->has_switches ? lode_event_end_ns(e, e->n - 1)
						      : e->start_ns[e->n - 1] + 1,
			.is_life = true,
		};
	}
	if (n_events > MOST_DIGESTED_EVENTS)
		return;
	for (int scope = LODE_SCOPE_CRITICAL; scope <= LODE_SCOPE_THREAD; scope++)
		check_digest_of(stream, symptoms, n, (enum lode_scope)scope);
}

void fuzz_check_stream(struct lode_stream *stream)
{
	const struct lode_calltree *tree = &stream->tree;

	FUZZ_CHECK(stream->t0_ns <= stream->t1_ns);
	FUZZ_CHECK(stream->path && stream->format && stream->unit && stream->host);
	for (size_t i = 1; i < tree->nodes.n; i++) {
		FUZZ_CHECK(tree->nodes.at[i].parent < i);
		FUZZ_CHECK(tree->nodes.at[i].frame < tree->frames.n);
	}
	FUZZ_CHECK(stream->n_stack_flags == 0 || stream->n_stack_flags == tree->nodes.n);
	for (size_t t = 0; t < stream->threads.n; t++) {
		const struct lode_events *e = &stream->threads.at[t].events;

		FUZZ_CHECK(stream->threads.at[t].comm < tree->strings.text.n);
		for (size_t i = 0; i < e->n; i++) {
			FUZZ_CHECK(e->cost_ns[i] >= 0);
			FUZZ_CHECK(e->kind[i] < LODE_N_EVENT_KINDS);
			FUZZ_CHECK(e->reason[i] < LODE_N_REASONS);
			FUZZ_CHECK(e->device[i] < LODE_N_DEVICES);
			FUZZ_CHECK(e->stack[i] < tree->nodes.n);
			FUZZ_CHECK(e->other_stack[i] < tree->nodes.n);
			FUZZ_CHECK(e->other[i] == LODE_NONE || e->other[i] < stream->threads.n);
			if (i)
				FUZZ_CHECK(e->start_ns[i - 1] <= e->start_ns[i]);
			if (i && stream->has_switches) /* they tile the thread's life */
				FUZZ_CHECK(lode_event_end_ns(e, i - 1) <= e->start_ns[i]);
		}
	}
	check_digests(stream);
	lode_stream_free(stream);
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", 0);
	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(ftruncate(fd, 0) == 0);
	FUZZ_CHECK(pwrite(fd, data, size, 0) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}
