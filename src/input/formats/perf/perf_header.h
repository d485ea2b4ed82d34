/*
 * What a recording says of itself: its events, and the feature sections behind (in a file) or among
 * (in a pipe) its records.
 */
#pragma once

#include "model/loss.h"
#include "input/formats/perf/perf_abi.h"
#include "input/formats/perf/perf_event.h"
#include "input/formats/perf/perf_reader.h"

struct lode_perf_build_id {
	const char *path;
	uint8_t bytes[20];
	uint8_t size;
	bool is_kernel;
	int32_t pid;
};

struct lode_perf_header {
	bool is_pipe;
	int64_t data_offset, data_bytes; /* data_bytes 0: the recorder did not live to say it */
	uint64_t features[LODE_PERF_N_FEATURE_WORDS];
	uint64_t identity; /* stable hash of the header's bytes */

	const char *host, *kernel, *arch, *command; /* "" when not there */
	uint32_t n_cpus;
	int64_t first_sample_ns, last_sample_ns; /* both 0: not there */
	/* perf record -k: two readings at one moment, wall clock (UTC) and the recording's own. */
	bool has_wall_clock;
	int64_t wall_clock_ns, own_clock_ns;
	bool is_directory;
	LODE_VEC(struct lode_perf_build_id) build_ids;

	struct lode_perf_events events;
	struct lode_losses losses; /* sections that could not be read */
	struct lode_arena arena;
};

/*
 * Reads the header, and of a file also its events and features. Fails only when without it nothing
 * can be read; a damaged section becomes a loss. `tap` (may be NULL) is asked about the events.
 */
int lode_perf_header_read(struct lode_perf_header *header, struct lode_perf_reader *reader,
			  const struct lode_tap *tap, struct lode_error *err);
/* Of a file, host and build-ids alone. Release it in any case. */
int lode_perf_header_read_build_ids(struct lode_perf_header *header,
				    struct lode_perf_reader *reader, struct lode_error *err);
void lode_perf_header_release(struct lode_perf_header *header);

/*
 * Records that describe the recording, each whole with its header: HEADER_ATTR, HEADER_FEATURE,
 * EVENT_UPDATE. TRACING_DATA's formats follow its record: `payload`. No other thread may use
 * the events meanwhile.
 */
bool lode_perf_header_is_description(uint32_t type);
void lode_perf_header_add(struct lode_perf_header *header, struct lode_bytes record,
			  struct lode_bytes payload, const char *path);

/* One build-id record, as it stands in the feature section and in pipes. */
void lode_perf_header_add_build_id(struct lode_perf_header *header, struct lode_bytes record);
