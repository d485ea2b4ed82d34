#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/waits/aoi.h"
#include "engine/waits/client.h"
#include "engine/waits/waitgraph.h"
#include "base/glob.h"
#include "unit/engine/random_stream.h"
#include "unit/engine/waits_oracle.h"
#include "cases.h"

enum {
	STACK_BYTES = 4096,
	KEY_BYTES = STACK_BYTES + 64,
	MAX_PLAIN_ROWS = 512,
	MAX_PLAIN_EVENTS = 256,
	MAX_PLAIN_OWN = 1024
};

/* ---- The oracle: rows with text keys, found by looking through all of them ---- */

struct plain_event {
	lode_thread_id thread;
	uint32_t event;
	int64_t start_ns, cost_ns;
};

struct plain_row {
	char key[KEY_BYTES];
	int64_t cost_ns, unsampled_ns;
	size_t n_events;
	struct plain_event events[MAX_PLAIN_EVENTS];
	size_t n_occurrences;
	uint32_t occurrences[MAX_PLAIN_EVENTS];
};

struct plain {
	const struct lode_stream *stream;
	const struct lode_aoi_options *options;
	size_t n_rows, symptom;
	int64_t lost_cost_ns;
	/* Events of the symptom's thread so far, LODE_NONE: it had none; of all symptoms, and where
	   those of the one at hand begin. An occurrence is known by the first of its events. */
	uint32_t own[MAX_PLAIN_OWN];
	size_t n_own, first_own;
	uint32_t occurrence;
	struct plain_row rows[MAX_PLAIN_ROWS];
};

/* Met in all tests. */
static unsigned n_taken_up, n_shared;

static bool is_wait(const struct lode_events *e, uint32_t i)
{
	return i != LODE_NONE && e->kind[i] == LODE_EVENT_WAITING;
}

static bool ends_alike(const struct lode_events *e, uint32_t a, uint32_t b)
{
	return e->other[a] == e->other[b] && e->other_stack[a] == e->other_stack[b] &&
	       e->device[a] == e->device[b] && e->reason[a] == e->reason[b];
}

/* The wait that own event `i` takes up, as its place among the own events; `i`: none. */
static size_t taken_up_at(const struct plain *plain, const struct lode_events *e, size_t i)
{
	for (size_t k = i; is_wait(e, plain->own[i]) && k-- > plain->first_own;) {
		if (is_wait(e, plain->own[k]) && e->flags[plain->own[k]] & LODE_EVENT_REARMED) {
			for (size_t m = k + 1; m < i; m++)
				if (is_wait(e, plain->own[m]) &&
				    ends_alike(e, plain->own[k], plain->own[m]))
					return i;
			return ends_alike(e, plain->own[k], plain->own[i]) ? k : i;
		}
	}
	return i;
}

static bool runs(const struct lode_events *e, uint32_t i)
{
	return i != LODE_NONE && e->kind[i] == LODE_EVENT_RUNNING;
}

/* Where the occurrence of own event `i` begins. */
static size_t begin_of(const struct plain *plain, const struct lode_events *e, size_t i)
{
	size_t taken_up;

	while (i > plain->first_own && runs(e, plain->own[i]) == runs(e, plain->own[i - 1]))
		i--;
	taken_up = taken_up_at(plain, e, i);
	n_taken_up += taken_up != i;
	return taken_up == i ? i : begin_of(plain, e, taken_up);
}

/* The symptom's thread goes on with this event. */
static void plain_enter(struct plain *plain, const struct lode_symptom *symptom, uint32_t event)
{
	const struct lode_events *e = &plain->stream->threads.at[symptom->thread].events;

	if (plain->n_own == plain->first_own || plain->own[plain->n_own - 1] != event) {
		assert_true(plain->n_own < MAX_PLAIN_OWN);
		plain->own[plain->n_own++] = event;
	}
	plain->occurrence = (uint32_t)begin_of(plain, e, plain->n_own - 1);
}

/* How many occurrences the rows have whose `is_in` is set. */
static size_t plain_count(const struct plain *plain, const bool *is_in)
{
	bool is_counted[MAX_PLAIN_OWN] = {false};
	size_t n = 0;

	for (size_t r = 0; r < plain->n_rows; r++)
		for (size_t k = 0; is_in[r] && k < plain->rows[r].n_occurrences; k++) {
			n += !is_counted[plain->rows[r].occurrences[k]];
			is_counted[plain->rows[r].occurrences[k]] = true;
		}
	return n;
}

