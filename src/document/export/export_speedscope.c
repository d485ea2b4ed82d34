/* Writes stacks as speedscope's JSON. */
#include "document/export/export_stacks.h"
#include "base/sorted.h"
#include "base/json.h"

/* Frames that the file has, each once: their places in "frames". */
struct frames {
	struct lode_map place_of;
	LODE_VEC(uint32_t) at;
};

static uint32_t place_of(struct frames *frames, uint32_t frame)
{
	/* LODE_NONE is a frame here: of the empty stack. */
	uint32_t place = lode_map_number(&frames->place_of, frame, frames->at.n);

	if (place == frames->at.n)
		lode_vec_append(&frames->at, frame);
	return place;
}

/*
 * Each node's place in a walk over the tree that goes down first: stacks that begin alike stand
 * side by side, so that the view in order of time shows them as one box. Parents' ids are smaller
 * than their children's: two passes do.
 */
static uint32_t *walk_order(const struct lode_calltree *tree)
{
	size_t n = tree->nodes.n;
	uint32_t *order = lode_alloc(n * sizeof(*order));
	uint32_t *size = lode_alloc(n * sizeof(*size)), *next = lode_alloc(n * sizeof(*next));

	for (size_t i = 0; i < n; i++)
		size[i] = 1;
	for (size_t i = n; i-- > 1;)
		size[tree->nodes.at[i].parent] += size[i];
	order[0] = 0;
	next[0] = 1;
	for (size_t i = 1; i < n; i++) {
		uint32_t parent = tree->nodes.at[i].parent;

		order[i] = next[parent];
		next[parent] += size[i];
		next[i] = order[i] + 1;
	}
	free(size);
	free(next);
	return order;
}

static int by_group_and_walk(const void *a, const void *b, void *context)
{
	const struct lode_export_sample *p = a, *q = b;
	const uint32_t *order = context;

	return LODE_ORDER(p->group, q->group) ?: LODE_ORDER(order[p->stack], order[q->stack]);
}

/* The samples with one for each stack of each group; their number. */
static size_t merge_samples(struct lode_export_sample *samples, size_t n,
			    const struct lode_calltree *tree)
{
	uint32_t *order = walk_order(tree);
	size_t n_kept = 0;

	if (n)
		qsort_r(samples, n, sizeof(*samples), by_group_and_walk, order);
	free(order);
	for (size_t i = 0; i < n; i++) {
		if (n_kept && samples[n_kept - 1].group == samples[i].group &&
		    samples[n_kept - 1].stack == samples[i].stack)
			samples[n_kept - 1].cost += samples[i].cost;
		else
			samples[n_kept++] = samples[i];
	}
	return n_kept;
}

static void put_frames(struct lode_json *json, const struct frames *frames,
		       const struct lode_calltree *tree)
{
	char name[LODE_EXPORT_NAME_BYTES], module[LODE_EXPORT_NAME_BYTES];

	lode_json_object(json, "shared");
	lode_json_array(json, "frames");
	for (size_t i = 0; i < frames->at.n; i++) {
		uint32_t frame = frames->at.at[i];

		lode_json_break(json);
		lode_json_object(json, NULL);
		lode_json_text(json, "name", lode_export_name(name, tree, frame));
		/* The module stands where speedscope shows files: it colours by them. */
		if (frame != LODE_NONE && *lode_frame_module(tree, frame))
			lode_json_text(json, "file",
				       lode_export_text(module, lode_frame_module(tree, frame)));
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_end_object(json);
}

static void put_profile(struct lode_json *json, struct frames *frames,
			const struct lode_export_stacks *stacks, const char *name,
			const struct lode_export_sample *samples, size_t n)
{
	lode_export_path path = {0};
	int64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += samples[i].cost;
	lode_json_break(json);
	lode_json_object(json, NULL);
	lode_json_text(json, "type", "sampled");
	lode_json_text(json, "name", name);
	lode_json_text(json, "unit", strcmp(stacks->unit, "ns") == 0 ? "nanoseconds" : "none");
	lode_json_int(json, "startValue", 0);
	lode_json_int(json, "endValue", total);
	lode_json_array(json, "samples");
	for (size_t i = 0; i < n; i++) {
		lode_export_path_of(&path, stacks->tree, samples[i].stack);
		lode_json_array(json, NULL);
		for (size_t k = 0; k < path.n; k++)
			lode_json_int(json, NULL, place_of(frames, path.at[k]));
		lode_json_end_array(json);
	}
	lode_json_end_array(json);
	lode_json_array(json, "weights");
	for (size_t i = 0; i < n; i++)
		lode_json_int(json, NULL, samples[i].cost);
	lode_json_end_array(json);
	lode_json_end_object(json);
	lode_vec_release(&path);
}

int lode_export_speedscope(FILE *out, const void *what, struct lode_error *err)
{
	const struct lode_export_stacks *stacks = what;
	size_t n = stacks->samples.n;
	struct lode_export_sample *samples = lode_alloc(n * sizeof(*samples));
	struct lode_json *json = lode_json_open_plain(out);
	struct frames frames = {0};

	(void)err;
	if (n)
		memcpy(samples, stacks->samples.at, n * sizeof(*samples));
	n = merge_samples(samples, n, stacks->tree);
	lode_json_text(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	lode_json_text(json, "exporter", "lode");
	lode_json_text(json, "name", stacks->title);
	lode_json_int(json, "activeProfileIndex", 0);
	lode_json_array(json, "profiles");
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && samples[end].group == samples[i].group;)
			end++;
		put_profile(json, &frames, stacks, stacks->groups.at[samples[i].group].name,
			    &samples[i], end - i);
	}
	if (!n) /* a file without a profile is none */
		put_profile(json, &frames, stacks, stacks->title, samples, 0);
	lode_json_end_array(json);
	put_frames(json, &frames, stacks->tree);
	lode_json_close(json);
	lode_map_release(&frames.place_of);
	lode_vec_release(&frames.at);
	free(samples);
	return LODE_OK;
}
