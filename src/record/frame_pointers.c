/* Judges whether a program keeps frame pointers. */
#include "record/frame_pointers.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "input/symbols/frame_tables.h"
#include "record/dump_recorder.h"
#include "record/rights.h"

enum {
	MOST_FUNCTIONS = 256, /* evenly from all */
	FEW_FUNCTIONS = 32,   /* tell nothing */
	SHORT_BYTES = 64,     /* leaves of some instructions need no frame */
	RATE_MS = 200,
	MOST_LOST_PCT = 2,
};

/* ---- One file ---- */

/* Of each function that is long enough the place in its middle. */
static bool ask_tables(struct lode_frame_pointers *out, const struct lode_frame_tables *tables)
{
	uint64_t start, next, n = lode_frame_tables_count(tables), step = n / MOST_FUNCTIONS + 1;

	for (uint64_t i = 0; i + 1 < n; i += step) {
		start = lode_frame_tables_function(tables, i);
		next = lode_frame_tables_function(tables, i + 1);
		if ((int64_t)(next - start) < SHORT_BYTES)
			continue;
		out->n++;
		out->n_kept +=
			lode_frame_tables_at(tables, start + (next - start) / 2) == LODE_FRAME_KEPT;
	}
	return out->n >= FEW_FUNCTIONS;
}

bool lode_frame_pointers_ask(struct lode_frame_pointers *out, const char *path)
{
	struct lode_elf_file *file = lode_elf_open(path);
	struct lode_frame_tables tables;
	bool is_told;

	*out = (struct lode_frame_pointers){0};
	snprintf(out->file, sizeof(out->file), "%s", lode_path_base(path));
	is_told = file && lode_frame_tables_init(&tables, file) && ask_tables(out, &tables);
	lode_elf_close(file);
	return is_told;
}

/* ---- Which file ---- */

/* "#!/usr/bin/python3 -u": the interpreter runs. */
static void follow_script(char *path, size_t size)
{
	char line[512] = "";
	FILE *in = fopen(path, "re");

	if (in && fgets(line, sizeof(line), in) && line[0] == '#' && line[1] == '!') {
		char *name = line + 2 + strspn(line + 2, " \t");

		name[strcspn(name, " \t\n")] = '\0';
		if (name[0] == '/')
			snprintf(path, size, "%s", name);
	}
	if (in)
		fclose(in);
}

bool lode_program_frame_pointers(struct lode_frame_pointers *out, const char *path)
{
	char program[4400];

	snprintf(program, sizeof(program), "%s", path);
	follow_script(program, sizeof(program));
	return lode_frame_pointers_ask(out, program);
}

/*
 * The file with most code mapped in a running process, or its program if that has a quarter as
 * much: libraries for encryption are larger than many a server.
 */
static bool find_most_code(char *path, size_t size, char *base, size_t base_size, int32_t pid)
{
	unsigned long long from, to, most = 0;
	char name[64], line[4400], program[4400] = "";
	ssize_t n;
	FILE *in;

	snprintf(name, sizeof(name), "/proc/%" PRId32 "/exe", pid);
	n = readlink(name, program, sizeof(program) - 1);
	program[n < 0 ? 0 : n] = '\0';
	snprintf(name, sizeof(name), "/proc/%" PRId32 "/maps", pid);
	in = fopen(name, "re");
	while (in && fgets(line, sizeof(line), in)) {
		char *file = strchr(line, '/');
		unsigned long long code;

		if (!file || !strstr(line, " r-xp ") || sscanf(line, "%llx-%llx", &from, &to) != 2)
			continue;
		file[strcspn(file, "\n")] = '\0';
		code = (to - from) * (strcmp(file, program) ? 1 : 4);
		if (code <= most)
			continue;
		most = code;
		snprintf(base, base_size, "%s", lode_path_base(file));
		/* Also of a container, and of a file that was replaced. */
		snprintf(path, size, "/proc/%" PRId32 "/map_files/%llx-%llx", pid, from, to);
		if (access(path, R_OK) != 0)
			snprintf(path, size, "%s", file);
	}
	if (in)
		fclose(in);
	return most > 0;
}

/* ---- What to do ---- */

