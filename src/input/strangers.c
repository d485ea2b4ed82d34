/* Recognises what other tools write and lode does not read. */
#include "input/strangers.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/input.h"
#include "base/slice.h"

#define RECORD	 "record with 'lode record'"
#define FOLDED	 "its samples can be given as folded stacks, one line for each: 'main;read 12'"
#define ORIGINAL "give the recording that it was made of"
#define ONE_MOMENT \
	"it shows one moment; record the program while it runs, with 'lode record --pid PID'"
#define SAR                                                                                        \
	"'sadf -d FILE -- -A >counters.txt' (or 'sadf -j') prints for 'lode pio' what sar has in " \
	"FILE, recorded by 'sar -o FILE 1' or found in /var/log/sysstat"

/* ---- Binary formats ---- */

/* Messages of protobuf, one behind the other: field 1, its length, its bytes. How many are seen. */
static size_t count_messages(const uint8_t *head, size_t size)
{
	size_t at = 0, n = 0;

	while (at + 3 < size && head[at] == 0x0a) {
		size_t length = 0;
		unsigned shift = 0;

		for (at++; at < size && shift < 28; shift += 7) {
			length |= (size_t)(head[at] & 0x7f) << shift;
			if (!(head[at++] & 0x80))
				break;
		}
		n++;
		at += length;
	}
	return n;
}

/* Packets, and nothing else. A profile's first fields are pairs of small numbers. */
static bool is_perfetto(struct lode_slice head)
{
	const uint8_t *at = (const uint8_t *)head.at;

	return head.len > 4 && at[2] != 0x08 && count_messages(at, head.len) >= 3;
}

static bool is_profile(struct lode_slice head)
{
	const uint8_t *at = (const uint8_t *)head.at;

	return head.len > 6 && at[0] == 0x0a && at[1] <= 8 && at[2] == 0x08 &&
	       count_messages(at, head.len) >= 1;
}

/* A buffer's header of 72 bytes, and the first event's: version 2, of the system, traced. */
static bool is_etl(struct lode_slice head)
{
	const char *event = head.at + 72;

	return head.len > 80 && head.at[0] == 0 && event[0] == 2 && event[1] == 0 &&
	       (event[2] == 1 || event[2] == 2) && (uint8_t)event[3] == 0xc0;
}

static bool is_elf_type(struct lode_slice head, uint8_t type)
{
	return head.len > 18 && lode_slice_begins(head, "\177ELF") &&
	       ((uint8_t)head.at[16] == type || (uint8_t)head.at[17] == type);
}

static bool is_core(struct lode_slice head)
{
	return is_elf_type(head, 4);
}

static bool is_program(struct lode_slice head)
{
	return is_elf_type(head, 1) || is_elf_type(head, 2) || is_elf_type(head, 3);
}

static bool is_tar(struct lode_slice head)
{
	return head.len > 262 && !memcmp(head.at + 257, "ustar", 5);
}

/* A repository of lode's (docs/formats/repository.md): an SQLite file with its application's id. */
static bool is_repository(struct lode_slice head)
{
	return head.len >= 72 && lode_slice_begins(head, "SQLite format 3") &&
	       !memcmp(head.at + 68, "lode", 4);
}

/* The names of a workbook's parts stand in a zip's headers. */
static bool is_workbook(struct lode_slice head)
{
	return lode_slice_begins(head, "PK\3\4") &&
	       (lode_slice_find(head, "xl/") || lode_slice_find(head, "[Content_Types].xml"));
}

/* ---- Text ---- */

static struct lode_slice first_line(struct lode_slice head)
{
	const char *feed = memchr(head.at, '\n', head.len);

	return feed ? lode_slice_between(head.at, feed) : head;
}

/* "execve("/bin/ls", ["ls"], 0x7ffe8f2a1f60) = 0", after a pid or a time or none; or -c's table. */
static bool is_strace(struct lode_slice head)
{
	struct lode_slice line = first_line(head);
	const char *call = memchr(line.at, '(', line.len), *result = lode_slice_find(line, " = ");

	if (lode_slice_begins(line, "% time") && lode_slice_ends(line, "syscall"))
		return true;
	while (result && result > line.at && *result == ' ')
		result--;
	return call && call > line.at && lode_is_word(call[-1]) && result && result > call &&
	       *result == ')';
}

/* "Linux 6.1.0-18-amd64 (web-1)  11/27/26  _x86_64_  (8 CPU)" */
static bool is_sysstat(struct lode_slice head)
{
	struct lode_slice line = lode_slice_trim(first_line(head));

	return lode_slice_begins(line, "Linux ") && lode_slice_ends(line, " CPU)");
}

static bool is_pidstat(struct lode_slice head)
{
	return is_sysstat(head) && lode_slice_find(head, " PID ");
}

