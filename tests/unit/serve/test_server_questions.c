/* What a server makes of questions: many at once, long ones, and those that fail. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/memory_bound.h"
#include "base/sanitized.h"
#include "unit/serve/house.h"

enum { CLIENTS = 6, REQUESTS = 60 };

static void *ask_often(void *argument)
{
	const struct house *house = argument;

	for (int i = 0; i < REQUESTS; i++) {
		char *answer =
			house_request(house, "GET",
				      i % 2 ? "/api/reports/mine/echo?say=x" : "/api/reports/large",
				      HOST, "");

		if (strncmp(answer, "HTTP/1.1 200", 12) != 0) {
			free(answer);
			return argument;
		}
		free(answer);
	}
	return NULL;
}

static void many_ask_at_once(void **state)
{
	struct house house;
	pthread_t clients[CLIENTS];
	void *failed;

	(void)state;
	house_open(&house, (struct lode_server_options){.n_threads = 3});
	for (int i = 0; i < CLIENTS; i++)
		assert_int_equal(pthread_create(&clients[i], NULL, ask_often, &house), 0);
	for (int i = 0; i < CLIENTS; i++) {
		pthread_join(clients[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(house_seen->most_in_question, 1);
	house_close(&house);
}

/* ---- Lasting answers, and questions that take long ---- */

static void expect_made(struct house *house, const char *path, const char *part, int n_made)
{
	int before = __atomic_load_n(&house_seen->n_made, __ATOMIC_SEQ_CST);

	for (int i = 0; i < 3; i++)
		house_expect(house, "GET", path, HOST, 200, part);
	assert_int_equal(__atomic_load_n(&house_seen->n_made, __ATOMIC_SEQ_CST) - before, n_made);
}

static void lasting_answers_are_made_once(void **state)
{
	static const char packed[] = HOST "Accept-Encoding: gzip\r\n";
	static const char one[] = "/api/reports/mine/last?id=a";
	char *answer, *tag, headers[200], beyond[2000];
	struct house house;

	(void)state;
	house_open(&house, (struct lode_server_options){0});
	expect_made(&house, one, "{\"id\": \"a\", \"top\": \"\"", 1);
	expect_made(&house, "/api/reports/mine/last?other=7&id=a&token=x", "\"id\": \"a\"", 0);
	expect_made(&house, "/api/reports/mine/last?id=a&top=", "\"top\": \"\"", 1);
	expect_made(&house, "/api/reports/mine/last?id=b", "\"id\": \"b\"", 1);
	expect_made(&house, "/api/reports/mine/last?top=1&id=a", "\"top\": \"1\"", 1);
	expect_made(&house, one, "\"id\": \"a\"", 0);
	house_expect(&house, "GET", one, packed, 200, "Content-Encoding: gzip");
	house_expect(&house, "GET", one, HOST, 200, "nosniff");
	answer = house_request(&house, "GET", one, HOST, "");
	tag = strstr(answer, "ETag: ");
	assert_non_null(tag);
	snprintf(headers, sizeof(headers), "%sIf-None-Match: %.18s\r\n", HOST, tag + 6);
	free(answer);
	house_expect(&house, "GET", one, headers, 304, NULL);
	/* What nobody would ask is answered, and not kept. */
	expect_made(&house, "/api/reports/mine/last?id=a%0A-", "\"id\": \"a\n-\"", 3);
	snprintf(beyond, sizeof(beyond), "/api/reports/mine/last?id=%0*d", 1500, 0);
	expect_made(&house, beyond, "\"id\": \"000", 3);
	house_close(&house);
}

static void refusals_have_their_status_and_are_not_kept(void **state)
{
	static const struct {
		const char *id;
		int status;
	} cases[] = {{"absent", 404}, {"taken", 409}, {"gone", 410}, {"no-such", 422}};
	struct house house;
	char path[80];

	(void)state;
	house_open(&house, (struct lode_server_options){0});
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		snprintf(path, sizeof(path), "/api/reports/mine/last?id=%s", cases[i / 2].id);
		house_expect(&house, "GET", path, HOST, cases[i / 2].status, "\"error\": \"no ");
		assert_int_equal(house_seen->n_made, i + 1);
	}
	house_expect(&house, "GET", "/api/reports/mine/last", HOST, 400, "which?");
	house_close(&house);
}

