/* Finds the offset of two clocks by the turns of connections between their hosts. */
#include "model/clock_match.h"

#include "base/sorted.h"
#include "model/connections.h"

/* Sends are noted when they return: their bytes may have been received by then. */
static const int64_t late_ns = 1000000;
/* What clocks kept by NTP may differ by, and bytes take. */
static const int64_t near_ns = 20000000;

enum {
	/* What a connection counts that both recordings saw from its first byte. */
	WHOLE_TURNS = 8,
	ENOUGH_TURNS = 8,
	/* LIMIT: of ports that were used again so often nothing is said; looking is quadratic. */
	MOST_OF_ONE_NAME = 64,
	/* Past this product of their turns only places are tried at which a window of turns fits.
	 */
	MOST_TRIED = 1 << 24,
	WINDOWS = 16,
	WINDOW = 32,
};

/* Bytes that `a` sends count up, those that it receives down; times are of its first and last
 * record. */
struct turn {
	int64_t n_bytes, first_ns, last_ns;
};

/* Turns without a gap in the records between them. */
struct segment {
	uint32_t socket;
	size_t first, n;
	bool is_whole; /* begins with the connection's first byte */
};

struct side {
	const struct lode_connections *connections;
	LODE_VEC(struct turn) turns;
	LODE_VEC(struct segment) segments;
};

/* Segments of both sides that may be of one connection. */
struct name {
	uint64_t of_a, of_b;
	uint32_t segment;
};

/* Where turns of a connection agree, and what that asks of the offset. */
struct agreement {
	int64_t low_ns, high_ns;
	uint32_t connection;
	size_t n_turns;
};

struct match {
	struct side a, b;
	LODE_VEC(struct agreement) found;
};

/* ---- Turns ---- */

static void add_transfer(struct side *side, const struct lode_transfer *t, bool is_b, bool is_new)
{
	int64_t n_bytes = t->is_send != is_b ? (int64_t)t->n_bytes : -(int64_t)t->n_bytes;
	struct turn *last = side->turns.n ? &side->turns.at[side->turns.n - 1] : NULL;

	if (!is_new && (last->n_bytes > 0) == (n_bytes > 0)) {
		last->n_bytes += n_bytes;
		last->last_ns = t->t_ns;
		return;
	}
	lode_vec_append(&side->turns, ((struct turn){n_bytes, t->t_ns, t->t_ns}));
	side->segments.at[side->segments.n - 1].n++;
}

/* Whether records may be missing between two times. */
static bool has_gap(const struct lode_connections *c, int64_t from_ns, int64_t to_ns)
{
	for (size_t i = 0; c->hosts.n && i < c->hosts.at[0].gaps.n; i++) {
		const struct lode_record_gap *gap = &c->hosts.at[0].gaps.at[i];

		if (gap->from_ns >= to_ns)
			return false;
		if (gap->to_ns > from_ns)
			return true;
	}
	return false;
}

LODE_COMPARE_WITH(by_socket_then_time, uint32_t, const struct lode_transfer *all,
		  LODE_ORDER(all[*a].socket, all[*b].socket) ?: LODE_ORDER(*a, *b))

static void make_turns(struct side *side, const struct lode_connections *c, bool is_b)
{
	size_t n = c->transfers.n;
	uint32_t *order = lode_order_by(n, by_socket_then_time, c->transfers.at);
	const struct lode_transfer *before = NULL;

	side->connections = c;
	for (size_t i = 0; i < n; i++) {
		const struct lode_transfer *t = &c->transfers.at[order[i]];
		const struct lode_socket *socket = &c->sockets.at[t->socket];
		bool is_other = !before || before->socket != t->socket;
		bool is_new;

		if (!socket->own || socket->is_loopback)
			continue;
		is_new = is_other || has_gap(c, before->t_ns, t->t_ns);
		if (is_new)
			lode_vec_append(
				&side->segments,
				((struct segment){t->socket, side->turns.n, 0,
						  is_other && socket->born_ns != INT64_MIN &&
							  !has_gap(c, socket->born_ns, t->t_ns)}));
		add_transfer(side, t, is_b, is_new);
		before = t;
	}
	free(order);
}

/* ---- Where they agree ---- */

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* One byte that `a` has at `a_ns` and `b` at `b_ns`. Times may be anything in damaged recordings.
 */
static void bound(struct agreement *x, bool is_sent_by_a, int64_t a_ns, int64_t b_ns)
{
	int64_t offset_ns;

	if (__builtin_sub_overflow(a_ns, b_ns, &offset_ns))
		return;
	if (is_sent_by_a)
		x->low_ns = larger(x->low_ns, offset_ns);
	else
		x->high_ns = smaller(x->high_ns, offset_ns);
}

