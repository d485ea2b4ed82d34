/* The command line of lode sign. */
#include <stdio.h>
#include <time.h>

#include "answers/sign/sign.h"
#include "tool/command.h"
#include "tool/terminal.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/repo_options.h"

struct sign_values {
	struct lode_sign_request request;
	/* What is done, each NULL if it is not: to which signature, or with which file. */
	const char *of[LODE_N_SIGNATURE_ACTS];
	lode_text_list drop;
	bool list, wants_json;
};

#define AT(field) offsetof(struct sign_values, field)

/* A text that may be empty: that takes a field away. */
static int set_any_text(const struct lode_option *option, void *field, const char *text,
			struct lode_error *err)
{
	(void)option;
	(void)err;
	*(const char **)field = text;
	return 0;
}

static const struct lode_option options[] = {
	LODE_REPO_OPTION(AT(request.repo),
			 "the repository that keeps the signatures (default: $LODE_REPO)",
			 .group = "Where they are"),
	LODE_OPTION("signatures", "FILE", lode_set_text, AT(request.signatures),
		    "a file of signatures instead: text for people and version control",
		    .letter = 's', .file = LODE_FILE_UPDATED, .kind = LODE_KIND_SIGNATURES),

	LODE_OPTION("name", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_SIGN]),
		    "sign a problem: a name without blanks", .group = "A new signature"),
	LODE_OPTION("cluster", "N", lode_set_text, AT(request.change.cluster),
		    "the patterns of this cluster: the number (or id) that the last `lode mine "
		    "--repo` showed, whatever its options were",
		    .letter = 'c'),
	LODE_OPTION("from", "FILE", lode_set_text, AT(request.from),
		    "the cluster's number in this document of `lode mine --json`",
		    .file = LODE_FILE_READ),

	LODE_OPTION("bug", "URL", set_any_text, AT(request.change.edit.words.bug), "issue URL",
		    .group = "What is known (with --name, --edit)"),
	LODE_OPTION("owner", "WHO", set_any_text, AT(request.change.edit.words.owner),
		    "whose code it is"),
	LODE_OPTION("note", "TEXT", set_any_text, AT(request.change.edit.words.note),
		    "anything else"),
	LODE_OPTION("kind", "KINDS", set_any_text, AT(request.change.edit.words.kind),
		    "only such events: run,wait,ready (default any)"),
	LODE_OPTION("reason", "REASONS", set_any_text, AT(request.change.edit.words.reason),
		    "only waits for: lock, disk, fault, network, ipc, poll, timer, child, other "
		    "(default any)"),

	LODE_FLAG("list", AT(list), "all signatures, a line each (the default)", .letter = 'l',
		  .group = "Those that are there"),
	LODE_OPTION("show", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_SHOW]),
		    "one in full, in the format of signature files"),
	LODE_OPTION(
		"edit", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_EDIT]),
		"change what is given, add the patterns that are; an empty text removes a field"),
	LODE_OPTION("drop", "PATTERN", lode_set_list, AT(drop),
		    "with --edit: remove this pattern; may be repeated"),
	LODE_OPTION("rename", "NEW", lode_set_text, AT(request.change.edit.rename),
		    "with --edit: another name"),
	LODE_OPTION("retire", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_RETIRE]),
		    "mark as fixed: it explains nothing any more, and `lode triage` reports it if "
		    "it comes back"),
	LODE_OPTION("activate", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_ACTIVATE]),
		    "undo --retire"),
	LODE_OPTION("delete", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_DELETE]), "forget it"),
	LODE_OPTION("export", "FILE", lode_set_text, AT(of[LODE_SIGNATURE_EXPORT]),
		    "write all to a file of signatures (- is standard output)",
		    .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_SIGNATURES, .may_be_stdout = true),
	LODE_FORCE_OPTION,
	LODE_OPTION("import", "FILE", lode_set_text, AT(of[LODE_SIGNATURE_IMPORT]),
		    "take all of a file of signatures (- is standard input): new ones are added, "
		    "those of the same name replaced",
		    .file = LODE_FILE_READ),

	LODE_JSON_OPTION(AT(wants_json), "docs/signatures.md", .group = "Output"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"The third cluster that mining the repository showed",
	 "lode sign --repo perf.lode --cluster 3 --name slow-path-lookup --bug "
	 "https://bugs.example.org/4711"},
	{"The same without a repository",
	 "lode mine --json runs/ >m.json && lode sign -s ours.txt --from m.json -c 3 --name "
	 "slow-path"},
	{"A typed pattern: GetHashCode somewhere below InitComponents",
	 "lode sign --repo perf.lode --name slow-init 'InitComponents;*;GetHashCode'"},
	{"Only waits for the disk, in any function of a module",
	 "lode sign --repo perf.lode --name cold-icons --reason disk 'theme_load;libicon*!*'"},
	{"Signatures in version control",
	 "lode sign --repo perf.lode --export signatures.txt; lode sign --repo perf.lode --import "
	 "signatures.txt"},
	{NULL},
};

