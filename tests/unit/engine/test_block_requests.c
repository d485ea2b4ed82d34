/*
 * Requests of block devices are paired by device, sectors and flags: against the truth of made
 * devices with queues, merges, flushes, requeues and completions in parts, and against a plain
 * oracle that looks through all that happened when events were lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/suspects/block_requests.h"
#include "random.h"
#include "cases.h"

enum { N_DEVICES = 2, N_SLOTS = 12, SLOT_SECTORS = 64, N_STEPS = 160 };

static const char *const flag_texts[] = {"W", "WS", "WFS", "R", "RA", "D", "FF", "N"};
enum { FLUSH = 6, COMMAND = 7 };

enum what { INSERT, ISSUE, COMPLETE, REQUEUE };

struct happened {
	enum what what;
	struct lode_block_request request;
};

typedef LODE_VEC(struct happened) history;
struct pair {
	int64_t start_ns, end_ns;
};
typedef LODE_VEC(struct pair) pairs;

/* ---- A made device ---- */

enum phase { IDLE, QUEUED, IN_DEVICE };

/* Sectors that belong to one request at a time. */
struct slot {
	enum phase phase;
	struct lode_block_request request; /* sector: of what is left */
	int64_t inserted_ns, issued_ns;
	bool is_inserted, is_short;
};

struct machine {
	struct test_random random;
	struct slot slots[N_DEVICES][N_SLOTS];
	history all;
	pairs queue, device; /* the truth */
	int64_t now_ns;
};

static void happen(struct machine *m, enum what what, const struct slot *slot, uint64_t sector,
		   uint64_t n_sectors)
{
	struct happened h = {.what = what, .request = slot->request};

	h.request.sector = sector;
	h.request.n_sectors = n_sectors;
	h.request.call.start_ns = m->now_ns;
	lode_vec_append(&m->all, h);
}

static void begin_slot(struct machine *m, uint64_t device, unsigned i, bool has_flush)
{
	struct slot *slot = &m->slots[device][i];
	struct test_random *r = &m->random;
	unsigned flags = test_random_below(r, FLUSH);

	/* The last slot is that of flushes: one is under way at a time. */
	if (i == N_SLOTS - 1 && !has_flush)
		return;
	if (i == N_SLOTS - 1)
		flags = test_random_below(r, 4) ? FLUSH : COMMAND;
	*slot = (struct slot){.phase = IN_DEVICE};
	slot->request = (struct lode_block_request){
		.device = device,
		.sector = i * SLOT_SECTORS,
		.n_sectors = 1 + test_random_below(r, SLOT_SECTORS),
		.flags = lode_block_flags(flag_texts[flags]),
	};
	if (i == N_SLOTS - 1) {
		slot->request.sector = slot->request.n_sectors = 0;
	} else if (test_random_below(r, 2)) {
		slot->phase = QUEUED;
		slot->is_inserted = true;
		slot->inserted_ns = m->now_ns;
		/* What is merged into it before its issue has no insert of its own. */
		slot->is_short = slot->request.n_sectors > 1 && !test_random_below(r, 3);
		happen(m, INSERT, slot, slot->request.sector + slot->is_short,
		       slot->request.n_sectors - slot->is_short);
		return;
	}
	slot->issued_ns = m->now_ns;
	happen(m, ISSUE, slot, slot->request.sector, slot->request.n_sectors);
}

