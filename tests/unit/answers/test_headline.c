/* answers/clusters/headline.h against its definition, on clusters of random digests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/clusters/cluster_brief.h"
#include "unit/answers/headline_oracle.h"
#include "random.h"
#include "cases.h"

static uint32_t add_symptom(struct lode_digest *digest, const char *comm)
{
	struct lode_digest_symptom symptom = {
		.comm = lode_strings_intern(&digest->tree.strings, comm, strlen(comm))};

	lode_vec_append(&digest->symptoms, symptom);
	return (uint32_t)digest->symptoms.n - 1;
}

static void add_row_of(struct lode_digest *digest, enum lode_event_kind kind, uint32_t symptom,
		       uint32_t stack, int64_t cost_ns)
{
	lode_vec_append(&digest->rows, ((struct lode_digest_row){.stack = stack,
								 .symptom = symptom,
								 .kind = (uint8_t)kind,
								 .cost_ns = cost_ns,
								 .n_events = 1}));
	digest->symptoms.at[symptom].t1_ns += cost_ns;
}

static void add_row(struct lode_digest *digest, uint32_t symptom, uint32_t stack, int64_t cost_ns)
{
	add_row_of(digest, LODE_EVENT_RUNNING, symptom, stack, cost_ns);
}

/* ">comm": a link; ":function": the C library's. */
static uint32_t push(struct lode_digest *digest, uint32_t stack, const char *function)
{
	bool is_library = function[0] == ':';
	uint32_t frame = function[0] == '>' ? lode_frame_link(&digest->tree, function + 1)
					    : lode_frame_intern(&digest->tree,
								is_library ? "libc.so.6" : "app",
								function + is_library, 0);

	return lode_calltree_child(&digest->tree, stack, frame);
}

static uint32_t push_all(struct lode_digest *digest, const char *const *functions)
{
	uint32_t stack = 0;

	while (*functions)
		stack = push(digest, stack, *functions++);
	return stack;
}

static struct lode_mined *mine(struct lode_digest *digest, double min_similarity)
{
	struct lode_mine_options options = {.min_similarity = min_similarity, .n_threads = 1};
	struct lode_mined *mined;

	digest->unit = "ns";
	lode_vec_append_zero(&digest->streams);
	digest->streams.at[0].path = lode_strings_intern(&digest->tree.strings, "a/run.data", 10);
	qsort(digest->rows.at, digest->rows.n, sizeof(*digest->rows.at), lode_digest_row_compare);
	assert_int_equal(lode_mine(&mined, digest, &options, NULL), 0);
	return mined;
}

/* ---- Tests ---- */

static struct lode_digest *make_digest(struct test_random *random)
{
	static const char *const names[] = {"main",   "serve",	  "load_a",   "load_b",
					    ">store", "read_x",	  "hash",     "wait",
					    ">store", ">store a", ">store b", ">log"};
	/* Most is the C library's, which names no problem. */
	static const char *const library[] = {"main",	":serve",   ":load_a",	"load_b",
					      ">store", ":read_x",  ":hash",	":wait",
					      ">store", ">store a", ">store b", ">log"};
	const char *const *functions = test_random_below(random, 3) ? names : library;
	uint32_t n_names = test_random_below(random, 2) ? 8 : 12;
	struct lode_digest *digest = lode_digest_new();

	add_symptom(digest, "shop-1");
	add_symptom(digest, "shop-2");
	for (int i = 0; i < 24; i++) {
		uint32_t stack = push(digest, 0, "main");

		for (uint32_t n = test_random_below(random, 9); n > 0; n--)
			stack = push(digest, stack, functions[test_random_below(random, n_names)]);
		add_row_of(digest,
			   test_random_below(random, 3) ? LODE_EVENT_RUNNING : LODE_EVENT_READY,
			   test_random_below(random, 2), stack,
			   1 + test_random_below(random, i % 4 ? 30 : 300));
	}
	return digest;
}

