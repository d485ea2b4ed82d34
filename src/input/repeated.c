/* Leaves out inputs that have the same bytes as an earlier one, also if compressed otherwise. */
#include "input/repeated.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 64 << 10 };

/* An input that is a regular file, and none of an earlier one's links. */
struct file {
	size_t path; /* index into the inputs' paths */
	int64_t size_bytes;
	bool shares_size; /* with another one */
	uint32_t next;	  /* an earlier one with the same first bytes, or LODE_NONE */
};

struct search {
	struct lode_inputs *inputs;
	const struct lode_input_check *check; /* NULL: all are usable */
	bool *is_repeated;		      /* per path */
	bool is_uncompressed;		      /* files are compared by what is in them */
	LODE_VEC(struct file) files;
	struct lode_map by_inode, by_size; /* to the first file */
	struct lode_map by_head;	   /* to the last file */
};

/* A file as it is, or uncompressed. */
struct bytes {
	int fd;
	struct lode_input *input; /* NULL: as it is */
};

static bool open_bytes(struct bytes *out, const struct search *s, const struct file *file)
{
	const char *path = s->inputs->paths.at[file->path];

	*out = (struct bytes){-1, NULL};
	if (s->is_uncompressed)
		return lode_input_open(&out->input, path, NULL) == 0;
	out->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return out->fd >= 0;
}

static void close_bytes(struct bytes *bytes)
{
	if (bytes->input)
		lode_input_close(bytes->input);
	if (bytes->fd >= 0)
		close(bytes->fd);
}

/* Fills the block unless the file ends. */
static ssize_t read_block(struct bytes *from, uint8_t *block, size_t size)
{
	size_t n = 0;
	ssize_t more = 1;

	while (n < size && more > 0) {
		more = from->input ? lode_input_read(from->input, block + n, size - n, NULL)
				   : read(from->fd, block + n, size - n);
		n += more > 0 ? (size_t)more : 0;
	}
	return more < 0 ? -1 : (ssize_t)n;
}

static bool have_same_bytes(struct bytes *a, struct bytes *b)
{
	uint8_t *blocks = lode_alloc(2 * BLOCK_BYTES);
	ssize_t n, m;

	do {
		n = read_block(a, blocks, BLOCK_BYTES);
		m = read_block(b, blocks + BLOCK_BYTES, BLOCK_BYTES);
	} while (n > 0 && n == m && !memcmp(blocks, blocks + BLOCK_BYTES, (size_t)n));
	free(blocks);
	return n == 0 && m == 0;
}

static bool is_copy(const struct search *s, const struct file *a, const struct file *b)
{
	struct bytes from, to;
	bool has_from = open_bytes(&from, s, a), has_to = open_bytes(&to, s, b);
	bool is_same = has_from && has_to && have_same_bytes(&from, &to);

	close_bytes(&from);
	close_bytes(&to);
	return is_same;
}

/* Of a file's first bytes, and its size if it is taken as it is; 0: it cannot be read. */
static uint64_t head_hash(const struct search *s, const struct file *file)
{
	uint8_t head[4096];
	struct bytes from;
	ssize_t n = open_bytes(&from, s, file) ? read_block(&from, head, sizeof(head)) : -1;

	close_bytes(&from);
	return n < 0 ? 0
		     : lode_hash_bytes(head, (size_t)n,
				       s->is_uncompressed ? 0 : (uint64_t)file->size_bytes);
}

static void skip_repeated(struct search *s, size_t path, const char *how,
			  const struct file *earlier)
{
	char reason[600];

	snprintf(reason, sizeof(reason), "it %s %.500s, and would count twice", how,
		 s->inputs->paths.at[earlier->path]);
	lode_inputs_skip(s->inputs, s->inputs->paths.at[path], reason);
	s->is_repeated[path] = true;
}

/* A recording that cannot be used for what is beside it counts no time: its copy is read instead.
 */
static bool takes_place(const struct search *s, struct file *earlier, size_t path)
{
	if (!s->check || s->check->is_usable(s->check->context, s->inputs->paths.at[earlier->path]))
		return false;
	earlier->path = path;
	return true;
}

/* Lists the file behind a path, unless it is there by another name. */
static void add_file(struct search *s, size_t path)
{
	struct file file = {.path = path, .next = LODE_NONE};
	uint32_t n = (uint32_t)s->files.n, first;
	uint64_t id[2];
	struct stat st;

	/* Empty ones are skipped for what they are. */
	if (stat(s->inputs->paths.at[path], &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	id[0] = (uint64_t)st.st_dev;
	id[1] = (uint64_t)st.st_ino;
	first = lode_map_number(&s->by_inode, lode_hash_bytes(id, sizeof(id), 0), n);
	if (first < n) {
		if (!takes_place(s, &s->files.at[first], path))
			skip_repeated(s, path, "is the same file as", &s->files.at[first]);
		return;
	}
	file.size_bytes = st.st_size;
	lode_vec_append(&s->files, file);
	first = lode_map_number(&s->by_size, (uint64_t)st.st_size, n);
	if (first < n)
		s->files.at[first].shares_size = s->files.at[n].shares_size = true;
}

/* Skips a file that is a copy of an earlier one. */
static void check_copy(struct search *s, struct file *file)
{
	uint32_t *last = lode_map_slot(&s->by_head, head_hash(s, file));

	file->next = *last;
	for (uint32_t i = *last; i != LODE_NONE; i = s->files.at[i].next) {
		if ((s->is_uncompressed || s->files.at[i].size_bytes == file->size_bytes) &&
		    is_copy(s, &s->files.at[i], file)) {
			if (!takes_place(s, &s->files.at[i], file->path))
				skip_repeated(s, file->path, "has the same content as",
					      &s->files.at[i]);
			return;
		}
	}
	*last = (uint32_t)(file - s->files.at);
}

/* Takes the skipped ones from the list. */
static void close_gaps(const struct search *s)
{
	struct lode_inputs *inputs = s->inputs;
	size_t n = 0;

	for (size_t i = 0; i < inputs->paths.n; i++) {
		if (s->is_repeated[i]) {
			free(inputs->paths.at[i]);
			continue;
		}
		if (inputs->lines.n)
			inputs->lines.at[n] = inputs->lines.at[i];
		inputs->paths.at[n++] = inputs->paths.at[i];
	}
	inputs->paths.n = n;
	if (inputs->lines.n)
		inputs->lines.n = n;
}

static void skip_copies(struct lode_inputs *inputs, const struct lode_input_check *check,
			bool is_uncompressed)
{
	struct search s = {.inputs = inputs, .check = check, .is_uncompressed = is_uncompressed};

	s.is_repeated = lode_alloc0(inputs->paths.n + 1, sizeof(*s.is_repeated));
	for (size_t i = 0; i < inputs->paths.n; i++)
		if (!inputs->lines.n || !inputs->lines.at[i])
			add_file(&s, i);
	for (size_t i = 0; i < s.files.n; i++)
		if (s.files.at[i].shares_size || (is_uncompressed && s.files.n > 1))
			check_copy(&s, &s.files.at[i]);
	close_gaps(&s);
	free(s.is_repeated);
	lode_vec_release(&s.files);
	lode_map_release(&s.by_inode);
	lode_map_release(&s.by_size);
	lode_map_release(&s.by_head);
}

void lode_inputs_skip_repeated(struct lode_inputs *inputs, const struct lode_input_check *check)
{
	skip_copies(inputs, check, false);
}

void lode_inputs_skip_recompressed(struct lode_inputs *inputs, const struct lode_input_check *check)
{
	skip_copies(inputs, check, true);
}
