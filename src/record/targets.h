/*
 * Processes that were running before they were recorded: `lode record --pid 12,13`.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* LODE_ERR_ARG with the first that is not there, or is a thread of another process. */
int lode_targets_check(const int32_t *pids, size_t n, struct lode_error *err);

/* "12,13" (heap). */
char *lode_targets_text(const int32_t *pids, size_t n);

/* The process's name, fit for a folder's; "system" when it is gone. */
void lode_target_name(char *name, size_t size, int32_t pid);
