/* Coverage by release, host or day. */
#include "engine/signatures/signature_trend.h"

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
