/*
 * Functions that are one over recordings, on made schedules of problems: each problem has a path of
 * its own and comes and goes by recording, and in some recordings functions have other names, are
 * inlined or wrapped. What is mined then is compared with what was made: purity is the share of the
 * cost that is in a cluster of mostly its own problem, completeness the share that is in its
 * problem's largest cluster.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "engine/aliases/aliases.h"
#include "engine/mine/mine.h"
#include "model/digest_rename.h"
#include "cases.h"
#include "random.h"

enum { MAX_PROBLEMS = 7, MAX_PATHS = 24, MAX_DEPTH = 40, MAX_STREAMS = 60, MAX_CHANGES = 3 };

static struct test_random generator;

static uint32_t rnd(uint32_t n)
{
	return test_random_below(&generator, n);
}

static bool chance(uint32_t percent)
{
	return rnd(100) < percent;
}

/* ---- Made problems ---- */

struct function {
	const char *module;
	char name[48];
};

struct path {
	struct function at[MAX_DEPTH];
	size_t n;
	int problem;
	double share; /* of its problem's cost */
};

enum change_kind { RENAMED, RENAMED_ALL, INLINED, WRAPPED, OTHER_KERNEL, N_CHANGES };

struct change {
	enum change_kind kind;
	char from[48], to[3][48];
	size_t n_to;
	bool in[MAX_STREAMS];
};

struct schedule {
	uint64_t seed;
	size_t n_streams, n_problems, n_paths, n_changes;
	struct path paths[MAX_PATHS];
	double cost[MAX_PROBLEMS][MAX_STREAMS];
	struct change changes[MAX_CHANGES];
};

static const char *const words[] = {
	"read",	  "load",  "cache", "index", "parse", "token", "queue", "render", "image", "font",
	"socket", "table", "row",   "lock",  "file",  "block", "check", "sum",	  "copy",  "merge",
	"sort",	  "key",   "hash",  "tree",  "node",  "page",  "style", "script", "event", "timer",
	"plugin", "theme", "path",  "query", "state", "store", "entry", "batch",  "log",   "user"};
static const char *const tails[][8] = {
	{"do_syscall_64", "vfs_read", "ext4_file_read_iter", "filemap_read", "folio_wait_bit",
	 "io_schedule", "schedule", NULL},
	{"do_syscall_64", "do_fsync", "ext4_sync_file", "jbd2_complete_transaction", "schedule",
	 NULL},
	{"do_syscall_64", "futex_wait", "futex_wait_queue", "schedule", NULL},
	{"do_syscall_64", "vfs_statx", "filename_lookup", "ext4_lookup", "io_schedule", "schedule",
	 NULL},
	{"asm_exc_page_fault", "do_user_addr_fault", "filemap_fault", "io_schedule", "schedule",
	 NULL},
	{NULL}};

static void random_name(char *name)
{
	snprintf(name, 48, "%s_%s_%s", words[rnd(40)], words[rnd(40)], words[rnd(40)]);
}

static void push(struct path *path, const char *module, const char *name)
{
	path->at[path->n].module = module;
	snprintf(path->at[path->n++].name, 48, "%s", name);
}

static void push_random(struct path *path, const char *module)
{
	char name[48];

	random_name(name);
	push(path, module, name);
}

/* Callers of its own, functions that all its callers share, and a way into the kernel that others
   have as well. */
