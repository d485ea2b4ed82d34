#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/messages.h"
#include "cli/option_values.h"
#include "cli/repo_options.h"
#include "job/cluster_choice.h"
#include "job/signature_store.h"
#include "model/signature.h"
#include "model/signature_pattern.h"
#include "reports/signature_report.h"
#include "reports/units.h"

struct sign_values {
	const char *repo, *signatures;
	/* a new one */
	const char *name, *cluster, *from;
	/* what is said of it, or changed */
	const char *bug, *owner, *note, *kind, *reason;
	/* others */
	const char *show, *edit, *rename, *retire, *activate, *delete, *export, *import;
	lode_text_list drop;
	bool list, wants_json;
};

#define AT(field) .offset = offsetof(struct sign_values, field)

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
	{.name = "repo",
	 .letter = 'R',
	 .argument = "FILE",
	 .help = "the repository that keeps the signatures (default: $LODE_REPO)",
	 .set = lode_set_text,
	 AT(repo),
	 .group = "Where they are"},
	{.name = "signatures",
	 .letter = 's',
	 .argument = "FILE",
	 .help = "a file of signatures instead: text for people and version control",
	 .set = lode_set_text,
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
	 AT(export)},
	{.name = "import",
	 .argument = "FILE",
	 .help = "take all of a file of signatures (- is standard input): new ones are added, "
		 "those "
		 "of the same name become what the file says",
	 .set = lode_set_text,
	 AT(import)},

	{.name = "json",
	 .help = "one JSON document (docs/signatures.md)",
	 .set = lode_set_flag,
	 AT(wants_json),
	 .group = "Output"},
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

/* ---- What is asked for ---- */

struct action {
	const char *done;	/* "signed", for output */
	const char *given;	/* the option's value, NULL: not asked for */
	bool is_reading;	/* changes nothing */
	bool takes_description; /* --bug and its like, patterns */
};

enum { SIGN, LIST, SHOW, EDIT, RETIRE, ACTIVATE, DELETE, EXPORT, IMPORT, N_ACTIONS };

static void list_actions(struct action actions[N_ACTIONS], const struct sign_values *v)
{
	actions[SIGN] = (struct action){"signed", v->name, false, true};
	actions[LIST] = (struct action){"listed", v->list ? "" : NULL, true, false};
	actions[SHOW] = (struct action){"listed", v->show, true, false};
	actions[EDIT] = (struct action){"changed", v->edit, false, true};
	actions[RETIRE] = (struct action){"retired", v->retire, false, false};
	actions[ACTIVATE] = (struct action){"activated", v->activate, false, false};
	actions[DELETE] = (struct action){"deleted", v->delete, false, false};
	actions[EXPORT] = (struct action){"exported", v->export, true, false};
	actions[IMPORT] = (struct action){"imported", v->import, false, false};
}

/* A run: one action on one store. */
struct sign_run {
	const struct lode_command *self;
	const struct sign_values *v;
	struct action action;
	int what; /* of the actions */
	char **patterns;
	size_t n_patterns;
	int64_t now_s;
	struct lode_repo *repo;
	struct lode_signature_store store;
	struct lode_error err;
};

