/* Reads XRay logs of basic mode. */
#include "base/bytes.h"
#include "input/formats/xray/xray_format.h"
#include "input/formats/xray/xray_log.h"

/*
 * Basic mode: records of 32 bytes. Threads append whole buffers of theirs, so a thread's records
 * are in order, and runs of records of one thread are long: each run is one batch.
 */

enum { CHUNK_RECORDS = 16384 };

static const uint8_t event_kinds[XRAY_N_KINDS] = {
	[XRAY_ENTER] = LODE_CALL_ENTER,
	[XRAY_EXIT] = LODE_CALL_EXIT,
	[XRAY_TAIL_EXIT] = LODE_CALL_EXIT_TAIL,
	[XRAY_ENTER_ARGUMENT] = LODE_CALL_ENTER,
};

struct basic {
	struct lode_xray_log *log;
	struct lode_call_event *events;
	size_t n;
	int32_t pid, tid; /* of the events */
	uint8_t *bytes;
	int64_t offset; /* of the chunk in the file */
	uint64_t n_events;
};

static int hand_over(struct basic *basic, struct lode_error *err)
{
	struct lode_call_sink *sink = basic->log->sink;
	size_t n = basic->n;

	basic->n = 0;
	basic->n_events += n;
	if (n == 0)
		return LODE_OK;
	return sink->events(sink->context, lode_xray_thread(basic->log, basic->pid, basic->tid),
			    basic->events, n, err);
}

static int bad_record(struct basic *basic, size_t i, const char *what, unsigned value)
{
	int64_t offset = basic->offset + (int64_t)(i * XRAY_BASIC_RECORD_BYTES);

	lode_loss_add(basic->log->sink->losses, LODE_LOSS_BAD_RECORD, 1, offset, 0,
		      "offset 0x%llx: a record of %s %u", (unsigned long long)offset, what, value);
	return LODE_OK;
}

/* Ticks of one record may be anything: the anchor follows, and what no clock can tell is bad. */
static bool to_ns(struct lode_ticks *ticks, uint64_t at, int64_t *ns)
{
	if (!lode_ticks_is_near(ticks, at) && !lode_ticks_move(ticks, at))
		return false;
	*ns = lode_ticks_near(ticks, at);
	return true;
}

static int take_record_xray_basic(struct basic *basic, size_t i, struct lode_bytes b,
				  struct lode_error *err)
{
	struct lode_xray_log *log = basic->log;
	unsigned type = lode_bytes_u16(&b), kind, id;
	struct lode_call_event *event;
	int32_t tid, pid;
	uint64_t at;
	int64_t ns;
	int rc;

	if (type == XRAY_BASIC_ARGUMENT) /* of the call before */
		return LODE_OK;
	if (type != XRAY_BASIC_FUNCTION)
		return bad_record(basic, i, "unknown type", type);
	lode_bytes_u8(&b); /* CPU */
	kind = lode_bytes_u8(&b);
	if (kind >= XRAY_N_KINDS)
		return bad_record(basic, i, "unknown kind", kind);
	id = lode_bytes_u32(&b);
	at = lode_bytes_u64(&b);
	tid = lode_bytes_i32(&b);
	pid = log->header.version >= 3 ? lode_bytes_i32(&b) : 0;
	if (!to_ns(&log->ticks, at, &ns))
		return bad_record(basic, i, "ticks beyond any time; kind", kind);
	if (tid != basic->tid || pid != basic->pid) {
		rc = hand_over(basic, err);
		if (rc < 0)
			return rc;
		basic->tid = tid;
		basic->pid = pid;
	}
	event = &basic->events[basic->n++];
	*event = (struct lode_call_event){
		.t_ns = ns, .function = lode_xray_function(log, id), .kind = event_kinds[kind]};
	return LODE_OK;
}

static int take_chunk(struct basic *basic, size_t size, struct lode_error *err)
{
	size_t n = size / XRAY_BASIC_RECORD_BYTES;

	for (size_t i = 0; i < n; i++) {
		struct lode_bytes b = lode_bytes_make(basic->bytes + i * XRAY_BASIC_RECORD_BYTES,
						      XRAY_BASIC_RECORD_BYTES, 0);
		int rc = take_record_xray_basic(basic, i, b, err);

		if (rc < 0)
			return rc;
	}
	return hand_over(basic, err);
}

static int read_chunks(struct basic *basic, struct lode_input *input, struct lode_error *err)
{
	const struct lode_call_options *options = basic->log->options;
	struct lode_losses *losses = basic->log->sink->losses;
	struct lode_error fault;

	for (;;) {
		ssize_t got =
			lode_input_read(input, basic->bytes,
					(size_t)CHUNK_RECORDS * XRAY_BASIC_RECORD_BYTES, &fault);
		int rc;

		if (got < 0) {
			lode_loss_add(losses, LODE_LOSS_TRUNCATED, 1, basic->offset, 0, "%s",
				      fault.message);
			break;
		}
		if (got == 0)
			break;
		rc = take_chunk(basic, (size_t)got, err);
		if (rc < 0)
			return rc;
		basic->offset += got;
		if (got % XRAY_BASIC_RECORD_BYTES)
			lode_loss_add(losses, LODE_LOSS_TRUNCATED, 1,
				      basic->offset - got % XRAY_BASIC_RECORD_BYTES, 0,
				      "the log ends inside a record");
		if (options->progress)
			options->progress(options->progress_context,
					  lode_input_consumed_bytes(input),
					  lode_input_size_bytes(input));
	}
	if (basic->n_events == 0)
		return lode_fail(
			err, LODE_ERR_FORMAT, basic->log->path, XRAY_HEADER_BYTES,
			"the log has a header and no records of calls: nothing was traced");
	return LODE_OK;
}

int lode_xray_read_basic(struct lode_xray_log *log, struct lode_input *input,
			 struct lode_error *err)
{
	struct basic basic = {.log = log, .offset = XRAY_HEADER_BYTES};
	uint8_t header[XRAY_HEADER_BYTES];
	ssize_t got = lode_input_read(input, header, sizeof(header), err);
	int rc;

	if (got < 0)
		return (int)got;
	basic.events = lode_alloc(CHUNK_RECORDS * sizeof(*basic.events));
	basic.bytes = lode_alloc((size_t)CHUNK_RECORDS * XRAY_BASIC_RECORD_BYTES);
	rc = read_chunks(&basic, input, err);
	free(basic.events);
	free(basic.bytes);
	return rc;
}
