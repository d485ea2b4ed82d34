/*
 * Reads a perf recording: the whole way from bytes to a stream.
 *
 *   splitter --blocks--> decoders --batches--> merge by time --> builder, tap
 *   (one at a time)      (in parallel)         (one at a time, in file order)
 */
#include "input/source.h"
#include "input/stream_calls.h"

#include <stdio.h>

#include "base/memory_limit.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "input/bundle_notes.h"
#include "input/symbols/build_ids.h"
#include "input/titles.h"
#include "model/counted_time.h"
#include "model/tracers.h"
#include "input/formats/perf/perf_abi.h"
#include "input/formats/perf/perf_blocks.h"
#include "input/formats/perf/perf_clock.h"
#include "input/formats/perf/perf_deliver.h"
#include "input/formats/perf/perf_merge.h"
#include "input/formats/perf/perf_resolve.h"

enum {
	MAX_THREADS = 64,
	SPARE_ITEMS =
		2, /* beyond one per thread, so that no thread waits for a single slow block */
};

/* Clocks may be read before the first and after the last sample, but not by hours. */
static const int64_t time_slack_ns = INT64_C(3600) * 1000 * 1000 * 1000;

/* What travels through the pipeline. */
struct item {
	struct lode_perf_block block;
	struct lode_perf_batch *batch;
};

struct loading {
	const struct lode_source_options *options;
	struct lode_input *input;
	struct lode_perf_reader reader;
	struct lode_perf_header header;
	struct lode_perf_blocks blocks;
	struct lode_perf_clock clock;
	struct lode_perf_merge merge;
	struct lode_perf_deliver deliver;
	struct lode_perf_decoder *decoders; /* one per thread */
	struct item *items;
	unsigned n_threads;
	size_t n_items;
};

/* ---- The three steps ---- */

static int make_perf_load(void *context, void *item)
{
	struct loading *l = context;

	return lode_perf_blocks_next(&l->blocks, &((struct item *)item)->block);
}

static void work_perf_load(void *context, void *item, unsigned worker)
{
	struct loading *l = context;
	struct item *it = item;

	if (!it->batch)
		it->batch = lode_alloc0(1, sizeof(*it->batch));
	lode_perf_decode(&l->decoders[worker], &it->block, it->batch);
}

static int take_perf_load(void *context, void *item)
{
	struct loading *l = context;
	struct item *it = item;
	int64_t consumed;

	lode_perf_clock_mend(&l->clock, it->batch);
	lode_perf_deliver_batch(&l->deliver, it->batch);
	it->batch = lode_perf_merge_add(&l->merge, it->batch);
	if (l->options->progress) {
		consumed = lode_input_is_seekable(l->input)
				   ? it->block.offset + (int64_t)it->block.size_bytes
				   : lode_input_consumed_bytes(l->input);
		l->options->progress(l->options->progress_context, consumed);
	}
	return LODE_OK;
}

/* ---- Setting up, taking down ---- */

/*
 * What may wait to be put in order. perf's rounds are far smaller, however many CPUs it copied
 * from; recordings without rounds wait as a whole, as far as they may.
 */
static size_t waiting_limit(const struct lode_source_options *options)
{
	const size_t least = (size_t)64 << 20;
	size_t share = lode_memory_budget(options->memory_bytes) / 4;

	return share > least ? share : least;
}

