#include "sources/call_names.h"

#include <stdlib.h>

uint32_t lode_call_names_id(struct lode_call_names *names, struct lode_call_sink *sink,
			    const char *module, const char *name, size_t len)
{
	uint32_t string = lode_strings_intern(&names->strings, name, len);

	if (string == names->ids.n)
		lode_vec_append(&names->ids, sink->function(sink->context, module,
							    names->strings.text.at[string]));
	return names->ids.at[string];
}

void lode_call_names_release(struct lode_call_names *names)
{
	lode_strings_release(&names->strings);
	lode_vec_release(&names->ids);
}
