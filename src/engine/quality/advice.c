/* From the flaws of a recording to advice on what to record better. */
#include "engine/quality/advice.h"

#include <stdarg.h>
#include <stdio.h>

/*
 * Shares of the recorded command's cost: the rest of a machine is often in a bad state, and seldom
 * matters. From `notable_pct` on a flaw is worth a sentence; below it every recording has some.
 */
static const double notable_pct = 5, serious_pct = 25;

/* A share of losses that changes answers, not only their last digit. */
static const double lost_pct = 0.1;

static const char *say_advice(struct lode_quality *q, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static const char *say_advice(struct lode_quality *q, const char *format, ...)
{
	char text[512];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (len < 0)
		len = 0;
	return lode_arena_strndup(&q->arena, text,
				  (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
}

static bool has_event(const struct lode_stream *stream, const char *part_of_name)
{
	for (size_t i = 0; i < stream->event_counts.n; i++) {
		if (strstr(stream->event_counts.at[i].name, part_of_name))
			return true;
	}
	return false;
}

/* A scheduler tracepoint of which only one in many was recorded; NULL when all were. */
static const struct lode_event_count *sampled_tracepoint(const struct lode_stream *stream)
{
	for (size_t i = 0; i < stream->event_counts.n; i++) {
		const struct lode_event_count *e = &stream->event_counts.at[i];

		if (e->is_tracepoint && (e->frequency > 0 || e->period > 1))
			return e;
	}
	return NULL;
}

static bool is_perf(const struct lode_stream *stream)
{
	return strncmp(stream->format, "perf", 4) == 0;
}

/* ---- What the stream can serve ---- */

static struct lode_serves serve_mine(struct lode_quality *q, const struct lode_stream *stream)
{
	const struct lode_event_count *sampled = sampled_tracepoint(stream);

	if (q->n_events == 0)
		return (struct lode_serves){LODE_SERVICE_NO, "no event with a cost"};
	if (q->machine.no_stack.part_ns == q->machine.no_stack.whole_ns &&
	    q->machine.no_stack.whole_ns > 0)
		return stream->has_switches
			       ? (struct lode_serves){LODE_SERVICE_PARTLY,
						      "no callchains: threads, wakers and wait "
						      "reasons, but no functions"}
			       : (struct lode_serves){LODE_SERVICE_NO, "no callchains"};
	if (is_perf(stream) && !stream->has_callchains)
		return (struct lode_serves){LODE_SERVICE_PARTLY,
					    "no callchains: single functions, no call patterns"};
	if (!is_perf(stream))
		return (struct lode_serves){LODE_SERVICE_PARTLY,
					    "stacks with costs: patterns, but no wakers to follow"};
	if (!stream->has_switches)
		return (struct lode_serves){LODE_SERVICE_PARTLY,
					    q->machine.kind_ns[LODE_EVENT_WAITING]
						    ? "off-CPU time is summed: no critical paths"
						    : "CPU time only: waits were not recorded"};
	if (sampled)
		return (struct lode_serves){
			LODE_SERVICE_PARTLY,
			say_advice(q, "%.80s was sampled: times and wakers are incomplete",
				   sampled->name)};
	if (!stream->has_wakings)
		return (struct lode_serves){LODE_SERVICE_PARTLY, "waits, but no wakers to follow"};
	if (lode_part_pct(q->command.no_waker) > serious_pct)
		return (struct lode_serves){
			LODE_SERVICE_PARTLY,
			say_advice(q, "%.0f %% of waiting time has no recorded waker",
				   lode_part_pct(q->command.no_waker))};
	return (struct lode_serves){LODE_SERVICE_YES, ""};
}

/* Beside system calls and switches, what has a start and an end (engine/suspects). */
static bool has_requests(const struct lode_stream *stream)
{
	static const char *const parts[] = {"block:block_rq_", "irq:irq_handler_", "irq:softirq_"};

	for (size_t i = 0; i < stream->event_counts.n; i++) {
		for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++) {
			if (stream->event_counts.at[i].n &&
			    strstr(stream->event_counts.at[i].name, parts[k]))
				return true;
		}
	}
	return false;
}

static struct lode_serves serve_suspects(struct lode_quality *q, const struct lode_stream *stream)
{
	const struct lode_event_count *sampled = sampled_tracepoint(stream);

	if (!is_perf(stream))
		return (struct lode_serves){LODE_SERVICE_NO,
					    "stacks with costs: no start and end times"};
	if (!stream->has_switches && !stream->has_syscalls && !has_requests(stream))
		return (struct lode_serves){LODE_SERVICE_NO,
					    "no system calls or switches: nothing to measure"};
	if (!stream->has_callchains)
		return (struct lode_serves){LODE_SERVICE_PARTLY,
					    "no callchains: durations, but no functions"};
	if (sampled)
		return (struct lode_serves){
			LODE_SERVICE_PARTLY,
			say_advice(q, "%.80s was sampled: starts and ends are missing",
				   sampled->name)};
	if (!stream->has_syscalls)
		return (struct lode_serves){
			LODE_SERVICE_PARTLY,
			stream->has_switches
				? "off-CPU and ready time only: system calls were not recorded"
				: "requests and interrupts only: system calls were not recorded"};
	return (struct lode_serves){LODE_SERVICE_YES, ""};
}

static struct lode_serves serve_timeline(const struct lode_stream *stream)
{
	if (stream->has_switches && stream->has_syscalls)
		return (struct lode_serves){LODE_SERVICE_PARTLY,
					    "waits and system calls, but no functions"};
	if (stream->has_switches)
		return (struct lode_serves){LODE_SERVICE_PARTLY, "waits, but no functions"};
	if (stream->has_syscalls)
		return (struct lode_serves){LODE_SERVICE_PARTLY, "system calls, but no functions"};
	return (struct lode_serves){LODE_SERVICE_NO, "no function entries and exits"};
}

/* Slow periods are times of day: who brings them together with a recording's own clock? */
static struct lode_serves serve_pio(const struct lode_stream *stream)
{
	if (strcmp(stream->unit, "ns") != 0 || stream->t1_ns <= stream->t0_ns)
		return (struct lode_serves){LODE_SERVICE_NO, "no times"};
	if (!stream->has_wall_clock)
		return (struct lode_serves){LODE_SERVICE_PARTLY,
					    "no wall clock time: lode pio needs --clock-offset (or "
					    "record with perf record -k CLOCK_MONOTONIC)"};
	return (struct lode_serves){LODE_SERVICE_YES, ""};
}

void lode_quality_decide_services(struct lode_quality *q, const struct lode_stream *stream)
{
	q->serves[LODE_ANALYSIS_MINE] = serve_mine(q, stream);
	q->serves[LODE_ANALYSIS_SUSPECTS] = serve_suspects(q, stream);
	q->serves[LODE_ANALYSIS_TIMELINE] = serve_timeline(stream);
	q->serves[LODE_ANALYSIS_PIO] = serve_pio(stream);
}

/* ---- What to record better ---- */

/* What a better recording needs; one command line is made of all of it. */
struct wish {
	bool any, syscalls, dwarf, no_dumps, bigger_buffer;
};

/* "--pid 12,13", of perf's "-p 12,13"; threads are of processes that it does not name. */
static void attached_to(char *text, size_t size, const char *command)
{
	static const char *const options[] = {" --pid=", " --pid ", " -p ", " -p"};

	snprintf(text, size, "--pid PID");
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		const char *at = strstr(command, options[i]);
		size_t n = at ? strspn(at + strlen(options[i]), "0123456789,") : 0;

		if (!n)
			continue;
		snprintf(text, size, "--pid %.*s", (int)n, at + strlen(options[i]));
		return;
	}
}

/* What was recorded, as the end of a command line: behind perf's own options. */
void lode_record_again_text(char *text, size_t size, const struct lode_stream *stream,
			    const char *options)
{
	const char *separator = strstr(stream->command, " -- ");
	const char *pid = strstr(stream->command, " --pid ");
	char attached[200] = "";

	if (stream->is_attached)
		attached_to(attached, sizeof(attached), stream->command);
	snprintf(text, size, "lode record%s %.300s", options,
		 *attached		     ? attached
		 : separator && separator[4] ? separator + 1
		 : pid			     ? pid + 1
					     : "-- COMMAND");
}

/* Stack dumps were asked for, perf's "--call-graph dwarf", or lode took them while it recorded. */
static bool had_dumps(const struct lode_stream *stream)
{
	for (size_t i = 0; i < stream->event_counts.n; i++)
		if (!strcmp(stream->event_counts.at[i].name, "switch-dumps") &&
		    stream->event_counts.at[i].n > stream->n_samples / 10)
			return true;
	return strstr(stream->command, "--call-graph dwarf") ||
	       strstr(stream->command, "call-graph=dwarf,stack-size=") ||
	       strstr(stream->command, "--call-graph=dwarf");
}

static const char *record_line(struct lode_quality *q, const struct lode_stream *stream,
			       const struct wish *wish)
{
	char options[100], text[512];

	/* What this recording has already, the better one keeps. */
	snprintf(options, sizeof(options), "%s%s%s",
		 wish->syscalls || stream->has_syscalls ? " --syscalls" : "",
		 wish->dwarf || (had_dumps(stream) && !wish->no_dumps) ? " --call-graph dwarf" : "",
		 wish->bigger_buffer ? " --buffer 64M --cpu-rate 199" : "");
	lode_record_again_text(text, sizeof(text), stream, options);
	return say_advice(q, "%s", text);
}

static void advise(struct lode_quality *q, const char *text)
{
	lode_vec_append(&q->advice, ((struct lode_advice){.text = text}));
}

/* Advice that a new recording follows. */
static void advise_recording(struct lode_quality *q, struct wish *wish, const char *text)
{
	wish->any = true;
	lode_vec_append(&q->advice, ((struct lode_advice){.text = text, .needs_recording = true}));
}

static void advise_events(struct lode_quality *q, const struct lode_stream *stream,
			  struct wish *wish)
{
	const struct lode_event_count *sampled = sampled_tracepoint(stream);

	if (!stream->has_switches)
		advise_recording(q, wish,
				 q->machine.kind_ns[LODE_EVENT_WAITING]
					 ? "Waits are sums without times or wakers: critical paths "
					   "and delays by other threads are unknown."
				 : stream->has_samples ? "No sched:sched_switch: only CPU time was "
							 "recorded; all off-CPU waits are missing."
						       : "No sched:sched_switch and no CPU "
							 "samples: lode mine has no data.");
	else if (!stream->has_wakings)
		advise_recording(q, wish,
				 "No sched:sched_waking: a wait cannot be followed to the thread "
				 "or the device that ended it.");
	if (sampled && sampled->frequency)
		advise_recording(q, wish,
				 say_advice(q,
					    "Tracepoint %.80s was sampled at %llu Hz, not recorded "
					    "every time (perf's -F applies to all events): most "
					    "events are silently missing.",
					    sampled->name, (unsigned long long)sampled->frequency));
	else if (sampled)
		advise_recording(q, wish,
				 say_advice(q, "Only every %lluth %.80s was recorded.",
					    (unsigned long long)sampled->period, sampled->name));
	if (stream->has_switches && !stream->has_samples)
		advise_recording(q, wish,
				 "No CPU samples: the total running time is known, but its place "
				 "only from the stack at which a thread left the CPU.");
	if (!stream->has_callchains)
		advise_recording(q, wish, "No callchains: call patterns cannot be mined.");
}

/* Callers that are missing where code keeps no frame pointers: the last, or the innermost. */
static void advise_callers(struct lode_quality *q, const struct lode_stream *stream,
			   struct wish *wish)
{
	bool is_cut = lode_part_pct(q->command.unrooted) > serious_pct && q->unrooted_module;
	bool is_skipping = lode_part_pct(q->command.skips_caller) > notable_pct;
	char or_dumps[160] = ", or record stack dumps";
	double events_per_s = lode_dump_rate(stream);
	bool do_fit = !stream->gave_up_dumps && lode_dumps_fit(events_per_s, stream->n_cpus);

	if (!is_cut && !is_skipping)
		return;
	/* Not where stack dumps cut stacks already. */
	wish->dwarf = do_fit && lode_part_pct(q->command.truncated) <= notable_pct;
	wish->no_dumps |= !do_fit;
	if (stream->gave_up_dumps)
		snprintf(or_dumps, sizeof(or_dumps),
			 ". Stack dumps were tried and ended, as there were too many of them");
	else if (!do_fit)
		snprintf(or_dumps, sizeof(or_dumps),
			 ". Stack dumps of this number of events would be %.0f MB/s, and events "
			 "are lost beyond some %.0f MB/s here",
			 lode_dump_bytes_per_s(events_per_s) / 1e6,
			 (double)stream->n_cpus * LODE_MOST_DUMP_BYTES / 1e6);
	if (is_cut)
		advise_recording(
			q, wish,
			say_advice(q,
				   "%.0f %% of the cost has stacks that do not reach a thread's "
				   "entry, most of them end in %.80s: code without frame pointers. "
				   "Build it with -fno-omit-frame-pointer%s.",
				   lode_part_pct(q->command.unrooted), q->unrooted_module,
				   or_dumps));
	if (is_skipping)
		advise_recording(
			q, wish,
			say_advice(q,
				   "%.0f %% of the cost lacks the caller of its innermost "
				   "function, mostly of %.60s in %.80s, which keeps no frame "
				   "pointer: who called it is unknown. Use a build of that module "
				   "with -fno-omit-frame-pointer%s.",
				   lode_part_pct(q->command.skips_caller),
				   *q->skipping_function ? q->skipping_function : "functions",
				   q->skipping_module, or_dumps));
}

static void advise_stacks(struct lode_quality *q, const struct lode_stream *stream,
			  struct wish *wish)
{
	if (!stream->has_callchains)
		return;
	if (lode_part_pct(q->command.truncated) > notable_pct) {
		wish->no_dumps = true;
		advise_recording(
			q, wish,
			say_advice(q,
				   "%.0f %% of the cost has stacks cut at the recorder's limit (8 "
				   "KiB stack dumps, or kernel.perf_event_max_stack): outer "
				   "callers are missing. Programs built with "
				   "-fno-omit-frame-pointer give complete and smaller stacks.",
				   lode_part_pct(q->command.truncated)));
	}
	advise_callers(q, stream, wish);
	if (lode_part_pct(q->command.kernel_only) > serious_pct)
		advise_recording(q, wish,
				 say_advice(q,
					    "%.0f %% of the cost of user threads has kernel frames "
					    "only: the program's functions are unknown.",
					    lode_part_pct(q->command.kernel_only)));
}

static void advise_losses(struct lode_quality *q, const struct lode_stream *stream,
			  struct wish *wish)
{
	const struct lode_loss *lost = &stream->losses.by_kind[LODE_LOSS_EVENTS];
	const struct lode_loss *idle = &stream->losses.by_kind[LODE_LOSS_IDLE_GAP];
	double pct = lode_lost_pct(lost->count, stream->n_samples);

	if (lost->count) {
		wish->bigger_buffer = true;
		wish->no_dumps |= !lode_dumps_fit(lode_dump_rate(stream), stream->n_cpus);
		advise_recording(q, wish,
				 say_advice(q,
					    "The recorder dropped %llu events (%.*f %%)%s: use a "
					    "larger buffer and a lower CPU rate%s.",
					    (unsigned long long)lost->count, pct < 0.095 ? 2 : 1,
					    pct, pct > lost_pct ? ", enough to change results" : "",
					    had_dumps(stream)
						    ? "; stack dumps filled the buffer, and frame "
						      "pointer call chains need only 1 % of that"
						    : ""));
	}
	/* Before the first records of both kinds one may be missing. */
	if (idle->count && !(idle->count == 1 && strstr(stream->command, "--switch-events"))) {
		advise_recording(
			q, wish,
			say_advice(
				q,
				"%llu switches from idle are missing: this machine does not trace "
				"idle CPUs (like some virtual machines), so threads seem blocked "
				"until their next event. perf's switch records (--switch-events, "
				"which lode record uses where needed) show them.",
				(unsigned long long)idle->count));
	} else if (stream->has_wakings && lode_part_pct(q->command.no_waker) > notable_pct) {
		bool is_machine = strstr(stream->command, " -a ") != NULL;

		advise_recording(q, wish,
				 say_advice(q, "%.0f %% of waiting time has no recorded waker: %s.",
					    lode_part_pct(q->command.no_waker),
					    is_machine
						    ? "interrupts on idle CPUs may not be traced "
						      "here, so that waits have their full "
						      "duration but no waker (--keep-awake shows "
						      "them, but slows down the recorded programs)"
						    : "record the whole machine, since wakers are "
						      "other processes"));
	}
}

/* Names the module without symbols that most of the command's cost needs. */
static void advise_symbols(struct lode_quality *q, const struct lode_stream *stream)
{
	const struct lode_module_quality *worst = NULL;
	const char *name = q->unnamed_module;

	if (!name || lode_part_pct(q->unnamed) <= notable_pct)
		return;
	for (size_t i = 0; i < stream->modules.n && !worst; i++)
		if (strcmp(stream->modules.at[i].name, name) == 0)
			worst = &stream->modules.at[i];
	/* No file helps with addresses outside of all files. */
	if (!worst || !worst->symbols || strcmp(name, "[unknown]") == 0)
		advise(q,
		       say_advice(q,
				  "%.0f %% of the cost has no symbol for its innermost function.",
				  lode_part_pct(q->unnamed)));
	else
		advise(q, say_advice(q,
				     "%.0f %% of the cost has no symbol for its innermost "
				     "function, mostly in %.80s%s%s: %.160s.%s",
				     lode_part_pct(q->unnamed), name,
				     worst->build_id[0] ? " build-id " : "", worst->build_id,
				     worst->symbols,
				     strcmp(name, "[jit]") == 0
					     ? ""
					     : " Provide symbols with --symfs or --buildid-dir."));
}

void lode_quality_give_advice(struct lode_quality *q, const struct lode_stream *stream)
{
	struct wish wish = {0};

	if (is_perf(stream)) {
		advise_events(q, stream, &wish);
		advise_losses(q, stream, &wish);
		advise_stacks(q, stream, &wish);
		if (stream->has_switches && !stream->has_syscalls &&
		    !has_event(stream, "raw_syscalls")) {
			wish.syscalls = true;
			advise_recording(q, &wish,
					 "System calls were not recorded: lode mine does not need "
					 "them, lode suspects does.");
		}
	}
	advise_symbols(q, stream);
	if (wish.any)
		q->record_line = record_line(q, stream, &wish);
}
