/*
 * Who starts a program, told by the kernel at once (its process connector): needs root, and the
 * machine's own numbers of processes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A descriptor that can be polled, non-blocking; -1: the kernel does not tell this process. */
int lode_exec_events_open(void);
/* Process numbers that came since, at most `most`; 0: none is left. */
size_t lode_exec_events_read(int fd, int32_t *pids, size_t most);
