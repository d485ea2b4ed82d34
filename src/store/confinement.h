/*
 * Which rights commands keep that read what others recorded, beside others or for long: lode serve
 * and lode import (base/confine.h).
 *
 *   temporary files, and caches:  $TMPDIR or /var/tmp; $XDG_CACHE_HOME or ~/.cache
 *   a repository that is opened:  its folder, where SQLite makes files beside it
 *   one that is open:             that file and its log; removing files of its folder, as the log
 */
#pragma once

#include <stdbool.h>

struct lode_command_rights {
	const char *repo;  /* NULL: none */
	bool is_repo_open; /* to be written, and stays so: nothing is made beside it any more */
	bool has_caches;
	bool is_online; /* asks debuginfod, and keeps what that gives in caches */
};

/* May be called again with less. What the kernel lacks is left out; true: nothing was. */
bool lode_command_confine(const struct lode_command_rights *rights);
