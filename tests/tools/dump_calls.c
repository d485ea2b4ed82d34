/*
 * dump_calls [options] TRACE: what a source of function traces delivers, as text, for comparison
 * with other tools.
 *
 *   pid/tid <tab> time in ns <tab> enter|exit|tail|any|cut <tab> function          and on stderr
 *   what was lost, and the number of events
 *
 * --symbols FILE, --threads N: as lode_call_options. --count: the number of events alone.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "input/call_source.h"
#include "input/symbols/symbols.h"

struct dump {
	bool is_count;
	uint64_t n_events;
	LODE_VEC(char *) functions;
	struct thread {
		int32_t pid, tid;
		char *name;
		uint64_t n_events;
	} * threads;
	uint32_t n_threads;
};

static uint32_t on_thread(void *context, int32_t pid, int32_t tid, const char *name)
{
	struct dump *dump = context;
	uint32_t i = 0;

	while (i < dump->n_threads && (dump->threads[i].pid != pid || dump->threads[i].tid != tid))
		i++;
	if (i == dump->n_threads) {
		dump->threads =
			lode_realloc_n(dump->threads, ++dump->n_threads, sizeof(*dump->threads));
		dump->threads[i] = (struct thread){.pid = pid, .tid = tid};
	}
	if (name) {
		free(dump->threads[i].name);
		dump->threads[i].name = lode_strdup(name);
	}
	return i;
}

static uint32_t on_function(void *context, const char *module, const char *name)
{
	struct dump *dump = context;

	(void)module;
	lode_vec_append(&dump->functions, lode_strdup(name));
	return (uint32_t)(dump->functions.n - 1);
}

static int on_events(void *context, uint32_t thread, const struct lode_call_event *at, size_t n,
		     struct lode_error *err)
{
	static const char *const kinds[] = {"enter", "exit", "tail", "any", "cut"};
	struct dump *dump = context;
	const struct thread *t = &dump->threads[thread];

	(void)err;
	dump->n_events += n;
	dump->threads[thread].n_events += n;
	for (size_t i = 0; i < n && !dump->is_count; i++)
		printf("%d/%d\t%" PRId64 "\t%s\t%s\n", t->pid, t->tid, at[i].t_ns,
		       kinds[at[i].kind],
		       at[i].kind == LODE_CALL_CUT || at[i].kind == LODE_CALL_EXIT_ANY
			       ? ""
			       : dump->functions.at[at[i].function]);
	return LODE_OK;
}

static void report(const struct dump *dump, const struct lode_losses *losses)
{
	for (unsigned k = 0; k < LODE_N_LOSS_KINDS; k++)
		if (losses->by_kind[k].count)
			fprintf(stderr, "%" PRIu64 " %s: %s\n", losses->by_kind[k].count,
				lode_loss_words((enum lode_loss_kind)k, losses->by_kind[k].count),
				losses->by_kind[k].detail);
	for (uint32_t i = 0; i < dump->n_threads && dump->is_count; i++)
		printf("%d/%d\t%" PRIu64 "\t%s\n", dump->threads[i].pid, dump->threads[i].tid,
		       dump->threads[i].n_events,
		       dump->threads[i].name ? dump->threads[i].name : "");
	fprintf(stderr, "%" PRIu64 " events, %u threads, %zu functions\n", dump->n_events,
		dump->n_threads, dump->functions.n);
}

static void release(struct dump *dump)
{
	for (size_t i = 0; i < dump->n_threads; i++)
		free(dump->threads[i].name);
	for (size_t i = 0; i < dump->functions.n; i++)
		free(dump->functions.at[i]);
	free(dump->threads);
	lode_vec_release(&dump->functions);
}

int main(int argc, char **argv)
{
	struct dump dump = {0};
	struct lode_losses losses = {0};
	struct lode_call_options options = {.n_threads = 1};
	struct lode_symbol_options symbol_options = {0};
	struct lode_call_sink sink = {.context = &dump,
				      .thread = on_thread,
				      .function = on_function,
				      .events = on_events,
				      .losses = &losses};
	struct lode_error err = {0};
	char text[1200];
	int i, rc;

	for (i = 1; i + 1 < argc; i++) {
		if (!strcmp(argv[i], "--symbols"))
			options.symbols = argv[++i];
		else if (!strcmp(argv[i], "--threads"))
			options.n_threads = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--thread-names"))
			options.thread_names = argv[++i];
		else if (!strcmp(argv[i], "--count"))
			dump.is_count = true;
		else
			break;
	}
	if (i + 1 != argc) {
		fprintf(stderr, "usage: dump_calls [--symbols FILE] [--threads N] [--count] "
				"TRACE\n");
		return 2;
	}
	rc = lode_symboliser_new(&options.symboliser, &symbol_options, &err);
	if (rc == LODE_OK)
		rc = lode_calls_read(argv[i], &options, &sink, &err);
	lode_symboliser_free(options.symboliser);
	if (rc < 0) {
		fprintf(stderr, "dump_calls: %s\n", lode_error_text(&err, text, sizeof(text)));
		return 3;
	}
	report(&dump, &losses);
	release(&dump);
	return 0;
}
