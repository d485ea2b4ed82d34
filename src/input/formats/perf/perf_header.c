/* Reads the header and feature sections of perf.data. */
#include "input/formats/perf/perf_header.h"

#include "input/formats/perf/perf_sample.h"
#include "input/formats/perf/perf_tracepoints.h"

enum {
	SECTION_LIMIT_BYTES = 256 << 20, /* LIMIT: of one feature; a larger one is not believed */
	ATTR_LIMIT_BYTES = 4096,
	MAX_EVENTS = UINT16_MAX,
};

void lode_perf_header_release(struct lode_perf_header *header)
{
	lode_vec_release(&header->build_ids);
	lode_perf_events_release(&header->events);
	lode_arena_release(&header->arena);
}

/* ---- Texts and lists of feature sections ---- */

/* perf's string: a padded size, then text with a NUL somewhere. Gives "" when damaged. */
static const char *take_text(struct lode_perf_header *header, struct lode_bytes *b)
{
	uint32_t size = lode_bytes_u32(b);
	const char *p = lode_bytes_take(b, size);

	return p ? lode_arena_strndup(&header->arena, p, strnlen(p, size)) : "";
}

/* The words of the command, joined by blanks. */
static const char *take_command(struct lode_perf_header *header, struct lode_bytes *b)
{
	uint32_t n = lode_bytes_u32(b);
	LODE_VEC(char) line = {0};
	const char *word, *command;

	for (uint32_t i = 0; i < n && !b->overrun; i++) {
		word = take_text(header, b);
		if (i)
			lode_vec_append(&line, ' ');
		for (; *word; word++)
			lode_vec_append(&line, *word);
	}
	command = lode_arena_strndup(&header->arena, line.n ? line.at : "", line.n);
	lode_vec_release(&line);
	return command;
}

/* Names of events, found by their ids; without ids by their order. */
static void take_event_names(struct lode_perf_header *header, struct lode_bytes *b)
{
	uint32_t n = lode_bytes_u32(b), attr_bytes = lode_bytes_u32(b), n_ids, k, i;
	struct lode_perf_event *event;
	const char *name;

	for (i = 0; i < n && !b->overrun; i++) {
		lode_bytes_take(b, attr_bytes);
		n_ids = lode_bytes_u32(b);
		name = take_text(header, b);
		event = i < header->events.at.n ? &header->events.at.at[i] : NULL;
		for (k = 0; k < n_ids && !b->overrun; k++) {
			uint32_t at = lode_map_find(&header->events.by_id, lode_bytes_u64(b));

			if (k == 0 && at != LODE_NONE)
				event = &header->events.at.at[at];
		}
		if (event && !b->overrun && *name)
			event->name = lode_perf_events_text(&header->events, name);
	}
}

void lode_perf_header_add_build_id(struct lode_perf_header *header, struct lode_bytes record)
{
	uint16_t misc;
	struct lode_perf_build_id id = {0};
	const uint8_t *bytes;
	const char *path;
	size_t size;

	(void)lode_bytes_u32(&record);
	misc = lode_bytes_u16(&record);
	(void)lode_bytes_u16(&record);
	id.pid = lode_bytes_i32(&record);
	bytes = lode_bytes_take(&record, 24);
	path = (const char *)record.at;
	size = lode_bytes_left(&record);
	if (record.overrun || size == 0)
		return;
	id.size = misc & LODE_PERF_MISC_BUILD_ID_SIZE && bytes[20] <= 20 ? bytes[20] : 20;
	memcpy(id.bytes, bytes, id.size);
	id.is_kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	id.path = lode_arena_strndup(&header->arena, path, strnlen(path, size));
	lode_vec_append(&header->build_ids, id);
}

static void take_build_ids(struct lode_perf_header *header, struct lode_bytes *b)
{
	while (lode_bytes_left(b) >= 8 && !b->overrun) {
		uint16_t size = lode_perf_u16(b->at + 6);

		if (size < 8) {
			b->overrun = true;
			return;
		}
		lode_perf_header_add_build_id(header, lode_bytes_sub(b, size));
	}
}

