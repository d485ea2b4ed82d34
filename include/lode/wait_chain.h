/*
 * Symptoms of a recording - who was slow, and when -, and what each nanosecond of one was spent on.
 *
 *   UI        |run|~~~~~~~~~~~ wait ~~~~~~~~~~~|ready|run|
 *   worker     ~ wait ~|run|~~~ wait ~~~|run|wake UI
 *   disk                     wakes worker
 *
 *   steps     |UI |UI  |UI  |UI         |UI     | UI | UI |
 *             |   |work|work|work (disk)|worker |    |    |     time -->
 *
 * While the symptom's thread runs or is ready, the time is its own; while it was blocked, that of
 * the thread that woke it, and so on. Steps touch, and together they are the symptom: every
 * nanosecond once.
 */
#ifndef LODE_PUBLIC_WAIT_CHAIN_H
#define LODE_PUBLIC_WAIT_CHAIN_H

#include <lode/error.h>
#include <lode/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lode_recorded_symptom {
	size_t thread;
	int64_t begin_ns, end_ns;
};

/*
 * `which`: as `lode mine --symptom` has it ("comm=git", "comm=nginx,threads"); NULL: every thread
 * of the recorded command, its whole life. *out is the caller's, for lode_recording_symptoms_free;
 * there may be none (n 0).
 */
int lode_recording_symptoms(struct lode_recorded_symptom **out, size_t *n,
			    const struct lode_recording *recording, const char *which,
			    struct lode_error *err);
void lode_recording_symptoms_free(struct lode_recorded_symptom *symptoms);

struct lode_wait_chain;

/* LODE_ERR_UNSUPPORTED where no context switches were recorded. Lives no longer than the recording.
 */
int lode_wait_chain_make(struct lode_wait_chain **out, const struct lode_recording *recording,
			 const struct lode_recorded_symptom *symptom, struct lode_error *err);
void lode_wait_chain_free(struct lode_wait_chain *chain);

/* A stretch of the symptom's time. */
struct lode_wait_step {
	int64_t begin_ns, end_ns;
	size_t depth; /* links: 1 while the symptom's thread ran, or nobody is known to have ended
			 its wait */
};

/* Who waited for whom: the first link is the symptom's thread, the last whose time it was. */
struct lode_wait_link {
	size_t thread;
	int64_t event; /* of that thread; -1: none was recorded */
};

size_t lode_wait_chain_n_steps(const struct lode_wait_chain *chain);
void lode_wait_chain_step(const struct lode_wait_chain *chain, size_t step,
			  struct lode_wait_step *out);
/* The links of a step, `depth` of them; only the first `room` are filled in. Gives the depth. */
size_t lode_wait_chain_links(const struct lode_wait_chain *chain, size_t step,
			     struct lode_wait_link *links, size_t room);

#ifdef __cplusplus
}
#endif

#endif
