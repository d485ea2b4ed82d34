/*
 * Covers of digests: the same streams, symptoms and costs, with the signatures that match a stack
 * in its place.
 *
 *   digest                                  cover, of signatures 3 and 17
 *   symptom 0  main;load;stat   disk  60    symptom 0  "3,17"  wait   60
 *              main;load;read   disk  25               "3"     wait   40
 *              main;load;mmap   disk  15               ""      wait   40
 *              main;draw        disk  40
 *
 * Coverage is a sum over rows by what matches them, so that of a cover it is what it is of the
 * digest, to the last byte; and a cover is made of one digest alone, so that covers can be kept and
 * merged like digests (store/repo_cover.h). A signature is a number there, which stands for what
 * matches: kinds, reasons and patterns. Its name, owner and state may change; one that is gone is
 * passed over.
 */
#pragma once

#include "engine/signatures/signature_match.h"
#include "model/signature.h"
#include "store/repo_cover.h"

struct lode_covers;

/*
 * Of a repository's streams; `signatures` is borrowed. Gives signatures their numbers in the
 * repository, if it can be written. Fails as lode_signature_matcher_new does.
 */
int lode_covers_new(struct lode_covers **out, const struct lode_signatures *signatures,
		    struct lode_repo *repo, struct lode_error *err);
void lode_covers_free(struct lode_covers *covers);

/* Within a snapshot of the repository: what lode_repo_read needs. Borrowed; *made is NULL where
   none could be kept. */
int lode_covers_form(const struct lode_repo_cover_form **form, struct lode_repo_made_covers **made,
		     struct lode_covers *covers, struct lode_repo *repo, struct lode_error *err);
/* After it: keeps what was made. That it could not is no failure. */
void lode_covers_keep(struct lode_covers *covers, struct lode_repo *repo);

/* As lode_signature_match of the digests would be: of the cover's rows. */
void lode_covers_match(struct lode_signature_match *out, const struct lode_covers *covers,
		       const struct lode_digest *cover);
