#include "gen_perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

enum {
	ATTR_BYTES = 128, /* PERF_ATTR_SIZE_VER7 */
	FIRST_ID = 5000,
	ROUND_BYTES = 8 << 20,
	/* Plain bytes in one COMPRESSED record; what perf announces as the size of its buffers. */
	COMPRESS_BYTES = 60000,
	COMPRESS_BUFFER = 128 << 10,
	RECORD_FINISHED_ROUND = 68,
	RECORD_COMPRESSED = 81,
	MISC_BUILD_ID_SIZE = 1 << 15,
};

/* Sections behind the data, by their bit in the header. */
enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_COMPRESSED = 27,
	N_FEATURES = 32,
};

typedef LODE_VEC(uint8_t) bytes;

struct file_section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct file_section attrs, data, event_types;
	uint64_t features[4];
};

struct gen_perf {
	const struct gen_world *world;
	struct gen_perf_options options;
	int fd, error;
	bytes *buffer; /* per CPU */
	size_t *last;  /* per CPU: where the last record of the buffer begins */
	size_t n_buffered;
	uint64_t n_written, n_plain, n_samples;
	int64_t first_ns, last_ns;
	ZSTD_CCtx *zstd;
	uint8_t *compressed;
};

static const char *const event_names[GEN_N_EVENTS] = {"cpu-clock", "sched:sched_switch",
						      "sched:sched_waking", "dummy:HG"};

static void put(bytes *b, const void *data, size_t size)
{
	lode_vec_reserve(b, b->n + size);
	memcpy(b->at + b->n, data, size);
	b->n += size;
}

static void put_u32(bytes *b, uint32_t value)
{
	put(b, &value, sizeof(value));
}

static void put_u64(bytes *b, uint64_t value)
{
	put(b, &value, sizeof(value));
}

/* Text in `room` bytes, or in as many as keep the place a multiple of 8. */
static void put_text(bytes *b, const char *text, size_t room)
{
	static const char zeros[64];
	size_t size = strlen(text) + 1;

	put(b, text, size);
	room = room ? room : (size + 7) / 8 * 8;
	for (; size < room; size += room - size < 64 ? room - size : 64)
		put(b, zeros, room - size < 64 ? room - size : 64);
}

static void write_all(struct gen_perf *perf, const void *data, size_t size)
{
	const char *at = data;
	ssize_t n;

	perf->n_written += size;
	while (size && !perf->error) {
		n = write(perf->fd, at, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			perf->error = errno;
			return;
		}
		at += n;
		size -= (size_t)n;
	}
}

/* ---- Rounds ---- */

/* One zstd stream runs through all COMPRESSED records of the file; each ends in a flush. */
static void write_compressed(struct gen_perf *perf, const uint8_t *data, size_t size)
{
	struct perf_event_header header = {.type = RECORD_COMPRESSED};

	for (size_t n; size; data += n, size -= n) {
		ZSTD_inBuffer in = {data, n = size < COMPRESS_BYTES ? size : COMPRESS_BYTES, 0};
		ZSTD_outBuffer out = {perf->compressed, COMPRESS_BUFFER, 0};

		if (ZSTD_compressStream2(perf->zstd, &out, &in, ZSTD_e_flush)) {
			perf->error = perf->error ? perf->error : EIO;
			return;
		}
		header.size = (uint16_t)(sizeof(header) + out.pos);
		write_all(perf, &header, sizeof(header));
		write_all(perf, perf->compressed, out.pos);
	}
}

/*
 * Writes all CPUs' buffers and ends the round. CPUs with odd numbers keep their last record for the
 * next one: perf reads the rings one after the other, so a round is not a clean cut in time.
 */
static void write_round(struct gen_perf *perf, bool is_last)
{
	struct perf_event_header end = {.type = RECORD_FINISHED_ROUND, .size = sizeof(end)};

	for (uint32_t cpu = 0; cpu < perf->options.n_cpus; cpu++) {
		bytes *b = &perf->buffer[cpu];
		size_t n = cpu % 2 && !is_last && perf->last[cpu] ? perf->last[cpu] : b->n;

		if (perf->options.is_compressed)
			write_compressed(perf, b->at, n);
		else
			write_all(perf, b->at, n);
		if (b->n > n)
			memmove(b->at, b->at + n, b->n - n);
		b->n -= n;
		perf->last[cpu] = 0;
	}
	write_all(perf, &end, sizeof(end));
	perf->n_buffered = 0;
}

/* ---- Records ---- */

static bytes *begin(struct gen_perf *perf, uint32_t cpu, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = {.type = type, .misc = misc};
	bytes *b = &perf->buffer[cpu];

	perf->last[cpu] = b->n;
	put(b, &header, sizeof(header));
	return b;
}

