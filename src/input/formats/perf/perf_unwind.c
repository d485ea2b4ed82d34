/* Unwinds user stacks of samples with registers and a stack dump. */
#include "input/formats/perf/perf_unwind.h"

void lode_perf_unwind_release(struct lode_perf_unwind *unwind)
{
	lode_unwinder_free(unwind->unwinder);
	unwind->unwinder = NULL;
}

static struct lode_dso *dso_of(void *context, uint32_t dso)
{
	struct lode_perf_unwind *unwind = context;

	return lode_perf_dsos_open(unwind->dsos, dso, unwind->header, unwind->symboliser,
				   unwind->recording);
}

size_t lode_perf_unwind(struct lode_perf_unwind *unwind, const uint8_t *bytes,
			const struct lode_perf_event *event, int32_t pid, bool *is_cut)
{
	enum lode_unwind_end end = LODE_UNWIND_STUCK;
	struct lode_stack_dump dump = {.spaces = unwind->spaces, .pid = pid};
	const struct lode_dso *damaged;
	struct lode_perf_dump head;
	size_t n;

	*is_cut = false;
	unwind->damaged = NULL;
	if (!unwind->is_tried && unwind->symboliser)
		unwind->unwinder = lode_unwinder_new(unwind->header->arch, dso_of, unwind);
	unwind->is_tried = true;
	if (!unwind->unwinder)
		return 0;
	memcpy(&head, bytes, sizeof(head));
	dump.abi = head.abi;
	dump.mask = event->regs_user;
	dump.regs = bytes + sizeof(head);
	dump.n_regs = event->n_regs_user;
	dump.stack = dump.regs + dump.n_regs * 8;
	dump.stack_bytes = (size_t)head.stack_bytes;
	n = lode_unwind(unwind->unwinder, &dump, unwind->addresses, LODE_PERF_UNWIND_FRAMES, &end);
	*is_cut = end == LODE_UNWIND_CUT;
	damaged = lode_unwinder_damaged(unwind->unwinder);
	unwind->damaged = damaged ? lode_dso_name(damaged) : NULL;
	return n;
}
