/* Fields that the documents of several commands have. */
#include "answers/input_fields.h"

static const struct lode_field skipped_fields[] = {
	LODE_FIELD(struct lode_skipped_input, path, NULL),
	LODE_FIELD(struct lode_skipped_input, reason, NULL),
};
const struct lode_record lode_skipped_record =
	LODE_RECORD_OF("skipped", skipped_fields, struct lode_skipped_input);

static const struct lode_field label_fields[] = {
	LODE_FIELD(struct lode_repo_label, key, NULL),
	LODE_FIELD(struct lode_repo_label, value, NULL),
};
const struct lode_record lode_repo_label_record =
	LODE_RECORD_OF("label", label_fields, struct lode_repo_label);

static const struct lode_field job_fields[] = {
	LODE_LIST("skipped", struct lode_digest_job, skipped.at, skipped.n, &lode_skipped_record,
		  "unusable inputs"),
	LODE_LIST("incomplete", struct lode_digest_job, incomplete.at, incomplete.n,
		  &lode_skipped_record,
		  "truncated or damaged inputs: only the intact part was used"),
};
const struct lode_record lode_job_inputs_record =
	LODE_RECORD_OF("inputs", job_fields, struct lode_digest_job);

static const struct lode_field loss_fields[] = {
	LODE_FIELD(struct lode_loss_row, kind, NULL),
	LODE_FIELD(struct lode_loss_row, count, NULL),
	LODE_FIELD(struct lode_loss_row, detail, "description of the first one"),
};
const struct lode_record lode_loss_record =
	LODE_RECORD_OF("loss", loss_fields, struct lode_loss_row);

size_t lode_loss_note_rows(struct lode_loss_row rows[LODE_N_LOSS_KINDS],
			   const struct lode_loss_note *losses, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rows[i] = (struct lode_loss_row){
			.kind = lode_loss_name(losses[i].kind),
			.words = lode_loss_words(losses[i].kind, losses[i].count),
			.detail = losses[i].detail,
			.count = losses[i].count,
			.offset = losses[i].offset,
		};
	return n;
}

size_t lode_loss_rows(struct lode_loss_row rows[LODE_N_LOSS_KINDS],
		      const struct lode_losses *losses)
{
	struct lode_loss_note notes[LODE_N_LOSS_KINDS];

	return lode_loss_note_rows(rows, notes, lode_losses_list(notes, losses));
}

static const char *tree_text(const void *context, uint32_t id)
{
	const struct lode_calltree *tree = context;

	return tree->strings.text.at[id];
}

static const char *frame_name(const void *context, uint32_t id, char *buffer, size_t size)
{
	return lode_frame_full_name(context, id, buffer, size);
}

static const char *frame_label(const void *context, uint32_t id, char *buffer, size_t size)
{
	return lode_frame_label(context, id, buffer, size);
}

static const char *frame_module(const void *context, uint32_t id)
{
	return lode_frame_module(context, id);
}

struct lode_names lode_tree_names(const struct lode_calltree *tree)
{
	return (struct lode_names){.context = tree,
				   .text = tree_text,
				   .frame = frame_name,
				   .label = frame_label,
				   .module = frame_module};
}