static void note_damage(struct lode_perf_header *header, int64_t offset, const char *what)
{
	lode_loss_add(&header->losses, LODE_LOSS_BAD_RECORD, 1, offset, 0, "%s", what);
}

/* Which time of day the recording's clock was at some moment. */
static void take_clocks(struct lode_perf_header *header, struct lode_bytes *b)
{
	/* 2116: no sum with a time of the recording is beyond int64_t. */
	static const int64_t most_ns = (int64_t)1 << 62;

	header->wall_clock_ns = (int64_t)lode_bytes_u64(b);
	header->own_clock_ns = (int64_t)lode_bytes_u64(b);
	header->has_wall_clock = !b->overrun && header->wall_clock_ns > 0 &&
				 header->wall_clock_ns < most_ns && header->own_clock_ns >= 0;
	if (!b->overrun && !header->has_wall_clock)
		lode_loss_add(&header->losses, LODE_LOSS_BAD_RECORD, 1, -1, 0,
			      "its time of day is %lld ns, at %lld ns of its own clock: not used",
			      (long long)header->wall_clock_ns, (long long)header->own_clock_ns);
}

static void take_feature(struct lode_perf_header *header, uint64_t feature, struct lode_bytes b,
			 const char *path)
{
	int64_t offset = lode_bytes_offset(&b);
	struct lode_error err;

	switch (feature) {
	case LODE_PERF_FEATURE_TRACING_DATA:
		if (lode_perf_tracepoints_read(&header->events, b, path, &err) < 0)
			note_damage(header, err.offset, err.message);
		return;
	case LODE_PERF_FEATURE_BUILD_ID:
		take_build_ids(header, &b);
		break;
	case LODE_PERF_FEATURE_HOSTNAME:
		header->host = take_text(header, &b);
		break;
	case LODE_PERF_FEATURE_OSRELEASE:
		header->kernel = take_text(header, &b);
		break;
	case LODE_PERF_FEATURE_ARCH:
		header->arch = take_text(header, &b);
		break;
	case LODE_PERF_FEATURE_NRCPUS:
		(void)lode_bytes_u32(&b); /* possible; then online */
		header->n_cpus = lode_bytes_u32(&b);
		break;
	case LODE_PERF_FEATURE_CMDLINE:
		header->command = take_command(header, &b);
		break;
	case LODE_PERF_FEATURE_EVENT_DESC:
		take_event_names(header, &b);
		break;
	case LODE_PERF_FEATURE_SAMPLE_TIME:
		header->first_sample_ns = (int64_t)lode_bytes_u64(&b);
		header->last_sample_ns = (int64_t)lode_bytes_u64(&b);
		break;
	case LODE_PERF_FEATURE_CLOCK_DATA:
		(void)lode_bytes_u64(&b); /* version 1, and which clock it is */
		take_clocks(header, &b);
		break;
	case LODE_PERF_FEATURE_DIR_FORMAT:
		header->is_directory = true;
		break;
	default:
		return;
	}
	if (b.overrun)
		note_damage(header, offset, "a feature section is shorter than its content");
}

/* ---- File layout ---- */

struct section {
	int64_t offset, bytes;
};

/* Whether [offset, offset + bytes) lies in a file of `size` bytes. */
static bool section_fits(uint64_t offset, uint64_t bytes, int64_t size)
{
	return offset <= (uint64_t)size && bytes <= (uint64_t)size - offset;
}

/* A section's bytes, from malloc; NULL when it is not there in full. */
static uint8_t *read_section(const struct lode_perf_reader *reader, uint64_t offset, uint64_t bytes)
{
	struct lode_error err;
	uint8_t *data;

	if (!section_fits(offset, bytes, reader->size) || bytes > SECTION_LIMIT_BYTES)
		return NULL;
	data = lode_alloc((size_t)bytes);
	if (lode_perf_reader_read_at(reader, data, (size_t)bytes, (int64_t)offset, &err) !=
	    (ssize_t)bytes) {
		free(data);
		return NULL;
	}
	return data;
}

