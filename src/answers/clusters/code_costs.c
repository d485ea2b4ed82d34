/* Sums up what each address of a function cost. */
#include "answers/clusters/code_costs.h"

#include "answers/clusters/cluster_paths.h"

/* ---- One function in a digest ---- */

/* Which frames have that name: several, if a module's own name has a "!". */
static bool *frames_called(const struct lode_calltree *tree, const char *function, size_t *n)
{
	bool *is_it = lode_alloc0(tree->frames.n + 1, sizeof(*is_it));
	size_t size = strlen(function) + 2; /* what is longer is another one, even if it is cut */
	char *name = lode_alloc(size);

	*n = 0;
	for (uint32_t i = 0; i < tree->frames.n; i++) {
		lode_frame_full_name(tree, i, name, size);
		is_it[i] = strcmp(name, function) == 0;
		*n += is_it[i];
	}
	free(name);
	return is_it;
}

int lode_function_costs(struct lode_code_cost *out, const struct lode_digest *digest,
			const char *function, struct lode_error *err)
{
	const struct lode_calltree *tree = &digest->tree;
	size_t n;
	bool *is_it = frames_called(tree, function, &n);
	bool *has_it = lode_alloc0(tree->nodes.n, sizeof(*has_it)); /* per stack */

	memset(out, 0, digest->streams.n * sizeof(*out));
	for (uint32_t i = 1; i < tree->nodes.n; i++)
		has_it[i] = has_it[tree->nodes.at[i].parent] || is_it[tree->nodes.at[i].frame];
	for (size_t i = 0; n && i < digest->rows.n; i++) {
		const struct lode_digest_row *row = &digest->rows.at[i];
		struct lode_code_cost *cost = &out[digest->symptoms.at[row->symptom].stream];

		if (!has_it[row->stack])
			continue;
		cost->kind_ns[row->kind] += row->cost_ns;
		if (is_it[tree->nodes.at[row->stack].frame])
			cost->own_ns += row->cost_ns;
	}
	free(has_it);
	free(is_it);
	return n ? LODE_OK
		 : lode_fail(err, LODE_ERR_EMPTY, NULL, -1,
			     "no stack contains the function '%.200s'", function);
}

/* ---- Its addresses ---- */

/* Per frame of the tree: the address that it stands for, or LODE_NONE. */
static uint32_t *addresses_of_frames(const struct lode_calltree *tree, size_t n_addresses)
{
	uint32_t *address_of = lode_alloc((tree->frames.n + 1) * sizeof(*address_of));

	for (uint32_t i = 0; i < tree->frames.n; i++) {
		address_of[i] = lode_function_addresses_index(lode_frame_module(tree, i));
		if (address_of[i] >= n_addresses)
			address_of[i] = LODE_NONE;
	}
	return address_of;
}

static void add_row(struct lode_code_costs *costs, const struct lode_calltree *tree,
		    const uint32_t *address_of, const struct lode_digest_row *row, uint64_t *seen,
		    uint64_t number)
{
	bool is_in = false;

	for (uint32_t at = row->stack; at; at = tree->nodes.at[at].parent) {
		uint32_t address = address_of[tree->nodes.at[at].frame];

		if (address == LODE_NONE)
			continue;
		is_in = true;
		if (at == row->stack) {
			costs->at[address].own_ns += row->cost_ns;
			costs->all.own_ns += row->cost_ns;
		}
		/* A function that calls itself from one place has it in its stack more than once.
		 */
		if (seen[address] != number)
			costs->at[address].kind_ns[row->kind] += row->cost_ns;
		seen[address] = number;
	}
	if (is_in)
		costs->all.kind_ns[row->kind] += row->cost_ns;
}

static void sum_up(struct lode_code_costs *costs, const struct lode_digest *digest)
{
	size_t n = costs->addresses.at.n;
	uint32_t *address_of = addresses_of_frames(&digest->tree, n);
	uint64_t *seen = lode_alloc0(n + 1, sizeof(*seen));

	for (size_t i = 0; i < digest->rows.n; i++)
		add_row(costs, &digest->tree, address_of, &digest->rows.at[i], seen, i + 1);
	free(seen);
	free(address_of);
}

/* The stream's symptoms, as they were digested. */
static void find_symptoms(lode_symptom_vec *out, const struct lode_digest *digest, uint32_t number,
			  const struct lode_stream *stream)
{
	for (size_t i = 0; i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *s = &digest->symptoms.at[i];
		struct lode_symptom symptom = {LODE_NONE, s->t0_ns, s->t1_ns};

		if (s->stream == number)
			symptom.thread = lode_stream_again_thread(stream, s);
		if (symptom.thread != LODE_NONE)
			lode_vec_append(out, symptom);
	}
}

static int digest_again(struct lode_code_costs *costs, const struct lode_digest *digest,
			uint32_t number, const char *file,
			const struct lode_digest_job_options *options, struct lode_error *err)
{
	struct lode_source_options source = lode_stream_again_options(options);
	struct lode_digest *again = NULL;
	struct lode_stream *stream;
	lode_symptom_vec symptoms = {0};
	int rc;

	source.symboliser = costs->symboliser;
	source.addresses = &costs->addresses;
	rc = lode_stream_again_find(&stream, digest, number, file, &source, err);
	if (rc < 0)
		return rc;
	costs->at = lode_alloc0(costs->addresses.at.n + 1, sizeof(*costs->at));
	find_symptoms(&symptoms, digest, number, stream);
	rc = lode_aoi_digest(&again, stream, symptoms.at, symptoms.n, &options->aoi, err);
	if (rc == LODE_OK)
		sum_up(costs, again);
	lode_digest_free(again);
	lode_vec_release(&symptoms);
	if (rc == LODE_OK && !costs->addresses.at.n)
		rc = lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
			       "%s has no addresses for this function: only perf.data recordings "
			       "show where in a function time was spent",
			       stream->path);
	lode_stream_free(stream);
	return rc;
}

int lode_code_costs_load(struct lode_code_costs *out, const struct lode_digest *digest,
			 uint32_t stream, const char *file, const char *function,
			 const struct lode_digest_job_options *options, struct lode_error *err)
{
	int rc;

	*out = (struct lode_code_costs){.addresses.wanted = function};
	/* LIMIT: such filters hold modules' names, which are others while a function is taken
	 * apart. */
	if (options->aoi.n_include || options->aoi.n_exclude)
		return lode_fail(err, LODE_ERR_UNSUPPORTED, NULL, -1,
				 "source lines are not available with --include or --exclude: mine "
				 "without them");
	rc = lode_stream_again_symboliser(&out->symboliser, digest, options, err);
	if (rc == LODE_OK)
		rc = digest_again(out, digest, stream, file, options, err);
	if (rc < 0)
		lode_code_costs_release(out);
	return rc;
}

void lode_code_costs_release(struct lode_code_costs *costs)
{
	lode_function_addresses_release(&costs->addresses);
	lode_symboliser_free(costs->symboliser);
	free(costs->at);
	*costs = (struct lode_code_costs){0};
}
