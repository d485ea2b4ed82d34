/*
 * Digests of a fleet: 50 programs with 100 kinds of stacks each, on 200 hosts, in 20 releases.
 *
 *   gen_fleet N OUT_DIR [FIRST]    digests FIRST to FIRST + N - 1 of a fleet:
 *                                  OUT_DIR/000/000000.digest ... OUT_DIR/manifest
 *
 * A digest is one recording of one program: one to three symptoms, each with some of the program's
 * stacks, the common ones more often than the rare, and name statistics of a few more. One in a
 * hundred lost events, one in a thousand has an incomplete bundle. The manifest gives each the
 * label of its release. Digest i is the same whatever N and FIRST are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gen_names.h"
#include "gen_write.h"
#include "model/stream.h"
#include "streams/shape.h"
#include "streams/digest_job.h"

enum {
	N_PROGRAMS = 50,
	N_KINDS = 100, /* of stacks, each program */
	N_OWN = 150,   /* functions of a program */
	N_SHARED = 80, /* of the library that all use */
	N_HOSTS = 200,
	N_RELEASES = 20,
	MAX_DEPTH = 40,
	MOST_ROWS = 9,
};

struct kind {
	uint16_t function[MAX_DEPTH]; /* own ones, behind them those of the library */
	unsigned depth;
	int wait; /* enum gen_wait; -1: it runs */
};

struct program {
	char name[16];
	char functions[N_OWN][64];
	struct kind kinds[N_KINDS];
};

static struct program programs[N_PROGRAMS];
static char shared[N_SHARED][64];

static void make_program(struct program *program, struct gen_random *random, int number)
{
	snprintf(program->name, sizeof(program->name), "service%02d", number);
	for (int i = 0; i < N_OWN; i++)
		gen_name(random, GEN_APP, program->functions[i], sizeof(program->functions[i]));
	for (int k = 0; k < N_KINDS; k++) {
		struct kind *kind = &program->kinds[k];
		unsigned depth = 5 + gen_below(random, MAX_DEPTH - 20);

		/* Stacks of a program begin alike. */
		if (k)
			*kind = program->kinds[gen_below(random, (uint32_t)k)];
		kind->depth = kind->depth * gen_below(random, 100) / 100;
		while (kind->depth < depth)
			kind->function[kind->depth++] =
				(uint16_t)(gen_below(random, 4)
						   ? gen_zipf(random, N_OWN)
						   : N_OWN + gen_zipf(random, N_SHARED));
		kind->wait = gen_below(random, 3) ? (int)gen_below(random, GEN_N_WAITS) : -1;
	}
}

static void make_programs(void)
{
	struct gen_random random = {1};

	for (int i = 0; i < N_SHARED; i++)
		gen_name(&random, GEN_LIBRARY, shared[i], sizeof(shared[i]));
	for (int i = 0; i < N_PROGRAMS; i++)
		make_program(&programs[i], &random, i);
}

/* ---- One recording ---- */

struct recording {
	struct lode_digest *digest;
	const struct program *program;
	struct gen_random random;
	unsigned release;
};

/* Each release renames a few functions: code changes. */
static uint32_t frame_of(struct recording *r, unsigned function)
{
	struct lode_calltree *tree = &r->digest->tree;
	char name[80];

	if (function >= N_OWN)
		return lode_frame_intern(tree, "libwork.so", shared[function - N_OWN], 0);
	snprintf(name, sizeof(name), "%s", r->program->functions[function]);
	if (r->release && function % N_RELEASES == r->release)
		snprintf(name + strlen(name), sizeof(name) - strlen(name), "_v%u", r->release);
	return lode_frame_intern(tree, r->program->name, name, 0);
}

static uint32_t stack_of(struct recording *r, const struct kind *kind)
{
	struct lode_calltree *tree = &r->digest->tree;
	uint32_t node =
		lode_calltree_child(tree, 0, lode_frame_intern(tree, "libc.so.6", "_start", 0));

	for (unsigned i = 0; i < kind->depth; i++)
		node = lode_calltree_child(tree, node, frame_of(r, kind->function[i]));
	if (kind->wait < 0)
		return node;
	if (*gen_wait_names[kind->wait].wrapper)
		node = lode_calltree_child(tree, node,
					   lode_frame_intern(tree, "libc.so.6",
							     gen_wait_names[kind->wait].wrapper,
							     0));
	for (const char *const *name = gen_wait_names[kind->wait].kernel; *name; name++)
		node = lode_calltree_child(
			tree, node, lode_frame_intern(tree, "[kernel]", *name, LODE_FRAME_KERNEL));
	return node;
}

static uint8_t reason_of(const struct kind *kind)
{
	for (unsigned i = 0; kind->wait >= 0 && i < LODE_N_REASONS; i++)
		if (!strcmp(lode_wait_reason_name((enum lode_wait_reason)i),
			    gen_wait_names[kind->wait].reason))
			return (uint8_t)i;
	return LODE_REASON_NONE;
}

static void count_names(struct lode_digest *digest, uint32_t stack, uint32_t n)
{
	struct lode_name_stats *names = &digest->names;
	uint32_t frames[2 * MAX_DEPTH];
	size_t depth = lode_calltree_path(&digest->tree, stack, frames);

	while (names->n_with.n < digest->tree.frames.n) {
		lode_vec_append(&names->n_with, 0);
		lode_vec_append(&names->n_callee, 0);
		lode_vec_append(&names->n_caller, 0);
	}
	names->n_stacks += n;
	for (size_t i = 0; i < depth; i++) {
		bool is_first = true;

		for (size_t k = 0; k < i; k++)
			is_first &= frames[k] != frames[i];
		names->n_with.at[frames[i]] += is_first ? n : 0;
		if (!i)
			continue;
		names->n_caller.at[frames[i]] += n;
		names->n_callee.at[frames[i - 1]] += n;
		lode_name_stats_add_pair(names,
					 &(struct lode_name_pair){frames[i - 1], frames[i], n});
	}
}

