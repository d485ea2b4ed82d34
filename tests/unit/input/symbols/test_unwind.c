/*
 * Unwinding this very process from a copy of its registers and stack, against the compiler's
 * own unwinder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#include "random.h"
#include "input/symbols/elf_file.h"
#include "input/symbols/unwind.h"

enum { MAX_FRAMES = 100, DUMP_BYTES = 60000, N_REGS = 33 };

/* What perf would have recorded at one place, and the addresses that must come out. */
struct capture {
	uint64_t regs[N_REGS];
	size_t n_regs;
	uint64_t mask;
	uint8_t stack[DUMP_BYTES];
	size_t stack_bytes;
	uint64_t expected[MAX_FRAMES];
	size_t n_expected, n_interrupted;
};

#if defined(__x86_64__)
static const char *const machine = "x86_64";
static const uint64_t reg_mask = 0xff0fff;

static uint64_t read_context(const ucontext_t *context, uint64_t *regs)
{
	static const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP,
				    REG_RSP, REG_RIP, REG_EFL, -1,	-1,	 REG_R8,  REG_R9,
				    REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		regs[i] = order[i] < 0 ? 0 : (uint64_t)context->uc_mcontext.gregs[order[i]];
	return regs[7];
}
#elif defined(__aarch64__)
static const char *const machine = "aarch64";
static const uint64_t reg_mask = 0x1ffffffff;

static uint64_t read_context(const ucontext_t *context, uint64_t *regs)
{
	memcpy(regs, context->uc_mcontext.regs, 31 * sizeof(*regs));
	regs[31] = context->uc_mcontext.sp;
	regs[32] = context->uc_mcontext.pc;
	return regs[31];
}
#else
static const char *const machine = NULL;
static const uint64_t reg_mask = 0;

static uint64_t read_context(const ucontext_t *context, uint64_t *regs)
{
	(void)context;
	(void)regs;
	return 0;
}
#endif

/* From sp to the end of the stack's mapping, as far as the dump reaches. */
static size_t bytes_above(uint64_t sp)
{
	unsigned long long from, to;
	size_t size = 0;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx", &from, &to) == 2 && sp >= from && sp < to)
			size = to - sp < DUMP_BYTES ? to - sp : DUMP_BYTES;
	if (maps)
		fclose(maps);
	return size;
}

/* Copies the stack word by word: sanitizers must not look at it as if it were objects. */
__attribute__((noinline, no_sanitize("address", "undefined", "thread"))) static void
copy_stack(uint8_t *to, uint64_t sp, size_t size)
{
	const volatile uint64_t *from = (const volatile uint64_t *)sp;

	for (size_t i = 0; i + 8 <= size; i += 8) {
		uint64_t word = from[i / 8];

		for (size_t k = 0; k < 8; k++)
			((volatile uint8_t *)to)[i + k] = (uint8_t)(word >> 8 * k);
	}
}

static _Unwind_Reason_Code expect_frame(struct _Unwind_Context *context, void *argument)
{
	struct capture *capture = argument;
	int is_before = 0;
	uint64_t address = _Unwind_GetIPInfo(context, &is_before);

	if (capture->n_expected == MAX_FRAMES)
		return _URC_END_OF_STACK;
	capture->n_interrupted += is_before != 0;
	capture->expected[capture->n_expected++] = address + (uint64_t)is_before;
	return _URC_NO_REASON;
}

__attribute__((noinline)) static void capture_here(struct capture *capture)
{
	ucontext_t context;
	uint64_t sp;

	getcontext(&context);
	sp = read_context(&context, capture->regs);
	capture->mask = reg_mask;
	capture->n_regs = (size_t)__builtin_popcountll(reg_mask);
	capture->stack_bytes = bytes_above(sp);
	copy_stack(capture->stack, sp, capture->stack_bytes);
	capture->n_expected = capture->n_interrupted = 0;
	(void)_Unwind_Backtrace(expect_frame, capture);
}

/* ---- This process as a recording would tell it ---- */

enum { MAX_MODULES = 256 };

struct world {
	struct lode_symboliser *symboliser;
	struct lode_spaces *spaces;
	struct lode_unwinder *unwinder;
	struct lode_dso *dsos[MAX_MODULES];
	uint32_t n_dsos;
};

static struct lode_dso *dso_of(void *context, uint32_t dso)
{
	struct world *world = context;

	return dso < world->n_dsos ? world->dsos[dso] : NULL;
}

