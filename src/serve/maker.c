/* Makes a report in a process of its own, which then answers for it. */
#include "serve/maker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_codes.h"
#include "base/written.h"
#include "serve/apart.h"

/* LIMIT: of a report, and of an answer. */
static const uint64_t most_bytes = (uint64_t)1 << 30;

enum { SLACK_MS = 5000 }; /* of a question beyond its limit, before its process is given up */

enum part_kind { STATE, MADE, ANSWER, QUESTION };

/* Before each part that goes through a pipe. */
struct part {
	enum part_kind kind;
	uint64_t n_bytes; /* behind it */
	union {
		struct lode_maker_state state;
		struct lode_maker_made made;
		struct {
			int rc;
			struct lode_error err;
		} answer;
		struct {
			size_t n_pairs, body_bytes; /* body_bytes SIZE_MAX: none */
		} question;
	};
};

struct lode_maker_line {
	int fd;
	pthread_mutex_t lock;
};

struct lode_maker {
	struct lode_maker_work work;
	pthread_mutex_t lock; /* one question at a time */
	pid_t child;
	int to, from;
	bool has_ended;
};

static void put_part(int fd, const struct part *part, const char *bytes)
{
	if (lode_apart_write(fd, part, sizeof(*part)))
		(void)lode_apart_write(fd, bytes, (size_t)part->n_bytes);
}

/* ---- In the process ---- */

void lode_maker_tell(struct lode_maker_line *line, const struct lode_maker_state *state)
{
	pthread_mutex_lock(&line->lock);
	put_part(line->fd, &(struct part){.kind = STATE, .state = *state}, NULL);
	pthread_mutex_unlock(&line->lock);
}

