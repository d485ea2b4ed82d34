/*
 * What is done to signatures (answers/sign/signature_change.h, signature_request.h), and how it is
 * kept (signature_store.h): two that change one repository at once both have their way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers/sign/signature_request.h"
#include "answers/sign/signature_store.h"
#include "model/stream.h"

static struct lode_signature *signed_as(struct lode_signatures *list, const char *name,
					const char *pattern, int64_t now_s)
{
	struct lode_signature_words words = {.bug = "7", .patterns = &pattern, .n_patterns = 1};

	assert_int_equal(lode_signature_sign(list, name, &words, now_s, NULL), 0);
	return lode_signatures_find(list, name);
}

static void what_is_said_is_kept_and_the_rest_stays(void **state)
{
	static const char *const more[] = {"c ; *; d", "a;b"}, *const drop[] = {"a;*;b"},
				 *const none[] = {"x"};
	struct lode_signatures list = {0};
	struct lode_signature *s = signed_as(&list, "one", "a;*;b", 100);
	struct lode_signature_edit edit = {
		.words = {.owner = "me", .kind = "wait", .patterns = more, .n_patterns = 2},
		.rename = "two",
		.drop = drop,
		.n_drop = 1};
	struct lode_error err;

	(void)state;
	assert_string_equal(s->patterns[0], "a;b");
	assert_int_equal(s->created_s, 100);
	assert_int_equal(lode_signature_edit(&list, "one", &edit, 200, NULL), 0);
	assert_null(lode_signatures_find(&list, "one"));
	s = lode_signatures_find(&list, "two");
	assert_non_null(s);
	assert_string_equal(s->bug, "7");
	assert_string_equal(s->owner, "me");
	assert_int_equal(s->n_patterns, 2); /* dropped, and added again */
	assert_string_equal(s->patterns[1], "c;d");
	assert_int_equal(s->created_s, 100);
	assert_int_equal(s->updated_s, 200);

	/* What fails changes nothing. */
	edit = (struct lode_signature_edit){.drop = none, .n_drop = 1, .rename = "three"};
	assert_int_equal(lode_signature_edit(&list, "two", &edit, 300, &err), LODE_ERR_ARG);
	edit = (struct lode_signature_edit){.words = {.reason = "sleep"}};
	assert_int_equal(lode_signature_edit(&list, "two", &edit, 300, &err), LODE_ERR_ARG);
	edit = (struct lode_signature_edit){.rename = "a name"};
	assert_int_equal(lode_signature_edit(&list, "two", &edit, 300, &err), LODE_ERR_ARG);
	signed_as(&list, "four", "x", 400);
	edit = (struct lode_signature_edit){.rename = "four"};
	assert_int_equal(lode_signature_edit(&list, "two", &edit, 300, &err), LODE_ERR_ARG);
	s = lode_signatures_find(&list, "two");
	assert_non_null(s);
	assert_int_equal(s->updated_s, 200);
	assert_int_equal(s->n_patterns, 2);
	assert_int_equal(list.list.n, 2);

	assert_int_equal(lode_signature_set_retired(&list, "two", true, 500, NULL), 0);
	assert_int_equal(lode_signature_set_retired(&list, "two", true, 600, NULL), 0);
	assert_true(lode_signatures_find(&list, "two")->is_retired);
	assert_int_equal(lode_signatures_find(&list, "two")->updated_s, 500);
	assert_int_equal(lode_signature_delete(&list, "twoo", &err), LODE_ERR_ARG);
	assert_string_equal(err.message, "unknown signature 'twoo'; did you mean 'two'?");
	assert_int_equal(lode_signature_delete(&list, "two", NULL), 0);
	assert_int_equal(list.list.n, 1);
	lode_signatures_release(&list);
}

static void a_clusters_patterns_and_kinds_are_taken(void **state)
{
	static const char *const patterns[] = {"a;b", "c"}, *const typed[] = {"d"};
	struct lode_cluster_choice choice = {
		.kinds = 1u << LODE_EVENT_WAITING, .patterns = patterns, .n_patterns = 2};
	struct lode_signature_words words = {
		.cluster = &choice, .patterns = typed, .n_patterns = 1};
	struct lode_signatures list = {0};

	(void)state;
	assert_int_equal(lode_signature_sign(&list, "x", &words, 1, NULL), 0);
	assert_int_equal(list.list.at[0].n_patterns, 3);
	assert_int_equal(list.list.at[0].kinds, choice.kinds);
	words.kind = "run";
	assert_int_equal(lode_signature_sign(&list, "y", &words, 1, NULL), 0);
	assert_int_equal(list.list.at[1].kinds, 1u << LODE_EVENT_RUNNING);
	words = (struct lode_signature_words){0};
	assert_int_equal(lode_signature_sign(&list, "z", &words, 1, NULL), LODE_ERR_ARG);
	lode_signatures_release(&list);
}

/* ---- As JSON ---- */

static void expect(enum lode_signature_act act, const char *text, const char *message)
{
	struct lode_signature_request request;
	struct lode_error err;
	int rc = lode_signature_request_parse(&request, act, text, strlen(text), &err);

	if (message ? rc == 0 || !strstr(err.message, message) : rc != 0)
		fail_msg("%s: %d '%s', not '%s'", text, rc, rc ? err.message : "",
			 message ? message : "");
	lode_signature_request_release(&request);
}

