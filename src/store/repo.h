/*
 * Repository: the digests of many streams in one SQLite file, with what is known of each stream.
 *
 *   import --> digest   one per input, as lode_digest_pack writes it; most hold one stream
 *              stream   host, kernel, path, time, labels, symptoms: what queries ask for
 *              segment  merged digests of 16, 256, 4096 ... digests, with their name statistics
 *              signature, run
 *
 * Every change is one transaction, synced to the disk before the call returns (WAL, synchronous =
 * FULL): whatever happens, it is there whole or not at all. Several processes may read and write at
 * once; a writer waits for another. All digests of a repository have one shape (streams/shape.h),
 * that of the first.
 *
 * Segments make reading many streams cheap: a digest is merged again each time that 16 segments of
 * its size have come together, so log16(n) times, and n streams lie in at most 15 segments of each
 * size, until one has 16 MB. They hold nothing that the digests do not say: `lode repo compact`
 * rebuilds them.
 *
 * A handle is one thread's at a time. docs/formats/repository.md has the tables.
 */
#pragma once

#include "model/digest.h"
#include "store/digest_file.h"

struct lode_repo;
struct lode_repo_query;	     /* store/repo_query.h */
struct lode_repo_cover_form; /* store/repo_cover.h */
struct lode_repo_made_covers;

enum lode_repo_mode {
	LODE_REPO_READ,	  /* is never changed, not even brought up to date; a file without write
			     permission will do */
	LODE_REPO_WRITE,  /* must be there; an older schema is brought up to date */
	LODE_REPO_CREATE, /* is made if it is not there */
};

/*
 * LODE_ERR_UNSUPPORTED: a newer lode's; LODE_ERR_FORMAT: no repository, or damaged; LODE_ERR_IO:
 * cannot be opened, or locked for longer than a minute.
 */
int lode_repo_open(struct lode_repo **out, const char *path, enum lode_repo_mode mode,
		   struct lode_error *err);
/* False: this process was forked while another thread had a repository open. It has SQLite's locks
   as they were then, and lode_repo_open fails: fork again. */
bool lode_repo_may_open(void);
void lode_repo_close(struct lode_repo *repo); /* NULL does nothing */

const char *lode_repo_path(const struct lode_repo *repo);
/* Options that all digests were made with (streams/shape.h); NULL: it has none yet. */
const char *lode_repo_shape(const struct lode_repo *repo);

/* How long to wait for others that are writing; a minute if nothing is said. */
void lode_repo_wait_ms(struct lode_repo *repo, int ms);

/* Between these two all reading sees one state, whatever others write. */
int lode_repo_snapshot(struct lode_repo *repo, struct lode_error *err);
void lode_repo_snapshot_end(struct lode_repo *repo);

/*
 * Between these two no other process changes the repository: what was read is what is changed. All
 * changes are one transaction, which _end commits if `rc` is not negative, else none happens. Gives
 * rc, or why it could not commit. Reading needs no snapshot in between.
 */
int lode_repo_hold(struct lode_repo *repo, struct lode_error *err);
int lode_repo_hold_end(struct lode_repo *repo, int rc, struct lode_error *err);

/*
 * A number for what the repository's streams are at the moment, with their digests and labels:
 * another after each change of them, the same after one of signatures or runs, or after a
 * compaction. Costs nothing worth speaking of.
 */
int lode_repo_state(uint64_t *out, struct lode_repo *repo, struct lode_error *err);

/* ---- Adding ---- */

/* A free label of a stream: "release" = "2.1". Keys are [A-Za-z_][A-Za-z0-9_.-]* and none of the
   query language's own fields. */
struct lode_repo_label {
	const char *key, *value;
};

/* Where an input came from. */
struct lode_repo_source {
	const char *path; /* of the file, the same from every folder */
	uint64_t key; /* of the recording as it lies on the disk (streams/digest_dir.h); 0: none */
	size_t place; /* among the inputs of its import: of equal recordings the first counts */
	int64_t file_ns; /* the file's time since the epoch: of streams that do not know theirs */
};

