/* Large blocks of memory on pages of temporary files, once memory is short. */
#include "base/memory_bound.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory_limit.h"
#include "base/sanitized.h"
#include "base/temporary_folder.h"
#include "base/unnamed_file.h"

/* Below this the program itself, its libraries and a block per thread would be too much. */
static const size_t least_refused_bytes = (size_t)64 << 20;

static atomic_size_t bound;	  /* 0: none */
static atomic_size_t asked_bytes; /* of large blocks, ever: while few, no look is needed */
static atomic_size_t filed_bytes; /* of those, in files */

/* Where blocks in files are: none that was freed, whose place may be another's by now. */
enum { MAX_BLOCKS = 1 << 14, PIECE_BYTES = 4 << 20 };
struct filed_block {
	uintptr_t begin; /* of its whole pages */
	size_t size;
};
static struct {
	pthread_mutex_t lock;
	struct filed_block at[MAX_BLOCKS];
	atomic_size_t n;
	size_t next, done; /* block and bytes of it where taking away goes on */
	bool is_begun;
	/* Since memory was short first: the program's own files that were resident then; and what
	   is open, or -1. */
	atomic_size_t other_bytes;
	atomic_int usage, faults;
} blocks = {.lock = PTHREAD_MUTEX_INITIALIZER, .usage = -1, .faults = -1};

/* A child that is forked has the parent's blocks too, and must leave their pages alone: those of
   files are shared. Its own threads and timers begin again once its memory is short. */
static void begin_child(void)
{
	pthread_mutex_init(&blocks.lock, NULL);
	blocks.n = 0;
	blocks.next = blocks.done = 0;
	blocks.is_begun = false;
	blocks.usage = -1;
	blocks.faults = -1;
	lode_memory_before_end(NULL, NULL);
}

static void __attribute__((constructor)) heed_forks(void)
{
	(void)pthread_atfork(NULL, NULL, begin_child);
}

void lode_memory_keep_to(size_t bound_bytes)
{
	atomic_store(&bound, bound_bytes);
}

size_t lode_memory_bound(void)
{
	return atomic_load(&bound);
}

size_t lode_memory_in_files(void)
{
	return atomic_load(&filed_bytes);
}

/* What the process has, by the kernel's count; all 0: not known. */
struct usage {
	size_t resident;
	size_t own;	/* of this, pages of no file: the kernel cannot take them */
	size_t granted; /* pages of no file that it may write to, used or not yet */
};

static int open_usage(void)
{
	return open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

static struct usage usage_of(int fd)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), shared;
	struct usage usage = {0};
	char text[128], *end;
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return usage;
	text[n] = '\0';
	(void)strtoull(text, &end, 10); /* address space */
	usage.resident = strtoull(end, &end, 10) * page_bytes;
	shared = strtoull(end, &end, 10) * page_bytes;
	if (usage.resident > shared)
		usage.own = usage.resident - shared;
	(void)strtoull(end, &end, 10); /* code */
	(void)strtoull(end, &end, 10); /* always 0 */
	usage.granted = strtoull(end, &end, 10) * page_bytes;
	return usage;
}

static struct usage read_usage(void)
{
	int fd = open_usage();
	struct usage usage = usage_of(fd);

	if (fd >= 0)
		close(fd);
	return usage;
}

/* Stacks of threads, in which next to nothing is used: part of what is granted. */
static size_t stack_bytes(void)
{
	pthread_attr_t attributes;
	struct stat tasks;
	size_t each = 0;

	/* Two links, and one for each thread; the first one's stack grows as it is used. */
	if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink <= 3)
		return 0;
	if (pthread_attr_init(&attributes) == 0) {
		(void)pthread_attr_getstacksize(&attributes, &each);
		pthread_attr_destroy(&attributes);
	}
	return each * (tasks.st_nlink - 3);
}

/* ---- The end ---- */

static struct {
	int (*act)(void *context);
	void *context;
	atomic_bool is_near;
} last;
static _Thread_local bool is_ending; /* this thread is the one that ends the process */

