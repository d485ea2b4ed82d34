#include "recorder/bundle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/pool.h"
#include "recorder/bundle_symbols.h"
#include "recorder/compress.h"
#include "sources/source.h"

/* ---- The directory ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int make_named(char **path, const char *dir, struct lode_error *err)
{
	/* rmdir takes empty directories only: an empty one that is there may be used. */
	if (mkdir(dir, 0777) < 0 && (errno != EEXIST || rmdir(dir) < 0 || mkdir(dir, 0777) < 0)) {
		if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
			return lode_fail(err, LODE_ERR_IO, dir, -1,
					 "it is there already, and not empty");
		return lode_fail_errno(err, errno, dir, "making the bundle");
	}
	*path = lode_strdup(dir);
	return 0;
}

int lode_bundle_make(char **path, const struct lode_record_options *options, struct lode_error *err)
{
	const char *name = options->command ? base_name(options->command[0]) : "system";
	char dir[512];

	*path = NULL;
	if (options->bundle)
		return make_named(path, options->bundle, err);
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
			return lode_fail_errno(err, errno, dir, "making the bundle");
	}
	return lode_fail(err, LODE_ERR_IO, dir, -1, "there are too many bundles of that name");
}

/* ---- Who was slow: the life of the command ---- */

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

static int write_symptoms(const char *dir, const char *recording, const struct lode_stream *stream,
			  struct lode_error *err)
{
	const struct lode_thread *thread = command_thread(stream);
	int64_t end_ns;
	char path[1024];
	FILE *out;

	if (!thread)
		return 0;
	end_ns = thread->died_ns < stream->t1_ns ? thread->died_ns : stream->t1_ns;
	snprintf(path, sizeof(path), "%s/symptoms.tsv", dir);
	out = fopen(path, "we");
	if (!out)
		return lode_fail_errno(err, errno, path, "writing it");
	fprintf(out, "stream\tpid\ttid\tt0_ns\tt1_ns\n%s\t%d\t%d\t%lld\t%lld\n", recording,
		thread->pid, thread->tid, (long long)thread->exec_ns, (long long)end_ns);
	if (fclose(out))
		return lode_fail_errno(err, errno, path, "writing it");
	return 0;
}

/* ---- README: what this is ---- */

static int write_readme(const char *dir, const struct lode_record_result *result,
			char *const *perf_argv, struct lode_error *err)
{
	struct utsname machine;
	char path[1024], when[64];
	time_t now = time(NULL);
	struct tm utc;
	FILE *out;

	uname(&machine);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &utc));
	snprintf(path, sizeof(path), "%s/README", dir);
	out = fopen(path, "we");
	if (!out)
		return lode_fail_errno(err, errno, path, "writing it");
	fprintf(out,
		"This folder is a recording made by lode record: what a program and the whole\n"
		"machine around it did, with the symbols to read it on any machine.\n\n"
		"  lode mine %s        what made it slow\n"
		"  lode info %s        what was recorded, and how well\n\n"
		"  perf.data*    the recording (perf reads it as well: zstd -d, then\n"
		"                perf --buildid-dir symbols script -i perf.data)\n"
		"  symbols/      programs, libraries and kernel symbols by build-id\n"
		"  symptoms.tsv  the command's life, from its exec to its end\n\n",
		base_name(dir), base_name(dir));
	fprintf(out, "recorded   %s\nhost       %s\nkernel     %s %s\n", when, machine.nodename,
		machine.release, machine.machine);
	if (result->command_exit >= 0)
		fprintf(out, "exit       %d%s\n", result->command_exit,
			result->was_stopped ? " (stopped)" : "");
	fprintf(out, "recorded by\n    ");
	lode_record_print_command(out, perf_argv);
	if (fclose(out))
		return lode_fail_errno(err, errno, path, "writing it");
	return 0;
}

/* ---- All of it ---- */

static void say(const struct lode_record_options *options, const char *text)
{
	if (options->say)
		options->say(options->say_context, text);
}

/* Reads the recording for what it needs: modules that stacks hit, the command's life. */
static int load(struct lode_stream **stream, const char *path, struct lode_error *err)
{
	struct lode_symbol_options symbols = {0};
	struct lode_source_options source = {
		.narrow = lode_narrow_none,
		.n_threads = lode_pool_cpus(),
	};
	int rc = lode_symboliser_new(&source.symboliser, &symbols, err);

	*stream = NULL;
	if (rc == 0)
		rc = lode_stream_load(stream, path, &source, err);
	lode_symboliser_free(source.symboliser);
	return rc;
}

int lode_bundle_fill(struct lode_record_result *result, const char *dir,
		     const struct lode_record_options *options, char *const *perf_argv,
		     struct lode_error *err)
{
	const char *name = options->keep_plain ? "perf.data" : "perf.data.zst";
	struct lode_stream *stream;
	char path[1024], packed[1024];
	struct stat st;
	int rc;

	snprintf(path, sizeof(path), "%s/perf.data", dir);
	snprintf(packed, sizeof(packed), "%s/%s", dir, name);
	say(options, "reading the recording");
	rc = load(&stream, path, err);
	if (rc == 0)
		rc = write_symptoms(dir, name, stream, err);
	if (rc == 0 && !options->no_symbols) {
		say(options, "copying symbols");
		rc = lode_bundle_symbols(result, dir, path, perf_argv[0], stream, err);
	}
	lode_stream_free(stream);
	if (rc == 0 && !options->keep_plain) {
		say(options, "compressing");
		rc = lode_compress_file(packed, path, err);
		if (rc == 0)
			unlink(path);
	}
	if (rc == 0)
		rc = write_readme(dir, result, perf_argv, err);
	if (rc == 0 && stat(packed, &st) == 0)
		result->size_bytes = st.st_size;
	return rc;
}
