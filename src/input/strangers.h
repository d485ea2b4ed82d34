/*
 * What others write and lode does not read, but knows: a refusal then says what to do.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What a file with these first bytes is, and what to give instead; NULL: not known. */
const char *lode_stranger_words(const uint8_t *head, size_t size);
