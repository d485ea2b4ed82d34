/*
 * Reads archives of Performance Co-Pilot (pmlogger's), through libpcp; docs/formats/counters.md.
 *
 *   20261121.meta  20261121.index  20261121.0 ...     one archive; any of its files names it
 */

#include "input/formats/counters/counter_reader.h"

/* The label that all files of an archive begin with, big-endian: its length, a magic number with
   the version in its last byte, a process, a time (8 or 12 bytes), and which file this is. */
enum { MAGIC = 0x500526, VERSION_2 = 2, VERSION_3 = 3, VOLUME_META = -1, MAGIC_AT = 4 };

static uint32_t big_endian(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static bool recognise_file(const uint8_t *head, size_t size)
{
	return size >= 28 && big_endian(head + MAGIC_AT) >> 8 == MAGIC;
}

/* Of an archive's metadata, of which there is one: the files of an archive are one thing. */
static bool recognise_meta(const uint8_t *head, size_t size)
{
	if (!recognise_file(head, size))
		return false;
	return (int32_t)big_endian(head + (head[MAGIC_AT + 3] >= VERSION_3 ? 24 : 20)) ==
	       VOLUME_META;
}

#ifndef LODE_HAVE_PCP

static int read_archive(struct lode_counter_reader *reader, struct lode_error *err)
{
	return lode_fail(
		err, LODE_ERR_UNSUPPORTED, reader->path, 0,
		"a Performance Co-Pilot archive, but this lode was built without libpcp: rebuild "
		"it with libpcp3-dev, or use the output of 'pcp2json' or 'pmrep -o csv'");
}

#else

#define PMAPI_VERSION 2 /* structs of this shape, whatever the library's newest one is */
#include <pcp/pmapi.h>
#include <stdio.h>

#include "base/late_library.h"

#define PCP_FUNCTIONS(X)      \
	X(pmErrStr_r)         \
	X(pmConvScale)        \
	X(pmLookupDesc)       \
	X(pmNameID)           \
	X(pmNameInDomArchive) \
	X(pmExtractValue)     \
	X(pmGetArchiveLabel) X(pmFetchArchive) X(pmFreeResult) X(pmNewContext) X(pmDestroyContext)

struct pcp_library {
	PCP_FUNCTIONS(LODE_LATE_MEMBER)
};

enum { SKIPPED = UINT32_MAX };

/* A metric: what all of its instances share. */
struct metric {
	char *name;
	pmDesc desc;
	double scale; /* to bytes, seconds and counts */
	enum lode_counter_kind kind;
	bool is_wanted;
};

/* One counter: a metric, or an instance of one. */
struct series {
	uint32_t group; /* of the log, since the last mark; SKIPPED: none yet */
	uint32_t metric;
	char *name;
	double held; /* discrete: the value that holds */
};

struct archive {
	struct pcp_library lib;
	struct lode_counter_reader *reader;
	LODE_VEC(struct metric) metrics;
	LODE_VEC(struct series) series;
	LODE_VEC(uint32_t) discrete; /* series whose values hold until they change */
	struct lode_map metric_of;   /* pmID -> metrics */
	struct lode_map series_of;   /* metric and instance -> series */
	pmID clock;		     /* what is logged with it says when held values are told */
};

static int fail_pcp(struct archive *a, struct lode_error *err, int code, const char *what)
{
	char text[PM_MAXERRMSGLEN];

	return lode_fail(err, LODE_ERR_FORMAT, a->reader->path, -1, "%s: %s", what,
			 a->lib.pmErrStr_r(code, text, sizeof(text)));
}

/* ---- Metrics and their instances ---- */

static bool is_number(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE;
}

/* What a value is multiplied by, so that archives with other units agree. */
static double scale_of(const struct archive *a, const pmUnits *units)
{
	pmUnits plain = *units;
	pmAtomValue one = {.d = 1}, scaled;

	plain.scaleSpace = PM_SPACE_BYTE;
	plain.scaleTime = PM_TIME_SEC;
	plain.scaleCount = PM_COUNT_ONE;
	if (!units->dimSpace && !units->dimTime && !units->dimCount)
		return 1;
	return a->lib.pmConvScale(PM_TYPE_DOUBLE, &one, units, &scaled, &plain) < 0 ? 1 : scaled.d;
}

static uint32_t metric_of(struct archive *a, pmID id)
{
	uint32_t slot = lode_map_number(&a->metric_of, id, a->metrics.n);
	struct metric *m;
	char *name = NULL;

	if (slot < a->metrics.n)
		return slot;
	m = lode_vec_append_zero(&a->metrics);
	if (a->lib.pmLookupDesc(id, &m->desc) < 0 || a->lib.pmNameID(id, &name) < 0) {
		lode_loss_add(lode_counter_log_losses(a->reader->log), LODE_LOSS_BAD_RECORD, 1, -1,
			      a->reader->last_ns, "%s: a metric has no name or no description",
			      a->reader->path);
		return slot;
	}
	m->name = lode_strdup(name);
	free(name);
	m->is_wanted = is_number(m->desc.type);
	m->scale = scale_of(a, &m->desc.units);
	m->kind = m->desc.sem == PM_SEM_COUNTER ? LODE_COUNTER_TOTAL : LODE_COUNTER_STATE;
	return slot;
}

/* "kernel.all.load[1 minute]" */
static char *name_of_counter_pcp(const struct archive *a, const struct metric *m, int instance)
{
	char *name = NULL, *full;
	size_t size;

	if (m->desc.indom == PM_INDOM_NULL)
		return lode_strdup(m->name);
	size = strlen(m->name) + 16;
	if (a->lib.pmNameInDomArchive(m->desc.indom, instance, &name) >= 0)
		size += strlen(name);
	full = lode_alloc(size);
	if (name)
		snprintf(full, size, "%s[%s]", m->name, name);
	else
		snprintf(full, size, "%s[%d]", m->name, instance);
	free(name);
	return full;
}

static struct series *series_of(struct archive *a, uint32_t metric, int instance)
{
	const struct metric *m = &a->metrics.at[metric];
	uint32_t *slot = lode_map_slot(&a->series_of, (uint64_t)metric << 32 | (uint32_t)instance);

	if (*slot == LODE_NONE) {
		*slot = (uint32_t)a->series.n;
		if (m->desc.sem == PM_SEM_DISCRETE)
			lode_vec_append(&a->discrete, *slot);
		lode_vec_append(&a->series,
				((struct series){.group = SKIPPED,
						 .metric = metric,
						 .name = name_of_counter_pcp(a, m, instance),
						 .held = NAN}));
	}
	return &a->series.at[*slot];
}

/* ---- Records ---- */

static void give(struct archive *a, struct series *s, int64_t t_ns, double value)
{
	if (s->group == SKIPPED) {
		struct lode_counter_column column = {a->reader->server, s->name,
						     a->metrics.at[s->metric].kind};

		s->group = lode_counter_log_group(a->reader->log, &column, 1);
	}
	lode_counter_log_row(a->reader->log, s->group, t_ns, &value);
	a->reader->facts->n_rows++;
}

static void take_values(struct archive *a, const pmValueSet *set, int64_t t_ns)
{
	uint32_t metric = metric_of(a, set->pmid);
	const struct metric *m = &a->metrics.at[metric];

	for (int i = 0; m->is_wanted && i < set->numval; i++) {
		struct series *s = series_of(a, metric, set->vlist[i].inst);
		pmAtomValue value;

		if (a->lib.pmExtractValue(set->valfmt, &set->vlist[i], m->desc.type, &value,
					  PM_TYPE_DOUBLE) < 0 ||
		    !isfinite(value.d))
			continue;
		if (m->desc.sem == PM_SEM_DISCRETE) {
			s->held = value.d * m->scale;
			continue;
		}
		if (a->clock == PM_ID_NULL)
			a->clock = set->pmid;
		give(a, s, t_ns, value.d * m->scale);
	}
}

/* Nothing is known of the time up to a mark: neither differences nor held values go over it. */
static void forget(struct archive *a)
{
	for (size_t i = 0; i < a->series.n; i++) {
		a->series.at[i].group = SKIPPED;
		a->series.at[i].held = NAN;
	}
}

static void take_record_counter_pcp(struct archive *a, const pmResult *record)
{
	int64_t t_ns = (int64_t)record->timestamp.tv_sec * 1000000000 +
		       (int64_t)record->timestamp.tv_usec * 1000;
	bool is_tick = false;

	if (!record->numpmid) {
		forget(a);
		return;
	}
	for (int i = 0; i < record->numpmid; i++) {
		take_values(a, record->vset[i], t_ns);
		is_tick |= record->vset[i]->pmid == a->clock;
	}
	for (size_t i = 0; is_tick && i < a->discrete.n; i++) {
		struct series *s = &a->series.at[a->discrete.at[i]];

		if (!isnan(s->held))
			give(a, s, t_ns, s->held);
	}
	a->reader->last_ns = t_ns;
}

/* ---- The archive ---- */

/* What libpcp calls an archive by: its files' name without their endings. */
static char *base_of(const char *path)
{
	static const char *const packed[] = {".xz", ".lzma", ".bz2", ".bz", ".gz", ".Z", ".zst"};
	char *base = lode_strdup(path), *dot;

	for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++) {
		size_t len = strlen(base), n = strlen(packed[i]);

		if (len > n && strcmp(base + len - n, packed[i]) == 0) {
			base[len - n] = '\0';
			break;
		}
	}
	dot = strrchr(base, '.');
	if (dot && !strchr(dot, '/') &&
	    (strcmp(dot, ".meta") == 0 || strcmp(dot, ".index") == 0 ||
	     (dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1))))
		*dot = '\0';
	return base;
}

