/* From records of sockets to links between threads. */
#include "model/connections.h"

#include "base/sorted.h"

void lode_connections_free(struct lode_connections *connections)
{
	if (!connections)
		return;
	lode_vec_release(&connections->sockets);
	lode_vec_release(&connections->transfers);
	lode_vec_release_each(&connections->hosts, it, lode_vec_release(&it->gaps));
	lode_vec_release(&connections->thread_last_ns);
	lode_vec_release(&connections->cpu_last_ns);
	lode_map_release(&connections->socket_of);
	free(connections->by_thread);
	free(connections->thread_first);
	free(connections->by_socket);
	free(connections->socket_first);
	free(connections);
}

/* ---- Records ---- */

static uint32_t new_socket(struct lode_connections *c, uint64_t number, int64_t born_ns)
{
	struct lode_socket *socket = lode_vec_append_zero(&c->sockets);
	uint32_t id = (uint32_t)(c->sockets.n - 1);

	socket->born_ns = born_ns;
	socket->died_ns = INT64_MAX;
	socket->other = LODE_NONE;
	*lode_map_slot(&c->socket_of, number) = id;
	return id;
}

static uint32_t socket_of(struct lode_connections *c, uint64_t number)
{
	uint32_t id = lode_map_find(&c->socket_of, number);

	return id == LODE_NONE ? new_socket(c, number, INT64_MIN) : id;
}

static void name_socket(struct lode_connections *c, uint32_t id,
			const struct lode_socket_record *record)
{
	struct lode_socket *socket = &c->sockets.at[id];

	socket->own = record->own;
	socket->peer = record->peer;
	/* Where its begin was recorded, that tells. */
	if (socket->born_ns == INT64_MIN)
		socket->asks = record->asks;
	socket->is_loopback = record->is_loopback;
}

/* Established. The end that asked is there, without its port; the one that was asked begins. */
static void socket_up(struct lode_connections *c, const struct lode_socket_record *record)
{
	uint32_t id = lode_map_find(&c->socket_of, record->socket);

	if (id == LODE_NONE || c->sockets.at[id].own || c->sockets.at[id].born_ns == INT64_MIN)
		id = new_socket(c, record->socket, record->t_ns);
	name_socket(c, id, record);
}

/* A number whose socket has other ends is another socket's by now, whose begin was not recorded. */
static void socket_named(struct lode_connections *c, const struct lode_socket_record *record)
{
	uint32_t id = socket_of(c, record->socket);
	const struct lode_socket *socket = &c->sockets.at[id];

	if (socket->own == record->own && socket->peer == record->peer)
		return;
	if (socket->own)
		id = new_socket(c, record->socket, INT64_MIN);
	name_socket(c, id, record);
}

static int64_t *last_of_thread(struct lode_connections *c, lode_thread_id thread)
{
	while (c->thread_last_ns.n <= thread)
		lode_vec_append(&c->thread_last_ns, INT64_MIN);
	return &c->thread_last_ns.at[thread];
}

static void add_transfer(struct lode_connections *c, const struct lode_socket_record *record,
			 lode_thread_id thread)
{
	int64_t *last_ns = last_of_thread(c, thread);
	struct lode_transfer transfer = {
		.t_ns = record->t_ns,
		.before_ns = *last_ns,
		.n_bytes = (uint32_t)record->n_bytes,
		.thread = thread,
		.is_send = record->act == LODE_SOCKET_SENT,
		.first = LODE_NONE,
		.last = LODE_NONE,
	};

	*last_ns = record->t_ns;
	if (record->n_bytes <= 0 || record->n_bytes > INT32_MAX)
		return;
	transfer.socket = socket_of(c, record->socket);
	lode_vec_append(&c->transfers, transfer);
}

