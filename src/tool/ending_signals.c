/* Signals that end a command which runs until it is told. */
#include "tool/ending_signals.h"

#include <stddef.h>

void lode_ending_signals_heed(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
}

void lode_ending_signals_block(sigset_t *set)
{
	struct sigaction hangup;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
		sigaddset(set, SIGHUP);
	sigprocmask(SIG_BLOCK, set, NULL);
}
