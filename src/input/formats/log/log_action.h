/*
 * URL -> action: requests that do the same have the same action (struct lode_log_options.action).
 * Inside of input/formats/log only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A rule, compiled; each thread needs its own. */
struct lode_log_action;

int lode_log_action_new(struct lode_log_action **out, const char *rule, struct lode_error *err);
void lode_log_action_free(struct lode_log_action *action);

/* Does the rule look at what stands behind the "?"? */
bool lode_log_action_wants_query(const struct lode_log_action *action);

/*
 * The action of a request, of `*len` bytes; valid until the next call. `method` may be empty. Texts
 * that are no URL ("checkout") are actions already, ids in them aside.
 */
const char *lode_log_action_of(struct lode_log_action *action, const char *method,
			       size_t method_len, const char *url, size_t url_len, size_t *len);
