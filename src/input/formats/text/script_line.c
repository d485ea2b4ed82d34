/* Parses one line of perf script text. */
#include "input/formats/text/script_line.h"

#include "base/decimal.h"

/* From here on addresses are the kernel's, on all 64-bit machines that perf knows. */
#define KERNEL_START ((uint64_t)0xffff << 48)

static bool parse_tid(struct lode_slice text, int32_t *out)
{
	int64_t n;

	if (!lode_int_parse(&n, text.at, text.len) || n < -1 || n > INT32_MAX)
		return false;
	*out = (int32_t)n;
	return true;
}

/* The last word of *text, taken off. */
static struct lode_slice take_last_word(struct lode_slice *text)
{
	struct lode_slice word;

	*text = lode_slice_trim(*text);
	word.len = 0;
	while (word.len < text->len && !lode_is_blank(text->at[text->len - 1 - word.len]))
		word.len++;
	text->len -= word.len;
	word.at = text->at + text->len;
	return word;
}

static struct lode_slice take_first_word(struct lode_slice *text)
{
	struct lode_slice word;

	*text = lode_slice_trim(*text);
	word.at = text->at;
	word.len = 0;
	while (word.len < text->len && !lode_is_blank(text->at[word.len]))
		word.len++;
	text->at += word.len;
	text->len -= word.len;
	return word;
}

/* ---- The line that starts a sample ---- */

/* simpleperf prints seconds and microseconds as two numbers: "115540.8374" is 115540.008374. */
static bool parse_two_numbers(struct lode_slice text, const char *dot, int64_t *t_ns)
{
	int64_t seconds, micros;
	size_t n = (size_t)(dot - text.at);

	if (!lode_int_parse(&seconds, text.at, n) ||
	    !lode_int_parse(&micros, dot + 1, text.len - n - 1) || seconds < 0 || micros < 0 ||
	    seconds >= INT64_MAX / 1000000000)
		return false;
	*t_ns = seconds * 1000000000 + micros * 1000;
	return true;
}

/* "1869.769326781" as ns, without a double in between. */
static bool parse_time_script_line(struct lode_slice text, bool is_unpadded, int64_t *t_ns)
{
	const char *dot = memchr(text.at, '.', text.len);
	size_t n_decimals = dot ? text.len - (size_t)(dot - text.at) - 1 : 0;
	struct lode_decimal d;

	if (is_unpadded && n_decimals && n_decimals < 6)
		return parse_two_numbers(text, dot, t_ns);
	return (n_decimals == 6 || n_decimals == 9) && lode_is_digit(*text.at) &&
	       lode_decimal_take(&d, text.at, text.len, false) == text.len && !d.has_exponent &&
	       lode_decimal_scale(t_ns, &d, 9, false);
}

/* Flags of --fields misc: "K", "U", "S  ", "E", ... */
static bool is_misc(struct lode_slice word)
{
	if (!word.len || word.len > 8)
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (!strchr("KUHGgMESPCFp", word.at[i]) || !word.at[i])
			return false;
	return true;
}

/* What stands before the time, from right to left: comms may hold anything. */
static bool parse_who(struct lode_script_sample *out, struct lode_slice text)
{
	struct lode_slice word = take_last_word(&text);
	const char *slash;
	int64_t cpu;

	if (is_misc(word))
		word = take_last_word(&text);
	out->cpu = UINT32_MAX;
	if (word.len > 2 && word.at[0] == '[' && word.at[word.len - 1] == ']' &&
	    lode_int_parse(&cpu, word.at + 1, word.len - 2) && cpu >= 0 && cpu < UINT16_MAX) {
		out->cpu = (uint32_t)cpu;
		word = take_last_word(&text);
	}
	if (!word.len)
		return false;
	out->pid = -1;
	slash = memchr(word.at, '/', word.len);
	if (slash) {
		struct lode_slice pid = {word.at, (size_t)(slash - word.at)};

		if (!parse_tid(pid, &out->pid))
			return false;
		word = (struct lode_slice){slash + 1, word.len - pid.len - 1};
	}
	out->comm = lode_slice_trim(text);
	return parse_tid(word, &out->tid);
}

static void parse_what(struct lode_script_sample *out, struct lode_slice text)
{
	struct lode_slice rest = text;
	struct lode_slice word = take_first_word(&rest);
	int64_t period;

	out->has_period = false;
	out->period = 0;
	out->event = (struct lode_slice){word.at, 0};
	if (lode_int_parse(&period, word.at, word.len) && period >= 0) {
		out->has_period = true;
		out->period = (uint64_t)period;
		text = rest;
		word = take_first_word(&rest);
	}
	if (word.len > 1 && word.at[word.len - 1] == ':' &&
	    !lode_slice_begins(word, "PERF_RECORD_")) {
		out->event = (struct lode_slice){word.at, word.len - 1};
		text = rest;
	}
	out->payload = lode_slice_trim(text);
}

