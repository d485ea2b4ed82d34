/* The command line of lode serve, and the server while it runs. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/shell_words.h"
#include "base/written.h"
#include "document/findings.h"
#include "tool/reading_options.h"
#include "store/confinement.h"
#include "tool/ending_signals.h"
#include "tool/help.h"
#include "tool/output_options.h"
#include "tool/messages.h"
#include "tool/mining_options.h"
#include "tool/option_values.h"
#include "answers/analyze/command_pages.h"
#include "tool/repo_options.h"
#include "answers/serve/serve_mine.h"
#include "answers/serve/serve_mine_repo.h"
#include "answers/serve/serve_timeline.h"
#include "serve/server.h"

struct serve_values {
	const char *address, *token_file, *repo, *where;
	lode_text_list names, source_dirs;
	size_t port;
	bool is_open;
	struct lode_mine_page_values mine; /* behind it nothing: options of lode mine */
};

#define AT(field) offsetof(struct serve_values, field)

enum { DEFAULT_PORT = 7070, STOP_S = 5 };

static const struct lode_option options[] = {
	LODE_OPTION("port", "N", lode_set_count, AT(port),
		    "listen on this port (default 7070; 0: any free port)", .letter = 'p',
		    .group = "Where"),
	LODE_OPTION("address", "ADDRESS", lode_set_text, AT(address),
		    "listen on this numeric address (default 127.0.0.1)"),
	LODE_FLAG("open", AT(is_open),
		  "allow non-loopback addresses; every client then needs the token"),
	LODE_OPTION("host-name", "NAME", lode_set_list, AT(names),
		    "also accept requests for this host name; may be repeated"),
	LODE_OPTION("token-file", "FILE", lode_set_text, AT(token_file),
		    "read the token from FILE: 16 to 32 letters and digits (default: a new token "
		    "at each start)",
		    .file = LODE_FILE_READ),
	LODE_SOURCE_DIR_OPTION(AT(source_dirs)),
	LODE_REPO_OPTION(AT(repo),
			 "mine the recordings of a repository; signatures can be created and "
			 "changed on the page (default without INPUT: $LODE_REPO)",
			 .group = "Repository"),
	LODE_WHERE_OPTION(AT(where), NULL),
	LODE_SYMPTOM_OPTIONS(AT(mine.aoi)),
	LODE_AOI_OPTIONS(AT(mine.aoi)),
	LODE_MINING_OPTIONS(AT(mine.mining)),
	LODE_RANK_OPTION(AT(mine.mining.rank), "rank clusters by own (default), total (inclusive), "
					       "average (per occurrence), streams or events"),
	LODE_NARROW_OPTIONS(AT(mine.input)),
	LODE_SYMBOL_OPTIONS(AT(mine.input)),
	LODE_MACHINE_OPTIONS(AT(mine.input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"An existing report", "lode serve report.html"},
	{"Fifty million calls, down to each single one", "lode serve run.lodet"},
	{"Everything in a folder", "lode serve incident-4711/"},
	{"A repository: sign problems and track them over time", "lode serve --repo perf.lode"},
	{"The same for one release",
	 "lode serve --repo perf.lode --where 'release=2.1' --min-cost 1s"},
	{"Recordings on a remote server: on your own machine,",
	 "ssh -L 7070:localhost:7070 server lode serve recordings/"},
	{NULL},
};

/* Everything that must live while the server answers. */
struct serving {
	const struct lode_command *self;
	const struct serve_values *values;
	struct lode_pages pages;
	struct lode_asked asked; /* of a repository */
	struct lode_source_dirs dirs;
	struct lode_server *server;
	struct lode_site *site;
	struct lode_serve_repo *repo; /* NULL: files are served */
	LODE_VEC(struct lode_serve_timeline *) timelines;
	LODE_VEC(struct lode_serve_mine *) mines;
};

/* What may be asked of a report. */
static int add_questions(struct serving *s, const struct lode_analyze_run *run,
			 struct lode_error *err)
{
	if (run->report && run->kind == LODE_ANALYZE_MINE) {
		struct lode_serve_mine *mine =
			lode_serve_mine_new(run->mine, &run->reading, &s->dirs, NULL, false);

		lode_vec_append(&s->mines, mine);
		lode_serve_mine_add(mine, s->site, run->report);
	} else if (run->report && run->kind == LODE_ANALYZE_TIMELINE) {
		struct lode_serve_timeline *timeline;

		if (lode_serve_timeline_open(&timeline, run->title, run->index, err) < 0)
			return err->status;
		lode_vec_append(&s->timelines, timeline);
		lode_serve_timeline_add(timeline, s->site, run->report);
	}
	return LODE_OK;
}

static int fill_site(struct serving *s, struct lode_error *err)
{
	const struct lode_analyze_answer *answer = s->pages.answer;
	size_t size = 0;
	char *page = lode_html_served_page(&size);
	int rc = LODE_OK;

	s->site = lode_site_new();
	lode_site_set_page(s->site, page, size);
	free(page);
	for (size_t i = 0; i < answer->n_parts; i++) {
		const struct lode_html_part *part = &answer->parts[i];

		lode_site_add_report(s->site, part->name, part->schema, part->title, part->json,
				     part->json_bytes);
	}
	for (size_t i = 0; i < answer->n_runs && rc == LODE_OK; i++)
		rc = add_questions(s, &answer->runs[i], err);
	return rc;
}

/* A file of secrets may be mounted for a group: what is said is only that all can read it. */
static int read_token(char *token, size_t size, const struct lode_command *self, const char *path,
		      struct lode_error *err)
{
	FILE *in = fopen(path, "re");
	struct stat status;
	char shown[4096];

	if (!in)
		return lode_fail_errno(err, errno, path, "cannot open");
	if (fstat(fileno(in), &status) == 0 && (status.st_mode & S_IROTH))
		lode_say(self,
			 "the token file is readable by all users of this machine: chmod o-r %s",
			 lode_escape(shown, sizeof(shown), path));
	if (!fgets(token, (int)size, in))
		*token = 0;
	fclose(in);
	token[strcspn(token, "\r\n")] = 0;
	return LODE_OK;
}

static void leave(int signum)
{
	(void)signum;
	_exit(LODE_EXIT_OK);
}

/* Stopping is not waited for beyond STOP_S, nor beyond a second signal: nothing is left to write,
   and what a question works out will not be read. */
static void wait_for_the_end(void)
{
	sigset_t set;
	int signum;

	lode_ending_signals_block(&set);
	sigwait(&set, &signum);
	signal(SIGALRM, leave);
	alarm(STOP_S);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Takes the port before anything is analysed: that it is in use is known at once. */
static int take_port(struct serving *s)
{
	const struct serve_values *v = s->values;
	struct lode_server_options options = {
		.address = v->address,
		.port = (uint16_t)v->port,
		.is_open = v->is_open,
		.names = v->names.at,
		.n_names = v->names.n,
	};
	struct lode_error err;
	char token[128];

	s->dirs = (struct lode_source_dirs){v->source_dirs.at, v->source_dirs.n};
	if (lode_source_dirs_check(&s->dirs, &err) < 0)
		return lode_say_error(s->self, &err);
	if (v->token_file) {
		if (read_token(token, sizeof(token), s->self, v->token_file, &err) < 0)
			return lode_say_error(s->self, &err);
		options.token = token;
	}
	if (lode_server_listen(&s->server, &options, &err) < 0)
		return lode_say_error(s->self, &err);
	/* From here on bounded: what a fault in a reader of recordings can do. */
	(void)lode_command_confine(&(struct lode_command_rights){
		.repo = v->repo,
		.has_caches = true,
		.is_online = v->mine.input.symbols.debuginfod_ns != 0,
	});
	return LODE_EXIT_OK;
}

static int answer_requests(struct serving *s)
{
	const struct serve_values *v = s->values;
	struct lode_server *server = s->server;
	struct lode_error err;
	size_t n_reports;
	sigset_t ends;
	char url[200];

	lode_ending_signals_block(&ends);
	if (lode_server_answer(server, s->site, &err) < 0)
		return lode_say_error(s->self, &err);
	/* What needs the token is reached by the printed address. */
	printf("%s\n",
	       lode_server_url(server, v->is_open || v->repo || s->dirs.n, url, sizeof(url)));
	fflush(stdout);
	n_reports = lode_site_n_reports(s->site);
	if (s->repo && lode_serve_repo_is_mining(s->repo))
		lode_say(s->self, "mining in progress, shown on the page; press Ctrl-C to stop");
	else
		lode_say(s->self, "serving %zu report%s; press Ctrl-C to stop", n_reports,
			 n_reports == 1 ? "" : "s");
	if (s->repo) {
		lode_site_free(s->site);
		s->site = NULL;
		lode_serve_repo_follow(s->repo, server);
	}
	wait_for_the_end();
	lode_serve_repo_stop(s->repo);
	lode_server_stop(server);
	s->server = NULL;
	return lode_serve_repo_code(s->repo);
}

static int answer(struct serving *s)
{
	int code = answer_requests(s);

	/* What it waits for is no longer wanted. */
	if (!lode_serve_repo_stop(s->repo))
		_exit(code);
	return code;
}

/* Options that go to lode mine, for the command lines that are shown; those of the machine have
   theirs. */
static bool is_of_mine(const void *context, const struct lode_option *option)
{
	(void)context;
	return option->offset >= AT(mine) && strcmp(option->name, "threads") != 0 &&
	       strcmp(option->name, "memory") != 0;
}

static int serve_inputs(struct serving *s, char **inputs, size_t n_inputs)
{
	const struct serve_values *v = s->values;
	const struct lode_input_options *input = &v->mine.input;
	struct lode_pages *pages = &s->pages;
	char threads[16], memory[24];
	struct lode_error err;
	int code;

	snprintf(threads, sizeof(threads), "%u", input->n_threads);
	snprintf(memory, sizeof(memory), "%zu", input->memory_bytes);
	pages->self = pages->miner = s->self;
	pages->says_starts = pages->is_served = true;
	pages->threads = input->n_threads ? threads : NULL;
	pages->memory = input->memory_bytes ? memory : NULL;
	lode_input_options_init(&pages->machine);
	pages->machine.n_threads = input->n_threads;
	pages->machine.memory_bytes = input->memory_bytes;
	pages->mine = v->mine;
	pages->are_symptoms_given = v->mine.aoi.symptom || v->mine.aoi.symptoms ||
				    v->mine.aoi.comm || v->mine.aoi.pid >= 0;
	code = take_port(s);
	if (code != LODE_EXIT_OK)
		return code;
	code = lode_pages_run(pages, inputs, n_inputs);
	if (code > LODE_EXIT_INCOMPLETE)
		return code;
	if (fill_site(s, &err) < 0)
		return lode_say_error(s->self, &err);
	return answer(s);
}

static void init_serve(struct serve_values *v)
{
	memset(v, 0, sizeof(*v));
	v->port = DEFAULT_PORT;
	lode_input_options_init(&v->mine.input);
	lode_aoi_values_init(&v->mine.aoi);
	lode_mining_values_init(&v->mine.mining);
}

static void settle(struct serve_values *v)
{
	lode_aoi_values_settle(&v->mine.aoi, v->mine.mining.is_classic);
	lode_mining_values_settle(&v->mine.mining);
}

static void release_serve(struct serve_values *v)
{
	lode_vec_release(&v->names);
	lode_vec_release(&v->source_dirs);
	lode_aoi_values_release(&v->mine.aoi);
}

static int check_serve(const struct lode_command *self, struct serve_values *v, size_t n_inputs)
{
	if (n_inputs && v->repo)
		return lode_command_misused(self, "--repo cannot be combined with INPUTs");
	if (!n_inputs)
		v->repo = lode_repo_option_path(v->repo);
	if (!n_inputs && !v->repo)
		return lode_command_misused(
			self, "give pages, recordings, traces, or folders of them; or --repo FILE");
	if (n_inputs && v->where)
		return lode_command_misused(self, "--where selects recordings of --repo FILE and "
						  "cannot be combined with INPUTs");
	if (v->port > UINT16_MAX)
		return lode_command_misused(self, "--port must be at most 65535");
	if (lode_mining_values_misuse(&v->mine.mining))
		return lode_command_misused(self, "%s", lode_mining_values_misuse(&v->mine.mining));
	if (lode_aoi_values_check(self, &v->mine.aoi) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	return lode_html_check(self);
}

/* The command line of lode mine that asks for the same. */
static void make_asked(struct serving *s)
{
	const struct serve_values *v = s->values;
	size_t size;
	FILE *out = lode_written_open(&s->asked.options, &size);

	fputs(" --repo ", out);
	lode_shell_word_put(out, v->repo);
	if (v->where) {
		fputs(" --where ", out);
		lode_shell_word_put(out, v->where);
	}
	for (size_t i = 0; i < s->pages.mine_words.n; i++) {
		fputc(' ', out);
		lode_shell_word_put(out, s->pages.mine_words.at[i]);
	}
	lode_written_close(out);
	s->asked.command = "mine";
	s->asked.operands = lode_alloc0(1, 1);
}

static int serve_repository(struct serving *s, struct lode_mine_page_values *mine)
{
	struct lode_mine_request request = lode_mine_page_request(mine, true, NULL);
	sigset_t ends;
	int code = take_port(s);

	if (code != LODE_EXIT_OK)
		return code;
	make_asked(s);
	request.repo = s->values->repo;
	request.where = s->values->where;
	request.asked = &s->asked;
	lode_ending_signals_block(&ends); /* before it starts a thread */
	code = lode_serve_repo_open(&s->repo, s->self, &request, &s->dirs);
	if (!s->repo)
		return code;
	s->site = lode_serve_repo_site(s->repo);
	return answer(s);
}

/* Recordings are read as the repository's were, and what is said differently is seen when streams
   are read. */
static int serve_as_repository(struct serving *s, struct serve_values *v,
			       const lode_text_list *given)
{
	struct lode_repo_words words = {.shape = NULL};
	struct lode_repo *repo;
	struct lode_error err;
	int n, code;

	if (lode_repo_open(&repo, v->repo, LODE_REPO_READ, &err) < 0)
		return lode_say_error(s->self, &err);
	release_serve(v);
	init_serve(v);
	code = lode_repo_words_parse(&words, s->self, v, repo, given, true, &n);
	lode_repo_close(repo);
	settle(v);
	if (code == LODE_EXIT_OK)
		code = check_serve(s->self, v, 0);
	if (code == LODE_EXIT_OK)
		code = serve_repository(s, &v->mine);
	lode_repo_words_release(&words);
	return code;
}

static void release_serving(struct serving *s)
{
	lode_server_stop(s->server);
	lode_site_free(s->site);
	lode_serve_repo_close(s->repo);
	lode_vec_release_each(&s->timelines, it, lode_serve_timeline_close(*it));
	lode_vec_release_each(&s->mines, it, lode_serve_mine_close(*it));
	lode_asked_release(&s->asked);
	lode_pages_release(&s->pages);
}

static int run_serve(const struct lode_command *self, int argc, char **argv)
{
	struct serve_values values;
	struct serving serving = {.self = self, .values = &values};
	lode_text_list given = {0};
	int n, code = LODE_EXIT_OK;

	lode_ending_signals_heed();
	init_serve(&values);
	lode_vec_append_all(&given, argv, (size_t)argc);
	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		settle(&values);
		lode_options_words(&serving.pages.mine_words, options, given.at, given.n,
				   is_of_mine, NULL);
		code = check_serve(self, &values, (size_t)n);
		if (code == LODE_EXIT_OK)
			code = values.repo ? serve_as_repository(&serving, &values, &given)
					   : serve_inputs(&serving, argv, (size_t)n);
	}
	release_serving(&serving);
	release_serve(&values);
	lode_vec_release(&given);
	return code;
}

const struct lode_command lode_cmd_serve = {
	.name = "serve",
	.summary = "serve interactive reports to the browser, down to single calls",
	.usage = "[OPTION]... INPUT... | --repo FILE [--where QUERY]",
	.description = "Runs the applicable analyses on the inputs, as lode analyze does, or reads "
		       "existing --html reports, and serves them at the address that it prints. "
		       "Unlike in a file, a timeline can be zoomed to any window of any thread, "
		       "down to single calls, and each cluster of lode mine shows all of its "
		       "recordings and symptoms, with their critical paths.\n\n"
		       "With --repo it mines the recordings of a repository, and mines again when "
		       "the repository changes. Clusters can be signed, and signatures changed, as "
		       "with lode sign. The printed address contains a token that permits changes; "
		       "without it, other users of this machine can only read.\n\n"
		       "The server is reachable from this machine only, unless --open and "
		       "--address are given; then every client needs the token. It speaks plain "
		       "HTTP: outside a trusted network use ssh -L or a TLS proxy.",
	.options = options,
	.examples = examples,
	.run = run_serve,
};
