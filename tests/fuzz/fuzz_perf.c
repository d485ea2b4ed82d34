/*
 * Any bytes at all, read as a perf.data file or pipe: the same result for one thread and for two,
 * for the model as for a tap that wants every field of a payload it can get.
 */
#include "fuzz/fuzz.h"

#include "input/source.h"

/* A hash of all that the tap got. */
struct tapped {
	uint64_t hash;
};

static void mix(struct tapped *tapped, const void *data, size_t size)
{
	tapped->hash = lode_stable_hash(data, size, tapped->hash);
}

static void on_kind(void *context, const struct lode_tap_kind *kind, struct lode_tap_wish *wish)
{
	static const char *const fields[LODE_TAP_FIELDS] = {
		"args", "name", "next_comm", "pid", "prev_state", "common_flags", "sector", "id"};

	mix(context, kind->name, strlen(kind->name));
	wish->id = 1;
	wish->wants_stack = true;
	wish->n_fields = LODE_TAP_FIELDS;
	memcpy(wish->field, fields, sizeof(fields));
	wish->element[0] = 5;
	wish->text = kind->name[0] == 's' ? "comm" : "name";
}

static void on_event(void *context, const struct lode_tap_event *event)
{
	mix(context, &event->t_ns, sizeof(event->t_ns));
	mix(context, &event->tid, sizeof(event->tid));
	mix(context, &event->stack, sizeof(event->stack));
	mix(context, event->values, sizeof(event->values));
	if (event->text)
		mix(context, event->text, strlen(event->text));
}

static void on_born(void *context, int64_t t_ns, int32_t pid, int32_t tid)
{
	(void)pid;
	mix(context, &t_ns, sizeof(t_ns));
	mix(context, &tid, sizeof(tid));
}

static void on_ended(void *context, int64_t t_ns, int32_t tid)
{
	mix(context, &t_ns, sizeof(t_ns));
	mix(context, &tid, sizeof(tid));
}

static void on_lost(void *context, int64_t t_ns, uint32_t cpu)
{
	mix(context, &t_ns, sizeof(t_ns));
	mix(context, &cpu, sizeof(cpu));
}

static void on_finish(void *context, const struct lode_stream *stream, const uint32_t *node_of_raw,
		      size_t n_raw)
{
	for (size_t i = 0; i < n_raw; i++)
		FUZZ_CHECK(node_of_raw[i] < stream->tree.nodes.n);
	mix(context, node_of_raw, n_raw * sizeof(*node_of_raw));
}

static int load(const uint8_t *data, size_t size, unsigned n_threads, struct tapped *tapped,
		bool wants_model, struct lode_stream **stream)
{
	struct lode_tap tap = {.context = tapped,
			       .wants_model = wants_model,
			       .kind = on_kind,
			       .event = on_event,
			       .born = on_born,
			       .ended = on_ended,
			       .lost = on_lost,
			       .finish = on_finish};
	struct lode_source_options options = {
		.narrow = lode_narrow_none, .n_threads = n_threads, .tap = tapped ? &tap : NULL};
	struct lode_input *input;
	struct lode_error err = {0};
	int rc;

	FUZZ_CHECK(lode_input_open(&input, fuzz_file(data, size), &err) == 0);
	rc = lode_format_perf.load(stream, input, &options, &err);
	lode_input_close(input);
	FUZZ_CHECK((rc == 0) == (*stream != NULL));
	FUZZ_CHECK(rc == 0 || (rc < 0 && err.status == (enum lode_status)rc && err.message[0]));
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lode_stream *one, *two;
	struct tapped tapped = {0}, again = {0};
	int rc;

	lode_format_perf.recognise(data, size < LODE_PEEK_BYTES ? size : LODE_PEEK_BYTES);
	rc = load(data, size, 1, NULL, true, &one);
	FUZZ_CHECK(load(data, size, 2, &tapped, true, &two) == rc);
	if (rc == 0) {
		struct lode_stream *bare;

		FUZZ_CHECK(load(data, size, 1, &again, false, &bare) == 0);
		FUZZ_CHECK(again.hash == tapped.hash && bare->n_samples == one->n_samples);
		fuzz_check_stream(bare);
	}
	if (rc < 0)
		return 0;
	FUZZ_CHECK(one->content_hash == two->content_hash && one->n_samples == two->n_samples &&
		   one->threads.n == two->threads.n && one->t0_ns == two->t0_ns &&
		   one->t1_ns == two->t1_ns);
	fuzz_check_stream(one);
	fuzz_check_stream(two);
	return 0;
}
