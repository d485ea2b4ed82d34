/* Streams of several hosts become one. */
#include "model/join.h"

#include <stdio.h>

#include "model/clock_match.h"
#include "model/connections.h"

/* ---- Times ---- */

int64_t lode_join_shifted(int64_t t_ns, int64_t by_ns)
{
	int64_t sum;

	/* "Always" and "never" stay so. */
	if (t_ns == INT64_MIN || t_ns == INT64_MAX || __builtin_add_overflow(t_ns, by_ns, &sum))
		return t_ns;
	return sum;
}

static void shift_threads(struct lode_stream *stream, lode_thread_id first, int64_t by_ns)
{
	for (lode_thread_id id = first; id < stream->threads.n; id++) {
		struct lode_thread *thread = &stream->threads.at[id];

		thread->born_ns = lode_join_shifted(thread->born_ns, by_ns);
		thread->died_ns = lode_join_shifted(thread->died_ns, by_ns);
		thread->exec_ns = lode_join_shifted(thread->exec_ns, by_ns);
		for (size_t i = 0; i < thread->events.n; i++)
			thread->events.start_ns[i] += by_ns;
	}
}

static void shift_cpus(struct lode_stream *stream, size_t first, int64_t by_ns)
{
	for (size_t cpu = first; cpu < stream->cpus.n; cpu++)
		for (size_t i = 0; i < stream->cpus.at[cpu].runs.n; i++)
			stream->cpus.at[cpu].runs.at[i].start_ns += by_ns;
}

/* What to add to `part`'s times, by what both say of the time of day; INT64_MIN: not known. */
static int64_t expected_offset(const struct lode_join_part *first,
			       const struct lode_join_part *part)
{
	const struct lode_stream *a = first->stream, *b = part->stream;
	int64_t offset_ns;

	if (part->has_offset)
		offset_ns = part->offset_ns;
	else if (!a->has_wall_clock || !b->has_wall_clock ||
		 __builtin_sub_overflow(b->wall_offset_ns, a->wall_offset_ns, &offset_ns))
		return INT64_MIN;
	/* A hundred years are no clock. */
	return offset_ns > INT64_MIN / 3 && offset_ns < INT64_MAX / 3 ? offset_ns : INT64_MIN;
}

/* Whether they recorded something at one time, if their clocks differ by so much. */
static bool do_overlap(const struct lode_stream *a, const struct lode_stream *b, int64_t offset_ns)
{
	int64_t t0_ns, t1_ns;

	return offset_ns != INT64_MIN && !__builtin_add_overflow(b->t0_ns, offset_ns, &t0_ns) &&
	       !__builtin_add_overflow(b->t1_ns, offset_ns, &t1_ns) && t0_ns < a->t1_ns &&
	       t1_ns > a->t0_ns;
}

static int refuse(const struct lode_stream *a, const struct lode_stream *b, bool has_expected,
		  const struct lode_clock_match *match, struct lode_error *err)
{
	const char *clocks = has_expected ? "its clock puts it at another time than"
					  : "there is no time of day to align it with";

	if (match->n_turns && match->n_other_turns)
		return lode_fail(err, LODE_ERR_ARG, b->path, -1,
				 "%s %s, and the traffic between the hosts fits several offsets "
				 "(%.6f s in %zu messages, %.6f s in %zu); choose one with "
				 "--clock-offset",
				 clocks, a->path, (double)match->offset_ns / 1e9, match->n_turns,
				 (double)match->other_ns / 1e9, match->n_other_turns);
	return lode_fail(err, LODE_ERR_ARG, b->path, -1,
			 "%s %s, and %s traffic between the hosts was recorded to find the offset "
			 "(lode record --network); state it with --clock-offset",
			 clocks, a->path, match->n_turns ? "too little" : "no");
}

/*
 * What messages between the hosts say of their clocks counts, unless it is not unique, or the
 * clocks are right. Hosts that do not talk with the first one may do so with another that comes
 * before.
 */
static int find_offset(struct lode_join_part *parts, size_t i, struct lode_error *err)
{
	struct lode_join_part *part = &parts[i];
	const struct lode_stream *a = parts[0].stream, *b = part->stream;
	int64_t expected_ns = expected_offset(&parts[0], part);
	struct lode_clock_match match = {0};
	size_t j;

	if (!a->has_switches || !b->has_switches)
		return lode_fail(err, LODE_ERR_ARG, (a->has_switches ? b : a)->path, -1,
				 "the recording has no context switches: it cannot be joined");
	for (j = 0; j < i && !match.is_unique; j++) {
		int64_t before_ns = j ? parts[j].offset_ns : 0;
		struct lode_clock_match with = {0};

		lode_clock_match_find(&with, parts[j].stream->connections, b->connections,
				      expected_ns == INT64_MIN ? expected_ns
							       : expected_ns - before_ns);
		with.offset_ns = lode_join_shifted(with.offset_ns, before_ns);
		with.other_ns = lode_join_shifted(with.other_ns, before_ns);
		if (with.is_unique || with.n_turns > match.n_turns)
			match = with;
	}
	if (match.is_unique &&
	    (match.n_turns > 2 * match.n_expected || !do_overlap(a, b, expected_ns))) {
		part->offset_ns = match.offset_ns;
		part->n_turns = match.n_turns;
	} else if (do_overlap(a, b, expected_ns)) {
		part->offset_ns = expected_ns;
	} else {
		return refuse(a, b, expected_ns != INT64_MIN, &match, err);
	}
	return LODE_OK;
}

