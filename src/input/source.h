/*
 * Sources: files of any format lode reads -> lode_stream. The format is recognised by content.
 */
#pragma once

#include "base/manifest.h"
#include "model/builder.h"
#include "model/stream.h"
#include "model/tap.h"
#include "input/format.h"
#include "input/symbols/function_addresses.h"
#include "input/symbols/symbols.h"

struct lode_source_options {
	struct lode_symboliser *symboliser; /* shared; NULL only for formats with names inside */
	struct lode_narrow narrow;
	unsigned n_threads;		  /* threads that one stream may use */
	size_t memory_bytes;		  /* bound; 0: lode_memory_budget(0) */
	enum lode_event_kind folded_kind; /* --kind, for folded stacks */
	const char *unit;		  /* --unit, for folded stacks */
	/* The function whose frames are kept apart by address, in formats that have addresses;
	   NULL: none. */
	struct lode_function_addresses *addresses;
	const struct lode_tap *tap; /* gets the events as they stand in the recording, from
				       sources that have any; may be NULL */
	/* Bytes read so far of this stream; may be NULL. May be called from any thread. */
	void (*progress)(void *context, int64_t consumed_bytes);
	void *progress_context;
};

/* Recognises and reads an input that is at its beginning. */
int lode_stream_read(struct lode_stream **out, struct lode_input *input,
		     const struct lode_source_options *options, struct lode_error *err);
/* Opens, recognises, reads. */
int lode_stream_load(struct lode_stream **out, const char *path,
		     const struct lode_source_options *options, struct lode_error *err);

/*
 * The files behind the arguments: a directory means every file in it, and in the bundles of `lode
 * record` in it (not below), that a source recognises, sorted by name; a file named by the user is
 * taken as it is, and a manifest (base/manifest.h) means all that it names. Paths that cannot be
 * opened are reported through `skipped`, and so are files of a directory that are named like an
 * input, or begin nearly like one, and are not recognised (input/file_names.h). Other files of a
 * directory are counted, but for those that belong to recordings (symptoms.tsv, what is in a
 * bundle).
 */
struct lode_inputs {
	lode_path_list paths;
	/* What a manifest says of each path, NULL where none does; empty: there is no manifest. */
	LODE_VEC(const struct lode_manifest_line *) lines;
	LODE_VEC(struct lode_manifest) manifests;
	size_t n_other; /* files of directories that are no inputs */
	struct lode_skipped {
		char *path;
		char *reason;
	} * skipped;
	size_t n_skipped;
};
/* Fails on a manifest that is not understood; `out` is `{ 0 }` then. */
int lode_inputs_expand(struct lode_inputs *out, char *const *arguments, size_t n,
		       struct lode_error *err);
/* As lode_inputs_expand, and files of directories count as well that `is_wanted` recognises; they
   are named like `wanted`, a set of enum lode_holds. */
int lode_inputs_expand_with(struct lode_inputs *out, char *const *arguments, size_t n,
			    bool (*is_wanted)(const uint8_t *head, size_t size), unsigned wanted,
			    struct lode_error *err);
/* Lists an input as skipped. */
void lode_inputs_skip(struct lode_inputs *inputs, const char *path, const char *reason);
void lode_inputs_release(struct lode_inputs *inputs);