static int sign_command_check(const struct lode_command *self,
			      const struct lode_sign_request *request, size_t n_acts)
{
	const struct lode_signature_request *change = &request->change;
	const struct lode_signature_words *words = &change->edit.words;
	bool is_new = change->act == LODE_SIGNATURE_SIGN;
	bool is_edit = change->act == LODE_SIGNATURE_EDIT;
	bool has_patterns = change->cluster || words->n_patterns;

	if (!request->repo == !request->signatures)
		return lode_command_misused(self, "say where the signatures are: --repo FILE or "
						  "--signatures FILE");
	if (n_acts > 1)
		return lode_command_misused(self,
					    "one thing at a time: --name, --list, --show, "
					    "--edit, --retire, --activate, --delete, --export "
					    "and --import exclude each other");
	if (n_acts == 0 && has_patterns)
		return lode_command_misused(self, "a signature needs a name: --name NAME");
	if (!is_new && !is_edit &&
	    (has_patterns || words->bug || words->owner || words->note || words->kind ||
	     words->reason))
		return lode_command_misused(self, "what is said of a signature, and patterns, go "
						  "with --name or --edit");
	if (request->from && !change->cluster)
		return lode_command_misused(self, "--from names a document: say which of its "
						  "clusters, --cluster N");
	if (change->cluster && !request->from && !request->repo)
		return lode_command_misused(self, "--cluster N needs what mining showed: --repo "
						  "FILE, or --from a document of lode mine --json");
	if ((change->edit.rename || change->edit.n_drop) && !is_edit)
		return lode_command_misused(self, "--rename and --drop go with --edit NAME");
	if (is_new && !has_patterns)
		return lode_command_misused(self, "what is it? Give --cluster N, or patterns such "
						  "as 'InitComponents;*;GetHashCode'");
	return LODE_EXIT_OK;
}

/* From the values to the request. */
static int sign_command_settle(const struct lode_command *self, struct sign_values *v,
			       char **patterns, size_t n_patterns)
{
	struct lode_sign_request *request = &v->request;
	struct lode_signature_request *change = &request->change;
	size_t n_acts = v->list;

	change->act = LODE_SIGNATURE_LIST;
	for (enum lode_signature_act act = 0; act < LODE_N_SIGNATURE_ACTS; act++)
		if (v->of[act]) {
			change->act = act;
			n_acts++;
		}
	if (change->act == LODE_SIGNATURE_EXPORT || change->act == LODE_SIGNATURE_IMPORT)
		request->other = v->of[change->act];
	else
		change->name = v->of[change->act];
	if (!request->signatures)
		request->repo = lode_repo_option_path(request->repo);
	change->edit.words.patterns = (const char *const *)patterns;
	change->edit.words.n_patterns = n_patterns;
	change->edit.drop = v->drop.at;
	change->edit.n_drop = v->drop.n;
	request->now_s = time(NULL);
	return sign_command_check(self, request, n_acts);
}

static int sign_command_answer(const struct lode_command *self, const struct sign_values *v)
{
	struct lode_text_page page = lode_stdout_page();
	struct lode_sign_answer *answer;
	struct lode_error err;
	int code = LODE_EXIT_OK;

	if (lode_sign_run(&answer, &v->request, &err) < 0)
		code = lode_say_error(self, &err);
	else if (v->wants_json && !answer->is_bare)
		lode_document_put(stdout, &lode_sign_document, answer, NULL);
	else
		lode_sign_text(lode_paged_stdout(), answer, &page);
	lode_sign_free(answer);
	return code;
}

static int sign_command_run(const struct lode_command *self, int argc, char **argv)
{
	struct sign_values values = {.list = false};
	int n, code = LODE_EXIT_OK;

	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		code = sign_command_settle(self, &values, argv, (size_t)n);
		if (code == LODE_EXIT_OK)
			code = sign_command_answer(self, &values);
	}
	lode_vec_release(&values.drop);
	return code;
}

const struct lode_command lode_cmd_sign = {
	.name = "sign",
	.summary = "give problems names: signatures from clusters or typed patterns",
	.usage = "[OPTION]... {--repo FILE | --signatures FILE} [PATTERN]...",
	.description =
		"A signature is a problem that has a name: patterns of call stacks, if need be the "
		"kind of events and the wait reason, and notes for people: bug, owner, anything "
		"else. `lode coverage` shows how much of the waiting time signatures explain, "
		"`lode triage` how much of a new recording is known already.\n\nA pattern is "
		"functions separated by ';' that occur in this order in a stack, with anything "
		"between them: 'InitComponents;GetHashCode', or with a '*' for the gap, "
		"'InitComponents;*;GetHashCode'. Functions are globs on a name or on module!name: "
		"'libssl*!*', '[kernel]!vfs_read'. '>read' is read called by the function before "
		"it, and as the first one the stack's root; '?*' is any one function; '-> nginx' "
		"is the step to the thread that was waited for. A signature matches an event if "
		"one of its patterns does.\n\nSigning a cluster takes the function that its "
		"problem goes by; else all of its patterns, and its shared call path where some of "
		"its stacks have no more than that, so that the signature matches the cluster's "
		"total cost. A cluster's number is that of the last `lode mine --repo`; its id "
		"stays the same as long as its patterns do.",
	.options = options,
	.examples = examples,
	.takes_words = true,
	.run = sign_command_run,
};
