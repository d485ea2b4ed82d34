/*
 * Mining end to end against docs/mining.md written plainly: rounds by brute force over all
 * subsequences, owners by the stated rule, cluster figures by walking every row.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/mine/mine.h"
#include "cases.h"

enum { MAX_STACKS = 16, MAX_DEPTH = 6, MAX_PATTERNS = 4096, N_FUNCTIONS = 5 };

static uint64_t seed_state;

static unsigned rnd(unsigned n)
{
	seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed_state >> 33) % n;
}

/* Functions are single letters, so a stack or a pattern is a string. */
struct plain_stack {
	char text[MAX_DEPTH + 1];
	int64_t cost;
	bool is_open;
	int owner;
};

struct plain_pattern {
	char text[MAX_DEPTH + 1];
	int64_t round_cost;
	int round;
};

static bool contains(const char *stack, const char *pattern)
{
	for (; *stack && *pattern; stack++)
		pattern += *stack == *pattern;
	return !*pattern;
}

static int64_t cost_of(const struct plain_stack *stacks, size_t n, const char *pattern,
		       bool open_only)
{
	int64_t cost = 0;

	for (size_t i = 0; i < n; i++)
		if ((!open_only || stacks[i].is_open) && contains(stacks[i].text, pattern))
			cost += stacks[i].cost;
	return cost;
}

/* Every distinct non-empty subsequence of the open stacks that reaches λ and cannot grow. */
static size_t plain_maximal(const struct plain_stack *stacks, size_t n, int64_t min_cost, int round,
			    struct plain_pattern *out)
{
	static char all[MAX_PATTERNS][MAX_DEPTH + 1];
	size_t n_all = 0, n_out = 0;

	for (size_t s = 0; s < n; s++) {
		size_t len = strlen(stacks[s].text);

		for (unsigned mask = 1; stacks[s].is_open && mask < 1u << len; mask++) {
			char text[MAX_DEPTH + 1];
			size_t k = 0, known;

			for (size_t i = 0; i < len; i++)
				if (mask >> i & 1)
					text[k++] = stacks[s].text[i];
			text[k] = '\0';
			for (known = 0; known < n_all && strcmp(all[known], text) != 0; known++)
				;
			if (known == n_all && cost_of(stacks, n, text, true) >= min_cost) {
				assert_true(n_all < MAX_PATTERNS);
				memcpy(all[n_all++], text, sizeof(text));
			}
		}
	}
	for (size_t i = 0; i < n_all; i++) {
		bool is_maximal = true;

		for (size_t j = 0; j < n_all && is_maximal; j++)
			is_maximal = i == j || strlen(all[j]) <= strlen(all[i]) ||
				     !contains(all[j], all[i]);
		if (!is_maximal)
			continue;
		memcpy(out[n_out].text, all[i], sizeof(all[i]));
		out[n_out].round_cost = cost_of(stacks, n, all[i], true);
		out[n_out++].round = round;
	}
	return n_out;
}

/* Longest, then dearest in its round, then first by name. */
static bool better(const struct plain_pattern *a, const struct plain_pattern *b)
{
	if (strlen(a->text) != strlen(b->text))
		return strlen(a->text) > strlen(b->text);
	if (a->round_cost != b->round_cost)
		return a->round_cost > b->round_cost;
	return strcmp(a->text, b->text) < 0;
}

static size_t plain_rounds(struct plain_stack *stacks, size_t n, int64_t min_cost, bool classic,
			   struct plain_pattern *patterns)
{
	size_t n_patterns = 0, n_found;
	int round = 1;

	for (size_t s = 0; s < n; s++) {
		stacks[s].is_open = true;
		stacks[s].owner = -1;
	}
	do {
		n_found = plain_maximal(stacks, n, min_cost, round++, &patterns[n_patterns]);
		for (size_t s = 0; s < n; s++)
			for (size_t p = n_patterns; stacks[s].is_open && p < n_patterns + n_found;
			     p++)
				if (contains(stacks[s].text, patterns[p].text) &&
				    (stacks[s].owner < 0 ||
				     better(&patterns[p], &patterns[stacks[s].owner])))
					stacks[s].owner = (int)p;
		for (size_t s = 0; s < n; s++)
			stacks[s].is_open = stacks[s].owner < 0;
		n_patterns += n_found;
	} while (n_found && !classic);
	return n_patterns;
}