/* "java 3244 cpu-clock:" and "java 3244/3250 [001] 1000 cycles:u:", nothing behind: there a colon
   alone does not tell an event. */
static bool parse_timeless(struct lode_script_sample *out, struct lode_slice text)
{
	struct lode_slice event = take_last_word(&text), before = text;
	struct lode_slice number = take_last_word(&before);
	struct lode_script_sample with_period;
	int64_t period;

	if (event.len < 2 || event.at[event.len - 1] != ':' || !parse_who(out, text))
		return false;
	/* Of two numbers the second is the period. */
	if (lode_int_parse(&period, number.at, number.len) && period >= 0 &&
	    parse_who(&with_period, before) && with_period.comm.len) {
		*out = with_period;
		out->has_period = true;
		out->period = (uint64_t)period;
	} else {
		out->has_period = false;
		out->period = 0;
	}
	out->t_ns = 0;
	out->event = (struct lode_slice){event.at, event.len - 1};
	out->payload = (struct lode_slice){event.at + event.len, 0};
	return out->comm.len;
}

bool lode_script_parse_sample(struct lode_script_sample *out, const char *line, size_t len)
{
	const char *at = line, *end = line + len, *colon;

	/* The first colon behind a time that has a thread before it. A comm with a colon in it
	   ("kworker/0:1") has no time there. */
	for (; (colon = memchr(at, ':', (size_t)(end - at))); at = colon + 1) {
		struct lode_slice before = {line, (size_t)(colon - line)};
		struct lode_slice time;
		bool is_unpadded;

		if (colon + 1 < end && !lode_is_blank(colon[1]))
			continue;
		if (!before.len || !lode_is_digit(colon[-1]))
			continue;
		time = take_last_word(&before);
		/* Only simpleperf separates comm and tid by a tab. */
		is_unpadded = memchr(line, '\t', before.len) != NULL;
		if (!parse_time_script_line(time, is_unpadded, &out->t_ns) ||
		    !parse_who(out, before))
			continue;
		parse_what(out, (struct lode_slice){colon + 1, (size_t)(end - colon - 1)});
		return true;
	}
	return parse_timeless(out, lode_slice_trim((struct lode_slice){line, len}));
}

/* ---- A line of the callchain ---- */

static bool parse_hex(struct lode_slice text, uint64_t *out)
{
	uint64_t n = 0;

	if (!text.len || text.len > 16)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		int digit = lode_hex_digit(text.at[i]);

		if (digit < 0)
			return false;
		n = n << 4 | (uint64_t)digit;
	}
	*out = n;
	return true;
}

/* Takes "+0x1f" off the end. */
static void drop_offset(struct lode_slice *text)
{
	size_t n = text->len;
	uint64_t ignored;

	while (n && text->at[n - 1] != '+')
		n--;
	if (n > 1 && text->len - n > 2 && text->at[n] == '0' && text->at[n + 1] == 'x' &&
	    parse_hex((struct lode_slice){text->at + n + 2, text->len - n - 2}, &ignored))
		text->len = n - 1;
}

/* Takes "@@GLIBC_2.34" or "@plt"-less versions off the end: they are not part of the name. */
static void drop_version(struct lode_slice *text)
{
	size_t n = text->len;

	while (n && (lode_is_digit(text->at[n - 1]) || text->at[n - 1] == '.' ||
		     text->at[n - 1] == '_' || (text->at[n - 1] >= 'A' && text->at[n - 1] <= 'Z')))
		n--;
	if (n < 2 || n == text->len || text->at[n - 1] != '@')
		return;
	while (n && text->at[n - 1] == '@')
		n--;
	if (n)
		text->len = n;
}

/* Takes the last "(...)" off, with brackets in it paired: "(/tmp/x (deleted))". */
static bool take_parens(struct lode_slice *text, struct lode_slice *inside)
{
	size_t depth = 0;

	*text = lode_slice_trim(*text);
	if (!text->len || text->at[text->len - 1] != ')')
		return false;
	for (size_t i = text->len; i-- > 0;) {
		if (text->at[i] == ')')
			depth++;
		else if (text->at[i] == '(' && --depth == 0) {
			if (i && !lode_is_blank(text->at[i - 1]))
				return false; /* "f(int)": a parameter list */
			*inside = (struct lode_slice){text->at + i + 1, text->len - i - 2};
			text->len = i;
			return true;
		}
	}
	return false;
}