static void plain_occur(struct plain_row *row, uint32_t occurrence)
{
	for (size_t i = 0; i < row->n_occurrences; i++)
		if (row->occurrences[i] == occurrence)
			return;
	assert_true(row->n_occurrences < MAX_PLAIN_EVENTS);
	row->occurrences[row->n_occurrences++] = occurrence;
}

static const char *plain_link_name(const char *comm)
{
	if (!strncmp(comm, "kworker/", 8))
		return "kworker";
	return strncmp(comm, "ph-worker/", 10) ? comm : "ph-worker/N";
}

static const char *comm_of(const struct lode_stream *stream, lode_thread_id thread)
{
	return stream->tree.strings.text.at[stream->threads.at[thread].comm];
}

static void append_link(char *text, const char *name)
{
	size_t len = strlen(text);

	snprintf(text + len, STACK_BYTES - len, ";→ %s", name);
}

static unsigned n_clients; /* met in all tests */

static void append_client(char *text, const struct lode_stream *stream, lode_thread_id client)
{
	size_t len = strlen(text);

	if (client == LODE_NONE)
		return;
	snprintf(text + len, STACK_BYTES - len, ";[client]!(busy with %s, inferred)",
		 plain_link_name(comm_of(stream, client)));
	n_clients++;
}

/* Does a frame of the ';'-separated stack match: in full, or its function alone? */
static bool has_match(const char *stack, const char *const *globs, size_t n_globs)
{
	char name[128];
	const char *function;
	size_t len;

	for (; *stack; stack += len) {
		stack++;
		len = strcspn(stack, ";");
		snprintf(name, sizeof(name), "%.*s", (int)len, stack);
		function = strchr(name, '!');
		for (size_t i = 0; i < n_globs; i++)
			if (lode_glob_match(globs[i], name) ||
			    (function && lode_glob_match(globs[i], function + 1)))
				return true;
	}
	return false;
}

static void plain_add(struct plain *plain, const char *stack, unsigned kind, unsigned reason,
		      const char *waker, const struct plain_event *event)
{
	const struct lode_aoi_options *options = plain->options;
	char key[KEY_BYTES];
	struct plain_row *row = plain->rows;
	size_t i;

	if ((options->kinds && !(options->kinds & 1u << kind)) ||
	    (options->reasons && !(options->reasons & 1u << reason)) ||
	    (options->n_include && !has_match(stack, options->include, options->n_include)) ||
	    has_match(stack, options->exclude, options->n_exclude))
		return;
	snprintf(key, sizeof(key), "%zu %u %u '%s' %s", plain->symptom, kind, reason, waker, stack);
	while (row < plain->rows + plain->n_rows && strcmp(row->key, key) != 0)
		row++;
	if (row == plain->rows + plain->n_rows) {
		assert_true(plain->n_rows++ < MAX_PLAIN_ROWS);
		row->cost_ns = row->unsampled_ns = 0;
		row->n_events = row->n_occurrences = 0;
		snprintf(row->key, sizeof(row->key), "%s", key);
	}
	row->cost_ns += event->cost_ns;
	if (plain->stream->has_switches)
		plain_occur(row, plain->occurrence);
	if (event->thread != LODE_NONE &&
	    plain->stream->threads.at[event->thread].events.flags[event->event] &
		    LODE_EVENT_UNSAMPLED)
		row->unsampled_ns += event->cost_ns;
	for (i = 0; i < row->n_events; i++)
		if (row->events[i].thread == event->thread && row->events[i].event == event->event)
			break;
	if (i == row->n_events) {
		assert_true(row->n_events++ < MAX_PLAIN_EVENTS);
		row->events[i] = *event;
	} else {
		row->events[i].cost_ns += event->cost_ns;
	}
}

static const char *ender_of(const struct lode_stream *stream, const struct lode_events *events,
			    uint32_t i)
{
	if (events->other[i] != LODE_NONE)
		return plain_link_name(comm_of(stream, events->other[i]));
	return events->device[i] ? lode_device_name(events->device[i]) : "";
}

static bool is_lost(const struct lode_events *events, uint32_t i)
{
	return events->kind[i] == LODE_EVENT_WAITING && events->other[i] == LODE_NONE &&
	       !events->device[i] && events->reason[i] != LODE_REASON_IDLE;
}

