/*
 * What an answer says first, in terminals, JSON and pages alike: what was found, and which command
 * comes next.
 *
 *	journal_flush_segment (disk 78 %) is the largest of 14 problems: 7.57 s of the 22.3 s ...
 *	Next: lode mine --show 1 recordings/
 *
 * Each answer makes its own (answers/NAME/findings.c). What it claims, it has computed.
 */
#pragma once

#include <stdio.h>

#include "base/mem.h"
#include "document/text_page.h"

struct lode_record;

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