/* In brackets, but not the kernel's: mappings of user space that are no files. */
static bool is_user_mapping(struct lode_slice module)
{
	static const char *const names[] = {"[vdso]", "[vsyscall]", "[unknown]", "[heap]",
					    "[stack", "[anon",	    "[uprobes]", "[vvar"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (lode_slice_begins(module, names[i]))
			return true;
	return false;
}

static void set_module(struct lode_script_frame *out, struct lode_slice module)
{
	static const char deleted[] = " (deleted)";
	bool is_kernel_file;

	drop_offset(&module);
	if (lode_slice_ends(module, deleted))
		module.len -= sizeof(deleted) - 1;
	is_kernel_file = lode_slice_begins(module, "/lib/modules/") ||
			 lode_slice_begins(module, "/usr/lib/modules/") ||
			 lode_slice_ends(module, ".ko");
	for (size_t i = module.len; i-- > 0;) {
		if (module.at[i] == '/') {
			module.at += i + 1;
			module.len -= i + 1;
			break;
		}
	}
	out->is_kernel |= is_kernel_file || (module.len && *module.at == '[');
	if (is_user_mapping(module))
		out->is_kernel = false;
	out->module = module;
}

bool lode_script_parse_frame(struct lode_script_frame *out, const char *line, size_t len)
{
	struct lode_slice text = {line, len}, module;

	memset(out, 0, sizeof(*out));
	if (!parse_hex(take_first_word(&text), &out->address))
		return false;
	out->is_kernel = out->address >= KERNEL_START;
	out->module.at = out->function.at = line;
	if (take_parens(&text, &module)) {
		if (module.len == 7 && !memcmp(module.at, "inlined", 7))
			out->is_inlined = true;
		else
			set_module(out, module);
	}
	out->function = lode_slice_trim(text);
	drop_offset(&out->function);
	drop_version(&out->function);
	if (lode_slice_begins(out->function, "[unknown]"))
		out->function.len = 0;
	return true;
}

bool lode_script_is_source_line(const char *line, size_t len)
{
	const char *colon;
	size_t n_digits;

	if (len < 3 || line[0] != ' ' || line[1] != ' ' || line[2] == ' ')
		return false;
	if (line[len - 1] == ']')
		return memchr(line, '[', len) != NULL;
	colon = memrchr(line, ':', len);
	n_digits = colon ? strspn(colon + 1, "0123456789") : 0;
	return n_digits && (colon[1 + n_digits] == '\0' || colon[1 + n_digits] == ' ');
}

/* ---- Records ---- */

static struct lode_slice behind(struct lode_slice text, const char *at)
{
	return (struct lode_slice){at, text.len - (size_t)(at - text.at)};
}

/* "12:13" with any separator. */
static bool parse_pair(struct lode_slice text, char separator, int32_t *pid, int32_t *tid)
{
	const char *at = memchr(text.at, separator, text.len);

	return at && parse_tid((struct lode_slice){text.at, (size_t)(at - text.at)}, pid) &&
	       parse_tid(behind(text, at + 1), tid);
}

/* "(12:13):(1:1)" */
static bool parse_pairs(struct lode_script_record *out, struct lode_slice text)
{
	const char *middle = lode_slice_find(text, "):(");
	struct lode_slice child, parent;

	if (!middle || *text.at != '(' || !lode_slice_ends(text, ")"))
		return false;
	child = (struct lode_slice){text.at + 1, (size_t)(middle - text.at) - 1};
	parent = behind(text, middle + 3);
	parent.len--;
	return parse_pair(child, ':', &out->pid, &out->tid) &&
	       parse_pair(parent, ':', &out->parent_pid, &out->parent_tid);
}

/* "name:12/13"; names may hold colons. */
static bool parse_comm(struct lode_script_record *out, struct lode_slice text)
{
	const char *colon = memrchr(text.at, ':', text.len);

	if (!colon)
		return false;
	out->comm = (struct lode_slice){text.at, (size_t)(colon - text.at)};
	return parse_pair(behind(text, colon + 1), '/', &out->pid, &out->tid);
}

bool lode_script_parse_record(struct lode_script_record *out, struct lode_slice text)
{
	static const struct {
		const char *start;
		enum lode_script_record_kind kind;
		bool is_exec;
	} forms[] = {
		{"PERF_RECORD_COMM: ", LODE_SCRIPT_RECORD_COMM, false},
		{"PERF_RECORD_COMM exec: ", LODE_SCRIPT_RECORD_COMM, true},
		{"PERF_RECORD_FORK", LODE_SCRIPT_RECORD_FORK, false},
		{"PERF_RECORD_EXIT", LODE_SCRIPT_RECORD_EXIT, false},
		{"PERF_RECORD_LOST lost ", LODE_SCRIPT_RECORD_LOST, false},
	};
	int64_t n;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (!lode_slice_begins(text, forms[i].start))
			continue;
		text = behind(text, text.at + strlen(forms[i].start));
		out->kind = forms[i].kind;
		out->is_exec = forms[i].is_exec;
		if (out->kind == LODE_SCRIPT_RECORD_COMM)
			return parse_comm(out, text);
		if (out->kind != LODE_SCRIPT_RECORD_LOST)
			return text.len && parse_pairs(out, text);
		if (!lode_int_parse(&n, text.at, text.len) || n <= 0)
			return false;
		out->n_lost = (uint64_t)n;
		return true;
	}
	return false;
}

