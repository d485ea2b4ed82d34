/*
 * What commands say on stderr, and the exit codes that go with it.
 */
#pragma once

#include "tool/command.h"
#include "streams/digest_job.h"

/* Says the error, names made harmless for terminals. Gives the exit code for its status. */
int lode_say_error(const struct lode_command *self, const struct lode_error *err);

/* What was skipped or is incomplete, as lode_say_inputs, and how many files were passed over. */
void lode_say_skipped(const struct lode_command *self, const struct lode_digest_job *job);

/* Says how many files of folders were passed over: neither by name nor by content are they inputs.
   Nothing of 0. */
void lode_say_other_files(const struct lode_command *self, size_t n);

/* Inputs of which a part could not be read. */
void lode_say_incomplete(const struct lode_command *self, const struct lode_skipped_input *inputs,
			 size_t n);

/* `what`: "skipped". "PATH: skipped: REASON" for each; of more than 20, one line for each kind of
   reason, with their number. */
void lode_say_inputs(const struct lode_command *self, const char *what,
		     const struct lode_skipped_input *inputs, size_t n);

/*
 * What was said of inputs, for commands that run several analyses on the same ones: the same path
 * with the same reason is said once. `{ 0 }`: nothing yet; NULL: everything is said.
 */
struct lode_said {
	struct lode_strings texts;
};
/* Is this new? From now on it is not. */
bool lode_said_add(struct lode_said *said, const char *path, const char *reason);
void lode_said_release(struct lode_said *said);
/* As without: but for what was said. */
void lode_say_skipped_once(const struct lode_command *self, const struct lode_digest_job *job,
			   struct lode_said *said);
void lode_say_inputs_once(const struct lode_command *self, const char *what,
			  const struct lode_skipped_input *inputs, size_t n,
			  struct lode_said *said);

/* Says one line: "lode mine: ...". Names in it must be harmless already. */
void lode_say(const struct lode_command *self, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
