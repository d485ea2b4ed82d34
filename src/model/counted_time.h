/*
 * From samples of a fixed number of cycles to time.
 *
 *   CPU 0   a    b    a         a    b      each stands for the same time, whichever ran:
 *           |----|----|  pause  |----|      the mean distance of samples, without pauses
 *
 * A pause is a distance of more than ten times the mean of the others. A sample does not stand for
 * the time since the one before it: threads that share a CPU have counters of their own, and
 * samples of several may come right after each other.
 */
#pragma once

#include "model/stream.h"

/* Turns the costs of running events, counts so far, to ns. Of streams without switches. */
void lode_stream_count_time(struct lode_stream *stream);

/* Where costs are no times a thread lives for as long as it costs: a share of a symptom is then one
   of its cost, as with folded stacks. */
void lode_stream_use_cost_as_time(struct lode_stream *stream);
