/*
 * What others write and lode does not read, but knows: a refusal then says what it is and what to
 * give instead. Asked once no format recognises an input.
 *
 *	46 4c 52 00 ...         a recording of Java Flight Recorder: jfrconv makes folded stacks
 *	Linux 6.1 ... (2 CPU)   the printed output of sar: sadf -d gives the same data
 *	ust/uid/0/64-bit/metadata in a folder   an LTTng trace
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "a core dump, which lode does not read: ..."; NULL: not known. `wanted`: what an input of lode
 * pio is, in words; NULL: recordings and traces are wanted. */
const char *lode_stranger_words(char *text, size_t size, const uint8_t *head, size_t n_head,
				const char *wanted);

/* The same of a folder. */
const char *lode_stranger_folder_words(const char *path);
