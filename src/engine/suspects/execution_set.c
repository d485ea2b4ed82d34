/* Set of executions with their metrics and stacks, spooled beyond a bound. */
#include "engine/suspects/execution.h"

#include <unistd.h>

#include "base/unnamed_file.h"

/*
 * Records lie in chunks. The first ones stay in memory; once those are all that is allowed, one
 * more chunk is filled, written out and filled again.
 */
enum { chunk_records = 1 << 15 }; /* 1 MiB */

/* From the stream's own stack ids to nodes of the set's tree. */
struct stack_map {
	uint32_t *node_of_raw;
	size_t n;
};

struct lode_execution_log {
	LODE_VEC(struct lode_execution *) kept; /* full ones that stay in memory */
	size_t max_kept;
	struct lode_execution *chunk; /* being filled */
	size_t n_chunk;
	int fd;				 /* what did not stay; -1: no file yet */
	size_t n_written;		 /* chunks in the file */
	LODE_VEC(struct stack_map) maps; /* by stream */
};

struct lode_execution_set *lode_execution_set_new(size_t memory_bytes)
{
	struct lode_execution_set *set = lode_alloc0(1, sizeof(*set));
	const size_t chunk_bytes = chunk_records * sizeof(struct lode_execution);

	lode_calltree_init(&set->tree);
	set->log = lode_alloc0(1, sizeof(*set->log));
	set->log->fd = -1;
	set->log->max_kept = memory_bytes / chunk_bytes;
	set->log->chunk = lode_alloc(chunk_bytes);
	return set;
}

static void log_free(struct lode_execution_log *log)
{
	lode_vec_release_each(&log->kept, it, free(*it));
	lode_vec_release_each(&log->maps, it, free(it->node_of_raw));
	free(log->chunk);
	if (log->fd >= 0)
		close(log->fd);
	free(log);
}

void lode_execution_set_free(struct lode_execution_set *set)
{
	if (!set)
		return;
	log_free(set->log);
	lode_calltree_release(&set->tree);
	lode_vec_release(&set->metrics);
	lode_vec_release(&set->streams);
	lode_map_release(&set->metric_index);
	lode_arena_release(&set->arena);
	free(set);
}

uint32_t lode_execution_set_metric(struct lode_execution_set *set, const char *name,
				   const char *unit)
{
	size_t len = strlen(name);
	uint64_t key = lode_hash_bytes(name, len, 0);
	struct lode_metric metric = {.unit = unit};
	uint32_t id;

	/* Keys are hashes of the names; equal hashes of different names step to the next key. */
	for (;; key++) {
		id = lode_map_find(&set->metric_index, key);
		if (id == LODE_NONE)
			break;
		if (strcmp(set->metrics.at[id].name, name) == 0)
			return id;
	}
	id = (uint32_t)set->metrics.n;
	metric.name = lode_arena_strndup(&set->arena, name, len);
	lode_vec_append(&set->metrics, metric);
	*lode_map_slot(&set->metric_index, key) = id;
	return id;
}

void lode_execution_set_begin(struct lode_execution_set *set, const char *path)
{
	lode_vec_append(&set->streams, lode_arena_strndup(&set->arena, path, strlen(path)));
	lode_vec_append(&set->log->maps, (struct stack_map){0});
}

static int write_chunk(struct lode_execution_log *log, struct lode_error *err)
{
	const size_t size = chunk_records * sizeof(*log->chunk);
	int rc = log->fd < 0 ? lode_unnamed_file_open(&log->fd, err) : LODE_OK;

	if (rc == LODE_OK)
		rc = lode_unnamed_file_write(log->fd, log->chunk, size,
					     (int64_t)(log->n_written * size), err);
	if (rc < 0) {
		lode_error_context(err, "storing executions");
		return rc;
	}
	log->n_written++;
	return LODE_OK;
}

/* Makes room in the chunk that is being filled. */
static int next_chunk(struct lode_execution_log *log, struct lode_error *err)
{
	if (log->kept.n < log->max_kept) {
		lode_vec_append(&log->kept, log->chunk);
		log->chunk = lode_alloc(chunk_records * sizeof(*log->chunk));
	} else if (write_chunk(log, err) < 0) {
		return LODE_ERR_IO;
	}
	log->n_chunk = 0;
	return 0;
}

int lode_execution_set_append(struct lode_execution_set *set,
			      const struct lode_execution *execution, struct lode_error *err)
{
	struct lode_execution_log *log = set->log;
	struct lode_execution *to;

	if (log->n_chunk == chunk_records && next_chunk(log, err) < 0)
		return LODE_ERR_IO;
	to = &log->chunk[log->n_chunk++];
	*to = *execution;
	to->stream = (uint32_t)set->streams.n - 1;
	set->n++;
	return 0;
}

void lode_execution_set_end(struct lode_execution_set *set, const uint32_t *node_of_raw,
			    size_t n_raw)
{
	struct stack_map *map = &set->log->maps.at[set->streams.n - 1];

	map->node_of_raw = lode_alloc(n_raw * sizeof(*node_of_raw));
	map->n = n_raw;
	if (n_raw)
		memcpy(map->node_of_raw, node_of_raw, n_raw * sizeof(*node_of_raw));
}

/* ---- Reading ---- */

struct reader {
	const struct lode_execution_log *log;
	struct lode_execution *batch; /* of batch_records */
	void (*take)(void *context, const struct lode_execution *at, size_t n);
	void *context;
};

enum { batch_records = 1 << 11 }; /* 64 KiB: stays in the cache between copying and taking */

static void give(const struct reader *reader, const struct lode_execution *at, size_t n)
{
	const struct stack_map *map;
	size_t n_batch;

	for (; n > 0; at += n_batch, n -= n_batch) {
		n_batch = n < batch_records ? n : batch_records;
		for (size_t i = 0; i < n_batch; i++) {
			map = &reader->log->maps.at[at[i].stream];
			reader->batch[i] = at[i];
			reader->batch[i].stack =
				at[i].stack < map->n ? map->node_of_raw[at[i].stack] : 0;
		}
		reader->take(reader->context, reader->batch, n_batch);
	}
}

static int read_chunk(struct lode_execution *chunk, const struct lode_execution_log *log,
		      size_t index, struct lode_error *err)
{
	const size_t size = chunk_records * sizeof(*chunk);

	return lode_unnamed_file_read(log->fd, chunk, size, (int64_t)(index * size), err);
}

static int give_written(const struct reader *reader, struct lode_error *err)
{
	struct lode_execution *chunk = lode_alloc(chunk_records * sizeof(*chunk));
	int rc = 0;

	for (size_t i = 0; i < reader->log->n_written && rc == 0; i++) {
		rc = read_chunk(chunk, reader->log, i, err);
		if (rc == 0)
			give(reader, chunk, chunk_records);
	}
	free(chunk);
	return rc;
}

int lode_execution_set_each(struct lode_execution_set *set,
			    void (*take)(void *context, const struct lode_execution *at, size_t n),
			    void *context, struct lode_error *err)
{
	struct reader reader = {.log = set->log, .take = take, .context = context};
	int rc = 0;

	reader.batch = lode_alloc(batch_records * sizeof(*reader.batch));
	for (size_t i = 0; i < set->log->kept.n; i++)
		give(&reader, set->log->kept.at[i], chunk_records);
	if (set->log->n_written)
		rc = give_written(&reader, err);
	if (rc == 0)
		give(&reader, set->log->chunk, set->log->n_chunk);
	free(reader.batch);
	return rc;
}
