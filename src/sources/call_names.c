#include "sources/call_names.h"

#include <stdlib.h>

uint32_t lode_call_names_string(struct lode_call_names *names, const char *name, size_t len)
{
	uint32_t string = lode_strings_intern(&names->strings, name, len);

	if (string == names->ids.n)
		lode_vec_append(&names->ids, LODE_NONE);
	return string;
}

uint32_t lode_call_names_of(struct lode_call_names *names, struct lode_call_sink *sink,
			    const char *module, uint32_t string)
{
	uint32_t *id = &names->ids.at[string];

	if (*id == LODE_NONE)
		*id = sink->function(sink->context, module, names->strings.text.at[string]);
	return *id;
}

uint32_t lode_call_names_id(struct lode_call_names *names, struct lode_call_sink *sink,
			    const char *module, const char *name, size_t len)
{
	return lode_call_names_of(names, sink, module, lode_call_names_string(names, name, len));
}

void lode_call_names_release(struct lode_call_names *names)
{
	lode_strings_release(&names->strings);
	lode_vec_release(&names->ids);
}
