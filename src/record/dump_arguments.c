/* Erases arguments and environment from stack dumps. */
#include "record/dump_arguments.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	WORD = sizeof(uint64_t),
	MOST_PAIRS = 64, /* of an auxiliary vector; Linux has some 20 */
	LEAST_TEXTS = 3, /* of a list, */
	LEAST_BYTES = 16,
	HEAD_BYTES = 104,
	ATTRS_AT = 24, /* in it: offset and size of the events' attributes, of the records */
	DATA_AT = 40,
};

/* What perf puts behind the dump, a word each. */
static const uint64_t words_behind = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
				     PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |
				     PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
				     PERF_SAMPLE_CODE_PAGE_SIZE;
static const uint64_t more_behind = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX;

/* Where a sample has its dump. */
struct dump_place {
	uint64_t dump_bytes, behind_bytes;
};

static uint64_t word_at(const char *bytes, size_t at)
{
	uint64_t word;

	memcpy(&word, bytes + at, sizeof(word));
	return word;
}

/* Entries that all have in this order: the page's size, then the ticks of a second. */
static bool is_vector(const char *bytes, size_t size, size_t at)
{
	uint64_t page = at + 4 * WORD <= size ? word_at(bytes, at + WORD) : 0;

	return page >= 4096 && !(page & (page - 1)) && word_at(bytes, at) == AT_PAGESZ &&
	       word_at(bytes, at + 2 * WORD) == AT_CLKTCK && word_at(bytes, at + 3 * WORD) == 100;
}

/* Where arguments and environment begin; `size`: there is no vector. */
static size_t find_arguments(const char *bytes, size_t size)
{
	for (size_t at = 0; at + 4 * WORD <= size; at += WORD) {
		if (word_at(bytes, at) != AT_PAGESZ || !is_vector(bytes, size, at))
			continue;
		for (int n = 0; n < MOST_PAIRS && at + 2 * WORD <= size; n++, at += 2 * WORD)
			if (word_at(bytes, at) == AT_NULL)
				return at + 2 * WORD;
		/* A vector that is cut ends with the dump. */
		return at + 2 * WORD <= size ? at : size;
	}
	return size;
}

static bool is_of_text(unsigned char c)
{
	return c >= ' ' || c == '\n' || c == '\t';
}

/* A text with control characters in it is none; it ends a list. */
static void erase_lists(char *bytes, size_t size)
{
	size_t begin = 0, n_texts = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && is_of_text((unsigned char)bytes[i]))
			continue;
		if (i < size && !bytes[i] && i > begin && bytes[i - 1]) {
			n_texts++;
			continue;
		}
		if (n_texts >= LEAST_TEXTS && i - begin >= LEAST_BYTES)
			memset(bytes + begin, 0, i - begin);
		begin = i + 1;
		n_texts = 0;
	}
}

void lode_dump_erase_arguments(char *bytes, size_t size)
{
	size_t at = find_arguments(bytes, size);

	memset(bytes + at, 0, size - at);
	erase_lists(bytes, at);
}

/* ---- Files of perf ---- */

/* False: perf has put something behind the dumps of which the size is not known here. */
static bool find_place(struct dump_place *place, const char *file, uint64_t size)
{
	uint64_t each = word_at(file, ATTRS_AT - WORD), at = word_at(file, ATTRS_AT);
	uint64_t end = word_at(file, ATTRS_AT + WORD);

	*place = (struct dump_place){0};
	if (each < PERF_ATTR_SIZE_VER5 || at > size || end > size - at)
		return true;
	for (end += at; at <= end && end - at >= each; at += each) {
		struct perf_event_attr attr = {0};
		uint64_t behind;

		memcpy(&attr, file + at, each < sizeof(attr) ? each : sizeof(attr));
		if (!(attr.sample_type & PERF_SAMPLE_STACK_USER))
			continue;
		behind = (uint64_t)__builtin_popcountll(attr.sample_type & words_behind) * WORD;
		if ((attr.sample_type & more_behind) ||
		    (place->dump_bytes && (place->dump_bytes != attr.sample_stack_user ||
					   place->behind_bytes != behind)))
			return false;
		place->dump_bytes = attr.sample_stack_user;
		place->behind_bytes = behind;
	}
	return true;
}

/* Its size, the dump, the size of what is filled, other words. */
static void erase_in_record(char *record, size_t size, const struct dump_place *place)
{
	size_t behind = place->behind_bytes + WORD, begin;

	if (size < sizeof(struct perf_event_header) + WORD + place->dump_bytes + behind)
		return;
	begin = size - behind - place->dump_bytes;
	if (word_at(record, begin - WORD) == place->dump_bytes)
		lode_dump_erase_arguments(record + begin, place->dump_bytes);
}

static void erase_in_file(char *file, uint64_t size, const struct dump_place *place)
{
	uint64_t from = word_at(file, DATA_AT), n = word_at(file, DATA_AT + WORD);
	uint64_t end = n && from <= size && n <= size - from ? from + n : size;

	while (from <= end && end - from >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;

		memcpy(&header, file + from, sizeof(header));
		if (header.size < sizeof(header) || header.size > end - from)
			break;
		if (header.type == PERF_RECORD_SAMPLE)
			erase_in_record(file + from, header.size, place);
		from += header.size;
	}
}

static int erase_mapped(char *file, uint64_t size, const char *path, struct lode_error *err)
{
	struct dump_place place;

	if (!find_place(&place, file, size))
		return lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
				 "perf records more behind stack dumps than lode knows");
	if (place.dump_bytes)
		erase_in_file(file, size, &place);
	return 0;
}

int lode_dumps_erase_arguments(const char *path, struct lode_error *err)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), rc = 0;
	struct stat st;
	char *file;

	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = lode_fail_errno(err, errno, path, "cannot open it");
	} else if (st.st_size >= HEAD_BYTES) {
		file = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (file == MAP_FAILED) {
			rc = lode_fail_errno(err, errno, path, "cannot map it");
		} else {
			rc = erase_mapped(file, (uint64_t)st.st_size, path, err);
			munmap(file, (size_t)st.st_size);
		}
	}
	if (fd >= 0)
		close(fd);
	return rc;
}