static void go_on(struct machine *m, struct slot *slot)
{
	struct lode_block_request *q = &slot->request;
	unsigned choice = test_random_below(&m->random, 8);
	bool has_sectors = q->n_sectors > 0;

	if (slot->phase == QUEUED) {
		slot->phase = IN_DEVICE;
		slot->issued_ns = m->now_ns;
		happen(m, ISSUE, slot, q->sector, q->n_sectors);
		if (slot->is_inserted)
			lode_vec_append(&m->queue, ((struct pair){slot->inserted_ns, m->now_ns}));
		slot->is_inserted = false;
	} else if (choice == 0) {
		happen(m, REQUEUE, slot, q->sector, q->n_sectors);
		slot->phase = QUEUED;
	} else if (choice < 3 && q->n_sectors > 1) {
		uint64_t part = 1 + test_random_below(&m->random, (uint32_t)q->n_sectors - 1);

		happen(m, COMPLETE, slot, q->sector, part);
		q->sector += part;
		q->n_sectors -= part;
	} else {
		happen(m, COMPLETE, slot, has_sectors ? q->sector : UINT64_MAX, q->n_sectors);
		lode_vec_append(&m->device, ((struct pair){slot->issued_ns, m->now_ns}));
		slot->phase = IDLE;
		/* The end of a sequence with a flush: its data was done before. */
		if (has_sectors && !test_random_below(&m->random, 4))
			happen(m, COMPLETE, slot, q->sector + q->n_sectors, 0);
	}
}

static void run_machine(struct machine *m, uint64_t seed)
{
	*m = (struct machine){.random = {seed}};
	for (int step = 0; step < N_STEPS; step++) {
		uint64_t device = test_random_below(&m->random, N_DEVICES);
		unsigned i = test_random_below(&m->random, N_SLOTS);
		struct slot *slot = &m->slots[device][i];

		m->now_ns += 1 + test_random_below(&m->random, 1000);
		if (slot->phase == IDLE)
			begin_slot(m, device, i, device == 0);
		else
			go_on(m, slot);
	}
}

static void machine_release(struct machine *m)
{
	lode_vec_release(&m->all);
	lode_vec_release(&m->queue);
	lode_vec_release(&m->device);
}

/* ---- The tested ---- */

struct measured {
	struct lode_block_requests queued, issued;
	pairs queue, device;
	size_t n_lost, n_unknown, n_ambiguous;
};

static void on_lost(void *context, const struct lode_open_call *call, enum lode_execution_loss loss)
{
	struct measured *out = context;

	(void)call;
	assert_int_equal(loss, LODE_EXECUTION_NO_END);
	out->n_lost++;
}

static void take(struct measured *out, pairs *to, const struct lode_block_request *request,
		 int64_t end_ns)
{
	if (request->is_ambiguous)
		out->n_ambiguous++;
	else
		lode_vec_append(to, ((struct pair){request->call.start_ns, end_ns}));
}

static void measure(struct measured *out, const history *seen)
{
	memset(out, 0, sizeof(*out));
	out->queued.lost = out->issued.lost = on_lost;
	out->queued.context = out->issued.context = out;
	out->queued.is_by_operation = true;
	for (size_t i = 0; i < seen->n; i++) {
		const struct lode_block_request *request = &seen->at[i].request;
		int64_t now_ns = request->call.start_ns;
		struct lode_block_request taken;

		switch (seen->at[i].what) {
		case INSERT:
			lode_block_add(&out->queued, request);
			break;
		case ISSUE:
			while (lode_block_take_within(&out->queued, request, &taken))
				take(out, &out->queue, &taken, now_ns);
			lode_block_add(&out->issued, request);
			break;
		case COMPLETE:
			switch (lode_block_complete(&out->issued, request, &taken)) {
			case LODE_BLOCK_DONE:
				take(out, &out->device, &taken, now_ns);
				break;
			case LODE_BLOCK_UNKNOWN:
				out->n_unknown++;
				break;
			case LODE_BLOCK_NOTHING:
			case LODE_BLOCK_PART:
				break;
			}
			break;
		case REQUEUE:
			lode_block_requeue(&out->issued, request);
			break;
		}
	}
}

static void measured_release(struct measured *out)
{
	lode_block_release(&out->queued);
	lode_block_release(&out->issued);
	lode_vec_release(&out->queue);
	lode_vec_release(&out->device);
}

static void assert_pairs_equal(const pairs *a, const pairs *b, uint64_t seed, const char *what)
{
	if (a->n != b->n || (a->n && memcmp(a->at, b->at, a->n * sizeof(*a->at)) != 0))
		fail_msg("seed %llu: %zu pairs of %s, expected %zu, or others",
			 (unsigned long long)seed, a->n, what, b->n);
}

