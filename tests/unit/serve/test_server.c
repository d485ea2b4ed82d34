/* What a server makes of single requests, right and wrong ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/serve/house.h"

static void documents_come_with_their_headers(void **state)
{
	struct house house;
	char *answer, *tag, headers[200];

	(void)state;
	house_open(&house, (struct lode_server_options){0});
	house_expect(&house, "GET", "/", HOST, 200, house_page);
	house_expect(&house, "GET", "/", HOST, 200, "frame-ancestors 'none'");
	house_expect(&house, "GET", "/api/reports", HOST, 200, "\"name\": \"mine\"");
	house_expect(&house, "GET", "/api/reports/mine", HOST, 200, "{\"a\": 1}");
	house_expect(&house, "GET", "/api/reports/mine", HOST, 200, "nosniff");
	house_expect(&house, "GET", "/api/reports/mine", HOST, 200, "default-src 'none'");
	house_expect(&house, "GET", "/api/reports/mine", HOST, 200,
		     "-Resource-Policy: same-origin");
	house_expect(&house, "GET", "/api/reports/large", HOST "Accept-Encoding: gzip\r\n", 200,
		     "Content-Encoding: gzip");
	answer = house_request(&house, "HEAD", "/api/reports/mine", HOST, "");
	assert_non_null(strstr(answer, "Content-Length: 9"));
	assert_null(strstr(answer, "{\"a\""));
	tag = strstr(answer, "ETag: ");
	assert_non_null(tag);
	snprintf(headers, sizeof(headers), "%sIf-None-Match: %.18s\r\n", HOST, tag + 6);
	free(answer);
	house_expect(&house, "GET", "/api/reports/mine", headers, 304, NULL);
	house_close(&house);
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
	house_open(&house, (struct lode_server_options){0});
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++)
		house_expect(&house, "GET", nowhere[i], HOST, 404, "error");
	house_expect(&house, "GET", "/", "Host: evil.example\r\n", 421, "--host-name");
	house_expect(&house, "GET", "/api/reports", "Host: evil.example:%PORT%\r\n", 421, NULL);
	house_expect(&house, "GET", "/api/reports", HOST "Origin: http://evil.example\r\n", 403,
		     NULL);
	house_expect(&house, "GET", "/api/reports", HOST "Sec-Fetch-Site: cross-site\r\n", 403,
		     NULL);
	house_expect(&house, "GET", "/api/reports", HOST HOST, 400,
		     "duplicate security-relevant header");
	house_expect(&house, "GET", "/api/reports", HOST "host: evil.example\r\n", 400, NULL);
	/* house_expect() says how long the body is, too. */
	house_expect(&house, "GET", "/api/reports", HOST "Content-Length: 5\r\n", 400,
		     "Connection: close");
	house_expect(&house, "POST", "/api/reports", HOST "Transfer-Encoding: chunked\r\n", 400,
		     NULL);
	house_expect(&house, "GET", "/api/reports/large", HOST "Accept-Encoding: gzip;q=0\r\n", 200,
		     "\r\n\r\n{}");
	house_expect(&house, "POST", "/api/reports/mine", HOST, 405, "Allow: GET, HEAD");
	house_expect(&house, "DELETE", "/api/reports/mine", HOST, 405, NULL);
	house_expect(&house, "GET", "/?token=0123456789abcdeX", HOST, 403, NULL);
	house_expect(&house, "GET", "/?token=0123456789abcdef", HOST, 303,
		     "HttpOnly; SameSite=Strict");
	house_close(&house);
}

static void questions_are_asked_and_their_failures_told(void **state)
{
	struct house house;
	char many[1000] = "/api/reports/mine/echo?a=1";

	(void)state;
	house_open(&house, (struct lode_server_options){0});
	house_expect(&house, "GET", "/api/reports/mine/echo?say=a%20b", HOST, 200,
		     "{\"said\": \"a b\"}");
	house_expect(&house, "GET", "/api/reports/mine/echo?say=wrong", HOST, 400,
		     "a <wrong> question");
	house_expect(&house, "GET", "/api/reports/mine/echo?say=much", HOST, 413, "too much");
	house_expect(&house, "GET", "/api/reports/mine/echo?say=broken", HOST, 500, "broken");
	for (int i = 0; i < 40; i++)
		strcat(many, "&a=1"); /* 26 + 160 characters */
	house_expect(&house, "GET", many, HOST, 400, "too many");
	house_close(&house);
}