static void plain_event(struct plain *plain, lode_thread_id thread, uint32_t i, int64_t start_ns,
			int64_t cost_ns)
{
	const struct lode_events *events = &plain->stream->threads.at[thread].events;
	struct plain_event event = {thread, i, start_ns, cost_ns};
	char stack[STACK_BYTES] = "";
	bool is_wait = events->kind[i] == LODE_EVENT_WAITING;

	append_frames(stack, STACK_BYTES, &plain->stream->tree, events->stack[i]);
	if (is_lost(events, i))
		plain->lost_cost_ns += cost_ns;
	plain_add(plain, stack, events->kind[i], events->reason[i],
		  is_wait ? ender_of(plain->stream, events, i) : "", &event);
}

/* Met in all tests. */
static unsigned n_holders, n_turns, n_ready_behind;

/* The device that ended a wait, or the wait that a thread is ready at the end of. */
static const char *ending_device(const struct lode_events *e, uint32_t event)
{
	bool is_ready = e->kind[event] == LODE_EVENT_READY;
	uint32_t wait = event - is_ready;

	if (is_ready && (event == 0 || e->stack[wait] != e->stack[event] ||
			 e->start_ns[wait] + e->cost_ns[wait] != e->start_ns[event]))
		return NULL;
	if (e->kind[wait] != LODE_EVENT_WAITING || e->other[wait] != LODE_NONE || !e->device[wait])
		return NULL;
	n_ready_behind += is_ready;
	return lode_device_name(e->device[wait]);
}

/*
 * What stands behind an event that ends its chain, at the time `t`: the device that ended it, or
 * who may have held what it polled for, then, or just before it was ready.
 */
static void append_end(char *stack, const struct lode_stream *stream, lode_thread_id thread,
		       uint32_t event, int64_t t)
{
	const struct lode_events *e = &stream->threads.at[thread].events;
	bool is_wait = e->kind[event] == LODE_EVENT_WAITING;
	const char *device = ending_device(e, event);
	lode_thread_id by = LODE_NONE;
	struct oracle_link chain[ORACLE_MAX_LINKS];
	char link[128];

	if (is_wait)
		by = oracle_polled_by(stream, thread, event);
	else if (e->kind[event] == LODE_EVENT_READY && e->flags[event] & LODE_EVENT_REARMED &&
		 event > 0)
		by = oracle_polled_by(stream, thread, event - 1);
	if (by != LODE_NONE)
		oracle_chain_at(stream, by, t, chain);
	if (by == LODE_NONE || chain[0].event == LODE_NONE) {
		if (device)
			append_link(stack, device);
		return;
	}
	snprintf(link, sizeof(link), "%s (likely holder, inferred)",
		 plain_link_name(comm_of(stream, by)));
	append_link(stack, link);
	n_holders++;
	append_frames(stack, STACK_BYTES, &stream->tree,
		      stream->threads.at[by].events.stack[chain[0].event]);
}

static bool is_other_chain(const struct oracle_link *a, size_t n_a, const struct oracle_link *b,
			   size_t n_b)
{
	for (size_t i = 0; i < n_a && i < n_b; i++)
		if (a[i].thread != b[i].thread)
			return true;
	return n_a != n_b;
}

/* One ns of the critical path. A stretch without events counts as one event, from `gap_ns` on. */
static void plain_ns(struct plain *plain, const struct lode_symptom *symptom, int64_t t,
		     int64_t *gap_ns)
{
	const struct lode_stream *stream = plain->stream;
	lode_thread_id thread = symptom->thread;
	struct oracle_link chain[ORACLE_MAX_LINKS], first[ORACLE_MAX_LINKS];
	size_t n = oracle_turn_at(stream, thread, symptom->t0_ns, t, chain), i;
	const struct lode_events *events = &stream->threads.at[chain[n - 1].thread].events;
	uint32_t last = chain[n - 1].event;
	struct plain_event event = {chain[n - 1].thread, last, t, 1};
	unsigned reason = stream->threads.at[thread].events.reason
				  ? stream->threads.at[thread].events.reason[chain[0].event]
				  : 0;
	char stack[STACK_BYTES] = "";
	const char *waker = "";
	bool is_turn;

	i = oracle_chain_at(stream, thread, t, first);
	is_turn = is_other_chain(first, i, chain, n);
	for (i = plain->options->own_stacks ? n - 1 : 0; i < n; i++) {
		if (i > 0 && !plain->options->own_stacks)
			append_link(stack, plain_link_name(comm_of(stream, chain[i].thread)));
		if (i > 0 && i == n - 1 && !plain->options->own_stacks)
			append_client(stack, stream, oracle_client_of(stream, chain, n, is_turn));
		append_frames(stack, STACK_BYTES, &stream->tree,
			      stream->threads.at[chain[i].thread].events.stack[chain[i].event]);
	}
	if (events->kind[last] == LODE_EVENT_WAITING)
		waker = ender_of(stream, events, last);
	else if (n > 1)
		waker = plain_link_name(comm_of(stream, chain[n - 1].thread));
	if (!plain->options->own_stacks)
		append_end(stack, stream, chain[n - 1].thread, last, t);
	plain->lost_cost_ns += is_lost(events, last);
	n_turns += is_turn;
	*gap_ns = INT64_MIN;
	plain_add(plain, stack, events->kind[last], reason, waker, &event);
}