/* `other`: a file to be taken for this program; NULL: its own. */
static void world_make_with(struct world *world, const char *hidden, const char *other)
{
	struct lode_error err;
	char line[4096 + 128];
	FILE *maps = fopen("/proc/self/maps", "r");
	char self[4096] = "";

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		fail();
	memset(world, 0, sizeof(*world));
	assert_non_null(maps);
	assert_int_equal(
		lode_symboliser_new(&world->symboliser, &(struct lode_symbol_options){0}, &err), 0);
	world->spaces = lode_spaces_new();
	while (fgets(line, sizeof(line), maps)) {
		unsigned long long start, end, offset;
		char rights[8], path[4096] = "";

		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %4095s", &start, &end, rights, &offset,
			   path) < 4 ||
		    rights[2] != 'x' || world->n_dsos == MAX_MODULES)
			continue;
		if (hidden && strstr(path, hidden))
			continue;
		world->dsos[world->n_dsos] = lode_symboliser_dso(
			world->symboliser,
			&(struct lode_dso_key){
				.kind = strcmp(path, "[vdso]") ? LODE_DSO_USER : LODE_DSO_VDSO,
				.path = other && !strcmp(path, self) ? other : path});
		lode_spaces_mmap(world->spaces, 1, start, end - start, offset, world->n_dsos++);
	}
	fclose(maps);
	world->unwinder = lode_unwinder_new(machine, dso_of, world);
}

static void world_make(struct world *world, const char *hidden)
{
	world_make_with(world, hidden, NULL);
}

static void world_release(struct world *world)
{
	lode_unwinder_free(world->unwinder);
	lode_spaces_free(world->spaces);
	lode_symboliser_free(world->symboliser);
}

static struct lode_stack_dump dump_of(const struct world *world, const struct capture *capture)
{
	return (struct lode_stack_dump){.spaces = world->spaces,
					.pid = 1,
					.abi = 2,
					.mask = capture->mask,
					.regs = (const uint8_t *)capture->regs,
					.n_regs = capture->n_regs,
					.stack = capture->stack,
					.stack_bytes = capture->stack_bytes};
}

/* All but the leaf, which moved on between the two. */
static void check_same(const struct capture *capture, const uint64_t *addresses, size_t n)
{
	for (size_t i = 1; i < n || i < capture->n_expected; i++) {
		uint64_t expected = i < capture->n_expected ? capture->expected[i] : 0;
		uint64_t found = i < n ? addresses[i] : 0;

		/* The oracle may go one frame beyond the entry point: to nowhere. */
		if (i == n && i + 1 == capture->n_expected && expected < 4096)
			break;
		if (found != expected) {
			print_error("frame %zu of %zu: 0x%llx, expected 0x%llx (of %zu)\n", i, n,
				    (unsigned long long)found, (unsigned long long)expected,
				    capture->n_expected);
			fail();
		}
	}
}

static size_t unwind_all(const struct capture *capture, uint64_t *addresses,
			 enum lode_unwind_end *end)
{
	struct lode_stack_dump dump;
	struct world world;
	size_t n;

	world_make(&world, NULL);
	if (!world.unwinder) {
		world_release(&world);
		skip();
	}
	dump = dump_of(&world, capture);
	n = lode_unwind(world.unwinder, &dump, addresses, MAX_FRAMES, end);
	world_release(&world);
	return n;
}

/* ---- Places to be at ---- */

static struct capture captured; /* too large for the stack that is being copied */

__attribute__((noinline)) static int with_big_frame(int depth)
{
	volatile char space[700];

	space[depth] = (char)depth;
	if (depth == 0)
		capture_here(&captured);
	else
		(void)with_big_frame(depth - 1);
	return space[depth];
}

static int compare_and_capture(const void *a, const void *b)
{
	capture_here(&captured);
	return *(const int *)a - *(const int *)b;
}

static void on_signal(int number)
{
	(void)number;
	capture_here(&captured);
}

static void *in_thread(void *context)
{
	(void)with_big_frame(*(int *)context);
	return NULL;
}

static void test_nested_calls(void **state)
{
	uint64_t addresses[MAX_FRAMES];
	enum lode_unwind_end end;
	size_t n;

	(void)state;
	(void)with_big_frame(12);
	n = unwind_all(&captured, addresses, &end);
	assert_true(n > 14);
	check_same(&captured, addresses, n);
	assert_int_equal(end, LODE_UNWIND_ROOT);
}

