/* base/memory_limit.h: the least of what cgroups of both versions, wherever they are mounted, and
 * the machine allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <sys/resource.h>

#include "base/memory_limit.h"
#include "random.h"
#include "scratch.h"

static struct scratch scratch;

static int make(void **state)
{
	(void)state;
	scratch_make(&scratch);
	return 0;
}

static int remove_all(void **state)
{
	(void)state;
	scratch_remove(&scratch);
	return 0;
}

static void __attribute__((format(printf, 2, 3))) put(const char *path, const char *format, ...)
{
	char text[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	scratch_write(scratch_path(&scratch, "%s", path), text, strlen(text));
}

static void allows(size_t bytes)
{
	assert_int_equal(lode_memory_allowed(scratch.dir), bytes);
}

static void the_ceiling_is(const char *of, size_t bytes)
{
	struct lode_memory_ceiling ceiling = lode_memory_ceiling(scratch.dir);

	assert_string_equal(ceiling.of, of);
	assert_int_equal(ceiling.bytes, bytes);
}

static void nothing_says(void **state)
{
	(void)state;
	allows(SIZE_MAX);
}

static void the_machine_says(void **state)
{
	(void)state;
	put("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 10 kB\n");
	allows(1000 * 1024);
	put("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 10 kB\nMemAvailable:   600 kB\n");
	allows(600 * 1024);
	/* What others take now is no limit. */
	the_ceiling_is("the machine", 1000 * 1024);
}

static void a_group_of_version_2(void **state)
{
	(void)state;
	put("proc/meminfo", "MemTotal: 4000000 kB\n");
	put("proc/self/cgroup", "0::/user.slice/a b\n");
	put("proc/self/mountinfo",
	    "22 1 8:1 / / rw - ext4 /dev/sda rw\n"
	    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
	put("sys/fs/cgroup/user.slice/a b/memory.max", "max\n");
	allows(4000000ul * 1024);
	put("sys/fs/cgroup/user.slice/memory.high", "90000000\n");
	allows(90000000);
	put("sys/fs/cgroup/user.slice/a b/memory.max", "80000000\n");
	allows(80000000);
	the_ceiling_is("the cgroup", 80000000);
	/* Of a neighbour. */
	put("sys/fs/cgroup/other/memory.max", "7\n");
	allows(80000000);
	put("sys/fs/cgroup/memory.max", "70000000\n");
	allows(70000000);
}

static void a_group_of_version_1(void **state)
{
	(void)state;
	put("proc/self/cgroup", "9:cpu,cpuacct:/c\n4:hugetlb,memory:/jobs/7\n0::/\n");
	put("proc/self/mountinfo",
	    "31 30 0:28 / /cg/cpu\\040a rw - cgroup cgroup rw,cpu,cpuacct\n"
	    "35 30 0:32 / /cg/memory\\040a rw - cgroup cgroup rw,hugetlb,memory\n");
	put("cg/memory a/jobs/7/memory.limit_in_bytes", "9223372036854771712\n");
	allows(9223372036854771712u);
	put("cg/memory a/jobs/memory.limit_in_bytes", "600000000\n");
	allows(600000000);
	put("cg/memory a/jobs/7/memory.limit_in_bytes", "500000000\n");
	allows(500000000);
	/* A limit above what is mounted. */
	put("cg/memory a/jobs/7/memory.stat", "cache 1\nhierarchical_memory_limit 400000000\n");
	allows(400000000);
}

static void a_container_sees_its_part_of_the_tree(void **state)
{
	(void)state;
	put("proc/self/cgroup", "4:memory:/docker/abc/inner\n");
	put("proc/self/mountinfo", "35 30 0:32 /docker/abc /cg rw - cgroup cgroup rw,memory\n");
	put("cg/inner/memory.limit_in_bytes", "300000000\n");
	put("cg/docker/abc/inner/memory.limit_in_bytes", "5\n");
	allows(300000000);
	/* The name is of outside, what is mounted is ours. */
	put("proc/self/cgroup", "4:memory:/kubepods/pod1\n");
	put("cg/memory.limit_in_bytes", "200000000\n");
	allows(200000000);
	put("proc/self/cgroup", "0::/../../other\n");
	put("proc/self/mountinfo", "35 30 0:32 / /cg2 rw - cgroup2 none rw\n");
	put("cg2/memory.max", "100000000\n");
	allows(100000000);
}

static void what_cannot_be_read_limits_nothing(void **state)
{
	(void)state;
	put("proc/meminfo", "MemTotal:\nMemAvailable: lots\n");
	put("proc/self/cgroup", "no colon\n0:\n::\n0::/x");
	put("proc/self/mountinfo", "- cgroup2\n1 2 3 - cgroup2 x y\n30 22 0:26 / /cg rw - cgroup2\n"
				   "30 22 0:26 / /cg rw - cgroup2 none rw\n");
	put("cg/x/memory.max", "-1\n");
	put("cg/x/memory.high", "\n");
	allows(SIZE_MAX);
}

static void the_least_of_a_path_counts(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random random = {seed};
		bool is_v2 = test_random_below(&random, 2);
		size_t depth = test_random_below(&random, 6), least = SIZE_MAX;
		char group[256] = "", file[512];

		scratch_remove(&scratch);
		scratch_make(&scratch);
		for (size_t i = 0;; i++) {
			size_t bytes = 1000 + test_random_below(&random, 1000000);
			const char *name = !is_v2			   ? "memory.limit_in_bytes"
					   : test_random_below(&random, 2) ? "memory.max"
									   : "memory.high";

			snprintf(file, sizeof(file), "cg%s/%s", group, name);
			if (test_random_below(&random, 2)) {
				put(file, "%zu\n", bytes);
				least = bytes < least ? bytes : least;
			}
			if (i == depth)
				break;
			snprintf(group + strlen(group), sizeof(group) - strlen(group), "/g%zu", i);
		}
		put("proc/self/cgroup", "%s:%s\n", is_v2 ? "0:" : "7:memory", *group ? group : "/");
		put("proc/self/mountinfo", "1 2 3:4 / /cg rw - %s none rw,memory\n",
		    is_v2 ? "cgroup2" : "cgroup");
		if (lode_memory_allowed(scratch.dir) != least)
			print_message("seed %llu\n", (unsigned long long)seed);
		allows(least);
	}
}

static void the_default_is_half_and_what_was_asked_for_stands(void **state)
{
	struct rlimit before, few;

	(void)state;
	assert_int_equal(lode_memory_budget(12345), 12345);
	assert_true(lode_memory_budget(0) >= (size_t)16 << 20);
	assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
	few = (struct rlimit){(rlim_t)200 << 20, before.rlim_max};
	if (before.rlim_max != RLIM_INFINITY && before.rlim_max < few.rlim_cur)
		skip();
	assert_int_equal(setrlimit(RLIMIT_DATA, &few), 0);
	assert_int_equal(lode_memory_budget(0), (size_t)100 << 20);
	assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, remove_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_says),
		TEST(the_machine_says),
		TEST(a_group_of_version_2),
		TEST(a_group_of_version_1),
		TEST(a_container_sees_its_part_of_the_tree),
		TEST(what_cannot_be_read_limits_nothing),
		TEST(the_least_of_a_path_counts),
		TEST(the_default_is_half_and_what_was_asked_for_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