struct waiter {
	const struct house *house;
	char *answer;
};

static void *ask_at_gate(void *context)
{
	struct waiter *waiter = context;

	waiter->answer = house_request(waiter->house, "GET", "/api/reports/mine/gate", HOST, "");
	return NULL;
}

static void documents_do_not_wait_for_questions(void **state)
{
	struct house house;
	struct waiter waiters[4];
	pthread_t threads[4];

	(void)state;
	house_open(&house, (struct lode_server_options){0});
	house_expect(&house, "GET", "/api/reports/mine/last?id=a", HOST, 200, "\"a\"");
	for (int i = 0; i < 4; i++) {
		waiters[i] = (struct waiter){&house, NULL};
		assert_int_equal(pthread_create(&threads[i], NULL, ask_at_gate, &waiters[i]), 0);
	}
	while (!__atomic_load_n(&house_seen->n_waiting, __ATOMIC_SEQ_CST))
		usleep(1000);
	for (int i = 0; i < 20; i++) {
		house_expect(&house, "GET", "/api/reports/mine", HOST, 200, "{\"a\": 1}");
		house_expect(&house, "GET", "/api/reports/mine/last?id=a", HOST, 200, "\"a\"");
	}
	assert_int_equal(__atomic_load_n(&house_seen->n_waiting, __ATOMIC_SEQ_CST), 1);
	__atomic_store_n(&house_seen->is_gate_open, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_non_null(strstr(waiters[i].answer, "{\"waited\": true}"));
		free(waiters[i].answer);
	}
	house_close(&house);
}

/* Of 8 connections questions may have 4. More of them are told to come again; who says nothing
   makes room for others. */
static void many_connections_leave_room(void **state)
{
	enum { N_ASKED = 6, N_MAY_WAIT = 4 };
	struct house house;
	struct pollfd asked[N_ASKED];
	char text[200], *answer;
	size_t n;
	int fd, n_refused = 0;

	(void)state;
	house_open(&house, (struct lode_server_options){.n_threads = 1, .n_connections = 8});
	snprintf(text, sizeof(text),
		 "GET /api/reports/mine/gate HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
		 "Connection: close\r\n\r\n",
		 lode_server_port(house.server));
	for (int i = 0; i < N_ASKED; i++) {
		asked[i] = (struct pollfd){house_dial(&house), POLLIN, 0};
		house_tell(asked[i].fd, text, strlen(text));
	}
	while (n_refused < N_ASKED - N_MAY_WAIT) {
		assert_true(poll(asked, N_ASKED, 20000) > 0);
		for (int i = 0; i < N_ASKED; i++) {
			if (asked[i].fd < 0 || !asked[i].revents)
				continue;
			answer = house_hear(asked[i].fd, &n);
			assert_non_null(strstr(answer, "HTTP/1.1 503"));
			assert_non_null(strstr(answer, "Retry-After: 1"));
			free(answer);
			close(asked[i].fd);
			asked[i].fd = -1;
			n_refused++;
		}
	}
	for (int i = 0; i < 40; i++) {
		fd = house_dial(&house);
		house_expect(&house, "GET", "/api/reports/mine", HOST, 200, "{\"a\": 1}");
		if (i % 2)
			close(fd);
	}
	__atomic_store_n(&house_seen->is_gate_open, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < N_ASKED; i++) {
		if (asked[i].fd < 0)
			continue;
		answer = house_hear(asked[i].fd, &n);
		assert_non_null(strstr(answer, "{\"waited\": true}"));
		free(answer);
		close(asked[i].fd);
	}
	house_close(&house);
}

