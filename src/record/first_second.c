/* Has a child read the first second of a recording, and tells perf which events to take. */
#include "record/first_second.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/bundle.h"
#include "record/child.h"
#include "record/parent_watch.h"
#include "record/rights.h"

enum { FEW_SAMPLES = 20, NICE = 10 };

static const int64_t first_ns = 700000000, watch_ns = 500000000;

static const char *const chains[] = {"cpu-clock", "sched:sched_switch"};
static const char *const dumps[] = {"cpu-clock-dumps", "switch-dumps"};

enum { N_TWINS = sizeof(dumps) / sizeof(*dumps) };

bool lode_can_dump_later(const char *perf)
{
	const char *const argv[] = {perf, "version", NULL};
	char text[128] = "";
	int major = 0, minor = 0;
	size_t len;

	if (lode_child_read(text, sizeof(text) - 1, &len, argv, NULL) < 0 ||
	    sscanf(text, "perf version %d.%d", &major, &minor) != 2)
		return false;
	return (major > 5 || (major == 5 && minor >= 15)) &&
	       access("/sys/bus/event_source/devices/tracepoint/type", R_OK) == 0;
}

/* ---- Telling perf ---- */

void lode_first_second_init(struct lode_first_second *f, const struct lode_record_options *options,
			    const char *data, int control)
{
	*f = (struct lode_first_second){.options = options,
					.data = data,
					.control = control,
					.due_ns = INT64_MAX,
					.verdict = -1,
					.stage = options->may_dump ? STACKS_WAIT : STACKS_DONE};
}

static bool tell_perf(struct lode_first_second *f, const char *command, const char *event)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "%s%s%s\n", command, event ? " " : "",
			 event ? event : "");

	f->n_owed++;
	return write(f->control, line, (size_t)n) == n;
}

static bool tell_of(struct lode_first_second *f, const char *command, const char *const *events)
{
	bool is_told = true;

	for (size_t i = 0; i < N_TWINS; i++)
		is_told &= tell_perf(f, command, events[i]);
	return is_told;
}

bool lode_first_second_enable(struct lode_first_second *f)
{
	return tell_perf(f, "enable", NULL) &&
	       (f->stage == STACKS_DONE || tell_of(f, "disable", dumps));
}

bool lode_first_second_answered(struct lode_first_second *f, unsigned n)
{
	f->n_owed -= n < f->n_owed ? n : f->n_owed;
	return !f->n_owed;
}

void lode_first_second_begin(struct lode_first_second *f, int64_t now_ns)
{
	if (f->stage == STACKS_WAIT)
		f->due_ns = now_ns + first_ns;
}

/* ---- Reading, in a child ---- */

/*
 * Steps from record to record of the file that perf writes, from `from`, or from its first record.
 * Gives the end of the last whole one.
 */
static int64_t walk_records(struct lode_dumps_seen *seen, const char *path, int64_t from)
{
	enum { DATA_OFFSET_AT = 40 }; /* in the header of the file */
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t words[3];
	struct stat st;

	if (fd < 0)
		return from;
	if (!from && pread(fd, words, sizeof(*words), DATA_OFFSET_AT) == sizeof(*words))
		from = (int64_t)words[0];
	if (fstat(fd, &st) < 0)
		st.st_size = 0;
	while (from > 0 && pread(fd, words, sizeof(words), from) == sizeof(words)) {
		struct perf_event_header header;

		memcpy(&header, words, sizeof(header));
		if (header.size < sizeof(header) || header.size > st.st_size - from)
			break;
		if (header.type == PERF_RECORD_LOST || header.type == PERF_RECORD_LOST_SAMPLES)
			seen->n_lost += words[header.type == PERF_RECORD_LOST ? 2 : 1];
		seen->n++;
		from += header.size;
	}
	close(fd);
	return from;
}

/* The module of the outermost frame. */
static const char *root_module(const struct lode_calltree *tree, uint32_t node)
{
	while (tree->nodes.at[node].parent)
		node = tree->nodes.at[node].parent;
	return lode_frame_module(tree, tree->nodes.at[node].frame);
}

static size_t add_stacks(struct lode_stacks_seen *seen, const struct lode_stream *stream,
			 const struct lode_thread *thread)
{
	const struct lode_events *events = &thread->events;
	size_t n = 0;

	for (size_t i = 0; i < events->n; i++) {
		uint32_t stack = events->stack[i];
		unsigned flags = stack < stream->n_stack_flags ? stream->stack_flags[stack] : 0;

		if (events->kind[i] != LODE_EVENT_RUNNING || !stack || !(flags & LODE_STACK_USER))
			continue;
		n++;
		seen->whole_ns += events->cost_ns[i];
		if (!(flags & LODE_STACK_UNROOTED))
			continue;
		seen->unrooted_ns += events->cost_ns[i];
		if (!strcmp(root_module(&stream->tree, stack), "[jit]"))
			seen->made_ns += events->cost_ns[i];
	}
	return n;
}

