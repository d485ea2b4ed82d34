/* A server on a free port of the loopback, asked through plain sockets. */
#include "unit/serve/start_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
/* after those */
#include <cmocka.h>

#include "base/clock.h"
#include "base/memory_bound.h"
#include "base/sanitized.h"

static const char token[] = "0123456789abcdef";
static const char page[] = "<!doctype html><title>the page</title>";

struct house {
	struct lode_site *site;
	struct lode_server *server;
};

/* What questions saw: shared with the processes that they run in. */
static struct {
	int in_question, most_in_question, n_changes, n_made, n_waiting;
	int is_gate_open;
	char last_body[64];
} * seen;

/* Echoes a parameter; fails when it is told to. Questions of one report never overlap. */
static int echo(void *context, const struct lode_site_query *query, FILE *out,
		struct lode_error *err)
{
	const char *say = lode_site_param(query, "say");
	int n = __atomic_add_fetch(&seen->in_question, 1, __ATOMIC_SEQ_CST);

	(void)context;
	if (n > seen->most_in_question)
		seen->most_in_question = n;
	fprintf(out, "{\"said\": \"%s\"}\n", say ? say : "");
	__atomic_sub_fetch(&seen->in_question, 1, __ATOMIC_SEQ_CST);
	if (say && strcmp(say, "wrong") == 0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "a <wrong> question");
	if (say && strcmp(say, "much") == 0)
		return lode_fail(err, LODE_ERR_LIMIT, NULL, -1, "too much");
	if (say && strcmp(say, "broken") == 0)
		return lode_fail(err, LODE_ERR_IO, NULL, -1, "broken");
	return LODE_OK;
}

static int change(void *context, const struct lode_site_query *query, FILE *out,
		  struct lode_error *err)
{
	(void)context;
	(void)err;
	seen->n_changes++;
	snprintf(seen->last_body, sizeof(seen->last_body), "%.*s",
		 (int)(query->body_bytes < 60 ? query->body_bytes : 60), query->body);
	fprintf(out, "{\"bytes\": %zu}\n", query->body_bytes);
	return LODE_OK;
}

/* Says what it was asked, at length; counts how often it had to. */
static int last(void *context, const struct lode_site_query *query, FILE *out,
		struct lode_error *err)
{
	const char *id = lode_site_param(query, "id"), *top = lode_site_param(query, "top");

	(void)context;
	__atomic_add_fetch(&seen->n_made, 1, __ATOMIC_SEQ_CST);
	fprintf(out, "{\"id\": \"%s\", \"top\": \"%s\", \"much\": \"%02000d\"}\n", id ? id : "",
		top ? top : "", 0);
	if (!id)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "which?");
	lode_fail(err, LODE_ERR_ARG, NULL, -1, "no %s", id);
	return strcmp(id, "absent") == 0    ? LODE_SITE_ABSENT
	       : strcmp(id, "taken") == 0   ? LODE_SITE_TAKEN
	       : strcmp(id, "gone") == 0    ? LODE_SITE_GONE
	       : strcmp(id, "no-such") == 0 ? LODE_SITE_NO_SUCH
					    : LODE_OK;
}

/* Takes as long as the test wants. */
static int wait_at_gate(void *context, const struct lode_site_query *query, FILE *out,
			struct lode_error *err)
{
	(void)context;
	(void)query;
	(void)err;
	__atomic_add_fetch(&seen->n_waiting, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&seen->is_gate_open, __ATOMIC_SEQ_CST))
		usleep(1000);
	fputs("{\"waited\": true}\n", out);
	return LODE_OK;
}