/* One input, ready to be stored. */
struct lode_repo_entry;

/*
 * Takes `digest`, which holds at least one stream. `packed`: the bytes that it was read from, which
 * are copied; NULL: there are none. Needs no repository: any thread may make one.
 */
struct lode_repo_entry *lode_repo_entry_new(struct lode_digest *digest,
					    const struct lode_digest_origin *origin,
					    const struct lode_repo_source *source,
					    const struct lode_repo_label *labels, size_t n_labels,
					    const lode_byte_vec *packed);
void lode_repo_entry_free(struct lode_repo_entry *entry);

enum lode_repo_added {
	LODE_REPO_ADDED,
	LODE_REPO_THERE,    /* all its streams are in the repository: nothing changed */
	LODE_REPO_REPLACED, /* they were, and their digest is now this one */
	LODE_REPO_OVERLAPS, /* a merged digest of which only some are: nothing changed */
};

/*
 * Stores entries, all or none, in one transaction, and says of each what became of it. Another
 * shape than the repository's is LODE_ERR_ARG (lode_repo_shape tells before). `replace`: streams
 * that are there get their new digest and keep their labels.
 */
int lode_repo_add(struct lode_repo *repo, struct lode_repo_entry *const *entries, size_t n,
		  bool replace, enum lode_repo_added *added, struct lode_error *err);

/* Was that very file, unchanged, imported already, as digest `last` or an earlier one? 1 or 0. */
int lode_repo_has_source(struct lode_repo *repo, const char *path, uint64_t key, int64_t last,
			 struct lode_error *err);

/* Merges segments wherever 16 of a size are there; a transaction each. */
int lode_repo_settle(struct lode_repo *repo, struct lode_error *err);

/* Can it be the key of a label? */
bool lode_repo_label_is_key(const char *key, size_t len);

/* ---- Streams ---- */

struct lode_repo_stream {
	int64_t row;	       /* in the order of import */
	uint64_t content_hash; /* the id that people see; struct lode_digest_stream has the same */
	const char *path, *host, *kernel; /* path: of the recording, as it was given then */
	const char *source; /* what was imported, the same from every folder: it, or a digest */
	int64_t time_ns;    /* of its start, since the epoch (UTC) */
	bool is_clock;	    /* by the recording's wall clock; else its file's time */
	int64_t imported_ns;
	int64_t length_ns; /* of the recording */
	size_t n_symptoms;
	int64_t symptom_ns;		      /* sum of their lengths */
	const struct lode_repo_label *labels; /* by key, each once */
	size_t n_labels;
	int64_t digest, segment; /* where it lies; segment 0: in none yet. For store/ only */
};

/* `{ 0 }` is empty; texts are the arena's. */
struct lode_repo_streams {
	LODE_VEC(struct lode_repo_stream) list; /* by time, path, content_hash */
	struct lode_arena arena;
};

/* Appends the streams that a query picks; NULL: all. */
int lode_repo_find(struct lode_repo_streams *out, struct lode_repo *repo,
		   const struct lode_repo_query *query, struct lode_error *err);
/* The same for lode_repo_read alone, in any order: of each stream its row, content_hash and where
   it lies; all else is 0. */
int lode_repo_find_places(struct lode_repo_streams *out, struct lode_repo *repo,
			  const struct lode_repo_query *query, struct lode_error *err);
void lode_repo_streams_release(struct lode_repo_streams *streams);
/* Is any of the digest's streams there? 1 or 0. */
int lode_repo_has_any(struct lode_repo *repo, const struct lode_digest *digest,
		      struct lode_error *err);
/* NULL: it has none. */
const char *lode_repo_stream_label(const struct lode_repo_stream *stream, const char *key);

