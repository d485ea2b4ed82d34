/* Has a child read the first second of a recording, and tells perf which events to take. */
#include "record/first_second.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/parent_watch.h"
#include "record/stacks_seen.h"

enum { NICE = 10, MOST_LOOKS = 4 };

static const int64_t first_ns = 700000000, watch_ns = 500000000;
/* How often switches are counted: in the first second, and later. */
static const int64_t first_tick_ns = 5000000, later_tick_ns = 20000000;

/* ---- Telling perf ---- */

void lode_first_second_init(struct lode_first_second *f, const struct lode_record_options *options,
			    const char *data, int control)
{
	*f = (struct lode_first_second){.options = options,
					.data = data,
					.control = control,
					.due_ns = INT64_MAX,
					.look_ns = INT64_MAX,
					.verdict = -1,
					.dumps = {.control = -1, .ack = -1},
					.kind = options->may_dump ? LODE_STACKS_UNDECIDED
								  : LODE_STACKS_CHAINS,
					.stage = options->may_dump ? STACKS_WAIT : STACKS_DONE};
}

static bool tell_perf(struct lode_first_second *f, const char *line)
{
	size_t n = strlen(line);

	f->n_owed++;
	return write(f->control, line, n) == (ssize_t)n;
}

bool lode_first_second_enable(struct lode_first_second *f, const sigset_t *mask)
{
	if (f->stage == STACKS_WAIT)
		lode_dump_recorder_start(&f->dumps, f->options, f->data, mask);
	return tell_perf(f, "enable\n");
}

bool lode_first_second_tell(struct lode_first_second *f, const char *line)
{
	lode_dump_recorder_tell(&f->dumps, line);
	return tell_perf(f, line);
}

bool lode_first_second_answered(struct lode_first_second *f, unsigned n)
{
	f->n_owed -= n < f->n_owed ? n : f->n_owed;
	return !f->n_owed && !f->dumps.n_owed;
}

void lode_first_second_begin(struct lode_first_second *f, int64_t now_ns)
{
	if (f->stage != STACKS_WAIT)
		return;
	f->are_dumps_on = f->dumps.control >= 0;
	f->look_ns = now_ns + first_ns;
	/* With want_later, runs of one command must not differ by the load of the machine: only
	   losses count. */
	if (f->are_dumps_on && !f->options->want_later)
		lode_dump_budget_open(&f->budget, f->options, now_ns);
	if (f->are_dumps_on && (f->options->want_later || f->options->want_at_once)) {
		f->kind = LODE_STACKS_DUMPS;
		f->stage = STACKS_WATCH;
	} else if (f->options->want_at_once) {
		f->stage = STACKS_DONE;
		return;
	}
	f->due_ns = now_ns + first_tick_ns;
}

static void give_dumps_up(struct lode_first_second *f)
{
	if (f->are_dumps_on)
		lode_dump_budget_close(&f->budget);
	lode_dump_recorder_discard(&f->dumps);
	f->are_dumps_on = false;
	f->kind = LODE_STACKS_CHAINS;
}

/* ---- Reading, in a child ---- */

static void start_reader(struct lode_first_second *f)
{
	struct lode_stacks_seen seen;
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
		lode_stacks_look(&seen, f->data, f->dumps.path, NULL);
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

static void end_reader(struct lode_first_second *f)
{
	if (f->verdict >= 0)
		close(f->verdict);
	f->verdict = -1;
	if (!f->reader)
		return;
	kill(f->reader, SIGKILL);
	while (waitpid(f->reader, NULL, 0) < 0 && errno == EINTR)
		;
	f->reader = 0;
}

void lode_first_second_end(struct lode_first_second *f, bool has_recorded)
{
	end_reader(f);
	f->due_ns = f->look_ns = INT64_MAX;
	f->stage = STACKS_DONE;
	/* It may have ended by itself, out of memory for example. */
	if (!f->are_dumps_on || !has_recorded || f->dumps.is_broken) {
		if (f->options->want_at_once && has_recorded && f->kind != LODE_STACKS_CHAINS)
			lode_say_dumps_failed(f->options);
		give_dumps_up(f);
	}
	if (f->are_dumps_on)
		lode_dump_budget_close(&f->budget);
	lode_dump_recorder_finish(&f->dumps);
}

/* ---- What to do ---- */

void lode_first_second_decide(struct lode_first_second *f)
{
	struct lode_stacks_seen seen = {0};
	bool has_found = read(f->verdict, &seen, sizeof(seen)) == sizeof(seen);

	end_reader(f);
	f->stage = STACKS_DONE;
	seen.are_too_many = f->are_too_many;
	/* It has just begun: once more, in twice the time. */
	if (has_found && !lode_stacks_tell(&seen) && ++f->n_looks < MOST_LOOKS) {
		f->stage = STACKS_WAIT;
		f->look_ns += first_ns << f->n_looks;
		f->due_ns = f->due_ns < f->look_ns ? f->due_ns : f->look_ns;
		return;
	}
	if (!has_found || !lode_want_dumps(f->options, &seen)) {
		give_dumps_up(f);
		return;
	}
	f->kind = LODE_STACKS_DUMPS;
	f->stage = STACKS_WATCH;
}

static void watch_dumps(struct lode_first_second *f, bool is_beyond)
{
	struct lode_dumps_seen seen = {0};

	f->seen_bytes = lode_dumps_walk(&seen, f->dumps.path, f->seen_bytes);
	if (!lode_are_too_many_dumps(f->options, is_beyond, &seen))
		return;
	give_dumps_up(f);
	f->stage = STACKS_DONE;
}

void lode_first_second_flushed(struct lode_first_second *f)
{
	if (f->stage == STACKS_FLUSH)
		start_reader(f);
}

void lode_first_second_tick(struct lode_first_second *f, int64_t now_ns)
{
	bool is_beyond = f->are_dumps_on && lode_dump_budget_is_spent(&f->budget, now_ns);

	if (f->stage == STACKS_WATCH && (is_beyond || now_ns >= f->look_ns)) {
		watch_dumps(f, is_beyond);
		f->look_ns = now_ns + watch_ns;
	} else if (is_beyond) {
		give_dumps_up(f);
		f->are_too_many = true;
	}
	if (f->stage == STACKS_WAIT && now_ns >= f->look_ns) {
		/* Between two answers perf has written what its buffers held. */
		tell_perf(f, "ping\n");
		tell_perf(f, "ping\n");
		lode_dump_recorder_flush(&f->dumps);
		f->stage = STACKS_FLUSH;
	}
	f->due_ns = f->stage == STACKS_WAIT || f->stage == STACKS_WATCH ? f->look_ns : INT64_MAX;
	if (f->are_dumps_on) {
		int64_t next_ns =
			now_ns + (f->stage == STACKS_WATCH ? later_tick_ns : first_tick_ns);

		f->due_ns = next_ns < f->due_ns ? next_ns : f->due_ns;
	}
}
