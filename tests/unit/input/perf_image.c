#include "unit/input/perf_image.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "input/formats/perf/perf_abi.h"
#include "input/source.h"

enum { ATTR_BYTES = 128 };

void perf_put(perf_bytes *bytes, const void *data, size_t size)
{
	lode_vec_reserve(bytes, bytes->n + size);
	if (size)
		memcpy(bytes->at + bytes->n, data, size);
	bytes->n += size;
}

void perf_put_u64(perf_bytes *bytes, uint64_t value)
{
	perf_put(bytes, &value, sizeof(value));
}

static void put_u32(perf_bytes *bytes, uint32_t value)
{
	perf_put(bytes, &value, sizeof(value));
}

static void put_zeros(perf_bytes *bytes, size_t n)
{
	static const uint8_t zeros[256];

	for (; n > sizeof(zeros); n -= sizeof(zeros))
		perf_put(bytes, zeros, sizeof(zeros));
	perf_put(bytes, zeros, n);
}

/* Text with its NUL, padded to a multiple of 8. */
static void put_padded(perf_bytes *bytes, const char *text)
{
	size_t size = strlen(text) + 1;

	perf_put(bytes, text, size);
	put_zeros(bytes, (8 - size % 8) % 8);
}

/* perf's string of feature sections. */
static void put_text(perf_bytes *bytes, const char *text)
{
	put_u32(bytes, (uint32_t)((strlen(text) + 1 + 7) / 8 * 8));
	put_padded(bytes, text);
}

/* ---- Tracing data ---- */

static const char common[] = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
			     "\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

static const char switch_fields[] = "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
				    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
				    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
				    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
				    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
				    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n";

static const char waking_fields[] = "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
				    "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
				    "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n";

static const char transfer_fields[] = "\tfield:void * sk;\toffset:8;\tsize:8;\tsigned:0;\n"
				      "\tfield:__u16 family;\toffset:16;\tsize:2;\tsigned:0;\n"
				      "\tfield:__u16 protocol;\toffset:18;\tsize:2;\tsigned:0;\n"
				      "\tfield:int ret;\toffset:20;\tsize:4;\tsigned:1;\n"
				      "\tfield:int flags;\toffset:24;\tsize:4;\tsigned:1;\n";

static const char state_fields[] = "\tfield:const void * skaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
				   "\tfield:int oldstate;\toffset:16;\tsize:4;\tsigned:1;\n"
				   "\tfield:int newstate;\toffset:20;\tsize:4;\tsigned:1;\n"
				   "\tfield:__u16 sport;\toffset:24;\tsize:2;\tsigned:0;\n"
				   "\tfield:__u16 dport;\toffset:26;\tsize:2;\tsigned:0;\n"
				   "\tfield:__u8 saddr_v6[16];\toffset:40;\tsize:16;\tsigned:0;\n"
				   "\tfield:__u8 daddr_v6[16];\toffset:56;\tsize:16;\tsigned:0;\n";

static const char named_fields[] = "\tfield:const void * skaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
				   "\tfield:__u16 sport;\toffset:16;\tsize:2;\tsigned:0;\n"
				   "\tfield:__u16 dport;\toffset:18;\tsize:2;\tsigned:0;\n"
				   "\tfield:__u8 saddr_v6[16];\toffset:30;\tsize:16;\tsigned:0;\n"
				   "\tfield:__u8 daddr_v6[16];\toffset:46;\tsize:16;\tsigned:0;\n";

static void put_format(perf_bytes *out, const char *name, int id, const char *fields)
{
	char text[2048];
	int n = snprintf(text, sizeof(text),
			 "name: %s\nID: %d\nformat:\n%s%s\nprint fmt: \"x=%%d\", REC->prio\n", name,
			 id, common, fields);

	perf_put_u64(out, (uint64_t)n);
	perf_put(out, text, (size_t)n);
}

static const uint64_t common_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				    PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
				    PERF_SAMPLE_CALLCHAIN;
static const uint64_t common_flags = UINT64_C(1) << LODE_PERF_ATTR_SAMPLE_ID_ALL;