/* The longest common part that a stack of a later round holds takes it, see adopt.h. */
static void plain_adoption(struct plain_stack *stacks, size_t n_stacks,
			   const struct plain_pattern *patterns, const int *cluster_of,
			   char common[][MAX_DEPTH + 1], size_t n_clusters, int *home)
{
	int64_t own[MAX_PATTERNS] = {0};

	for (size_t s = 0; s < n_stacks; s++)
		if (stacks[s].owner >= 0)
			own[cluster_of[stacks[s].owner]] += stacks[s].cost;
	for (size_t s = 0; s < n_stacks; s++) {
		size_t longest = 0;
		int best = -1;

		home[s] = -1;
		if (stacks[s].owner < 0)
			continue;
		home[s] = cluster_of[stacks[s].owner];
		if (patterns[stacks[s].owner].round == 1)
			continue;
		for (size_t c = 0; c < n_clusters; c++) {
			size_t len = strlen(common[c]);

			if (len <= strlen(patterns[stacks[s].owner].text) ||
			    !contains(stacks[s].text, common[c]))
				continue;
			if (best < 0 || len > longest || (len == longest && own[c] > own[best])) {
				best = (int)c;
				longest = len;
			}
		}
		if (best >= 0)
			home[s] = best;
	}
}

/* What rows of a kind have alone. */
static void add_details(struct lode_digest *digest, struct lode_digest_row *row)
{
	int64_t part = row->cost_ns * (row->stack % 4) / 3;

	if (row->kind == LODE_EVENT_RUNNING)
		row->unsampled_ns = part;
	if (row->kind != LODE_EVENT_READY)
		return;
	row->first_runner = (uint32_t)digest->runners.n;
	row->n_runners = 2;
	lode_vec_append(&digest->runners, ((struct lode_digest_runner){0, part}));
	lode_vec_append(
		&digest->runners,
		((struct lode_digest_runner){lode_strings_intern(&digest->tree.strings, "x", 1),
					     row->cost_ns - part}));
}

/* Occurrences by number in their symptom: how often each is there, and a bit for each in a row. */
enum { N_OCCURRENCES = 12 };
static uint32_t times[N_OCCURRENCES], occurrences_of[MAX_STACKS * 3];

/* Now and then a row has none: how many there are is not known. */
static void add_occurrences(struct lode_digest *digest)
{
	bool may_lack = rnd(10) == 0;

	for (size_t o = 0; o < N_OCCURRENCES; o++)
		times[o] = 1 + rnd(4);
	for (size_t r = 0; r < digest->rows.n; r++) {
		occurrences_of[r] = rnd(1u << N_OCCURRENCES) & rnd(1u << N_OCCURRENCES);
		if (!may_lack)
			occurrences_of[r] |= 1u << rnd(N_OCCURRENCES);
	}
	for (uint32_t i = 0; i < digest->symptoms.n; i++) {
		struct lode_digest_symptom *symptom = &digest->symptoms.at[i];
		uint32_t group_of[N_OCCURRENCES], n_rows[N_OCCURRENCES] = {0};

		symptom->first_group = (uint32_t)digest->groups.n;
		for (size_t r = 0; r < digest->rows.n; r++)
			for (size_t o = 0; o < N_OCCURRENCES; o++)
				n_rows[o] += digest->rows.at[r].symptom == i &&
					     occurrences_of[r] >> o & 1;
		for (size_t o = 0; o < N_OCCURRENCES; o++) {
			if (n_rows[o] < 2)
				continue;
			group_of[o] = symptom->n_groups++;
			lode_vec_append(&digest->groups, times[o]);
		}
		for (size_t r = 0; r < digest->rows.n; r++) {
			struct lode_digest_row *row = &digest->rows.at[r];

			if (row->symptom != i)
				continue;
			row->first_shared = (uint32_t)digest->shared.n;
			for (size_t o = 0; o < N_OCCURRENCES; o++) {
				if (!(occurrences_of[r] >> o & 1))
					continue;
				if (n_rows[o] == 1) {
					row->n_alone += times[o];
					continue;
				}
				lode_vec_append(&digest->shared, group_of[o]);
				row->n_shared++;
			}
		}
	}
}

