/* The text of lode timeline: the summary, one moment, one function. */
#include <math.h>

#include "answers/timeline/timeline.h"
#include "base/escape.h"
#include "document/prose.h"
#include "document/table.h"
#include "document/units.h"

enum { name_bytes = 2400, n_top_leaves = 3 };

static const char *label(const struct lode_call_trace *trace, uint32_t function, char *buffer)
{
	char plain[name_bytes / 4];

	lode_frame_label(&trace->functions, function, plain, sizeof(plain));
	return lode_escape(buffer, name_bytes, plain);
}

/* "27085 eviction-ser 1"; of what is no thread of the system, such as a CPU, the name alone. */
static const char *thread_label(const struct lode_timeline_answer *answer,
				const struct lode_call_thread *thread, char *buffer)
{
	char name[name_bytes];

	lode_escape(name, sizeof(name), lode_call_thread_name(answer->job.trace, thread));
	if (thread->tid < 0 && *name)
		snprintf(buffer, name_bytes, "%.200s", name);
	else
		snprintf(buffer, name_bytes, "%d%s%.200s", thread->tid, *name ? " " : "", name);
	return buffer;
}

/* A time as an offset from the trace's start, exact, as --at takes it: "+1.413204001s". */
static const char *offset(const struct lode_timeline_answer *answer, int64_t t_ns, char *buffer)
{
	const struct lode_call_trace *trace = answer->job.trace;
	uint64_t from = (uint64_t)(t_ns - trace->first_ns);
	bool is_before = t_ns < trace->first_ns;

	if (is_before)
		from = 0 - from;
	snprintf(buffer, LODE_UNITS_BUFFER, "%c%llu.%09llus", is_before ? '-' : '+',
		 (unsigned long long)(from / 1000000000), (unsigned long long)(from % 1000000000));
	return buffer;
}

static const char *times(double factor, char *buffer)
{
	char count[LODE_UNITS_BUFFER];

	if (factor < 9.95)
		snprintf(buffer, LODE_UNITS_BUFFER, "%.1f", factor);
	else
		snprintf(buffer, LODE_UNITS_BUFFER, "%s",
			 lode_format_count(count, (uint64_t)(factor + 0.5)));
	return buffer;
}

/* "evict 61.0 %, lock_wait 20.1 %, idle 3.0 %" */
static const char *leaves_text(const struct lode_timeline_answer *answer,
			       const struct lode_meanwhile_thread *thread, int64_t whole_ns,
			       size_t n_leaves, char *buffer, size_t size)
{
	char name[name_bytes], share[LODE_UNITS_BUFFER];
	size_t used = 0, n = 0;

	buffer[0] = 0;
	for (size_t i = 0; i < thread->leaves.n && n < n_leaves; i++, n++) {
		const struct lode_leaf *leaf = &thread->leaves.at[i];

		/* What is next to nothing says nothing, unless it is all there is. */
		if ((used && leaf->leaf_ns * 1000 < (uint64_t)whole_ns) || !leaf->leaf_ns ||
		    used + 1 >= size)
			break;
		used += (size_t)snprintf(
			buffer + used, size - used, "%s%.120s %s", used ? ", " : "",
			label(answer->job.trace, leaf->function, name),
			lode_format_share(share, (int64_t)leaf->leaf_ns, whole_ns));
	}
	if (thread->idle_ns * 200 >= (uint64_t)whole_ns && used + 1 < size)
		snprintf(buffer + used, size - used, "%sidle %s", used ? ", " : "",
			 lode_format_share(share, (int64_t)thread->idle_ns, whole_ns));
	return buffer;
}

/* ---- Head: what was read, what was repaired ---- */

static void print_head(FILE *out, const struct lode_call_trace *trace,
		       const struct lode_text_page *page)
{
	char path[name_bytes], calls[LODE_UNITS_BUFFER], length[LODE_UNITS_BUFFER];
	char threads[LODE_UNITS_BUFFER], format[name_bytes];

	lode_prose(out, page, 2, "%s: %s%s%s, %s, %s\n",
		   lode_escape(path, sizeof(path), trace->path),
		   lode_escape(format, sizeof(format), trace->format ? trace->format : ""),
		   trace->format ? ", " : "", lode_format_plural(calls, trace->n_calls, "call"),
		   lode_format_plural(threads, trace->threads.n, "thread"),
		   lode_format_cost(length, trace->last_ns - trace->first_ns, "ns"));
}

