/* Lays out one function from the inside: which recording, which addresses, what is missing. */
#include "answers/mine/source.h"

#include "answers/mine/source_rows.h"
#include "base/sorted.h"

const char *lode_mine_file_of(const struct lode_digest *digest, const struct lode_stream_set *set,
			      uint32_t stream)
{
	const struct lode_repo_streams *described = &set->described;

	if (stream < described->list.n)
		return described->list.at[stream].source;
	return digest->tree.strings.text.at[digest->streams.at[stream].path];
}

struct lode_source_cost lode_source_cost_of(const struct lode_code_cost *cost)
{
	int64_t total_ns = lode_code_cost_total(cost);

	if (!total_ns)
		return (struct lode_source_cost){LODE_NO_INT, LODE_NO_INT, LODE_NO_INT, LODE_NO_INT,
						 LODE_NO_INT};
	return (struct lode_source_cost){cost->own_ns, total_ns, cost->kind_ns[LODE_EVENT_RUNNING],
					 cost->kind_ns[LODE_EVENT_WAITING],
					 cost->kind_ns[LODE_EVENT_READY]};
}

/* ---- Which recording ---- */

/* Sums up the function over all recordings; gives the one that it costs most. */
static uint32_t find_costliest(struct lode_mine_source *source, const struct lode_code_cost *costs)
{
	uint32_t worst = 0;

	for (uint32_t i = 0; i < source->digest->streams.n; i++) {
		int64_t total_ns = lode_code_cost_total(&costs[i]);

		source->all_ns += total_ns;
		source->n_streams += total_ns > 0;
		if (total_ns > lode_code_cost_total(&costs[worst]))
			worst = i;
	}
	return worst;
}

/* More are found by their cost in the cluster. */
#define MOST_RECORDINGS 100

LODE_COMPARE(by_cost, struct lode_source_stream_row,
	     LODE_ORDER(b->inclusive_ns, a->inclusive_ns) ?: LODE_ORDER(a->number, b->number))

/* Builds of a program differ from recording to recording: a reader chooses. */
static void list_recordings(struct lode_mine_source *source, const struct lode_stream_set *set,
			    const struct lode_code_cost *costs)
{
	struct lode_source_stream_row *rows =
		lode_arena_array(&source->arena, struct lode_source_stream_row,
				 source->n_streams + 1);
	size_t n = 0;

	for (uint32_t i = 0; i < source->digest->streams.n; i++) {
		if (lode_code_cost_total(&costs[i]) <= 0)
			continue;
		rows[n] = (struct lode_source_stream_row){
			.stream = &source->digest->streams.at[i],
			.number = i,
			.exclusive_ns = costs[i].own_ns,
			.inclusive_ns = lode_code_cost_total(&costs[i]),
		};
		rows[n].n_labels = lode_stream_set_labels(&rows[n].labels, set, i);
		n++;
	}
	qsort(rows, n, sizeof(*rows), by_cost);
	source->recordings = rows;
	source->n_recordings = n < MOST_RECORDINGS ? n : MOST_RECORDINGS;
	source->n_more_recordings = n - source->n_recordings;
}

static int choose_stream(struct lode_mine_source *source, const struct lode_stream_set *set,
			 uint32_t stream, struct lode_error *err)
{
	const struct lode_digest *digest = source->digest;
	struct lode_code_cost *costs = lode_alloc0(digest->streams.n + 1, sizeof(*costs));
	int rc = lode_function_costs(costs, digest, source->function, err);
	uint32_t costliest = rc == LODE_OK ? find_costliest(source, costs) : 0;

	source->number = stream == LODE_NONE ? costliest : stream;
	source->stream = &digest->streams.at[source->number];
	if (rc == LODE_OK && !lode_code_cost_total(&costs[source->number]))
		rc = lode_fail(
			err, LODE_ERR_EMPTY, NULL, -1,
			"no symptom of this recording has the function '%.200s' in its stacks",
			source->function);
	if (rc == LODE_OK)
		list_recordings(source, set, costs);
	for (size_t i = 0; i < digest->symptoms.n; i++)
		if (digest->symptoms.at[i].stream == source->number)
			source->symptom_ns += lode_digest_symptom_ns(&digest->symptoms.at[i]);
	free(costs);
	return rc;
}

