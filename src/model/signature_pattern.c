/* Parses and prints patterns of signatures. */
#include "model/signature_pattern.h"

#include <stdio.h>

#include "base/glob.h"
#include "base/slice.h"

static const char arrow[] = "→";

/* A backslash stands before it that is not itself behind one. */
static bool is_escaped(const char *text, const char *at)
{
	size_t n = 0;

	while (at > text && *--at == '\\')
		n++;
	return n % 2 == 1;
}

/*
 * Whether "[...]" at the start is a module's own brackets: a module's name goes on with '!' or ends
 * there ("[kernel]!vfs_read", "[libc.so.6]"); a set of characters alone would be no name.
 */
static bool is_bracketed_module(const char *text, const char *end)
{
	const char *close =
		text < end && *text == '[' ? memchr(text, ']', (size_t)(end - text)) : NULL;

	return close && close > text + 1 && (close + 1 == end || close[1] == '!');
}

/* Growing text; NUL-terminated once in the arena. */
typedef LODE_VEC(char) char_vec;

static void put_signature_pattern(char_vec *to, const char *text, size_t len)
{
	lode_vec_reserve(to, to->n + len);
	for (size_t i = 0; i < len; i++)
		to->at[to->n++] = text[i];
}

static const char *keep_signature_pattern(char_vec *text, struct lode_arena *arena)
{
	const char *kept = lode_arena_strndup(arena, text->n ? text->at : "", text->n);

	lode_vec_release(text);
	return kept;
}

/* ---- Reading ---- */

/* The glob of a step, as lode_glob_match wants it: from `at` to `end`, not empty. */
static const char *glob_of(const char *at, const char *end, struct lode_arena *arena)
{
	char_vec glob = {0};
	bool is_ascii_link = lode_slice_begins(lode_slice_between(at, end), "->");

	if (is_ascii_link || lode_slice_begins(lode_slice_between(at, end), arrow)) {
		at += is_ascii_link ? 2 : strlen(arrow);
		while (at < end && lode_is_blank(*at))
			at++;
		put_signature_pattern(&glob, "→ ", strlen("→ "));
	} else if (is_bracketed_module(at, end)) {
		put_signature_pattern(&glob, "\\", 1);
	}
	put_signature_pattern(&glob, at, (size_t)(end - at));
	/* A backslash at the very end stands for itself, also when something is put behind it. */
	if (end > at && end[-1] == '\\' && !is_escaped(at, end - 1))
		put_signature_pattern(&glob, "\\", 1);
	return keep_signature_pattern(&glob, arena);
}

static bool is_all_stars(const char *at, const char *end)
{
	while (at < end && *at == '*')
		at++;
	return at == end;
}

struct reading {
	lode_signature_step_vec *out;
	struct lode_arena *arena;
	struct lode_error *err;
	const char *text;
	size_t n;	/* steps and gaps so far */
	bool was_a_gap; /* the last one was "*" */
};

static int read_step(struct reading *r, const char *at, const char *end)
{
	struct lode_signature_step step = {0};

	r->n++;
	while (at < end && lode_is_blank(*at))
		at++;
	while (end > at && lode_is_blank(end[-1]) && !is_escaped(at, end - 1))
		end--;
	if (at == end)
		return lode_fail(r->err, LODE_ERR_ARG, NULL, -1,
				 "step %zu of the pattern '%.60s' is empty", r->n, r->text);
	if (*at == '>') {
		if (r->was_a_gap)
			return lode_fail(r->err, LODE_ERR_ARG, NULL, -1,
					 "step %zu of the pattern '%.60s' is a direct call (>), "
					 "but follows a gap (*)",
					 r->n, r->text);
		step.is_direct = true;
		for (at++; at < end && lode_is_blank(*at); at++)
			;
		if (at == end)
			return lode_fail(
				r->err, LODE_ERR_ARG, NULL, -1,
				"step %zu of the pattern '%.60s' has no function after '>'", r->n,
				r->text);
	}
	r->was_a_gap = !step.is_direct && is_all_stars(at, end);
	if (r->was_a_gap)
		return 0;
	if (r->out->n >= LODE_SIGNATURE_MAX_STEPS)
		return lode_fail(r->err, LODE_ERR_ARG, NULL, -1,
				 "the pattern '%.60s' has more than %d steps", r->text,
				 (int)LODE_SIGNATURE_MAX_STEPS);
	step.glob = glob_of(at, end, r->arena);
	lode_vec_append(r->out, step);
	return 0;
}

