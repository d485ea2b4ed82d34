/*
 * What the lists of lode suspects hold, from the statistics. Inside of answers/suspects only.
 */
#pragma once

#include "answers/suspects/suspects.h"

/* The metrics, and what they come to together. */
void lode_suspects_metrics_fill(struct lode_suspects_answer *answer, size_t most,
				struct lode_arena *arena);
/* A metric whose σ is that of a few extreme executions: of those labelled by it, that with the
   longest slow time; NULL: none. */
const struct lode_tally_metric *lode_suspects_long_tail(const struct lode_suspects *s);
/* The most significant contrasts; `only` NULL: of all functions. */
void lode_suspects_choose(struct lode_suspects_choice *choice, const struct lode_suspects *s,
			  const struct lode_suspect *only);
/* Keeps nothing of `x`, save its histograms where `keeps_histograms`. */
void lode_suspects_explained_fill(struct lode_suspects_explained *out,
				  const struct lode_suspects *s, const struct lode_explanation *x,
				  bool keeps_histograms, size_t most, struct lode_arena *arena);
