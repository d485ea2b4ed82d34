/* Finds recordings beside others, and reads their build-ids. */
#include "input/siblings.h"

#include "base/map.h"
#include "input/file_names.h"
#include "input/format.h"
#include "input/symbols/build_ids.h"
#include "input/symbols/symbols.h"

enum { MAX_SIBLINGS = 4096, MAX_PACKED_BYTES = 256 << 20 };

struct siblings {
	struct lode_strings inputs;
	struct lode_strings paths; /* inputs, and what lies beside them; ids are indices */
	bool is_listed;
};

static void list_folder(struct siblings *s, const char *input, struct lode_strings *folders)
{
	size_t n = lode_path_folder_bytes(input), n_known = folders->text.n;
	lode_path_list beside = {0};
	const char *folder;

	if (lode_strings_intern(folders, n ? input : "./", n ? n : 2) != n_known)
		return;
	folder = folders->text.at[n_known];
	if (lode_folder_list(&beside, folder, NULL) < 0)
		return;
	for (size_t i = 0; i < beside.n; i++) {
		/* What was given without its folder has none in its name. */
		const char *path = n ? beside.at[i] : lode_path_base(beside.at[i]);

		if (lode_file_is_named_as(path, LODE_HOLDS_SAMPLES))
			lode_strings_intern(&s->paths, path, strlen(path));
	}
	lode_path_list_release(&beside);
}

static void list_siblings(struct siblings *s)
{
	struct lode_strings folders = {0};

	if (s->is_listed)
		return;
	s->is_listed = true;
	for (size_t i = 0; i < s->inputs.text.n; i++) {
		const char *input = s->inputs.text.at[i];

		lode_strings_intern(&s->paths, input, strlen(input));
	}
	for (size_t i = 0; i < s->inputs.text.n; i++)
		list_folder(s, s->inputs.text.at[i], &folders);
	lode_strings_release(&folders);
}

/* Opens it if it is a recording that may have build-ids, and packed or not as asked. */
static const struct lode_format *open_sibling(struct lode_input **input, const char *path,
					      bool is_packed)
{
	const struct lode_format *format = NULL;
	uint8_t head[LODE_PEEK_BYTES];
	ssize_t n;

	if (lode_input_open(input, path, NULL) < 0)
		return NULL;
	if (lode_input_is_seekable(*input) != is_packed) {
		n = lode_input_peek(*input, head, sizeof(head), NULL);
		if (n > 0)
			format = lode_format_find(LODE_HOLDS_SAMPLES, head, (size_t)n);
	}
	if (format && format->read_build_ids)
		return format;
	lode_input_close(*input);
	return NULL;
}

/* Bytes on the disk of those to be read. */
static int64_t count_bytes(const struct siblings *s, bool is_packed)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < s->paths.text.n; i++) {
		struct lode_input *input;

		if (!open_sibling(&input, s->paths.text.at[i], is_packed))
			continue;
		bytes += lode_input_size_bytes(input);
		lode_input_close(input);
	}
	return bytes;
}

static bool fill_from_siblings(struct lode_build_ids *build_ids, void *context, bool is_packed)
{
	struct siblings *s = context;

	list_siblings(s);
	if (s->paths.text.n > MAX_SIBLINGS ||
	    (is_packed && count_bytes(s, is_packed) > MAX_PACKED_BYTES))
		return false;
	for (size_t i = 0; i < s->paths.text.n; i++) {
		struct lode_input *input;
		const struct lode_format *format =
			open_sibling(&input, s->paths.text.at[i], is_packed);

		if (!format)
			continue;
		/* One that cannot be read has nothing to tell; as an input it says why. */
		(void)format->read_build_ids(input, build_ids, NULL);
		lode_input_close(input);
	}
	return true;
}

static void free_siblings(void *context)
{
	struct siblings *s = context;

	lode_strings_release(&s->inputs);
	lode_strings_release(&s->paths);
	free(s);
}

void lode_siblings_lend(struct lode_symboliser *symboliser, char *const *recordings, size_t n)
{
	struct siblings *s = lode_alloc0(1, sizeof(*s));

	for (size_t i = 0; i < n; i++)
		if (strcmp(recordings[i], "-") != 0)
			lode_strings_intern(&s->inputs, recordings[i], strlen(recordings[i]));
	lode_symboliser_borrow(symboliser,
			       lode_build_ids_new(fill_from_siblings, s, free_siblings));
}
