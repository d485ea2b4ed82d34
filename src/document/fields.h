/*
 * Records described once: from one table of fields come a record's JSON, its JSON Schema (and with
 * it the TypeScript types of the pages), and its lines in docs/json.md.
 *
 *	struct lode_label_count { const char *key, *value; int64_t n_streams; };
 *
 *	static const struct lode_field label_fields[] = {
 *		LODE_FIELD(struct lode_label_count, key, "name of the label"),
 *		LODE_FIELD(struct lode_label_count, value, NULL),
 *		LODE_FIELD_AS("streams", struct lode_label_count, n_streams, "that have it"),
 *	};
 *	const struct lode_record lode_label_record =
 *		LODE_RECORD_OF("label", label_fields, struct lode_label_count);
 *
 * A field's type is its member's; its unit is the end of its name (`_ns`, `_bytes`, `_pct`). A
 * field with `.absent` is left out where its member holds no value: NULL, LODE_NO_INT, 0 of
 *unsigned members, NaN and infinity, false. `.absent` says in words when that is.
 */
#pragma once

#include "document/findings.h"

struct lode_json;

/* An int64_t without a value. */
#define LODE_NO_INT INT64_MIN

enum lode_field_type {
	LODE_TYPE_INT64,
	LODE_TYPE_INT32,
	LODE_TYPE_UINT64,
	LODE_TYPE_UINT32,
	LODE_TYPE_UINT16,
	LODE_TYPE_UINT8,
	LODE_TYPE_BOOL,
	LODE_TYPE_NUMBER, /* double, seven digits: the same on every machine */
	LODE_TYPE_EXACT,  /* double, all digits */
	LODE_TYPE_FLOAT,  /* float, as LODE_TYPE_NUMBER */
	LODE_TYPE_TEXT,
	LODE_TYPE_ID,	  /* uint64_t, 16 hex digits */
	LODE_TYPE_NAME,	  /* uint32_t: of lode_names.text */
	LODE_TYPE_FRAME,  /* uint32_t: of lode_names.frame */
	LODE_TYPE_LABEL,  /* uint32_t: of lode_names.label */
	LODE_TYPE_MODULE, /* uint32_t: of lode_names.module */
	LODE_TYPE_INDEX,  /* uint32_t: a place in another list; UINT32_MAX is -1, none */
	LODE_TYPE_CHOICE, /* an enum, or a bool: index into `choices` */
	LODE_TYPE_RECORD, /* a struct, or with `is_pointer` a pointer to one: an object */
	LODE_TYPE_FIELDS, /* the same: its fields stand in this object */
};

/* How many there are. */
enum lode_field_shape {
	LODE_SHAPE_ONE,
	LODE_SHAPE_LIST,  /* a pointer and a size_t: an array */
	LODE_SHAPE_LISTS, /* of lists of plain values: an array of arrays */
	LODE_SHAPE_MAP,	  /* the same, of records with two fields: an object of the first to the
			     second */
};

struct lode_record;

/* How many of `n` a list shows when `most` are asked for; 0: all. */
static inline size_t lode_listed(size_t most, size_t n)
{
	return most && most < n ? most : n;
}

/*
 * Makes item `i` of a list that is not in memory as it is shown: fills `row`, which is zeroed.
 * Texts in it must live until the next row is asked for.
 */
typedef void lode_row_maker(void *row, const void *owner, size_t i);

/* One of a list of lists. */
struct lode_value_list {
	const void *at;
	size_t n;
};

