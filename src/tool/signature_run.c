/* Runs a command that matches signatures. */
#include "tool/signature_run.h"

#include "tool/messages.h"

const char *lode_signature_values_settle(struct lode_signature_values *values)
{
	if (!values->signatures)
		values->repo = lode_repo_option_path(values->repo);
	if (!values->repo && !values->signatures)
		return "give the signatures: --repo FILE or --signatures FILE";
	return NULL;
}

void lode_signature_sources_close(struct lode_signature_sources *sources)
{
	lode_signature_store_release(&sources->store);
	lode_repo_close(sources->repo);
	sources->repo = NULL;
}

/* Signatures are the file's if there is one, else the repository's. */
static int open_sources(struct lode_signature_sources *out,
			const struct lode_signature_values *values, struct lode_error *err)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (values->repo)
		rc = lode_repo_open(&out->repo, values->repo, LODE_REPO_READ, err);
	if (rc == 0)
		rc = lode_signature_store_open(
			&out->store, values->signatures ? NULL : out->repo,
			values->signatures ? values->signatures : values->repo, false, err);
	if (rc < 0)
		lode_signature_sources_close(out);
	return rc;
}

static struct lode_aoi_values *aoi_of(const struct lode_signature_run *how, void *values)
{
	return (struct lode_aoi_values *)((char *)values + how->aoi_at);
}

void lode_signature_run_init(const struct lode_signature_run *how, void *values)
{
	static const size_t not_given = SIZE_MAX;
	char *v = values;

	memset(v, 0, how->size);
	memcpy(v + how->top_at, &not_given, sizeof(not_given));
	lode_input_options_init((struct lode_input_options *)(v + how->input_at));
	lode_aoi_values_init(aoi_of(how, values));
}

int lode_signature_run_open(const struct lode_signature_run *how, const struct lode_command *self,
			    void *values, struct lode_signature_sources *sources,
			    struct lode_repo_words *words, const lode_text_list *given,
			    int *n_operands)
{
	const struct lode_signature_values *known =
		(const struct lode_signature_values *)((char *)values + how->known_at);
	struct lode_error err;
	int code;

	if (open_sources(sources, known, &err) < 0)
		return lode_say_error(self, &err);
	code = lode_repo_words_parse(words, self, values, sources->repo, given, false, n_operands);
	lode_aoi_values_settle(aoi_of(how, values), false);
	return code;
}

static int run_as_repository(const struct lode_signature_run *how, const struct lode_command *self,
			     void *values, const lode_text_list *given,
			     const struct lode_asked *asked)
{
	struct lode_signature_values *known =
		(struct lode_signature_values *)((char *)values + how->known_at);
	const struct lode_signature_values where = *known;
	struct lode_signature_sources sources;
	struct lode_repo_words words = {.shape = NULL};
	int n = 0, code;

	lode_aoi_values_release(aoi_of(how, values));
	lode_signature_run_init(how, values);
	*known = where;
	code = lode_signature_run_open(how, self, values, &sources, &words, given, &n);
	if (code == LODE_EXIT_OK)
		code = how->check(self, values, (size_t)n);
	if (code == LODE_EXIT_OK)
		code = how->run(self, values, &sources, asked, (char **)(uintptr_t)words.list.at,
				(size_t)n);
	lode_signature_sources_close(&sources);
	lode_repo_words_release(&words);
	return code;
}

int lode_signature_run(const struct lode_signature_run *how, const struct lode_command *self,
		       void *values, int argc, char **argv)
{
	lode_text_list given = {0};
	struct lode_asked asked = {0};
	int n, code = LODE_EXIT_OK;

	lode_vec_append_all(&given, argv, (size_t)argc);
	lode_signature_run_init(how, values);
	if (lode_command_start(self, values, argc, argv, &n, &code)) {
		lode_asked_make(&asked, self, argc, argv, n, how->next);
		lode_aoi_values_settle(aoi_of(how, values), false);
		code = how->check(self, values, (size_t)n);
		if (code == LODE_EXIT_OK)
			code = run_as_repository(how, self, values, &given, &asked);
	}
	lode_aoi_values_release(aoi_of(how, values));
	lode_vec_release(&given);
	lode_asked_release(&asked);
	return code;
}
