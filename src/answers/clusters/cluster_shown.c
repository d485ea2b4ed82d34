/* One cluster in full: what is said of it, and that for terminals. */
#include "answers/clusters/cluster_shown.h"

#include "base/escape.h"
#include "base/folder.h"
#include "document/prose.h"
#include "document/recording_names.h"
#include "document/table.h"
#include "document/units.h"

/* Costliest first; of equal ones, in their own order. */
static void sort_reasons(struct lode_cluster_shown *shown)
{
	struct lode_reason_cost *sorted = shown->reasons;

	for (unsigned r = LODE_REASON_NONE + 1; r < LODE_N_REASONS; r++) {
		int64_t cost_ns = shown->cluster->reason_ns[r];
		size_t at = shown->n_reasons;

		if (cost_ns <= 0)
			continue;
		for (; at > 0 && sorted[at - 1].cost_ns < cost_ns; at--)
			sorted[at] = sorted[at - 1];
		sorted[at].name = lode_wait_reason_name((enum lode_wait_reason)r);
		sorted[at].cost_ns = cost_ns;
		shown->n_reasons++;
	}
}

static struct lode_shown_gap shown_gap(const struct lode_gap *gap, struct lode_arena *arena)
{
	const struct lode_variant *main = lode_gap_main(gap);
	struct lode_variant *variants =
		lode_arena_array(arena, struct lode_variant, gap->variants.n);
	struct lode_shown_gap out = {variants, gap->variants.n, NULL, 100};
	int64_t all_ns = 0;

	for (size_t i = 0; i < gap->variants.n; i++) {
		variants[i] = gap->variants.at[i];
		all_ns += variants[i].own_ns;
	}
	if (main) {
		out.main = &variants[main - gap->variants.at];
		if (all_ns > 0)
			out.main_pct = 100.0 * (double)main->own_ns / (double)all_ns;
	}
	return out;
}

static const struct lode_shown_gap *shown_gaps(const struct lode_cluster *cluster,
					       struct lode_arena *arena)
{
	struct lode_gap *gaps = lode_gaps_new(cluster);
	struct lode_shown_gap *out =
		lode_arena_array(arena, struct lode_shown_gap, cluster->n_common + 1);

	for (size_t i = 0; i <= cluster->n_common; i++)
		out[i] = shown_gap(&gaps[i], arena);
	lode_gaps_free(gaps, cluster);
	return out;
}

void lode_cluster_shown_build(struct lode_cluster_shown *out, const struct lode_mined *mined,
			      const struct lode_cluster *cluster, size_t top,
			      struct lode_arena *arena)
{
	*out = (struct lode_cluster_shown){
		.mined = mined,
		.cluster = cluster,
		.gaps = shown_gaps(cluster, arena),
		.n_patterns = lode_listed(top, cluster->n_patterns),
		.n_worst = lode_listed(top, cluster->n_worst),
	};
	sort_reasons(out);
}

/* ---- For terminals ---- */

enum {
	max_variants = 4, /* shown in one gap of the common part */
	name_bytes = 1600 /* an escaped function name */
};

void lode_cluster_shown_headline(FILE *out, const struct lode_cluster_shown *shown,
				 const struct lode_text_page *page)
{
	enum { MOST_LINES = 12 };
	char text[MOST_LINES * (LODE_COMMON_LINE + 160)];

	lode_headline_text(text, sizeof(text), shown->mined, shown->cluster, page->columns - 2,
			   page->columns - 2, MOST_LINES);
	for (char *line = text, *end; line && *line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		fprintf(out, "  %s\n", line);
	}
	fputc('\n', out);
}

/* ---- Figures ---- */

