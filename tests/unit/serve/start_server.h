/*
 * A server that listens and answers.
 */
#ifndef LODE_TEST_START_SERVER_H
#define LODE_TEST_START_SERVER_H

#include "serve/server.h"

static inline int start_server(struct lode_server **out, struct lode_site *site,
			       const struct lode_server_options *options, struct lode_error *err)
{
	int rc = lode_server_listen(out, options, err);

	if (rc == LODE_OK)
		rc = lode_server_answer(*out, site, err);
	if (rc < 0) {
		lode_server_stop(*out);
		*out = NULL;
	}
	return rc;
}

#endif
