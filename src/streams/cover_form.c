/* Makes covers of digests, and reads which signatures their rows are of. */
#include "streams/cover_form.h"

#include <inttypes.h>

#include "base/lines.h"
#include "base/sorted.h"
#include "base/written.h"

struct lode_covers {
	const struct lode_signatures *signatures;
	struct lode_signature_matcher *matcher;
	const char **texts; /* per signature: what it matches */
	int64_t *numbers;   /* per signature; equal texts have the same */
	bool has_unknown;   /* numbers that are this process's alone */
	int64_t *ascending; /* of the form: each number once */
	struct lode_repo_cover_form form;
	struct lode_repo_made_covers made;
	struct lode_arena arena;
};

/* ---- Numbers ---- */

/* All that decides what it matches: kinds and reasons, then a line for each pattern. */
static const char *matched_text(const struct lode_signature *s, struct lode_arena *arena)
{
	const char *patterns = lode_lines_join(s->patterns, s->n_patterns, arena);
	char *text = NULL;
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	fprintf(out, "%x %x\n%s", s->kinds, s->reasons, patterns);
	return lode_written_keep(out, &text, &size, arena);
}

static int find_numbers(struct lode_covers *covers, struct lode_repo *repo, struct lode_error *err)
{
	return lode_repo_cover_numbers(covers->numbers, repo, covers->texts,
				       covers->signatures->list.n, err);
}

static bool lacks_numbers(const struct lode_covers *covers)
{
	for (size_t i = 0; i < covers->signatures->list.n; i++)
		if (!covers->numbers[i])
			return true;
	return false;
}

/* Numbers that no kept cover has. */
static int number_unknown(struct lode_covers *covers, struct lode_repo *repo,
			  struct lode_error *err)
{
	int64_t last;
	int rc = lode_repo_cover_last_number(&last, repo, err);

	covers->has_unknown = true;
	for (size_t i = 0; rc == 0 && i < covers->signatures->list.n; i++) {
		for (size_t k = 0; !covers->numbers[i] && k < i; k++)
			if (strcmp(covers->texts[k], covers->texts[i]) == 0)
				covers->numbers[i] = covers->numbers[k];
		if (!covers->numbers[i])
			covers->numbers[i] = ++last;
	}
	return rc;
}

/* Each once, ascending; gives how many. */
static size_t settle_numbers(int64_t *numbers, size_t n)
{
	size_t kept = 0;

	lode_sort(numbers, n, lode_compare_i64);
	for (size_t i = 0; i < n; i++)
		if (!kept || numbers[i] != numbers[kept - 1])
			numbers[kept++] = numbers[i];
	return kept;
}

/* ---- A digest's cover ---- */

struct cover_making {
	const struct lode_covers *covers;
	const struct lode_signature_match *match;
	struct lode_digest *cover;
	uint32_t *stack_of_set; /* LODE_NONE: not made yet */
};

static uint32_t stack_of(struct cover_making *making, uint32_t set)
{
	struct lode_calltree *tree = &making->cover->tree;
	uint32_t *stack = &making->stack_of_set[set];
	const uint32_t *members;
	size_t n = lode_signature_set(making->match, set, &members), size;
	int64_t *numbers;
	char *text = NULL;
	FILE *out;

	if (*stack != LODE_NONE)
		return *stack;
	numbers = lode_alloc((n + 1) * sizeof(*numbers));
	for (size_t i = 0; i < n; i++)
		numbers[i] = making->covers->numbers[members[i]];
	n = settle_numbers(numbers, n);
	out = lode_written_open(&text, &size);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRId64, i ? "," : "", numbers[i]);
	lode_written_close(out);
	*stack = n ? lode_calltree_child(tree, 0, lode_frame_intern(tree, "", text, 0)) : 0;
	free(text);
	free(numbers);
	return *stack;
}

/* Adds a row to another one of its symptom, set and kind; false: they count too many events. */
static bool add_row(struct lode_digest_row *to, const struct lode_digest_row *row)
{
	if (__builtin_add_overflow(to->n_events, row->n_events, &to->n_events)) {
		to->n_events -= row->n_events;
		return false;
	}
	to->cost_ns += row->cost_ns;
	if (row->worst_cost_ns > to->worst_cost_ns ||
	    (row->worst_cost_ns == to->worst_cost_ns && row->worst_t0_ns < to->worst_t0_ns)) {
		to->worst_cost_ns = row->worst_cost_ns;
		to->worst_t0_ns = row->worst_t0_ns;
	}
	return true;
}

