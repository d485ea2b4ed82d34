/* Width, colours and pager of a terminal. */
#include "tool/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Options that every command takes ---- */

static const char color_variable[] = "LODE_COLOR", pager_variable[] = "LODE_PAGER";
/* The pager's process, from when it runs on. */
static const char in_use_variable[] = "LODE_PAGER_IN_USE";
static const char *const when[] = {"auto", "always", "never", NULL};

const struct lode_option lode_common_options[] = {
	{.name = "color",
	 .argument = "WHEN",
	 .help = "colour the output: auto (default: on terminals unless NO_COLOR is set), always "
		 "or never",
	 .choices = when,
	 .group = "Terminal"},
	{.name = "no-pager", .help = "do not use a pager (LODE_PAGER, PAGER or less)"},
	LODE_OPTIONS_END,
};

static bool is_called(const char *name, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(name, word, len) == 0;
}

int lode_common_option_take(const char *name, size_t len, const char *value, struct lode_error *err)
{
	if (is_called(name, len, "no-pager")) {
		if (value)
			return lode_fail(err, LODE_ERR_ARG, NULL, -1, "--no-pager takes no value");
		setenv(pager_variable, "", 1);
		return 1;
	}
	if (!is_called(name, len, "color"))
		return 0;
	for (const char *const *w = when; value && *w; w++)
		if (strcmp(*w, value) == 0) {
			setenv(color_variable, value, 1);
			return 1;
		}
	return lode_fail(err, LODE_ERR_ARG, NULL, -1,
			 "--color must be auto, always or never, as in --color=never");
}

int lode_common_options_take(int argc, char *const *argv, struct lode_error *err)
{
	int n = 0;

	for (; n < argc && strncmp(argv[n], "--", 2) == 0; n++) {
		const char *name = argv[n] + 2, *equals = strchr(name, '=');
		size_t len = equals ? (size_t)(equals - name) : strlen(name);
		int rc = lode_common_option_take(name, len, equals ? equals + 1 : NULL, err);

		if (rc <= 0)
			return rc < 0 ? rc : n;
	}
	return n;
}

/* ---- The page ---- */

unsigned lode_columns(FILE *file, unsigned otherwise)
{
	struct winsize size;

	if (!isatty(fileno(file)) || ioctl(fileno(file), TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return otherwise;
	return size.ws_col < 80 ? 80 : size.ws_col > 200 ? 200 : size.ws_col;
}

static bool has_color(void)
{
	const char *color = getenv(color_variable), *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (color && strcmp(color, "always") == 0)
		return true;
	if (color && strcmp(color, "never") == 0)
		return false;
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
	       !(term && strcmp(term, "dumb") == 0);
}

/* kitty takes a line as the fragment of a file's address; to others it may be part of its name. */
static bool has_link_lines(void)
{
	const char *term = getenv("TERM");

	return term && strcmp(term, "xterm-kitty") == 0;
}

struct lode_text_page lode_stdout_page(void)
{
	struct lode_text_page page = {lode_columns(stdout, 100), has_color()};

	/* As ls and systemd do: files and pipes get no links, whatever --color says. */
	page.has_links = page.has_color && isatty(STDOUT_FILENO);
	page.has_link_lines = page.has_links && has_link_lines();
	if (page.has_links && gethostname(page.host, sizeof(page.host) - 1) < 0)
		page.host[0] = '\0';
	return page;
}

/* ---- The pager ---- */

static void start_pager(const char *pager)
{
	static char less[] = "less", less_options[] = "-FRX", sh[] = "sh", sh_option[] = "-c";
	char *const usual[] = {less, less_options, NULL};
	char *const named[] = {sh, sh_option, (char *)(uintptr_t)pager, NULL};
	posix_spawn_file_actions_t actions;
	char number[24];
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	/* A pager without options of its own: as git asks for it. */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	unsetenv(in_use_variable);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	fflush(stdout);
	if (posix_spawnp(&pid, pager ? "sh" : "less", &actions, NULL, pager ? named : usual,
			 environ) == 0) {
		dup2(ends[1], STDOUT_FILENO);
		snprintf(number, sizeof(number), "%d", (int)pid);
		setenv(in_use_variable, number, 1);
		/* The interrupt key is the pager's. */
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
	}
	posix_spawn_file_actions_destroy(&actions);
	close(ends[0]);
	close(ends[1]);
}

FILE *lode_paged_stdout(void)
{
	const char *pager = getenv(pager_variable);

	pager = pager ? pager : getenv("PAGER");
	if (isatty(STDOUT_FILENO) && !(pager && (!*pager || strcmp(pager, "cat") == 0)))
		start_pager(pager);
	return stdout;
}

void lode_pager_end(void)
{
	const char *pager = getenv(in_use_variable);

	if (!pager)
		return;
	fclose(stdout);
	/* A pager that another process started is not our child. */
	while (waitpid((pid_t)strtol(pager, NULL, 10), NULL, 0) < 0 && errno == EINTR)
		;
}