static void is_as_defined(void **state)
{
	size_t n_extended = 0, n_branches = 0, n_programs = 0, n_any = 0, n_followed = 0;
	size_t n_forked = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1000); seed++) {
		struct test_random random = {seed};
		struct lode_digest *digest = make_digest(&random);
		struct lode_mined *mined = mine(digest, 0.3 + 0.1 * (double)(seed % 5));

		for (size_t i = 0; i < mined->n_clusters; i++) {
			const struct lode_cluster *c = &mined->clusters[i];
			struct lode_headline headline = {0};
			uint32_t expected[512], branch[64];
			bool gaps[512], is_end = false;
			struct lode_headline_fork forks[LODE_HEADLINE_FORKS];
			size_t n, n_branch, n_more, n_forks = 0;
			double share, more_share;

			define_names(mined, c);
			n = defined_headline(expected, mined, c);
			n_branch = defined_branch(branch, &share, mined, c, expected, n);
			n_more = defined_more(expected, gaps, n, &more_share, mined, c);
			for (size_t k = n; k > 0 && !is_link(mined, expected[k - 1]); k--)
				is_end |= tells(mined, expected[k - 1]);
			if (!n_branch && !n_more && !is_end)
				n_forks = defined_forks(forks, mined, c, expected, n);
			n += n_more;

			lode_headline_build(&headline, mined, c);
			are_same_forks(&headline, forks, n_forks, mined->digest);
			n_forked += n_forks > 0;
			assert_int_equal(headline.frames.n, n);
			assert_int_equal(headline.gap_before.n, n);
			for (size_t k = 0; k < n; k++) {
				assert_int_equal(headline.frames.at[k], expected[k]);
				assert_true(headline.rarity.at[k] >= 0 &&
					    headline.rarity.at[k] <= 1);
				assert_int_equal(headline.gap_before.at[k],
						 k < n - n_more
							 ? k && 2 * beside(mined, c, expected,
									   n - n_more, k) <
									   cost_of_stacks(mined, c)
							 : gaps[k]);
			}
			for (size_t k = 0; k < headline.hop_names.names.n; k++) {
				const struct lode_hop_name *name = &headline.hop_names.names.at[k];

				assert_string_equal(name->text, told.name[name->frame]);
				n_any += !strcmp(name->text, "…");
				n_programs += !strcmp(name->text, "store");
			}
			assert_int_equal(headline.n_more, n_more);
			n_followed += n_more > 1;
			assert_int_equal(headline.branch.n, n_branch);
			for (size_t k = 0; k < n_branch; k++)
				assert_int_equal(headline.branch.at[k], branch[k]);
			assert_true(headline.branch_share > share - 1e-9 &&
				    headline.branch_share < share + 1e-9);
			assert_true(headline.more_share > more_share - 1e-9 &&
				    headline.more_share < more_share + 1e-9);
			n_branches += n_branch > 0;
			/* "shop-1" and "shop-2" are of one pool. */
			assert_string_equal(headline.who, "shop-N");
			n_extended += n - n_more > c->n_common;
			lode_headline_release(&headline);
		}
		lode_mined_free(mined);
		lode_digest_free(digest);
	}
	assert_true(n_extended > TEST_CASES(1000) / 10);
	assert_true(n_branches > TEST_CASES(1000) / 10);
	assert_true(n_forked > TEST_CASES(1000) / 20);
	assert_true(n_followed > TEST_CASES(1000) / 20);
	assert_true(n_programs > TEST_CASES(1000) / 20 && n_any > TEST_CASES(1000) / 20);
}

/* ---- More recordings ---- */

static const char *const ordered[] = {"serve", "load", "parse", ":read", "flush", "sync"};

/* A recording's stacks, through one, two or three threads, and mostly through functions that it
   prefers. */
static void add_recording(struct lode_digest *digest, struct test_random *random)
{
	static const char *const threads[] = {"", ">store", ">log"};
	uint32_t symptom = add_symptom(digest, "shop"), preferred = test_random_below(random, 6);
	uint32_t n_threads = 1 + test_random_below(random, 3);

	for (int i = 0; i < 6; i++) {
		uint32_t stack = 0;

		for (uint32_t t = 0; t < n_threads; t++) {
			stack = t ? push(digest, stack, threads[t]) : stack;
			stack = push(digest, stack, "main");
			for (uint32_t k = 0; k < 6; k++)
				if (test_random_below(random, 4) == 0 ||
				    (k == preferred && test_random_below(random, 4)))
					stack = push(digest, stack, ordered[k]);
		}
		add_row(digest, symptom, stack, 1 + test_random_below(random, i % 2 ? 300 : 30));
	}
}