static void plain_critical(struct plain *plain, const struct lode_symptom *symptom)
{
	struct oracle_link chain[ORACLE_MAX_LINKS];
	int64_t gap_ns = INT64_MIN;

	for (int64_t t = symptom->t0_ns; t < symptom->t1_ns; t++) {
		oracle_chain_at(plain->stream, symptom->thread, t, chain);
		plain_enter(plain, symptom, chain[0].event);
		if (chain[0].event != LODE_NONE) {
			plain_ns(plain, symptom, t, &gap_ns);
			continue;
		}
		if (gap_ns == INT64_MIN)
			gap_ns = t;
		plain_add(plain, ";[unrecorded]", LODE_EVENT_WAITING, LODE_REASON_NONE, "",
			  &(struct plain_event){LODE_NONE, (uint32_t)(gap_ns + 1000), gap_ns, 1});
	}
}

/* The node of the symptom's thread from which node `n` was reached first. */
static size_t root_of(const struct lode_waitgraph *graph, size_t n_own, size_t n)
{
	const struct lode_waitgraph_node *at = graph->nodes.at;

	for (size_t i = 0; n >= n_own; i++) {
		assert_true(i < n);
		if (at[i].waker == at[n].thread && at[n].event >= at[i].first_edge &&
		    at[n].event - at[i].first_edge < at[i].n_edges)
			return root_of(graph, n_own, i);
	}
	return n;
}

static void plain_graph(struct plain *plain, const struct lode_symptom *symptom)
{
	const struct lode_stream *stream = plain->stream;
	const struct lode_events *events = &stream->threads.at[symptom->thread].events;
	struct lode_waitgraph graph = {0};
	uint32_t *number_of;
	size_t n_own = 0;

	/* Its own test says that it is Fig. 2. */
	lode_waitgraph_build(&graph, stream, symptom);
	number_of = calloc(graph.nodes.n + 1, sizeof(*number_of));
	for (uint32_t i = 0; i < events->n; i++)
		n_own += events->start_ns[i] >= symptom->t0_ns &&
			 lode_event_end_ns(events, i) <= symptom->t1_ns;
	for (size_t n = 0; n < graph.nodes.n; n++) {
		const struct lode_waitgraph_node *node = &graph.nodes.at[n];

		if (n < n_own)
			plain_enter(plain, symptom, node->event);
		else
			plain->occurrence = number_of[root_of(&graph, n_own, n)];
		number_of[n] = plain->occurrence;
		events = &stream->threads.at[node->thread].events;
		plain_event(plain, node->thread, node->event, events->start_ns[node->event],
			    events->cost_ns[node->event]);
	}
	free(number_of);
	lode_waitgraph_release(&graph);
}

static void plain_symptom(struct plain *plain, const struct lode_symptom *symptom)
{
	const struct lode_stream *stream = plain->stream;
	const struct lode_events *events = &stream->threads.at[symptom->thread].events;

	plain->first_own = plain->n_own;
	if (stream->has_switches && plain->options->scope == LODE_SCOPE_CRITICAL) {
		plain_critical(plain, symptom);
	} else if (stream->has_switches && plain->options->scope == LODE_SCOPE_GRAPH) {
		plain_graph(plain, symptom);
	} else {
		for (uint32_t i = 0; i < events->n; i++) {
			int64_t start = events->start_ns[i], end = start + events->cost_ns[i];

			if (!stream->has_switches) {
				if (start >= symptom->t0_ns &&
				    (start < symptom->t1_ns ||
				     (start == symptom->t1_ns && start == stream->t1_ns)))
					plain_event(plain, symptom->thread, i, start, end - start);
				continue;
			}
			start = start < symptom->t0_ns ? symptom->t0_ns : start;
			end = end > symptom->t1_ns ? symptom->t1_ns : end;
			if (start >= end)
				continue;
			plain_enter(plain, symptom, i);
			plain_event(plain, symptom->thread, i, start, end - start);
		}
	}
}

/* ---- Comparison ---- */