static void open_house(struct house *house, struct lode_server_options options)
{
	static const char *const parameters[] = {"id", "top", NULL};
	char *large = calloc(1, 300001);
	struct lode_error err;

	memset(house, 0, sizeof(*house));
	memset(seen, 0, sizeof(*seen));
	assert_non_null(large);
	memset(large, ' ', 300000);
	memcpy(large, "{}", 2);
	house->site = lode_site_new();
	lode_site_set_page(house->site, page, strlen(page));
	lode_site_add_report(house->site, "mine", "lode/mine/1", "slow/", "{\"a\": 1}\n", 9);
	lode_site_add_report(house->site, "large", "lode/mine/1", "slow/", large, 300000);
	lode_site_add_question(house->site, "mine", "echo", LODE_REQUEST_READ, echo, house);
	lode_site_add_question(house->site, "mine", "sign", LODE_REQUEST_CHANGE, change, house);
	lode_site_add_lasting(house->site, "mine", "last", parameters, last, house);
	lode_site_add_question(house->site, "mine", "gate", LODE_REQUEST_READ, wait_at_gate, house);
	free(large);
	options.token = token;
	if (start_server(&house->server, house->site, &options, &err) < 0)
		fail_msg("%s", err.message);
}

static void close_house(struct house *house)
{
	lode_server_stop(house->server);
	lode_site_free(house->site);
}

/* ---- A client ---- */

static int dial(const struct house *house)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(lode_server_port(house->server)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct timeval patience = {.tv_sec = 20};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void tell(int fd, const char *text, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent <= 0)
			return; /* refused before all was sent: the answer says why */
		text += sent;
		n -= (size_t)sent;
	}
}

/* All that comes until the server closes; the caller's. */
static char *hear(int fd, size_t *n)
{
	size_t room = 1 << 20, got = 0;
	char *text = malloc(room + 1);
	ssize_t k;

	assert_non_null(text);
	while (got < room && (k = recv(fd, text + got, room - got, 0)) > 0)
		got += (size_t)k;
	text[got] = 0;
	*n = got;
	return text;
}

/* One request with its own connection. `headers` are whole lines; %PORT% stands for the port. */
static char *request(const struct house *house, const char *method, const char *path,
		     const char *headers, const char *body)
{
	char text[9000], with_port[4000] = "";
	const char *at;
	size_t n;
	int fd = dial(house);
	char *answer;

	while ((at = strstr(headers, "%PORT%"))) {
		snprintf(with_port + strlen(with_port), sizeof(with_port) - strlen(with_port),
			 "%.*s%u", (int)(at - headers), headers, lode_server_port(house->server));
		headers = at + 6;
	}
	snprintf(with_port + strlen(with_port), sizeof(with_port) - strlen(with_port), "%s",
		 headers);
	snprintf(text, sizeof(text),
		 "%s %s HTTP/1.1\r\n%sConnection: close\r\nContent-Length: %zu\r\n\r\n%s", method,
		 path, with_port, strlen(body), body);
	tell(fd, text, strlen(text));
	answer = hear(fd, &n);
	close(fd);
	return answer;
}

#define HOST	 "Host: 127.0.0.1:%PORT%\r\n"
#define COOKIE	 "Cookie: lode-%PORT%=0123456789abcdef\r\n"
#define CHANGING HOST COOKIE "X-Lode-Change: 1\r\nContent-Type: application/json\r\n"

static void expect(const struct house *house, const char *method, const char *path,
		   const char *headers, int status, const char *part)
{
	char *answer = request(house, method, path, headers, "");

	if (strncmp(answer, "HTTP/1.1 ", 9) != 0 || atoi(answer + 9) != status ||
	    (part && !strstr(answer, part)))
		fail_msg("%s %s: expected %d and '%s', got:\n%s", method, path, status,
			 part ? part : "", answer);
	free(answer);
}

/* ---- Tests ---- */

static void documents_come_with_their_headers(void **state)
{
	struct house house;
	char *answer, *tag, headers[200];

	(void)state;
	open_house(&house, (struct lode_server_options){0});
	expect(&house, "GET", "/", HOST, 200, page);
	expect(&house, "GET", "/", HOST, 200, "frame-ancestors 'none'");
	expect(&house, "GET", "/api/reports", HOST, 200, "\"name\": \"mine\"");
	expect(&house, "GET", "/api/reports/mine", HOST, 200, "{\"a\": 1}");
	expect(&house, "GET", "/api/reports/mine", HOST, 200, "nosniff");
	expect(&house, "GET", "/api/reports/mine", HOST, 200, "default-src 'none'");
	expect(&house, "GET", "/api/reports/mine", HOST, 200, "-Resource-Policy: same-origin");
	expect(&house, "GET", "/api/reports/large", HOST "Accept-Encoding: gzip\r\n", 200,
	       "Content-Encoding: gzip");
	answer = request(&house, "HEAD", "/api/reports/mine", HOST, "");
	assert_non_null(strstr(answer, "Content-Length: 9"));
	assert_null(strstr(answer, "{\"a\""));
	tag = strstr(answer, "ETag: ");
	assert_non_null(tag);
	snprintf(headers, sizeof(headers), "%sIf-None-Match: %.18s\r\n", HOST, tag + 6);
	free(answer);
	expect(&house, "GET", "/api/reports/mine", headers, 304, NULL);
	close_house(&house);
}

