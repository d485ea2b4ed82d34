/*
 * Protocol buffers as they are written: the four things that profile.proto needs of the wire format
 * (https://protobuf.dev/programming-guides/encoding/).
 *
 *   field << 3 | 0, varint               a number
 *   field << 3 | 2, length, bytes        a text, a message, or numbers one behind the other
 *
 * A generated packer (protobuf-c) would want the whole profile in memory, or a message per call all
 * the same, and a compiler for .proto files in everybody's build: for forty lines. What a message
 * holds is collected in a byte vec, which the next one uses again.
 */
#pragma once

#include "base/varint.h"

/* A number; 0 is what is meant where there is none, and left out. Negative ones take ten bytes. */
static inline void lode_protobuf_int(lode_byte_vec *to, unsigned field, int64_t value)
{
	if (value == 0)
		return;
	lode_varint_put(to, field << 3);
	lode_varint_put(to, (uint64_t)value);
}

/* Bytes: a text, or a message that is complete. Also empty ones: they count in repeated fields. */
static inline void lode_protobuf_bytes(lode_byte_vec *to, unsigned field, const void *bytes,
				       size_t n)
{
	lode_varint_put(to, field << 3 | 2);
	lode_varint_put(to, n);
	lode_vec_reserve(to, to->n + n);
	if (n)
		memcpy(to->at + to->n, bytes, n);
	to->n += n;
}

static inline void lode_protobuf_message(lode_byte_vec *to, unsigned field,
					 const lode_byte_vec *message)
{
	lode_protobuf_bytes(to, field, message->at, message->n);
}