static void test_without_losses_all_pairs_are_the_true_ones(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1500); seed++) {
		struct machine m;
		struct measured out;
		size_t n_waiting = 0;

		run_machine(&m, seed);
		measure(&out, &m.all);
		assert_pairs_equal(&out.queue, &m.queue, seed, "the queue");
		assert_pairs_equal(&out.device, &m.device, seed, "the device");
		assert_int_equal(out.n_lost + out.n_unknown + out.n_ambiguous, 0);
		for (size_t d = 0; d < N_DEVICES; d++) {
			for (size_t i = 0; i < N_SLOTS; i++)
				n_waiting += m.slots[d][i].phase == IN_DEVICE;
			n_waiting -= lode_block_count(&out.issued, d);
		}
		assert_int_equal(n_waiting, 0);
		lode_block_close(&out.issued, LODE_EXECUTION_NO_END);
		assert_int_equal(lode_block_count(&out.issued, 0), 0);
		measured_release(&out);
		machine_release(&m);
	}
}

static void drop(history *seen, const history *all, struct test_random *random, unsigned whats)
{
	for (size_t i = 0; i < all->n; i++)
		if (!(whats >> all->at[i].what & 1) || test_random_below(random, 8))
			lode_vec_append(seen, all->at[i]);
}

/* Is every one a true pair? */
static void assert_true_pairs(const pairs *measured, const pairs *truth, uint64_t seed)
{
	for (size_t i = 0, k = 0; i < measured->n; i++) {
		for (k = 0; k < truth->n; k++)
			if (!memcmp(&measured->at[i], &truth->at[k], sizeof(struct pair)))
				break;
		if (k == truth->n)
			fail_msg("seed %llu: a pair from %lld to %lld is made up",
				 (unsigned long long)seed, (long long)measured->at[i].start_ns,
				 (long long)measured->at[i].end_ns);
	}
}

/* As on machines that trace no interrupt of an idle CPU. What is measured is true, and what was
   lost costs at most as many requests again. */
static void test_lost_completions_make_no_pair_up(void **state)
{
	size_t n_true = 0, n_measured = 0, n_dropped = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1500); seed++) {
		struct test_random random = {seed ^ 0x5eed};
		struct machine m;
		struct measured out;
		history seen = {0};

		run_machine(&m, seed);
		drop(&seen, &m.all, &random, 1u << COMPLETE);
		measure(&out, &seen);
		/* Of two flushes neither is measured until the kernel's time-out. */
		assert_true_pairs(&out.device, &m.device, seed);
		assert_pairs_equal(&out.queue, &m.queue, seed, "the queue");
		n_true += m.device.n;
		n_measured += out.device.n + out.n_ambiguous;
		n_dropped += m.all.n - seen.n;
		lode_vec_release(&seen);
		measured_release(&out);
		machine_release(&m);
	}
	assert_true(n_dropped > 0 && n_measured + 2 * n_dropped >= n_true);
}

/* ---- The oracle ---- */

static bool is_flush(const struct lode_block_request *r)
{
	return r->n_sectors == 0;
}

struct open_request {
	struct lode_block_request request;
	bool is_gone;
};
typedef LODE_VEC(struct open_request) open_requests;

static bool do_overlap(const struct lode_block_request *a, const struct lode_block_request *b)
{
	for (uint64_t s = a->sector; s < a->sector + a->n_sectors; s++)
		if (s >= b->sector && s < b->sector + b->n_sectors)
			return true;
	return false;
}

static char letter_of(uint64_t flags)
{
	return (char)flags; /* of these flags, none but a flush has two letters F */
}

static void oracle_add(open_requests *open, const struct lode_block_request *r, bool by_operation,
		       size_t *n_lost)
{
	struct open_request added = {*r, false};

	for (size_t i = 0; i < open->n; i++) {
		struct lode_block_request *other = &open->at[i].request;
		bool is_alike = by_operation ? letter_of(other->flags) == letter_of(r->flags)
					     : other->flags == r->flags;

		if (open->at[i].is_gone || other->device != r->device || !is_alike)
			continue;
		if (is_flush(r) && is_flush(other))
			added.request.is_ambiguous = other->is_ambiguous = true;
		if (!is_flush(r) && do_overlap(other, r)) {
			open->at[i].is_gone = true;
			++*n_lost;
		}
	}
	lode_vec_append(open, added);
}

