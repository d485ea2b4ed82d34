/*
 * Stack dumps in place of call chains: how many bytes a second they would be, and whether perf can
 * be expected to write them.
 *
 *   events with a stack, per second  x  the size of a dump   against   64 MiB/s for each CPU
 */
#pragma once

#include "model/stream.h"

/* A stack dump, when they are asked for: more than perf's own 8 KiB, which cut many stacks. */
enum { LODE_DUMP_BYTES = 32 << 10 };

/* Bytes of dumps that perf may be asked to write in a second, of each CPU: twice what its own
   defaults take of a busy one (4,000 Hz, 8 KiB). */
enum { LODE_MOST_DUMP_BYTES = 64 << 20 };

/* Events of a recording that dumps would be taken of, in a second: all with a stack, but wakings;
   and those that perf dropped. */
double lode_dump_rate(const struct lode_stream *stream);

/* Bytes of their dumps, and what perf writes without loss (0 CPUs: not known, then all). */
double lode_dump_bytes_per_s(double events_per_s);
bool lode_dumps_fit(double events_per_s, uint32_t n_cpus);