struct perf_image_event perf_image_clock(void)
{
	return (struct perf_image_event){.type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_CPU_CLOCK,
					 .sample_type = common_type,
					 .flags = common_flags | UINT64_C(1) << LODE_PERF_ATTR_FREQ,
					 .period = 999,
					 .id = 11,
					 .name = "cpu-clock"};
}

struct perf_image_event perf_image_trace(uint64_t config, uint64_t id, const char *name)
{
	return (struct perf_image_event){.type = PERF_TYPE_TRACEPOINT,
					 .config = config,
					 .sample_type = common_type | PERF_SAMPLE_RAW,
					 .flags = common_flags,
					 .period = 1,
					 .id = id,
					 .name = name};
}

void perf_image_trace_formats(struct perf_image *image)
{
	perf_bytes *out = &image->tracing;

	perf_put(out, "\x17\x08\x44tracing", 10);
	perf_put(out, "0.6", 4);
	perf_put(out, "\0\x08", 2); /* little-endian, longs of 8 bytes */
	put_u32(out, 4096);
	perf_put(out, "header_page", 12);
	perf_put_u64(out, 3);
	perf_put(out, "abc", 3);
	perf_put(out, "header_event", 13);
	perf_put_u64(out, 0);
	put_u32(out, 0); /* ftrace's own */
	put_u32(out, 3);
	perf_put(out, "sched", 6);
	put_u32(out, 2);
	put_format(out, "sched_switch", PERF_TRACE_SWITCH, switch_fields);
	put_format(out, "sched_waking", PERF_TRACE_WAKING, waking_fields);
	perf_put(out, "sock", 5);
	put_u32(out, 3);
	put_format(out, "sock_send_length", PERF_TRACE_SEND, transfer_fields);
	put_format(out, "sock_recv_length", PERF_TRACE_RECEIVE, transfer_fields);
	put_format(out, "inet_sock_set_state", PERF_TRACE_SOCKET_STATE, state_fields);
	perf_put(out, "tcp", 4);
	put_u32(out, 1);
	put_format(out, "tcp_rcv_space_adjust", PERF_TRACE_SOCKET_NAMED, named_fields);
	put_u32(out, 0); /* kallsyms */
	put_u32(out, 0); /* printk */
	perf_put_u64(out, 0);
}

void perf_switch_payload(uint8_t raw[64], int32_t prev, const char *prev_comm, uint64_t prev_state,
			 int32_t next, const char *next_comm)
{
	memset(raw, 0, 64);
	raw[0] = PERF_TRACE_SWITCH & 0xff;
	raw[1] = PERF_TRACE_SWITCH >> 8;
	snprintf((char *)raw + 8, 16, "%s", prev_comm);
	memcpy(raw + 24, &prev, 4);
	memcpy(raw + 32, &prev_state, 8);
	snprintf((char *)raw + 40, 16, "%s", next_comm);
	memcpy(raw + 56, &next, 4);
}

void perf_transfer_payload(uint8_t raw[28], int id, uint64_t socket, int32_t n_bytes)
{
	memset(raw, 0, 28);
	memcpy(raw, &id, 2);
	memcpy(raw + 8, &socket, 8);
	memcpy(raw + 20, &n_bytes, 4);
}

void perf_socket_payload(uint8_t raw[72], int id, uint64_t socket, int32_t state, uint16_t port,
			 uint16_t peer_port)
{
	static const uint8_t home[16] = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1};
	bool is_state = id == PERF_TRACE_SOCKET_STATE;
	size_t ports = is_state ? 24 : 16, addresses = is_state ? 40 : 30;

	memset(raw, 0, 72);
	memcpy(raw, &id, 2);
	memcpy(raw + 8, &socket, 8);
	if (is_state)
		memcpy(raw + 20, &state, 4);
	memcpy(raw + ports, &port, 2);
	memcpy(raw + ports + 2, &peer_port, 2);
	memcpy(raw + addresses, home, 16);
	memcpy(raw + addresses + 16, home, 16);
}

