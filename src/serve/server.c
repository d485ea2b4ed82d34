/* The HTTP server of the pages. */
#include "serve/server.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/answer.h"

enum {
	DEFAULT_THREADS = 2,
	DEFAULT_CONNECTIONS = 512,
	/* LIMIT: of the headers of a request, and of one connection's memory. MHD clears all of it
	   between two requests: what fits a core's own cache is cleared in no time. */
	CONNECTION_BYTES = 32 << 10,
	/* Between two bytes of one client; the phases bound the whole (overdue.h). */
	SILENCE_S = 30,
	/* Descriptors for all else than connections. */
	OTHER_FILES = 64,
};

struct lode_server {
	struct MHD_Daemon *daemon;
	struct lode_answers answers;
	struct lode_server_options options; /* without the token */
	char *address;
	bool is_v6;
	bool is_listening; /* at `fd`, which is the daemon's once that is there */
	int fd;
};

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
	return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

static uint16_t bound_port(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} address = {.v6 = {.sin6_port = 0}};
	socklen_t n = sizeof(address);

	if (getsockname(fd, &address.any, &n) < 0)
		return 0;
	return ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
}

/* A socket that listens, or negative. */
static int listen_at(const struct addrinfo *info, const char *name, uint16_t port,
		     struct lode_error *err)
{
	char place[80];
	int on = 1, rc;
	int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(place, sizeof(place), "%s port %u", name, port);
	if (fd < 0)
		return lode_fail_errno(err, errno, place, "cannot make a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (info->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	if (errno == EADDRINUSE)
		rc = lode_fail(err, LODE_ERR_IO, NULL, -1,
			       "Port %u is in use; try --port 0 (any that is free)", port);
	else
		rc = lode_fail_errno(err, errno, place, "cannot listen");
	close(fd);
	return rc;
}

static int open_socket(struct lode_server *server, const struct lode_server_options *options,
		       struct lode_error *err)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
				 .ai_socktype = SOCK_STREAM};
	struct addrinfo *info = NULL;
	char port[8];
	bool is_beyond;
	int fd;

	snprintf(port, sizeof(port), "%u", options->port);
	if (getaddrinfo(server->address, port, &hints, &info) != 0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "'%.60s' is not a numeric address such as 127.0.0.1",
				 server->address);
	is_beyond = !is_loopback(info->ai_addr);
	server->is_v6 = info->ai_family == AF_INET6;
	server->answers.guard.reads_need_token = is_beyond;
	fd = is_beyond && !options->is_open
		     ? lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "%.60s is reachable from other machines: add --open to allow that "
				 "(every client then needs the token)",
				 server->address)
		     : listen_at(info, server->address, options->port, err);
	freeaddrinfo(info);
	return fd;
}

static int take_token(struct lode_server *server, const struct lode_server_options *options,
		      struct lode_error *err)
{
	struct lode_guard *guard = &server->answers.guard;

	guard->names = options->names;
	guard->n_names = options->n_names;
	if (!options->token)
		lode_token_make(guard);
	else if (!lode_token_take(guard, options->token))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "a token must have 16 to %d letters, digits, - and _",
				 LODE_TOKEN_CHARS);
	return LODE_OK;
}

/*
 * "%41" -> "A", in place, as MHD does it; but a NUL would end the text for all who read it, and
 * "/api/reports%00..." would pass for what stands before: it becomes a byte that no name here has.
 */