static void cover_rows(struct cover_making *making, const struct lode_digest *digest)
{
	struct lode_digest *cover = making->cover;
	struct lode_map at = {0}; /* (stack, kind) -> the last row of the symptom at hand */
	uint32_t symptom = LODE_NONE;

	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *from = &digest->rows.at[i];
		struct lode_digest_row row = {
			.stack = stack_of(making, making->match->row_set[i]),
			.symptom = from->symptom,
			.kind = from->kind,
			.cost_ns = from->cost_ns,
			.n_events = from->n_events,
			.worst_t0_ns = from->worst_t0_ns,
			.worst_cost_ns = from->worst_cost_ns,
		};
		uint32_t *slot;

		if (from->symptom != symptom)
			lode_map_release(&at);
		symptom = from->symptom;
		slot = lode_map_slot(&at, (uint64_t)row.stack << 8 | row.kind);
		if (*slot != LODE_NONE && add_row(&cover->rows.at[*slot], from))
			continue;
		/* Reasons mean nothing here: they part rows of one set that cannot be one. */
		if (*slot != LODE_NONE)
			row.reason = (uint8_t)(cover->rows.at[*slot].reason + 1);
		*slot = (uint32_t)cover->rows.n;
		lode_vec_append(&cover->rows, row);
	}
	lode_map_release(&at);
	cover->n_events = digest->n_events;
	lode_digest_rows_sort(cover->rows.at, cover->rows.n);
}

/* Its streams and symptoms alone. */
static struct lode_digest *without_rows(struct lode_digest *digest)
{
	struct lode_digest *bare = lode_digest_new();
	size_t n_rows = digest->rows.n, n_nodes = digest->tree.nodes.n,
	       n_frames = digest->tree.frames.n;

	lode_name_stats_release(&digest->names);
	memset(&digest->names, 0, sizeof(digest->names));
	digest->rows.n = digest->tree.frames.n = 0;
	digest->tree.nodes.n = 1;
	lode_digest_merge(bare, digest);
	digest->rows.n = n_rows;
	digest->tree.nodes.n = n_nodes;
	digest->tree.frames.n = n_frames;
	return bare;
}

static struct lode_digest *make_cover(void *context, struct lode_digest *digest)
{
	const struct lode_covers *covers = context;
	struct lode_signature_match match;
	struct cover_making making = {.covers = covers, .match = &match};
	size_t n_sets;

	lode_signature_match(&match, covers->matcher, digest);
	n_sets = lode_signature_match_n_sets(&match);
	making.cover = without_rows(digest);
	making.stack_of_set = lode_alloc((n_sets + 1) * sizeof(*making.stack_of_set));
	for (size_t i = 0; i < n_sets; i++)
		making.stack_of_set[i] = LODE_NONE;
	cover_rows(&making, digest);
	free(making.stack_of_set);
	lode_signature_match_release(&match);
	lode_digest_free(digest);
	return making.cover;
}

/* ---- Covers of a repository ---- */

int lode_covers_new(struct lode_covers **out, const struct lode_signatures *signatures,
		    struct lode_repo *repo, struct lode_error *err)
{
	struct lode_covers *covers = lode_alloc0(1, sizeof(*covers));
	size_t n = signatures->list.n;
	int rc;

	*out = NULL;
	covers->signatures = signatures;
	covers->texts = lode_arena_array(&covers->arena, const char *, n + 1);
	covers->numbers = lode_arena_array(&covers->arena, int64_t, n + 1);
	covers->ascending = lode_arena_array(&covers->arena, int64_t, n + 1);
	for (size_t i = 0; i < n; i++)
		covers->texts[i] = matched_text(&signatures->list.at[i], &covers->arena);
	rc = lode_signature_matcher_new(&covers->matcher, signatures->list.at, n, err);
	if (rc == 0)
		rc = find_numbers(covers, repo, err);
	/* A process without the right to write does without. */
	if (rc == 0 && lacks_numbers(covers))
		(void)lode_repo_keep_numbers(lode_repo_path(repo), covers->texts, n, NULL);
	if (rc < 0)
		lode_covers_free(covers);
	else
		*out = covers;
	return rc;
}