void lode_connections_add(struct lode_connections *connections,
			  const struct lode_socket_record *record, lode_thread_id thread)
{
	uint32_t id;

	if (record->cpu < UINT16_MAX) {
		while (connections->cpu_last_ns.n <= record->cpu)
			lode_vec_append(&connections->cpu_last_ns, INT64_MIN);
		connections->cpu_last_ns.at[record->cpu] = record->t_ns;
	}
	switch (record->act) {
	case LODE_SOCKET_SENT:
	case LODE_SOCKET_RECEIVED:
		add_transfer(connections, record, thread);
		break;
	case LODE_SOCKET_CONNECTS:
		id = new_socket(connections, record->socket, record->t_ns);
		connections->sockets.at[id].asks = true;
		break;
	case LODE_SOCKET_UP:
		socket_up(connections, record);
		break;
	case LODE_SOCKET_NAMED:
		socket_named(connections, record);
		break;
	case LODE_SOCKET_CLOSED:
		/* What has come may still be read, so that the number stays. */
		id = lode_map_find(&connections->socket_of, record->socket);
		if (id != LODE_NONE)
			connections->sockets.at[id].died_ns = record->t_ns;
		break;
	}
}

static struct lode_host_gaps *gaps_of(struct lode_connections *c, uint32_t host)
{
	while (c->hosts.n <= host)
		(void)lode_vec_append_zero(&c->hosts);
	return &c->hosts.at[host];
}

/* Behind those that are there, or overlapping the last of them. */
static void add_gap(struct lode_host_gaps *to, struct lode_record_gap gap)
{
	while (to->gaps.n) {
		const struct lode_record_gap *last = &to->gaps.at[to->gaps.n - 1];

		if (last->to_ns < gap.from_ns)
			break;
		if (last->from_ns < gap.from_ns)
			gap.from_ns = last->from_ns;
		if (last->to_ns > gap.to_ns)
			gap.to_ns = last->to_ns;
		to->gaps.n--;
	}
	lode_vec_append(&to->gaps, gap);
}

void lode_connections_lost(struct lode_connections *connections, int64_t t_ns, uint32_t cpu)
{
	struct lode_record_gap gap = {INT64_MIN, t_ns};

	/* Since the last record that is there of the CPU. */
	if (cpu < connections->cpu_last_ns.n)
		gap.from_ns = connections->cpu_last_ns.at[cpu];
	add_gap(gaps_of(connections, 0), gap);
}

/* ---- Transfers by thread, by socket ---- */

/* A counting sort: all that have the same number together, as they came. */
static uint32_t *group_transfers(const struct lode_connections *c, size_t n_groups,
				 uint32_t (*group_of)(const struct lode_transfer *),
				 uint32_t **first_of)
{
	uint32_t *first = lode_alloc0(n_groups + 2, sizeof(*first));
	uint32_t *grouped = lode_alloc((c->transfers.n + 1) * sizeof(*grouped));

	for (size_t i = 0; i < c->transfers.n; i++)
		first[group_of(&c->transfers.at[i]) + 2]++;
	for (size_t g = 2; g < n_groups + 2; g++)
		first[g] += first[g - 1];
	for (size_t i = 0; i < c->transfers.n; i++)
		grouped[first[group_of(&c->transfers.at[i]) + 1]++] = (uint32_t)i;
	*first_of = first;
	return grouped;
}

static uint32_t thread_of_transfer(const struct lode_transfer *transfer)
{
	return transfer->thread;
}

static uint32_t socket_of_transfer(const struct lode_transfer *transfer)
{
	return transfer->socket;
}

static void group_all(struct lode_connections *c, size_t n_threads)
{
	free(c->by_thread);
	free(c->thread_first);
	free(c->by_socket);
	free(c->socket_first);
	c->n_threads = n_threads;
	c->by_thread = group_transfers(c, n_threads, thread_of_transfer, &c->thread_first);
	c->by_socket = group_transfers(c, c->sockets.n, socket_of_transfer, &c->socket_first);
}

struct group {
	const struct lode_connections *connections;
	const uint32_t *at; /* indices of transfers */
	size_t n;
};

static struct group of_thread(const struct lode_connections *c, lode_thread_id thread)
{
	if (thread >= c->n_threads)
		return (struct group){c, c->by_thread, 0};
	return (struct group){c, c->by_thread + c->thread_first[thread],
			      c->thread_first[thread + 1] - c->thread_first[thread]};
}

static struct group of_socket(const struct lode_connections *c, uint32_t socket)
{
	return (struct group){c, c->by_socket + c->socket_first[socket],
			      c->socket_first[socket + 1] - c->socket_first[socket]};
}

static struct lode_transfer *transfer_at(const struct group *group, size_t i)
{
	return &group->connections->transfers.at[group->at[i]];
}

