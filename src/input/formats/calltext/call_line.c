/* Parses one line of a text of entries and exits. */
#include "input/formats/calltext/call_line.h"

#include <strings.h>

#include "base/decimal.h"

bool lode_call_parse_nonsequitur(struct lode_call_line *out, const char *line, size_t len)
{
	const char *space;

	if (len < 5 || (line[0] != '0' && line[0] != '1') || line[1] != ' ')
		return false;
	out->kind = line[0] == '0' ? LODE_CALL_ENTER : LODE_CALL_EXIT;
	out->function = line + 2;
	space = memchr(out->function, ' ', len - 2);
	if (!space || space == out->function)
		return false;
	out->function_len = (size_t)(space - out->function);
	return lode_int_parse(&out->t_ns, space + 1, len - (size_t)(space + 1 - line));
}

bool lode_call_parse_kind(enum lode_call_event_kind *out, const char *text, size_t len)
{
	static const struct {
		const char *word;
		enum lode_call_event_kind kind;
	} words[] = {
		{"enter", LODE_CALL_ENTER}, {"entry", LODE_CALL_ENTER}, {"call", LODE_CALL_ENTER},
		{"begin", LODE_CALL_ENTER}, {"exit", LODE_CALL_EXIT},	{"leave", LODE_CALL_EXIT},
		{"return", LODE_CALL_EXIT}, {"end", LODE_CALL_EXIT},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (len == strlen(words[i].word) && !strncasecmp(text, words[i].word, len)) {
			*out = words[i].kind;
			return true;
		}
	return false;
}