static void finish(struct gen_perf *perf, uint32_t cpu, int64_t t_ns)
{
	bytes *b = &perf->buffer[cpu];
	uint16_t size = (uint16_t)(b->n - perf->last[cpu]);

	memcpy(b->at + perf->last[cpu] + offsetof(struct perf_event_header, size), &size,
	       sizeof(size));
	perf->n_buffered += size;
	perf->n_plain += size;
	if (t_ns && !perf->first_ns)
		perf->first_ns = t_ns;
	perf->last_ns = t_ns ? t_ns : perf->last_ns;
	if (perf->n_buffered >= ROUND_BYTES)
		write_round(perf, false);
}

static uint64_t id_of(const struct gen_perf *perf, enum gen_event event, uint32_t cpu)
{
	return FIRST_ID + event * (uint64_t)perf->options.n_cpus + cpu;
}

struct sample_head {
	struct perf_event_header header;
	uint64_t id, ip;
	int32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t period, n_chain;
};

static void sample(struct gen_perf *perf, enum gen_event event, const struct gen_stamp *stamp,
		   const struct gen_chain *chain, uint64_t period, const void *raw,
		   uint32_t raw_size)
{
	struct sample_head head = {
		.header = {.type = PERF_RECORD_SAMPLE},
		.id = id_of(perf, event, stamp->cpu),
		.ip = chain->ip[1],
		.pid = stamp->pid,
		.tid = stamp->tid,
		.time = (uint64_t)stamp->t_ns,
		.cpu = stamp->cpu,
		.period = period,
		.n_chain = chain->n,
	};
	static const uint32_t zero;
	/* The raw size counts the padding that aligns the record, not itself. */
	uint32_t padded = (raw_size + 4 + 7) / 8 * 8 - 4;
	bytes *b = &perf->buffer[stamp->cpu];
	size_t size = sizeof(head) + chain->n * sizeof(*chain->ip) + (raw ? padded + 4 : 0);

	head.header.size = (uint16_t)size;
	head.header.misc = chain->ip[0] == (uint64_t)PERF_CONTEXT_KERNEL ? PERF_RECORD_MISC_KERNEL
									 : PERF_RECORD_MISC_USER;
	perf->last[stamp->cpu] = b->n;
	lode_vec_reserve(b, b->n + size);
	put(b, &head, sizeof(head));
	put(b, chain->ip, chain->n * sizeof(*chain->ip));
	if (raw) {
		put_u32(b, padded);
		put(b, raw, raw_size);
		put(b, &zero, padded - raw_size);
	}
	perf->n_samples++;
	finish(perf, stamp->cpu, stamp->t_ns);
}

void gen_perf_clock(struct gen_perf *perf, const struct gen_stamp *stamp,
		    const struct gen_chain *chain)
{
	sample(perf, GEN_EVENT_CLOCK, stamp, chain, 1001001, NULL, 0);
}

void gen_perf_switch(struct gen_perf *perf, const struct gen_stamp *stamp,
		     struct gen_switch_payload *payload, const struct gen_chain *chain)
{
	payload->type = GEN_TYPE_SWITCH;
	sample(perf, GEN_EVENT_SWITCH, stamp, chain, 1, payload, sizeof(*payload));
}

void gen_perf_waking(struct gen_perf *perf, const struct gen_stamp *stamp,
		     struct gen_waking_payload *payload, const struct gen_chain *chain)
{
	payload->type = GEN_TYPE_WAKING;
	sample(perf, GEN_EVENT_WAKING, stamp, chain, 1, payload, sizeof(*payload));
}

/* What sample_id_all puts behind every record that is no sample. */
static void put_trailer(struct gen_perf *perf, bytes *b, const struct gen_stamp *stamp)
{
	put_u32(b, (uint32_t)stamp->pid);
	put_u32(b, (uint32_t)stamp->tid);
	put_u64(b, (uint64_t)stamp->t_ns);
	put_u32(b, stamp->cpu);
	put_u32(b, 0);
	put_u64(b, stamp->t_ns ? id_of(perf, GEN_EVENT_DUMMY, stamp->cpu) : 0);
	finish(perf, stamp->cpu, stamp->t_ns);
}

void gen_perf_comm(struct gen_perf *perf, const struct gen_stamp *stamp, const char *comm,
		   bool is_exec)
{
	bytes *b =
		begin(perf, stamp->cpu, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);

	put_u32(b, (uint32_t)stamp->pid);
	put_u32(b, (uint32_t)stamp->tid);
	put_text(b, comm, 0);
	put_trailer(perf, b, stamp);
}

