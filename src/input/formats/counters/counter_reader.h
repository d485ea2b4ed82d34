/*
 * What readers of counter files share. Inside of input/formats/counters only.
 */
#pragma once

#include <math.h>

#include "base/ascii.h"
#include "base/log_time.h"
#include "base/map.h"
#include "model/counters.h"
#include "input/formats/counters/counter_source.h"
#include "input/format.h"

/* One file being read. A format's read_counters gives LODE_OK or fails; `facts->n_rows` says
   whether anything was read. */
struct lode_counter_reader {
	struct lode_counter_log *log;
	struct lode_input *input;
	const struct lode_text_part *part; /* that the input is; NULL: it is a file */
	const char *path;
	const char *server; /* whose counters they are, as far as the file does not say */
	bool is_server_given;
	const char *unnamed; /* what series without a name are called; NULL: "value" */
	char host[256];	     /* what the file says of the whole of it */
	struct lode_counter_facts *facts;
	struct lode_log_clock clock;
	struct lode_log_zone zone;
	int64_t last_ns;
	/* Counters that come one by one: "server\0name" -> group of its own. */
	struct lode_strings series;
	LODE_VEC(uint32_t) groups;
	LODE_VEC(char) key;
};

/* A time as text, by its zone or the process'. */
bool lode_counter_time(struct lode_counter_reader *reader, int64_t *out_ns, const char *text,
		       size_t len);

/* The file says whose counters all of it are: taken unless the user said so. */
void lode_counter_host(struct lode_counter_reader *reader, const char *host, size_t len);

/* One value of one counter. */
void lode_counter_add(struct lode_counter_reader *reader, const char *server, const char *name,
		      enum lode_counter_kind kind, int64_t t_ns, double value);

/* The line whose samples come next. */
void lode_counter_place(struct lode_counter_reader *reader, int64_t offset, int64_t line);

/* Counts a line or a row that is none. */
void lode_counter_bad(struct lode_counter_reader *reader, int64_t offset, int64_t line,
		      const char *what);

/* A decimal number, maybe signed, with or without an exponent; NaN: empty, "-" or no number, the
   last of which sets *is_bad. */
double lode_counter_number(const char *text, size_t len, bool *is_bad);