static void set_up(struct loading *l, struct lode_builder *builder)
{
	const struct lode_perf_header *header = &l->header;
	bool has_range = header->first_sample_ns > 0 &&
			 header->last_sample_ns >= header->first_sample_ns &&
			 header->last_sample_ns < INT64_MAX - time_slack_ns;
	struct lode_perf_decoder decoder = {
		.events = &header->events,
		.want_dumps = l->options->symboliser != NULL,
		.from_ns = has_range ? header->first_sample_ns - time_slack_ns : INT64_MIN,
		.to_ns = has_range ? header->last_sample_ns + time_slack_ns : INT64_MAX,
	};

	lode_perf_blocks_init(&l->blocks, &l->header, &l->reader);
	lode_perf_deliver_init(&l->deliver, &l->header, builder, l->n_threads, l->options->tap);
	lode_perf_merge_init(&l->merge, waiting_limit(l->options));
	l->deliver.unwind.symboliser = l->options->symboliser;
	l->deliver.unwind.recording = lode_input_path(l->input);
	l->merge.deliver = lode_perf_deliver_record;
	l->merge.context = &l->deliver;
	l->decoders = lode_alloc0(l->n_threads, sizeof(*l->decoders));
	for (unsigned i = 0; i < l->n_threads; i++) {
		l->decoders[i] = decoder;
		l->decoders[i].worker = i;
		l->decoders[i].chains = lode_perf_chains_new();
	}
	l->n_items = l->n_threads + SPARE_ITEMS;
	l->items = lode_alloc0(l->n_items, sizeof(*l->items));
}

/* What only reading needed: before the stacks get their names. */
static void release_reading(struct loading *l)
{
	lode_perf_blocks_release(&l->blocks);
	lode_perf_merge_release(&l->merge);
	lode_perf_clock_release(&l->clock);
	for (unsigned i = 0; i < l->n_threads; i++)
		lode_perf_chains_free(l->decoders[i].chains);
	for (size_t i = 0; i < l->n_items; i++) {
		free(l->items[i].block.data);
		lode_perf_batch_free(l->items[i].batch);
	}
	free(l->decoders);
	free(l->items);
}

static int run_perf_load(struct loading *l)
{
	const struct lode_pipeline pipeline = {
		.make = make_perf_load,
		.work = work_perf_load,
		.take = take_perf_load,
		.context = l,
		.items = l->items,
		.item_bytes = sizeof(*l->items),
		.n_items = l->n_items,
	};
	int rc = lode_pipeline_run(&pipeline, l->n_threads);

	if (rc == LODE_OK)
		lode_perf_merge_finish(&l->merge);
	return rc;
}

/* ---- What the stream says of its recording ---- */

static const char *keep_text(struct lode_stream *stream, const char *text)
{
	return lode_arena_strndup(&stream->arena, text, strlen(text));
}

static void count_events(struct lode_stream *stream, const struct loading *l)
{
	const struct lode_perf_events *events = &l->header.events;
	char buffer[64];

	for (size_t i = 0; i < events->at.n; i++) {
		const struct lode_perf_event *event = &events->at.at[i];
		struct lode_event_count *count = lode_vec_append_zero(&stream->event_counts);
		const char *name =
			*event->name ? event->name
				     : lode_perf_event_default_name(event, buffer, sizeof(buffer));

		count->name = keep_text(stream, name);
		count->n = i < l->deliver.n_samples.n ? l->deliver.n_samples.at[i] : 0;
		count->period = event->is_freq ? 0 : event->period;
		count->frequency = event->is_freq ? event->period : 0;
		count->is_tracepoint = event->type == PERF_TYPE_TRACEPOINT;
		count->has_callchain = event->sample_type & PERF_SAMPLE_CALLCHAIN;
		count->has_dump = event->sample_type & PERF_SAMPLE_STACK_USER;
		if (count->is_tracepoint && !event->tracepoint && count->n)
			lode_loss_add(&stream->losses, LODE_LOSS_UNDECODABLE, count->n, -1, 0,
				      "the recording has no format of tracepoint %s", count->name);
		stream->has_samples |= event->class == LODE_PERF_CPU && count->n;
		stream->has_wakings |= event->class >= LODE_PERF_SCHED_WAKING &&
				       event->class <= LODE_PERF_SCHED_WAKEUP && count->n;
		stream->has_syscalls |= event->class >= LODE_PERF_SYS_ENTER && count->n;
		stream->has_callchains |= count->has_callchain && count->n;
	}
}

