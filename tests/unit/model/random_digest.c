#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/model/random_digest.h"

/* ---- Canonical text: what a digest says, whatever its ids are ---- */

static void add_line(struct digest_lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_line(struct digest_lines *lines, const char *format, ...)
{
	char line[4096];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	assert_true(len >= 0 && (size_t)len < sizeof(line));
	assert_true(lines->n < sizeof(lines->text) / sizeof(*lines->text));
	lines->text[lines->n++] = lode_strdup(line);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void stack_text(const struct lode_calltree *tree, uint32_t stack, char *text, size_t size)
{
	char name[128];
	size_t len;

	text[0] = '\0';
	if (!stack)
		return;
	stack_text(tree, tree->nodes.at[stack].parent, text, size);
	lode_frame_full_name(tree, tree->nodes.at[stack].frame, name, sizeof(name));
	len = strlen(text);
	snprintf(text + len, size - len, ";%s", name);
}

static void dump_names(struct digest_lines *lines, const struct lode_name_stats *names,
		       const struct lode_calltree *tree)
{
	char a[128], b[128];

	add_line(lines, "names of %lu stacks", names->n_stacks);
	for (uint32_t f = 0; f < names->n_with.n; f++)
		if (names->n_with.at[f])
			add_line(lines, "frame %s: %lu, callee %lu, caller %lu, flags %u",
				 lode_frame_full_name(tree, f, a, sizeof(a)), names->n_with.at[f],
				 names->n_callee.at[f], names->n_caller.at[f],
				 tree->frames.at[f].flags);
	for (uint32_t f = 0; f < names->n_with.n; f++)
		for (uint32_t g = 0; g < names->n_with.n; g++)
			if (lode_name_stats_pair(names, f, g))
				add_line(lines, "pair %s > %s: %lu",
					 lode_frame_full_name(tree, f, a, sizeof(a)),
					 lode_frame_full_name(tree, g, b, sizeof(b)),
					 lode_name_stats_pair(names, f, g));
}

/* Streams are named by their path, which is unique in these tests. */
struct digest_lines *digest_dump(const struct lode_digest *digest)
{
	struct digest_lines *lines = lode_alloc0(1, sizeof(*lines));
	const char *const *text = digest->tree.strings.text.at;
	char stack[2048];

	add_line(lines, "unit %s, %lu events", digest->unit ? digest->unit : "-", digest->n_events);
	for (size_t i = 0; i < digest->streams.n; i++) {
		const struct lode_digest_stream *s = &digest->streams.at[i];

		const struct lode_loss_note *losses = lode_digest_losses_of(digest, s);

		add_line(lines,
			 "stream %s %lx %s %s %ld %ld wall %d %ld lost %ld losses %u subject %u "
			 "records %lu",
			 text[s->path], s->content_hash, text[s->host], text[s->kernel], s->t0_ns,
			 s->t1_ns, s->has_wall_clock, s->wall_offset_ns, s->lost_cost_ns,
			 s->n_losses, s->subject, s->n_records);
		for (uint32_t k = 0; k < s->n_losses; k++)
			add_line(lines, "loss of %s: %d %lu %ld %ld %ld %ld %s", text[s->path],
				 losses[k].kind, losses[k].count, losses[k].offset,
				 losses[k].first_ns, losses[k].last_ns, losses[k].cost_ns,
				 losses[k].detail);
	}
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *s = &digest->symptoms.at[i];

		add_line(lines, "symptom %s %d %d %s %ld %ld cpu %d %ld",
			 text[digest->streams.at[s->stream].path], s->pid, s->tid, text[s->comm],
			 s->t0_ns, s->t1_ns, s->is_cpu_time, s->cpu_ns);
	}
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *r = &digest->rows.at[i];
		const struct lode_digest_symptom *s = &digest->symptoms.at[r->symptom];

		stack_text(&digest->tree, r->stack, stack, sizeof(stack));
		for (uint32_t k = 0; k < r->n_runners; k++) {
			const struct lode_digest_runner *runner =
				&digest->runners.at[r->first_runner + k];
			size_t len = strlen(stack);

			snprintf(stack + len, sizeof(stack) - len, "|%s %ld", text[runner->name],
				 runner->cost_ns);
		}
		for (uint32_t k = 0; k < r->n_shared; k++) {
			uint32_t group = digest->shared.at[r->first_shared + k];
			size_t len = strlen(stack);

			assert_true(group < s->n_groups);
			snprintf(stack + len, sizeof(stack) - len, "|%u x %u", group,
				 digest->groups.at[s->first_group + group]);
		}
		add_line(lines, "row %s %d %u %u %s %s: %ld %ld %u %ld %ld alone %u",
			 text[digest->streams.at[s->stream].path], s->tid, r->kind, r->reason,
			 text[r->waker], stack, r->cost_ns, r->unsampled_ns, r->n_events,
			 r->worst_t0_ns, r->worst_cost_ns, r->n_alone);
	}
	dump_names(lines, &digest->names, &digest->tree);
	qsort(lines->text, lines->n, sizeof(*lines->text), compare_lines);
	return lines;
}

