/*
 * The options of `lode sign`.
 */
#pragma once

#include <stdbool.h>

#include "tool/option_values.h"
#include "tool/options.h"

struct lode_sign_values {
	const char *repo, *signatures;
	/* a new one */
	const char *name, *cluster, *from;
	/* what is said of it, or changed */
	const char *bug, *owner, *note, *kind, *reason;
	/* others */
	const char *show, *edit, *rename, *retire, *activate, *delete, *export, *import;
	lode_text_list drop;
	bool list, wants_json;
};

extern const struct lode_option lode_sign_options[];
