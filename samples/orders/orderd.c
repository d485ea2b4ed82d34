/*
 * A small order service that `lode suspects` is tried on: of ten callers one makes the same system
 * call slow.
 *
 *   _start > serve > HANDLER > journal_commit > sys_fdatasync
 *
 * Ten handlers append a record to the journal and commit it. One of them, export_ledger, has
 * written some megabytes before that nobody committed: its fdatasync has to wait for all of them.
 * Measured as system calls, fdatasync is slow now and then. The question is why.
 *
 * For x86-64. Without libc and with frame pointers, so that stacks are whole:
 *
 *   cc -O1 -g1 -static -nostdlib -fno-stack-protector -fno-inline -fno-optimize-sibling-calls \
 *      -fno-omit-frame-pointer -fno-shrink-wrap -Wl,--build-id \
 *      -o orderd orderd.c
 *   ./orderd JOURNAL
 */
enum { n_requests = 2500, record_bytes = 512, ledger_bytes = 1 << 16, ledger_blocks = 96 };
enum {
	sys_nr_write = 1,
	sys_nr_open = 2,
	sys_nr_pread = 17,
	sys_nr_exit = 60,
	sys_nr_fdatasync = 75
};

static char block[ledger_bytes];
static long journal;
static unsigned long seed = 20260722;

/*
 * One function for each system call, so that each is the last one of a stack. To ask for its frame
 * makes the compiler give it one.
 */
#define SYSTEM_CALL(name, number)                                                        \
	static long sys_##name(long a, const void *b, long c, long d)                    \
	{                                                                                \
		register long r10 __asm__("r10") = d;                                    \
		long result;                                                             \
                                                                                         \
		__asm__ volatile("" : : "r"(__builtin_frame_address(0)));                \
		__asm__ volatile("syscall"                                               \
				 : "=a"(result)                                          \
				 : "a"((long)(number)), "D"(a), "S"(b), "d"(c), "r"(r10) \
				 : "rcx", "r11", "memory");                              \
		return result;                                                           \
	}

SYSTEM_CALL(write, sys_nr_write)
SYSTEM_CALL(pread, sys_nr_pread)
SYSTEM_CALL(fdatasync, sys_nr_fdatasync)

static long sys_open(const char *path, long flags, long mode)
{
	long result;

	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)sys_nr_open), "D"(path), "S"(flags), "d"(mode)
			 : "rcx", "r11", "memory");
	return result;
}

static void sys_exit(long code)
{
	__asm__ volatile("syscall" : : "a"((long)sys_nr_exit), "D"(code) : "rcx", "r11", "memory");
}

static unsigned random_below(unsigned n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)((seed >> 33) % n);
}

/* ---- The journal ---- */

static void journal_append(long bytes)
{
	sys_write(journal, block, bytes, 0);
}

static void journal_commit(void)
{
	sys_fdatasync(journal, 0, 0, 0);
}

static void catalogue_read(unsigned items)
{
	for (unsigned i = 0; i < items; i++)
		sys_pread(journal, block, record_bytes, (long)random_below(256) * record_bytes);
}

/* ---- Handlers ---- */

#define HANDLER(name, items)                  \
	static void name(void)                \
	{                                     \
		catalogue_read(items);        \
		journal_append(record_bytes); \
		journal_commit();             \
	}

HANDLER(place_order, 3)
HANDLER(cancel_order, 1)
HANDLER(ship_order, 2)
HANDLER(refund_order, 2)
HANDLER(update_stock, 4)
HANDLER(rate_product, 1)
HANDLER(change_address, 1)
HANDLER(send_invoice, 2)
HANDLER(apply_voucher, 1)

static void write_ledger(void)
{
	for (int i = 0; i < ledger_blocks; i++)
		journal_append(ledger_bytes);
}

static void export_ledger(void)
{
	catalogue_read(2);
	write_ledger();
	journal_commit();
}

static void serve(void)
{
	static void (*const handlers[])(void) = {
		place_order,  cancel_order,   ship_order,   refund_order,  update_stock,
		rate_product, change_address, send_invoice, apply_voucher, export_ledger,
	};

	for (int i = 0; i < n_requests; i++)
		handlers[random_below(40) == 0 ? 9 : random_below(9)]();
}

__attribute__((used)) static void start(const long *stack)
{
	enum { creat_trunc_rdwr = 01102 };

	if (stack[0] < 2)
		sys_exit(2);
	journal = sys_open((const char *)stack[2], creat_trunc_rdwr, 0600);
	if (journal < 0)
		sys_exit(1);
	serve();
	sys_exit(0);
}

__asm__(".globl _start\n"
	"_start:\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	call start\n");