static void oracle_issue(struct measured *out, open_requests *inserted,
			 const struct lode_block_request *r)
{
	for (;;) {
		struct open_request *first = NULL;

		for (size_t i = 0; i < inserted->n; i++) {
			struct open_request *o = &inserted->at[i];

			if (!o->is_gone && o->request.device == r->device &&
			    letter_of(o->request.flags) == letter_of(r->flags) &&
			    o->request.sector >= r->sector &&
			    o->request.sector + o->request.n_sectors <= r->sector + r->n_sectors &&
			    (!first || o->request.sector < first->request.sector))
				first = o;
		}
		if (!first)
			return;
		first->is_gone = true;
		take(out, &out->queue, &first->request, r->call.start_ns);
	}
}

static void oracle_complete(struct measured *out, open_requests *issued,
			    const struct lode_block_request *end, bool is_requeue)
{
	struct open_request *found = NULL;

	for (size_t i = 0; i < issued->n; i++) {
		struct open_request *o = &issued->at[i];

		if (o->is_gone || o->request.device != end->device ||
		    o->request.flags != end->flags)
			continue;
		if (letter_of(end->flags) == 'F' || letter_of(end->flags) == 'N')
			found = found && !is_requeue ? found : o;
		else if (o->request.sector == end->sector)
			found = o;
	}
	if (letter_of(end->flags) != 'F' && letter_of(end->flags) != 'N' && !end->n_sectors)
		return;
	if (is_requeue) {
		if (found && found->request.n_sectors == end->n_sectors)
			found->is_gone = true;
		return;
	}
	if (!found || found->request.n_sectors < end->n_sectors) {
		out->n_unknown++;
	} else if (found->request.n_sectors > end->n_sectors) {
		found->request.sector += end->n_sectors;
		found->request.n_sectors -= end->n_sectors;
	} else {
		found->is_gone = true;
		take(out, &out->device, &found->request, end->call.start_ns);
	}
}

static void oracle(struct measured *out, const history *seen)
{
	open_requests inserted = {0}, issued = {0};

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < seen->n; i++) {
		const struct lode_block_request *r = &seen->at[i].request;

		switch (seen->at[i].what) {
		case INSERT:
			oracle_add(&inserted, r, true, &out->n_lost);
			break;
		case ISSUE:
			oracle_issue(out, &inserted, r);
			oracle_add(&issued, r, false, &out->n_lost);
			break;
		case COMPLETE:
		case REQUEUE:
			oracle_complete(out, &issued, r, seen->at[i].what == REQUEUE);
			break;
		}
	}
	lode_vec_release(&inserted);
	lode_vec_release(&issued);
}

static void test_with_losses_it_is_what_the_oracle_says(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(1500); seed++) {
		struct test_random random = {seed ^ 0x105e};
		struct machine m;
		struct measured out, expected;
		history seen = {0};

		run_machine(&m, seed);
		drop(&seen, &m.all, &random, 1 + test_random_below(&random, 15));
		measure(&out, &seen);
		oracle(&expected, &seen);
		assert_pairs_equal(&out.queue, &expected.queue, seed, "the queue");
		assert_pairs_equal(&out.device, &expected.device, seed, "the device");
		assert_int_equal(out.n_lost, expected.n_lost);
		assert_int_equal(out.n_unknown, expected.n_unknown);
		assert_int_equal(out.n_ambiguous, expected.n_ambiguous);
		lode_vec_release(&seen);
		measured_release(&out);
		measured_release(&expected);
		machine_release(&m);
	}
}

/* ---- By hand ---- */

static struct lode_block_request request_of(const char *rwbs, int64_t t_ns, uint64_t sector,
					    uint64_t n_sectors)
{
	return (struct lode_block_request){.device = 8,
					   .sector = sector,
					   .n_sectors = n_sectors,
					   .flags = lode_block_flags(rwbs),
					   .call.start_ns = t_ns};
}