static void fork_or_exit(struct gen_perf *perf, const struct gen_stamp *stamp, uint32_t type,
			 int32_t parent_pid, int32_t parent_tid)
{
	bytes *b = begin(perf, stamp->cpu, type, 0);

	put_u32(b, (uint32_t)stamp->pid);
	put_u32(b, (uint32_t)parent_pid);
	put_u32(b, (uint32_t)stamp->tid);
	put_u32(b, (uint32_t)parent_tid);
	put_u64(b, (uint64_t)stamp->t_ns);
	put_trailer(perf, b, stamp);
}

void gen_perf_fork(struct gen_perf *perf, const struct gen_stamp *stamp, int32_t parent_pid,
		   int32_t parent_tid)
{
	fork_or_exit(perf, stamp, PERF_RECORD_FORK, parent_pid, parent_tid);
}

void gen_perf_exit(struct gen_perf *perf, const struct gen_stamp *stamp, int32_t parent_pid,
		   int32_t parent_tid)
{
	fork_or_exit(perf, stamp, PERF_RECORD_EXIT, parent_pid, parent_tid);
}

void gen_perf_mmap(struct gen_perf *perf, const struct gen_stamp *stamp, enum gen_module module)
{
	const struct gen_world *world = perf->world;
	bool kernel = module == GEN_KERNEL;
	bytes *b = begin(perf, stamp->cpu, kernel ? PERF_RECORD_MMAP : PERF_RECORD_MMAP2,
			 kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);

	put_u32(b, (uint32_t)stamp->pid);
	put_u32(b, (uint32_t)stamp->tid);
	put_u64(b, world->module_base[module]);
	put_u64(b, (world->module_bytes[module] + 0xfff) / 0x1000 * 0x1000);
	put_u64(b, kernel ? world->module_base[module] : 0); /* offset; kernel: where _text is */
	if (!kernel) {
		put_u32(b, 8); /* major, minor of the device */
		put_u32(b, 1);
		put_u64(b, 1000 + (uint64_t)module); /* inode */
		put_u64(b, 0);
		put_u32(b, 5); /* PROT_READ | PROT_EXEC */
		put_u32(b, 2); /* MAP_PRIVATE */
	}
	put_text(b, kernel ? "[kernel.kallsyms]_text" : gen_module_path[module], 0);
	put_trailer(perf, b, stamp);
}

void gen_perf_lost(struct gen_perf *perf, const struct gen_stamp *stamp, uint64_t n)
{
	bytes *b = begin(perf, stamp->cpu, PERF_RECORD_LOST, 0);

	put_u64(b, id_of(perf, GEN_EVENT_CLOCK, stamp->cpu));
	put_u64(b, n);
	put_trailer(perf, b, stamp);
}

uint64_t gen_perf_n_samples(const struct gen_perf *perf)
{
	return perf->n_samples;
}

uint64_t gen_perf_n_bytes(const struct gen_perf *perf)
{
	return perf->options.is_compressed ? perf->n_written : perf->n_plain;
}

/* ---- Header ---- */

static void put_attr(bytes *b, enum gen_event event)
{
	struct perf_event_attr attr = {
		.type = event == GEN_EVENT_CLOCK || event == GEN_EVENT_DUMMY ? PERF_TYPE_SOFTWARE
									     : PERF_TYPE_TRACEPOINT,
		.size = ATTR_BYTES,
		.sample_period = event == GEN_EVENT_CLOCK ? 999 : 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_IDENTIFIER,
		.read_format = PERF_FORMAT_ID,
		.inherit = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = 1, /* CLOCK_MONOTONIC */
	};

	switch (event) {
	case GEN_EVENT_CLOCK:
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		attr.freq = 1;
		break;
	case GEN_EVENT_DUMMY:
		attr.config = PERF_COUNT_SW_DUMMY;
		attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
		break;
	default:
		attr.config = event == GEN_EVENT_SWITCH ? GEN_TYPE_SWITCH : GEN_TYPE_WAKING;
		attr.sample_type |= PERF_SAMPLE_RAW;
		break;
	}
	attr.disabled = attr.exclude_guest = event != GEN_EVENT_DUMMY;
	put(b, &attr, ATTR_BYTES);
}

static const uint64_t attrs_at = sizeof(struct file_header);

