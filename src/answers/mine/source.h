/*
 * One function from the inside: its source with the cost of each line, and its machine code with
 * that of each instruction, in the symptoms of one recording. "lode/mine-source/1".
 *
 *   recording, again --> cost per address --> lines of DWARF --> text of the source files
 *                              +-----------> instructions of the program
 *
 * Files are those that the recorded programs' debug information names, below --source-dir; nothing
 * that is asked for becomes a path.
 */
#pragma once

#include "engine/mine/mine.h"
#include "document/fields.h"
#include "document/text_page.h"
#include "input/symbols/source_text.h"
#include "streams/stream_set.h"

extern const struct lode_document lode_mine_source_document;

struct lode_mine_source;

/*
 * `function`: "module!function", as documents call it. `dirs`: folders of source. `stream`: in
 * which recording; LODE_NONE: the one that it costs most. LODE_ERR_EMPTY: no stack has it;
 * LODE_ERR_IO: the recording is gone; LODE_ERR_UNSUPPORTED: it has no addresses. What borrows from
 * `digest` and `set` must not outlive them.
 */
int lode_mine_source_make(struct lode_mine_source **out, const struct lode_digest *digest,
			  const struct lode_stream_set *set, const char *function, uint32_t stream,
			  const struct lode_digest_job_options *reading,
			  const struct lode_source_dirs *dirs, struct lode_error *err);
void lode_mine_source_free(struct lode_mine_source *source);

/* Where the recording of a stream lies: a repository knows it from every folder. */
const char *lode_mine_file_of(const struct lode_digest *digest, const struct lode_stream_set *set,
			      uint32_t stream);

void lode_mine_source_json(FILE *out, const struct lode_mine_source *source);
/* For terminals. */
void lode_mine_source_text(FILE *out, const struct lode_mine_source *source,
			   const struct lode_text_page *page);
