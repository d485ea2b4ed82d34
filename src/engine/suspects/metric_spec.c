/* Parses and matches the metrics of --metric. */
#include "engine/suspects/metric_spec.h"

#include <stdio.h>

#include "base/glob.h"
#include "base/slice.h"

/* ---- Tracepoints ---- */

#define REQUEST                              \
	{                                    \
		"dev", "sector", "nr_sector" \
	}

/* One tracepoint: its role, and what is wanted of it. */
static const struct known {
	const char *tracepoint;
	const char *field[3];
	const char *text;
	enum lode_event_role role;
	uint8_t element[3];
	bool begins; /* an execution: its stack counts */
} known[] = {
	{"raw_syscalls:sys_enter", {"id", "args"}, NULL, LODE_ROLE_RAW_ENTER, {0, 1}, true},
	{"raw_syscalls:sys_exit", {"id"}, NULL, LODE_ROLE_RAW_EXIT, {0}, false},
	{"block:block_rq_insert", REQUEST, "rwbs", LODE_ROLE_RQ_INSERT, {0}, true},
	{"block:block_rq_issue", REQUEST, "rwbs", LODE_ROLE_RQ_ISSUE, {0}, true},
	{"block:block_rq_complete", REQUEST, "rwbs", LODE_ROLE_RQ_COMPLETE, {0}, false},
	{"block:block_rq_requeue", REQUEST, "rwbs", LODE_ROLE_RQ_REQUEUE, {0}, false},
	{"irq:irq_handler_entry", {"irq"}, "name", LODE_ROLE_IRQ_ENTRY, {0}, true},
	{"irq:irq_handler_exit", {"irq"}, NULL, LODE_ROLE_IRQ_EXIT, {0}, false},
	{"irq:softirq_entry", {"vec"}, NULL, LODE_ROLE_SOFTIRQ_ENTRY, {0}, true},
	{"irq:softirq_exit", {"vec"}, NULL, LODE_ROLE_SOFTIRQ_EXIT, {0}, false},
	{"net:net_dev_queue", {NULL}, NULL, LODE_ROLE_NET_QUEUE, {0}, false},
	{"net:netif_receive_skb", {NULL}, NULL, LODE_ROLE_NET_RECEIVE, {0}, false},
	{"sched:sched_waking", {"pid"}, NULL, LODE_ROLE_WAKING, {0}, true},
	{"sched:sched_switch", {NULL}, NULL, LODE_ROLE_SWITCH, {0}, false},
};

static const char enter[] = "syscalls:sys_enter_", leave[] = "syscalls:sys_exit_";

enum lode_event_role lode_event_role_of(const char *tracepoint, const char **syscall)
{
	if (!tracepoint)
		return LODE_ROLE_NONE;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(tracepoint, known[i].tracepoint))
			return known[i].role;
	if (!strncmp(tracepoint, enter, sizeof(enter) - 1)) {
		*syscall = tracepoint + sizeof(enter) - 1;
		return LODE_ROLE_ENTER;
	}
	if (!strncmp(tracepoint, leave, sizeof(leave) - 1)) {
		*syscall = tracepoint + sizeof(leave) - 1;
		return LODE_ROLE_EXIT;
	}
	return LODE_ROLE_NONE;
}

void lode_event_role_wish(enum lode_event_role role, struct lode_tap_wish *wish)
{
	if (role == LODE_ROLE_ENTER) {
		wish->wants_stack = true;
		wish->field[0] = "op";
		wish->n_fields = 1;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (known[i].role != role)
			continue;
		wish->wants_stack = known[i].begins;
		wish->text = known[i].text;
		for (wish->n_fields = 0; wish->n_fields < 3 && known[i].field[wish->n_fields];
		     wish->n_fields++) {
			wish->field[wish->n_fields] = known[i].field[wish->n_fields];
			wish->element[wish->n_fields] = known[i].element[wish->n_fields];
		}
	}
}