/* Received before it was sent, by more than sends are noted late. */
static bool is_contradiction(const struct agreement *x)
{
	return x->low_ns > x->high_ns &&
	       (uint64_t)x->low_ns - (uint64_t)x->high_ns > (uint64_t)late_ns;
}

static int64_t middle(int64_t low_ns, int64_t high_ns)
{
	return low_ns + (int64_t)(((uint64_t)high_ns - (uint64_t)low_ns) / 2);
}

/*
 * Turns from p of A and q of B on, `n` of them. Of a turn that begins or ends a segment, only the
 * other end of it can be told. False: they contradict each other.
 */
static bool agree(struct agreement *x, const struct match *m, const struct segment *a,
		  const struct segment *b, size_t p, size_t q, size_t n)
{
	const struct turn *of_a = m->a.turns.at + a->first, *of_b = m->b.turns.at + b->first;

	for (size_t end = p + n; p < end; p++, q++) {
		bool has_begin = (p || a->is_whole) && (q || b->is_whole);
		bool has_end = p + 1 < a->n && q + 1 < b->n;
		bool by_a = of_a[p].n_bytes > 0;

		if (by_a != (of_b[q].n_bytes > 0) ||
		    (has_begin && has_end && of_a[p].n_bytes != of_b[q].n_bytes))
			return false;
		if (has_begin)
			bound(x, by_a, of_a[p].first_ns, of_b[q].first_ns);
		if (has_end)
			bound(x, by_a, of_a[p].last_ns, of_b[q].last_ns);
		if (is_contradiction(x))
			return false;
		x->n_turns += has_begin && has_end;
	}
	return true;
}

/* Turn i of A is turn i - shift of B, as far as both go. */
static void try_shift(struct match *m, const struct segment *a, const struct segment *b,
		      uint32_t connection, int64_t shift)
{
	struct agreement x = {INT64_MIN, INT64_MAX, connection, 0};
	size_t p = shift > 0 ? (size_t)shift : 0, q = shift < 0 ? (size_t)-shift : 0;
	size_t n = a->n - p < b->n - q ? a->n - p : b->n - q;
	int64_t swapped;

	if (!agree(&x, m, a, b, p, q, n) || x.low_ns == INT64_MIN || x.high_ns == INT64_MAX)
		return;
	if (a->is_whole && b->is_whole)
		x.n_turns += WHOLE_TURNS;
	if (!x.n_turns)
		return;
	if (x.low_ns > x.high_ns) {
		swapped = x.low_ns;
		x.low_ns = x.high_ns;
		x.high_ns = swapped;
	}
	lode_vec_append(&m->found, x);
}

/* Of long segments: the shifts at which one of some windows of B fits. */
static void try_windows(struct match *m, const struct segment *a, const struct segment *b,
			uint32_t connection)
{
	size_t n = b->n < WINDOW ? b->n : WINDOW;
	uint8_t *is_tried = lode_alloc0(a->n + b->n, 1);

	for (size_t w = 0; w < WINDOWS; w++) {
		size_t q = (b->n - n) * w / (WINDOWS - 1);

		for (size_t p = 0; p + n <= a->n; p++) {
			struct agreement x = {INT64_MIN, INT64_MAX, connection, 0};

			if (is_tried[p + b->n - q] || !agree(&x, m, a, b, p, q, n))
				continue;
			is_tried[p + b->n - q] = 1;
			try_shift(m, a, b, connection, (int64_t)p - (int64_t)q);
		}
	}
	free(is_tried);
}

static void match_segments(struct match *m, const struct segment *a, const struct segment *b,
			   uint32_t connection)
{
	if (a->is_whole && b->is_whole) {
		try_shift(m, a, b, connection, 0);
	} else if (a->n * b->n > MOST_TRIED) {
		try_windows(m, a, b, connection);
	} else {
		for (int64_t shift = 1 - (int64_t)b->n; shift < (int64_t)a->n; shift++)
			try_shift(m, a, b, connection, shift);
	}
}

LODE_COMPARE(by_both_names, struct name,
	     LODE_ORDER(a->of_a, b->of_a) ?: LODE_ORDER(a->of_b, b->of_b)
		     ?: LODE_ORDER(a->segment, b->segment))

static struct name *name_segments(const struct side *side, bool is_b)
{
	struct name *names = lode_alloc((side->segments.n + 1) * sizeof(*names));

	for (uint32_t i = 0; i < side->segments.n; i++) {
		const struct lode_socket *s =
			&side->connections->sockets.at[side->segments.at[i].socket];

		names[i] = (struct name){is_b ? s->peer : s->own, is_b ? s->own : s->peer, i};
	}
	lode_sort(names, side->segments.n, by_both_names);
	return names;
}

