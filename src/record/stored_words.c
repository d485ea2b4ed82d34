/* Decides what of a command line is stored. */
#include "record/stored_words.h"

#include <sys/stat.h>
#include <unistd.h>

#include "input/title_words.h"
#include "record/secrets.h"

/* A file or folder of the process; by its own root and working directory. */
static bool is_file_of(const void *context, const char *path)
{
	char full[4200];
	struct stat st;

	snprintf(full, sizeof(full), "/proc/%d/%s%s", *(const int32_t *)context,
		 *path == '/' ? "root" : "cwd/", path);
	return stat(full, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

size_t lode_words_store(char *arguments, size_t size, enum lode_titles titles, int32_t pid)
{
	if (titles == LODE_TITLES_NONE)
		return 0;
	size = lode_secrets_hide(arguments, size);
	arguments[size] = '\0';
	return titles == LODE_TITLES_FULL ? size
					  : lode_title_shorten(arguments, size, is_file_of, &pid);
}

char **lode_words_store_command(char *const *command, enum lode_titles titles)
{
	size_t size = 0, n = 0, head;
	char **out, *text;

	for (n = 0; command[n]; n++)
		size += strlen(command[n]) + 1;
	head = (n + 2) * sizeof(*out);
	out = lode_alloc0(head + size + 1, 1);
	text = (char *)out + head;
	for (size_t i = 0, at = 0; i < n; at += strlen(command[i++]) + 1)
		memcpy(text + at, command[i], strlen(command[i]) + 1);
	size = lode_words_store(text, size - 1, titles, (int32_t)getpid());
	text[size] = '\0';
	n = 0;
	out[n++] = text;
	for (size_t at = strlen(text) + 1; at < size; at += strlen(text + at) + 1)
		out[n++] = text + at;
	out[n] = NULL;
	return out;
}

unsigned lode_words_mark(char *const *command)
{
	uint64_t hash = lode_stable_hash(*command, strlen(*command), 1);

	for (command++; *command; command++) {
		hash = lode_stable_hash(*command, strlen(*command), hash);
		if (**command != '-')
			break;
	}
	return (unsigned)(hash & 0xffff);
}