const char *lode_softirq_name(uint64_t vec, char *buffer, size_t size)
{
	static const char *const names[] = {"HI",	"TIMER",   "NET_TX", "NET_RX",	"BLOCK",
					    "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

	if (vec < sizeof(names) / sizeof(*names))
		return names[vec];
	snprintf(buffer, size, "%llu", (unsigned long long)vec);
	return buffer;
}

bool lode_futex_op_waits(uint64_t op)
{
	/* Without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME. */
	switch (op & 0x7f) {
	case 0:	 /* FUTEX_WAIT */
	case 6:	 /* FUTEX_LOCK_PI */
	case 9:	 /* FUTEX_WAIT_BITSET */
	case 11: /* FUTEX_WAIT_REQUEUE_PI */
	case 13: /* FUTEX_LOCK_PI2 */
		return true;
	default:
		return false;
	}
}

/* ---- Metrics ---- */

static struct lode_slice trimmed(const char *begin, const char *end)
{
	return lode_slice_trim(lode_slice_between(begin, end));
}

static const char *keep_metric_spec(struct lode_metric_spec *spec, struct lode_slice piece)
{
	return lode_arena_strndup(&spec->arena, piece.at, piece.len);
}

static int wrong(struct lode_error *err, const char *text, const char *what)
{
	return lode_fail(err, LODE_ERR_ARG, NULL, -1,
			 "the metric '%s' %s (a glob such as 'syscall:*', or "
			 "'name=begin_event..end_event[by field]')",
			 text, what);
}

/* "system:event", as recordings name their tracepoints; probes and counters have other forms. */
static bool is_event(struct lode_slice piece)
{
	for (size_t i = 0; i < piece.len; i++)
		if (piece.at[i] == '[' || piece.at[i] == ']' || piece.at[i] == '=' ||
		    (unsigned char)piece.at[i] <= ' ')
			return false;
	return piece.len > 0;
}

static bool is_field(struct lode_slice piece)
{
	for (size_t i = 0; i < piece.len; i++) {
		char c = piece.at[i];

		if (!lode_is_word(c) || (lode_is_digit(c) && !i))
			return false;
	}
	return piece.len > 0;
}

/* "dev,sector", "pid=next_pid". */
static int add_keys(struct lode_metric_spec *spec, struct lode_own_metric *own,
		    struct lode_slice keys, struct lode_error *err)
{
	const char *at = keys.at, *end = keys.at + keys.len, *comma, *equals;
	struct lode_slice begin_key, end_key;

	do {
		comma = memchr(at, ',', (size_t)(end - at));
		if (!comma)
			comma = end;
		equals = memchr(at, '=', (size_t)(comma - at));
		begin_key = trimmed(at, equals ? equals : comma);
		end_key = equals ? trimmed(equals + 1, comma) : begin_key;
		if (!is_field(begin_key) || !is_field(end_key))
			return wrong(err, own->text, "has no field name after 'by'");
		if (own->n_keys == LODE_METRIC_KEYS)
			return wrong(err, own->text, "has more than four fields");
		own->begin_key[own->n_keys] = keep_metric_spec(spec, begin_key);
		own->end_key[own->n_keys++] = keep_metric_spec(spec, end_key);
		at = comma + 1;
	} while (comma < end);
	return 0;
}

/* Where " by " or "[by " begins behind `at`; `*keys` is what follows, without the brackets. */
static const char *find_by(const char *at, const char *end, struct lode_slice *keys)
{
	for (const char *p = at; p + 3 < end; p++) {
		if ((*p != '[' && *p != ' ') || memcmp(p + 1, "by ", 3) != 0)
			continue;
		if (*p == '[' && end[-1] == ']')
			end--;
		*keys = trimmed(p + 4, end);
		return p;
	}
	return NULL;
}

static int add_own(struct lode_metric_spec *spec, const char *text, struct lode_error *err)
{
	const char *equals = strchr(text, '='), *dots = strstr(text, "..");
	struct lode_own_metric own = {
		.text = keep_metric_spec(spec, (struct lode_slice){text, strlen(text)})};
	struct lode_slice name = trimmed(text, equals), begin, end, keys = {0};
	const char *by;
	int rc = 0;

	if (!dots || dots < equals)
		return wrong(err, text, "has no begin and end event");
	by = find_by(dots + 2, text + strlen(text), &keys);
	begin = trimmed(equals + 1, dots);
	end = trimmed(dots + 2, by ? by : text + strlen(text));
	if (!name.len)
		return wrong(err, text, "has no name");
	if (!is_event(begin))
		return wrong(err, text, "has no begin event");
	if (!is_event(end))
		return wrong(err, text, "has no end event");
	own.name = keep_metric_spec(spec, name);
	own.begin = keep_metric_spec(spec, begin);
	own.end = keep_metric_spec(spec, end);
	if (by)
		rc = add_keys(spec, &own, keys, err);
	for (size_t i = 0; rc == 0 && i < spec->own.n; i++)
		if (!strcmp(spec->own.at[i].name, own.name))
			rc = wrong(err, text, "has the same name as an earlier one");
	if (rc == 0)
		lode_vec_append(&spec->own, own);
	return rc;
}

int lode_metric_spec_add(struct lode_metric_spec *spec, const char *text, struct lode_error *err)
{
	if (!*text)
		return wrong(err, text, "is empty");
	if (strchr(text, '='))
		return add_own(spec, text, err);
	if (strstr(text, ".."))
		return wrong(err, text, "has no name");
	lode_vec_append(&spec->globs,
			keep_metric_spec(spec, (struct lode_slice){text, strlen(text)}));
	return 0;
}

void lode_metric_spec_release(struct lode_metric_spec *spec)
{
	lode_vec_release(&spec->globs);
	lode_vec_release(&spec->own);
	lode_arena_release(&spec->arena);
}

static bool is_everything(const struct lode_metric_spec *spec)
{
	return !spec || (!spec->globs.n && !spec->own.n);
}

/* "syscall" alone stands for "syscall:*". */
static bool is_kind_of(const char *glob, const char *name)
{
	size_t len = strlen(glob);

	return !strncmp(glob, name, len) && name[len] == ':';
}

bool lode_metric_spec_wants(const struct lode_metric_spec *spec, const char *name)
{
	if (is_everything(spec))
		return true;
	for (size_t i = 0; i < spec->globs.n; i++)
		if (lode_glob_match(spec->globs.at[i], name) || is_kind_of(spec->globs.at[i], name))
			return true;
	return false;
}

bool lode_metric_spec_may_want(const struct lode_metric_spec *spec, const char *kind)
{
	size_t len = strlen(kind);

	if (is_everything(spec))
		return true;
	for (size_t i = 0; i < spec->globs.n; i++) {
		const char *glob = spec->globs.at[i];
		size_t plain = strcspn(glob, "*?[\\:");

		/* Up to its first special character a glob must agree with the kind. */
		if (glob[plain] == ':' || !glob[plain] ? plain == len && !memcmp(glob, kind, len)
						       : plain <= len && !memcmp(glob, kind, plain))
			return true;
	}
	return false;
}
