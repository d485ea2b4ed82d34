#include "sources/call_source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "sources/xray/xray_log.h"

/* Asked in this order: those with a shape of their own before those that are mere lines. */
static const struct lode_call_source *const sources[] = {
	&lode_call_source_xray,
};

#define N_SOURCES (sizeof(sources) / sizeof(*sources))

static const struct lode_call_source *recognise(const uint8_t *head, size_t size)
{
	for (size_t i = 0; i < N_SOURCES; i++)
		if (sources[i]->recognise(head, size))
			return sources[i];
	return NULL;
}

static int read_file(const char *path, const struct lode_call_options *options,
		     struct lode_call_sink *sink, struct lode_error *err)
{
	const struct lode_call_source *source;
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	ssize_t n;
	int rc = lode_input_open(&input, path, err);

	if (rc < 0)
		return rc;
	n = lode_input_peek(input, head, sizeof(head), err);
	source = n > 0 ? recognise(head, (size_t)n) : NULL;
	if (n < 0)
		rc = (int)n;
	else if (n == 0)
		rc = lode_fail(err, LODE_ERR_FORMAT, path, 0,
			       "the file is empty: nothing was recorded, or it was not copied");
	else if (!source)
		rc = lode_fail(err, LODE_ERR_FORMAT, path, 0, "this is no function trace");
	else
		rc = source->read(input, options, sink, err);
	lode_input_close(input);
	return rc;
}

int lode_calls_read(const char *path, const struct lode_call_options *options,
		    struct lode_call_sink *sink, struct lode_error *err)
{
	return read_file(path, options, sink, err);
}
