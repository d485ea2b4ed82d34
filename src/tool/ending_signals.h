/*
 * The signals that end a command which runs until it is told: SIGINT, SIGTERM, and SIGHUP unless
 * its parent has it ignored (nohup).
 *
 *   heed    before anything is read: from here on one of them ends the process at once
 *   block   before the first thread: from here on they are kept for who waits for them
 *
 * Shells have what they start in the background ignore SIGINT; one that comes while it is ignored
 * is lost, and the command would run on.
 */
#pragma once

#include <signal.h>

/* SIGPIPE is ignored from then on: who writes looks at errors. */
void lode_ending_signals_heed(void);

/* Gives them in `set`, for sigwait or signalfd. */
void lode_ending_signals_block(sigset_t *set);
