/*
 * Exports against the rows that they are made of: for random digests in random clusters, with
 * hostile names, what is read back from speedscope's JSON, from pprof's protobuf and from folded
 * stacks has each stack of each cluster with the cost that plain loops over the rows give it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>
#include <yajl/yajl_tree.h>

#include "engine/mine/mine.h"
#include "base/escape.h"
#include "random.h"
#include "document/export/export_stacks.h"
#include "answers/mine/mine.h"

enum { CASES = 1000, MAX_CLUSTERS = 5, KEY_BYTES = 16384 };

/* ---- Costs by text: what all are brought to ---- */

struct entry {
	char *key;
	int64_t cost;
};

struct sums {
	LODE_VEC(struct entry) at;
};

static void add(struct sums *sums, const char *key, int64_t cost)
{
	for (size_t i = 0; i < sums->at.n; i++)
		if (strcmp(sums->at.at[i].key, key) == 0) {
			sums->at.at[i].cost += cost;
			return;
		}
	lode_vec_append(&sums->at, ((struct entry){lode_strdup(key), cost}));
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static void assert_same(struct sums *want, struct sums *got, const char *what, uint64_t seed)
{
	if (want->at.n)
		qsort(want->at.at, want->at.n, sizeof(*want->at.at), by_key);
	if (got->at.n)
		qsort(got->at.at, got->at.n, sizeof(*got->at.at), by_key);
	for (size_t i = 0; i < want->at.n && i < got->at.n; i++)
		if (strcmp(want->at.at[i].key, got->at.at[i].key) != 0 ||
		    want->at.at[i].cost != got->at.at[i].cost)
			fail_msg("seed %lu, %s: %s %ld, not %s %ld", seed, what, got->at.at[i].key,
				 got->at.at[i].cost, want->at.at[i].key, want->at.at[i].cost);
	if (want->at.n != got->at.n)
		fail_msg("seed %lu, %s: %zu stacks, not %zu", seed, what, got->at.n, want->at.n);
}

static void clear(struct sums *sums)
{
	for (size_t i = 0; i < sums->at.n; i++)
		free(sums->at.at[i].key);
	lode_vec_release(&sums->at);
}

static void append(char *key, const char *text)
{
	size_t n = strlen(key);

	snprintf(key + n, KEY_BYTES - n, "%s", text);
}

/* ---- Random digests, in random clusters ---- */

struct fixture {
	struct lode_digest *digest;
	struct lode_mined mined;
	int64_t *frame_ns; /* the mined one's: nothing is rare */
	struct lode_cluster clusters[MAX_CLUSTERS];
	LODE_VEC(struct lode_cluster_stack) stacks[MAX_CLUSTERS];
	uint32_t *cluster_of; /* per kind group and node; MAX_CLUSTERS: none's */
	bool is_split;
};

static const char *const names[] = {"a",	 "b", "c;d",	      "<script>\"\\", "\033[2J",
				    "x\xff\xfe", "",  "\u202e\u200b", "e f\n\t",      "operator<"};

static uint32_t random_frame(struct test_random *rng, struct lode_calltree *tree)
{
	static const char *const modules[] = {"", "app", "[kernel]", "m\"\n\xc3"};
	uint32_t flags = test_random_below(rng, 3) == 0 ? LODE_FRAME_INLINED : 0;

	if (test_random_below(rng, 8) == 0)
		return lode_frame_link(tree, names[test_random_below(rng, 10)]);
	return lode_frame_intern(tree, modules[test_random_below(rng, 4)],
				 names[test_random_below(rng, 10)], flags);
}

static uint32_t intern(struct lode_digest *digest, const char *text)
{
	return lode_strings_intern(&digest->tree.strings, text, strlen(text));
}

static struct lode_digest *random_digest(struct test_random *rng)
{
	struct lode_digest *digest = lode_digest_new();
	struct lode_calltree *tree = &digest->tree;
	size_t n_rows = test_random_below(rng, 25);

	digest->unit = test_random_below(rng, 3) ? "ns" : "samples";
	lode_vec_append_zero(&digest->streams)->path = intern(digest, "dir/\033one.data");
	lode_vec_append_zero(&digest->streams)->path = intern(digest, "two");
	for (unsigned s = 0; s < 3; s++)
		lode_vec_append(&digest->symptoms, ((struct lode_digest_symptom){
							   .stream = s / 2,
							   .pid = 7,
							   .tid = (int32_t)s,
							   .comm = intern(digest, names[s * 4]),
						   }));
	for (size_t i = 0; i < n_rows; i++) {
		uint32_t node = 0;

		for (uint32_t depth = test_random_below(rng, 7); depth > 0; depth--)
			node = lode_calltree_child(tree, node, random_frame(rng, tree));
		lode_vec_append(
			&digest->rows,
			((struct lode_digest_row){
				.stack = node,
				.symptom = test_random_below(rng, 3),
				.waker = test_random_below(rng, 2) ? intern(digest, "disk\a") : 0,
				.kind = (uint8_t)test_random_below(rng, LODE_N_EVENT_KINDS),
				.reason = (uint8_t)test_random_below(rng, LODE_N_REASONS),
				.cost_ns = 1 + test_random_below(rng, 1000000),
				.n_events = 1 + test_random_below(rng, 9),
			}));
	}
	return digest;
}

static size_t slot_of(const struct fixture *f, uint32_t node, uint32_t kind)
{
	return (f->is_split ? kind : 0) * f->digest->tree.nodes.n + node;
}

/* Stacks with a row, each of a random cluster or of none; the last cluster owns nothing. */
static void random_clusters(struct fixture *f, struct test_random *rng)
{
	size_t n_nodes = f->digest->tree.nodes.n, n_slots = n_nodes * LODE_N_EVENT_KINDS;
	size_t n = 1 + test_random_below(rng, MAX_CLUSTERS);
	int64_t *cost = lode_alloc0(n_slots, sizeof(*cost));

	f->cluster_of = lode_alloc(n_slots * sizeof(*f->cluster_of));
	f->is_split = test_random_below(rng, 2);
	for (size_t i = 0; i < f->digest->rows.n; i++)
		cost[slot_of(f, f->digest->rows.at[i].stack, f->digest->rows.at[i].kind)] +=
			f->digest->rows.at[i].cost_ns;
	for (size_t c = 0; c < n; c++)
		f->clusters[c] = (struct lode_cluster){
			.name = LODE_NONE,
			.id = 0x1234567800000000u + c,
			.rank = (uint32_t)c + 1,
			/* Of one kind each, when kinds were mined apart. */
			.kind_group = f->is_split ? 1 + (uint32_t)c % LODE_N_EVENT_KINDS : 0,
		};
	for (size_t s = 0; s < n_slots; s++) {
		uint32_t c = test_random_below(rng, (uint32_t)n + 1);
		uint32_t kind = (uint32_t)(s / n_nodes);

		f->cluster_of[s] = MAX_CLUSTERS;
		if (!cost[s] || c == n || (f->is_split && f->clusters[c].kind_group != 1 + kind))
			continue;
		lode_vec_append(&f->stacks[c],
				((struct lode_cluster_stack){(uint32_t)(s % n_nodes), cost[s]}));
		if (c + 1 == n) /* what it has are others' stacks, or nobody's */
			continue;
		f->cluster_of[s] = c;
		f->clusters[c].own_ns += cost[s];
	}
	f->mined =
		(struct lode_mined){.digest = f->digest, .clusters = f->clusters, .n_clusters = n};
	f->frame_ns = lode_alloc0(f->digest->tree.frames.n + 1, sizeof(*f->frame_ns));
	f->mined.frame_ns = f->frame_ns;
	for (size_t i = 0; i < f->digest->rows.n; i++)
		f->mined.aoi_ns += f->digest->rows.at[i].cost_ns;
	f->mined.other_ns = f->mined.symptom_ns = f->mined.aoi_ns;
	for (size_t c = 0; c < n; c++) {
		f->clusters[c].stacks = f->stacks[c].at;
		f->clusters[c].n_stacks = f->stacks[c].n;
		f->mined.other_ns -= f->clusters[c].own_ns;
	}
	free(cost);
}

static void fixture_release(struct fixture *f)
{
	free(f->frame_ns);
	for (size_t c = 0; c < MAX_CLUSTERS; c++)
		lode_vec_release(&f->stacks[c]);
	free(f->cluster_of);
	lode_digest_free(f->digest);
}

/* ---- What is true ---- */

static void plain_stack(char *key, const struct lode_calltree *tree, uint32_t node)
{
	char label[4096], name[4 * 4096];

	if (node == 0) {
		append(key, "|[no stack]");
		return;
	}
	if (tree->nodes.at[node].parent)
		plain_stack(key, tree, tree->nodes.at[node].parent);
	append(key, "|");
	append(key, lode_escape(name, sizeof(name),
				lode_frame_label(tree, tree->nodes.at[node].frame, label,
						 sizeof(label))));
}

/* Whether the row is in what is exported, and of which rank: 0 is the rest. */
static bool plain_rank(const struct fixture *f, const struct lode_cluster *only,
		       const struct lode_digest_row *row, uint32_t *rank)
{
	uint32_t c = f->cluster_of[slot_of(f, row->stack, row->kind)];

	if (!only) {
		*rank = c == MAX_CLUSTERS ? 0 : f->clusters[c].rank;
		return true;
	}
	*rank = only->rank;
	for (size_t i = 0; i < only->n_stacks; i++)
		if (only->stacks[i].node == row->stack &&
		    (!only->kind_group || only->kind_group == 1u + row->kind))
			return true;
	return false;
}

/* "RANK|main|f": cost; with `by_kind` "KIND RANK|main|f". */
static void plain_sums(struct sums *sums, const struct fixture *f, const struct lode_cluster *only,
		       bool by_kind)
{
	char key[KEY_BYTES];
	uint32_t rank;

	for (size_t i = 0; i < f->digest->rows.n; i++) {
		const struct lode_digest_row *row = &f->digest->rows.at[i];

		if (!plain_rank(f, only, row, &rank))
			continue;
		snprintf(key, sizeof(key), "%s%u",
			 by_kind ? lode_event_kind_name((enum lode_event_kind)row->kind) : "",
			 rank);
		plain_stack(key, &f->digest->tree, row->stack);
		add(sums, key, row->cost_ns);
	}
}

/* ---- Reading back: speedscope ---- */

static yajl_val member(yajl_val of, const char *name, yajl_type type)
{
	const char *path[] = {name, NULL};
	yajl_val value = yajl_tree_get(of, path, type);

	if (!value)
		fail_msg("no member %s", name);
	return value;
}

static void read_profile(struct sums *sums, yajl_val profile, yajl_val frames)
{
	yajl_val samples = member(profile, "samples", yajl_t_array);
	yajl_val weights = member(profile, "weights", yajl_t_array);
	const char *name = YAJL_GET_STRING(member(profile, "name", yajl_t_string));
	unsigned rank = 0;
	int64_t total = 0;
	char key[KEY_BYTES];

	if (*name == '#')
		rank = (unsigned)strtoul(name + 1, NULL, 10);
	assert_int_equal(YAJL_GET_ARRAY(samples)->len, YAJL_GET_ARRAY(weights)->len);
	for (size_t i = 0; i < YAJL_GET_ARRAY(samples)->len; i++) {
		yajl_val stack = YAJL_GET_ARRAY(samples)->values[i];
		int64_t cost = YAJL_GET_INTEGER(YAJL_GET_ARRAY(weights)->values[i]);

		snprintf(key, sizeof(key), "%u", rank);
		for (size_t k = 0; k < YAJL_GET_ARRAY(stack)->len; k++) {
			size_t at = (size_t)YAJL_GET_INTEGER(YAJL_GET_ARRAY(stack)->values[k]);

			assert_true(at < YAJL_GET_ARRAY(frames)->len);
			append(key, "|");
			append(key, YAJL_GET_STRING(member(YAJL_GET_ARRAY(frames)->values[at],
							   "name", yajl_t_string)));
		}
		add(sums, key, cost);
		total += cost;
	}
	assert_int_equal(YAJL_GET_INTEGER(member(profile, "startValue", yajl_t_number)), 0);
	assert_int_equal(YAJL_GET_INTEGER(member(profile, "endValue", yajl_t_number)), total);
}

static void read_speedscope(struct sums *sums, const char *text)
{
	char message[256] = "";
	yajl_val root = yajl_tree_parse(text, message, sizeof(message));
	yajl_val frames, profiles;

	if (!root)
		fail_msg("%s\n%s", message, text);
	frames = member(member(root, "shared", yajl_t_object), "frames", yajl_t_array);
	profiles = member(root, "profiles", yajl_t_array);
	for (size_t i = 0; i < YAJL_GET_ARRAY(profiles)->len; i++)
		read_profile(sums, YAJL_GET_ARRAY(profiles)->values[i], frames);
	yajl_tree_free(root);
}

/* ---- Reading back: pprof, by the wire format's rules and the published field numbers ---- */

struct slice {
	const uint8_t *at, *end;
};

static uint64_t varint(struct slice *s)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		assert_true(s->at < s->end && shift < 70);
		value |= (uint64_t)(*s->at & 0x7f) << shift;
		if (!(*s->at++ & 0x80))
			return value;
	}
}

