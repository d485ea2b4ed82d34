/* Groups inputs by why they were skipped or are incomplete. */
#include "tool/input_kinds.h"

#include "base/ascii.h"

/* The reason without its numbers: "lost events (#): CPU #"; an offset is one, too. */
static size_t without_numbers(char *out, const char *reason)
{
	char *end = out;

	while (*reason) {
		bool is_hex = reason[0] == '0' && reason[1] == 'x';

		if (!lode_is_digit(*reason)) {
			*end++ = *reason++;
			continue;
		}
		reason += is_hex ? 2 : 0;
		while (is_hex ? lode_hex_digit(*reason) >= 0 : lode_is_digit(*reason))
			reason++;
		*end++ = '#';
	}
	return (size_t)(end - out);
}

void lode_input_kinds_build(struct lode_input_kinds *out, const struct lode_skipped_input *inputs,
			    size_t n)
{
	struct lode_strings texts = {0};
	char *text = NULL;
	size_t size = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < n; i++) {
		size_t need = strlen(inputs[i].reason) + 1;
		uint32_t kind;

		if (need > size) {
			free(text);
			text = lode_alloc(need);
			size = need;
		}
		kind = lode_strings_intern(&texts, text, without_numbers(text, inputs[i].reason));
		while (out->list.n <= kind)
			lode_vec_append_zero(&out->list);
		if (!out->list.at[kind].n++)
			out->list.at[kind].first = &inputs[i];
	}
	free(text);
	lode_strings_release(&texts);
}

void lode_input_kinds_release(struct lode_input_kinds *kinds)
{
	lode_vec_release(&kinds->list);
}