static void make_problem(struct schedule *s, int problem, const struct path *root)
{
	size_t n_callers = 1 + rnd(3), first = s->n_paths;
	struct path own = {0};
	const char *const *tail = tails[rnd(6)];
	bool is_twin = problem > 0 && chance(25); /* shares nearly all with the one before */
	double sum = 0;

	for (uint32_t n = 1 + rnd(3); n-- > 0;)
		push_random(&own, "app");
	if (chance(50))
		push_random(&own, "libstore.so");
	for (; *tail; tail++)
		push(&own, "[kernel]", *tail);
	if (is_twin) { /* another function in the place of one of the program's */
		const struct path *other = &s->paths[first - 1];
		size_t at = 1;

		while (at + 1 < other->n && (strcmp(other->at[at].module, "app") != 0 || at < 3))
			at++;
		s->paths[s->n_paths] = *other;
		random_name(s->paths[s->n_paths].at[at].name);
		s->paths[s->n_paths].problem = problem;
		s->paths[s->n_paths++].share = 1;
		return;
	}
	for (size_t c = 0; c < n_callers; c++) {
		struct path *path = &s->paths[s->n_paths++];

		*path = *root;
		path->problem = problem;
		path->share = 1 + rnd(3);
		sum += path->share;
		for (uint32_t n = rnd(3) + (c + 1 < n_callers); n-- > 0;)
			push_random(path, "app");
		for (size_t i = 0; i < own.n; i++)
			push(path, own.at[i].module, own.at[i].name);
	}
	for (size_t p = first; p < s->n_paths; p++)
		s->paths[p].share /= sum;
}

static void make_costs(struct schedule *s, int problem)
{
	double base = 100 + rnd(900);
	uint32_t often = chance(15) ? 100 : 30 + rnd(50);

	for (size_t i = 0; i < s->n_streams; i++)
		s->cost[problem][i] = chance(often) ? base * (50 + rnd(150)) / 100 : 0;
}

/* A function that one problem has, and its callers: of the program or a library. */
static void make_change(struct schedule *s, struct change *change, const bool *in)
{
	const struct path *path = &s->paths[rnd((uint32_t)s->n_paths)];
	size_t at = 2 + rnd((uint32_t)path->n - 2);

	change->kind = rnd(N_CHANGES);
	memcpy(change->in, in, sizeof(change->in));
	while (strcmp(path->at[at].module, "[kernel]") == 0)
		at--;
	snprintf(change->from, sizeof(change->from), "%s", path->at[at].name);
	change->n_to = change->kind == WRAPPED ? 1 + rnd(3) : 1;
	for (size_t i = 0; i < change->n_to; i++)
		random_name(change->to[i]);
	if (change->kind == RENAMED)
		snprintf(change->to[0], sizeof(change->to[0]), "%.40s_v2", change->from);
}

static void make_schedule(struct schedule *s, uint64_t seed)
{
	static const size_t sizes[] = {10, 12, 20, 36, 60};
	struct path root = {0};
	bool in[MAX_STREAMS] = {0};
	size_t n_in;

	generator.state = seed;
	memset(s, 0, sizeof(*s));
	s->seed = seed;
	s->n_streams = sizes[rnd(5)];
	s->n_problems = 3 + rnd(MAX_PROBLEMS - 2);
	push(&root, "app", "main");
	push(&root, "app", "run_all");
	for (size_t p = 0; p < s->n_problems; p++) {
		make_problem(s, (int)p, &root);
		make_costs(s, (int)p);
	}
	n_in = chance(20)   ? (s->n_streams + 9) / 10
	       : chance(30) ? s->n_streams / 3
			    : s->n_streams / 2;
	for (size_t i = 0; i < n_in;) {
		size_t k = rnd((uint32_t)s->n_streams);

		i += !in[k];
		in[k] = true;
	}
	s->n_changes = rnd(MAX_CHANGES + 1);
	for (size_t c = 0; c < s->n_changes; c++)
		make_change(s, &s->changes[c], in);
}

/* ---- As a digest ---- */