void perf_waking_payload(uint8_t raw[40], uint8_t flags, int32_t wakee, const char *comm)
{
	memset(raw, 0, 40);
	raw[0] = PERF_TRACE_WAKING & 0xff;
	raw[1] = PERF_TRACE_WAKING >> 8;
	raw[2] = flags;
	snprintf((char *)raw + 8, 16, "%s", comm);
	memcpy(raw + 24, &wakee, 4);
}

/* ---- Records ---- */

static void begin_record(perf_bytes *records, uint32_t type, uint16_t misc)
{
	uint16_t size = 0;

	put_u32(records, type);
	perf_put(records, &misc, 2);
	perf_put(records, &size, 2);
}

static void end_record(perf_bytes *records, size_t begin)
{
	uint16_t size = (uint16_t)(records->n - begin);

	memcpy(records->at + begin + 6, &size, 2);
}

void perf_put_record(perf_bytes *records, uint32_t type, uint16_t misc, const void *body,
		     size_t size)
{
	size_t begin = records->n;

	begin_record(records, type, misc);
	perf_put(records, body, size);
	end_record(records, begin);
}

static void put_trailer(perf_bytes *records, const struct perf_image_event *event, int32_t tid,
			uint64_t time, uint32_t cpu)
{
	uint64_t type = event->sample_type;

	if (!(event->flags >> LODE_PERF_ATTR_SAMPLE_ID_ALL & 1))
		return;
	if (type & PERF_SAMPLE_TID) {
		put_u32(records, (uint32_t)tid);
		put_u32(records, (uint32_t)tid);
	}
	if (type & PERF_SAMPLE_TIME)
		perf_put_u64(records, time);
	if (type & PERF_SAMPLE_ID)
		perf_put_u64(records, event->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		perf_put_u64(records, 99);
	if (type & PERF_SAMPLE_CPU)
		perf_put_u64(records, cpu);
	if (type & PERF_SAMPLE_IDENTIFIER)
		perf_put_u64(records, event->id);
}

void perf_put_traced(perf_bytes *records, const struct perf_image_event *event, uint32_t type,
		     uint16_t misc, const void *body, size_t size, int32_t tid, uint64_t time,
		     uint32_t cpu)
{
	size_t begin = records->n;

	begin_record(records, type, misc);
	perf_put(records, body, size);
	put_trailer(records, event, tid, time, cpu);
	end_record(records, begin);
}

static void put_read(perf_bytes *records, uint64_t format, uint32_t noise)
{
	size_t n_times = (size_t)__builtin_popcountll(
		format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	size_t n_each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & 16), n = 1;

	if (format & PERF_FORMAT_GROUP) {
		n = noise % 4;
		perf_put_u64(records, n);
	}
	put_zeros(records, (n_times + n * n_each) * 8);
}

static void put_regs(perf_bytes *records, uint64_t mask, uint32_t noise)
{
	perf_put_u64(records, noise % 3); /* abi: none, 32, 64 */
	if (noise % 3)
		put_zeros(records, (size_t)__builtin_popcountll(mask) * 8);
}

static void put_tail(perf_bytes *records, const struct perf_image_event *event, uint32_t noise)
{
	uint64_t type = event->sample_type, n = noise % 5;
	static const uint64_t words[] = {PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT,
					 PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_TRANSACTION};
	static const uint64_t late_words[] = {PERF_SAMPLE_PHYS_ADDR, PERF_SAMPLE_CGROUP,
					      PERF_SAMPLE_DATA_PAGE_SIZE,
					      PERF_SAMPLE_CODE_PAGE_SIZE};

	if (type & PERF_SAMPLE_BRANCH_STACK) {
		perf_put_u64(records, n);
		if (event->branch_sample_type & LODE_PERF_BRANCH_HW_INDEX)
			perf_put_u64(records, 7);
		put_zeros(records, n * 24);
		if (event->branch_sample_type & LODE_PERF_BRANCH_COUNTERS)
			put_zeros(records, n * 8);
	}
	if (type & PERF_SAMPLE_REGS_USER)
		put_regs(records, event->regs_user, noise);
	if (type & PERF_SAMPLE_STACK_USER) {
		perf_put_u64(records, n * 16);
		put_zeros(records, n * 16);
		if (n)
			perf_put_u64(records, n * 8);
	}
	for (size_t i = 0; i < 3; i++)
		if (type & words[i])
			perf_put_u64(records, noise);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_regs(records, event->regs_intr, noise / 3);
	for (size_t i = 0; i < 4; i++)
		if (type & late_words[i])
			perf_put_u64(records, noise);
	if (type & PERF_SAMPLE_AUX) {
		perf_put_u64(records, n * 8);
		put_zeros(records, n * 8);
	}
}

void perf_put_sample(perf_bytes *records, const struct perf_image_event *event,
		     const struct perf_image_sample *sample, uint32_t noise)
{
	uint64_t type = event->sample_type;
	size_t begin = records->n;

	begin_record(records, PERF_RECORD_SAMPLE, sample->misc ? sample->misc : 2);
	if (type & PERF_SAMPLE_IDENTIFIER)
		perf_put_u64(records, event->id);
	if (type & PERF_SAMPLE_IP)
		perf_put_u64(records, sample->ip);
	if (type & PERF_SAMPLE_TID) {
		put_u32(records, (uint32_t)sample->pid);
		put_u32(records, (uint32_t)sample->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		perf_put_u64(records, sample->time);
	if (type & PERF_SAMPLE_ADDR)
		perf_put_u64(records, sample->addr);
	if (type & PERF_SAMPLE_ID)
		perf_put_u64(records, event->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		perf_put_u64(records, sample->stream_id);
	if (type & PERF_SAMPLE_CPU)
		perf_put_u64(records, sample->cpu);
	if (type & PERF_SAMPLE_PERIOD)
		perf_put_u64(records, sample->period);
	if (type & PERF_SAMPLE_READ)
		put_read(records, event->read_format, noise);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		perf_put_u64(records, sample->n_chain);
		perf_put(records, sample->chain, sample->n_chain * 8);
	}
	if (type & PERF_SAMPLE_RAW) {
		size_t pad = (8 - (sample->raw_bytes + 4) % 8) % 8;

		put_u32(records, (uint32_t)(sample->raw_bytes + pad));
		perf_put(records, sample->raw, sample->raw_bytes);
		put_zeros(records, pad);
	}
	put_tail(records, event, noise);
	end_record(records, begin);
}

void perf_put_comm(perf_bytes *records, const struct perf_image_event *event, int32_t tid,
		   const char *comm, bool is_exec, uint64_t time)
{
	perf_bytes body = {0};

	put_u32(&body, (uint32_t)tid);
	put_u32(&body, (uint32_t)tid);
	put_padded(&body, comm);
	perf_put_traced(records, event, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
			body.at, body.n, tid, time, 0);
	lode_vec_release(&body);
}

void perf_put_mmap(perf_bytes *records, const struct perf_image_event *event, int32_t pid,
		   uint64_t start, uint64_t size, const char *path, uint64_t time)
{
	perf_bytes body = {0};

	put_u32(&body, (uint32_t)pid);
	put_u32(&body, (uint32_t)pid);
	perf_put_u64(&body, start);
	perf_put_u64(&body, size);
	perf_put_u64(&body, 0);
	put_zeros(&body, 24);
	perf_put_u64(&body, 5);
	put_padded(&body, path);
	perf_put_traced(records, event, PERF_RECORD_MMAP2,
			pid < 0 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, body.at, body.n,
			pid, time, 0);
	lode_vec_release(&body);
}

void perf_compress_records(perf_bytes *out, const perf_bytes *records, size_t piece)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	uint8_t buffer[32768];

	for (size_t at = 0; at < records->n; at += piece) {
		size_t n = records->n - at < piece ? records->n - at : piece;
		ZSTD_inBuffer in = {records->at + at, n, 0};
		ZSTD_outBuffer packed = {buffer, sizeof(buffer), 0};

		ZSTD_compressStream2(zstd, &packed, &in, ZSTD_e_flush);
		perf_put_record(out, LODE_PERF_COMPRESSED, 0, buffer, packed.pos);
	}
	ZSTD_freeCCtx(zstd);
}

/* ---- The whole ---- */

static void put_attr(perf_bytes *out, const struct perf_image_event *event)
{
	size_t begin = out->n;
	uint32_t size = ATTR_BYTES;

	put_zeros(out, ATTR_BYTES);
	memcpy(out->at + begin, &event->type, 4);
	memcpy(out->at + begin + 4, &size, 4);
	memcpy(out->at + begin + 8, &event->config, 8);
	memcpy(out->at + begin + 16, &event->period, 8);
	memcpy(out->at + begin + 24, &event->sample_type, 8);
	memcpy(out->at + begin + 32, &event->read_format, 8);
	memcpy(out->at + begin + 40, &event->flags, 8);
	memcpy(out->at + begin + 72, &event->branch_sample_type, 8);
	memcpy(out->at + begin + 80, &event->regs_user, 8);
	memcpy(out->at + begin + 92, &event->clockid, 4);
	memcpy(out->at + begin + 96, &event->regs_intr, 8);
	memcpy(out->at + begin + 108, &event->max_stack, 2);
}

static void put_event_names(perf_bytes *out, const struct perf_image *image)
{
	put_u32(out, (uint32_t)image->events.n);
	put_u32(out, ATTR_BYTES);
	for (size_t i = 0; i < image->events.n; i++) {
		const struct perf_image_event *event = &image->events.at[i];

		put_attr(out, event);
		put_u32(out, 1);
		put_text(out, event->name ? event->name : "");
		perf_put_u64(out, event->id);
	}
}

static perf_bytes feature(const struct perf_image *image, int feature)
{
	perf_bytes out = {0};

	switch (feature) {
	case LODE_PERF_FEATURE_TRACING_DATA:
		perf_put(&out, image->tracing.at, image->tracing.n);
		break;
	case LODE_PERF_FEATURE_BUILD_ID:
		perf_put(&out, image->build_ids.at, image->build_ids.n);
		break;
	case LODE_PERF_FEATURE_HOSTNAME:
		put_text(&out, "testhost");
		break;
	case LODE_PERF_FEATURE_CMDLINE:
		if (!image->command)
			break;
		put_u32(&out, 2);
		put_text(&out, "perf");
		put_text(&out, image->command);
		break;
	case LODE_PERF_FEATURE_EVENT_DESC:
		put_event_names(&out, image);
		break;
	default:
		break;
	}
	return out;
}

static const int features[] = {LODE_PERF_FEATURE_TRACING_DATA, LODE_PERF_FEATURE_BUILD_ID,
			       LODE_PERF_FEATURE_HOSTNAME, LODE_PERF_FEATURE_CMDLINE,
			       LODE_PERF_FEATURE_EVENT_DESC};
enum { N_FEATURES = sizeof(features) / sizeof(*features) };

static perf_bytes write_pipe(const struct perf_image *image)
{
	perf_bytes out = {0}, body = {0};
	uint32_t n;

	perf_put_u64(&out, LODE_PERF_MAGIC);
	perf_put_u64(&out, LODE_PERF_PIPE_HEADER_BYTES);
	for (size_t i = 0; i < image->events.n; i++) {
		body.n = 0;
		put_attr(&body, &image->events.at[i]);
		perf_put_u64(&body, image->events.at[i].id);
		perf_put_record(&out, LODE_PERF_HEADER_ATTR, 0, body.at, body.n);
	}
	for (int i = 1; i < N_FEATURES; i++) {
		perf_bytes data = feature(image, features[i]);

		body.n = 0;
		perf_put_u64(&body, (uint64_t)features[i]);
		perf_put(&body, data.at, data.n);
		if (data.n)
			perf_put_record(&out, LODE_PERF_HEADER_FEATURE, 0, body.at, body.n);
		lode_vec_release(&data);
	}
	if (image->tracing.n) {
		n = (uint32_t)image->tracing.n;
		perf_put_record(&out, LODE_PERF_HEADER_TRACING_DATA, 0, &n, 4);
		perf_put(&out, image->tracing.at, image->tracing.n);
		put_zeros(&out, (8 - image->tracing.n % 8) % 8);
	}
	perf_put(&out, image->records.at, image->records.n);
	lode_vec_release(&body);
	return out;
}

static perf_bytes write_file(const struct perf_image *image)
{
	size_t n = image->events.n, attrs_at = 104 + n * 8, data_at, at;
	perf_bytes out = {0}, sections = {0};

	perf_put_u64(&out, LODE_PERF_MAGIC);
	put_zeros(&out, 96);
	for (size_t i = 0; i < n; i++)
		perf_put_u64(&out, image->events.at[i].id);
	for (size_t i = 0; i < n; i++) {
		put_attr(&out, &image->events.at[i]);
		perf_put_u64(&out, 104 + i * 8);
		perf_put_u64(&out, 8);
	}
	data_at = out.n;
	perf_put(&out, image->records.at, image->records.n);
	at = out.n + sizeof(uint64_t) * 2 * N_FEATURES;
	for (int i = 0; i < N_FEATURES; i++) {
		perf_bytes data = feature(image, features[i]);

		perf_put_u64(&out, at + sections.n);
		perf_put_u64(&out, data.n);
		perf_put(&sections, data.at, data.n);
		lode_vec_release(&data);
	}
	perf_put(&out, sections.at, sections.n);
	lode_vec_release(&sections);
	uint64_t head[] = {104,	    ATTR_BYTES + 16,  attrs_at, n * (ATTR_BYTES + 16),
			   data_at, image->records.n, 0,	0};
	memcpy(out.at + 8, head, sizeof(head));
	for (int i = 0; i < N_FEATURES; i++)
		out.at[72 + features[i] / 8] |= (uint8_t)(1 << features[i] % 8);
	return out;
}

perf_bytes perf_image_write(const struct perf_image *image)
{
	return image->is_pipe ? write_pipe(image) : write_file(image);
}

void perf_image_release(struct perf_image *image)
{
	lode_vec_release(&image->events);
	lode_vec_release(&image->records);
	lode_vec_release(&image->tracing);
	lode_vec_release(&image->build_ids);
}

void perf_image_build_id(struct perf_image *image, const char *path, const uint8_t *id)
{
	perf_bytes body = {0};

	put_u32(&body, (uint32_t)-1);
	perf_put(&body, id, 20);
	put_zeros(&body, 4);
	put_padded(&body, path);
	perf_put_record(&image->build_ids, 0, PERF_RECORD_MISC_USER, body.at, body.n);
	lode_vec_release(&body);
}

int perf_memory_file(const void *data, size_t size, char path[64])
{
	int fd = memfd_create("perf image", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < size) {
		ssize_t n = write(fd, (const uint8_t *)data + done, size - done);

		if (n <= 0)
			abort();
		done += (size_t)n;
	}
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

struct lode_stream *perf_image_load(const struct perf_image *image)
{
	struct lode_source_options options = {.narrow = lode_narrow_none, .n_threads = 1};
	perf_bytes bytes = perf_image_write(image);
	struct lode_input *input = NULL;
	struct lode_stream *stream = NULL;
	struct lode_error err = {0};
	char path[64];
	int fd = perf_memory_file(bytes.at, bytes.n, path);

	if (lode_input_open(&input, path, &err) < 0 ||
	    lode_format_perf.load(&stream, input, &options, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		abort();
	}
	lode_input_close(input);
	close(fd);
	lode_vec_release(&bytes);
	return stream;
}

const struct lode_thread *perf_image_thread(const struct lode_stream *stream, int32_t tid)
{
	uint32_t id = lode_map_find(&stream->thread_index, (uint32_t)tid);

	if (id == LODE_NONE)
		abort();
	return &stream->threads.at[id];
}