static int check(struct sign_run *run)
{
	const struct sign_values *v = run->v;
	const struct lode_command *self = run->self;
	struct action actions[N_ACTIONS];
	int n = 0;

	list_actions(actions, v);
	run->what = LIST;
	for (int a = 0; a < N_ACTIONS; a++)
		if (actions[a].given) {
			run->what = a;
			n++;
		}
	run->action = actions[run->what];
	if (!v->repo == !v->signatures)
		return lode_command_misused(self, "say where the signatures are: --repo FILE or "
						  "--signatures FILE");
	if (n > 1)
		return lode_command_misused(self,
					    "one thing at a time: --name, --list, --show, "
					    "--edit, --retire, --activate, --delete, --export "
					    "and --import exclude each other");
	if (n == 0 && (v->cluster || run->n_patterns))
		return lode_command_misused(self, "a signature needs a name: --name NAME");
	if (!run->action.takes_description && (v->bug || v->owner || v->note || v->kind ||
					       v->reason || v->cluster || run->n_patterns))
		return lode_command_misused(self, "what is said of a signature, and patterns, go "
						  "with --name or --edit");
	if (v->from && !v->cluster)
		return lode_command_misused(self, "--from names a document: say which of its "
						  "clusters, --cluster N");
	if (v->cluster && !v->from && !v->repo)
		return lode_command_misused(self, "--cluster N needs what mining showed: --repo "
						  "FILE, or --from a document of lode mine --json");
	if ((v->rename || v->drop.n) && !v->edit)
		return lode_command_misused(self, "--rename and --drop go with --edit NAME");
	if (v->name && !v->cluster && !run->n_patterns)
		return lode_command_misused(self, "what is it? Give --cluster N, or patterns such "
						  "as 'InitComponents;*;GetHashCode'");
	return 0;
}

/* ---- Output ---- */

static int report(struct sign_run *run, const struct lode_signature *const *list, size_t n)
{
	struct lode_signature_report r = {
		.signatures = list,
		.n = n,
		.path = run->store.path,
		.action = run->action.done,
		.columns = lode_columns(stdout, 100),
		.is_terminal = lode_columns(stdout, 0) > 0,
	};

	if (run->v->wants_json)
		lode_signature_report_json(stdout, &r);
	else
		lode_signature_report_table(stdout, &r);
	return LODE_EXIT_OK;
}

static int report_all(struct sign_run *run)
{
	size_t n = run->store.signatures.list.n;
	const struct lode_signature **list = lode_alloc(n * sizeof(*list));
	int code;

	for (size_t i = 0; i < n; i++)
		list[i] = &run->store.signatures.list.at[i];
	code = report(run, list, n);
	free(list);
	return code;
}

static int fail(struct sign_run *run)
{
	return lode_say_error(run->self, &run->err);
}

/* Writes the store, then says what was done, `extra` in words behind it. */
static int finish(struct sign_run *run, const char *name, const char *extra)
{
	const struct lode_signature *s = lode_signatures_find(&run->store.signatures, name);
	char safe[1024];

	if (lode_signature_store_save(&run->store, &run->err) < 0)
		return fail(run);
	if (run->v->wants_json)
		return report(run, &s, s != NULL);
	printf("%s %s%s\n", run->action.done, lode_escape(safe, sizeof(safe), name), extra);
	return LODE_EXIT_OK;
}

/* ---- Actions ---- */

/* Takes what the options say of a signature; NULL: they say nothing. */
static int describe(struct sign_run *run, struct lode_signature *s)
{
	const struct sign_values *v = run->v;
	int rc = 0;

	if (v->bug)
		s->bug = v->bug;
	if (v->owner)
		s->owner = v->owner;
	if (v->note)
		s->note = v->note;
	if (v->kind)
		rc = lode_signature_bits_parse(&s->kinds, LODE_SIGNATURE_KINDS, v->kind, &run->err);
	if (rc == 0 && v->reason)
		rc = lode_signature_bits_parse(&s->reasons, LODE_SIGNATURE_REASONS, v->reason,
					       &run->err);
	return rc;
}

typedef LODE_VEC(const char *) text_vec;

static void add_typed(struct sign_run *run, text_vec *patterns)
{
	for (size_t i = 0; i < run->n_patterns; i++)
		lode_vec_append(patterns, run->patterns[i]);
}

static int choose_cluster(struct sign_run *run, struct lode_cluster_choice *choice)
{
	const struct sign_values *v = run->v;

	if (v->from)
		return lode_cluster_choice_of_json(choice, v->from, v->cluster, &run->err);
	return lode_cluster_choice_of_run(choice, run->repo, v->cluster, &run->err);
}

