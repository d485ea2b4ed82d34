/*
 * A cluster in a word or two, and in a few lines, as the table in the terminal has it.
 */
#pragma once

#include "engine/mine/mine.h"

/*
 * What a cluster's own cost is made of: waits by the reason of the symptom's own wait, whatever
 * others did meanwhile (chained stacks end there), save for the time in which a thread of the chain
 * had no CPU, as others had it ("ready"); then its own running time ("cpu"), and "unknown". Sums to
 * own_ns.
 */
struct lode_cluster_part {
	const char *name;
	int64_t cost_ns;
};
enum { LODE_CLUSTER_PARTS = LODE_N_REASONS + 2 };
/* Those that there are, by cost; gives how many. */
size_t lode_cluster_parts(struct lode_cluster_part parts[LODE_CLUSTER_PARTS],
			  const struct lode_cluster *cluster);
/* What the last threads of its chains did (engine/mine/chain_ends.h), by cost; sums to own_ns. */
size_t lode_cluster_ends(struct lode_cluster_part ends[LODE_N_ENDS],
			 const struct lode_cluster *cluster);
/* The first of these with its share, and the second if it is a third of the cost, each with what
   the symptom's thread waited in for them: "lock → disk 92 %", "cpu 51 %, ready 40 %". */
const char *lode_cluster_why(char *buffer, size_t size, const struct lode_cluster *cluster);
/* The same as a table's cell, in the colour of its largest part. */
struct lode_table;
void lode_cluster_set_why(struct lode_table *table, size_t row, size_t column,
			  const struct lode_cluster *cluster);
enum { LODE_CELL_LINES = 4 };
/* Its headline as a table's last cell, of `max_lines` (LODE_CELL_LINES at most) (headline.h). */
void lode_cluster_set_headline(struct lode_table *table, size_t row, size_t column,
			       const struct lode_mined *mined, const struct lode_cluster *cluster,
			       size_t room, size_t more_room, size_t max_lines);
/* The kind of event that most of the cluster's own cost is. */
enum lode_event_kind lode_cluster_kind(const struct lode_cluster *cluster);
/* The reason of most of its waits, LODE_REASON_NONE when it never waited. */
enum lode_wait_reason lode_cluster_reason(const struct lode_cluster *cluster);

/* Its headline in one line (headline.h), safe for terminals. */
const char *lode_finding_line(struct lode_arena *arena, const struct lode_mined *mined,
			      const struct lode_cluster *cluster);
/* The name that it is best known by: in the thread with which its headline ends, the program's
   function that tells most; where there is none, its largest branch, or the thread. */
const char *lode_finding_known_by(struct lode_arena *arena, const struct lode_mined *mined,
				  const struct lode_cluster *cluster);
/* The same for a sentence: branches all, with their shares: "scrub → scrub_personal_data 49 %,
   write 31 %". */
const char *lode_finding_name(struct lode_arena *arena, const struct lode_mined *mined,
			      const struct lode_cluster *cluster);
/* What the last threads of its chains did: "disk 92 %". */
const char *lode_finding_why(struct lode_arena *arena, const struct lode_cluster *cluster);

/* Texts are the arena's, and safe for terminals. */
struct lode_cluster_brief {
	const char *why;    /* what most of its own cost is, in a word or two */
	const char **lines; /* the functions that tell most, a line per thread */
	size_t n_lines;
	const char *variants; /* those that tell most, in a line; "" if there are none */
};

/* `cluster` is one of mined->clusters. */
const struct lode_cluster_brief *lode_cluster_brief_of(const struct lode_mined *mined,
						       const struct lode_cluster *cluster,
						       struct lode_arena *arena);

/* Below it, ready time is what every machine has. */
enum { LODE_BUSY_PCT = 5 };

/*
 * "cc1 62 %, postgres 20 %, others 18 %": the threads that ran in `ready_ns`, the first `most` of
 * them. Their names are made harmless for terminals.
 */
const char *lode_who_ran(char *text, size_t size, const struct lode_digest *digest,
			 const struct lode_digest_runner *runners, size_t n, int64_t ready_ns,
			 size_t most);