/* A client that went away, and a server that is stopped, while a question is asked. */
static void stopping_ends_what_is_asked(void **state)
{
	static const char lines[] = "GET /api/reports/mine/gate HTTP/1.1\r\n";
	int64_t start_ns = lode_clock_ns(CLOCK_MONOTONIC);
	struct house house;
	char text[200];
	int fd;

	(void)state;
	house_open(&house, (struct lode_server_options){0});
	snprintf(text, sizeof(text), "%sHost: 127.0.0.1:%u\r\n\r\n", lines,
		 lode_server_port(house.server));
	for (int i = 0; i < 5; i++) {
		fd = house_dial(&house);
		house_tell(fd, text, strlen(text));
		while (!__atomic_load_n(&house_seen->n_waiting, __ATOMIC_SEQ_CST))
			usleep(1000);
		close(fd);
	}
	house_close(&house);
	assert_int_equal(house_seen->n_waiting, 1); /* the others were not begun */
	assert_true(lode_clock_ns(CLOCK_MONOTONIC) - start_ns < INT64_C(10000000000));
	errno = 0;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
	assert_int_equal(errno, ECHILD);
}

static int write_mib(void *context, const struct lode_site_query *query, FILE *out,
		     struct lode_error *err)
{
	const size_t *n = context;

	(void)query;
	(void)err;
	for (size_t i = 0; i < *n << 8; i++)
		fprintf(out, "%04096d", 0);
	return LODE_OK;
}

/* Answers that nobody reads do not add up: the first ones give way. */
static void unread_answers_are_bounded(void **state)
{
	enum { ASKED = 6, MIB = 40 };
	struct lode_server_options options = {.token = house_token};
	struct house house = {.site = lode_site_new()};
	int fds[ASKED], n_whole = 0;
	struct lode_error err;
	char text[200];
	size_t n = MIB;

	(void)state;
	lode_site_add_report(house.site, "mine", "lode/mine/1", "slow/", "{}\n", 3);
	lode_site_add_question(house.site, "mine", "much", LODE_REQUEST_READ, write_mib, &n);
	assert_int_equal(start_server(&house.server, house.site, &options, &err), 0);
	snprintf(text, sizeof(text),
		 "GET /api/reports/mine/much HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
		 "Connection: close\r\n\r\n",
		 lode_server_port(house.server));
	for (int i = 0; i < ASKED; i++) {
		struct pollfd begun = {.events = POLLIN};

		begun.fd = fds[i] = house_dial(&house);
		house_tell(fds[i], text, strlen(text));
		assert_int_equal(poll(&begun, 1, 60000), 1);
	}
	for (int i = 0; i < ASKED; i++) {
		static char piece[1 << 20];
		ssize_t got;
		size_t all = 0;

		while ((got = recv(fds[i], piece, sizeof(piece), 0)) > 0)
			all += (size_t)got;
		n_whole += all > (size_t)MIB << 20;
		assert_true(i != 0 || all < (size_t)MIB << 20);
		assert_true(i != ASKED - 1 || all > (size_t)MIB << 20);
		close(fds[i]);
	}
	assert_int_equal(n_whole, 128 / MIB);
	house_close(&house);
}

/* ---- Questions that would end the server ---- */

static int __attribute__((noreturn))
crash(void *context, const struct lode_site_query *query, FILE *out, struct lode_error *err)
{
	(void)context;
	(void)query;
	(void)out;
	(void)err;
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	abort();
}

static int __attribute__((noreturn))
take_memory(void *context, const struct lode_site_query *query, FILE *out, struct lode_error *err)
{
	(void)context;
	(void)query;
	(void)out;
	(void)err;
	for (;;)
		memset(lode_alloc(1 << 16), 1, 1 << 16); /* larger ones may go to files */
}

static int be_killed(void *context, const struct lode_site_query *query, FILE *out,
		     struct lode_error *err)
{
	(void)context;
	(void)query;
	(void)out;
	(void)err;
	return raise(SIGKILL);
}

struct ending {
	lode_site_answer *answer;
	int status;
	const char *says;
	int64_t question_ms; /* 0: as ever */
};

