/*
 * Layout of a log's lines: where in a line each role's text stands. Inside of input/formats/log
 * only.
 *
 *   literals   nginx, Apache, HAProxy: fields separated by fixed texts
 *   table      CSV and TSV with a header: columns separated by one character, quoted where need be
 *   w3c        columns separated by spaces, named by "#Fields:" lines, which may come again
 *   json       one object a line; nested names are joined by dots
 *
 * Immutable once made: threads share it, each with its own struct lode_log_splitter.
 */
#pragma once

#include "base/mem.h"
#include "base/written_number.h"
#include "input/formats/log/log_fields.h"

enum lode_log_family { LODE_LOG_LITERALS, LODE_LOG_TABLE, LODE_LOG_W3C, LODE_LOG_JSON };

/* A field and the text that must stand before it. */
struct lode_log_step {
	char *before;
	size_t before_len;
	enum lode_log_role role;
};

struct lode_log_layout {
	enum lode_log_family family;
	struct lode_log_units units;
	LODE_VEC(struct lode_log_step) steps; /* literals */
	char *tail;			      /* what must stand behind the last field */
	size_t tail_len;
	char delimiter;				   /* table, w3c */
	LODE_VEC(struct lode_log_meaning) columns; /* table, w3c */
	const char *fields;		  /* json: struct lode_log_options.fields, borrowed */
	char names[LODE_N_LOG_ROLES][64]; /* table, w3c: of the fields that have the roles */
	bool is_iis;			  /* w3c: its times are in ms */
	enum lode_comma comma;		  /* of durations, once it is described */
	bool is_comma_assumed;		  /* no number of the head shows it */
	bool has_action;		  /* as far as the head tells */
	char words[600];		  /* what the log is, for people */
};

void lode_log_layout_free(struct lode_log_layout *layout);

/* From nginx's, Apache's or HAProxy's ("haproxy:...") words, or a name ("combined", "haproxy"). */
int lode_log_layout_compile(struct lode_log_layout **out, const char *format, const char *fields,
			    struct lode_error *err);
/* From a header line of a table. NULL: its columns tell neither a time nor a response time. */
struct lode_log_layout *lode_log_layout_table(const char *header, size_t len, const char *fields);
/* From what follows "#Fields:". */
struct lode_log_layout *lode_log_layout_w3c(const char *names, size_t len, const char *fields,
					    bool is_iis);
/* Was this beginning of a W3C log written by IIS? */
bool lode_log_is_iis(const char *head, size_t len);
struct lode_log_layout *lode_log_layout_json(const char *fields);

/*
 * From the head of a log: NULL if it is none that tells its own format, with the reason in `why`.
 * In common and combined logs the fields behind the agent are recognised by form and by their order
 * (log_tail.h).
 */
struct lode_log_layout *lode_log_layout_guess(const char *head, size_t size, const char *fields,
					      char *why, size_t why_size);

/* Adds to the layout's words which fields were chosen, in which units, and what their commas mean;
   sets has_action and comma. */
void lode_log_layout_describe(struct lode_log_layout *layout, const char *head, size_t size);

/* ---- Splitting ---- */

struct lode_log_splitter;
struct lode_log_splitter *lode_log_splitter_new(void);
void lode_log_splitter_free(struct lode_log_splitter *splitter);

/*
 * Fills `spans` from one line (which may be changed: quotes are undone in place). False: the line
 * does not have this layout. Spans are valid until the next call.
 */
bool lode_log_split(struct lode_log_splitter *splitter, const struct lode_log_layout *layout,
		    char *line, size_t len, struct lode_slice spans[LODE_N_LOG_ROLES]);

/* How the spans of the last line are to be understood; in JSON each line has its own fields. */
const struct lode_log_units *lode_log_split_units(const struct lode_log_splitter *splitter,
						  const struct lode_log_layout *layout);
/* The name of the field that had a role in the last line; "": the layout has no names. */
const char *lode_log_split_name(const struct lode_log_splitter *splitter,
				const struct lode_log_layout *layout, enum lode_log_role role);