/* How many of the group are up to and with `t_ns`. */
static size_t up_to(const struct group *group, int64_t t_ns)
{
	size_t low = 0, high = group->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (transfer_at(group, mid)->t_ns <= t_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* ---- The two ends of a connection ---- */

struct end {
	uint64_t low, high; /* both ends' addresses, the smaller first */
	uint32_t host;	    /* of loopback, which is another on each host */
	uint32_t socket;
};

LODE_COMPARE(by_ends, struct end,
	     LODE_ORDER(a->low, b->low) ?: LODE_ORDER(a->high, b->high)
		     ?: LODE_ORDER(a->host, b->host) ?: LODE_ORDER(a->socket, b->socket))

static bool can_be_ends(const struct lode_socket *a, const struct lode_socket *b)
{
	return a->own == b->peer && a->own != a->peer && a->born_ns <= b->died_ns &&
	       b->born_ns <= a->died_ns;
}

/* The only one of `ends` that can be at the other end of ends[i]; LODE_NONE: none, or several. */
static uint32_t only_other(const struct lode_connections *c, const struct end *ends, size_t n,
			   size_t i)
{
	uint32_t found = LODE_NONE;

	for (size_t j = 0; j < n; j++) {
		if (!can_be_ends(&c->sockets.at[ends[i].socket], &c->sockets.at[ends[j].socket]))
			continue;
		if (found != LODE_NONE)
			return LODE_NONE;
		found = (uint32_t)j;
	}
	return found;
}

/* LIMIT: ports that were used again so often are left alone; looking is quadratic. */
enum { MOST_OF_ONE_NAME = 64 };

static void join_named_alike(struct lode_connections *c, const struct end *ends, size_t n)
{
	if (n > MOST_OF_ONE_NAME)
		return;
	for (size_t i = 0; i < n; i++) {
		uint32_t j = only_other(c, ends, n, i);

		if (j != LODE_NONE && only_other(c, ends, n, j) == i)
			c->sockets.at[ends[i].socket].other = ends[j].socket;
	}
}

static void find_ends(struct lode_connections *c)
{
	struct end *ends = lode_alloc((c->sockets.n + 1) * sizeof(*ends));
	size_t n = 0, first = 0;

	for (uint32_t i = 0; i < c->sockets.n; i++) {
		struct lode_socket *s = &c->sockets.at[i];

		s->other = LODE_NONE;
		if (!s->own)
			continue;
		ends[n++] = (struct end){s->own < s->peer ? s->own : s->peer,
					 s->own < s->peer ? s->peer : s->own,
					 s->is_loopback ? s->host : 0, i};
	}
	lode_sort(ends, n, by_ends);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && ends[i].low == ends[first].low && ends[i].high == ends[first].high &&
		    ends[i].host == ends[first].host)
			continue;
		join_named_alike(c, ends + first, i - first);
		first = i;
	}
	free(ends);
}

/* ---- Links ---- */

/* Between hosts: delays of the network, and of clocks that are kept by NTP. */
static const int64_t far_slack_ns = 20000000;
/* Clocks that are not yet held to each other: order alone tells. */
static const int64_t any_slack_ns = INT64_MAX / 4;

struct linking {
	struct lode_stream *stream;
	struct lode_connections *connections;
	bool is_unaligned;	    /* hosts' clocks are not yet held to each other */
	struct lode_host_gaps both; /* scratch: gaps of two hosts */
	LODE_VEC(struct lode_moved) sends, receives;
	LODE_VEC(uint32_t) send_ids, receive_ids; /* transfers */
	LODE_VEC(struct lode_sleep_for_more) sleeps;
	LODE_VEC(struct lode_byte_pair) pairs;
};

/* The last wait of a thread that ended in (from_ns, to_ns]; LODE_NONE: none. */
static size_t last_wait(const struct lode_events *events, int64_t from_ns, int64_t to_ns)
{
	size_t i = lode_events_find(events, to_ns);

	if (i < events->n && events->start_ns[i] < to_ns && lode_event_end_ns(events, i) <= to_ns)
		i++;
	while (i > 0 && lode_event_end_ns(events, i - 1) > from_ns) {
		i--;
		if (events->kind[i] == LODE_EVENT_WAITING && lode_event_end_ns(events, i) <= to_ns)
			return i;
	}
	return LODE_NONE;
}

