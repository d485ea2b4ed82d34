/* Header, functions and threads of both kinds of XRay logs. */
#include "input/formats/xray/xray_log.h"

#include <stdio.h>

#include "base/bytes.h"
#include "input/formats/xray/xray_format.h"

/* Ids below are looked up in an array: programs number their functions from 1. */
#define ARRAY_IDS (UINT32_C(1) << 20)

#define TICKS_PER_S_MIN 1000

/* Since LLVM 20 the bits above say in which object a function is: 0 is the program. */
#define OBJECT_SHIFT 24

static bool parse_header(struct lode_xray_header *header, struct lode_bytes *b)
{
	*header = (struct lode_xray_header){0};
	header->version = lode_bytes_u16(b);
	header->type = lode_bytes_u16(b);
	lode_bytes_u32(b); /* flags of the clock; in basic logs most bits are garbage */
	header->ticks_per_s = lode_bytes_u64(b);
	header->buffer_bytes = lode_bytes_u64(b);
	lode_bytes_u64(b);
	return !b->overrun;
}

/* There is no magic number: what follows the header must look like the first record. */
static bool recognise_xray_log(const uint8_t *head, size_t size)
{
	struct lode_bytes b = lode_bytes_make(head, size, 0);
	struct lode_xray_header header;
	uint16_t type;
	uint8_t first;

	if (!parse_header(&header, &b) || header.version == 0 ||
	    header.version > XRAY_FDR_VERSION_MAX || header.type > XRAY_FDR ||
	    header.ticks_per_s > LODE_TICKS_PER_S_MAX ||
	    (header.ticks_per_s && header.ticks_per_s < TICKS_PER_S_MIN))
		return false;
	if (lode_bytes_left(&b) == 0)
		return true; /* a program that was traced and called nothing */
	if (header.type == XRAY_FDR) {
		first = lode_bytes_u8(&b);
		return first == (XRAY_IS_METADATA | XRAY_EXTENTS << 1) ||
		       (header.version == 1 && first == (XRAY_IS_METADATA | XRAY_NEW_BUFFER << 1));
	}
	type = lode_bytes_u16(&b);
	lode_bytes_u8(&b); /* CPU */
	return header.version <= XRAY_BASIC_VERSION_MAX && type == XRAY_BASIC_FUNCTION &&
	       lode_bytes_u8(&b) < XRAY_N_KINDS;
}

uint32_t lode_xray_function_slow(struct lode_xray_log *log, uint32_t id)
{
	const char *name = lode_xray_name(&log->names, id);
	char number[32];
	uint32_t *slot;

	if (id < ARRAY_IDS) {
		if (log->functions.n <= id) {
			lode_vec_reserve(&log->functions, id + 1);
			memset(log->functions.at + log->functions.n, 0xff,
			       (log->functions.capacity - log->functions.n) * sizeof(uint32_t));
			log->functions.n = log->functions.capacity;
		}
		slot = &log->functions.at[id];
	} else {
		slot = lode_map_slot(&log->high_functions, id);
	}
	if (*slot != LODE_NONE)
		return *slot;
	if (id >> OBJECT_SHIFT) /* of a shared library, numbered as it was loaded */
		snprintf(number, sizeof(number), "#%u:%u", id >> OBJECT_SHIFT,
			 id & ((1u << OBJECT_SHIFT) - 1));
	else
		snprintf(number, sizeof(number), "#%u", id);
	*slot = log->sink->function(log->sink->context, log->names.module, name ? name : number);
	return *slot;
}

uint32_t lode_xray_thread(struct lode_xray_log *log, int32_t pid, int32_t tid)
{
	uint32_t *slot =
		lode_map_slot(&log->threads, (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid);

	if (*slot == LODE_NONE)
		*slot = log->sink->thread(log->sink->context, pid, tid, NULL);
	return *slot;
}

static void tell_about(struct lode_xray_log *log)
{
	struct lode_calls_about about = {
		.format = log->header.type == XRAY_FDR ? "XRay flight data recorder" : "XRay basic",
		.ticks_per_ns = (double)log->ticks.per_s / 1e9,
	};

	if (log->sink->about)
		log->sink->about(log->sink->context, &about);
}

static int read_log(struct lode_xray_log *log, struct lode_input *input, struct lode_error *err)
{
	uint8_t head[XRAY_HEADER_BYTES];
	struct lode_bytes b;
	ssize_t n = lode_input_peek(input, head, sizeof(head), err);

	if (n < 0)
		return (int)n;
	b = lode_bytes_make(head, (size_t)n, 0);
	if (!parse_header(&log->header, &b))
		return lode_fail(err, LODE_ERR_TRUNCATED, log->path, 0,
				 "an XRay log starts with a header of %d bytes, this has %zd",
				 XRAY_HEADER_BYTES, n);
	if (log->header.ticks_per_s > LODE_TICKS_PER_S_MAX ||
	    (log->header.ticks_per_s && log->header.ticks_per_s < TICKS_PER_S_MIN))
		return lode_fail(err, LODE_ERR_FORMAT, log->path, 8,
				 "the header declares a clock of %llu Hz",
				 (unsigned long long)log->header.ticks_per_s);
	log->ticks =
		lode_ticks_make(log->header.ticks_per_s ? log->header.ticks_per_s : 1000000000);
	if (!log->header.ticks_per_s)
		lode_loss_add(log->sink->losses, LODE_LOSS_UNDECODABLE, 1, 8, 0,
			      "the header has no frequency: ticks are treated as nanoseconds");
	tell_about(log);
	return log->header.type == XRAY_FDR ? lode_xray_read_fdr(log, input, err)
					    : lode_xray_read_basic(log, input, err);
}

static int read_xray(struct lode_input *input, const struct lode_call_options *options,
		     struct lode_call_sink *sink, struct lode_error *err)
{
	struct lode_xray_log log = {
		.path = lode_input_path(input), .options = options, .sink = sink};
	int rc = lode_xray_names_load(&log.names, options->symbols, err);

	if (rc == LODE_OK)
		rc = read_log(&log, input, err);
	lode_xray_names_release(&log.names);
	lode_vec_release(&log.functions);
	lode_map_release(&log.high_functions);
	lode_map_release(&log.threads);
	return rc;
}

static const char *const file_globs[] = {"xray-log.*", "*.xray", NULL};

const struct lode_format lode_format_xray = {
	.name = "XRay",
	.words = "XRay log",
	.recognise = recognise_xray_log,
	.globs = file_globs,
	.named = "XRay's logs",
	.begins = "the header of an XRay log",
	.read_calls = read_xray,
};
