/*
 * pprof's profile, of which one message can be had at a time: a message's fields may be written in
 * pieces that are joined, so samples go out as they come, and the tables that they point into
 * follow.
 *
 *   Profile   sample_type*  sample*  mapping*  location*  function*  string_table*
 *   Sample    locations (leaf first), values, labels
 *   Location  lines (innermost first): a function and what was inlined into it
 *
 * Frames have no addresses here: a location is a function, or a chain of inlined ones.
 */
#include <assert.h>
#include <limits.h>
#include <zlib.h>

#include "document/export/export_stacks.h"
#include "base/varint.h"

/*
 * Protocol buffers as they are written: the four things that profile.proto needs of the wire format
 * (https://protobuf.dev/programming-guides/encoding/).
 *
 *   field << 3 | 0, varint               a number
 *   field << 3 | 2, length, bytes        a text, a message, or numbers one behind the other
 *
 * A generated packer (protobuf-c) would want the whole profile in memory, or a message per call all
 * the same, and a compiler for .proto files in every build: for forty lines. What a message
 * holds is collected in a byte vec, which the next one uses again.
 */
/* A number; 0 is what is meant where there is none, and left out. Negative ones take ten bytes. */
static inline void lode_protobuf_int(lode_byte_vec *to, unsigned field, int64_t value)
{
	if (value == 0)
		return;
	lode_varint_put(to, field << 3);
	lode_varint_put(to, (uint64_t)value);
}

/* Bytes: a text, or a message that is complete. Also empty ones: they count in repeated fields. */
static inline void lode_protobuf_bytes(lode_byte_vec *to, unsigned field, const void *bytes,
				       size_t n)
{
	lode_varint_put(to, field << 3 | 2);
	lode_varint_put(to, n);
	lode_vec_reserve(to, to->n + n);
	if (n)
		memcpy(to->at + to->n, bytes, n);
	to->n += n;
}

static inline void lode_protobuf_message(lode_byte_vec *to, unsigned field,
					 const lode_byte_vec *message)
{
	lode_protobuf_bytes(to, field, message->at, message->n);
}

/* Field numbers of profile.proto (github.com/google/pprof, proto/profile.proto). */
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_DURATION_NANOS = 10,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};
enum { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3 };
enum {
	MAPPING_ID = 1,
	MAPPING_FILENAME = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_INLINE_FRAMES = 10,
};
enum { LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_LINE = 4 };
enum { LINE_FUNCTION_ID = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3 };

/* A function below what it was inlined into, which has its own place; LODE_NONE: nothing. */
struct location {
	uint32_t into, frame;
};

struct writer {
	const struct lode_export_stacks *stacks;
	FILE *out;
	z_stream z;
	struct lode_strings strings;
	struct lode_map location_of; /* (into + 1, frame) -> place in `locations` */
	LODE_VEC(struct location) locations;
	struct lode_map function_of, mapping_of; /* frame, module -> place; ids are one more */
	LODE_VEC(uint32_t) functions;
	LODE_VEC(uint32_t) mappings;
	lode_byte_vec top, message, part; /* of the profile, of one in it, of one in that */
	lode_export_path path;
};

/* ---- Out: gzip ---- */

/* What is in `top`, or the end of it all. */
static void put_out(struct writer *w, int flush)
{
	unsigned char buffer[1 << 14];
	int rc;

	assert(w->top.n <= UINT_MAX);
	w->z.next_in = w->top.at;
	w->z.avail_in = (unsigned)w->top.n;
	do {
		w->z.next_out = buffer;
		w->z.avail_out = sizeof(buffer);
		rc = deflate(&w->z, flush);
		fwrite(buffer, 1, sizeof(buffer) - w->z.avail_out, w->out);
	} while (rc == Z_OK && w->z.avail_out == 0);
	w->top.n = 0;
}

static void put_message(struct writer *w, enum profile_field field)
{
	lode_protobuf_message(&w->top, field, &w->message);
	w->message.n = 0;
	if (w->top.n >= (size_t)1 << 16)
		put_out(w, Z_NO_FLUSH);
}

/* ---- Tables that samples point into ---- */

static uint32_t string_of(struct writer *w, const char *text)
{
	char name[LODE_EXPORT_NAME_BYTES];

	lode_export_text(name, text);
	return lode_strings_intern(&w->strings, name, strlen(name));
}

