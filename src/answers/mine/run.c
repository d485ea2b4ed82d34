/* From a request to an answer: streams are read and mined, and what comes of it is laid out. */
#include "answers/mine/mine.h"
#include "answers/clusters/cluster_brief.h"
#include "answers/clusters/cluster_choice.h"
#include "answers/clusters/headline.h"
#include "base/memory_limit.h"
#include "engine/aliases/aliases.h"
#include "streams/shape.h"

#include <math.h>

/* Of recordings that stay in memory until their critical paths are read: mining is to have the
   rest. An eighth of the memory at most. */
enum { MOST_KEPT_BYTES = 64 << 20 };

struct lode_mine_state {
	struct lode_mine_answer answer; /* what the caller holds */
	struct lode_stream_set set;
	struct lode_mined *mined;
	struct lode_cluster_signatures signatures;
	struct lode_cluster_shown shown;
	struct lode_mine_served served;
	struct lode_mine_cpu cpu;
	struct lode_cluster_cells cells;
	struct lode_cluster_paths paths;
	struct lode_path_rows path_rows;
	struct lode_arena arena;
};

/* ---- One cluster in full ---- */

static int show_cluster(struct lode_mine_state *s, const struct lode_mine_request *request,
			struct lode_error *err)
{
	const struct lode_cluster *cluster = lode_cluster_find(s->mined, request->show, err);

	if (!cluster)
		return err->status;
	lode_cluster_shown_build(&s->shown, s->mined, cluster, request->top, &s->arena);
	s->answer.shown = &s->shown;
	return 0;
}

/* ---- What was read ---- */

/* The cost of what has no name, by module. */
struct unnamed {
	const struct lode_calltree *tree;
	struct lode_map slot_of;    /* string id of the module -> index */
	LODE_VEC(uint32_t) modules; /* string ids */
	LODE_VEC(int64_t) cost_ns;
	int64_t all_ns;
};

static bool is_unnamed(const struct unnamed *u, uint32_t frame)
{
	/* "[unrecorded]" is time without an event, and no frame that could have a name. */
	return u->tree->frames.at[frame].flags & LODE_FRAME_UNKNOWN &&
	       strcmp(lode_frame_module(u->tree, frame), "[unrecorded]") != 0;
}

static void add_unnamed(struct unnamed *u, uint32_t frame, int64_t cost_ns)
{
	uint32_t module = u->tree->frames.at[frame].module;
	uint32_t slot = lode_map_number(&u->slot_of, module, u->modules.n);

	if (slot == u->modules.n) {
		lode_vec_append(&u->modules, module);
		lode_vec_append(&u->cost_ns, 0);
	}
	u->cost_ns.at[slot] += cost_ns;
	u->all_ns += cost_ns;
}

/* A frame without a name in the cluster's headline; LODE_NONE: none. */
static uint32_t unnamed_in_headline(const struct unnamed *u, const struct lode_mined *mined,
				    const struct lode_cluster *cluster)
{
	struct lode_headline_hop *hops;
	struct lode_arena arena = {0};
	size_t n = lode_headline_hops(&hops, mined, cluster, &arena);
	uint32_t found = LODE_NONE;

	for (size_t i = 0; i < n && found == LODE_NONE; i++)
		for (size_t k = 0; k < hops[i].n && found == LODE_NONE; k++)
			if (is_unnamed(u, hops[i].frames[k]))
				found = hops[i].frames[k];
	lode_arena_release(&arena);
	return found;
}

/* What a reader of the cluster meets: its headline, and where its cost was spent. */
static void add_cluster(struct unnamed *u, const struct lode_mined *mined,
			const struct lode_cluster *cluster)
{
	uint32_t shown;

	if (cluster->own_ns <= 0)
		return;
	shown = unnamed_in_headline(u, mined, cluster);
	if (shown != LODE_NONE) {
		add_unnamed(u, shown, cluster->own_ns);
		return;
	}
	for (size_t i = 0; i < cluster->n_stacks; i++) {
		uint32_t leaf = u->tree->nodes.at[cluster->stacks[i].node].frame;

		if (cluster->stacks[i].node && is_unnamed(u, leaf))
			add_unnamed(u, leaf, cluster->stacks[i].cost_ns);
	}
}

