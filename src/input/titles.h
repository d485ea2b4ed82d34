/*
 * What processes are called beside their comm: by titles.tsv, which `lode record` leaves beside a
 * recording (record/title_watch.h).
 *
 *   cc1 -quiet -imultiarch x86_64-linux-gnu giant.c -o /tmp/ccX.s    cc1 giant.c
 *   postgres: checkpointer                                           postgres: checkpointer
 *   postgres: app shop 10.0.0.7(51234) idle                          postgres: app shop 10.0.0.7(N)
 *   /usr/bin/python3 -u /srv/app.py --port 80                        python3 app.py
 *   indexd --dir /var/lib/x  (the only one)                          indexd
 *
 * - A title that the program wrote itself (setproctitle) counts with its first three words; of
 *   several over time, with those that they share.
 * - An interpreter is called by its script.
 * - Else, where several processes of one name have different arguments (the recorded command's, or
 *   all others), those that took a tenth of
 *   their CPU time or more are called by the first argument that not all of them are known to have
 *   (those of programs that ran too briefly to be read are not), and that is no option, no secret
 *   and no temporary file.
 */
#pragma once

#include <stddef.h>

struct lode_stream;

extern const char lode_titles_file[]; /* "titles.tsv" */

/*
 * Gives the threads of a finished stream their titles (lode_thread.title), those that have a comm
 * of their own excepted. Without a file beside the recording, or where its lines are damaged,
 * there are none.
 */
void lode_titles_apply(struct lode_stream *stream);
