/* Parses trace events one by one from a stream of JSON. */
#include "input/formats/chrome/chrome_events.h"

#include <stdio.h>
#include <yajl/yajl_parse.h>

#define CHUNK_BYTES ((size_t)1 << 18)

enum member {
	OTHER,
	PH,
	NAME,
	TS,
	DUR,
	PID,
	TID,
	CAT,
	ID,
	SCOPE, /* the last one of the event itself */
	ARGS_NAME,
	ARGS_DETAIL,
	ID_LOCAL,
	ID_GLOBAL,
	N_MEMBERS,
	ANY_ARG /* one of `args` */
};

/* Members that hold objects with members of ours. */
enum object { NO_OBJECT, ARGS, ID2 };

struct arg {
	size_t key_at, key_len, value_at, value_len;
};

struct parser {
	const struct lode_chrome_reader *reader;
	unsigned depth;	       /* of open arrays and objects */
	unsigned events_depth; /* of the array of events once it is open, else 0 */
	bool is_trace_events;  /* the key "traceEvents" was just read, in the outermost object */
	bool is_array_form, has_ended;
	enum object object; /* which one is open, at depth events_depth + 2 */
	enum object next_object;
	enum member member; /* whose value comes next */
	bool has[N_MEMBERS];
	LODE_VEC(char) texts[N_MEMBERS];
	/* If all of "args" are wanted: their texts, one behind the other, and where each begins. */
	LODE_VEC(char) args_text;
	LODE_VEC(struct arg) args;
	LODE_VEC(struct lode_chrome_arg) given;
	size_t key_at, key_len; /* of the one whose value comes next */
	int rc;
};

static size_t put_arg_text(struct parser *p, const void *text, size_t len)
{
	size_t at = p->args_text.n;

	lode_vec_append_all(&p->args_text, text, len);
	lode_vec_append(&p->args_text, '\0');
	return at;
}

/* ---- Recognising ---- */

static bool has_word(const char *text, size_t size, const char *word)
{
	return memmem(text, size, word, strlen(word)) != NULL;
}

bool lode_chrome_recognise(const uint8_t *head, size_t size)
{
	const char *text = (const char *)head;
	size_t at = 0;

	while (at < size && strchr(" \t\r\n", text[at]) && text[at])
		at++;
	if (at == size || (text[at] != '[' && text[at] != '{'))
		return false;
	/* What else stands in the outermost object may come first, and be long. */
	return has_word(text, size, "\"traceEvents\"") || has_word(text, size, "\"ph\"") ||
	       (text[at] == '{' &&
		(has_word(text, size, "\"displayTimeUnit\"") ||
		 has_word(text, size, "\"stackFrames\"") || has_word(text, size, "\"otherData\"")));
}

/* ---- Values of members ---- */

static int put_value_text(struct parser *p, const char *text, size_t len)
{
	enum member member = p->member;

	p->member = OTHER;
	p->next_object = NO_OBJECT;
	p->is_trace_events = false;
	if (member == OTHER)
		return 1;
	if (member == ANY_ARG) {
		size_t at = put_arg_text(p, text, len);

		lode_vec_append(&p->args, ((struct arg){p->key_at, p->key_len, at, len}));
		return 1;
	}
	p->has[member] = true;
	lode_vec_reserve(&p->texts[member], len + 1);
	memcpy(p->texts[member].at, text, len);
	p->texts[member].at[len] = '\0';
	p->texts[member].n = len;
	return 1;
}

static int on_null(void *context)
{
	struct parser *p = context;

	p->member = OTHER;
	return put_value_text(p, "", 0);
}

static int on_boolean(void *context, int value)
{
	(void)value;
	return on_null(context);
}

static int on_number(void *context, const char *text, size_t len)
{
	return put_value_text(context, text, len);
}

static int on_string(void *context, const unsigned char *text, size_t len)
{
	return put_value_text(context, (const char *)text, len);
}

/* ---- Structure ---- */

struct word {
	const char *at;
	size_t len;
	int member;
};

