/* Writes folded stacks, "a;b;c cost". */
#include "document/export/folded_stacks.h"

#include "base/sorted.h"
#include "base/written.h"

/* A frame's name where ";" parts frames and a blank the cost: those in it must not. */
static void put_frame(FILE *out, const char *label)
{
	for (; *label; label++) {
		unsigned char c = (unsigned char)*label;

		fputc(c == ';' ? ':' : c < 0x20 || c == 0x7f ? '?' : c, out);
	}
}

static void put_stack(FILE *out, const struct lode_calltree *tree, uint32_t stack, uint32_t *frames)
{
	size_t n = lode_calltree_path(tree, stack, frames);
	char label[4096];

	for (size_t i = 0; i < n; i++) {
		fputs(i ? ";" : "", out);
		put_frame(out, lode_frame_label(tree, frames[i], label, sizeof(label)));
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