static void print_call_losses(FILE *out, const struct lode_timeline_answer *answer)
{
	const struct lode_call_trace *trace = answer->job.trace;
	char text[LODE_UNITS_BUFFER], detail[1000];

	for (unsigned i = 0; i < LODE_N_LOSS_KINDS; i++) {
		const struct lode_loss *loss = &trace->losses.by_kind[i];

		if (loss->count)
			fprintf(out, "%s%s%s%s\n",
				i == LODE_LOSS_CLOCKS || i == LODE_LOSS_PAUSE ||
						i == LODE_LOSS_LEFT_OUT
					? ""
					: "lost: ",
				lode_loss_words((enum lode_loss_kind)i, loss->count),
				*loss->detail ? ": " : "",
				lode_escape(detail, sizeof(detail), loss->detail));
	}
	for (unsigned i = 0; i < LODE_N_REPAIRS; i++)
		if (trace->repairs[i])
			fprintf(out, "repaired: %s: %s\n",
				lode_call_repair_words((enum lode_call_repair)i),
				lode_format_count(text, trace->repairs[i]));
}

/* ---- Threads ---- */

static void set_thread(struct lode_table *table, const struct lode_timeline_answer *answer,
		       size_t thread)
{
	const struct lode_regtime_thread *t = &answer->job.regtime->threads[thread];
	char text[name_bytes], number[LODE_UNITS_BUFFER];
	size_t row = lode_table_row(table);

	lode_table_set(table, row, 0, "%s", thread_label(answer, t->thread, text));
	lode_table_set_count(table, row, 1, t->n_calls);
	lode_table_set_count(table, row, 2, t->n_glyphs);
	lode_table_set(table, row, 3, "%s",
		       t->n_glyphs ? times(lode_regtime_ratio(t), number) : "-");
	lode_table_set_count(table, row, 4, t->n_kept);
	lode_table_set_count(table, row, 5, t->n_gaps);
	lode_table_set_cost(table, row, 6, t->t1_ns - t->t0_ns, "ns");
}

static void print_threads(FILE *out, const struct lode_timeline_answer *answer,
			  const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"thread", false},  {"calls", true},
		{"shown", true, 3}, {"ratio", true, 2},
		{"long", true, 4},  {"gaps", true, 1},
		{"time", true},	    {"where the time goes", false}};
	struct lode_table *table = lode_table_new(columns, 8, 0);
	size_t room;

	for (size_t i = 0; i < answer->n_busiest; i++)
		set_thread(table, answer, answer->busiest[i]);
	room = lode_table_room(table, page->columns);
	for (size_t i = 0; i < answer->n_busiest; i++) {
		size_t thread = answer->busiest[i];
		const struct lode_regtime_thread *t = &answer->job.regtime->threads[thread];
		char text[name_bytes], fit[name_bytes];

		leaves_text(answer, &answer->leaves.threads[thread], t->t1_ns - t->t0_ns,
			    n_top_leaves, text, sizeof(text));
		lode_table_set(table, i, 7, "%s",
			       lode_escape_fit_names(fit, sizeof(fit), text, room));
	}
	lode_table_end(table, out, page);
	if (answer->n_busiest_more)
		fprintf(out, "and %zu more threads (--top)\n", answer->n_busiest_more);
}

/* ---- One thread's items, in order of time ---- */

static void print_expression(FILE *out, const struct lode_timeline_answer *answer,
			     const struct lode_regtime_thread *t,
			     const struct lode_regtime_item *item)
{
	char name[name_bytes], calls[LODE_UNITS_BUFFER], share[LODE_UNITS_BUFFER];
	size_t n = 0;

	fprintf(out, "%s: ", lode_format_plural(calls, item->n_calls, "call"));
	for (size_t i = 0; i < item->n_nodes && n < 6; i++) {
		const struct lode_regtime_node *node = &t->nodes.at[item->first_node + i];

		if (node->is_folded)
			continue;
		fprintf(out, "%s%.120s %s", n++ ? ", " : "",
			label(answer->job.trace, lode_call_function(t->thread, node->stack), name),
			lode_format_share(share, (int64_t)node->total_ns, t->t1_ns - t->t0_ns));
	}
	if (item->n_nodes > n)
		fprintf(out, ", ...");
	if (item->n_folded)
		fprintf(out, ", and %u more, %s", item->n_folded,
			lode_format_share(share, (int64_t)item->folded_ns, t->t1_ns - t->t0_ns));
	fputc('\n', out);
}

