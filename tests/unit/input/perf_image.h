/*
 * perf.data images for tests, written byte by byte: what a recorder leaves, in file or pipe layout.
 */
#ifndef LODE_TEST_PERF_IMAGE_H
#define LODE_TEST_PERF_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "model/stream.h"

typedef LODE_VEC(uint8_t) perf_bytes;

/* An event: its attr, and one id. */
struct perf_image_event {
	uint32_t type;
	uint64_t config, sample_type, read_format, branch_sample_type, period, regs_user, regs_intr;
	uint64_t flags;	 /* of the attr: freq is bit 10, sample_id_all bit 18, ... */
	int32_t clockid; /* counts where the flags say so (bit 25) */
	uint16_t max_stack;
	uint64_t id;
	const char *name; /* for EVENT_DESC; NULL: none */
};

struct perf_image {
	bool is_pipe;
	LODE_VEC(struct perf_image_event) events;
	perf_bytes records, tracing, build_ids;
	const char *command; /* NULL: no CMDLINE feature */
};

/* Everything that a sample may have; what its event does not record is not written. */
struct perf_image_sample {
	uint64_t ip, time, addr, stream_id, period;
	int32_t pid, tid;
	uint32_t cpu;
	const uint64_t *chain;
	size_t n_chain;
	const void *raw;
	size_t raw_bytes;
	uint16_t misc;
};

enum {
	PERF_TRACE_SWITCH = 314, /* tracepoint ids in the tracing data below */
	PERF_TRACE_WAKING = 315,
	PERF_TRACE_SEND = 1701, /* sock:sock_send_length */
	PERF_TRACE_RECEIVE = 1702,
	PERF_TRACE_SOCKET_STATE = 1703, /* sock:inet_sock_set_state */
	PERF_TRACE_SOCKET_NAMED = 1704, /* tcp:tcp_rcv_space_adjust */
};

void perf_put(perf_bytes *bytes, const void *data, size_t size);
void perf_put_u64(perf_bytes *bytes, uint64_t value);

/* The CPU clock with call chains, and a tracepoint with its payload besides. */
struct perf_image_event perf_image_clock(void);
struct perf_image_event perf_image_trace(uint64_t config, uint64_t id, const char *name);

/* Tracing data with the formats of sched_switch, sched_waking, and of sockets. */
void perf_image_trace_formats(struct perf_image *image);
/* Payloads as those formats have them: 64 and 40 bytes. */
void perf_switch_payload(uint8_t raw[64], int32_t prev, const char *prev_comm, uint64_t prev_state,
			 int32_t next, const char *next_comm);
void perf_transfer_payload(uint8_t raw[28], int id, uint64_t socket, int32_t n_bytes);
/* A socket of 127.0.0.1; `state` goes with PERF_TRACE_SOCKET_STATE. */
void perf_socket_payload(uint8_t raw[72], int id, uint64_t socket, int32_t state, uint16_t port,
			 uint16_t peer_port);
void perf_waking_payload(uint8_t raw[40], uint8_t flags, int32_t wakee, const char *comm);

/* What the header says of a file: 20 bytes of id. */
void perf_image_build_id(struct perf_image *image, const char *path, const uint8_t *id);

/* A record without trailer. */
void perf_put_record(perf_bytes *records, uint32_t type, uint16_t misc, const void *body,
		     size_t size);
/* A kernel's record: body, then the trailer that `event` asks for. */
void perf_put_traced(perf_bytes *records, const struct perf_image_event *event, uint32_t type,
		     uint16_t misc, const void *body, size_t size, int32_t tid, uint64_t time,
		     uint32_t cpu);
/* Fields that tests do not set (registers, branches, ...) get sizes from `noise`. */
void perf_put_sample(perf_bytes *records, const struct perf_image_event *event,
		     const struct perf_image_sample *sample, uint32_t noise);
void perf_put_comm(perf_bytes *records, const struct perf_image_event *event, int32_t tid,
		   const char *comm, bool is_exec, uint64_t time);
void perf_put_mmap(perf_bytes *records, const struct perf_image_event *event, int32_t pid,
		   uint64_t start, uint64_t size, const char *path, uint64_t time);

/* The records as COMPRESSED ones, cut at any byte: pieces of about `piece` bytes. */
void perf_compress_records(perf_bytes *out, const perf_bytes *records, size_t piece);

/* The whole recording; to be released. */
perf_bytes perf_image_write(const struct perf_image *image);
void perf_image_release(struct perf_image *image);

/* What the perf source makes of it, by one thread; the test fails when it cannot be read. */
struct lode_stream *perf_image_load(const struct perf_image *image);
/* The stream's thread of that tid, which is there. */
const struct lode_thread *perf_image_thread(const struct lode_stream *stream, int32_t tid);

/* A file in memory: path "/proc/self/fd/N", valid until the process ends or the fd is closed. */
int perf_memory_file(const void *data, size_t size, char path[64]);

#endif