/* Chains go from the shop to the store, and from there to the log. */
static size_t depth_of_thread(const struct lode_mined *mined, uint32_t link)
{
	return strcmp(lode_frame_function(&mined->digest->tree, link), "store") ? 2 : 1;
}

/* How deep a function of the program is, in that thread of a chain; 0: it is not the program's. */
static size_t depth_of(const struct lode_mined *mined, size_t thread, uint32_t frame)
{
	for (size_t k = 0; tells(mined, frame) && k < 6; k++)
		if (!strcmp(lode_frame_function(&mined->digest->tree, frame), ordered[k]))
			return 10 * thread + k + 1;
	return 0;
}

/* The depth of the program's functions that more than half of the cost has: in the last thread that
   all agree on, and from thread to thread where more than half of it goes on. */
static size_t depth_by_half(const struct lode_mined *mined, const struct lode_cluster *c,
			    size_t first_thread)
{
	int64_t all_ns = cost_of_stacks(mined, c);
	size_t most = 0, thread = 0;
	uint32_t link = LODE_NONE;

	do {
		int64_t cost_ns[64] = {0}, link_ns[64] = {0};

		for (size_t s = 0; s < c->n_stacks; s++) {
			uint32_t path[MOST_FRAMES];
			size_t n =
				lode_calltree_path(&mined->digest->tree, c->stacks[s].node, path);
			int at = begin_of_thread(path, n, link, true);

			for (; at >= 0 && at < (int)n && !is_link(mined, path[at]); at++)
				cost_ns[path[at]] += counted(mined, c, s);
			if (at >= 0 && at < (int)n)
				link_ns[path[at]] += counted(mined, c, s);
		}
		link = LODE_NONE;
		for (uint32_t f = 0; f < mined->digest->tree.frames.n; f++) {
			size_t depth = depth_of(mined, thread, f);

			link = 2 * link_ns[f] > all_ns ? f : link;
			if (thread >= first_thread && 2 * cost_ns[f] > all_ns && depth > most)
				most = depth;
		}
		thread = link == LODE_NONE ? thread : depth_of_thread(mined, link);
	} while (link != LODE_NONE);
	return most;
}

/* The same of the headline; of what four fifths have; and the last thread of those. */
static size_t depth_of_headline(const struct lode_headline *headline,
				const struct lode_mined *mined, size_t *agreed, size_t *last_agreed)
{
	size_t thread = 0, most = 0, n_agreed = headline->frames.n - headline->n_more;

	*agreed = *last_agreed = 0;
	for (size_t i = 0; i <= headline->frames.n; i++) {
		size_t depth = 0;

		for (size_t k = 0; i == n_agreed && k < headline->branch.n; k++) {
			depth = depth_of(mined, thread, headline->branch.at[k]);
			most = depth > most ? depth : most;
		}
		if (i == headline->frames.n)
			break;
		if (is_link(mined, headline->frames.at[i]))
			thread = depth_of_thread(mined, headline->frames.at[i]);
		depth = depth_of(mined, thread, headline->frames.at[i]);
		most = depth > most ? depth : most;
		*agreed = i < n_agreed ? most : *agreed;
		*last_agreed = i < n_agreed ? thread : *last_agreed;
	}
	return most;
}

static void more_recordings_give_no_worse_name(void **state)
{
	size_t n_below_agreed = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1000); seed++) {
		struct test_random random = {seed};
		struct lode_digest *digest = lode_digest_new();
		uint32_t n_recordings = 1 + test_random_below(&random, 6);
		struct lode_mined *mined;

		for (uint32_t i = 0; i < n_recordings; i++)
			add_recording(digest, &random);
		mined = mine(digest, 0.05 + 0.1 * (double)(seed % 5));
		for (size_t i = 0; i < mined->n_clusters; i++) {
			struct lode_headline headline = {0};
			size_t agreed, depth, named, last;

			define_names(mined, &mined->clusters[i]);
			lode_headline_build(&headline, mined, &mined->clusters[i]);
			named = depth_of_headline(&headline, mined, &agreed, &last);
			depth = depth_by_half(mined, &mined->clusters[i], last);
			assert_true(named >= depth);
			n_below_agreed += depth > agreed;
			lode_headline_release(&headline);
		}
		lode_mined_free(mined);
		lode_digest_free(digest);
	}
	assert_true(n_below_agreed > TEST_CASES(1000) / 10);
}

