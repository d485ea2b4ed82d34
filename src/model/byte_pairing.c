/* Byte counts at both ends of a connection become links from receives to sends. */
#include "model/byte_pairing.h"

#include "base/map.h"
#include "base/sorted.h"

/* How many bytes there were up to a time. */
struct total {
	int64_t t_ns, n_bytes;
};

struct pairing {
	const struct lode_byte_pairing *in;
	struct lode_byte_pair *out;
	struct total *sent;    /* by the time when they were over; n_sends */
	struct total *started; /* by the time since which they may have been under way; n_sends */
	bool *is_blurred;      /* per send: another thread sent at about the same time */
	bool has_several_senders, has_several_receivers;
};

/* The stretch between two gaps. */
struct stretch {
	int64_t from_ns, to_ns; /* (from, to] */
	/* Closer to its ends, several threads' order may be that of records that are missing. */
	int64_t sharp_from_ns, sharp_to_ns;
	size_t send, n_sends, receive, n_receives;
	int64_t sent_before; /* bytes */
	int64_t under_way;   /* bytes when counting begins: below 0 if a send was half received */
};

LODE_COMPARE(by_time, struct total, LODE_ORDER(a->t_ns, b->t_ns))

static void sum(struct total *totals, size_t n)
{
	for (size_t i = 1; i < n; i++)
		totals[i].n_bytes += totals[i - 1].n_bytes;
}

/* Bytes up to and with `t_ns`. */
static int64_t total_at(const struct total *totals, size_t n, int64_t t_ns)
{
	size_t upto = lode_sorted_up_to(totals, n, sizeof(*totals), t_ns);

	return upto ? totals[upto - 1].n_bytes : 0;
}

/* Another thread did the same within the blur. */
static bool is_blurred(const struct lode_moved *moved, size_t n, size_t i)
{
	for (size_t j = i; j-- > 0 && moved[i].t_ns - moved[j].t_ns < LODE_PAIRING_BLUR_NS;)
		if (moved[j].who != moved[i].who)
			return true;
	for (size_t j = i + 1; j < n && moved[j].t_ns - moved[i].t_ns < LODE_PAIRING_BLUR_NS; j++)
		if (moved[j].who != moved[i].who)
			return true;
	return false;
}

static bool has_several(const struct lode_moved *moved, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (moved[i].who != moved[0].who)
			return true;
	return false;
}