static void put_head(bytes *b, const struct gen_perf *perf, uint64_t data_bytes)
{
	const uint64_t n_cpus = perf->options.n_cpus;
	const uint64_t attr_bytes = ATTR_BYTES + sizeof(struct file_section);
	const uint64_t ids_at = attrs_at + GEN_N_EVENTS * attr_bytes;
	struct file_header header = {
		.magic = {'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'},
		.size = sizeof(header),
		.attr_size = attr_bytes,
		.attrs = {attrs_at, GEN_N_EVENTS * attr_bytes},
		.data = {ids_at + GEN_N_EVENTS * n_cpus * 8, data_bytes},
		.features = {1 << FEATURE_TRACING_DATA | 1 << FEATURE_BUILD_ID |
			     1 << FEATURE_HOSTNAME | 1 << FEATURE_OSRELEASE | 1 << FEATURE_VERSION |
			     1 << FEATURE_ARCH | 1 << FEATURE_NRCPUS | 1 << FEATURE_CPUDESC |
			     1 << FEATURE_TOTAL_MEM | 1 << FEATURE_CMDLINE |
			     1 << FEATURE_EVENT_DESC | 1 << FEATURE_SAMPLE_TIME |
			     1 << FEATURE_CLOCKID},
	};

	if (perf->options.is_compressed)
		header.features[0] |= 1 << FEATURE_COMPRESSED;
	put(b, &header, sizeof(header));
	for (uint64_t event = 0; event < GEN_N_EVENTS; event++) {
		put_attr(b, (enum gen_event)event);
		put_u64(b, ids_at + event * n_cpus * 8);
		put_u64(b, n_cpus * 8);
	}
	for (uint64_t i = 0; i < GEN_N_EVENTS * n_cpus; i++)
		put_u64(b, FIRST_ID + i);
}

/* ---- Features ---- */

static void put_feature_text(bytes *b, const char *text)
{
	uint32_t size = (uint32_t)(strlen(text) + 1 + 63) / 64 * 64;

	put_u32(b, size);
	put_text(b, text, size);
}

static void put_sized(bytes *b, const char *text)
{
	put_u64(b, strlen(text));
	put(b, text, strlen(text));
}

static void put_tracing_data(bytes *b)
{
	static const char magic[10] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

	put(b, magic, sizeof(magic));
	put(b, "0.6", 4);
	put(b, "\0\10", 2); /* little-endian; longs of 8 bytes */
	put_u32(b, 4096);
	put(b, "header_page", 12);
	put_sized(b, gen_tracing_header_page);
	put(b, "header_event", 13);
	put_sized(b, gen_tracing_header_event);
	put_u32(b, 0); /* formats of ftrace itself */
	put_u32(b, 1); /* systems */
	put(b, "sched", 6);
	put_u32(b, 2);
	put_sized(b, gen_format_switch);
	put_sized(b, gen_format_waking);
	put_u32(b, 0); /* kallsyms */
	put_u32(b, 0); /* printk formats */
	put_u64(b, 0); /* saved command names */
}

static void put_build_ids(bytes *b, const struct gen_world *world)
{
	for (int module = 0; module < GEN_N_MODULES; module++) {
		const char *path = gen_module_path[module];
		struct perf_event_header header = {
			.misc = (uint16_t)(MISC_BUILD_ID_SIZE |
					   (module == GEN_KERNEL ? PERF_RECORD_MISC_KERNEL
								 : PERF_RECORD_MISC_USER)),
			.size = (uint16_t)(sizeof(header) + 28 + (strlen(path) + 1 + 63) / 64 * 64),
		};

		put(b, &header, sizeof(header));
		put_u32(b, UINT32_MAX); /* pid: the host */
		put(b, world->build_id[module], 20);
		put_u32(b, 20); /* size of the build-id, in the low byte */
		put_text(b, path, (strlen(path) + 1 + 63) / 64 * 64);
	}
}

static void put_event_desc(bytes *b, const struct gen_perf *perf)
{
	uint32_t n_cpus = perf->options.n_cpus;

	put_u32(b, GEN_N_EVENTS);
	put_u32(b, ATTR_BYTES);
	for (int event = 0; event < GEN_N_EVENTS; event++) {
		put_attr(b, (enum gen_event)event);
		put_u32(b, n_cpus);
		put_feature_text(b, event_names[event]);
		for (uint32_t cpu = 0; cpu < n_cpus; cpu++)
			put_u64(b, id_of(perf, (enum gen_event)event, cpu));
	}
}

static void put_command(bytes *b, const char *command)
{
	char *words = lode_strdup(command), *word, *rest = words;
	bytes list = {0};
	uint32_t n = 0;

	while ((word = strsep(&rest, " ")) != NULL) {
		put_feature_text(&list, word);
		n++;
	}
	put_u32(b, n);
	put(b, list.at, list.n);
	lode_vec_release(&list);
	free(words);
}

