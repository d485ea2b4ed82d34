/*
 * liblode: performance debugging in the large, for programs.
 *
 *   lode/recording.h    one recording: threads, events, stacks with their functions
 *   lode/wait_chain.h   what each nanosecond of a slow thread was spent on
 *   lode/mining.h       what makes many recordings slow: clusters of costly patterns
 *   lode/matching.h     which known problems explain how much of recordings
 *   lode/error.h        what failed, and where
 *   lode/memory.h       what happens when memory runs out
 *
 * Compile and link with `pkg-config --cflags --libs lode`. Until 1.0 a new version 0.x may change
 * the interface; its SONAME then changes too.
 */
#ifndef LODE_PUBLIC_LODE_H
#define LODE_PUBLIC_LODE_H

#include <lode/error.h>
#include <lode/event.h>
#include <lode/matching.h>
#include <lode/memory.h>
#include <lode/mining.h>
#include <lode/recording.h>
#include <lode/wait_chain.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.2.0": of the library that runs, which need not be that of these headers. */
const char *lode_version(void);

#ifdef __cplusplus
}
#endif

#endif
