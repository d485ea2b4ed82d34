/* Options --speedscope, --pprof and --chrome-trace. */
#include "tool/export_options.h"

#include <unistd.h>

#include "tool/messages.h"

int lode_export_check(const struct lode_command *self, const struct lode_export_values *values,
		      bool has_others, const char *others)
{
	if (!lode_export_is_asked(values))
		return 0;
	if (has_others)
		return lode_command_misused(self, "--%s cannot be combined with %s",
					    values->speedscope ? "speedscope"
					    : values->pprof    ? "pprof"
							       : "chrome-trace",
					    others);
	if (values->pprof && strcmp(values->pprof, "-") == 0 && isatty(STDOUT_FILENO))
		return lode_command_misused(
			self, "--pprof - writes binary data: redirect it to a file or pipe");
	return 0;
}

int lode_export_put_file(const struct lode_command *self, const char *path, lode_export_put *put,
			 const void *what)
{
	struct lode_error err;

	if (path && lode_export_write(path, put, what, &err) < 0)
		return lode_say_error(self, &err);
	return LODE_EXIT_OK;
}

int lode_export_put_stacks(const struct lode_command *self, const struct lode_export_values *values,
			   const struct lode_export_stacks *stacks)
{
	int code = lode_export_put_file(self, values->speedscope, lode_export_speedscope, stacks);

	if (code == LODE_EXIT_OK)
		code = lode_export_put_file(self, values->pprof, lode_export_pprof, stacks);
	return code;
}
