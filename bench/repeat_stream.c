/*
 * repeat_stream: a perf.data file, N times one after another in time, as one recording.
 *
 *   repeat_stream N IN OUT
 *
 *   IN   header | records, t0 .. t1 | features        all samples again, later by t1 - t0 each
 * time; OUT  header | records | samples | samples | ... | features    other records once
 *
 * For benchmarks on real callchains in any size. IN must be a file (no pipe), not compressed.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	HEADER_BYTES = 104,
	AT_ATTRS = 24, /* in the header: offset and size */
	AT_DATA = 40,
	AT_FEATURES = 72, /* 32 bytes, a bit for each section behind the data */
	RECORD_SAMPLE = 9,
	RECORD_ROUND = 68,
	FEATURE_TIMES = 21, /* a section with the first and the last sample's time */
	PAUSE_NS = 1000,
};

struct recording {
	uint8_t *bytes;
	size_t n;
	uint64_t data, data_bytes;
	size_t at_time; /* in a sample */
	uint64_t first_ns, last_ns;
	size_t n_samples;
};

static uint64_t u64_at(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static uint32_t type_of(const uint8_t *record)
{
	uint32_t type;

	memcpy(&type, record, sizeof(type));
	return type;
}

static uint16_t size_of(const uint8_t *record)
{
	uint16_t size;

	memcpy(&size, record + 6, sizeof(size));
	return size;
}

static int fail(const char *path, const char *what)
{
	fprintf(stderr, "repeat_stream: %s: %s\n", path, what);
	return 1;
}

static int read_all(struct recording *in, const char *path)
{
	FILE *file = fopen(path, "rb");
	long size;

	if (!file)
		return fail(path, strerror(errno));
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	in->n = size > 0 ? (size_t)size : 0;
	in->bytes = malloc(in->n + 1);
	if (!in->bytes || fread(in->bytes, 1, in->n, file) != in->n) {
		fclose(file);
		return fail(path, "cannot be read");
	}
	fclose(file);
	if (in->n < HEADER_BYTES || memcmp(in->bytes, "PERFILE2", 8) != 0 ||
	    u64_at(in->bytes + 8) != HEADER_BYTES)
		return fail(path, "is not a perf.data file");
	in->data = u64_at(in->bytes + AT_DATA);
	in->data_bytes = u64_at(in->bytes + AT_DATA + 8);
	if (in->data > in->n || in->data_bytes > in->n - in->data)
		return fail(path, "is cut");
	return 0;
}

/* The time's place in the samples (the first event's; all have the same), first and last time. */
static int look(struct recording *in, const char *path)
{
	uint64_t attrs = u64_at(in->bytes + AT_ATTRS), type;
	const uint8_t *p = in->bytes + in->data, *end = p + in->data_bytes;

	if (attrs > in->n - 32)
		return fail(path, "is cut");
	type = u64_at(in->bytes + attrs + 24);
	if (!(type & 4))
		return fail(path, "has no times");
	in->at_time = 8 + 8 * (size_t)(!!(type & 1 << 16) + !!(type & 1) + !!(type & 2));
	in->first_ns = UINT64_MAX;
	for (; p + 8 <= end && size_of(p) >= 8; p += size_of(p)) {
		uint64_t t_ns;

		if (type_of(p) != RECORD_SAMPLE || size_of(p) < in->at_time + 8)
			continue;
		t_ns = u64_at(p + in->at_time);
		in->first_ns = t_ns < in->first_ns ? t_ns : in->first_ns;
		in->last_ns = t_ns > in->last_ns ? t_ns : in->last_ns;
		in->n_samples++;
	}
	return in->n_samples ? 0 : fail(path, "has no samples");
}

/* Writes the samples `shift_ns` later; the bytes written. */
static uint64_t write_samples(FILE *out, struct recording *in, uint64_t shift_ns)
{
	uint8_t *p = in->bytes + in->data, *end = p + in->data_bytes;
	uint64_t n = 0;

	for (; p + 8 <= end && size_of(p) >= 8; p += size_of(p)) {
		if (type_of(p) == RECORD_SAMPLE) {
			uint64_t t_ns = u64_at(p + in->at_time), later = t_ns + shift_ns;

			memcpy(p + in->at_time, &later, sizeof(later));
			fwrite(p, size_of(p), 1, out);
			memcpy(p + in->at_time, &t_ns, sizeof(t_ns));
			n += size_of(p);
		} else if (type_of(p) == RECORD_ROUND) {
			fwrite(p, size_of(p), 1, out);
			n += size_of(p);
		}
	}
	return n;
}

/* The recording says itself when its last sample was: that is later now. */
static void shift_last_time(FILE *out, const struct recording *in, uint64_t moved, uint64_t last_ns)
{
	const uint8_t *bits = in->bytes + AT_FEATURES;
	uint64_t section = in->data + in->data_bytes, place;

	if (!(bits[FEATURE_TIMES / 8] >> FEATURE_TIMES % 8 & 1))
		return;
	for (unsigned i = 0; i < FEATURE_TIMES; i++)
		section += bits[i / 8] >> i % 8 & 1 ? 16 : 0;
	if (section > in->n - 16)
		return;
	place = u64_at(in->bytes + section) + moved + 8;
	fseek(out, (long)place, SEEK_SET);
	fwrite(&last_ns, sizeof(last_ns), 1, out);
}

static int write_all(struct recording *in, const char *path, unsigned n)
{
	const uint8_t *behind = in->bytes + in->data + in->data_bytes;
	size_t left = (size_t)(in->bytes + in->n - behind), n_features = 0;
	uint64_t period_ns = in->last_ns - in->first_ns + PAUSE_NS, size = in->data_bytes;
	FILE *out = fopen(path, "wb");

	if (!out)
		return fail(path, strerror(errno));
	for (size_t i = 0; i < 32; i++)
		n_features += (size_t)__builtin_popcount(in->bytes[AT_FEATURES + i]);
	fwrite(in->bytes, 1, in->data + in->data_bytes, out);
	for (unsigned i = 1; i < n; i++)
		size += write_samples(out, in, period_ns * i);
	for (size_t i = 0; i < n_features * 2 && (i + 1) * 8 <= left; i++) {
		uint64_t value = u64_at(behind + i * 8);

		/* Every other one is an offset behind the data. */
		if (i % 2 == 0)
			value += size - in->data_bytes;
		fwrite(&value, sizeof(value), 1, out);
	}
	if (left > n_features * 16)
		fwrite(behind + n_features * 16, 1, left - n_features * 16, out);
	shift_last_time(out, in, size - in->data_bytes, in->last_ns + period_ns * (n - 1));
	fseek(out, AT_DATA + 8, SEEK_SET);
	fwrite(&size, sizeof(size), 1, out);
	if (ferror(out) | fclose(out))
		return fail(path, "cannot be written");
	printf("%llu\n", (unsigned long long)in->n_samples * n);
	return 0;
}

int main(int argc, char **argv)
{
	struct recording in = {0};
	unsigned long n = argc == 4 ? strtoul(argv[1], NULL, 10) : 0;
	int rc;

	if (n == 0 || n > 100000) {
		fprintf(stderr, "usage: repeat_stream N IN OUT\n");
		return 2;
	}
	rc = read_all(&in, argv[2]);
	if (rc == 0)
		rc = look(&in, argv[2]);
	if (rc == 0)
		rc = write_all(&in, argv[3], (unsigned)n);
	free(in.bytes);
	return rc;
}