static bool is_for_network(const struct lode_events *events, size_t wait)
{
	return events->reason[wait] == LODE_REASON_NETWORK ||
	       events->reason[wait] == LODE_REASON_POLL;
}

/* A thread that waited before it received, having done nothing else with sockets, slept for it. */
static void add_sleep(struct linking *l, const struct lode_transfer *receive)
{
	const struct lode_events *events = &l->stream->threads.at[receive->thread].events;
	size_t wait = last_wait(events, receive->before_ns, receive->t_ns);
	struct lode_sleep_for_more sleep;

	if (wait == LODE_NONE || !is_for_network(events, wait) ||
	    events->start_ns[wait] < receive->before_ns ||
	    events->flags[wait] & (LODE_EVENT_CUT_START | LODE_EVENT_INFERRED))
		return;
	sleep = (struct lode_sleep_for_more){events->start_ns[wait], receive->thread};
	lode_vec_append(&l->sleeps, sleep);
}

LODE_COMPARE(by_sleep, struct lode_sleep_for_more,
	     LODE_ORDER(a->t_ns, b->t_ns) ?: LODE_ORDER(a->who, b->who))

static struct lode_moved moved_of(const struct lode_transfer *transfer)
{
	return (struct lode_moved){transfer->t_ns, transfer->before_ns, transfer->n_bytes,
				   transfer->thread};
}

/* Of two hosts, in order. */
static const struct lode_host_gaps *gaps_of_both(struct linking *l, uint32_t a, uint32_t b)
{
	const struct lode_host_gaps *x, *y;
	size_t i = 0, j = 0;

	(void)gaps_of(l->connections, a > b ? a : b);
	x = gaps_of(l->connections, a);
	y = gaps_of(l->connections, b);
	l->both.gaps.n = 0;
	while (i < x->gaps.n || j < y->gaps.n) {
		bool is_x = j == y->gaps.n ||
			    (i < x->gaps.n && x->gaps.at[i].from_ns <= y->gaps.at[j].from_ns);

		add_gap(&l->both, is_x ? x->gaps.at[i++] : y->gaps.at[j++]);
	}
	return &l->both;
}

/* Gaps that lie before a connection's begin are none of it. */
static void take_gaps(struct linking *l, struct lode_byte_pairing *in, const struct lode_socket *a,
		      const struct lode_socket *b)
{
	int64_t born_ns = a->born_ns < b->born_ns ? a->born_ns : b->born_ns;
	const struct lode_host_gaps *of = a->host == b->host ? gaps_of(l->connections, a->host)
							     : gaps_of_both(l, a->host, b->host);
	size_t first = 0;

	while (in->is_whole && first < of->gaps.n && of->gaps.at[first].to_ns < born_ns)
		first++;
	in->gaps = of->gaps.at + first;
	in->n_gaps = of->gaps.n - first;
}

static void keep_pairs(struct linking *l)
{
	struct lode_transfer *transfers = l->connections->transfers.at;

	for (size_t j = 0; j < l->receives.n; j++) {
		const struct lode_byte_pair *pair = &l->pairs.at[j];
		uint32_t id = l->receive_ids.at[j];

		if (pair->first != LODE_NONE) {
			transfers[id].first = l->send_ids.at[pair->first];
			if (transfers[transfers[id].first].first == LODE_NONE)
				transfers[transfers[id].first].first = id;
			l->connections->n_linked++;
		}
		if (pair->last != LODE_NONE) {
			transfers[id].last = l->send_ids.at[pair->last];
			transfers[transfers[id].last].last = id;
		}
	}
}

