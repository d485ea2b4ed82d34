/* The state of a watch as a file of words. */
#include "answers/pio/watch_parts.h"

#include <errno.h>
#include <unistd.h>

#include "engine/pio/model_file.h"
#include "base/atomic_file.h"
#include "base/written.h"

/* LIMIT: a state file is not larger than this. */
#define STATE_MAX_BYTES ((size_t)256 << 20)

uint64_t lode_watch_model_hash(const struct lode_pio_model *model)
{
	uint64_t hash;
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);

	lode_pio_model_write(out, model);
	lode_written_close(out);
	hash = lode_stable_hash(text, size, 0);
	free(text);
	return hash;
}

/* ---- Writing ---- */

static void put_counted(FILE *out, const char *text)
{
	lode_state_put_text(out, text, strlen(text));
}

static void save_sources(FILE *out, const struct lode_pio_watch *w)
{
	int64_t newest_ns = w->resumed_ns;

	fprintf(out, "files %zu\n", w->sources.n);
	for (size_t i = 0; i < w->sources.n; i++) {
		const struct lode_watch_source *s = &w->sources.at[i];
		struct lode_follow_place p = {0};
		bool is_placed = lode_follow_place(s->follow, &p);

		newest_ns = s->newest_ns > newest_ns ? s->newest_ns : newest_ns;
		put_counted(out, lode_follow_path(s->follow));
		fprintf(out, " %d %lld %d %lld %lld %lld %lld %u ", s->is_log,
			(long long)s->newest_ns, is_placed, (long long)p.device, (long long)p.inode,
			(long long)p.offset, (long long)p.start_hash, p.n_start);
		lode_state_put_text(out, s->section.at ? s->section.at : "", s->section.n);
		fputc('\n', out);
	}
	/* It may be that of a file that is not followed any more. */
	fprintf(out, "newest %lld\n", (long long)newest_ns);
}

static void save_requests(FILE *out, const struct lode_pio_watch *w)
{
	const struct lode_request_log *log = &w->requests;

	/* Page by page: a gap between requests takes no lines. */
	for (size_t i = 0; i < log->tally.pages.n; i++) {
		const struct lode_tally_page *page = &log->tally.pages.at[i];

		fprintf(out, "requests %lld %d\n", (long long)page->number * LODE_TALLY_PAGE,
			LODE_TALLY_PAGE);
		for (const struct lode_interval_counts *c = page->at;
		     c < page->at + LODE_TALLY_PAGE; c++)
			fprintf(out, "%u %u %u\n", c->n, c->n_slow, c->n_client);
	}
	fprintf(out, "hits %zu\n", log->hits.n);
	for (size_t i = 0; i < log->hits.n; i++) {
		const struct lode_slow_hits *h = &log->hits.at[i];
		const struct lode_usual_pair *pair = &log->usual->pairs.at[h->pair];

		fprintf(out, "%lld %u ", (long long)h->interval, h->n);
		put_counted(out, w->model->names.actions.text.at[pair->action]);
		fprintf(out, " %d ", pair->user != LODE_NONE);
		put_counted(out, pair->user == LODE_NONE
					 ? ""
					 : w->model->names.users.text.at[pair->user]);
		fputc('\n', out);
	}
}

static void save_group(void *context, const struct lode_counter_column *columns, size_t n)
{
	FILE *out = context;

	fprintf(out, "group %zu\n", n);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%d ", (int)columns[i].kind);
		put_counted(out, columns[i].server);
		fputc(' ', out);
		put_counted(out, columns[i].name);
		fputc('\n', out);
	}
}

static void save_row(void *context, uint32_t group, int64_t t_ns, const double *values, size_t n)
{
	FILE *out = context;

	fprintf(out, "row %u %lld %zu", group, (long long)t_ns, n);
	for (size_t i = 0; i < n; i++) {
		fputc(' ', out);
		lode_state_put_number(out, values[i]);
	}
	fputc('\n', out);
}

int lode_pio_watch_save(const struct lode_pio_watch *w, struct lode_error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = lode_written_open(&text, &size);
	struct lode_counter_taker taker = {out, save_group, save_row};
	int rc;

	fprintf(out, "lode-pio-watch 1\nmodel %lld\n", (long long)w->model_hash);
	save_sources(out, w);
	save_requests(out, w);
	lode_counter_log_give(w->counters, &taker);
	if (w->online)
		lode_pio_online_save(out, w->online);
	fputs("end\n", out);
	lode_written_close(out);
	rc = lode_atomic_write(w->options.state_path, text, size, err);
	free(text);
	return rc;
}