static void print_figures(FILE *out, const struct lode_cluster_shown *shown)
{
	const struct lode_cluster *c = shown->cluster;
	const struct lode_mined *m = shown->mined;
	const char *unit = m->digest->unit;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], d[LODE_UNITS_BUFFER], who[1024];

	fprintf(out, "own cost    %s, %s of symptom time, counted in no other cluster",
		lode_format_cost_long(a, c->own_ns, unit),
		lode_format_share(b, c->own_ns, m->symptom_ns));
	if (c->n_occurrences && strcmp(unit, "samples") != 0)
		fprintf(out, "; %s of %s on average",
			lode_format_plural(b, c->n_occurrences, "occurrence"),
			lode_format_cost(d, c->mean_ns, unit));
	fputc('\n', out);
	fprintf(out, "total cost  %s, including stacks that other clusters own\n",
		lode_format_cost_long(a, c->total_ns, unit));
	fprintf(out, "where       %s of %zu, %s, %s\n",
		lode_format_plural(a, c->n_streams, "recording"), m->digest->streams.n,
		lode_format_plural(b, c->n_symptoms, "symptom"),
		lode_format_plural(d, c->n_events, "event"));
	fprintf(out, "split       %s waiting, %s running, %s ready\n",
		lode_format_cost(a, c->split_ns[LODE_EVENT_WAITING], unit),
		lode_format_cost(b, c->split_ns[LODE_EVENT_RUNNING], unit),
		lode_format_cost(d, c->split_ns[LODE_EVENT_READY], unit));
	if (lode_cluster_contended_ns(c) > 0 && c->n_ran_instead)
		fprintf(out, "ran instead %s\n",
			lode_who_ran(who, sizeof(who), m->digest, c->ran_instead, c->n_ran_instead,
				     lode_cluster_contended_ns(c), 5));
	if (c->ready_unknown_ns)
		fprintf(out,
			"unknown     %s of the ready time: no other thread is known to have run\n",
			lode_format_cost(a, c->ready_unknown_ns, unit));
	if (c->unsampled_ns)
		fprintf(out,
			"unsampled   %s running without a CPU sample: own cost between %s and %s\n",
			lode_format_cost(a, c->unsampled_ns, unit),
			lode_format_cost(b, c->least_ns, unit),
			lode_format_cost(d, c->most_ns, unit));
}

static void print_reasons(FILE *out, const struct lode_cluster_shown *shown)
{
	char text[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < shown->n_reasons; i++)
		fprintf(out, "%s%s %s", i ? ", " : "waits for   ", shown->reasons[i].name,
			lode_format_cost(text, shown->reasons[i].cost_ns,
					 shown->mined->digest->unit));
	fputs(shown->n_reasons ? "\n" : "", out);
}

static void print_wakers(FILE *out, const struct lode_cluster_shown *shown)
{
	const struct lode_digest *digest = shown->mined->digest;
	const struct lode_cluster *c = shown->cluster;
	char name[128], cost[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < c->n_wakers && i < 5; i++)
		fprintf(out, "%s%s %s", i ? ", " : "ended by    ",
			lode_escape_fit(name, sizeof(name),
					digest->tree.strings.text.at[c->wakers[i].name], 24),
			lode_format_cost(cost, c->wakers[i].cost_ns, digest->unit));
	if (c->n_wakers > 5)
		fprintf(out, " and %zu more", c->n_wakers - 5);
	fputs(c->n_wakers ? "\n" : "", out);
}

/* ---- The common part with the variants between its frames ---- */

/* Frames of one variant on a line: "a › b › c", threads' borders included. */
static void join_frames(char *out, size_t size, const struct lode_calltree *tree,
			const uint32_t *frames, size_t n)
{
	char label[name_bytes];
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < n && used + 8 < size; i++) {
		bool is_link = tree->frames.at[frames[i]].flags & LODE_FRAME_LINK;

		used += (size_t)snprintf(out + used, size - used, "%s%s",
					 i == 0	   ? ""
					 : is_link ? " "
						   : " › ",
					 lode_short_label(label, sizeof(label), tree, frames[i]));
	}
}

/* One function of the common part; `pct` below 100: of so much of the cluster's own cost only. */
static void print_common_frame(FILE *out, const struct lode_cluster_shown *shown, uint32_t frame,
			       double pct, const struct lode_text_page *page)
{
	const struct lode_calltree *tree = &shown->mined->digest->tree;
	char label[name_bytes], text[name_bytes], module[128], part[32] = "";
	uint32_t flags = tree->frames.at[frame].flags;

	lode_frame_label(tree, frame, label, sizeof(label));
	lode_escape_fit_names(text, sizeof(text), label, page->columns - 34);
	if (pct < 99.95)
		snprintf(part, sizeof(part), "  (%.1f %%)", pct);
	if (flags & LODE_FRAME_LINK) {
		fprintf(out, "  %s%s\n", text, part);
		return;
	}
	lode_escape_fit(module, sizeof(module), lode_frame_module(tree, frame), 16);
	if (flags & LODE_FRAME_UNKNOWN)
		fprintf(out, "     %s, no symbol%s\n", text, part);
	else if (!module[0])
		fprintf(out, "     %s%s\n", text, part);
	else
		fprintf(out, "     %s%*s  %s%s\n", text,
			(int)(44 > lode_escape_width(text) ? 44 - lode_escape_width(text) : 0), "",
			module, part);
}

