/*
 * Which words of a command line say what a process is for.
 *
 *   cc1 -quiet -imultiarch x86_64-linux-gnu giant.c -o /tmp/ccX.s    cc1 giant.c      a file
 *   git -C /srv log --all                                            git              (no file)
 *   git log --all                                                    git log          a subcommand
 *   /usr/bin/python3 -u /srv/app.py --port 80                        python3 app.py   a script
 *   /opt/postgres: app shop 10.0.0.7(51234) idle                     all of it        its own title
 *
 * Arguments are texts with a NUL between each two, `size` bytes with a NUL behind the last.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
	LODE_TITLE_WORDS = 4,  /* of a title: the program and three more */
	LODE_TITLE_BYTES = 56, /* names of links have room for little more */
};

/* One text with blanks in it is no list of arguments: the program wrote it (setproctitle). */
bool lode_title_is_own(const char *text, size_t size);

/* The argument behind this one; NULL: none. */
const char *lode_title_next(const char *text, size_t size, const char *argument);

/* A program that runs scripts, by its name without folder. */
bool lode_title_is_interpreter(const char *program);
/* The script, module or class that it runs; NULL: none, or code on its command line. */
const char *lode_title_script(const char *text, size_t size);

/* What differs from run to run, is too long for a name, or was left out by the recorder. */
bool lode_title_is_unfit(const char *argument);

/*
 * Leaves what a line can show: the program, and its script, its subcommand or the first argument
 * that is a file, both without folders; of a title of its own the first words, up to an option. In
 * place: it never gets longer. The size then. `is_file`: whether the process has such a file.
 * Secrets are hidden before ('*').
 */
size_t lode_title_shorten(char *text, size_t size,
			  bool (*is_file)(const void *context, const char *path),
			  const void *context);