static bool is_iostat(struct lode_slice head)
{
	return is_sysstat(head) &&
	       (lode_slice_find(head, "avg-cpu:") || lode_slice_find(head, "\nDevice"));
}

static bool is_vmstat(struct lode_slice head)
{
	return lode_slice_begins(head, "procs -") && lode_slice_find(head, "swpd");
}

/* "bash-123 [000] d..1. 1234.567890: sched_switch: ...", of ftrace or trace-cmd. */
static bool is_ftrace(struct lode_slice head)
{
	return lode_slice_begins(head, "# tracer: ") || lode_slice_begins(head, "cpus=") ||
	       (lode_slice_begins(head, "CPU ") && lode_slice_ends(first_line(head), " is empty"));
}

static bool is_gprof(struct lode_slice head)
{
	return lode_slice_begins(head, "gmon") || lode_slice_begins(head, "Flat profile:");
}

static bool is_callgrind(struct lode_slice head)
{
	return lode_slice_begins(head, "# callgrind format") ||
	       lode_slice_find(first_line(head), "creator: callgrind") ||
	       lode_slice_begins(head, "version: 1\ncreator: callgrind");
}

static bool is_perf_report(struct lode_slice head)
{
	return *head.at == '#' && lode_slice_find(head, "# Overhead");
}

static bool is_perf_stat(struct lode_slice head)
{
	return lode_slice_find(head, "Performance counter stats for") != NULL;
}

static bool is_thread_dump(struct lode_slice head)
{
	return lode_slice_find(head, "Full thread dump") ||
	       (lode_slice_begins(head, "Thread ") && lode_slice_find(head, "\n#0 "));
}

static bool is_symptom_table(struct lode_slice head)
{
	return lode_slice_begins(head, "stream\t");
}

static bool is_speedscope(struct lode_slice head)
{
	return lode_slice_find(head, "www.speedscope.app/file-format-schema");
}

static bool is_cpuprofile(struct lode_slice head)
{
	return *head.at == '{' && lode_slice_find(head, "\"callFrame\"");
}

static bool is_firefox(struct lode_slice head)
{
	return *head.at == '{' && lode_slice_find(head, "\"preprocessedProfileVersion\"");
}

static bool is_page(struct lode_slice head)
{
	struct lode_slice text = lode_slice_trim(head);

	return lode_slice_begins(text, "<!DOCTYPE html") ||
	       lode_slice_begins(text, "<!doctype html") || lode_slice_begins(text, "<html");
}

static bool is_lode_page(struct lode_slice head)
{
	return is_page(head) && lode_slice_find(head, "<title>lode</title>");
}

static bool is_lode_model(struct lode_slice head)
{
	return lode_slice_find(head, "\"lode/pio-model/");
}

static bool is_lode_report(struct lode_slice head)
{
	return lode_slice_begins(lode_slice_trim(head), "{") &&
	       (lode_slice_find(head, "\"schema\": \"lode/") ||
		lode_slice_find(head, "\"schema\":\"lode/"));
}

static bool is_signature_file(struct lode_slice head)
{
	return lode_slice_begins(head, "# Performance signatures: lode sign ") ||
	       lode_slice_begins(head, "format: lode/signatures/");
}

static bool is_flame_graph(struct lode_slice head)
{
	return *head.at == '<' && lode_slice_find(head, "<svg");
}

static bool is_bpftrace(struct lode_slice head)
{
	return lode_slice_begins(head, "Attaching ") || lode_slice_begins(head, "@[");
}

/* ---- All ---- */

struct stranger {
	const char *magic; /* NULL: `is` */
	size_t n_magic;
	bool (*is)(struct lode_slice head);
	const char *name, *advice;
	const char *for_pio; /* NULL: what it wants */
	bool is_read;	     /* once the advice is followed */
};

#define MAGIC(bytes)	bytes, sizeof(bytes) - 1, NULL
#define CHECK(function) NULL, 0, function
#define UNPACK		"unpack it first", "unpack it first", true

#define DIGEST	"\x8flode\r\n\n"
#define INDEX	"LODETML"
#define MINE_IT "'lode mine' reads it, and so do diff, coverage, next and triage"
#define SHOW_IT "'lode timeline' reads it"
#define GIVE_IT "give it with -m, as in 'lode pio -m FILE'"