static void look(struct lode_stacks_seen *seen, const char *data)
{
	struct lode_dumps_seen records = {0};
	struct lode_stream *stream;
	int64_t born_ns = INT64_MIN;
	int32_t last = 0;
	size_t n = 0;

	if (lode_bundle_read(&stream, data, 1, NULL) < 0)
		return;
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];

		if (!thread->is_command)
			continue;
		n += add_stacks(seen, stream, thread);
		if (thread->pid == thread->tid && thread->born_ns >= born_ns &&
		    thread->died_ns > stream->t1_ns) {
			born_ns = thread->born_ns;
			last = thread->pid;
		}
	}
	seen->events_per_s = lode_dump_rate(stream);
	/* Too few stacks tell nothing; what the newest of its processes runs does. */
	if (n < FEW_SAMPLES) {
		seen->whole_ns = 0;
		lode_process_frame_pointers(&seen->functions, last);
	}
	seen->bytes = walk_records(&records, data, 0);
	lode_stream_free(stream);
}

static void start_reader(struct lode_first_second *f)
{
	struct lode_stacks_seen seen = {0};
	pid_t parent = getpid();
	int ends[2];

	f->stage = STACKS_DONE;
	if (pipe2(ends, O_CLOEXEC))
		return;
	f->reader = fork();
	if (f->reader == 0) {
		lode_end_with_parent(parent, SIGKILL);
		prctl(PR_SET_NAME, "lode-stacks");
		if (nice(NICE) < 0)
			errno = 0;
		look(&seen, f->data);
		_exit(write(ends[1], &seen, sizeof(seen)) != sizeof(seen));
	}
	close(ends[1]);
	if (f->reader < 0) {
		f->reader = 0;
		close(ends[0]);
		return;
	}
	f->verdict = ends[0];
	f->stage = STACKS_READ;
}

void lode_first_second_end(struct lode_first_second *f)
{
	if (f->verdict >= 0)
		close(f->verdict);
	f->verdict = -1;
	f->due_ns = INT64_MAX;
	f->stage = STACKS_DONE;
	if (!f->reader)
		return;
	kill(f->reader, SIGKILL);
	while (waitpid(f->reader, NULL, 0) < 0 && errno == EINTR)
		;
	f->reader = 0;
}

/* ---- What to do ---- */

static void take_verdict(struct lode_first_second *f, int64_t now_ns)
{
	struct lode_stacks_seen seen = {0};
	bool has_found = read(f->verdict, &seen, sizeof(seen)) == sizeof(seen);

	lode_first_second_end(f);
	if (!has_found || !lode_want_dumps(f->options, &seen))
		return;
	/* Both for a moment: readers know a switch that comes twice. */
	if (!tell_of(f, "enable", dumps) || !tell_of(f, "disable", chains))
		return;
	f->stage = STACKS_WATCH;
	f->dumps_ns = f->seen_ns = now_ns;
	f->seen_bytes = seen.bytes;
	f->due_ns = now_ns + watch_ns;
}

static void watch_dumps(struct lode_first_second *f, int64_t now_ns)
{
	struct lode_dumps_seen seen = {0};
	int64_t bytes = walk_records(&seen, f->data, f->seen_bytes);

	seen.bytes_per_s = 1e9 * (double)(bytes - f->seen_bytes) / (double)(now_ns - f->seen_ns);
	f->due_ns = now_ns + watch_ns;
	f->seen_ns = now_ns;
	f->seen_bytes = bytes;
	if (!lode_are_too_many_dumps(f->options, &seen))
		return;
	tell_of(f, "enable", chains);
	tell_of(f, "disable", dumps);
	f->stage = STACKS_DONE;
	f->due_ns = INT64_MAX;
}

void lode_first_second_step(struct lode_first_second *f, int64_t now_ns)
{
	switch (f->stage) {
	case STACKS_WAIT:
		/* Between two answers perf has written what its buffers held. */
		f->due_ns = INT64_MAX;
		tell_perf(f, "ping", NULL);
		tell_perf(f, "ping", NULL);
		f->stage = STACKS_FLUSH;
		break;
	case STACKS_FLUSH:
		start_reader(f);
		break;
	case STACKS_READ:
		take_verdict(f, now_ns);
		break;
	case STACKS_WATCH:
		watch_dumps(f, now_ns);
		break;
	case STACKS_DONE:
		break;
	}
}
