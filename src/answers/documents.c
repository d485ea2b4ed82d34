/* The list of documents. */
#include "answers/documents.h"

#include "answers/next/next.h"
#include "reports/repo_fields.h"

const struct lode_document *const lode_documents[] = {
	&lode_import_document,	   &lode_next_document,	       &lode_repo_document,
	&lode_repo_check_document, &lode_repo_labels_document, NULL,
};