/* Costs that are counts: cycles become time, other counters have their own unit. */
static void settle_costs(struct lode_stream *stream, const struct loading *l)
{
	const struct lode_perf_events *events = &l->header.events;

	if (stream->has_switches)
		return;
	if (events->has_cycles)
		lode_stream_count_time(stream);
	if (!events->other)
		return;
	lode_stream_use_cost_as_time(stream);
	stream->unit = stream->event_counts.at[events->other - 1].name;
}

/* What `lode record` runs beside perf, or was told to look at, stands in a note of its own. */
static void describe_command(struct lode_stream *stream, struct loading *l)
{
	const char *recorder = l->header.command;
	/* While perf writes, or when it was killed, the file does not say yet who recorded. */
	bool has_notes = !*recorder || strstr(recorder, " --control fd:") != NULL;
	char *command = has_notes ? lode_bundle_command_read(stream->path) : NULL;
	char *pids = has_notes ? lode_bundle_pids_read(stream->path) : NULL;
	const char *what = command ? command : pids ? pids : "";
	size_t size = strlen(recorder) + strlen(what) + sizeof(" --pid ");
	char *text = lode_alloc(size);
	const char *between = "";

	if (command && *command)
		between = " -- ";
	else if (!command && pids)
		between = " --pid ";
	if (pids)
		lode_perf_command_give_pids(&l->deliver.command, pids);
	stream->is_command_asked = command != NULL;
	stream->gave_up_dumps = has_notes && lode_bundle_stacks_gave_up(stream->path);
	snprintf(text, size, "%s%s%s", recorder, between, what);
	stream->command = keep_text(stream, text);
	free(command);
	free(pids);
	free(text);
}

static void describe_stream(struct lode_stream *stream, struct loading *l)
{
	uint64_t identity[5] = {l->header.identity, l->blocks.head_hash,
				(uint64_t)l->blocks.record_bytes, l->deliver.n_all_samples,
				(uint64_t)l->deliver.first_ns};

	stream->host = keep_text(stream, l->header.host);
	stream->has_wall_clock = l->header.has_wall_clock;
	if (stream->has_wall_clock)
		stream->wall_offset_ns = l->header.wall_clock_ns - l->header.own_clock_ns;
	stream->kernel = keep_text(stream, l->header.kernel);
	stream->arch = keep_text(stream, l->header.arch);
	describe_command(stream, l);
	stream->n_cpus = l->header.n_cpus;
	stream->n_samples = l->deliver.n_all_samples;
	stream->content_hash = lode_stable_hash(identity, sizeof(identity), 0);
	lode_losses_add(&stream->losses, &l->header.losses);
	lode_losses_add(&stream->losses, &l->blocks.losses);
	if (l->header.is_directory)
		lode_loss_add(&stream->losses, LODE_LOSS_TRUNCATED, 1, -1, 0,
			      "part of a recording with several files (perf record --threads): the "
			      "samples in its data.N files are not included");
	count_events(stream, l);
}

/* Nothing was read: an error rather than an empty stream. */
static int check_usable(const struct loading *l, const struct lode_stream *stream,
			struct lode_error *err)
{
	const char *path = lode_input_path(l->input);
	const struct lode_loss *loss = &stream->losses.by_kind[LODE_LOSS_TRUNCATED];

	if (l->deliver.n_all_samples || l->deliver.first_ns != INT64_MIN)
		return LODE_OK;
	if (!loss->count)
		loss = &stream->losses.by_kind[LODE_LOSS_BAD_RECORD];
	if (loss->count)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, loss->offset,
				 "no sample could be read: %s", loss->detail);
	if (!l->header.events.at.n)
		return lode_fail(err, LODE_ERR_TRUNCATED, path, l->header.data_offset,
				 "the recording ends before it describes an event");
	return LODE_OK;
}

static int finish_perf_load(struct lode_stream **out, struct loading *l,
			    struct lode_builder *builder, struct lode_error *err)
{
	const struct lode_tap *tap = l->options->tap;
	struct lode_stream *stream = lode_builder_stream(builder);
	size_t n_raw = l->deliver.stacks.raws.n;
	uint32_t *node_of_raw;
	int rc;

