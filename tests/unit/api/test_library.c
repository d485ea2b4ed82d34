/* include/lode: what fails says so, what was made is sound, and memory that runs out is an error.
 */
#include <lode/lode.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/call.h"
#include "base/mem.h"

static struct lode_recording *sample(void)
{
	struct lode_recording *recording;
	struct lode_error err;
	char path[500];

	snprintf(path, sizeof(path), "%s/samples/startup/startup-08.perf.data.zst",
		 getenv("LODE_TOP") ? getenv("LODE_TOP") : ".");
	if (lode_recording_open(&recording, path, NULL, &err) < 0)
		fail_msg("%s: %s", path, err.message);
	return recording;
}

static void bad_input_is_an_error(void **state)
{
	static const char *const nowhere[] = {"/nowhere"};
	struct lode_recording *recording = (void *)1;
	struct lode_matching *matching = (void *)1;
	struct lode_mining *mining = (void *)1;
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_recording_open(&recording, "/nowhere", NULL, &err), LODE_ERR_IO);
	assert_null(recording);
	assert_string_equal(err.path, "/nowhere");
	assert_int_equal(lode_recording_open(&recording, "/dev/null", NULL, NULL), LODE_ERR_FORMAT);
	assert_null(recording);
	assert_int_equal(lode_mining_run(&mining, nowhere, 1, NULL, NULL), LODE_ERR_EMPTY);
	assert_null(mining);
	assert_int_equal(lode_matching_run(&matching, "/nowhere", nowhere, 1, NULL, NULL),
			 LODE_ERR_IO);
	assert_null(matching);
	lode_recording_close(NULL);
	lode_mining_free(NULL);
	lode_matching_free(NULL);
	lode_wait_chain_free(NULL);
}

/* Steps touch and tile the symptom; every chain begins with its thread. */
static void check_chain(const struct lode_recording *recording,
			const struct lode_recorded_symptom *symptom)
{
	struct lode_wait_chain *chain;
	int64_t at = symptom->begin_ns;

	assert_int_equal(lode_wait_chain_make(&chain, recording, symptom, NULL), LODE_OK);
	for (size_t i = 0; i < lode_wait_chain_n_steps(chain); i++) {
		struct lode_wait_link links[2];
		struct lode_wait_step step;

		lode_wait_chain_step(chain, i, &step);
		assert_int_equal(step.begin_ns, at);
		assert_true(step.end_ns > at && step.depth > 0);
		assert_int_equal(lode_wait_chain_links(chain, i, links, 2), step.depth);
		assert_int_equal(links[0].thread, symptom->thread);
		at = step.end_ns;
	}
	assert_int_equal(at, symptom->end_ns);
	lode_wait_chain_free(chain);
}

static void chains_tile_symptoms(void **state)
{
	struct lode_recording *recording = sample();
	struct lode_recorded_symptom *symptoms, wrong = {.thread = SIZE_MAX};
	struct lode_wait_chain *chain;
	size_t n;

	(void)state;
	assert_int_equal(lode_recording_symptoms(&symptoms, &n, recording, "comm=*,threads", NULL),
			 LODE_OK);
	assert_true(n > 10);
	for (size_t i = 0; i < n; i++)
		check_chain(recording, &symptoms[i]);
	lode_recording_symptoms_free(symptoms);
	assert_int_equal(lode_wait_chain_make(&chain, recording, &wrong, NULL), LODE_ERR_ARG);
	assert_null(chain);
	assert_int_equal(lode_recording_symptoms(&symptoms, &n, recording, "comm", NULL),
			 LODE_ERR_ARG);
	assert_null(symptoms);
	lode_recording_close(recording);
}

/* Where switches were recorded, a thread's events tile its life; others are threads there are. */
static void events_tile_threads(void **state)
{
	struct lode_recording *recording = sample();
	size_t n_threads = lode_recording_n_threads(recording), n_frames = 0;
	struct lode_recording_about about;

	(void)state;
	lode_recording_tell(recording, &about);
	assert_true(about.has_switches);
	for (size_t t = 0; t < n_threads; t++) {
		int64_t at = INT64_MIN;

		for (size_t i = 0; i < lode_recording_n_events(recording, t); i++) {
			struct lode_recorded_event event;
			struct lode_stack_frame frames[4];
			size_t depth;

			lode_recording_event(recording, t, i, &event);
			assert_true(at == INT64_MIN || event.begin_ns == at);
			assert_true(event.other >= -1 && event.other < (int64_t)n_threads);
			depth = lode_recording_stack(recording, event.stack, frames, 4);
			for (size_t k = 0; k < depth && k < 4; k++)
				n_frames += frames[k].module && frames[k].function;
			assert_int_equal(lode_recording_stack(recording, event.stack, NULL, 0),
					 depth);
			at = event.begin_ns + event.cost;
		}
	}
	assert_true(n_frames > 1000);
	lode_recording_close(recording);
}

static int run_out(void *job, struct lode_error *err)
{
	(void)err;
	*(int *)job += 1;
	lode_oom(4711);
	return LODE_OK;
}

static int run_out_inside(void *job, struct lode_error *err)
{
	if (lode_api_call(run_out, job, err) != LODE_ERR_LIMIT)
		return LODE_OK;
	*(int *)job += 10;
	lode_oom(1);
	return LODE_OK;
}

static void no_memory_is_an_error(void **state)
{
	struct lode_error err;
	int n = 0;

	(void)state;
	assert_int_equal(lode_api_call(run_out, &n, &err), LODE_ERR_LIMIT);
	assert_non_null(strstr(err.message, "4711 bytes"));
	assert_int_equal(lode_api_call(run_out_inside, &n, NULL), LODE_ERR_LIMIT);
	assert_int_equal(n, 12);
	lode_recording_close(sample()); /* and the next call is sound */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_input_is_an_error),
		cmocka_unit_test(chains_tile_symptoms),
		cmocka_unit_test(events_tile_threads),
		cmocka_unit_test(no_memory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
