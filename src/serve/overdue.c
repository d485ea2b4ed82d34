/* Disconnects clients that are too slow, and the slowest of too many. */
#include "serve/overdue.h"

#include <pthread.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"

struct lode_overdue_connection {
	struct lode_overdue_connection *previous, *next;
	int64_t since_ms, deadline_ms;
	enum lode_overdue_phase phase;
	size_t held_bytes; /* of an answer that is being read */
	int fd;
	bool is_shut;
};

struct lode_overdue {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	struct lode_overdue_connection ring; /* of all connections */
	int64_t limits_ms[LODE_N_PHASES];
	int64_t rest_ms;     /* between two looks */
	size_t most, n_open; /* connections that are not shut */
	size_t n_asking;     /* that await an answer */
	size_t held_bytes;   /* of connections that are not shut */
	bool is_over;
};

static void shut(struct lode_overdue *overdue, struct lode_overdue_connection *c)
{
	shutdown(c->fd, SHUT_RDWR);
	overdue->n_open -= !c->is_shut;
	overdue->held_bytes -= c->held_bytes;
	c->held_bytes = 0;
	c->is_shut = true;
}

static void look_overdue(struct lode_overdue *overdue)
{
	int64_t now = lode_clock_ms(CLOCK_MONOTONIC);

	for (struct lode_overdue_connection *c = overdue->ring.next; c != &overdue->ring;
	     c = c->next)
		if (now >= c->deadline_ms)
			shut(overdue, c);
}

/* Ends one connection for a new one. */
static void make_room(struct lode_overdue *overdue)
{
	struct lode_overdue_connection *slowest = NULL;

	for (struct lode_overdue_connection *c = overdue->ring.next; c != &overdue->ring;
	     c = c->next)
		if (!c->is_shut && c->phase != LODE_AWAITS_ANSWER &&
		    (!slowest || c->phase < slowest->phase ||
		     (c->phase == slowest->phase && c->since_ms <= slowest->since_ms)))
			slowest = c;
	if (slowest)
		shut(overdue, slowest);
}

static void set_phase(struct lode_overdue *overdue, struct lode_overdue_connection *c,
		      enum lode_overdue_phase phase)
{
	overdue->n_asking += phase == LODE_AWAITS_ANSWER;
	overdue->n_asking -= c->phase == LODE_AWAITS_ANSWER;
	if (phase != LODE_AWAITS_READER) {
		overdue->held_bytes -= c->held_bytes;
		c->held_bytes = 0;
	}
	c->phase = phase;
	c->since_ms = lode_clock_ms(CLOCK_MONOTONIC);
	c->deadline_ms = c->since_ms + overdue->limits_ms[phase];
}

static void *watch(void *argument)
{
	struct lode_overdue *overdue = argument;

	pthread_mutex_lock(&overdue->lock);
	while (!overdue->is_over) {
		int64_t until = lode_clock_ms(CLOCK_MONOTONIC) + overdue->rest_ms;
		struct timespec t = {.tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000};

		pthread_cond_timedwait(&overdue->wake, &overdue->lock, &t);
		look_overdue(overdue);
	}
	pthread_mutex_unlock(&overdue->lock);
	return NULL;
}

struct lode_overdue *lode_overdue_start(const int64_t limits_ms[LODE_N_PHASES], size_t most)
{
	struct lode_overdue *overdue = lode_alloc0(1, sizeof(*overdue));
	pthread_condattr_t attributes;

	overdue->ring.next = overdue->ring.previous = &overdue->ring;
	overdue->most = most;
	overdue->rest_ms = 1000;
	for (int i = 0; i < LODE_N_PHASES; i++) {
		overdue->limits_ms[i] = limits_ms[i];
		if (limits_ms[i] / 4 < overdue->rest_ms)
			overdue->rest_ms = limits_ms[i] / 4 + 1;
	}
	pthread_mutex_init(&overdue->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&overdue->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	if (pthread_create(&overdue->thread, NULL, watch, overdue) != 0)
		lode_oom(1);
	return overdue;
}

void lode_overdue_stop(struct lode_overdue *overdue)
{
	if (!overdue)
		return;
	pthread_mutex_lock(&overdue->lock);
	overdue->is_over = true;
	pthread_cond_signal(&overdue->wake);
	pthread_mutex_unlock(&overdue->lock);
	pthread_join(overdue->thread, NULL);
	pthread_cond_destroy(&overdue->wake);
	pthread_mutex_destroy(&overdue->lock);
	free(overdue);
}

struct lode_overdue_connection *lode_overdue_enter(struct lode_overdue *overdue, int fd)
{
	struct lode_overdue_connection *c = lode_alloc0(1, sizeof(*c));

	c->fd = fd;
	pthread_mutex_lock(&overdue->lock);
	if (overdue->n_open >= overdue->most)
		make_room(overdue);
	overdue->n_open++;
	set_phase(overdue, c, LODE_AWAITS_HEADER);
	c->previous = &overdue->ring;
	c->next = overdue->ring.next;
	c->next->previous = c;
	overdue->ring.next = c;
	pthread_mutex_unlock(&overdue->lock);
	return c;
}

void lode_overdue_leave(struct lode_overdue *overdue, struct lode_overdue_connection *connection)
{
	pthread_mutex_lock(&overdue->lock);
	overdue->n_open -= !connection->is_shut;
	overdue->n_asking -= connection->phase == LODE_AWAITS_ANSWER;
	overdue->held_bytes -= connection->held_bytes;
	connection->previous->next = connection->next;
	connection->next->previous = connection->previous;
	pthread_mutex_unlock(&overdue->lock);
	free(connection);
}

void lode_overdue_phase(struct lode_overdue *overdue, struct lode_overdue_connection *connection,
			enum lode_overdue_phase phase)
{
	pthread_mutex_lock(&overdue->lock);
	set_phase(overdue, connection, phase);
	pthread_mutex_unlock(&overdue->lock);
}

bool lode_overdue_await_answer(struct lode_overdue *overdue,
			       struct lode_overdue_connection *connection)
{
	bool may;

	pthread_mutex_lock(&overdue->lock);
	may = overdue->n_asking < (overdue->most + 1) / 2;
	if (may)
		set_phase(overdue, connection, LODE_AWAITS_ANSWER);
	pthread_mutex_unlock(&overdue->lock);
	return may;
}

static struct lode_overdue_connection *slowest_reader(const struct lode_overdue *overdue,
						      const struct lode_overdue_connection *but)
{
	struct lode_overdue_connection *slowest = NULL;

	for (struct lode_overdue_connection *c = overdue->ring.next; c != &overdue->ring;
	     c = c->next)
		if (c != but && c->held_bytes && (!slowest || c->since_ms <= slowest->since_ms))
			slowest = c;
	return slowest;
}

void lode_overdue_hold(struct lode_overdue *overdue, struct lode_overdue_connection *connection,
		       size_t bytes)
{
	struct lode_overdue_connection *slowest;

	pthread_mutex_lock(&overdue->lock);
	set_phase(overdue, connection, LODE_AWAITS_READER);
	if (!connection->is_shut) {
		connection->held_bytes = bytes;
		overdue->held_bytes += bytes;
	}
	while (overdue->held_bytes > LODE_OVERDUE_HELD_BYTES &&
	       (slowest = slowest_reader(overdue, connection)))
		shut(overdue, slowest);
	pthread_mutex_unlock(&overdue->lock);
}