static void wrong_requests_are_refused(void **state)
{
	static const char *const nowhere[] = {"/x",
					      "/api/reports/../../../../etc/passwd",
					      "/api/reports/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
					      "/api/reports/..%5c..%5cetc",
					      "/%252e%252e/etc/passwd",
					      "/api/reports%00",
					      "/api/reports/mine%00/window",
					      "/api/reports/mine/window",
					      "//"};
	struct house house;

	(void)state;
	open_house(&house, (struct lode_server_options){0});
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++)
		expect(&house, "GET", nowhere[i], HOST, 404, "error");
	expect(&house, "GET", "/", "Host: evil.example\r\n", 421, "--host-name");
	expect(&house, "GET", "/api/reports", "Host: evil.example:%PORT%\r\n", 421, NULL);
	expect(&house, "GET", "/api/reports", HOST "Origin: http://evil.example\r\n", 403, NULL);
	expect(&house, "GET", "/api/reports", HOST "Sec-Fetch-Site: cross-site\r\n", 403, NULL);
	expect(&house, "GET", "/api/reports", HOST HOST, 400, "duplicate security-relevant header");
	expect(&house, "GET", "/api/reports", HOST "host: evil.example\r\n", 400, NULL);
	/* expect() says how long the body is, too. */
	expect(&house, "GET", "/api/reports", HOST "Content-Length: 5\r\n", 400,
	       "Connection: close");
	expect(&house, "POST", "/api/reports", HOST "Transfer-Encoding: chunked\r\n", 400, NULL);
	expect(&house, "GET", "/api/reports/large", HOST "Accept-Encoding: gzip;q=0\r\n", 200,
	       "\r\n\r\n{}");
	expect(&house, "POST", "/api/reports/mine", HOST, 405, "Allow: GET, HEAD");
	expect(&house, "DELETE", "/api/reports/mine", HOST, 405, NULL);
	expect(&house, "GET", "/?token=0123456789abcdeX", HOST, 403, NULL);
	expect(&house, "GET", "/?token=0123456789abcdef", HOST, 303, "HttpOnly; SameSite=Strict");
	close_house(&house);
}

static void questions_are_asked_and_their_failures_told(void **state)
{
	struct house house;
	char many[1000] = "/api/reports/mine/echo?a=1";

	(void)state;
	open_house(&house, (struct lode_server_options){0});
	expect(&house, "GET", "/api/reports/mine/echo?say=a%20b", HOST, 200, "{\"said\": \"a b\"}");
	expect(&house, "GET", "/api/reports/mine/echo?say=wrong", HOST, 400, "a <wrong> question");
	expect(&house, "GET", "/api/reports/mine/echo?say=much", HOST, 413, "too much");
	expect(&house, "GET", "/api/reports/mine/echo?say=broken", HOST, 500, "broken");
	for (int i = 0; i < 40; i++)
		strcat(many, "&a=1"); /* 26 + 160 characters */
	expect(&house, "GET", many, HOST, 400, "too many");
	close_house(&house);
}

