/*
 * What a file is, by its first bytes: files that lode writes, and files found beside them.
 *
 * It answers two questions of an output that is there already: may it be replaced, and if not, what
 * would be lost.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum lode_file_kind {
	LODE_KIND_UNKNOWN, /* none of the kinds below */
	LODE_KIND_TEXT,
	LODE_KIND_EMPTY,
	/* what lode writes */
	LODE_KIND_PAGE,
	LODE_KIND_DIGEST,
	LODE_KIND_INDEX, /* of a function trace */
	LODE_KIND_REPOSITORY,
	LODE_KIND_MODEL,
	LODE_KIND_WATCH_STATE,
	LODE_KIND_SIGNATURES,
	LODE_KIND_SYMPTOMS,
	LODE_KIND_SPEEDSCOPE,
	LODE_KIND_PPROF,
	LODE_KIND_CHROME_TRACE,
	LODE_KIND_REPORT, /* --json */
	/* what others write */
	LODE_KIND_RECORDING, /* perf.data */
	LODE_KIND_COMPRESSED,
	LODE_KIND_PROGRAM, /* ELF */
	LODE_KIND_DATABASE,
	LODE_KIND_HTML,
	LODE_KIND_JSON,
	LODE_N_FILE_KINDS,
	/* no regular file, which holds nothing that could be lost */
	LODE_KIND_FOLDER = LODE_N_FILE_KINDS,
};

enum { LODE_FILE_HEAD_BYTES = 2048 };

/* Of a file that begins with head[0..size): LODE_FILE_HEAD_BYTES of them, or all there are. */
enum lode_file_kind lode_file_kind_of(const void *head, size_t size);

/* The same of a regular file by its path; UNKNOWN if it cannot be read. */
enum lode_file_kind lode_file_kind_read(const char *path);

/* "a perf recording", "a page of lode" */
const char *lode_file_kind_words(enum lode_file_kind kind);

/* Is a file of this kind looked for in the folders that commands are given as inputs? */
bool lode_file_kind_is_gathered(enum lode_file_kind kind);

/* May it be something that people give to lode as an input? */
bool lode_file_kind_is_read(enum lode_file_kind kind);
