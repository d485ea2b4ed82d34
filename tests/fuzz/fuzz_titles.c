/*
 * Any bytes as titles.tsv beside a recording of a few processes: each gets a title that is text of
 * its stream and no longer than promised, or none.
 */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "input/source.h"
#include "input/titles.h"

/* Processes of several programs, with threads, one of another name; and who was born late. */
static const char recording[] = "cc1 10/10 [000] 1.000000: 1000000 cpu-clock:\n\tc0 f (a)\n\n"
				"cc1 11/11 [000] 1.100000: 5000000 cpu-clock:\n\tc0 f (a)\n\n"
				"cc1 11/12 [001] 1.200000: 3000000 cpu-clock:\n\tc0 g (a)\n\n"
				"python3 13/13 [001] 1.300000: 2000000 cpu-clock:\n\tc0 g (a)\n\n"
				"postgres 14/14 [001] 1.400000: 2000000 cpu-clock:\n\tc0 g (a)\n\n"
				"worker 14/15 [001] 1.500000: 2000000 cpu-clock:\n\tc0 g (a)\n\n";

/* A folder of this process, with the recording's name in it. */
static const char *place(char *titles, size_t size)
{
	static char folder[64], path[96];

	if (!*folder) {
		int fd;

		snprintf(folder, sizeof(folder), "%s/lode-fuzz-XXXXXX",
			 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		FUZZ_CHECK(mkdtemp(folder));
		snprintf(path, sizeof(path), "%s/a.script", folder);
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		FUZZ_CHECK(fd >= 0 &&
			   write(fd, recording, sizeof(recording) - 1) == sizeof(recording) - 1);
		close(fd);
	}
	snprintf(titles, size, "%s/%s", folder, lode_titles_file);
	return path;
}

static void remove_place(void)
{
	char titles[128];
	const char *path = place(titles, sizeof(titles));

	unlink(path);
	unlink(titles);
	*strrchr(titles, '/') = '\0';
	rmdir(titles);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool is_begun;
	struct lode_source_options options = {.narrow = lode_narrow_none, .n_threads = 1};
	struct lode_stream *stream;
	struct lode_error err = {0};
	char titles[128];
	const char *path = place(titles, sizeof(titles));
	int fd = open(titles, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	if (!is_begun)
		FUZZ_CHECK(atexit(remove_place) == 0);
	is_begun = true;
	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	FUZZ_CHECK(lode_stream_load(&stream, path, &options, &err) == 0);
	lode_titles_apply(stream);
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];

		FUZZ_CHECK(thread->title < stream->tree.strings.text.n);
		FUZZ_CHECK(strlen(lode_thread_name(stream, (lode_thread_id)i)) <= 56);
	}
	fuzz_check_stream(stream);
	return 0;
}