static void count_unnamed(struct lode_mine_quality *out, const struct lode_mined *mined)
{
	struct unnamed u = {.tree = &mined->digest->tree};
	int64_t most_ns = 0;

	for (size_t i = 0; i < mined->n_clusters; i++)
		add_cluster(&u, mined, &mined->clusters[i]);
	for (size_t i = 0; i < u.modules.n; i++) {
		const char *name = u.tree->strings.text.at[u.modules.at[i]];

		if (u.cost_ns.at[i] < most_ns ||
		    (u.cost_ns.at[i] == most_ns && out->unknown_module &&
		     strcmp(name, out->unknown_module) > 0))
			continue;
		most_ns = u.cost_ns.at[i];
		out->unknown_module = name;
	}
	out->unknown_ns = u.all_ns;
	lode_map_release(&u.slot_of);
	lode_vec_release(&u.modules);
	lode_vec_release(&u.cost_ns);
}

static void sum_up_quality(struct lode_mine_quality *out, const struct lode_mined *mined)
{
	const struct lode_digest *digest = mined->digest;
	int64_t most_ns = 0;
	bool is_known = true;

	count_unnamed(out, mined);
	for (size_t i = 0; i < digest->streams.n; i++) {
		out->no_waker_ns += digest->streams.at[i].lost_cost_ns;
		out->n_records += digest->streams.at[i].n_records;
		is_known &= digest->streams.at[i].n_records != 0;
	}
	out->n_records = is_known ? out->n_records : 0;
	for (size_t i = 0; i < digest->losses.n; i++) {
		const struct lode_loss_note *loss = &digest->losses.at[i];

		out->n_losses[loss->kind] += loss->count;
		if (loss->kind == LODE_LOSS_SKIPPED_CALLER && loss->cost_ns > most_ns) {
			most_ns = loss->cost_ns;
			out->skipped_callers = loss->detail;
		}
	}
	out->lost_pct =
		is_known ? lode_lost_pct(out->n_losses[LODE_LOSS_EVENTS], out->n_records) : NAN;
}

static void describe_job(struct lode_mine_answer *answer, const struct lode_digest_job *job,
			 const struct lode_mine_request *request)
{
	const struct lode_aoi_options *aoi = &request->reading.aoi;

	answer->digest = job->digest;
	answer->skipped = job->skipped.at;
	answer->n_skipped = job->skipped.n;
	answer->incomplete = job->incomplete.at;
	answer->n_incomplete = job->incomplete.n;
	if (!job->digest)
		return;
	answer->n_streams = job->digest->streams.n;
	answer->n_symptoms = job->digest->symptoms.n;
	answer->n_inputs_listed = lode_listed(request->top, answer->n_streams);
	answer->n_inputs_more = answer->n_streams - answer->n_inputs_listed;
	answer->symptoms = job->symptom_text;
	answer->is_default_symptoms = job->is_default_symptoms;
	answer->scope = lode_shape_choice(job->origin.shape, "--scope", lode_scope_choices);
	answer->stacks = lode_shape_choice(job->origin.shape, "--stacks", lode_stacks_choices);
	answer->is_filtered = lode_shape_has_filters(job->origin.shape) || aoi->n_include ||
			      aoi->n_exclude || aoi->kinds || aoi->reasons;
}

/* ---- What was mined ---- */

/* How many have a row: small ones go into one line, behind the first ones and if there are two. */
static size_t count_rows(const struct lode_mined *mined, const struct lode_mine_request *request)
{
	enum { FIRST_ROWS = 5 };
	size_t n = lode_listed(request->top, mined->n_clusters), n_rows = n;

	while (request->folds_small && n_rows > FIRST_ROWS &&
	       lode_cluster_is_small(mined, &mined->clusters[n_rows - 1]))
		n_rows--;
	return n_rows + 1 == mined->n_clusters ? n : n_rows;
}

static void sum_up_clusters(struct lode_mine_answer *answer, const struct lode_mined *mined,
			    const struct lode_mine_request *request)
{
	answer->n_shown = count_rows(mined, request);
	answer->n_more = mined->n_clusters - answer->n_shown;
	answer->explained_ns = mined->aoi_ns - mined->other_ns;
	for (size_t i = answer->n_shown; i < mined->n_clusters; i++)
		answer->more_ns += mined->clusters[i].own_ns;
}

/* Of CPU time it is asked first which programs took it. */
static void list_programs(struct lode_mine_state *s, size_t top)
{
	const struct lode_mined *mined = s->mined;
	struct lode_mine_cpu *cpu = &s->cpu;

	if (!mined->n_cpu_symptoms || mined->n_cpu_symptoms != mined->digest->symptoms.n)
		return;
	cpu->n_programs = lode_mine_programs_find(&cpu->programs, mined, &s->arena);
	cpu->n_listed = lode_listed(top, cpu->n_programs);
	cpu->n_more = cpu->n_programs - cpu->n_listed;
	if (mined->other_ns > 0)
		cpu->other = lode_mine_programs_text(&s->arena, cpu->programs, cpu->n_programs,
						     mined->symptom_ns, true);
	s->answer.cpu = cpu;
}

