/*
 * What an answer says first, in terminals, JSON and pages alike: what was found, and which command
 * comes next (struct lode_opening).
 *
 *	journal_flush_segment (disk 78 %) is the largest of 14 problems: 7.57 s of the 22.3 s ...
 *	Next: lode mine --show 1 recordings/
 *
 * And what a report says in one line, and its most important details in a few more (struct
 * lode_findings): for the first page of `lode analyze`, and for its text.
 *
 *   22.3 s in 6 symptoms of 6 recordings; 14 clusters explain 100.0 % of it
 *   34.0 %  7.57 s  path_query_component: ready, disk; in 5 recordings
 *
 * Each answer makes its own (answers/NAME/findings.c). What it claims, it has computed. Its page
 * carries the findings, so that they are there when it is opened again. Each detail knows its place
 *on the report's page.
 */
#pragma once

#include "base/mem.h"
#include "document/text_page.h"

struct lode_record;

/* ---- What comes first ---- */

struct lode_opening {
	const char *finding;	  /* a sentence or two; names in it as they came */
	const char *next_command; /* ready for a shell; NULL: there is none */
};

/* "finding" and "next_command" of a document. */
extern const struct lode_record lode_opening_record;

/* How an answer was asked for, to make the next command of; quoted for a shell. */
struct lode_asked {
	const char *command; /* "mine" */
	char *options,
		*next_options; /* " --symptom comm=git", without those that say how the answer
			       is shown; and of these, what the next command knows, too */
	char *operands;	       /* " recordings/" */
	bool has_page;	       /* the answer is a page */
};
void lode_asked_release(struct lode_asked *asked);

/* "lode mine --symptom comm=git --show 1 recordings/": the same again, with these words. NULL if
   `asked` is NULL. */
const char *lode_next_again(struct lode_arena *arena, const struct lode_asked *asked,
			    const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "lode pio ... --html pio.html ...": the same as a page. NULL where it is one. */
const char *lode_next_page(struct lode_arena *arena, const struct lode_asked *asked);
/* A word of it, quoted where it needs to be. */
const char *lode_next_word(struct lode_arena *arena, const char *word);
/* "lode mine --repo r.lode": a command on a repository. */
const char *lode_next_of_repo(struct lode_arena *arena, const char *command, const char *repo);
/* " slow/x-*.data": words, many files of a folder as a pattern (base/shell_words.h). */
const char *lode_next_words(struct lode_arena *arena, const char *const *words, size_t n_words);

/* ", in 5 of 6 recordings", ", in all 6 recordings"; of one recording nothing. */
const char *lode_opening_spread(struct lode_arena *arena, size_t n, size_t n_all);
/* "most of it" where it is more than half, else "the largest part of it". */
const char *lode_opening_part(int64_t part_ns, int64_t whole_ns);
/* Both. Text is filled to the page's width; the command stays on one line. */
void lode_opening_put(FILE *out, const struct lode_opening *opening,
		      const struct lode_text_page *page);

/* ---- Findings ---- */

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
