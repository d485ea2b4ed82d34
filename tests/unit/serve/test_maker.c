/* A process that makes a report and answers for it: what it gives, and what becomes of one that
 * fails. */
#include "serve/maker.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/memory_bound.h"
#include "base/sanitized.h"
#include "base/written.h"

static const char body[] = "{\"name\": 1}";

/* Of the test's process; the other one has copies. */
struct held {
	enum { MAKES, HAS_NONE, CRASHES, IS_KILLED, TAKES_MEMORY, TAKES_LONG } way;
	int n_asked, n_told;
	char stage[40];
	bool is_stopping;
};

static int answer(void *context, const struct lode_site_query *query, FILE *out,
		  struct lode_error *err)
{
	struct held *held = context;
	const char *id = lode_site_param(query, "id");

	held->n_asked++; /* a copy's */
	if (!id) {
		lode_fail(err, LODE_ERR_ARG, NULL, -1, "id= must be given");
		return LODE_SITE_ABSENT;
	}
	if (strcmp(id, "end") == 0)
		kill(getppid(), SIGKILL);
	fprintf(out, "%s %d %s", id, held->n_asked, query->body ? query->body : "-");
	return LODE_OK;
}

static void make(void *context, struct lode_maker_line *line, struct lode_site *site,
		 struct lode_maker_made *made, char **json, size_t *n)
{
	struct held *held = context;

	lode_maker_tell(line, &(struct lode_maker_state){3, 4, "reading"});
	switch (held->way) {
	case CRASHES:
		signal(SIGABRT, SIG_DFL);
		abort();
	case IS_KILLED:
		kill(getpid(), SIGKILL);
		break;
	case TAKES_MEMORY:
		lode_memory_keep_to((size_t)64 << 20);
		for (;;)
			memset(lode_alloc((size_t)1 << 16), 1, (size_t)1 << 16);
	case TAKES_LONG:
		for (;;)
			pause();
	default:
		break;
	}
	made->code = 3;
	made->n = 7;
	if (held->way == HAS_NONE)
		return;
	held->n_asked = 100;
	lode_site_add_report(site, "mine", "lode/x/1", "x", "", 0);
	lode_site_add_question(site, "mine", "what", LODE_REQUEST_READ, answer, held);
	*json = lode_strdup("{\"made\": true}");
	*n = strlen(*json);
}

static void heed(void *context, const struct lode_maker_state *state)
{
	struct held *held = context;

	held->n_told += state->n_done == 3 && state->n == 4;
	memcpy(held->stage, state->stage, sizeof(held->stage));
}

static bool is_stopping(void *context)
{
	return ((struct held *)context)->is_stopping;
}

static int start(struct lode_maker **out, struct held *held, struct lode_maker_made *made,
		 char **json, struct lode_error *err)
{
	const struct lode_maker_work work = {
		.make = make,
		.name = "mine",
		.heed = heed,
		.is_stopping = is_stopping,
		.context = held,
		.memory_bytes = (size_t)64 << 20,
		.most_ms = held->way == TAKES_LONG ? 200 : 20000,
		.niceness = 1,
	};
	size_t n = 0;
	int rc = lode_maker_start(out, &work, made, json, &n, err);

	assert_true(!*json || strlen(*json) == n);
	return rc;
}

static int ask(struct lode_maker *maker, const char *what, const char *id, const char *with,
	       char **text, struct lode_error *err)
{
	const struct lode_site_pair pairs[] = {{"other", ""}, {"id", id}};
	const struct lode_site_query query = {
		.at = pairs, .n = id ? 2 : 1, .body = with, .body_bytes = with ? strlen(with) : 0};
	size_t n;
	FILE *out = lode_written_open(text, &n);
	int rc = lode_maker_ask(maker, what, &query, out, err);

	lode_written_close(out);
	return rc;
}

static void check_answer(struct lode_maker *maker, const char *id, const char *with,
			 const char *expected)
{
	struct lode_error err;
	char *text;

	assert_int_equal(ask(maker, "what", id, with, &text, &err), LODE_OK);
	assert_string_equal(text, expected);
	free(text);
}

static void what_made_it_answers_for_it(void **state)
{
	struct held held = {.way = MAKES};
	struct lode_maker *maker;
	struct lode_maker_made made;
	struct lode_error err;
	char *json, *text;

	(void)state;
	assert_int_equal(start(&maker, &held, &made, &json, &err), LODE_OK);
	assert_string_equal(json, "{\"made\": true}");
	assert_int_equal(made.code, 3);
	assert_int_equal(made.n, 7);
	assert_int_equal(held.n_told, 1);
	assert_string_equal(held.stage, "reading");
	assert_int_equal(held.n_asked, 0);
	check_answer(maker, "a\nb", NULL, "a\nb 101 -");
	check_answer(maker, "", body, " 101 {\"name\": 1}"); /* each in a copy */
	assert_int_equal(ask(maker, "what", NULL, NULL, &text, &err), LODE_SITE_ABSENT);
	assert_string_equal(err.message, "id= must be given");
	free(text);
	assert_int_equal(ask(maker, "other", "x", NULL, &text, &err), LODE_SITE_ABSENT);
	free(text);
	assert_false(lode_maker_has_ended(maker));
	assert_int_equal(ask(maker, "what", "end", NULL, &text, &err), LODE_SITE_PENDING);
	free(text);
	assert_true(lode_maker_has_ended(maker));
	assert_int_equal(ask(maker, "what", "x", NULL, &text, &err), LODE_SITE_PENDING);
	free(text);
	free(json);
	lode_maker_free(maker);
}

static void check_failure(struct held held, int rc, const char *why)
{
	struct lode_maker_made made;
	struct lode_maker *maker;
	struct lode_error err = {0};
	char *json;

	assert_int_equal(start(&maker, &held, &made, &json, &err), rc);
	assert_null(maker);
	assert_null(json);
	if (why && !strstr(err.message, why))
		fail_msg("%s", err.message);
}

static void failures_are_said(void **state)
{
	(void)state;
	check_failure((struct held){.way = HAS_NONE}, LODE_OK, NULL);
	check_failure((struct held){.way = IS_KILLED}, LODE_ERR_IO, "mining was killed");
	check_failure((struct held){.way = TAKES_LONG}, LODE_SITE_SLOW, "takes longer than");
	check_failure((struct held){.way = TAKES_LONG, .is_stopping = true}, LODE_SITE_PENDING,
		      "stopping");
	if (LODE_IS_SANITIZED)
		return; /* which has its own ways with these */
	check_failure((struct held){.way = CRASHES}, LODE_ERR_IO, "bug in lode");
	check_failure((struct held){.way = TAKES_MEMORY}, LODE_SITE_NO_MEMORY,
		      "more memory than the 64 MiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_made_it_answers_for_it),
		cmocka_unit_test(failures_are_said),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
