/* The stack of a thread at one moment. */
#include "engine/regtime/moment.h"

static void find_item(struct lode_moment *out, const struct lode_regtime_thread *thread)
{
	out->t0_ns = thread->t0_ns < out->t_ns ? thread->t0_ns : out->t_ns;
	out->t1_ns = thread->t1_ns > out->t_ns ? thread->t1_ns : out->t_ns;
	for (size_t i = 0; i < thread->items.n; i++) {
		const struct lode_regtime_item *item = &thread->items.at[i];

		if (item->start_ns > out->t_ns) {
			if (!out->item && item->start_ns < out->t1_ns)
				out->t1_ns = item->start_ns;
			break;
		}
		if (item->end_ns > out->t_ns)
			out->item = item;
		else if (item->end_ns > out->t0_ns)
			out->t0_ns = item->end_ns;
	}
	if (out->item) {
		out->t0_ns = out->item->start_ns;
		out->t1_ns = out->item->end_ns;
	}
}

int lode_moment_find(struct lode_moment *out, const struct lode_regtime *regtime, size_t thread,
		     int64_t t_ns, struct lode_error *err)
{
	struct lode_call_cursor cursor;

	*out = (struct lode_moment){.thread = thread, .t_ns = t_ns};
	lode_call_cursor_init(&cursor, regtime->trace, regtime->threads[thread].thread);
	lode_call_open_at(&out->open, &cursor, lode_call_find(&cursor, t_ns + 1), t_ns);
	if (cursor.rc < 0 && err)
		*err = cursor.err;
	find_item(out, &regtime->threads[thread]);
	lode_call_cursor_release(&cursor);
	return cursor.rc;
}

void lode_moment_release(struct lode_moment *moment)
{
	lode_vec_release(&moment->open);
}