static bool is_notable(const struct lode_mined *mined, int64_t ready_ns)
{
	return ready_ns > 0 && ready_ns / LODE_BUSY_PCT >= mined->aoi_ns / 100;
}

static void name_busy(struct lode_mine_state *s)
{
	const struct lode_mined *mined = s->mined;
	int64_t ready_ns = mined->contended_ns;
	char who[1024];

	if (!mined->n_ran_instead || !is_notable(mined, ready_ns))
		return;
	lode_who_ran(who, sizeof(who), mined->digest, mined->ran_instead, mined->n_ran_instead,
		     ready_ns, 5);
	s->answer.busy = lode_arena_strdup(&s->arena, who);
}

/* By the largest part of it. */
static void name_ready_unknown(struct lode_mine_state *s)
{
	static const struct {
		const char *runner, *words;
	} reasons[] = {
		{LODE_RUNNER_NO_WAKEUPS,
		 "no wake-ups were recorded (lode record, or perf record with -e "
		 "sched:sched_waking, does)"},
		{LODE_RUNNER_IDLE,
		 "a CPU was idle meanwhile; a limit of a cgroup, the hypervisor, or switches that "
		 "a virtual machine does not trace (lode record --keep-awake) are possible"},
		{LODE_RUNNER_UNRECORDED,
		 "context switches are missing (lode record --keep-awake and a larger --buffer "
		 "help)"},
	};
	const struct lode_mined *mined = s->mined;

	if (!is_notable(mined, mined->ready_unknown_ns))
		return;
	for (size_t i = 0; i < mined->n_ran_instead && !s->answer.ready_unknown; i++)
		for (size_t k = 0; k < sizeof(reasons) / sizeof(*reasons); k++)
			if (!strcmp(mined->digest->tree.strings.text.at[mined->ran_instead[i].name],
				    reasons[k].runner))
				s->answer.ready_unknown = reasons[k].words;
}

static void list_clusters(struct lode_mine_state *s, const struct lode_mine_request *request)
{
	struct lode_cluster_rows_options options = {
		.top = request->top,
		.top_inside = request->top_inside,
		.has_detail = request->wants_detail,
		.is_light = request->is_served,
	};

	if (request->is_served) {
		lode_cluster_signatures_build(&s->signatures, s->mined, s->mined->clusters,
					      s->mined->n_clusters);
		options.signatures = s->answer.signatures = &s->signatures;
	}
	lode_cluster_rows_build(&s->answer.rows, s->mined, s->shown.cluster, &options);
}

