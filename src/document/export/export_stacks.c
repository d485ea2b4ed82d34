/* Stacks with costs for speedscope and pprof, and folded. */
#include "document/export/export_stacks.h"

#include "base/escape.h"
#include "base/sorted.h"
#include "base/written.h"

const char *lode_export_name(char buffer[LODE_EXPORT_NAME_BYTES], const struct lode_calltree *tree,
			     uint32_t frame)
{
	char label[LODE_EXPORT_NAME_BYTES / 4];

	if (frame == LODE_NONE)
		return "[no stack]";
	return lode_escape(buffer, LODE_EXPORT_NAME_BYTES,
			   lode_frame_label(tree, frame, label, sizeof(label)));
}

const char *lode_export_text(char buffer[LODE_EXPORT_NAME_BYTES], const char *text)
{
	return lode_escape(buffer, LODE_EXPORT_NAME_BYTES, text);
}

void lode_export_path_of(lode_export_path *path, const struct lode_calltree *tree, uint32_t stack)
{
	size_t depth = tree->nodes.at[stack].depth;

	lode_vec_reserve(path, depth + 1);
	path->n = lode_calltree_path(tree, stack, path->at);
	if (path->n == 0)
		lode_vec_append(path, LODE_NONE);
}

void lode_export_stacks_release(struct lode_export_stacks *stacks)
{
	lode_vec_release_each(&stacks->groups, it, free(it->name));
	lode_vec_release(&stacks->samples);
	free(stacks->title);
	stacks->title = NULL;
}

/* ---- Folded: "a;b;c cost" ---- */

/* A frame's name where ";" parts frames: those in it must not. */
static void put_frame(FILE *out, const struct lode_calltree *tree, uint32_t frame)
{
	char name[LODE_EXPORT_NAME_BYTES];

	lode_export_name(name, tree, frame);
	for (char *at = name; (at = strchr(at, ';'));)
		*at = ':';
	fputs(name, out);
}

static void put_stack(FILE *out, const struct lode_calltree *tree, uint32_t stack, uint32_t *frames)
{
	size_t n = lode_calltree_path(tree, stack, frames);

	for (size_t i = 0; i < n; i++) {
		fputs(i ? ";" : "", out);
		put_frame(out, tree, frames[i]);
	}
	if (n == 0)
		fputs("[no stack]", out);
}

/* In the order of their text, whatever the order of the inputs. */
static void put_lines(FILE *out, char *text)
{
	LODE_VEC(char *) lines = {0};

	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		*end = '\0';
		lode_vec_append(&lines, line);
	}
	lode_sort(lines.at, lines.n, lode_compare_text);
	for (size_t i = 0; i < lines.n; i++)
		fprintf(out, "%s\n", lines.at[i]);
	lode_vec_release(&lines);
}

static uint32_t depth_of(const struct lode_calltree *tree)
{
	uint32_t deepest = 0;

	for (size_t i = 0; i < tree->nodes.n; i++)
		if (tree->nodes.at[i].depth > deepest)
			deepest = tree->nodes.at[i].depth;
	return deepest;
}

/* `second` NULL: one column. */
static void print(FILE *out, const struct lode_calltree *tree, const int64_t *first,
		  const int64_t *second)
{
	uint32_t *frames = lode_alloc((depth_of(tree) + 1) * sizeof(*frames));
	char *text;
	size_t size;
	FILE *unordered = lode_written_open(&text, &size);

	for (size_t i = 0; i < tree->nodes.n; i++) {
		if (first[i] <= 0 && (!second || second[i] <= 0))
			continue;
		put_stack(unordered, tree, (uint32_t)i, frames);
		fprintf(unordered, " %lld", (long long)first[i]);
		if (second)
			fprintf(unordered, " %lld", (long long)second[i]);
		fputc('\n', unordered);
	}
	lode_written_close(unordered);
	put_lines(out, text);
	free(text);
	free(frames);
}

void lode_folded_print(FILE *out, const struct lode_calltree *tree, const int64_t *cost)
{
	print(out, tree, cost, NULL);
}

void lode_folded_print_two(FILE *out, const struct lode_calltree *tree, const int64_t *first,
			   const int64_t *second)
{
	print(out, tree, first, second);
}
