/* Finds the parts of paths that tell recordings apart. */
#include "document/recording_names.h"

#include "base/escape.h"
#include "base/folder.h"

struct named {
	const char *path;
	size_t n;     /* bytes of the path that count */
	size_t start; /* of the name */
	size_t row;
};

static size_t base_start(const char *path, size_t n)
{
	while (n && path[n - 1] != '/')
		n--;
	return n;
}

/* Without a last part that perf gives to every recording. */
static size_t counted_bytes(const char *path)
{
	static const char *const usual[] = {"perf.data", "perf.data.zst", "perf.data.gz",
					    "perf.data.xz"};
	size_t whole = strlen(path), n = base_start(path, whole);
	bool is_usual = false;

	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		is_usual |= strcmp(path + n, usual[i]) == 0;
	while (n && path[n - 1] == '/')
		n--;
	/* Of "./perf.data" and "../perf.data" the folder says nothing. */
	return is_usual && n && path[base_start(path, n)] != '.' ? n : whole;
}

/* Bytes that both have at their ends. */
static size_t common_end(const struct named *a, const struct named *b)
{
	size_t n = 0, most = a->n < b->n ? a->n : b->n;

	while (n < most && a->path[a->n - 1 - n] == b->path[b->n - 1 - n])
		n++;
	return n;
}

/* Parts that end come first. */
static unsigned order_of(char c)
{
	return c == '/' ? 0 : (unsigned char)c;
}

/* By their bytes from the end on: those with the most parts in common are neighbours. */
static int compare_ends(const void *x, const void *y)
{
	const struct named *a = x, *b = y;
	size_t n = common_end(a, b);

	if (n == a->n || n == b->n)
		return a->n < b->n ? -1 : a->n > b->n;
	return order_of(a->path[a->n - 1 - n]) < order_of(b->path[b->n - 1 - n]) ? -1 : 1;
}

/* Whether so many bytes at the end are whole parts of the path. */
static bool are_parts(const struct named *name, size_t n)
{
	return n == name->n || name->path[name->n - 1 - n] == '/';
}

/* The name of one that has `n_common` bytes at its end in common with another. */
static void extend_name(struct named *name, size_t n_common, bool are_parts_of_both)
{
	size_t start = name->n - n_common;

	/* Equal parts: the one before them belongs to the name, too. */
	while (are_parts_of_both && start && name->path[start - 1] == '/')
		start--;
	start = base_start(name->path, start);
	if (start < name->start)
		name->start = start;
}

/* Equal ends of different paths, "a" and "a/perf.data": all of both counts. */
static void tell_apart(struct named *a, struct named *b)
{
	size_t n = common_end(a, b);

	if (n < a->n || n < b->n) {
		bool are_of_both = are_parts(a, n) && are_parts(b, n);

		extend_name(a, n, are_of_both);
		extend_name(b, n, are_of_both);
	} else if (strcmp(a->path, b->path) != 0) {
		a->start = b->start = 0;
		a->n = strlen(a->path);
		b->n = strlen(b->path);
	} else {
		a->start = b->start = a->start < b->start ? a->start : b->start;
	}
}

char **lode_recording_names(size_t n, lode_path_of_row *path_of, const void *context)
{
	struct named *names = lode_alloc0(n + 1, sizeof(*names));
	size_t n_bytes = (n + 1) * sizeof(char *);
	char **out, *text;

	for (size_t i = 0; i < n; i++) {
		struct named *name = &names[i];

		name->path = path_of(context, i);
		name->path = name->path ? name->path : "";
		name->row = i;
		name->n = counted_bytes(name->path);
		name->start = base_start(name->path, name->n);
		n_bytes += strlen(name->path) + 1;
	}
	qsort(names, n, sizeof(*names), compare_ends);
	for (size_t i = 1; i < n; i++)
		tell_apart(&names[i - 1], &names[i]);
	for (size_t i = n; i-- > 1;)
		tell_apart(&names[i - 1], &names[i]);
	out = lode_alloc(n_bytes);
	text = (char *)(out + n + 1);
	for (size_t i = 0; i < n; i++) {
		size_t length = names[i].n - names[i].start;

		out[names[i].row] = text;
		memcpy(text, names[i].path + names[i].start, length);
		text[length] = '\0';
		text += length + 1;
	}
	free(names);
	return out;
}

struct rows {
	const char *member; /* of the first row */
	size_t row_bytes;
};

static const char *path_of_member(const void *context, size_t row)
{
	const struct rows *rows = context;
	const char *path;

	memcpy(&path, rows->member + row * rows->row_bytes, sizeof(path));
	return path;
}

char **lode_recording_names_in(const void *rows, size_t n, size_t row_bytes, size_t offset)
{
	const struct rows members = {(const char *)rows + offset, row_bytes};

	return lode_recording_names(n, path_of_member, &members);
}

const char *lode_format_recording(char *buffer, size_t size, const char *path, size_t columns)
{
	char **names = lode_recording_names_in(&path, 1, sizeof(path), 0);

	lode_escape_fit(buffer, size, names[0], columns);
	free(names);
	return buffer;
}
