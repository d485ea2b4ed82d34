/*
 * Files with data of recordings: names, addresses and times of every user's processes.
 *
 *   made by        0700 folders, 0600 files, whatever more the umask allows
 *   --group NAME   0750 and 0640, for the members of that group
 *   under sudo     the same, but they belong to the user who ran sudo
 *
 * Files that exist keep their permissions.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Who may read beside the owner, and who owns; `{ 0 }`: the process's user alone. */
struct lode_readers {
	bool has_group, has_owner;
	gid_t group;
	uid_t owner;
	gid_t owner_group; /* with has_owner, unless has_group */
};

/* The group of that name or number. LODE_ERR_ARG: there is none, or this user may not give it. */
int lode_readers_set_group(struct lode_readers *readers, const char *name, struct lode_error *err);
/* Under sudo: the user who ran it, by $SUDO_UID and $SUDO_GID. Else nothing. */
void lode_readers_take_sudo(struct lode_readers *readers);

/* Makes an empty file that its owner alone may read and write. One that exists stays as it is. */
int lode_private_create(const char *path, struct lode_error *err);

/*
 * Gives a file, or a folder with all in it, to the readers. What belongs to another user stays as
 * it is; links are not followed. Nothing to do for `{ 0 }`.
 */
int lode_private_share(const char *path, const struct lode_readers *readers,
		       struct lode_error *err);