static void test_flushes_side_by_side_are_not_measured(void **state)
{
	struct measured out;
	history seen = {0};

	(void)state;
#define SEE(what, ...) lode_vec_append(&seen, ((struct happened){what, request_of(__VA_ARGS__)}))
	SEE(ISSUE, "FF", 10, 0, 0);
	SEE(COMPLETE, "FF", 30, UINT64_MAX, 0);
	SEE(ISSUE, "FF", 40, 0, 0); /* with that of another queue */
	SEE(ISSUE, "FF", 50, 0, 0);
	SEE(COMPLETE, "FF", 60, UINT64_MAX, 0);
	SEE(COMPLETE, "FF", 70, UINT64_MAX, 0);
	SEE(ISSUE, "FF", 80, 0, 0); /* its end is not recorded */
	SEE(ISSUE, "FF", 90 + LODE_BLOCK_TIMEOUT_NS, 0, 0);
	SEE(COMPLETE, "FF", 95 + LODE_BLOCK_TIMEOUT_NS, UINT64_MAX, 0);
#undef SEE
	measure(&out, &seen);
	assert_int_equal(out.device.n, 2);
	assert_memory_equal(
		out.device.at,
		((struct pair[]){{10, 30},
				 {90 + LODE_BLOCK_TIMEOUT_NS, 95 + LODE_BLOCK_TIMEOUT_NS}}),
		2 * sizeof(struct pair));
	assert_int_equal(out.n_ambiguous, 2);
	assert_int_equal(out.n_lost, 1);
	measured_release(&out);
	lode_vec_release(&seen);
}

static void test_the_oldest_of_too_many_is_lost(void **state)
{
	struct measured out;
	history seen = {0};
	struct lode_block_request taken, end = request_of("W", 0, 0, 1);

	(void)state;
	measure(&out, &seen);
	for (uint64_t i = 0; i < LODE_BLOCK_WAITING + 3; i++) {
		/* Neither the first nor the last sectors are the oldest. */
		uint64_t sector = (i + LODE_BLOCK_WAITING / 2) % (LODE_BLOCK_WAITING + 3);
		struct lode_block_request r = request_of("W", (int64_t)i, sector, 1);

		lode_block_add(&out.issued, &r);
	}
	assert_int_equal(out.n_lost, 3);
	assert_int_equal(lode_block_count(&out.issued, 8), LODE_BLOCK_WAITING);
	end.sector = LODE_BLOCK_WAITING / 2 + 2;
	assert_int_equal(lode_block_complete(&out.issued, &end, &taken), LODE_BLOCK_UNKNOWN);
	end.sector++;
	assert_int_equal(lode_block_complete(&out.issued, &end, &taken), LODE_BLOCK_DONE);
	assert_int_equal(taken.call.start_ns, 3);
	measured_release(&out);
}

static void test_sectors_at_the_end_of_all_numbers_do_no_harm(void **state)
{
	struct measured out;
	history seen = {0};
	struct lode_block_request a = request_of("W", 1, UINT64_MAX - 3, UINT64_MAX);
	struct lode_block_request b = request_of("W", 2, 0, UINT64_MAX), taken;

	(void)state;
	measure(&out, &seen);
	lode_block_add(&out.issued, &a);
	lode_block_add(&out.issued, &b);
	lode_block_add(&out.queued, &b);
	assert_true(!lode_block_take_within(&out.queued, &a, &taken));
	assert_true(lode_block_take_within(&out.queued, &b, &taken));
	b.n_sectors = UINT64_MAX - 1;
	assert_int_equal(lode_block_complete(&out.issued, &b, &taken), LODE_BLOCK_PART);
	measured_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_losses_all_pairs_are_the_true_ones),
		cmocka_unit_test(test_lost_completions_make_no_pair_up),
		cmocka_unit_test(test_with_losses_it_is_what_the_oracle_says),
		cmocka_unit_test(test_flushes_side_by_side_are_not_measured),
		cmocka_unit_test(test_the_oldest_of_too_many_is_lost),
		cmocka_unit_test(test_sectors_at_the_end_of_all_numbers_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
