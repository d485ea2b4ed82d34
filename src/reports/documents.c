/* The list of documents. */
#include "reports/documents.h"

#include "reports/repo_fields.h"

const struct lode_document *const lode_documents[] = {
	&lode_import_document,
	&lode_repo_document,
	&lode_repo_check_document,
	&lode_repo_labels_document,
	NULL,
};