static void changes_need_post_token_header_and_type(void **state)
{
	struct house house;
	char *answer;

	(void)state;
	open_house(&house, (struct lode_server_options){0});
	expect(&house, "GET", "/api/session", HOST, 200, "\"may_change\": false");
	expect(&house, "GET", "/api/session", HOST, 200, "\"repo\": true");
	expect(&house, "GET", "/api/session", HOST COOKIE, 200, "\"may_change\": true");
	expect(&house, "GET", "/api/reports/mine/sign", CHANGING, 405, "Allow: POST");
	expect(&house, "POST", "/api/reports/mine/sign",
	       HOST "X-Lode-Change: 1\r\nContent-Type: application/json\r\n", 401, NULL);
	expect(&house, "POST", "/api/reports/mine/sign",
	       HOST COOKIE "Content-Type: application/json\r\n", 403, NULL);
	expect(&house, "POST", "/api/reports/mine/sign",
	       HOST COOKIE "X-Lode-Change: 1\r\nContent-Type: text/plain\r\n", 403, NULL);
	assert_int_equal(seen->n_changes, 0);
	answer = request(&house, "POST", "/api/reports/mine/sign", CHANGING, "{\"name\": \"x\"}");
	assert_non_null(strstr(answer, "{\"bytes\": 13}"));
	free(answer);
	assert_int_equal(seen->n_changes, 1);
	assert_string_equal(seen->last_body, "{\"name\": \"x\"}");
	close_house(&house);
}

static void too_large_bodies_and_headers_are_refused(void **state)
{
	size_t n = LODE_SERVER_BODY_BYTES + 10, got;
	char *text = malloc(n + 2000), *answer;
	struct house house;
	int fd;

	(void)state;
	assert_non_null(text);
	open_house(&house, (struct lode_server_options){0});
	snprintf(text, 2000,
		 "POST /api/reports/mine/sign HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nCookie: "
		 "lode-%u=%s\r\n"
		 "X-Lode-Change: 1\r\nContent-Type: application/json\r\nConnection: close\r\n"
		 "Content-Length: %zu\r\n\r\n",
		 lode_server_port(house.server), lode_server_port(house.server), token, n);
	fd = dial(&house);
	tell(fd, text, strlen(text));
	memset(text, 'x', n);
	tell(fd, text, n);
	answer = hear(fd, &got);
	assert_non_null(strstr(answer, "HTTP/1.1 413"));
	free(answer);
	close(fd);
	assert_int_equal(seen->n_changes, 0);

	fd = dial(&house);
	tell(fd, "GET / HTTP/1.1\r\nX: ", 19);
	tell(fd, text, 200000);
	answer = hear(fd, &got);
	assert_null(strstr(answer, "200 OK"));
	free(answer);
	close(fd);
	expect(&house, "GET", "/", HOST, 200, NULL);
	close_house(&house);
	free(text);
}

/* A byte now and then must not keep a connection: what counts is when the header is whole. */
static void slow_clients_are_closed(void **state)
{
	struct house house;
	char end[16];
	int fd;

	(void)state;
	open_house(&house, (struct lode_server_options){.header_ms = 300, .body_ms = 300});
	fd = dial(&house);
	tell(fd, "GET / HTTP/1.1\r\n", 16);
	for (int i = 0; i < 200; i++) {
		if (send(fd, "X", 1, MSG_NOSIGNAL) < 0)
			break;
		if (recv(fd, end, sizeof(end), MSG_DONTWAIT) == 0)
			break;
		usleep(20000);
		if (i == 199)
			fail_msg("a header of 200 parts, 4 s long, was waited for");
	}
	close(fd);

	fd = dial(&house); /* never says a word */
	errno = 0;
	assert_true(recv(fd, end, sizeof(end), 0) <= 0 && errno != EAGAIN);
	close(fd);
	close_house(&house);
}

static void what_is_not_ours_does_not_start(void **state)
{
	struct lode_site *site = lode_site_new();
	struct lode_server *server, *second;
	struct lode_error err;
	char url[100];

	(void)state;
	assert_int_equal(start_server(&server, site,
				      &(struct lode_server_options){.address = "0.0.0.0"}, &err),
			 LODE_ERR_ARG);
	assert_non_null(strstr(err.message, "--open"));
	assert_null(server);
	assert_int_equal(start_server(&server, site,
				      &(struct lode_server_options){.address = "localhost"}, &err),
			 LODE_ERR_ARG);
	assert_int_equal(start_server(&server, site,
				      &(struct lode_server_options){.token = "short"}, &err),
			 LODE_ERR_ARG);
	assert_int_equal(start_server(&server, site, &(struct lode_server_options){0}, &err), 0);
	assert_int_equal(strlen(lode_server_token(server)), 32);
	assert_non_null(strstr(lode_server_url(server, true, url, sizeof(url)), "/?token="));
	assert_int_equal(
		start_server(&second, site,
			     &(struct lode_server_options){.port = lode_server_port(server)}, &err),
		LODE_ERR_IO);
	assert_non_null(strstr(err.message, "--port"));
	lode_server_stop(server);
	lode_site_free(site);
}

