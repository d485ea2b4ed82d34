/* From a manifest to parts of about equal cost, as manifests on disk. */
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "answers/shard/shard.h"
#include "base/atomic_file.h"
#include "base/escape.h"
#include "base/manifest.h"
#include "base/sorted.h"
#include "input/file_names.h"
#include "input/format.h"
#include "store/digest_file.h"
#include "document/findings.h"
#include "document/units.h"

#define SUFFIX ".manifest"

/*
 * What reading takes, in bytes of a plain recording: measured on recordings of perf at 230 MB/s of
 * one CPU, packed ones (23 to 1) at 8.3 MB/s, digests at 22 MB/s; a millisecond for each file,
 * which is opened, its symbols looked up, its digest folded.
 */
static const int64_t packed_factor = 25, digest_factor = 10, cost_of_any = 256 << 10;

struct work {
	const struct lode_manifest_line *line;
	int64_t bytes, cost; /* -1: not known */
	uint32_t part;
};

struct lode_shard_state {
	struct lode_shard_answer answer; /* what the caller holds */
	struct lode_manifest manifest;
	struct work *work; /* per line */
	LODE_VEC(struct lode_shard_part) parts;
	struct lode_arena arena;
};

/* ---- What is said first ---- */

static struct lode_opening opening_of_shard(const struct lode_shard_answer *answer,
					    struct lode_arena *arena)
{
	char bytes[LODE_UNITS_BUFFER];
	double average = (double)answer->cost / (double)answer->n_parts;
	const char *parts = "", *rest = "";

	if (answer->n_parts > 1)
		parts = lode_finding_text(arena, "; the parts cost %.2f to %.2f of their average",
					  (double)answer->least_cost / average,
					  (double)answer->most_cost / average);
	if (answer->n_unmeasured)
		rest = lode_finding_text(arena,
					 " The size of %zu is not known (not a file here, and no "
					 "bytes= in the manifest): treated as average.",
					 answer->n_unmeasured);
	return (struct lode_opening){
		.finding = lode_finding_text(arena, "%zu recording%s in %zu part%s in %s: %s%s.%s",
					     answer->n_recordings,
					     answer->n_recordings == 1 ? "" : "s", answer->n_parts,
					     answer->n_parts == 1 ? "" : "s", answer->folder,
					     lode_format_bytes(bytes, answer->bytes), parts, rest),
		/* On as many machines as there are parts: this is what one does. */
		.next_command =
			answer->n_listed
				? lode_finding_text(arena, "lode digest -o digests %s",
						    lode_next_word(arena, answer->list[0].path))
				: NULL,
	};
}

/* ---- Costs ---- */

static bool is_named_packed(const char *path)
{
	static const char *const suffixes[] = {".zst", ".gz", ".xz"};
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (len > n && strcmp(path + len - n, suffixes[i]) == 0)
			return true;
	}
	return false;
}

/* By content where the file is present, else by name. */
static int64_t factor_of(const struct lode_manifest_line *line, bool is_here)
{
	uint8_t head[LODE_PEEK_LEAST_BYTES];
	struct lode_input *input;
	int64_t factor;
	ssize_t n;

	if (!is_here || lode_input_open(&input, line->path, NULL) < 0) {
		if (lode_file_is_named_as(line->name, LODE_HOLDS_DIGEST))
			return digest_factor;
		return is_named_packed(line->name) ? packed_factor : 1;
	}
	n = lode_input_peek(input, head, sizeof(head), NULL);
	if (n > 0 && lode_digest_recognise(head, (size_t)n))
		factor = digest_factor;
	else
		factor = lode_input_is_seekable(input) ? 1 : packed_factor;
	lode_input_close(input);
	return factor;
}

static void measure(struct work *work)
{
	struct stat st;
	bool is_here = stat(work->line->path, &st) == 0 && S_ISREG(st.st_mode);

	work->bytes = work->line->bytes >= 0 ? work->line->bytes : is_here ? st.st_size : -1;
	if (work->bytes < 0 ||
	    __builtin_mul_overflow(work->bytes, factor_of(work->line, is_here), &work->cost) ||
	    __builtin_add_overflow(work->cost, cost_of_any, &work->cost))
		work->cost = -1;
}

