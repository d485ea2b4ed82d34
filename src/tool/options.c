/* Parses a command line by its table of options. */
#include "tool/options.h"

#include "base/closest_name.h"
#include "tool/terminal.h"

enum { max_word = 40 };

static size_t count_options(const struct lode_option *options)
{
	size_t n = 0;

	while (options[n].name)
		n++;
	return n;
}

static void fail_unknown(const struct lode_option *options, const char *word, size_t len,
			 struct lode_error *err)
{
	size_t n = count_options(options);
	const char **names = lode_alloc0(n + 8, sizeof(*names));
	char given[max_word + 1];
	const char *close;

	for (size_t i = 0; i < n; i++)
		names[i] = options[i].name;
	names[n] = "help";
	for (const struct lode_option *o = lode_common_options; o->name; o++)
		names[++n] = o->name;
	snprintf(given, sizeof(given), "%.*s", (int)(len < max_word ? len : max_word), word);
	close = lode_closest_name(given, names);
	free(names);
	if (close)
		lode_fail(err, LODE_ERR_ARG, NULL, -1, "unknown option --%s; did you mean --%s?",
			  given, close);
	else
		lode_fail(err, LODE_ERR_ARG, NULL, -1, "unknown option --%s", given);
}

/* The option called word[0..len), or the only one whose name begins so; NULL and *err if none. */
static const struct lode_option *find_long(const struct lode_option *options, const char *word,
					   size_t len, struct lode_error *err)
{
	const struct lode_option *found = NULL;

	for (const struct lode_option *o = options; o->name; o++) {
		if (strncmp(o->name, word, len) != 0)
			continue;
		if (strlen(o->name) == len)
			return o;
		if (found) {
			lode_fail(err, LODE_ERR_ARG, NULL, -1, "--%.*s is ambiguous: --%s or --%s",
				  (int)len, word, found->name, o->name);
			return NULL;
		}
		found = o;
	}
	if (!found || len < 2) {
		fail_unknown(options, word, len, err);
		return NULL;
	}
	return found;
}

static int check_choice(const struct lode_option *option, const char *text, struct lode_error *err)
{
	char all[256] = "";

	for (const char *const *c = option->choices; *c; c++) {
		size_t used = strlen(all);

		if (strcmp(*c, text) == 0)
			return 0;
		snprintf(all + used, sizeof(all) - used, "%s%s", used ? ", " : "", *c);
	}
	return lode_fail(err, LODE_ERR_ARG, NULL, -1, "--%s must be one of %s, not '%.60s'",
			 option->name, all, text);
}

static int set(const struct lode_option *option, void *values, const char *text,
	       struct lode_error *err)
{
	if (option->choices && text && check_choice(option, text, err) < 0)
		return LODE_ERR_ARG;
	return option->set(option, (char *)values + option->offset, text, err);
}

/* Where parsing stands; arguments are taken from the front. */
struct reader {
	const struct lode_option *options;
	void *values;
	char **argv;
	int argc, at;
	struct lode_named_files *files;
	struct lode_error *err;
};

static void add_file(struct lode_named_files *files, const struct lode_option *option,
		     const char *path)
{
	struct lode_named_file file = {
		.path = path,
		.by = option->name,
		.use = option->file,
		.kind = option->kind,
		.may_be_stdout = option->may_be_stdout,
	};

	lode_vec_append(&files->list, file);
}

static void note_file(struct reader *r, const struct lode_option *option, const char *text)
{
	const char *equals;

	if (!r->files)
		return;
	r->files->is_forced |= option->is_force;
	if (option->file == LODE_FILE_NONE)
		return;
	add_file(r->files, option, text);
	/* web=FILE */
	equals = text && option->argument[0] == '[' ? strchr(text, '=') : NULL;
	if (equals)
		add_file(r->files, option, equals + 1);
}

static void note_unnamed(struct lode_named_files *files, const struct lode_option *options)
{
	for (const struct lode_option *o = options; o->name; o++) {
		bool is_named = false;

		for (size_t i = 0; i < files->list.n; i++)
			is_named |= strcmp(files->list.at[i].by, o->name) == 0;
		if (o->file_otherwise && !is_named)
			add_file(files, o, o->file_otherwise);
	}
}

