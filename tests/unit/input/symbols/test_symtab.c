/*
 * Symbol tables against oracles that scan all symbols for every address.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/map.h"
#include "random.h"
#include "input/symbols/demangle.h"
#include "input/symbols/symtab.h"
#include "cases.h"

enum { N_NAMES = 12, SPACE = 40000 };

static const char *const names[N_NAMES] = {"a",		"_a",	     "__aa",	  "bb",
					   "_bb",	"long_name", "SyS_x",	  "sys_x",
					   "_ZN1AC1Ev", "_ZN1AC2Ev", "_ZN1AD0Ev", "_ZN1AD2Ev"};

#define CHECK(seed, statement)                                                                  \
	do {                                                                                    \
		if (!(statement)) {                                                             \
			print_error("seed %llu: %s\n", (unsigned long long)(seed), #statement); \
			fail();                                                                 \
		}                                                                               \
	} while (0)

struct sym {
	uint64_t start, end;
	const char *name;
	int binding;
	size_t order;
	bool has_size;
};

static size_t make_symbols(struct sym *syms, struct test_random *random, bool has_sizes)
{
	size_t n = 1 + test_random_below(random, 24);

	for (size_t i = 0; i < n; i++) {
		syms[i].start = test_random_below(random, 5) ? 16 * test_random_below(random, 40)
							     : test_random_below(random, SPACE);
		syms[i].end = syms[i].start;
		if (has_sizes && test_random_below(random, 4))
			syms[i].end += test_random_below(random, 120);
		syms[i].name = names[test_random_below(random, N_NAMES)];
		syms[i].binding = (int)test_random_below(random, 3);
		syms[i].order = i;
	}
	return n;
}

static void fill(struct lode_symtab *symtab, const struct sym *syms, size_t n,
		 enum lode_symtab_rule rule)
{
	memset(symtab, 0, sizeof(*symtab));
	for (size_t i = 0; i < n; i++)
		lode_symtab_add(symtab, syms[i].start, syms[i].end - syms[i].start, syms[i].name,
				(enum lode_binding)syms[i].binding);
	lode_symtab_settle(symtab, rule);
}

static int by_start(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* Points for a name, most important first; the better alias has the larger list. */
static int compare_aliases(const struct sym *a, const struct sym *b)
{
	char a_text[64], b_text[64];
	long x[] = {a->end != a->start, a->binding != LODE_BINDING_WEAK,
		    a->binding == LODE_BINDING_GLOBAL, 0, 0};
	long y[] = {b->end != b->start, b->binding != LODE_BINDING_WEAK,
		    b->binding == LODE_BINDING_GLOBAL, 0, 0};

	lode_demangle_short(a->name, a_text, sizeof(a_text));
	lode_demangle_short(b->name, b_text, sizeof(b_text));
	x[3] = -(long)strspn(a_text, "_");
	y[3] = -(long)strspn(b_text, "_");
	x[4] = (long)strlen(a_text);
	y[4] = (long)strlen(b_text);
	for (size_t i = 0; i < 5; i++)
		if (x[i] != y[i])
			return x[i] > y[i] ? 1 : -1;
	return strncmp(a->name, "SyS", 3) ? 1 : -1;
}

/* A label inside of a function with a size. */
static bool is_inside(const struct sym *syms, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (syms[k].has_size && syms[k].start < syms[i].start &&
		    syms[k].end > syms[i].start)
			return true;
	return false;
}

/* perf's way, written down step by step, without labels; gives the number of symbols that are left.
 */
static size_t settle_slowly(struct sym *syms, size_t n)
{
	size_t left = 0;

	qsort(syms, n, sizeof(*syms), by_start);
	for (size_t i = 0; i < n; i++)
		syms[i].has_size = syms[i].end != syms[i].start;
	for (size_t i = 0; i < n; i++) {
		uint64_t start = syms[i].start;

		if (syms[i].end != start || is_inside(syms, i))
			continue;
		if (i + 1 < n)
			syms[i].end = syms[i + 1].start;
		else
			syms[i].end = start % 4096 ? (start / 4096 + 2) * 4096 : start + 4096;
	}
	for (size_t i = 0; i < n; i++) {
		if (left && syms[left - 1].start == syms[i].start) {
			if (compare_aliases(&syms[left - 1], &syms[i]) < 0)
				syms[left - 1] = syms[i];
		} else {
			syms[left++] = syms[i];
		}
	}
	return left;
}

/* The innermost symbol: the latest start of those that cover the address. */
static const char *find_innermost(const struct sym *syms, size_t n, uint64_t address)
{
	for (size_t i = n; i-- > 0;)
		if (syms[i].start <= address && address < syms[i].end)
			return syms[i].name;
	return NULL;
}

static const char *find_latest(const struct sym *syms, size_t n, uint64_t address)
{
	for (size_t i = n; i-- > 0;) /* in order of adding */
		if (syms[i].start <= address && address < syms[i].end)
			return syms[i].name;
	return NULL;
}

static const char *found_name(const struct lode_symtab *symtab, uint64_t address)
{
	uint32_t i = lode_symtab_find(symtab, address);

	return i == LODE_NONE ? NULL : symtab->entries.at[i].name;
}

static void check_rule(enum lode_symtab_rule rule, bool has_sizes)
{
	for (uint64_t seed = 1; seed <= TEST_CASES(4000); seed++) {
		struct lode_symtab symtab;
		struct sym syms[32];
		struct test_random random = {seed};
		size_t n = make_symbols(syms, &random, has_sizes);

		fill(&symtab, syms, n, rule);
		if (rule != LODE_SYMTAB_LAST_WINS)
			n = settle_slowly(syms, n);
		for (uint64_t address = 0; address < SPACE + 9000;
		     address += address < 800 ? 1 : 1 + test_random_below(&random, 400)) {
			const char *expected = rule == LODE_SYMTAB_LAST_WINS
						       ? find_latest(syms, n, address)
						       : find_innermost(syms, n, address);

			CHECK(seed, found_name(&symtab, address) == expected);
		}
		lode_symtab_release(&symtab);
	}
}