static int sign(struct sign_run *run)
{
	const struct sign_values *v = run->v;
	struct lode_cluster_choice choice = {0};
	struct lode_signature s = {
		.name = v->name, .created_s = run->now_s, .updated_s = run->now_s};
	char extra[128] = "", cost[LODE_UNITS_BUFFER], count[LODE_UNITS_BUFFER];
	text_vec patterns = {0};
	int code, rc = 0;

	if (v->cluster)
		rc = choose_cluster(run, &choice);
	for (size_t i = 0; i < choice.n_patterns; i++)
		lode_vec_append(&patterns, choice.patterns[i]);
	add_typed(run, &patterns);
	s.kinds = choice.kinds;
	s.patterns = patterns.at;
	s.n_patterns = patterns.n;
	if (rc == 0)
		rc = describe(run, &s);
	if (rc == 0)
		rc = lode_signatures_add(&run->store.signatures, &s, &run->err);
	if (rc == 0) {
		lode_format_plural(count, patterns.n, "pattern");
		if (choice.unit)
			snprintf(extra, sizeof(extra), ": %s, cluster %u of %s in total", count,
				 choice.rank,
				 lode_format_cost_long(cost, choice.total_ns, choice.unit));
		else if (v->cluster)
			snprintf(extra, sizeof(extra), ": %s, cluster %u", count, choice.rank);
		else
			snprintf(extra, sizeof(extra), ": %s", count);
	}
	code = rc < 0 ? fail(run) : finish(run, v->name, extra);
	lode_vec_release(&patterns);
	lode_cluster_choice_release(&choice);
	return code;
}

/* The signature that an option names. */
static struct lode_signature *find(struct sign_run *run, const char *name)
{
	struct lode_signature *s = lode_signatures_find(&run->store.signatures, name);
	const char **names;
	const char *closest;
	size_t n = run->store.signatures.list.n;
	char safe[512], other[512] = "";

	if (s)
		return s;
	names = lode_alloc0(n + 1, sizeof(*names));
	for (size_t i = 0; i < n; i++)
		names[i] = run->store.signatures.list.at[i].name;
	closest = lode_closest_name(name, names);
	if (closest)
		lode_escape_fit(other, sizeof(other), closest, 80);
	lode_say(run->self, "no signature '%s'%s%s%s",
		 lode_escape_fit(safe, sizeof(safe), name, 80), closest ? ": was '" : "", other,
		 closest ? "' meant?" : "");
	free(names);
	return NULL;
}

/* One form for patterns that mean the same; NULL if it is none. */
static const char *canonical(const char *text, struct lode_arena *arena, struct lode_error *err)
{
	lode_signature_step_vec steps = {0};
	const char *out = NULL;

	if (lode_signature_pattern_parse(&steps, text, arena, err) == 0)
		out = lode_signature_pattern_text(steps.at, steps.n, arena);
	lode_vec_release(&steps);
	return out;
}

/* The patterns of `s` but those to drop, of which each must be there. */
static int keep_patterns(struct sign_run *run, const struct lode_signature *s, text_vec *kept)
{
	const lode_text_list *drop = &run->v->drop;
	struct lode_arena arena = {0};
	size_t n_dropped = 0;
	int rc = 0;

	for (size_t p = 0; p < s->n_patterns; p++)
		lode_vec_append(kept, s->patterns[p]);
	for (size_t d = 0; rc == 0 && d < drop->n; d++) {
		const char *text = canonical(drop->at[d], &arena, &run->err);
		size_t n = 0;

		if (!text) {
			rc = LODE_ERR_ARG;
			break;
		}
		for (size_t p = 0; p < kept->n; p++)
			if (strcmp(kept->at[p], text) != 0)
				kept->at[n++] = kept->at[p];
		n_dropped = kept->n - n;
		kept->n = n;
		if (!n_dropped)
			rc = lode_fail(&run->err, LODE_ERR_ARG, NULL, -1,
				       "'%.60s' has no pattern '%.200s'", s->name, drop->at[d]);
	}
	lode_arena_release(&arena);
	return rc;
}

/* Puts `s` in the place of `old`; texts of either may be the list's. */
static int replace(struct sign_run *run, struct lode_signature *old, const struct lode_signature *s)
{
	lode_signatures_remove(&run->store.signatures, old);
	return lode_signatures_add(&run->store.signatures, s, &run->err);
}

