/* Collects what is written to a FILE as a text in memory. */
#include "base/written.h"

FILE *lode_written_open(char **text, size_t *size)
{
	FILE *out;

	*text = NULL;
	out = open_memstream(text, size);
	if (!out)
		lode_oom(1);
	return out;
}

void lode_written_close(FILE *out)
{
	if (fclose(out) != 0)
		lode_oom(1);
}

const char *lode_written_keep(FILE *out, char **text, const size_t *size, struct lode_arena *arena)
{
	const char *kept;

	lode_written_close(out);
	kept = lode_arena_strndup(arena, *text, *size);
	free(*text);
	return kept;
}
