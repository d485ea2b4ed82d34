/* Fields of the document of lode shard. */
#include "answers/shard/shard.h"

#define COST "estimated reading cost, in bytes of uncompressed recordings"

static const struct lode_field part_fields[] = {
	LODE_FIELD(struct lode_shard_part, path, "path of its manifest"),
	LODE_FIELD_AS("recordings", struct lode_shard_part, n_recordings, NULL),
	LODE_FIELD(struct lode_shard_part, bytes, "size on disk", .is_positive = true),
	LODE_FIELD(struct lode_shard_part, cost, COST, .is_positive = true),
};
LODE_RECORD(part, struct lode_shard_part);

static const struct lode_field shard_fields[] = {
	LODE_FIELDS_OF(struct lode_shard_answer, opening, &lode_opening_record),
	LODE_FIELD(struct lode_shard_answer, manifest, NULL),
	LODE_FIELD(struct lode_shard_answer, folder, "folder of the parts"),
	LODE_FIELD_AS("recordings", struct lode_shard_answer, n_recordings, NULL),
	LODE_FIELD_AS("unmeasured", struct lode_shard_answer, n_unmeasured,
		      "of these, of unknown size: counted as average"),
	LODE_FIELD(struct lode_shard_answer, bytes, "total size on disk, as far as known",
		   .is_positive = true),
	LODE_FIELD(struct lode_shard_answer, cost, COST, .is_positive = true),
	LODE_FIELD(struct lode_shard_answer, least_cost, "of a part", .is_positive = true),
	LODE_FIELD(struct lode_shard_answer, most_cost, "of a part", .is_positive = true),
	LODE_LIST("parts", struct lode_shard_answer, list, n_listed, &part_record, NULL),
	LODE_FIELD_AS("more", struct lode_shard_answer, n_more, "parts left out by --top",
		      .absent = "none were"),
};
LODE_RECORD(shard, struct lode_shard_answer);

const struct lode_document lode_shard_document = {
	.schema = "lode/shard/1",
	.file = "shard",
	.title = "lode shard --json",
	.record = &shard_record,
};