static void ask_endlessly(const struct ending *ending)
{
	static const char *const parameters[] = {"id", NULL};
	struct lode_server_options options = {.token = house_token,
					      .question_ms = ending->question_ms};
	struct house house = {.site = lode_site_new()};
	struct lode_error err;
	size_t n = 257;

	memset(house_seen, 0, sizeof(*house_seen));
	lode_site_add_report(house.site, "mine", "lode/mine/1", "slow/", "{\"a\": 1}\n", 9);
	lode_site_add_question(house.site, "mine", "read", LODE_REQUEST_READ, ending->answer, &n);
	lode_site_add_lasting(house.site, "mine", "last", parameters, ending->answer, NULL);
	lode_site_add_question(house.site, "mine", "sign", LODE_REQUEST_CHANGE, ending->answer,
			       NULL);
	assert_int_equal(start_server(&house.server, house.site, &options, &err), 0);
	house_expect(&house, "GET", "/api/reports/mine/read", HOST, ending->status, ending->says);
	if (ending->answer != write_mib) { /* takes a while */
		house_expect(&house, "GET", "/api/reports/mine/last", HOST, ending->status,
			     ending->says);
		house_expect(&house, "POST", "/api/reports/mine/sign", CHANGING, ending->status,
			     ending->says);
	}
	house_expect(&house, "GET", "/api/reports/mine", HOST, 200, "{\"a\": 1}");
	house_close(&house);
}

/* Of whatever kind they are: the server goes on, and says why. */
static void no_question_ends_the_server(void **state)
{
	static const struct ending endings[] = {{crash, 500, "signal 11", 0},
						{be_killed, 500, "was killed", 0},
						{take_memory, 507, "of --memory", 0},
						{write_mib, 413, "larger than 256 MiB", 0},
						{house_wait_at_gate, 504, "takes longer than",
						 300}};

	(void)state;
	lode_memory_keep_to((size_t)700 << 20);
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		/* Sanitizers end a process in their own way when memory ends. */
		if (!LODE_IS_SANITIZED || endings[i].answer != take_memory)
			ask_endlessly(&endings[i]);
	lode_memory_keep_to(0);
}

/* ---- One site after another ---- */

enum { EDITIONS = 40, READERS = 4 };

/* A site that says its number everywhere. */
struct edition {
	int number, is_freed;
};

static int say_edition(void *context, const struct lode_site_query *query, FILE *out,
		       struct lode_error *err)
{
	const struct edition *edition = context;

	(void)query;
	(void)err;
	/* What it looks into is there as long as it is asked. */
	if (__atomic_load_n(&edition->is_freed, __ATOMIC_SEQ_CST))
		abort();
	fprintf(out, "{\"edition\": %d, \"much\": \"%02000d\"}\n", edition->number, 0);
	return LODE_OK;
}

static void free_edition(void *context)
{
	struct edition *edition = context;

	__atomic_store_n(&edition->is_freed, 1, __ATOMIC_SEQ_CST);
}

static struct lode_site *site_of_edition(struct edition *edition)
{
	static const char *const parameters[] = {"id", NULL};
	struct lode_site *site = lode_site_new();
	char json[60];
	int n = snprintf(json, sizeof(json), "{\"edition\": %d}\n", edition->number);

	lode_site_set_page(site, house_page, strlen(house_page));
	lode_site_add_report(site, "mine", "lode/mine/1", "slow/", json, (size_t)n);
	lode_site_add_question(site, "mine", "ask", LODE_REQUEST_READ, say_edition, edition);
	lode_site_add_lasting(site, "mine", "last", parameters, say_edition, edition);
	lode_site_give(site, free_edition, edition);
	return site;
}

struct reader {
	struct house *house;
	const int *n_begun, *n_shown, *is_over; /* editions */
	int n_read, n_wrong;
};

/* Whatever is asked is answered by an edition that was shown while it was. */
static void *read_editions(void *context)
{
	static const char *const paths[] = {"/api/reports/mine", "/api/reports/mine/ask",
					    "/api/reports/mine/last?id=a",
					    "/api/reports/mine/last?id=b"};
	struct reader *reader = context;

	while (!__atomic_load_n(reader->is_over, __ATOMIC_SEQ_CST) || !reader->n_read) {
		int least = __atomic_load_n(reader->n_shown, __ATOMIC_SEQ_CST), number = -1;
		char *answer =
			house_request(reader->house, "GET", paths[reader->n_read++ % 4], HOST, "");
		const char *at = strstr(answer, "{\"edition\": ");

		if (at)
			number = (int)strtol(at + strlen("{\"edition\": "), NULL, 10);
		reader->n_wrong += number < least ||
				   number > __atomic_load_n(reader->n_begun, __ATOMIC_SEQ_CST);
		free(answer);
	}
	return NULL;
}

