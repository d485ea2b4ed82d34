/*
 * One sample record taken apart. Everything points into the record; nothing is copied.
 */
#pragma once

#include "input/formats/perf/perf_event.h"

struct lode_perf_sample {
	uint64_t ip;
	int64_t t_ns; /* LODE_PERF_NO_TIME if the event records none */
	int32_t pid, tid;
	uint32_t cpu; /* UINT32_MAX unknown */
	uint64_t period;
	const uint8_t *chain; /* n_chain words of 8 bytes, not aligned to anything */
	size_t n_chain;
	const uint8_t *raw; /* a tracepoint's payload */
	size_t raw_bytes;
	/* What a DWARF unwinder needs: registers (abi 0: none), and the stack from sp upwards. */
	uint64_t regs_abi;
	const uint8_t *regs;
	const uint8_t *stack;
	size_t stack_bytes;
};

/*
 * `record` holds `size` bytes, header included. Gives NULL, or what is wrong with it in a few words
 * ("callchain is longer than the record").
 */
const char *lode_perf_sample_parse(struct lode_perf_sample *out,
				   const struct lode_perf_event *event, const uint8_t *record,
				   size_t size);

static inline uint64_t lode_perf_u64(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static inline uint32_t lode_perf_u32(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static inline uint16_t lode_perf_u16(const uint8_t *p)
{
	uint16_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/* A recorded time as the model's: what cannot be a time (perf writes 0 and ~0) is none. */
static inline int64_t lode_perf_time(uint64_t t)
{
	return t == 0 || t == UINT64_MAX ? INT64_MIN : t > INT64_MAX ? INT64_MAX : (int64_t)t;
}