/* One direction: what `from` sent and `to` received. */
static void link_direction(struct linking *l, uint32_t from, uint32_t to)
{
	struct lode_connections *c = l->connections;
	const struct lode_socket *a = &c->sockets.at[from], *b = &c->sockets.at[to];
	struct group senders = of_socket(c, from), receivers = of_socket(c, to);
	struct lode_byte_pairing in = {.is_whole =
					       a->born_ns != INT64_MIN && b->born_ns != INT64_MIN};

	if (a->host != b->host)
		in.slack_ns = in.is_whole && l->is_unaligned ? any_slack_ns : far_slack_ns;
	l->sends.n = l->receives.n = l->sleeps.n = l->send_ids.n = l->receive_ids.n = 0;
	for (size_t i = 0; i < senders.n; i++) {
		if (!transfer_at(&senders, i)->is_send)
			continue;
		lode_vec_append(&l->sends, moved_of(transfer_at(&senders, i)));
		lode_vec_append(&l->send_ids, senders.at[i]);
	}
	for (size_t i = 0; i < receivers.n; i++) {
		if (transfer_at(&receivers, i)->is_send)
			continue;
		lode_vec_append(&l->receives, moved_of(transfer_at(&receivers, i)));
		lode_vec_append(&l->receive_ids, receivers.at[i]);
		add_sleep(l, transfer_at(&receivers, i));
	}
	lode_sort(l->sleeps.at, l->sleeps.n, by_sleep);
	in.sends = l->sends.at;
	in.n_sends = l->sends.n;
	in.receives = l->receives.at;
	in.n_receives = l->receives.n;
	in.sleeps = l->sleeps.at;
	in.n_sleeps = l->sleeps.n;
	take_gaps(l, &in, a, b);
	lode_vec_reserve(&l->pairs, l->receives.n + 1);
	lode_byte_pairing_run(l->pairs.at, &in);
	keep_pairs(l);
}

/* ---- Who ended waits ---- */

/* The thread's first transfer behind its wait, if it comes before its next wait; NULL: none. */
static const struct lode_transfer *next_transfer(const struct lode_stream *stream,
						 lode_thread_id thread, size_t wait)
{
	const struct lode_events *events = &stream->threads.at[thread].events;
	struct group own = of_thread(stream->connections, thread);
	size_t i = up_to(&own, lode_event_end_ns(events, wait));
	int64_t t_ns;

	if (i == own.n)
		return NULL;
	t_ns = transfer_at(&own, i)->t_ns;
	for (size_t e = wait + 1; e < events->n && events->start_ns[e] < t_ns; e++)
		if (events->kind[e] == LODE_EVENT_WAITING)
			return NULL;
	return transfer_at(&own, i);
}

/* What was read behind a wait, if it was sent while that lasted; NULL: not known. */
static const struct lode_transfer *message_awaited(const struct lode_stream *stream,
						   lode_thread_id thread, size_t wait)
{
	const struct lode_events *events = &stream->threads.at[thread].events;
	const struct lode_transfer *receive = next_transfer(stream, thread, wait), *send;

	if (!receive || receive->is_send || receive->first == LODE_NONE)
		return NULL;
	send = &stream->connections->transfers.at[receive->first];
	if (send->t_ns <= events->start_ns[wait] ||
	    send->before_ns >= lode_event_end_ns(events, wait))
		return NULL;
	return receive;
}

static void name_wakers(struct lode_stream *stream, lode_thread_id thread)
{
	struct lode_events *events = &stream->threads.at[thread].events;

	if (of_thread(stream->connections, thread).n == 0)
		return;
	for (size_t i = 0; i < events->n; i++) {
		const struct lode_transfer *receive;
		lode_thread_id sender;

		if (events->kind[i] != LODE_EVENT_WAITING || events->other[i] != LODE_NONE ||
		    !is_for_network(events, i) ||
		    (events->device[i] != LODE_DEVICE_NETWORK &&
		     events->device[i] != LODE_DEVICE_NONE))
			continue;
		receive = message_awaited(stream, thread, i);
		if (!receive)
			continue;
		sender = stream->connections->transfers.at[receive->first].thread;
		if (sender == thread)
			continue;
		events->other[i] = sender;
		events->device[i] = LODE_DEVICE_NONE;
		events->flags[i] &= (uint8_t)~LODE_EVENT_NO_WAKER;
	}
}

static void link_all(struct lode_stream *stream, bool is_unaligned)
{
	struct lode_connections *c = stream->connections;
	struct linking l = {.stream = stream, .connections = c, .is_unaligned = is_unaligned};

	group_all(c, stream->threads.n);
	find_ends(c);
	c->n_linked = 0;
	for (size_t i = 0; i < c->transfers.n; i++)
		c->transfers.at[i].first = c->transfers.at[i].last = LODE_NONE;
	for (uint32_t i = 0; i < c->sockets.n; i++)
		if (c->sockets.at[i].other != LODE_NONE)
			link_direction(&l, i, c->sockets.at[i].other);
	lode_vec_release(&l.sends);
	lode_vec_release(&l.receives);
	lode_vec_release(&l.send_ids);
	lode_vec_release(&l.receive_ids);
	lode_vec_release(&l.sleeps);
	lode_vec_release(&l.pairs);
	lode_vec_release(&l.both.gaps);
}

