/* Sums up digests as fingerprints. */
#include "model/digest_prints.h"

/* Flags that belong to what a frame is; the others say how it was compiled (model/digest.c). */
static const uint32_t identity_flags = LODE_FRAME_LINK;

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return lode_hash_u64((hash ^ value) * 0x9e3779b97f4a7c15u + 0x7f4a7c15u);
}

static uint64_t text_print(const char *text, size_t len)
{
	return lode_hash_bytes(text, len, 0x6c6f6465);
}

/* ---- Of one digest, by id ---- */

struct printing {
	const struct lode_digest *digest;
	uint64_t *strings, *frames, *nodes, *symptoms;
};

static void print_tree(struct printing *p)
{
	const struct lode_calltree *tree = &p->digest->tree;

	p->strings = lode_alloc((tree->strings.text.n + 1) * sizeof(*p->strings));
	p->frames = lode_alloc((tree->frames.n + 1) * sizeof(*p->frames));
	p->nodes = lode_alloc((tree->nodes.n + 1) * sizeof(*p->nodes));
	for (size_t i = 0; i < tree->strings.text.n; i++)
		p->strings[i] = text_print(tree->strings.text.at[i], tree->strings.len.at[i]);
	for (size_t i = 0; i < tree->frames.n; i++) {
		const struct lode_frame *frame = &tree->frames.at[i];

		p->frames[i] = mix(mix(p->strings[frame->module], p->strings[frame->function]),
				   frame->flags & identity_flags);
	}
	p->nodes[0] = 0;
	for (size_t i = 1; i < tree->nodes.n; i++)
		p->nodes[i] = mix(p->nodes[tree->nodes.at[i].parent] + 1,
				  p->frames[tree->nodes.at[i].frame]);
}

static uint64_t losses_print(uint64_t hash, const struct lode_loss_note *losses, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct lode_loss_note *loss = &losses[i];

		hash = mix(hash, (uint64_t)loss->kind);
		hash = mix(hash, loss->count);
		hash = mix(hash, (uint64_t)loss->offset);
		hash = mix(hash, (uint64_t)loss->first_ns);
		hash = mix(hash, (uint64_t)loss->last_ns);
		hash = mix(hash, (uint64_t)loss->cost_ns);
		hash = mix(hash, text_print(loss->detail, strlen(loss->detail)));
	}
	return hash;
}

static uint64_t stream_print(const struct printing *p, const struct lode_digest_stream *stream)
{
	uint64_t hash = mix(p->strings[stream->path], stream->content_hash);

	hash = mix(hash, p->strings[stream->host]);
	hash = mix(hash, p->strings[stream->kernel]);
	hash = mix(hash, (uint64_t)stream->t0_ns);
	hash = mix(hash, (uint64_t)stream->t1_ns);
	hash = mix(hash, stream->has_wall_clock);
	hash = mix(hash, (uint64_t)stream->wall_offset_ns);
	hash = mix(hash, (uint64_t)stream->lost_cost_ns);
	hash = mix(hash, stream->n_records);
	return losses_print(hash, lode_digest_losses_of(p->digest, stream), stream->n_losses);
}

static uint64_t row_print(const struct printing *p, const struct lode_digest_row *row)
{
	const uint32_t *groups =
		p->digest->groups.at + p->digest->symptoms.at[row->symptom].first_group;
	uint64_t hash = mix(p->symptoms[row->symptom], p->nodes[row->stack]);

	hash = mix(hash, row->waker ? p->strings[row->waker] : 0);
	hash = mix(hash, (uint64_t)row->kind << 8 | row->reason);
	hash = mix(hash, (uint64_t)row->cost_ns);
	hash = mix(hash, row->n_events);
	hash = mix(hash, (uint64_t)row->worst_t0_ns);
	hash = mix(hash, (uint64_t)row->worst_cost_ns);
	hash = mix(hash, (uint64_t)row->unsampled_ns);
	for (uint32_t i = 0; i < row->n_runners; i++) {
		const struct lode_digest_runner *runner =
			&p->digest->runners.at[row->first_runner + i];

		hash = mix(mix(hash, p->strings[runner->name]), (uint64_t)runner->cost_ns);
	}
	hash = mix(hash, row->n_alone);
	for (uint32_t i = 0; i < row->n_shared; i++) {
		uint32_t group = p->digest->shared.at[row->first_shared + i];

		hash = mix(mix(hash, group), groups[group]);
	}
	return hash;
}

/* Rows have another order where stacks have other ids: their sum counts. Symptoms of a stream stay
   in their order. */
static void print_streams(struct printing *p, uint64_t *streams)
{
	const struct lode_digest *digest = p->digest;
	uint32_t *n_before = lode_alloc0(digest->streams.n + 1, sizeof(*n_before));

	p->symptoms = lode_alloc((digest->symptoms.n + 1) * sizeof(*p->symptoms));
	for (size_t i = 0; i < digest->streams.n; i++)
		streams[i] = stream_print(p, &digest->streams.at[i]);
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[i];
		uint64_t hash = mix(p->strings[symptom->comm], n_before[symptom->stream]++);

		hash = mix(hash, (uint64_t)(uint32_t)symptom->pid << 32 | (uint32_t)symptom->tid);
		hash = mix(hash, (uint64_t)symptom->t0_ns);
		p->symptoms[i] = mix(hash, (uint64_t)symptom->t1_ns);
		streams[symptom->stream] += p->symptoms[i];
	}
	for (size_t i = 0; i < digest->rows.n; i++)
		streams[digest->symptoms.at[digest->rows.at[i].symptom].stream] +=
			row_print(p, &digest->rows.at[i]);
	free(n_before);
}