#define WORD(text, member)                     \
	{                                      \
		text, sizeof(text) - 1, member \
	}

static const struct word event_words[] = {WORD("ph", PH),	WORD("name", NAME),
					  WORD("ts", TS),	WORD("dur", DUR),
					  WORD("pid", PID),	WORD("tid", TID),
					  WORD("cat", CAT),	WORD("id", ID),
					  WORD("scope", SCOPE), {0}};
static const struct word object_words[] = {WORD("args", ARGS), WORD("id2", ID2), {0}};
static const struct word args_words[] = {WORD("name", ARGS_NAME), WORD("detail", ARGS_DETAIL), {0}};
static const struct word id2_words[] = {WORD("local", ID_LOCAL), WORD("global", ID_GLOBAL), {0}};

/* 0: none of the words. */
static int find_word(const struct word *words, const unsigned char *key, size_t len)
{
	for (; words->at; words++)
		if (words->len == len && !memcmp(words->at, key, len))
			return words->member;
	return 0;
}

static int on_key(void *context, const unsigned char *key, size_t len)
{
	struct parser *p = context;

	p->member = OTHER;
	p->next_object = NO_OBJECT;
	if (p->depth == 1 && !p->is_array_form) {
		p->is_trace_events = len == 11 && !memcmp(key, "traceEvents", len);
	} else if (p->events_depth && p->depth == p->events_depth + 1) {
		p->member = (enum member)find_word(event_words, key, len);
		if (p->member == OTHER)
			p->next_object = (enum object)find_word(object_words, key, len);
	} else if (p->events_depth && p->depth == p->events_depth + 2 && p->object == ARGS &&
		   p->reader->wants_args) {
		p->member = ANY_ARG;
		p->key_at = put_arg_text(p, key, len);
		p->key_len = len;
	} else if (p->events_depth && p->depth == p->events_depth + 2 && p->object) {
		p->member = (enum member)find_word(p->object == ARGS ? args_words : id2_words, key,
						   len);
	}
	return 1;
}

static int on_start_object(void *context)
{
	struct parser *p = context;

	p->depth++;
	if (p->events_depth && p->depth == p->events_depth + 1) {
		memset(p->has, 0, sizeof(p->has));
		p->args.n = p->args_text.n = 0;
		p->object = NO_OBJECT;
	} else if (p->events_depth && p->depth == p->events_depth + 2) {
		p->object = p->next_object;
	}
	p->member = OTHER;
	p->next_object = NO_OBJECT;
	p->is_trace_events = false;
	return 1;
}

/* Texts may have moved while they came in. */
static void give_args(struct parser *p, struct lode_chrome_event *event)
{
	p->given.n = 0;
	for (size_t i = 0; i < p->args.n; i++) {
		const struct arg *arg = &p->args.at[i];

		lode_vec_append(&p->given,
				((struct lode_chrome_arg){
					{p->args_text.at + arg->key_at, arg->key_len},
					{p->args_text.at + arg->value_at, arg->value_len}}));
	}
	event->args = p->given.at;
	event->n_args = p->given.n;
}

static int on_end_object(void *context)
{
	struct parser *p = context;
	bool is_event = p->events_depth && p->depth == p->events_depth + 1;

	if (p->events_depth && p->depth == p->events_depth + 2)
		p->object = NO_OBJECT;
	p->depth--;
	p->member = OTHER;
	if (is_event) {
		struct lode_chrome_event event = {0};
		struct lode_slice *const to[N_MEMBERS] = {[PH] = &event.ph,
							  [NAME] = &event.name,
							  [TS] = &event.ts,
							  [DUR] = &event.dur,
							  [PID] = &event.pid,
							  [TID] = &event.tid,
							  [CAT] = &event.cat,
							  [ID] = &event.id,
							  [SCOPE] = &event.scope,
							  [ARGS_NAME] = &event.args_name,
							  [ARGS_DETAIL] = &event.args_detail,
							  [ID_LOCAL] = &event.id_local,
							  [ID_GLOBAL] = &event.id_global};

		for (unsigned i = PH; i < N_MEMBERS; i++)
			if (p->has[i])
				*to[i] = (struct lode_slice){p->texts[i].at, p->texts[i].n};
		if (p->args.n)
			give_args(p, &event);
		p->rc = p->reader->take(p->reader->context, &event);
	}
	return p->rc == 0;
}

