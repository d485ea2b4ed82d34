/* Table of commands, and how one is started. */
#include "tool/command.h"

#include <lode/lode.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "base/closest_name.h"
#include "base/escape.h"
#include "base/shell_words.h"
#include "base/written.h"
#include "tool/help.h"
#include "tool/messages.h"
#include "tool/repo_options.h"

#define LIST(name) &lode_cmd_##name,
const struct lode_command *const lode_commands[] = {LODE_COMMANDS(LIST) NULL};

const struct lode_command *lode_command_find(const char *name)
{
	const struct lode_command *const *c = lode_commands;

	while (*c && strcmp((*c)->name, name) != 0)
		c++;
	return *c;
}

const char *lode_command_closest(const char *name)
{
	const char *names[sizeof(lode_commands) / sizeof(*lode_commands)] = {NULL};

	for (size_t i = 0; lode_commands[i]; i++)
		names[i] = lode_commands[i]->name;
	return lode_closest_name(name, names);
}

int lode_command_misused(const struct lode_command *self, const char *format, ...)
{
	char message[4096], safe[4 * sizeof(message)];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fprintf(stderr, "lode %s: %s\nTry 'lode %s --help'.\n", self->name,
		lode_escape(safe, sizeof(safe), message), self->name);
	return LODE_EXIT_USAGE;
}

int lode_command_lacks_word(const struct lode_command *self, const char *word,
			    const char *const *words)
{
	const char *closest = word ? lode_closest_name(word, words) : NULL;
	char list[200] = "", safe[80];
	size_t len = 0;

	if (closest)
		return lode_command_misused(self,
					    "unknown subcommand '%s'; did you mean 'lode %s %s'?",
					    lode_escape(safe, sizeof(safe), word), self->name,
					    closest);
	for (size_t i = 0; words[i] && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
					!i	       ? ""
					: words[i + 1] ? ", "
						       : " or ",
					words[i]);
	if (word)
		return lode_command_misused(self, "unknown subcommand '%s': give %s",
					    lode_escape(safe, sizeof(safe), word), list);
	return lode_command_misused(self, "give a subcommand: %s", list);
}

static const struct lode_option *find_option(const struct lode_command *self, const char *name)
{
	const struct lode_option *o = self->options;

	while (o->name && strcmp(o->name, name) != 0)
		o++;
	return o->name ? o : NULL;
}

static void add_operands(const struct lode_command *self, struct lode_named_files *files,
			 char **operands, int n)
{
	if (self->first_operand_ends || self->takes_words)
		return;
	for (int i = 0; i < n; i++) {
		struct lode_named_file file = {.path = operands[i], .use = LODE_FILE_READ};

		lode_vec_append(&files->list, file);
	}
}

/* $LODE_REPO, whether or not it is used. */
static void add_environment(const struct lode_command *self, struct lode_named_files *files)
{
	const char *path = lode_repo_option_path(NULL);
	struct lode_named_file file = {.path = path,
				       .by = "repo ($LODE_REPO)",
				       .use = LODE_FILE_READ,
				       .kind = LODE_KIND_REPOSITORY};

	if (path && find_option(self, "repo"))
		lode_vec_append(&files->list, file);
}

/* A repository among the inputs is an option that was left out, or another command's. */
static int misuse_repository(const struct lode_command *self, const char *path)
{
	char safe[1024];

	lode_escape(safe, sizeof(safe), path);
	if (find_option(self, "repo"))
		return lode_command_misused(
			self, "%s is a repository, not a recording: give it with --repo", safe);
	return lode_command_misused(self,
				    "%s is a repository, not a recording: 'lode repo list --repo "
				    "%s' and 'lode mine --repo %s' read it",
				    safe, safe, safe);
}

static int check_operands(const struct lode_command *self, const struct lode_named_files *files)
{

	for (size_t i = 0; i < files->list.n; i++) {
		const struct lode_named_file *file = &files->list.at[i];
		struct stat st;

		if (!file->by && stat(file->path, &st) == 0 && S_ISREG(st.st_mode) &&
		    lode_file_kind_read(file->path) == LODE_KIND_REPOSITORY)
			return misuse_repository(self, file->path);
	}
	return LODE_EXIT_OK;
}

static int check_files(const struct lode_command *self, const struct lode_named_files *files)
{
	struct lode_error err;
	int code = check_operands(self, files);

	if (code != LODE_EXIT_OK || lode_outputs_check(files, &err) == 0)
		return code;
	return err.status == LODE_ERR_ARG ? lode_command_misused(self, "%s", err.message)
					  : lode_say_error(self, &err);
}

bool lode_command_start(const struct lode_command *self, void *values, int argc, char **argv,
			int *n_operands, int *exit_code)
{
	struct lode_named_files files = {0};
	struct lode_error err;
	int rc = lode_options_parse(self->options, values, argc, argv, self->first_operand_ends,
				    n_operands, &files, &err);

	*exit_code = LODE_EXIT_OK;
	if (rc == LODE_OPTIONS_HELP) {
		lode_help_command(stdout, self);
	} else if (rc == LODE_OPTIONS_VERSION) {
		printf("lode %s\n", lode_version());
	} else if (rc < 0) {
		*exit_code = lode_command_misused(self, "%s", err.message);
	} else {
		add_operands(self, &files, argv, *n_operands);
		add_environment(self, &files);
		*exit_code = check_files(self, &files);
	}
	lode_named_files_release(&files);
	return rc == 0 && *exit_code == LODE_EXIT_OK;
}

/* ---- A command line in parts, to derive the next one from it ---- */

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
