/*
 * What the longest symptom of a recording was spent on: each stretch of time with the chain of
 * threads that waited for each other.
 *
 *	wait-chain RECORDING [SYMPTOM]	for instance 'comm=pluginhost'
 */
#include <lode/wait_chain.h>
#include <stdio.h>

enum { ROOM = 64 };

static void print_step(const struct lode_recording *recording, const struct lode_wait_chain *chain,
		       size_t i)
{
	struct lode_wait_link links[ROOM];
	struct lode_wait_step step;

	lode_wait_chain_step(chain, i, &step);
	lode_wait_chain_links(chain, i, links, ROOM);
	printf("%10.6f ms ", (double)(step.end_ns - step.begin_ns) / 1e6);
	for (size_t k = 0; k < step.depth && k < ROOM; k++) {
		struct lode_recorded_event event = {.kind = LODE_EVENT_WAITING};
		struct lode_recorded_thread thread;

		lode_recording_thread(recording, links[k].thread, &thread);
		if (links[k].event >= 0)
			lode_recording_event(recording, links[k].thread, (size_t)links[k].event,
					     &event);
		printf("%s%s %s", k ? " <- " : " ", thread.name,
		       event.kind == LODE_EVENT_WAITING ? lode_wait_reason_name(event.reason)
							: lode_event_kind_name(event.kind));
	}
	putchar('\n');
}

static int print_longest(const struct lode_recording *recording, const char *which,
			 struct lode_error *err)
{
	struct lode_recorded_symptom *symptoms;
	struct lode_wait_chain *chain;
	size_t n, longest = 0;
	int rc = lode_recording_symptoms(&symptoms, &n, recording, which, err);

	for (size_t i = 1; i < n; i++)
		if (symptoms[i].end_ns - symptoms[i].begin_ns >
		    symptoms[longest].end_ns - symptoms[longest].begin_ns)
			longest = i;
	if (rc == LODE_OK && n) {
		rc = lode_wait_chain_make(&chain, recording, &symptoms[longest], err);
		for (size_t i = 0; rc == LODE_OK && i < lode_wait_chain_n_steps(chain); i++)
			print_step(recording, chain, i);
		lode_wait_chain_free(chain);
	}
	lode_recording_symptoms_free(symptoms);
	return rc;
}

int main(int argc, char **argv)
{
	struct lode_recording *recording;
	struct lode_error err;
	char text[1200];
	int rc;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: wait-chain RECORDING [SYMPTOM]\n");
		return 2;
	}
	rc = lode_recording_open(&recording, argv[1], NULL, &err);
	if (rc == LODE_OK)
		rc = print_longest(recording, argc > 2 ? argv[2] : NULL, &err);
	if (rc < 0)
		fprintf(stderr, "wait-chain: %s\n", lode_error_text(&err, text, sizeof(text)));
	lode_recording_close(recording);
	return rc < 0 ? 3 : 0;
}