struct lode_field {
	const char *name;
	const char *doc;    /* one line, without a full stop; NULL: the name says it */
	const char *absent; /* when there is none, in words; NULL: always there */
	const char *label;  /* heading of its column in tables of rows; NULL: it has none */
	const struct lode_record *record;
	const char *const *choices; /* of a choice, of a text or number that is one of a few (or of
				       one), or all names that a map may have; ends with NULL */
	lode_row_maker *make_row;   /* of lists; NULL: items lie at the pointer */
	uint32_t offset, n_offset;
	/* Of a list whose values are members of structs: the struct's size, and where in it. */
	uint16_t stride_bytes, item_offset;
	enum lode_field_type type : 8;
	enum lode_field_type storage : 8; /* of the member of a choice */
	enum lode_field_shape shape : 8;
	bool is_pointer : 1;  /* a record that is pointed to */
	bool is_null : 1;     /* null where it is absent, instead of nothing */
	bool is_positive : 1; /* a signed number that is never below 0 */
	bool is_negative : 1; /* one that is never above 0 */
	bool has_gaps : 1;    /* of a list of numbers: NaN is null */
	int8_t least;	      /* of a number, or of how many are in a list: never below it */
	uint8_t most;	      /* of a number: never above it; 0: there is no such bound */
	uint8_t drop; /* of a column: which goes first where the table is too wide, as in table.h */
	uint8_t n_each;	     /* of a list of plain values: so many that lie side by side are an
				array; 0: each stands alone */
	const char *pattern; /* of a text: the regular expression that it fits */
};

struct lode_record {
	const char *name; /* of the type, for schemas */
	const struct lode_field *fields;
	size_t n_fields, size_bytes;
	bool is_shared; /* several records have it: defined once in a schema */
	bool is_open;	/* may hold other fields as well */
	/* Of records in several forms, instead of `fields`: all of them, and which one `at` has. */
	const struct lode_record *const *forms; /* ends with NULL */
	size_t (*form_of)(const void *at);
};

#define LODE_RECORD_OF(name_, fields_, struct_, ...)                                               \
	{                                                                                          \
		.name = (name_), .fields = (fields_),                                              \
		.n_fields = sizeof(fields_) / sizeof((fields_)[0]), .size_bytes = sizeof(struct_), \
		__VA_ARGS__                                                                        \
	}
