/* Keeps a command line in parts, to derive the next one from it. */
#include "tool/asked.h"

#include "base/shell_words.h"
#include "base/written.h"

/* `context`: the command that must know the option; NULL: any option will do. */
static bool is_asking(const void *context, const struct lode_option *option)
{
	const struct lode_command *of = context;
	const struct lode_option *o = of ? of->options : NULL;

	if (option->is_aside || option->is_force || option->file == LODE_FILE_WRITTEN)
		return false;
	/* It picks streams of a repository; another command is given its inputs by name. */
	if (of && strcmp(option->name, "where") == 0)
		return false;
	while (o && o->name && strcmp(o->name, option->name) != 0)
		o++;
	return !o || o->name;
}

static char *options_text(const struct lode_command *self, const char *const *argv, size_t argc,
			  const struct lode_command *next)
{
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);
	lode_text_list words = {0};

	lode_options_words(&words, self->options, argv, argc, is_asking, next);
	for (size_t i = 0; i < words.n; i++) {
		fputc(' ', out);
		lode_shell_word_put(out, words.at[i]);
	}
	lode_vec_release(&words);
	lode_written_close(out);
	return text;
}

static bool is_page(const void *context, const struct lode_option *option)
{
	(void)context;
	return option->kind == LODE_KIND_PAGE;
}

static char *operands_text(const char *const *argv, size_t n)
{
	char *text;
	size_t size;
	FILE *out = lode_written_open(&text, &size);
	bool is_like_option = false;

	for (size_t i = 0; i < n; i++)
		is_like_option |= argv[i][0] == '-' && argv[i][1];
	fputs(is_like_option ? " --" : "", out);
	lode_shell_words_put(out, argv, n);
	lode_written_close(out);
	return text;
}

void lode_asked_make(struct lode_asked *out, const struct lode_command *self, int argc,
		     char *const *argv, int n_operands, const struct lode_command *next)
{
	const char *const *operands = (const char *const *)argv;
	const char *const *words = operands + n_operands;
	size_t n = (size_t)(argc - n_operands);
	lode_text_list pages = {0};

	lode_options_words(&pages, self->options, words, n, is_page, NULL);
	*out = (struct lode_asked){
		.command = self->name,
		.options = options_text(self, words, n, NULL),
		.next_options = options_text(self, words, n, next),
		.operands = operands_text(operands, (size_t)n_operands),
		.has_page = pages.n,
	};
	lode_vec_release(&pages);
}
