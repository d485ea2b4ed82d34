/* Which events the metrics are made of: answers to the source's questions. */
#include <stdio.h>

#include "engine/suspects/collect.h"

/* The metrics of a role, as far as they are known before any event. */
static bool is_role_wanted(const struct lode_collect *c, enum lode_event_role role)
{
	const struct lode_metric_spec *spec = c->spec;

	switch (role) {
	case LODE_ROLE_RAW_ENTER:
	case LODE_ROLE_RAW_EXIT:
		return lode_metric_spec_may_want(spec, "syscall") ||
		       lode_metric_spec_may_want(spec, "futex");
	case LODE_ROLE_RQ_INSERT:
		return lode_metric_spec_may_want(spec, "block");
	case LODE_ROLE_RQ_ISSUE:
	case LODE_ROLE_RQ_REQUEUE:
		return lode_metric_spec_may_want(spec, "block");
	case LODE_ROLE_RQ_COMPLETE:
		return lode_collect_is_wanted(c, c->device);
	case LODE_ROLE_IRQ_ENTRY:
	case LODE_ROLE_IRQ_EXIT:
		return lode_metric_spec_may_want(spec, "irq");
	case LODE_ROLE_SOFTIRQ_ENTRY:
	case LODE_ROLE_SOFTIRQ_EXIT:
		return lode_metric_spec_may_want(spec, "softirq") ||
		       lode_collect_is_wanted(c, c->send);
	case LODE_ROLE_NET_QUEUE:
		return lode_collect_is_wanted(c, c->send);
	case LODE_ROLE_NET_RECEIVE:
	case LODE_ROLE_WAKING:
		return lode_collect_is_wanted(c, c->receive);
	default:
		return false;
	}
}

/* syscall:NAME, and futex:wait. */
static bool is_syscall_wanted(struct lode_collect *c, struct lode_collect_kind *kind,
			      const char *name)
{
	char text[128];

	snprintf(text, sizeof(text), "syscall:%s", name);
	kind->what = lode_collect_what(c, text, "ns");
	return lode_collect_is_wanted(c, kind->what) ||
	       (c->whats.at[kind->what].futex && lode_collect_is_wanted(c, c->futex));
}

static bool has_raw_calls(const struct lode_collect *c)
{
	return c->has_role[LODE_ROLE_RAW_ENTER] && c->has_role[LODE_ROLE_RAW_EXIT];
}

static void take_role(struct lode_collect *c, struct lode_collect_kind *kind,
		      const struct lode_tap_kind *about, struct lode_tap_wish *wish)
{
	const char *syscall = NULL;
	enum lode_event_role role = lode_event_role_of(about->tracepoint, &syscall);

	if (role == LODE_ROLE_NONE && !about->tracepoint)
		/* The format is missing, but system calls need no field of it. */
		role = lode_event_role_of(about->name, &syscall);
	if (about->has_switches || role == LODE_ROLE_SWITCH)
		c->tap.wants_model |= lode_metric_spec_may_want(c->spec, "offcpu") ||
				      lode_metric_spec_may_want(c->spec, "ready") ||
				      lode_metric_spec_may_want(c->spec, "cpu") ||
				      lode_metric_spec_may_want(c->spec, "critical");
	if (syscall ? !is_syscall_wanted(c, kind, syscall) : !is_role_wanted(c, role))
		return;
	if (about->is_sampled) {
		lode_collect_note(c,
				  "%s was sampled (perf record -F or -c): events are missing, so "
				  "it is not used for measuring",
				  about->name);
		return;
	}
	/* Both kinds tell of the same calls. */
	if (c->is_begun && syscall && has_raw_calls(c))
		return;
	kind->role = role;
	c->has_role[role] = true;
	if (role == LODE_ROLE_ENTER)
		c->whats.at[kind->what].has_begin = true;
	if (role == LODE_ROLE_EXIT)
		c->whats.at[kind->what].has_end = true;
	lode_event_role_wish(role, wish);
	if (role == LODE_ROLE_ENTER && c->whats.at[kind->what].futex != LODE_FUTEX_BY_OP)
		wish->n_fields = 0;
}

/* ---- Own metrics ---- */

/* The place of a field in the event's values; it is asked for if it is not yet. */
static uint8_t place_of_field(struct lode_tap_wish *wish, const char *field)
{
	for (unsigned i = 0; i < wish->n_fields; i++)
		if (!strcmp(wish->field[i], field) && !wish->element[i])
			return (uint8_t)i;
	if (wish->n_fields == LODE_TAP_FIELDS)
		return LODE_KEY_ABSENT;
	wish->field[wish->n_fields] = field;
	return (uint8_t)wish->n_fields++;
}

static bool is_event(const struct lode_tap_kind *about, const char *name)
{
	return !strcmp(about->name, name) ||
	       (about->tracepoint && !strcmp(about->tracepoint, name));
}

static void take_uses(struct lode_collect *c, struct lode_collect_kind *kind,
		      const struct lode_tap_kind *about, struct lode_tap_wish *wish, bool is_end)
{
	for (uint32_t i = 0; i < c->own.n; i++) {
		const struct lode_own_metric *own = &c->spec->own.at[i];
		struct lode_collect_what *what = &c->whats.at[c->own.at[i]];
		struct lode_collect_use use = {.own = i, .is_end = is_end};

		if (!is_event(about, is_end ? own->end : own->begin))
			continue;
		if (about->is_sampled) {
			lode_collect_note(c, "%s: %s was sampled: events are missing", own->name,
					  about->name);
			continue;
		}
		for (unsigned k = 0; k < own->n_keys; k++)
			use.key[k] =
				place_of_field(wish, is_end ? own->end_key[k] : own->begin_key[k]);
		*(is_end ? &what->has_end : &what->has_begin) = true;
		wish->wants_stack |= !is_end;
		lode_vec_append(&kind->uses, use);
	}
}

