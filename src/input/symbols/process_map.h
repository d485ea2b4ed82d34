/*
 * The perf-PID.map that a process wrote into its own /tmp, under its own number: in a container
 * both are others than here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Descriptor of a regular file, or -1: there is none, or the process is gone. Links do not lead out
   of the process's root. */
int lode_process_map_open(int32_t pid);

/* Whether the process of that number now is the one that was recorded on `host`: this machine, and
   it started before the recording was written. */
bool lode_process_was_recorded(int32_t pid, const char *host, const char *recording);