/* Adds one stream with `n` stacks to a digest, a few rows each; the same stacks as plain text. */
static struct lode_digest *random_digest(struct plain_stack *stacks, size_t n_stacks,
					 size_t n_streams)
{
	struct lode_digest *digest = lode_digest_new();

	for (size_t i = 0; i < n_streams; i++) {
		lode_vec_append_zero(&digest->streams);
		lode_vec_append(&digest->symptoms, ((struct lode_digest_symptom){
							   .stream = (uint32_t)i,
							   .t1_ns = 1000,
						   }));
	}
	for (size_t s = 0; s < n_stacks; s++) {
		uint32_t node = 0;
		size_t n_rows = 1 + rnd(3);

		for (const char *f = stacks[s].text; *f; f++) {
			char name[2] = {*f, '\0'};

			/* Some stacks are chains. */
			node = lode_calltree_child(&digest->tree, node,
						   *f == 'c' ? lode_frame_link(&digest->tree, name)
							     : lode_frame_intern(&digest->tree, "m",
										 name, 0));
		}
		stacks[s].cost = 0;
		for (size_t r = 0; r < n_rows; r++) {
			struct lode_digest_row row = {
				.stack = node,
				.symptom = rnd((unsigned)n_streams),
				.kind = (uint8_t)rnd(LODE_N_EVENT_KINDS),
				.reason = (uint8_t)rnd(LODE_N_REASONS),
				.cost_ns = rnd(20),
				.n_events = 1 + rnd(3),
			};

			row.worst_cost_ns = row.cost_ns;
			add_details(digest, &row);
			stacks[s].cost += row.cost_ns;
			digest->n_events += row.n_events;
			lode_vec_append(&digest->rows, row);
		}
	}
	add_occurrences(digest);
	return digest;
}

static void text_of(const struct lode_digest *digest, const struct lode_mined_pattern *pattern,
		    char *text)
{
	for (size_t i = 0; i < pattern->n_frames; i++)
		text[i] = lode_frame_function(&digest->tree, pattern->frames[i])[0];
	text[pattern->n_frames] = '\0';
}

static const struct plain_pattern *find_plain(const struct plain_pattern *patterns, size_t n,
					      const char *text, int round)
{
	for (size_t i = 0; i < n; i++)
		if (patterns[i].round == round && !strcmp(patterns[i].text, text))
			return &patterns[i];
	return NULL;
}

/* The link above a stack, or none: a thread at a place of a chain. */
static uint32_t place_of(const struct lode_calltree *tree, uint32_t node)
{
	while (node && !(tree->frames.at[tree->nodes.at[node].frame].flags & LODE_FRAME_LINK))
		node = tree->nodes.at[node].parent;
	return node;
}

