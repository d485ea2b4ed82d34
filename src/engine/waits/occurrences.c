/* Numbers the runs on the CPU, and the stays off it, of a symptom's thread. */
#include "engine/waits/occurrences.h"

void lode_occurrences_start(struct lode_occurrences *o, const struct lode_events *events)
{
	*o = (struct lode_occurrences){.at = LODE_NONE, .events = events, .rearmed = LODE_NONE};
}

/* Waits that were taken up again have the waker, device and reason of the last of them. */
static bool takes_up(const struct lode_occurrences *o, uint32_t event)
{
	const struct lode_events *e = o->events;

	return o->rearmed != LODE_NONE && e->kind[event] == LODE_EVENT_WAITING &&
	       e->other[event] == e->other[o->rearmed] &&
	       e->other_stack[event] == e->other_stack[o->rearmed] &&
	       e->device[event] == e->device[o->rearmed] &&
	       e->reason[event] == e->reason[o->rearmed];
}

void lode_occurrences_enter(struct lode_occurrences *o, uint32_t event)
{
	bool is_event = event != LODE_NONE, is_taken_up = is_event && takes_up(o, event);
	bool is_running = is_event && o->events->kind[event] == LODE_EVENT_RUNNING;

	if (!o->n || is_running != o->is_running)
		o->at = is_taken_up ? o->rearmed_number : o->n++;
	o->is_running = is_running;
	if (is_taken_up)
		o->rearmed = LODE_NONE;
	if (is_event && o->events->kind[event] == LODE_EVENT_WAITING &&
	    o->events->flags[event] & LODE_EVENT_REARMED) {
		o->rearmed = event;
		o->rearmed_number = o->at;
	}
}