/* ---- Reading ---- */

static void load_source(struct lode_pio_watch *w, struct lode_state_words *words,
			const struct lode_pio_watcher *watcher)
{
	struct lode_follow_place p;
	struct lode_error err;
	bool is_log, is_placed;
	int64_t newest;
	size_t len, section_len;
	char *path = lode_state_text(words, &len), *section;

	is_log = lode_state_int(words) != 0;
	newest = lode_state_int(words);
	is_placed = lode_state_int(words) != 0;
	p.device = (uint64_t)lode_state_int(words);
	p.inode = (uint64_t)lode_state_int(words);
	p.offset = lode_state_int(words);
	p.start_hash = (uint64_t)lode_state_int(words);
	p.n_start = (uint32_t)lode_state_int(words);
	section = lode_state_text(words, &section_len);
	w->resumed_ns = newest > w->resumed_ns ? newest : w->resumed_ns;
	for (size_t i = 0; i < w->sources.n && !words->is_bad; i++) {
		struct lode_watch_source *s = &w->sources.at[i];

		if (s->is_log != is_log || strcmp(lode_follow_path(s->follow), path) != 0)
			continue;
		s->newest_ns = newest;
		s->section.n = 0;
		lode_vec_reserve(&s->section, section_len + 1);
		memcpy(s->section.at, section, section_len);
		s->section.n = section_len;
		if (is_placed && !lode_follow_resume(s->follow, &p)) {
			lode_fail(&err, LODE_ERR_IO, path, -1,
				  "the followed file is gone, and data written to it since is "
				  "lost; continuing at the start of the new file");
			watcher->warn(watcher->context, &err);
		}
		break;
	}
	free(path);
	free(section);
}

/* The last interval that there may be; < 0: none. Nothing is known of what is newer than all files.
 */
static int64_t last_interval(const struct lode_pio_watch *w)
{
	return w->resumed_ns < 0 ? -1 : w->resumed_ns / w->model->settings.step_ns;
}

/* The requests of neighbouring intervals. */
static void load_counts(struct lode_pio_watch *w, struct lode_state_words *words)
{
	int64_t interval = lode_state_int(words), last = last_interval(w);
	size_t n = lode_state_count(words);

	words->is_bad |= interval < 0 || (n && interval > last);
	for (size_t i = 0; i < n && !words->is_bad; i++, interval++) {
		struct lode_interval_counts c = {.n = (uint32_t)lode_state_int(words)};

		c.n_slow = (uint32_t)lode_state_int(words);
		c.n_client = (uint32_t)lode_state_int(words);
		words->is_bad |= c.n && interval > last;
		if (c.n)
			*lode_interval_tally_at(&w->requests.tally, interval) = c;
	}
}

static void load_requests(struct lode_pio_watch *w, struct lode_state_words *words)
{
	struct lode_request_log *log = &w->requests;
	size_t n;

	while (!words->is_bad && lode_state_are(words, "requests"))
		load_counts(w, words);
	lode_state_expect(words, "hits");
	n = lode_state_count(words);
	for (size_t i = 0; i < n && !words->is_bad; i++) {
		struct lode_slow_hits h = {.interval = lode_state_int(words)};
		uint32_t action_id, user_id;
		size_t action_len, user_len;
		char *action, *user;
		bool has_user;

		words->is_bad |= h.interval < 0 || h.interval > last_interval(w);
		h.n = (uint32_t)lode_state_int(words);
		action = lode_state_text(words, &action_len);
		has_user = lode_state_int(words) != 0;
		user = lode_state_text(words, &user_len);
		action_id = lode_strings_find(&w->model->names.actions, action, action_len);
		user_id = lode_strings_find(&w->model->names.users, user, user_len);
		if (!words->is_bad && action_id != LODE_NONE) {
			h.pair = lode_usual_pair(log->usual, action_id,
						 has_user ? user_id : LODE_NONE);
			lode_vec_append(&log->hits, h);
		}
		free(action);
		free(user);
	}
}

static void load_group(struct lode_pio_watch *w, struct lode_state_words *words)
{
	size_t n = lode_state_count(words), len;
	struct lode_counter_column *columns = lode_alloc0(n + 1, sizeof(*columns));

	for (size_t i = 0; i < n; i++) {
		int64_t kind = lode_state_int(words);

		columns[i].kind = (enum lode_counter_kind)(kind & 3);
		columns[i].server = lode_state_text(words, &len);
		columns[i].name = lode_state_text(words, &len);
	}
	if (!words->is_bad)
		(void)lode_counter_log_group(w->counters, columns, n);
	for (size_t i = 0; i < n; i++) {
		free((void *)(uintptr_t)columns[i].server);
		free((void *)(uintptr_t)columns[i].name);
	}
	free(columns);
}