static void test_through_libc_and_back(void **state)
{
	uint64_t addresses[MAX_FRAMES];
	enum lode_unwind_end end;
	int numbers[] = {3, 1, 2};

	(void)state;
	qsort(numbers, 3, sizeof(*numbers), compare_and_capture);
	check_same(&captured, addresses, unwind_all(&captured, addresses, &end));
	assert_int_equal(end, LODE_UNWIND_ROOT);
}

static void test_through_a_signal(void **state)
{
	uint64_t addresses[MAX_FRAMES];
	enum lode_unwind_end end;
	size_t n;

	(void)state;
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	n = unwind_all(&captured, addresses, &end);
	/* One frame did not call: its address is told + 1, so that - 1 gives where it was. */
	check_same(&captured, addresses, n);
	assert_int_equal(captured.n_interrupted, 1);
	assert_int_equal(end, LODE_UNWIND_ROOT);
}

static void test_in_a_thread(void **state)
{
	uint64_t addresses[MAX_FRAMES];
	enum lode_unwind_end end;
	pthread_t thread;
	int depth = 3;

	(void)state;
	pthread_create(&thread, NULL, in_thread, &depth);
	pthread_join(thread, NULL);
	check_same(&captured, addresses, unwind_all(&captured, addresses, &end));
	assert_int_equal(end, LODE_UNWIND_ROOT);
}

/* ---- Less than everything ---- */

static void test_a_shorter_dump_gives_a_prefix_and_says_so(void **state)
{
	uint64_t all[MAX_FRAMES], part[MAX_FRAMES];
	struct lode_stack_dump dump;
	enum lode_unwind_end end;
	struct world world;
	size_t n_all, n;

	(void)state;
	(void)with_big_frame(6);
	n_all = unwind_all(&captured, all, NULL);
	world_make(&world, NULL);
	dump = dump_of(&world, &captured);
	for (size_t size = 0; size < captured.stack_bytes; size += 40) {
		dump.stack_bytes = size;
		n = lode_unwind(world.unwinder, &dump, part, MAX_FRAMES, &end);
		assert_true(n >= 1 && n <= n_all);
		assert_memory_equal(part, all, n * sizeof(*part));
		if (n < n_all)
			assert_int_equal(end, LODE_UNWIND_CUT);
	}
	dump.stack_bytes = captured.stack_bytes;
	for (size_t max = 0; max < n_all; max++) {
		assert_int_equal(lode_unwind(world.unwinder, &dump, part, max, &end), max);
		assert_memory_equal(part, all, max * sizeof(*part));
	}
	assert_int_equal(end, LODE_UNWIND_CUT);
	dump.abi = 0;
	assert_int_equal(lode_unwind(world.unwinder, &dump, part, MAX_FRAMES, &end), 0);
	dump.abi = 1;
	assert_int_equal(lode_unwind(world.unwinder, &dump, part, MAX_FRAMES, &end), 1);
	dump.abi = 2;
	dump.n_regs = 3; /* neither pc nor sp among them */
	assert_int_equal(lode_unwind(world.unwinder, &dump, part, MAX_FRAMES, &end), 0);
	world_release(&world);
}

static void test_an_unknown_module_ends_the_chain(void **state)
{
	uint64_t all[MAX_FRAMES], part[MAX_FRAMES];
	struct lode_stack_dump dump;
	enum lode_unwind_end end;
	int numbers[] = {2, 1};
	struct world world;
	size_t n_all, n;

	(void)state;
	qsort(numbers, 2, sizeof(*numbers), compare_and_capture);
	n_all = unwind_all(&captured, all, NULL);
	world_make(&world, "libc.so");
	dump = dump_of(&world, &captured);
	n = lode_unwind(world.unwinder, &dump, part, MAX_FRAMES, &end);
	if (n < n_all)
		assert_int_equal(end, LODE_UNWIND_STUCK);
	assert_true(n >= 3); /* here, the comparison, qsort */
	assert_memory_equal(part, all, 3 * sizeof(*part));
	world_release(&world);
}