static size_t unescape(void *context, struct MHD_Connection *connection, char *text)
{
	size_t n = lode_http.MHD_http_unescape(text);

	(void)context;
	(void)connection;
	for (size_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = '\x01';
	return n;
}

static unsigned n_threads_of(const struct lode_server_options *options)
{
	return options->n_threads ? options->n_threads : DEFAULT_THREADS;
}

/* LIMIT: also of open files: beyond it libmicrohttpd accepts no connection, not even to end
   another. */
static unsigned n_connections_of(const struct lode_server_options *options)
{
	unsigned most = options->n_connections ? options->n_connections : DEFAULT_CONNECTIONS;
	unsigned least = 2 * n_threads_of(options);
	struct rlimit files;
	rlim_t room;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return most;
	room = files.rlim_cur > (rlim_t)4 * OTHER_FILES ? files.rlim_cur - OTHER_FILES
							: files.rlim_cur / 4;
	if (room >= most)
		return most;
	return room > least ? (unsigned)room : least;
}

/*
 * From how many connections on the slowest gives way to a new one. Each thread of libmicrohttpd
 * accepts its part of all: with more than that, it would accept none, not even to end another.
 */
static size_t crowd_of(const struct lode_server_options *options)
{
	unsigned each = n_connections_of(options) / n_threads_of(options);

	return each - (each + 7) / 8;
}

static struct MHD_Daemon *start_daemon(struct lode_server *server)
{
	const struct lode_server_options *options = &server->options;
	/* Not epoll: libmicrohttpd then waits for edges, and misses that of a client which sends
	   half of a request and goes away at once; it kept such connections until their time was
	   over, which shuts all other clients out. */
	unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			 (server->is_v6 ? MHD_USE_IPv6 : 0);
	unsigned n_threads = n_threads_of(options);
	struct MHD_OptionItem items[] = {
		{MHD_OPTION_LISTEN_SOCKET, server->fd, NULL},
		{MHD_OPTION_CONNECTION_LIMIT, n_connections_of(options), NULL},
		{MHD_OPTION_CONNECTION_TIMEOUT, SILENCE_S, NULL},
		{MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES, NULL},
		{MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
		{n_threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, n_threads, NULL},
		{MHD_OPTION_END, 0, NULL},
	};

	return lode_http.MHD_start_daemon(flags, 0, NULL, NULL, lode_answer_request,
					  &server->answers, MHD_OPTION_UNESCAPE_CALLBACK, unescape,
					  NULL, MHD_OPTION_NOTIFY_COMPLETED, lode_answer_completed,
					  &server->answers, MHD_OPTION_NOTIFY_CONNECTION,
					  lode_answer_connection, &server->answers,
					  MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

int lode_server_listen(struct lode_server **out, const struct lode_server_options *options,
		       struct lode_error *err)
{
	struct lode_server *server;
	int rc;

	*out = NULL;
	rc = lode_http_open(err);
	if (rc < 0)
		return rc;
	server = lode_alloc0(1, sizeof(*server));
	server->options = *options;
	server->options.token = NULL;
	server->address = lode_strdup(options->address ? options->address : "127.0.0.1");
	rc = take_token(server, options, err);
	if (rc == LODE_OK)
		rc = server->fd = open_socket(server, options, err);
	server->is_listening = rc >= 0;
	if (rc < 0) {
		lode_server_stop(server);
		return rc;
	}
	server->answers.guard.port = bound_port(server->fd);
	snprintf(server->answers.cookie, sizeof(server->answers.cookie), "lode-%u",
		 server->answers.guard.port);
	*out = server;
	return LODE_OK;
}

int lode_server_answer(struct lode_server *server, struct lode_site *site, struct lode_error *err)
{
	const struct lode_server_options *options = &server->options;
	const int64_t limits_ms[LODE_N_PHASES] = {
		[LODE_AWAITS_HEADER] = options->header_ms ? options->header_ms : 20000,
		[LODE_AWAITS_BODY] = options->body_ms ? options->body_ms : 20000,
		[LODE_AWAITS_READER] = options->answer_ms ? options->answer_ms : 300000,
		[LODE_AWAITS_ANSWER] = options->answer_ms ? options->answer_ms : 300000,
	};

	server->answers.question_ms = options->question_ms;
	lode_answers_make(&server->answers, site);
	server->answers.overdue = lode_overdue_start(limits_ms, crowd_of(options));
	server->daemon = start_daemon(server);
	return server->daemon ? LODE_OK
			      : lode_fail(err, LODE_ERR_IO, NULL, -1, "the server cannot start");
}

void lode_server_show(struct lode_server *server, struct lode_site *site)
{
	lode_answers_show(&server->answers, site);
}

void lode_server_stop(struct lode_server *server)
{
	if (!server)
		return;
	/* Connections that wait for an answer cannot be closed. */
	lode_answers_stop(&server->answers);
	if (server->daemon)
		lode_http.MHD_stop_daemon(server->daemon);
	else if (server->is_listening)
		close(server->fd);
	lode_overdue_stop(server->answers.overdue);
	lode_answers_release(&server->answers);
	free(server->address);
	free(server);
}

uint16_t lode_server_port(const struct lode_server *server)
{
	return server->answers.guard.port;
}

const char *lode_server_token(const struct lode_server *server)
{
	return server->answers.guard.token;
}

const char *lode_server_url(const struct lode_server *server, bool with_token, char *buffer,
			    size_t size)
{
	snprintf(buffer, size, "http://%s%s%s:%u/%s%s", server->is_v6 ? "[" : "", server->address,
		 server->is_v6 ? "]" : "", server->answers.guard.port, with_token ? "?token=" : "",
		 with_token ? server->answers.guard.token : "");
	return buffer;
}
