/* The page of a timeline: its documents in one file. */
#include "answers/timeline/page.h"

#include <stdlib.h>

#include "answers/timeline/views.h"
#include "base/written.h"
#include "document/html.h"

/* The page's own document, what everybody did meanwhile, then windows. */
enum { PART_PAGE, PART_MEANWHILES, PART_WINDOWS };

struct numbered_part {
	const struct lode_timeline_answer *answer;
	size_t number;
};

static void put_numbered_part(FILE *out, const void *of)
{
	const struct numbered_part *part = of;

	if (part->number == PART_PAGE)
		lode_timeline_page_json(out, part->answer);
	else if (part->number == PART_MEANWHILES)
		lode_timeline_meanwhiles_json(out, part->answer);
	else
		lode_timeline_part_json(out, part->answer, part->number - PART_WINDOWS);
}

static struct lode_html_part make_part(const struct lode_timeline_answer *answer, size_t number,
				       const char *input)
{
	static const struct lode_document *const documents[] = {&lode_timeline_page_document,
								&lode_timeline_meanwhiles_document,
								&lode_timeline_windows_document};
	const struct numbered_part numbered = {answer, number};
	struct lode_html_part part = {
		.schema = documents[number < PART_WINDOWS ? number : PART_WINDOWS]->schema,
		.title = lode_strdup(number == PART_PAGE ? input : "")};
	char name[40] = "timeline";

	if (number == PART_MEANWHILES)
		snprintf(name, sizeof(name), "timeline-part-meanwhile");
	else if (number >= PART_WINDOWS)
		snprintf(name, sizeof(name), "timeline-part-%zu", number - PART_WINDOWS);
	part.name = lode_strdup(name);
	part.json = lode_written(&part.json_bytes, put_numbered_part, &numbered);
	return part;
}

size_t lode_timeline_html_parts(struct lode_html_part **out,
				const struct lode_timeline_answer *answer, const char *input,
				bool is_whole_only)
{
	size_t n = is_whole_only ? PART_MEANWHILES
				 : PART_WINDOWS + lode_timeline_page_parts(answer->views);
	struct lode_findings findings;
	struct lode_arena arena = {0};

	*out = lode_alloc0(n, sizeof(**out));
	for (size_t i = 0; i < n; i++)
		(*out)[i] = make_part(answer, i, input);
	lode_timeline_findings(&findings, answer, &arena);
	lode_html_part_tell(&(*out)[0], &findings);
	lode_arena_release(&arena);
	return n;
}
