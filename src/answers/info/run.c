/* From a request to an answer: reads each input, assesses it, and keeps what the answer shows. */
#include "answers/info/info.h"
#include "answers/info/path_names.h"
#include "streams/digest_job.h"
#include "input/bundle_notes.h"
#include "input/repeated.h"
#include "input/siblings.h"
#include "input/symbols/packages.h"
#include "store/digest_file.h"
#include "base/lines.h"
#include "base/sorted.h"

struct lode_info_state {
	struct lode_info_answer answer; /* what the caller holds */
	const struct lode_info_request *request;
	LODE_VEC(struct lode_skipped_input) skipped;
	struct lode_arena arena;
};

static void tell(const struct lode_info_state *s, struct lode_info_news news)
{
	if (s->request->tell)
		s->request->tell(s->request->context, &news);
}

/* ---- One recording ---- */

static void list_lacks(struct lode_info_state *s, struct lode_info_stream *out, const char *path)
{
	char *lines = lode_bundle_lacks_read(path);

	out->lacks = lode_lines_split(lines, &out->n_lacks, &s->arena);
	free(lines);
}

static void list_events(struct lode_info_state *s, struct lode_info_stream *out,
			const struct lode_stream *stream)
{
	out->n_events = stream->event_counts.n;
	out->events = lode_arena_array(&s->arena, struct lode_event_count, out->n_events + 1);
	for (size_t i = 0; i < out->n_events; i++) {
		out->events[i] = stream->event_counts.at[i];
		out->events[i].name = lode_arena_strdup(&s->arena, out->events[i].name);
		out->n_empty_events += out->events[i].n == 0;
	}
}

static void list_losses(struct lode_info_state *s, struct lode_info_stream *out,
			const struct lode_losses *losses)
{
	struct lode_loss_row rows[LODE_N_LOSS_KINDS];
	char *cut = lode_job_cut_text(losses, NULL);

	out->n_loss_rows = lode_loss_rows(rows, losses);
	out->loss_rows = lode_arena_array(&s->arena, struct lode_loss_row, out->n_loss_rows);
	for (size_t i = 0; i < out->n_loss_rows; i++) {
		out->loss_rows[i] = rows[i];
		out->loss_rows[i].detail = lode_arena_strdup(&s->arena, rows[i].detail);
	}
	out->n_idle_gaps = losses->by_kind[LODE_LOSS_IDLE_GAP].count;
	out->n_lost_events = losses->by_kind[LODE_LOSS_EVENTS].count;
	out->lost_pct = lode_lost_pct(out->n_lost_events, out->n_samples);
	out->n_lost_records = losses->by_kind[LODE_LOSS_BAD_RECORD].count +
			      losses->by_kind[LODE_LOSS_UNDECODABLE].count;
	out->cut = lode_arena_strdup(&s->arena, cut);
	free(cut);
}

static struct lode_info_flaws shares_of(const struct lode_flaws *f)
{
	return (struct lode_info_flaws){
		.no_stack_pct = lode_part_pct(f->no_stack),
		.unrooted_pct = lode_part_pct(f->unrooted),
		.skips_caller_pct = lode_part_pct(f->skips_caller),
		.truncated_pct = lode_part_pct(f->truncated),
		.kernel_only_pct = lode_part_pct(f->kernel_only),
		.unknown_pct = lode_part_pct(f->unknown),
		.leaf_unknown_pct = lode_part_pct(f->leaf_unknown),
		.no_waker_pct = lode_part_pct(f->no_waker),
		.inferred_pct = lode_part_pct(f->inferred),
		.unsampled_pct = lode_part_pct(f->unsampled),
	};
}

/* ---- Packages of symbols ---- */

enum {
	MAX_PACKAGES = 4,
	LEAST_OF_PATH = 20 /* one part in so many of the path's time is worth a package */
};

struct packages {
	char names[300]; /* with a space before each */
	char files[300]; /* that they name: "postgres, psql" */
	int64_t unnamed_ns;
	size_t n;
};

/* Is " NAME" one of the names? */
static bool has_name(const char *names, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = names; (at = strstr(at, name)); at += n)
		if (at[n] == ' ' || !at[n])
			return true;
	return false;
}

/* The package that would name the module's functions, where this machine has the recorded file. */
static void add_package(struct packages *packages, const struct lode_stream *stream,
			const struct lode_path_module *module)
{
	for (size_t i = 0; i < stream->modules.n; i++) {
		const struct lode_module_quality *m = &stream->modules.at[i];
		char package[200] = " ";
		size_t n = strlen(packages->names), n_files = strlen(packages->files);

		if (strcmp(m->name, module->name) != 0 || !m->stripped ||
		    !lode_debug_package(package + 1, sizeof(package) - 1, "", m->stripped))
			continue;
		if (n + strlen(package) >= sizeof(packages->names) ||
		    n_files + strlen(m->name) + 2 >= sizeof(packages->files))
			return;
		packages->n++;
		packages->unnamed_ns += module->unnamed_ns;
		snprintf(packages->files + n_files, sizeof(packages->files) - n_files, "%s%s",
			 n_files ? ", " : "", m->name);
		/* Programs of one package. */
		if (!has_name(packages->names, package))
			snprintf(packages->names + n, sizeof(packages->names) - n, "%s", package);
		return;
	}
}

