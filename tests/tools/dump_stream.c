/*
 * Prints every sample that the perf source delivers, in the order of delivery, for comparisons:
 *
 *   dump_stream FILE [--symbols DIR] [--threads N] [--quiet]
 *
 *   S <event> <time ns> <pid> <tid> <cpu>
 *   	<module> <function>                  leaf first
 *   L <loss> <count> <offset> <words>
 *   H <content hash> <samples> <threads> <nodes of the call tree>
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <inttypes.h>

#include "input/source.h"

struct dump {
	LODE_VEC(struct lode_tap_event) samples;
	struct lode_strings names; /* of events; ids as in wishes */
	bool is_quiet;
};

static void on_kind(void *context, const struct lode_tap_kind *kind, struct lode_tap_wish *wish)
{
	struct dump *dump = context;

	wish->id = lode_strings_intern(&dump->names, kind->name, strlen(kind->name));
	wish->wants_stack = true;
}

static void on_event(void *context, const struct lode_tap_event *event)
{
	struct dump *dump = context;

	lode_vec_append(&dump->samples, *event);
}

static void print_stack(const struct lode_stream *stream, uint32_t node)
{
	const struct lode_calltree *tree = &stream->tree;

	for (; node; node = tree->nodes.at[node].parent) {
		uint32_t frame = tree->nodes.at[node].frame;

		printf("\t%s %s\n", lode_frame_module(tree, frame),
		       lode_frame_function(tree, frame));
	}
}

static void on_finish(void *context, const struct lode_stream *stream, const uint32_t *node_of_raw,
		      size_t n_raw)
{
	struct dump *dump = context;

	(void)n_raw;
	for (size_t i = 0; i < dump->samples.n; i++) {
		const struct lode_tap_event *s = &dump->samples.at[i];

		printf("S %s %" PRId64 " %d %d %d\n", dump->names.text.at[s->id], s->t_ns, s->pid,
		       s->tid, (int)s->cpu);
		print_stack(stream, node_of_raw[s->stack]);
	}
}

static int fail(struct lode_error *err)
{
	char text[1200];

	fprintf(stderr, "dump_stream: %s\n", lode_error_text(err, text, sizeof(text)));
	return 1;
}

static int dump_file(const char *path, struct lode_source_options *options, struct dump *dump)
{
	struct lode_tap tap = {.context = dump,
			       .wants_model = true,
			       .kind = on_kind,
			       .event = on_event,
			       .finish = on_finish};
	struct lode_stream *stream;
	struct lode_input *input;
	struct lode_error err;

	if (lode_input_open(&input, path, &err) < 0)
		return fail(&err);
	options->tap = dump->is_quiet ? NULL : &tap;
	if (lode_format_perf.load(&stream, input, options, &err) < 0) {
		lode_input_close(input);
		return fail(&err);
	}
	for (int i = 0; i < LODE_N_LOSS_KINDS; i++) {
		const struct lode_loss *loss = &stream->losses.by_kind[i];

		if (loss->count)
			printf("L %s %" PRIu64 " %" PRId64 " %s\n",
			       lode_loss_name((enum lode_loss_kind)i), loss->count, loss->offset,
			       loss->detail);
	}
	printf("H %016" PRIx64 " %" PRIu64 " %zu %zu\n", stream->content_hash, stream->n_samples,
	       stream->threads.n, stream->tree.nodes.n);
	lode_stream_free(stream);
	lode_input_close(input);
	return 0;
}

int main(int argc, char **argv)
{
	struct lode_symbol_options symbols = {0};
	struct lode_source_options options = {.narrow = lode_narrow_none, .n_threads = 1};
	struct dump dump = {0};
	struct lode_error err;
	const char *path = NULL;
	int rc;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--symbols") && i + 1 < argc)
			symbols.buildid_dir = argv[++i];
		else if (!strcmp(argv[i], "--threads") && i + 1 < argc)
			options.n_threads = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--quiet"))
			dump.is_quiet = true;
		else
			path = argv[i];
	}
	if (!path) {
		fprintf(stderr,
			"usage: dump_stream FILE [--symbols DIR] [--threads N] [--quiet]\n");
		return 2;
	}
	if (lode_symboliser_new(&options.symboliser, &symbols, &err) < 0)
		return fail(&err);
	rc = dump_file(path, &options, &dump);
	lode_symboliser_free(options.symboliser);
	lode_vec_release(&dump.samples);
	lode_strings_release(&dump.names);
	return rc;
}