static size_t count_words(const char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

/* Without a repository there are no signatures, and nothing can be changed. */
static void describe_served(struct lode_mine_state *s, const struct lode_mine_request *request)
{
	size_t n = count_words(lode_mine_questions);
	enum { OF_REPOSITORY = 2 }; /* the last: signatures, compare */

	s->served = (struct lode_mine_served){
		.repo = request->repo,
		.where = request->repo && !request->where ? "" : request->where,
		.questions = lode_mine_questions,
		.n_questions = request->repo ? n : n - OF_REPOSITORY,
		.changes = lode_mine_changes,
		.n_changes = request->repo ? count_words(lode_mine_changes) : 0,
	};
	s->answer.served = &s->served;
}

static int list_paths(struct lode_mine_state *s, const struct lode_mine_request *request,
		      struct lode_error *err)
{
	struct lode_digest_job_options reading = request->reading;
	int rc;

	reading.progress = NULL;
	rc = lode_cluster_paths_load(&s->paths, s->mined, request->n_paths_of, &s->set.job,
				     &reading, err);
	lode_digest_job_forget_streams(&s->set.job);
	if (rc < 0)
		return rc;
	lode_path_rows_make(&s->path_rows, s->mined, s->paths.at.at, s->paths.at.n, &s->arena);
	s->answer.paths = &s->path_rows;
	return 0;
}

/* ---- The whole ---- */

static int read_streams(struct lode_mine_state *s, const struct lode_mine_request *request,
			struct lode_error *err)
{
	struct lode_stream_set_options streams = {
		.inputs = request->inputs,
		.n_inputs = request->n_inputs,
		.where = request->where,
		.job = request->reading,
	};
	size_t eighth = lode_memory_budget(request->reading.memory_bytes) / 8;
	int rc = 0;

	if (request->wants_paths)
		streams.job.keep_bytes = eighth < MOST_KEPT_BYTES ? eighth : MOST_KEPT_BYTES;
	if (request->repo)
		rc = lode_repo_open(&streams.repo, request->repo, LODE_REPO_READ, err);
	if (rc == 0)
		rc = lode_stream_set_require(&s->set, &streams, err);
	lode_repo_close(streams.repo);
	describe_job(&s->answer, &s->set.job, request);
	return rc;
}

/* LIMIT: a default λ is raised until no more pairs of patterns are similar: 350 million
   took over a minute to cluster. */
enum { MOST_PAIRS = 1 << 26 };

/* True when the user set no λ, share, prevalence or pattern limit. */
static bool is_lambda_open(const struct lode_mine_options *mine)
{
	return !mine->min_cost && mine->min_cost_share <= 0 && mine->prevalence <= 0 &&
	       !mine->patterns && !mine->max_patterns;
}

static int mine_streams(struct lode_mine_state *s, const struct lode_mine_request *request,
			struct lode_error *err)
{
	struct lode_mine_options options = request->mine;
	bool is_open = request->may_raise_lambda && is_lambda_open(&request->mine);
	int64_t fits = 0;
	char option[32];
	int rc;

	options.fits = &fits;
	options.may_raise = is_open;
	options.most_pairs = is_open ? MOST_PAIRS : 0;
	s->answer.lambda = request->lambda;
	options.split_kinds = lode_shape_is(s->set.job.origin.shape, "--stacks", "own");
	if (!options.classic)
		lode_aliases_join(s->set.job.digest);
	rc = lode_mine(&s->mined, s->set.job.digest, &options, err);
	s->answer.is_raised = rc == 0 && s->mined->is_raised;
	/* Few enough patterns may still have too many similar pairs. */
	while (rc == LODE_ERR_LIMIT && is_open && fits > options.min_cost) {
		options.min_cost = fits;
		options.may_raise = false;
		s->answer.is_raised = true;
		rc = lode_mine(&s->mined, s->set.job.digest, &options, err);
	}
	if (s->answer.is_raised)
		s->answer.lambda = "raised: the default gives too many patterns";
	if (rc == 0 && s->answer.is_raised && request->raise_lambda)
		request->raise_lambda(request->raise_context,
				      lode_min_cost_option(option, sizeof(option),
							   s->mined->min_cost,
							   s->set.job.digest->unit));
	if (rc == LODE_ERR_LIMIT)
		rc = err->status = LODE_ERR_ARG; /* too many patterns: another λ has fewer */
	s->answer.mined = s->mined;
	s->answer.rank = lode_rank_choices[options.rank];
	s->answer.ranked_by = options.rank;
	s->answer.is_classic = options.classic;
	return rc;
}

static int lay_out_clusters(struct lode_mine_state *s, const struct lode_mine_request *request,
			    struct lode_error *err)
{
	int rc = request->show ? show_cluster(s, request, err) : 0;

	if (rc < 0)
		return rc;
	sum_up_clusters(&s->answer, s->mined, request);
	list_programs(s, request->top);
	name_busy(s);
	name_ready_unknown(s);
	if (request->wants_rows)
		list_clusters(s, request);
	if (!request->show)
		sum_up_quality(&s->answer.quality, s->mined);
	if ((request->is_served || request->wants_detail) && !request->show &&
	    lode_cluster_cells_build(&s->cells, s->mined, LODE_MOST_CELLS))
		s->answer.cells = &s->cells;
	if (request->is_served)
		describe_served(s, request);
	s->answer.opening = lode_mine_opening(&s->answer, request, &s->arena);
	return request->wants_paths ? list_paths(s, request, err) : 0;
}

int lode_mine_run(struct lode_mine_answer **out, const struct lode_mine_request *request,
		  struct lode_error *err)
{
	struct lode_mine_state *s = lode_alloc0(1, sizeof(*s));
	int rc;

	s->answer.state = s;
	s->answer.set = &s->set;
	*out = &s->answer;
	rc = read_streams(s, request, err);
	if (rc < 0 || request->only_read)
		return rc;
	rc = mine_streams(s, request, err);
	return rc < 0 ? rc : lay_out_clusters(s, request, err);
}

void lode_mine_free(struct lode_mine_answer *answer)
{
	struct lode_mine_state *s = answer ? answer->state : NULL;

	if (!s)
		return;
	lode_cluster_rows_release(&s->answer.rows);
	lode_cluster_signatures_release(&s->signatures);
	lode_cluster_cells_release(&s->cells);
	lode_cluster_paths_release(&s->paths);
	lode_mined_free(s->mined);
	lode_stream_set_release(&s->set);
	lode_arena_release(&s->arena);
	free(s);
}
