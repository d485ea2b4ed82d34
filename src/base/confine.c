/* Landlock and a filter of system calls. */
#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sanitized.h"

#ifdef __x86_64__
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

/* ---- Files ---- */

/* All that changes something, by the version of the kernel's Landlock. Reading is not handled. */
static uint64_t changing_rights(long abi)
{
	uint64_t rights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
			  LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
			  LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
			  LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
			  LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
			  LANDLOCK_ACCESS_FS_MAKE_SYM;

	if (abi >= 2)
		rights |= 1ULL << 13; /* to link and rename from folder to folder */
	if (abi >= 3)
		rights |= 1ULL << 14; /* to truncate */
	return rights;
}

static void allow_writing(int rules, const char *path, uint64_t rights)
{
	struct landlock_path_beneath_attr below = {.allowed_access = rights};

	below.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (below.parent_fd < 0)
		return;
	(void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
	close(below.parent_fd);
}

static bool confine_files(const struct lode_confinement *confinement)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr handled = {.handled_access_fs = changing_rights(abi)};
	const uint64_t file_rights = LANDLOCK_ACCESS_FS_WRITE_FILE | (abi >= 3 ? 1ULL << 14 : 0);
	bool is_done;
	int rules;

	if (abi < 1)
		return false;
	rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0);
	if (rules < 0)
		return false;
	for (size_t i = 0; i < confinement->n_writable; i++)
		allow_writing(rules, confinement->writable[i],
			      handled.handled_access_fs & ~LANDLOCK_ACCESS_FS_EXECUTE);
	for (size_t i = 0; i < confinement->n_files; i++)
		allow_writing(rules, confinement->files[i], file_rights);
	if (confinement->removes_in)
		allow_writing(rules, confinement->removes_in, LANDLOCK_ACCESS_FS_REMOVE_FILE);
	allow_writing(rules, "/dev/null", file_rights);
	is_done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
	close(rules);
	return is_done;
}

/* ---- System calls ---- */

#ifdef OWN_ARCH

static bool confine_calls(bool is_online)
{
	static const int refused[] = {
		SYS_socket, /* first: allowed when online */
		SYS_execve,
		SYS_execveat,
#if !LODE_IS_SANITIZED /* LeakSanitizer stops the threads with it */
		SYS_ptrace,
#endif
		SYS_process_vm_readv,
		SYS_process_vm_writev,
		SYS_mount,
		SYS_umount2,
		SYS_bpf,
		SYS_io_uring_setup,
		SYS_init_module,
		SYS_finit_module,
		SYS_kexec_load,
		SYS_keyctl,
		SYS_unshare,
		SYS_setns,
		SYS_perf_event_open,
	};
	enum { N_REFUSED = sizeof(refused) / sizeof(*refused) };
	struct sock_filter program[N_REFUSED + 7];
	struct sock_fprog filter = {.filter = program};
	unsigned short n = 0;
	int first = is_online ? 1 : 0;

	/* Another processor's calls have other numbers: all are refused. */
	program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						    offsetof(struct seccomp_data, arch));
	program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						    offsetof(struct seccomp_data, nr));
	/* Nor may x32 programs' numbers pass, which have a bit set. */
	program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000,
						    (unsigned char)(N_REFUSED - first + 1), 0);
	for (int i = first; i < N_REFUSED; i++)
		program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							    (unsigned)refused[i],
							    (unsigned char)(N_REFUSED - i), 0);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	filter.len = n;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

#else

static bool confine_calls(bool is_online)
{
	(void)is_online;
	return false;
}

#endif

bool lode_confine(const struct lode_confinement *confinement)
{
	bool are_files, are_calls;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return false;
	are_files = confine_files(confinement);
	are_calls = confine_calls(confinement->is_online);
	return are_files && are_calls;
}