static void print_items(FILE *out, const struct lode_timeline_answer *answer,
			const struct lode_regtime_thread *t)
{
	char from[LODE_UNITS_BUFFER], length[LODE_UNITS_BUFFER], name[name_bytes];

	fprintf(out, "\n%15s %9s\n", "start", "length");
	for (size_t i = 0; i < t->items.n; i++) {
		const struct lode_regtime_item *item = &t->items.at[i];
		int indent = item->depth < 12 ? 2 * (int)item->depth : 24;

		fprintf(out, "%15s %9s  %*s", offset(answer, item->start_ns, from),
			lode_format_cost(length, item->end_ns - item->start_ns, "ns"), indent, "");
		if (item->kind == LODE_REGTIME_CALL)
			fprintf(out, "%s\n",
				label(answer->job.trace, lode_call_function(t->thread, item->stack),
				      name));
		else if (item->kind == LODE_REGTIME_GAP)
			fprintf(out, "(%s)\n", item->depth ? "no call" : "idle");
		else
			print_expression(out, answer, t, item);
	}
}

/* ---- Outliers ---- */

static void set_group(struct lode_table *table, const struct lode_timeline_answer *answer,
		      const struct lode_outlier_group *group)
{
	const struct lode_call_spread *spread = &answer->job.trace->spreads.at[group->function];
	const struct lode_outlier *longest = &answer->job.outliers.at.at[group->first];
	char text[LODE_UNITS_BUFFER];
	const struct lode_call_thread *thread = answer->job.trace->threads.at[longest->thread];
	char name[name_bytes];
	size_t row = lode_table_row(table);

	lode_table_set(table, row, 0, "%s", times(longest->times_median, text));
	lode_table_set_cost(table, row, 1, longest->duration_ns, "ns");
	lode_table_set_cost(table, row, 2, spread->median_ns, "ns");
	lode_table_set_cost(table, row, 3, spread->p99_ns, "ns");
	lode_table_set_count(table, row, 4, spread->n);
	lode_table_set_count(table, row, 5, group->n);
	if (thread->tid < 0)
		lode_table_set(table, row, 6, "%s", thread_label(answer, thread, name));
	else
		lode_table_set(table, row, 6, "%d", thread->tid);
	lode_table_set(table, row, 7, "%s", offset(answer, longest->start_ns, text));
}

static void print_outliers(FILE *out, const struct lode_timeline_answer *answer,
			   const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {{"x median", true},	{"longest", true},
							   {"median", true, 3}, {"p99", true, 1},
							   {"calls", true, 2},	{"long", true, 4},
							   {"thread", true, 5}, {"at", true},
							   {"function", false}};
	const struct lode_outliers *outliers = &answer->job.outliers;
	struct lode_table *table = lode_table_new(columns, 9, 0);
	size_t n = answer->n_groups, room;

	fprintf(out, "\nLong calls by function, by cost and rarity:\n");
	for (size_t i = 0; i < n; i++)
		set_group(table, answer, &outliers->groups.at[i]);
	room = lode_table_fit(table, page->columns, 20, 2, NULL);
	for (size_t i = 0; i < n; i++) {
		char name[name_bytes];

		lode_table_set_name(table, i, 8,
				    label(answer->job.trace, outliers->groups.at[i].function, name),
				    room);
	}
	if (n)
		lode_table_print(table, out, page->has_color);
	else
		fprintf(out, "none\n");
	if (answer->n_groups_more)
		fprintf(out, "and %zu more functions (--top)\n", answer->n_groups_more);
	lode_table_free(table);
}

