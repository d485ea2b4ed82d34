/*
 * All documents that are described by tables of fields (document/fields.h).
 */
#ifndef LODE_DOCUMENTS_H
#define LODE_DOCUMENTS_H

#include "document/fields.h"

/* Ends with NULL. */
extern const struct lode_document *const lode_documents[];

#endif