/* Cluster figures from the rows, the slow way. */
static void check_cluster(const struct lode_mined *mined, const struct lode_cluster *cluster,
			  const struct plain_stack *stacks, size_t n_stacks, const int *home)
{
	const struct lode_digest *digest = mined->digest;
	int64_t total = 0, own = 0, split = 0, by_pattern = 0, unsampled = 0, near = 0;
	int64_t ran[2] = {0}, found[2] = {0};
	uint32_t places[MAX_STACKS * 3], n_places = 0;
	uint64_t n_events = 0, n_occurrences = 0;
	uint32_t n_streams = 0, occurrences[8] = {0};
	bool stream_seen[8] = {false}, is_known = true;

	for (size_t r = 0; r < digest->rows.n; r++) {
		const struct lode_digest_row *row = &digest->rows.at[r];
		char text[MAX_DEPTH + 1] = "", pattern[MAX_DEPTH + 1];
		uint32_t path[MAX_DEPTH];
		size_t depth = lode_calltree_path(&digest->tree, row->stack, path);
		bool is_matched = false, is_owned = false;

		for (size_t i = 0; i < depth; i++)
			text[i] = lode_frame_function(&digest->tree, path[i])[0];
		for (size_t p = 0; p < cluster->n_patterns; p++) {
			text_of(digest, &cluster->patterns[p], pattern);
			is_matched |= contains(text, pattern);
		}
		for (size_t s = 0; s < n_stacks; s++)
			is_owned |= !strcmp(stacks[s].text, text) &&
				    home[s] == cluster - mined->clusters;
		own += is_owned ? row->cost_ns : 0;
		if (is_owned) {
			unsampled += row->unsampled_ns;
			occurrences[row->symptom] |= occurrences_of[r];
			is_known &= occurrences_of[r] != 0;
			places[n_places++] = place_of(&digest->tree, row->stack);
			for (uint32_t k = 0; k < row->n_runners; k++)
				ran[digest->runners.at[row->first_runner + k].name == 0] +=
					digest->runners.at[row->first_runner + k].cost_ns;
		}
		/* Adopted stacks hold a common part, but perhaps no pattern: they are its own. */
		if (!is_matched && !is_owned)
			continue;
		total += row->cost_ns;
		n_events += row->n_events;
		n_streams += !stream_seen[digest->symptoms.at[row->symptom].stream];
		stream_seen[digest->symptoms.at[row->symptom].stream] = true;
	}
	for (size_t i = 0; is_known && i < 8 * N_OCCURRENCES; i++)
		if (occurrences[i / N_OCCURRENCES] >> i % N_OCCURRENCES & 1)
			n_occurrences += times[i % N_OCCURRENCES];
	for (size_t k = 0; k < LODE_N_EVENT_KINDS; k++)
		split += cluster->split_ns[k];
	for (size_t p = 0; p < cluster->n_patterns; p++)
		by_pattern += cluster->patterns[p].own_ns;
	for (size_t r = 0; r < digest->rows.n; r++)
		for (uint32_t i = 0; i < n_places; i++)
			if (places[i] == place_of(&digest->tree, digest->rows.at[r].stack)) {
				near += digest->rows.at[r].unsampled_ns;
				break;
			}
	for (size_t i = 0; i < cluster->n_ran_instead; i++)
		found[cluster->ran_instead[i].name == 0] += cluster->ran_instead[i].cost_ns;
	assert_int_equal(by_pattern, cluster->own_ns);
	if (own > 0) {
		assert_int_equal(cluster->unsampled_ns, unsampled);
		assert_int_equal(cluster->least_ns, own - unsampled);
		assert_int_equal(cluster->most_ns, own - unsampled + near);
		assert_int_equal(found[0], ran[0]);
		assert_int_equal(found[1], ran[1]);
	}
	assert_int_equal(cluster->total_ns, total);
	assert_int_equal(cluster->own_ns, own);
	assert_int_equal(split, own);
	assert_int_equal(cluster->n_events, n_events);
	assert_int_equal(cluster->n_occurrences, n_occurrences);
	assert_true(cluster->mean_ns == (n_occurrences ? own / (int64_t)n_occurrences : INT64_MIN));
	assert_int_equal(cluster->n_streams, n_streams);
}

/* Different ones, at most so many and so deep; gives how many. */
static size_t random_stacks(struct plain_stack *stacks, unsigned most, unsigned deepest)
{
	size_t n_wanted = 1 + rnd(most), n = 0;

	for (size_t s = 0; s < n_wanted; s++) {
		size_t len = 1 + rnd(deepest), same;

		memset(stacks[n].text, 0, sizeof(stacks[n].text));
		for (size_t i = 0; i < len; i++)
			stacks[n].text[i] = (char)('a' + rnd(N_FUNCTIONS));
		for (same = 0; same < n && strcmp(stacks[same].text, stacks[n].text) != 0; same++)
			;
		n += same == n;
	}
	return n;
}

static bool is_remainder(const struct lode_mined *mined, const struct lode_cluster *c)
{
	return 2 * c->own_ns < c->total_ns && c->own_ns < mined->aoi_ns / 100;
}

/* By average, and remainders last; the paper knows none. */
static void check_averages(const struct lode_mined *mined, bool is_classic)
{
	for (size_t c = 1; c < mined->n_clusters; c++) {
		const struct lode_cluster *a = &mined->clusters[c - 1], *b = a + 1;

		if (!is_classic && is_remainder(mined, a) != is_remainder(mined, b))
			assert_true(is_remainder(mined, b));
		else
			assert_true(is_classic ? a->average_ns >= b->average_ns
					       : a->mean_ns >= b->mean_ns);
	}
}