static int take_value(struct reader *r, const struct lode_option *option, const char *inside)
{
	if (!option->argument && inside)
		return lode_fail(r->err, LODE_ERR_ARG, NULL, -1, "--%s takes no value",
				 option->name);
	if (option->argument && !inside) {
		if (r->at == r->argc)
			return lode_fail(r->err, LODE_ERR_ARG, NULL, -1, "--%s needs a value: %s",
					 option->name, option->argument);
		inside = r->argv[r->at++];
	}
	if (set(option, r->values, inside, r->err) < 0)
		return LODE_ERR_ARG;
	note_file(r, option, inside);
	return 0;
}

static int parse_long(struct reader *r, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const struct lode_option *option;
	int rc;

	if (len == 4 && memcmp(word, "help", 4) == 0)
		return LODE_OPTIONS_HELP;
	if (len == 7 && memcmp(word, "version", 7) == 0)
		return LODE_OPTIONS_VERSION;
	rc = lode_common_option_take(word, len, equals ? equals + 1 : NULL, r->err);
	if (rc)
		return rc < 0 ? rc : 0;
	option = find_long(r->options, word, len, r->err);
	return option ? take_value(r, option, equals ? equals + 1 : NULL) : LODE_ERR_ARG;
}

/* A word of letters: -v, -n 10, -n10, -vn10. */
static int parse_letters(struct reader *r, const char *letters)
{
	for (; *letters; letters++) {
		const struct lode_option *o = r->options;
		int rc;

		if (*letters == 'h')
			return LODE_OPTIONS_HELP;
		while (o->name && o->letter != *letters)
			o++;
		if (!o->name)
			return lode_fail(r->err, LODE_ERR_ARG, NULL, -1, "unknown option -%c",
					 *letters);
		if (o->argument)
			return take_value(r, o, letters[1] ? letters + 1 : NULL);
		rc = take_value(r, o, NULL);
		if (rc)
			return rc;
	}
	return 0;
}

int lode_options_parse(const struct lode_option *options, void *values, int argc, char **argv,
		       bool first_operand_ends, int *n_operands, struct lode_named_files *files,
		       struct lode_error *err)
{
	struct reader r = {options, values, argv, argc, 0, files, err};
	char **words = lode_alloc(((size_t)argc + 1) * sizeof(*words));
	bool is_over = false;
	size_t n_words = 0;
	int rc = 0;

	*n_operands = 0;
	while (rc == 0 && r.at < argc) {
		int from = r.at;
		char *word = argv[r.at++];

		if (is_over || word[0] != '-' || !word[1]) {
			argv[(*n_operands)++] = word;
			is_over |= first_operand_ends;
			continue;
		}
		if (strcmp(word, "--") == 0) {
			is_over = true;
		} else if (word[1] == '-') {
			rc = parse_long(&r, word + 2);
		} else {
			rc = parse_letters(&r, word + 1);
		}
		while (from < r.at)
			words[n_words++] = argv[from++];
	}
	if (rc == 0 && n_words)
		memcpy(argv + *n_operands, words, n_words * sizeof(*words));
	free(words);
	if (rc == 0 && files)
		note_unnamed(files, options);
	return rc;
}

/* The option that a word of letters needs the next word for, or whose letters it begins with. */
static const struct lode_option *find_letters(const struct lode_option *options,
					      const char *letters, bool *needs_next)
{
	const struct lode_option *o = NULL;

	*needs_next = false;
	for (; *letters; letters++) {
		for (o = options; o->name && o->letter != *letters;)
			o++;
		if (!o->name)
			return NULL;
		if (o->argument) {
			*needs_next = !letters[1];
			return o;
		}
	}
	return o;
}

void lode_options_words(lode_text_list *out, const struct lode_option *options,
			const char *const *argv, size_t argc,
			bool (*is_wanted)(const void *context, const struct lode_option *option),
			const void *context)
{
	for (size_t i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *word = argv[i], *equals = strchr(word, '=');
		const struct lode_option *o;
		bool needs_next;

		if (word[0] != '-' || !word[1])
			continue;
		if (word[1] == '-') {
			o = find_long(options, word + 2,
				      equals ? (size_t)(equals - word) - 2 : strlen(word) - 2,
				      NULL);
			needs_next = o && o->argument && !equals;
		} else {
			o = find_letters(options, word + 1, &needs_next);
		}
		if (o && is_wanted(context, o))
			lode_vec_append(out, word);
		if (needs_next && ++i < argc && is_wanted(context, o))
			lode_vec_append(out, argv[i]);
	}
}
