/*
 * Two hosts that talk over some connections, each recorded by itself with a clock of its own, which
 * may be off by days: the offset is found, or nothing is said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cases.h"
#include "base/mem.h"
#include "model/clock_match.h"
#include "model/connections.h"
#include "random.h"

#define MS INT64_C(1000000)

enum { MOST_CONNECTIONS = 4, EXCHANGES = 60 };

struct record {
	int64_t t_ns;
	bool is_send;
	uint32_t connection, n_bytes;
};

struct host {
	LODE_VEC(struct record) records;
	int64_t from_ns, to_ns; /* recorded, on the true clock */
	int64_t behind_ns;	/* of its clock */
	int64_t lost_ns;	/* records are lost for 5 ms then; INT64_MAX: never */
};

struct world {
	struct test_random random;
	struct host host[2];
	uint32_t n_connections;
	bool is_regular; /* every millisecond the same */
	bool are_born;	 /* connections begin when both are recorded */
};

static int64_t between(struct world *w, int64_t low, int64_t high)
{
	return low + (int64_t)test_random_below(&w->random, (uint32_t)(high - low));
}

static void note(struct world *w, int host, int64_t t_ns, bool is_send, uint32_t connection,
		 uint32_t n_bytes)
{
	struct record record = {t_ns, is_send, connection, n_bytes};

	lode_vec_append(&w->host[host].records, record);
}

/* `from` sends in one or two pieces, which the other one receives in one or two. */
static int64_t message(struct world *w, int from, int64_t t_ns, uint32_t connection)
{
	uint32_t n = w->is_regular ? 64 : (uint32_t)between(w, 2, 3000);
	uint32_t first = w->is_regular ? n : (uint32_t)between(w, 1, n + 1), read = first;
	int64_t way_ns = w->is_regular ? 100000 : between(w, 50000, 300000);

	note(w, from, t_ns, true, connection, first);
	if (first < n)
		note(w, from, t_ns + 2000, true, connection, n - first);
	t_ns += 2000 + way_ns;
	if (first == n && n > 1 && !w->is_regular && between(w, 0, 2)) {
		read = n / 2;
		note(w, !from, t_ns, false, connection, read);
		note(w, !from, t_ns + 1000, false, connection, n - read);
	} else {
		note(w, !from, t_ns, false, connection, n);
	}
	return t_ns + 1000;
}

static void talk(struct world *w)
{
	for (uint32_t c = 0; c < w->n_connections; c++) {
		int64_t t_ns = 10 * MS + c * 1000;

		for (int i = 0; i < EXCHANGES; i++) {
			t_ns = message(w, (int)c % 2, t_ns, c);
			t_ns += w->is_regular ? 100000 : between(w, 10000, 3000000);
			t_ns = message(w, (int)(c + 1) % 2, t_ns, c);
			t_ns += w->is_regular ? 700000 : between(w, 10000, 5000000);
		}
	}
	/* And each with others. */
	for (int host = 0; host < 2; host++)
		for (int i = 0; i < 100; i++)
			note(w, host, between(w, 0, 200 * MS), between(w, 0, 2),
			     100 + (uint32_t)host, (uint32_t)between(w, 1, 3000));
}

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

static void name(struct lode_connections *c, const struct world *w, int host, uint32_t connection,
		 int64_t t_ns)
{
	uint64_t here = 1000 + 10 * connection + (uint64_t)host;
	struct lode_socket_record record = {
		.t_ns = t_ns,
		.cpu = 0,
		.act = w->are_born ? LODE_SOCKET_UP : LODE_SOCKET_NAMED,
		.socket = connection + 1,
		.own = here,
		.peer = connection >= 100 ? 7 : 1000 + 10 * connection + (uint64_t)!host,
	};

	lode_connections_add(c, &record, 0);
}

static struct lode_connections *recorded(struct world *w, int host)
{
	struct lode_connections *c = lode_alloc0(1, sizeof(*c));
	struct host *h = &w->host[host];
	bool is_named[200] = {false}, is_lost = false;

