/* Opens libmicrohttpd. */
#include "serve/http_library.h"

struct lode_http_library lode_http;

int lode_http_open(struct lode_error *err)
{
	/* The last one is filled last. */
	if (lode_http.MHD_suspend_connection)
		return LODE_OK;
	return LODE_LATE_OPEN(&lode_http, HTTP_FUNCTIONS, "libmicrohttpd.so.12", err);
}
