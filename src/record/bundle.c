/* The bundle's folder and what is put into it beside the recording. */
#include "record/bundle.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/duration.h"
#include "base/escape.h"
#include "record/bundle_symbols.h"
#include "record/compress.h"
#include "record/dump_arguments.h"
#include "record/frame_pointers.h"
#include "record/relevant.h"
#include "record/stored_words.h"
#include "record/title_watch.h"
#include "input/bundle_notes.h"
#include "input/source.h"

/* ---- The directory ---- */

static int make_named(char **path, const char *dir, struct lode_error *err)
{
	/* rmdir takes empty directories only: an empty one that is there may be used. */
	if (mkdir(dir, 0777) < 0 && (errno != EEXIST || rmdir(dir) < 0 || mkdir(dir, 0777) < 0)) {
		if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
			return lode_fail(err, LODE_ERR_IO, dir, -1,
					 "it already exists and is not empty");
		return lode_fail_errno(err, errno, dir, "cannot create the bundle");
	}
	*path = lode_strdup(dir);
	return 0;
}

static int make_dir(char **path, const struct lode_record_options *options, struct lode_error *err)
{
	const char *name = options->command ? lode_path_base(options->command[0]) : "system";
	char dir[512], target[64];

	*path = NULL;
	if (options->bundle)
		return make_named(path, options->bundle, err);
	if (options->n_pids) {
		lode_target_name(target, sizeof(target), options->pids[0]);
		name = target;
	}
	for (unsigned i = 1; i < 10000; i++) {
		if (i == 1)
			snprintf(dir, sizeof(dir), "%.200s.lode", name);
		else
			snprintf(dir, sizeof(dir), "%.200s-%u.lode", name, i);
		if (mkdir(dir, 0777) == 0) {
			*path = lode_strdup(dir);
			return 0;
		}
		if (errno != EEXIST)
			return lode_fail_errno(err, errno, dir, "cannot create the bundle");
	}
	return lode_fail(err, LODE_ERR_IO, dir, -1, "too many bundles have that name");
}

static int write_pids(const char *dir, const struct lode_record_options *options,
		      struct lode_error *err)
{
	char *pids = lode_targets_text(options->pids, options->n_pids);
	int rc = lode_bundle_pids_write(dir, pids, err);

	free(pids);
	return rc;
}

static int write_command(const char *dir, const struct lode_record_options *options,
			 struct lode_error *err)
{
	char **words = lode_words_store_command(options->command, options->titles);
	int rc = lode_bundle_command_write(dir, words, err);

	free(words);
	return rc;
}

int lode_bundle_make(char **path, const struct lode_record_options *options, struct lode_error *err)
{
	int rc = make_dir(path, options, err);

	if (rc == 0)
		rc = lode_bundle_lacks_begin(*path, err);
	if (rc == 0 && options->command)
		rc = write_command(*path, options, err);
	if (rc == 0 && options->n_pids)
		rc = write_pids(*path, options, err);
	if (rc < 0 && *path) {
		lode_bundle_notes_remove(*path);
		rmdir(*path);
		free(*path);
		*path = NULL;
	}
	return rc;
}

/* ---- Who was slow: the life of the command, or of running processes ---- */

/* A file that could not be written whole goes again. */
static int close_written(FILE *out, const char *path, struct lode_error *err)
{
	bool is_bad = ferror(out);
	int errnum;

	if (fclose(out) == 0 && !is_bad)
		return 0;
	errnum = errno;
	unlink(path);
	return lode_fail_errno(err, errnum, path, "cannot write it");
}

/* The command's first process: perf's child that became the program. */
static const struct lode_thread *command_thread(const struct lode_stream *stream)
{
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];

		if (thread->is_command && thread->pid == thread->tid && thread->exec_ns > INT64_MIN)
			return thread;
	}
	return NULL;
}

struct life {
	int32_t pid, tid;
	int64_t t0_ns, t1_ns;
};

typedef LODE_VEC(struct life) life_vec;

