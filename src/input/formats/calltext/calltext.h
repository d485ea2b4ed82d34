/*
 * Texts of entries and exits: comma-separated values, and the format of NonSequitur.
 */
#pragma once

#include "input/call_source.h"

extern const struct lode_format lode_format_csv_calls;

/*
 * A file of NonSequitur is one thread of a run; files of a folder, sorted by name, are the threads
 * of one. A thread's number is the one its file's name ends in; where those are not all there and
 * different, files count from 1.
 */
extern const struct lode_format lode_format_nonsequitur;
