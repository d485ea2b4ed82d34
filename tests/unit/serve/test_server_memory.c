/* server: thousands of requests of all kinds, good and bad, leave nothing behind in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sanitized.h"
#include "unit/serve/start_server.h"

/* What one kind of request leaks in so many rounds is at least 32 bytes each, an allocator's least:
   more than the bound. Freed pieces that an allocator's threads keep for themselves are below it.
 */
enum {
	/* Each has questions, which are processes: slow ones under sanitizers, which find leaks
	   themselves. */
	WARM_ROUNDS = LODE_IS_SANITIZED ? 5 : 50,
	ROUNDS = LODE_IS_SANITIZED ? 20 : 1000,
	BOUND_BYTES = 28 << 10,
};

static const char token[] = "0123456789abcdef";

/* ---- A server ---- */

static int echo(void *context, const struct lode_site_query *query, FILE *out,
		struct lode_error *err)
{
	const char *say = lode_site_param(query, "say");

	(void)context;
	fprintf(out, "{\"said\": \"%s\", \"bytes\": %zu}\n", say ? say : "", query->body_bytes);
	return say ? LODE_OK : lode_fail(err, LODE_ERR_ARG, NULL, -1, "say something");
}

static int made_once(void *context, const struct lode_site_query *query, FILE *out,
		     struct lode_error *err)
{
	const char *id = lode_site_param(query, "id");

	(void)context;
	lode_fail(err, LODE_ERR_ARG, NULL, -1, "there is none");
	fprintf(out, "{\"id\": \"%s\", \"much\": \"%02000d\"}\n", id ? id : "", 0);
	return id && strlen(id) == 1 ? LODE_OK : LODE_SITE_ABSENT;
}

static struct lode_server *open_server(struct lode_site **site)
{
	static const char *const parameters[] = {"id", NULL};
	static const struct lode_server_options options = {.token = token};
	struct lode_server *server;
	struct lode_error err;

	*site = lode_site_new();
	lode_site_add_report(*site, "mine", "lode/mine/1", "slow/", "{\"a\": 1}\n", 9);
	lode_site_add_question(*site, "mine", "echo", LODE_REQUEST_READ, echo, NULL);
	lode_site_add_question(*site, "mine", "sign", LODE_REQUEST_CHANGE, echo, NULL);
	lode_site_add_lasting(*site, "mine", "cluster", parameters, made_once, NULL);
	if (start_server(&server, *site, &options, &err) < 0)
		fail_msg("%s", err.message);
	return server;
}

/* ---- A client ---- */

/* Sends a text on a connection of its own; hears all of the answer, or goes away. */
static void ask(const struct lode_server *server, const char *text, bool waits)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(lode_server_port(server)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct timeval patience = {.tv_sec = 20};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char heard[4096];

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	(void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
	while (waits && recv(fd, heard, sizeof(heard), 0) > 0)
		;
	close(fd);
}

/* All kinds that are answered, one behind the other on one connection; and those that end theirs.
 */
static void ask_all(const struct lode_server *server, unsigned round)
{
	char host[60], cookie[60], text[4000];
	unsigned port = lode_server_port(server);

	snprintf(host, sizeof(host), "Host: 127.0.0.1:%u\r\n", port);
	snprintf(cookie, sizeof(cookie), "Cookie: lode-%u=%s\r\n", port, token);
	snprintf(text, sizeof(text),
		 "GET / HTTP/1.1\r\n%s\r\n"
		 "GET /api/reports/mine HTTP/1.1\r\n%sAccept-Encoding: gzip\r\n\r\n"
		 "GET /api/session HTTP/1.1\r\n%s\r\n"
		 "GET /api/reports/mine/echo?say=%u HTTP/1.1\r\n%s\r\n"
		 "GET /api/reports/mine/echo HTTP/1.1\r\n%s\r\n"
		 "GET /api/reports/mine/cluster?id=%u HTTP/1.1\r\n%sAccept-Encoding: gzip\r\n\r\n"
		 "GET /api/reports/mine/cluster?id=absent%u HTTP/1.1\r\n%s\r\n"
		 "GET /api/nothing/%u HTTP/1.1\r\n%s\r\n"
		 "GET /api/reports HTTP/1.1\r\nHost: evil.example\r\n\r\n"
		 "GET /api/reports HTTP/1.1\r\n%sConnection: close\r\n\r\n",
		 host, host, host, round, host, host, round % 10, host, round, host, round, host,
		 host);
	ask(server, text, true);
	snprintf(text, sizeof(text),
		 "POST /api/reports/mine/sign?say=x HTTP/1.1\r\n%s%sX-Lode-Change: 1\r\n"
		 "Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"
		 "{}",
		 host, cookie);
	ask(server, text, true);
	snprintf(text, sizeof(text),
		 "POST /api/reports/mine/sign HTTP/1.1\r\n%sContent-Length: 2\r\n"
		 "Connection: close\r\n\r\n{}",
		 host);
	ask(server, text, true);
	ask(server, "\x16\x03\x01 hello\r\n\r\n", true);
	snprintf(text, sizeof(text), "GET /api/reports/mine HTTP/1.1\r\n%s", host);
	ask(server, text, false);
}

/* Bytes that were asked for and not given back. 0 where the allocator does not tell (sanitizers).
 */
static size_t bytes_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void requests_leave_nothing_in_memory(void **state)
{
	struct lode_site *site;
	struct lode_server *server = open_server(&site);
	size_t before, after = 0;

	(void)state;
	for (unsigned i = 0; i < WARM_ROUNDS; i++)
		ask_all(server, i);
	before = bytes_in_use();
	for (unsigned i = 0; i < ROUNDS; i++)
		ask_all(server, i);
	/* The server's threads may not have let go of the last connections yet. */
	for (int i = 0; i < 500; i++) {
		after = bytes_in_use();
		if (after <= before + BOUND_BYTES)
			break;
		usleep(20000);
	}
	if (after > before + BOUND_BYTES)
		fail_msg("%zu bytes before, %zu after %d rounds", before, after, (int)ROUNDS);
	lode_server_stop(server);
	lode_site_free(site);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_leave_nothing_in_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
