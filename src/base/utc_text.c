/* Times since 1970 as dates, UTC. */
#include "base/utc_text.h"

#include <time.h>

const char *lode_utc_text(char *buffer, int64_t t_ns, const char *format)
{
	time_t seconds = (time_t)(t_ns / 1000000000 - (t_ns % 1000000000 < 0));
	struct tm tm;

	/* The years of an int64_t are few: neither can fail. */
	if (!gmtime_r(&seconds, &tm) || !strftime(buffer, LODE_UTC_BYTES, format, &tm))
		*buffer = '\0';
	return buffer;
}
