/*
 * lode pio watch: request logs and files of counters are followed as they grow, and slow periods
 * are reported as they start and end (engine/pio/online.h).
 *
 *   logs      --follow-->  lines --> requests per interval  --.
 *   counters  --follow-->  rows  --> grid, complete so far  --+-->  online analysis --> news
 *
 * An interval is judged once every counter that still delivers covers it: time is the data's own,
 * no clock is asked, so the same files give the same news whenever they are read. While a file has
 * more to read, nothing beyond it is judged; the file that is furthest behind is read first. What a
 * file has in one poll is judged in the next, when all files were looked at again.
 *
 * Memory does not grow with time: rows, requests and names that are of no use any more are dropped.
 *
 * State: with a state file, watching goes on where it ended: places in the files, rows and requests
 * that are still needed, the open period and whether it was reported. It is written whole, at the
 * news themselves and when asked. News are reported before the state is written: killed just
 * between the two, a watch repeats them; it never loses them.
 */
#pragma once

#include "engine/pio/online.h"
#include "answers/pio/pio.h"

struct lode_pio_watch;

struct lode_pio_watch_options {
	struct lode_log_options log; /* texts are borrowed */
	bool is_from_start;	     /* files are read from their start, not their end */
	const char *state_path;	     /* NULL: no state; borrowed */
	size_t top;		     /* longest list of an event; 0: no bound */
};

/* A period started or ended. Valid during the call. */
struct lode_pio_event {
	enum lode_pio_news_kind kind;
	struct lode_pio_found found; /* without rules */
};

/* What a watch has to say; `warn`: one line about an input, once for each thing that is wrong. */
struct lode_pio_watcher {
	void *context;
	void (*tell)(void *context, const struct lode_pio_event *event);
	void (*warn)(void *context, const struct lode_error *what);
};

/* The model is borrowed; actions and users that it does not know are all one to it: "(other)", a
   name that is added. */
struct lode_pio_watch *lode_pio_watch_new(struct lode_pio_model *model,
					  const struct lode_pio_watch_options *options);
void lode_pio_watch_free(struct lode_pio_watch *watch);

void lode_pio_watch_add_log(struct lode_pio_watch *watch, const char *path);
/* `server` NULL: by the file's name. */
void lode_pio_watch_add_counters(struct lode_pio_watch *watch, const char *path,
				 const char *server);

/* After the files were added: goes back to the state, if its file is there. 1, 0: there is none,
   or < 0: it is no state, or another model's. Files that are gone are warned of. */
int lode_pio_watch_resume(struct lode_pio_watch *watch, const struct lode_pio_watcher *watcher,
			  struct lode_error *err);
int lode_pio_watch_save(const struct lode_pio_watch *watch, struct lode_error *err);

/* Reads what has come, a bounded amount of it. True: there is more; false: wait. */
bool lode_pio_watch_poll(struct lode_pio_watch *watch, const struct lode_pio_watcher *watcher);

/* End of the last interval that was judged; INT64_MIN: none yet. */
int64_t lode_pio_watch_judged_ns(const struct lode_pio_watch *watch);
/* Lines and rows that could not be read so far, and requests of other times or unknown actions. */
const struct lode_losses *lode_pio_watch_losses(const struct lode_pio_watch *watch);

/* An event as a line of JSON (lode_document_put_line), and as one for people, with its line feed,
   cut to `columns` (0: not). */
extern const struct lode_document lode_pio_watch_document;
void lode_pio_event_text(FILE *out, const struct lode_pio_event *event, size_t columns);
/* "started", "ended", "withdrawn", "unexplained", "unexplained_ended" */
extern const char *const lode_pio_event_names[];