int lode_signature_pattern_parse(lode_signature_step_vec *out, const char *text,
				 struct lode_arena *arena, struct lode_error *err)
{
	struct reading r = {.out = out, .arena = arena, .err = err, .text = text};
	const char *start = text;
	int rc;

	for (const char *at = text; *at; at++)
		if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
			return lode_fail(err, LODE_ERR_ARG, NULL, -1,
					 "a pattern cannot contain the control character 0x%02x",
					 (unsigned)(unsigned char)*at);
	for (const char *at = text;; at++) {
		if (*at && (*at != ';' || is_escaped(text, at)))
			continue;
		rc = read_step(&r, start, at);
		if (rc < 0 || !*at)
			return rc;
		start = at + 1;
	}
}

/* ---- Writing ---- */

static void put_step(char_vec *out, const struct lode_signature_step *step)
{
	const char *glob = step->glob, *end = glob + strlen(glob);

	if (step->is_direct)
		put_signature_pattern(out, ">", 1);
	if (*glob == '\\' && is_bracketed_module(glob + 1, end))
		glob++;
	put_signature_pattern(out, glob, (size_t)(end - glob));
}

const char *lode_signature_pattern_text(const struct lode_signature_step *steps, size_t n,
					struct lode_arena *arena)
{
	char_vec out = {0};

	if (n == 0)
		put_signature_pattern(&out, "*", 1);
	for (size_t i = 0; i < n; i++) {
		if (i)
			put_signature_pattern(&out, ";", 1);
		put_step(&out, &steps[i]);
	}
	return keep_signature_pattern(&out, arena);
}

static void put_name(char_vec *out, const char *name)
{
	for (; *name; name++) {
		char c = *name;

		if ((unsigned char)c < ' ' || c == 0x7f) {
			c = '?';
		} else if (strchr("*?[\\;", c)) {
			put_signature_pattern(out, "\\", 1);
		}
		put_signature_pattern(out, &c, 1);
	}
}

/* A name with what would mean something at its ends: '>', an arrow that is no link, blanks. */
static void put_whole_name(char_vec *out, const char *name)
{
	size_t start = out->n;
	const char *end = name + strlen(name);

	if (*name == ' ' || *name == '>' ||
	    lode_slice_begins(lode_slice_between(name, end), "->") ||
	    lode_slice_begins(lode_slice_between(name, end), arrow))
		put_signature_pattern(out, "\\", 1);
	put_name(out, name);
	if (out->n > start + 1 && out->at[out->n - 1] == ' ' &&
	    !is_escaped(out->at, &out->at[out->n - 1])) {
		out->n--;
		put_signature_pattern(out, "\\ ", 2);
	}
}

static void put_frame(char_vec *out, const struct lode_calltree *tree, uint32_t frame)
{
	size_t size = strlen(lode_frame_module(tree, frame)) +
		      strlen(lode_frame_function(tree, frame)) + 8;
	char *name;
	char_vec text = {0};

	if (tree->frames.at[frame].flags & LODE_FRAME_LINK) {
		put_signature_pattern(out, "→ ", strlen("→ "));
		put_whole_name(out, lode_frame_function(tree, frame));
		return;
	}
	name = lode_alloc(size);
	put_whole_name(&text, lode_frame_full_name(tree, frame, name, size));
	/* Brackets of modules need no backslash: that is how they are read. */
	if (text.n > 1 && text.at[0] == '\\' && is_bracketed_module(text.at + 1, text.at + text.n))
		put_signature_pattern(out, text.at + 1, text.n - 1);
	else
		put_signature_pattern(out, text.n ? text.at : "", text.n);
	lode_vec_release(&text);
	free(name);
}

const char *lode_signature_pattern_of(const struct lode_calltree *tree, const uint32_t *frames,
				      size_t n, struct lode_arena *arena)
{
	char_vec out = {0};

	if (n > LODE_SIGNATURE_MAX_STEPS) {
		frames += n - LODE_SIGNATURE_MAX_STEPS;
		n = LODE_SIGNATURE_MAX_STEPS;
	}
	for (size_t i = 0; i < n; i++) {
		if (out.n)
			put_signature_pattern(&out, ";", 1);
		put_frame(&out, tree, frames[i]);
		/* A frame without any name tells nothing. */
		if (out.n && out.at[out.n - 1] == ';' && !is_escaped(out.at, &out.at[out.n - 1]))
			out.n--;
	}
	if (!out.n)
		put_signature_pattern(&out, "*", 1);
	return keep_signature_pattern(&out, arena);
}

/* ---- Matching ---- */

/*
 * reached[j]: the steps so far hold in the frames up to j, the last of them at frame j. One round
 * per step.
 */
