/* Finds the files of a recorded module. */
#include "input/symbols/files.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/input.h"

int lode_file_read(char **data, size_t *size, const char *path, size_t max_bytes,
		   struct lode_error *err)
{
	size_t capacity = 64 << 10, n = 0;
	struct lode_input *input = NULL;
	ssize_t got = 1;
	int64_t n_disk;
	char *text;
	int rc;

	*data = NULL;
	*size = 0;
	rc = lode_input_open_found(&input, path, err);
	if (rc < 0)
		return rc;
	n_disk = lode_input_size_bytes(input);
	if (n_disk > 0 && (uint64_t)n_disk <= max_bytes)
		capacity = (size_t)n_disk + 2;
	text = lode_alloc(capacity);
	while (got > 0 && n <= max_bytes) {
		if (n + 1 == capacity) {
			capacity *= 2;
			text = lode_realloc_n(text, capacity, 1);
		}
		got = lode_input_read(input, text + n, capacity - n - 1, err);
		if (got > 0)
			n += (size_t)got;
	}
	if (got < 0)
		rc = (int)got;
	else if (n > max_bytes)
		rc = lode_fail(err, LODE_ERR_LIMIT, path, -1, "more than %zu bytes", max_bytes);
	lode_input_close(input);
	if (rc < 0) {
		free(text);
		return rc;
	}
	text[n] = '\0';
	*data = text;
	*size = n;
	return 0;
}

void lode_hex(char *hex, const uint8_t *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		hex[2 * i] = digits[bytes[i] >> 4];
		hex[2 * i + 1] = digits[bytes[i] & 15];
	}
	hex[2 * size] = '\0';
}

/* ---- Candidates ---- */

struct asking {
	lode_candidate *candidate;
	void *context;
};

static bool __attribute__((format(printf, 2, 3)))
ask(const struct asking *asking, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(path))
		return false;
	return asking->candidate(asking->context, path);
}

/* A path that could climb out of the root it is put behind is not used. */
static bool is_safe(const char *path)
{
	return !strstr(path, "/../") && strncmp(path, "../", 3) != 0;
}

static bool ask_cache(const struct asking *asking, const char *cache, const char *path,
		      const char *hex, const char *const *kinds)
{
	if (!cache)
		return false;
	for (const char *const *kind = kinds; *kind; kind++)
		if (ask(asking, "%s/.build-id/%.2s/%s/%s", cache, hex, hex + 2, *kind))
			return true;
	for (const char *const *kind = kinds; *kind; kind++)
		if (is_safe(path) &&
		    ask(asking, "%s/%s/%s/%s", cache, path + (path[0] == '/'), hex, *kind))
			return true;
	return ask(asking, "%s/.build-id/%.2s/%s", cache, hex, hex + 2) ||
	       (is_safe(path) && ask(asking, "%s/%s/%s", cache, path + (path[0] == '/'), hex));
}

/* The caches of a recording's directory: itself, symbols/ and .debug/ in it. */
static bool ask_bundle(const struct asking *asking, const char *dir, const char *path,
		       const char *hex, const char *const *kinds)
{
	static const char *const below[] = {"symbols", ".debug", "."};
	char cache[PATH_MAX];

	for (size_t i = 0; dir && i < sizeof(below) / sizeof(*below); i++) {
		int n = snprintf(cache, sizeof(cache), "%s/%s", dir, below[i]);

		if (n > 0 && (size_t)n < sizeof(cache) &&
		    ask_cache(asking, cache, path, hex, kinds))
			return true;
	}
	return false;
}

bool lode_files_by_build_id(const struct lode_roots *roots, const char *path, const char *hex,
			    const char *const *kinds, lode_candidate *candidate, void *context)
{
	struct asking asking = {candidate, context};

	if (strlen(hex) < 4)
		return false;
	return ask_cache(&asking, roots->buildid_dir, path, hex, kinds) ||
	       ask_bundle(&asking, roots->recording_dir, path, hex, kinds) ||
	       ask_cache(&asking, roots->home_debug, path, hex, kinds);
}

