/*
 * The files that a command names: no output ever replaces an input.
 *
 *   lode mine --repo perf.lode --html page.html recordings/
 *                    UPDATED          WRITTEN   READ
 *
 * Asked once, before anything is read. Then every file that is to be written is known not to be one
 * that is read - by device and inode, so that links are seen through -, and is either not there,
 * empty, an earlier output of lode of the same kind (store/file_kind.h), or given up by --force,
 * which no program is: which of them a recording needs is not known yet.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"
#include "store/file_kind.h"

enum lode_file_use {
	LODE_FILE_NONE,	   /* names no file */
	LODE_FILE_READ,	   /* a file, or a folder with all that is in it */
	LODE_FILE_UPDATED, /* read and written by one who checks what it is: a repository */
	LODE_FILE_WRITTEN, /* rebuilt; what is there is replaced */
};

struct lode_named_file {
	const char *path; /* "-" is standard input or output */
	const char *by;	  /* the option's name; NULL: an operand */
	enum lode_file_use use;
	/* of what is written; LODE_KIND_FOLDER: files in it are made. Of what is read: UNKNOWN, or
	   REPOSITORY, which has files beside it */
	enum lode_file_kind kind;
	bool may_be_stdout;
};

/* `{ 0 }` is empty. Texts are borrowed. */
struct lode_named_files {
	LODE_VEC(struct lode_named_file) list;
	bool is_forced; /* what is not lode's may be replaced as well; inputs and programs never */
};

/*
 * 0, or LODE_ERR_ARG with what would be lost and what to do instead; LODE_ERR_IO where nothing can
 * be written. Reads first bytes of what would be replaced. Folders among the inputs are looked
 * through when a file stands where a kind is written that may lie in them.
 */
int lode_outputs_check(const struct lode_named_files *files, struct lode_error *err);

void lode_named_files_release(struct lode_named_files *files);