static void add_rows(struct recording *r, uint32_t symptom, int64_t t0_ns)
{
	struct lode_digest *digest = r->digest;
	uint32_t n = 2 + gen_below(&r->random, MOST_ROWS - 1);
	size_t first = digest->rows.n;

	for (uint32_t i = 0; i < n; i++) {
		const struct kind *kind = &r->program->kinds[gen_zipf(&r->random, N_KINDS)];
		struct lode_digest_row row = {
			.stack = stack_of(r, kind),
			.symptom = symptom,
			.kind = kind->wait < 0 ? LODE_EVENT_RUNNING : LODE_EVENT_WAITING,
			.reason = reason_of(kind),
			.cost_ns = gen_exponential(&r->random, 2e7, 1000),
			.n_events = 1 + gen_below(&r->random, 20),
		};
		bool is_there = false;

		for (size_t k = first; k < digest->rows.n; k++)
			is_there |= digest->rows.at[k].stack == row.stack;
		if (is_there)
			continue;
		row.worst_t0_ns = t0_ns + gen_below(&r->random, 1000000);
		row.worst_cost_ns = row.cost_ns / (1 + gen_below(&r->random, row.n_events));
		digest->n_events += row.n_events;
		count_names(digest, row.stack, row.n_events);
		lode_vec_append(&digest->rows, row);
	}
	lode_digest_rows_sort(digest->rows.at + first, digest->rows.n - first);
}

static void add_symptom(struct recording *r)
{
	struct lode_digest_symptom symptom = {
		.pid = 1000 + (int32_t)gen_below(&r->random, 30000),
		.comm = gen_intern(r->digest, r->program->name),
		.t0_ns = 1000000000 + gen_below(&r->random, 2000000000),
	};

	symptom.tid = symptom.pid;
	symptom.t1_ns = symptom.t0_ns + gen_exponential(&r->random, 2e8, 1000000);
	lode_vec_append(&r->digest->symptoms, symptom);
	add_rows(r, (uint32_t)r->digest->symptoms.n - 1, symptom.t0_ns);
}

static void describe(struct recording *r, unsigned number)
{
	/* One every eight seconds, from 2025-10-09 on. */
	struct lode_digest_stream stream = {
		.content_hash = gen_u64(&r->random),
		.t0_ns = 1000000000,
		.t1_ns = 61000000000,
		.has_wall_clock = true,
		.wall_offset_ns = 1760000000000000000 + number * 8000000000LL,
	};
	struct lode_loss_note losses[] = {
		{LODE_LOSS_EVENTS, 17, -1, 0, 0, 0, "17 events of CPU 3"},
		{LODE_LOSS_BUNDLE, 1, -1, 0, 0, 0, "lacks symbols of 3 modules"},
	};
	char text[64];

	snprintf(text, sizeof(text), "fleet/%06u.perf.data", number);
	stream.path = gen_intern(r->digest, text);
	snprintf(text, sizeof(text), "web%u", gen_below(&r->random, N_HOSTS));
	stream.host = gen_intern(r->digest, text);
	stream.kernel = gen_intern(r->digest, number % 3 ? "6.1.0-18-amd64" : "6.1.0-21-amd64");
	if (number % 1000 == 999)
		lode_digest_losses_copy(r->digest, &stream, losses + 1, 1);
	else if (number % 100 == 50)
		lode_digest_losses_copy(r->digest, &stream, losses, 1);
	lode_vec_append(&r->digest->streams, stream);
	r->digest->unit = r->digest->tree.strings.text.at[gen_intern(r->digest, "ns")];
}

/* How many recordings have a release: the fleet goes on with the first one after the last. */
enum { RELEASE_LASTS = 50 };

static void make_recording(struct recording *r, unsigned number)
{
	memset(r, 0, sizeof(*r));
	r->random.state = number * 0x9e3779b97f4a7c15u + 7;
	r->program = &programs[gen_below(&r->random, N_PROGRAMS)];
	r->release = number / RELEASE_LASTS % N_RELEASES;
	r->digest = lode_digest_new();
	describe(r, number);
	for (uint32_t i = 1 + gen_below(&r->random, 3); i; i--)
		add_symptom(r);
	for (uint32_t i = gen_below(&r->random, 6); i; i--)
		count_names(r->digest,
			    stack_of(r, &r->program->kinds[gen_below(&r->random, N_KINDS)]), 1);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	unsigned first = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	struct lode_digest_job_options options = {.narrow = lode_narrow_none};
	struct lode_digest_origin origin = {.symptom_text = "every request",
					    .n_inputs = 1,
					    .input_bytes = 440000,
					    .content_bytes = 10000000};
	char path[4096];
	FILE *manifest;

	if (!n) {
		fprintf(stderr, "usage: gen_fleet N OUT_DIR [FIRST]\n");
		return 2;
	}
	make_programs();
	origin.shape = lode_shape_of(&options, false, &origin.arena);
	manifest = gen_manifest_open(argv[2]);
	for (unsigned i = first; i < first + n; i++) {
		struct recording recording;

		snprintf(path, sizeof(path), "%s/%03u", argv[2], i / 1000);
		mkdir(path, 0777);
		snprintf(path, sizeof(path), "%s/%03u/%06u.digest", argv[2], i / 1000, i);
		make_recording(&recording, i);
		gen_digest_write(manifest, path, recording.release, recording.digest, &origin);
		lode_digest_free(recording.digest);
	}
	lode_digest_origin_release(&origin);
	return fclose(manifest) == 0 ? 0 : 1;
}