/* `widths`: columns of each group. */
static void load_row(struct lode_pio_watch *w, struct lode_state_words *words, const size_t *widths,
		     size_t n_groups)
{
	int64_t group = lode_state_int(words), t_ns = lode_state_int(words);
	size_t n = lode_state_count(words);
	double *values = lode_alloc0(n + 1, sizeof(*values));

	for (size_t i = 0; i < n; i++)
		values[i] = lode_state_number(words);
	if (group < 0 || (size_t)group >= n_groups || widths[group] != n || t_ns > w->resumed_ns)
		words->is_bad = true;
	if (!words->is_bad)
		lode_counter_log_row(w->counters, (uint32_t)group, t_ns, values);
	free(values);
}

static void load_counters(struct lode_pio_watch *w, struct lode_state_words *words)
{
	LODE_VEC(size_t) widths = {0};

	while (!words->is_bad) {
		if (lode_state_are(words, "group")) {
			struct lode_state_words ahead = *words;

			lode_vec_append(&widths, lode_state_count(&ahead));
			load_group(w, words);
		} else if (lode_state_are(words, "row")) {
			load_row(w, words, widths.at, widths.n);
		} else {
			break;
		}
	}
	(void)lode_counter_log_newest(w->counters);
	lode_vec_release(&widths);
}

static bool load_state(struct lode_pio_watch *w, struct lode_state_words *words,
		       const struct lode_pio_watcher *watcher)
{
	size_t n;

	lode_state_expect(words, "files");
	n = lode_state_count(words);
	for (size_t i = 0; i < n && !words->is_bad; i++)
		load_source(w, words, watcher);
	if (lode_state_are(words, "newest"))
		w->resumed_ns = lode_state_int(words);
	load_requests(w, words);
	load_counters(w, words);
	lode_watch_start(w);
	if (!lode_state_are(words, "end")) {
		lode_pio_online_load(w->online, words);
		words->is_bad |= lode_pio_online_next(w->online) > last_interval(w) + 1;
		lode_state_expect(words, "end");
	}
	return !words->is_bad;
}

/* The whole file as text; 0 when there is none. */
static int read_state(const char *path, char **text, size_t *size, struct lode_error *err)
{
	struct lode_input *input;
	ssize_t n;
	int rc;

	if (access(path, F_OK) != 0 && errno == ENOENT)
		return 0;
	rc = lode_input_open(&input, path, err);
	if (rc < 0)
		return rc;
	*size = (size_t)(lode_input_size_bytes(input) < 0 ? 0 : lode_input_size_bytes(input));
	if (*size > STATE_MAX_BYTES) {
		lode_input_close(input);
		return lode_fail(err, LODE_ERR_LIMIT, path, -1,
				 "is not a state file of lode pio watch");
	}
	*text = lode_alloc(*size + 1);
	n = lode_input_read(input, *text, *size, err);
	lode_input_close(input);
	if (n < 0) {
		free(*text);
		return (int)n;
	}
	*size = (size_t)n;
	(*text)[*size] = '\0';
	return 1;
}

int lode_pio_watch_resume(struct lode_pio_watch *w, const struct lode_pio_watcher *watcher,
			  struct lode_error *err)
{
	const char *path = w->options.state_path;
	struct lode_state_words words = {0};
	char *text = NULL;
	size_t size = 0;
	int rc = read_state(path, &text, &size, err);

	if (rc <= 0)
		return rc;
	words.at = text;
	words.end = text + size;
	lode_state_expect(&words, "lode-pio-watch");
	if (lode_state_int(&words) != 1)
		words.is_bad = true;
	lode_state_expect(&words, "model");
	if (!words.is_bad && lode_state_int(&words) != (int64_t)w->model_hash)
		rc = lode_fail(
			err, LODE_ERR_ARG, path, -1,
			"belongs to a watch with another model: remove it, or use another file");
	else if (words.is_bad || !load_state(w, &words, watcher))
		rc = lode_fail(err, LODE_ERR_FORMAT, path, words.at - text,
			       "is not a state file of lode pio watch, or was damaged");
	free(text);
	return rc;
}
