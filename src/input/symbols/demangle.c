/* Demangles C++, Rust and D names. */
#include "input/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/folder.h"

/*
 * A few dozen mangled bytes can stand for gigabytes of readable text, and symbol files come from
 * anywhere. So names are demangled piece by piece into a bounded buffer, and left mangled when they
 * do not fit; libiberty's callback cannot say "stop", hence the jump (its demanglers hold no heap
 * memory while they print).
 */
enum { MAX_MANGLED_BYTES = 8 << 10, MAX_READABLE_BYTES = 16 << 10 };

struct text {
	jmp_buf too_long;
	char *at;
	size_t n, size;
};

static void add_piece(const char *piece, size_t n, void *context)
{
	struct text *text = context;

	if (n >= text->size - text->n)
		longjmp(text->too_long, 1);
	memcpy(text->at + text->n, piece, n);
	text->n += n;
}

typedef int demangler(const char *mangled, int options, demangle_callbackref callback,
		      void *context);

static bool demangle_with(demangler *demangle, const char *mangled, struct text *text)
{
	text->n = 0;
	if (setjmp(text->too_long))
		return false;
	if (!demangle(mangled, DMGL_NO_OPTS, add_piece, text))
		return false;
	text->at[text->n] = '\0';
	return true;
}

static bool demangle_d(const char *mangled, struct text *text)
{
	char *readable = dlang_demangle(mangled, DMGL_NO_OPTS);
	size_t n = readable ? strlen(readable) : 0;

	if (n >= text->size)
		n = 0;
	if (n)
		memcpy(text->at, readable, n + 1);
	text->n = n;
	free(readable);
	return n > 0;
}

/* Into `text`; false: not mangled, or too much of it. */
static bool demangle(const char *name, struct text *text)
{
	static const char legacy_hash[] = "17h";

	/* Legacy Rust names are C++ names as well, with a hash: Rust is asked first. */
	if (name[0] == '_' && name[1] == 'R')
		return demangle_with(rust_demangle_callback, name, text);
	if (name[0] == '_' && name[1] == 'Z')
		return (strstr(name, legacy_hash) &&
			demangle_with(rust_demangle_callback, name, text)) ||
		       demangle_with(cplus_demangle_v3_callback, name, text);
	if (name[0] == '_' && name[1] == 'D')
		return demangle_d(name, text);
	return false;
}

static bool may_be_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'R' || name[1] == 'Z' || name[1] == 'D');
}

/* ---- Copies and parts of functions ---- */

/* What gcc and clang append, each time with or without a number behind it. */
static const char *const appended[] = {".constprop", ".isra", ".part",	     ".cold",
				       ".lto_priv",  ".llvm", ".localalias", ".clone"};
static const char clone_mark[] = " [clone ";

/* The length of name[0..len) without its last number, ".0". */
static size_t without_number(const char *name, size_t len)
{
	size_t n = len;

	while (n && lode_is_digit(name[n - 1]))
		n--;
	return n < len && n && name[n - 1] == '.' ? n - 1 : len;
}

/* Without the last thing that was appended; `len` if there is none. */
static size_t without_last(const char *name, size_t len, const char **which)
{
	size_t bare = len && name[len - 1] == ']' ? len - 1 : len, n = without_number(name, bare);

	if (!memchr(name, '.', len))
		return len;
	for (size_t i = 0; i < sizeof(appended) / sizeof(*appended); i++) {
		size_t more = strlen(appended[i]), mark = sizeof(clone_mark) - 1;

		if (n <= more || memcmp(name + n - more, appended[i], more) != 0)
			continue;
		*which = appended[i];
		if (bare == len)
			return n - more;
		if (n > more + mark && !memcmp(name + n - more - mark, clone_mark, mark))
			return n - more - mark;
	}
	return len;
}

size_t lode_function_bytes(const char *name, size_t len)
{
	const char *which;
	size_t n = len;

	do {
		len = n;
		n = without_last(name, len, &which);
	} while (n < len);
	return n;
}

