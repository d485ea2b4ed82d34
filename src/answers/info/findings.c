/* lode info in a sentence or two: what a recording is good for, and what spoils most. */
#include <inttypes.h>

#include "answers/info/info.h"
#include "document/findings.h"
#include "document/units.h"

/* "mine and suspects" of those that it serves so; "" none. */
static const char *served_words(const struct lode_info_stream *stream, enum lode_service service,
				struct lode_arena *arena)
{
	const char *names[LODE_N_ANALYSES], *words = "";
	size_t n = 0;

	for (unsigned a = 0; a < LODE_N_ANALYSES; a++)
		if (stream->quality.serves[a].service == service)
			names[n++] = lode_analysis_name((enum lode_analysis)a);
	for (size_t i = 0; i < n; i++)
		words = lode_finding_text(arena, "%s%s%s", words,
					  i == 0      ? ""
					  : i + 1 < n ? ", "
						      : " and ",
					  names[i]);
	return words;
}

/* "Recorded 3.20 s of git status (12 threads) on web1" */
static const char *origin_words(const struct lode_info_stream *stream, struct lode_arena *arena)
{
	const char *command = strstr(stream->command, " -- ");
	char length[LODE_UNITS_BUFFER], n[LODE_UNITS_BUFFER];
	const char *what = lode_format_plural(n, stream->quality.n_threads, "thread"), *program;

	if (strcmp(stream->unit, "ns") != 0)
		return lode_finding_text(arena, "Stacks with costs in %s", stream->unit);
	command = command ? command + 4 : stream->quality.n_command_threads ? stream->command : "";
	program = lode_path_base(
		lode_finding_text(arena, "%.*s", (int)strcspn(command, " "), command));
	if (stream->quality.subject == LODE_SUBJECT_PROCESSES)
		what = lode_finding_text(arena, "processes that ran already (%" PRIu64 " of %s)",
					 stream->quality.n_command_threads, what);
	else if (*program && stream->quality.subject != LODE_SUBJECT_MACHINE)
		what = lode_finding_text(arena, "%s (%" PRIu64 " of %s)", program,
					 stream->quality.n_command_threads, what);
	return lode_finding_text(arena, "A recording of %s: %s%s%s",
				 lode_format_cost(length, stream->t1_ns - stream->t0_ns, "ns"),
				 what, stream->host[0] ? " on " : "", stream->host);
}

/* What of the command's time, or else of the machine's, lacks most. */
static const char *flaw_words(const struct lode_info_stream *stream, struct lode_arena *arena)
{
	const struct lode_flaws *f =
		stream->quality.has_command ? &stream->quality.command : &stream->quality.machine;
	const struct {
		struct lode_part part;
		const char *words;
	} flaws[] = {
		{f->no_stack, "has no call stack"},
		{f->unrooted, "has a stack that does not reach its thread's entry"},
		{f->skips_caller, "lacks the caller of its innermost function"},
		{f->truncated, "has a stack cut at the recorder's limit"},
		{f->unknown, "has a frame without a symbol"},
		{f->no_waker, "is waiting time without a recorded waker"},
		{f->unsampled, "is running time without a CPU sample"},
	};
	size_t worst = 0;
	char pct[LODE_UNITS_BUFFER], n[LODE_UNITS_BUFFER];

	if (stream->lost_pct > LODE_NOTABLE_LOST_PCT)
		return lode_finding_text(
			arena,
			" Largest flaw: %s of the events (%s) were lost while it was recorded: "
			"costs are lower bounds, and waits and wakers are incomplete.",
			lode_format_pct(pct, stream->lost_pct),
			lode_format_count(n, stream->n_lost_events));

	for (size_t i = 1; i < sizeof(flaws) / sizeof(*flaws); i++)
		if (flaws[i].part.part_ns > flaws[worst].part.part_ns)
			worst = i;
	if (flaws[worst].part.part_ns <= 0)
		return "";
	return lode_finding_text(arena, " Largest flaw: %s of %s %s.",
				 lode_format_pct(pct, lode_part_pct(flaws[worst].part)),
				 stream->quality.has_command &&
						 stream->quality.subject == LODE_SUBJECT_COMMAND
					 ? "the command's cost that counts here"
					 : "the cost that counts here",
				 flaws[worst].words);
}

struct lode_opening lode_info_opening(const struct lode_info_stream *stream,
				      const struct lode_asked *asked, struct lode_arena *arena)
{
	const struct lode_serves *serves = stream->quality.serves;
	const char *good = served_words(stream, LODE_SERVICE_YES, arena);
	const char *partly = served_words(stream, LODE_SERVICE_PARTLY, arena);
	const char *fit = *good && *partly ? lode_finding_text(arena, "good for %s, partly for %s",
							       good, partly)
			  : *good	   ? lode_finding_text(arena, "good for %s", good)
			  : *partly	   ? lode_finding_text(arena, "partly good for %s", partly)
					   : "not suitable for any analysis";
	struct lode_opening opening = {
		.finding = lode_finding_text(arena, "%s; %s.%s", origin_words(stream, arena), fit,
					     flaw_words(stream, arena))};
	/* The first analysis that it serves best; where it serves none, a better recording. */
	static const char *const commands[LODE_N_ANALYSES] = {
		[LODE_ANALYSIS_MINE] = "mine",
		[LODE_ANALYSIS_SUSPECTS] = "suspects",
		[LODE_ANALYSIS_TIMELINE] = "timeline",
	};

	for (int service = LODE_SERVICE_YES; service <= LODE_SERVICE_PARTLY; service++)
		for (unsigned a = 0; a < LODE_N_ANALYSES && asked && !opening.next_command; a++)
			if (commands[a] && (int)serves[a].service == service)
				opening.next_command =
					lode_finding_text(arena, "lode %s %s", commands[a],
							  lode_next_word(arena, stream->path));
	if (!opening.next_command && stream->quality.record_line)
		opening.next_command = lode_finding_text(arena, "%s", stream->quality.record_line);
	return opening;
}