/* What is asked first is the more special. */
static const struct stranger strangers[] = {
	/* What lode stores, and what reads it. */
	{MAGIC(DIGEST), "a digest of lode", MINE_IT, MINE_IT, true},
	{MAGIC(INDEX), "an index of function calls", SHOW_IT, SHOW_IT, true},
	{CHECK(is_lode_model), "a model of lode pio", GIVE_IT, GIVE_IT, true},
	{CHECK(is_lode_page), "a page of lode", "open it in a browser", "open it in a browser",
	 true},
	{CHECK(is_lode_report), "a report of lode as JSON, which no command reads", ORIGINAL,
	 "give what it was made of", true},
	{MAGIC("lode-pio-watch "), "the state of 'lode pio watch'", "give it with --state FILE",
	 "give it with --state FILE", true},
	{CHECK(is_signature_file), "a list of signatures", "give it with --signatures FILE", NULL,
	 true},
	{CHECK(is_tar), "a tar archive", UNPACK},
	{CHECK(is_workbook), "an Excel workbook", "save its sheet as CSV", "save its sheet as CSV",
	 true},
	{MAGIC("PK\3\4"), "a zip archive", UNPACK},
	{MAGIC("PK\5\6"), "an empty zip archive", UNPACK},
	{MAGIC("BZh"), "data packed with bzip2", UNPACK},
	{MAGIC("7z\xbc\xaf\x27\x1c"), "a 7z archive", UNPACK},
	{MAGIC("Rar!"), "a RAR archive", UNPACK},
	{MAGIC("\x04\x22\x4d\x18"), "data packed with lz4", UNPACK},
	{MAGIC("\x17\x08\x44tracing"), "a recording of trace-cmd",
	 RECORD ", or give function_graph as text, 'trace-cmd report FILE >trace.txt'", NULL},
	{MAGIC("\xc1\x1f\xfc\xc1"), "a CTF trace (LTTng)", RECORD, NULL},
	{MAGIC("\x75\xd1\x1d\x57"), "metadata of a CTF trace (LTTng)", RECORD, NULL},
	{MAGIC("\x57\x1d\xd1\x75"), "metadata of a CTF trace (LTTng)", RECORD, NULL},
	{MAGIC("/* CTF "), "metadata of a CTF trace (LTTng)", RECORD, NULL},
	{MAGIC("FLR\0"), "a recording of Java Flight Recorder",
	 "'jfrconv -o collapsed FILE stacks.folded' (async-profiler) converts its samples; for "
	 "waits, record the JVM with 'lode record --pid PID'",
	 NULL},
	{CHECK(is_etl), "a Windows trace (ETL)", FOLDED, NULL},
	{CHECK(is_profile), "a pprof profile", ORIGINAL ", or its samples as folded stacks", NULL},
	{CHECK(is_perfetto), "a Perfetto trace",
	 "'traceconv json FILE trace.json' converts it for 'lode timeline'", NULL},
	{CHECK(is_core), "a core dump", ONE_MOMENT, NULL},
	{CHECK(is_program), "a program or a library",
	 "'lode record PROGRAM' runs a program and records it", NULL},
	{CHECK(is_gprof), "a profile of gprof", RECORD, NULL},
	{MAGIC("\xd4\xc3\xb2\xa1"), "a capture of network packets", RECORD, NULL},
	{MAGIC("\xa1\xb2\xc3\xd4"), "a capture of network packets", RECORD, NULL},
	{MAGIC("\x0a\x0d\x0d\x0a"), "a capture of network packets", RECORD, NULL},
	{MAGIC("LPKSHHRH"), "a journal of systemd", RECORD,
	 "'journalctl -o cat -u UNIT >requests.log' gives what a server wrote"},
	{MAGIC("__CURSOR="), "a journal of systemd", RECORD,
	 "'journalctl -o cat -u UNIT >requests.log' gives what a server wrote"},
	{MAGIC("%PDF"), "a PDF document", ORIGINAL, NULL},
	{MAGIC("\x89PNG"), "an image", ORIGINAL, NULL},
	{CHECK(is_repository), "a repository",
	 "give it with --repo, as in 'lode repo show --repo FILE' or 'lode mine --repo FILE'",
	 "give it with --repo, as in 'lode repo show --repo FILE'", true},
	{MAGIC("SQLite format 3"), "an SQLite database", RECORD, NULL},
	{CHECK(is_strace), "output of strace", "record with 'lode record --syscalls'", NULL},
	{CHECK(is_pidstat), "the printed output of pidstat", "for threads and processes, " RECORD,
	 SAR},
	{CHECK(is_iostat), "the printed output of iostat", SAR, SAR},
	{CHECK(is_sysstat), "the printed output of sar", SAR, SAR},
	{CHECK(is_vmstat), "output of vmstat", SAR, SAR},
	{CHECK(is_ftrace), "event text of ftrace or trace-cmd",
	 RECORD "; of this text only function_graph is read, by 'lode timeline'", NULL},
	{CHECK(is_callgrind), "a profile of Callgrind", RECORD, NULL},
	{CHECK(is_perf_report), "what 'perf report' printed",
	 "give perf.data itself, or the text of 'perf script'", NULL},
	{CHECK(is_perf_stat), "what 'perf stat' printed", RECORD, NULL},
	{CHECK(is_thread_dump), "a dump of threads' stacks", ONE_MOMENT, NULL},
	{CHECK(is_symptom_table), "a table of symptoms", "give it with --symptoms FILE", NULL,
	 true},
	{CHECK(is_speedscope), "a speedscope profile", ORIGINAL ", or its samples as folded stacks",
	 NULL},
	{CHECK(is_cpuprofile), "a CPU profile of V8",
	 "record with 'lode record node --perf-basic-prof SCRIPT'; a trace of DevTools or Node "
	 "is read by 'lode timeline'",
	 NULL},
	{CHECK(is_firefox), "a profile of Firefox Profiler",
	 ORIGINAL ", or its samples as folded stacks", NULL},
	{CHECK(is_bpftrace), "output of bpftrace",
	 "'stackcollapse-bpftrace.pl FILE >stacks.folded' (FlameGraph) makes folded stacks of it",
	 NULL},
	{CHECK(is_flame_graph), "an SVG image",
	 "give the folded stacks that a flame graph was made of", NULL},
	{CHECK(is_page), "an HTML page", ORIGINAL, NULL},
	{MAGIC("<?xml"), "XML", ORIGINAL, NULL},
};

