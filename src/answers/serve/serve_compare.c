/* Two values of a label, compared as lode diff compares two queries of a repository. */
#include "answers/diff/diff.h"
#include "answers/serve/serve_mine_parts.h"
#include "base/clock.h"

/* A value of the language of --where (store/repo_query.h), in quotes where it needs them. */
static void put_query_value(FILE *out, const char *value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-+:/";

	if (*value && !value[strspn(value, plain)]) {
		fputs(value, out);
		return;
	}
	fputc('"', out);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			fputc('\\', out);
		fputc(*value, out);
	}
	fputc('"', out);
}

/* The streams of `where` whose label has the value; days are times of the language. */
static char *comparison(const char *where, const char *key, const char *value)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (where && *where)
		fprintf(out, "(%s) and ", where);
	fputs(strcmp(key, "day") == 0 ? "time" : key, out);
	if (strcmp(value, lode_coverage_no_label) == 0) {
		fputs("!~*", out);
	} else {
		fputc('=', out);
		put_query_value(out, value);
	}
	fclose(out);
	return text;
}

static int find_key(const struct lode_serve_mine *mine, const char *key, struct lode_error *err)
{
	for (size_t i = 0; i < mine->keys.n; i++)
		if (strcmp(mine->keys.at[i], key) == 0)
			return LODE_OK;
	lode_fail(err, LODE_ERR_ARG, NULL, -1, "no recording has the label '%.60s'", key);
	return LODE_SITE_ABSENT;
}

/* As the command line has it that says no more than the two queries. */
static struct lode_diff_request compare_request_of(const struct lode_serve_mine *mine,
						   char *sides[2], const struct lode_asked *asked)
{
	struct lode_diff_request request = {
		.sets = {.now_ns = lode_clock_ns(CLOCK_REALTIME), .job = mine->read},
		.mine = {.min_similarity = LODE_CUT_BY_DATA, .n_threads = mine->read.n_threads},
		.diff = {.level = 0.05, .seed = 1, .n_threads = mine->read.n_threads},
		.wants_rows = true,
		.wants_detail = true,
		.asked = asked,
	};

	for (unsigned s = 0; s < LODE_N_DIFF_SIDES; s++) {
		request.sets.inputs[s] = &sides[s];
		request.sets.n_inputs[s] = 1;
	}
	return request;
}

static int compare(const struct lode_serve_mine *mine, char *sides[2], FILE *out,
		   struct lode_error *err)
{
	struct lode_arena arena = {0};
	char *of_repo = (char *)(uintptr_t)lode_finding_text(&arena, " --repo %s",
							     lode_next_word(&arena, mine->repo));
	struct lode_asked asked = {.command = "diff", .options = of_repo, .next_options = of_repo};
	struct lode_diff_request request = compare_request_of(mine, sides, &asked);
	struct lode_diff_answer *answer = NULL;
	int rc = lode_serve_open_repo(&request.sets.repo, mine, LODE_REPO_READ, err);

	if (rc == LODE_OK)
		rc = lode_diff_run(&answer, &request, err);
	if (rc == LODE_OK)
		lode_document_put(out, &lode_diff_document, answer, NULL);
	lode_diff_answer_free(answer);
	lode_repo_close(request.sets.repo);
	lode_arena_release(&arena);
	return rc == LODE_ERR_EMPTY ? LODE_SITE_NO_SUCH : rc;
}

static int answer_compare(void *context, const struct lode_site_query *query, FILE *out,
			  struct lode_error *err)
{
	const struct lode_serve_mine *mine = context;
	const char *key = lode_site_param(query, "by"), *a = lode_site_param(query, "a"),
		   *b = lode_site_param(query, "b"), *where = mine->answer->served->where;
	char *sides[2];
	int rc;

	if (!key || !a || !b || strcmp(a, b) == 0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "by= must be a label, and a= and b= two of its values");
	rc = find_key(mine, key, err);
	if (rc != LODE_OK)
		return rc;
	sides[0] = comparison(where, key, a);
	sides[1] = comparison(where, key, b);
	rc = compare(mine, sides, out, err);
	free(sides[0]);
	free(sides[1]);
	return rc;
}

void lode_serve_compare_add(struct lode_serve_mine *mine, struct lode_site *site,
			    const char *report)
{
	static const char *const parameters[] = {"by", "a", "b", NULL};

	if (mine->repo)
		lode_site_add_lasting(site, report, "compare", parameters, answer_compare, mine);
}