/* The hop of a compiler whose title was read in some recordings only, and of one of two. */
static void hops_of_several_names_are_not_left_out(void **state)
{
	static const char *const titles[2][2] = {{">cc1 a.c", ">cc1"}, {">cc1 a.c", ">as"}};
	static const char *const lines[] = {"sh  wait\n→ cc1  expand › fold",
					    "sh  wait\n→ …  expand › fold"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct lode_digest *digest = lode_digest_new();
		uint32_t sh = add_symptom(digest, "sh");
		struct lode_headline_hop *hops;
		struct lode_arena arena = {0};
		struct lode_mined *mined;
		char text[4096];

		for (int k = 0; k < 2; k++) {
			const char *const stack[] = {"main",   "wait", titles[i][k], "main",
						     "expand", "fold", NULL};

			add_row(digest, sh, push_all(digest, stack), 500 + k);
		}
		mined = mine(digest, 0.1);
		assert_int_equal(mined->n_clusters, 1);
		assert_string_equal(lode_headline_text(text, sizeof(text), mined,
						       &mined->clusters[0], 80, 80, 4),
				    lines[i]);
		assert_int_equal(lode_headline_hops(&hops, mined, &mined->clusters[0], &arena), 2);
		assert_string_equal(hops[1].thread, i ? "…" : "cc1");
		lode_arena_release(&arena);
		lode_mined_free(mined);
		lode_digest_free(digest);
	}
}

static void programs_of_names(void **state)
{
	static const char *const pairs[][2] = {
		{"postgres: app shop", "postgres"},
		{"cc1 giant.c", "cc1"},
		{"nginx: worker process, busy with curl x", "nginx, busy with curl x"},
		{"python3 app.py (likely holder, inferred)", "python3 (likely holder, inferred)"},
		{"timer (meanwhile make, inferred)", "timer (meanwhile make, inferred)"},
		{":", ":"},
		{"", ""},
	};
	char buffer[LODE_HOP_NAME];

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		assert_string_equal(lode_hop_program(buffer, sizeof(buffer), pairs[i][0]),
				    pairs[i][1]);
}

/* Two thirds of the cost goes on in a commit, one third elsewhere: no four fifths agree, and the
   line says so. */
static void check_main_branch(int64_t ns)
{
	static const char *const commit[] = {"main",  "serve",	"run", "commit",
					     "flush", ":fsync", NULL};
	static const char *const others[][6] = {{"main", "serve", "run", "parse", NULL},
						{"main", "serve", "run", "plan", NULL},
						{"main", "serve", "run", "answer", NULL}};
	struct lode_digest *digest = lode_digest_new();
	struct lode_headline_hop *hops;
	struct lode_arena arena = {0};
	struct lode_mined *mined;
	char text[4096];
	uint32_t shop;

	shop = add_symptom(digest, "shop");
	add_row(digest, shop, push_all(digest, commit), 680 * ns);
	for (int i = 0; i < 3; i++)
		add_row(digest, shop, push_all(digest, others[i]), (100 + i) * ns);
	mined = mine(digest, 0.01);
	assert_int_equal(mined->n_clusters, 1);
	assert_string_equal(lode_headline_text(text, sizeof(text), mined, &mined->clusters[0], 80,
					       80, 4),
			    "shop  serve › run … flush … fsync (69 %)");
	/* No room for both. */
	assert_string_equal(lode_headline_text(text, sizeof(text), mined, &mined->clusters[0], 30,
					       30, 4),
			    "shop\nserve › run … flush (69 %)");
	assert_int_equal(lode_headline_hops(&hops, mined, &mined->clusters[0], &arena), 1);
	assert_int_equal(hops[0].n_branch, 2);
	assert_true(hops[0].branch_share > 0.68 && hops[0].branch_share < 0.7);
	/* Its name is the deepest that half of it has. */
	assert_string_equal(lode_finding_known_by(&arena, mined, &mined->clusters[0]), "flush");
	lode_arena_release(&arena);
	lode_mined_free(mined);
	lode_digest_free(digest);
}

