/*
 * Real recordings with planted bugs, whose costs the recorded program measured itself: what the
 * critical path attributes to a bug's functions must be that. Skipped without the shared traces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/waits/aoi.h"
#include "input/source.h"

enum { MAX_COLUMNS = 32 };

/* A planted bug: frames that all of its stacks have, and one of the thread at fault. */
static const struct bug {
	const char *column; /* of the manifest: ms that the program measured */
	const char *frames[3];
	const char *root, *link;
} bugs[] = {
	{"path_ms", {"path_canonicalize", "path_query_component"}, NULL, NULL},
	{"lock_ms",
	 {"session_restore", "session_state_get"},
	 "journal_flush_segment",
	 "ph-journal"},
	{"fault_ms", {"resource_pack_open", "resource_decode_entry"}, NULL, NULL},
	{"crc_ms", {"spellcheck_plugin_init", "checksum_bitwise"}, NULL, NULL},
	{"helper_ms", {"license_check", "helper_read_reply"}, NULL, "plughelper"},
	{"logrot_ms",
	 {"plugin_dump_manifest", "log_write", "log_reserve"},
	 "log_rotate",
	 "ph-logger"},
};

/* ---- The manifest ---- */

struct manifest {
	char *names_line, *row_line;
	char *names[MAX_COLUMNS], *row[MAX_COLUMNS];
	size_t n_columns;
};

static size_t split(char *line, char **fields)
{
	size_t n = 0;

	line[strcspn(line, "\n")] = '\0';
	while (line && n < MAX_COLUMNS)
		fields[n++] = strsep(&line, "\t");
	return n;
}

static const char *field(const struct manifest *manifest, const char *name)
{
	for (size_t i = 0; i < manifest->n_columns; i++)
		if (!strcmp(manifest->names[i], name))
			return manifest->row[i];
	fail_msg("the manifest has no column %s", name);
	return "";
}

/* The row of `trace`; false when there is no manifest. */
static bool read_manifest(struct manifest *manifest, const char *folder, const char *trace)
{
	char path[1024];
	size_t capacity = 0, len = strlen(trace);
	FILE *file;

	memset(manifest, 0, sizeof(*manifest));
	snprintf(path, sizeof(path), "%s/manifest.tsv", folder);
	file = fopen(path, "r");
	if (!file)
		return false;
	assert_true(getline(&manifest->names_line, &capacity, file) > 0);
	capacity = 0;
	while (getline(&manifest->row_line, &capacity, file) > 0)
		if (!strncmp(manifest->row_line, trace, len) && manifest->row_line[len] == '.')
			break;
	fclose(file);
	manifest->n_columns = split(manifest->names_line, manifest->names);
	assert_int_equal(split(manifest->row_line, manifest->row), manifest->n_columns);
	return true;
}

static void release_manifest(struct manifest *manifest)
{
	free(manifest->names_line);
	free(manifest->row_line);
}

/* ---- The digest ---- */

static bool has_function(const struct lode_digest *digest, uint32_t stack, const char *function)
{
	const struct lode_calltree *tree = &digest->tree;

	for (; stack; stack = tree->nodes.at[stack].parent)
		if (!strcmp(lode_frame_function(tree, tree->nodes.at[stack].frame), function))
			return true;
	return false;
}

static bool is_of_bug(const struct lode_digest *digest, uint32_t stack, const struct bug *bug)
{
	for (size_t i = 0; i < 3 && bug->frames[i]; i++)
		if (!has_function(digest, stack, bug->frames[i]))
			return false;
	return true;
}

