/*
 * Frame pointers by .eh_frame, against the rules that libdw gives for the same places.
 */
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "input/symbols/cfi.h"
#include "input/symbols/frame_tables.h"
#include "random.h"

enum { X86_64_RBP = 6, AARCH64_X29 = 29, N_PLACES = 20000 };

static bool read_made_stack(void *context, uint64_t address, uint64_t *value)
{
	(void)context;
	*value = address;
	return true;
}

/* The same question, answered by running the whole rule on registers that are all different. */
static enum lode_frame_rule by_libdw(struct lode_cfi *cfi, uint64_t address, unsigned reg)
{
	static const uint64_t frame = 0x7f0000800000;
	struct lode_cfi_regs regs = {.valid = UINT64_MAX};
	struct lode_cfi_step step;

	for (unsigned i = 0; i < LODE_CFI_N_REGS; i++)
		regs.value[i] = 0x7f0000000000 + 4096 * i;
	regs.value[reg] = frame;
	if (lode_cfi_step(cfi, address, &regs, &step, read_made_stack, NULL) != LODE_CFI_OK)
		return LODE_FRAME_UNTOLD;
	if (!step.return_address)
		return LODE_FRAME_OUTERMOST;
	if (reg == X86_64_RBP ? step.cfa - frame <= 64 : regs.value[reg] != frame)
		return LODE_FRAME_KEPT;
	return LODE_FRAME_LACKING;
}

struct counts {
	size_t n_places, n_told, n_kept, n_lacking;
};

static void compare_file(struct counts *counts, const char *path, uint64_t start, uint64_t size,
			 struct test_random *random)
{
	struct lode_elf_file *file = lode_elf_open(path);
	struct lode_frame_tables tables;
	struct lode_cfi *cfi = lode_cfi_new_take(lode_elf_open(path), NULL, NULL);

	if (file && cfi && lode_frame_tables_init(&tables, file)) {
		for (int i = 0; i < N_PLACES; i++) {
			uint64_t address = start + test_random_below(random, size);
			enum lode_frame_rule rule = lode_frame_tables_at(&tables, address);

			counts->n_places++;
			if (rule == LODE_FRAME_UNTOLD)
				continue;
			counts->n_told++;
			counts->n_kept += rule == LODE_FRAME_KEPT;
			counts->n_lacking += rule == LODE_FRAME_LACKING;
			assert_int_equal(rule, by_libdw(cfi, address, tables.frame_register));
		}
	}
	lode_cfi_free(cfi);
	lode_elf_close(file);
}

struct visit {
	struct counts counts;
	struct test_random random;
	int n_files;
};

/* Each file of this process; of the first, the program, the name is empty. */
static int visit_file(struct dl_phdr_info *info, size_t size, void *context)
{
	struct visit *visit = context;
	const char *path = visit->n_files++ ? info->dlpi_name : "/proc/self/exe";

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X &&
		    access(path, R_OK) == 0)
			compare_file(&visit->counts, path, info->dlpi_phdr[i].p_vaddr,
				     info->dlpi_phdr[i].p_memsz, &visit->random);
	return 0;
}

static void test_rules_are_those_of_libdw(void **state)
{
	struct visit visit = {.random = {11}};

	(void)state;
	dl_iterate_phdr(visit_file, &visit);
	if (!visit.counts.n_places)
		skip(); /* another machine */
	/* Most places have tables; and both kinds occur, in libc at the least. */
	assert_true(visit.counts.n_told * 10 > visit.counts.n_places * 7);
	assert_true(visit.counts.n_lacking > 1000);
}

static void test_damaged_tables_are_survived(void **state)
{
	struct lode_elf_file *file = lode_elf_open("/proc/self/exe");
	struct test_random random = {12};
	struct lode_frame_tables tables;
	uint8_t *search, *frames;

	(void)state;
	if (!file || !lode_frame_tables_init(&tables, file)) {
		lode_elf_close(file);
		skip();
	}
	search = lode_alloc(tables.search_bytes);
	frames = lode_alloc(tables.frame_bytes);
	for (int round = 0; round < 300; round++) {
		struct lode_frame_tables damaged = tables;

		memcpy(search, tables.search, tables.search_bytes);
		memcpy(frames, tables.frames, tables.frame_bytes);
		for (int i = 0; i < 200; i++) {
			search[test_random_below(&random, tables.search_bytes)] ^=
				(uint8_t)(1 << test_random_below(&random, 8));
			frames[test_random_below(&random, tables.frame_bytes)] ^=
				(uint8_t)(1 << test_random_below(&random, 8));
		}
		damaged.search = search;
		damaged.frames = frames;
		damaged.frame_bytes = test_random_below(&random, tables.frame_bytes) + 1;
		for (int i = 0; i < 300; i++)
			(void)lode_frame_tables_at(&damaged, test_random_below(&random, 0x200000));
	}
	free(search);
	free(frames);
	lode_elf_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules_are_those_of_libdw),
		cmocka_unit_test(test_damaged_tables_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
