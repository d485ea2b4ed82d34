/* Serves a repository, mined again whenever its recordings change. */
#include "answers/serve/serve_mine_repo.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "tool/messages.h"
#include "tool/page_commands.h"
#include "answers/serve/serve_mine_parts.h"
#include "store/repo_watch.h"
#include "document/html.h"

enum {
	LOOK_MS = 1000,
	/* Rests that many times as long as it worked: imports of hours cost a fifth of the time. */
	REST_FACTOR = 4,
	/* Looks that fail before it is said: a file may be moved away and back. */
	PATIENCE = 10,
	NICENESS = 10, /* answers come first */
};

static const char report_name[] = "mine";

struct lode_serve_repo {
	const struct lode_command *self;
	struct lode_mine_request request;
	bool is_anew; /* something else was shown before */
	struct lode_repo_watch watch;
	struct lode_site *site; /* of the first mining, until it is followed */
	struct lode_server *server;
	unsigned n_failed; /* looks */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_stopping, is_mining; /* under the lock */
	bool has_thread;
	pthread_t thread;
};

/* ---- One state of the repository ---- */

static void close_mine(void *context)
{
	struct lode_serve_mine *mine = context;
	struct lode_mine_answer *answer = mine->answer;

	lode_serve_mine_close(mine);
	lode_mine_free(answer);
}

/* Takes the answer over. */
static struct lode_site *site_of(const struct lode_serve_repo *repo,
				 struct lode_mine_answer *answer)
{
	const struct lode_mine_request *asked = &repo->request;
	struct lode_serve_mine *mine =
		lode_serve_mine_new(answer, &asked->reading, asked->repo, repo->is_anew);
	struct lode_site *site = lode_site_new();
	struct lode_html_part part;
	size_t page_bytes = 0;
	char *page = lode_html_served_page(&page_bytes), title[1024], *inputs[] = {title};

	snprintf(title, sizeof(title), "%s%s%s", asked->repo, asked->where ? ", " : "",
		 asked->where ? asked->where : "");
	lode_html_part_make(&part, &lode_mine_document, answer, inputs, 1);
	lode_site_set_page(site, page, page_bytes);
	lode_site_add_report(site, report_name, part.schema, part.title, part.json,
			     part.json_bytes);
	lode_html_part_release(&part);
	lode_serve_mine_add(mine, site, report_name);
	lode_site_give(site, close_mine, mine);
	free(page);
	return site;
}

/* What is there now. Gives an exit code; what is wrong was said. */
static int mine_repo(struct lode_mine_answer **out, const struct lode_serve_repo *repo)
{
	struct lode_mine_request request = repo->request;
	struct lode_progress progress;
	struct lode_error err;
	int code, rc;

	request.reading.progress_context = request.mine.progress_context = &progress;
	lode_progress_start(&progress);
	rc = lode_mine_run(out, &request, &err);
	lode_progress_end(&progress);
	code = lode_mine_say(repo->self, *out, rc, &err);
	if (rc < 0) {
		lode_mine_free(*out);
		*out = NULL;
	}
	return code;
}

/* 1: what is shown, or nothing yet, is not what is there. */
static int look_serve_mine_repo(struct lode_serve_repo *repo)
{
	char path[4096];
	struct lode_error err;
	int rc = lode_repo_watch_look(&repo->watch, lode_clock_ns(CLOCK_REALTIME), &err);

	if (rc < 0 && ++repo->n_failed == PATIENCE) {
		lode_say_error(repo->self, &err);
		lode_say(repo->self, "%s cannot be read: what is shown may be old",
			 lode_escape(path, sizeof(path), repo->request.repo));
	}
	if (rc >= 0)
		repo->n_failed = 0;
	return rc;
}

int lode_serve_repo_open(struct lode_serve_repo **out, const struct lode_command *self,
			 const struct lode_mine_request *request)
{
	struct lode_serve_repo *repo = lode_alloc0(1, sizeof(*repo));
	struct lode_mine_answer *answer;
	int code;

	*out = NULL;
	repo->self = self;
	repo->request = *request;
	repo->watch = (struct lode_repo_watch){.path = request->repo, .where = request->where};
	/* Before it is read: what comes in between is seen at the next look. */
	look_serve_mine_repo(repo);
	code = mine_repo(&answer, repo);
	if (!answer) {
		free(repo);
		return code;
	}
	repo->site = site_of(repo, answer);
	repo->is_anew = true;
	*out = repo;
	return code;
}

struct lode_site *lode_serve_repo_site(struct lode_serve_repo *repo)
{
	lode_site_hold(repo->site);
	return repo->site;
}

