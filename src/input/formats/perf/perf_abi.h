/*
 * Numbers of the perf.data format that <linux/perf_event.h> does not have, or not in all versions
 * (docs/formats/perf-data.md).
 */
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>

#define LODE_PERF_MAGIC		0x32454c4946524550u /* "PERFILE2" */
#define LODE_PERF_MAGIC_SWAPPED 0x50455246494c4532u
#define LODE_PERF_MAGIC_V1	0x454c494646524550u /* "PERFFILE" */

enum {
	LODE_PERF_FILE_HEADER_BYTES = 104,
	LODE_PERF_FILE_DATA_AT = 40, /* in it: offset and size of the records */
	LODE_PERF_PIPE_HEADER_BYTES = 16,
	LODE_PERF_RECORD_HEADER_BYTES = 8,
	LODE_PERF_ATTR_MIN_BYTES = 64, /* PERF_ATTR_SIZE_VER0 */
	LODE_PERF_N_FEATURES = 256,
	LODE_PERF_N_FEATURE_WORDS = 4,
	LODE_PERF_DEFAULT_MAX_STACK = 127,
};

/* Records that perf itself writes; the kernel's are below 64. */
enum {
	LODE_PERF_HEADER_ATTR = 64,
	LODE_PERF_HEADER_TRACING_DATA = 66,
	LODE_PERF_HEADER_BUILD_ID = 67,
	LODE_PERF_FINISHED_ROUND = 68,
	LODE_PERF_AUXTRACE = 71,
	LODE_PERF_THREAD_MAP = 73,
	LODE_PERF_EVENT_UPDATE = 78,
	LODE_PERF_HEADER_FEATURE = 80,
	LODE_PERF_COMPRESSED = 81,
	LODE_PERF_COMPRESSED2 = 83,
	LODE_PERF_USER_TYPE_START = 64,
	LODE_PERF_TYPE_LIMIT = 0x10000, /* beyond: no record, the bytes are damaged */
};

enum lode_perf_feature {
	LODE_PERF_FEATURE_TRACING_DATA = 1,
	LODE_PERF_FEATURE_BUILD_ID = 2,
	LODE_PERF_FEATURE_HOSTNAME = 3,
	LODE_PERF_FEATURE_OSRELEASE = 4,
	LODE_PERF_FEATURE_VERSION = 5,
	LODE_PERF_FEATURE_ARCH = 6,
	LODE_PERF_FEATURE_NRCPUS = 7,
	LODE_PERF_FEATURE_CMDLINE = 11,
	LODE_PERF_FEATURE_EVENT_DESC = 12,
	LODE_PERF_FEATURE_GROUP_DESC = 17,
	LODE_PERF_FEATURE_SAMPLE_TIME = 21,
	LODE_PERF_FEATURE_CLOCKID = 23,
	LODE_PERF_FEATURE_DIR_FORMAT = 24,
	LODE_PERF_FEATURE_COMPRESSED = 27,
	LODE_PERF_FEATURE_CLOCK_DATA = 29,
};

enum {
	LODE_PERF_UPDATE_UNIT = 0,
	LODE_PERF_UPDATE_SCALE = 1,
	LODE_PERF_UPDATE_NAME = 2,
	LODE_PERF_UPDATE_CPUS = 3,
};

/* Bits of perf_event_attr's flag word. */
enum {
	LODE_PERF_ATTR_FREQ = 10,
	LODE_PERF_ATTR_SAMPLE_ID_ALL = 18,
	LODE_PERF_ATTR_USE_CLOCKID = 25,
	LODE_PERF_ATTR_CONTEXT_SWITCH = 26,
};

#define LODE_PERF_BRANCH_HW_INDEX (1u << 17)
#define LODE_PERF_BRANCH_COUNTERS (1u << 19)

/* Since Linux 6.19: the user part follows in a record of its own, named by the next word. */
#define LODE_PERF_CONTEXT_USER_DEFERRED ((uint64_t)-640)

/* Of a recorded build-id: the size field is there. */
#define LODE_PERF_MISC_BUILD_ID_SIZE (1u << 15)

/* trace_flag_type of a tracepoint's common_flags. */
enum {
	LODE_TRACE_FLAG_HARDIRQ = 0x08,
	LODE_TRACE_FLAG_SOFTIRQ = 0x10,
	LODE_TRACE_FLAG_NMI = 0x40,
};

/* Where records without a time stand: they hold from before the recording on. */
#define LODE_PERF_NO_TIME INT64_MIN