	lode_perf_deliver_finish(&l->deliver);
	describe_stream(stream, l);
	release_reading(l);
	rc = check_usable(l, stream, err);
	if (rc < 0) {
		lode_builder_free(builder);
		return rc;
	}
	for (uint32_t i = 0; i < l->deliver.dsos.at.n; i++)
		lode_perf_dsos_open(&l->deliver.dsos, i, &l->header, l->options->symboliser,
				    lode_input_path(l->input));
	node_of_raw = lode_perf_resolve(stream, &l->deliver.stacks, &l->deliver.dsos,
					l->options->addresses, l->n_threads);
	stream = lode_builder_finish(builder, node_of_raw, n_raw);
	settle_costs(stream, l);
	lode_perf_command_mark(&l->deliver.command, stream);
	lode_titles_apply(stream);
	lode_tracers_name_recorder(stream);
	lode_perf_cost_modules(stream);
	lode_perf_note_skipped(stream);
	if (tap && tap->finish)
		tap->finish(tap->context, stream, node_of_raw, n_raw);
	free(node_of_raw);
	*out = stream;
	return LODE_OK;
}

static int load_perf(struct lode_stream **out, struct lode_input *input,
		     const struct lode_source_options *options, struct lode_error *err)
{
	struct loading *l = lode_alloc0(1, sizeof(*l));
	struct lode_builder *builder;
	int rc;

	*out = NULL;
	l->options = options;
	l->input = input;
	l->n_threads = options->n_threads ? options->n_threads : lode_pool_cpus();
	if (l->n_threads > MAX_THREADS)
		l->n_threads = MAX_THREADS;
	rc = lode_perf_reader_open(&l->reader, input, true, err);
	if (rc < 0) {
		free(l);
		return rc;
	}
	rc = lode_perf_header_read(&l->header, &l->reader, options->tap, err);
	if (rc == LODE_OK) {
		builder = lode_builder_new(lode_input_path(input), lode_format_perf.name, "ns",
					   &options->narrow);
		set_up(l, builder);
		rc = run_perf_load(l);
		if (rc == LODE_OK) {
			rc = finish_perf_load(out, l, builder, err);
		} else {
			release_reading(l);
			lode_builder_free(builder);
		}
		lode_perf_deliver_release(&l->deliver);
	}
	lode_perf_header_release(&l->header);
	lode_perf_reader_close(&l->reader);
	free(l);
	return rc;
}

static int read_build_ids(struct lode_input *input, struct lode_build_ids *out,
			  struct lode_error *err)
{
	struct lode_perf_header header = {0};
	struct lode_perf_reader reader;
	int rc = lode_perf_reader_open(&reader, input, false, err);

	if (rc < 0)
		return rc;
	rc = lode_perf_header_read_build_ids(&header, &reader, err);
	for (size_t i = 0; i < header.build_ids.n; i++) {
		const struct lode_perf_build_id *id = &header.build_ids.at[i];

		if (!id->is_kernel)
			lode_build_ids_add(out, header.host, id->path, id->bytes, id->size);
	}
	lode_perf_header_release(&header);
	lode_perf_reader_close(&reader);
	return rc;
}

static bool recognise_perf_load(const uint8_t *head, size_t size)
{
	uint64_t magic = 0;

	if (size < sizeof(magic))
		return false;
	memcpy(&magic, head, sizeof(magic));
	return magic == LODE_PERF_MAGIC || magic == LODE_PERF_MAGIC_SWAPPED ||
	       magic == LODE_PERF_MAGIC_V1;
}

static const char *const file_globs[] = {"perf.data*", "*.perf.data", "*.perf.data.old", NULL};

const struct lode_format lode_format_perf = {
	.name = "perf.data",
	.recognise = recognise_perf_load,
	.globs = file_globs,
	.named = "perf's recordings",
	.begins = "'PERFILE2'",
	.load = load_perf,
	.read_calls = lode_stream_calls_read,
	.read_build_ids = read_build_ids,
};
