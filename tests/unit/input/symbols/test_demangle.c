/*
 * Readable names: the same as `perf script` shows, and bounded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "input/symbols/demangle.h"

static const struct {
	const char *mangled, *readable; /* NULL: stays as it is */
} cases[] = {
	{"main", NULL},
	{"_start", NULL},
	{"_Zebra", NULL},
	{"_ZN3foo3BarImE3runERKmi", "foo::Bar<unsigned long>::run"},
	{"_ZNK3foo1QclEiRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
	 "foo::Q::operator()"},
	{"_ZN3foo1QC2Ei", "foo::Q::Q"},
	{"_Z3addii@plt", "add@plt"},
	{"printf@plt", NULL},
	{"pthread_create@@GLIBC_2.2.5", NULL},
	{"_ZN3foo17hello_hello_helloEi", "foo::hello_hello_hello"}, /* 17 letters, and no hash */
	{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
	{"_RNvMs_NtCs1234_7mycrate1mINtB4_1SmE2goCs1234_1r", NULL},
	{"_RNvC6_123foo3bar", "123foo::bar"},
	{"_D8demangle4testFaZv", "demangle.test(char)"},
	{"deflate_slow.part.0", "deflate_slow"},
	{"fsync_buffers_list.isra.0.cold", "fsync_buffers_list"},
	{"run.constprop.0.lto_priv.12", "run"},
	{"do_one.llvm.1234567890", "do_one"},
	{"_ZN3foo3BarImE3runERKmi.constprop.1", "foo::Bar<unsigned long>::run"},
	{"foo::Bar<int>::run [clone .part.0] [clone .cold]", "foo::Bar<int>::run"},
	{"v2.5", NULL},
	{".part.0", NULL},
	{"counterpart.0", NULL},
	{"a.parts", NULL},
	{"x [y .part.0]", NULL},
};

static void test_names_are_shown_as_perf_shows_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lode_arena arena = {0};
		const char *readable = lode_demangle(cases[i].mangled, &arena);

		if (!cases[i].readable && strncmp(cases[i].mangled, "_R", 2) != 0)
			assert_null(readable);
		else if (cases[i].readable)
			assert_string_equal(readable, cases[i].readable);
		lode_arena_release(&arena);
	}
}

static void test_scripts_are_named_by_function_and_file(void **state)
{
	static const struct {
		const char *given, *readable; /* NULL: stays as it is */
	} names[] = {
		{"JS:*renderReport /srv/shop/pages.js:4:22", "renderReport pages.js:4"},
		{"JS:~renderReport /srv/my shop/pages.js:4:22", "renderReport pages.js:4"},
		{"JS:^emit node:events:471:44", "emit node:events:471"},
		{"LazyCompile:~ file:///srv/a.mjs:11:19", "(anonymous) a.mjs:11"},
		{"JS:*render", NULL},
		{"JS:~a b:1", NULL},
		{"JS:~a 1:2", NULL},
		{"JS:", NULL},
		{"py::Shop.render:/srv/shop/pages.py", "Shop.render pages.py"},
		{"py::<module>:/srv/a.py", "<module> a.py"},
		{"py::", NULL},
		{"py:::", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct lode_arena arena = {0};
		const char *readable = lode_script_name(names[i].given, &arena);

		assert_string_equal(readable ? readable : "as it is",
				    names[i].readable ? names[i].readable : "as it is");
		lode_arena_release(&arena);
	}
}

static void test_a_part_is_told_from_a_copy(void **state)
{
	(void)state;
	assert_true(lode_function_is_part("f.part.0", 8));
	assert_true(lode_function_is_part("f.part.0.constprop.1.cold", 25));
	assert_true(lode_function_is_part("a::f [clone .part.0]", 20));
	assert_false(lode_function_is_part("f.constprop.0", 13));
	assert_false(lode_function_is_part("f.cold", 6));
	assert_false(lode_function_is_part("part", 4));
}

/* f<A<int, int>, A<S, S>, ...>, each parameter twice the one before it: texts double in length. */
static void make_doubling_name(char *name, size_t size, int n_doublings)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = (size_t)snprintf(name, size, "_Z1fI1AIiiE");

	for (int i = 1; i <= n_doublings; i++)
		n += (size_t)snprintf(name + n, size - n, "S0_IS%c_S%c_E", digits[i], digits[i]);
	snprintf(name + n, size - n, "Evv");
}

static void test_a_name_that_explodes_stays_mangled(void **state)
{
	struct lode_arena arena = {0};
	const char *readable;
	char name[1024];

	(void)state;
	make_doubling_name(name, sizeof(name), 1);
	readable = lode_demangle(name, &arena);
	assert_non_null(readable);
	assert_string_equal(readable, "f<A<int, int>, A<A<int, int>, A<int, int> > >");
	make_doubling_name(name, sizeof(name), 34);
	assert_null(lode_demangle(name, &arena));
	lode_arena_release(&arena);
}

static void test_long_and_deep_names_are_survived(void **state)
{
	static const char *const parts[] = {"I", "N1a", "PP", "S_", "F", "_", "C", "NvC1a1b"};
	enum { N = 100000 };
	char *name = malloc(N + 1);

	(void)state;
	for (size_t part = 0; part < sizeof(parts) / sizeof(*parts); part++)
		for (int rust = 0; rust < 2; rust++) {
			for (size_t size = 10; size <= N; size *= 10) {
				struct lode_arena arena = {0};
				char shown[64];

				memcpy(name, rust ? "_R" : "_Z", 2);
				for (size_t i = 2; i < size; i++)
					name[i] = parts[part][(i - 2) % strlen(parts[part])];
				name[size] = '\0';
				(void)lode_demangle(name, &arena);
				lode_demangle_short(name, shown, sizeof(shown));
				assert_true(strlen(shown) < sizeof(shown));
				lode_arena_release(&arena);
			}
		}
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_shown_as_perf_shows_them),
		cmocka_unit_test(test_scripts_are_named_by_function_and_file),
		cmocka_unit_test(test_a_part_is_told_from_a_copy),
		cmocka_unit_test(test_a_name_that_explodes_stays_mangled),
		cmocka_unit_test(test_long_and_deep_names_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
