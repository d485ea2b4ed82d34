/*
 * --symptoms-out of `lode pio analyse`: slow periods as a table of symptoms of recordings.
 */
#ifndef LODE_PIO_BRIDGE_H
#define LODE_PIO_BRIDGE_H

#include "analyses/pio/analyse.h"
#include "cli/command.h"
#include "cli/option_values.h"

struct pio_bridge {
	const char *path; /* NULL: not asked for */
	lode_text_list streams;
	const char *comm, *clock_offset;
};

/* Wrong usage of these options, said; else LODE_EXIT_OK. */
int pio_bridge_check(const struct lode_command *self, const struct pio_bridge *bridge);
/* Writes the table; says what is wrong. Gives an exit code. */
int pio_bridge_write(const struct lode_command *self, const struct pio_bridge *bridge,
		     const struct lode_pio_analysis *analysis);

#define PIO_BRIDGE_OPTIONS(at)                                                                     \
	{                                                                                          \
		.name = "symptoms-out",                                                            \
		.argument = "FILE",                                                                \
		.help = "write the slow periods as symptoms of the recordings named by --stream, " \
			"for 'lode mine --symptoms' and 'lode suspects --symptoms'",               \
		.set = lode_set_text,                                                              \
		.file = LODE_FILE_WRITTEN,                                                         \
		.kind = LODE_KIND_SYMPTOMS,                                                        \
		.offset = (at) + offsetof(struct pio_bridge, path),                                \
		.group = "Bridge to recordings",                                                   \
	},                                                                                         \
		{                                                                                  \
			.name = "stream",                                                          \
			.argument = "FILE",                                                        \
			.help = "a recording of the same time; may be repeated",                   \
			.set = lode_set_list,                                                      \
			.file = LODE_FILE_READ,                                                    \
			.offset = (at) + offsetof(struct pio_bridge, streams),                     \
		},                                                                                 \
		{                                                                                  \
			.name = "symptom-comm",                                                    \
			.argument = "GLOB",                                                        \
			.help = "threads whose symptoms they are, by name (default: all but the "  \
				"kernel's)",                                                       \
			.set = lode_set_text,                                                      \
			.offset = (at) + offsetof(struct pio_bridge, comm),                        \
		},                                                                                 \
	{                                                                                          \
		.name = "clock-offset", .argument = "TIME",                                        \
		.help = "what to add to a recording's times to get the wall clock's (since 1970, " \
			"UTC), for recordings that do not say: made without 'perf record -k'",     \
		.set = lode_set_text, .offset = (at) + offsetof(struct pio_bridge, clock_offset),  \
	}

#endif
