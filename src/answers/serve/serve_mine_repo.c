/* Serves a repository, mined again whenever its recordings change. */
#include "answers/serve/serve_mine_repo.h"

#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "tool/messages.h"
#include "tool/page_commands.h"
#include "answers/serve/serve_kept.h"
#include "answers/serve/serve_mine_parts.h"
#include "store/repo_watch.h"
#include "serve/maker.h"
#include "document/html.h"
#include "document/units.h"

enum {
	/* A first mining that takes longer is waited for by who asks. */
	FIRST_MS = 1000,
	LOOK_MS = 1000,
	/* Rests that many times as long as it worked: imports of hours cost a fifth of the time. */
	REST_FACTOR = 4,
	/* Looks that fail before it is said: a file may be moved away and back. */
	PATIENCE = 10,
	NICENESS = 10, /* answers come first */
	STOP_S = 1,    /* how long the thread's end is waited for */
	/* LIMIT: of mining again: what was there is shown on. */
	AGAIN_MS = 3600000,
};

static const char report_name[] = "mine";

struct lode_serve_repo {
	const struct lode_command *self;
	struct lode_mine_request request;
	struct lode_source_dirs dirs;
	bool is_anew; /* something else was shown before */
	struct lode_repo_watch watch;
	unsigned n_failed;	  /* looks */
	bool is_kept;		  /* what is shown is: nothing is mined of it yet */
	struct lode_maker *shown; /* of the site that is shown, which has it; NULL: none */
	bool has_thread;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Under the lock */
	struct lode_site *site; /* of the first mining, until the server has it */
	struct lode_server *server;
	bool is_stopping;
	bool has_first; /* the first mining has ended, with `code` */
	int code;
	bool is_awaited;	       /* it took long: the server started before */
	bool is_wanted;		       /* a question came that a kept report cannot answer */
	struct lode_maker_state state; /* of the process that mines */
};

static char *title_of(char *title, size_t size, const struct lode_serve_repo *repo)
{
	const struct lode_mine_request *asked = &repo->request;

	snprintf(title, size, "%s%s%s", asked->repo, asked->where ? ", " : "",
		 asked->where ? asked->where : "");
	return title;
}

/* ---- In the process that mines ---- */

struct telling {
	struct lode_maker_line *to;
	struct lode_maker_state state;
	struct lode_progress line;
};

static void tell_read(void *context, const struct lode_digest_progress *state)
{
	struct telling *telling = context;

	telling->state.n_done = state->n_done;
	telling->state.n = state->n_streams;
	lode_maker_tell(telling->to, &telling->state);
	lode_progress_read(&telling->line, state);
}

static void tell_stage(void *context, const char *stage, double done)
{
	struct telling *telling = context;

	snprintf(telling->state.stage, sizeof(telling->state.stage), "%s",
		 strcmp(stage, "done") == 0 ? "making the report" : stage);
	lode_maker_tell(telling->to, &telling->state);
	lode_progress_stage(&telling->line, stage, done);
}

/* What is there now; what is wrong is said. */
static void make_report(void *context, struct lode_maker_line *line, struct lode_site *site,
			struct lode_maker_made *made, char **json, size_t *json_bytes)
{
	const struct lode_serve_repo *repo = context;
	struct lode_mine_request request = repo->request;
	struct telling telling = {.to = line};
	struct lode_mine_answer *answer;
	struct lode_serve_mine *mine;
	struct lode_html_part part;
	struct lode_error err;
	char title[1024], *inputs[] = {title_of(title, sizeof(title), repo)};
	int rc;

	request.reading.progress = tell_read;
	request.mine.progress = tell_stage;
	request.reading.progress_context = request.mine.progress_context = &telling;
	lode_progress_start(&telling.line);
	rc = lode_mine_run(&answer, &request, &err);
	lode_progress_end(&telling.line);
	made->code = lode_mine_say(repo->self, answer, rc, &err, NULL);
	if (rc < 0)
		return;
	made->n = answer->n_streams;
	/* Both live as long as the process. */
	mine = lode_serve_mine_new(answer, &request.reading, &repo->dirs, request.repo,
				   repo->is_anew);
	lode_html_part_make(&part, &lode_mine_document, answer, inputs, 1);
	lode_site_add_report(site, report_name, part.schema, part.title, "", 0);
	lode_serve_mine_add(mine, site, report_name);
	*json = memcpy(lode_alloc(part.json_bytes + 1), part.json, part.json_bytes);
	*json_bytes = part.json_bytes;
	lode_html_part_release(&part);
}

