/* A mine report that is served: mined once, then asked about. */
#include "answers/serve/serve_mine.h"

#include "answers/serve/serve_mine_parts.h"
#include "answers/clusters/cluster_choice.h"

/* Items of lists that are asked for. */
enum { TOP_STREAMS = 1000, TOP_SYMPTOMS = 200 };
enum { MOST_TOP = 100000 };

struct lode_serve_mine *lode_serve_mine_new(struct lode_mine_answer *answer,
					    const struct lode_digest_job_options *reading,
					    const struct lode_source_dirs *dirs, const char *repo,
					    bool is_anew)
{
	struct lode_serve_mine *mine = lode_alloc0(1, sizeof(*mine));

	mine->dirs = *dirs;
	mine->repo = repo;
	mine->is_anew = is_anew;
	mine->read = *reading;
	mine->read.progress = NULL;
	mine->answer = answer;
	mine->mined = answer->mined;
	lode_drill_build(&mine->drill, mine->mined);
	lode_stream_groups_keys(&mine->keys, answer->set);
	if (repo)
		lode_rows_of_nodes_build(&mine->rows, mine->mined->digest);
	return mine;
}

struct lode_serve_mine *lode_serve_mine_outline(const struct lode_source_dirs *dirs,
						const char *repo)
{
	struct lode_serve_mine *mine = lode_alloc0(1, sizeof(*mine));

	mine->dirs = *dirs;
	mine->repo = repo;
	return mine;
}

void lode_serve_mine_close(struct lode_serve_mine *mine)
{
	if (!mine)
		return;
	lode_rows_of_nodes_release(&mine->rows);
	lode_vec_release(&mine->keys);
	lode_drill_release(&mine->drill);
	free(mine);
}

/* ---- Questions ---- */

int lode_serve_find_cluster(const struct lode_cluster **out, const struct lode_serve_mine *mine,
			    const struct lode_site_query *query, const char *parameter,
			    struct lode_error *err)
{
	const char *name = lode_site_param(query, parameter);

	*out = NULL;
	if (!name)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "%s= must be the id of a cluster",
				 parameter);
	*out = lode_cluster_find(mine->mined, name, err);
	if (!*out && mine->is_anew)
		lode_error_context(err, "the repository has changed; reload the page");
	return *out ? LODE_OK : LODE_SITE_ABSENT;
}

static int find_stream(uint32_t *out, const struct lode_serve_mine *mine,
		       const struct lode_site_query *query, struct lode_error *err)
{
	const char *name = lode_site_param(query, "stream");

	*out = 0;
	if (!name)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "stream= must be the id of a recording");
	return lode_drill_find_stream(out, &mine->drill, name, err) < 0 ? LODE_SITE_ABSENT
									: LODE_OK;
}

static int read_top(size_t *top, const struct lode_site_query *query, struct lode_error *err)
{
	int64_t value = (int64_t)*top;

	if (!lode_site_param_number(query, "top", 1, MOST_TOP, &value))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "top= must be the maximum number of rows, 1 to %d", (int)MOST_TOP);
	*top = (size_t)value;
	return LODE_OK;
}

static int answer_cluster(void *context, const struct lode_site_query *query, FILE *out,
			  struct lode_error *err)
{
	const struct lode_serve_mine *mine = context;
	const struct lode_cluster *cluster;
	int rc = lode_serve_find_cluster(&cluster, mine, query, "id", err);

	if (rc == LODE_OK)
		lode_mine_cluster_json(out, mine->answer, cluster);
	return rc;
}

static int answer_streams(void *context, const struct lode_site_query *query, FILE *out,
			  struct lode_error *err)
{
	const struct lode_serve_mine *mine = context;
	const struct lode_cluster *cluster;
	size_t top = TOP_STREAMS;
	int rc = lode_serve_find_cluster(&cluster, mine, query, "cluster", err);

	if (rc == LODE_OK)
		rc = read_top(&top, query, err);
	if (rc == LODE_OK)
		lode_mine_streams_json(out, mine->answer->set, &mine->drill, cluster, top);
	return rc;
}