bool lode_function_is_part(const char *name, size_t len)
{
	const char *which = "";

	for (size_t n = 0; (n = without_last(name, len, &which)) < len; len = n)
		if (!strcmp(which, ".part"))
			return true;
	return false;
}

/* ---- Scripts ---- */

/* ":4:22" behind a path: its length, and the line's alone in *line; 0 if there is none. */
static size_t place_bytes(const char *path, size_t len, size_t *line)
{
	size_t n = len;

	for (int numbers = 0; numbers < 2; numbers++) {
		size_t start = n;

		while (start && lode_is_digit(path[start - 1]))
			start--;
		if (start == n || !start || path[start - 1] != ':')
			return 0;
		*line = n - start + 1;
		n = start - 1;
	}
	return len - n;
}

/* "JS:*render /srv/shop/pages.js:4:22" -> "render pages.js:4"; NULL: no such name. */
static const char *readable_js(const char *name, struct lode_arena *arena)
{
	size_t prefix = strncmp(name, "JS:", 3) == 0	    ? 3
			: strncmp(name, "LazyCompile:", 12) ? 0
							    : 12;
	const char *function = name + prefix, *blank, *path;
	size_t len, place, line;
	char *out;

	if (!prefix)
		return NULL;
	function += strspn(function, "*~^+");
	/* Paths may have blanks, names have none. */
	blank = strstr(function, " /") ?: strrchr(function, ' ');
	if (!blank)
		return NULL;
	path = lode_path_base(blank + 1);
	len = strlen(path);
	place = place_bytes(path, len, &line);
	if (!place || place == len)
		return NULL;
	out = lode_arena_array(arena, char, strlen(name) + sizeof("(anonymous)"));
	sprintf(out, "%.*s %.*s", blank > function ? (int)(blank - function) : 11,
		blank > function ? function : "(anonymous)", (int)(len - place + line), path);
	return out;
}

/* "py::render:/srv/shop/pages.py" -> "render pages.py"; NULL: no such name. */
static const char *readable_python(const char *name, struct lode_arena *arena)
{
	const char *function = name + 4, *colon;
	char *out;

	if (strncmp(name, "py::", 4) != 0 || !(colon = strstr(function, ":")) ||
	    colon == function || !*lode_path_base(colon + 1))
		return NULL;
	out = lode_arena_array(arena, char, strlen(name));
	sprintf(out, "%.*s %s", (int)(colon - function), function, lode_path_base(colon + 1));
	return out;
}

const char *lode_script_name(const char *name, struct lode_arena *arena)
{
	return readable_js(name, arena) ?: readable_python(name, arena);
}

/* ---- Names ---- */

/* As perf shows it; NULL: not mangled. */
static const char *demangled(const char *name, struct lode_arena *arena)
{
	char readable[MAX_READABLE_BYTES], mangled[MAX_MANGLED_BYTES];
	const char *tail;
	struct text text = {.at = readable, .size = sizeof(readable) - sizeof("@plt")};
	size_t n;

	if (!may_be_mangled(name))
		return NULL;
	tail = strstr(name, "@plt");
	n = tail && !tail[4] ? (size_t)(tail - name) : strlen(name);
	if (n >= sizeof(mangled))
		return NULL;
	memcpy(mangled, name, n);
	mangled[n] = '\0';
	if (!demangle(mangled, &text))
		return NULL;
	if (name[n]) {
		memcpy(readable + text.n, "@plt", 4);
		text.n += 4;
	}
	return lode_arena_strndup(arena, readable, text.n);
}

const char *lode_demangle(const char *name, struct lode_arena *arena)
{
	size_t len = strlen(name), n = lode_function_bytes(name, len);
	const char *own = n < len ? lode_arena_strndup(arena, name, n) : name;
	const char *readable = demangled(own, arena);

	return readable || own == name ? readable : own;
}

void lode_demangle_short(const char *name, char *buffer, size_t size)
{
	struct lode_arena arena = {0};
	const char *shown = demangled(name, &arena) ?: name;
	size_t n = strnlen(shown, size - 1);

	memcpy(buffer, shown, n);
	buffer[n] = '\0';
	lode_arena_release(&arena);
}
