/*
 * libmicrohttpd, opened once the first server listens: it brings eight other libraries, and linking
 * it would double the time of every start of lode.
 */
#pragma once

#include <microhttpd.h>

#include "base/late_library.h"

#define HTTP_FUNCTIONS(X)                                     \
	X(MHD_add_response_header)                            \
	X(MHD_create_response_from_buffer)                    \
	X(MHD_create_response_from_buffer_with_free_callback) \
	X(MHD_destroy_response)                               \
	X(MHD_get_connection_info)                            \
	X(MHD_get_connection_values)                          \
	X(MHD_http_unescape)                                  \
	X(MHD_lookup_connection_value)                        \
	X(MHD_queue_response)                                 \
	X(MHD_resume_connection)                              \
	X(MHD_start_daemon)                                   \
	X(MHD_stop_daemon) X(MHD_suspend_connection)

struct lode_http_library {
	HTTP_FUNCTIONS(LODE_LATE_MEMBER)
};

/* Of the process, as the library is. */
extern struct lode_http_library lode_http;
/* Before all else here, and before any thread of a server. */
int lode_http_open(struct lode_error *err);
