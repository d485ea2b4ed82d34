/*
 * What `lode mine` writes for other tools (docs/exports.md).
 */
#ifndef LODE_MINE_EXPORTS_H
#define LODE_MINE_EXPORTS_H

#include "analyses/mine/mine.h"
#include "cli/command.h"
#include "cli/export_options.h"
#include "job/digest_job.h"

/*
 * Writes the files that were asked for: stacks of all clusters, or of `only`; the window of the
 * symptom that it, or else the first cluster, costs most, for which its recording is read again,
 * with the options of the first time. Gives an exit code.
 */
int lode_mine_put_exports(const struct lode_command *self, const struct lode_export_values *values,
			  const struct lode_mined *mined, const struct lode_cluster *only,
			  const struct lode_digest_job_options *options);

#endif