void lode_connections_link(struct lode_stream *stream)
{
	if (!stream->connections)
		return;
	link_all(stream, false);
	for (lode_thread_id id = 0; stream->has_switches && id < stream->threads.n; id++)
		name_wakers(stream, id);
}

/* ---- Several hosts ---- */

LODE_COMPARE(by_transfer_time, struct lode_transfer,
	     LODE_ORDER(a->t_ns, b->t_ns) ?: LODE_ORDER(a->thread, b->thread)
		     ?: LODE_ORDER(a->is_send, b->is_send))

static void shift_time(int64_t *t_ns, int64_t by_ns)
{
	if (*t_ns != INT64_MIN && *t_ns != INT64_MAX)
		*t_ns += by_ns;
}

void lode_connections_shift(struct lode_connections *connections, uint32_t host, int64_t by_ns)
{
	struct lode_connections *c = connections;

	if (!c || !by_ns)
		return;
	for (size_t i = 0; i < c->transfers.n; i++) {
		struct lode_transfer *transfer = &c->transfers.at[i];

		if (c->sockets.at[transfer->socket].host != host)
			continue;
		shift_time(&transfer->t_ns, by_ns);
		shift_time(&transfer->before_ns, by_ns);
	}
	for (size_t i = 0; i < c->sockets.n; i++) {
		if (c->sockets.at[i].host != host)
			continue;
		shift_time(&c->sockets.at[i].born_ns, by_ns);
		shift_time(&c->sockets.at[i].died_ns, by_ns);
	}
	for (size_t i = 0; host < c->hosts.n && i < c->hosts.at[host].gaps.n; i++) {
		shift_time(&c->hosts.at[host].gaps.at[i].from_ns, by_ns);
		shift_time(&c->hosts.at[host].gaps.at[i].to_ns, by_ns);
	}
	lode_sort(c->transfers.at, c->transfers.n, by_transfer_time);
}

void lode_connections_append(struct lode_stream *to, const struct lode_stream *from,
			     lode_thread_id first_thread, uint32_t host)
{
	const struct lode_connections *others = from->connections;
	struct lode_connections *c;
	uint32_t first_socket;

	if (!others)
		return;
	if (!to->connections)
		to->connections = lode_alloc0(1, sizeof(*to->connections));
	c = to->connections;
	first_socket = (uint32_t)c->sockets.n;
	for (size_t i = 0; i < others->sockets.n; i++) {
		struct lode_socket socket = others->sockets.at[i];

		socket.host = host;
		lode_vec_append(&c->sockets, socket);
	}
	for (size_t i = 0; i < others->transfers.n; i++) {
		struct lode_transfer transfer = others->transfers.at[i];

		transfer.thread += first_thread;
		transfer.socket += first_socket;
		lode_vec_append(&c->transfers, transfer);
	}
	for (size_t i = 0; others->hosts.n && i < others->hosts.at[0].gaps.n; i++)
		add_gap(gaps_of(c, host), others->hosts.at[0].gaps.at[i]);
	lode_sort(c->transfers.at, c->transfers.n, by_transfer_time);
}

int64_t lode_connections_clock_error(struct lode_stream *stream, uint32_t host, size_t *n_links)
{
	const int64_t close_ns = 1000000;
	const struct lode_connections *c = stream->connections;
	int64_t least = INT64_MIN, most = INT64_MAX;

	*n_links = 0;
	if (!c)
		return 0;
	link_all(stream, true);
	for (size_t i = 0; i < c->transfers.n; i++) {
		const struct lode_transfer *receive = &c->transfers.at[i], *send;
		bool is_here, was_here;

		if (receive->is_send || receive->last == LODE_NONE)
			continue;
		send = &c->transfers.at[receive->last];
		is_here = c->sockets.at[receive->socket].host == host;
		was_here = c->sockets.at[send->socket].host == host;
		if (is_here == was_here)
			continue;
		++*n_links;
		if (is_here && send->t_ns - receive->t_ns > least)
			least = send->t_ns - receive->t_ns;
		if (was_here && receive->t_ns - send->t_ns < most)
			most = receive->t_ns - send->t_ns;
	}
	if (least != INT64_MIN && most != INT64_MAX && most - least < close_ns)
		return least + (most - least) / 2;
	return least > 0 ? least : most < 0 ? most : 0;
}

