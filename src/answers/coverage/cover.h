/*
 * How much of the waiting signatures explain: of all streams, of one, of a group of them.
 */
#pragma once

#include "engine/signatures/signature_cover.h"
#include "document/fields.h"
#include "document/findings.h"

struct lode_cover {
	int64_t symptom_ns, aoi_ns, covered_ns, returned_ns; /* as struct lode_stream_cover */
	int64_t unexplained_ns;				     /* aoi_ns - covered_ns */
	double coverage;				     /* covered_ns / symptom_ns */
};
struct lode_cover lode_cover_of(const struct lode_stream_cover *cover);

/* The four times; and the share. */
extern const struct lode_record lode_cover_times_record, lode_cover_share_record;

/* In words: a part of it. */
struct lode_cover_part {
	int64_t cost_ns;
	const char *words, *what, *why; /* "came back: ", "lookup", "disk" or "" */
	const char *path;		/* as a finding's */
};
void lode_cover_add_part(struct lode_findings *out, const struct lode_cover_part *part,
			 int64_t whole_ns, const char *unit, struct lode_arena *arena);