static bool read_whole(int fd, void *bytes, size_t n)
{
	char *at = bytes;

	while (n) {
		ssize_t done = read(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

/* Texts that end with a NUL each: what is asked, its parameters, a body. */
static void answer_question(const struct lode_maker_work *work, const struct lode_site *site,
			    int fd, const struct part *part, const char *bytes)
{
	const struct lode_apart_limits limits = {
		.memory_bytes = work->memory_bytes,
		.time_ms = LODE_APART_MS,
		.patience_ms = lode_apart_patience_ms(part->question.body_bytes != SIZE_MAX),
	};
	struct lode_site_pair *pairs = lode_alloc0(part->question.n_pairs + 1, sizeof(*pairs));
	struct lode_site_query query = {.at = pairs, .n = part->question.n_pairs};
	struct part reply = {.kind = ANSWER, .answer = {.rc = LODE_SITE_ABSENT}};
	const char *at = bytes + strlen(bytes) + 1;
	struct lode_site_place place;
	char path[256], *json = NULL;
	size_t n = 0;

	for (size_t i = 0; i < query.n; i++) {
		pairs[i].key = at;
		pairs[i].value = at += strlen(at) + 1;
		at += strlen(at) + 1;
	}
	if (part->question.body_bytes != SIZE_MAX) {
		query.body = at;
		query.body_bytes = part->question.body_bytes;
	}
	snprintf(path, sizeof(path), "/api/reports/%s/%s", work->name, bytes);
	place = lode_site_find(site, path);
	if (place.kind == LODE_SITE_QUESTION)
		reply.answer.rc = lode_apart_answer(&json, &n, place.question->answer,
						    place.question->context, &query, &limits,
						    &reply.answer.err);
	reply.n_bytes = json ? n : 0;
	put_part(fd, &reply, json);
	free(json);
	free(pairs);
}

struct making {
	const struct lode_maker_work *work;
	struct lode_maker_line line;
	struct lode_site *site;
	struct part made;
	char *bytes;
};

/* A thread of its own gives way to others, with those that it starts: answers come first. */
static void *make(void *context)
{
	struct making *making = context;
	const struct lode_maker_work *work = making->work;
	size_t n = 0;

	if (work->niceness)
		(void)setpriority(PRIO_PROCESS, (id_t)gettid(), work->niceness);
	work->make(work->context, &making->line, making->site, &making->made.made, &making->bytes,
		   &n);
	making->made.n_bytes = making->bytes ? n : 0;
	return NULL;
}

static void __attribute__((noreturn))
be_maker(const struct lode_maker_work *work, int to, int from, pid_t server)
{
	struct making making = {
		work, {to, PTHREAD_MUTEX_INITIALIZER}, lode_site_new(), {.kind = MADE}, NULL};
	int64_t start_ns = lode_clock_ns(CLOCK_MONOTONIC);
	pthread_t thread;
	struct part part;
	char *bytes;

	/* What it makes keeps to --memory by itself (base/memory_bound.h), as it may put large
	   blocks into files. */
	lode_apart_begin((const int[]){to, from}, server, 0);
	if (pthread_create(&thread, NULL, make, &making) == 0)
		pthread_join(thread, NULL);
	else
		make(&making);
	making.made.made.took_ms = (lode_clock_ns(CLOCK_MONOTONIC) - start_ns) / 1000000;
	making.made.made.cpu_ms = lode_clock_ms(CLOCK_PROCESS_CPUTIME_ID);
	put_part(to, &making.made, making.bytes);
	if (!making.bytes)
		_exit(LODE_EXIT_OK);
	free(making.bytes);
	/* A change that is under way when the server's thread ends comes to its end; the pipe ends
	   with the server. */
	(void)prctl(PR_SET_PDEATHSIG, 0);
	while (read_whole(from, &part, sizeof(part))) {
		bytes = lode_alloc((size_t)part.n_bytes + 1);
		if (!read_whole(from, bytes, (size_t)part.n_bytes))
			break;
		answer_question(work, making.site, to, &part, bytes);
		free(bytes);
	}
	_exit(LODE_EXIT_OK);
}

/* ---- In the server ---- */

enum end { HAS_IT, ENDED, TOO_SLOW, STOPPED };

/* `until_ms` 0: however long; `heeds_end`: of the server. */
static enum end take(const struct lode_maker *maker, void *bytes, size_t n, int64_t until_ms,
		     bool heeds_end)
{
	struct pollfd ready = {.fd = maker->from, .events = POLLIN};
	char *at = bytes;

	while (n) {
		ssize_t done;

		if (heeds_end && maker->work.is_stopping(maker->work.context))
			return STOPPED;
		if (until_ms && lode_clock_ms(CLOCK_MONOTONIC) >= until_ms)
			return TOO_SLOW;
		if (poll(&ready, 1, LODE_APART_LOOK_MS) <= 0)
			continue;
		done = read(maker->from, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return ENDED;
		at += done;
		n -= (size_t)done;
	}
	return HAS_IT;
}

/* The next part, and what is behind it (the caller's). */
static enum end take_part(const struct lode_maker *maker, struct part *part, char **bytes,
			  int64_t until_ms, bool heeds_end)
{
	enum end end = take(maker, part, sizeof(*part), until_ms, heeds_end);

	*bytes = NULL;
	if (end != HAS_IT)
		return end;
	if (part->n_bytes > most_bytes) {
		kill(maker->child, SIGKILL);
		return ENDED;
	}
	*bytes = lode_alloc((size_t)part->n_bytes + 1);
	(*bytes)[part->n_bytes] = '\0';
	end = take(maker, *bytes, (size_t)part->n_bytes, until_ms, heeds_end);
	if (end != HAS_IT) {
		free(*bytes);
		*bytes = NULL;
	}
	return end;
}

/* Ends the process; says why it is of no use, where that is `end`. */
static int give_up(struct lode_maker *maker, enum end end, const char *what, int64_t most_ms,
		   struct lode_error *err)
{
	int status = 0;

	if (end != ENDED)
		kill(maker->child, SIGKILL);
	while (waitpid(maker->child, &status, 0) < 0 && errno == EINTR)
		;
	maker->has_ended = true;
	if (end == ENDED)
		return lode_apart_fail(status, what, "", maker->work.memory_bytes, err);
	if (end == TOO_SLOW) {
		lode_fail(err, LODE_ERR_LIMIT, NULL, -1, "%s takes longer than %lld s", what,
			  (long long)(most_ms / 1000));
		return LODE_SITE_SLOW;
	}
	lode_fail(err, LODE_ERR_IO, NULL, -1, "the server is stopping");
	return LODE_SITE_PENDING;
}

static bool fork_maker(struct lode_maker *maker)
{
	int to[2] = {-1, -1}, from[2] = {-1, -1};
	pid_t server = getpid();

	maker->child = -1;
	if (pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0)
		maker->child = fork();
	if (maker->child == 0)
		be_maker(&maker->work, from[1], to[0], server);
	maker->to = to[1];
	maker->from = from[0];
	if (to[0] >= 0)
		close(to[0]);
	if (from[1] >= 0)
		close(from[1]);
	return maker->child > 0;
}

int lode_maker_start(struct lode_maker **out, const struct lode_maker_work *work,
		     struct lode_maker_made *made, char **json, size_t *json_bytes,
		     struct lode_error *err)
{
	static const char what[] = "mining";
	struct lode_maker *maker = lode_alloc0(1, sizeof(*maker));
	int64_t until_ms = work->most_ms ? lode_clock_ms(CLOCK_MONOTONIC) + work->most_ms : 0;
	struct part part = {.kind = STATE};
	enum end end = HAS_IT;
	int rc = LODE_OK;

	*out = NULL;
	*json = NULL;
	maker->work = *work;
	pthread_mutex_init(&maker->lock, NULL);
	if (!fork_maker(maker)) {
		rc = lode_fail_errno(err, errno, NULL, "cannot start a process that mines");
		maker->has_ended = true;
	}
	while (rc == LODE_OK && end == HAS_IT && part.kind != MADE) {
		free(*json);
		end = take_part(maker, &part, json, until_ms, true);
		if (end == HAS_IT && part.kind == STATE)
			work->heed(work->context, &part.state);
	}
	if (end != HAS_IT)
		rc = give_up(maker, end, what, work->most_ms, err);
	if (rc == LODE_OK) {
		*made = part.made;
		*json_bytes = (size_t)part.n_bytes;
	}
	if (rc != LODE_OK || !*json_bytes) {
		free(*json);
		*json = NULL;
		lode_maker_free(maker);
		return rc;
	}
	*out = maker;
	return LODE_OK;
}

/* False: it is gone. */
static bool send_question(const struct lode_maker *maker, const char *what,
			  const struct lode_site_query *query)
{
	struct part part = {.kind = QUESTION,
			    .question = {query->n, query->body ? query->body_bytes : SIZE_MAX}};
	LODE_VEC(char) text = {0};
	bool is_sent;

	lode_vec_append_all(&text, what, strlen(what) + 1);
	for (size_t i = 0; i < query->n; i++) {
		lode_vec_append_all(&text, query->at[i].key, strlen(query->at[i].key) + 1);
		lode_vec_append_all(&text, query->at[i].value, strlen(query->at[i].value) + 1);
	}
	if (query->body)
		lode_vec_append_all(&text, query->body, query->body_bytes + 1);
	part.n_bytes = text.n;
	is_sent = lode_apart_write(maker->to, &part, sizeof(part)) &&
		  lode_apart_write(maker->to, text.at, text.n);
	lode_vec_release(&text);
	return is_sent;
}

static int fail_ended(struct lode_error *err)
{
	lode_fail(err, LODE_ERR_IO, NULL, -1,
		  "the process that answers for this report has ended; mining again");
	return LODE_SITE_PENDING;
}

int lode_maker_ask(struct lode_maker *maker, const char *what, const struct lode_site_query *query,
		   FILE *out, struct lode_error *err)
{
	int64_t most_ms = LODE_APART_MS + lode_apart_patience_ms(query->body) + SLACK_MS;
	struct part part;
	char *bytes = NULL;
	enum end end = ENDED;
	int rc;

	pthread_mutex_lock(&maker->lock);
	if (maker->has_ended) {
		pthread_mutex_unlock(&maker->lock);
		return fail_ended(err);
	}
	/* A change that is under way comes to its end. */
	if (send_question(maker, what, query))
		end = take_part(maker, &part, &bytes, lode_clock_ms(CLOCK_MONOTONIC) + most_ms,
				!query->body);
	if (end == HAS_IT) {
		rc = part.answer.rc;
		if (rc == LODE_OK)
			fwrite(bytes, 1, (size_t)part.n_bytes, out);
		else if (err)
			*err = part.answer.err;
	} else {
		rc = give_up(maker, end, "the answer", most_ms, err);
		if (end == ENDED)
			rc = fail_ended(err);
	}
	free(bytes);
	pthread_mutex_unlock(&maker->lock);
	return rc;
}

bool lode_maker_has_ended(struct lode_maker *maker)
{
	bool has_ended;

	if (pthread_mutex_trylock(&maker->lock) != 0)
		return false; /* a question is under way, which will see */
	maker->has_ended = maker->has_ended || waitpid(maker->child, NULL, WNOHANG) > 0;
	has_ended = maker->has_ended;
	pthread_mutex_unlock(&maker->lock);
	return has_ended;
}

void lode_maker_free(struct lode_maker *maker)
{
	struct lode_error ignored;

	if (!maker)
		return;
	if (!maker->has_ended)
		(void)give_up(maker, STOPPED, "", 0, &ignored);
	if (maker->to >= 0)
		close(maker->to);
	if (maker->from >= 0)
		close(maker->from);
	pthread_mutex_destroy(&maker->lock);
	free(maker);
}