static int answer_symptoms(void *context, const struct lode_site_query *query, FILE *out,
			   struct lode_error *err)
{
	const struct lode_serve_mine *mine = context;
	const struct lode_cluster *cluster;
	size_t top = TOP_SYMPTOMS;
	uint32_t stream;
	int rc = lode_serve_find_cluster(&cluster, mine, query, "cluster", err);

	if (rc == LODE_OK)
		rc = find_stream(&stream, mine, query, err);
	if (rc == LODE_OK)
		rc = read_top(&top, query, err);
	if (rc == LODE_OK)
		lode_mine_symptoms_json(out, &mine->drill, cluster, stream, top);
	return rc;
}

/* ---- Filters ---- */

/* One of a few names, as a bit; 0: not given. */
static int read_bit(unsigned *bits, const struct lode_site_query *query, const char *key,
		    const char *const *names, struct lode_error *err)
{
	const char *value = lode_site_param(query, key);

	for (unsigned i = 0; value && names[i]; i++)
		if (strcmp(names[i], value) == 0)
			*bits = 1u << i;
	if (value && !*bits)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "unknown %s '%.40s'", key, value);
	return LODE_OK;
}

/* "release=2.1": a label, or host, kernel, day; "(none)" is none. */
static bool has_label(struct lode_stream_set *set, size_t i, const char *label)
{
	char key[256];
	size_t n = strcspn(label, "=");
	const char *value;

	if (!label[n] || n >= sizeof(key))
		return false;
	memcpy(key, label, n);
	key[n] = 0;
	value = lode_stream_set_label(set, i, key);
	return strcmp(value ? value : lode_coverage_no_label, label + n + 1) == 0;
}

/* The streams that all of `stream`, `label` and `host` pick; NULL: none of them is given. */
static int read_streams(bool **out, const struct lode_serve_mine *mine,
			const struct lode_site_query *query, struct lode_error *err)
{
	const char *label = lode_site_param(query, "label"), *host = lode_site_param(query, "host");
	size_t n = mine->mined->digest->streams.n;
	uint32_t only = LODE_NONE;

	*out = NULL;
	if (lode_site_param(query, "stream")) {
		int rc = find_stream(&only, mine, query, err);

		if (rc != LODE_OK)
			return rc;
	} else if (!label && !host) {
		return LODE_OK;
	}
	*out = lode_alloc0(n + 1, sizeof(**out));
	for (size_t i = 0; i < n; i++) {
		const char *at = host ? lode_stream_set_label(mine->answer->set, i, "host") : NULL;

		(*out)[i] = (only == LODE_NONE || only == i) &&
			    (!host || strcmp(at ? at : "", host) == 0) &&
			    (!label || has_label(mine->answer->set, i, label));
	}
	return LODE_OK;
}

static int read_thread(uint32_t *thread, const struct lode_serve_mine *mine,
		       const struct lode_site_query *query, struct lode_error *err)
{
	const char *name = lode_site_param(query, "thread");

	*thread = LODE_NONE;
	if (!name)
		return LODE_OK;
	*thread = lode_strings_find(&mine->mined->digest->tree.strings, name, strlen(name));
	if (*thread == LODE_NONE) {
		lode_fail(err, LODE_ERR_ARG, NULL, -1, "unknown thread '%.40s'", name);
		return LODE_SITE_ABSENT;
	}
	return LODE_OK;
}

static int answer_flame(void *context, const struct lode_site_query *query, FILE *out,
			struct lode_error *err)
{
	const struct lode_serve_mine *mine = context;
	struct lode_cell_filter filter = {.thread = LODE_NONE};
	const struct lode_cluster *cluster;
	bool *has_stream = NULL;
	int rc = lode_serve_find_cluster(&cluster, mine, query, "cluster", err);

	if (rc == LODE_OK)
		rc = read_bit(&filter.kinds, query, "kind", lode_event_kind_names, err);
	if (rc == LODE_OK)
		rc = read_bit(&filter.reasons, query, "reason", lode_wait_reason_names, err);
	if (rc == LODE_OK)
		rc = read_thread(&filter.thread, mine, query, err);
	if (rc == LODE_OK)
		rc = read_streams(&has_stream, mine, query, err);
	filter.has_stream = has_stream;
	if (rc == LODE_OK)
		lode_mine_flame_json(out, mine->answer, cluster, &filter);
	free(has_stream);
	return rc;
}

