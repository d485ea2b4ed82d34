/* Calls of the library: their way out when memory ends, and what they share. */
#include "api/call.h"

#include <lode/lode.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

#include "api/lode_version.h" /* made by Meson */
#include "base/memory_limit.h"
#include "streams/stream_set.h"

/* Where the call of this thread goes back to. */
struct way_out {
	jmp_buf at;
	size_t wanted_bytes;
};
static _Thread_local struct way_out *way_out;

static void (*end_process)(size_t size_bytes) __attribute__((noreturn));

static void __attribute__((noreturn)) leave_call(size_t size_bytes)
{
	if (!way_out)
		end_process(size_bytes);
	way_out->wanted_bytes = size_bytes;
	longjmp(way_out->at, 1);
}

static void take_over(void)
{
	end_process = lode_oom;
	lode_oom = leave_call;
}

int lode_api_call(int (*work)(void *job, struct lode_error *err), void *job, struct lode_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct way_out here, *outer = way_out;
	struct lode_error own;
	int rc;

	pthread_once(&once, take_over);
	way_out = &here;
	if (setjmp(here.at) == 0)
		rc = work(job, err ? err : &own);
	else
		rc = lode_fail(err, LODE_ERR_LIMIT, NULL, -1,
			       "out of memory: cannot allocate %zu bytes", here.wanted_bytes);
	way_out = outer;
	return rc;
}

void lode_api_streams(struct lode_stream_set_options *out, const char *const *inputs,
		      size_t n_inputs, const struct lode_mining_options *options)
{
	static const struct lode_mining_options defaults;
	const struct lode_mining_options *o = options ? options : &defaults;

	*out = (struct lode_stream_set_options){
		.inputs = (char *const *)inputs,
		.n_inputs = n_inputs,
		.job = {.symbols = {.kallsyms = o->kallsyms,
				    .buildid_dir = o->buildid_dir,
				    .symfs = o->symfs},
			.narrow = lode_narrow_none,
			.symptoms = {.select = o->symptoms, .pid = -1},
			.n_threads = o->n_threads ? o->n_threads : 1,
			.memory_bytes = o->memory_bytes},
	};
}

size_t lode_memory_available(void)
{
	return lode_memory_allowed("");
}

const char *lode_version(void)
{
	return LODE_VERSION;
}