static void add_life(life_vec *lives, const struct lode_stream *stream,
		     const struct lode_thread *thread, int64_t t0_ns)
{
	int64_t t1_ns = thread->died_ns < stream->t1_ns ? thread->died_ns : stream->t1_ns;

	if (t1_ns > t0_ns)
		lode_vec_append(lives, ((struct life){thread->pid, thread->tid, t0_ns, t1_ns}));
}

/* The command's, or those of the threads of the processes: one that did nothing has no stack. */
static void find_lives(life_vec *lives, const struct lode_stream *stream,
		       const struct lode_record_options *options, int64_t begin_ns)
{
	const struct lode_thread *command = options->n_pids ? NULL : command_thread(stream);

	if (command)
		add_life(lives, stream, command, command->exec_ns);
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		bool is_target = false;

		for (size_t k = 0; k < options->n_pids; k++)
			is_target |= thread->pid == options->pids[k];
		if (is_target && thread->events.n)
			add_life(lives, stream, thread,
				 thread->born_ns > begin_ns ? thread->born_ns : begin_ns);
	}
}

/* The kernel function that a process sleeps in: " in hrtimer_nanosleep"; "" if not known. */
static const char *where_it_sleeps(char text[80], int32_t pid)
{
	char path[64];
	FILE *in;
	size_t n = (size_t)snprintf(text, 80, " in ");

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	in = fopen(path, "re");
	if (!in || !fgets(text + n, (int)(80 - n), in) || text[n] == '0')
		text[0] = '\0';
	if (in)
		fclose(in);
	return text;
}

/* Processes that were to be recorded, and have nothing in the recording. */
static void say_absent(const struct lode_record_options *options, const life_vec *lives)
{
	char path[64], where[80], text[320];

	for (size_t i = 0; options->warn && i < options->n_pids; i++) {
		int32_t pid = options->pids[i];
		bool is_there = false;

		for (size_t k = 0; k < lives->n; k++)
			is_there |= lives->at[k].pid == pid;
		if (is_there)
			continue;
		snprintf(path, sizeof(path), "/proc/%d", pid);
		if (access(path, F_OK) == 0)
			snprintf(text, sizeof(text),
				 "process %d slept during the whole recording%s: nothing of it can "
				 "be analysed. Record while it works, or for longer",
				 pid, where_it_sleeps(where, pid));
		else
			snprintf(text, sizeof(text),
				 "process %d has ended, and nothing of it was recorded", pid);
		options->warn(options->say_context, text);
	}
}

static int write_symptoms(const char *dir, const char *recording, const life_vec *lives,
			  struct lode_error *err)
{
	char path[1024];
	FILE *out;

	snprintf(path, sizeof(path), "%s/symptoms.tsv", dir);
	out = fopen(path, "we");
	if (!out)
		return lode_fail_errno(err, errno, path, "cannot write it");
	fprintf(out, "stream\tpid\ttid\tt0_ns\tt1_ns\n");
	for (size_t i = 0; i < lives->n; i++)
		fprintf(out, "%s\t%d\t%d\t%lld\t%lld\n", recording, lives->at[i].pid,
			lives->at[i].tid, (long long)lives->at[i].t0_ns,
			(long long)lives->at[i].t1_ns);
	return close_written(out, path, err);
}

/* ---- README: what this is ---- */

/* Words of the command, as far as they are stored. */
static void print_stored_command(FILE *out, const struct lode_record_options *options)
{
	char **words;

	if (!options->command)
		return;
	if (options->titles == LODE_TITLES_NONE) {
		fprintf(out, "command    not stored (--titles none)\n");
		return;
	}
	words = lode_words_store_command(options->command, options->titles);
	fprintf(out, "command    ");
	lode_record_print_command(out, words);
	free(words);
	fprintf(out, "           (%s)\n",
		options->titles == LODE_TITLES_FULL
			? "without apparent secrets"
			: "other arguments are not stored; --titles full stores them");
}

static int write_readme(const char *dir, const struct lode_record_result *result,
			const struct lode_record_options *options, char *const *perf_argv,
			struct lode_error *err)
{
	struct utsname machine;
	char path[1024], when[LODE_UTC_BYTES];
	FILE *out;

