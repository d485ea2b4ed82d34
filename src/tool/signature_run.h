/*
 * Running a command that holds streams against signatures (lode coverage, lode triage): twice over
 * its command line, since the repository says how its digests were made.
 *
 *   words --> where signatures are --> repository --> its options + words --> the command itself
 */
#pragma once

#include "tool/aoi_options.h"
#include "tool/signature_options.h"

/* What parts one such command from another; `values` is its own struct of them. */
struct lode_signature_run {
	size_t size; /* of that struct, which is all 0 but for these, by their offsets: */
	size_t known_at, aoi_at, input_at; /* struct lode_signature_values, lode_aoi_values and
					      lode_input_options */
	size_t top_at;			   /* a size_t: SIZE_MAX unless --top is given */
	/* What is wrong was said: gives an exit code. Settles what signatures need. */
	int (*check)(const struct lode_command *self, void *values, size_t n_inputs);
	/* With the sources open; gives the exit code. */
	int (*run)(const struct lode_command *self, const void *values,
		   const struct lode_signature_sources *sources, char **inputs, size_t n_inputs);
};

/* Of lode_command.run: gives the exit code. `values` need not be initialised. */
int lode_signature_run(const struct lode_signature_run *how, const struct lode_command *self,
		       void *values, int argc, char **argv);