	qsort(h->records.at, h->records.n, sizeof(*h->records.at), by_time);
	for (size_t i = 0; i < h->records.n; i++) {
		const struct record *r = &h->records.at[i];
		struct lode_socket_record record = {
			.t_ns = r->t_ns - h->behind_ns,
			.cpu = 0,
			.act = r->is_send ? LODE_SOCKET_SENT : LODE_SOCKET_RECEIVED,
			.socket = r->connection + 1,
			.n_bytes = r->n_bytes,
		};

		if (r->t_ns < h->from_ns || r->t_ns >= h->to_ns)
			continue;
		if (r->t_ns >= h->lost_ns && r->t_ns < h->lost_ns + 5 * MS)
			continue;
		if (!is_lost && r->t_ns >= h->lost_ns) {
			lode_connections_lost(c, record.t_ns, 0);
			is_lost = true;
		}
		if (!is_named[r->connection])
			name(c, w, host, r->connection, record.t_ns);
		is_named[r->connection] = true;
		lode_connections_add(c, &record, 0);
	}
	return c;
}

static void find(struct lode_clock_match *match, struct world *w, int64_t expected_ns)
{
	struct lode_connections *a, *b;

	talk(w);
	a = recorded(w, 0);
	b = recorded(w, 1);
	lode_clock_match_find(match, a, b, expected_ns);
	lode_connections_free(a);
	lode_connections_free(b);
	for (int host = 0; host < 2; host++)
		lode_vec_release(&w->host[host].records);
}

static struct world any_world(uint64_t seed)
{
	struct world w = {.random = {seed}};
	const int64_t day_ns = INT64_C(86400000) * MS;

	w.n_connections = (uint32_t)between(&w, 1, MOST_CONNECTIONS + 1);
	for (int host = 0; host < 2; host++) {
		w.host[host].from_ns = between(&w, 0, 60) * MS;
		w.host[host].to_ns = between(&w, 200, 400) * MS;
		w.host[host].behind_ns =
			(int64_t)(test_random_next(&w.random) % (uint64_t)(5 * day_ns)) -
			2 * day_ns;
		w.host[host].lost_ns = between(&w, 0, 3) ? INT64_MAX : between(&w, 80, 180) * MS;
	}
	return w;
}

/* What to add to host 1's times. */
static int64_t truth(const struct world *w)
{
	return w->host[1].behind_ns - w->host[0].behind_ns;
}

static void offsets_of_days_are_found(void **state)
{
	struct lode_clock_match match;
	size_t n = TEST_CASES(600), n_found = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= n; seed++) {
		struct world w = any_world(seed);

		find(&match, &w, INT64_MIN);
		if (!match.is_unique)
			continue;
		n_found++;
		if (llabs(match.offset_ns - truth(&w)) > MS)
			fail_msg("seed %u: off by %lld ns", (unsigned)seed,
				 (long long)(match.offset_ns - truth(&w)));
	}
	assert_int_equal(n_found, n);
}

static void connections_that_begin_meanwhile_are_matched_whole(void **state)
{
	struct lode_clock_match match;

	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct world w = any_world(seed);

		w.are_born = w.is_regular = true;
		w.host[0].from_ns = w.host[1].from_ns = 0;
		find(&match, &w, INT64_MIN);
		assert_true(match.is_unique);
		assert_true(llabs(match.offset_ns - truth(&w)) <= MS);
	}
}

/* Nothing distinguishes one exchange from the next. */
static void what_is_always_alike_is_not_matched(void **state)
{
	struct lode_clock_match match;

	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct world w = any_world(seed);

		w.is_regular = true;
		w.n_connections = 1;
		find(&match, &w, truth(&w));
		assert_false(match.is_unique);
		assert_true(match.n_other_turns > 0);
		assert_true(match.n_expected > 0);
	}
}

static void hosts_that_do_not_talk_are_not_matched(void **state)
{
	struct lode_clock_match match;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct world w = any_world(seed);

		w.n_connections = 0;
		find(&match, &w, 0);
		assert_false(match.is_unique);
		assert_int_equal(match.n_turns, 0);
	}
	lode_clock_match_find(&match, NULL, NULL, 0);
	assert_false(match.is_unique);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_of_days_are_found),
		cmocka_unit_test(connections_that_begin_meanwhile_are_matched_whole),
		cmocka_unit_test(what_is_always_alike_is_not_matched),
		cmocka_unit_test(hosts_that_do_not_talk_are_not_matched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
