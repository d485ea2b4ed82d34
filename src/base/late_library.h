/*
 * Libraries that few commands need, opened when they are needed: linking them would cost every
 * start of lode, whatever it does, some milliseconds (libcurl alone brings thirty others).
 *
 *   #define ZOO_FUNCTIONS(X) X(zoo_open) X(zoo_feed)
 *   struct zoo {
 *           ZOO_FUNCTIONS(LODE_LATE_MEMBER)
 *   };
 *   struct zoo zoo;
 *   rc = LODE_LATE_OPEN(&zoo, ZOO_FUNCTIONS, "libzoo.so.1", err);
 *   if (rc == LODE_OK)
 *           zoo.zoo_feed(animal);
 *
 * The library's header gives the types, and must be there when lode is built.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name has none */
#define LODE_LATE_MEMBER(function) __typeof__(&(function)) function;
/* A header may have another name behind this one (zoo_feed_v2): that is what is looked for. */
#define LODE_LATE_TEXT(function) #function
#define LODE_LATE_NAME(function) LODE_LATE_TEXT(function),

#define LODE_LATE_OPEN(library, FUNCTIONS, file, err)         \
	lode_late_library_open((library), sizeof(*(library)), \
			       (const char *const[]){FUNCTIONS(LODE_LATE_NAME)}, (file), (err))

/*
 * Fills `functions`, a struct of pointers, in the order of `names`. `file` as the dynamic linker
 * knows it. It stays open until lode ends; opening it again costs little.
 */
int lode_late_library_open(void *functions, size_t size_bytes, const char *const *names,
			   const char *file, struct lode_error *err);
