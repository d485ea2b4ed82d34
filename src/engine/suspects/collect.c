/* Measures the metrics of one recording while it is read. */
#include "engine/suspects/collect.h"

#include <stdarg.h>
#include <stdio.h>

enum { MAX_NOTES = 64 };

/* ---- Metrics ---- */

uint32_t lode_collect_what(struct lode_collect *c, const char *name, const char *unit)
{
	uint32_t id = lode_strings_intern(&c->names, name, strlen(name));
	struct lode_collect_what *what;

	if (id < c->whats.n)
		return id;
	what = lode_vec_append_zero(&c->whats);
	what->name = c->names.text.at[id];
	what->unit = unit;
	what->metric = LODE_NONE;
	what->is_wanted = lode_metric_spec_wants(c->spec, name);
	if (!strcmp(name, "syscall:futex"))
		what->futex = LODE_FUTEX_BY_OP;
	else if (!strcmp(name, "syscall:futex_wait") || !strcmp(name, "syscall:futex_waitv"))
		what->futex = LODE_FUTEX_WAITS;
	return id;
}

bool lode_collect_is_wanted(const struct lode_collect *c, uint32_t what)
{
	return c->whats.at[what].is_wanted;
}

uint32_t lode_collect_metric(struct lode_collect *c, uint32_t what)
{
	struct lode_collect_what *w = &c->whats.at[what];

	if (w->metric == LODE_NONE)
		w->metric = lode_execution_set_metric(c->set, w->name, w->unit);
	return w->metric;
}

static void lose_n(struct lode_collect *c, uint32_t metric, enum lode_execution_loss loss,
		   uint64_t n)
{
	c->set->metrics.at[metric].losses[loss] += n;
}

void lode_collect_lose(struct lode_collect *c, uint32_t what, enum lode_execution_loss loss)
{
	if (c->whats.at[what].is_wanted)
		lose_n(c, lode_collect_metric(c, what), loss, 1);
}

void lode_collect_note(struct lode_collect *c, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (size_t i = 0; i < c->notes.n; i++)
		if (!strcmp(c->notes.at[i], text))
			return;
	if (c->notes.n < MAX_NOTES)
		lode_vec_append(&c->notes, lode_arena_strndup(&c->arena, text, strlen(text)));
}

/* ---- Executions ---- */

static void count_more(struct lode_collect *c, uint32_t metric, uint32_t stack, uint64_t n)
{
	uint32_t slot = lode_map_number(&c->more_index, (uint64_t)metric << 32 | stack, c->more.n);

	if (slot == c->more.n)
		lode_vec_append(&c->more, ((struct lode_collect_more){metric, stack, 0}));
	c->more.at[slot].n += n;
}

/* What is known of a stack is known at the end only: until then, how many stand on it. */
static void count_stack(struct lode_collect *c, uint32_t metric, uint32_t stack)
{
	struct lode_collect_count *count;

	while (c->counts.n <= stack)
		(void)lode_vec_append_zero(&c->counts);
	count = &c->counts.at[stack];
	if (count->metric != metric || count->n == UINT32_MAX) {
		if (count->n)
			count_more(c, count->metric, stack, count->n);
		*count = (struct lode_collect_count){metric, 0};
	}
	count->n++;
}

static void append_collect(struct lode_collect *c, const struct lode_execution *execution)
{
	if (c->err.status == LODE_OK)
		(void)lode_execution_set_append(c->set, execution, &c->err);
}

void lode_collect_append(struct lode_collect *c, uint32_t what, const struct lode_open_call *call,
			 int64_t value)
{
	struct lode_execution execution = {
		.start_ns = call->start_ns,
		.value = value,
		.metric = lode_collect_metric(c, what),
		.stack = call->stack,
		.tid = call->tid,
	};

	count_stack(c, execution.metric, execution.stack);
	append_collect(c, &execution);
}

void lode_collect_execution(struct lode_collect *c, uint32_t what, int64_t start_ns, int64_t value,
			    int32_t tid, uint32_t node, bool is_off_cpu)
{
	enum lode_graft_trim trim =
		is_off_cpu && !c->kernel_frames ? LODE_TRIM_SWITCH : LODE_TRIM_NONE;
	uint32_t metric = lode_collect_metric(c, what);
	uint32_t *id = &c->node_ids[(size_t)node * 2 + (trim != LODE_TRIM_NONE)];
	struct lode_execution execution = {
		.start_ns = start_ns, .value = value, .metric = metric, .tid = tid};

	if (*id == LODE_NONE) {
		*id = (uint32_t)c->nodes.n;
		lode_vec_append(&c->nodes, lode_graft_node(&c->graft, node, trim));
	}
	execution.stack = *id;
	if (!c->nodes.at[*id])
		lose_n(c, metric, LODE_EXECUTION_NO_STACK, 1);
	else if (!lode_graft_is_rooted(&c->graft, node))
		lose_n(c, metric, LODE_EXECUTION_UNROOTED, 1);
	append_collect(c, &execution);
}

/* ---- The end of a stream ---- */

static void on_begin(void *context, const struct lode_tap_about *about)
{
	struct lode_collect *c = context;

	c->arch = lode_arena_strndup(&c->arena, about->arch, strlen(about->arch));
	lode_execution_set_begin(c->set, c->path);
	c->is_begun = true;
	lode_collect_agree(c, about->has_all_kinds);
}