/* ---- Payloads ---- */

/* The number that starts `text`. */
static bool leading_tid(struct lode_slice text, int32_t *out)
{
	size_t n = 0;

	while (n < text.len && (lode_is_digit(text.at[n]) || (n == 0 && text.at[n] == '-')))
		n++;
	return parse_tid((struct lode_slice){text.at, n}, out);
}

bool lode_script_number(struct lode_slice payload, const char *key, int64_t *out)
{
	size_t n_key = strlen(key), n = 0;
	struct lode_slice rest = payload;
	const char *at;

	while ((at = lode_slice_find(rest, key)) && at > payload.at && !lode_is_blank(at[-1]))
		rest = behind(rest, at + 1); /* "pid=" inside "child_pid=" */
	if (!at)
		return false;
	rest = behind(rest, at + n_key);
	while (n < rest.len && (lode_is_digit(rest.at[n]) || (n == 0 && rest.at[n] == '-')))
		n++;
	return lode_int_parse(out, rest.at, n);
}

/*
 * "<comm> pid=12 ..." behind "comm=": a comm is at most 15 bytes and may hold what looks like a
 * key, so the last key that stands close enough is the one.
 */
static bool comm_and_pid(struct lode_slice text, const char *key, struct lode_slice *comm,
			 int32_t *pid)
{
	const size_t n_key = strlen(key), max_comm = 15;
	size_t i = text.len < max_comm + n_key ? text.len : max_comm + n_key;

	for (i = i < n_key ? 0 : i - n_key + 1; i-- > 0;) {
		if (memcmp(text.at + i, key, n_key) != 0)
			continue;
		*comm = (struct lode_slice){text.at, i};
		return leading_tid(behind(text, text.at + i + n_key), pid);
	}
	return false;
}

/* The plugin's form "comm:pid [prio]"; comms may hold colons. *rest is what follows the prio. */
static bool comm_colon_pid(struct lode_slice text, struct lode_slice *comm, int32_t *pid,
			   struct lode_slice *rest)
{
	const char *bracket = lode_slice_find(text, " [");
	struct lode_slice who;

	while (bracket) {
		who = (struct lode_slice){text.at, (size_t)(bracket - text.at)};
		for (size_t i = who.len; i-- > 0;) {
			if (who.at[i] != ':')
				continue;
			if (!parse_tid((struct lode_slice){who.at + i + 1, who.len - i - 1}, pid))
				break;
			*comm = (struct lode_slice){who.at, i};
			*rest = behind(text, bracket + 2);
			bracket = memchr(rest->at, ']', rest->len);
			*rest = bracket ? lode_slice_trim(behind(*rest, bracket + 1))
					: (struct lode_slice){rest->at, 0};
			return true;
		}
		bracket = lode_slice_find(behind(text, bracket + 1), " [");
	}
	return false;
}

bool lode_script_parse_switch(struct lode_script_switch *out, struct lode_slice payload)
{
	static const char arrow[] = " ==> next_comm=", short_arrow[] = " ==> ";
	struct lode_slice rest;
	const char *at;

	if (lode_slice_begins(payload, "prev_comm=")) {
		rest = behind(payload, payload.at + 10);
		if (!comm_and_pid(rest, " prev_pid=", &out->prev_comm, &out->prev_pid))
			return false;
		rest = behind(rest, rest.at + out->prev_comm.len);
		at = lode_slice_find(rest, " prev_state=");
		if (!at)
			return false;
		rest = behind(rest, at + 12);
		out->prev_state = take_first_word(&rest);
		at = lode_slice_find(rest, arrow);
		return at && comm_and_pid(behind(rest, at + sizeof(arrow) - 1),
					  " next_pid=", &out->next_comm, &out->next_pid);
	}
	if (!comm_colon_pid(payload, &out->prev_comm, &out->prev_pid, &rest))
		return false;
	out->prev_state = take_first_word(&rest);
	if (!lode_slice_begins(rest, short_arrow))
		return false;
	return comm_colon_pid(behind(rest, rest.at + sizeof(short_arrow) - 1), &out->next_comm,
			      &out->next_pid, &rest);
}

bool lode_script_parse_waking(struct lode_script_waking *out, struct lode_slice payload)
{
	struct lode_slice rest;

	if (lode_slice_begins(payload, "comm="))
		return comm_and_pid(behind(payload, payload.at + 5), " pid=", &out->comm,
				    &out->pid);
	return comm_colon_pid(payload, &out->comm, &out->pid, &rest);
}
