/* Reads the limits of memory from where Linux states them. */
#include "base/memory_limit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/ascii.h"

/* Whatever else is wrong, nothing works with less. */
static const size_t least_bytes = (size_t)16 << 20;

static void lower(struct lode_memory_ceiling *limit, uint64_t bytes, const char *of)
{
	if (bytes < limit->bytes)
		*limit = (struct lode_memory_ceiling){(size_t)bytes, of};
}

/* ---- One number of one file ---- */

/* The number behind `key` at the beginning of a line ("": that of the first line). */
static bool read_number(uint64_t *out, const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	size_t key_size = strlen(key);
	bool is_there = false;
	char line[256];

	if (!file)
		return false;
	while (!is_there && fgets(line, sizeof(line), file)) {
		const char *digits = line + key_size;

		if (strncmp(line, key, key_size) != 0)
			continue;
		digits += strspn(digits, " \t");
		/* "max": no limit. */
		is_there = lode_is_digit(*digits);
		if (is_there)
			*out = strtoull(digits, NULL, 10);
		else if (!*key)
			break;
	}
	fclose(file);
	return is_there;
}

static void lower_by_file(struct lode_memory_ceiling *limit, const char *folder, const char *name,
			  const char *key)
{
	char path[3 * FILENAME_MAX];
	uint64_t bytes;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (read_number(&bytes, path, key))
		lower(limit, bytes, "the cgroup");
}

/* ---- The machine and the process ---- */

static void lower_by_machine(struct lode_memory_ceiling *limit, const char *root, const char *key)
{
	char path[FILENAME_MAX];
	uint64_t kib;

	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	if (read_number(&kib, path, key) && kib <= SIZE_MAX / 1024)
		lower(limit, kib * 1024, "the machine");
}

static void lower_by_process(struct lode_memory_ceiling *limit)
{
	static const struct {
		int resource;
		const char *name;
	} resources[] = {{RLIMIT_AS, "ulimit -v"}, {RLIMIT_DATA, "ulimit -d"}};
	struct rlimit r;

	for (size_t i = 0; i < sizeof(resources) / sizeof(*resources); i++)
		if (getrlimit(resources[i].resource, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
			lower(limit, r.rlim_cur, resources[i].name);
}

/* ---- Cgroups ---- */

/* A hierarchy that limits memory: where it is mounted, and from which of its groups on. */
struct hierarchy {
	char mount_point[FILENAME_MAX], mount_root[FILENAME_MAX];
	char group[FILENAME_MAX]; /* the process's, as /proc/self/cgroup has it */
	bool is_v2;
};

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; *list; list += strcspn(list, ",\n"), list += *list == ',')
		if (strncmp(list, word, n) == 0 && (!list[n] || strchr(",\n", list[n])))
			return true;
	return false;
}

/* "5:memory:/group" in v1, "0::/group" in v2. */
static bool find_group(struct hierarchy *h, const char *root)
{
	char path[FILENAME_MAX], line[FILENAME_MAX + 256];
	bool is_there = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!is_there && fgets(line, sizeof(line), file)) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!group)
			continue;
		*group++ = '\0';
		controllers++;
		group[strcspn(group, "\n")] = '\0';
		is_there = h->is_v2 ? !strncmp(line, "0:", 2) && !*controllers
				    : has_word(controllers, "memory");
		if (is_there)
			snprintf(h->group, sizeof(h->group), "%s", group);
	}
	fclose(file);
	return is_there;
}

/* As mountinfo writes paths: space, tab, newline and backslash in octal. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && lode_is_digit(from[1]) && lode_is_digit(from[2]) &&
		    lode_is_digit(from[3])) {
			*to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* "31 23 0:28 /root /point options - type source superoptions" */
