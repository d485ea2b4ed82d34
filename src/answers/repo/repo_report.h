/*
 * What was imported into a repository, and what is in it: for people, and as JSON.
 */
#pragma once

#include <stdio.h>

#include "answers/import/import_job.h"
#include "store/repo.h"
#include "store/repo_care.h"

struct lode_import_report {
	const struct lode_import *import;
	const struct lode_repo *repo;
	struct lode_repo_sums sums; /* of the repository afterwards */
	size_t top;		    /* longest list in JSON; 0: no bound */
};

/* "added  a.data", as each is stored. */
void lode_import_report_line(FILE *out, const char *path, enum lode_repo_added added,
			     size_t n_streams);
void lode_import_report_text(FILE *out, const struct lode_import_report *report);
void lode_import_report_json(FILE *out, const struct lode_import_report *report);

struct lode_repo_report {
	const struct lode_repo *repo;
	const struct lode_repo_streams *streams; /* those that were asked for */
	struct lode_repo_sums sums;		 /* of all */
	const char *where;			 /* NULL: all */
	size_t top;				 /* longest list; 0: no bound */
	unsigned columns;
	bool is_terminal;
};

/* "2026-11-01 12:30", UTC; '~' before it if it is a file's time. */
void lode_repo_report_list(FILE *out, const struct lode_repo_report *report);
void lode_repo_report_list_json(FILE *out, const struct lode_repo_report *report);
/* One stream, or the repository, in full. */
void lode_repo_report_stream(FILE *out, const struct lode_repo_stream *stream);
void lode_repo_report_sums(FILE *out, const struct lode_repo_report *report);
void lode_repo_report_labels(FILE *out, const struct lode_repo_label_counts *counts);
void lode_repo_report_labels_json(FILE *out, const struct lode_repo_label_counts *counts);
void lode_repo_report_check(FILE *out, const struct lode_repo_check *check);
void lode_repo_report_check_json(FILE *out, const struct lode_repo_check *check);
