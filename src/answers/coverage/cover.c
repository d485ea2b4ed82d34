/* How much signatures explain, as documents have it. */
#include "answers/coverage/cover.h"

#include "answers/input_fields.h"

static const struct lode_field times_fields[] = {
	LODE_FIELD(struct lode_cover, symptom_ns, "total duration of the symptoms",
		   .is_positive = true),
	LODE_FIELD(struct lode_cover, aoi_ns, "cost of all events in the area of interest",
		   .is_positive = true),
	LODE_FIELD(struct lode_cover, covered_ns,
		   "matched by any active signature; each event counts once", .is_positive = true),
	LODE_FIELD(struct lode_cover, returned_ns, "matched by retired signatures only",
		   .is_positive = true),
};
const struct lode_record lode_cover_times_record =
	LODE_RECORD_OF("times", times_fields, struct lode_cover);

static const struct lode_field share_fields[] = {
	LODE_FIELD(struct lode_cover, coverage, "covered_ns / symptom_ns", .is_positive = true),
};
const struct lode_record lode_cover_share_record =
	LODE_RECORD_OF("share", share_fields, struct lode_cover);

struct lode_cover lode_cover_of(const struct lode_stream_cover *cover)
{
	return (struct lode_cover){
		.symptom_ns = cover->symptom_ns,
		.aoi_ns = cover->aoi_ns,
		.covered_ns = cover->covered_ns,
		.returned_ns = cover->returned_ns,
		.unexplained_ns = cover->aoi_ns - cover->covered_ns,
		.coverage = lode_ratio(cover->covered_ns, cover->symptom_ns),
	};
}