static void measure_all(struct lode_shard_state *s)
{
	struct lode_shard_answer *answer = &s->answer;
	size_t n = s->manifest.lines.n;
	int64_t average;

	s->work = lode_alloc0(n + 1, sizeof(*s->work));
	for (size_t i = 0; i < n; i++) {
		struct work *work = &s->work[i];

		work->line = &s->manifest.lines.at[i];
		measure(work);
		answer->n_unmeasured += work->cost < 0;
		if (work->cost >= 0 &&
		    __builtin_add_overflow(answer->cost, work->cost, &answer->cost))
			answer->cost = INT64_MAX;
	}
	average = n > answer->n_unmeasured ? answer->cost / (int64_t)(n - answer->n_unmeasured) : 1;
	for (size_t i = 0; i < n; i++)
		if (s->work[i].cost < 0) {
			s->work[i].cost = average;
			answer->cost += average;
		}
	answer->n_recordings = n;
}

/* ---- Parts ---- */

LODE_COMPARE_AT(costliest_input_first, struct work,
		LODE_ORDER(b->cost, a->cost) ?: LODE_ORDER(a->line, b->line))

/* A heap with the part that has least at its top; of equal ones the first. */
static bool is_before(const struct lode_shard_part *parts, uint32_t a, uint32_t b)
{
	return parts[a].cost != parts[b].cost ? parts[a].cost < parts[b].cost : a < b;
}

static void sink_top(uint32_t *heap, size_t n, const struct lode_shard_part *parts)
{
	for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
		uint32_t moved = heap[at];

		if (child + 1 < n && is_before(parts, heap[child + 1], heap[child]))
			child++;
		if (!is_before(parts, heap[child], moved))
			return;
		heap[at] = heap[child];
		heap[child] = moved;
	}
}

static void deal(struct lode_shard_state *s)
{
	size_t n = s->manifest.lines.n, n_parts = s->parts.n;
	struct work **order = lode_alloc((n + 1) * sizeof(struct work *));
	uint32_t *heap = lode_alloc((n_parts + 1) * sizeof(*heap));

	for (size_t i = 0; i < n; i++)
		order[i] = &s->work[i];
	lode_sort(order, n, costliest_input_first);
	for (size_t i = 0; i < n_parts; i++)
		heap[i] = (uint32_t)i;
	for (size_t i = 0; i < n; i++) {
		struct lode_shard_part *part = &s->parts.at[heap[0]];

		order[i]->part = heap[0];
		part->n_recordings++;
		part->cost += order[i]->cost;
		part->bytes += order[i]->bytes > 0 ? order[i]->bytes : 0;
		sink_top(heap, n_parts, s->parts.at);
	}
	free(heap);
	free(order);
}

static void split(struct lode_shard_state *s, const struct lode_shard_request *request)
{
	struct lode_shard_answer *answer = &s->answer;
	int64_t size = (int64_t)request->part_bytes;
	size_t n = request->n_parts ? request->n_parts
				    : (size_t)(answer->cost / size + (answer->cost % size != 0));

	/* None is empty: each costs more than nothing. */
	n = n < answer->n_recordings ? n : answer->n_recordings;
	for (size_t i = 0; i < n; i++)
		lode_vec_append_zero(&s->parts);
	deal(s);
	answer->least_cost = answer->most_cost = s->parts.at[0].cost;
	for (size_t i = 0; i < n; i++) {
		const struct lode_shard_part *part = &s->parts.at[i];

		answer->bytes += part->bytes;
		if (part->cost < answer->least_cost)
			answer->least_cost = part->cost;
		if (part->cost > answer->most_cost)
			answer->most_cost = part->cost;
	}
}

/* ---- Their manifests ---- */