/* ---- One state of the repository ---- */

/* What a site has of a process that mined. */
struct mined_apart {
	struct lode_serve_repo *repo;
	struct lode_maker *maker;
	struct lode_serve_mine *outline;
};

static void close_mined(void *context)
{
	struct mined_apart *mined = context;

	lode_maker_free(mined->maker);
	lode_serve_mine_close(mined->outline);
	free(mined);
}

static bool is_stopping(void *context)
{
	struct lode_serve_repo *repo = context;
	bool is;

	pthread_mutex_lock(&repo->lock);
	is = repo->is_stopping;
	pthread_mutex_unlock(&repo->lock);
	return is;
}

static void heed_state(void *context, const struct lode_maker_state *state)
{
	struct lode_serve_repo *repo = context;

	pthread_mutex_lock(&repo->lock);
	repo->state = *state;
	pthread_mutex_unlock(&repo->lock);
}

static void want_details(struct lode_serve_repo *repo)
{
	pthread_mutex_lock(&repo->lock);
	repo->is_wanted = true;
	pthread_cond_broadcast(&repo->changed);
	pthread_mutex_unlock(&repo->lock);
}

/* Of the process that mined; if that is gone, another one is wanted. */
static int ask_mined(void *context, const char *what, const struct lode_site_query *query,
		     FILE *out, struct lode_error *err)
{
	const struct mined_apart *mined = context;
	int rc = lode_maker_ask(mined->maker, what, query, out, err);

	if (lode_maker_has_ended(mined->maker) && !is_stopping(mined->repo))
		want_details(mined->repo);
	return rc;
}

/* So that the next start has it. */
static void keep_report(const struct lode_serve_repo *repo, const struct lode_maker_made *made,
			char *json, size_t json_bytes)
{
	const struct lode_kept_report report = {
		.mined_ns = lode_clock_ns(CLOCK_REALTIME),
		.took_ms = made->took_ms,
		.code = made->code,
		.json = json,
		.json_bytes = json_bytes,
	};

	lode_kept_report_write(&report, &repo->watch, repo->request.asked->options);
}

static struct lode_site *site_of(struct lode_serve_repo *repo, struct lode_maker *maker,
				 const char *json, size_t json_bytes)
{
	struct mined_apart *mined = lode_alloc0(1, sizeof(*mined));
	struct lode_site *site = lode_site_new();
	size_t page_bytes = 0;
	char *page = lode_html_served_page(&page_bytes), title[1024];

	*mined = (struct mined_apart){repo, maker,
				      lode_serve_mine_outline(&repo->dirs, repo->request.repo)};
	lode_site_set_page(site, page, page_bytes);
	lode_site_add_report(site, report_name, lode_mine_document.schema,
			     title_of(title, sizeof(title), repo), json, json_bytes);
	lode_serve_mine_add(mined->outline, site, report_name);
	lode_site_set_relay(site, report_name, ask_mined, mined);
	lode_site_give(site, close_mined, mined);
	free(page);
	return site;
}

/* The site of what is there now; NULL: there is none, what is wrong was said, and `made` has the
   exit code. LODE_OK, or why the process that mines did not come to an end. */
static int mine_apart(struct lode_site **out, struct lode_serve_repo *repo, bool is_first,
		      struct lode_maker_made *made)
{
	const struct lode_maker_work work = {
		.make = make_report,
		.name = report_name,
		.heed = heed_state,
		.is_stopping = is_stopping,
		.context = repo,
		.memory_bytes = lode_memory_bound(),
		.most_ms = is_first ? 0 : AGAIN_MS,
		.niceness = is_first || repo->is_kept ? 0 : NICENESS,
	};
	struct lode_maker *maker;
	struct lode_error err;
	size_t n;
	char *json;
	int rc;

	*out = NULL;
	*made = (struct lode_maker_made){.code = LODE_EXIT_FAILURE};
	rc = lode_maker_start(&maker, &work, made, &json, &n, &err);
	if (rc != LODE_OK && !is_stopping(repo))
		lode_say_error(repo->self, &err);
	if (!json)
		return rc;
	*out = site_of(repo, maker, json, n);
	repo->shown = maker; /* the caller shows it */
	keep_report(repo, made, json, n);
	free(json);
	return rc;
}

/* How far the first mining is, for who asks. */
static int say_pending(void *context, const struct lode_site_query *query, FILE *out,
		       struct lode_error *err)
{
	struct lode_serve_repo *repo = context;
	char n[LODE_UNITS_BUFFER], n_read[LODE_UNITS_BUFFER];