static void print_summary(FILE *out, const struct lode_timeline_answer *answer,
			  const struct lode_text_page *page)
{
	char size[LODE_UNITS_BUFFER];
	struct lode_prose prose;

	print_head(out, answer->job.trace, page);
	print_call_losses(lode_prose_open(&prose), answer);
	lode_prose_close(out, page, 2, &prose);
	if (answer->job.index_bytes)
		fprintf(out, "index: %s\n", lode_format_bytes(size, answer->job.index_bytes));
	fputc('\n', out);
	print_threads(out, answer, page);
	for (size_t i = 0; answer->only && i < answer->n_listed; i++)
		print_items(out, answer, &answer->job.regtime->threads[answer->listed[i]]);
	if (!answer->only)
		print_outliers(out, answer, page);
}

/* ---- Meanwhile ---- */

/* What all threads did, `but` one. */
static void print_meanwhile(FILE *out, const struct lode_timeline_answer *answer,
			    const struct lode_text_page *page, const struct lode_call_thread *but)
{
	const struct lode_meanwhile *meanwhile = answer->meanwhile;
	static const struct lode_table_column columns[] = {
		{"thread", false}, {"calls", true}, {"leaf functions by time", false}};
	struct lode_table *table = lode_table_new(columns, 3, 0);
	int64_t whole = meanwhile->t1_ns - meanwhile->t0_ns;
	size_t n_idle = 0, n_other = 0, room, row = 0;
	char text[name_bytes], fit[name_bytes], number[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < meanwhile->n_threads; i++) {
		const struct lode_meanwhile_thread *t = &meanwhile->threads[i];

		if (!lode_meanwhile_knows(meanwhile, i)) {
			n_other++;
			continue;
		}
		n_idle += t->thread != but && !t->n_calls;
		if (t->thread == but || !t->n_calls)
			continue;
		row = lode_table_row(table);
		lode_table_set(table, row, 0, "%s", thread_label(answer, t->thread, text));
		lode_table_set_count(table, row, 1, t->n_calls);
	}
	room = lode_table_room(table, page->columns);
	row = 0;
	for (size_t i = 0; i < meanwhile->n_threads; i++) {
		const struct lode_meanwhile_thread *t = &meanwhile->threads[i];

		if (t->thread == but || !t->n_calls)
			continue;
		leaves_text(answer, t, whole, 4, text, sizeof(text));
		lode_table_set(table, row++, 2, "%s",
			       lode_escape_fit_names(fit, sizeof(fit), text, room));
	}
	if (row)
		lode_table_print(table, out, page->has_color);
	if (n_idle)
		fprintf(out, "%s idle all the time\n",
			lode_format_plural(number, n_idle, row ? "other thread" : "thread"));
	if (n_other)
		fprintf(out, "%s on other clocks: not known\n",
			lode_format_plural(number, n_other, "thread"));
	lode_table_free(table);
}

/* ---- One moment ---- */

static void print_stack(FILE *out, const struct lode_timeline_answer *answer,
			const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"since", true}, {"duration", true}, {"x median", true}, {"stack", false}};
	const struct lode_moment *moment = answer->moment;
	const struct lode_call_thread *thread = answer->job.trace->threads.at[moment->thread];
	struct lode_table *table = lode_table_new(columns, 4, 0);
	char text[LODE_UNITS_BUFFER], name[name_bytes];

	for (size_t i = 0; i < moment->open.n; i++) {
		const struct lode_call *call = &moment->open.at[i];
		uint32_t function = lode_call_function(thread, call->stack);
		int64_t median = answer->job.trace->spreads.at[function].median_ns;
		size_t row = lode_table_row(table);

		lode_table_set(table, row, 0, "%s", offset(answer, call->start_ns, text));
		lode_table_set_cost(table, row, 1, call->duration_ns, "ns");
		lode_table_set(table, row, 2, "%s",
			       times(lode_times_median(call->duration_ns, median), text));
		lode_table_set(table, row, 3, "%*s%s", i < 20 ? (int)i : 20, "",
			       label(answer->job.trace, function, name));
	}
	lode_table_end(table, out, page);
}

