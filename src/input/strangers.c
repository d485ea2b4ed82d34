/* What others write and lode does not read: known by its first bytes, to say what to do instead. */
#include "input/strangers.h"

#include "base/slice.h"

/* Messages of protobuf, one behind the other: field 1, its length, its bytes. How many are seen. */
static size_t count_messages(const uint8_t *head, size_t size)
{
	size_t at = 0, n = 0;

	while (at + 3 < size && head[at] == 0x0a) {
		size_t length = 0;
		unsigned shift = 0;

		for (at++; at < size && shift < 28; shift += 7) {
			length |= (size_t)(head[at] & 0x7f) << shift;
			if (!(head[at++] & 0x80))
				break;
		}
		n++;
		at += length;
	}
	return n;
}

/* Packets, and nothing else. A profile's first fields are pairs of small numbers. */
static bool is_perfetto(const uint8_t *head, size_t size)
{
	return size > 4 && head[2] != 0x08 && count_messages(head, size) >= 3;
}

static bool is_profile(const uint8_t *head, size_t size)
{
	return size > 6 && head[0] == 0x0a && head[1] <= 8 && head[2] == 0x08 &&
	       count_messages(head, size) >= 1;
}

/* "execve("/bin/ls", ["ls"], 0x7ffe8f2a1f60) = 0", after a pid or a time or none. */
static bool is_strace(const uint8_t *head, size_t size)
{
	const uint8_t *feed = memchr(head, '\n', size);
	size_t n = feed ? (size_t)(feed - head) : size;

	return memmem(head, n, "execve(\"", 8) && memmem(head, n, ") = ", 4);
}

const char *lode_stranger_words(const uint8_t *head, size_t size)
{
	struct lode_slice bytes = {(const char *)head, size};

	if (lode_slice_begins(bytes, "\x17\x08\x44tracing"))
		return "a recording of trace-cmd, which lode does not read: record with 'lode "
		       "record', or give function_graph as text, 'trace-cmd report FILE "
		       ">trace.txt'";
	if (lode_slice_begins(bytes, "\xc1\x1f\xfc\xc1"))
		return "a CTF trace (LTTng), which lode does not read: record with 'lode record'";
	if (is_profile(head, size))
		return "a pprof profile, which lode writes but does not read: give the recording "
		       "that it was made of, or folded stacks";
	if (is_perfetto(head, size))
		return "a Perfetto trace, which lode does not read: 'traceconv json FILE "
		       "trace.json' converts it for 'lode timeline'";
	if (is_strace(head, size))
		return "output of strace, which lode does not read: record with 'lode record "
		       "--syscalls'";
	return NULL;
}