static void beyond_the_loopback_reading_needs_the_token(void **state)
{
	struct house house;

	(void)state;
	open_house(&house, (struct lode_server_options){.address = "0.0.0.0", .is_open = true});
	expect(&house, "GET", "/", HOST, 200, NULL);
	expect(&house, "GET", "/api/reports", HOST, 401, "WWW-Authenticate: Bearer");
	expect(&house, "GET", "/api/reports", HOST COOKIE, 200, NULL);
	expect(&house, "GET", "/api/reports", HOST "Authorization: Bearer 0123456789abcdef\r\n",
	       200, NULL);
	close_house(&house);
}

enum { CLIENTS = 6, REQUESTS = 60 };

static void *ask_often(void *argument)
{
	const struct house *house = argument;

	for (int i = 0; i < REQUESTS; i++) {
		char *answer =
			request(house, "GET",
				i % 2 ? "/api/reports/mine/echo?say=x" : "/api/reports/large", HOST,
				"");

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
	open_house(&house, (struct lode_server_options){.n_threads = 3});
	for (int i = 0; i < CLIENTS; i++)
		assert_int_equal(pthread_create(&clients[i], NULL, ask_often, &house), 0);
	for (int i = 0; i < CLIENTS; i++) {
		pthread_join(clients[i], &failed);
		assert_null(failed);
	}
	assert_int_equal(seen->most_in_question, 1);
	close_house(&house);
}

/* ---- Lasting answers, and questions that take long ---- */

static void expect_made(struct house *house, const char *path, const char *part, int n_made)
{
	int before = __atomic_load_n(&seen->n_made, __ATOMIC_SEQ_CST);

	for (int i = 0; i < 3; i++)
		expect(house, "GET", path, HOST, 200, part);
	assert_int_equal(__atomic_load_n(&seen->n_made, __ATOMIC_SEQ_CST) - before, n_made);
}

static void lasting_answers_are_made_once(void **state)
{
	static const char packed[] = HOST "Accept-Encoding: gzip\r\n";
	static const char one[] = "/api/reports/mine/last?id=a";
	char *answer, *tag, headers[200], beyond[2000];
	struct house house;

	(void)state;
	open_house(&house, (struct lode_server_options){0});
	expect_made(&house, one, "{\"id\": \"a\", \"top\": \"\"", 1);
	expect_made(&house, "/api/reports/mine/last?other=7&id=a&token=x", "\"id\": \"a\"", 0);
	expect_made(&house, "/api/reports/mine/last?id=a&top=", "\"top\": \"\"", 1);
	expect_made(&house, "/api/reports/mine/last?id=b", "\"id\": \"b\"", 1);
	expect_made(&house, "/api/reports/mine/last?top=1&id=a", "\"top\": \"1\"", 1);
	expect_made(&house, one, "\"id\": \"a\"", 0);
	expect(&house, "GET", one, packed, 200, "Content-Encoding: gzip");
	expect(&house, "GET", one, HOST, 200, "nosniff");
	answer = request(&house, "GET", one, HOST, "");
	tag = strstr(answer, "ETag: ");
	assert_non_null(tag);
	snprintf(headers, sizeof(headers), "%sIf-None-Match: %.18s\r\n", HOST, tag + 6);
	free(answer);
	expect(&house, "GET", one, headers, 304, NULL);
	/* What nobody would ask is answered, and not kept. */
	expect_made(&house, "/api/reports/mine/last?id=a%0A-", "\"id\": \"a\n-\"", 3);
	snprintf(beyond, sizeof(beyond), "/api/reports/mine/last?id=%0*d", 1500, 0);
	expect_made(&house, beyond, "\"id\": \"000", 3);
	close_house(&house);
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
	open_house(&house, (struct lode_server_options){0});
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(*cases); i++) {
		snprintf(path, sizeof(path), "/api/reports/mine/last?id=%s", cases[i / 2].id);
		expect(&house, "GET", path, HOST, cases[i / 2].status, "\"error\": \"no ");
		assert_int_equal(seen->n_made, i + 1);
	}
	expect(&house, "GET", "/api/reports/mine/last", HOST, 400, "which?");
	close_house(&house);
}