/* How many occurrences the digest's rows have whose `is_in` is set. */
static size_t count_occurrences(const struct lode_digest *digest, const bool *is_in)
{
	bool *is_counted = calloc(digest->groups.n + 1, sizeof(*is_counted));
	size_t n = 0;

	for (size_t r = 0; r < digest->rows.n; r++) {
		const struct lode_digest_row *row = &digest->rows.at[r];

		n += is_in[r] ? row->n_alone : 0;
		for (uint32_t k = 0; is_in[r] && k < row->n_shared; k++) {
			uint32_t group = digest->shared.at[row->first_shared + k];

			assert_true(group < digest->symptoms.at[row->symptom].n_groups);
			assert_true(k == 0 || digest->shared.at[row->first_shared + k - 1] < group);
			group += digest->symptoms.at[row->symptom].first_group;
			n += is_counted[group] ? 0 : digest->groups.at[group];
			is_counted[group] = true;
			n_shared++;
		}
	}
	free(is_counted);
	return n;
}

/* Any rows together, and each alone. `place_of`: of the digest's rows among the plain ones. */
static void check_occurrences(const struct plain *plain, const struct lode_digest *digest,
			      const size_t *place_of, uint64_t seed)
{
	struct rng rng = {seed};

	for (size_t round = 0; round < digest->rows.n + 8; round++) {
		bool is_in[MAX_PLAIN_ROWS] = {false}, is_plain_in[MAX_PLAIN_ROWS] = {false};
		size_t n, expected;

		for (size_t r = 0; r < digest->rows.n; r++) {
			is_in[r] = round < digest->rows.n ? r == round : rng_chance(&rng, 40);
			is_plain_in[place_of[r]] = is_in[r];
		}
		n = count_occurrences(digest, is_in);
		expected = plain_count(plain, is_plain_in);
		if (n != expected)
			fail_msg("seed %lu, round %zu: %zu occurrences, expected %zu", seed, round,
				 n, expected);
	}
}

static size_t check_row(struct plain *plain, const struct lode_digest *digest,
			const struct lode_digest_row *row, uint64_t seed)
{
	char key[KEY_BYTES], stack[STACK_BYTES] = "";
	const struct plain_event *worst;
	struct plain_row *expected = NULL;
	int64_t ran_ns = 0;

	append_frames(stack, STACK_BYTES, &digest->tree, row->stack);
	snprintf(key, sizeof(key), "%u %u %u '%s' %s", row->symptom, row->kind, row->reason,
		 digest->tree.strings.text.at[row->waker], stack);
	for (size_t i = 0; i < plain->n_rows; i++)
		if (!strcmp(plain->rows[i].key, key))
			expected = &plain->rows[i];
	if (!expected) {
		fail_msg("seed %lu: no such row, or twice: %s", seed, key);
		return 0;
	}
	worst = &expected->events[0];
	for (size_t i = 1; i < expected->n_events; i++)
		if (expected->events[i].cost_ns > worst->cost_ns ||
		    (expected->events[i].cost_ns == worst->cost_ns &&
		     expected->events[i].start_ns < worst->start_ns))
			worst = &expected->events[i];
	if (row->cost_ns != expected->cost_ns || row->n_events != expected->n_events ||
	    row->worst_cost_ns != worst->cost_ns || row->worst_t0_ns != worst->start_ns)
		fail_msg("seed %lu: %s: cost %ld, %u events, worst %ld at %ld; expected %ld, %zu, "
			 "%ld at %ld",
			 seed, key, row->cost_ns, row->n_events, row->worst_cost_ns,
			 row->worst_t0_ns, expected->cost_ns, expected->n_events, worst->cost_ns,
			 worst->start_ns);
	assert_true(row->unsampled_ns == expected->unsampled_ns);
	expected->key[0] = '\0';
	/* Who ran instead is somebody for each ns of ready time, and only of that. */
	for (uint32_t k = 0; k < row->n_runners; k++)
		ran_ns += digest->runners.at[row->first_runner + k].cost_ns;
	assert_true(ran_ns ==
		    (row->kind == LODE_EVENT_READY && digest->runners.n ? row->cost_ns : 0));
	return (size_t)(expected - plain->rows);
}