bool lode_files_debug_by_id(const struct lode_roots *roots, const char *hex,
			    lode_candidate *candidate, void *context)
{
	struct asking asking = {candidate, context};

	if (strlen(hex) < 4)
		return false;
	if (roots->symfs &&
	    ask(&asking, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", roots->symfs, hex, hex + 2))
		return true;
	if (roots->recording_dir &&
	    ask(&asking, "%s/symbols/.build-id/%.2s/%s.debug", roots->recording_dir, hex, hex + 2))
		return true;
	return ask(&asking, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
}

bool lode_files_debuglink(const struct lode_roots *roots, const char *path, const char *link,
			  lode_candidate *candidate, void *context)
{
	struct asking asking = {candidate, context};
	int dir = (int)lode_path_folder_bytes(path);
	const char *const prefixes[] = {roots->symfs, ""};

	if (strchr(link, '/') || !link[0] || !is_safe(path))
		return false;
	for (size_t i = 0; i < 2; i++) {
		const char *prefix = prefixes[i];

		if (!prefix)
			continue;
		if (ask(&asking, "%s%.*s%s", prefix, dir, path, link) ||
		    ask(&asking, "%s%.*s.debug/%s", prefix, dir, path, link) ||
		    ask(&asking, "%s/usr/lib/debug%.*s%s", prefix, dir, path, link))
			return true;
	}
	return false;
}

bool lode_files_in_bundle(const struct lode_roots *roots, const char *path,
			  lode_candidate *candidate, void *context)
{
	struct asking asking = {candidate, context};

	return is_safe(path) && roots->recording_dir &&
	       ask(&asking, "%s/symbols%s%s", roots->recording_dir, path[0] == '/' ? "" : "/",
		   path);
}

bool lode_files_by_path(const struct lode_roots *roots, const char *path, lode_candidate *candidate,
			void *context)
{
	struct asking asking = {candidate, context};
	const char *gap = path[0] == '/' ? "" : "/";

	if (is_safe(path) && roots->symfs && ask(&asking, "%s%s%s", roots->symfs, gap, path))
		return true;
	if (lode_files_in_bundle(roots, path, candidate, context))
		return true;
	return path[0] == '/' && ask(&asking, "%s", path);
}

bool lode_files_by_name(const struct lode_roots *roots, const char *path, lode_candidate *candidate,
			void *context)
{
	struct asking asking = {candidate, context};
	const char *name = lode_path_base(path);

	if (roots->recording_dir && (ask(&asking, "%s/symbols/%s", roots->recording_dir, name) ||
				     ask(&asking, "%s/%s", roots->recording_dir, name)))
		return true;
	if (roots->buildid_dir && ask(&asking, "%s/%s", roots->buildid_dir, name))
		return true;
	return lode_files_by_path(roots, path, candidate, context);
}

/* Calls `each` with "DIR/NAME" for what is in a folder, until it gives true. */
static bool for_names(const char *dir, bool (*each)(void *context, const char *path), void *context)
{
	lode_path_list paths = {0};
	bool is_done = false;

	(void)lode_folder_list(&paths, dir, NULL);
	for (size_t i = 0; i < paths.n && !is_done; i++)
		is_done = each(context, paths.at[i]);
	lode_path_list_release(&paths);
	return is_done;
}

static bool ask_entry(void *context, const char *path)
{
	return ask(context, "%s/elf", path);
}

static bool ask_entries(void *context, const char *path)
{
	return for_names(path, ask_entry, context);
}

bool lode_files_in_caches(const struct lode_roots *roots, lode_candidate *candidate, void *context)
{
	static const char *const below[] = {"symbols/", ".debug/", ""};
	struct asking asking = {candidate, context};
	char path[PATH_MAX];
	int n;

	if (roots->buildid_dir) {
		n = snprintf(path, sizeof(path), "%s/.build-id", roots->buildid_dir);
		if ((size_t)n < sizeof(path) && for_names(path, ask_entries, &asking))
			return true;
	}
	for (size_t i = 0; roots->recording_dir && i < sizeof(below) / sizeof(*below); i++) {
		n = snprintf(path, sizeof(path), "%s/%s.build-id", roots->recording_dir, below[i]);
		if ((size_t)n < sizeof(path) && for_names(path, ask_entries, &asking))
			return true;
	}
	return false;
}