static void bodies_are_read_strictly(void **state)
{
	static const char body[] =
		"{\"name\": \"a\", \"add\": [\"b\", \"c\"], \"drop\": [], \"note\": "
		"\"\", \"rename\": \"\\u00e9\"}";
	struct lode_signature_request request;

	(void)state;
	assert_int_equal(lode_signature_request_parse(&request, LODE_SIGNATURE_EDIT, body,
						      strlen(body), NULL),
			 0);
	assert_string_equal(request.name, "a");
	assert_string_equal(request.edit.rename, "\xc3\xa9");
	assert_string_equal(request.edit.words.note, "");
	assert_null(request.edit.words.bug);
	assert_null(request.cluster);
	assert_int_equal(request.edit.words.n_patterns, 2);
	assert_string_equal(request.edit.words.patterns[1], "c");
	assert_int_equal(request.edit.n_drop, 0);
	lode_signature_request_release(&request);

	expect(LODE_SIGNATURE_RETIRE, "{\"name\": \"a\"}", NULL);
	expect(LODE_SIGNATURE_RETIRE, "{\"name\": \"a\", \"bug\": \"b\"}", "\"bug\" is unknown");
	expect(LODE_SIGNATURE_SIGN, "{\"name\": \"a\", \"cluster\": \"1\"}", NULL);
	expect(LODE_SIGNATURE_SIGN, "{\"name\": \"a\", \"add\": [\"1\"]}", "\"add\" is unknown");
	expect(LODE_SIGNATURE_SIGN, "{\"name\": \"a\", \"patterns\": []}", "give \"cluster\"");
	expect(LODE_SIGNATURE_SIGN, "{\"name\": \"a\", \"patterns\": [\"1\"], \"patterns\": []}",
	       "twice");
	expect(LODE_SIGNATURE_EDIT, "{\"name\": null}", "must be a string");
	expect(LODE_SIGNATURE_EDIT, "{\"name\": \"a\", \"drop\": {}}", "list of strings");
	expect(LODE_SIGNATURE_EDIT, "\"name\"", "a JSON object");
	expect(LODE_SIGNATURE_EDIT, "{\"name\": \"a\\u0000\"}", "NUL");
	expect(LODE_SIGNATURE_EDIT, "{\"name\": \"a\\\\u0000\"}", NULL);
	expect(LODE_SIGNATURE_EDIT, "  ", "not JSON");
	expect(LODE_SIGNATURE_EDIT, "{} {}", "not JSON");
}

/* ---- Kept ---- */

enum { CHANGERS = 3, EACH = 8 };

struct changer {
	const char *path;
	int number;
	bool has_failed;
};

/* With a handle of its own, as another process has. */
static bool change(const char *path, const char *name, const char *pattern, bool is_deletion)
{
	struct lode_signature_words words = {.patterns = &pattern, .n_patterns = 1};
	struct lode_signature_store store;
	struct lode_repo *repo;
	bool is_done = lode_repo_open(&repo, path, LODE_REPO_WRITE, NULL) == 0;

	memset(&store, 0, sizeof(store));
	is_done = is_done && lode_signature_store_begin(&store, repo, path, false, NULL) == 0;
	if (is_done && is_deletion)
		is_done = lode_signature_delete(&store.signatures, name, NULL) == 0;
	else if (is_done)
		is_done = lode_signature_sign(&store.signatures, name, &words, 1, NULL) == 0;
	is_done = is_done && lode_signature_store_save(&store, NULL) == 0;
	lode_signature_store_release(&store);
	lode_repo_close(repo);
	return is_done;
}

static void *change_often(void *context)
{
	struct changer *changer = context;
	char name[20];

	for (int i = 0; i < EACH; i++) {
		snprintf(name, sizeof(name), "s%d-%d", changer->number, i);
		changer->has_failed |= !change(changer->path, name, "a;b", false);
		if (i % 2)
			changer->has_failed |= !change(changer->path, name, "", true);
	}
	return NULL;
}

static size_t count(const char *path)
{
	struct lode_signature_store store;
	struct lode_repo *repo;
	size_t n;

	assert_int_equal(lode_repo_open(&repo, path, LODE_REPO_READ, NULL), 0);
	assert_int_equal(lode_signature_store_open(&store, repo, path, false, NULL), 0);
	n = store.signatures.list.n;
	lode_signature_store_release(&store);
	lode_repo_close(repo);
	return n;
}

static void changes_at_once_are_all_kept(void **state)
{
	char folder[] = "/tmp/lode-test-XXXXXX", path[80], command[120];
	struct changer changers[CHANGERS];
	struct lode_signature_store store;
	pthread_t threads[CHANGERS];
	struct lode_repo *repo;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/r.lode", folder);
	assert_int_equal(lode_repo_open(&repo, path, LODE_REPO_CREATE, NULL), 0);
	for (int i = 0; i < CHANGERS; i++) {
		changers[i] = (struct changer){path, i, false};
		assert_int_equal(pthread_create(&threads[i], NULL, change_often, &changers[i]), 0);
	}
	for (int i = 0; i < CHANGERS; i++) {
		pthread_join(threads[i], NULL);
		assert_false(changers[i].has_failed);
	}
	assert_int_equal(count(path), CHANGERS * EACH / 2);

	/* Begun and not saved: it has never been, and the next may begin. */
	assert_int_equal(lode_signature_store_begin(&store, repo, path, false, NULL), 0);
	assert_int_equal(lode_signature_delete(&store.signatures, "s0-0", NULL), 0);
	lode_signature_store_release(&store);
	assert_int_equal(count(path), CHANGERS * EACH / 2);
	assert_true(change(path, "s0-0", "", true));
	assert_int_equal(count(path), CHANGERS * EACH / 2 - 1);
	lode_repo_close(repo);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said_is_kept_and_the_rest_stays),
		cmocka_unit_test(a_clusters_patterns_and_kinds_are_taken),
		cmocka_unit_test(bodies_are_read_strictly),
		cmocka_unit_test(changes_at_once_are_all_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