static void check_one(uint64_t seed)
{
	static struct plain_pattern patterns[MAX_PATTERNS];
	static char common[MAX_PATTERNS][MAX_DEPTH + 1];
	static int cluster_of[MAX_PATTERNS];
	int home[MAX_STACKS];
	struct plain_stack stacks[MAX_STACKS] = {0};
	size_t n_stacks, n_patterns, n_seen = 0;
	struct lode_mine_options options = {.min_similarity = 0.5, .n_threads = seed % 8 ? 1 : 2};
	struct lode_digest *digest;
	struct lode_mined *mined;
	struct lode_error err;
	int64_t explained = 0;

	seed_state = seed;
	n_stacks = random_stacks(stacks, MAX_STACKS, MAX_DEPTH);
	digest = random_digest(stacks, n_stacks, 1 + rnd(4));
	options.min_cost = 1 + rnd(60);
	options.classic = rnd(4) == 0;
	options.rank = rnd(2) ? LODE_RANK_AVERAGE : LODE_RANK_OWN;
	n_patterns = plain_rounds(stacks, n_stacks, options.min_cost, options.classic, patterns);
	if (lode_mine(&mined, digest, &options, &err) < 0)
		fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
	if (mined->n_patterns != n_patterns)
		fail_msg("seed %llu: %zu patterns, %zu by definition", (unsigned long long)seed,
			 mined->n_patterns, n_patterns);
	for (size_t c = 0; c < mined->n_clusters; c++) {
		const struct lode_cluster *cluster = &mined->clusters[c];

		for (size_t i = 0; i < cluster->n_common; i++)
			common[c][i] = lode_frame_function(&digest->tree, cluster->common[i])[0];
		common[c][cluster->n_common] = '\0';
		for (size_t p = 0; p < cluster->n_patterns; p++, n_seen++) {
			const struct lode_mined_pattern *pattern = &cluster->patterns[p];
			const struct plain_pattern *plain;
			char text[MAX_DEPTH + 1];

			text_of(digest, pattern, text);
			plain = find_plain(patterns, n_patterns, text, (int)pattern->round);
			if (!plain)
				fail_msg("seed %llu: %s is no pattern of round %u",
					 (unsigned long long)seed, text, pattern->round);
			cluster_of[plain - patterns] = (int)c;
			assert_int_equal(pattern->cost_ns, cost_of(stacks, n_stacks, text, false));
			assert_int_equal(pattern->holds_common, contains(text, common[c]));
		}
	}
	plain_adoption(stacks, n_stacks, patterns, cluster_of, common, mined->n_clusters, home);
	for (size_t c = 0; c < mined->n_clusters; c++) {
		check_cluster(mined, &mined->clusters[c], stacks, n_stacks, home);
		explained += mined->clusters[c].own_ns;
	}
	if (options.rank == LODE_RANK_AVERAGE)
		check_averages(mined, options.classic);
	assert_int_equal(n_seen, n_patterns);
	assert_int_equal(explained + mined->other_ns, mined->aoi_ns);
	lode_mined_free(mined);
	lode_digest_free(digest);
}

static void test_equals_the_definition(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(10000); seed++)
		check_one(seed);
}

static bool has_name(const struct lode_calltree *tree, uint32_t node, uint32_t name)
{
	for (; node; node = tree->nodes.at[node].parent)
		if (tree->nodes.at[node].frame == name)
			return true;
	return name == LODE_NONE;
}

static bool is_in_stack(const struct lode_calltree *tree, uint32_t node, const uint32_t *frames,
			size_t n_frames)
{
	uint32_t path[MAX_DEPTH];
	size_t n = lode_calltree_path(tree, node, path), at = 0;

	for (size_t i = 0; i < n && at < n_frames; i++)
		at += path[i] == frames[at];
	return at == n_frames;
}

/* Whether the stack contains a pattern of the cluster, or its common part. */
static bool explains(const struct lode_calltree *tree, const struct lode_cluster *cluster,
		     uint32_t node)
{
	bool found = is_in_stack(tree, node, cluster->common, cluster->n_common);

	for (size_t p = 0; p < cluster->n_patterns; p++)
		found |= is_in_stack(tree, node, cluster->patterns[p].frames,
				     cluster->patterns[p].n_frames);
	return found;
}