static void print_moment(FILE *out, const struct lode_timeline_answer *answer,
			 const struct lode_text_page *page)
{
	const struct lode_moment *moment = answer->moment;
	const struct lode_regtime_thread *t = &answer->job.regtime->threads[moment->thread];
	char text[name_bytes], from[LODE_UNITS_BUFFER], to[LODE_UNITS_BUFFER];
	char length[LODE_UNITS_BUFFER];

	print_head(out, answer->job.trace, page);
	fprintf(out, "\nThread %s at %s:\n", thread_label(answer, t->thread, text),
		offset(answer, moment->t_ns, from));
	if (moment->open.n)
		print_stack(out, answer, page);
	offset(answer, moment->t0_ns, from);
	offset(answer, moment->t1_ns, to);
	lode_format_cost(length, moment->t1_ns - moment->t0_ns, "ns");
	if (!moment->item || moment->item->kind == LODE_REGTIME_GAP)
		fprintf(out, "%s from %s to %s (%s)\n",
			moment->open.n ? "no call on its timeline" : "nothing is called", from, to,
			length);
	else if (moment->item->kind == LODE_REGTIME_CALL)
		fprintf(out,
			"\n"
			"On its timeline: the call of %s from %s to %s (%s)\n",
			label(answer->job.trace, lode_call_function(t->thread, moment->item->stack),
			      text),
			from, to, length);
	else {
		fprintf(out,
			"\n"
			"On its timeline: merged calls from %s to %s (%s), ",
			from, to, length);
		print_expression(out, answer, t, moment->item);
	}
	fprintf(out, "\nMeanwhile, from %s to %s (%s), the other threads:\n", from, to, length);
	print_meanwhile(out, answer, page, t->thread);
}

/* ---- Functions ---- */

static void set_profile_row(struct lode_table *table, const struct lode_timeline_answer *answer,
			    const struct lode_profile_row *of)
{
	const struct lode_call_spread *spread = &answer->job.trace->spreads.at[of->function];
	char share[LODE_UNITS_BUFFER];
	size_t row = lode_table_row(table);

	lode_table_set(table, row, 0, "%s",
		       lode_format_share(share, (int64_t)of->self_ns,
					 (int64_t)answer->profile->self_ns));
	lode_table_set_cost(table, row, 1, (int64_t)of->self_ns, "ns");
	lode_table_set_cost(table, row, 2, (int64_t)of->total_ns, "ns");
	lode_table_set_count(table, row, 3, of->n_calls);
	lode_table_set_count(table, row, 4, of->n_threads);
	if (!lode_timeline_is_whole(answer))
		return;
	lode_table_set_cost(table, row, 5, spread->min_ns, "ns");
	lode_table_set_cost(table, row, 6, spread->median_ns, "ns");
	lode_table_set_cost(table, row, 7, spread->p99_ns, "ns");
	lode_table_set_cost(table, row, 8, spread->max_ns, "ns");
}

static void print_profile(FILE *out, const struct lode_timeline_answer *answer,
			  const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"share", true},      {"self", true},	     {"total", true},	  {"calls", true},
		{"threads", true, 4}, {"shortest", true, 5}, {"median", true, 3}, {"p99", true, 2},
		{"longest", true, 1}, {"function", false}};
	static const struct lode_table_column fewer[] = {{"share", true},      {"self", true},
							 {"total", true},      {"calls", true},
							 {"threads", true, 1}, {"function", false}};
	size_t n_columns = lode_timeline_is_whole(answer) ? 10 : 6, room;
	struct lode_table *table =
		lode_table_new(lode_timeline_is_whole(answer) ? columns : fewer, n_columns, 0);

	print_head(out, answer->job.trace, page);
	fputc('\n', out);
	for (size_t i = 0; i < answer->n_functions; i++)
		set_profile_row(table, answer, &answer->profile->rows.at[i]);
	room = lode_table_fit(table, page->columns, 20, 2, NULL);
	for (size_t i = 0; i < answer->n_functions; i++) {
		char name[name_bytes];

		lode_table_set_name(
			table, i, n_columns - 1,
			label(answer->job.trace, answer->profile->rows.at[i].function, name), room);
	}
	lode_table_end(table, out, page);
	if (answer->n_functions_more)
		fprintf(out, "and %zu more functions (--top)\n", answer->n_functions_more);
}

/* ---- The functions of two traces ---- */

static const struct lode_profile_row *row_or_none(const struct lode_profile_row *row)
{
	static const struct lode_profile_row none;

	return row ? row : &none;
}

static void set_median(struct lode_table *table, size_t row, size_t column,
		       const struct lode_call_trace *trace, const struct lode_profile_row *of)
{
	if (of)
		lode_table_set_cost(table, row, column, trace->spreads.at[of->function].median_ns,
				    "ns");
	else
		lode_table_set(table, row, column, "-");
}

