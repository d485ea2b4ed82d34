/* Share of the symptoms' time that signatures explain (docs/signatures.md; StackMine §VII.A Q2). */
#include "engine/signatures/signature_cover.h"

#include "base/sorted.h"

/* ---- By groups ---- */

static void add_cover(struct lode_stream_cover *to, const struct lode_stream_cover *from)
{
	to->symptom_ns += from->symptom_ns;
	to->aoi_ns += from->aoi_ns;
	to->covered_ns += from->covered_ns;
	to->returned_ns += from->returned_ns;
}

void lode_signature_trend_build(struct lode_signature_trend *out,
				const struct lode_coverage *coverage, const uint32_t *group_of,
				size_t n_groups)
{
	memset(out, 0, sizeof(*out));
	out->n_groups = n_groups;
	out->n_signatures = coverage->n_signatures;
	out->groups = lode_alloc0(n_groups, sizeof(*out->groups));
	out->n_streams = lode_alloc0(n_groups, sizeof(*out->n_streams));
	out->cells = lode_alloc0(n_groups * out->n_signatures, sizeof(*out->cells));
	for (size_t i = 0; i < coverage->n_streams; i++) {
		add_cover(&out->groups[group_of[i]], &coverage->streams[i]);
		out->n_streams[group_of[i]]++;
	}
	for (size_t i = 0; i < coverage->in_streams.n; i++) {
		const struct lode_signature_in_stream *in = &coverage->in_streams.at[i];
		struct lode_trend_cell *cell =
			&out->cells[in->signature * n_groups + group_of[in->stream]];

		cell->total_ns += in->total_ns;
		cell->exclusive_ns += in->exclusive_ns;
		cell->n_streams++;
	}
}

void lode_signature_trend_release(struct lode_signature_trend *trend)
{
	free(trend->groups);
	free(trend->n_streams);
	free(trend->cells);
	memset(trend, 0, sizeof(*trend));
}

/* ---- Coverage ---- */

/* What a signature costs in the symptom at hand. */
struct in_symptom {
	int64_t total_ns, worst_event_ns, worst_t0_ns;
	uint32_t symptom; /* which one that is; LODE_NONE: none yet */
};

struct covering {
	struct lode_coverage *out;
	const struct lode_signature_match *match;
	const struct lode_signature *list;
	const struct lode_digest *digest;
	uint32_t *n_active; /* per set: its signatures that are not retired */
	struct in_symptom *in_symptom;
	struct lode_map stream_index; /* (signature, stream) -> index into in_streams */
};

static struct lode_signature_in_stream *in_stream(struct covering *c, uint32_t signature,
						  uint32_t stream)
{
	uint32_t *slot = lode_map_slot(&c->stream_index, (uint64_t)signature << 32 | stream);

	if (*slot == LODE_NONE) {
		*slot = (uint32_t)c->out->in_streams.n;
		lode_vec_append(&c->out->in_streams,
				((struct lode_signature_in_stream){.signature = signature,
								   .stream = stream}));
		c->out->signatures[signature].n_streams++;
	}
	return &c->out->in_streams.at[*slot];
}

/* The costliest symptom so far: the first of equals. */
static void end_symptom(struct covering *c, uint32_t signature)
{
	struct in_symptom *here = &c->in_symptom[signature];
	struct lode_signature_cost *cost = &c->out->signatures[signature];

	if (here->symptom == LODE_NONE)
		return;
	if (cost->worst_symptom == LODE_NONE || here->total_ns > cost->worst_ns) {
		cost->worst_symptom = here->symptom;
		cost->worst_ns = here->total_ns;
		cost->worst_t0_ns = here->worst_t0_ns;
	}
}

static void add_to_symptom(struct covering *c, uint32_t signature,
			   const struct lode_digest_row *row)
{
	struct in_symptom *here = &c->in_symptom[signature];

	if (here->symptom != row->symptom) {
		end_symptom(c, signature);
		*here = (struct in_symptom){.symptom = row->symptom, .worst_event_ns = -1};
		c->out->signatures[signature].n_symptoms++;
	}
	here->total_ns += row->cost_ns;
	if (row->worst_cost_ns > here->worst_event_ns ||
	    (row->worst_cost_ns == here->worst_event_ns && row->worst_t0_ns < here->worst_t0_ns)) {
		here->worst_event_ns = row->worst_cost_ns;
		here->worst_t0_ns = row->worst_t0_ns;
	}
}

/* Is it the only one of the set that counts? A retired one is exclusive where none counts. */
static bool is_exclusive(const struct covering *c, uint32_t signature, uint32_t set, size_t n)
{
	return c->list[signature].is_retired ? c->n_active[set] == 0 && n == 1
					     : c->n_active[set] == 1;
}