	(void)query;
	(void)out;
	pthread_mutex_lock(&repo->lock);
	lode_format_count(n, repo->state.n);
	lode_format_count(n_read, repo->state.n_done);
	if (!repo->state.n)
		lode_fail(err, LODE_ERR_IO, NULL, -1, "mining: opening the repository");
	else if (!*repo->state.stage)
		lode_fail(err, LODE_ERR_IO, NULL, -1, "mining %s recordings: %s read", n, n_read);
	else
		lode_fail(err, LODE_ERR_IO, NULL, -1, "mining %s recordings: %s", n,
			  repo->state.stage);
	pthread_mutex_unlock(&repo->lock);
	return LODE_SITE_PENDING;
}

/* What a kept report cannot answer, the repository is mined for. */
static int say_wanted(void *context, const struct lode_site_query *query, FILE *out,
		      struct lode_error *err)
{
	want_details(context);
	return say_pending(context, query, out, err);
}

/* "fleet.lode, as of 2026-11-23 11:20 UTC" */
static struct lode_site *kept_site(struct lode_serve_repo *repo,
				   const struct lode_kept_report *report)
{
	struct lode_site *site = lode_site_new();
	size_t page_bytes = 0, n;
	char *page = lode_html_served_page(&page_bytes), title[1024], time[LODE_UTC_BYTES];

	title_of(title, sizeof(title), repo);
	n = strlen(title);
	if (!report->is_current)
		snprintf(title + n, sizeof(title) - n, ", as of %s",
			 lode_utc_text(time, report->mined_ns, "%Y-%m-%d %H:%M UTC"));
	lode_site_set_page(site, page, page_bytes);
	lode_site_add_report(site, report_name, lode_mine_document.schema, title, report->json,
			     report->json_bytes);
	lode_site_set_others(site, report_name, say_wanted, repo);
	if (!report->is_current)
		lode_site_set_stale(site, report_name);
	free(page);
	return site;
}

static struct lode_site *pending_site(struct lode_serve_repo *repo)
{
	struct lode_site *site = lode_site_new();
	size_t page_bytes = 0;
	char *page = lode_html_served_page(&page_bytes), title[1024];

	lode_site_set_page(site, page, page_bytes);
	lode_site_add_pending(site, report_name, lode_mine_document.schema,
			      title_of(title, sizeof(title), repo), say_pending, repo);
	free(page);
	return site;
}

/* 1: what is shown, or nothing yet, is not what is there. */
static int look_serve_mine_repo(struct lode_serve_repo *repo)
{
	char path[4096];
	struct lode_error err;
	int rc = lode_repo_watch_look(&repo->watch, lode_clock_ns(CLOCK_REALTIME), &err);

	if (rc < 0 && ++repo->n_failed == PATIENCE) {
		lode_say_error(repo->self, &err);
		lode_say(repo->self, "%s cannot be read: the report may be out of date",
			 lode_escape(path, sizeof(path), repo->request.repo));
	}
	if (rc >= 0)
		repo->n_failed = 0;
	return rc;
}

/* ---- Following ---- */

/* False: it is to stop. `heeds_questions`: ends early when a kept report is asked what it cannot
   answer. */
static bool wait_ms(struct lode_serve_repo *repo, int64_t ms, bool heeds_questions)
{
	int64_t until_ns = lode_clock_ns(CLOCK_MONOTONIC) + ms * 1000000;
	struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
				 .tv_nsec = until_ns % 1000000000};
	bool goes_on;

	pthread_mutex_lock(&repo->lock);
	while (!repo->is_stopping && !(heeds_questions && repo->is_wanted) &&
	       pthread_cond_timedwait(&repo->changed, &repo->lock, &until) == 0)
		;
	goes_on = !repo->is_stopping;
	pthread_mutex_unlock(&repo->lock);
	return goes_on;
}

/* Gives how many ms the process worked: no longer than it took, and less where others had the CPUs,
   which it gives way to; they would make it rest for as long again, many times over. */