static void put_feature(bytes *b, const struct gen_perf *perf, enum feature feature)
{
	switch (feature) {
	case FEATURE_TRACING_DATA:
		put_tracing_data(b);
		break;
	case FEATURE_BUILD_ID:
		put_build_ids(b, perf->world);
		break;
	case FEATURE_HOSTNAME:
		put_feature_text(b, perf->options.hostname);
		break;
	case FEATURE_OSRELEASE:
		put_feature_text(b, "6.1.0-synth");
		break;
	case FEATURE_VERSION:
		put_feature_text(b, "6.1.0");
		break;
	case FEATURE_ARCH:
		put_feature_text(b, "x86_64");
		break;
	case FEATURE_NRCPUS:
		put_u32(b, perf->options.n_cpus);
		put_u32(b, perf->options.n_cpus);
		break;
	case FEATURE_CPUDESC:
		put_feature_text(b, "generated");
		break;
	case FEATURE_TOTAL_MEM:
		put_u64(b, 16 << 20);
		break;
	case FEATURE_CMDLINE:
		put_command(b, perf->options.command);
		break;
	case FEATURE_EVENT_DESC:
		put_event_desc(b, perf);
		break;
	case FEATURE_SAMPLE_TIME:
		put_u64(b, (uint64_t)perf->first_ns);
		put_u64(b, (uint64_t)perf->last_ns);
		break;
	case FEATURE_CLOCKID:
		put_u64(b, 1); /* its resolution in ns */
		break;
	case FEATURE_COMPRESSED:
		put_u32(b, 1); /* version */
		put_u32(b, 1); /* zstd */
		put_u32(b, 1); /* level */
		put_u32(b, 4); /* ratio */
		put_u32(b, COMPRESS_BUFFER);
		break;
	case N_FEATURES:
		break;
	}
}

/* The table of sections stands behind the data, their contents behind the table. */
static void write_features(struct gen_perf *perf)
{
	bytes head = {0}, content = {0}, table = {0};
	uint64_t features, n = 0, at, start;

	put_head(&head, perf, 0);
	features = ((const struct file_header *)(const void *)head.at)->features[0];
	for (int f = 0; f < N_FEATURES; f++)
		n += features >> f & 1;
	at = perf->n_written + n * sizeof(struct file_section);
	for (int f = 0; f < N_FEATURES; f++) {
		if (!(features >> f & 1))
			continue;
		start = content.n;
		put_feature(&content, perf, (enum feature)f);
		put_u64(&table, at + start);
		put_u64(&table, content.n - start);
	}
	write_all(perf, table.at, table.n);
	write_all(perf, content.at, content.n);
	lode_vec_release(&head);
	lode_vec_release(&content);
	lode_vec_release(&table);
}

/* ---- Open, close ---- */

struct gen_perf *gen_perf_open(const struct gen_perf_options *options,
			       const struct gen_world *world)
{
	struct gen_perf *perf;
	bytes head = {0};
	int fd = open(options->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0)
		return NULL;
	perf = lode_alloc0(1, sizeof(*perf));
	perf->world = world;
	perf->options = *options;
	perf->fd = fd;
	perf->buffer = lode_alloc0(options->n_cpus, sizeof(*perf->buffer));
	perf->last = lode_alloc0(options->n_cpus, sizeof(*perf->last));
	if (options->is_compressed) {
		perf->zstd = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(perf->zstd, ZSTD_c_compressionLevel, 1);
		perf->compressed = lode_alloc(COMPRESS_BUFFER);
	}
	put_head(&head, perf, 0);
	write_all(perf, head.at, head.n);
	lode_vec_release(&head);
	return perf;
}

int gen_perf_close(struct gen_perf *perf)
{
	uint64_t data_end;
	bytes head = {0};
	int error;

	write_round(perf, true);
	data_end = perf->n_written;
	write_features(perf);
	put_head(&head, perf, 0);
	head.n = 0;
	put_head(&head, perf,
		 data_end - ((const struct file_header *)(const void *)head.at)->data.offset);
	if (!perf->error && pwrite(perf->fd, head.at, head.n, 0) != (ssize_t)head.n)
		perf->error = errno;
	if (close(perf->fd) && !perf->error)
		perf->error = errno;
	error = perf->error;
	for (uint32_t cpu = 0; cpu < perf->options.n_cpus; cpu++)
		lode_vec_release(&perf->buffer[cpu]);
	lode_vec_release(&head);
	free(perf->buffer);
	free(perf->last);
	free(perf->compressed);
	ZSTD_freeCCtx(perf->zstd);
	free(perf);
	errno = error;
	return error ? -1 : 0;
}
