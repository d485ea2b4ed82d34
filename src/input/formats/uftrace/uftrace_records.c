/* Reads the records of TID.dat. */
#include "input/formats/uftrace/uftrace_records.h"

#include "base/bytes.h"

enum {
	RECORD_BYTES = 16,
	MAGIC = 5,
	BUFFER_BYTES = 1 << 18,
	ARGUMENTS_MAX = 1 << 16, /* LIMIT: bytes of one record's arguments */
};

#define HOUR_NS INT64_C(3600000000000)

/* Makes `want` bytes stand at buffer + at, if the file has them. */
static bool have(struct lode_uftrace_records *r, size_t want)
{
	ssize_t n;

	if (r->end - r->at >= want)
		return true;
	if (r->is_end)
		return false;
	if (!r->buffer)
		r->buffer = lode_alloc(BUFFER_BYTES);
	memmove(r->buffer, r->buffer + r->at, r->end - r->at);
	r->offset += (int64_t)r->at;
	r->end -= r->at;
	r->at = 0;
	n = lode_input_read(r->input, r->buffer + r->end, BUFFER_BYTES - r->end, NULL);
	if (n <= 0)
		r->is_end = true;
	else
		r->end += (size_t)n;
	return r->end - r->at >= want;
}

static bool parse(struct lode_uftrace_record *out, const uint8_t *at)
{
	struct lode_bytes b = lode_bytes_make(at, RECORD_BYTES, 0);
	uint64_t time = lode_bytes_u64(&b), word = lode_bytes_u64(&b);

	out->t_ns = time > INT64_MAX ? INT64_MAX : (int64_t)time;
	out->type = (enum lode_uftrace_type)(word & 3);
	out->has_more = word >> 2 & 1;
	out->depth = (uint32_t)(word >> 6 & LODE_UFTRACE_DEPTH_MASK);
	out->address = word >> 16;
	if (out->address >> 47 && out->type <= LODE_UFTRACE_EXIT) /* of the kernel */
		out->address |= UINT64_C(0xffff) << 48;
	return (word >> 3 & 7) == MAGIC;
}

/* Can `next` follow `last`? `is_strict`: in depth, too. */
static bool follows(const struct lode_uftrace_records *r, const struct lode_uftrace_record *next,
		    bool is_strict)
{
	const struct lode_uftrace_record *last = &r->last;
	int64_t from_ns = r->clock.now_ns - r->clock.shift_ns;
	bool is_soon = next->t_ns >= from_ns && next->t_ns - from_ns <= HOUR_NS;
	bool is_call = next->type == LODE_UFTRACE_ENTRY || next->type == LODE_UFTRACE_EXIT;

	if (!is_soon && !(is_strict && is_call))
		return false;
	if (next->type == LODE_UFTRACE_LOST || next->type == LODE_UFTRACE_EVENT)
		return !is_strict || next->depth == 0 || next->depth <= last->depth + 1;
	if (!r->is_code(r->context, is_soon ? next->t_ns : from_ns, next->address))
		return false;
	if (!is_strict)
		return true;
	if (last->type == LODE_UFTRACE_ENTRY)
		return next->type == LODE_UFTRACE_ENTRY
			       ? next->depth == last->depth + 1
			       : next->depth == last->depth && next->address == last->address;
	return next->type == LODE_UFTRACE_ENTRY ? next->depth == last->depth
						: next->depth + 1 == last->depth;
}

/* Moves past the arguments behind r->last. Those of the last record are what is left of the file.
 */
static void skip_arguments(struct lode_uftrace_records *r)
{
	size_t left;

	for (int is_strict = 1; is_strict >= 0; is_strict--)
		for (size_t skip = 8; skip <= ARGUMENTS_MAX && have(r, skip + RECORD_BYTES);
		     skip += 8) {
			struct lode_uftrace_record next;

			if (parse(&next, r->buffer + r->at + skip) &&
			    follows(r, &next, is_strict)) {
				r->at += skip;
				return;
			}
		}
	left = r->end - r->at;
	if (!r->is_end || left > ARGUMENTS_MAX || left == 0 || left % 8 != 0)
		lode_loss_add(r->losses, LODE_LOSS_BAD_RECORD, 1, r->offset + (int64_t)r->at, 0,
			      "%s: offset 0x%llx: no record after a call's arguments", r->name,
			      (unsigned long long)r->offset + r->at);
	r->at = r->end;
	r->is_end = true;
}

/* Events carry a length, and that many bytes, padded to 8. */
static void skip_event_data(struct lode_uftrace_records *r)
{
	uint16_t size;

	if (!have(r, sizeof(size)))
		return;
	memcpy(&size, r->buffer + r->at, sizeof(size));
	size_t all = (sizeof(size) + size + 7) & ~(size_t)7;

	r->at += have(r, all) ? all : r->end - r->at;
}

bool lode_uftrace_records_next(struct lode_uftrace_records *r, struct lode_uftrace_record *out)
{
	bool is_odd;

	if (r->has_last && r->last.has_more) {
		if (r->last.type == LODE_UFTRACE_EVENT)
			skip_event_data(r);
		else
			skip_arguments(r);
	}
	r->has_last = false;
	if (!have(r, RECORD_BYTES)) {
		if (r->end > r->at)
			lode_loss_add(r->losses, LODE_LOSS_TRUNCATED, 1, r->offset + (int64_t)r->at,
				      0, "%s: ends inside a record", r->name);
		return false;
	}
	if (!parse(out, r->buffer + r->at)) {
		lode_loss_add(r->losses, LODE_LOSS_BAD_RECORD, 1, r->offset + (int64_t)r->at, 0,
			      "%s: offset 0x%llx: not a record: the rest is skipped", r->name,
			      (unsigned long long)r->offset + r->at);
		r->at = r->end;
		r->is_end = true;
		return false;
	}
	r->at += RECORD_BYTES;
	lode_clock_guard_next(&r->clock, out->t_ns, &is_odd);
	r->last = *out;
	r->has_last = true;
	return true;
}

void lode_uftrace_records_release(struct lode_uftrace_records *r)
{
	free(r->buffer);
	r->buffer = NULL;
}
