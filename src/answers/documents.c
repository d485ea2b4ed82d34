/* The list of documents. */
#include "answers/documents.h"

#include "answers/coverage/coverage.h"
#include "answers/diff/diff.h"
#include "answers/digest/digest.h"
#include "answers/import/import.h"
#include "answers/info/info.h"
#include "answers/mine/served.h"
#include "answers/next/next.h"
#include "answers/pio/pio.h"
#include "answers/pio/watch.h"
#include "answers/suspects/suspects.h"
#include "answers/timeline/page.h"
#include "answers/triage/triage.h"
#include "answers/analyze/analyze.h"
#include "answers/repo/repo.h"
#include "answers/sign/sign.h"

/* clang-format off */
const struct lode_document *const lode_documents[] = {
	&lode_analyze_document,
	&lode_coverage_document,
	&lode_diff_document, &lode_digest_document,
	&lode_import_document,
	&lode_info_document,
	&lode_mine_document,
	&lode_mine_cluster_document,
	&lode_mine_path_document,
	&lode_mine_signatures_document,
	&lode_mine_streams_document,
	&lode_mine_symptoms_document,
	&lode_mine_trend_document,
	&lode_next_document,
	&lode_pio_document,
	&lode_pio_watch_document,
	&lode_repo_document,
	&lode_repo_check_document,
	&lode_repo_labels_document,
	&lode_sign_document,
	&lode_suspects_document,
	&lode_timeline_document,
	&lode_timeline_meanwhiles_document,
	&lode_timeline_page_document,
	&lode_timeline_windows_document,
	&lode_triage_document,
	NULL,
};
