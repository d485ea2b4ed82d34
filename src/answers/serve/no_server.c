/* What stands in for `lode serve` in a build without libmicrohttpd: it says how to get it. */
#include "tool/command.h"
#include "tool/help.h"
#include "tool/messages.h"

static const struct lode_option options[] = {LODE_OPTIONS_END};

static const struct lode_example examples[] = {
	{"The same pages as a file", "lode analyze --html report.html recordings/"},
	{NULL},
};

static int run_no_server(const struct lode_command *self, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			lode_help_command(stdout, self);
			return LODE_EXIT_OK;
		}
	}
	lode_say(self, "this lode was built without its server; rebuild it with libmicrohttpd "
		       "(libmicrohttpd-dev, see docs/dependencies.md)");
	return LODE_EXIT_FAILURE;
}

const struct lode_command lode_cmd_serve = {
	.name = "serve",
	.summary = "serve interactive reports to the browser, down to single calls",
	.usage = "[OPTION]... INPUT...",
	.description = "This lode was built without its server: rebuild it with libmicrohttpd "
		       "(libmicrohttpd-dev). Reports of lode analyze and --html need no server.",
	.options = options,
	.examples = examples,
	.run = run_no_server,
};