	uname(&machine);
	lode_utc_text(when, (int64_t)time(NULL) * 1000000000, LODE_UTC_SECONDS " UTC");
	snprintf(path, sizeof(path), "%s/README", dir);
	out = fopen(path, "we");
	if (!out)
		return lode_fail_errno(err, errno, path, "cannot write it");
	fprintf(out,
		"This folder is a recording made by lode record: what a program and the whole\n"
		"machine around it did, with the symbols to read it on any machine.\n\n"
		"  lode mine %s        what made it slow\n"
		"  lode info %s        what was recorded, and how well\n\n"
		"  perf.data*    the recording (perf reads it as well: zstd -d, then\n"
		"                perf --buildid-dir symbols script -i perf.data)\n"
		"  symbols/      programs, libraries and kernel symbols by build-id\n"
		"  symptoms.tsv  the lifetime of the command, or of the recorded threads\n"
		"  titles.tsv    what processes were called (lode record --titles)\n\n",
		lode_path_base(dir), lode_path_base(dir));
	fprintf(out, "recorded   %s\nhost       %s\nkernel     %s %s\n", when, machine.nodename,
		machine.release, machine.machine);
	fprintf(out, "stacks     by %s\n", result->has_dumps ? "stack dumps" : "call chains");
	if (result->command_exit >= 0)
		fprintf(out, "exit       %d%s\n", result->command_exit,
			result->was_stopped ? " (stopped)" : "");
	print_stored_command(out, options);
	fprintf(out, "recorded by\n    ");
	lode_record_print_command(out, perf_argv);
	return close_written(out, path, err);
}

/* ---- All of it ---- */

static void say_bundle(const struct lode_record_options *options, const char *text)
{
	if (options->say)
		options->say(options->say_context, text);
}

int lode_bundle_read(struct lode_stream **stream, const char *path, unsigned n_threads,
		     struct lode_error *err)
{
	struct lode_symbol_options symbols = {0};
	struct lode_source_options source = {
		.narrow = lode_narrow_none,
		.n_threads = n_threads,
	};
	int rc = lode_symboliser_new(&source.symboliser, &symbols, err);

	*stream = NULL;
	if (rc < 0)
		return rc;
	rc = lode_stream_load(stream, path, &source, err);
	lode_symboliser_free(source.symboliser);
	return rc;
}

/* A part that could not be written costs no other: what is lacking, and what serves in its place.
 */
static void __attribute__((format(printf, 4, 5)))
lack(struct lode_record_result *result, const char *dir, const struct lode_error *why,
     const char *format, ...)
{
	char what[400], *lines;
	size_t size;
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	size = (result->lacks ? strlen(result->lacks) : 0) + strlen(what) + strlen(why->message) +
	       4;
	lines = lode_alloc(size);
	snprintf(lines, size, "%s%s: %s\n", result->lacks ? result->lacks : "", what, why->message);
	free(result->lacks);
	result->lacks = lines;
	/* Failures to write there are reported on stderr. */
	(void)lode_bundle_lacks_say(dir, lines, NULL);
}

/* A name from the recording, for a message. */
static void keep_name(char out[80], const char *name)
{
	lode_escape_fit(out, 80, name && *name ? name : "unnamed code", 40);
}

/* What the next recording could do better, while its user still watches. */
static void measure(struct lode_record_result *result, const struct lode_stream *stream)
{
	struct lode_quality quality = {0};

	lode_quality_assess(&quality, stream);
	result->unrooted_pct = lode_part_pct(quality.command.unrooted);
	result->skips_caller_pct = lode_part_pct(quality.command.skips_caller);
	keep_name(result->unrooted_module, quality.unrooted_module);
	keep_name(result->skipping_module, quality.skipping_module);
	keep_name(result->skipping_function, quality.skipping_function);
	lode_quality_release(&quality);
	result->events_per_s = lode_dump_rate(stream);
	result->n_lost = stream->losses.by_kind[LODE_LOSS_EVENTS].count;
	result->n_events = stream->n_samples;
}

