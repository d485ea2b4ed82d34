/*
 * Symbols of code made at run time: perf-PID.map and jitdump.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/map.h"
#include "input/formats/perf/perf_jit.h"
#include "input/source.h"
#include "input/symbols/jit.h"
#include "input/symbols/process_map.h"
#include "random.h"
#include "scratch.h"
#include "unit/input/perf_image.h"

static const char *name_at(const struct lode_symtab *symtab, uint64_t address)
{
	uint32_t i = lode_symtab_find(symtab, address);

	return i == LODE_NONE ? "-" : symtab->entries.at[i].name;
}

static void test_perf_map_lines(void **state)
{
	char text[] = "7f0000001000 20 Lcom/Main;::run\n"
		      "0x7f0000002000 0x10 with blanks in it\n"
		      "junk\n"
		      "7f0000003000 0 empty\n"
		      "7f0000001010 8 newer\n"
		      "7f0000004000 10 cut";
	struct lode_symtab symtab = {0};

	(void)state;
	assert_int_equal(lode_perfmap_parse(&symtab, text, strlen(text), "m", NULL), 0);
	lode_symtab_settle(&symtab, LODE_SYMTAB_LAST_WINS);
	assert_string_equal(name_at(&symtab, 0x7f0000001000), "Lcom/Main;::run");
	assert_string_equal(name_at(&symtab, 0x7f0000001010), "newer");
	assert_string_equal(name_at(&symtab, 0x7f0000001018), "Lcom/Main;::run");
	assert_string_equal(name_at(&symtab, 0x7f000000200f), "with blanks in it");
	assert_string_equal(name_at(&symtab, 0x7f0000002010), "-");
	assert_string_equal(name_at(&symtab, 0x7f0000003000), "-");
	assert_string_equal(name_at(&symtab, 0x7f0000004000), "cut");
	lode_symtab_release(&symtab);
}

static void test_a_map_without_functions_is_an_error(void **state)
{
	char text[] = "no\nmap\n";
	struct lode_symtab symtab = {0};
	struct lode_error err;

	(void)state;
	assert_int_equal(lode_perfmap_parse(&symtab, text, strlen(text), "m", &err),
			 LODE_ERR_FORMAT);
	assert_string_equal(err.path, "m");
	lode_symtab_release(&symtab);
}

/* ---- jitdump ---- */

struct dump {
	uint8_t bytes[2048];
	size_t n;
};

static void put(struct dump *dump, const void *data, size_t size)
{
	memcpy(dump->bytes + dump->n, data, size);
	dump->n += size;
}

static void put_u32(struct dump *dump, uint32_t value)
{
	put(dump, &value, 4);
}

static void put_u64(struct dump *dump, uint64_t value)
{
	put(dump, &value, 8);
}

static void put_header(struct dump *dump)
{
	put_u32(dump, 0x4a695444);
	put_u32(dump, 1);
	put_u32(dump, 40);
	put_u32(dump, 62);
	put_u32(dump, 0);
	put_u32(dump, 1234);
	put_u64(dump, 5);
	put_u64(dump, 0);
}

static void put_load(struct dump *dump, uint64_t time, uint64_t address, uint64_t size, uint64_t id,
		     const char *name)
{
	uint32_t total = (uint32_t)(16 + 40 + strlen(name) + 1 + size);

	put_u32(dump, 0);
	put_u32(dump, total);
	put_u64(dump, time);
	put_u32(dump, 1234);
	put_u32(dump, 1234);
	put_u64(dump, address);
	put_u64(dump, address);
	put_u64(dump, size);
	put_u64(dump, id);
	put(dump, name, strlen(name) + 1);
	memset(dump->bytes + dump->n, 0x90, size);
	dump->n += size;
}

static void put_move(struct dump *dump, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
		     uint64_t id)
{
	put_u32(dump, 1);
	put_u32(dump, 16 + 48);
	put_u64(dump, time);
	put_u32(dump, 1234);
	put_u32(dump, 1234);
	put_u64(dump, to);
	put_u64(dump, from);
	put_u64(dump, to);
	put_u64(dump, size);
	put_u64(dump, id);
}

static struct dump make_dump(void)
{
	struct dump dump = {.n = 0};