static int on_start_array(void *context)
{
	struct parser *p = context;

	p->depth++;
	if (p->depth == 1)
		p->is_array_form = true;
	if (!p->events_depth && !p->has_ended &&
	    ((p->depth == 1) || (p->depth == 2 && p->is_trace_events)))
		p->events_depth = p->depth;
	p->member = OTHER;
	p->next_object = NO_OBJECT;
	p->is_trace_events = false;
	return 1;
}

static int on_end_array(void *context)
{
	struct parser *p = context;

	if (p->events_depth && p->depth == p->events_depth) {
		p->events_depth = 0;
		p->has_ended = true;
	}
	p->depth--;
	p->member = OTHER;
	return 1;
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start_object,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end_object,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_end_array,
};

/* ---- Reading ---- */

static int fail_json(struct parser *p, yajl_handle handle, const char *path, int64_t offset,
		     struct lode_error *err)
{
	unsigned char *text;
	char line[200];

	if (p->rc < 0)
		return p->rc; /* `take` has told */
	text = yajl_get_error(handle, 0, NULL, 0);
	snprintf(line, sizeof(line), "%s", (const char *)text);
	line[strcspn(line, "\n")] = '\0';
	yajl_free_error(handle, text);
	return lode_fail(err, LODE_ERR_FORMAT, path, offset, "no longer valid JSON: %s", line);
}

static int read_chunks(struct parser *p, yajl_handle handle, struct lode_input *input,
		       bool *is_open, struct lode_error *err)
{
	const char *path = lode_input_path(input);
	uint8_t *chunk = lode_alloc(CHUNK_BYTES);
	int64_t offset = 0;
	int rc = LODE_OK;

	for (;;) {
		ssize_t n = lode_input_read(input, chunk, CHUNK_BYTES, err);

		if (n < 0)
			rc = (int)n;
		if (n <= 0)
			break;
		if (yajl_parse(handle, chunk, (size_t)n) != yajl_status_ok) {
			offset += (int64_t)yajl_get_bytes_consumed(handle);
			rc = fail_json(p, handle, path, offset, err);
			break;
		}
		offset += n;
		if (p->reader->progress)
			p->reader->progress(p->reader->progress_context,
					    lode_input_consumed_bytes(input),
					    lode_input_size_bytes(input));
	}
	free(chunk);
	/* An array of events that is not closed: programs that end suddenly leave it so. */
	*is_open = rc == LODE_OK && p->events_depth && p->depth == p->events_depth;
	if (rc == LODE_OK && !*is_open && p->depth > 0)
		rc = lode_fail(err, LODE_ERR_TRUNCATED, path, offset,
			       "the text ends inside an event");
	return rc;
}

int lode_chrome_events_read(const struct lode_chrome_reader *reader, struct lode_input *input,
			    bool *is_open, struct lode_error *err)
{
	struct parser p = {.reader = reader};
	yajl_handle handle = yajl_alloc(&callbacks, NULL, &p);
	int rc;

	*is_open = false;
	if (!handle)
		lode_oom(CHUNK_BYTES);
	yajl_config(handle, yajl_dont_validate_strings, 1); /* names are any bytes */
	yajl_config(handle, yajl_allow_trailing_garbage, 1);
	yajl_config(handle, yajl_allow_partial_values, 1);
	rc = read_chunks(&p, handle, input, is_open, err);
	yajl_free(handle);
	for (unsigned i = 0; i < N_MEMBERS; i++)
		lode_vec_release(&p.texts[i]);
	lode_vec_release(&p.args_text);
	lode_vec_release(&p.args);
	lode_vec_release(&p.given);
	return rc;
}
