/*
 * Any bytes as titles.tsv beside a recording of a few processes: each gets a title that is text of
 * its stream and no longer than promised, or none.
 */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "input/source.h"
#include "input/titles.h"

/* Processes of several programs, with threads, one of another name; and who was born late. */
static const char recording[] = "cc1 10/10 [000] 1.000000: 1000000 cpu-clock:\n\tc0 f (a)\n\n"
				"cc1 11/11 [000] 1.100000: 5000000 cpu-clock:\n\tc0 f (a)\n\n"
				"cc1 11/12 [001] 1.200000: 3000000 cpu-clock:\n\tc0 g (a)\n\n"
				"python3 13/13 [001] 1.300000: 2000000 cpu-clock:\n\tc0 g (a)\n\n"
				"postgres 14/14 [001] 1.400000: 2000000 cpu-clock:\n\tc0 g (a)\n\n"
				"worker 14/15 [001] 1.500000: 2000000 cpu-clock:\n\tc0 g (a)\n\n";

static void put(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

/* The recording with that beside it, in a folder that goes at once. */
static struct lode_stream *load_beside(const uint8_t *data, size_t size)
{
	struct lode_source_options options = {.narrow = lode_narrow_none, .n_threads = 1};
	bool is_in_memory = access("/dev/shm", W_OK) == 0;
	char folder[64], path[80], titles[80];
	struct lode_stream *stream;
	struct lode_error err = {0};

	snprintf(folder, sizeof(folder), "%s/lode-fuzz-XXXXXX", is_in_memory ? "/dev/shm" : "/tmp");
	FUZZ_CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.script", folder);
	snprintf(titles, sizeof(titles), "%s/%s", folder, lode_titles_file);
	put(path, recording, sizeof(recording) - 1);
	put(titles, data, size);
	FUZZ_CHECK(lode_stream_load(&stream, path, &options, &err) == 0);
	lode_titles_apply(stream);
	unlink(path);
	unlink(titles);
	rmdir(folder);
	return stream;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_stream *stream = load_beside(data, size);

	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];

		FUZZ_CHECK(thread->title < stream->tree.strings.text.n);
		FUZZ_CHECK(strlen(lode_thread_name(stream, (lode_thread_id)i)) <= 56);
	}
	fuzz_check_stream(stream);
	return 0;
}