static int edit(struct sign_run *run)
{
	const struct sign_values *v = run->v;
	struct lode_signature *old = find(run, v->edit), s;
	struct lode_cluster_choice choice = {0};
	text_vec patterns = {0};
	int code, rc;

	if (!old)
		return LODE_EXIT_USAGE;
	s = *old;
	rc = keep_patterns(run, old, &patterns);
	if (rc == 0 && v->cluster)
		rc = choose_cluster(run, &choice);
	for (size_t i = 0; i < choice.n_patterns; i++)
		lode_vec_append(&patterns, choice.patterns[i]);
	add_typed(run, &patterns);
	s.patterns = patterns.at;
	s.n_patterns = patterns.n;
	s.updated_s = run->now_s;
	if (v->rename)
		s.name = v->rename;
	if (rc == 0)
		rc = describe(run, &s);
	if (rc == 0)
		rc = replace(run, old, &s);
	code = rc < 0 ? fail(run) : finish(run, s.name, "");
	lode_vec_release(&patterns);
	lode_cluster_choice_release(&choice);
	return code;
}

static int set_state(struct sign_run *run, bool is_retired)
{
	struct lode_signature *s = find(run, run->action.given);

	if (!s)
		return LODE_EXIT_USAGE;
	if (s->is_retired != is_retired)
		s->updated_s = run->now_s;
	s->is_retired = is_retired;
	return finish(run, s->name, "");
}

static int delete_one(struct sign_run *run)
{
	struct lode_signature *s = find(run, run->v->delete);

	if (!s)
		return LODE_EXIT_USAGE;
	lode_signatures_remove(&run->store.signatures, s);
	return finish(run, run->v->delete, "");
}

static int show(struct sign_run *run)
{
	const struct lode_signature *s = find(run, run->v->show);
	size_t size;
	char *text;

	if (!s)
		return LODE_EXIT_USAGE;
	if (run->v->wants_json)
		return report(run, &s, 1);
	text = lode_signature_format(s, &size);
	fwrite(text, 1, size, stdout);
	free(text);
	return LODE_EXIT_OK;
}

static int export_all(struct sign_run *run)
{
	struct lode_signature_store to = {.signatures = run->store.signatures,
					  .path = run->v->export};
	size_t size;
	char *text, safe[4096];

	if (strcmp(run->v->export, "-") == 0) {
		text = lode_signatures_format(&run->store.signatures, &size);
		fwrite(text, 1, size, stdout);
		free(text);
		return LODE_EXIT_OK;
	}
	if (lode_signature_store_save(&to, &run->err) < 0)
		return fail(run);
	if (run->v->wants_json)
		return report_all(run);
	printf("exported %zu signature%s to %s\n", run->store.signatures.list.n,
	       run->store.signatures.list.n == 1 ? "" : "s",
	       lode_escape(safe, sizeof(safe), run->v->export));
	return LODE_EXIT_OK;
}

/* Do both say the same, times apart? */
static bool is_same(const struct lode_signature *a, const struct lode_signature *b)
{
	struct lode_signature x = *a, y = *b;
	size_t x_size, y_size;
	char *p, *q;
	bool same;

	x.created_s = x.updated_s = y.created_s = y.updated_s = 0;
	p = lode_signature_format(&x, &x_size);
	q = lode_signature_format(&y, &y_size);
	same = x_size == y_size && memcmp(p, q, x_size) == 0;
	free(p);
	free(q);
	return same;
}