static void add_row_signature_cover(struct covering *c, const struct lode_digest_row *row,
				    uint32_t set)
{
	uint32_t stream = c->digest->symptoms.at[row->symptom].stream;
	struct lode_stream_cover *cover = &c->out->streams[stream];
	const uint32_t *at;
	size_t n = lode_signature_set(c->match, set, &at);

	cover->aoi_ns += row->cost_ns;
	c->out->set_ns[set] += row->cost_ns;
	if (c->n_active[set])
		cover->covered_ns += row->cost_ns;
	else if (n)
		cover->returned_ns += row->cost_ns;
	for (size_t i = 0; i < n; i++) {
		struct lode_signature_cost *cost = &c->out->signatures[at[i]];
		struct lode_signature_in_stream *in = in_stream(c, at[i], stream);

		cost->total_ns += row->cost_ns;
		cost->split_ns[row->kind] += row->cost_ns;
		cost->n_events += row->n_events;
		in->total_ns += row->cost_ns;
		in->n_events += row->n_events;
		if (is_exclusive(c, at[i], set, n)) {
			cost->exclusive_ns += row->cost_ns;
			in->exclusive_ns += row->cost_ns;
		}
		add_to_symptom(c, at[i], row);
	}
}

static void count_active(struct covering *c)
{
	const uint32_t *at;

	for (uint32_t set = 0; set < c->out->n_sets; set++) {
		size_t n = lode_signature_set(c->match, set, &at);

		for (size_t i = 0; i < n; i++)
			c->n_active[set] += !c->list[at[i]].is_retired;
	}
}

LODE_COMPARE(by_signature_and_stream, struct lode_signature_in_stream,
	     LODE_ORDER(a->signature, b->signature) ?: LODE_ORDER(a->stream, b->stream))

static void finish_signature_cover(struct covering *c)
{
	struct lode_coverage *out = c->out;

	for (size_t i = 0; i < out->n_signatures; i++)
		end_symptom(c, (uint32_t)i);
	lode_sort(out->in_streams.at, out->in_streams.n, by_signature_and_stream);
	for (size_t i = 0; i < out->in_streams.n; i++)
		out->in_start[out->in_streams.at[i].signature + 1]++;
	for (size_t i = 0; i < out->n_signatures; i++)
		out->in_start[i + 1] += out->in_start[i];
	for (size_t i = 0; i < c->digest->symptoms.n; i++) {
		const struct lode_digest_symptom *s = &c->digest->symptoms.at[i];

		out->streams[s->stream].symptom_ns += lode_digest_symptom_ns(s);
	}
	for (size_t i = 0; i < out->n_streams; i++) {
		out->all.symptom_ns += out->streams[i].symptom_ns;
		out->all.aoi_ns += out->streams[i].aoi_ns;
		out->all.covered_ns += out->streams[i].covered_ns;
		out->all.returned_ns += out->streams[i].returned_ns;
	}
}

void lode_coverage_build(struct lode_coverage *out, const struct lode_signature_match *match,
			 const struct lode_signature *list, size_t n_signatures,
			 const struct lode_digest *digest)
{
	struct covering c = {.out = out, .match = match, .list = list, .digest = digest};

	memset(out, 0, sizeof(*out));
	out->n_signatures = n_signatures;
	out->n_streams = digest->streams.n;
	out->n_sets = lode_signature_match_n_sets(match);
	out->signatures = lode_alloc0(n_signatures, sizeof(*out->signatures));
	out->streams = lode_alloc0(out->n_streams, sizeof(*out->streams));
	out->in_start = lode_alloc0(n_signatures + 1, sizeof(*out->in_start));
	out->set_ns = lode_alloc0(out->n_sets, sizeof(*out->set_ns));
	c.n_active = lode_alloc0(out->n_sets, sizeof(*c.n_active));
	c.in_symptom = lode_alloc0(n_signatures, sizeof(*c.in_symptom));
	for (size_t i = 0; i < n_signatures; i++) {
		out->signatures[i].worst_symptom = LODE_NONE;
		c.in_symptom[i].symptom = LODE_NONE;
	}
	count_active(&c);
	for (size_t i = 0; i < digest->rows.n; i++)
		add_row_signature_cover(&c, &digest->rows.at[i], match->row_set[i]);
	finish_signature_cover(&c);
	free(c.n_active);
	free(c.in_symptom);
	lode_map_release(&c.stream_index);
}

void lode_coverage_release(struct lode_coverage *coverage)
{
	free(coverage->signatures);
	free(coverage->streams);
	free(coverage->in_start);
	free(coverage->set_ns);
	lode_vec_release(&coverage->in_streams);
	memset(coverage, 0, sizeof(*coverage));
}