static void the_main_branch_is_named(void **state)
{
	(void)state;
	check_main_branch(1);
	/* The most that a digest may hold: no multiple of a cost is in int64_t. */
	check_main_branch(INT64_MAX / 983);
}

/* CPython's lock: three quarters of the waiting ends by the holder, a tenth nobody is known to have
   ended, and one holder is merely inferred. All of them together have four fifths. */
static void most_of_it_goes_on_in_another_thread(void **state)
{
	static const char *const stacks[][7] = {
		{"main", ":take_gil", ">python3 report", "sort_rows", "compare", NULL},
		{"main", ":take_gil", ">python3 report (likely holder, inferred)", NULL},
		{"main", ":take_gil", ">timer", NULL},
		{"main", ":take_gil", NULL},
	};
	static const int64_t costs[] = {740, 90, 60, 110};
	struct lode_digest *digest = lode_digest_new();
	struct lode_headline_hop *hops;
	struct lode_arena arena = {0};
	struct lode_mined *mined;
	char text[4096];
	uint32_t shop;

	(void)state;
	shop = add_symptom(digest, "shop");
	for (int i = 0; i < 4; i++)
		add_row(digest, shop, push_all(digest, stacks[i]), costs[i]);
	mined = mine(digest, 0.01);
	assert_int_equal(mined->n_clusters, 1);
	assert_string_equal(lode_headline_text(text, sizeof(text), mined, &mined->clusters[0], 60,
					       60, 4),
			    "shop  take_gil\n→ python3 report  sort_rows › compare (74 %)");
	assert_string_equal(lode_headline_text(text, sizeof(text), mined, &mined->clusters[0], 60,
					       60, 1),
			    "shop → python3 report  sort_rows › compare (74 %)");
	assert_int_equal(lode_headline_hops(&hops, mined, &mined->clusters[0], &arena), 2);
	assert_true(!hops[0].is_more && hops[1].is_more);
	assert_string_equal(hops[1].thread, "python3 report");
	assert_int_equal(hops[1].n, 0);
	assert_int_equal(hops[1].n_branch, 2);
	assert_true(hops[1].branch_share > 0.73 && hops[1].branch_share < 0.75);
	assert_string_equal(lode_finding_known_by(&arena, mined, &mined->clusters[0]), "compare");
	lode_arena_release(&arena);
	lode_mined_free(mined);
	lode_digest_free(digest);
}

/* Four hops; a fifth of the cost ends one hop early, and must not hide the culprit. */
static void the_chain_goes_on_to_the_culprit(void **state)
{
	struct lode_digest *digest = lode_digest_new();
	struct lode_headline_hop *hops;
	struct lode_arena arena = {0};
	struct lode_mined *mined;
	uint32_t shop, stack;
	char text[4096];

	(void)state;
	shop = add_symptom(digest, "shop");
	stack = push(digest, push(digest, 0, "main"), "read_answer");
	stack = push(digest, push(digest, push(digest, stack, ">auth"), "main"), "ask");
	add_row(digest, shop, stack, 150);
	stack = push(digest, push(digest, push(digest, stack, ">store"), "serve"), "look_up");
	add_row(digest, shop, push(digest, stack, "rehash"), 850);
	mined = mine(digest, 0.1);
	assert_int_equal(mined->n_clusters, 1);
	assert_string_equal(lode_headline_text(text, sizeof(text), mined, &mined->clusters[0], 80,
					       80, 4),
			    "shop  read_answer\n→ auth  ask\n→ store  serve › look_up › rehash");
	assert_int_equal(lode_headline_hops(&hops, mined, &mined->clusters[0], &arena), 3);
	assert_string_equal(hops[0].thread, "shop");
	assert_string_equal(hops[2].thread, "store");
	assert_int_equal(hops[2].n, 3);
	lode_arena_release(&arena);
	lode_mined_free(mined);
	lode_digest_free(digest);
}

/* A third of the cost waits for a CPU one hop early, as on a busy machine: no other code is at
   fault, and the culprit is named. Where most of it does so, that is what the line says. */
