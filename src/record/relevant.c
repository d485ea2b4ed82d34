/* Finds the modules that matter to the recorded command. */
#include "record/relevant.h"

#include "engine/waits/aoi.h"
#include "engine/waits/critpath.h"
#include "model/digest.h"

void lode_command_lives(lode_symptom_vec *out, const struct lode_stream *stream)
{
	bool has_command = false;

	for (size_t i = 0; i < stream->threads.n; i++)
		has_command |= stream->threads.at[i].is_command;
	for (size_t i = 0; i < stream->threads.n; i++) {
		const struct lode_thread *thread = &stream->threads.at[i];
		struct lode_symptom life = {(lode_thread_id)i, stream->t0_ns, stream->t1_ns};

		/* Before its exec it was perf. */
		if (thread->exec_ns > life.t0_ns && thread->exec_ns < life.t1_ns)
			life.t0_ns = thread->exec_ns;
		if (thread->is_command || !has_command)
			lode_vec_append(out, life);
	}
}

static void add_process(struct lode_map *pids, const struct lode_stream *stream,
			lode_thread_id thread)
{
	if (thread != LODE_NONE)
		*lode_map_slot(pids, (uint32_t)stream->threads.at[thread].pid) = 1;
}

void lode_relevant_processes(struct lode_map *pids, const struct lode_stream *stream,
			     const lode_symptom_vec *symptoms)
{
	struct lode_critpath path = {0};

	for (size_t i = 0; i < symptoms->n; i++) {
		const struct lode_symptom *symptom = &symptoms->at[i];

		add_process(pids, stream, symptom->thread);
		if (!stream->has_switches)
			continue;
		lode_critpath_build(&path, stream, symptom);
		for (size_t k = 0; k < path.links.n; k++) {
			add_process(pids, stream, path.links.at[k].thread);
			add_process(pids, stream, path.links.at[k].serving);
		}
	}
	lode_critpath_release(&path);
}

/* Marks the modules of all frames that the digest's rows stand on: its tree has no others. */
static void mark(bool *is_relevant, const struct lode_stream *stream,
		 const struct lode_digest *digest)
{
	const struct lode_strings *strings = &stream->tree.strings;
	const struct lode_calltree *tree = &digest->tree;
	bool *nodes = lode_alloc0(tree->nodes.n, sizeof(*nodes));

	for (size_t i = 0; i < digest->rows.n; i++)
		nodes[digest->rows.at[i].stack] = true;
	/* A parent's id is smaller: from the leaves to the roots in one pass. The tree holds the
	   stacks of the whole stream, for its name statistics. */
	for (size_t i = tree->nodes.n; i-- > 1;) {
		const char *name;
		uint32_t id;

		if (!nodes[i])
			continue;
		nodes[tree->nodes.at[i].parent] = true;
		name = lode_frame_module(tree, tree->nodes.at[i].frame);
		id = lode_strings_find(strings, name, strlen(name));
		if (id != LODE_NONE)
			is_relevant[id] = true;
	}
	free(nodes);
}

int lode_relevant_modules(bool **out, const struct lode_stream *stream, struct lode_error *err)
{
	/* The paper's graph reaches more than the critical path, and all that `lode mine` reaches.
	 */
	struct lode_aoi_options options = {.scope = LODE_SCOPE_GRAPH, .own_stacks = true};
	lode_symptom_vec lives = {0};
	struct lode_digest *digest;
	int rc;

	*out = NULL;
	lode_command_lives(&lives, stream);
	rc = lode_aoi_digest(&digest, stream, lives.at, lives.n, &options, err);
	if (rc == 0) {
		*out = lode_alloc0(stream->tree.strings.text.n + 1, sizeof(**out));
		mark(*out, stream, digest);
		lode_digest_free(digest);
	}
	lode_vec_release(&lives);
	return rc;
}