/* In the order of the whole manifest; with their sizes, so that what is read is what was meant. */
static lode_byte_vec *write_parts(const struct lode_shard_state *s)
{
	lode_byte_vec *texts = lode_alloc0(s->parts.n, sizeof(*texts));

	for (size_t i = 0; i < s->parts.n; i++)
		lode_vec_append_all(&texts[i], (const uint8_t *)LODE_MANIFEST_HEAD,
				    sizeof(LODE_MANIFEST_HEAD) - 1);
	for (size_t i = 0; i < s->manifest.lines.n; i++) {
		struct lode_manifest_line line = *s->work[i].line;

		line.bytes = s->work[i].bytes;
		lode_manifest_put(&texts[s->work[i].part], &line);
	}
	return texts;
}

static void name_parts(struct lode_shard_state *s, const lode_byte_vec *texts)
{
	char name[64];

	for (size_t i = 0; i < s->parts.n; i++) {
		char *path;

		snprintf(name, sizeof(name), "part-%05zu-%016" PRIx64 SUFFIX, i + 1,
			 lode_stable_hash(texts[i].at, texts[i].n, 0));
		path = lode_path_join(s->answer.folder, name);
		s->parts.at[i].path = lode_arena_strdup(&s->arena, path);
		free(path);
	}
}

/* What is there already must be some of these parts, of an earlier run that was cut short. */
static int check_shard_folder(const struct lode_shard_state *s, struct lode_error *err)
{
	const char *folder = s->answer.folder;
	struct lode_strings ours = {0};
	lode_path_list there = {0};
	char safe[200];
	int rc = 0;

	if (mkdir(folder, 0777) < 0 && errno != EEXIST)
		return lode_fail_errno(err, errno, folder, "cannot create the folder");
	rc = lode_folder_list(&there, folder, err);
	for (size_t i = 0; rc == 0 && i < s->parts.n; i++) {
		const char *name = lode_path_base(s->parts.at[i].path);

		lode_strings_intern(&ours, name, strlen(name));
	}
	for (size_t i = 0; rc == 0 && i < there.n; i++) {
		const char *name = lode_path_base(there.at[i]);

		if (lode_strings_find(&ours, name, strlen(name)) == LODE_NONE)
			rc = lode_fail(err, LODE_ERR_ARG, folder, -1,
				       "the folder contains %s, which is not a part of this split: "
				       "give an empty folder",
				       lode_escape(safe, sizeof(safe), name));
	}
	lode_strings_release(&ours);
	lode_path_list_release(&there);
	return rc;
}

static int save_parts(struct lode_shard_state *s, struct lode_error *err)
{
	lode_byte_vec *texts = write_parts(s);
	int rc;

	name_parts(s, texts);
	rc = check_shard_folder(s, err);
	for (size_t i = 0; rc == 0 && i < s->parts.n; i++)
		rc = lode_atomic_write(s->parts.at[i].path, texts[i].at, texts[i].n, err);
	for (size_t i = 0; i < s->parts.n; i++)
		lode_vec_release(&texts[i]);
	free(texts);
	return rc;
}

int lode_shard_run(struct lode_shard_answer **out, const struct lode_shard_request *request,
		   struct lode_error *err)
{
	struct lode_shard_state *s = lode_alloc0(1, sizeof(*s));
	struct lode_shard_answer *answer = &s->answer;
	int rc;

	answer->state = s;
	answer->manifest = request->manifest;
	answer->folder = request->folder;
	*out = answer;
	rc = lode_manifest_read(&s->manifest, request->manifest, true, err);
	if (rc == 0 && !s->manifest.lines.n)
		rc = lode_fail(err, LODE_ERR_EMPTY, request->manifest, -1,
			       "the manifest names no recording");
	if (rc < 0)
		return rc;
	measure_all(s);
	split(s, request);
	rc = save_parts(s, err);
	answer->n_parts = s->parts.n;
	answer->list = s->parts.at;
	answer->n_listed = lode_listed(request->top, s->parts.n);
	answer->n_more = s->parts.n - answer->n_listed;
	answer->opening = opening_of_shard(answer, &s->arena);
	return rc;
}

void lode_shard_free(struct lode_shard_answer *answer)
{
	struct lode_shard_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	lode_manifest_release(&s->manifest);
	lode_vec_release(&s->parts);
	lode_arena_release(&s->arena);
	free(s->work);
	free(s);
}