/* What answers about the command need: the names of the threads that it waited for as well. */
static void advise_packages(struct lode_quality *q, const struct lode_stream *stream)
{
	struct packages packages = {.n = 0};
	struct lode_path_names names;
	char text[900], share[80] = "It has no symbols";

	lode_path_names_find(&names, stream, &q->arena);
	for (size_t i = 0; i < names.n && packages.n < MAX_PACKAGES; i++)
		if (names.modules[i].unnamed_ns * LEAST_OF_PATH >= names.path_ns)
			add_package(&packages, stream, &names.modules[i]);
	if (packages.n)
		snprintf(share, sizeof(share), "%.0f %% of the critical path has no symbol",
			 100 * lode_ratio(packages.unnamed_ns, names.path_ns));
	else if (q->unnamed_module && !names.path_ns)
		add_package(&packages, stream, &(struct lode_path_module){q->unnamed_module, 0});
	if (!packages.n)
		return;
	snprintf(text, sizeof(text),
		 "%s, in %s: sudo apt-get install%s (from the distribution's debug symbol "
		 "archive, which must be enabled), or --debuginfod 30s (downloads from the servers "
		 "in $DEBUGINFOD_URLS).",
		 share, packages.files, packages.names);
	lode_vec_append(&q->advice,
			((struct lode_advice){.text = lode_arena_strdup(&q->arena, text)}));
}

static void assess(struct lode_info_state *s, struct lode_info_stream *out,
		   const struct lode_stream *stream)
{
	struct lode_quality *q = &out->quality;

	lode_quality_assess(q, stream);
	advise_packages(q, stream);
	out->machine = shares_of(&q->machine);
	if (q->has_command) {
		struct lode_info_flaws *of = lode_arena_array(&s->arena, struct lode_info_flaws, 1);

		*of = shares_of(&q->command);
		out->of_command = of;
	}
	out->advice = lode_arena_array(&s->arena, const char *, q->advice.n + 1);
	for (size_t i = 0; i < q->advice.n; i++)
		out->advice[out->n_advice++] = q->advice.at[i].text;
	if (q->record_line) {
		char text[700];

		snprintf(text, sizeof(text), "Record with: %s", q->record_line);
		out->advice[out->n_advice++] = lode_arena_strdup(&s->arena, text);
	}
}

/* ---- Its modules ---- */

/* By the cost that goes through frames without a symbol. */
LODE_COMPARE_AT(worst_first, struct lode_info_module,
		LODE_ORDER(b->unknown_ns, a->unknown_ns) ?: LODE_ORDER(b->cost_ns, a->cost_ns)
		?: strcmp(a->name, b->name))

/* Modules with equal names and costs are listed once. */
static void list_worst(struct lode_info_state *s, struct lode_info_stream *out, size_t n_modules)
{
	const struct lode_info_module **order =
		lode_arena_array(&s->arena, const struct lode_info_module *, n_modules + 1);
	size_t most = lode_listed(s->request->top, n_modules), n = 0;

	for (size_t i = 0; i < n_modules; i++)
		order[i] = &out->modules[i];
	lode_sort(order, n_modules, worst_first);
	for (size_t i = 0; i < n_modules && n < most && order[i]->cost_ns; i++)
		if (!n || worst_first(&order[n - 1], &order[i]) != 0)
			order[n++] = order[i];
	out->worst = order;
	out->n_worst = n;
}

static void list_modules(struct lode_info_state *s, struct lode_info_stream *out,
			 const struct lode_stream *stream)
{
	size_t n = stream->modules.n;

	out->modules = lode_arena_array(&s->arena, struct lode_info_module, n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct lode_module_quality *m = &stream->modules.at[i];

		out->modules[i] = (struct lode_info_module){
			.name = lode_arena_strdup(&s->arena, m->name),
			.build_id = lode_arena_strdup(&s->arena, m->build_id),
			.symbols = lode_arena_strdup(&s->arena, m->symbols ? m->symbols : ""),
			.unknown_pct = lode_part_pct((struct lode_part){m->unknown_ns, m->cost_ns}),
			.cost_ns = m->cost_ns,
			.unknown_ns = m->unknown_ns,
			.n_addresses = m->n_frames,
			.n_unknown = m->n_unknown,
		};
	}
	list_worst(s, out, n);
	out->n_modules = lode_listed(s->request->top, n);
	out->n_more_modules = n - out->n_modules;
}

