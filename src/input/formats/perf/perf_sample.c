/* Parses one sample record. */
#include "input/formats/perf/perf_sample.h"

#include "input/formats/perf/perf_abi.h"

/* What is left of the record behind the fields of fixed place. */
struct rest {
	const uint8_t *at;
	size_t left;
};

/* `n` bytes, or NULL if fewer are left. Sizes come from the file: compare before adding. */
static const uint8_t *take_perf_sample(struct rest *rest, uint64_t n)
{
	const uint8_t *p = rest->at;

	if (n > rest->left)
		return NULL;
	rest->at += n;
	rest->left -= n;
	return p;
}

static const uint8_t *take_words(struct rest *rest, uint64_t n)
{
	return n > rest->left / 8 ? NULL : take_perf_sample(rest, n * 8);
}

/* A count in front of what it counts. */
static bool take_u64(struct rest *rest, uint64_t *value)
{
	const uint8_t *p = take_perf_sample(rest, 8);

	*value = p ? lode_perf_u64(p) : 0;
	return p != NULL;
}

static bool skip_read(struct rest *rest, uint64_t format)
{
	const uint64_t times = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	uint64_t n_times = (uint64_t)__builtin_popcountll(format & times), n;
	uint64_t n_each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & 16 /* _LOST */);

	if (!(format & PERF_FORMAT_GROUP))
		return take_words(rest, n_times + n_each) != NULL;
	if (!take_u64(rest, &n) || n > rest->left / 8)
		return false;
	return take_words(rest, n_times + n * n_each) != NULL;
}

static bool skip_branches(struct rest *rest, uint64_t branch_sample_type)
{
	uint64_t n;
	bool has_index = branch_sample_type & LODE_PERF_BRANCH_HW_INDEX;
	bool has_counters = branch_sample_type & LODE_PERF_BRANCH_COUNTERS;

	if (!take_u64(rest, &n) || n > rest->left / 24)
		return false;
	return take_words(rest, has_index + n * 3 + (has_counters ? n : 0)) != NULL;
}

static bool take_regs(struct rest *rest, unsigned n_regs, uint64_t *abi, const uint8_t **regs)
{
	*regs = NULL;
	if (!take_u64(rest, abi))
		return false;
	if (*abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	*regs = take_words(rest, n_regs);
	return *regs != NULL;
}

static bool take_stack(struct rest *rest, struct lode_perf_sample *out)
{
	uint64_t size, used;

	if (!take_u64(rest, &size))
		return false;
	if (size == 0)
		return true;
	out->stack = take_perf_sample(rest, size);
	if (!out->stack || !take_u64(rest, &used))
		return false;
	out->stack_bytes = used < size ? used : size;
	return true;
}

static const char *parse_tail(struct lode_perf_sample *out, const struct lode_perf_event *event,
			      struct rest *rest)
{
	uint64_t type = event->sample_type, size, abi;
	const uint64_t words = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;
	const uint64_t more_words = PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
				    PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
	const uint8_t *regs;
	uint64_t n;

	if (type & PERF_SAMPLE_BRANCH_STACK && !skip_branches(rest, event->branch_sample_type))
		return "branch stack is longer than the record";
	if (type & PERF_SAMPLE_REGS_USER &&
	    !take_regs(rest, event->n_regs_user, &out->regs_abi, &out->regs))
		return "user registers do not fit the record";
	if (type & PERF_SAMPLE_STACK_USER && !take_stack(rest, out))
		return "user stack is longer than the record";
	n = !!(type & words) + !!(type & PERF_SAMPLE_DATA_SRC) + !!(type & PERF_SAMPLE_TRANSACTION);
	if (n && !take_words(rest, n))
		return "sample is shorter than its type needs";
	if (type & PERF_SAMPLE_REGS_INTR && !take_regs(rest, event->n_regs_intr, &abi, &regs))
		return "interrupted registers do not fit the record";
	n = (uint64_t)__builtin_popcountll(type & more_words);
	if (n && !take_words(rest, n))
		return "sample is shorter than its type needs";
	if (type & PERF_SAMPLE_AUX && (!take_u64(rest, &size) || !take_perf_sample(rest, size)))
		return "AUX sample is longer than the record";
	return NULL;
}

const char *lode_perf_sample_parse(struct lode_perf_sample *out,
				   const struct lode_perf_event *event, const uint8_t *record,
				   size_t size)
{
	/* What no event of an ordinary recording has. */
	const uint64_t tail =
		~(uint64_t)(PERF_SAMPLE_RAW * 2 - 1) & ~(uint64_t)PERF_SAMPLE_IDENTIFIER;
	uint64_t type = event->sample_type, n;
	struct rest rest;
	const uint8_t *p;

	if (size < event->fixed_bytes)
		return "sample is shorter than its type needs";
	rest = (struct rest){record + event->fixed_bytes, size - event->fixed_bytes};
	memset(out, 0, sizeof(*out));
	out->ip = event->at_ip ? lode_perf_u64(record + event->at_ip) : 0;
	out->pid = event->at_tid ? (int32_t)lode_perf_u32(record + event->at_tid) : -1;
	out->tid = event->at_tid ? (int32_t)lode_perf_u32(record + event->at_tid + 4) : -1;
	out->t_ns = event->at_time ? lode_perf_time(lode_perf_u64(record + event->at_time))
				   : LODE_PERF_NO_TIME;
	out->cpu = event->at_cpu ? lode_perf_u32(record + event->at_cpu) : UINT32_MAX;
	out->period = event->at_period ? lode_perf_u64(record + event->at_period)
		      : event->is_freq ? 0
				       : event->period;
	if (type & PERF_SAMPLE_READ && !skip_read(&rest, event->read_format))
		return "counter values do not fit the record";
	if (type & PERF_SAMPLE_CALLCHAIN) {
		if (!take_u64(&rest, &n) || n > rest.left / 8)
			return "callchain is longer than the record";
		out->n_chain = (size_t)n;
		out->chain = take_words(&rest, n);
	}
	if (type & PERF_SAMPLE_RAW) {
		p = take_perf_sample(&rest, 4);
		if (!p || lode_perf_u32(p) > rest.left)
			return "raw data is longer than the record";
		out->raw_bytes = lode_perf_u32(p);
		out->raw = take_perf_sample(&rest, out->raw_bytes);
	}
	return type & tail ? parse_tail(out, event, &rest) : NULL;
}
