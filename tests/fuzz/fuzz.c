#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "model/stream.h"

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
