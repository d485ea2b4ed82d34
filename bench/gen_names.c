#include "gen_names.h"

#include <ctype.h>
#include <stdio.h>

/* Verbs and nouns of which user functions are made. */
static const char *const verbs[] = {
	"load",	  "parse", "resolve", "update", "render", "apply",  "scan",   "merge",
	"lookup", "open",  "flush",   "decode", "build",  "verify", "notify", "collect",
	"sort",	  "visit", "bind",    "commit", "fetch",  "expand", "rotate", "index",
};
static const char *const nouns[] = {
	"config", "theme",  "plugin",  "cache",	 "entry", "document", "layout", "style",
	"table",  "buffer", "session", "widget", "graph", "journal",  "record", "module",
	"symbol", "image",  "token",   "path",	 "queue", "segment",  "schema", "font",
	"index",  "policy", "profile", "region", "batch", "channel",  "worker", "archive",
};
static const char *const kernel_areas[] = {
	"vfs", "ext4", "mm",   "page",	 "filemap", "blk",  "bio",    "tcp",
	"ip",  "skb",  "sock", "dentry", "inode",   "slab", "cgroup", "mutex",
};
static const char *const kernel_acts[] = {
	"alloc", "lookup", "insert", "charge", "get",  "put",	 "map",	    "lock",
	"walk",	 "read",   "write",  "submit", "find", "update", "prepare", "commit",
};
static const char *const kernel_things[] = {
	"fast",	  "slow", "entry", "folio", "range", "batch",
	"locked", "iter", "one",   "node",  "slot",  "rcu",
};

#define PICK(random, table) \
	((table)[gen_below((random), (uint32_t)(sizeof(table) / sizeof(*(table))))])

/* load_theme_entry in the application, ThemeTable::loadEntry in the library. */
void gen_name(struct gen_random *random, enum gen_module style, char *name, size_t size)
{
	const char *verb = PICK(random, verbs), *noun = PICK(random, nouns);
	const char *other = PICK(random, nouns), *third = PICK(random, nouns);

	/* One draw a statement: compilers differ in the order of a call's arguments. */
	if (style == GEN_KERNEL) {
		const char *thing = PICK(random, kernel_things), *act = PICK(random, kernel_acts);
		const char *area = PICK(random, kernel_areas);

		snprintf(name, size, "%s%s_%s_%s", gen_below(random, 5) ? "" : "__", area, act,
			 thing);
	} else if (style == GEN_LIBRARY) {
		snprintf(name, size, "%c%s%c%s::%s%c%s", toupper(noun[0]), noun + 1,
			 toupper(other[0]), other + 1, verb, toupper(third[0]), third + 1);
	} else {
		snprintf(name, size, "%s_%s_%s", noun, verb, other);
	}
}

#define SYSCALL_ENTRY "entry_SYSCALL_64_after_hwframe", "do_syscall_64"
#define TO_SLEEP      "schedule", "__schedule"
#define DISK_SLEEP    "io_schedule", TO_SLEEP
#define PAGE_FAULT    "asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault", "handle_mm_fault"

const struct gen_wait_names gen_wait_names[GEN_N_WAITS] = {
	[GEN_WAIT_LOCK] = {"lock",
			   "pthread_mutex_lock",
			   {SYSCALL_ENTRY, "__x64_sys_futex", "do_futex", "futex_wait",
			    "__futex_wait", "futex_wait_queue", TO_SLEEP}},
	[GEN_WAIT_PIPE] = {"ipc",
			   "read",
			   {SYSCALL_ENTRY, "__x64_sys_read", "ksys_read", "vfs_read", "pipe_read",
			    TO_SLEEP}},
	[GEN_WAIT_DISK] = {"disk",
			   "pread64",
			   {SYSCALL_ENTRY, "__x64_sys_pread64", "vfs_read", "ext4_file_read_iter",
			    "generic_file_read_iter", "filemap_read", "filemap_get_pages",
			    "folio_wait_bit_common", DISK_SLEEP}},
	[GEN_WAIT_FAULT] = {"fault",
			    "",
			    {PAGE_FAULT, "__handle_mm_fault", "do_fault", "__do_fault",
			     "filemap_fault", "folio_wait_bit_common", DISK_SLEEP}},
	[GEN_WAIT_TIMER] = {"timer",
			    "clock_nanosleep",
			    {SYSCALL_ENTRY, "__x64_sys_clock_nanosleep", "common_nsleep",
			     "hrtimer_nanosleep", "do_nanosleep", TO_SLEEP}},
	[GEN_WAIT_NETWORK] = {"network",
			      "recv",
			      {SYSCALL_ENTRY, "__x64_sys_recvfrom", "__sys_recvfrom",
			       "sock_recvmsg", "inet_recvmsg", "tcp_recvmsg", "tcp_recvmsg_locked",
			       "sk_wait_data", "wait_woken", "schedule_timeout", TO_SLEEP}},
};

const char *const gen_syscalls[] = {
	"read",	  "write",  "openat", "close",	"newfstatat", "mmap",	"munmap",
	"brk",	  "ioctl",  "writev", "access", "pread64",    "sendto", "getdents64",
	"unlink", "rename", "fsync",  "statx",	"futex",      "poll",	NULL,
};

const char gen_waking_wrapper[] = "pthread_mutex_unlock";
const char *const gen_waking_kernel[] = {SYSCALL_ENTRY, "__x64_sys_futex", "do_futex", "futex_wake",
					 "wake_up_q",	"try_to_wake_up",  NULL};
const char *const gen_preempted_kernel[] = {"asm_sysvec_apic_timer_interrupt",
					    "sysvec_apic_timer_interrupt",
					    "irqentry_exit_to_user_mode",
					    "exit_to_user_mode_loop",
					    TO_SLEEP,
					    NULL};
#define TIMER_INTERRUPT                                                                       \
	"asm_sysvec_apic_timer_interrupt", "sysvec_apic_timer_interrupt",                     \
		"__sysvec_apic_timer_interrupt", "hrtimer_interrupt", "__hrtimer_run_queues", \
		"hrtimer_wakeup", "try_to_wake_up"
#define IDLE_LOOP \
	"secondary_startup_64_no_verify", "start_secondary", "cpu_startup_entry", "do_idle"
const char *const gen_interrupt_kernel[] = {TIMER_INTERRUPT, NULL};
const char *const gen_idle_kernel[] = {IDLE_LOOP, "schedule_idle", "__schedule", NULL};
const char *const gen_idle_interrupt_kernel[] = {IDLE_LOOP,	      "cpuidle_idle_call",
						 "default_idle_call", "pv_native_safe_halt",
						 TIMER_INTERRUPT,     NULL};
const char *const gen_exit_kernel[] = {SYSCALL_ENTRY,  "__x64_sys_exit", "do_exit",
				       "do_task_dead", "__schedule",	 NULL};
