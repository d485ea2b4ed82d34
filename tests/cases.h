/*
 * How many random cases a test takes: all of them in a plain build, and every fourth under a
 * sanitizer. There a case costs five to fifteen times as much, and what is looked for, faults of
 * memory and races, is found in the first hundreds; that results are right is the plain build's to
 * say.
 */
#ifndef LODE_TEST_CASES_H
#define LODE_TEST_CASES_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_IS_SANITIZED 1
#endif
#endif
#ifndef TEST_IS_SANITIZED
#define TEST_IS_SANITIZED 0
#endif

#define TEST_CASES(n) (TEST_IS_SANITIZED ? (n) / 4 : (n))

#endif
