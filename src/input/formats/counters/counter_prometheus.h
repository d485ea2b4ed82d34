/*
 * Range queries to Prometheus over HTTP, through libcurl; the answers are read as they come.
 *
 * Inside of input/formats/counters only.
 */
#pragma once

#include "base/error.h"

struct lode_counter_reader;

/* Asks what `text` says (prometheus_query.h). LODE_ERR_UNSUPPORTED when lode was built without
   libcurl. Once something was read, a request that fails is a loss, not an error. */
int lode_counter_read_prometheus(struct lode_counter_reader *reader, const char *text,
				 struct lode_error *err);