void lode_collect_on_kind(void *context, const struct lode_tap_kind *about,
			  struct lode_tap_wish *wish)
{
	struct lode_collect *c = context;
	uint32_t id = lode_strings_intern(&c->kind_names, about->name, strlen(about->name));
	struct lode_collect_kind *kind;

	while (c->kinds.n <= id)
		(void)lode_vec_append_zero(&c->kinds);
	kind = &c->kinds.at[id];
	kind->role = LODE_ROLE_NONE;
	kind->uses.n = 0;
	take_role(c, kind, about, wish);
	/* Where an event ends one call and begins the next, the end comes first. */
	take_uses(c, kind, about, wish, true);
	take_uses(c, kind, about, wish, false);
	if (kind->role != LODE_ROLE_NONE || kind->uses.n)
		wish->id = id;
}

/* ---- Before the first event ---- */

/* Without both of its ends nothing can be measured, and nothing is missing either. */
static void drop_uses(struct lode_collect *c, uint32_t own)
{
	for (size_t i = 0; i < c->kinds.n; i++) {
		struct lode_collect_kind *kind = &c->kinds.at[i];
		size_t n = 0;

		for (size_t k = 0; k < kind->uses.n; k++)
			if (kind->uses.at[k].own != own)
				kind->uses.at[n++] = kind->uses.at[k];
		kind->uses.n = n;
	}
}

void lode_collect_check_own(struct lode_collect *c)
{
	for (size_t i = 0; i < c->own.n; i++) {
		const struct lode_own_metric *own = &c->spec->own.at[i];
		const struct lode_collect_what *what = &c->whats.at[c->own.at[i]];

		if (!what->has_begin || !what->has_end)
			drop_uses(c, (uint32_t)i);
		if (!what->has_begin)
			lode_collect_note(c, "%s: the recording has no event %s", own->name,
					  own->begin);
		if (!what->has_end)
			lode_collect_note(c, "%s: the recording has no event %s", own->name,
					  own->end);
	}
}

/* Events that make no metric without others, which the recording does not have. */
static bool is_alone(const struct lode_collect *c, enum lode_event_role role)
{
	const bool *has = c->has_role;

	switch (role) {
	case LODE_ROLE_RQ_INSERT:
	case LODE_ROLE_RQ_COMPLETE:
		return !has[LODE_ROLE_RQ_ISSUE];
	case LODE_ROLE_RQ_ISSUE:
		return !has[LODE_ROLE_RQ_INSERT] && !has[LODE_ROLE_RQ_COMPLETE];
	case LODE_ROLE_IRQ_ENTRY:
		return !has[LODE_ROLE_IRQ_EXIT];
	case LODE_ROLE_IRQ_EXIT:
		return !has[LODE_ROLE_IRQ_ENTRY];
	case LODE_ROLE_SOFTIRQ_ENTRY:
		return !has[LODE_ROLE_SOFTIRQ_EXIT] && !has[LODE_ROLE_NET_QUEUE];
	case LODE_ROLE_SOFTIRQ_EXIT:
	case LODE_ROLE_NET_QUEUE:
		return !has[LODE_ROLE_SOFTIRQ_ENTRY];
	case LODE_ROLE_NET_RECEIVE:
		return !has[LODE_ROLE_WAKING];
	case LODE_ROLE_WAKING:
		return !has[LODE_ROLE_NET_RECEIVE];
	default:
		return false;
	}
}

void lode_collect_agree(struct lode_collect *c, bool has_all_kinds)
{
	bool has_raw = has_raw_calls(c);
	size_t n_halves = 0;

	c->has_all_kinds = has_all_kinds;
	if (!has_all_kinds) {
		/* What comes later is not known: nothing counts as missing. */
		for (int i = 0; i < LODE_N_ROLES; i++)
			c->has_role[i] |= i != LODE_ROLE_RAW_ENTER && i != LODE_ROLE_RAW_EXIT;
		return;
	}
	lode_collect_check_own(c);
	for (size_t i = 0; i < c->kinds.n; i++) {
		struct lode_collect_kind *kind = &c->kinds.at[i];
		const struct lode_collect_what *what = &c->whats.at[kind->what];

		if (kind->role == LODE_ROLE_ENTER || kind->role == LODE_ROLE_EXIT) {
			/* Both kinds tell of the same calls. */
			if (has_raw || !what->has_begin || !what->has_end)
				kind->role = LODE_ROLE_NONE;
			n_halves += !has_raw && what->has_begin != what->has_end;
		} else if ((kind->role == LODE_ROLE_RAW_ENTER ||
			    kind->role == LODE_ROLE_RAW_EXIT) &&
			   !has_raw) {
			n_halves++;
			kind->role = LODE_ROLE_NONE;
		} else if (is_alone(c, kind->role)) {
			kind->role = LODE_ROLE_NONE;
		}
	}
	if (n_halves)
		lode_collect_note(c,
				  "%zu kinds of system calls are not measured: only their entry or "
				  "only their exit was recorded",
				  n_halves);
}