static void test_elf_rule_matches_a_scan_of_all_symbols(void **state)
{
	(void)state;
	check_rule(LODE_SYMTAB_ELF, true);
}

static void test_kallsyms_rule_matches_a_scan_of_all_symbols(void **state)
{
	(void)state;
	check_rule(LODE_SYMTAB_ELF, false);
}

static void test_last_wins_rule_matches_a_scan_of_all_symbols(void **state)
{
	(void)state;
	check_rule(LODE_SYMTAB_LAST_WINS, true);
}

static void labels_inside_of_a_function_leave_its_code_to_it(void **state)
{
	struct lode_symtab symtab = {0};

	(void)state;
	lode_symtab_add(&symtab, 0x300, 0x19c, "construct", LODE_BINDING_LOCAL);
	lode_symtab_add(&symtab, 0x33b, 0, "create_deopt", LODE_BINDING_LOCAL);
	lode_symtab_add(&symtab, 0x43a, 0, "invoke_deopt", LODE_BINDING_LOCAL);
	lode_symtab_add(&symtab, 0x49c, 0, "behind", LODE_BINDING_LOCAL);
	lode_symtab_settle(&symtab, LODE_SYMTAB_ELF);
	assert_string_equal(symtab.entries.at[lode_symtab_find(&symtab, 0x401)].name, "construct");
	assert_string_equal(symtab.entries.at[lode_symtab_find(&symtab, 0x43a)].name, "construct");
	assert_string_equal(symtab.entries.at[lode_symtab_find(&symtab, 0x49c)].name, "behind");
	lode_symtab_release(&symtab);
}

static void test_symbols_at_the_top_of_the_address_space(void **state)
{
	struct lode_symtab symtab = {0};

	(void)state;
	assert_int_equal(lode_symtab_find(&symtab, 0), LODE_NONE);
	lode_symtab_add(&symtab, UINT64_MAX - 5, 3, "top", LODE_BINDING_GLOBAL);
	lode_symtab_add(&symtab, UINT64_MAX - 2, 0, "last", LODE_BINDING_GLOBAL);
	lode_symtab_settle(&symtab, LODE_SYMTAB_ELF);
	assert_string_equal(found_name(&symtab, UINT64_MAX - 4), "top");
	assert_string_equal(found_name(&symtab, UINT64_MAX - 1), "last");
	assert_null(found_name(&symtab, 5));
	lode_symtab_release(&symtab);
	lode_symtab_add(&symtab, UINT64_MAX - 5, UINT64_MAX, "beyond", LODE_BINDING_GLOBAL);
	lode_symtab_add(&symtab, UINT64_MAX - 2, 1, "in it", LODE_BINDING_GLOBAL);
	lode_symtab_settle(&symtab, LODE_SYMTAB_ELF);
	assert_string_equal(found_name(&symtab, UINT64_MAX - 4), "beyond");
	assert_string_equal(found_name(&symtab, UINT64_MAX - 2), "in it");
	assert_null(found_name(&symtab, 5));
	lode_symtab_release(&symtab);
}

/* Thousands of nested symbols must not cost a scan of all enclosing ones per lookup. */
static void test_deep_nesting_has_at_most_two_ranges_per_symbol(void **state)
{
	enum { N = 100000 };
	struct lode_symtab symtab = {0};

	(void)state;
	for (uint64_t i = 0; i < N; i++)
		lode_symtab_add(&symtab, i, 2 * N - 2 * i, "x", LODE_BINDING_GLOBAL);
	lode_symtab_settle(&symtab, LODE_SYMTAB_ELF);
	assert_true(symtab.owners.n <= 2 * N);
	assert_int_equal(symtab.entries.at[lode_symtab_find(&symtab, 2 * N - 1)].start, 0);
	lode_symtab_release(&symtab);
}

/* Starts of any width, many of them equal: in order, and those that are equal in order of adding.
 */
static void entries_are_in_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(400); seed++) {
		struct test_random random = {seed};
		uint32_t n = 2 + test_random_below(&random, 500);
		unsigned wide = test_random_below(&random, 64);
		struct lode_symtab symtab = {0};

		for (uint32_t i = 0; i < n; i++)
			lode_symtab_add(&symtab,
					i && test_random_below(&random, 4) == 0
						? symtab.entries.at[i - 1].start
						: test_random_next(&random) >> wide,
					1 + test_random_below(&random, 9), "x",
					LODE_BINDING_GLOBAL);
		lode_symtab_settle(&symtab, LODE_SYMTAB_LAST_WINS);
		CHECK(seed, symtab.entries.n == n);
		for (uint32_t i = 1; i < n; i++) {
			const struct lode_symtab_entry *a = &symtab.entries.at[i - 1], *b = a + 1;

			CHECK(seed,
			      a->start < b->start || (a->start == b->start && a->order < b->order));
		}
		lode_symtab_release(&symtab);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_in_order),
		cmocka_unit_test(test_elf_rule_matches_a_scan_of_all_symbols),
		cmocka_unit_test(test_kallsyms_rule_matches_a_scan_of_all_symbols),
		cmocka_unit_test(test_last_wins_rule_matches_a_scan_of_all_symbols),
		cmocka_unit_test(labels_inside_of_a_function_leave_its_code_to_it),
		cmocka_unit_test(test_symbols_at_the_top_of_the_address_space),
		cmocka_unit_test(test_deep_nesting_has_at_most_two_ranges_per_symbol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
