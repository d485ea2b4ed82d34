/* The page of a timeline: its documents in one file. */
#include "answers/timeline/page.h"

#include <stdlib.h>

#include "answers/timeline/views.h"
#include "document/html.h"

/* The page's own document, what everybody did meanwhile, then windows. */
enum { PART_PAGE, PART_MEANWHILES, PART_WINDOWS };

static void write_part(struct lode_html_part *part, const struct lode_timeline_answer *answer,
		       size_t number, const char *input)
{
	char *json = NULL, name[40];
	FILE *out = open_memstream(&json, &part->json_bytes);

	if (!out)
		lode_oom(1);
	switch (number) {
	case PART_PAGE:
		snprintf(name, sizeof(name), "timeline");
		part->schema = "lode/timeline-page/1";
		lode_timeline_page_json(out, answer);
		break;
	case PART_MEANWHILES:
		snprintf(name, sizeof(name), "timeline-part-meanwhile");
		part->schema = "lode/timeline-meanwhiles/1";
		lode_timeline_meanwhiles_json(out, answer);
		break;
	default:
		number -= PART_WINDOWS;
		snprintf(name, sizeof(name), "timeline-part-%zu", number);
		part->schema = "lode/timeline-windows/1";
		lode_timeline_part_json(out, answer, number);
	}
	if (fclose(out) != 0)
		lode_oom(part->json_bytes);
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
		write_part(&(*out)[i], answer, i, input);
	lode_timeline_findings(&findings, answer, &arena);
	lode_html_part_tell(&(*out)[0], &findings);
	lode_arena_release(&arena);
	return n;
}