static void check_bug(const struct lode_digest *digest, const struct bug *bug, double truth_ms)
{
	double cost_ms = 0, root_ms = 0, link_ms = 0;

	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];
		double ms = (double)row->cost_ns / 1e6;

		if (!is_of_bug(digest, row->stack, bug))
			continue;
		cost_ms += ms;
		root_ms += bug->root && has_function(digest, row->stack, bug->root) ? ms : 0;
		link_ms += bug->link && has_function(digest, row->stack, bug->link) ? ms : 0;
	}
	print_message("%s: %.1f of %.1f ms, %.1f under %s\n", bug->column, cost_ms, truth_ms,
		      link_ms, bug->link ? bug->link : "no other thread");
	/* The program's own clock readings and the switches around them are not the same instant.
	 */
	if (cost_ms < 0.99 * truth_ms - 1 || cost_ms > 1.01 * truth_ms + 1)
		fail_msg("%s: %.3f ms of the critical path, measured were %.3f", bug->column,
			 cost_ms, truth_ms);
	/* Part of the time is the symptom thread's own: ready, running between two waits. */
	if ((bug->root && root_ms < 0.85 * truth_ms) || (bug->link && link_ms < 0.85 * truth_ms))
		fail_msg("%s: the chain does not reach the thread at fault", bug->column);
}

static void check_recording(const char *trace)
{
	const char *top = getenv("LODE_TOP");
	struct lode_symbol_options symbols = {0};
	struct lode_source_options options = {.narrow = lode_narrow_none, .n_threads = 1};
	struct lode_aoi_options aoi = {.scope = LODE_SCOPE_CRITICAL};
	struct lode_symptom symptom = {0};
	struct lode_stream *stream;
	struct lode_digest *digest;
	struct manifest manifest;
	struct lode_error err = {0};
	char folder[512], path[1024];
	int64_t cost_ns = 0;
	double truth_ms;

	snprintf(folder, sizeof(folder), "%s/../shared/traces/startup", top ? top : ".");
	if (!read_manifest(&manifest, folder, trace))
		skip();
	snprintf(path, sizeof(path), "%s/symbols", folder);
	symbols.buildid_dir = path;
	assert_int_equal(lode_symboliser_new(&options.symboliser, &symbols, &err), 0);
	snprintf(path, sizeof(path), "%s/%s", folder, field(&manifest, "trace"));
	if (lode_stream_load(&stream, path, &options, &err) < 0)
		fail_msg("%s: %s", path, err.message);
	symptom.thread = lode_map_find(&stream->thread_index,
				       (uint32_t)strtol(field(&manifest, "tid"), NULL, 10));
	symptom.t0_ns = strtoll(field(&manifest, "t0_ns"), NULL, 10);
	symptom.t1_ns = strtoll(field(&manifest, "t1_ns"), NULL, 10);
	assert_int_equal(lode_aoi_digest(&digest, stream, &symptom, 1, &aoi, &err), 0);
	for (size_t i = 0; i < digest->rows.n; i++)
		cost_ns += digest->rows.at[i].cost_ns;
	assert_int_equal(cost_ns, symptom.t1_ns - symptom.t0_ns);
	for (size_t i = 0; i < sizeof(bugs) / sizeof(*bugs); i++) {
		truth_ms = strtod(field(&manifest, bugs[i].column), NULL);
		if (truth_ms > 0)
			check_bug(digest, &bugs[i], truth_ms);
	}
	lode_digest_free(digest);
	lode_stream_free(stream);
	lode_symboliser_free(options.symboliser);
	release_manifest(&manifest);
}

static void test_a_lock_two_hops_away_costs_what_was_measured(void **state)
{
	(void)state;
	check_recording("startup-01");
}

static void test_page_faults_and_computing_cost_what_was_measured(void **state)
{
	(void)state;
	check_recording("startup-04");
}

static void test_a_log_that_rotates_costs_what_was_measured(void **state)
{
	(void)state;
	check_recording("startup-13");
}

static void test_look_ups_and_a_helper_process_cost_what_was_measured(void **state)
{
	(void)state;
	check_recording("startup-20");
}

static void test_a_program_without_planted_bugs_sums_up(void **state)
{
	(void)state;
	check_recording("gitstatus-16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lock_two_hops_away_costs_what_was_measured),
		cmocka_unit_test(test_page_faults_and_computing_cost_what_was_measured),
		cmocka_unit_test(test_a_log_that_rotates_costs_what_was_measured),
		cmocka_unit_test(test_look_ups_and_a_helper_process_cost_what_was_measured),
		cmocka_unit_test(test_a_program_without_planted_bugs_sums_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
