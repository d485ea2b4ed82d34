/*
 * Random small streams for property tests: what a scheduler with a few CPUs does to a few threads
 * that run, sleep, wake each other and are woken by devices, at integer ticks. Consistent, except
 * for what real recordings lack as well: wakers that are not known or wrong, events that are lost.
 */
#ifndef LODE_TEST_RANDOM_STREAM_H
#define LODE_TEST_RANDOM_STREAM_H

#include <stdint.h>

#include "model/stream.h"
#include "model/symptom.h"

/* SplitMix64: the same numbers everywhere for the same seed. */
struct rng {
	uint64_t state;
};
uint64_t rng_next(struct rng *rng);
uint32_t rng_below(struct rng *rng, uint32_t n); /* 0 .. n - 1 */
bool rng_chance(struct rng *rng, uint32_t percent);

/* A timeline with switches and wakers; free with lode_stream_free. */
struct lode_stream *random_stream(struct rng *rng);

/* Weighted samples without switches; their spans overlap. */
struct lode_stream *random_samples(struct rng *rng);

/* Any thread of the stream; now and then sticks out of the stream, or is empty. */
struct lode_symptom random_symptom(struct rng *rng, const struct lode_stream *stream);

/* An empty stream to fill by hand, with one thread per comm; and a stack "a;b;c" in it. */
struct lode_stream *stream_of_threads(const char *const *comms, size_t n);
uint32_t stack_of(struct lode_stream *stream, const char *folded);

/* Appends a waiting event that thread `waker` ended (LODE_NONE: `device` did, or nobody knows). */
void add_wait(struct lode_stream *stream, lode_thread_id thread, int64_t start_ns, int64_t end_ns,
	      const char *folded, lode_thread_id waker, enum lode_device device);
void add_run(struct lode_stream *stream, lode_thread_id thread, int64_t start_ns, int64_t end_ns,
	     const char *folded);
/* Waits for what comes over the network. */
void add_request_wait(struct lode_stream *stream, lode_thread_id thread, int64_t start_ns,
		      int64_t end_ns, const char *folded, lode_thread_id waker);

/* Appends the frames of `stack` to a text that ends with NUL, each behind a ';'. */
void append_frames(char *text, size_t size, const struct lode_calltree *tree, uint32_t stack);

#endif
