/*
 * An entry: what is stored of one input, worked out before the repository is touched. Inside of
 * store/repo*.c.
 */
#pragma once

#include "store/repo.h"

enum { LODE_REPO_UID_BYTES = 17 };

/* Symptoms of one stream that have a comm in common. */
struct lode_entry_symptoms {
	const char *comm;
	uint64_t n;
	int64_t total_ns, longest_ns;
};

struct lode_entry_stream {
	char uid[LODE_REPO_UID_BYTES];
	const char *path, *host, *kernel;
	int64_t time_ns, length_ns, symptom_ns;
	bool is_clock;
	size_t n_symptoms;
	LODE_VEC(struct lode_entry_symptoms) symptoms; /* by comm */
};

/* What an entry is beside an equal one that came before it, of the same import. */
enum lode_entry_turn {
	LODE_TURN_ONLY,	 /* there is none */
	LODE_TURN_LATER, /* has the later place: nothing is to be done */
	LODE_TURN_ADDS,	 /* has the earlier place, and the other was new: comes in its place */
};

struct lode_repo_entry {
	size_t place;
	enum lode_entry_turn turn;
	struct lode_digest *digest; /* NULL once it was taken */
	lode_byte_vec packed;
	const char *shape, *symptom_text, *source;
	uint64_t key, n_beside;
	int64_t input_bytes, content_bytes;
	LODE_VEC(struct lode_entry_stream) streams;
	LODE_VEC(struct lode_repo_label) labels;
	struct lode_arena arena;
};

/*
 * Within a transaction: the streams of `digest`, which are the entry's, get its digest, times and
 * symptoms, and keep their labels. 1, or 0: the digest holds other streams as well.
 */
int lode_repo_replace(struct lode_repo *repo, const struct lode_repo_entry *entry, int64_t digest,
		      struct lode_error *err);

void lode_repo_uid(char uid[LODE_REPO_UID_BYTES], uint64_t content_hash);
/* The same back; 0 of NULL. */
uint64_t lode_repo_uid_hash(const char *uid);
