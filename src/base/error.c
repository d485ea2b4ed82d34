/* Makes errors and their messages. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int fail_error(struct lode_error *err, enum lode_status status, const char *path,
		      int64_t offset, bool is_line, const char *format, va_list args)
{
	if (err) {
		err->status = status;
		err->is_line = is_line;
		err->offset = offset;
		snprintf(err->path, sizeof(err->path), "%s", path ? path : "");
		vsnprintf(err->message, sizeof(err->message), format, args);
	}
	return status;
}

int lode_fail(struct lode_error *err, enum lode_status status, const char *path, int64_t offset,
	      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_error(err, status, path, offset, false, format, args);
	va_end(args);
	return status;
}

int lode_fail_line(struct lode_error *err, enum lode_status status, const char *path, int64_t line,
		   const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail_error(err, status, path, line, true, format, args);
	va_end(args);
	return status;
}

int lode_fail_errno(struct lode_error *err, int errnum, const char *path, const char *what)
{
	char text[128];

	/* The GNU strerror_r: may or may not use the buffer that it is given. */
	return lode_fail(err, LODE_ERR_IO, path, -1, "%s: %s", what,
			 strerror_r(errnum, text, sizeof(text)));
}

void lode_error_context(struct lode_error *err, const char *purpose)
{
	char message[sizeof(err->message)];

	if (!err)
		return;
	snprintf(message, sizeof(message), "%s", err->message);
	snprintf(err->message, sizeof(err->message), "%s: %.400s", purpose, message);
}

const char *lode_error_text(const struct lode_error *err, char *buffer, size_t size)
{
	char place[64] = "";

	if (err->offset >= 0 && err->is_line)
		snprintf(place, sizeof(place), "line %lld: ", (long long)err->offset);
	else if (err->offset >= 0)
		snprintf(place, sizeof(place), "offset 0x%llx: ", (unsigned long long)err->offset);
	snprintf(buffer, size, "%s%s%s%s", err->path, err->path[0] ? ": " : "", place,
		 err->message);
	return buffer;
}