void lode_memory_before_end(int (*act)(void *context), void *context)
{
	last.act = act;
	last.context = context;
}

/* Another thread ends the process. */
static void wait_for_end(void)
{
	while (atomic_load_explicit(&last.is_near, memory_order_relaxed) && !is_ending)
		pause();
}

static void __attribute__((noreturn, format(printf, 1, 2))) give_up(const char *format, ...)
{
	va_list args;
	int code = 4;

	if (atomic_exchange(&last.is_near, true))
		wait_for_end();
	fputs("lode: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	if (last.act && !is_ending) {
		is_ending = true;
		code = last.act(last.context);
	}
	lode_temporary_abandon();
	_Exit(code);
}

static size_t mib(size_t bytes)
{
	return (bytes + ((size_t)1 << 20) - 1) >> 20;
}

/* `what`: of which `needed` bytes are needed, and more than `most` are not allowed. */
static void __attribute__((noreturn))
refuse(size_t needed, const char *what, size_t most, size_t bound_to_try)
{
	struct lode_memory_ceiling ceiling = lode_memory_ceiling("");

	if (bound_to_try <= ceiling.bytes / 4 * 3)
		give_up("at least %zu MiB of memory are needed%s, but --memory allows %zu MiB: try "
			"--memory %zuM",
			mib(needed), what, mib(most), mib(bound_to_try));
	/* By default the bound is half of what there is. */
	give_up("at least %zu MiB of memory are needed%s, but --memory allows %zu MiB and %s %zu "
		"MiB: try with %zu MiB for %s",
		mib(needed), what, mib(most), ceiling.of, mib(ceiling.bytes), mib(bound_to_try) * 2,
		ceiling.of);
}

/* ---- Taking pages away ---- */

/*
 * Only where MADV_RANDOM is not in effect does the kernel note which of the pages were used: those
 * that are used again and again stay in its cache longer than those used once.
 */
static void give_back(void *pages, size_t size)
{
	(void)madvise(pages, size, MADV_NORMAL);
	(void)madvise(pages, size, MADV_DONTNEED);
	(void)madvise(pages, size, MADV_RANDOM);
}

/*
 * The next piece of a block leaves the process; it stays in the kernel's cache, from where it comes
 * back without the disk as long as the kernel has room for it. (MADV_PAGEOUT would drop it from the
 * cache as well: what is looked up at random would be read from the disk all the time.) The lock,
 * which is held, keeps the block from being freed meanwhile: pages of other memory would be lost by
 * this. False at the end of a round through all blocks.
 */
static bool take_away(void)
{
	const struct filed_block *block;
	size_t size;

	if (blocks.next >= blocks.n) {
		blocks.next = blocks.done = 0;
		return false;
	}
	block = &blocks.at[blocks.next];
	size = block->size - blocks.done < PIECE_BYTES ? block->size - blocks.done : PIECE_BYTES;
	give_back((void *)(block->begin + blocks.done), size);
	blocks.done += size;
	if (blocks.done >= block->size) {
		blocks.next++;
		blocks.done = 0;
	}
	return true;
}

/*
 * What may be resident: pages of files from here on are given up. A quarter of the bound is left to
 * those that come in until the next look. Where the process's own memory takes most of the rest,
 * files keep a sixteenth: giving up all of them again and again would not help.
 */
static size_t kept_bytes(const struct usage *usage, size_t most)
{
	size_t kept = most / 4 * 3, least = usage->own + blocks.other_bytes + most / 16;

	return kept > least ? kept : least;
}

/* Gives up pages where there are too many, all of them once at most. A thread that looks meanwhile
   waits: it brings in no more. */
static size_t keep_to_bound(size_t most)
{
	int fd = atomic_load(&blocks.usage);
	struct usage usage = usage_of(fd);
	size_t kept = kept_bytes(&usage, most);
	int n_ends = 0;

	if (usage.resident <= kept)
		return usage.resident;
	pthread_mutex_lock(&blocks.lock);
	for (usage = usage_of(fd); usage.resident > kept && n_ends < 2; usage = usage_of(fd))
		n_ends += !take_away();
	pthread_mutex_unlock(&blocks.lock);
	return usage.resident;
}