static void set_change(struct lode_table *table, const struct lode_timeline_answer *answer,
		       size_t i)
{
	const struct lode_timeline_versus *versus = answer->versus;
	const struct lode_profile_change *change = &versus->diff.rows.at[i];
	char text[LODE_UNITS_BUFFER];
	size_t row = lode_table_row(table);

	lode_table_set_cost(table, row, 0, change->self_ns, "ns");
	lode_table_set_cost(table, row, 1, (int64_t)row_or_none(change->here)->self_ns, "ns");
	lode_table_set_cost(table, row, 2, (int64_t)row_or_none(change->there)->self_ns, "ns");
	lode_table_set_cost(table, row, 3, (int64_t)row_or_none(change->here)->total_ns, "ns");
	lode_table_set_cost(table, row, 4, (int64_t)row_or_none(change->there)->total_ns, "ns");
	lode_table_set_count(table, row, 5, row_or_none(change->here)->n_calls);
	lode_table_set_count(table, row, 6, row_or_none(change->there)->n_calls);
	set_median(table, row, 7, answer->job.trace, change->here);
	set_median(table, row, 8, versus->job.trace, change->there);
	if (isnan(change->longer)) {
		lode_table_set(table, row, 9, "-");
		lode_table_set(table, row, 10, "-");
		return;
	}
	lode_table_set(table, row, 9, "%s", lode_format_pct(text, change->longer * 100));
	lode_table_set(table, row, 10, "%s", lode_format_log_p(text, versus->log_q[i] / M_LN10));
}

static void print_versus(FILE *out, const struct lode_timeline_answer *answer,
			 const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"A - B", true}, {"self A", true},	{"B", true},	{"total A", true, 1},
		{"B", true, 1},	 {"calls A", true, 4},	{"B", true, 4}, {"median A", true, 2},
		{"B", true, 2},	 {"A longer", true, 3}, {"q", true, 3}, {"function", false}};
	const struct lode_timeline_versus *versus = answer->versus;
	struct lode_table *table = lode_table_new(columns, 12, 0);
	size_t room;

	fputs("A ", out);
	print_head(out, answer->job.trace, page);
	fputs("B ", out);
	print_head(out, versus->job.trace, page);
	fputc('\n', out);
	for (size_t i = 0; i < versus->n_rows; i++)
		set_change(table, answer, i);
	room = lode_table_fit(table, page->columns, 20, 2, NULL);
	for (size_t i = 0; i < versus->n_rows; i++) {
		const struct lode_profile_change *change = &versus->diff.rows.at[i];
		char name[name_bytes];

		lode_table_set_name(
			table, i, 11,
			change->here ? label(answer->job.trace, change->here->function, name)
				     : label(versus->job.trace, change->there->function, name),
			room);
	}
	lode_table_end(table, out, page);
	if (versus->n_more)
		fprintf(out, "and %zu more functions (--top)\n", versus->n_more);
}

/* ---- While a thread is in a function or idle ---- */

/* Calls per second of the time inside or outside; idle time has none. */
static void set_rate(struct lode_table *table, size_t row, size_t column,
		     const struct lode_during_row *of, uint64_t n, int64_t ns)
{
	double rate = ns > 0 ? (double)n * 1e9 / (double)ns : 0;

	if (of->function == LODE_NONE)
		lode_table_set(table, row, column, "-");
	else if (rate < 99.95)
		lode_table_set(table, row, column, "%.1f", rate);
	else
		lode_table_set_count(table, row, column, (uint64_t)(rate + 0.5));
}

static void set_during_row(struct lode_table *table, const struct lode_timeline_answer *answer,
			   const struct lode_during_row *of)
{
	const struct lode_during *during = &answer->during->is;
	char text[name_bytes], share[LODE_UNITS_BUFFER];
	size_t row = lode_table_row(table);

	lode_table_set(table, row, 0, "%s",
		       lode_format_share(share, of->inside_ns, during->inside_ns));
	lode_table_set(table, row, 1, "%s",
		       lode_format_share(share, of->outside_ns, during->outside_ns));
	lode_table_set(table, row, 2, "%+.1f", of->difference * 100);
	lode_table_set(table, row, 3, "%.3f", of->p);
	set_rate(table, row, 4, of, of->n_inside, during->inside_ns);
	set_rate(table, row, 5, of, of->n_outside, during->outside_ns);
	lode_table_set(table, row, 6, "%s",
		       thread_label(answer, answer->job.trace->threads.at[of->thread], text));
}