static void add_symbols(struct lode_record_result *result, const char *dir, const char *path,
			const char *perf, const struct lode_stream *stream)
{
	struct lode_error why = {0};
	char modules[64];

	if (lode_bundle_symbols(result, dir, path, perf, stream, &why) == 0)
		return;
	snprintf(modules, sizeof(modules), "of %zu modules ", result->n_unwritten);
	lack(result, dir, &why,
	     "lacks symbols %s(this machine still finds them; elsewhere those functions have no "
	     "names)",
	     result->n_unwritten ? modules : "");
}

/* Of all processes when what is slow will be chosen later, or when all was asked for. */
static void add_titles(struct lode_record_result *result, const char *dir,
		       const struct lode_record_options *options, int titles,
		       const struct lode_stream *stream)
{
	bool is_of_all =
		options->titles == LODE_TITLES_FULL || (!options->command && !options->n_pids);
	lode_symptom_vec lives = {0};
	struct lode_error why = {0};
	struct lode_map pids = {0};

	if (titles < 0)
		return;
	if (!is_of_all) {
		lode_command_lives(&lives, stream);
		lode_relevant_processes(&pids, stream, &lives);
	}
	if (lode_titles_write(&result->n_titles, dir, titles, is_of_all ? NULL : &pids, &why) < 0)
		lack(result, dir, &why, "lacks titles.tsv (processes are called by their comm)");
	lode_vec_release(&lives);
	lode_map_release(&pids);
}

static void pack_bundle(struct lode_record_result *result, const char *dir, const char *packed,
			const char *path)
{
	struct lode_error why = {0};

	if (lode_compress_file(packed, path, &why) == 0)
		unlink(path);
	else
		lack(result, dir, &why,
		     "is not compressed (perf.data is as perf wrote it; lode reads it as well)");
}

int lode_bundle_fill(struct lode_record_result *result, const char *dir,
		     const struct lode_record_options *options, int titles, char *const *perf_argv,
		     struct lode_error *err)
{
	const char *name = options->keep_plain ? "perf.data" : "perf.data.zst";
	struct lode_stream *stream;
	struct lode_error why = {0};
	char path[1024], packed[1024];
	life_vec lives = {0};
	struct stat st;
	int rc;

	snprintf(path, sizeof(path), "%s/perf.data", dir);
	snprintf(packed, sizeof(packed), "%s/%s", dir, name);
	if (result->has_dumps && lode_dumps_erase_arguments(path, &why) < 0)
		lack(result, dir, &why,
		     "has stack dumps with arguments and environment of processes, which could not "
		     "be erased (do not share it)");
	say_bundle(options, "reading the recording");
	rc = lode_bundle_read(&stream, path, lode_pool_cpus(), err);
	if (rc < 0) {
		lack(result, dir, err, "lacks a recording that can be read (it cannot be used)");
		lode_bundle_lacks_settle(dir);
		return rc;
	}
	if (stream->losses.by_kind[LODE_LOSS_TRUNCATED].count) {
		lode_fail(&why, LODE_ERR_TRUNCATED, NULL, -1, "perf could not finish perf.data");
		lack(result, dir, &why,
		     "lacks the end of the recording (the rest can be used, see lode info)");
	}
	measure(result, stream);
	find_lives(&lives, stream, options, result->begin_ns);
	add_titles(result, dir, options, titles, stream);
	if (!options->no_symbols) {
		say_bundle(options, "copying symbols");
		add_symbols(result, dir, path, perf_argv[0], stream);
	}
	lode_stream_free(stream);
	if (!options->keep_plain) {
		say_bundle(options, "compressing");
		pack_bundle(result, dir, packed, path);
	}
	if (stat(packed, &st) < 0)
		name = "perf.data";
	say_absent(options, &lives);
	result->n_symptoms = lives.n;
	if (lives.n && write_symptoms(dir, name, &lives, &why) < 0)
		lack(result, dir, &why,
		     "lacks symptoms.tsv (lode mine uses all threads of the command instead)");
	lode_vec_release(&lives);
	if (write_readme(dir, result, options, perf_argv, &why) < 0)
		lack(result, dir, &why, "lacks README (not needed)");
	if (stat(packed, &st) == 0 || stat(path, &st) == 0)
		result->size_bytes = st.st_size;
	if (result->lacks)
		lode_bundle_lacks_settle(dir);
	else
		lode_bundle_lacks_end(dir);
	return 0;
}