static void show_stream(struct lode_info_state *s, const struct lode_stream *stream)
{
	struct lode_info_stream *out = &s->answer.streams[s->answer.n_streams++];

	*out = (struct lode_info_stream){
		.path = lode_arena_strdup(&s->arena, stream->path),
		.format = lode_arena_strdup(&s->arena, stream->format),
		.unit = lode_arena_strdup(&s->arena, stream->unit),
		.host = lode_arena_strdup(&s->arena, stream->host),
		.kernel = lode_arena_strdup(&s->arena, stream->kernel),
		.arch = lode_arena_strdup(&s->arena, stream->arch),
		.command = lode_arena_strdup(&s->arena, stream->command),
		.id = stream->content_hash,
		.n_cpus = stream->n_cpus,
		.t0_ns = stream->t0_ns,
		.t1_ns = stream->t1_ns,
		.has_wall_clock = stream->has_wall_clock,
		.wall_offset_ns = stream->has_wall_clock ? stream->wall_offset_ns : 0,
		.n_samples = stream->n_samples,
	};
	list_lacks(s, out, stream->path);
	list_events(s, out, stream);
	list_losses(s, out, &stream->losses);
	assess(s, out, stream);
	list_modules(s, out, stream);
	out->opening = lode_info_opening(out, s->request->asked, &s->arena);
	tell(s, (struct lode_info_news){.stream = out});
}

/* ---- All inputs ---- */

/* A digest has no events left to judge; who asks about one wants to know what it is for. */
static bool is_digest(const char *path, struct lode_error *err)
{
	struct lode_digest_origin origin = {0};
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	char recordings[64] = "";
	bool is_one;
	ssize_t n;

	if (strcmp(path, "-") == 0 || lode_input_open(&input, path, NULL) < 0)
		return false;
	n = lode_input_peek(input, head, sizeof(head), NULL);
	is_one = n > 0 && lode_digest_recognise(head, (size_t)n);
	if (is_one && lode_digest_read(NULL, &origin, input, err) == 0) {
		snprintf(recordings, sizeof(recordings), " of %llu recording%s",
			 (unsigned long long)origin.n_inputs, origin.n_inputs == 1 ? "" : "s");
		lode_fail(
			err, LODE_ERR_UNSUPPORTED, path, -1,
			"this is not a recording but a digest%s: mine it (lode mine), or merge it "
			"with others (lode digest --merge)",
			recordings);
	}
	lode_digest_origin_release(&origin);
	lode_input_close(input);
	return is_one;
}

/* Says why an input is not shown, and keeps it for the document. */
static void skip_input(struct lode_info_state *s, const char *path, const struct lode_error *err)
{
	char *reason = lode_job_reason(path, err);
	struct lode_skipped_input skipped = {
		.path = lode_arena_strdup(&s->arena, path),
		.reason = lode_arena_strdup(&s->arena, reason),
	};

	free(reason);
	lode_vec_append(&s->skipped, skipped);
	s->answer.skipped = s->skipped.at;
	s->answer.n_skipped = s->skipped.n;
	tell(s, (struct lode_info_news){.skipped = err});
}

static void skip_unusable(struct lode_info_state *s, const struct lode_inputs *inputs)
{
	for (size_t i = 0; i < inputs->n_skipped; i++) {
		struct lode_error skipped;

		lode_fail(&skipped, LODE_ERR_IO, inputs->skipped[i].path, -1, "%.500s",
			  inputs->skipped[i].reason);
		skip_input(s, inputs->skipped[i].path, &skipped);
	}
	if (inputs->n_other)
		tell(s, (struct lode_info_news){.n_other = inputs->n_other});
}

static void read_inputs(struct lode_info_state *s, const struct lode_inputs *inputs,
			const struct lode_source_options *source)
{
	s->answer.is_list = inputs->paths.n > 1;
	s->answer.streams =
		lode_arena_array(&s->arena, struct lode_info_stream, inputs->paths.n + 1);
	for (size_t i = 0; i < inputs->paths.n; i++) {
		const char *path = inputs->paths.at[i];
		struct lode_stream *stream;
		struct lode_error err;

		if (is_digest(path, &err) || lode_stream_load(&stream, path, source, &err) < 0) {
			skip_input(s, path, &err);
			continue;
		}
		show_stream(s, stream);
		lode_stream_free(stream);
	}
}

int lode_info_run(struct lode_info_answer **out, const struct lode_info_request *request,
		  struct lode_error *err)
{
	struct lode_info_state *s = lode_alloc0(1, sizeof(*s));
	struct lode_source_options source = request->source;
	struct lode_symbol_options symbols = request->symbols;
	struct lode_inputs inputs = {0};
	int rc;

	s->answer.state = s;
	s->request = request;
	*out = &s->answer;
	rc = lode_inputs_expand(&inputs, request->inputs, request->n_inputs, err);
	if (rc < 0)
		return rc;
	lode_inputs_skip_recompressed(&inputs, NULL);
	skip_unusable(s, &inputs);
	symbols.tells_missing = true;
	rc = lode_symboliser_new(&source.symboliser, &symbols, err);
	if (rc == 0) {
		lode_siblings_lend(source.symboliser, inputs.paths.at, inputs.paths.n);
		read_inputs(s, &inputs, &source);
		lode_symboliser_free(source.symboliser);
	}
	lode_inputs_release(&inputs);
	return rc;
}

void lode_info_free(struct lode_info_answer *answer)
{
	struct lode_info_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	for (size_t i = 0; i < answer->n_streams; i++)
		lode_quality_release(&answer->streams[i].quality);
	lode_vec_release(&s->skipped);
	lode_arena_release(&s->arena);
	free(s);
}