void lode_covers_free(struct lode_covers *covers)
{
	if (!covers)
		return;
	lode_signature_matcher_free(covers->matcher);
	lode_repo_made_covers_release(&covers->made);
	lode_arena_release(&covers->arena);
	free(covers);
}

int lode_covers_form(const struct lode_repo_cover_form **form, struct lode_repo_made_covers **made,
		     struct lode_covers *covers, struct lode_repo *repo, struct lode_error *err)
{
	size_t n = covers->signatures->list.n;
	int rc = find_numbers(covers, repo, err);

	covers->has_unknown = false;
	if (rc == 0 && lacks_numbers(covers))
		rc = number_unknown(covers, repo, err);
	memcpy(covers->ascending, covers->numbers, n * sizeof(*covers->numbers));
	covers->form = (struct lode_repo_cover_form){
		.signatures = covers->ascending,
		.n_signatures = settle_numbers(covers->ascending, n),
		.make = make_cover,
		.context = covers,
	};
	*form = &covers->form;
	*made = covers->has_unknown ? NULL : &covers->made;
	return rc;
}

void lode_covers_keep(struct lode_covers *covers, struct lode_repo *repo)
{
	if (covers->made.list.n)
		(void)lode_repo_keep_covers(lode_repo_path(repo), &covers->form, &covers->made,
					    NULL);
	lode_repo_made_covers_release(&covers->made);
}

/* ---- Matching a cover ---- */

/* Appends the signatures, ascending, whose numbers the text has. */
static void add_members(struct lode_signature_match *out, const struct lode_covers *covers,
			const char *text)
{
	for (uint32_t i = 0; i < covers->signatures->list.n; i++) {
		const char *at = text;

		while (*at) {
			char *end;

			if (strtoll(at, &end, 10) == covers->numbers[i]) {
				lode_vec_append(&out->members, i);
				break;
			}
			if (end == at)
				break;
			at = *end == ',' ? end + 1 : end;
		}
	}
}

static bool is_same_set(const struct lode_signature_match *match, uint32_t a, uint32_t b)
{
	const uint32_t *x, *y;
	size_t n = lode_signature_set(match, a, &x), m = lode_signature_set(match, b, &y);

	return n == m && (!n || memcmp(x, y, n * sizeof(*x)) == 0);
}

/* The set of a node; sets without signatures that are gone may be the same. */
static uint32_t add_set(struct lode_signature_match *out, const struct lode_covers *covers,
			const char *text, struct lode_map *sets)
{
	size_t first = out->members.n, n;
	uint32_t set = (uint32_t)lode_signature_match_n_sets(out);
	uint32_t *slot;

	add_members(out, covers, text);
	n = out->members.n - first;
	if (!n)
		return 0;
	slot = lode_map_slot(sets, lode_hash_bytes(out->members.at + first,
						   n * sizeof(*out->members.at), n));
	lode_vec_append(&out->start, out->members.n);
	if (*slot != LODE_NONE && is_same_set(out, *slot, set)) {
		out->members.n = first;
		out->start.n--;
		return *slot;
	}
	*slot = set;
	return set;
}

void lode_covers_match(struct lode_signature_match *out, const struct lode_covers *covers,
		       const struct lode_digest *cover)
{
	const struct lode_calltree *tree = &cover->tree;
	uint32_t *set_of = lode_alloc0(tree->nodes.n, sizeof(*set_of));
	struct lode_map sets = {0};

	memset(out, 0, sizeof(*out));
	lode_vec_append(&out->start, (size_t)0);
	lode_vec_append(&out->start, (size_t)0); /* set 0 */
	for (size_t i = 1; i < tree->nodes.n; i++)
		set_of[i] = add_set(out, covers, lode_frame_function(tree, tree->nodes.at[i].frame),
				    &sets);
	out->n_rows = cover->rows.n;
	out->row_set = lode_alloc0(cover->rows.n, sizeof(*out->row_set));
	for (size_t i = 0; i < cover->rows.n; i++)
		out->row_set[i] = set_of[cover->rows.at[i].stack];
	lode_map_release(&sets);
	free(set_of);
}