/* How long until the next look: pages come in with up to some 16 GB/s where map_pages_one_by_one()
   has no effect. */
static long pause_ns(size_t resident, size_t most)
{
	enum { BYTES_PER_NS = 16, LEAST_NS = 250000, MOST_NS = 5000000 };
	size_t ns = resident < most ? (most - resident) / BYTES_PER_NS : MOST_NS;

	return ns < LEAST_NS ? LEAST_NS : ns > MOST_NS ? MOST_NS : (long)ns;
}

/*
 * Pages of files count as the process's own while it uses them, and without a cgroup the kernel
 * takes them away only when the machine has no others: so the process keeps to its bound by itself.
 */
static void *watch_memory(void *unused)
{
	struct timespec pause = {0};
	size_t most;

	(void)unused;
	for (;;) {
		nanosleep(&pause, NULL);
		most = atomic_load(&bound);
		pause.tv_nsec = 5000000;
		if (most)
			pause.tv_nsec = pause_ns(keep_to_bound(most), most);
	}
	return NULL;
}

/* On a busy machine the watch gets a CPU late: 40 ms and 100 MB later. So the threads that bring in
   pages look as well, when they have run for a while. */
static void look(int signal)
{
	size_t most = atomic_load(&bound);
	int error = errno;

	(void)signal;
	if (most)
		(void)keep_to_bound(most);
	errno = error;
}

/* The kernel counts CPU time in ticks of 1 to 10 ms. Its signal goes to a thread that runs (before
   Linux 6.4: to the first thread, if it takes signals). */
static void start_looks(void)
{
	enum { LOOK_NS = 1000000 };
	const struct itimerspec often = {{0, LOOK_NS}, {0, LOOK_NS}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
	struct sigaction action = {.sa_handler = look, .sa_flags = SA_RESTART};
	timer_t timer;

	sigaction(SIGRTMIN, &action, NULL);
	if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0)
		(void)timer_settime(timer, 0, &often, NULL);
}

/*
 * Where a page is looked up, the kernel maps the 15 around it as well, if it has them: a few
 * thousand look-ups at random are 200 MB at once. Only memory that has its page faults watched is
 * spared this. (Asynchronous write protection is the one kind of watching for pages of files, since
 * Linux 6.7; nothing is write-protected, so that there is nothing to watch.)
 */
static int open_faults(void)
{
#ifdef SYS_userfaultfd
	struct uffdio_api api = {.api = UFFD_API, .features = 1 << 15 /* ..._WP_ASYNC */};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */);

	if (fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
#endif
	return -1;
}

static void map_pages_one_by_one(uintptr_t begin, size_t size)
{
	struct uffdio_register range = {.range = {begin, size}, .mode = UFFDIO_REGISTER_MODE_WP};
	int faults = atomic_load(&blocks.faults);

	if (faults >= 0)
		(void)ioctl(faults, UFFDIO_REGISTER, &range);
}

/* Without signals, as look() wants the lock too. */
static void lock_blocks(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
	pthread_mutex_lock(&blocks.lock);
}