static void check_same(struct plain *plain, const struct lode_digest *digest, uint64_t seed)
{
	uint64_t n_events = 0;
	size_t place_of[MAX_PLAIN_ROWS];

	for (size_t i = 0; i < digest->rows.n; i++) {
		if (i && lode_digest_row_compare(&digest->rows.at[i - 1], &digest->rows.at[i]) >= 0)
			fail_msg("seed %lu: row %zu is out of order", seed, i);
		n_events += digest->rows.at[i].n_events;
		place_of[i] = check_row(plain, digest, &digest->rows.at[i], seed);
	}
	check_occurrences(plain, digest, place_of, seed);
	for (size_t i = 0; i < plain->n_rows; i++)
		if (plain->rows[i].key[0])
			fail_msg("seed %lu: row is missing: %s", seed, plain->rows[i].key);
	assert_int_equal(digest->n_events, n_events);
	assert_int_equal(digest->streams.n, 1);
	assert_int_equal(digest->streams.at[0].lost_cost_ns, plain->lost_cost_ns);
	assert_int_equal(digest->names.n_with.n, digest->tree.frames.n);
}

static void check_digest(struct plain *plain, const struct lode_stream *stream,
			 const struct lode_symptom *symptoms, size_t n,
			 const struct lode_aoi_options *options, uint64_t seed)
{
	struct lode_digest *digest;
	int64_t symptom_ns = 0, row_ns = 0;

	plain->stream = stream;
	plain->options = options;
	plain->n_rows = plain->symptom = plain->n_own = 0;
	plain->lost_cost_ns = 0;
	for (; plain->symptom < n; plain->symptom++) {
		plain_symptom(plain, &symptoms[plain->symptom]);
		symptom_ns += symptoms[plain->symptom].t1_ns - symptoms[plain->symptom].t0_ns;
	}
	assert_int_equal(lode_aoi_digest(&digest, stream, symptoms, n, options, NULL), 0);
	check_same(plain, digest, seed);
	assert_int_equal(digest->symptoms.n, n);
	for (size_t i = 0; i < digest->rows.n; i++)
		row_ns += digest->rows.at[i].cost_ns;
	if (stream->has_switches && options->scope == LODE_SCOPE_CRITICAL && !options->kinds &&
	    !options->reasons && !options->n_include && !options->n_exclude)
		assert_int_equal(row_ns, symptom_ns);
	lode_digest_free(digest);
}

/* Its waits become such for requests, mostly at one of two places: then threads have clients. */
static void make_requests(struct rng *rng, struct lode_stream *stream)
{
	uint32_t n = (uint32_t)stream->tree.nodes.n;

	for (size_t t = 0; t < stream->threads.n; t++) {
		struct lode_events *events = &stream->threads.at[t].events;

		stream->threads.at[t].pid = (int32_t)(t + rng_below(rng, 2));
		for (size_t i = 0; i < events->n; i++)
			if (events->kind[i] == LODE_EVENT_WAITING && rng_chance(rng, 90)) {
				events->reason[i] = LODE_REASON_NETWORK;
				events->stack[i] = rng_below(rng, n < 3 ? n : 3);
			}
	}
}

static void test_rows_are_what_the_definitions_say(void **state)
{
	static const char *const globs[] = {"main",   "libc!*",	  "*kworker",
					    "sched*", "[[]libx]", "disk"};
	struct plain *plain = malloc(sizeof(*plain));

	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream =
			rng_chance(&rng, 90) ? random_stream(&rng) : random_samples(&rng);
		size_t n = rng_below(&rng, 4);
		struct lode_symptom symptoms[3];
		struct lode_aoi_options options = {
			.scope = rng_chance(&rng, 60) ? LODE_SCOPE_CRITICAL
						      : (enum lode_scope)rng_below(&rng, 3),
			.own_stacks = rng_chance(&rng, 30),
		};

		for (size_t i = 0; i < n; i++)
			symptoms[i] = random_symptom(&rng, stream);
		if (rng_chance(&rng, 20))
			make_requests(&rng, stream);
		if (rng_chance(&rng, 15))
			options.kinds = rng_below(&rng, 1 << LODE_N_EVENT_KINDS);
		if (rng_chance(&rng, 15))
			options.reasons = rng_below(&rng, 1 << LODE_N_REASONS);
		if (rng_chance(&rng, 20)) {
			options.include = &globs[rng_below(&rng, 5)];
			options.n_include = 1 + rng_below(&rng, 2);
		}
		if (rng_chance(&rng, 20)) {
			options.exclude = &globs[rng_below(&rng, 6)];
			options.n_exclude = 1;
		}
		check_digest(plain, stream, symptoms, n, &options, seed);
		lode_stream_free(stream);
	}
	free(plain);
	assert_true(n_clients > 0);
	assert_true(n_holders > 8);
	assert_true(n_ready_behind > TEST_CASES(100));
	assert_true(n_shared > TEST_CASES(1000));
	assert_true(n_taken_up > TEST_CASES(100));
}

