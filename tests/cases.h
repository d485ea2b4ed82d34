/*
 * How many random cases a test takes: all of them in a plain build, and every fourth under a
 * sanitizer. There a case costs five to fifteen times as much, and what is looked for, faults of
 * memory and races, is found in the first hundreds; that results are right is the plain build's to
 * say.
 */
#ifndef LODE_TEST_CASES_H
#define LODE_TEST_CASES_H

#include "base/sanitized.h"

#define TEST_CASES(n) (LODE_IS_SANITIZED ? (n) / 4 : (n))

#endif