static int answer_path(void *context, const struct lode_site_query *query, FILE *out,
		       struct lode_error *err)
{
	const struct lode_serve_mine *mine = context;
	const struct lode_drill *drill = &mine->drill;
	struct lode_cluster_path path;
	uint32_t stream, symptom;
	int64_t number = -1;
	size_t n;
	int rc = find_stream(&stream, mine, query, err);

	if (rc != LODE_OK)
		return rc;
	if (!lode_site_param_number(query, "symptom", 0, UINT32_MAX, &number) || number < 0)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "symptom= must be the number of a symptom of the recording");
	n = drill->start[stream + 1] - drill->start[stream];
	if ((size_t)number >= n) {
		lode_fail(err, LODE_ERR_ARG, NULL, -1,
			  "the recording has %zu symptom%s, numbered from 0", n, n == 1 ? "" : "s");
		return LODE_SITE_ABSENT;
	}
	symptom = drill->symptoms[drill->start[stream] + (size_t)number];
	rc = lode_cluster_path_load(&path, mine->mined->digest, symptom,
				    lode_mine_file_of(mine->mined->digest, mine->answer->set,
						      stream),
				    &mine->read, err);
	if (rc == LODE_ERR_UNSUPPORTED)
		return LODE_SITE_NO_SUCH;
	if (rc < 0)
		return LODE_SITE_GONE;
	lode_mine_path_json(out, mine->mined, &path);
	lode_cluster_path_release(&path);
	return LODE_OK;
}

/* ---- Source ---- */

static int answer_source(void *context, const struct lode_site_query *query, FILE *out,
			 struct lode_error *err)
{
	const struct lode_serve_mine *mine = context;
	const char *function = lode_site_param(query, "function");
	uint32_t stream = LODE_NONE;
	struct lode_mine_source *source;
	int rc = LODE_OK;

	if (!function || !*function)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1, "function= must be module!function");
	if (lode_site_param(query, "stream"))
		rc = find_stream(&stream, mine, query, err);
	if (rc == LODE_OK)
		rc = lode_mine_source_make(&source, mine->mined->digest, mine->answer->set,
					   function, stream, &mine->read, &mine->dirs, err);
	else
		return rc;
	if (rc == LODE_ERR_EMPTY)
		return LODE_SITE_ABSENT;
	if (rc == LODE_ERR_UNSUPPORTED)
		return LODE_SITE_NO_SUCH;
	if (rc < 0)
		return LODE_SITE_GONE;
	lode_mine_source_json(out, source);
	lode_mine_source_free(source);
	return LODE_OK;
}

void lode_serve_mine_add(struct lode_serve_mine *mine, struct lode_site *site, const char *report)
{
	static const char *const cluster[] = {"id", NULL};
	static const char *const streams[] = {"cluster", "top", NULL};
	static const char *const symptoms[] = {"cluster", "stream", "top", NULL};
	static const char *const path[] = {"stream", "symptom", NULL};
	static const char *const flame[] = {"cluster", "stream", "host",   "label",
					    "thread",  "kind",	 "reason", NULL};

	lode_site_add_lasting(site, report, "cluster", cluster, answer_cluster, mine);
	lode_site_add_lasting(site, report, "streams", streams, answer_streams, mine);
	lode_site_add_lasting(site, report, "symptoms", symptoms, answer_symptoms, mine);
	lode_site_add_lasting(site, report, "path", path, answer_path, mine);
	/* Not lasting: a file of source, or of debug information, may be put in its place. */
	lode_site_add_question(site, report, "source",
			       mine->dirs.n ? LODE_REQUEST_PRIVATE : LODE_REQUEST_READ,
			       answer_source, mine);
	lode_site_add_lasting(site, report, "flame", flame, answer_flame, mine);
	lode_serve_compare_add(mine, site, report);
	lode_serve_signatures_add(mine, site, report);
}