/* Counts are added up, each times a number of its name's own: what was never counted adds nothing.
 */
static uint64_t names_print(const struct printing *p)
{
	const struct lode_name_stats *names = &p->digest->names;
	uint64_t sum = names->n_stacks * mix(0, 1);

	for (size_t i = 0; i < names->n_with.n && i < p->digest->tree.frames.n; i++)
		sum += names->n_with.at[i] * mix(p->frames[i], 2) +
		       names->n_callee.at[i] * mix(p->frames[i], 3) +
		       names->n_caller.at[i] * mix(p->frames[i], 4);
	for (size_t i = 0; i < names->pairs.n; i++) {
		const struct lode_name_pair *pair = &names->pairs.at[i];

		sum += pair->n * mix(mix(p->frames[pair->caller], 5), p->frames[pair->callee]);
	}
	return sum;
}

static void release_printing(struct printing *p)
{
	free(p->strings);
	free(p->frames);
	free(p->nodes);
	free(p->symptoms);
}

/* ---- Of many ---- */

static void add_unit(struct lode_digest_prints *prints, const char *unit)
{
	unit = lode_digest_unit(prints->unit, unit);
	if (unit == prints->unit)
		return;
	free(prints->unit);
	prints->unit = lode_strdup(unit);
}

static void add_flags(struct lode_digest_prints *prints, const struct printing *p)
{
	for (size_t i = 0; i < p->digest->tree.frames.n; i++) {
		uint32_t at = lode_map_number(&prints->frame_at, p->frames[i], prints->frames.n);

		if (at == prints->frames.n) {
			lode_vec_append(&prints->frames, p->frames[i]);
			lode_vec_append(&prints->flags, 0);
		}
		prints->flags.at[at] |= p->digest->tree.frames.at[i].flags;
	}
}

bool lode_digest_prints_add(struct lode_digest_prints *prints, const struct lode_digest *digest)
{
	struct printing p = {.digest = digest};
	size_t first = prints->streams.n;
	bool is_new = true;

	print_tree(&p);
	lode_vec_reserve(&prints->streams, first + digest->streams.n);
	prints->streams.n += digest->streams.n;
	print_streams(&p, prints->streams.at + first);
	for (size_t i = 0; i < digest->streams.n; i++) {
		uint32_t *at =
			lode_map_slot(&prints->stream_at, digest->streams.at[i].content_hash);

		is_new &= *at == LODE_NONE;
		*at = (uint32_t)(first + i);
	}
	prints->names += names_print(&p);
	add_flags(prints, &p);
	add_unit(prints, digest->unit);
	release_printing(&p);
	return is_new;
}

void lode_digest_prints_release(struct lode_digest_prints *prints)
{
	lode_map_release(&prints->stream_at);
	lode_vec_release(&prints->streams);
	lode_vec_release(&prints->frames);
	lode_vec_release(&prints->flags);
	lode_map_release(&prints->frame_at);
	free(prints->unit);
	memset(prints, 0, sizeof(*prints));
}

/* ---- Comparing ---- */

static bool has_same_unit(const struct lode_digest_prints *prints, const struct lode_digest *digest)
{
	return prints->unit && digest->unit ? strcmp(prints->unit, digest->unit) == 0
					    : !prints->unit && !digest->unit;
}

static bool has_same_flags(const struct lode_digest_prints *prints, const struct printing *p)
{
	for (size_t i = 0; i < p->digest->tree.frames.n; i++) {
		uint32_t at = lode_map_find(&prints->frame_at, p->frames[i]);

		if (at == LODE_NONE || prints->flags.at[at] != p->digest->tree.frames.at[i].flags)
			return false;
	}
	return true;
}

static bool has_same_streams(const struct lode_digest_prints *prints, const struct printing *p,
			     const uint64_t *streams)
{
	const struct lode_digest *digest = p->digest;
	bool *is_found = lode_alloc0(prints->streams.n + 1, sizeof(*is_found)), is_same;
	uint64_t n_events = 0;

	is_same = digest->streams.n == prints->streams.n;
	for (size_t i = 0; is_same && i < digest->streams.n; i++) {
		uint32_t at = lode_map_find(&prints->stream_at, digest->streams.at[i].content_hash);

		is_same = at != LODE_NONE && !is_found[at] && prints->streams.at[at] == streams[i];
		if (is_same)
			is_found[at] = true;
	}
	for (size_t i = 0; i < digest->rows.n; i++)
		n_events += digest->rows.at[i].n_events;
	free(is_found);
	return is_same && n_events == digest->n_events;
}

static bool match(const struct lode_digest_prints *prints, const struct lode_digest *digest,
		  bool is_whole)
{
	struct printing p = {.digest = digest};
	uint64_t *streams = lode_alloc((digest->streams.n + 1) * sizeof(*streams));
	bool is_same;

	print_tree(&p);
	print_streams(&p, streams);
	is_same = has_same_unit(prints, digest) && has_same_flags(prints, &p) &&
		  names_print(&p) == prints->names &&
		  (is_whole ? has_same_streams(prints, &p, streams)
			    : !digest->streams.n && !digest->rows.n);
	release_printing(&p);
	free(streams);
	return is_same;
}

bool lode_digest_prints_match(const struct lode_digest_prints *prints,
			      const struct lode_digest *merged)
{
	return match(prints, merged, true);
}

bool lode_digest_prints_match_names(const struct lode_digest_prints *prints,
				    const struct lode_digest *names)
{
	return match(prints, names, false);
}
