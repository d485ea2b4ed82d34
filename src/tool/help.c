/* Renders help and man pages from a command's table. */
#include "tool/help.h"

#include <uniwidth.h>

#include "input/format.h"
#include "tool/terminal.h"

enum {
	help_columns = 96, /* prose wider than this is hard to read */
	name_columns = 12, /* of commands in the list */
	option_column = 26 /* where the explanations of options start */
};

static unsigned columns_of(const char *text, size_t len)
{
	return (unsigned)u8_width((const uint8_t *)text, len, "UTF-8");
}

/* Prints words of text[0..len) filled to `columns`; the first line stands at column `at`. */
static void wrap(FILE *out, const char *text, size_t len, unsigned indent, unsigned at,
		 unsigned columns)
{
	const char *end = text + len;
	bool is_first = true;

	while (text < end) {
		size_t word;

		while (text < end && (*text == ' ' || *text == '\n'))
			text++;
		for (word = 0; text + word < end && text[word] != ' ' && text[word] != '\n';)
			word++;
		if (!word)
			break;
		if (!is_first && at + 1 + columns_of(text, word) > columns) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
			is_first = true;
		}
		fprintf(out, "%s%.*s", is_first ? "" : " ", (int)word, text);
		at += !is_first + columns_of(text, word);
		is_first = false;
		text += word;
	}
	fputc('\n', out);
}

/* Calls print(paragraph) for parts of `text` separated by an empty line. */
static void paragraphs(FILE *out, const char *text, unsigned columns)
{
	while (*text) {
		const char *stop = strstr(text, "\n\n");
		size_t len = stop ? (size_t)(stop - text) : strlen(text);

		wrap(out, text, len, 0, 0, columns);
		fputc('\n', out);
		text += len + (stop ? 2 : 0);
	}
}

static void option_help(FILE *out, const struct lode_option *o, unsigned columns)
{
	char head[128];
	unsigned at;

	if (o->letter)
		snprintf(head, sizeof(head), "  -%c, --%s%s%s", o->letter, o->name,
			 o->argument ? " " : "", o->argument ? o->argument : "");
	else
		snprintf(head, sizeof(head), "  --%s%s%s", o->name, o->argument ? " " : "",
			 o->argument ? o->argument : "");
	fputs(head, out);
	at = columns_of(head, strlen(head));
	if (at + 2 > option_column) {
		fputc('\n', out);
		at = 0;
	}
	fprintf(out, "%*s", (int)(option_column - at), "");
	wrap(out, o->help, strlen(o->help), option_column, option_column, columns);
}

static unsigned prose_columns(FILE *out)
{
	unsigned columns = lode_columns(out, 80);

	return columns < help_columns ? columns : help_columns;
}

/* What the command is for, and which formats it reads. */
static const char *describe(char *buffer, size_t size, const struct lode_command *command)
{
	char formats[600];
	size_t n = (size_t)snprintf(buffer, size, "%s", command->description);

	if (command->reads && n < size)
		snprintf(buffer + n, size - n, "\n\nFormats: %s.",
			 lode_format_words(formats, sizeof(formats), command->reads));
	return buffer;
}

void lode_help_command(FILE *out, const struct lode_command *command)
{
	unsigned columns = prose_columns(out);
	char text[4096];

	snprintf(text, sizeof(text), "lode %s - %s", command->name, command->summary);
	wrap(out, text, strlen(text), 2, 0, columns);
	fputs("\nUsage: ", out);
	snprintf(text, sizeof(text), "lode %s %s", command->name, command->usage);
	wrap(out, text, strlen(text), 9, 7, columns);
	fputc('\n', out);
	paragraphs(out, describe(text, sizeof(text), command), columns);
	if (command->examples)
		fprintf(out, "Examples:\n");
	for (const struct lode_example *e = command->examples; e && e->command; e++) {
		fprintf(out, "  ");
		wrap(out, e->what, strlen(e->what), 2, 2, columns);
		fprintf(out, "      %s\n", e->command);
	}
	for (const struct lode_option *o = command->options; o && o->name; o++) {
		if (o->group)
			fprintf(out, "\n%s:\n", o->group);
		option_help(out, o, columns);
	}
	for (const struct lode_option *o = lode_common_options; o->name; o++) {
		if (o->group)
			fprintf(out, "\n%s:\n", o->group);
		option_help(out, o, columns);
	}
	fprintf(out, "  -h, --help              print this help\n");
	fprintf(out,
		"\n"
		"Exit codes: 0 success; 1 success, but some input was skipped or is incomplete;\n"
		"2 usage error; 3 no usable input; 4 internal or environment error.\n");
}