/* Those of `wanted`, a set of bits. */
static void read_features(struct lode_perf_header *header, const struct lode_perf_reader *reader,
			  uint64_t wanted)
{
	/* Names and formats are asked for by later ones: events first come from the attrs. */
	uint64_t at = (uint64_t)header->data_offset + (uint64_t)header->data_bytes, entry[2];
	struct lode_error err;
	uint8_t *data;

	for (unsigned i = 0; i < LODE_PERF_N_FEATURES; i++) {
		if (!(header->features[i / 64] >> (i % 64) & 1))
			continue;
		if (lode_perf_reader_read_at(reader, entry, sizeof(entry), (int64_t)at, &err) !=
		    sizeof(entry)) {
			lode_loss_add(&header->losses, LODE_LOSS_TRUNCATED, 1, (int64_t)at, 0,
				      "the file ends before its feature sections (a recording "
				      "that was cut off)");
			return;
		}
		at += sizeof(entry);
		if (i == 0 || entry[1] == 0 || (i < 64 && !(wanted >> i & 1)))
			continue;
		data = read_section(reader, entry[0], entry[1]);
		if (!data) {
			lode_loss_add(&header->losses, LODE_LOSS_TRUNCATED, 1, (int64_t)entry[0], 0,
				      "feature section %u of %llu bytes lies outside of the file",
				      i, (unsigned long long)entry[1]);
			continue;
		}
		take_feature(header, i, lode_bytes_make(data, (size_t)entry[1], (int64_t)entry[0]),
			     lode_input_path(reader->input));
		free(data);
	}
}

static int read_attrs(struct lode_perf_header *header, const struct lode_perf_reader *reader,
		      uint64_t attr_bytes, uint64_t offset, uint64_t bytes, struct lode_error *err)
{
	const char *path = lode_input_path(reader->input);
	uint64_t n = attr_bytes ? bytes / attr_bytes : 0, ids_left = (uint64_t)reader->size;
	uint8_t *data, *ids;

	if (attr_bytes < LODE_PERF_ATTR_MIN_BYTES + 16 || attr_bytes > ATTR_LIMIT_BYTES)
		return lode_fail(err, LODE_ERR_FORMAT, path, 16,
				 "an event's description of %llu bytes, expected 80 to %d",
				 (unsigned long long)attr_bytes, ATTR_LIMIT_BYTES);
	if (n == 0 || n > MAX_EVENTS)
		return lode_fail(err, LODE_ERR_FORMAT, path, 32, "%llu events, expected 1 to %d",
				 (unsigned long long)n, MAX_EVENTS);
	data = read_section(reader, offset, n * attr_bytes);
	if (!data)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, (int64_t)offset,
				 "the file ends before the descriptions of its %llu events",
				 (unsigned long long)n);
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *p = data + i * attr_bytes;
		uint64_t ids_at = lode_perf_u64(p + attr_bytes - 16);
		uint64_t ids_bytes = lode_perf_u64(p + attr_bytes - 8) & ~(uint64_t)7;

		lode_perf_events_add(&header->events,
				     lode_bytes_make(p, (size_t)attr_bytes - 16, (int64_t)offset));
		ids = ids_bytes <= ids_left ? read_section(reader, ids_at, ids_bytes) : NULL;
		if (!ids) {
			note_damage(header, (int64_t)ids_at, "an event's ids lie outside the file");
			continue;
		}
		ids_left -= ids_bytes;
		for (uint64_t k = 0; k < ids_bytes / 8; k++)
			lode_perf_events_add_id(&header->events, lode_perf_u64(ids + k * 8));
		free(ids);
	}
	free(data);
	return LODE_OK;
}

static int read_file_perf_header(struct lode_perf_header *header, struct lode_perf_reader *reader,
				 struct lode_error *err)
{
	const char *path = lode_input_path(reader->input);
	uint8_t head[LODE_PERF_FILE_HEADER_BYTES];
	ssize_t n = lode_perf_reader_read_at(reader, head, sizeof(head), 0, err);
	uint64_t offset, bytes;
	int rc;