/* ---- Stacks, names, threads, CPUs ---- */

/* Per node of `from`, its node in `to`. */
static uint32_t *copy_tree(struct lode_stream *to, const struct lode_stream *from)
{
	const struct lode_callnode *nodes = from->tree.nodes.at;
	uint32_t *node_of = lode_alloc((from->tree.nodes.n + 1) * sizeof(*node_of));
	uint32_t *frame_of = lode_alloc((from->tree.frames.n + 1) * sizeof(*frame_of));
	size_t n;

	for (uint32_t f = 0; f < from->tree.frames.n; f++)
		frame_of[f] = lode_frame_copy(&to->tree, &from->tree, f);
	node_of[0] = 0;
	for (size_t i = 1; i < from->tree.nodes.n; i++)
		node_of[i] = lode_calltree_child(&to->tree, node_of[nodes[i].parent],
						 frame_of[nodes[i].frame]);
	n = to->tree.nodes.n;
	to->stack_flags = lode_realloc_n(to->stack_flags, n, sizeof(*to->stack_flags));
	if (n > to->n_stack_flags)
		memset(to->stack_flags + to->n_stack_flags, 0, n - to->n_stack_flags);
	to->n_stack_flags = n;
	for (size_t i = 1; i < from->n_stack_flags && i < from->tree.nodes.n; i++)
		to->stack_flags[node_of[i]] |= from->stack_flags[i];
	free(frame_of);
	return node_of;
}

static lode_thread_id moved_thread(lode_thread_id id, lode_thread_id first, size_t n)
{
	return id < n ? first + id : id;
}

static uint32_t copy_string(struct lode_stream *to, const struct lode_stream *from, uint32_t id)
{
	const struct lode_strings *strings = &from->tree.strings;

	return lode_strings_intern(&to->tree.strings, strings->text.at[id], strings->len.at[id]);
}

/*
 * Room for the CPUs of another host: behind all that events of this one name, whether there is a
 * log of them or not.
 */
static size_t make_cpus(struct lode_stream *to)
{
	size_t n = to->cpus.n;

	for (size_t id = 0; id < to->threads.n; id++) {
		const struct lode_events *events = &to->threads.at[id].events;

		for (size_t i = 0; i < events->n; i++)
			if (events->cpu[i] != UINT16_MAX && events->cpu[i] >= n)
				n = (size_t)events->cpu[i] + 1;
	}
	while (to->cpus.n < n)
		(void)lode_vec_append_zero(&to->cpus);
	return n;
}

/* The other stream's CPUs, with who ran on them, behind those that are there. */
static void move_cpus(struct lode_stream *to, struct lode_stream *from)
{
	lode_thread_id first = (lode_thread_id)to->threads.n;

	for (size_t cpu = 0; cpu < from->cpus.n; cpu++) {
		struct lode_cpu log = from->cpus.at[cpu];

		for (size_t i = 0; i < log.runs.n; i++)
			log.runs.at[i].thread =
				moved_thread(log.runs.at[i].thread, first, from->threads.n);
		lode_vec_append(&to->cpus, log);
		from->cpus.at[cpu] = (struct lode_cpu){0};
	}
}

/* The other stream's threads, with their events, behind those that are there. */
static void move_threads(struct lode_stream *to, struct lode_stream *from, const uint32_t *node_of,
			 size_t first_cpu)
{
	lode_thread_id first = (lode_thread_id)to->threads.n;
	size_t n = from->threads.n;

	for (size_t id = 0; id < n; id++) {
		struct lode_thread thread = from->threads.at[id];
		struct lode_events *events = &thread.events;

		thread.comm = copy_string(to, from, thread.comm);
		thread.title = copy_string(to, from, thread.title);
		thread.parent = moved_thread(thread.parent, first, n);
		for (size_t i = 0; i < events->n; i++) {
			events->stack[i] = node_of[events->stack[i]];
			events->other_stack[i] = node_of[events->other_stack[i]];
			events->other[i] = moved_thread(events->other[i], first, n);
			events->cpu[i] = events->cpu[i] + first_cpu < UINT16_MAX
						 ? (uint16_t)(events->cpu[i] + first_cpu)
						 : UINT16_MAX;
		}
		lode_vec_append(&to->threads, thread);
		from->threads.at[id].events = (struct lode_events){0};
	}
}

