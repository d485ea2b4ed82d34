#include "base/written.h"

#include "base/mem.h"

char *lode_written(size_t *size, void (*put)(FILE *out, const void *what), const void *what)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out)
		lode_oom(1);
	put(out, what);
	if (fclose(out) != 0)
		lode_oom(*size);
	return text;
}