static bool is_one_name(const struct name *a, const struct name *b)
{
	return a->of_a == b->of_a && a->of_b == b->of_b;
}

static void match_all(struct match *m)
{
	struct name *a = name_segments(&m->a, false), *b = name_segments(&m->b, true);
	size_t n_a = m->a.segments.n, n_b = m->b.segments.n, end_a, end_b;
	uint32_t connection = 0;

	for (size_t i = 0, k = 0; i < n_a && k < n_b; i = end_a) {
		for (end_a = i; end_a < n_a && is_one_name(&a[i], &a[end_a]); end_a++)
			;
		while (k < n_b &&
		       (b[k].of_a < a[i].of_a || (b[k].of_a == a[i].of_a && b[k].of_b < a[i].of_b)))
			k++;
		for (end_b = k; end_b < n_b && is_one_name(&a[i], &b[end_b]); end_b++)
			;
		if (end_a - i > MOST_OF_ONE_NAME || end_b - k > MOST_OF_ONE_NAME)
			continue;
		for (size_t p = i; p < end_a; p++)
			for (size_t q = k; q < end_b; q++)
				match_segments(m, &m->a.segments.at[a[p].segment],
					       &m->b.segments.at[b[q].segment], connection++);
	}
	free(a);
	free(b);
}

/* ---- What most of them ask for ---- */

struct edge {
	int64_t t_ns;
	bool is_end;
	size_t n_turns;
};

LODE_COMPARE(by_edge, struct edge, LODE_ORDER(a->t_ns, b->t_ns) ?: LODE_ORDER(a->is_end, b->is_end))

static bool holds(const struct agreement *x, int64_t low_ns, int64_t high_ns)
{
	return x->low_ns <= high_ns && x->high_ns >= low_ns;
}

/*
 * The offsets that fit most turns, those agreements left out that hold for `but_ns`, and those that
 * do not hold within [low, high].
 */
static size_t most_turns(const struct match *m, const int64_t *but_ns, int64_t low_ns,
			 int64_t high_ns, int64_t *at_low_ns, int64_t *at_high_ns)
{
	LODE_VEC(struct edge) edges = {0};
	size_t sum = 0, most = 0;
	bool is_open = false;

	for (size_t i = 0; i < m->found.n; i++) {
		const struct agreement *x = &m->found.at[i];

		if ((but_ns && holds(x, *but_ns, *but_ns)) || !holds(x, low_ns, high_ns))
			continue;
		lode_vec_append(&edges,
				((struct edge){larger(x->low_ns, low_ns), false, x->n_turns}));
		lode_vec_append(&edges,
				((struct edge){smaller(x->high_ns, high_ns), true, x->n_turns}));
	}
	if (edges.n)
		lode_sort(edges.at, edges.n, by_edge);
	for (size_t i = 0; i < edges.n; i++) {
		if (edges.at[i].is_end) {
			if (is_open)
				*at_high_ns = edges.at[i].t_ns;
			is_open = false;
			sum -= edges.at[i].n_turns;
			continue;
		}
		sum += edges.at[i].n_turns;
		if (sum > most) {
			most = sum;
			*at_low_ns = *at_high_ns = edges.at[i].t_ns;
			is_open = true;
		}
	}
	lode_vec_release(&edges);
	return most;
}

void lode_clock_match_find(struct lode_clock_match *out, const struct lode_connections *a,
			   const struct lode_connections *b, int64_t expected_ns)
{
	struct match m = {0};
	int64_t low_ns = 0, high_ns = 0;

	*out = (struct lode_clock_match){0};
	if (!a || !b)
		return;
	make_turns(&m.a, a, false);
	make_turns(&m.b, b, true);
	match_all(&m);
	out->n_turns = most_turns(&m, NULL, INT64_MIN, INT64_MAX, &low_ns, &high_ns);
	out->offset_ns = middle(low_ns, high_ns);
	if (out->n_turns)
		out->n_other_turns =
			most_turns(&m, &out->offset_ns, INT64_MIN, INT64_MAX, &low_ns, &high_ns);
	out->other_ns = middle(low_ns, high_ns);
	if (expected_ns != INT64_MIN)
		out->n_expected = most_turns(&m, NULL, expected_ns - near_ns, expected_ns + near_ns,
					     &low_ns, &high_ns);
	out->is_unique = out->n_turns >= ENOUGH_TURNS && out->n_turns > 2 * out->n_other_turns;
	lode_vec_release(&m.a.turns);
	lode_vec_release(&m.a.segments);
	lode_vec_release(&m.b.turns);
	lode_vec_release(&m.b.segments);
	lode_vec_release(&m.found);
}