void lode_help_overview(FILE *out)
{
	fprintf(out,
		"lode - find what makes users wait, and in which code, across many recordings\n\n"
		"Usage: lode COMMAND [OPTION]... [ARGUMENT]...\n\n"
		"Commands:\n");
	for (const struct lode_command *const *c = lode_commands; *c; c++) {
		fprintf(out, "  %-*s", name_columns, (*c)->name);
		wrap(out, (*c)->summary, strlen((*c)->summary), name_columns + 2, name_columns + 2,
		     prose_columns(out));
	}
	fprintf(out,
		"\n"
		"To start:\n"
		"  lode record -- ./program         record a run of a program (needs perf)\n"
		"  lode mine program.lode           show what made it slow\n"
		"  lode mine --show 1 program.lode  show the largest problem in full\n\n"
		"lode COMMAND --help lists all options; --color=WHEN and --no-pager work before\n"
		"COMMAND, too. Results go to stdout, messages to stderr.\n");
}

/* ---- man pages ---- */

/* Text for troff: backslashes and leading dots mean something there. */
static void roff(FILE *out, const char *text, size_t len)
{
	bool at_line_start = true;

	for (size_t i = 0; i < len; i++) {
		if (at_line_start && (text[i] == '.' || text[i] == '\''))
			fputs("\\&", out);
		if (text[i] == '\\')
			fputs("\\e", out);
		else if (text[i] == '-')
			fputs("\\-", out);
		else
			fputc(text[i], out);
		at_line_start = text[i] == '\n';
	}
}

static void roff_line(FILE *out, const char *text)
{
	roff(out, text, strlen(text));
	fputc('\n', out);
}

static void roff_paragraphs(FILE *out, const char *text)
{
	while (*text) {
		const char *stop = strstr(text, "\n\n");
		size_t len = stop ? (size_t)(stop - text) : strlen(text);

		fputs(".PP\n", out);
		roff(out, text, len);
		fputc('\n', out);
		text += len + (stop ? 2 : 0);
	}
}

static const char man_exit_codes[] =
	".SH EXIT STATUS\n"
	"0 success; 1 success, but some input was skipped or is incomplete; 2 usage error; 3 no "
	"usable input; 4 internal or environment error.\n";

static void roff_options(FILE *out, const struct lode_option *options)
{
	for (const struct lode_option *o = options; o && o->name; o++) {
		if (o->group) {
			fprintf(out, ".SS ");
			roff_line(out, o->group);
		}
		fprintf(out, ".TP\n");
		if (o->letter)
			fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
		fprintf(out, "\\fB\\-\\-");
		roff(out, o->name, strlen(o->name));
		fprintf(out, "\\fR");
		if (o->argument) {
			fprintf(out, " \\fI");
			roff(out, o->argument, strlen(o->argument));
			fprintf(out, "\\fR");
		}
		fputc('\n', out);
		roff_line(out, o->help);
	}
}

/* "pio train" is the page lode-pio-train. */
static const char *page_name(char *buffer, size_t size, const struct lode_command *command)
{
	snprintf(buffer, size, "%s", command->name);
	for (char *c = buffer; *c; c++)
		*c = *c == ' ' ? '-' : *c;
	return buffer;
}

void lode_man_command(FILE *out, const struct lode_command *command)
{
	char text[4096], name[80];

	page_name(name, sizeof(name), command);
	fprintf(out, ".TH LODE\\-%s 1 \"\" \"lode\" \"User commands\"\n.SH NAME\nlode\\-%s \\- ",
		name, name);
	roff_line(out, command->summary);
	fprintf(out, ".SH SYNOPSIS\n.B lode %s\n", command->name);
	roff_line(out, command->usage);
	fprintf(out, ".SH DESCRIPTION\n");
	roff_paragraphs(out, describe(text, sizeof(text), command));
	fprintf(out, ".SH OPTIONS\n");
	roff_options(out, command->options);
	roff_options(out, lode_common_options);
	if (command->examples)
		fprintf(out, ".SH EXAMPLES\n");
	for (const struct lode_example *e = command->examples; e && e->command; e++) {
		fprintf(out, ".TP\n");
		roff_line(out, e->what);
		fprintf(out, ".B ");
		roff_line(out, e->command);
	}
	fputs(man_exit_codes, out);
	fprintf(out, ".SH SEE ALSO\n.BR lode (1)\n");
}

void lode_man_overview(FILE *out)
{
	fprintf(out,
		".TH LODE 1 \"\" \"lode\" \"User commands\"\n"
		".SH NAME\n"
		"lode \\- find what makes users wait, and in which code, across many recordings\n"
		".SH SYNOPSIS\n"
		".B lode\n"
		".I COMMAND\n"
		"[OPTION]... [ARGUMENT]...\n"
		".SH COMMANDS\n");
	for (const struct lode_command *const *c = lode_commands; *c; c++) {
		fprintf(out, ".TP\n.BR lode\\-%s (1)\n", (*c)->name);
		roff_line(out, (*c)->summary);
	}
	fputs(man_exit_codes, out);
}