static void print_gap(FILE *out, const struct lode_cluster_shown *shown,
		      const struct lode_shown_gap *gap, const struct lode_text_page *page)
{
	const struct lode_digest *digest = shown->mined->digest;
	char line[4096], fit[4096], cost[LODE_UNITS_BUFFER];
	const struct lode_variant *main = gap->main;

	/* Only patterns that have nothing here: no gap at all. */
	if (gap->n == 0 || (gap->n == 1 && gap->variants[0].n == 0))
		return;
	if (main) {
		for (size_t i = 0; i < main->n; i++)
			print_common_frame(out, shown, main->frames[i], gap->main_pct, page);
		return;
	}
	for (size_t i = 0; i < gap->n && i < max_variants; i++) {
		const struct lode_variant *v = &gap->variants[i];

		join_frames(line, sizeof(line), &digest->tree, v->frames, v->n);
		lode_escape_fit_names(fit, sizeof(fit), v->n ? line : "directly",
				      page->columns - 22);
		fprintf(out, "   ┆ %10s  %s\n", lode_format_cost(cost, v->own_ns, digest->unit),
			fit);
	}
	if (gap->n > max_variants)
		fprintf(out, "   ┆             and %zu more\n", gap->n - max_variants);
}

static void print_common(FILE *out, const struct lode_cluster_shown *shown,
			 const struct lode_text_page *page)
{
	const struct lode_cluster *c = shown->cluster;

	fprintf(out, "\nShared call path%s\n",
		c->n_patterns > 1 ? ", with variants (own cost)" : "");
	for (size_t i = 0; i <= c->n_common; i++) {
		print_gap(out, shown, &shown->gaps[i], page);
		if (i < c->n_common)
			print_common_frame(out, shown, c->common[i], 100, page);
	}
	if (c->n_common == 0)
		fprintf(out, "     (its patterns share no function)\n");
}

/* ---- Patterns and streams ---- */

static void print_patterns(FILE *out, const struct lode_cluster_shown *shown,
			   const struct lode_text_page *page)
{
	static const struct lode_table_column columns[] = {
		{"round", true},  {"cost", true},	{"own", true},
		{"events", true}, {"recordings", true}, {"functions", false},
	};
	const struct lode_digest *digest = shown->mined->digest;
	const struct lode_cluster *c = shown->cluster;
	size_t n = shown->n_patterns;
	struct lode_table *table = lode_table_new(columns, 6, 2);
	char text[LODE_UNITS_BUFFER], line[8 * (LODE_COMMON_LINE + 160)];
	size_t room;

	for (size_t i = 0; i < n; i++) {
		const struct lode_mined_pattern *p = &c->patterns[i];
		size_t row = lode_table_row(table);

		lode_table_set(table, row, 0, "%u", p->round);
		lode_table_set_cost(table, row, 1, p->cost_ns, digest->unit);
		lode_table_set_cost(table, row, 2, p->own_ns, digest->unit);
		lode_table_set_count(table, row, 3, p->n_events);
		lode_table_set(table, row, 4, "%u", p->n_streams);
	}
	room = lode_table_room(table, page->columns);
	for (size_t i = 0; i < n; i++) {
		const struct lode_mined_pattern *p = &c->patterns[i];

		lode_table_set(
			table, i, 5, "%s",
			lode_common_part_short(line, sizeof(line), digest,
					       &(struct lode_line_frames){.name = LODE_NONE,
									  .frames = p->frames,
									  .n = p->n_frames},
					       room, room, 8));
	}
	fprintf(out, "\n%s, similarity %.2f or more\n",
		lode_format_plural(text, c->n_patterns, "pattern"), c->min_similarity);
	lode_table_end(table, out, page);
	if (n < c->n_patterns)
		fprintf(out, "  and %zu more; --top 0 shows all\n", c->n_patterns - n);
}