static int import_all(struct sign_run *run)
{
	struct lode_signatures from = {0};
	size_t n_new = 0, n_changed = 0, n_same = 0;
	int rc = lode_signatures_read(&from, run->v->import, &run->err);

	for (size_t i = 0; rc == 0 && i < from.list.n; i++) {
		struct lode_signature s = from.list.at[i];
		struct lode_signature *old = lode_signatures_find(&run->store.signatures, s.name);

		if (!s.created_s)
			s.created_s = old ? old->created_s : run->now_s;
		if (!s.updated_s)
			s.updated_s = old && is_same(&s, old) ? old->updated_s : run->now_s;
		if (!old)
			rc = lode_signatures_add(&run->store.signatures, &s, &run->err), n_new++;
		else if (is_same(&s, old))
			n_same++;
		else
			rc = replace(run, old, &s), n_changed++;
	}
	if (rc == 0)
		rc = lode_signature_store_save(&run->store, &run->err);
	lode_signatures_release(&from);
	if (rc < 0)
		return fail(run);
	if (run->v->wants_json)
		return report_all(run);
	printf("imported: %zu new, %zu changed, %zu as they were\n", n_new, n_changed, n_same);
	return LODE_EXIT_OK;
}

static int act(struct sign_run *run)
{
	switch (run->what) {
	case SIGN:
		return sign(run);
	case SHOW:
		return show(run);
	case EDIT:
		return edit(run);
	case RETIRE:
	case ACTIVATE:
		return set_state(run, run->what == RETIRE);
	case DELETE:
		return delete_one(run);
	case EXPORT:
		return export_all(run);
	case IMPORT:
		return import_all(run);
	case LIST:
	default:
		return report_all(run);
	}
}

/* ---- Running ---- */

static int run_on_store(struct sign_run *run)
{
	const struct sign_values *v = run->v;
	enum lode_repo_mode mode = run->action.is_reading ? LODE_REPO_READ : LODE_REPO_WRITE;
	bool may_be_new = run->what == SIGN || run->what == IMPORT;
	int code, rc = 0;

	if (v->repo)
		rc = lode_repo_open(&run->repo, v->repo, mode, &run->err);
	if (rc == 0)
		rc = lode_signature_store_open(&run->store, run->repo,
					       v->repo ? v->repo : v->signatures, may_be_new,
					       &run->err);
	if (rc < 0) {
		code = fail(run);
	} else {
		code = act(run);
		lode_signature_store_release(&run->store);
	}
	lode_repo_close(run->repo);
	return code;
}

static int run_sign(const struct lode_command *self, int argc, char **argv)
{
	struct sign_values values = {0};
	struct sign_run run = {.self = self, .v = &values, .patterns = argv, .now_s = time(NULL)};
	int n, code = LODE_EXIT_OK;

	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		if (!values.signatures)
			values.repo = lode_repo_option_path(values.repo);
		run.n_patterns = (size_t)n;
		code = check(&run);
		if (code == 0)
			code = run_on_store(&run);
	}
	lode_vec_release(&values.drop);
	return code;
}

const struct lode_command lode_cmd_sign = {
	.name = "sign",
	.summary = "give problems names: signatures from clusters or typed patterns",
	.usage = "[OPTION]... {--repo FILE | --signatures FILE} [PATTERN]...",
	.description =
		"A signature is a problem that has a name: patterns of call stacks, perhaps the "
		"kind "
		"of events and what was waited for, and what people know of it - bug, owner, "
		"notes. "
		"`lode coverage` tells how much of the waiting signatures explain, `lode triage` "
		"what "
		"of a new recording is known already.\n\n"
		"A pattern is functions parted by ';' that stand in this order in a stack, with "
		"anything between them: 'InitComponents;GetHashCode', or with a '*' for the gap, "
		"'InitComponents;*;GetHashCode'. Functions are globs on a name or on module!name: "
		"'libssl*!*', '[kernel]!vfs_read'. '>read' is read called by the function before "
		"it, "
		"and as the first one the stack's root; '?*' is any one function; '-> nginx' is "
		"the "
		"step to the thread that was waited for. A signature matches an event if one of "
		"its "
		"patterns does.\n\n"
		"Signing a cluster takes all of its patterns, and its common part where that is "
		"what "
		"some of its stacks have, so that the signature matches what the cluster costs in "
		"total. A cluster's number is that of the last `lode mine --repo`; its id stays "
		"the "
		"same as long as its patterns do.",
	.options = options,
	.examples = examples,
	.run = run_sign,
};