/* The next field: its number, and a number or a slice. */
static bool next_field(struct slice *s, unsigned *field, uint64_t *number, struct slice *part)
{
	uint64_t key, n;

	if (s->at == s->end)
		return false;
	key = varint(s);
	*field = (unsigned)(key >> 3);
	*number = 0;
	*part = (struct slice){0};
	if ((key & 7) == 0) {
		*number = varint(s);
		return true;
	}
	assert_int_equal(key & 7, 2);
	n = varint(s);
	assert_true(n <= (uint64_t)(s->end - s->at));
	*part = (struct slice){s->at, s->at + n};
	s->at += n;
	return true;
}

static uint64_t number_in(struct slice message, unsigned wanted)
{
	unsigned field;
	uint64_t number;
	struct slice part;

	while (next_field(&message, &field, &number, &part))
		if (field == wanted)
			return number;
	return 0;
}

/* The profile's field `wanted` whose id (field 1) is `id`; with wanted = 6, the string of index
 * `id`. */
static struct slice find_part(struct slice profile, unsigned wanted, uint64_t id)
{
	unsigned field;
	uint64_t number, n_strings = 0;
	struct slice part;

	while (next_field(&profile, &field, &number, &part))
		if (field == wanted && (wanted == 6 ? n_strings++ : number_in(part, 1)) == id)
			return part;
	fail_msg("no %u of id %lu", wanted, id);
	return profile;
}

