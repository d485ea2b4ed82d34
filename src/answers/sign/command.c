/* The command line of lode sign. */
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
			 "the repository with the signatures (default: $LODE_REPO)",
			 .group = "Storage"),
	LODE_OPTION("signatures", "FILE", lode_set_text, AT(request.signatures),
		    "use this signature file instead: text, for version control", .letter = 's',
		    .file = LODE_FILE_UPDATED, .kind = LODE_KIND_SIGNATURES),

	LODE_OPTION("name", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_SIGN]),
		    "create a signature with this name (no blanks)", .group = "New signature"),
	LODE_OPTION("cluster", "N", lode_set_text, AT(request.change.cluster),
		    "use the patterns of this cluster, by rank or id in the last `lode mine "
		    "--repo`, whatever its options were",
		    .letter = 'c'),
	LODE_OPTION("from", "FILE", lode_set_text, AT(request.from),
		    "take the cluster from this `lode mine --json` document",
		    .file = LODE_FILE_READ),

	LODE_OPTION("bug", "URL", set_any_text, AT(request.change.edit.words.bug), "issue URL",
		    .group = "Details (with --name, --edit)"),
	LODE_OPTION("owner", "WHO", set_any_text, AT(request.change.edit.words.owner),
		    "owner of the code"),
	LODE_OPTION("note", "TEXT", set_any_text, AT(request.change.edit.words.note), "free text"),
	LODE_OPTION("kind", "KINDS", set_any_text, AT(request.change.edit.words.kind),
		    "match only events of these kinds: run,wait,ready (default any)"),
	LODE_OPTION("reason", "REASONS", set_any_text, AT(request.change.edit.words.reason),
		    "match only waits with these reasons: lock, disk, fault, network, ipc, poll, "
		    "timer, child, other (default any)"),

	LODE_FLAG("list", AT(list), "list all signatures (default)", .letter = 'l',
		  .group = "Existing signatures"),
	LODE_OPTION("show", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_SHOW]),
		    "show one in full, in the format of signature files"),
	LODE_OPTION("edit", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_EDIT]),
		    "change the given fields and add the given patterns; an empty value removes a "
		    "field"),
	LODE_OPTION("drop", "PATTERN", lode_set_list, AT(drop),
		    "with --edit: remove this pattern; may be repeated"),
	LODE_OPTION("rename", "NEW", lode_set_text, AT(request.change.edit.rename),
		    "with --edit: rename it"),
	LODE_OPTION("retire", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_RETIRE]),
		    "mark as fixed: no longer counted as explained; `lode triage` reports it if it "
		    "comes back"),
	LODE_OPTION("activate", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_ACTIVATE]),
		    "undo --retire"),
	LODE_OPTION("delete", "NAME", lode_set_text, AT(of[LODE_SIGNATURE_DELETE]), "delete it"),
	LODE_OPTION("export", "FILE", lode_set_text, AT(of[LODE_SIGNATURE_EXPORT]),
		    "write all to a signature file (- is standard output)",
		    .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_SIGNATURES, .may_be_stdout = true),
	LODE_FORCE_OPTION,
	LODE_OPTION("import", "FILE", lode_set_text, AT(of[LODE_SIGNATURE_IMPORT]),
		    "read all from a signature file (- is standard input): add new ones, replace "
		    "those with the same name",
		    .file = LODE_FILE_READ),

	LODE_JSON_OPTION(AT(wants_json), "docs/signatures.md", .group = "Output"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Sign cluster 3 of the last mining of the repository",
	 "lode sign --repo perf.lode --cluster 3 --name slow-path-lookup --bug "
	 "https://bugs.example.org/4711"},
	{"The same without a repository",
	 "lode mine --json runs/ >m.json && lode sign -s ours.txt --from m.json -c 3 --name "
	 "slow-path"},
	{"A typed pattern: GetHashCode anywhere below InitComponents",
	 "lode sign --repo perf.lode --name slow-init 'InitComponents;*;GetHashCode'"},
	{"Only disk waits, in any function of a module",
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
		return lode_command_misused(
			self, "give the signatures: --repo FILE or --signatures FILE");
	if (n_acts > 1)
		return lode_command_misused(self,
					    "--name, --list, --show, --edit, --retire, --activate, "
					    "--delete, --export and --import exclude each other");
	if (n_acts == 0 && has_patterns)
		return lode_command_misused(self, "a signature needs a name: --name NAME");
	if (!is_new && !is_edit &&
	    (has_patterns || words->bug || words->owner || words->note || words->kind ||
	     words->reason))
		return lode_command_misused(self, "fields and patterns require --name or --edit");
	if (request->from && !change->cluster)
		return lode_command_misused(self, "--from requires --cluster N");
	if (change->cluster && !request->from && !request->repo)
		return lode_command_misused(self, "--cluster N requires --repo FILE, or --from "
						  "FILE with the output of lode mine --json");
	if ((change->edit.rename || change->edit.n_drop) && !is_edit)
		return lode_command_misused(self, "--rename and --drop require --edit NAME");
	if (is_new && !has_patterns)
		return lode_command_misused(
			self,
			"give --cluster N, or patterns such as 'InitComponents;*;GetHashCode'");
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
	.summary = "name problems: make signatures from clusters or typed patterns",
	.usage = "[OPTION]... {--repo FILE | --signatures FILE} [PATTERN]...",
	.description =
		"A signature is a named problem: patterns of call stacks, optionally the kind of "
		"events and the wait reason, and notes: bug, owner, free text. `lode coverage` "
		"shows how much of the waiting time signatures explain, `lode triage` how much of "
		"a new recording is already known.\n\n"
		"A pattern is a list of functions separated by ';' that occur in this order in a "
		"stack, with any others in between: 'InitComponents;GetHashCode', or with an "
		"explicit gap, 'InitComponents;*;GetHashCode'. Functions are globs on a name or on "
		"module!name: 'libssl*!*', '[kernel]!vfs_read'. '>read' is read called directly by "
		"the preceding function, or as the first step the root of the stack; '?*' is any "
		"single function; '-> nginx' is the step to the thread that was waited for. A "
		"signature matches an event if any of its patterns does.\n\n"
		"A cluster is signed by its characteristic function if it has one; otherwise by "
		"all of its patterns, plus its shared call path if some of its stacks have nothing "
		"else, so that the signature matches the cluster's total cost. A cluster's rank is "
		"that of the last `lode mine --repo`; its id stays the same as long as its "
		"patterns do.",
	.options = options,
	.examples = examples,
	.takes_words = true,
	.run = sign_command_run,
};
