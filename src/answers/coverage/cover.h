/*
 * How much of the waiting signatures explain: of all streams, of one, of a group of them.
 */
#ifndef LODE_COVER_H
#define LODE_COVER_H

#include <stdint.h>

#include "analyses/signatures/signature_cover.h"
#include "document/fields.h"

struct lode_cover {
	int64_t symptom_ns, aoi_ns, covered_ns, returned_ns; /* as struct lode_stream_cover */
	int64_t unexplained_ns;				     /* aoi_ns - covered_ns */
	double coverage;				     /* covered_ns / symptom_ns */
};
struct lode_cover lode_cover_of(const struct lode_stream_cover *cover);

/* The four times; and the share. */
extern const struct lode_record lode_cover_times_record, lode_cover_share_record;

#endif