static void count_bytes(struct pairing *p)
{
	const struct lode_byte_pairing *in = p->in;

	for (size_t i = 0; i < in->n_sends; i++) {
		const struct lode_moved *send = &in->sends[i];

		p->sent[i] = (struct total){send->t_ns, send->n_bytes};
		p->started[i] = (struct total){send->before_ns, send->n_bytes};
		p->is_blurred[i] = is_blurred(in->sends, in->n_sends, i);
	}
	lode_sort(p->started, in->n_sends, by_time);
	p->has_several_senders = has_several(in->sends, in->n_sends);
	p->has_several_receivers = has_several(in->receives, in->n_receives);
	sum(p->sent, in->n_sends);
	sum(p->started, in->n_sends);
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static bool is_sharp(const struct stretch *s, int64_t t_ns)
{
	return t_ns >= s->sharp_from_ns && t_ns <= s->sharp_to_ns;
}

static struct stretch stretch_of(const struct pairing *p, size_t gap)
{
	const struct lode_byte_pairing *in = p->in;
	struct stretch s = {
		.from_ns = gap ? in->gaps[gap - 1].to_ns : INT64_MIN,
		.to_ns = gap < in->n_gaps ? in->gaps[gap].from_ns : INT64_MAX,
	};

	s.send = gap ? lode_sorted_up_to(in->sends, in->n_sends, sizeof(*in->sends), s.from_ns) : 0;
	s.receive = gap ? lode_sorted_up_to(in->receives, in->n_receives, sizeof(*in->receives),
					    s.from_ns)
			: 0;
	s.n_sends = lode_sorted_up_to(in->sends, in->n_sends, sizeof(*in->sends), s.to_ns);
	s.n_sends = s.n_sends > s.send ? s.n_sends - s.send : 0;
	s.n_receives =
		lode_sorted_up_to(in->receives, in->n_receives, sizeof(*in->receives), s.to_ns);
	s.n_receives = s.n_receives > s.receive ? s.n_receives - s.receive : 0;
	s.sharp_from_ns = gap		 ? s.from_ns
			  : in->is_whole ? INT64_MIN
					 : lesser(in->sends[0].t_ns, in->receives[0].t_ns);
	if (s.sharp_from_ns != INT64_MIN)
		s.sharp_from_ns += LODE_PAIRING_BLUR_NS;
	s.sharp_to_ns = gap < in->n_gaps ? s.to_ns
					 : -lesser(-in->sends[in->n_sends - 1].t_ns,
						   -in->receives[in->n_receives - 1].t_ns);
	if (s.sharp_to_ns != INT64_MIN)
		s.sharp_to_ns -= LODE_PAIRING_BLUR_NS;
	s.sent_before = s.send ? p->sent[s.send - 1].n_bytes : 0;
	return s;
}

/*
 * No receive has more than what sends can have given until then. Behind the last send there may be
 * another one, of which there is no record: it was under way when a gap or the end came.
 */
static int64_t at_least_under_way(const struct pairing *p, const struct stretch *s)
{
	int64_t received = 0, least = INT64_MIN,
		last_ns = p->in->sends[s->send + s->n_sends - 1].t_ns;

	for (size_t j = 0; j < s->n_receives; j++) {
		const struct lode_moved *receive = &p->in->receives[s->receive + j];
		int64_t given;

		if (receive->t_ns > last_ns - LODE_PAIRING_BLUR_NS)
			break;
		received += receive->n_bytes;
		given = total_at(p->started, p->in->n_sends, receive->t_ns + p->in->slack_ns) -
			s->sent_before;
		if (received - given > least)
			least = received - given;
	}
	return least;
}

/* What receivers other than `sleeper` may have taken by `t_ns`, though it shows later. */
static int64_t in_hand(const struct pairing *p, size_t next, int64_t t_ns, uint32_t sleeper)
{
	const struct lode_byte_pairing *in = p->in;
	enum { FEW = 16 }; /* threads that share a connection and read at once */
	int64_t n_bytes = 0;

	for (size_t j = next; j < in->n_receives && j < next + FEW; j++)
		if (in->receives[j].before_ns < t_ns && in->receives[j].who != sleeper)
			n_bytes += in->receives[j].n_bytes;
	return n_bytes;
}

/* A reader that sleeps has had all that was sent. */
static int64_t at_most_under_way(const struct pairing *p, const struct stretch *s)
{
	const struct lode_byte_pairing *in = p->in;
	int64_t received = 0, most = INT64_MAX;
	size_t j = s->receive, end = s->receive + s->n_receives;

	for (size_t k = 0; k < in->n_sleeps; k++) {
		const struct lode_sleep_for_more *sleep = &in->sleeps[k];
		int64_t bound;

		if (sleep->t_ns <= s->from_ns || sleep->t_ns > s->to_ns ||
		    (p->has_several_receivers && !is_sharp(s, sleep->t_ns)))
			continue;
		for (; j < end && in->receives[j].t_ns <= sleep->t_ns; j++)
			received += in->receives[j].n_bytes;
		bound = received + in_hand(p, j, sleep->t_ns, sleep->who) -
			(total_at(p->sent, in->n_sends, sleep->t_ns - in->slack_ns) -
			 s->sent_before);
		if (bound < most)
			most = bound;
	}
	return most;
}

/* The send of the stretch's byte `at`, counted from 1; LODE_NONE: it was sent before or behind. */
static uint32_t send_of(const struct pairing *p, const struct stretch *s, int64_t at)
{
	size_t low = s->send, high = s->send + s->n_sends;

	if (at <= 0)
		return LODE_NONE;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->sent[mid].n_bytes - s->sent_before >= at)
			high = mid;
		else
			low = mid + 1;
	}
	if (low == s->send + s->n_sends || p->is_blurred[low] ||
	    (p->has_several_senders && !is_sharp(s, p->in->sends[low].t_ns)))
		return LODE_NONE;
	return (uint32_t)low;
}

static void link_receives(const struct pairing *p, const struct stretch *s)
{
	int64_t at = -s->under_way;

	for (size_t j = s->receive; j < s->receive + s->n_receives; j++) {
		const struct lode_moved *receive = &p->in->receives[j];

		if (!is_blurred(p->in->receives, p->in->n_receives, j) &&
		    (!p->has_several_receivers || is_sharp(s, receive->t_ns)))
			p->out[j] = (struct lode_byte_pair){send_of(p, s, at + 1),
							    send_of(p, s, at + receive->n_bytes)};
		at += receive->n_bytes;
	}
}

static void pair_stretch(const struct pairing *p, struct stretch *s, bool is_whole)
{
	int64_t least;

	if (!s->n_receives || !s->n_sends)
		return;
	least = at_least_under_way(p, s);
	if (is_whole) {
		if (least > 0)
			return;
	} else {
		if (least != at_most_under_way(p, s))
			return;
		s->under_way = least;
	}
	link_receives(p, s);
}

void lode_byte_pairing_run(struct lode_byte_pair *out, const struct lode_byte_pairing *in)
{
	struct pairing p = {.in = in, .out = out};

	for (size_t j = 0; j < in->n_receives; j++)
		out[j] = (struct lode_byte_pair){LODE_NONE, LODE_NONE};
	if (!in->n_sends || !in->n_receives)
		return;
	p.sent = lode_alloc(in->n_sends * sizeof(*p.sent));
	p.started = lode_alloc(in->n_sends * sizeof(*p.started));
	p.is_blurred = lode_alloc(in->n_sends * sizeof(*p.is_blurred));
	count_bytes(&p);
	for (size_t gap = 0; gap <= in->n_gaps; gap++) {
		struct stretch s = stretch_of(&p, gap);

		pair_stretch(&p, &s, in->is_whole && gap == 0);
	}
	free(p.sent);
	free(p.started);
	free(p.is_blurred);
}