void digest_lines_free(struct digest_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		free(lines->text[i]);
	free(lines);
}

void check_same_digest(const struct lode_digest *a, const struct lode_digest *b, uint64_t seed)
{
	struct digest_lines *x = digest_dump(a), *y = digest_dump(b);

	for (size_t i = 0; i < x->n && i < y->n; i++)
		if (strcmp(x->text[i], y->text[i]) != 0)
			fail_msg("seed %lu: '%s' is not '%s'", seed, x->text[i], y->text[i]);
	assert_int_equal(x->n, y->n);
	digest_lines_free(x);
	digest_lines_free(y);
}

static bool is_of_names(const char *line)
{
	return !strncmp(line, "names ", 6) || !strncmp(line, "frame ", 6) ||
	       !strncmp(line, "pair ", 5);
}

void check_same_part(const struct lode_digest *a, const struct lode_digest *b, bool names,
		     uint64_t seed)
{
	struct digest_lines *x = digest_dump(a), *y = digest_dump(b);
	size_t i = 0, j = 0;

	for (;; i++, j++) {
		while (i < x->n && is_of_names(x->text[i]) != names)
			i++;
		while (j < y->n && is_of_names(y->text[j]) != names)
			j++;
		if (i == x->n || j == y->n)
			break;
		if (strcmp(x->text[i], y->text[j]) != 0)
			fail_msg("seed %lu: '%s' is not '%s'", seed, x->text[i], y->text[j]);
	}
	assert_true(i == x->n && j == y->n);
	digest_lines_free(x);
	digest_lines_free(y);
}

/* ---- Random digests ---- */

static uint32_t random_text(struct rng *rng, struct lode_digest *digest)
{
	static const char *const texts[] = {"app", "disk", "ph-worker/N", "host", "6.1"};
	const char *text = texts[rng_below(rng, 5)];

	return lode_strings_intern(&digest->tree.strings, text, strlen(text));
}

/* What rows of a kind have alone. */
static void add_random_details(struct rng *rng, struct lode_digest *digest,
			       struct lode_digest_row *row)
{
	int64_t left_ns = row->cost_ns;

	if (row->kind == LODE_EVENT_RUNNING)
		row->unsampled_ns = rng_below(rng, (uint32_t)row->cost_ns + 1);
	if (row->kind != LODE_EVENT_READY)
		return;
	row->first_runner = (uint32_t)digest->runners.n;
	row->n_runners = rng_below(rng, 4);
	for (uint32_t k = 0; k < row->n_runners; k++) {
		struct lode_digest_runner runner = {random_text(rng, digest), left_ns};

		if (k + 1 < row->n_runners)
			runner.cost_ns = rng_below(rng, (uint32_t)left_ns + 1);
		left_ns -= runner.cost_ns;
		lode_vec_append(&digest->runners, runner);
	}
}

/* Some digests are as of older versions, where the number of occurrences is not known. */
static void add_random_occurrences(struct rng *rng, struct lode_digest *digest,
				   struct lode_digest_row *row)
{
	uint32_t n_groups = digest->symptoms.at[row->symptom].n_groups;

	row->n_alone = rng_below(rng, 6);
	row->first_shared = (uint32_t)digest->shared.n;
	for (uint32_t group = 0; group < n_groups; group++)
		if (rng_chance(rng, 40)) {
			lode_vec_append(&digest->shared, group);
			row->n_shared++;
		}
}

static void add_random_rows(struct rng *rng, struct lode_digest *digest, uint32_t symptom,
			    bool is_counted)
{
	uint32_t n_nodes = (uint32_t)digest->tree.nodes.n;
	size_t first = digest->rows.n, kept = first;

	for (uint32_t n = rng_below(rng, 12); n; n--) {
		struct lode_digest_row row = {
			.stack = rng_below(rng, n_nodes),
			.symptom = symptom,
			.waker = rng_chance(rng, 50) ? random_text(rng, digest) : 0,
			.kind = (uint8_t)rng_below(rng, LODE_N_EVENT_KINDS),
			.reason = (uint8_t)rng_below(rng, LODE_N_REASONS),
			.cost_ns = rng_below(rng, 1000),
			.n_events = 1 + rng_below(rng, 5),
			.worst_t0_ns = rng_below(rng, 100),
			.worst_cost_ns = rng_below(rng, 100),
		};

		add_random_details(rng, digest, &row);
		if (is_counted)
			add_random_occurrences(rng, digest, &row);
		lode_vec_append(&digest->rows, row);
		digest->n_events += row.n_events;
	}
	if (digest->rows.n == first)
		return;
	qsort(digest->rows.at + first, digest->rows.n - first, sizeof(*digest->rows.at),
	      lode_digest_row_compare);
	for (size_t i = first; i < digest->rows.n; i++)
		if (kept == first ||
		    lode_digest_row_compare(&digest->rows.at[kept - 1], &digest->rows.at[i]) != 0)
			digest->rows.at[kept++] = digest->rows.at[i];
		else
			digest->n_events -= digest->rows.at[i].n_events;
	digest->rows.n = kept;
}

