/*
 * What a report says in one line, and its most important details in a few more: for the first page
 * of `lode analyze`, and for its text.
 *
 *   22.3 s in 6 symptoms of 6 recordings; 14 clusters explain 100.0 % of it
 *   34.0 %  7.57 s  path_query_component: ready, disk; in 5 recordings
 *
 * Each answer makes its own (answers/NAME/findings.c). Its page carries them, so that they are
 * there when it is opened again. Each detail knows its place on the report's page.
 */
#pragma once

#include <stdio.h>

#include "base/mem.h"

/* How a thing is looked at: a parameter of the page's address. */
struct lode_finding_param {
	const char *name, *value;
};

/* Parameters of a detail; details that a report has at most. */
enum { LODE_FINDING_PARAMS = 2, LODE_FINDINGS_MOST = 6 };

struct lode_finding {
	const char *text;
	double share; /* of the whole that the summary names, 0 to 1; NAN: of none */
	const char
		*path; /* the page's name of the thing (a cluster's id, a function); NULL: none */
	struct lode_finding_param params[LODE_FINDING_PARAMS]; /* name NULL: not used */
};

struct lode_findings {
	const char *summary;	  /* of the whole report: its opening's finding; "" unknown */
	const char *next_command; /* of the opening; NULL: none, or unknown */
	int64_t weight;		  /* how much it hurts: compares reports of one kind */
	struct lode_finding details[LODE_FINDINGS_MOST]; /* the worst first */
	size_t n_details;
};

/* Makes the findings of an answer; texts are the arena's, and names in them as they came. */
typedef void lode_findings_maker(struct lode_findings *out, const void *answer,
				 struct lode_arena *arena);

/* A text in the arena, of 2,000 bytes at most. */
const char *lode_finding_text(struct lode_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Without details, with what the opening says. */
struct lode_opening;
void lode_findings_open(struct lode_findings *out, const struct lode_opening *opening,
			struct lode_arena *arena);
/* A detail, without a share; there must be room. */
struct lode_finding *lode_findings_add(struct lode_findings *findings, const char *text,
				       const char *path);
static inline bool lode_findings_have_room(const struct lode_findings *findings)
{
	return findings->n_details < LODE_FINDINGS_MOST;
}

/* "00c0ffee00c0ffee": an id as pages have it. */
const char *lode_finding_id(struct lode_arena *arena, uint64_t id);
/* The function in "module!function". */
const char *lode_finding_function(const char *name);
/* As one line of JSON, and back; false: it is none. */
void lode_findings_put(FILE *out, const struct lode_findings *findings);
bool lode_findings_parse(struct lode_findings *out, const char *json, size_t n,
			 struct lode_arena *arena);
