/* From a cluster to its recordings, and to their costliest symptoms. */
#include "answers/clusters/cluster_drill.h"

#include "base/sorted.h"

void lode_drill_build(struct lode_drill *out, const struct lode_mined *mined)
{
	const struct lode_digest *digest = mined->digest;
	size_t n_streams = digest->streams.n, n = digest->symptoms.n, *next;

	*out = (struct lode_drill){
		.mined = mined,
		.start = lode_alloc0(n_streams + 1, sizeof(*out->start)),
		.symptoms = lode_alloc0(n + 1, sizeof(*out->symptoms)),
		.number = lode_alloc0(n + 1, sizeof(*out->number)),
		.symptom_ns = lode_alloc0(n_streams + 1, sizeof(*out->symptom_ns)),
	};
	for (size_t i = 0; i < n; i++)
		out->start[digest->symptoms.at[i].stream + 1]++;
	for (size_t s = 0; s < n_streams; s++)
		out->start[s + 1] += out->start[s];
	next = lode_alloc0(n_streams + 1, sizeof(*next));
	for (size_t i = 0; i < n; i++) {
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[i];
		uint32_t s = symptom->stream;

		out->number[i] = (uint32_t)next[s];
		out->symptoms[out->start[s] + next[s]++] = (uint32_t)i;
		out->symptom_ns[s] += lode_digest_symptom_ns(symptom);
	}
	free(next);
}

void lode_drill_release(struct lode_drill *drill)
{
	free(drill->start);
	free(drill->symptoms);
	free(drill->number);
	free(drill->symptom_ns);
	memset(drill, 0, sizeof(*drill));
}

int lode_drill_find_stream(uint32_t *stream, const struct lode_drill *drill, const char *name,
			   struct lode_error *err)
{
	const struct lode_digest *digest = drill->mined->digest;
	size_t len = strlen(name);
	uint64_t value;

	*stream = 0;
	if (len == 16 && strspn(name, "0123456789abcdef") == len) {
		value = strtoull(name, NULL, 16);
		for (size_t i = 0; i < digest->streams.n; i++)
			if (digest->streams.at[i].content_hash == value) {
				*stream = (uint32_t)i;
				return 0;
			}
	} else if (len && len < 10 && strspn(name, "0123456789") == len) {
		value = strtoull(name, NULL, 10);
		if (value < digest->streams.n) {
			*stream = (uint32_t)value;
			return 0;
		}
	}
	return lode_fail(
		err, LODE_ERR_ARG, NULL, -1,
		"no recording '%.40s': give its id, 16 hex digits, or its number, below %zu", name,
		digest->streams.n);
}

static uint32_t stream_of(const struct lode_drill *drill, const struct lode_cluster *cluster,
			  size_t i)
{
	return drill->mined->digest->symptoms.at[cluster->worst[i].symptom].stream;
}

LODE_COMPARE(dearest_first, struct lode_drill_stream,
	     LODE_ORDER(b->cost_ns, a->cost_ns) ?: LODE_ORDER(a->stream, b->stream))

void lode_drill_streams_of(lode_drill_streams *out, const struct lode_drill *drill,
			   const struct lode_cluster *cluster)
{
	lode_cluster_streams streams = {0};
	struct lode_map place_of = {0};

	lode_cluster_streams_of(&streams, drill->mined, cluster);
	for (size_t i = 0; i < streams.n; i++) {
		struct lode_drill_stream s = {.stream = streams.at[i].stream,
					      .cost_ns = streams.at[i].cost_ns};

		*lode_map_slot(&place_of, s.stream) = (uint32_t)out->n;
		lode_vec_append(out, s);
	}
	/* They come by cost, so the first ones of a stream are its worst. */
	for (size_t i = 0; i < cluster->n_worst; i++) {
		uint32_t place = lode_map_find(&place_of, stream_of(drill, cluster, i));
		struct lode_drill_stream *s;

		if (place == LODE_NONE)
			continue;
		s = &out->at[place];
		if (s->n_symptoms < LODE_DRILL_WORST)
			s->worst[s->n_symptoms] = (uint32_t)i;
		s->n_symptoms++;
	}
	lode_sort(out->at, out->n, dearest_first);
	lode_vec_release(&streams);
	lode_map_release(&place_of);
}

void lode_drill_symptoms_of(lode_drill_symptoms *out, const struct lode_drill *drill,
			    const struct lode_cluster *cluster, uint32_t stream)
{
	for (size_t i = 0; i < cluster->n_worst; i++)
		if (stream_of(drill, cluster, i) == stream)
			lode_vec_append(out, (uint32_t)i);
}
