/*
 * User stacks of samples that carry registers and a copy of their stack instead of a chain.
 *
 * Needs the modules' files at the time of each sample, so modules are opened here as they are met.
 */
#pragma once

#include "input/formats/perf/perf_dsos.h"
#include "input/formats/perf/perf_header.h"
#include "input/symbols/spaces.h"
#include "input/symbols/unwind.h"

enum { LODE_PERF_UNWIND_FRAMES = 512 };

struct lode_perf_unwind {
	const struct lode_perf_header *header; /* borrowed, as all below */
	const struct lode_spaces *spaces;
	struct lode_perf_dsos *dsos;
	struct lode_symboliser *symboliser; /* NULL: no unwinding */
	const char *recording;
	struct lode_unwinder *unwinder; /* made at the first dump */
	bool is_tried;
	const char *damaged; /* the module of the last dump with a damaged unwind table, or NULL */
	uint64_t addresses[LODE_PERF_UNWIND_FRAMES];
};

/* How decoding keeps a dump: this, then registers, then the stack. */
struct lode_perf_dump {
	uint64_t abi, stack_bytes;
};

void lode_perf_unwind_release(struct lode_perf_unwind *unwind);

/*
 * Unwinds the dump at `bytes` into `addresses`, leaf first; all but the first are return addresses.
 * Gives their number; `*is_cut` says that the copy ended before the stack.
 */
size_t lode_perf_unwind(struct lode_perf_unwind *unwind, const uint8_t *bytes,
			const struct lode_perf_event *event, int32_t pid, bool *is_cut);