/* NAME_record, of the table NAME_fields: `LODE_RECORD(label, struct lode_label_count);` */
#define LODE_RECORD(name_, struct_, ...)                 \
	static const struct lode_record name_##_record = \
		LODE_RECORD_OF(#name_, name_##_fields, struct_, __VA_ARGS__)

#define LODE_TYPE_OF(type, member) \
	_Generic(((type *)0)->member,               \
		int64_t: LODE_TYPE_INT64,           \
		int32_t: LODE_TYPE_INT32,           \
		uint64_t: LODE_TYPE_UINT64,         \
		uint32_t: LODE_TYPE_UINT32,         \
		uint16_t: LODE_TYPE_UINT16,         \
		uint8_t: LODE_TYPE_UINT8,           \
		bool: LODE_TYPE_BOOL,               \
		double: LODE_TYPE_NUMBER,           \
		float: LODE_TYPE_FLOAT,             \
		char *: LODE_TYPE_TEXT,             \
		const char *: LODE_TYPE_TEXT)
#define LODE_ITEM_TYPE_OF(type_, member) \
	_Generic(((type_ *)0)->member,                \
		int64_t *: LODE_TYPE_INT64,           \
		const int64_t *: LODE_TYPE_INT64,     \
		int32_t *: LODE_TYPE_INT32,           \
		const int32_t *: LODE_TYPE_INT32,     \
		uint64_t *: LODE_TYPE_UINT64,         \
		const uint64_t *: LODE_TYPE_UINT64,   \
		uint32_t *: LODE_TYPE_UINT32,         \
		const uint32_t *: LODE_TYPE_UINT32,   \
		uint8_t *: LODE_TYPE_UINT8,           \
		const uint8_t *: LODE_TYPE_UINT8,     \
		double *: LODE_TYPE_NUMBER,           \
		const double *: LODE_TYPE_NUMBER,     \
		float *: LODE_TYPE_FLOAT,             \
		const float *: LODE_TYPE_FLOAT,       \
		char **: LODE_TYPE_TEXT,              \
		const char **: LODE_TYPE_TEXT,        \
		char *const *: LODE_TYPE_TEXT,        \
		const char *const *: LODE_TYPE_TEXT)

/* ---- One value; further members of struct lode_field may follow: `.absent = "..."` ---- */

#define LODE_FIELD_OF(key, type_, struct_, member, text, ...)                        \
	{                                                                            \
		.name = (key), .type = (type_), .offset = offsetof(struct_, member), \
		.doc = (text), __VA_ARGS__                                           \
	}
#define LODE_FIELD(struct_, member, text, ...) \
	LODE_FIELD_AS(#member, struct_, member, text, __VA_ARGS__)
#define LODE_FIELD_AS(key, struct_, member, text, ...) \
	LODE_FIELD_OF(key, LODE_TYPE_OF(struct_, member), struct_, member, text, __VA_ARGS__)
/* A hash: 16 hex digits, since numbers of 64 bits do not survive every reader. */
#define LODE_FIELD_ID(key, struct_, member, text, ...) \
	LODE_FIELD_OF(key, LODE_TYPE_ID, struct_, member, text, __VA_ARGS__)
/* An enum by the names of its values. */
#define LODE_FIELD_CHOICE(key, struct_, member, names, text, ...)   \
	LODE_FIELD_OF(key, LODE_TYPE_CHOICE, struct_, member, text, \
		      .storage = LODE_TYPE_OF(struct_, member), .choices = (names), __VA_ARGS__)
/* An object, held by value, by pointer, or with its fields among those of this one. */
#define LODE_FIELD_RECORD(key, struct_, member, record_, text, ...)                      \
	LODE_FIELD_OF(key, LODE_TYPE_RECORD, struct_, member, text, .record = (record_), \
		      __VA_ARGS__)
#define LODE_FIELD_POINTER(key, struct_, member, record_, text, ...)                     \
	LODE_FIELD_OF(key, LODE_TYPE_RECORD, struct_, member, text, .record = (record_), \
		      .is_pointer = true, __VA_ARGS__)
#define LODE_FIELDS_OF(struct_, member, record_) \
	LODE_FIELD_OF("", LODE_TYPE_FIELDS, struct_, member, NULL, .record = (record_))
/* The fields of another table of the same struct; and the same as an object of their own. */
#define LODE_FIELDS_HERE(record_)                                         \
	{                                                                 \
		.name = "", .type = LODE_TYPE_FIELDS, .record = (record_) \
	}
#define LODE_RECORD_HERE(key, record_, text)                                                \
	{                                                                                   \
		.name = (key), .type = LODE_TYPE_RECORD, .record = (record_), .doc = (text) \
	}
/* The fields of a record that is pointed to; with `.absent`, none of them where it is NULL. */
#define LODE_FIELDS_AT(struct_, member, record_, ...)                                   \
	LODE_FIELD_OF("", LODE_TYPE_FIELDS, struct_, member, NULL, .record = (record_), \
		      .is_pointer = true, __VA_ARGS__)

/* ---- Many: `member` points to them, `n_member` (a size_t) says how many ---- */

#define LODE_LIST_OF(key, type_, struct_, member, n_member, text, ...)                            \
	LODE_FIELD_OF(key, type_, struct_, member, text, .n_offset = offsetof(struct_, n_member), \
		      .shape = LODE_SHAPE_LIST, __VA_ARGS__)
/* Of plain values. */
#define LODE_COLUMN(key, struct_, member, n_member, text, ...)                                 \
	LODE_LIST_OF(key, LODE_ITEM_TYPE_OF(struct_, member), struct_, member, n_member, text, \
		     __VA_ARGS__)
/* Of arrays of `n` plain values each, which lie side by side; `n_member` counts the arrays. */
#define LODE_TUPLES(key, struct_, member, n_member, n, text, ...) \
	LODE_COLUMN(key, struct_, member, n_member, text, .n_each = (n), __VA_ARGS__)
/* Of plain values that `maker` makes, one by one. */
#define LODE_VALUES(key, type_, struct_, n_member, maker, text, ...)                     \
	LODE_LIST_OF(key, type_, struct_, n_member, n_member, text, .make_row = (maker), \
		     __VA_ARGS__)
/* Of lists of plain values: `maker` fills a struct lode_value_list, whose values live until the
   next is asked for. */
#define LODE_LISTS(key, type_, struct_, n_member, maker, text, ...)                       \
	LODE_FIELD_OF(key, type_, struct_, n_member, text,                                \
		      .n_offset = offsetof(struct_, n_member), .shape = LODE_SHAPE_LISTS, \
		      .make_row = (maker), __VA_ARGS__)
/* Of one member of the structs that lie there: `of` is one of them, `part` the member. */
#define LODE_COLUMN_OF(key, struct_, member, n_member, of, part, text, ...)                     \
	LODE_MEMBERS_OF(key, LODE_TYPE_OF(of, part), struct_, member, n_member, of, part, text, \
			__VA_ARGS__)
#define LODE_MEMBERS_OF(key, type_, struct_, member, n_member, of, part, text, ...)           \
	LODE_LIST_OF(key, type_, struct_, member, n_member, text, .stride_bytes = sizeof(of), \
		     .item_offset = offsetof(of, part), __VA_ARGS__)
/* Of functions, by their numbers (uint32_t). */
#define LODE_FRAMES(key, struct_, member, n_member, text, ...) \
	LODE_LIST_OF(key, LODE_TYPE_FRAME, struct_, member, n_member, text, __VA_ARGS__)
/* Of records that lie there one behind the other. */
#define LODE_LIST(key, struct_, member, n_member, record_, text, ...)                             \
	LODE_LIST_OF(key, LODE_TYPE_RECORD, struct_, member, n_member, text, .record = (record_), \
		     __VA_ARGS__)
/* Of records that `maker` makes, one by one. */
#define LODE_ROWS(key, struct_, n_member, maker, record_, text, ...)           \
	LODE_LIST_OF(key, LODE_TYPE_RECORD, struct_, n_member, n_member, text, \
		     .record = (record_), .make_row = (maker), __VA_ARGS__)
/* An object of names and values: records of two fields. */
#define LODE_MAP_FIELD(key, struct_, member, n_member, record_, text, ...)               \
	LODE_FIELD_OF(key, LODE_TYPE_RECORD, struct_, member, text, .record = (record_), \
		      .n_offset = offsetof(struct_, n_member), .shape = LODE_SHAPE_MAP,  \
		      __VA_ARGS__)

/* ---- Documents ---- */

/* What numbers in a record stand for. A function that no field needs may be NULL. */
struct lode_names {
	const void *context;
	const char *(*text)(const void *context, uint32_t id);
	const char *(*frame)(const void *context, uint32_t id, char *buffer, size_t size);
	const char *(*label)(const void *context, uint32_t id, char *buffer, size_t size);
	const char *(*module)(const void *context, uint32_t id);
};

/* Makes names for the numbers in the records of an answer. */
typedef struct lode_names lode_names_maker(const void *answer);

struct lode_document {
	const char *schema; /* "lode/next/1" */
	const char *file;   /* of its schema, without ".json": "next" */
	const char *title;  /* "lode next --json" */
	const char *doc;    /* a line or two */
	const struct lode_record *record;
	/* The same answer in another form, as a list of what is else there once; or NULL. */
	const struct lode_record *other_record;
	bool (*is_other)(const void *answer);
	lode_names_maker *names;   /* or NULL */
	lode_findings_maker *find; /* the findings in a few lines; NULL: none */
};

/* The document as JSON, pretty-printed. `names` NULL: those that it makes itself. */
void lode_document_put(FILE *out, const struct lode_document *document, const void *answer,
		       const struct lode_names *names);
/* The same on one line, with its end: for streams of documents. */
void lode_document_put_line(FILE *out, const struct lode_document *document, const void *answer,
			    const struct lode_names *names);
/* For documents that are not yet described whole: an object, or its fields, in one that is open. */
void lode_record_put(struct lode_json *json, const char *key, const struct lode_record *record,
		     const void *at, const struct lode_names *names);
void lode_fields_put(struct lode_json *json, const struct lode_record *record, const void *at,
		     const struct lode_names *names);

/* Whether the record has no value of the field, which may be so where it has `.absent`. */
bool lode_field_is_absent(const struct lode_field *field, const void *record);

/* A whole number of the record `at`; and whether it is in ns (its name ends so). */
int64_t lode_field_integer(const struct lode_field *field, const void *at);
bool lode_field_is_ns(const struct lode_field *field);

/* Its JSON Schema (draft 7). */
void lode_document_put_schema(FILE *out, const struct lode_document *document);
/* Its fields as a table in Markdown: path, type, what it is. */
void lode_document_put_table(FILE *out, const struct lode_document *document);
