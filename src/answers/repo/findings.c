/* lode repo in a sentence: what is there, or what was done. */
#include "answers/repo/repo.h"
#include "base/duration.h"
#include "document/findings.h"
#include "document/units.h"

/* "2 of 6 recordings: 2 symptoms of 6.86 s" */
static const char *picked_words(const struct lode_repo_answer *answer, struct lode_arena *arena)
{
	size_t n_all = answer->where ? (size_t)answer->sums.n_streams : answer->n_picked;
	char n[LODE_UNITS_BUFFER], all[LODE_UNITS_BUFFER], cost[LODE_UNITS_BUFFER];
	const char *which = lode_finding_text(
		arena, "%s%s%s", answer->where ? lode_format_count(n, answer->n_picked) : "",
		answer->where ? " of " : "", lode_format_plural(all, n_all, "recording"));

	if (!answer->n_picked)
		return which;
	return lode_finding_text(arena, "%s: %s of %s", which,
				 lode_format_plural(n, answer->picked_symptoms, "symptom"),
				 lode_format_cost_long(cost, answer->picked_symptom_ns, "ns"));
}

static const char *stream_words(const struct lode_repo_answer *answer, struct lode_arena *arena)
{
	const struct lode_repo_stream *stream = answer->streams;
	char n[LODE_UNITS_BUFFER], cost[LODE_UNITS_BUFFER], when[LODE_UTC_BYTES];

	if (answer->n_picked != 1)
		return picked_words(answer, arena);
	return lode_finding_text(arena, "%s, of %s, %s UTC: %s of %s", stream->path, stream->host,
				 lode_utc_text(when, stream->time_ns, "%Y-%m-%d %H:%M"),
				 lode_format_plural(n, stream->n_symptoms, "symptom"),
				 lode_format_cost_long(cost, stream->symptom_ns, "ns"));
}

static const char *repo_words(const struct lode_repo_answer *answer, struct lode_arena *arena)
{
	const struct lode_repo_sums *sums = &answer->sums;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER], d[LODE_UNITS_BUFFER];

	return lode_finding_text(arena, "%s: %s, %s of %s, %s", answer->path,
				 lode_format_plural(a, (uint64_t)sums->n_streams, "recording"),
				 lode_format_plural(b, (uint64_t)sums->n_symptoms, "symptom"),
				 lode_format_cost_long(c, sums->symptom_ns, "ns"),
				 lode_format_plural(d, (uint64_t)sums->n_signatures, "signature"));
}

/* ---- Labels ---- */

static bool is_same_label(const struct lode_repo_label_counts *labels, size_t a, size_t b)
{
	return strcmp(labels->list.at[a].key, labels->list.at[b].key) == 0;
}

static const char *labels_words(const struct lode_repo_label_counts *labels,
				struct lode_arena *arena)
{
	size_t n_keys = 0;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];

	for (size_t i = 0; i < labels->list.n; i++)
		n_keys += !i || !is_same_label(labels, i - 1, i);
	if (!n_keys)
		return "No recording has a label";
	return lode_finding_text(arena, "%s with %s", lode_format_plural(a, n_keys, "label"),
				 lode_format_plural(b, labels->list.n, "value"));
}

/* The last two values of the first label that has two: the newest release against the one before.
 */
static const char *compare_command(const struct lode_repo_answer *answer, struct lode_arena *arena)
{
	const struct lode_repo_label_counts *labels = &answer->labels;
	const struct lode_repo_label_count *at;
	size_t i = 1;

	while (i < labels->list.n && !is_same_label(labels, i - 1, i))
		i++;
	if (i >= labels->list.n)
		return NULL;
	while (i + 1 < labels->list.n && is_same_label(labels, i, i + 1))
		i++;
	at = &labels->list.at[i];
	return lode_finding_text(
		arena, "%s %s %s", lode_next_of_repo(arena, "diff", answer->path),
		lode_next_word(arena, lode_finding_text(arena, "%s=%s", at[-1].key, at[-1].value)),
		lode_next_word(arena, lode_finding_text(arena, "%s=%s", at->key, at->value)));
}

/* ---- Care ---- */

static const char *pruned_words(const struct lode_repo_answer *answer, struct lode_arena *arena)
{
	const struct lode_repo_pruned *pruned = answer->pruned;
	const struct lode_repo_stream *list = pruned->streams.list.at;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER];
	char first[LODE_UTC_BYTES], last[LODE_UTC_BYTES];
	const char *would = answer->is_forgotten ? "" : " would be";

	if (!pruned->n)
		return lode_finding_text(arena, "Nothing%s removed; in use: %s", would,
					 lode_format_bytes(a, pruned->used_bytes));
	return lode_finding_text(arena, "%s%s removed, from %s to %s; in use: %s, was %s",
				 lode_format_plural(a, pruned->n, "recording"), would,
				 lode_utc_text(first, list[0].time_ns, "%Y-%m-%d"),
				 lode_utc_text(last, list[pruned->n - 1].time_ns, "%Y-%m-%d"),
				 lode_format_bytes(b, pruned->used_bytes),
				 lode_format_bytes(c, pruned->was_bytes));
}