static void a_busy_machine_hides_nothing(void **state)
{
	static const char *const lines[] = {"shop  read_answer\n→ store  serve › look_up › rehash",
					    "shop  read_answer"};

	(void)state;
	for (int64_t is_busier = 0; is_busier < 2; is_busier++) {
		struct lode_digest *digest = lode_digest_new();
		uint32_t shop = add_symptom(digest, "shop"), stack;
		struct lode_mined *mined;
		char text[4096];

		stack = push(digest, push(digest, 0, "main"), "read_answer");
		add_row_of(digest, LODE_EVENT_READY, shop, stack, is_busier ? 700 : 300);
		stack = push(digest, push(digest, stack, ">store"), "serve");
		add_row(digest, shop, push(digest, push(digest, stack, "look_up"), "rehash"), 650);
		mined = mine(digest, 0.1);
		assert_int_equal(mined->n_clusters, 1);
		assert_string_equal(lode_headline_text(text, sizeof(text), mined,
						       &mined->clusters[0], 80, 80, 4),
				    lines[is_busier]);
		lode_mined_free(mined);
		lode_digest_free(digest);
	}
}

/* A kernel thread at the end of the chain works for who waits for it, and no problem goes by it. */
static void kernel_threads_give_no_name(void **state)
{
	static const char *const names[] = {"ret_from_fork", "kthread", "worker_thread"};
	struct lode_digest *digest = lode_digest_new();
	struct lode_arena arena = {0};
	struct lode_mined *mined;
	uint32_t stack;

	(void)state;
	stack = push(digest, push(digest, push(digest, 0, "main"), "rotate_log"), ":fsync");
	stack = push(digest, stack, ">kworker");
	for (int i = 0; i < 3; i++)
		stack = lode_calltree_child(&digest->tree, stack,
					    lode_frame_intern(&digest->tree, "[kernel]", names[i],
							      LODE_FRAME_KERNEL));
	add_row(digest, add_symptom(digest, "shop"), stack, 500);
	mined = mine(digest, 1);
	assert_string_equal(lode_finding_known_by(&arena, mined, &mined->clusters[0]),
			    "rotate_log");
	lode_arena_release(&arena);
	lode_mined_free(mined);
	lode_digest_free(digest);
}

/* What everything else has as well goes first where there is no room for all. */
static void the_rare_is_kept(void **state)
{
	struct lode_digest *digest = lode_digest_new();
	static const char *const callers[] = {"statement_close", "statement_sort"};
	struct lode_mined *mined;
	char text[4096];

	(void)state;
	for (int i = 0; i < 2; i++) {
		uint32_t stack = push(digest, push(digest, 0, "serve"), callers[i]);

		stack = push(digest, push(digest, push(digest, stack, "query"), "step"), "execute");
		add_row(digest, add_symptom(digest, "teller"), stack, 500 - i);
	}
	mined = mine(digest, 1);
	assert_int_equal(mined->n_clusters, 2);
	assert_string_equal(lode_headline_text(text, sizeof(text), mined, &mined->clusters[0], 40,
					       40, 4),
			    "teller  statement_close … step › execute");
	lode_mined_free(mined);
	lode_digest_free(digest);
}

/* What all comes to stands in the line where two of the program's functions leave room. */
static void the_end_is_named(void **state)
{
	static const char *const stack[] = {"main",	   "serve", "commit",	    "commit_pages",
					    "commit_file", ":sync", ":do_the_sync", NULL};
	struct lode_digest *digest = lode_digest_new();
	struct lode_mined *mined;
	char text[4096];

	(void)state;
	add_row(digest, add_symptom(digest, "teller"), push_all(digest, stack), 500);
	mined = mine(digest, 1);
	assert_string_equal(lode_headline_text(text, sizeof(text), mined, &mined->clusters[0], 50,
					       50, 4),
			    "teller  commit_pages › commit_file … do_the_sync");
	lode_mined_free(mined);
	lode_digest_free(digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_as_defined),
		cmocka_unit_test(more_recordings_give_no_worse_name),
		cmocka_unit_test(hops_of_several_names_are_not_left_out),
		cmocka_unit_test(programs_of_names),
		cmocka_unit_test(the_main_branch_is_named),
		cmocka_unit_test(most_of_it_goes_on_in_another_thread),
		cmocka_unit_test(the_chain_goes_on_to_the_culprit),
		cmocka_unit_test(a_busy_machine_hides_nothing),
		cmocka_unit_test(kernel_threads_give_no_name),
		cmocka_unit_test(the_rare_is_kept),
		cmocka_unit_test(the_end_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
