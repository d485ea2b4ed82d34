/* The page of a timeline: its documents in one file. */
#include "answers/timeline/page.h"

#include "base/written.h"

/* The page's own document, what all threads did meanwhile, then windows. */
enum { PART_PAGE, PART_MEANWHILES, PART_WINDOWS };

static void make_part(struct lode_html_part *part, const struct lode_timeline_answer *answer,
		      size_t number, const char *input)
{
	char *json, name[40];
	FILE *out = lode_written_open(&json, &part->json_bytes);

	if (number == PART_PAGE) {
		snprintf(name, sizeof(name), "timeline");
		part->schema = lode_timeline_page_document.schema;
		lode_timeline_page_json(out, answer);
	} else if (number == PART_MEANWHILES) {
		snprintf(name, sizeof(name), "timeline-part-meanwhile");
		part->schema = lode_timeline_meanwhiles_document.schema;
		lode_timeline_meanwhiles_json(out, answer);
	} else {
		snprintf(name, sizeof(name), "timeline-part-%zu", number - PART_WINDOWS);
		part->schema = lode_timeline_windows_document.schema;
		lode_timeline_part_json(out, answer, number - PART_WINDOWS);
	}
	lode_written_close(out);
	part->name = lode_strdup(name);
	part->title = lode_strdup(number == PART_PAGE ? input : "");
	part->json = json;
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
		make_part(&(*out)[i], answer, i, input);
	lode_timeline_findings(&findings, answer, &arena);
	lode_html_part_tell(&(*out)[0], &findings);
	lode_arena_release(&arena);
	return n;
}
