/*
 * Prints the events of a recording, one line each: when, who, what, how long, and the stack.
 *
 *	samples RECORDING
 */
#include <inttypes.h>
#include <lode/recording.h>
#include <stdio.h>

enum { ROOM = 256 };

static void print_stack(const struct lode_recording *recording, uint32_t stack)
{
	struct lode_stack_frame frames[ROOM];
	size_t depth = lode_recording_stack(recording, stack, frames, ROOM);

	for (size_t i = 0; i < depth && i < ROOM; i++) {
		bool is_known = !(frames[i].flags & LODE_STACK_FRAME_UNKNOWN);

		printf("%s%s", i ? ";" : "", is_known ? frames[i].function : frames[i].module);
	}
}

static void print_thread(const struct lode_recording *recording, size_t thread)
{
	size_t n = lode_recording_n_events(recording, thread);
	struct lode_recorded_thread who;

	lode_recording_thread(recording, thread, &who);
	for (size_t i = 0; i < n; i++) {
		struct lode_recorded_event event;

		lode_recording_event(recording, thread, i, &event);
		printf("%" PRId64 " %s/%" PRId32 " %s %" PRId64 " ", event.begin_ns, who.name,
		       who.tid,
		       event.kind == LODE_EVENT_WAITING ? lode_wait_reason_name(event.reason)
							: lode_event_kind_name(event.kind),
		       event.cost);
		print_stack(recording, event.stack);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	struct lode_recording *recording;
	struct lode_error err;
	char text[1200];

	if (argc != 2) {
		fprintf(stderr, "usage: samples RECORDING\n");
		return 2;
	}
	if (lode_recording_open(&recording, argv[1], NULL, &err) < 0) {
		fprintf(stderr, "samples: %s\n", lode_error_text(&err, text, sizeof(text)));
		return 3;
	}
	for (size_t i = 0; i < lode_recording_n_threads(recording); i++)
		print_thread(recording, i);
	if (lode_recording_lacks(recording))
		fprintf(stderr, "samples: %s: %s\n", argv[1], lode_recording_lacks(recording));
	lode_recording_close(recording);
	return 0;
}
