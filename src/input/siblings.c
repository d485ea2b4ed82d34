/* Finds recordings beside others, and reads their build-ids. */
#include "input/siblings.h"

#include "base/map.h"
#include "base/sorted.h"
#include "input/file_names.h"
#include "input/format.h"
#include "input/symbols/build_ids.h"
#include "input/symbols/symbols.h"

enum { MAX_SIBLINGS = 4096, MAX_PACKED_BYTES = 256 << 20, MAX_PACKED_OTHERS = 8 };

struct other {
	uint32_t path;
	size_t distance; /* to the nearest input of its folder, by name */
};

struct siblings {
	struct lode_strings paths; /* the job's inputs, then what lies beside them */
	size_t n_inputs;
	LODE_VEC(struct other) others; /* those beside, nearest first */
	bool is_listed;
	size_t n_unpacked; /* of others */
	int64_t bytes;	   /* on the disk, of what was unpacked */
};

LODE_COMPARE(nearest_first, struct other,
	     LODE_ORDER(a->distance, b->distance) ?: LODE_ORDER(a->path, b->path))

/* A file that stands `distance` behind the last input. */
static void add_beside(struct siblings *s, const char *path, size_t *distance)
{
	struct other other = {lode_strings_find(&s->paths, path, strlen(path)), ++*distance};
	struct other *known;

	if (other.path < s->n_inputs) {
		*distance = 0;
	} else if (other.path != LODE_NONE) {
		known = &s->others.at[other.path - s->n_inputs];
		known->distance = *distance < known->distance ? *distance : known->distance;
	} else if (lode_file_is_named_as(path, LODE_HOLDS_SAMPLES)) {
		other.path = lode_strings_intern(&s->paths, path, strlen(path));
		lode_vec_append(&s->others, other);
	}
}

static void list_folder(struct siblings *s, const char *input, struct lode_strings *folders)
{
	size_t n = lode_path_folder_bytes(input), n_known = folders->text.n, distance;
	lode_path_list beside = {0};
	const char *folder;

	if (lode_strings_intern(folders, n ? input : "./", n ? n : 2) != n_known)
		return;
	folder = folders->text.at[n_known];
	if (lode_folder_list(&beside, folder, NULL) < 0)
		return;
	/* In both directions, beginning far away. */
	distance = beside.n;
	for (size_t i = 0; i < 2 * beside.n; i++) {
		size_t at = i < beside.n ? i : 2 * beside.n - 1 - i;
		/* What was given without its folder has none in its name. */
		const char *path = n ? beside.at[at] : lode_path_base(beside.at[at]);

		if (i == beside.n)
			distance = beside.n;
		add_beside(s, path, &distance);
	}
	lode_path_list_release(&beside);
}

static void list_siblings(struct siblings *s)
{
	struct lode_strings folders = {0};

	if (s->is_listed)
		return;
	s->is_listed = true;
	for (size_t i = 0; i < s->n_inputs; i++)
		list_folder(s, s->paths.text.at[i], &folders);
	lode_sort(s->others.at, s->others.n, nearest_first);
	lode_strings_release(&folders);
}

/* Reads it if it is a recording, packed or not as asked; gives its bytes on the disk if so. */
static int64_t read_sibling(struct lode_build_ids *build_ids, const char *path, bool is_packed)
{
	const struct lode_format *format = NULL;
	struct lode_input *input;
	uint8_t head[LODE_PEEK_BYTES];
	int64_t bytes = 0;
	ssize_t n;

	if (lode_input_open_found(&input, path, NULL) < 0)
		return 0;
	if (lode_input_is_seekable(input) != is_packed) {
		n = lode_input_peek(input, head, sizeof(head), NULL);
		if (n > 0)
			format = lode_format_find(LODE_HOLDS_SAMPLES, head, (size_t)n);
	}
	if (format && format->read_build_ids) {
		/* One that cannot be read has nothing to tell; as an input it says why. */
		(void)format->read_build_ids(input, build_ids, NULL);
		bytes = lode_input_size_bytes(input);
	}
	lode_input_close(input);
	return bytes;
}

static bool fill_from_siblings(struct lode_build_ids *build_ids, void *context,
			       enum lode_lender lender, size_t next)
{
	struct siblings *s = context;
	int64_t bytes;

	list_siblings(s);
	if (s->paths.text.n > MAX_SIBLINGS)
		return false;
	if (lender == LODE_LENDER_PLAIN) {
		if (next < s->paths.text.n)
			(void)read_sibling(build_ids, s->paths.text.at[next], false);
		return next < s->paths.text.n;
	}
	if (s->bytes > MAX_PACKED_BYTES)
		return false;
	if (lender == LODE_LENDER_PACKED_INPUT) {
		if (next < s->n_inputs)
			s->bytes += read_sibling(build_ids, s->paths.text.at[next], true);
		return next < s->n_inputs;
	}
	if (next >= s->others.n || s->n_unpacked == MAX_PACKED_OTHERS)
		return false;
	bytes = read_sibling(build_ids, s->paths.text.at[s->others.at[next].path], true);
	s->n_unpacked += bytes > 0;
	s->bytes += bytes;
	return true;
}

static void free_siblings(void *context)
{
	struct siblings *s = context;

	lode_strings_release(&s->paths);
	lode_vec_release(&s->others);
	free(s);
}

void lode_siblings_lend(struct lode_symboliser *symboliser, char *const *recordings, size_t n)
{
	struct siblings *s = lode_alloc0(1, sizeof(*s));

	for (size_t i = 0; i < n; i++)
		if (strcmp(recordings[i], "-") != 0)
			lode_strings_intern(&s->paths, recordings[i], strlen(recordings[i]));
	s->n_inputs = s->paths.text.n;
	lode_symboliser_borrow(symboliser,
			       lode_build_ids_new(fill_from_siblings, s, free_siblings));
}
