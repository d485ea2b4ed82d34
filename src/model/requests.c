/* Batches of requests for their sinks. */
#include "model/requests.h"

void lode_request_names_release(struct lode_request_names *names)
{
	lode_strings_release(&names->actions);
	lode_strings_release(&names->users);
}
