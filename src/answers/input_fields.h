/*
 * Fields that the documents of several commands have: inputs that were skipped or are incomplete,
 * what inputs have lost, and labels.
 */
#pragma once

#include "document/fields.h"
#include "streams/digest_job.h"
#include "store/repo.h"
#include "model/loss.h"

extern const struct lode_record lode_skipped_record; /* of struct lode_skipped_input */
/* "skipped" and "incomplete" of a struct lode_digest_job. */
extern const struct lode_record lode_job_inputs_record;
extern const struct lode_record lode_repo_label_record; /* of struct lode_repo_label */

/* Names for the numbers in records of a call tree or a digest. Borrows it. */
struct lode_names lode_tree_names(const struct lode_calltree *tree);

/* A part of a whole; 0 of nothing. */
static inline double lode_ratio(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* One kind of loss, as answers list them. */
struct lode_loss_row {
	const char *kind, *words; /* "clock jumps", and the same behind its count */
	const char *detail;	  /* borrowed from the losses */
	uint64_t count;
	int64_t offset;
};
/* "kind", "count" and "detail" of one. */
extern const struct lode_record lode_loss_record;
/* Lists the kinds that there are, and says how many. */
size_t lode_loss_rows(struct lode_loss_row rows[LODE_N_LOSS_KINDS],
		      const struct lode_losses *losses);
size_t lode_loss_note_rows(struct lode_loss_row rows[LODE_N_LOSS_KINDS],
			   const struct lode_loss_note *losses, size_t n);