static uint32_t mapping_id(struct writer *w, uint32_t module)
{
	uint32_t place = lode_map_number(&w->mapping_of, module, w->mappings.n);

	if (place == w->mappings.n)
		lode_vec_append(&w->mappings, module);
	return place + 1;
}

static uint32_t function_id(struct writer *w, uint32_t frame)
{
	uint32_t place = lode_map_number(&w->function_of, frame, w->functions.n);

	if (place == w->functions.n)
		lode_vec_append(&w->functions, frame);
	return place + 1;
}

static uint32_t location_at(struct writer *w, uint32_t into, uint32_t frame)
{
	/* LODE_NONE + 1 is 0: no location's. */
	uint32_t place =
		lode_map_number(&w->location_of, (uint64_t)(uint32_t)(into + 1) << 32 | frame,
				w->locations.n);

	if (place == w->locations.n)
		lode_vec_append(&w->locations, ((struct location){into, frame}));
	return place;
}

/* The compiler put it into its caller: they share an address. Across modules that cannot be; what
   is inlined in one place may be called in another, and trees tell frames by name alone. */
static bool is_inlined(const struct lode_calltree *tree, uint32_t caller, uint32_t frame)
{
	return caller != LODE_NONE && tree->frames.at[frame].flags & LODE_FRAME_INLINED &&
	       tree->frames.at[frame].module == tree->frames.at[caller].module;
}

/* ---- Samples ---- */

/* Makes the path's frames its locations, callers still first. */
static void find_locations(struct writer *w)
{
	uint32_t at = LODE_NONE, caller = LODE_NONE;
	size_t n = 0;

	for (size_t i = 0; i < w->path.n; i++) {
		uint32_t frame = w->path.at[i];

		if (is_inlined(w->stacks->tree, caller, frame))
			n--;
		else
			at = LODE_NONE;
		at = location_at(w, at, frame);
		w->path.at[n++] = at;
		caller = frame;
	}
	w->path.n = n;
}

static void put_label(struct writer *w, const struct lode_export_label *label)
{
	lode_byte_vec *bytes = &w->part;

	bytes->n = 0;
	lode_protobuf_int(bytes, LABEL_KEY, string_of(w, label->key));
	if (label->text)
		lode_protobuf_int(bytes, LABEL_STR, string_of(w, label->text));
	else
		lode_protobuf_int(bytes, LABEL_NUM, label->number);
	lode_protobuf_message(&w->message, SAMPLE_LABEL, bytes);
}

static void put_sample(struct writer *w, const struct lode_export_sample *sample)
{
	const struct lode_export_stacks *stacks = w->stacks;
	struct lode_export_details details = {0};

	stacks->describe(&details, stacks, sample);
	lode_export_path_of(&w->path, stacks->tree, sample->stack);
	find_locations(w);
	w->part.n = 0;
	for (size_t i = w->path.n; i-- > 0;)
		lode_varint_put(&w->part, (uint64_t)w->path.at[i] + 1);
	lode_protobuf_message(&w->message, SAMPLE_LOCATION_ID, &w->part);
	w->part.n = 0;
	for (size_t i = 0; i < stacks->n_value_types; i++)
		lode_varint_put(&w->part, (uint64_t)details.values[i]);
	lode_protobuf_message(&w->message, SAMPLE_VALUE, &w->part);
	for (size_t i = 0; i < details.n_labels; i++)
		put_label(w, &details.labels[i]);
	put_message(w, PROFILE_SAMPLE);
}

/* ---- The profile ---- */

static void put_types(struct writer *w)
{
	const struct lode_export_stacks *stacks = w->stacks;

	for (size_t i = 0; i < stacks->n_value_types; i++) {
		const struct lode_export_value_type *type = &stacks->value_types[i];
		const char *unit = strcmp(type->unit, "ns") == 0 ? "nanoseconds" : type->unit;

		lode_protobuf_int(&w->message, VALUE_TYPE_TYPE, string_of(w, type->name));
		lode_protobuf_int(&w->message, VALUE_TYPE_UNIT, string_of(w, unit));
		put_message(w, PROFILE_SAMPLE_TYPE);
	}
	lode_protobuf_int(&w->top, PROFILE_DEFAULT_SAMPLE_TYPE,
			  string_of(w, stacks->value_types[stacks->default_type].name));
	lode_protobuf_int(&w->top, PROFILE_DURATION_NANOS, stacks->duration_ns);
	lode_protobuf_int(&w->top, PROFILE_COMMENT, string_of(w, stacks->title));
}

