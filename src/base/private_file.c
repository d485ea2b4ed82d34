/* Permissions of files with data of recordings. */
#include "base/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/mem.h"

enum { MOST_GROUP_BYTES = 1 << 20 }; /* LIMIT: of a group with its members */

/* 0: there is such a group. */
static int find_readers_group(gid_t *out, const char *name, struct lode_error *err)
{
	struct group group, *found = NULL;
	size_t size = 4096;
	char *buffer = NULL;
	int64_t number;
	int rc;

	do {
		free(buffer);
		buffer = lode_alloc(size);
		rc = getgrnam_r(name, &group, buffer, size, &found);
		size *= 2;
	} while (rc == ERANGE && size <= MOST_GROUP_BYTES);
	if (found)
		*out = group.gr_gid;
	free(buffer);
	if (found)
		return 0;
	if (lode_int_parse(&number, name, strlen(name)) && number >= 0 && number < UINT32_MAX) {
		*out = (gid_t)number;
		return 0;
	}
	return lode_fail(err, LODE_ERR_ARG, NULL, -1,
			 "--group: this machine has no group '%.60s' (getent group lists them)",
			 name);
}

/* Of a group that is not theirs, users make nothing readable. */
static bool may_give(gid_t group)
{
	int n = getgroups(0, NULL);
	bool is_member = geteuid() == 0 || getegid() == group;
	gid_t *all;

	if (is_member || n <= 0)
		return is_member;
	all = lode_alloc((size_t)n * sizeof(*all));
	n = getgroups(n, all);
	for (int i = 0; i < n; i++)
		is_member |= all[i] == group;
	free(all);
	return is_member;
}

int lode_readers_set_group(struct lode_readers *readers, const char *name, struct lode_error *err)
{
	int rc = find_readers_group(&readers->group, name, err);

	if (rc < 0)
		return rc;
	if (!may_give(readers->group))
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "--group: this user is not a member of '%.60s' (id -Gn lists "
				 "the groups that can be given)",
				 name);
	readers->has_group = true;
	return 0;
}

static bool take_number(int64_t *out, const char *variable)
{
	const char *text = getenv(variable);

	return text && lode_int_parse(out, text, strlen(text)) && *out > 0 && *out < UINT32_MAX;
}

void lode_readers_take_sudo(struct lode_readers *readers)
{
	int64_t uid, gid;

	if (geteuid() != 0 || !take_number(&uid, "SUDO_UID") || !take_number(&gid, "SUDO_GID"))
		return;
	readers->has_owner = true;
	readers->owner = (uid_t)uid;
	readers->owner_group = (gid_t)gid;
}

int lode_private_create(const char *path, struct lode_error *err)
{
	/* Where a link leads to, as SQLite does. */
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return lode_fail_errno(err, errno, path, "cannot create it");
	close(fd);
	return 0;
}

static int share_one(const FTSENT *entry, const struct lode_readers *readers)
{
	const struct stat *st = entry->fts_statp;
	mode_t added = S_ISDIR(st->st_mode) ? 0050 : 0040;
	bool has_group = readers->has_group || readers->has_owner;

	/* The mode last: until then the old group gets nothing. */
	if (lchown(entry->fts_path, readers->has_owner ? readers->owner : (uid_t)-1,
		   readers->has_group ? readers->group
		   : has_group	      ? readers->owner_group
				      : (gid_t)-1) < 0)
		return errno;
	if (readers->has_group && chmod(entry->fts_path, (st->st_mode & 0777) | added) < 0)
		return errno;
	return 0;
}

int lode_private_share(const char *path, const struct lode_readers *readers, struct lode_error *err)
{
	char *const paths[] = {(char *)(uintptr_t)path, NULL};
	FTSENT *entry;
	int rc = 0;
	FTS *walk;

	if (!readers->has_group && !readers->has_owner)
		return 0;
	walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	if (!walk)
		return lode_fail_errno(err, errno, path, "cannot list it");
	while (rc == 0 && (entry = fts_read(walk))) {
		int errnum = entry->fts_errno;

		/* Folders behind what is in them. */
		if (entry->fts_info == FTS_F || entry->fts_info == FTS_DP)
			errnum = entry->fts_statp->st_uid == geteuid() ? share_one(entry, readers)
								       : 0;
		if (errnum)
			rc = lode_fail_errno(err, errnum, entry->fts_path,
					     readers->has_group ? "cannot give it to the group"
								: "cannot give it to its user");
	}
	fts_close(walk);
	return rc;
}