static void test_clients_are_who_the_definition_says(void **state)
{
	unsigned n_found = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(8000); seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_stream(&rng);
		struct lode_symptom symptom = random_symptom(&rng, stream);
		struct lode_critpath path = {0};
		struct lode_clients clients = {0};

		make_requests(&rng, stream);
		lode_critpath_build(&path, stream, &symptom);
		for (uint32_t i = 0; i < path.links.n; i++) {
			struct oracle_link chain[ORACLE_MAX_LINKS];
			bool is_seen = rng_chance(&rng, 30);
			lode_thread_id expected;
			size_t n = 0;

			if (path.links.at[i].parent == LODE_NONE)
				continue;
			for (uint32_t l = i; l != LODE_NONE; l = path.links.at[l].parent)
				n++;
			for (uint32_t l = i, k = 1; l != LODE_NONE;
			     l = path.links.at[l].parent, k++)
				chain[n - k] = (struct oracle_link){path.links.at[l].thread,
								    path.links.at[l].event};
			expected = oracle_client_of(stream, chain, n, is_seen);
			if (lode_client_of(&clients, stream, &path, i, is_seen) != expected)
				fail_msg("seed %llu, link %u: client %u, not %u",
					 (unsigned long long)seed, i,
					 lode_client_of(&clients, stream, &path, i, is_seen),
					 expected);
			n_found += expected != LODE_NONE;
		}
		lode_clients_release(&clients);
		lode_critpath_release(&path);
		lode_stream_free(stream);
	}
	assert_true(n_found > TEST_CASES(8000) / 100);
}

enum { FAST, SLOW, FRONT, DATABASE, MASTER, WORKERS, MAX_POOL = WORKERS + 4 };

/* Anything of a thread of a pool's, or of those that ask it. */
static void add_any(struct rng *rng, struct lode_stream *stream, lode_thread_id t, int64_t start_ns,
		    int64_t end_ns)
{
	lode_thread_id worker = WORKERS + rng_below(rng, (uint32_t)stream->threads.n - WORKERS);
	bool has_front = rng_chance(rng, 50);

	if (rng_chance(rng, t < WORKERS ? 20 : 60))
		add_run(stream, t, start_ns, end_ns, rng_chance(rng, 50) ? "sort" : "md5");
	else if (t < FRONT)
		add_request_wait(stream, t, start_ns, end_ns, "main;read",
				 has_front ? FRONT : worker);
	else if (t == FRONT)
		add_request_wait(stream, t, start_ns, end_ns, "epoll",
				 rng_chance(rng, 70) ? worker : rng_below(rng, 2));
	else if (t >= WORKERS && rng_chance(rng, 50))
		add_request_wait(stream, t, start_ns, end_ns, "accept",
				 rng_chance(rng, 80) ? (has_front ? FRONT : rng_below(rng, 2))
						     : LODE_NONE);
	else if (t >= WORKERS && rng_chance(rng, 50))
		add_request_wait(stream, t, start_ns, end_ns, "query",
				 rng_chance(rng, 80) ? DATABASE : LODE_NONE);
	else
		add_wait(stream, t, start_ns, end_ns, "fsync", LODE_NONE, LODE_DEVICE_DISK);
}

static struct lode_stream *random_pool(struct rng *rng)
{
	static const char *const comms[MAX_POOL] = {"fast",   "slow",	"nginx",  "db",	   "master",
						    "worker", "worker", "worker", "worker"};
	struct lode_stream *stream = stream_of_threads(comms, WORKERS + 2 + rng_below(rng, 3));

	for (lode_thread_id t = 0; t < stream->threads.n; t++) {
		struct lode_thread *thread = &stream->threads.at[t];

		thread->tid = (int32_t)t + 1;
		thread->pid = t > WORKERS && rng_chance(rng, 20) ? WORKERS + 1 : thread->tid;
		thread->parent = t >= WORKERS && rng_chance(rng, 90)   ? MASTER
				 : t >= WORKERS && rng_chance(rng, 50) ? FAST /* is 1 */
								       : LODE_NONE;
		for (int64_t at_ns = rng_below(rng, 10), end_ns; at_ns < 100; at_ns = end_ns) {
			end_ns = at_ns + 1 + rng_below(rng, t < FRONT ? 40 : 15);
			if (end_ns > 100)
				end_ns = 100;
			if (rng_chance(rng, 95))
				add_any(rng, stream, t, at_ns, end_ns);
		}
	}
	stream->t1_ns = 100;
	return stream;
}

