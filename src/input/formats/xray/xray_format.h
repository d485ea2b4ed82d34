/*
 * LLVM XRay's log files on disk (docs/formats/xray.md): all numbers little-endian.
 *
 *   header 32 | record 32 | record 32 | ...                               basic
 *   header 32 | extents 16 | buffer ... | extents 16 | buffer ... | ...   flight data recorder, 2-5
 *   header 32 | buffer, padded | buffer, padded | ...                     flight data recorder, 1
 */
#pragma once

enum {
	XRAY_HEADER_BYTES = 32,
	XRAY_BASIC = 0, /* type, in the header */
	XRAY_FDR = 1,
	XRAY_BASIC_VERSION_MAX = 3,
	XRAY_FDR_VERSION_MAX = 5,

	XRAY_BASIC_RECORD_BYTES = 32,
	XRAY_BASIC_FUNCTION = 0, /* record types */
	XRAY_BASIC_ARGUMENT = 1,

	XRAY_METADATA_BYTES = 16,
	XRAY_FUNCTION_BYTES = 8,
	XRAY_IS_METADATA = 1, /* lowest bit of a record's first byte; the rest is its kind: */
	XRAY_NEW_BUFFER = 0,
	XRAY_END_OF_BUFFER = 1,
	XRAY_NEW_CPU = 2,
	XRAY_TSC_WRAP = 3,
	XRAY_WALL_CLOCK = 4,
	XRAY_CUSTOM_EVENT = 5,
	XRAY_CALL_ARGUMENT = 6,
	XRAY_EXTENTS = 7,
	XRAY_TYPED_EVENT = 8,
	XRAY_PROCESS = 9,

	XRAY_ENTER = 0, /* kinds of function records, in both modes */
	XRAY_EXIT = 1,
	XRAY_TAIL_EXIT = 2,
	XRAY_ENTER_ARGUMENT = 3,
	XRAY_N_KINDS = 4,
};