static void append_string(char *key, struct slice profile, uint64_t index)
{
	struct slice text = find_part(profile, 6, index);
	size_t n = strlen(key);

	snprintf(key + n, KEY_BYTES - n, "%.*s", (int)(text.end - text.at), (const char *)text.at);
}

static bool has_key(struct slice profile, struct slice label, const char *wanted)
{
	char key[KEY_BYTES] = "";

	append_string(key, profile, number_in(label, 1));
	return strcmp(key, wanted) == 0;
}

/* A location's functions, outermost first: its lines are innermost first. */
static void append_location(char *key, struct slice profile, uint64_t id)
{
	struct slice location = find_part(profile, 4, id), part, lines[8];
	unsigned field;
	uint64_t number;
	size_t n = 0;

	while (next_field(&location, &field, &number, &part))
		if (field == 4) {
			assert_true(n < 8);
			lines[n++] = part;
		}
	assert_true(n > 0);
	while (n-- > 0) {
		append(key, "|");
		append_string(key, profile,
			      number_in(find_part(profile, 5, number_in(lines[n], 1)), 2));
	}
}

static void read_sample(struct sums *all, struct sums *by_kind, struct slice profile,
			struct slice sample)
{
	char key[KEY_BYTES] = "", kind_key[KEY_BYTES] = "", stack[KEY_BYTES] = "";
	uint64_t ids[64], number, rank = 0;
	int64_t values[8], by_kinds = 0;
	size_t n_ids = 0, n_values = 0;
	struct slice part;
	unsigned field;