	put_header(&dump);
	put_load(&dump, 10, 0x1000, 16, 1, "early");
	put_load(&dump, 30, 0x1000, 8, 2, "latest"); /* written before, but made after the next */
	put_load(&dump, 20, 0x1004, 8, 3, "middle");
	put_move(&dump, 40, 0x1004, 0x2000, 8, 3);
	put_u32(&dump, 2); /* debug info: skipped by its size */
	put_u32(&dump, 24);
	put_u64(&dump, 41);
	put_u64(&dump, 0);
	put_u32(&dump, 3); /* close */
	put_u32(&dump, 16);
	put_u64(&dump, 50);
	put_load(&dump, 60, 0x3000, 8, 4, "after the close");
	return dump;
}

static void test_jitdump_replays_in_order_of_time(void **state)
{
	struct dump dump = make_dump();
	struct lode_symtab symtab = {0};
	struct lode_arena arena = {0};

	(void)state;
	assert_int_equal(lode_jitdump_parse(&symtab, &arena, NULL, dump.bytes, dump.n, "d", NULL),
			 0);
	lode_symtab_settle(&symtab, LODE_SYMTAB_LAST_WINS);
	assert_string_equal(name_at(&symtab, 0x1000), "latest");
	assert_string_equal(name_at(&symtab, 0x1007), "latest");
	assert_string_equal(name_at(&symtab, 0x1008), "middle");
	assert_string_equal(name_at(&symtab, 0x100c), "early");
	assert_string_equal(name_at(&symtab, 0x2000), "middle");
	assert_string_equal(name_at(&symtab, 0x3000), "-");
	lode_symtab_release(&symtab);
	lode_arena_release(&arena);
}

/* Which function is at an address at a time, obviously: the last one that covers it. */
struct loaded {
	uint64_t time, start, size;
	char name[8];
};

static const char *loaded_at(const struct loaded *loads, size_t n, uint64_t time, uint64_t address)
{
	const char *name = "-";

	for (size_t i = 0; i < n; i++)
		if (loads[i].time <= time && loads[i].start <= address &&
		    address < loads[i].start + loads[i].size)
			name = loads[i].name;
	return name;
}

/* As the reader of recordings: the process's maps lead to the table. */
static const char *found_at(const struct lode_spaces *spaces, const struct lode_symtab *symtab,
			    uint64_t address)
{
	struct lode_place place;

	assert_true(lode_spaces_find(spaces, 1234, address, &place));
	return name_at(symtab, place.address);
}

enum { CODE = 0x1000, CODE_BYTES = 64, LOADS = 12 };

static struct dump random_loads(struct loaded *loads, size_t n, struct test_random *random)
{
	struct dump dump = {.n = 0};
	uint64_t time = 10;

	put_header(&dump);
	for (size_t i = 0; i < n; i++) {
		struct loaded *load = &loads[i];

		time += test_random_below(random, 3);
		load->time = time;
		load->size = 1 + test_random_below(random, 16);
		load->start = CODE + test_random_below(random, (uint32_t)(CODE_BYTES - load->size));
		snprintf(load->name, sizeof(load->name), "f%u", test_random_below(random, 6));
		if (i && !test_random_below(random, 4)) {
			*load = loads[test_random_below(random, (uint32_t)i)]; /* again */
			load->time = time;
		}
		put_load(&dump, time, load->start, load->size, i, load->name);
	}
	return dump;
}

static void check_turns(struct lode_perf_jit *jit, const struct lode_symtab *symtab,
			const struct loaded *loads, size_t n, uint64_t seed)
{
	struct test_random random_state = {seed}, *random = &random_state;
	struct lode_spaces *spaces = lode_spaces_new();

	lode_spaces_mmap(spaces, 1234, CODE, CODE_BYTES, CODE, 0);
	for (uint64_t time = 9; time < 10 + 3 * LOADS; time++) {
		lode_perf_jit_advance(jit, spaces, (int64_t)time);
		if (!test_random_below(random, 3)) {
			lode_spaces_mmap(spaces, 1234, CODE + 8, 24, CODE + 8, 0);
			lode_perf_jit_mapped(jit, spaces, 1234, CODE + 8, 24);
		}
		for (uint64_t address = CODE; address < CODE + CODE_BYTES; address++) {
			const char *want = loaded_at(loads, n, time, address);

			/* Before the first one is there, what comes may be seen. */
			if (strcmp(want, "-") != 0 &&
			    strcmp(want, found_at(spaces, symtab, address)) != 0)
				fail_msg("seed %llu, time %llu, address %#llx: not %s",
					 (unsigned long long)seed, (unsigned long long)time,
					 (unsigned long long)address, want);
		}
	}
	lode_spaces_free(spaces);
}

