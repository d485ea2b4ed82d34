/*
 * What recording needs of the machine, asked before anything is started.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

bool lode_has_tracepoint(const char *group, const char *name);

/* The file that running `program` would run; LODE_ERR_IO when there is none or it is not allowed.
 */
int lode_find_program(char *path, size_t size, const char *program, struct lode_error *err);

/*
 * Opens the events that a recording needs, once, on one CPU: whether the kernel allows it cannot be
 * decided by settings alone. Fails with a sentence that says what to do.
 */
int lode_check_rights(struct lode_error *err);

/* Whether the kernel takes so many CPU samples per second; LODE_ERR_ARG: no, with its limit. */
int lode_check_cpu_rate(unsigned rate_hz, struct lode_error *err);

/* Whether the kernel says who sends and receives over sockets: LODE_ERR_ARG if it is too old. */
int lode_check_network(struct lode_error *err);

/* Whether `perf` knows an event, as perf record -e takes it; LODE_ERR_ARG: no, with its reason. */
int lode_check_event(const char *perf, const char *event, struct lode_error *err);

/* A descriptor whose read gives how often a tracepoint came on `cpu` since; -1: no. */
int lode_open_counter(const char *group, const char *name, int cpu);
/* The same of switches from threads. */
int lode_open_switch_counter(int cpu);

/* Switches from threads per second on the whole machine, counted for so long; 0: not known. */
double lode_switch_rate(unsigned for_ms);

/*
 * Whether processes have numbers of their own here, as in most containers. The kernel's scheduling
 * events name threads by the machine's numbers all the same, and perf's samples by those of here,
 * so that a recording cannot tell who waited for whom.
 */
bool lode_in_pid_namespace(void);