static int read_records(struct archive *a, struct lode_error *err)
{
	pmLogLabel label;
	pmResult *record;
	int rc = a->lib.pmGetArchiveLabel(&label);

	if (rc < 0)
		return fail_pcp(a, err, rc, "the archive's label cannot be read");
	label.ll_hostname[sizeof(label.ll_hostname) - 1] = '\0';
	lode_counter_host(a->reader, label.ll_hostname, strlen(label.ll_hostname));
	while ((rc = a->lib.pmFetchArchive(&record)) >= 0) {
		take_record_counter_pcp(a, record);
		a->lib.pmFreeResult(record);
	}
	if (rc == PM_ERR_EOL)
		return LODE_OK;
	if (!a->reader->facts->n_rows)
		return fail_pcp(a, err, rc, "the archive cannot be read");
	lode_loss_add(lode_counter_log_losses(a->reader->log), LODE_LOSS_TRUNCATED, 1, -1,
		      a->reader->last_ns, "%s: reading the archive failed", a->reader->path);
	return LODE_OK;
}

static int read_archive(struct lode_counter_reader *reader, struct lode_error *err)
{
	struct archive a = {.reader = reader, .clock = PM_ID_NULL};
	char *base = base_of(reader->path);
	int context, rc;

	reader->facts->format = "PCP archive";
	if (strchr(base, ',')) { /* libpcp would take it for a list */
		rc = lode_fail(err, LODE_ERR_UNSUPPORTED, reader->path, -1,
			       "libpcp opens no archive with a comma in its name");
		goto out;
	}
	rc = LODE_LATE_OPEN(&a.lib, PCP_FUNCTIONS, "libpcp.so.3", err);
	if (rc < 0)
		goto out;
	context = a.lib.pmNewContext(PM_CONTEXT_ARCHIVE, base);
	if (context < 0) {
		rc = fail_pcp(&a, err, context, "the archive cannot be opened");
		goto out;
	}
	rc = read_records(&a, err);
	a.lib.pmDestroyContext(context);
out:
	lode_vec_release_each(&a.metrics, it, free(it->name));
	lode_vec_release_each(&a.series, it, free(it->name));
	lode_vec_release(&a.discrete);
	lode_map_release(&a.metric_of);
	lode_map_release(&a.series_of);
	free(base);
	return rc;
}

#endif

const struct lode_format lode_format_pcp = {
	.name = "archive of Performance Co-Pilot",
	.recognise = recognise_file,
	.recognise_unnamed = recognise_meta,
	.read_counters = read_archive,
};