	if (n < 0)
		return (int)n;
	if (n < (ssize_t)sizeof(head))
		return lode_fail(err, LODE_ERR_TRUNCATED, path, n,
				 "the file ends inside its header of %zu bytes", sizeof(head));
	header->identity = lode_stable_hash(head, sizeof(head), 0);
	offset = lode_perf_u64(head + 40);
	bytes = lode_perf_u64(head + 48);
	if (offset < sizeof(head) || offset > (uint64_t)reader->size)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, 40,
				 "records begin at %llu, the file has %lld bytes",
				 (unsigned long long)offset, (long long)reader->size);
	header->data_offset = (int64_t)offset;
	memcpy(header->features, head + 72, sizeof(header->features));
	rc = read_attrs(header, reader, lode_perf_u64(head + 16), lode_perf_u64(head + 24),
			lode_perf_u64(head + 32), err);
	if (rc < 0)
		return rc;
	if (bytes == 0) {
		lode_loss_add(&header->losses, LODE_LOSS_TRUNCATED, 1, 48, 0,
			      "the recorder was stopped before it finished the file: names of "
			      "events, build-ids and tracepoint formats are missing");
	} else if (section_fits(offset, bytes, reader->size)) {
		header->data_bytes = (int64_t)bytes;
		read_features(header, reader, UINT64_MAX);
	} else {
		header->data_bytes = reader->size - header->data_offset;
		lode_loss_add(&header->losses, LODE_LOSS_TRUNCATED, 1, reader->size, 0,
			      "the file has %lld of %llu bytes of records",
			      (long long)header->data_bytes, (unsigned long long)bytes);
	}
	lode_perf_events_classify(&header->events);
	return LODE_OK;
}

int lode_perf_header_read(struct lode_perf_header *header, struct lode_perf_reader *reader,
			  const struct lode_tap *tap, struct lode_error *err)
{
	const char *path = lode_input_path(reader->input);
	uint64_t head[2] = {0};
	ssize_t n;

	memset(header, 0, sizeof(*header));
	header->events.tap = tap;
	header->host = header->kernel = header->arch = header->command = "";
	n = reader->size >= 0 ? lode_perf_reader_read_at(reader, head, sizeof(head), 0, err)
			      : lode_input_peek(reader->input, head, sizeof(head), err);
	if (n < 0)
		return (int)n;
	if (head[0] == LODE_PERF_MAGIC_SWAPPED)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, 0,
				 "recorded on a big-endian machine; convert it there with 'perf "
				 "script' and give that text");
	if (head[0] == LODE_PERF_MAGIC_V1)
		return lode_fail(
			err, LODE_ERR_UNSUPPORTED, path, 0,
			"perf.data version 1 (before Linux 3.0); record with a newer perf");
	if (n < (ssize_t)sizeof(head) || head[0] != LODE_PERF_MAGIC)
		return lode_fail(err, LODE_ERR_FORMAT, path, 0,
				 "not a perf.data file: expected PERFILE2 in its first 16 bytes");
	if (head[1] != LODE_PERF_PIPE_HEADER_BYTES)
		return read_file_perf_header(header, reader, err);
	header->is_pipe = true;
	header->identity = lode_stable_hash(head, sizeof(head), 0);
	header->data_offset = LODE_PERF_PIPE_HEADER_BYTES;
	lode_perf_reader_skip_to(reader, header->data_offset);
	return LODE_OK;
}

int lode_perf_header_read_build_ids(struct lode_perf_header *header,
				    struct lode_perf_reader *reader, struct lode_error *err)
{
	uint8_t head[LODE_PERF_FILE_HEADER_BYTES];
	const char *path = lode_input_path(reader->input);
	uint64_t offset, bytes;
	ssize_t n = 0;

