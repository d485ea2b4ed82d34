/* The command line of lode pio: which of its parts is meant. */
#include "answers/pio/command_inputs.h"

#include "input/format.h"
#include "tool/help.h"
#include "tool/terminal.h"

static const struct lode_command *const parts[] = {&lode_cmd_pio_train,	  &lode_cmd_pio_analyse,
						   &lode_cmd_pio_compare, &lode_cmd_pio_show,
						   &lode_cmd_pio_watch,	  NULL};

static const struct lode_option options[] = {LODE_OPTIONS_END};

static const struct lode_example examples[] = {
	{"Train on yesterday's data",
	 "lode pio train --log access.log -c web=web.csv -c db=db.csv -o shop.model"},
	{"When was the service slow today, and which server caused it?",
	 "lode pio analyse -m shop.model --log access.log -c web=web.csv -c db=db.csv"},
	{"The same (analyse is the default)", "lode pio -m shop.model -c web=web.csv -c db=db.csv"},
	{"Which service changed, from counters alone?",
	 "lode pio compare --before normal.csv --after anomalous.csv"},
	{NULL},
};

static int pio_command(const struct lode_command *self, int argc, char **argv)
{
	static const char *const words[] = {"train", "analyse", "compare", "show", "watch", NULL};
	struct lode_error err;
	int n = lode_common_options_take(argc, argv, &err);

	if (n < 0)
		return lode_command_misused(self, "%s", err.message);
	argc -= n;
	argv += n;
	for (size_t i = 0; argc && parts[i]; i++) {
		/* The name of a part is "pio" and its word. */
		if (strcmp(parts[i]->name + strlen("pio "), argv[0]) == 0)
			return parts[i]->run(parts[i], argc - 1, argv + 1);
	}
	if (argc && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
		lode_help_command(stdout, self);
		return LODE_EXIT_OK;
	}
	if (argc && argv[0][0] == '-')
		return lode_cmd_pio_analyse.run(&lode_cmd_pio_analyse, argc, argv);
	return lode_command_lacks_word(self, argc ? argv[0] : NULL, words);
}

const struct lode_command lode_cmd_pio = {
	.name = "pio",
	.summary = "find when a service was slow, and which counters explain it",
	.usage = "train|analyse|compare|show|watch [OPTION]...",
	.description =
		"Finds from request logs and counters when a service was slow for its users, and "
		"which counters of which server explain it, based on the service's own history.\n\n"
		"'lode pio train' makes a model from one or more periods, 'lode pio analyse' "
		"applies it, 'lode pio show' prints it, 'lode pio watch' applies it to files as "
		"they are written. 'lode pio compare' needs no model: it compares the counters of "
		"two "
		"times. Each has its own --help.",
	.reads = LODE_HOLDS_COUNTERS | LODE_HOLDS_REQUESTS,
	.options = options,
	.examples = examples,
	.first_operand_ends = true,
	.takes_words = true,
	.parts = parts,
	.run = pio_command,
};