	while (next_field(&sample, &field, &number, &part)) {
		if (field == 1)
			while (part.at < part.end)
				ids[n_ids++] = varint(&part);
		else if (field == 2)
			while (part.at < part.end)
				values[n_values++] = (int64_t)varint(&part);
		else if (field == 3 && has_key(profile, part, "rank"))
			rank = number_in(part, 3);
		else if (field == 3 && has_key(profile, part, "kind"))
			append_string(kind_key, profile, number_in(part, 2));
	}
	while (n_ids-- > 0)
		append_location(stack, profile, ids[n_ids]);
	snprintf(key, sizeof(key), "%lu", rank);
	append(kind_key, key);
	append(kind_key, stack);
	append(key, stack);
	add(all, key, values[1]);
	add(by_kind, kind_key, values[1]);
	for (size_t i = 2; i < n_values; i++)
		by_kinds += values[i];
	assert_true(n_values == 2 || (n_values == 5 && by_kinds == values[1]));
}

static void read_pprof(struct sums *all, struct sums *by_kind, const char *packed, size_t size)
{
	static uint8_t bytes[1 << 20];
	z_stream z = {.next_in = (unsigned char *)packed,
		      .avail_in = (unsigned)size,
		      .next_out = bytes,
		      .avail_out = sizeof(bytes)};
	struct slice profile, at, part;
	unsigned field;
	uint64_t number;

	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	profile = at = (struct slice){bytes, bytes + z.total_out};
	inflateEnd(&z);
	while (next_field(&at, &field, &number, &part))
		if (field == 2)
			read_sample(all, by_kind, profile, part);
}