static void lose_by_stack(struct lode_collect *c, const uint32_t *node_of_raw, uint32_t metric,
			  uint32_t stack, uint64_t n)
{
	if (!n)
		return;
	if (!c->nodes.at[stack])
		lose_n(c, metric, LODE_EXECUTION_NO_STACK, n);
	else if (!lode_graft_is_rooted(&c->graft, node_of_raw[stack >> 1]))
		lose_n(c, metric, LODE_EXECUTION_UNROOTED, n);
}

static void on_finish(void *context, const struct lode_stream *stream, const uint32_t *node_of_raw,
		      size_t n_raw)
{
	struct lode_collect *c = context;

	if (!c->has_all_kinds)
		lode_collect_check_own(c);
	lode_graft_init(&c->graft, &c->set->tree, stream);
	c->is_complete = true;
	c->nodes.n = 0;
	for (uint32_t id = 0; id < c->counts.n; id++) {
		bool is_used = c->counts.at[id].n && id >> 1 < n_raw;

		lode_vec_append(&c->nodes,
				is_used ? lode_graft_node(&c->graft, node_of_raw[id >> 1],
							  id & 1 ? LODE_TRIM_KERNEL
								 : LODE_TRIM_NONE)
					: 0);
	}
	for (uint32_t id = 0; id < c->counts.n; id++)
		lose_by_stack(c, node_of_raw, c->counts.at[id].metric, id, c->counts.at[id].n);
	for (size_t i = 0; i < c->more.n; i++)
		lose_by_stack(c, node_of_raw, c->more.at[i].metric, c->more.at[i].stack,
			      c->more.at[i].n);
	c->node_ids = lode_alloc_none(stream->tree.nodes.n * 2);
	lode_collect_close_calls(c);
}

int lode_collect_end(struct lode_collect *c, struct lode_error *err)
{
	lode_collect_close_calls(c);
	if (c->is_begun)
		lode_execution_set_end(c->set, c->nodes.at, c->is_complete ? c->nodes.n : 0);
	if (c->is_complete)
		lode_graft_release(&c->graft);
	free(c->node_ids);
	c->node_ids = NULL;
	c->is_complete = c->is_begun = false;
	if (c->err.status != LODE_OK && err)
		*err = c->err;
	return c->err.status;
}

/* ---- Beginning, and going ---- */

struct lode_collect *lode_collect_new(struct lode_execution_set *set,
				      const struct lode_metric_spec *spec, bool kernel_frames)
{
	struct lode_collect *c = lode_alloc0(1, sizeof(*c));

	c->set = set;
	c->spec = spec;
	c->kernel_frames = kernel_frames;
	c->calls.lost = lode_collect_on_lost_call;
	c->calls.context = c;
	c->queued.lost = c->issued.lost = lode_collect_on_lost_request;
	c->queued.context = c->issued.context = c;
	c->queued.is_by_operation = true;
	c->tap = (struct lode_tap){
		.context = c,
		.kind = lode_collect_on_kind,
		.begin = on_begin,
		.event = lode_collect_on_event,
		.born = lode_collect_on_born,
		.ended = lode_collect_on_ended,
		.lost = lode_collect_on_lost,
		.finish = on_finish,
	};
	c->queue = lode_collect_what(c, "block:queue", "ns");
	c->device = lode_collect_what(c, "block:device", "ns");
	c->length = lode_collect_what(c, "block:length", "requests");
	c->send = lode_collect_what(c, "net:send", "ns");
	c->receive = lode_collect_what(c, "net:receive", "ns");
	c->futex = lode_collect_what(c, "futex:wait", "ns");
	c->other_syscall = lode_collect_what(c, "syscall:unknown", "ns");
	c->born = lode_collect_what(c, "", "ns");
	c->whats.at[c->born].is_wanted = false;
	for (size_t i = 0; spec && i < spec->own.n; i++) {
		uint32_t what = lode_collect_what(c, spec->own.at[i].name, "ns");

		c->whats.at[what].is_wanted = true;
		lode_vec_append(&c->own, what);
	}
	return c;
}

static void release_kinds(struct lode_collect *c)
{
	lode_vec_release_each(&c->kinds, it, lode_vec_release(&it->uses));
	lode_strings_release(&c->kind_names);
	memset(&c->kind_names, 0, sizeof(c->kind_names));
}

void lode_collect_begin(struct lode_collect *c, const char *path)
{
	release_kinds(c);
	c->tap.wants_model = false;
	c->arch = "";
	c->what_of_nr.n = 0;
	memset(c->has_role, 0, sizeof(c->has_role));
	for (size_t i = 0; i < c->whats.n; i++)
		c->whats.at[i].has_begin = c->whats.at[i].has_end = false;
	c->lost_ns.n = 0;
	c->lost_anywhere_ns = c->last_lost_ns = INT64_MIN;
	c->counts.n = c->more.n = c->nodes.n = c->notes.n = 0;
	lode_map_release(&c->more_index);
	c->n_newborn = 0;
	c->path = path;
}

struct lode_tap *lode_collect_tap(struct lode_collect *c)
{
	return &c->tap;
}

void lode_collect_free(struct lode_collect *c)
{
	if (!c)
		return;
	release_kinds(c);
	lode_strings_release(&c->names);
	lode_vec_release(&c->whats);
	lode_vec_release(&c->what_of_nr);
	lode_vec_release(&c->own);
	lode_pairing_release(&c->calls);
	lode_block_release(&c->queued);
	lode_block_release(&c->issued);
	lode_vec_release(&c->lost_ns);
	lode_vec_release(&c->counts);
	lode_vec_release(&c->more);
	lode_map_release(&c->more_index);
	lode_vec_release(&c->nodes);
	lode_vec_release(&c->notes);
	lode_arena_release(&c->arena);
	free(c);
}
