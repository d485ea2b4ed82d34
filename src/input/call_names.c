/* Interns names of functions for call sinks. */
#include "input/call_names.h"

/* Tells names of a program apart well enough: they differ in length or towards their end. */
static uint32_t ends_of(const char *name, size_t len)
{
	uint32_t first = 0, last = 0;

	if (len >= 4) {
		memcpy(&first, name + len / 2 - 2, 4);
		memcpy(&last, name + len - 4, 4);
	} else if (len) {
		first = (uint8_t)name[0];
		last = (uint8_t)name[len - 1];
	}
	return (first * 0x9e3779b1u ^ last * 0x85ebca6bu ^ (uint32_t)len * 0xc2b2ae35u) >> 24;
}

uint32_t lode_call_names_string(struct lode_call_names *names, const char *name, size_t len)
{
	uint32_t *recent = &names->recent[ends_of(name, len) % 256], string = *recent - 1;

	if (string < names->strings.text.n && names->strings.len.at[string] == len &&
	    memcmp(names->strings.text.at[string], name, len) == 0)
		return string;
	string = lode_strings_intern(&names->strings, name, len);
	*recent = string + 1;
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
