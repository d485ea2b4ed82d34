/* Any bytes at all behind the head of a state of lode pio watch: it is taken or refused, and what
   is taken can be watched on. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "pio_service.h"
#include "answers/pio/watch.h"
#include "answers/pio/watch_parts.h"
#include "base/mem.h"

static void tell(void *context, const struct lode_pio_event *event)
{
	(void)context;
	FUZZ_CHECK(event->found.start_utc);
}

static void warn(void *context, const struct lode_error *what)
{
	(void)context;
	FUZZ_CHECK(what->message[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct lode_pio_watcher watcher = {.tell = tell, .warn = warn};
	struct lode_pio_watch_options options = {0};
	struct lode_pio_watch *watch;
	struct lode_pio_model model;
	struct lode_error err = {0};
	size_t n_head, n_text;
	char head[80], *state, *text = service_model_text(&n_text);
	int rc = lode_pio_model_read(&model, fuzz_file((const uint8_t *)text, n_text), &err);

	FUZZ_CHECK(rc == 0);
	n_head = (size_t)snprintf(head, sizeof(head), "lode-pio-watch 1\nmodel %lld\n",
				  (long long)lode_watch_model_hash(&model));
	state = lode_alloc(n_head + size + 1);
	memcpy(state, head, n_head);
	memcpy(state + n_head, data, size);
	options.state_path = fuzz_file((const uint8_t *)state, n_head + size);
	watch = lode_pio_watch_new(&model, &options);
	lode_pio_watch_add_log(watch, "no-such-folder/a.log");
	lode_pio_watch_add_counters(watch, "no-such-folder/c.csv", NULL);
	rc = lode_pio_watch_resume(watch, &watcher, &err);
	FUZZ_CHECK(rc == 1 || (err.status == (enum lode_status)rc && err.message[0]));
	if (rc == 1)
		(void)lode_pio_watch_poll(watch, &watcher);
	lode_pio_watch_free(watch);
	lode_pio_model_release(&model);
	free(state);
	free(text);
	return 0;
}
