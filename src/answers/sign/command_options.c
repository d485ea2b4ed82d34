#include "tool/output_options.h"
#include "tool/repo_options.h"
#include "answers/sign/command_options.h"

#include <stddef.h>

#define AT(field) offsetof(struct lode_sign_values, field)

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
	LODE_REPO_OPTION(AT(repo), "the repository that keeps the signatures (default: $LODE_REPO)",
			 .group = "Where they are"),
	LODE_OPTION("signatures", "FILE", lode_set_text, AT(signatures),
		    "a file of signatures instead: text for people and version control",
		    .letter = 's', .file = LODE_FILE_UPDATED, .kind = LODE_KIND_SIGNATURES),

	LODE_OPTION("name", "NAME", lode_set_text, AT(name),
		    "sign a problem: a name without blanks", .group = "A new signature"),
	LODE_OPTION("cluster", "N", lode_set_text, AT(cluster),
		    "the patterns of this cluster: the number (or id) that the last `lode mine "
		    "--repo` showed, whatever its options were",
		    .letter = 'c'),
	LODE_OPTION("from", "FILE", lode_set_text, AT(from),
		    "the cluster's number in this document of `lode mine --json`",
		    .file = LODE_FILE_READ),

	LODE_OPTION("bug", "URL", set_any_text, AT(bug), "where it is dealt with",
		    .group = "What is known of it (with --name, --edit)"),
	LODE_OPTION("owner", "WHO", set_any_text, AT(owner), "whose code it is"),
	LODE_OPTION("note", "TEXT", set_any_text, AT(note), "anything else"),
	LODE_OPTION("kind", "KINDS", set_any_text, AT(kind),
		    "only such events: run,wait,ready (default any)"),
	LODE_OPTION("reason", "REASONS", set_any_text, AT(reason),
		    "only waits for: lock, disk, fault, network, ipc, poll, timer, child, other "
		    "(default any)"),

	LODE_FLAG("list", AT(list), "all signatures, a line each (the default)", .letter = 'l',
		  .group = "Those that are there"),
	LODE_OPTION("show", "NAME", lode_set_text, AT(show), "one in full, as it stands in a file"),
	LODE_OPTION("edit", "NAME", lode_set_text, AT(edit),
		    "change what is given, add the patterns that are; an empty text takes a field "
		    "away"),
	LODE_OPTION("drop", "PATTERN", lode_set_list, AT(drop),
		    "with --edit: take this pattern away; may be repeated"),
	LODE_OPTION("rename", "NEW", lode_set_text, AT(rename), "with --edit: another name"),
	LODE_OPTION("retire", "NAME", lode_set_text, AT(retire),
		    "it is fixed: it explains nothing any more, and `lode triage` tells if it "
		    "comes back"),
	LODE_OPTION("activate", "NAME", lode_set_text, AT(activate), "it is not fixed after all"),
	LODE_OPTION("delete", "NAME", lode_set_text, AT(delete), "forget it"),
	LODE_OPTION("export", "FILE", lode_set_text, AT(export),
		    "write all to a file of signatures (- is standard output)",
		    .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_SIGNATURES, .may_be_stdout = true),
	LODE_FORCE_OPTION,
	LODE_OPTION("import", "FILE", lode_set_text, AT(import),
		    "take all of a file of signatures (- is standard input): new ones are added, "
		    "those of the same name become what the file says",
		    .file = LODE_FILE_READ),

	LODE_JSON_OPTION(AT(wants_json), "docs/signatures.md", .group = "Output"),
	LODE_OPTIONS_END,
};
