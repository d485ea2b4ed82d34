/* Finds the latest recording of the same program near by, and which kind of stacks it has. */
#include "record/stacks_before.h"

#include <sys/stat.h>

#include "base/folder.h"
#include "input/bundle_notes.h"

enum { MOST_ENTRIES = 4096, WORD_BYTES = 4096 }; /* LIMIT: of a folder; of the words compared */

struct search {
	char words[WORD_BYTES]; /* that the command must begin with */
	struct timespec since;	/* the program was written */
	struct timespec latest;
	enum lode_stack_kind kind;
	char *where;
};

static bool is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void join_words(char *out, size_t size, char *const *command)
{
	size_t n = (size_t)snprintf(out, size, "%s", *command);

	for (command++; *command && n < size; command++) {
		n += (size_t)snprintf(out + n, size - n, " %s", *command);
		if (**command != '-')
			break;
	}
}

static bool is_of_program(const struct search *search, const char *recording)
{
	char *command = lode_bundle_command_read(recording);
	size_t n = strlen(search->words);
	bool is_it = command && strncmp(command, search->words, n) == 0 &&
		     (command[n] == ' ' || command[n] == '\0');

	free(command);
	return is_it;
}

static void look_at(struct search *search, const char *bundle)
{
	char *note = lode_path_join(bundle, LODE_STACKS_NOTE);
	struct stat st;
	bool has_dumps;

	/* The note lies beside the recording. */
	if (stat(note, &st) == 0 && S_ISREG(st.st_mode) && is_older(&search->latest, &st.st_mtim) &&
	    is_older(&search->since, &st.st_mtim) && is_of_program(search, note) &&
	    lode_bundle_stacks_read(note, &has_dumps)) {
		search->latest = st.st_mtim;
		search->kind = has_dumps ? LODE_STACKS_DUMPS : LODE_STACKS_CHAINS;
		free(search->where);
		search->where = lode_strdup(bundle);
	}
	free(note);
}

static void look_in(struct search *search, const char *folder, bool is_of_folders)
{
	lode_path_list paths = {0};

	if (lode_folder_list(&paths, folder, NULL) < 0)
		paths.n = 0;
	for (size_t i = 0; i < paths.n && i < MOST_ENTRIES; i++)
		if (is_of_folders)
			look_in(search, paths.at[i], false);
		else
			look_at(search, paths.at[i]);
	lode_path_list_release(&paths);
}

enum lode_stack_kind lode_stacks_before(char **where, const struct lode_record_options *options,
					const char *program)
{
	struct search search = {.kind = LODE_STACKS_UNDECIDED};
	const char *bundle = options->bundle ? options->bundle : "";
	size_t n = lode_path_folder_bytes(bundle);
	bool is_of_folders = false;
	char folder[4200];
	struct stat st;

	*where = NULL;
	if (stat(program, &st) < 0)
		return LODE_STACKS_UNDECIDED;
	search.since = st.st_mtim;
	join_words(search.words, sizeof(search.words), options->command);
	snprintf(folder, sizeof(folder), "%.*s", (int)n, bundle);
	/* "fast/": what is in folders of the one above. */
	if (n > 1 && *folder != '/' && !strstr(folder, "..")) {
		folder[n - 1] = '\0';
		folder[lode_path_folder_bytes(folder)] = '\0';
		is_of_folders = true;
	}
	look_in(&search, *folder ? folder : ".", is_of_folders);
	*where = search.where;
	return search.kind;
}