const char *lode_stranger_words(char *text, size_t size, const uint8_t *head, size_t n_head,
				const char *wanted)
{
	struct lode_slice bytes = {(const char *)head, n_head};

	for (size_t i = 0; n_head && i < sizeof(strangers) / sizeof(*strangers); i++) {
		const struct stranger *s = &strangers[i];

		if (s->is ? !s->is(bytes)
			  : n_head < s->n_magic || memcmp(head, s->magic, s->n_magic) != 0)
			continue;
		snprintf(text, size, "%s%s%s: %s", s->is_read ? "this is " : "", s->name,
			 s->is_read ? "" : ", which lode does not read",
			 !wanted      ? s->advice
			 : s->for_pio ? s->for_pio
				      : wanted);
		return text;
	}
	return NULL;
}

/* ---- Folders ---- */

static bool begins_with(const char *path, const char *magic)
{
	char head[8];
	struct lode_input *input;
	struct lode_slice bytes = {head, 0};
	struct stat st;
	ssize_t n;

	if (stat(path, &st) || !S_ISREG(st.st_mode) ||
	    lode_input_open_found(&input, path, NULL) < 0)
		return false;
	n = lode_input_peek(input, head, sizeof(head), NULL);
	lode_input_close(input);
	bytes.len = n > 0 ? (size_t)n : 0;
	return lode_slice_begins(bytes, magic);
}

static bool is_ctf_metadata(const char *path)
{
	return begins_with(path, "/* CTF ") || begins_with(path, "\x75\xd1\x1d\x57") ||
	       begins_with(path, "\x57\x1d\xd1\x75");
}

/* LTTng's are in kernel/ and ust/uid/1000/64-bit/. LIMIT: `n_left` folders are looked into. */
static bool has_ctf_metadata(const char *folder, unsigned depth, unsigned *n_left)
{
	char *metadata = lode_path_join(folder, "metadata");
	bool is_there = is_ctf_metadata(metadata);
	lode_path_list paths = {0};
	struct stat st;

	free(metadata);
	if (is_there || !depth)
		return is_there;
	(void)lode_folder_list(&paths, folder, NULL);
	for (size_t i = 0; i < paths.n && !is_there && *n_left; i++)
		if (lstat(paths.at[i], &st) == 0 && S_ISDIR(st.st_mode)) {
			--*n_left;
			is_there = has_ctf_metadata(paths.at[i], depth - 1, n_left);
		}
	lode_path_list_release(&paths);
	return is_there;
}

static bool has_file(const char *folder, const char *magic)
{
	lode_path_list paths = {0};
	bool is_there = false;

	(void)lode_folder_list(&paths, folder, NULL);
	for (size_t i = 0; i < paths.n && !is_there; i++)
		is_there = begins_with(paths.at[i], magic);
	lode_path_list_release(&paths);
	return is_there;
}

const char *lode_stranger_folder_words(const char *path)
{
	enum { LTTNG_DEPTH = 5, MAX_FOLDERS = 100 };
	unsigned n_left = MAX_FOLDERS;

	if (has_file(path, DIGEST))
		return "this is a folder of digests: " MINE_IT;
	if (has_file(path, INDEX))
		return "this folder has indices of function calls: give one to 'lode timeline'";
	return has_ctf_metadata(path, LTTNG_DEPTH, &n_left)
		       ? "a CTF trace (LTTng), which lode does not read: " RECORD
		       : NULL;
}
