/*
 * What to ask Prometheus for, as users write it (docs/formats/counters.md):
 *
 *   prometheus:http://host:9090/?query=rate(x_total[1m])&query=up&start=now-6h&end=now&step=15s
 *
 * Inside of input/formats/counters only.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"

#define LODE_PROMETHEUS_PREFIX "prometheus:"

struct lode_prometheus_query {
	char *url;   /* of the range query's endpoint; may hold a user and password */
	char *shown; /* the same without them, for messages */
	LODE_VEC(char *) queries;
	char *others; /* parameters that are the server's business: "&a=b", or "" */
	int64_t start_ns, end_ns, step_ns; /* start <= end, step > 0 */
	int64_t timeout_ns;		   /* of one request */
	int64_t max_bytes;		   /* of one answer, decompressed */
	char *header_file;		   /* NULL: none */
};

bool lode_prometheus_is(const char *text);

/* `now_ns` is what "now" means. */
int lode_prometheus_parse(struct lode_prometheus_query *out, const char *text, int64_t now_ns,
			  struct lode_error *err);
void lode_prometheus_release(struct lode_prometheus_query *query);
