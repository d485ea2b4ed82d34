/* The list of documents: those that the answers' meson.build name. */
#include "answers/documents.h"

#include "answers/document_list.h"

#define DECLARE(name) extern const struct lode_document lode_##name##_document;
#define LIST(name)    &lode_##name##_document,

LODE_DOCUMENTS(DECLARE)

const struct lode_document *const lode_documents[] = {LODE_DOCUMENTS(LIST) NULL};