/* Takes them out of the repository, with what they added to segments and name statistics, all or
   none. Of a merged digest the names stay until its last stream goes: they are not known apart. */
int lode_repo_forget(struct lode_repo *repo, const struct lode_repo_streams *streams,
		     struct lode_error *err);

/* Sets a label of streams, in place of another of its key; `value` NULL: removes it. */
int lode_repo_set_label(struct lode_repo *repo, const struct lode_repo_streams *streams,
			const char *key, const char *value, struct lode_error *err);

/* ---- Digests ---- */

/*
 * The digest of these streams (of lode_repo_find, in any order), in canonical form
 * (model/digest_canonical.h): the same whatever order they were imported in. Its name statistics
 * are those of the whole repository. *out is NULL if there are none. `origin` must be `{ 0 }`.
 */
struct lode_repo_read_options {
	unsigned n_threads; /* 0: as many as there are CPUs */
	/* How many of the streams are merged; may be NULL. */
	void (*progress)(void *context, size_t n_done, size_t n_streams);
	void *progress_context;
	/* Covers in place of digests (store/repo_cover.h), without name statistics; NULL: digests.
	   `made` gets those of segments that were not there. */
	const struct lode_repo_cover_form *covers;
	struct lode_repo_made_covers *made;
};
int lode_repo_read(struct lode_digest **out, struct lode_digest_origin *origin,
		   struct lode_repo *repo, const struct lode_repo_streams *streams,
		   const struct lode_repo_read_options *options, struct lode_error *err);

/* Adds the name statistics of the whole repository to those of `digest`. */
int lode_repo_add_names(struct lode_digest *digest, struct lode_repo *repo, unsigned n_threads,
			struct lode_error *err);

/* ---- Signatures and runs: rows of text, whose meaning is their owners' ---- */

struct lode_repo_signature {
	int64_t id;	  /* 0: not in the repository yet */
	const char *name; /* unique */
	const char *bug, *owner, *kind, *reason, *pattern, *state, *note; /* "" if there is none */
	int64_t created_ns, changed_ns;					  /* since the epoch */
};

struct lode_repo_signatures {
	LODE_VEC(struct lode_repo_signature) list; /* by id */
	struct lode_arena arena;
};

int lode_repo_signatures(struct lode_repo_signatures *out, struct lode_repo *repo,
			 struct lode_error *err);
void lode_repo_signatures_release(struct lode_repo_signatures *signatures);

/*
 * Adds signatures with id 0 and changes those with an id, all or none, and sets the ids; times are
 * set by the caller. A name that is taken fails with LODE_ERR_ARG.
 */
int lode_repo_put_signatures(struct lode_repo *repo, struct lode_repo_signature *signatures,
			     size_t n, struct lode_error *err);
int lode_repo_remove_signature(struct lode_repo *repo, int64_t id, struct lode_error *err);

/* What the last mining of the repository showed: `lode sign --cluster 3` means that one. */
struct lode_repo_cluster {
	uint32_t rank; /* from 1 */
	uint64_t id;   /* struct lode_cluster's */
	const char *kind, *reason;
	int64_t own_ns, total_ns;
	const char *common; /* functions separated by ';', "*" for a gap */
	/* What a signature of it holds (answers/clusters/cluster_signatures.h): one pattern to a
	 * line. */
	const char *patterns;
};

struct lode_repo_run {
	int64_t created_ns;
	const char *where; /* the query; "": all */
	uint64_t n_streams;
	LODE_VEC(struct lode_repo_cluster) clusters; /* by rank */
	struct lode_arena arena;
};

/* Replaces the last run. */
int lode_repo_put_run(struct lode_repo *repo, const struct lode_repo_run *run,
		      struct lode_error *err);
/* 1, or 0 if there was none. */
int lode_repo_last_run(struct lode_repo_run *out, struct lode_repo *repo, struct lode_error *err);
void lode_repo_run_release(struct lode_repo_run *run);
