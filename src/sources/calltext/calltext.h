/*
 * Texts of entries and exits: comma-separated values, and the format of NonSequitur.
 */
#ifndef LODE_CALLTEXT_H
#define LODE_CALLTEXT_H

#include "sources/call_source.h"

extern const struct lode_call_source lode_call_source_csv;

/* A file of NonSequitur is one thread of a run. */
extern const struct lode_call_source lode_call_source_nonsequitur;

/*
 * Reads the files `paths`, sorted by name, as the threads of one run. A thread's number is the one
 * its file's name ends in; where those are not all there and different, files count from 1.
 */
int lode_nonsequitur_read_files(char *const *paths, size_t n,
				const struct lode_call_options *options,
				struct lode_call_sink *sink, struct lode_error *err);

#endif