static void test_functions_that_share_addresses_take_turns(void **state)
{
	struct scratch scratch;
	const char *path;
	size_t n_turns = 0;

	(void)state;
	scratch_make(&scratch);
	path = scratch_path(&scratch, "jit-1234.dump");
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct test_random random = {seed};
		const struct lode_dso_key key = {
			.kind = LODE_DSO_USER, .path = path, .pid = 1234, .recording = path};
		struct lode_symbol_options options = {0};
		struct lode_symboliser *symboliser;
		struct loaded loads[LOADS];
		size_t n = 1 + test_random_below(&random, LOADS);
		struct dump dump = random_loads(loads, n, &random);
		struct lode_perf_jit jit = {.next_ns = INT64_MAX};
		struct lode_symtab symtab = {0};
		struct lode_arena arena = {0};

		scratch_write(path, dump.bytes, dump.n);
		assert_int_equal(lode_symboliser_new(&symboliser, &options, NULL), 0);
		lode_perf_jit_add(&jit, lode_symboliser_dso(symboliser, &key), 1234, 0);
		assert_int_equal(lode_jitdump_parse(&symtab, &arena, NULL, dump.bytes, dump.n, "d",
						    NULL),
				 0);
		lode_symtab_settle(&symtab, LODE_SYMTAB_LAST_WINS);
		check_turns(&jit, &symtab, loads, n, seed);
		n_turns += jit.processes.n;
		lode_perf_jit_release(&jit);
		lode_symtab_release(&symtab);
		lode_arena_release(&arena);
		lode_symboliser_free(symboliser);
	}
	assert_true(n_turns > 50);
	scratch_remove(&scratch);
}

/* A recording of a process whose functions f0, f1, f2 were at one address in turn. */
static void image_of_turns(struct perf_image *image, const char *dump_path, bool is_monotonic)
{
	static const uint64_t chain[] = {PERF_CONTEXT_USER, CODE};
	struct perf_image_event event = perf_image_clock();

	event.flags |= (uint64_t)is_monotonic << 25;
	event.clockid = CLOCK_MONOTONIC;
	*image = (struct perf_image){.command = "prog"};
	lode_vec_append(&image->events, event);
	perf_put_mmap(&image->records, &event, 1234, CODE, CODE_BYTES, "//anon", 1);
	perf_put_mmap(&image->records, &event, 1234, 0x70000000, 0x1000, dump_path, 2);
	for (uint64_t time = 100; time < 700; time += 100) {
		struct perf_image_sample s = {.pid = 1234,
					      .tid = 1234,
					      .time = time + 50,
					      .period = 1,
					      .chain = chain,
					      .n_chain = 2};

		perf_put_sample(&image->records, &event, &s, 0);
	}
}

/* The functions of the samples, in order: "f0 f0 f1 ...". */
static void functions_of(char *out, size_t size, const struct perf_image *image)
{
	const struct lode_symbol_options symbols = {0};
	struct lode_source_options options = {.narrow = lode_narrow_none, .n_threads = 1};
	perf_bytes bytes = perf_image_write(image);
	struct lode_stream *stream;
	struct lode_input *input;
	const struct lode_events *events;
	char path[64];
	int fd = perf_memory_file(bytes.at, bytes.n, path);

	*out = '\0';
	assert_int_equal(lode_symboliser_new(&options.symboliser, &symbols, NULL), 0);
	assert_int_equal(lode_input_open(&input, path, NULL), 0);
	assert_int_equal(lode_format_perf.load(&stream, input, &options, NULL), 0);
	events = &perf_image_thread(stream, 1234)->events;
	for (size_t i = 0; i < events->n; i++) {
		uint32_t frame = stream->tree.nodes.at[events->stack[i]].frame;
		size_t used = strlen(out);

		snprintf(out + used, size - used, "%s%s", used ? " " : "",
			 lode_frame_function(&stream->tree, frame));
	}
	lode_stream_free(stream);
	lode_input_close(input);
	lode_symboliser_free(options.symboliser);
	lode_vec_release(&bytes);
	close(fd);
}