/* ---- Addresses ---- */

typedef LODE_VEC(struct lode_listing *) listing_vec;

/* One per module that has addresses of the function. */
static struct lode_listing *listing_of(listing_vec *listings, struct lode_map *by_module,
				       struct lode_dso *dso)
{
	uint32_t slot = lode_map_number(by_module, (uint64_t)(uintptr_t)dso, listings->n);

	if (slot == listings->n)
		lode_vec_append(listings, lode_listing_open(dso));
	lode_vec_is_there(listings);
	return listings->at[slot];
}

static void find_points(lode_source_points *out, listing_vec *listings,
			const struct lode_code_costs *costs)
{
	struct lode_map by_module = {0};

	for (size_t i = 0; i < costs->addresses.at.n; i++) {
		const struct lode_function_address *at = &costs->addresses.at.at[i];
		struct lode_source_point point = {
			.dso = at->dso, .level = at->level, .cost = costs->at[i]};

		if (!at->dso || !lode_code_cost_total(&point.cost))
			continue;
		point.listing = listing_of(listings, &by_module, at->dso);
		point.is_found =
			lode_listing_find(point.listing, at->address, at->level, &point.place);
		lode_vec_append(out, point);
	}
	lode_map_release(&by_module);
}

/* The costliest module without lines says what to do. */
static void note_unplaced(struct lode_mine_source *source, const lode_source_points *points)
{
	struct lode_code_cost unplaced = {0};
	int64_t most_ns = 0;
	char text[1024];

	for (size_t i = 0; i < points->n; i++) {
		const struct lode_source_point *point = &points->at[i];
		int64_t total_ns = lode_code_cost_total(&point->cost);

		if (point->place.line.file)
			continue;
		lode_code_cost_add(&unplaced, &point->cost);
		if (total_ns <= most_ns)
			continue;
		most_ns = total_ns;
		lode_listing_lacks(point->listing, text, sizeof(text));
		source->no_lines = lode_arena_strdup(&source->arena, text);
	}
	source->unplaced = lode_source_cost_of(&unplaced);
}

static int fill(struct lode_mine_source *source, const struct lode_stream_set *set,
		const struct lode_digest_job_options *reading, struct lode_error *err)
{
	const char *file = lode_mine_file_of(source->digest, set, source->number);
	struct lode_code_costs costs;
	lode_source_points points = {0};
	listing_vec listings = {0};
	int rc = lode_code_costs_load(&costs, source->digest, source->number, file,
				      source->function, reading, err);

	if (rc < 0)
		return rc;
	find_points(&points, &listings, &costs);
	source->cost = lode_source_cost_of(&costs.all);
	note_unplaced(source, &points);
	lode_source_make_files(source, &points);
	lode_source_make_code(source, &points);
	lode_vec_release_each(&listings, it, lode_listing_close(*it));
	lode_vec_release(&points);
	lode_code_costs_release(&costs);
	return LODE_OK;
}

int lode_mine_source_make(struct lode_mine_source **out, const struct lode_digest *digest,
			  const struct lode_stream_set *set, const char *function, uint32_t stream,
			  const struct lode_digest_job_options *reading,
			  const struct lode_source_dirs *dirs, struct lode_error *err)
{
	struct lode_mine_source *source = lode_alloc0(1, sizeof(*source));
	int rc;

	*out = NULL;
	source->digest = digest;
	source->unit = digest->unit;
	source->dirs = dirs;
	source->function = lode_arena_strdup(&source->arena, function);
	rc = choose_stream(source, set, stream, err);
	if (rc == LODE_OK && reading->is_joined)
		rc = lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
			       "joined recordings cannot be read again one by one");
	if (rc == LODE_OK)
		rc = fill(source, set, reading, err);
	if (rc < 0)
		lode_mine_source_free(source);
	else
		*out = source;
	return rc;
}

void lode_mine_source_free(struct lode_mine_source *source)
{
	if (!source)
		return;
	lode_vec_release_each(&source->texts, it, lode_source_text_release(it));
	lode_arena_release(&source->arena);
	free(source);
}
