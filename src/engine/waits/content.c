/* Applies --include and --exclude to stacks. */
#include "engine/waits/content.h"

#include "base/glob.h"

enum {
	HAS_INCLUDED = 1, /* an include matches the frame, or one of the stack's frames */
	HAS_EXCLUDED = 2,
};

static bool matches_any(const char *const *globs, size_t n_globs, const char *text)
{
	for (size_t i = 0; i < n_globs; i++)
		if (lode_glob_match(globs[i], text))
			return true;
	return false;
}

static uint8_t match_text(const struct lode_aoi_options *options, const char *text)
{
	return (matches_any(options->include, options->n_include, text) ? HAS_INCLUDED : 0) |
	       (matches_any(options->exclude, options->n_exclude, text) ? HAS_EXCLUDED : 0);
}

static uint8_t match_frame(const struct lode_calltree *tree, uint32_t frame,
			   const struct lode_aoi_options *options)
{
	const char *module = lode_frame_module(tree, frame);
	const char *function = lode_frame_function(tree, frame);
	size_t size = strlen(module) + strlen(function) + 8; /* room for "!", "[]" or "→ " */
	char *full_name = lode_alloc(size);
	uint8_t found = match_text(options, lode_frame_full_name(tree, frame, full_name, size));

	if (!(tree->frames.at[frame].flags & (LODE_FRAME_LINK | LODE_FRAME_UNKNOWN)))
		found |= match_text(options, function);
	free(full_name);
	return found;
}

void lode_content_filter(struct lode_digest *digest, const struct lode_aoi_options *options)
{
	const struct lode_calltree *tree = &digest->tree;
	uint8_t *of_frame, *of_node, wanted = options->n_include ? HAS_INCLUDED : 0;
	size_t n_rows = 0;

	if (!options->n_include && !options->n_exclude)
		return;
	of_frame = lode_alloc(tree->frames.n);
	of_node = lode_alloc0(tree->nodes.n, 1);
	for (size_t i = 0; i < tree->frames.n; i++)
		of_frame[i] = match_frame(tree, (uint32_t)i, options);
	for (size_t i = 1; i < tree->nodes.n; i++)
		of_node[i] = of_node[tree->nodes.at[i].parent] | of_frame[tree->nodes.at[i].frame];
	for (size_t i = 0; i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];

		if (of_node[row->stack] == wanted)
			digest->rows.at[n_rows++] = *row;
	}
	digest->rows.n = n_rows;
	free(of_frame);
	free(of_node);
}