static void test_recordings_with_the_clock_of_a_jitdump_name_functions_by_time(void **state)
{
	struct dump dump = {.n = 0};
	struct perf_image image;
	struct scratch scratch;
	const char *path;
	char names[200];

	(void)state;
	scratch_make(&scratch);
	path = scratch_path(&scratch, "jit-1234.dump");
	put_header(&dump);
	put_load(&dump, 100, CODE, 16, 1, "f0");
	put_load(&dump, 300, CODE, 16, 2, "f1");
	put_load(&dump, 600, CODE, 16, 3, "f2");
	scratch_write(path, dump.bytes, dump.n);
	image_of_turns(&image, path, true);
	functions_of(names, sizeof(names), &image);
	assert_string_equal(names, "f0 f0 f1 f1 f1 f2");
	perf_image_release(&image);
	/* Times of another clock say nothing: the last one counts. */
	image_of_turns(&image, path, false);
	functions_of(names, sizeof(names), &image);
	assert_string_equal(names, "f2 f2 f2 f2 f2 f2");
	perf_image_release(&image);
	scratch_remove(&scratch);
}

static void test_maps_of_processes_that_run_belong_to_what_they_recorded(void **state)
{
	struct scratch scratch;
	struct utsname self;
	const char *recording;
	char map[64];
	struct timespec long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
	int fd;

	(void)state;
	scratch_make(&scratch);
	recording = scratch_path(&scratch, "perf.data");
	scratch_write(recording, "x", 1);
	assert_int_equal(uname(&self), 0);
	assert_true(lode_process_was_recorded(getpid(), self.nodename, recording));
	assert_false(lode_process_was_recorded(getpid(), "another host", recording));
	assert_false(lode_process_was_recorded(INT32_MAX, self.nodename, recording));
	assert_int_equal(utimensat(AT_FDCWD, recording, long_ago, 0), 0);
	assert_false(lode_process_was_recorded(getpid(), self.nodename, recording));
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)getpid());
	scratch_write(map, "1000 10 f\n", 10);
	fd = lode_process_map_open(getpid());
	unlink(map);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(lode_process_map_open(getpid()), -1);
	scratch_remove(&scratch);
}

static void test_every_prefix_and_every_flipped_byte_of_a_jitdump_is_survived(void **state)
{
	struct dump dump = make_dump();

	(void)state;
	for (size_t n = 0; n < 2 * dump.n; n++) {
		struct lode_symtab symtab = {0};
		struct lode_arena arena = {0};
		size_t size = n < dump.n ? n : dump.n;
		uint8_t *copy = malloc(size ? size : 1);
		int rc;

		memcpy(copy, dump.bytes, size);
		if (n >= dump.n)
			copy[n - dump.n] ^= 0xff;
		rc = lode_jitdump_parse(&symtab, &arena, NULL, copy, size, "d", NULL);
		assert_true(rc == 0 || rc == LODE_ERR_FORMAT);
		assert_int_equal(rc == 0, symtab.entries.n > 0);
		lode_symtab_settle(&symtab, LODE_SYMTAB_LAST_WINS);
		lode_symtab_release(&symtab);
		lode_arena_release(&arena);
		free(copy);
	}
}

static void test_names_of_dump_files(void **state)
{
	(void)state;
	assert_int_equal(lode_jit_dump_pid("/home/u/.debug/jit/x/jit-1234.dump"), 1234);
	assert_int_equal(lode_jit_dump_pid("jit-7.dump"), 7);
	assert_int_equal(lode_jit_dump_pid("/tmp/jit-7.dump.old"), 0);
	assert_int_equal(lode_jit_dump_pid("/tmp/jit-.dump"), 0);
	assert_int_equal(lode_jit_dump_pid("/tmp/jit--7.dump"), 0);
	assert_int_equal(lode_jit_dump_pid("/tmp/jit-99999999999999999999.dump"), 0);
	assert_int_equal(lode_jit_dump_pid("/usr/lib/libjit-1.so"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_map_lines),
		cmocka_unit_test(test_a_map_without_functions_is_an_error),
		cmocka_unit_test(test_jitdump_replays_in_order_of_time),
		cmocka_unit_test(test_functions_that_share_addresses_take_turns),
		cmocka_unit_test(
			test_recordings_with_the_clock_of_a_jitdump_name_functions_by_time),
		cmocka_unit_test(test_maps_of_processes_that_run_belong_to_what_they_recorded),
		cmocka_unit_test(test_every_prefix_and_every_flipped_byte_of_a_jitdump_is_survived),
		cmocka_unit_test(test_names_of_dump_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