static void test_turns_are_what_the_definition_says(void **state)
{
	struct lode_aoi_options options = {.scope = LODE_SCOPE_CRITICAL};
	struct plain *plain = malloc(sizeof(*plain));

	(void)state;
	n_turns = 0;
	for (uint64_t seed = 1; seed <= TEST_CASES(10000); seed++) {
		struct rng rng = {seed};
		struct lode_stream *stream = random_pool(&rng);
		struct lode_symptom symptom = {.thread = FAST, .t0_ns = rng_below(&rng, 20)};

		symptom.t1_ns = 80 + rng_below(&rng, 20);
		options.own_stacks = rng_chance(&rng, 20);
		check_digest(plain, stream, &symptom, 1, &options, seed);
		lode_stream_free(stream);
	}
	free(plain);
	assert_true(n_turns > TEST_CASES(1000));
}

/* A wait of 100 ns, in which another thread runs and waits six times each. */
static void test_a_wait_is_one_occurrence(void **state)
{
	static const char *const comms[] = {"main", "worker"};
	struct lode_stream *stream = stream_of_threads(comms, 2);
	struct lode_symptom symptom = {.thread = 0, .t0_ns = 0, .t1_ns = 140};
	struct lode_aoi_options options = {.scope = LODE_SCOPE_CRITICAL};
	bool is_behind[MAX_PLAIN_ROWS] = {false}, is_any[MAX_PLAIN_ROWS];
	struct lode_digest *digest;
	int64_t cost_ns = 0;
	uint32_t n_events = 0;

	(void)state;
	add_run(stream, 0, 0, 10, "main");
	add_wait(stream, 0, 10, 110, "main;lock", 1, LODE_DEVICE_NONE);
	add_run(stream, 0, 110, 120, "main");
	add_wait(stream, 0, 120, 140, "main;lock", LODE_NONE, LODE_DEVICE_DISK);
	for (int64_t t = 10; t < 106; t += 16) {
		add_run(stream, 1, t, t + 8, t < 60 ? "work" : "write");
		add_wait(stream, 1, t + 8, t == 90 ? 110 : t + 16, "sync", LODE_NONE,
			 LODE_DEVICE_DISK);
	}
	assert_int_equal(lode_aoi_digest(&digest, stream, &symptom, 1, &options, NULL), 0);
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];
		char stack[STACK_BYTES] = "";

		append_frames(stack, STACK_BYTES, &digest->tree, row->stack);
		is_any[i] = true;
		is_behind[i] = strstr(stack, "worker") != NULL;
		cost_ns += is_behind[i] ? row->cost_ns : 0;
		n_events += is_behind[i] ? row->n_events : 0;
	}
	assert_int_equal(cost_ns, 100);
	assert_int_equal(n_events, 12);
	assert_int_equal(count_occurrences(digest, is_behind), 1);
	assert_int_equal(count_occurrences(digest, is_any), 4);
	lode_digest_free(digest);
	lode_stream_free(stream);
}

static void test_symptoms_that_cannot_be_are_refused(void **state)
{
	static const char *const comms[] = {"main"};
	struct lode_stream *stream = stream_of_threads(comms, 1);
	struct lode_symptom symptom = {.thread = 1, .t0_ns = 0, .t1_ns = 110};
	struct lode_aoi_options options = {.scope = LODE_SCOPE_CRITICAL};
	struct lode_digest *digest;
	struct lode_error err = {0};

	(void)state;
	assert_int_equal(lode_aoi_digest(&digest, stream, &symptom, 1, &options, &err),
			 LODE_ERR_ARG);
	assert_null(digest);
	symptom.thread = 0;
	symptom.t1_ns = -1;
	assert_int_equal(lode_aoi_digest(&digest, stream, &symptom, 1, &options, &err),
			 LODE_ERR_ARG);
	symptom.t0_ns = INT64_MIN;
	symptom.t1_ns = INT64_MAX;
	assert_int_equal(lode_aoi_digest(&digest, stream, &symptom, 1, &options, &err),
			 LODE_ERR_ARG);
	symptom.t0_ns = 0;
	assert_int_equal(lode_aoi_digest(&digest, stream, &symptom, 1, &options, &err), 0);
	lode_digest_free(digest);
	lode_stream_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_what_the_definitions_say),
		cmocka_unit_test(test_clients_are_who_the_definition_says),
		cmocka_unit_test(test_turns_are_what_the_definition_says),
		cmocka_unit_test(test_a_wait_is_one_occurrence),
		cmocka_unit_test(test_symptoms_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
