/*
 * Any bytes at all as one file of a uftrace directory, whose other files are good ones. The first
 * byte tells which: d 100.dat, p perf-cpu0.dat, t task.txt, m the map, s the symbols, i info.
 */
#include "fuzz/fuzz.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz_calls.h"

static char dir[] = "/tmp/lode-fuzz-uftrace-XXXXXX";

struct file {
	char letter;
	const char *name;
	const char *content;
	size_t size;
};

#define TEXT(text) text, sizeof(text) - 1
static const struct file files[] = {
	{'i', "info",
	 TEXT("Ftrace!\0\4\0\0\0\x28\0\1\2\x62\3\0\0\0\0\0\0\xff\x3b\0\0\0\0\0\0\0\4\0\0\0\0\0\0"
	      "cmdline:uftrace record ./demo\n")},
	{'t', "task.txt",
	 TEXT("SESS timestamp=1.000000001 pid=100 sid=ab exename=\"./demo\"\n"
	      "TASK timestamp=1.000000002 tid=100 pid=100\n")},
	{'m', "sid-ab.map", TEXT("400000-405000 r-xp 00000000 00:00 0   /opt/demo\n")},
	{'s', "demo.sym",
	 TEXT("# path name: /opt/demo\n0000000000001000 T main\n0000000000001100 T f\n")},
	{'d', "100.dat",
	 TEXT("\x40\x42\x0f\0\0\0\0\0\x28\0\4\x10\x40\0\0\0" /* > main */
	      "\x41\x42\x0f\0\0\0\0\0\x29\0\4\x10\x40\0\0\0" /* < main */)},
	{'p', "perf-cpu0.dat", TEXT("")},
};
#define N_FILES (sizeof(files) / sizeof(*files))

static const char *path_of(const struct file *file)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, file->name);
	return path;
}

static void write_file(const struct file *file, const void *data, size_t size)
{
	FILE *f = fopen(path_of(file), "wb");

	FUZZ_CHECK(f && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

static void clean(void)
{
	for (size_t i = 0; i < N_FILES; i++)
		unlink(path_of(&files[i]));
	rmdir(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool is_made;
	size_t which = 0;

	if (!is_made) {
		is_made = mkdtemp(dir) != NULL;
		FUZZ_CHECK(is_made);
		atexit(clean);
		for (size_t i = 0; i < N_FILES; i++)
			write_file(&files[i], files[i].content, files[i].size);
	}
	while (which < N_FILES && size && files[which].letter != (char)data[0])
		which++;
	if (!size || which == N_FILES)
		return 0;
	write_file(&files[which], data + 1, size - 1);
	fuzz_call_path(dir, size + 64);
	write_file(&files[which], files[which].content, files[which].size);
	return 0;
}