	memset(header, 0, sizeof(*header));
	header->host = "";
	if (reader->size >= 0)
		n = lode_perf_reader_read_at(reader, head, sizeof(head), 0, err);
	if (n < 0)
		return (int)n;
	if (n < (ssize_t)sizeof(head) || lode_perf_u64(head) != LODE_PERF_MAGIC ||
	    lode_perf_u64(head + 8) < sizeof(head))
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, 0,
				 "build-ids are only read from perf.data in file layout");
	offset = lode_perf_u64(head + 40);
	bytes = lode_perf_u64(head + 48);
	if (!bytes || !section_fits(offset, bytes, reader->size))
		return lode_fail(err, LODE_ERR_TRUNCATED, path, 48, "its features are missing");
	header->data_offset = (int64_t)offset;
	header->data_bytes = (int64_t)bytes;
	memcpy(header->features, head + 72, sizeof(header->features));
	read_features(header, reader,
		      UINT64_C(1) << LODE_PERF_FEATURE_BUILD_ID |
			      UINT64_C(1) << LODE_PERF_FEATURE_HOSTNAME);
	return LODE_OK;
}

/* ---- Descriptions among the records ---- */

bool lode_perf_header_is_description(uint32_t type)
{
	return type == LODE_PERF_HEADER_ATTR || type == LODE_PERF_HEADER_TRACING_DATA ||
	       type == LODE_PERF_HEADER_FEATURE || type == LODE_PERF_EVENT_UPDATE;
}

static void add_attr(struct lode_perf_header *header, struct lode_bytes record)
{
	int64_t offset = lode_bytes_offset(&record);
	uint32_t attr_bytes;

	if (lode_bytes_left(&record) < LODE_PERF_ATTR_MIN_BYTES) {
		note_damage(header, offset, "an event's description is too short");
		return;
	}
	attr_bytes = lode_perf_u32(record.at + 4);
	if (attr_bytes < LODE_PERF_ATTR_MIN_BYTES || attr_bytes > lode_bytes_left(&record)) {
		note_damage(header, offset, "an event's description is longer than its record");
		return;
	}
	if (header->events.at.n == MAX_EVENTS) {
		note_damage(header, offset, "too many events to distinguish");
		return;
	}
	lode_perf_events_add(&header->events, lode_bytes_sub(&record, attr_bytes));
	while (lode_bytes_left(&record) >= 8)
		lode_perf_events_add_id(&header->events, lode_bytes_u64(&record));
}

static void add_update(struct lode_perf_header *header, struct lode_bytes record)
{
	uint64_t what = lode_bytes_u64(&record), id = lode_bytes_u64(&record);
	struct lode_perf_event *event = lode_perf_events_find(&header->events, id);
	const char *text = (const char *)record.at;
	size_t size = strnlen(text, lode_bytes_left(&record));
	const char *kept;

	if (!event || record.overrun || size == 0)
		return;
	kept = lode_arena_strndup(&header->arena, text, size);
	if (what == LODE_PERF_UPDATE_NAME)
		event->name = lode_perf_events_text(&header->events, kept);
	else if (what == LODE_PERF_UPDATE_UNIT)
		event->unit = lode_perf_events_text(&header->events, kept);
	/* Scale and CPUs matter to counts of perf stat only. */
}

void lode_perf_header_add(struct lode_perf_header *header, struct lode_bytes record,
			  struct lode_bytes payload, const char *path)
{
	uint32_t type = lode_bytes_u32(&record);
	uint64_t feature;

	(void)lode_bytes_u32(&record); /* misc, size */
	switch (type) {
	case LODE_PERF_HEADER_ATTR:
		add_attr(header, record);
		break;
	case LODE_PERF_HEADER_TRACING_DATA:
		take_feature(header, LODE_PERF_FEATURE_TRACING_DATA, payload, path);
		break;
	case LODE_PERF_HEADER_FEATURE:
		feature = lode_bytes_u64(&record);
		if (feature != LODE_PERF_FEATURE_TRACING_DATA &&
		    feature != LODE_PERF_FEATURE_BUILD_ID)
			take_feature(header, feature, record, path);
		break;
	case LODE_PERF_EVENT_UPDATE:
		add_update(header, record);
		break;
	default:
		break;
	}
	lode_perf_events_classify(&header->events);
}
