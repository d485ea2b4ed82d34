/* Options of repositories and labels. */
#include "tool/repo_options.h"

#include "streams/shape.h"
#include "tool/messages.h"

const char *lode_repo_option_path(const char *given)
{
	const char *path = given ? given : getenv("LODE_REPO");

	return path && *path ? path : NULL;
}

int lode_repo_option_open(const struct lode_command *self, struct lode_repo **out,
			  const char *given, enum lode_repo_mode mode)
{
	const char *path = lode_repo_option_path(given);
	struct lode_error err;

	*out = NULL;
	if (!path)
		return lode_command_misused(self, "give a repository: --repo FILE or $LODE_REPO");
	if (lode_repo_open(out, path, mode, &err) < 0)
		return lode_say_error(self, &err);
	return LODE_EXIT_OK;
}

static int read_label(const struct lode_command *self, struct lode_repo_label *label,
		      const char *text, bool may_remove, struct lode_arena *arena)
{
	const char *equals = strchr(text, '=');
	size_t len = equals ? (size_t)(equals - text) : strlen(text);
	bool is_key = lode_repo_label_is_key(text, len);

	if (!equals || !(equals[1] || (may_remove && is_key)))
		return lode_command_misused(
			self, "invalid label '%.60s': expected KEY=VALUE, such as release=2.1",
			text);
	if (!is_key)
		return lode_command_misused(
			self,
			"invalid label name '%.*s': names start with a letter, contain letters, "
			"digits, '.', '-' and '_', and must not be a query field",
			(int)(len < 60 ? len : 60), text);
	label->key = lode_arena_strndup(arena, text, len);
	label->value = equals[1] ? equals + 1 : NULL;
	return LODE_EXIT_OK;
}

int lode_repo_option_labels(const struct lode_command *self, struct lode_repo_label **labels,
			    const char *const *texts, size_t n, bool may_remove,
			    struct lode_arena *arena)
{
	int code = LODE_EXIT_OK;

	*labels = lode_arena_array(arena, struct lode_repo_label, n + 1);
	for (size_t i = 0; code == LODE_EXIT_OK && i < n; i++)
		code = read_label(self, &(*labels)[i], texts[i], may_remove, arena);
	return code;
}

/* Is that option among the words? By its whole name. */
static bool is_given(const lode_text_list *given, const char *option)
{
	size_t len = strlen(option);

	for (size_t i = 0; given && i < given->n; i++)
		if (strncmp(given->at[i], option, len) == 0 &&
		    (!given->at[i][len] || given->at[i][len] == '='))
			return true;
	return false;
}

/* Appends the words that say a shape, which is cut up; without what is among `given`. */
static void add_shape(lode_text_list *words, char *shape, const lode_text_list *given)
{
	char *line, *rest = shape;

	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, ' ');

		if (!*line || strncmp(line, "--symptoms ", 11) == 0)
			continue;
		if (value)
			*value++ = '\0';
		if (is_given(given, line) ||
		    (strcmp(line, "--stacks") == 0 && is_given(given, "--scope")))
			continue;
		lode_vec_append(words, line);
		if (value)
			lode_vec_append(words, value);
	}
}

static int say_damaged(const struct lode_command *self, const struct lode_repo *repo,
		       const char *what)
{
	struct lode_error err;

	lode_fail(&err, LODE_ERR_FORMAT, lode_repo_path(repo), -1,
		  "damaged repository: invalid digest options: %s", what);
	return lode_say_error(self, &err);
}

int lode_repo_words_parse(struct lode_repo_words *words, const struct lode_command *self,
			  void *values, const struct lode_repo *repo, const lode_text_list *given,
			  bool leaves_out_given, int *n_operands)
{
	const char *shape = repo ? lode_repo_shape(repo) : NULL;
	struct lode_error err;
	int rc;

	if (shape && !lode_shape_is_sound(shape))
		return say_damaged(self, repo, "no digest has these options");
	words->shape = shape ? lode_strdup(shape) : NULL;
	if (shape)
		add_shape(&words->list, words->shape, leaves_out_given ? given : NULL);
	for (size_t i = 0; i < given->n; i++)
		lode_vec_append(&words->list, given->at[i]);
	rc = lode_options_parse(self->options, values, (int)words->list.n,
				(char **)(uintptr_t)words->list.at, false, n_operands, NULL, &err);
	if (rc == 0)
		return LODE_EXIT_OK;
	return shape ? say_damaged(self, repo, err.message)
		     : lode_command_misused(self, "%s", err.message);
}

void lode_repo_words_release(struct lode_repo_words *words)
{
	lode_vec_release(&words->list);
	free(words->shape);
	words->shape = NULL;
}
