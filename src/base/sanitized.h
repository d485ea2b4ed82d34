/* Whether the build is instrumented by ASan or TSan, which gcc and clang say in different ways. */
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LODE_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LODE_IS_SANITIZED 1
#endif
#endif
#ifndef LODE_IS_SANITIZED
#define LODE_IS_SANITIZED 0
#endif
