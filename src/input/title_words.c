/* Finds the words of a command line that say what a process is for. */
#include "input/title_words.h"

#include <fnmatch.h>

#include "base/folder.h"

static bool is_one_of(const char *text, const char *const *globs)
{
	for (; *globs; globs++)
		if (!fnmatch(*globs, text, 0))
			return true;
	return false;
}

bool lode_title_is_own(const char *text, size_t size)
{
	return !memchr(text, '\0', size) && memchr(text, ' ', size);
}

const char *lode_title_next(const char *text, size_t size, const char *argument)
{
	const char *next = argument + strlen(argument) + 1;

	return next < text + size ? next : NULL;
}

bool lode_title_is_interpreter(const char *program)
{
	static const char *const globs[] = {"python*", "perl*",	 "ruby*",     "node", "nodejs",
					    "bash",    "sh",	 "dash",      "ksh",  "zsh",
					    "java",    "php",	 "php[0-9]*", "lua*", "guile*",
					    "Rscript", "tclsh*", NULL};

	return is_one_of(program, globs);
}

/* "-c", "-e"; "-lc" of a shell, "-ne" of perl. */
static bool is_code_option(const char *argument)
{
	static const char *const globs[] = {
		"-[cer]", "-[a-zA-Z][ce]", "-[a-zA-Z][a-zA-Z][ce]", "--eval", "-p", "--print",
		NULL};

	return is_one_of(argument, globs);
}

const char *lode_title_script(const char *text, size_t size)
{
	static const char *const with_value[] = {
		"-cp", "-classpath", "--class-path", "--module-path", "-W", "-X", NULL};
	static const char *const names[] = {"-m", "-jar", NULL};

	for (const char *a = lode_title_next(text, size, text); a;
	     a = lode_title_next(text, size, a)) {
		if (is_one_of(a, names))
			return lode_title_next(text, size, a);
		if (is_one_of(a, with_value))
			a = lode_title_next(text, size, a) ?: a;
		else if (is_code_option(a))
			return NULL;
		else if (*a != '-' && *a)
			return a;
	}
	return NULL;
}

bool lode_title_is_unfit(const char *argument)
{
	static const char *const globs[] = {"-*",	  "",	       "*[*]*",	  "/tmp/*",
					    "/var/tmp/*", "/dev/fd/*", "/proc/*", NULL};

	return strlen(argument) > LODE_TITLE_BYTES || is_one_of(argument, globs);
}

/* ---- What a line can show ---- */

/* A module or class, of those that are not files. */
static bool is_dotted_name(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$")] == '\0';
}

/* Behind "-m". */
static bool is_module(const char *text, const char *script)
{
	return script - text > 4 && !memcmp(script - 4, "\0-m", 4);
}

/* "log" of git, "build" of cargo: a plain word right behind the program. */
static bool is_subcommand(const char *argument)
{
	enum { MOST_BYTES = 20 };
	size_t len = strlen(argument);

	return len && len <= MOST_BYTES && *argument != '-' &&
	       strspn(argument, "abcdefghijklmnopqrstuvwxyz-") == len;
}

static const char *shown_argument(const char *text, size_t size, const char *program,
				  bool (*is_file)(const void *context, const char *path),
				  const void *context)
{
	const char *first = lode_title_next(text, size, text), *script;
	bool is_java = !strcmp(program, "java");

	if (lode_title_is_interpreter(program)) {
		script = lode_title_script(text, size);
		if (!script || lode_title_is_unfit(script))
			return NULL;
		if (is_dotted_name(script) && (is_java || is_module(text, script)))
			return script;
		return is_file(context, script) ? script : NULL;
	}
	if (first && is_subcommand(first))
		return first;
	for (const char *a = first; a; a = lode_title_next(text, size, a))
		if (!lode_title_is_unfit(a) && is_file(context, a))
			return a;
	return NULL;
}

/* The first words, up to an option. */
static size_t shorten_own(char *text)
{
	size_t end = 0;

	for (int n = 0; n < LODE_TITLE_WORDS; n++) {
		size_t at = end + strspn(text + end, " ");

		if (!text[at] || (n && text[at] == '-'))
			break;
		end = at + strcspn(text + at, " ");
	}
	return end;
}

static size_t move_to_front(char *text, size_t at, const char *from)
{
	size_t len = strlen(from);

	memmove(text + at, from, len);
	return at + len;
}

size_t lode_title_shorten(char *text, size_t size,
			  bool (*is_file)(const void *context, const char *path),
			  const void *context)
{
	bool is_path = memchr(text, '\0', size) && (*text == '/' || *text == '.');
	const char *program, *argument;
	size_t end;

	if (strchr(text, ' ') && !is_path)
		return shorten_own(text);
	program = lode_path_base(text);
	argument = shown_argument(text, size, *program == '-' ? program + 1 : program, is_file,
				  context);
	argument = argument ? lode_path_base(argument) : NULL;
	end = move_to_front(text, 0, program);
	text[end] = '\0';
	return argument ? move_to_front(text, end + 1, argument) : end;
}
