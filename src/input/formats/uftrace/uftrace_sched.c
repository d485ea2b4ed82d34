/* Reads the scheduler's events in perf-cpu*.dat. */
#include "input/formats/uftrace/uftrace_sched.h"

#include "base/bytes.h"
#include "base/sorted.h"
#include "input/call_source.h"

enum {
	RECORD_COMM = 3, /* linux/perf_event.h */
	RECORD_LOST = 2,
	RECORD_SWITCH = 14,
	MISC_SWITCH_OUT = 1 << 13,
	MISC_SWITCH_OUT_PREEMPT = 1 << 14,
	HEADER_BYTES = 8,
	SAMPLE_ID_BYTES = 16, /* pid, tid, time */
};

struct cpu_file {
	struct lode_uftrace_sched *sched;
	struct lode_losses *losses;
	const char *name; /* for messages */
};

static void take_switch(struct cpu_file *file, unsigned misc, struct lode_bytes *body)
{
	struct lode_uftrace_sched_event event;
	uint64_t t;

	lode_bytes_u32(body); /* pid */
	event.tid = lode_bytes_i32(body);
	t = lode_bytes_u64(body);
	if (body->overrun || t > INT64_MAX)
		return;
	event.t_ns = (int64_t)t;
	event.kind = !(misc & MISC_SWITCH_OUT)		? LODE_UFTRACE_IN
		     : (misc & MISC_SWITCH_OUT_PREEMPT) ? LODE_UFTRACE_OUT_PREEMPTED
							: LODE_UFTRACE_OUT;
	lode_vec_append(&file->sched->events, event);
}

static void take_comm(struct cpu_file *file, struct lode_bytes *body)
{
	uint32_t tid;
	const char *comm;

	lode_bytes_u32(body); /* pid */
	tid = lode_bytes_u32(body);
	comm = lode_bytes_string(body);
	if (!body->overrun)
		*lode_map_slot(&file->sched->name_of, tid) =
			lode_strings_intern(&file->sched->names, comm, strlen(comm));
}

static void take_record_uftrace_sched(struct cpu_file *file, unsigned type, unsigned misc,
				      struct lode_bytes body)
{
	if (type == RECORD_SWITCH) {
		take_switch(file, misc, &body);
	} else if (type == RECORD_COMM) {
		take_comm(file, &body);
	} else if (type == RECORD_LOST) {
		uint64_t n;

		lode_bytes_u64(&body); /* id */
		n = lode_bytes_u64(&body);
		if (!body.overrun)
			lode_loss_add(file->losses, LODE_LOSS_EVENTS, n, lode_bytes_offset(&body),
				      0, "%s: %llu scheduler events lost", file->name,
				      (unsigned long long)n);
		return;
	}
	if (body.overrun)
		lode_loss_add(file->losses, LODE_LOSS_BAD_RECORD, 1, lode_bytes_offset(&body), 0,
			      "%s: a record of type %u is too short", file->name, type);
}

/* Records of at most 64 KiB, read one after another. */
static void read_records(struct cpu_file *file, struct lode_input *input)
{
	uint8_t *record = lode_alloc(UINT16_MAX + 1);
	int64_t at = 0;

	for (;;) {
		struct lode_bytes header;
		unsigned type, misc, size;
		ssize_t n = lode_input_read(input, record, HEADER_BYTES, NULL);

		if (n == 0)
			break;
		header = lode_bytes_make(record, n < 0 ? 0 : (size_t)n, at);
		type = lode_bytes_u32(&header);
		misc = lode_bytes_u16(&header);
		size = lode_bytes_u16(&header);
		if (header.overrun || size < HEADER_BYTES ||
		    lode_input_read(input, record, size - HEADER_BYTES, NULL) !=
			    (ssize_t)(size - HEADER_BYTES)) {
			lode_loss_add(file->losses, LODE_LOSS_TRUNCATED, 1, at, 0,
				      "%s: offset 0x%llx: a record beyond the end of the file",
				      file->name, (unsigned long long)at);
			break;
		}
		take_record_uftrace_sched(file, type, misc,
					  lode_bytes_make(record, size - HEADER_BYTES,
							  at + HEADER_BYTES));
		at += size;
	}
	free(record);
}

LODE_COMPARE(by_thread_and_time, struct lode_uftrace_sched_event,
	     LODE_ORDER(a->tid, b->tid) ?: LODE_ORDER(a->t_ns, b->t_ns)
		     ?: LODE_ORDER((int)a->kind, (int)b->kind))

static void load_file(struct lode_uftrace_sched *sched, const char *path,
		      struct lode_losses *losses)
{
	struct cpu_file file = {.sched = sched, .losses = losses, .name = lode_path_base(path)};
	struct lode_input *input;
	struct lode_error fault;

	if (lode_input_open_found(&input, path, &fault) == 0) {
		read_records(&file, input);
		lode_input_close(input);
	} else {
		lode_loss_add(losses, LODE_LOSS_UNDECODABLE, 1, -1, 0, "%s: %s", file.name,
			      fault.message);
	}
}

/* perf-cpu0.dat ..., by number: of names, the last one counts. */
LODE_COMPARE_AT(by_length_and_name, char, LODE_ORDER(strlen(a), strlen(b)) ?: strcmp(a, b))

void lode_uftrace_sched_load(struct lode_uftrace_sched *sched, const char *directory,
			     struct lode_losses *losses)
{
	static const char prefix[] = "perf-cpu";
	lode_path_list paths = {0};

	(void)lode_folder_list(&paths, directory, NULL);
	lode_sort(paths.at, paths.n, by_length_and_name);
	for (size_t i = 0; i < paths.n; i++)
		if (!strncmp(lode_path_base(paths.at[i]), prefix, sizeof(prefix) - 1))
			load_file(sched, paths.at[i], losses);
	lode_path_list_release(&paths);
	lode_sort(sched->events.at, sched->events.n, by_thread_and_time);
	for (size_t i = 0; i < sched->events.n; i++)
		if (i == 0 || sched->events.at[i].tid != sched->events.at[i - 1].tid)
			*lode_map_slot(&sched->first, (uint32_t)sched->events.at[i].tid) =
				(uint32_t)i;
}

void lode_uftrace_sched_release(struct lode_uftrace_sched *sched)
{
	lode_vec_release(&sched->events);
	lode_map_release(&sched->first);
	lode_strings_release(&sched->names);
	lode_map_release(&sched->name_of);
}

const struct lode_uftrace_sched_event *lode_uftrace_sched_of(const struct lode_uftrace_sched *sched,
							     int32_t tid, size_t *n)
{
	uint32_t first = lode_map_find(&sched->first, (uint32_t)tid);

	*n = 0;
	if (first == LODE_NONE)
		return NULL;
	while (first + *n < sched->events.n && sched->events.at[first + *n].tid == tid)
		++*n;
	return &sched->events.at[first];
}

const char *lode_uftrace_name_of(const struct lode_uftrace_sched *sched, int32_t tid)
{
	uint32_t id = lode_map_find(&sched->name_of, (uint32_t)tid);

	return id == LODE_NONE ? NULL : sched->names.text.at[id];
}