static bool take_mount(struct hierarchy *h, char *line)
{
	char *fields[5] = {0}, *rest = strstr(line, " - "), *save = NULL;
	char *type, *source, *options;

	if (!rest)
		return false;
	*rest = '\0';
	type = strtok_r(rest + 3, " \n", &save);
	source = type ? strtok_r(NULL, " \n", &save) : NULL;
	options = source ? strtok_r(NULL, " \n", &save) : NULL;
	if (!type || strcmp(type, h->is_v2 ? "cgroup2" : "cgroup") != 0)
		return false;
	if (!h->is_v2 && (!options || !has_word(options, "memory")))
		return false;
	fields[0] = strtok_r(line, " ", &save);
	for (size_t i = 1; i < 5 && fields[i - 1]; i++)
		fields[i] = strtok_r(NULL, " ", &save);
	if (!fields[4])
		return false;
	snprintf(h->mount_root, sizeof(h->mount_root), "%s", fields[3]);
	snprintf(h->mount_point, sizeof(h->mount_point), "%s", fields[4]);
	unescape(h->mount_root);
	unescape(h->mount_point);
	return true;
}

static bool find_mount(struct hierarchy *h, const char *root)
{
	char path[FILENAME_MAX], *line = NULL;
	bool is_there = false;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!is_there && getline(&line, &size, file) > 0)
		is_there = take_mount(h, line);
	free(line);
	fclose(file);
	return is_there;
}

/*
 * The group's place below the mount point. A container sees a part of the tree: what its mount
 * begins with stands in the name of the group too, or the group lies outside and only the mount
 * point itself is known.
 */
static const char *group_below(const struct hierarchy *h)
{
	size_t n = strlen(h->mount_root);

	if (strcmp(h->mount_root, "/") == 0)
		return strstr(h->group, "/..") ? "" : h->group;
	if (strncmp(h->group, h->mount_root, n) == 0 && (!h->group[n] || h->group[n] == '/'))
		return h->group + n;
	return "";
}

static void lower_by_group(struct lode_memory_ceiling *limit, const struct hierarchy *h,
			   const char *folder)
{
	if (h->is_v2) {
		lower_by_file(limit, folder, "memory.max", "");
		lower_by_file(limit, folder, "memory.high", "");
	} else {
		lower_by_file(limit, folder, "memory.limit_in_bytes", "");
		lower_by_file(limit, folder, "memory.stat", "hierarchical_memory_limit");
	}
}

/* From the process's group up to the mount point: each may say less than those below. */
static void lower_by_hierarchy(struct lode_memory_ceiling *limit, const char *root, bool is_v2)
{
	struct hierarchy *h = calloc(1, sizeof(*h));
	char folder[2 * FILENAME_MAX];
	size_t top;

	if (h)
		h->is_v2 = is_v2;
	if (h && find_group(h, root) && find_mount(h, root)) {
		top = (size_t)snprintf(folder, sizeof(folder), "%s%s", root, h->mount_point);
		snprintf(folder + top, sizeof(folder) - top, "%s", group_below(h));
		for (char *slash = folder; slash; slash = strrchr(folder + top, '/')) {
			if (slash != folder)
				*slash = '\0';
			lower_by_group(limit, h, folder);
		}
	}
	free(h);
}

/* ---- All of it ---- */

struct lode_memory_ceiling lode_memory_ceiling(const char *root)
{
	struct lode_memory_ceiling limit = {SIZE_MAX, "the machine"};

	lower_by_machine(&limit, root, "MemTotal:");
	lower_by_process(&limit);
	lower_by_hierarchy(&limit, root, true);
	lower_by_hierarchy(&limit, root, false);
	return limit;
}

size_t lode_memory_allowed(const char *root)
{
	struct lode_memory_ceiling limit = lode_memory_ceiling(root);

	lower_by_machine(&limit, root, "MemAvailable:");
	return limit.bytes;
}

size_t lode_memory_budget(size_t asked_bytes)
{
	size_t half;

	if (asked_bytes)
		return asked_bytes;
	half = lode_memory_allowed("") / 2;
	return half > least_bytes ? half : least_bytes;
}
