/* The document of one function from the inside. */
#include "answers/input_fields.h"
#include "answers/mine/source_rows.h"

static const char nothing_spent[] = "nothing was spent there";

static const struct lode_field cost_fields[] = {
	LODE_FIELD(struct lode_source_cost, exclusive_ns, "exclusive cost: in this code itself",
		   .absent = nothing_spent),
	LODE_FIELD(struct lode_source_cost, inclusive_ns,
		   "inclusive cost: with everything called from there", .absent = nothing_spent),
	LODE_FIELD(struct lode_source_cost, running_ns, "of inclusive_ns", .absent = nothing_spent),
	LODE_FIELD(struct lode_source_cost, waiting_ns, "of inclusive_ns", .absent = nothing_spent),
	LODE_FIELD(struct lode_source_cost, ready_ns, "of inclusive_ns", .absent = nothing_spent),
};
LODE_RECORD(cost, struct lode_source_cost);

static const struct lode_field line_fields[] = {
	LODE_FIELD(struct lode_source_line_row, line, "its number, from 1"),
	LODE_FIELD(struct lode_source_line_row, text, NULL,
		   .absent = "the file is missing or has fewer lines"),
	LODE_FIELDS_OF(struct lode_source_line_row, cost, &cost_record),
};
LODE_RECORD(line, struct lode_source_line_row);

static const struct lode_field file_fields[] = {
	LODE_FIELD(struct lode_source_file_row, path, "as named by the debug information"),
	LODE_FIELD(struct lode_source_file_row, found, "below --source-dir, whose text is shown",
		   .absent = "lines have no text"),
	LODE_FIELD(struct lode_source_file_row, missing, "why lines have no text",
		   .absent = "they do"),
	LODE_FIELD(struct lode_source_file_row, is_newer,
		   "changed after the program was built: lines may have moved"),
	LODE_FIELD(struct lode_source_file_row, inclusive_ns, "of its lines"),
	LODE_LIST("lines", struct lode_source_file_row, lines, n_lines, &line_record,
		  "the function's lines, and the surroundings of other lines with a cost"),
	LODE_FIELD_AS("more", struct lode_source_file_row, n_more,
		      "lines with a cost that are left out", .absent = "none are left out"),
};
LODE_RECORD(file, struct lode_source_file_row);

static const struct lode_field instruction_fields[] = {
	LODE_FIELD(struct lode_source_instruction_row, address,
		   "address in the file, as in objdump"),
	LODE_FIELD(struct lode_source_instruction_row, text, "in AT&T syntax on x86"),
	LODE_FIELD_OF("file", LODE_TYPE_INDEX, struct lode_source_instruction_row, file,
		      "index into `files`; -1: another file, or unknown"),
	LODE_FIELD(struct lode_source_instruction_row, line, NULL, .absent = "it is not known"),
	LODE_FIELDS_OF(struct lode_source_instruction_row, cost, &cost_record),
};
LODE_RECORD(instruction, struct lode_source_instruction_row);

static const struct lode_field code_fields[] = {
	LODE_FIELD(struct lode_source_code_row, module, NULL),
	LODE_FIELD(struct lode_source_code_row, start, "address of the symbol"),
	LODE_FIELD(struct lode_source_code_row, missing, "why there are no instructions",
		   .absent = "they are shown"),
	LODE_FIELDS_OF(struct lode_source_code_row, cost, &cost_record),
	LODE_LIST("instructions", struct lode_source_code_row, instructions, n_instructions,
		  &instruction_record,
		  "all; of a long function only those near instructions with a cost"),
	LODE_FIELD_AS("more", struct lode_source_code_row, n_more, "instructions left out",
		      .absent = "none are left out"),
};
LODE_RECORD(code, struct lode_source_code_row);

static const struct lode_field stream_fields[] = {
	LODE_FIELD_OF("path", LODE_TYPE_NAME, struct lode_digest_stream, path, NULL),
	LODE_FIELD_ID("id", struct lode_digest_stream, content_hash, NULL),
};
LODE_RECORD(stream, struct lode_digest_stream);

static const struct lode_field recording_fields[] = {
	LODE_FIELDS_AT(struct lode_source_stream_row, stream, &stream_record),
	LODE_MAP_FIELD("labels", struct lode_source_stream_row, labels, n_labels,
		       &lode_repo_label_record, "of the repository", .absent = "it has none"),
	LODE_FIELD(struct lode_source_stream_row, inclusive_ns, NULL),
	LODE_FIELD(struct lode_source_stream_row, exclusive_ns, NULL),
};
LODE_RECORD(recording, struct lode_source_stream_row);

static const struct lode_field source_fields[] = {
	LODE_FIELD(struct lode_mine_source, unit, NULL),
	LODE_FIELD(struct lode_mine_source, function, NULL),
	LODE_FIELD_POINTER("stream", struct lode_mine_source, stream, &stream_record,
			   "the recording read again"),
	LODE_FIELD_AS("streams", struct lode_mine_source, n_streams,
		      "recordings in which the function has a cost"),
	LODE_FIELD(struct lode_mine_source, all_ns,
		   "inclusive cost of the function in all of these"),
	LODE_LIST("recordings", struct lode_mine_source, recordings, n_recordings,
		  &recording_record, "these, costliest first; each may have a different build"),
	LODE_FIELD_AS("more_recordings", struct lode_mine_source, n_more_recordings, NULL,
		      .absent = "none are left out"),
	LODE_FIELD(struct lode_mine_source, symptom_ns, "of the recording"),
	LODE_FIELDS_OF(struct lode_mine_source, cost, &cost_record),
	LODE_FIELD_RECORD("unplaced", struct lode_mine_source, unplaced, &cost_record,
			  "cost of code without line information"),
	LODE_FIELD(struct lode_mine_source, no_lines, "why there is none, and how to add it",
		   .absent = "all lines are known"),
	LODE_LIST("files", struct lode_mine_source, files, n_files, &file_record,
		  "costliest first"),
	LODE_LIST("code", struct lode_mine_source, code, n_code, &code_record,
		  "code of the function, of its parts, or of functions that inline it; costliest "
		  "first"),
	LODE_FIELD_AS("more_code", struct lode_mine_source, n_more_code, NULL,
		      .absent = "none are left out"),
};
LODE_RECORD(source, struct lode_mine_source);

const struct lode_document lode_mine_source_document = {
	.schema = "lode/mine-source/1",
	.file = "mine-source",
	.title = "lode mine --source, and lode serve: GET source?function=NAME",
	.doc = "The cost of each source line and each instruction of one function.",
	.record = &source_record,
};

void lode_mine_source_json(FILE *out, const struct lode_mine_source *source)
{
	struct lode_names names = lode_tree_names(&source->digest->tree);

	lode_document_put(out, &lode_mine_source_document, source, &names);
}