/* "shop" -> "shop@web1" */
static uint32_t name_of_host(struct lode_strings *strings, uint32_t id, const char *host)
{
	char name[192];

	snprintf(name, sizeof(name), "%.64s@%.96s", strings->text.at[id], host);
	return lode_strings_intern(strings, name, strlen(name));
}

static void name_threads(struct lode_stream *stream, lode_thread_id first, const char *host)
{
	struct lode_strings *strings = &stream->tree.strings;

	for (lode_thread_id id = first; id < stream->threads.n; id++) {
		struct lode_thread *thread = &stream->threads.at[id];

		thread->comm = name_of_host(strings, thread->comm, host);
		if (thread->title)
			thread->title = name_of_host(strings, thread->title, host);
	}
}

/* Its host's name; with its number where an earlier one has the same, or it has none. */
static void name_part(struct lode_stream *into, const struct lode_join_part *parts, size_t part,
		      const char *const *hosts)
{
	char name[96];
	bool is_known = !*hosts[part];

	for (size_t i = 0; i < part; i++)
		is_known |= !strcmp(hosts[i], hosts[part]);
	snprintf(name, sizeof(name), "%.64s", hosts[part]);
	if (is_known)
		snprintf(name, sizeof(name), "%.64s.%zu", *hosts[part] ? hosts[part] : "host",
			 part + 1);
	name_threads(into, parts[part].first_thread, name);
}

/* ---- The rest ---- */

static void describe(struct lode_stream *to, const struct lode_stream *from, int64_t by_ns)
{
	uint64_t both[2] = {to->content_hash, from->content_hash};
	int64_t t0_ns = lode_join_shifted(from->t0_ns, by_ns);
	int64_t t1_ns = lode_join_shifted(from->t1_ns, by_ns);
	char hosts[256];

	to->content_hash = lode_stable_hash(both, sizeof(both), 0);
	to->content_bytes += from->content_bytes;
	to->n_samples += from->n_samples;
	to->n_cpus += from->n_cpus;
	to->t0_ns = t0_ns < to->t0_ns ? t0_ns : to->t0_ns;
	to->t1_ns = t1_ns > to->t1_ns ? t1_ns : to->t1_ns;
	to->has_wakings &= from->has_wakings;
	to->has_samples |= from->has_samples;
	to->has_callchains |= from->has_callchains;
	to->has_syscalls |= from->has_syscalls;
	lode_losses_add(&to->losses, &from->losses);
	snprintf(hosts, sizeof(hosts), "%s, %s", to->host, from->host);
	to->host = lode_arena_strndup(&to->arena, hosts, strlen(hosts));
}

static void join_part(struct lode_stream *to, struct lode_join_part *part, uint32_t host)
{
	struct lode_stream *from = part->stream;
	uint32_t *node_of = copy_tree(to, from);
	size_t first_cpu = make_cpus(to);
	int64_t by_ns;

	part->first_thread = (lode_thread_id)to->threads.n;
	shift_threads(from, 0, part->offset_ns);
	shift_cpus(from, 0, part->offset_ns);
	lode_connections_shift(from->connections, 0, part->offset_ns);
	move_cpus(to, from);
	move_threads(to, from, node_of, first_cpu);
	lode_connections_append(to, from, part->first_thread, host);
	by_ns = lode_connections_clock_error(to, host, &part->n_links);
	shift_threads(to, part->first_thread, by_ns);
	shift_cpus(to, first_cpu, by_ns);
	lode_connections_shift(to->connections, host, by_ns);
	part->offset_ns += by_ns;
	describe(to, from, part->offset_ns);
	free(node_of);
}

int lode_streams_join(struct lode_join_part *parts, size_t n, struct lode_error *err)
{
	struct lode_stream *to = parts[0].stream;
	const char **hosts = lode_alloc0(n, sizeof(*hosts));
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		hosts[i] = lode_arena_strndup(&to->arena, parts[i].stream->host,
					      strlen(parts[i].stream->host));
	for (size_t i = 1; rc == 0 && i < n; i++)
		rc = find_offset(parts, i, err);
	if (rc == 0) {
		parts[0].first_thread = 0;
		parts[0].offset_ns = 0;
		name_part(to, parts, 0, hosts);
	}
	for (size_t i = 1; rc == 0 && i < n; i++) {
		join_part(to, &parts[i], (uint32_t)i);
		name_part(to, parts, i, hosts);
		lode_stream_free(parts[i].stream);
		parts[i].stream = NULL;
	}
	if (rc == 0)
		lode_connections_link(to);
	free(hosts);
	return rc;
}