static int64_t mine_anew(struct lode_serve_repo *repo, bool is_changed)
{
	int64_t start_ns = lode_clock_ns(CLOCK_MONOTONIC);
	struct lode_maker_made made;
	struct lode_site *site;
	char path[4096];
	int rc = mine_apart(&site, repo, false, &made);

	lode_escape(path, sizeof(path), repo->request.repo);
	if (!site) {
		if (!is_stopping(repo))
			lode_say(repo->self,
				 rc == LODE_OK ? "%s has changed and now yields no results; "
						 "keeping the previous report"
					       : "%s was not mined; keeping the previous report",
				 path);
		/* Locked for long, killed: the next look finds the change again. */
		if (made.code == LODE_EXIT_FAILURE && rc != LODE_SITE_NO_MEMORY &&
		    rc != LODE_SITE_SLOW)
			repo->watch.has_seen = false;
		return (lode_clock_ns(CLOCK_MONOTONIC) - start_ns) / 1000000;
	}
	pthread_mutex_lock(&repo->lock);
	if (!repo->is_stopping) {
		lode_server_show(repo->server, site);
		lode_say(repo->self,
			 is_changed ? "%s has changed: %zu recording%s mined again"
				    : "%s: %zu recording%s mined; the page can show details",
			 path, made.n, made.n == 1 ? "" : "s");
	}
	repo->is_wanted = false;
	pthread_mutex_unlock(&repo->lock);
	repo->is_kept = false;
	lode_site_free(site);
	return made.took_ms < made.cpu_ms ? made.took_ms : made.cpu_ms;
}

/* The site of what is there at the start, and the news that there is one, or none, to the waiting
 * thread. */
static bool mine_first(struct lode_serve_repo *repo)
{
	struct lode_maker_made made;
	struct lode_site *site;
	char n[LODE_UNITS_BUFFER];

	(void)mine_apart(&site, repo, true, &made);
	repo->is_anew = site != NULL;
	pthread_mutex_lock(&repo->lock);
	repo->has_first = true;
	if (!repo->is_stopping)
		repo->code = made.code;
	if (site && repo->server && !repo->is_stopping) {
		lode_server_show(repo->server, site);
		lode_site_free(site);
	} else {
		repo->site = site;
	}
	if (repo->is_awaited && site)
		lode_say(repo->self, "%s mined; the report is ready",
			 (lode_format_plural(n, made.n, "recording"), n));
	else if (repo->is_awaited && !repo->is_stopping)
		kill(getpid(), SIGTERM); /* there will be nothing to show */
	pthread_cond_broadcast(&repo->changed);
	pthread_mutex_unlock(&repo->lock);
	return site != NULL;
}

/*
 * What was kept of it, if that took long to mine: what takes less is sooner mined than missed. Of
 * the state that is there it is the report; of another one it is shown until that is mined.
 */
static bool show_kept(struct lode_serve_repo *repo, bool *is_current)
{
	char path[4096], age[LODE_DURATION_BYTES];
	struct lode_kept_report report;
	bool is_there = lode_kept_report_read(&report, &repo->watch, repo->request.asked->options);
	int64_t age_ns = lode_clock_ns(CLOCK_REALTIME) - report.mined_ns;

	if (!is_there || report.took_ms < FIRST_MS) {
		lode_kept_report_release(&report);
		return false;
	}
	*is_current = report.is_current;
	lode_say(repo->self,
		 report.is_current
			 ? "%s has not changed since it was mined %s ago: showing that report"
			 : "%s has changed since it was mined %s ago: showing that report "
			   "until it is mined again",
		 lode_escape(path, sizeof(path), repo->request.repo),
		 lode_duration_text(age_ns > 0 ? age_ns : 0, age, sizeof(age)));
	repo->is_kept = repo->is_anew = true;
	pthread_mutex_lock(&repo->lock);
	repo->site = kept_site(repo, &report);
	repo->code = report.code;
	repo->has_first = true;
	pthread_cond_broadcast(&repo->changed);
	pthread_mutex_unlock(&repo->lock);
	lode_kept_report_release(&report);
	return true;
}

static bool has_server(struct lode_serve_repo *repo)
{
	bool has;

	pthread_mutex_lock(&repo->lock);
	has = repo->server != NULL;
	pthread_mutex_unlock(&repo->lock);
	return has;
}

static bool wants_details(struct lode_serve_repo *repo)
{
	bool is;

	pthread_mutex_lock(&repo->lock);
	is = repo->is_wanted;
	pthread_mutex_unlock(&repo->lock);
	return is;
}

/* What comes first: a kept report, or the first mining. False: there is nothing to show. */
static bool show_first(struct lode_serve_repo *repo)
{
	bool is_current = true;

	/* Before it is read: what comes in between is seen at the next look. */
	look_serve_mine_repo(repo);
	if (!show_kept(repo, &is_current))
		return mine_first(repo);
	if (!is_current)
		repo->watch.has_seen = false; /* the next look finds it changed */
	return true;
}

