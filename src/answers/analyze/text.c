/* What was found, in ten lines or so. */
#include "answers/analyze/analyze.h"
#include "base/escape.h"
#include "document/units.h"

/* In the order of enum lode_survey_kind. */
static const char *const nouns[LODE_N_SURVEY_KINDS] = {
	"recording", "function trace", "request log", "counter file", "model", "page",
};

static void put_line(FILE *out, const struct lode_text_page *page, unsigned indent,
		     const char *text)
{
	char line[2400];

	fprintf(out, "%*s%s\n", (int)indent, "",
		lode_escape_fit_names(line, sizeof(line), text, page->columns - indent));
}

static void put_heading(FILE *out, const struct lode_text_page *page,
			const struct lode_analyze_run *run)
{
	char text[800], line[3300];

	snprintf(text, sizeof(text), "%s  %s", run->analysis, run->title);
	fprintf(out, "%s%s%s\n", page->has_color ? "\033[1m" : "",
		lode_escape_fit(line, sizeof(line), text, page->columns),
		page->has_color ? "\033[0m" : "");
}

void lode_analyze_text(FILE *out, const struct lode_analyze_answer *answer,
		       const struct lode_text_page *page)
{
	char n[LODE_UNITS_BUFFER];
	const char *parting = "";

	lode_opening_put(out, &answer->opening, page);
	fputc('\n', out);
	for (int kind = 0; kind < LODE_N_SURVEY_KINDS; kind++) {
		if (!answer->n_found[kind])
			continue;
		fprintf(out, "%s%s", parting,
			lode_format_plural(n, answer->n_found[kind], nouns[kind]));
		parting = ", ";
	}
	if (answer->n_found[LODE_SURVEY_OTHER])
		fprintf(out, "; %s skipped",
			lode_format_plural(n, answer->n_found[LODE_SURVEY_OTHER], "file"));
	fputc('\n', out);
	for (size_t i = 0; i < answer->n_runs; i++) {
		const struct lode_analyze_run *run = &answer->runs[i];

		fputc('\n', out);
		put_heading(out, page, run);
		if (!run->report)
			put_line(out, page, 2, "no report; see the messages above");
		else
			put_line(out, page, 2, run->findings.summary);
		for (size_t k = 0; k < run->findings.n_details; k++)
			put_line(out, page, 4, run->findings.details[k].text);
	}
}
