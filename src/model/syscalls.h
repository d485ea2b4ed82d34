/*
 * Names of system calls: raw_syscalls:* events have only their numbers.
 */
#pragma once

#include <stdint.h>

/*
 * "statx" for 332 on "x86_64" (as `uname -m` and perf write it); NULL when number or architecture
 * are not known. 32-bit programs on a 64-bit kernel have other numbers, which the events do not
 * tell apart.
 */
const char *lode_syscall_name(const char *arch, int64_t number);