static void print_during(FILE *out, const struct lode_timeline_answer *answer,
			 const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"inside", true},  {"outside", true},		{"points", true},
		{"p", true},	   {"calls/s inside", true, 2}, {"outside", true, 2},
		{"thread", false}, {"function", false}};
	const struct lode_timeline_during *d = answer->during;
	struct lode_table *table = lode_table_new(columns, 8, 0);
	char spans[LODE_UNITS_BUFFER], inside[LODE_UNITS_BUFFER], outside[LODE_UNITS_BUFFER];
	size_t room;

	print_head(out, answer->job.trace, page);
	fprintf(out, "\nInside: %s, %s; outside: %s\n\n",
		lode_format_plural(spans, d->is.spans.n, "span"),
		lode_format_cost(inside, d->is.inside_ns, "ns"),
		lode_format_cost(outside, d->is.outside_ns, "ns"));
	for (size_t i = 0; i < d->n_rows; i++)
		set_during_row(table, answer, &d->is.rows.at[d->rows[i]]);
	room = lode_table_fit(table, page->columns, 20, 2, NULL);
	for (size_t i = 0; i < d->n_rows; i++) {
		uint32_t function = d->is.rows.at[d->rows[i]].function;
		char name[name_bytes];

		lode_table_set_name(
			table, i, 7,
			function == LODE_NONE ? "(idle)" : label(answer->job.trace, function, name),
			room);
	}
	if (d->n_rows)
		lode_table_print(table, out, page->has_color);
	lode_table_free(table);
	if (d->n_more)
		fprintf(out, "and %zu more (--top)\n", d->n_more);
}

/* ---- One function ---- */

static void print_edges(FILE *out, const struct lode_timeline_answer *answer,
			const struct lode_text_page *page, const char *title,
			const struct lode_profile_edge *const *edges, size_t n, bool is_caller)
{
	static const struct lode_table_column columns[] = {
		{"time", true}, {"calls", true}, {"function", false}};
	struct lode_table *table = lode_table_new(columns, 3, 0);
	size_t n_shown = n < answer->top ? n : answer->top;

	fprintf(out, "\n%s:\n", title);
	for (size_t i = 0; i < n_shown; i++) {
		uint32_t function = is_caller ? edges[i]->caller : edges[i]->callee;
		char name[name_bytes];
		size_t row = lode_table_row(table);

		lode_table_set_cost(table, row, 0, (int64_t)edges[i]->total_ns, "ns");
		lode_table_set_count(table, row, 1, edges[i]->n_calls);
		lode_table_set(table, row, 2, "%s",
			       function == LODE_NONE ? "(outermost)"
						     : label(answer->job.trace, function, name));
	}
	lode_table_end(table, out, page);
	if (n_shown < n)
		fprintf(out, "and %zu more (--top)\n", n - n_shown);
}

static void print_uses(FILE *out, const struct lode_timeline_answer *answer,
		       const struct lode_text_page *page,
		       const struct lode_timeline_function *function)
{
	static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
	static const struct lode_table_column columns[] = {{"thread", false}, {"calls", true},
							   {"time", true},    {"longest", true},
							   {"at", true},      {"when", false}};
	struct lode_table *table = lode_table_new(columns, 6, 0);
	const struct lode_call_trace *trace = answer->job.trace;
	const struct lode_timeline_part part = lode_timeline_part_of(answer);
	uint64_t bin = (uint64_t)(part.t1_ns - part.t0_ns) / function->n_bins + 1;
	size_t n = function->uses.n < answer->top ? function->uses.n : answer->top;

	for (size_t i = 0; i < n; i++) {
		const struct lode_timeline_use *use = &function->uses.at[i];
		char text[name_bytes], bar[512] = "|", number[LODE_UNITS_BUFFER];
		size_t row = lode_table_row(table), used = 1;

		lode_table_set(table, row, 0, "%s",
			       thread_label(answer, trace->threads.at[use->thread], text));
		lode_table_set_count(table, row, 1, use->use.n_calls);
		lode_table_set_cost(table, row, 2, (int64_t)use->use.total_ns, "ns");
		lode_table_set_cost(table, row, 3, use->use.longest.duration_ns, "ns");
		lode_table_set(table, row, 4, "%s",
			       offset(answer, use->use.longest.start_ns, number));
		for (size_t b = 0; b < function->n_bins && used + 8 < sizeof(bar); b++) {
			uint64_t part = use->bins_ns[b];
			unsigned shade = part == 0	      ? 0
					 : part * 100 < bin   ? 1
					 : part * 4 < bin     ? 2
					 : part * 4 < 3 * bin ? 3
							      : 4;

			used += (size_t)snprintf(bar + used, sizeof(bar) - used, "%s",
						 shades[shade]);
		}
		lode_table_set(table, row, 5, "%s|", bar);
	}
	lode_table_end(table, out, page);
	if (n < function->uses.n)
		fprintf(out, "and %zu more threads (--top)\n", function->uses.n - n);
}

