/* Streams: memory and lookups. */
#include "model/stream.h"

#include "model/connections.h"

void lode_stream_free(struct lode_stream *stream)
{
	if (!stream)
		return;
	lode_vec_release_each(&stream->threads, it, lode_events_release(&it->events));
	lode_vec_release_each(&stream->cpus, it, lode_vec_release(&it->runs));
	lode_map_release(&stream->thread_index);
	lode_vec_release(&stream->event_counts);
	lode_vec_release(&stream->modules);
	lode_vec_release(&stream->code_files);
	lode_connections_free(stream->connections);
	free(stream->stack_flags);
	free(stream->stack_like);
	lode_calltree_release(&stream->tree);
	lode_arena_release(&stream->arena);
	free(stream);
}

/* All columns of lode_events, so that growing and freeing cannot forget one. */
#define EVENT_COLUMNS(x)                                                                    \
	x(start_ns) x(cost_ns) x(stack) x(other) x(other_stack) x(kind) x(reason) x(device) \
		x(flags) x(cpu)

size_t lode_events_extend(struct lode_events *events, size_t n_more)
{
	size_t first = events->n;

	if (n_more > events->capacity - first) {
		events->capacity += events->capacity / 2;
		if (events->capacity < first + n_more)
			events->capacity = first + n_more;
#define GROW(column) \
	events->column = lode_realloc_n(events->column, events->capacity, sizeof(*events->column));
		EVENT_COLUMNS(GROW)
#undef GROW
	}
	events->n += n_more;
	return first;
}

size_t lode_events_append(struct lode_events *events, enum lode_event_kind kind, int64_t start_ns,
			  int64_t cost_ns, uint32_t stack)
{
	size_t i = lode_events_extend(events, 1);

	events->start_ns[i] = start_ns;
	events->cost_ns[i] = cost_ns;
	events->stack[i] = stack;
	events->other[i] = LODE_NONE;
	events->other_stack[i] = 0;
	events->kind[i] = (uint8_t)kind;
	events->reason[i] = LODE_REASON_NONE;
	events->device[i] = LODE_DEVICE_NONE;
	events->flags[i] = 0;
	events->cpu[i] = UINT16_MAX;
	return i;
}

void lode_events_release(struct lode_events *events)
{
#define FREE(column) free(events->column);
	EVENT_COLUMNS(FREE)
#undef FREE
	memset(events, 0, sizeof(*events));
}

/* In [low, high], where events before `low` end in time and `high` does not, or is the end. */
static size_t find_between(const struct lode_events *events, int64_t t_ns, size_t low, size_t high)
{
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (lode_event_end_ns(events, mid) > t_ns)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

size_t lode_events_find(const struct lode_events *events, int64_t t_ns)
{
	return find_between(events, t_ns, 0, events->n);
}

size_t lode_events_find_near(const struct lode_events *events, int64_t t_ns, size_t near)
{
	size_t n = events->n, step = 1;

	if (near > n)
		near = n;
	if (near < n && lode_event_end_ns(events, near) <= t_ns) {
		size_t low = near + 1;

		while (step < n - low && lode_event_end_ns(events, low + step - 1) <= t_ns) {
			low += step;
			step *= 2;
		}
		return find_between(events, t_ns, low, step < n - low ? low + step - 1 : n);
	}
	while (step < near && lode_event_end_ns(events, near - step) > t_ns) {
		near -= step;
		step *= 2;
	}
	return find_between(events, t_ns, step < near ? near - step : 0, near);
}

const char *const lode_event_kind_names[] = {"run", "wait", "ready", NULL};

const char *lode_event_kind_name(enum lode_event_kind kind)
{
	return lode_event_kind_names[kind];
}

const char *const lode_wait_reason_names[] = {
	[LODE_REASON_NONE] = "none",	   [LODE_REASON_LOCK] = "lock",
	[LODE_REASON_DISK] = "disk",	   [LODE_REASON_FAULT] = "fault",
	[LODE_REASON_NETWORK] = "network", [LODE_REASON_IPC] = "ipc",
	[LODE_REASON_POLL] = "poll",	   [LODE_REASON_TIMER] = "timer",
	[LODE_REASON_CHILD] = "child",	   [LODE_REASON_OTHER] = "other",
	[LODE_REASON_IDLE] = "idle",	   NULL,
};

const char *lode_wait_reason_name(enum lode_wait_reason reason)
{
	return lode_wait_reason_names[reason];
}

const char *const lode_device_names[] = {
	[LODE_DEVICE_NONE] = "none",
	[LODE_DEVICE_DISK] = "disk",
	[LODE_DEVICE_NETWORK] = "network",
	[LODE_DEVICE_TIMER] = "timer",
	[LODE_DEVICE_OTHER] = "device",
	[LODE_DEVICE_CPU_LIMIT] = "CPU limit",
	NULL,
};

const char *lode_device_name(enum lode_device device)
{
	return lode_device_names[device];
}