struct waiter {
	const struct house *house;
	char *answer;
};

static void *ask_at_gate(void *context)
{
	struct waiter *waiter = context;

	waiter->answer = request(waiter->house, "GET", "/api/reports/mine/gate", HOST, "");
	return NULL;
}

static void documents_do_not_wait_for_questions(void **state)
{
	struct house house;
	struct waiter waiters[4];
	pthread_t threads[4];

	(void)state;
	open_house(&house, (struct lode_server_options){0});
	expect(&house, "GET", "/api/reports/mine/last?id=a", HOST, 200, "\"a\"");
	for (int i = 0; i < 4; i++) {
		waiters[i] = (struct waiter){&house, NULL};
		assert_int_equal(pthread_create(&threads[i], NULL, ask_at_gate, &waiters[i]), 0);
	}
	while (!__atomic_load_n(&seen->n_waiting, __ATOMIC_SEQ_CST))
		usleep(1000);
	for (int i = 0; i < 20; i++) {
		expect(&house, "GET", "/api/reports/mine", HOST, 200, "{\"a\": 1}");
		expect(&house, "GET", "/api/reports/mine/last?id=a", HOST, 200, "\"a\"");
	}
	assert_int_equal(__atomic_load_n(&seen->n_waiting, __ATOMIC_SEQ_CST), 1);
	__atomic_store_n(&seen->is_gate_open, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_non_null(strstr(waiters[i].answer, "{\"waited\": true}"));
		free(waiters[i].answer);
	}
	close_house(&house);
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
	open_house(&house, (struct lode_server_options){.n_threads = 1, .n_connections = 8});
	snprintf(text, sizeof(text),
		 "GET /api/reports/mine/gate HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
		 "Connection: close\r\n\r\n",
		 lode_server_port(house.server));
	for (int i = 0; i < N_ASKED; i++) {
		asked[i] = (struct pollfd){dial(&house), POLLIN, 0};
		tell(asked[i].fd, text, strlen(text));
	}
	while (n_refused < N_ASKED - N_MAY_WAIT) {
		assert_true(poll(asked, N_ASKED, 20000) > 0);
		for (int i = 0; i < N_ASKED; i++) {
			if (asked[i].fd < 0 || !asked[i].revents)
				continue;
			answer = hear(asked[i].fd, &n);
			assert_non_null(strstr(answer, "HTTP/1.1 503"));
			assert_non_null(strstr(answer, "Retry-After: 1"));
			free(answer);
			close(asked[i].fd);
			asked[i].fd = -1;
			n_refused++;
		}
	}
	for (int i = 0; i < 40; i++) {
		fd = dial(&house);
		expect(&house, "GET", "/api/reports/mine", HOST, 200, "{\"a\": 1}");
		if (i % 2)
			close(fd);
	}
	__atomic_store_n(&seen->is_gate_open, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < N_ASKED; i++) {
		if (asked[i].fd < 0)
			continue;
		answer = hear(asked[i].fd, &n);
		assert_non_null(strstr(answer, "{\"waited\": true}"));
		free(answer);
		close(asked[i].fd);
	}
	close_house(&house);
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
	open_house(&house, (struct lode_server_options){0});
	snprintf(text, sizeof(text), "%sHost: 127.0.0.1:%u\r\n\r\n", lines,
		 lode_server_port(house.server));
	for (int i = 0; i < 5; i++) {
		fd = dial(&house);
		tell(fd, text, strlen(text));
		while (!__atomic_load_n(&seen->n_waiting, __ATOMIC_SEQ_CST))
			usleep(1000);
		close(fd);
	}
	close_house(&house);
	assert_int_equal(seen->n_waiting, 1); /* the others were not begun */
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
	struct lode_server_options options = {.token = token};
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

		begun.fd = fds[i] = dial(&house);
		tell(fds[i], text, strlen(text));
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
	close_house(&house);
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
	struct lode_server_options options = {.token = token, .question_ms = ending->question_ms};
	struct house house = {.site = lode_site_new()};
	struct lode_error err;
	size_t n = 257;

	memset(seen, 0, sizeof(*seen));
	lode_site_add_report(house.site, "mine", "lode/mine/1", "slow/", "{\"a\": 1}\n", 9);
	lode_site_add_question(house.site, "mine", "read", LODE_REQUEST_READ, ending->answer, &n);
	lode_site_add_lasting(house.site, "mine", "last", parameters, ending->answer, NULL);
	lode_site_add_question(house.site, "mine", "sign", LODE_REQUEST_CHANGE, ending->answer,
			       NULL);
	assert_int_equal(start_server(&house.server, house.site, &options, &err), 0);
	expect(&house, "GET", "/api/reports/mine/read", HOST, ending->status, ending->says);
	if (ending->answer != write_mib) { /* takes a while */
		expect(&house, "GET", "/api/reports/mine/last", HOST, ending->status, ending->says);
		expect(&house, "POST", "/api/reports/mine/sign", CHANGING, ending->status,
		       ending->says);
	}
	expect(&house, "GET", "/api/reports/mine", HOST, 200, "{\"a\": 1}");
	close_house(&house);
}

