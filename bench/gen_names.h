/*
 * Names for generated programs: words put together, and the kernel's own names where lode reads a
 * meaning from them (why a thread waits, interrupts, the idle loop).
 */
#ifndef GEN_NAMES_H
#define GEN_NAMES_H

#include <stddef.h>

#include "gen_random.h"
#include "gen_world.h"

/* A name of `style` (enum gen_module); not necessarily a new one. */
void gen_name(struct gen_random *random, enum gen_module style, char *name, size_t size);

/* Root first, NULL at the end; user wrappers are of libsys.so, the rest is kernel code. */
struct gen_wait_names {
	const char *reason;  /* as in truth.json */
	const char *wrapper; /* "" when the kernel is entered without a call (page fault) */
	const char *kernel[24];
};
extern const struct gen_wait_names gen_wait_names[GEN_N_WAITS];

extern const char *const gen_syscalls[]; /* wrapper names; NULL at the end */
extern const char *const gen_waking_kernel[],
	*const gen_preempted_kernel[], *const gen_interrupt_kernel[],
					       *const gen_idle_kernel[],
						       *const gen_idle_interrupt_kernel[],
							       *const gen_exit_kernel[];
extern const char gen_waking_wrapper[];

#endif