/* A copy of this program whose first rules name a register that no machine has. */
static void copy_with_damaged_table(char *path)
{
	static const uint8_t rules[] = {0x05, 0xff, 0xff, 0x7f, 0x01}; /* DW_CFA_offset_extended */
	uint8_t buffer[1 << 16], head[32];
	FILE *from = fopen("/proc/self/exe", "rb"), *to;
	struct lode_elf_file *file = lode_elf_open("/proc/self/exe");
	size_t n, at;
	GElf_Shdr header;

	assert_non_null(lode_elf_section(file, ".eh_frame", &header));
	lode_elf_close(file);
	to = fdopen(mkstemp(path), "wb+");
	assert_non_null(to);
	while ((n = fread(buffer, 1, sizeof(buffer), from)) > 0)
		assert_int_equal(fwrite(buffer, 1, n, to), n);
	fclose(from);
	/* size, id 0, version 1, augmentation, three numbers of a byte each, augmentation's data */
	fseek(to, (long)header.sh_offset, SEEK_SET);
	assert_int_equal(fread(head, 1, sizeof(head), to), sizeof(head));
	at = 9 + strlen((char *)head + 9) + 1 + 3;
	at += 1 + head[at];
	fseek(to, (long)(header.sh_offset + at), SEEK_SET);
	assert_int_equal(fwrite(rules, 1, sizeof(rules), to), sizeof(rules));
	fclose(to);
}

static void test_a_damaged_table_is_named(void **state)
{
	char path[] = "/tmp/lode-unwind-XXXXXX";
	uint64_t addresses[MAX_FRAMES];
	const struct lode_dso *damaged;
	struct lode_stack_dump dump;
	struct world world;

	(void)state;
	(void)with_big_frame(6);
	world_make(&world, NULL);
	if (!world.unwinder) {
		world_release(&world);
		skip();
	}
	dump = dump_of(&world, &captured);
	(void)lode_unwind(world.unwinder, &dump, addresses, MAX_FRAMES, NULL);
	assert_null(lode_unwinder_damaged(world.unwinder));
	world_release(&world);
	copy_with_damaged_table(path);
	world_make_with(&world, NULL, path);
	dump = dump_of(&world, &captured);
	assert_true(lode_unwind(world.unwinder, &dump, addresses, MAX_FRAMES, NULL) >= 1);
	damaged = lode_unwinder_damaged(world.unwinder);
	assert_non_null(damaged);
	assert_string_equal(lode_dso_name(damaged), strrchr(path, '/') + 1);
	dump.stack_bytes = 0;
	dump.abi = 0; /* nothing of this stack is in that module */
	(void)lode_unwind(world.unwinder, &dump, addresses, MAX_FRAMES, NULL);
	assert_null(lode_unwinder_damaged(world.unwinder));
	world_release(&world);
	remove(path);
}

static void test_garbage_is_survived(void **state)
{
	uint64_t addresses[MAX_FRAMES];
	struct test_random random = {5};
	struct lode_stack_dump dump;
	struct world world;
	struct capture *copy = malloc(sizeof(*copy));

	(void)state;
	(void)with_big_frame(4);
	world_make(&world, NULL);
	for (int i = 0; world.unwinder && i < 3000; i++) {
		size_t reg;

		*copy = captured;
		for (int k = 0; k < 40; k++)
			copy->stack[test_random_below(&random, 4000)] =
				(uint8_t)test_random_next(&random);
		reg = test_random_below(&random, (uint32_t)copy->n_regs);
		copy->regs[reg] += test_random_below(&random, 3)
					   ? (uint64_t)test_random_below(&random, 4000) - 2000
					   : test_random_next(&random);
		dump = dump_of(&world, copy);
		assert_in_range(lode_unwind(world.unwinder, &dump, addresses, MAX_FRAMES, NULL), 1,
				MAX_FRAMES);
	}
	world_release(&world);
	free(copy);
}

static void test_unknown_machines_have_no_unwinder(void **state)
{
	(void)state;
	assert_null(lode_unwinder_new("vax", dso_of, NULL));
	assert_null(lode_unwinder_new(NULL, dso_of, NULL));
	lode_unwinder_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested_calls),
		cmocka_unit_test(test_through_libc_and_back),
		cmocka_unit_test(test_through_a_signal),
		cmocka_unit_test(test_in_a_thread),
		cmocka_unit_test(test_a_shorter_dump_gives_a_prefix_and_says_so),
		cmocka_unit_test(test_an_unknown_module_ends_the_chain),
		cmocka_unit_test(test_a_damaged_table_is_named),
		cmocka_unit_test(test_garbage_is_survived),
		cmocka_unit_test(test_unknown_machines_have_no_unwinder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