static void another_site_takes_its_place_while_many_ask(void **state)
{
	static struct edition editions[EDITIONS];
	struct house house = {.site = NULL};
	int n_begun = 0, n_shown = 0, is_over = 0;
	struct lode_server_options options = {.token = house_token};
	struct reader readers[READERS];
	pthread_t threads[READERS];
	struct lode_site *site;
	struct lode_error err;

	(void)state;
	site = site_of_edition(&editions[0]);
	assert_int_equal(start_server(&house.server, site, &options, &err), 0);
	lode_site_free(site);
	for (int i = 0; i < READERS; i++) {
		readers[i] = (struct reader){&house, &n_begun, &n_shown, &is_over, 0, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, read_editions, &readers[i]), 0);
	}
	for (int i = 1; i < EDITIONS; i++) {
		usleep(2000);
		editions[i].number = i;
		site = site_of_edition(&editions[i]);
		__atomic_store_n(&n_begun, i, __ATOMIC_SEQ_CST);
		lode_server_show(house.server, site);
		__atomic_store_n(&n_shown, i, __ATOMIC_SEQ_CST);
		lode_site_free(site);
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < READERS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(readers[i].n_wrong, 0);
	}
	/* The last one stays until the server stops. */
	assert_false(editions[EDITIONS - 1].is_freed);
	lode_server_stop(house.server);
	for (int i = 0; i < EDITIONS; i++)
		assert_true(editions[i].is_freed);
}

static int say_how_far(void *context, const struct lode_site_query *query, FILE *out,
		       struct lode_error *err)
{
	(void)query;
	fputs("not to be seen", out);
	lode_fail(err, LODE_ERR_IO, NULL, -1, "mining: %d of 9", ++*(int *)context);
	return LODE_SITE_PENDING;
}

/* Whatever is asked of a report that is still made says how far that is, until it is there. */
static void pending_reports_say_how_far_they_are(void **state)
{
	struct lode_server_options options = {.token = house_token};
	struct edition edition = {.number = 7};
	struct house house = {.site = NULL};
	struct lode_site *site = lode_site_new();
	struct lode_error err;
	int n_asked = 0;

	(void)state;
	lode_site_set_page(site, house_page, strlen(house_page));
	lode_site_add_pending(site, "mine", "lode/mine/1", "slow/", say_how_far, &n_asked);
	assert_int_equal(start_server(&house.server, site, &options, &err), 0);
	lode_site_free(site);
	house_expect(&house, "GET", "/", HOST, 200, "<!doctype html>");
	house_expect(&house, "GET", "/api/reports", HOST, 200, "\"schema\": \"lode/mine/1\"");
	house_expect(&house, "GET", "/api/reports/mine", HOST, 503,
		     "\"error\": \"mining: 1 of 9\"");
	house_expect(&house, "GET", "/api/reports/mine", HOST, 503, "Retry-After: 1");
	house_expect(&house, "GET", "/api/reports/mine/ask?id=a", HOST, 503, "mining: 3 of 9");
	house_expect(&house, "GET", "/api/reports/none", HOST, 404, "not found");
	house_expect(&house, "POST", "/api/reports/mine/sign", HOST, 405, NULL);
	site = site_of_edition(&edition);
	lode_server_show(house.server, site);
	lode_site_free(site);
	house_expect(&house, "GET", "/api/reports/mine", HOST, 200, "\"edition\": 7");
	house_expect(&house, "GET", "/api/reports/mine/ask", HOST, 200, "\"edition\": 7");
	assert_int_equal(n_asked, 3);
	lode_server_stop(house.server);
	assert_true(edition.is_freed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_ask_at_once),
		cmocka_unit_test(lasting_answers_are_made_once),
		cmocka_unit_test(refusals_have_their_status_and_are_not_kept),
		cmocka_unit_test(documents_do_not_wait_for_questions),
		cmocka_unit_test(many_connections_leave_room),
		cmocka_unit_test(stopping_ends_what_is_asked),
		cmocka_unit_test(unread_answers_are_bounded),
		cmocka_unit_test(no_question_ends_the_server),
		cmocka_unit_test(another_site_takes_its_place_while_many_ask),
		cmocka_unit_test(pending_reports_say_how_far_they_are),
	};

	return house_share_seen() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