/* Of whatever kind they are: the server goes on, and says why. */
static void no_question_ends_the_server(void **state)
{
	static const struct ending endings[] = {{crash, 500, "signal 11", 0},
						{be_killed, 500, "was killed", 0},
						{take_memory, 507, "of --memory", 0},
						{write_mib, 413, "larger than 256 MiB", 0},
						{wait_at_gate, 504, "takes longer than", 300}};

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

	lode_site_set_page(site, page, strlen(page));
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
		char *answer = request(reader->house, "GET", paths[reader->n_read++ % 4], HOST, "");
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
	struct lode_server_options options = {.token = token};
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
	struct lode_server_options options = {.token = token};
	struct edition edition = {.number = 7};
	struct house house = {.site = NULL};
	struct lode_site *site = lode_site_new();
	struct lode_error err;
	int n_asked = 0;

	(void)state;
	lode_site_set_page(site, page, strlen(page));
	lode_site_add_pending(site, "mine", "lode/mine/1", "slow/", say_how_far, &n_asked);
	assert_int_equal(start_server(&house.server, site, &options, &err), 0);
	lode_site_free(site);
	expect(&house, "GET", "/", HOST, 200, "<!doctype html>");
	expect(&house, "GET", "/api/reports", HOST, 200, "\"schema\": \"lode/mine/1\"");
	expect(&house, "GET", "/api/reports/mine", HOST, 503, "\"error\": \"mining: 1 of 9\"");
	expect(&house, "GET", "/api/reports/mine", HOST, 503, "Retry-After: 1");
	expect(&house, "GET", "/api/reports/mine/ask?id=a", HOST, 503, "mining: 3 of 9");
	expect(&house, "GET", "/api/reports/none", HOST, 404, "not found");
	expect(&house, "POST", "/api/reports/mine/sign", HOST, 405, NULL);
	site = site_of_edition(&edition);
	lode_server_show(house.server, site);
	lode_site_free(site);
	expect(&house, "GET", "/api/reports/mine", HOST, 200, "\"edition\": 7");
	expect(&house, "GET", "/api/reports/mine/ask", HOST, 200, "\"edition\": 7");
	assert_int_equal(n_asked, 3);
	lode_server_stop(house.server);
	assert_true(edition.is_freed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_come_with_their_headers),
		cmocka_unit_test(wrong_requests_are_refused),
		cmocka_unit_test(questions_are_asked_and_their_failures_told),
		cmocka_unit_test(changes_need_post_token_header_and_type),
		cmocka_unit_test(too_large_bodies_and_headers_are_refused),
		cmocka_unit_test(slow_clients_are_closed),
		cmocka_unit_test(what_is_not_ours_does_not_start),
		cmocka_unit_test(beyond_the_loopback_reading_needs_the_token),
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

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