/* A path as it is in a recording where a change applies. */
static void apply(struct path *path, const struct change *change)
{
	struct path old = *path;

	path->n = 0;
	for (size_t i = 0; i < old.n; i++) {
		const struct function *f = &old.at[i];
		bool is_it = strcmp(f->name, change->from) == 0;
		bool is_kernel = strcmp(f->module, "[kernel]") == 0;
		char name[48];

		if (change->kind == OTHER_KERNEL && is_kernel && strcmp(f->name, "schedule") != 0) {
			if (strcmp(f->name, "do_syscall_64") == 0) {
				push(path, f->module, f->name);
				push(path, f->module, "x64_sys_call");
			} else if (strncmp(f->name, "vfs_", 4) == 0 ||
				   strncmp(f->name, "ext4", 4) == 0) {
				snprintf(name, sizeof(name), "%.40s_path", f->name);
				push(path, f->module, name);
			} else {
				push(path, f->module, f->name);
			}
			continue;
		}
		if (!is_it || change->kind == OTHER_KERNEL) {
			push(path, f->module, f->name);
			continue;
		}
		for (size_t k = 0; change->kind == WRAPPED && k < change->n_to; k++)
			push(path, "libwrap.so", change->to[k]);
		if (change->kind == WRAPPED)
			push(path, f->module, f->name);
		else if (change->kind != INLINED)
			push(path, f->module, change->to[0]);
	}
}

static uint32_t stack_of(struct lode_digest *digest, const struct path *path)
{
	uint32_t stack = 0;

	for (size_t i = 0; i < path->n; i++) {
		const struct function *f = &path->at[i];
		bool is_kernel = strcmp(f->module, "[kernel]") == 0;

		stack = lode_calltree_child(&digest->tree, stack,
					    lode_frame_intern(&digest->tree, f->module, f->name,
							      is_kernel ? LODE_FRAME_KERNEL : 0));
	}
	return stack;
}

/* As lode_name_stats_add_stream: the events of one row. */
static void count_names(struct lode_digest *digest, uint32_t stack, uint64_t n)
{
	struct lode_name_stats one = {.n_stacks = n};
	size_t n_frames = digest->tree.frames.n;
	uint32_t *same = lode_alloc((n_frames + 1) * sizeof(*same)), last = LODE_NONE;

	for (uint32_t i = 0; i < n_frames; i++) {
		same[i] = i;
		lode_vec_append(&one.n_with, 0);
		lode_vec_append(&one.n_callee, 0);
		lode_vec_append(&one.n_caller, 0);
	}
	for (; stack; stack = digest->tree.nodes.at[stack].parent) {
		uint32_t frame = digest->tree.nodes.at[stack].frame;

		one.n_with.at[frame] = n;
		if (last != LODE_NONE) {
			one.n_callee.at[frame] += n;
			one.n_caller.at[last] += n;
			lode_name_stats_add_pair(&one, &(struct lode_name_pair){frame, last, n});
		}
		last = frame;
	}
	lode_name_stats_merge(&digest->names, &one, same, n_frames);
	lode_name_stats_release(&one);
	free(same);
}

/* problem_of[i]: of row i. Rows of one stack and stream are of one problem. */
static struct lode_digest *make_digest(const struct schedule *s, int *problem_of)
{
	struct lode_digest *digest = lode_digest_new();

	generator.state = s->seed;
	digest->unit = "ns";
	for (size_t i = 0; i < s->n_streams; i++) {
		struct lode_digest_stream stream = {.content_hash = i + 1, .t1_ns = 1000000};
		struct lode_digest_symptom symptom = {.stream = (uint32_t)i, .t1_ns = 1000000};

		lode_vec_append(&digest->streams, stream);
		lode_vec_append(&digest->symptoms, symptom);
		for (size_t p = 0; p < s->n_paths; p++) {
			struct path path = s->paths[p];
			double cost = s->cost[path.problem][i] * path.share;
			struct lode_digest_row row = {
				.symptom = (uint32_t)i,
				.kind = LODE_EVENT_WAITING,
				.cost_ns = (int64_t)(cost * (90 + rnd(20)) / 100 * 1000),
				.n_events = 1,
			};

			if (row.cost_ns <= 0)
				continue;
			for (size_t c = 0; c < s->n_changes; c++)
				if (s->changes[c].in[i])
					apply(&path, &s->changes[c]);
			row.stack = stack_of(digest, &path);
			row.worst_cost_ns = row.cost_ns;
			problem_of[row.stack] = path.problem;
			lode_vec_append(&digest->rows, row);
			count_names(digest, row.stack, 1);
		}
	}
	lode_digest_rows_sort(digest->rows.at, digest->rows.n);
	digest->n_events = digest->rows.n;
	return digest;
}