static void *follow(void *context)
{
	struct lode_serve_repo *repo = context;
	int64_t pause_ms = LOOK_MS;
	bool has_mined = false; /* if that failed, those who ask wait like all others */
	int changed;

	if (!show_first(repo))
		return NULL;
	while (wait_ms(repo, pause_ms, !has_mined)) {
		pause_ms = LOOK_MS;
		has_mined = false;
		if (!has_server(repo))
			continue;
		changed = look_serve_mine_repo(repo);
		if (changed <= 0 && !wants_details(repo) &&
		    !(repo->shown && lode_maker_has_ended(repo->shown)))
			continue;
		pause_ms += REST_FACTOR * mine_anew(repo, changed > 0);
		has_mined = true;
	}
	return NULL;
}

/* False: it is still not there. */
static bool wait_for_first(struct lode_serve_repo *repo)
{
	int64_t until_ns = lode_clock_ns(CLOCK_MONOTONIC) + FIRST_MS * INT64_C(1000000);
	struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
				 .tv_nsec = until_ns % 1000000000};

	pthread_mutex_lock(&repo->lock);
	while (!repo->has_first && pthread_cond_timedwait(&repo->changed, &repo->lock, &until) == 0)
		;
	repo->is_awaited = !repo->has_first;
	pthread_mutex_unlock(&repo->lock);
	return !repo->is_awaited;
}

int lode_serve_repo_open(struct lode_serve_repo **out, const struct lode_command *self,
			 const struct lode_mine_request *request,
			 const struct lode_source_dirs *dirs)
{
	struct lode_serve_repo *repo = lode_alloc0(1, sizeof(*repo));
	pthread_condattr_t attributes;
	int code;

	repo->self = self;
	repo->request = *request;
	repo->dirs = *dirs;
	repo->watch = (struct lode_repo_watch){.path = request->repo, .where = request->where};
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&repo->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&repo->lock, NULL);
	repo->has_thread = pthread_create(&repo->thread, NULL, follow, repo) == 0;
	if (!repo->has_thread) {
		lode_say(self, "cannot watch the repository: restart to see its changes");
		look_serve_mine_repo(repo);
		mine_first(repo);
	}
	*out = repo;
	if (!wait_for_first(repo))
		return LODE_EXIT_OK;
	if (repo->site)
		return repo->code;
	*out = NULL;
	code = repo->code;
	lode_serve_repo_stop(repo);
	lode_serve_repo_close(repo);
	return code;
}

struct lode_site *lode_serve_repo_site(struct lode_serve_repo *repo)
{
	if (repo->is_awaited)
		return pending_site(repo);
	lode_site_hold(repo->site);
	return repo->site;
}

bool lode_serve_repo_is_mining(struct lode_serve_repo *repo)
{
	return repo->is_awaited;
}

void lode_serve_repo_follow(struct lode_serve_repo *repo, struct lode_server *server)
{
	pthread_mutex_lock(&repo->lock);
	repo->server = server;
	/* The first mining may have ended while the server started. */
	if (repo->is_awaited && repo->site)
		lode_server_show(server, repo->site);
	lode_site_free(repo->site); /* the server's alone, until another takes its place */
	repo->site = NULL;
	pthread_mutex_unlock(&repo->lock);
}

bool lode_serve_repo_stop(struct lode_serve_repo *repo)
{
	struct timespec until;

	if (!repo || !repo->has_thread)
		return true;
	pthread_mutex_lock(&repo->lock);
	repo->is_stopping = true;
	pthread_cond_signal(&repo->changed);
	pthread_mutex_unlock(&repo->lock);
	/* It may be looking at a file system that does not answer. */
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += STOP_S;
	if (pthread_clockjoin_np(repo->thread, NULL, CLOCK_MONOTONIC, &until) != 0)
		return false;
	repo->has_thread = false;
	return true;
}

int lode_serve_repo_code(struct lode_serve_repo *repo)
{
	int code = LODE_EXIT_OK;

	if (!repo)
		return code;
	pthread_mutex_lock(&repo->lock);
	if (repo->is_awaited && repo->code > LODE_EXIT_INCOMPLETE)
		code = repo->code;
	pthread_mutex_unlock(&repo->lock);
	return code;
}

void lode_serve_repo_close(struct lode_serve_repo *repo)
{
	if (!repo)
		return;
	pthread_cond_destroy(&repo->changed);
	pthread_mutex_destroy(&repo->lock);
	lode_site_free(repo->site);
	free(repo);
}
