#include "tool/output_options.h"
#include "tool/repo_options.h"
#include "answers/sign/command_options.h"

#include <stddef.h>

#define AT(field) .offset = offsetof(struct lode_sign_values, field)

/* A text that may be empty: that takes a field away. */
static int set_any_text(const struct lode_option *option, void *field, const char *text,
			struct lode_error *err)
{
	(void)option;
	(void)err;
	*(const char **)field = text;
	return 0;
}

const struct lode_option lode_sign_options[] = {
	LODE_REPO_OPTION(offsetof(struct lode_sign_values, repo),
			 "the repository that keeps the signatures (default: $LODE_REPO)",
			 .group = "Where they are"),
	{.name = "signatures",
	 .letter = 's',
	 .argument = "FILE",
	 .help = "a file of signatures instead: text for people and version control",
	 .set = lode_set_text,
	 .file = LODE_FILE_UPDATED,
	 .kind = LODE_KIND_SIGNATURES,
	 AT(signatures)},

	{.name = "name",
	 .argument = "NAME",
	 .help = "sign a problem: a name without blanks",
	 .set = lode_set_text,
	 AT(name),
	 .group = "A new signature"},
	{.name = "cluster",
	 .letter = 'c',
	 .argument = "N",
	 .help = "the patterns of this cluster: the number (or id) that the last `lode mine "
		 "--repo` "
		 "showed, whatever its options were",
	 .set = lode_set_text,
	 AT(cluster)},
	{.name = "from",
	 .argument = "FILE",
	 .help = "the cluster's number in this document of `lode mine --json`",
	 .set = lode_set_text,
	 .file = LODE_FILE_READ,
	 AT(from)},

	{.name = "bug",
	 .argument = "URL",
	 .help = "where it is dealt with",
	 .set = set_any_text,
	 AT(bug),
	 .group = "What is known of it (with --name, --edit)"},
	{.name = "owner",
	 .argument = "WHO",
	 .help = "whose code it is",
	 .set = set_any_text,
	 AT(owner)},
	{.name = "note",
	 .argument = "TEXT",
	 .help = "anything else",
	 .set = set_any_text,
	 AT(note)},
	{.name = "kind",
	 .argument = "KINDS",
	 .help = "only such events: run,wait,ready (default any)",
	 .set = set_any_text,
	 AT(kind)},
	{.name = "reason",
	 .argument = "REASONS",
	 .help = "only waits for: lock, disk, fault, network, ipc, poll, timer, child, other "
		 "(default any)",
	 .set = set_any_text,
	 AT(reason)},

	{.name = "list",
	 .letter = 'l',
	 .help = "all signatures, a line each (the default)",
	 .set = lode_set_flag,
	 AT(list),
	 .group = "Those that are there"},
	{.name = "show",
	 .argument = "NAME",
	 .help = "one in full, as it stands in a file",
	 .set = lode_set_text,
	 AT(show)},
	{.name = "edit",
	 .argument = "NAME",
	 .help = "change what is given, add the patterns that are; an empty text takes a field "
		 "away",
	 .set = lode_set_text,
	 AT(edit)},
	{.name = "drop",
	 .argument = "PATTERN",
	 .help = "with --edit: take this pattern away; may be repeated",
	 .set = lode_set_list,
	 AT(drop)},
	{.name = "rename",
	 .argument = "NEW",
	 .help = "with --edit: another name",
	 .set = lode_set_text,
	 AT(rename)},
	{.name = "retire",
	 .argument = "NAME",
	 .help = "it is fixed: it explains nothing any more, and `lode triage` tells if it comes "
		 "back",
	 .set = lode_set_text,
	 AT(retire)},
	{.name = "activate",
	 .argument = "NAME",
	 .help = "it is not fixed after all",
	 .set = lode_set_text,
	 AT(activate)},
	{.name = "delete",
	 .argument = "NAME",
	 .help = "forget it",
	 .set = lode_set_text,
	 AT(delete)},
	{.name = "export",
	 .argument = "FILE",
	 .help = "write all to a file of signatures (- is standard output)",
	 .set = lode_set_text,
	 .file = LODE_FILE_WRITTEN,
	 .kind = LODE_KIND_SIGNATURES,
	 .may_be_stdout = true,
	 AT(export)},
	LODE_FORCE_OPTION,
	{.name = "import",
	 .argument = "FILE",
	 .help = "take all of a file of signatures (- is standard input): new ones are added, "
		 "those "
		 "of the same name become what the file says",
	 .set = lode_set_text,
	 .file = LODE_FILE_READ,
	 AT(import)},

	LODE_JSON_OPTION(offsetof(struct lode_sign_values, wants_json), "docs/signatures.md",
			 .group = "Output"),
	LODE_OPTIONS_END,
};