/* What a cluster with a name owns has it, but for stacks that no other pattern explains; all
   patterns are there once. Gives how many clusters have a name. */
static size_t check_names(const struct lode_mined *mined)
{
	size_t n_named = 0, n_patterns = 0;
	int64_t own_ns = 0;

	for (size_t c = 0; c < mined->n_clusters; c++) {
		const struct lode_cluster *cluster = &mined->clusters[c];

		assert_true(cluster->n_patterns > 0);
		assert_true(cluster->own_ns <= cluster->total_ns);
		own_ns += cluster->own_ns;
		n_patterns += cluster->n_patterns;
		n_named += cluster->name != LODE_NONE;
		for (size_t i = 0; cluster->own_ns > 0 && i < cluster->n_stacks; i++)
			assert_true(
				has_name(&mined->digest->tree, cluster->stacks[i].node,
					 cluster->name) ||
				explains(&mined->digest->tree, cluster, cluster->stacks[i].node));
	}
	assert_int_equal(own_ns + mined->other_ns, mined->aoi_ns);
	assert_int_equal(n_patterns, mined->n_patterns);
	return n_named;
}

static void test_clusters_by_the_data(void **state)
{
	size_t n_named = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct lode_mine_options options = {.min_similarity = LODE_CUT_BY_DATA,
						    .n_threads = 1};
		struct plain_stack stacks[MAX_STACKS] = {0};
		struct lode_mined *mined, *again;
		struct lode_digest *digest;
		struct lode_error err;

		seed_state = seed;
		digest = random_digest(stacks, random_stacks(stacks, MAX_STACKS, MAX_DEPTH),
				       2 + rnd(10));
		options.min_cost = 1 + rnd(200);
		assert_int_equal(lode_mine(&mined, digest, &options, &err), 0);
		n_named += check_names(mined);
		options.n_threads = 3;
		assert_int_equal(lode_mine(&again, digest, &options, &err), 0);
		assert_int_equal(mined->n_clusters, again->n_clusters);
		for (size_t c = 0; c < mined->n_clusters; c++) {
			assert_true(mined->clusters[c].id == again->clusters[c].id);
			assert_int_equal(mined->clusters[c].name, again->clusters[c].name);
			assert_int_equal(mined->clusters[c].own_ns, again->clusters[c].own_ns);
		}
		lode_mined_free(mined);
		lode_mined_free(again);
		lode_digest_free(digest);
	}
	assert_true(n_named > 100);
}

/* The smallest λ with at most so many patterns, over all rounds: every λ there is, by brute force,
   though a larger one may have more. */
static int64_t plain_lambda(struct plain_stack *stacks, size_t n, size_t most, bool classic,
			    size_t *n_patterns, bool *is_uneven)
{
	static struct plain_pattern patterns[MAX_PATTERNS];
	int64_t total = 0, found = 0;

	for (size_t s = 0; s < n; s++)
		total += stacks[s].cost;
	*is_uneven = false;
	for (int64_t min_cost = 1; min_cost <= total + 1; min_cost++) {
		size_t n_here = plain_rounds(stacks, n, min_cost, classic, patterns);

		if (n_here > most) {
			*is_uneven |= found > 0;
		} else if (found == 0) {
			found = min_cost;
			*n_patterns = n_here;
		}
	}
	return found;
}

/* What a search for λ gives is what mining at that λ gives. */
static void check_as_if_chosen(uint64_t seed, const struct lode_mined *mined,
			       const struct lode_mine_options *options)
{
	struct lode_mine_options chosen = *options;
	struct lode_mined *again;
	struct lode_error err;
	bool is_same;

	chosen.patterns = chosen.max_patterns = 0;
	chosen.may_raise = false;
	chosen.min_cost = mined->min_cost;
	assert_int_equal(lode_mine(&again, mined->digest, &chosen, &err), 0);
	is_same = again->n_clusters == mined->n_clusters &&
		  again->n_patterns == mined->n_patterns && again->n_rounds == mined->n_rounds &&
		  again->other_ns == mined->other_ns;
	for (size_t c = 0; is_same && c < mined->n_clusters; c++)
		is_same = again->clusters[c].id == mined->clusters[c].id &&
			  again->clusters[c].own_ns == mined->clusters[c].own_ns &&
			  again->clusters[c].total_ns == mined->clusters[c].total_ns;
	if (!is_same || again->is_raised)
		fail_msg("seed %llu: not what λ = %lld gives", (unsigned long long)seed,
			 (long long)mined->min_cost);
	lode_mined_free(again);
}

