/*
 * Which analyses fit what is there, each with its inputs and the command line that does the same:
 * mine, triage, suspects, timeline, pio, folder by folder; pages bring their reports.
 */
#pragma once

#include "answers/analyze/analyze.h"

struct lode_analyze_step {
	struct lode_analyze_run run;
	char *const *inputs; /* recordings; a trace; a page; of pio, by their texts: */
	size_t n_inputs;
	const char *symbols, *thread_names; /* that lie beside a trace */
	const struct lode_pio_input *pio;   /* logs and counters: n_inputs */
	const char *model;		    /* of pio */
	bool is_learnt;			    /* the model is trained first */
	struct lode_asked asked; /* the same as its command line; texts are the arena's */
};

typedef LODE_VEC(struct lode_analyze_step) lode_analyze_steps;

/* Texts and lists are the survey's or the arena's. `folder`: of temporary files. */
void lode_analyze_plan(lode_analyze_steps *out, const struct lode_survey *survey,
		       const struct lode_analyze_request *request, const char *folder,
		       struct lode_arena *arena);

/* Both as one, the arena's. */
const char *lode_analyze_join(struct lode_arena *arena, const char *a, const char *b);
