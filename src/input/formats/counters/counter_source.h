/*
 * Files of performance counters -> counter log (model/counters.h). The format is recognised by
 * content:
 *
 *   table        CSV, TSV or ';' with a header and a column of times; wide (a column per counter,
 *                maybe one that names the server) or long (time, counter, value)
 *   dstat        CSV of dstat, dool and pcp-dstat
 *   relog        CSV and TSV of Windows' performance monitor ("(PDH-CSV 4.0)")
 *   collectd     its CSV files ("epoch,value"): host, plugin and type are the path's last parts
 *   sadf         `sadf -d` text, `sadf -j` JSON, and sar's binary files, through sadf
 *   prometheus   the JSON of a range query; or the query itself, "prometheus:http://..."
 *   chrome       counter events of Chrome's traces
 *   pcp          archives of Performance Co-Pilot, when lode was built with libpcp
 *
 * Plain or compressed. What cannot be read is counted in the log's losses.
 */
#pragma once

#include "base/lines.h"
#include "model/counters.h"

struct lode_counter_facts {
	const char *format; /* in words */
	uint64_t n_rows;
	bool is_zone_assumed; /* times had no zone: the process' TZ was taken */
};

/*
 * Reads one file, every file of counters in a folder and its folders, or asks Prometheus. `server`
 * names whose counters they are where the file does not say; NULL: the
 * file's name without endings and without "counters_" or "counters-" before it. Fails when nothing
 * in it is a sample.
 */
int lode_counters_read(struct lode_counter_log *log, const char *path, const char *server,
		       struct lode_counter_facts *facts, struct lode_error *err);

/* Whether `path` asks Prometheus. */
bool lode_counters_is_query(const char *path);
/*
 * The same query from `start_ns` (INT64_MIN: its own start) to `end_ns`, to be freed; NULL: it is
 * wrong. *step_ns: how often there is a value.
 */
char *lode_counters_query_between(const char *path, int64_t start_ns, int64_t end_ns,
				  int64_t *step_ns, struct lode_error *err);

/* The same of a part of plain text in memory; `name` stands for its path. */
int lode_counters_read_text(struct lode_counter_log *log, const char *name,
			    const struct lode_text_part *part, const char *server,
			    struct lode_counter_facts *facts, struct lode_error *err);
