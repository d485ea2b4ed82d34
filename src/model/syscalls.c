/* Names of system calls by number. */
#include "model/syscalls.h"

#include <stddef.h>
#include <string.h>

static const char *const x86_64[] = {
#include "model/syscalls_x86_64.inc"
};

/* Architectures that began with Linux 3 or later share one table. */
static const char *const generic[] = {
#include "model/syscalls_generic.inc"
};

const char *lode_syscall_name(const char *arch, int64_t number)
{
	const char *const *names = NULL;
	size_t n = 0;

	if (!strcmp(arch, "x86_64")) {
		names = x86_64;
		n = sizeof(x86_64) / sizeof(*x86_64);
	} else if (!strcmp(arch, "aarch64") || !strncmp(arch, "riscv", 5) ||
		   !strncmp(arch, "loongarch", 9)) {
		names = generic;
		n = sizeof(generic) / sizeof(*generic);
	}
	return number >= 0 && (uint64_t)number < n ? names[number] : NULL;
}