/* ---- Following ---- */

/* False: it is to stop. */
static bool wait_ms(struct lode_serve_repo *repo, int64_t ms)
{
	int64_t until_ns = lode_clock_ns(CLOCK_MONOTONIC) + ms * 1000000;
	struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
				 .tv_nsec = until_ns % 1000000000};
	bool goes_on;

	pthread_mutex_lock(&repo->lock);
	while (!repo->is_stopping &&
	       pthread_cond_timedwait(&repo->changed, &repo->lock, &until) == 0)
		;
	goes_on = !repo->is_stopping;
	pthread_mutex_unlock(&repo->lock);
	return goes_on;
}

static void mine_anew(struct lode_serve_repo *repo)
{
	char path[4096];
	struct lode_mine_answer *answer;
	struct lode_site *site;
	size_t n_streams;
	int code = mine_repo(&answer, repo);

	lode_escape(path, sizeof(path), repo->request.repo);
	if (!answer) {
		lode_say(repo->self,
			 "%s has changed and now yields no results; keeping the previous report",
			 path);
		/* Locked for long, no memory: the next look finds the change again. */
		if (code == LODE_EXIT_FAILURE)
			repo->watch.has_seen = false;
		return;
	}
	n_streams = answer->n_streams;
	site = site_of(repo, answer);
	pthread_mutex_lock(&repo->lock);
	if (!repo->is_stopping) {
		lode_server_show(repo->server, site);
		lode_say(repo->self, "%s has changed: %zu recording%s mined again", path, n_streams,
			 n_streams == 1 ? "" : "s");
	}
	pthread_mutex_unlock(&repo->lock);
	lode_site_free(site);
}

/*
 * How long it has worked: no longer than it took, and less where others had the CPUs, which its
 * threads give way to; they would make it rest for as long again, many times over.
 */
struct work {
	int64_t wall_ns, cpu_ns;
};

static struct work start_work(void)
{
	return (struct work){lode_clock_ns(CLOCK_MONOTONIC),
			     lode_clock_ns(CLOCK_PROCESS_CPUTIME_ID)};
}

static int64_t worked_ms(const struct work *start)
{
	struct work now = start_work();
	int64_t wall_ns = now.wall_ns - start->wall_ns, cpu_ns = now.cpu_ns - start->cpu_ns;

	return (wall_ns < cpu_ns ? wall_ns : cpu_ns) / 1000000;
}

static void set_mining(struct lode_serve_repo *repo, bool is_mining)
{
	pthread_mutex_lock(&repo->lock);
	repo->is_mining = is_mining;
	pthread_mutex_unlock(&repo->lock);
}

static void *follow(void *context)
{
	struct lode_serve_repo *repo = context;
	int64_t pause_ms = LOOK_MS;
	struct work start;

	/* Of this thread, and of those that it starts to mine with. */
	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS);
	while (wait_ms(repo, pause_ms)) {
		pause_ms = LOOK_MS;
		if (look_serve_mine_repo(repo) <= 0)
			continue;
		start = start_work();
		set_mining(repo, true);
		mine_anew(repo);
		set_mining(repo, false);
		pause_ms += REST_FACTOR * worked_ms(&start);
	}
	return NULL;
}

void lode_serve_repo_follow(struct lode_serve_repo *repo, struct lode_server *server)
{
	pthread_condattr_t attributes;

	repo->server = server;
	lode_site_free(repo->site); /* the server's alone, until another takes its place */
	repo->site = NULL;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&repo->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&repo->lock, NULL);
	repo->has_thread = pthread_create(&repo->thread, NULL, follow, repo) == 0;
	if (!repo->has_thread)
		lode_say(repo->self, "cannot look after the repository: start again to see its "
				     "changes");
}

bool lode_serve_repo_stop(struct lode_serve_repo *repo)
{
	bool is_mining;

	if (!repo || !repo->has_thread)
		return true;
	pthread_mutex_lock(&repo->lock);
	repo->is_stopping = true;
	is_mining = repo->is_mining;
	pthread_cond_signal(&repo->changed);
	pthread_mutex_unlock(&repo->lock);
	if (is_mining)
		return false;
	pthread_join(repo->thread, NULL);
	repo->has_thread = false;
	return true;
}

void lode_serve_repo_close(struct lode_serve_repo *repo)
{
	if (!repo)
		return;
	if (repo->server) {
		pthread_cond_destroy(&repo->changed);
		pthread_mutex_destroy(&repo->lock);
	}
	lode_site_free(repo->site);
	free(repo);
}
