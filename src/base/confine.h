/*
 * Takes rights away from the process before it reads files that others made: a fault in a reader
 * must not become a program that runs, a connection to elsewhere, or a file in another place.
 *
 *   allowed: reading files, writing below the named folders and the named files, sockets that are
 *            open, fork
 *   refused: execve, other sockets, ptrace, mount, bpf, io_uring and the like; writing elsewhere
 *
 * Landlock for files (Linux 5.13), a filter of system calls for the rest. What the kernel lacks is
 * left out. For this thread and all that it starts from now on; there is no way back, but it may be
 * called again, with less.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct lode_confinement {
	const char *const
		*writable; /* folders, below which may be written; absent ones are skipped */
	size_t n_writable;
	const char *const *files; /* of other folders, that are there and may be written */
	size_t n_files;
	const char *removes_in; /* a folder, below which files may be removed; NULL: none */
	bool is_online;		/* may open sockets: for debuginfod */
};

/* True: both are in effect. */
bool lode_confine(const struct lode_confinement *confinement);