static void test_patterns_chooses_the_smallest_of_all_lambdas(void **state)
{
	size_t n_uneven = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(2000); seed++) {
		struct plain_stack stacks[MAX_STACKS] = {0};
		size_t n_stacks, n_patterns = 0;
		struct lode_mine_options options = {.min_similarity = 0.5,
						    .n_threads = seed % 8 ? 1 : 2};
		struct lode_digest *digest;
		struct lode_mined *mined;
		struct lode_error err;
		int64_t min_cost;
		bool is_uneven;

		seed_state = seed * 7919;
		n_stacks = random_stacks(stacks, 4, 5);
		options.patterns = 1 + rnd(6);
		options.classic = rnd(4) == 0;
		digest = random_digest(stacks, n_stacks, 2);
		min_cost = plain_lambda(stacks, n_stacks, options.patterns, options.classic,
					&n_patterns, &is_uneven);
		n_uneven += is_uneven;
		if (lode_mine(&mined, digest, &options, &err) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
		if (mined->min_cost != min_cost || mined->n_patterns != n_patterns)
			fail_msg("seed %llu: %zu patterns at %lld, expected %zu at %lld",
				 (unsigned long long)seed, mined->n_patterns,
				 (long long)mined->min_cost, n_patterns, (long long)min_cost);
		check_as_if_chosen(seed, mined, &options);
		lode_mined_free(mined);
		lode_digest_free(digest);
	}
	assert_true(n_uneven > 20); /* or the smallest from above would always do */
}

static void test_a_raised_lambda_is_mined_as_if_it_were_chosen(void **state)
{
	size_t n_raised = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1000); seed++) {
		struct plain_stack stacks[MAX_STACKS] = {0};
		struct lode_mine_options options = {
			.min_similarity = 0.5, .may_raise = true, .n_threads = seed % 8 ? 1 : 2};
		struct lode_digest *digest;
		struct lode_mined *mined;
		struct lode_error err;

		seed_state = seed * 104729;
		digest = random_digest(stacks, random_stacks(stacks, 6, 6), 2);
		options.max_patterns = 1 + rnd(4);
		options.split_kinds = rnd(3) == 0;
		if (lode_mine(&mined, digest, &options, &err) == 0) {
			assert_true(mined->n_patterns <= options.max_patterns);
			n_raised += mined->is_raised;
			check_as_if_chosen(seed, mined, &options);
			lode_mined_free(mined);
		}
		lode_digest_free(digest);
	}
	assert_true(n_raised > TEST_CASES(1000) / 5);
}

static void test_too_many_patterns_name_a_cost_that_fits(void **state)
{
	struct plain_stack stacks[3] = {{"abc", 0, 0, 0}, {"bca", 0, 0, 0}, {"cab", 0, 0, 0}};
	struct lode_mine_options options = {
		.min_cost = 1, .max_patterns = 1, .min_similarity = 0.5};
	struct lode_digest *digest;
	struct lode_mined *mined;
	struct lode_error err;
	long long fits;
	char *at;

	(void)state;
	seed_state = 3;
	digest = random_digest(stacks, 3, 1);
	assert_int_equal(lode_mine(&mined, digest, &options, &err), LODE_ERR_LIMIT);
	assert_null(mined);
	at = strstr(err.message, "--min-cost ");
	assert_non_null(at);
	fits = strtoll(at + strlen("--min-cost "), NULL, 10);
	options.min_cost = fits;
	assert_int_equal(lode_mine(&mined, digest, &options, &err), 0);
	assert_true(mined->n_patterns <= 1);
	lode_mined_free(mined);
	lode_digest_free(digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_the_definition),
		cmocka_unit_test(test_clusters_by_the_data),
		cmocka_unit_test(test_patterns_chooses_the_smallest_of_all_lambdas),
		cmocka_unit_test(test_a_raised_lambda_is_mined_as_if_it_were_chosen),
		cmocka_unit_test(test_too_many_patterns_name_a_cost_that_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