/* Makes functions and mappings of what it meets: before these. */
static void put_location_table(struct writer *w)
{
	const struct lode_calltree *tree = w->stacks->tree;

	for (uint32_t i = 0; i < w->locations.n; i++) {
		uint32_t frame = w->locations.at[i].frame;

		lode_protobuf_int(&w->message, LOCATION_ID, (int64_t)i + 1);
		if (frame != LODE_NONE && *lode_frame_module(tree, frame))
			lode_protobuf_int(&w->message, LOCATION_MAPPING_ID,
					  mapping_id(w, tree->frames.at[frame].module));
		for (uint32_t at = i; at != LODE_NONE; at = w->locations.at[at].into) {
			w->part.n = 0;
			lode_protobuf_int(&w->part, LINE_FUNCTION_ID,
					  function_id(w, w->locations.at[at].frame));
			lode_protobuf_message(&w->message, LOCATION_LINE, &w->part);
		}
		put_message(w, PROFILE_LOCATION);
	}
}

static void put_function_table(struct writer *w)
{
	char buffer[LODE_EXPORT_NAME_BYTES];

	for (uint32_t i = 0; i < w->functions.n; i++) {
		const char *name = lode_export_name(buffer, w->stacks->tree, w->functions.at[i]);
		uint32_t string = lode_strings_intern(&w->strings, name, strlen(name));

		lode_protobuf_int(&w->message, FUNCTION_ID, (int64_t)i + 1);
		lode_protobuf_int(&w->message, FUNCTION_NAME, string);
		lode_protobuf_int(&w->message, FUNCTION_SYSTEM_NAME, string);
		put_message(w, PROFILE_FUNCTION);
	}
}

static void put_mapping_table(struct writer *w)
{
	for (uint32_t i = 0; i < w->mappings.n; i++) {
		const char *module = w->stacks->tree->strings.text.at[w->mappings.at[i]];

		lode_protobuf_int(&w->message, MAPPING_ID, (int64_t)i + 1);
		lode_protobuf_int(&w->message, MAPPING_FILENAME, string_of(w, module));
		/* There is nothing that pprof should look up in the file itself. */
		lode_protobuf_int(&w->message, MAPPING_HAS_FUNCTIONS, 1);
		lode_protobuf_int(&w->message, MAPPING_HAS_INLINE_FRAMES, 1);
		put_message(w, PROFILE_MAPPING);
	}
}

static void put_string_table(struct writer *w)
{
	for (size_t i = 0; i < w->strings.text.n; i++) {
		lode_protobuf_bytes(&w->top, PROFILE_STRING_TABLE, w->strings.text.at[i],
				    w->strings.len.at[i]);
		if (w->top.n >= (size_t)1 << 16)
			put_out(w, Z_NO_FLUSH);
	}
}

static void release_export_pprof(struct writer *w)
{
	deflateEnd(&w->z);
	lode_strings_release(&w->strings);
	lode_map_release(&w->location_of);
	lode_vec_release(&w->locations);
	lode_map_release(&w->function_of);
	lode_map_release(&w->mapping_of);
	lode_vec_release(&w->functions);
	lode_vec_release(&w->mappings);
	lode_vec_release(&w->top);
	lode_vec_release(&w->message);
	lode_vec_release(&w->part);
	lode_vec_release(&w->path);
}

int lode_export_pprof(FILE *out, const void *what, struct lode_error *err)
{
	const struct lode_export_stacks *stacks = what;
	struct writer w = {.stacks = stacks, .out = out};
	const int gzip = 16; /* a header of gzip, without name and time */
	/* By this a later run knows the file as one of ours (store/file_kind.h). */
	char comment[] = "lode pprof";
	gz_header header = {.comment = (Bytef *)comment, .os = 255};

	(void)err;
	if (deflateInit2(&w.z, 6, Z_DEFLATED, MAX_WBITS + gzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		lode_oom(sizeof(w.z));
	deflateSetHeader(&w.z, &header);
	lode_strings_intern(&w.strings, "", 0); /* string 0 is the empty one */
	put_types(&w);
	for (size_t i = 0; i < stacks->samples.n; i++)
		put_sample(&w, &stacks->samples.at[i]);
	put_location_table(&w);
	put_mapping_table(&w);
	put_function_table(&w);
	put_string_table(&w);
	put_out(&w, Z_FINISH);
	release_export_pprof(&w);
	return LODE_OK;
}
