/* Keeps a command line in parts, to derive the next one from it. */
#include "tool/asked.h"

#include "base/shell_words.h"
#include "base/written.h"

struct words {
	const struct lode_command *of; /* that must know an option; NULL: any option will do */
	FILE *out;
};

static bool is_asking(const void *context, const struct lode_option *option)
{
	const struct words *words = context;
	const struct lode_option *o = words->of ? words->of->options : NULL;

	if (option->is_aside || option->is_force || option->file == LODE_FILE_WRITTEN)
		return false;
	/* It picks streams of a repository; another command is given its inputs by name. */
	if (words->of && strcmp(option->name, "where") == 0)
		return false;
	while (o && o->name && strcmp(o->name, option->name) != 0)
		o++;
	return !o || o->name;
}

static void add_word(void *context, const char *word)
{
	const struct words *words = context;

	fputc(' ', words->out);
	lode_shell_word_put(words->out, word);
}

static char *options_text(const struct lode_command *self, int argc, char *const *argv,
			  const struct lode_command *next)
{
	char *text;
	size_t size;
	struct words words = {next, lode_written_open(&text, &size)};

	lode_options_words(self->options, argc, (char **)(uintptr_t)argv, is_asking, add_word,
			   &words);
	lode_written_close(words.out);
	return text;
}

static bool is_page(const void *context, const struct lode_option *option)
{
	(void)context;
	return option->kind == LODE_KIND_PAGE;
}

static void note_word(void *context, const char *word)
{
	(void)word;
	*(bool *)context = true;
}

static char *operands_text(char *const *argv, int n)
{
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);
	bool is_like_option = false;

	for (int i = 0; i < n; i++)
		is_like_option |= argv[i][0] == '-' && argv[i][1];
	fputs(is_like_option ? " --" : "", out);
	lode_shell_words_put(out, (const char *const *)argv, (size_t)n);
	lode_written_close(out);
	return text;
}

void lode_asked_make(struct lode_asked *out, const struct lode_command *self, int argc,
		     char *const *argv, int n_operands, const struct lode_command *next)
{
	*out = (struct lode_asked){
		.command = self->name,
		.options = options_text(self, argc - n_operands, argv + n_operands, NULL),
		.next_options = options_text(self, argc - n_operands, argv + n_operands, next),
		.operands = operands_text(argv, n_operands),
	};
	lode_options_words(self->options, argc - n_operands,
			   (char **)(uintptr_t)(argv + n_operands), is_page, note_word,
			   &out->has_page);
}