static void unlock_blocks(const sigset_t *before)
{
	pthread_mutex_unlock(&blocks.lock);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void remember(uintptr_t begin, size_t size)
{
	sigset_t before;

	lock_blocks(&before);
	if (blocks.n < MAX_BLOCKS) /* the others are the kernel's alone to take */
		blocks.at[blocks.n++] = (struct filed_block){begin, size};
	unlock_blocks(&before);
}

void lode_memory_forget(const void *block)
{
	uintptr_t page_bytes, begin;
	sigset_t before;
	size_t i = 0;

	if (!atomic_load_explicit(&blocks.n, memory_order_relaxed) || !block ||
	    malloc_usable_size((void *)(uintptr_t)block) < LODE_LARGE_BYTES)
		return;
	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	begin = ((uintptr_t)block + page_bytes - 1) & ~(page_bytes - 1);
	lock_blocks(&before);
	while (i < blocks.n && blocks.at[i].begin != begin)
		i++;
	if (i < blocks.n) {
		blocks.at[i] = blocks.at[--blocks.n];
		/* The last one is in its place: that round goes on with it from its beginning. If
		   it was the last one's turn, the next to come has its number, and none of it is
		   done. */
		if (i == blocks.next || blocks.next == blocks.n)
			blocks.done = 0;
	}
	unlock_blocks(&before);
}

/* Memory is short for the first time. */
static void begin_memory_bound(void)
{
	struct usage usage;
	sigset_t all, before;
	pthread_t thread;
	bool is_first;

	lock_blocks(&before);
	is_first = !blocks.is_begun;
	blocks.is_begun = true;
	unlock_blocks(&before);
	if (!is_first)
		return;
	/* What lode left there when it was killed may be what the disk lacks. */
	lode_temporary_sweep();
	/* From now on a large block is a mapping of its own: freeing it frees its file. */
	(void)mallopt(M_MMAP_THRESHOLD, LODE_LARGE_BYTES);
	atomic_store(&blocks.faults, open_faults());
	atomic_store(&blocks.usage, open_usage());
	usage = usage_of(atomic_load(&blocks.usage));
	atomic_store(&blocks.other_bytes, usage.resident - usage.own);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, watch_memory, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	start_looks();
}

static void refuse_if_passed(const struct usage *usage, size_t most)
{
	size_t own = usage->own;

	wait_for_end();
	/* Sanitizers hold memory of their own, several times that of the program. */
	if (is_ending || own <= most || own <= least_refused_bytes || LODE_IS_SANITIZED)
		return;
	/* Blocks that were freed are in it while malloc keeps their pages. */
	(void)malloc_trim(0);
	own = read_usage().own;
	if (own > most && own > least_refused_bytes)
		refuse(own, "", most, own * 2);
}

/* ---- Small blocks ---- */

/* Bytes of small blocks, freed ones included, between two looks at the process: the price of a look
   is not felt, and the bound is passed by no more for each thread. */
enum { LOOK_BYTES = 4 << 20 };

void lode_memory_count_small(size_t size_bytes)
{
	static _Thread_local size_t since_look;
	struct usage usage;
	size_t most;

	since_look += size_bytes;
	if (since_look < LOOK_BYTES)
		return;
	since_look = 0;
	most = atomic_load_explicit(&bound, memory_order_relaxed);
	if (!most)
		return;
	usage = read_usage();
	refuse_if_passed(&usage, most);
}

/* ---- Large blocks ---- */

/*
 * Blocks that grow are a third unused as a rule: so less may be used than may be granted. Without
 * the second look, blocks that are made one after the other, before they are written to, would all
 * find the same room.
 */
static bool has_room(const struct usage *usage, size_t more_bytes, size_t most)
{
	size_t granted = usage->granted + more_bytes, allowed = most / 8 * 7;

	return usage->own + more_bytes <= most / 8 * 5 &&
	       (granted <= allowed || granted - allowed <= stack_bytes() || LODE_IS_SANITIZED);
}

bool lode_memory_is_short(size_t more_bytes)
{
	size_t most = atomic_load_explicit(&bound, memory_order_relaxed), asked;
	struct usage usage;

	if (!most)
		return false;
	asked = atomic_fetch_add_explicit(&asked_bytes, more_bytes, memory_order_relaxed);
	if (asked + more_bytes < most / 2)
		return false;
	usage = read_usage();
	refuse_if_passed(&usage, most);
	if (has_room(&usage, more_bytes, most))
		return false;
	begin_memory_bound();
	return true;
}

void lode_memory_count_table(size_t size_bytes)
{
	size_t most = lode_memory_bound(), needed;

	if (!most || size_bytes < least_refused_bytes || LODE_IS_SANITIZED || is_ending)
		return;
	needed = read_usage().own + size_bytes;
	if (size_bytes < most / 2 || needed <= most)
		return;
	/* Blocks that were freed are in it while malloc keeps their pages. */
	(void)malloc_trim(0);
	needed = read_usage().own + size_bytes;
	if (needed > most)
		refuse(needed, " for random access", most, needed / 2 * 3);
}

void lode_memory_read_ahead(const void *from, size_t size_bytes)
{
	uintptr_t page_bytes, begin = (uintptr_t)from;

	if (!atomic_load_explicit(&blocks.n, memory_order_relaxed) || !size_bytes)
		return;
	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	begin &= ~(page_bytes - 1);
	(void)madvise((void *)begin, (uintptr_t)from + size_bytes - begin, MADV_WILLNEED);
}

size_t lode_memory_for_lookups(void)
{
	size_t most = lode_memory_bound(), ceiling;

	if (!most)
		return SIZE_MAX;
	ceiling = lode_memory_ceiling("").bytes;
	return ceiling - (most < ceiling ? most : ceiling) / 2;
}

static void __attribute__((noreturn)) no_room(int error, size_t size_bytes)
{
	give_up("%s: no room for %zu MiB of a temporary file beside the %zu MiB written so far: "
		"%s; "
		"set TMPDIR to a folder with more, or allow more --memory",
		lode_temporary_parent(), mib(size_bytes),
		mib(atomic_load(&filed_bytes) - size_bytes), strerror(error));
}

/* Writes `size` bytes from an old block, whose whole pages are given back as they are done with. */
static void move_content(int fd, const char *from, size_t size)
{
	uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct lode_error err;
	size_t n;

	for (size_t done = 0; done < size; done += n) {
		uintptr_t begin = ((uintptr_t)from + done + page_bytes - 1) & ~(page_bytes - 1);
		uintptr_t end;

		n = size - done < PIECE_BYTES ? size - done : PIECE_BYTES;
		if (lode_unnamed_file_write(fd, from + done, n, (int64_t)done, &err) < 0)
			no_room(ENOSPC, size);
		end = ((uintptr_t)from + done + n) & ~(page_bytes - 1);
		if (end > begin)
			(void)madvise((void *)begin, end - begin, MADV_DONTNEED);
	}
}

void lode_memory_to_file(void *block, size_t size_bytes, const void *from, size_t from_bytes)
{
	uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = ((uintptr_t)block + page_bytes - 1) & ~(page_bytes - 1);
	uintptr_t end = ((uintptr_t)block + size_bytes) & ~(page_bytes - 1);
	size_t head = begin - (uintptr_t)block, size = end - begin;
	struct lode_error err;
	char text[sizeof(err.path) + sizeof(err.message) + 64];
	int fd, error;

	if (lode_unnamed_file_open(&fd, &err) < 0)
		give_up("%s (for %zu MiB of memory): see TMPDIR and --memory",
			lode_error_text(&err, text, sizeof(text)), mib(size));
	atomic_fetch_add(&filed_bytes, size);
	/* All of its room at once: a page for which there is none would be a signal later. */
	do
		error = posix_fallocate(fd, 0, (off_t)size);
	while (error == EINTR);
	if (error)
		no_room(error, size);
	/* Too many mappings: it stays in memory. */
	if (mmap((void *)begin, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED) {
		atomic_fetch_sub(&filed_bytes, size);
		head = from_bytes;
	} else {
		/* Else the kernel reads around each page that is missed, by as much as the disk's
		   read_ahead_kb (8 MiB on some), and takes as many others away for that. */
		(void)madvise((void *)begin, size, MADV_RANDOM);
		map_pages_one_by_one(begin, size);
		remember(begin, size);
	}
	if (from_bytes) {
		memcpy(block, from, from_bytes < head ? from_bytes : head);
		if (from_bytes > head + size)
			memcpy((char *)end, (const char *)from + head + size,
			       from_bytes - head - size);
		if (from_bytes > head)
			move_content(fd, (const char *)from + head,
				     from_bytes - head < size ? from_bytes - head : size);
	}
	close(fd);
}