enum worst_column { COST, OF_SYMPTOM, EVENT, AT, THREAD, SET, RECORDING, N_WORST_COLUMNS };

static void add_worst(struct lode_table *table, const struct lode_cluster_shown *shown,
		      const struct lode_cluster_worst *w)
{
	const struct lode_digest *digest = shown->mined->digest;
	const struct lode_digest_symptom *s = &digest->symptoms.at[w->symptom];
	const struct lode_digest_row *costliest = &digest->rows.at[w->row];
	size_t row = lode_table_row(table);
	char name[600];

	lode_table_set_cost(table, row, COST, w->symptom_cost_ns, digest->unit);
	lode_table_set_share(table, row, OF_SYMPTOM, w->symptom_cost_ns, lode_digest_symptom_ns(s));
	lode_table_set_cost(table, row, EVENT, costliest->worst_cost_ns, digest->unit);
	lode_table_set(table, row, AT, "+%.3f s",
		       (double)(costliest->worst_t0_ns - s->t0_ns) / 1e9);
	lode_table_set(table, row, THREAD, "%s %d",
		       lode_escape_fit(name, sizeof(name), digest->tree.strings.text.at[s->comm],
				       16),
		       s->tid);
	if (shown->set_of)
		lode_table_set(table, row, SET, "%s", shown->set_of[s->stream]);
}

static const char *path_of_worst(const void *context, size_t row)
{
	const struct lode_cluster_shown *shown = context;
	const struct lode_digest *digest = shown->mined->digest;
	uint32_t stream = digest->symptoms.at[shown->cluster->worst[row].symptom].stream;

	return digest->tree.strings.text.at[digest->streams.at[stream].path];
}

static void print_worst(FILE *out, const struct lode_cluster_shown *shown,
			const struct lode_text_page *page)
{
	const struct lode_cluster *c = shown->cluster;
	const struct lode_digest *digest = shown->mined->digest;
	/* Bare stacks have neither times nor threads. */
	bool has_times = strcmp(digest->unit, "ns") == 0;
	struct lode_table_column columns[N_WORST_COLUMNS] = {
		[COST] = {"cost", true},
		[OF_SYMPTOM] = {has_times ? "of symptom" : "of recording", true},
		[EVENT] = {"worst event", true, has_times ? 3 : LODE_TABLE_WITHOUT},
		[AT] = {"at", true, has_times ? 2 : LODE_TABLE_WITHOUT},
		[THREAD] = {"thread", false, has_times ? 4 : LODE_TABLE_WITHOUT},
		[SET] = {"set", false, shown->set_of ? 0 : LODE_TABLE_WITHOUT},
		[RECORDING] = {"recording", false},
	};
	struct lode_table *table = lode_table_new(columns, N_WORST_COLUMNS, 2);
	size_t n = shown->n_worst, room;
	char **names;

	for (size_t i = 0; i < n; i++)
		add_worst(table, shown, &c->worst[i]);
	names = lode_recording_names(n, path_of_worst, shown);
	room = lode_table_room(table, page->columns);
	for (size_t i = 0; i < n; i++)
		lode_table_set_text(table, i, RECORDING, names[i], room < 40 ? room : 40);
	free(names);
	fprintf(out, has_times ? "\n"
				 "Worst symptoms (\"at\": time from the symptom's start)\n"
			       : "\n"
				 "Worst recordings\n");
	lode_table_end(table, out, page);
	if (n < c->n_worst)
		fprintf(out, "  and %zu more; --top 0 shows all\n", c->n_worst - n);
}

void lode_cluster_shown_text(FILE *out, const struct lode_cluster_shown *shown,
			     const struct lode_text_page *page)
{
	struct lode_prose prose;
	FILE *words = lode_prose_open(&prose);

	print_figures(words, shown);
	print_reasons(words, shown);
	print_wakers(words, shown);
	lode_prose_close(out, page, LODE_SHOWN_LABEL, &prose);
	print_common(out, shown, page);
	print_patterns(out, shown, page);
	print_worst(out, shown, page);
}