static uint32_t n_cpus(void)
{
	return (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

static void __attribute__((format(printf, 2, 3)))
say_stacks(const struct lode_record_options *options, const char *format, ...)
{
	char text[640];
	va_list args;

	if (!options->warn)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	options->warn(options->say_context, text);
}

static bool lack_them(const struct lode_frame_pointers *found)
{
	return found->n_kept < found->n / 2;
}

bool lode_process_frame_pointers(struct lode_frame_pointers *out, int32_t pid)
{
	char path[4400], base[sizeof(out->file)];
	bool is_told;

	*out = (struct lode_frame_pointers){0};
	if (!find_most_code(path, sizeof(path), base, sizeof(base), pid))
		return false;
	is_told = lode_frame_pointers_ask(out, path);
	memcpy(out->file, base, sizeof(base));
	return is_told;
}

/* `why` is the sentence's begin. */
static void say_dumps(const struct lode_record_options *options, bool are_few, double bytes_per_s,
		      const char *why)
{
	say_stacks(options, "%s: %s (up to %.0f MB/s%s)", why,
		   are_few ? "taking stack dumps" : "stack dumps would be too much here",
		   bytes_per_s / 1e6, are_few ? "; use --call-graph fp to avoid them" : "");
}

void lode_choose_stacks(struct lode_record_options *options)
{
	struct lode_frame_pointers found;
	double events_per_s;
	char why[320];

	for (size_t i = 0; i < options->n_pids; i++) {
		if (!lode_process_frame_pointers(&found, options->pids[i]) || !lack_them(&found))
			continue;
		snprintf(why, sizeof(why),
			 "%s of process %" PRId32 " does not keep frame pointers (%zu of %zu "
			 "functions do), so callers of its functions would be missing",
			 found.file, options->pids[i], found.n_kept, found.n);
		events_per_s = lode_switch_rate(RATE_MS) + (double)n_cpus() * options->cpu_rate;
		options->want_dwarf = lode_dumps_fit(events_per_s, n_cpus());
		say_dumps(options, options->want_dwarf, lode_dump_bytes_per_s(events_per_s), why);
		return;
	}
}

static bool are_lost(uint64_t n, uint64_t n_lost)
{
	return 100 * n_lost > MOST_LOST_PCT * (n + n_lost);
}

bool lode_stacks_tell(const struct lode_stacks_seen *seen)
{
	return seen->has_shares || seen->functions.n;
}

bool lode_want_dumps(const struct lode_record_options *options, const struct lode_stacks_seen *seen)
{
	bool are_few = !seen->are_too_many;
	char why[320];

	if (seen->has_shares && seen->chains_pct > LODE_NOTABLE_UNROOTED_PCT)
		snprintf(why, sizeof(why),
			 "%.0f %% of the time in the first second has truncated stacks",
			 seen->chains_pct);
	else if (!seen->has_shares && seen->functions.n && lack_them(&seen->functions))
		snprintf(why, sizeof(why),
			 "%s of the command does not keep frame pointers (%zu of %zu functions "
			 "do), so callers of its functions are missing",
			 seen->functions.file, seen->functions.n_kept, seen->functions.n);
	else
		return false;
	/* In code made at run time, for example. */
	if (are_few && seen->has_dumps && 2 * seen->dumps_pct > seen->chains_pct) {
		say_stacks(options,
			   "%s: stack dumps do not help there: %.0f %% are truncated with them",
			   why, seen->dumps_pct);
		return false;
	}
	say_dumps(options, are_few, seen->events_per_s * LODE_LATER_DUMP_BYTES, why);
	return are_few;
}

static const char otherwise[] = "call chains for the whole recording";

bool lode_are_too_many_dumps(const struct lode_record_options *options, bool is_beyond,
			     const struct lode_dumps_seen *seen)
{
	if (are_lost(seen->n, seen->n_lost)) {
		say_stacks(options,
			   "perf cannot keep up with stack dumps (%" PRIu64 " events lost, %" PRIu64
			   " written): %s",
			   seen->n_lost, seen->n, otherwise);
		return true;
	}
	if (is_beyond)
		say_stacks(options,
			   "stack dumps came faster than %d MB/s on a CPU for too long: %s",
			   LODE_MOST_DUMP_BYTES / 1000000, otherwise);
	return is_beyond;
}

void lode_say_dumps_failed(const struct lode_record_options *options)
{
	say_stacks(options, "the perf that takes stack dumps failed: %s", otherwise);
}

int64_t lode_dumps_walk(struct lode_dumps_seen *seen, const char *path, int64_t from)
{
	enum { DATA_OFFSET_AT = 40 }; /* in the header of the file */
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t words[3], end = 0;
	struct stat st;

	if (fd < 0)
		return from;
	if (pread(fd, words, 2 * sizeof(*words), DATA_OFFSET_AT) == 2 * sizeof(*words)) {
		from = from ? from : (int64_t)words[0];
		end = words[1] ? words[0] + words[1] : 0;
	}
	/* Where perf is done, its own notes stand behind. */
	if (!end && fstat(fd, &st) == 0)
		end = (uint64_t)st.st_size;
	while (from > 0 && (uint64_t)from < end &&
	       pread(fd, words, sizeof(words), from) == sizeof(words)) {
		struct perf_event_header header;

		memcpy(&header, words, sizeof(header));
		if (header.size < sizeof(header) || header.size > end - (uint64_t)from)
			break;
		if (header.type == PERF_RECORD_LOST)
			seen->n_lost += words[2];
		seen->n++;
		from += header.size;
	}
	close(fd);
	return from;
}

void lode_say_stacks(const struct lode_record_options *options,
		     const struct lode_record_result *result)
{
	double bytes = lode_dump_bytes_per_s(result->events_per_s);
	char what[320], cure[320];

	if (result->has_dumps)
		return;
	if (result->unrooted_pct > LODE_NOTABLE_UNROOTED_PCT)
		snprintf(what, sizeof(what),
			 "%.0f %% of the cost has truncated stacks, most of them end in %.80s, "
			 "which keeps no frame pointers: outer callers are missing",
			 result->unrooted_pct, result->unrooted_module);
	else if (result->skips_caller_pct > LODE_NOTABLE_UNROOTED_PCT)
		snprintf(what, sizeof(what),
			 "%.0f %% of the cost lacks the caller of its innermost function, mostly "
			 "of %s in %s, which keeps no frame pointer: these are missing",
			 result->skips_caller_pct, result->skipping_function,
			 result->skipping_module);
	else
		return;
	if (options->want_at_once)
		snprintf(cure, sizeof(cure), "Use a build of it with -fno-omit-frame-pointer");
	else if (lode_dumps_fit(result->events_per_s, n_cpus()))
		snprintf(cure, sizeof(cure),
			 "--call-graph dwarf records them, with up to %.0f MB/s of stack dumps for "
			 "this number of events",
			 bytes / 1e6);
	else
		snprintf(cure, sizeof(cure),
			 "Use a build of it with -fno-omit-frame-pointer; stack dumps of this "
			 "number of events would be %.0f MB/s, and events are lost beyond some "
			 "%.0f MB/s here",
			 bytes / 1e6, (double)n_cpus() * LODE_MOST_DUMP_BYTES / 1e6);
	say_stacks(options, "%s. %s", what, cure);
}
