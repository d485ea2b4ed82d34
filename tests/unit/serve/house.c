/* A server on a free port of the loopback, asked through plain sockets. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit/serve/house.h"

struct house_seen *house_seen;
const char house_token[] = "0123456789abcdef";
const char house_page[] = "<!doctype html><title>the page</title>";

/* Echoes a parameter; fails when it is told to. Questions of one report never overlap. */
int house_echo(void *context, const struct lode_site_query *query, FILE *out,
	       struct lode_error *err)
{
	const char *say = lode_site_param(query, "say");
	int n = __atomic_add_fetch(&house_seen->in_question, 1, __ATOMIC_SEQ_CST);

	(void)context;
	if (n > house_seen->most_in_question)
		house_seen->most_in_question = n;
	fprintf(out, "{\"said\": \"%s\"}\n", say ? say : "");
	__atomic_sub_fetch(&house_seen->in_question, 1, __ATOMIC_SEQ_CST);
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
	house_seen->n_changes++;
	snprintf(house_seen->last_body, sizeof(house_seen->last_body), "%.*s",
		 (int)(query->body_bytes < 60 ? query->body_bytes : 60), query->body);
	fprintf(out, "{\"bytes\": %zu}\n", query->body_bytes);
	return LODE_OK;
}

/* Says what it was asked, at length; counts how often it had to. */
int house_last(void *context, const struct lode_site_query *query, FILE *out,
	       struct lode_error *err)
{
	const char *id = lode_site_param(query, "id"), *top = lode_site_param(query, "top");

	(void)context;
	__atomic_add_fetch(&house_seen->n_made, 1, __ATOMIC_SEQ_CST);
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
int house_wait_at_gate(void *context, const struct lode_site_query *query, FILE *out,
		       struct lode_error *err)
{
	(void)context;
	(void)query;
	(void)err;
	__atomic_add_fetch(&house_seen->n_waiting, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&house_seen->is_gate_open, __ATOMIC_SEQ_CST))
		usleep(1000);
	fputs("{\"waited\": true}\n", out);
	return LODE_OK;
}

void house_open(struct house *house, struct lode_server_options options)
{
	static const char *const parameters[] = {"id", "top", NULL};
	char *large = calloc(1, 300001);
	struct lode_error err;

	memset(house, 0, sizeof(*house));
	memset(house_seen, 0, sizeof(*house_seen));
	assert_non_null(large);
	memset(large, ' ', 300000);
	memcpy(large, "{}", 2);
	house->site = lode_site_new();
	lode_site_set_page(house->site, house_page, strlen(house_page));
	lode_site_add_report(house->site, "mine", "lode/mine/1", "slow/", "{\"a\": 1}\n", 9);
	lode_site_add_report(house->site, "large", "lode/mine/1", "slow/", large, 300000);
	lode_site_add_question(house->site, "mine", "echo", LODE_REQUEST_READ, house_echo, house);
	lode_site_add_question(house->site, "mine", "sign", LODE_REQUEST_CHANGE, change, house);
	lode_site_add_lasting(house->site, "mine", "last", parameters, house_last, house);
	lode_site_add_question(house->site, "mine", "gate", LODE_REQUEST_READ, house_wait_at_gate,
			       house);
	free(large);
	options.token = house_token;
	if (start_server(&house->server, house->site, &options, &err) < 0)
		fail_msg("%s", err.message);
}

void house_close(struct house *house)
{
	lode_server_stop(house->server);
	lode_site_free(house->site);
}

/* ---- A client ---- */

int house_dial(const struct house *house)
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

void house_tell(int fd, const char *text, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent <= 0)
			return; /* refused before all was sent: the answer says why */
		text += sent;
		n -= (size_t)sent;
	}
}

char *house_hear(int fd, size_t *n)
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

char *house_request(const struct house *house, const char *method, const char *path,
		    const char *headers, const char *body)
{
	char text[9000], with_port[4000] = "";
	const char *at;
	size_t n;
	int fd = house_dial(house);
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
	house_tell(fd, text, strlen(text));
	answer = house_hear(fd, &n);
	close(fd);
	return answer;
}

void house_expect(const struct house *house, const char *method, const char *path,
		  const char *headers, int status, const char *part)
{
	char *answer = house_request(house, method, path, headers, "");

	if (strncmp(answer, "HTTP/1.1 ", 9) != 0 || atoi(answer + 9) != status ||
	    (part && !strstr(answer, part)))
		fail_msg("%s %s: expected %d and '%s', got:\n%s", method, path, status,
			 part ? part : "", answer);
	free(answer);
}

bool house_share_seen(void)
{
	house_seen = mmap(NULL, sizeof(*house_seen), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return house_seen != MAP_FAILED;
}