/* ---- What was found ---- */

enum { BY_CUT, BY_PAPER, BY_ALIASES, UNCHANGED, N_WAYS };

struct score {
	double all, pure, complete;
};

static void score_clusters(struct score *score, const struct lode_mined *mined,
			   const int *problem_of, size_t n_problems)
{
	double largest[MAX_PROBLEMS] = {0};

	for (size_t c = 0; c < mined->n_clusters; c++) {
		const struct lode_cluster *cluster = &mined->clusters[c];
		double by[MAX_PROBLEMS] = {0}, most = 0;

		if (!cluster->own_ns)
			continue;
		for (size_t i = 0; i < cluster->n_stacks; i++)
			by[problem_of[cluster->stacks[i].node]] +=
				(double)cluster->stacks[i].cost_ns;
		for (size_t p = 0; p < n_problems; p++) {
			most = by[p] > most ? by[p] : most;
			largest[p] = by[p] > largest[p] ? by[p] : largest[p];
		}
		score->pure += most / (double)mined->aoi_ns;
	}
	for (size_t p = 0; p < n_problems; p++)
		score->complete += largest[p] / (double)mined->aoi_ns;
	score->all++;
}

static void mine_digest(struct score *score, const struct lode_digest *digest,
			const int *problem_of, size_t n_problems, bool is_paper)
{
	struct lode_mine_options options = {
		.min_similarity = is_paper ? LODE_SIMILARITY : LODE_CUT_BY_DATA,
		.n_threads = 1,
	};
	struct lode_mined *mined;
	struct lode_error err;

	assert_int_equal(lode_mine(&mined, digest, &options, &err), 0);
	score_clusters(score, mined, problem_of, n_problems);
	lode_mined_free(mined);
}

/* Nodes of a digest by problem, after functions were renamed. */
static void follow_nodes(int *to, const struct lode_digest *before, const struct lode_digest *after,
			 const uint32_t *frame_of, const int *problem_of)
{
	uint32_t path[MAX_DEPTH * 4];

	for (uint32_t n = 1; n < before->tree.nodes.n; n++) {
		size_t depth = lode_calltree_path(&before->tree, n, path);
		uint32_t node = 0;

		for (size_t i = 0; i < depth && node != LODE_NONE; i++)
			if (frame_of[path[i]] != LODE_NONE)
				node = lode_pair_index_find(&after->tree.child_index,
							    after->tree.nodes.at,
							    sizeof(*after->tree.nodes.at), node,
							    frame_of[path[i]]);
		if (node != LODE_NONE && problem_of[n] >= 0)
			to[node] = problem_of[n];
	}
}

static void print_schedule(const struct schedule *s, const struct lode_digest *digest,
			   const uint32_t *frame_of)
{
	static const char *const kinds[] = {"renamed", "renamed all", "inlined", "wrapped",
					    "kernel"};

	for (size_t c = 0; c < s->n_changes; c++) {
		size_t n = 0;

		for (size_t i = 0; i < s->n_streams; i++)
			n += s->changes[c].in[i];
		printf("  %s %s -> %s in %zu of %zu\n", kinds[s->changes[c].kind],
		       s->changes[c].from, s->changes[c].to[0], n, s->n_streams);
	}
	for (uint32_t f = 0; f < digest->tree.frames.n; f++)
		if (frame_of[f] != f)
			printf("  found %s = %s\n", lode_frame_function(&digest->tree, f),
			       frame_of[f] == LODE_NONE
				       ? "-"
				       : lode_frame_function(&digest->tree, frame_of[f]));
	for (size_t p = 0; p < s->n_paths; p++) {
		size_t n = 0;

		for (size_t i = 0; i < s->n_streams; i++)
			n += s->cost[s->paths[p].problem][i] > 0;
		printf("  problem %d in %zu:", s->paths[p].problem, n);
		for (size_t i = 0; i < s->paths[p].n; i++)
			printf(" %s", s->paths[p].at[i].name);
		printf("\n");
	}
}

