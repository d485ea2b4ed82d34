/*
 * lode info: what recordings hold, and what they can be trusted with.
 *
 *	request --> each input: read, assessed --> answer --> text, JSON
 *
 * What is measured and advised: engine/quality/quality.h. Of a recording only that is kept, so
 * that any number of them can be looked at, one in memory at a time.
 */
#pragma once

#include "engine/quality/quality.h"
#include "document/fields.h"
#include "answers/input_fields.h"
#include "document/findings.h"
#include "document/text_page.h"
#include "input/source.h"

/* Shares of cost, 0 to 100; 0 where nothing is to have a share of. */
struct lode_info_flaws {
	double no_stack_pct, unrooted_pct, skips_caller_pct, truncated_pct, kernel_only_pct,
		unknown_pct, leaf_unknown_pct, no_waker_pct, inferred_pct, unsampled_pct;
};

struct lode_info_module {
	const char *name, *build_id, *symbols;
	double unknown_pct; /* of its cost, in frames without a symbol */
	int64_t cost_ns, unknown_ns;
	uint64_t n_addresses, n_unknown;
};

/* One recording. Members without a comment are those of struct lode_stream. */
struct lode_info_stream {
	struct lode_opening opening;
	const char *path, *format, *unit, *host, *kernel, *arch, *command;
	uint64_t id;
	uint32_t n_cpus;
	int64_t t0_ns, t1_ns, wall_offset_ns;
	bool has_wall_clock;
	uint64_t n_samples;
	const char **lacks; /* what its bundle lacks (input/bundle_notes.h) */
	size_t n_lacks;
	struct lode_event_count *events;
	size_t n_events, n_empty_events; /* of which the recording has none */
	uint64_t n_lost_records, n_lost_events;
	double lost_pct; /* lode_lost_pct */
	uint64_t n_idle_gaps;
	struct lode_loss_row *loss_rows; /* the kinds that there are */
	size_t n_loss_rows;
	const char *cut; /* what could not be read of it; NULL: nothing */
	struct lode_quality quality;
	struct lode_info_flaws machine;
	const struct lode_info_flaws *of_command; /* NULL: no command is known */
	struct lode_info_module *modules;	  /* as the recording lists them */
	size_t n_modules, n_more_modules;
	/* Those with a cost, by what of it has no symbol: what to give symbols to first. */
	const struct lode_info_module **worst;
	size_t n_worst;
	const char **advice; /* the command that records better last */
	size_t n_advice;
};

/* What there is to say once it is known: one of these. */
struct lode_info_news {
	const struct lode_info_stream *stream;
	const struct lode_error *skipped;
	size_t n_other; /* files of folders that are no inputs */
};

struct lode_info_request {
	char *const *inputs; /* recordings, folders of them */
	size_t n_inputs;
	struct lode_source_options source;  /* but for the symboliser, */
	struct lode_symbol_options symbols; /* which is made of these */
	size_t top;			    /* longest list; 0: no bound */
	const struct lode_asked *asked;	    /* NULL: by no command line */
	/* Called in the order of the inputs, while they are read; may be NULL. */
	void (*tell)(void *context, const struct lode_info_news *news);
	void *context;
};

struct lode_info_answer {
	struct lode_info_stream *streams;
	size_t n_streams;
	bool is_list; /* there was more than one input */
	const struct lode_skipped_input *skipped;
	size_t n_skipped;

	struct lode_info_state *state; /* what all of this points into */
};

/*
 * `*out` is the caller's to free, also on failure. An input that cannot be read is no failure: it
 * is in `skipped`. Fails as lode_inputs_expand and lode_symboliser_new.
 */
int lode_info_run(struct lode_info_answer **out, const struct lode_info_request *request,
		  struct lode_error *err);
void lode_info_free(struct lode_info_answer *answer);

/* "lode/info/1": of an answer with a stream. */
extern const struct lode_document lode_info_document;

/* What is said first of a recording. */
struct lode_opening lode_info_opening(const struct lode_info_stream *stream,
				      const struct lode_asked *asked, struct lode_arena *arena);
void lode_info_text(FILE *out, const struct lode_info_stream *stream,
		    const struct lode_text_page *page);