/* ---- The property ---- */

static void check(const struct fixture *f, const struct lode_cluster *only, uint64_t seed)
{
	struct sums want = {0}, want_by_kind = {0}, speedscope = {0}, pprof = {0}, by_kind = {0};
	struct lode_export_stacks stacks;
	char *text;
	size_t size;
	FILE *out;

	lode_export_mined(&stacks, &f->mined, only);
	plain_sums(&want, f, only, false);
	plain_sums(&want_by_kind, f, only, true);
	out = open_memstream(&text, &size);
	assert_int_equal(lode_export_speedscope(out, &stacks, NULL), 0);
	fclose(out);
	read_speedscope(&speedscope, text);
	free(text);
	out = open_memstream(&text, &size);
	assert_int_equal(lode_export_pprof(out, &stacks, NULL), 0);
	fclose(out);
	read_pprof(&pprof, &by_kind, text, size);
	free(text);
	assert_same(&want, &speedscope, "speedscope", seed);
	assert_same(&want, &pprof, "pprof", seed);
	assert_same(&want_by_kind, &by_kind, "pprof by kind", seed);
	lode_export_stacks_release(&stacks);
	clear(&want);
	clear(&want_by_kind);
	clear(&speedscope);
	clear(&pprof);
	clear(&by_kind);
}

static void exports_have_the_rows(void **state)
{
	size_t n_rows = 0, n_clusters = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct test_random rng = {seed};
		struct fixture f = {.digest = random_digest(&rng)};

		random_clusters(&f, &rng);
		n_rows += f.digest->rows.n;
		check(&f, NULL, seed);
		for (size_t c = 0; c < f.mined.n_clusters; c++) {
			n_clusters += f.clusters[c].n_stacks > 0;
			check(&f, &f.clusters[c], seed);
		}
		fixture_release(&f);
	}
	assert_true(n_rows > 10 * CASES && n_clusters > CASES);
}

/* Of one cluster as of all: lines of stacks and costs, which sum to it. */
static void folded_stacks_of_a_cluster_are_its_own(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random rng = {seed};
		struct fixture f = {.digest = random_digest(&rng)};

		random_clusters(&f, &rng);
		for (size_t c = 0; c < f.mined.n_clusters; c++) {
			int64_t want = 0, got = 0;
			char *text;
			size_t size;
			FILE *out = open_memstream(&text, &size);

			for (size_t i = 0; i < f.clusters[c].n_stacks; i++)
				want += f.clusters[c].stacks[i].cost_ns;
			lode_mine_folded(out, f.digest, &f.clusters[c]);
			fclose(out);
			for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
				*end = '\0';
				got += strtoll(strrchr(line, ' ') + 1, NULL, 10);
			}
			if (got != want)
				fail_msg("seed %lu, cluster %zu: %ld, not %ld", seed, c, got, want);
			free(text);
		}
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exports_have_the_rows),
		cmocka_unit_test(folded_stacks_of_a_cluster_are_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