static void changes_need_post_token_header_and_type(void **state)
{
	struct house house;
	char *answer;

	(void)state;
	house_open(&house, (struct lode_server_options){0});
	house_expect(&house, "GET", "/api/session", HOST, 200, "\"may_change\": false");
	house_expect(&house, "GET", "/api/session", HOST, 200, "\"repo\": true");
	house_expect(&house, "GET", "/api/session", HOST COOKIE, 200, "\"may_change\": true");
	house_expect(&house, "GET", "/api/reports/mine/sign", CHANGING, 405, "Allow: POST");
	house_expect(&house, "POST", "/api/reports/mine/sign",
		     HOST "X-Lode-Change: 1\r\nContent-Type: application/json\r\n", 401, NULL);
	house_expect(&house, "POST", "/api/reports/mine/sign",
		     HOST COOKIE "Content-Type: application/json\r\n", 403, NULL);
	house_expect(&house, "POST", "/api/reports/mine/sign",
		     HOST COOKIE "X-Lode-Change: 1\r\nContent-Type: text/plain\r\n", 403, NULL);
	assert_int_equal(house_seen->n_changes, 0);
	answer = house_request(&house, "POST", "/api/reports/mine/sign", CHANGING,
			       "{\"name\": \"x\"}");
	assert_non_null(strstr(answer, "{\"bytes\": 13}"));
	free(answer);
	assert_int_equal(house_seen->n_changes, 1);
	assert_string_equal(house_seen->last_body, "{\"name\": \"x\"}");
	house_close(&house);
}

static void too_large_bodies_and_headers_are_refused(void **state)
{
	size_t n = LODE_SERVER_BODY_BYTES + 10, got;
	char *text = malloc(n + 2000), *answer;
	struct house house;
	int fd;

	(void)state;
	assert_non_null(text);
	house_open(&house, (struct lode_server_options){0});
	snprintf(text, 2000,
		 "POST /api/reports/mine/sign HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nCookie: "
		 "lode-%u=%s\r\n"
		 "X-Lode-Change: 1\r\nContent-Type: application/json\r\nConnection: close\r\n"
		 "Content-Length: %zu\r\n\r\n",
		 lode_server_port(house.server), lode_server_port(house.server), house_token, n);
	fd = house_dial(&house);
	house_tell(fd, text, strlen(text));
	memset(text, 'x', n);
	house_tell(fd, text, n);
	answer = house_hear(fd, &got);
	assert_non_null(strstr(answer, "HTTP/1.1 413"));
	free(answer);
	close(fd);
	assert_int_equal(house_seen->n_changes, 0);

	fd = house_dial(&house);
	house_tell(fd, "GET / HTTP/1.1\r\nX: ", 19);
	house_tell(fd, text, 200000);
	answer = house_hear(fd, &got);
	assert_null(strstr(answer, "200 OK"));
	free(answer);
	close(fd);
	house_expect(&house, "GET", "/", HOST, 200, NULL);
	house_close(&house);
	free(text);
}

/* A byte now and then must not keep a connection: what counts is when the header is whole. */
static void slow_clients_are_closed(void **state)
{
	struct house house;
	char end[16];
	int fd;

	(void)state;
	house_open(&house, (struct lode_server_options){.header_ms = 300, .body_ms = 300});
	fd = house_dial(&house);
	house_tell(fd, "GET / HTTP/1.1\r\n", 16);
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

	fd = house_dial(&house); /* never says a word */
	errno = 0;
	assert_true(recv(fd, end, sizeof(end), 0) <= 0 && errno != EAGAIN);
	close(fd);
	house_close(&house);
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
	house_open(&house, (struct lode_server_options){.address = "0.0.0.0", .is_open = true});
	house_expect(&house, "GET", "/", HOST, 200, NULL);
	house_expect(&house, "GET", "/api/reports", HOST, 401, "WWW-Authenticate: Bearer");
	house_expect(&house, "GET", "/api/reports", HOST COOKIE, 200, NULL);
	house_expect(&house, "GET", "/api/reports",
		     HOST "Authorization: Bearer 0123456789abcdef\r\n", 200, NULL);
	house_close(&house);
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
	};

	return house_share_seen() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
