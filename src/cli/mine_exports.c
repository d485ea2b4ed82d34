#include "cli/mine_exports.h"

#include "base/escape.h"
#include "cli/messages.h"
#include "job/cluster_paths.h"
#include "reports/export_trace.h"

static int say_missing(const struct lode_command *self, const char *why)
{
	lode_say(self, "--chrome-trace: %s", why);
	return LODE_EXIT_NOTHING;
}

static int put_window(const struct lode_command *self, const char *file,
		      const struct lode_mined *mined, const struct lode_cluster *cluster,
		      const struct lode_cluster_path *path)
{
	const struct lode_digest *digest = mined->digest;
	const struct lode_digest_symptom *symptom = &digest->symptoms.at[path->symptom];
	const char *stream = digest->tree.strings.text.at[digest->streams.at[symptom->stream].path];
	char title[4096], comm[1024];
	struct lode_export_window window = {
		.lanes = &path->lanes,
		.title = title,
		.stream = stream,
		.cluster_id = cluster->id,
		.pid = symptom->pid,
		.tid = symptom->tid,
	};

	lode_escape(comm, sizeof(comm), digest->tree.strings.text.at[symptom->comm]);
	snprintf(title, sizeof(title), "the symptom that cluster #%u costs most: %s %d",
		 cluster->rank, comm, symptom->tid);
	return lode_export_put_file(self, file, lode_export_window, &window);
}

/* Without a recording that can be read again there is nothing to show: whatever the reason. */
static int say_unreadable(const struct lode_command *self, struct lode_error *err)
{
	lode_error_context(err, "--chrome-trace");
	lode_say_error(self, err);
	return LODE_EXIT_NOTHING;
}

static int export_window(const struct lode_command *self, const char *file,
			 const struct lode_mined *mined, const struct lode_cluster *cluster,
			 const struct lode_digest_job_options *options)
{
	const struct lode_digest *digest = mined->digest;
	uint32_t symptom, stream;
	struct lode_cluster_path path;
	struct lode_error err;
	int code;

	if (!cluster->n_worst)
		return say_missing(self, "the cluster is in no symptom");
	symptom = cluster->worst[0].symptom;
	stream = digest->symptoms.at[symptom].stream;
	if (lode_cluster_path_load_within(
		    &path, digest, symptom,
		    digest->tree.strings.text.at[digest->streams.at[stream].path],
		    &LODE_LANES_WHOLE, options, &err) < 0)
		return say_unreadable(self, &err);
	code = put_window(self, file, mined, cluster, &path);
	lode_cluster_path_release(&path);
	return code;
}

int lode_mine_put_exports(const struct lode_command *self, const struct lode_export_values *values,
			  const struct lode_mined *mined, const struct lode_cluster *only,
			  const struct lode_digest_job_options *options)
{
	struct lode_export_stacks stacks;
	int code;

	lode_export_mined(&stacks, mined, only);
	code = lode_export_put_stacks(self, values, &stacks);
	lode_export_stacks_release(&stacks);
	if (code != LODE_EXIT_OK || !values->chrome_trace)
		return code;
	if (!only && mined->n_clusters == 0)
		return say_missing(self, "there is no cluster");
	return export_window(self, values->chrome_trace, mined, only ? only : &mined->clusters[0],
			     options);
}
