/* Finds running processes to record. */
#include "record/targets.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"

/* The process that a thread belongs to; 0: there is no such thread. */
static int32_t process_of(int32_t pid)
{
	char path[64], line[256];
	int32_t process = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);
	in = fopen(path, "re");
	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "Tgid: %" SCNd32, &process) == 1)
			break;
	if (in)
		fclose(in);
	return process;
}

int lode_targets_check(const int32_t *pids, size_t n, struct lode_error *err)
{
	for (size_t i = 0; i < n; i++) {
		int32_t process = process_of(pids[i]);

		if (!process)
			return lode_fail(err, LODE_ERR_ARG, NULL, -1, "--pid: no process %" PRId32,
					 pids[i]);
		if (process != pids[i])
			return lode_fail(err, LODE_ERR_ARG, NULL, -1,
					 "--pid: %" PRId32 " is a thread of process %" PRId32
					 "; give the process id",
					 pids[i], process);
	}
	return 0;
}

char *lode_targets_text(const int32_t *pids, size_t n)
{
	enum { NUMBER_BYTES = 12 };
	size_t size = n * NUMBER_BYTES + 1, at = 0;
	char *text = lode_alloc0(size, 1);

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%" PRId32, i ? "," : "", pids[i]);
	return text;
}

void lode_target_name(char *name, size_t size, int32_t pid)
{
	char path[64];
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/comm", pid);
	in = fopen(path, "re");
	if (!in || !fgets(name, (int)size, in))
		snprintf(name, size, "system");
	if (in)
		fclose(in);
	name[strcspn(name, "\n")] = '\0';
	for (char *c = name; *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ')
			*c = '_';
	if (!name[0] || name[0] == '.')
		snprintf(name, size, "system");
}