static void add_random_losses(struct rng *rng, struct lode_digest *digest,
			      struct lode_digest_stream *stream)
{
	struct lode_loss_note losses[LODE_N_LOSS_KINDS];
	char texts[LODE_N_LOSS_KINDS][300];
	size_t n = 0;

	for (unsigned kind = 0; kind < LODE_N_LOSS_KINDS; kind++) {
		if (!rng_chance(rng, 15))
			continue;
		snprintf(texts[n], sizeof(texts[n]), "%*s", (int)rng_below(rng, 299), "w");
		losses[n] = (struct lode_loss_note){
			.kind = (enum lode_loss_kind)kind,
			.count = 1 + rng_below(rng, 3),
			.offset = (int64_t)rng_below(rng, 100) - 1,
			.first_ns = rng_below(rng, 1000),
			.last_ns = rng_below(rng, 1000),
			.cost_ns = rng_below(rng, 1000),
			.detail = texts[n],
		};
		n++;
	}
	lode_digest_losses_copy(digest, stream, losses, n);
}

struct lode_digest *random_digest(struct rng *rng, int number)
{
	struct lode_digest *digest = lode_digest_new();
	struct lode_stream *stream = random_stream(rng);
	struct lode_digest_stream described = {.content_hash = rng_next(rng)};
	bool is_chained = rng_chance(rng, 60), is_counted = rng_chance(rng, 70), is_cpu_only;
	char path[16];

	for (uint32_t node = 0; node < stream->tree.nodes.n; node++) {
		uint32_t parent = rng_below(rng, (uint32_t)digest->tree.nodes.n);

		/* Chained stacks come back to their links at any time, when they are of several. */
		if (is_chained && rng_chance(rng, 30))
			parent = lode_calltree_child(
				&digest->tree, parent,
				lode_frame_link(&digest->tree, rng_chance(rng, 50) ? "a" : "b"));
		if (rng_chance(rng, 50))
			lode_calltree_graft(&digest->tree, parent, &stream->tree, node);
	}
	lode_name_stats_add_stream(&digest->names, &digest->tree, stream);
	digest->unit = rng_chance(rng, 95) ? "ns" : "samples";
	snprintf(path, sizeof(path), "stream%d", number);
	described.path = lode_strings_intern(&digest->tree.strings, path, strlen(path));
	described.host = random_text(rng, digest);
	described.kernel = random_text(rng, digest);
	described.lost_cost_ns = rng_below(rng, 1000);
	described.has_wall_clock = rng_chance(rng, 50);
	if (described.has_wall_clock)
		described.wall_offset_ns = (int64_t)(rng_next(rng) >> 4);
	add_random_losses(rng, digest, &described);
	is_cpu_only = rng_chance(rng, 30);
	described.n_records = rng_chance(rng, 50) ? rng_below(rng, 1000) : 0;
	described.subject = rng_chance(rng, 30) ? (uint8_t)rng_below(rng, LODE_N_SUBJECTS) : 0;
	lode_vec_append(&digest->streams, described);
	for (uint32_t i = 0, n = rng_below(rng, 4); i < n; i++) {
		struct lode_digest_symptom symptom = {
			.pid = 1, .tid = (int32_t)i, .comm = random_text(rng, digest)};

		symptom.is_cpu_time = is_cpu_only && rng_chance(rng, 80);
		symptom.cpu_ns = symptom.is_cpu_time ? (int64_t)(rng_next(rng) >> 16) : 0;

		symptom.first_group = (uint32_t)digest->groups.n;
		symptom.n_groups = is_counted ? rng_below(rng, 4) : 0;
		for (uint32_t k = 0; k < symptom.n_groups; k++)
			lode_vec_append(&digest->groups, 1 + rng_below(rng, 9));
		lode_vec_append(&digest->symptoms, symptom);
		add_random_rows(rng, digest, i, is_counted);
	}
	lode_stream_free(stream);
	return digest;
}