static const char *checked_words(const struct lode_repo_answer *answer, struct lode_arena *arena)
{
	const struct lode_repo_check *check = &answer->check;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER], c[LODE_UNITS_BUFFER];

	return lode_finding_text(arena, "%s and %s read: %s",
				 lode_format_plural(a, (uint64_t)check->n_digests, "digest"),
				 lode_format_plural(b, (uint64_t)check->n_segments, "segment"),
				 answer->is_sound ? "sound"
						  : lode_format_plural(c, (uint64_t)check->n_faults,
								       "fault"));
}

/* ---- Of each word ---- */

static const char *words_of(const struct lode_repo_answer *answer, struct lode_arena *arena)
{
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];

	switch (answer->word) {
	case LODE_REPO_LIST:
		return picked_words(answer, arena);
	case LODE_REPO_SHOW:
		return answer->is_of_streams ? stream_words(answer, arena)
					     : repo_words(answer, arena);
	case LODE_REPO_LABELS:
		return labels_words(&answer->labels, arena);
	case LODE_REPO_LABEL:
		return lode_finding_text(arena, "%s labelled",
					 lode_format_plural(a, answer->n_picked, "recording"));
	case LODE_REPO_FORGET:
		return lode_finding_text(arena, "%s%s removed",
					 lode_format_plural(a, answer->n_picked, "recording"),
					 answer->is_forgotten ? "" : " would be");
	case LODE_REPO_PRUNE:
		return pruned_words(answer, arena);
	case LODE_REPO_CHECK:
		return checked_words(answer, arena);
	case LODE_REPO_COMPACT:
	default:
		return lode_finding_text(arena, "%s takes %s, was %s", answer->path,
					 lode_format_bytes(a, answer->sums.file_bytes),
					 lode_format_bytes(b, answer->was_bytes));
	}
}

/* " --where QUERY" for the recordings that were picked; NULL: no query is short enough. */
static const char *where_words(const struct lode_repo_answer *answer, struct lode_arena *arena)
{
	if (answer->where)
		return lode_finding_text(arena, " --where %s",
					 lode_next_word(arena, answer->where));
	if (!answer->is_of_streams || answer->is_of_all)
		return "";
	return answer->n_picked == 1
		       ? lode_finding_text(arena, " --where id=%s",
					   lode_finding_id(arena, answer->streams[0].content_hash))
		       : NULL;
}

static const char *picked_command(const struct lode_repo_answer *answer, const char *command,
				  struct lode_arena *arena)
{
	const char *where = where_words(answer, arena);

	if (!where || (answer->is_of_streams && !answer->n_picked))
		return NULL;
	return lode_finding_text(arena, "%s%s", lode_next_of_repo(arena, command, answer->path),
				 where);
}

/* Are all faults those of segments, which are made of what is sound? Others name their own way out.
 */
static bool is_rebuilt(const struct lode_repo_check *check)
{
	for (size_t i = 0; i < check->faults.n; i++)
		if (!strstr(check->faults.at[i], "--rebuild"))
			return false;
	return check->faults.n > 0 && (int64_t)check->faults.n == check->n_faults;
}

static const char *next_of(const struct lode_repo_answer *answer, struct lode_arena *arena)
{
	switch (answer->word) {
	case LODE_REPO_LIST:
	case LODE_REPO_SHOW:
		return picked_command(answer, "mine", arena);
	case LODE_REPO_LABELS:
		return compare_command(answer, arena);
	case LODE_REPO_LABEL:
		return answer->n_picked ? lode_next_of_repo(arena, "repo labels", answer->path)
					: NULL;
	case LODE_REPO_FORGET:
	case LODE_REPO_PRUNE:
		if (answer->is_forgotten)
			return answer->n_picked
				       ? lode_next_of_repo(arena, "repo compact", answer->path)
				       : NULL;
		return answer->word == LODE_REPO_FORGET
			       ? picked_command(answer, "repo forget --yes", arena)
			       : NULL;
	case LODE_REPO_CHECK:
		return answer->is_sound ? lode_next_of_repo(arena, "mine", answer->path)
		       : is_rebuilt(&answer->check)
			       ? lode_next_of_repo(arena, "repo compact --rebuild", answer->path)
			       : NULL;
	case LODE_REPO_COMPACT:
	default:
		return lode_next_of_repo(arena, "mine", answer->path);
	}
}

struct lode_opening lode_repo_opening(const struct lode_repo_answer *answer,
				      struct lode_arena *arena)
{
	return (struct lode_opening){
		.finding = lode_finding_text(arena, "%s.", words_of(answer, arena)),
		.next_command = next_of(answer, arena),
	};
}