/* ---- What the other one was at ---- */

/* When `server` took the request that `receive` is the answer to; INT64_MIN: not known. */
static int64_t request_taken_ns(const struct lode_connections *c,
				const struct lode_transfer *receive, lode_thread_id server)
{
	struct group own = of_socket(c, receive->socket);
	size_t i = up_to(&own, receive->t_ns);

	if (!c->sockets.at[receive->socket].asks)
		return INT64_MIN;
	while (i > 0 && !transfer_at(&own, i - 1)->is_send)
		i--;
	if (!i || transfer_at(&own, i - 1)->last == LODE_NONE)
		return INT64_MIN;
	receive = &c->transfers.at[transfer_at(&own, i - 1)->last];
	return receive->thread == server ? receive->t_ns : INT64_MIN;
}

static bool is_request(const struct lode_connections *c, const struct lode_transfer *transfer)
{
	return !transfer->is_send && !c->sockets.at[transfer->socket].asks;
}

/* Whose request the thread was at behind its first `i` transfers: the last one that it took. */
static lode_thread_id client_behind(const struct group *own, size_t i)
{
	const struct lode_connections *c = own->connections;

	while (i > 0 && !is_request(c, transfer_at(own, i - 1)))
		i--;
	if (!i || transfer_at(own, i - 1)->last == LODE_NONE)
		return LODE_NONE;
	return c->transfers.at[transfer_at(own, i - 1)->last].thread;
}

/* The event of a thread at `t_ns`; LODE_NONE: none. */
static size_t event_at(const struct lode_events *events, int64_t t_ns)
{
	size_t i = lode_events_find(events, t_ns);

	return i < events->n && events->start_ns[i] <= t_ns ? i : LODE_NONE;
}

/* It waits for the next request, not for an answer. */
static bool is_idle(const struct lode_stream *stream, lode_thread_id thread, size_t event)
{
	const struct lode_events *events = &stream->threads.at[thread].events;
	const struct lode_transfer *receive;

	if (events->kind[event] != LODE_EVENT_WAITING || !is_for_network(events, event))
		return false;
	receive = next_transfer(stream, thread, event);
	return receive && is_request(stream->connections, receive);
}

lode_thread_id lode_connections_serves(const struct lode_stream *stream, lode_thread_id waiter,
				       size_t wait, lode_thread_id server, int64_t t_ns,
				       int64_t *until_ns, bool *is_queued)
{
	const struct lode_connections *c = stream->connections;
	const struct lode_transfer *receive = message_awaited(stream, waiter, wait);
	const struct lode_events *events = &stream->threads.at[server].events;
	struct group own = of_thread(c, server);
	lode_thread_id client;
	int64_t taken_ns;
	size_t event, i;

	*until_ns = INT64_MAX;
	*is_queued = false;
	if (!receive || c->transfers.at[receive->first].thread != server)
		return LODE_NONE;
	taken_ns = request_taken_ns(c, receive, server);
	if (t_ns >= taken_ns)
		return LODE_NONE;
	*until_ns = taken_ns;
	event = event_at(events, t_ns);
	if (event != LODE_NONE && lode_event_end_ns(events, event) < *until_ns)
		*until_ns = lode_event_end_ns(events, event);
	if (event == LODE_NONE || is_idle(stream, server, event))
		return LODE_NONE;
	*is_queued = true;
	i = up_to(&own, t_ns);
	client = client_behind(&own, i);
	for (; i < own.n && transfer_at(&own, i)->t_ns < *until_ns; i++)
		if (is_request(c, transfer_at(&own, i)) && client_behind(&own, i + 1) != client)
			*until_ns = transfer_at(&own, i)->t_ns;
	return client == waiter || client == server ? LODE_NONE : client;
}
