/*
 * Any bytes as the directory of an index, with threads of any content before it, their spans and
 * stacks not packed: it is refused with words, or everything in it can be asked for, and gives
 * answers or errors, never more.
 *
 *   flags (1: pieces get right checksums, 2: classic) | size of the directory, 2 bytes | directory
 * | threads
 */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "engine/regtime/meanwhile.h"
#include "engine/regtime/outliers.h"
#include "engine/regtime/regtime.h"
#include "model/call_cursor.h"
#include "store/timeline_file.h"

/* Right checksums, so that what lies behind them is met. */
static void seal(struct lode_call_trace *trace, const uint8_t *pieces, size_t n)
{
	for (size_t i = 0; i < trace->threads.n; i++) {
		struct lode_call_thread *thread = trace->threads.at[i];

		if (lode_call_thread_need(trace, thread, LODE_CALL_SPANS, NULL) < 0)
			continue;
		for (unsigned level = 0; level < thread->n_levels; level++)
			for (size_t k = 0; k < thread->levels[level].n; k++) {
				struct lode_call_span *span = &thread->levels[level].at[k];

				FUZZ_CHECK(span->sums.at + span->sums.size <= n);
				span->sums.check =
					lode_call_check(pieces + span->sums.at, span->sums.size);
				if (level)
					continue;
				FUZZ_CHECK(span->calls.at + span->calls.size <= n);
				span->calls.check =
					lode_call_check(pieces + span->calls.at, span->calls.size);
			}
	}
}

static void ask(struct lode_call_trace *trace, bool is_classic)
{
	struct lode_regtime_options options = lode_regtime_defaults();
	struct lode_meanwhile meanwhile;
	struct lode_regtime *regtime;
	struct lode_outliers outliers;

	options.is_classic = is_classic;
	if (lode_regtime_run(&regtime, trace, &options, NULL) == 0) {
		for (size_t i = 0; i < regtime->n_threads; i++)
			FUZZ_CHECK(regtime->threads[i].n_glyphs <=
				   regtime->threads[i].items.n + regtime->threads[i].nodes.n);
		lode_outliers_find(&outliers, regtime);
		lode_outliers_release(&outliers);
		lode_regtime_free(regtime);
	}
	if (lode_meanwhile_make(&meanwhile, trace, NULL, 0, trace->first_ns,
				trace->first_ns + (trace->last_ns - trace->first_ns) / 2, 1,
				NULL) == 0)
		lode_meanwhile_release(&meanwhile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_call_trace *trace = lode_call_trace_new();
	struct lode_error err = {0};
	size_t n_directory, n_threads;
	uint8_t *file;
	int rc;

	if (size < 3) {
		lode_call_trace_free(trace);
		return 0;
	}
	n_directory = data[1] | (size_t)data[2] << 8;
	n_directory = n_directory < size - 3 ? n_directory : size - 3;
	n_threads = size - 3 - n_directory;
	file = lode_alloc0(LODE_TIMELINE_HEADER_BYTES + n_threads, 1);
	memcpy(file + LODE_TIMELINE_HEADER_BYTES, data + 3 + n_directory, n_threads);
	n_threads += LODE_TIMELINE_HEADER_BYTES;
	trace->path = "fuzz";
	atomic_store(&trace->store.path, trace->path);
	atomic_store(&trace->store.file,
		     open(fuzz_file(file, n_threads), O_RDONLY | O_CLOEXEC) + 1);
	rc = lode_timeline_directory_read(trace, data + 3, n_directory, (int64_t)n_threads, "fuzz",
					  &err);
	if (rc < 0) {
		FUZZ_CHECK(err.message[0] && err.status == rc);
	} else {
		if (data[0] & 1)
			seal(trace, file, n_threads);
		ask(trace, data[0] & 2);
	}
	lode_call_trace_free(trace);
	free(file);
	return 0;
}
