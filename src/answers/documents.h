/*
 * All documents that are described by tables of fields (document/fields.h).
 */
#pragma once

#include "document/fields.h"

/* Ends with NULL. */
extern const struct lode_document *const lode_documents[];
