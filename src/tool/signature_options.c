/* Options of commands that match signatures. */
#include "tool/signature_options.h"

#include "tool/repo_options.h"

const char *lode_signature_values_settle(struct lode_signature_values *values)
{
	if (!values->signatures)
		values->repo = lode_repo_option_path(values->repo);
	if (!values->repo && !values->signatures)
		return "give the signatures: --repo FILE or --signatures FILE";
	return NULL;
}

int lode_signature_sources_open(struct lode_signature_sources *out,
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

void lode_signature_sources_close(struct lode_signature_sources *sources)
{
	lode_signature_store_release(&sources->store);
	lode_repo_close(sources->repo);
	sources->repo = NULL;
}