#define loss_of(what, now, was, all, before) \
	(((all).what - (before).what) - ((now).what - (was).what))

static void run_set(struct score *scores, uint64_t seed, bool is_shown)
{
	static struct schedule s;
	static int problem_of[100000], renamed_of[100000];
	struct score was, same;
	struct lode_digest *digest, *after;
	uint32_t *frame_of, *n_streams;
	size_t n_changes;

	make_schedule(&s, seed);
	memset(problem_of, 0xff, sizeof(problem_of));
	digest = make_digest(&s, problem_of);
	mine_digest(&scores[BY_CUT], digest, problem_of, s.n_problems, false);
	mine_digest(&scores[BY_PAPER], digest, problem_of, s.n_problems, true);
	frame_of = lode_alloc((digest->tree.frames.n + 1) * sizeof(*frame_of));
	n_streams = lode_alloc0(digest->tree.frames.n + 1, sizeof(*n_streams));
	lode_aliases_find(frame_of, n_streams, digest);
	after = make_digest(&s, renamed_of);
	lode_digest_rename(after, frame_of);
	memset(renamed_of, 0, sizeof(renamed_of));
	follow_nodes(renamed_of, digest, after, frame_of, problem_of);
	was = scores[BY_ALIASES];
	mine_digest(&scores[BY_ALIASES], after, renamed_of, s.n_problems, false);
	lode_digest_free(after);
	n_changes = s.n_changes;
	s.n_changes = 0;
	after = make_digest(&s, renamed_of);
	same = scores[UNCHANGED];
	mine_digest(&scores[UNCHANGED], after, renamed_of, s.n_problems, false);
	lode_digest_free(after);
	s.n_changes = n_changes;
	if (is_shown &&
	    (loss_of(pure, scores[BY_ALIASES], was, scores[UNCHANGED], same) > 0.02 ||
	     loss_of(complete, scores[BY_ALIASES], was, scores[UNCHANGED], same) > 0.02)) {
		printf("seed %llu: purity -%.3f completeness -%.3f\n", (unsigned long long)seed,
		       loss_of(pure, scores[BY_ALIASES], was, scores[UNCHANGED], same),
		       loss_of(complete, scores[BY_ALIASES], was, scores[UNCHANGED], same));
		print_schedule(&s, digest, frame_of);
	}
	free(frame_of);
	free(n_streams);
	lode_digest_free(digest);
}

/* LODE_TEST_SETS=N[:SEED] runs more of them and prints the figures. */
static void test_purity_and_completeness(void **state)
{
	static const char *const ways[N_WAYS] = {"cut alone", "similarity 0.5", "aliases and cut",
						 "cut, nothing renamed"};
	const char *more = getenv("LODE_TEST_SETS");
	uint64_t n = more ? strtoull(more, NULL, 10) : TEST_CASES(100), first = 1000001;
	struct score scores[N_WAYS] = {{0}};

	(void)state;
	if (more && strchr(more, ':'))
		first = strtoull(strchr(more, ':') + 1, NULL, 10);
	for (uint64_t i = 0; i < n; i++)
		run_set(scores, first + i, more != NULL);
	for (int w = 0; w < N_WAYS; w++)
		printf("# %s: purity %.4f, completeness %.4f over %llu sets\n", ways[w],
		       scores[w].pure / scores[w].all, scores[w].complete / scores[w].all,
		       (unsigned long long)n);
	/* The cut alone is neither pure nor complete either where nothing was renamed. */
	assert_true(scores[BY_ALIASES].pure >= 0.99 * scores[UNCHANGED].pure);
	assert_true(scores[BY_ALIASES].complete >= 0.98 * scores[UNCHANGED].complete);
	assert_true(scores[BY_CUT].complete < 0.95 * scores[UNCHANGED].complete);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_purity_and_completeness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