static void print_long_calls(FILE *out, const struct lode_timeline_answer *answer,
			     const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {{"duration", true}, {"x median", true},
							   {"depth", true},    {"from", true},
							   {"to", true},       {"thread", false}};
	struct lode_table *table = lode_table_new(columns, 6, 0);
	size_t n_all = answer->function->long_calls.n;
	size_t n = n_all < answer->top ? n_all : answer->top;

	for (size_t i = 0; i < n; i++) {
		const struct lode_outlier *o =
			&answer->job.outliers.at.at[answer->function->long_calls.at[i]];
		char text[name_bytes], number[LODE_UNITS_BUFFER];
		size_t row = lode_table_row(table);

		lode_table_set_cost(table, row, 0, o->duration_ns, "ns");
		lode_table_set(table, row, 1, "%s", times(o->times_median, number));
		lode_table_set(table, row, 2, "%u", o->depth);
		lode_table_set(table, row, 3, "%s", offset(answer, o->start_ns, number));
		lode_table_set(table, row, 4, "%s",
			       offset(answer, o->start_ns + o->duration_ns, number));
		lode_table_set(table, row, 5, "%s",
			       thread_label(answer, answer->job.trace->threads.at[o->thread],
					    text));
	}
	lode_table_end(table, out, page);
	if (n < n_all)
		fprintf(out, "and %zu more (--top)\n", n_all - n);
}

static void print_function(FILE *out, const struct lode_timeline_answer *answer,
			   const struct lode_text_page *page)
{
	const struct lode_timeline_function *function = answer->function;
	const struct lode_meanwhile *meanwhile = answer->meanwhile;
	char n[LODE_UNITS_BUFFER], longest[LODE_UNITS_BUFFER];

	print_head(out, answer->job.trace, page);
	fputc('\n', out);
	print_uses(out, answer, page, function);
	if (function->callers.n)
		print_edges(out, answer, page, "Called from", function->callers.at,
			    function->callers.n, true);
	if (function->callees.n)
		print_edges(out, answer, page, "Calls", function->callees.at, function->callees.n,
			    false);
	if (!function->long_calls.n) {
		fprintf(out, "\n"
			     "No long calls.\n");
		return;
	}
	fprintf(out, "\n"
		     "Long calls, longest first:\n");
	print_long_calls(out, answer, page);
	fprintf(out,
		"\n"
		"During the longest (%s from %s), the other threads:\n",
		lode_format_cost(longest, meanwhile->t1_ns - meanwhile->t0_ns, "ns"),
		offset(answer, meanwhile->t0_ns, n));
	print_meanwhile(out, answer, page,
			answer->job.trace->threads
				.at[answer->job.outliers.at.at[function->long_calls.at[0]].thread]);
}

void lode_timeline_text(FILE *out, const struct lode_timeline_answer *answer,
			const struct lode_text_page *page)
{
	lode_opening_put(out, &answer->opening, page);
	fputc('\n', out);
	if (answer->moment)
		print_moment(out, answer, page);
	else if (answer->function)
		print_function(out, answer, page);
	else if (answer->during)
		print_during(out, answer, page);
	else if (answer->versus)
		print_versus(out, answer, page);
	else if (answer->profile)
		print_profile(out, answer, page);
	else
		print_summary(out, answer, page);
}
