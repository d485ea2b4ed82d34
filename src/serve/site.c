/* The documents and questions that a server offers. */
#include "serve/site.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <zlib.h>

#include "base/map.h"
#include "base/json.h"
#include "base/written.h"

/* Below this packing saves less than a packet. */
#define LEAST_PACKED_BYTES 1024

struct site_report {
	const char *name, *schema, *title;
	bool is_stale;
	size_t document;
	struct lode_site_question
		others; /* what is not there is asked of it; no answer: of nothing */
	struct lode_site_question pending; /* has an answer: asked in place of all else */
	LODE_VEC(struct lode_site_question) questions;
};

struct given {
	void (*release)(void *context);
	void *context;
};

struct lode_site {
	int n_holders;
	LODE_VEC(struct given) given;
	LODE_VEC(struct lode_site_document) documents;
	LODE_VEC(struct site_report) reports;
	bool has_changes;
	struct lode_arena arena;
};

enum { PAGE, LIST, FIRST_REPORT };

static void pack_site(struct lode_site_document *document, struct lode_arena *arena)
{
	z_stream z = {0};
	size_t room;
	char *packed;

	if (document->plain_bytes < LEAST_PACKED_BYTES || document->plain_bytes > UINT_MAX / 2)
		return;
	/* 16: with the header of gzip */
	if (deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		lode_oom(sizeof(z));
	room = deflateBound(&z, document->plain_bytes);
	packed = lode_alloc(room);
	z.next_in = (unsigned char *)document->plain;
	z.avail_in = (unsigned)document->plain_bytes;
	z.next_out = (unsigned char *)packed;
	z.avail_out = (unsigned)room;
	if (deflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out < document->plain_bytes) {
		document->gzip = lode_arena_strndup(arena, packed, z.total_out);
		document->gzip_bytes = z.total_out;
	}
	deflateEnd(&z);
	free(packed);
}

void lode_site_document_make(struct lode_site_document *document, const char *type,
			     const char *bytes, size_t n, struct lode_arena *arena)
{
	document->type = type;
	document->plain = lode_arena_strndup(arena, bytes, n);
	document->plain_bytes = n;
	snprintf(document->tag, sizeof(document->tag), "\"%016" PRIx64 "\"",
		 lode_stable_hash(bytes, n, 0));
	pack_site(document, arena);
}

static void fill_site(struct lode_site *site, size_t number, const char *type, const char *bytes,
		      size_t n)
{
	lode_site_document_make(&site->documents.at[number], type, bytes, n, &site->arena);
}

struct lode_site *lode_site_new(void)
{
	static const char no_page[] = "<!doctype html><title>lode</title>";
	struct lode_site *site = lode_alloc0(1, sizeof(*site));

	site->n_holders = 1;
	for (size_t i = 0; i < FIRST_REPORT; i++)
		lode_vec_append_zero(&site->documents);
	lode_site_set_page(site, no_page, strlen(no_page));
	return site;
}

void lode_site_hold(struct lode_site *site)
{
	__atomic_add_fetch(&site->n_holders, 1, __ATOMIC_RELAXED);
}

void lode_site_give(struct lode_site *site, void (*release)(void *context), void *context)
{
	lode_vec_append(&site->given, ((struct given){release, context}));
}

void lode_site_free(struct lode_site *site)
{
	if (!site || __atomic_sub_fetch(&site->n_holders, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	for (size_t i = 0; i < site->given.n; i++)
		site->given.at[i].release(site->given.at[i].context);
	lode_vec_release(&site->given);
	lode_vec_release_each(&site->reports, it, lode_vec_release(&it->questions));
	lode_vec_release(&site->documents);
	lode_arena_release(&site->arena);
	free(site);
}

void lode_site_set_page(struct lode_site *site, const char *html, size_t html_bytes)
{
	fill_site(site, PAGE, "text/html; charset=utf-8", html, html_bytes);
}

void lode_site_add_report(struct lode_site *site, const char *name, const char *schema,
			  const char *title, const char *json, size_t json_bytes)
{
	struct site_report *report = lode_vec_append_zero(&site->reports);

	*report = (struct site_report){
		.name = lode_arena_strdup(&site->arena, name),
		.schema = lode_arena_strdup(&site->arena, schema),
		.title = lode_arena_strdup(&site->arena, title),
		.document = site->documents.n,
	};
	lode_vec_append_zero(&site->documents);
	fill_site(site, report->document, "application/json", json, json_bytes);
}

void lode_site_add_pending(struct lode_site *site, const char *name, const char *schema,
			   const char *title, lode_site_answer *answer, void *context)
{
	lode_site_add_report(site, name, schema, title, "", 0);
	site->reports.at[site->reports.n - 1].pending =
		(struct lode_site_question){.what = "",
					    .kind = LODE_REQUEST_READ,
					    .is_here = true,
					    .answer = answer,
					    .context = context};
}

static struct site_report *find_report(const struct lode_site *site, const char *name, size_t n)
{
	for (size_t i = 0; i < site->reports.n; i++)
		if (strlen(site->reports.at[i].name) == n &&
		    memcmp(site->reports.at[i].name, name, n) == 0)
			return &site->reports.at[i];
	return NULL;
}

void lode_site_set_others(struct lode_site *site, const char *report, lode_site_answer *answer,
			  void *context)
{
	struct site_report *r = find_report(site, report, strlen(report));

	assert(r);
	r->others = (struct lode_site_question){.what = "",
						.kind = LODE_REQUEST_READ,
						.is_here = true,
						.answer = answer,
						.context = context};
}

void lode_site_set_stale(struct lode_site *site, const char *report)
{
	struct site_report *r = find_report(site, report, strlen(report));

	assert(r);
	r->is_stale = true;
}

static void add_site(struct lode_site *site, const char *report,
		     const struct lode_site_question *question)
{
	struct site_report *r = find_report(site, report, strlen(report));

	assert(r);
	lode_vec_append(&r->questions, *question);
	site->has_changes |= question->kind == LODE_REQUEST_CHANGE;
}

void lode_site_add_question(struct lode_site *site, const char *report, const char *what,
			    enum lode_request_kind kind, lode_site_answer *answer, void *context)
{
	add_site(site, report,
		 &(struct lode_site_question){.what = lode_arena_strdup(&site->arena, what),
					      .kind = kind,
					      .answer = answer,
					      .context = context});
}

void lode_site_add_lasting(struct lode_site *site, const char *report, const char *what,
			   const char *const *parameters, lode_site_answer *answer, void *context)
{
	add_site(site, report,
		 &(struct lode_site_question){.what = lode_arena_strdup(&site->arena, what),
					      .kind = LODE_REQUEST_READ,
					      .parameters = parameters,
					      .answer = answer,
					      .context = context});
}

struct relayed {
	lode_site_relay *relay;
	void *context;
	const char *what;
};

static int answer_relayed(void *context, const struct lode_site_query *query, FILE *out,
			  struct lode_error *err)
{
	const struct relayed *relayed = context;

	return relayed->relay(relayed->context, relayed->what, query, out, err);
}

void lode_site_set_relay(struct lode_site *site, const char *report, lode_site_relay *relay,
			 void *context)
{
	struct site_report *r = find_report(site, report, strlen(report));
	struct relayed *relayed;

	assert(r);
	relayed = lode_arena_array(&site->arena, struct relayed, r->questions.n);
	for (size_t i = 0; i < r->questions.n; i++) {
		struct lode_site_question *question = &r->questions.at[i];

		relayed[i] = (struct relayed){relay, context, question->what};
		question->answer = answer_relayed;
		question->context = &relayed[i];
		question->is_here = true;
	}
}

bool lode_site_has_changes(const struct lode_site *site)
{
	return site->has_changes;
}

void lode_site_finish(struct lode_site *site)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = lode_written_open(&text, &n);
	struct lode_json *json;

	json = lode_json_open(out, "lode/reports/1");
	lode_json_array(json, "reports");
	for (size_t i = 0; i < site->reports.n; i++) {
		lode_json_object(json, NULL);
		lode_json_text(json, "name", site->reports.at[i].name);
		lode_json_text(json, "schema", site->reports.at[i].schema);
		lode_json_text(json, "title", site->reports.at[i].title);
		lode_json_bool(json, "stale", site->reports.at[i].is_stale);
		lode_json_end_object(json);
	}
	lode_json_end_array(json);
	lode_json_close(json);
	lode_written_close(out);
	fill_site(site, LIST, "application/json", text, n);
	free(text);
}

size_t lode_site_n_documents(const struct lode_site *site)
{
	return site->documents.n;
}

size_t lode_site_n_reports(const struct lode_site *site)
{
	return site->reports.n;
}

const struct lode_site_document *lode_site_document(const struct lode_site *site, size_t number)
{
	return &site->documents.at[number];
}

struct lode_site_place lode_site_find(const struct lode_site *site, const char *path)
{
	static const char reports[] = "/api/reports";
	struct lode_site_place place = {.kind = LODE_SITE_DOCUMENT};
	const struct site_report *report;
	const char *name, *slash;

	if (strcmp(path, "/") == 0)
		return place;
	place.document = LIST;
	if (strcmp(path, reports) == 0)
		return place;
	place.kind = LODE_SITE_NOTHING;
	if (strncmp(path, reports, strlen(reports)) != 0 || path[strlen(reports)] != '/')
		return place;
	name = path + strlen(reports) + 1;
	slash = strchr(name, '/');
	report = find_report(site, name, slash ? (size_t)(slash - name) : strlen(name));
	if (!report)
		return place;
	place.report = (size_t)(report - site->reports.at);
	place.document = report->document;
	if (report->pending.answer) {
		place.kind = LODE_SITE_QUESTION;
		place.question = &report->pending;
		return place;
	}
	if (!slash) {
		place.kind = LODE_SITE_DOCUMENT;
		return place;
	}
	for (size_t i = 0; i < report->questions.n; i++)
		if (strcmp(report->questions.at[i].what, slash + 1) == 0) {
			place.kind = LODE_SITE_QUESTION;
			place.question = &report->questions.at[i];
		}
	if (place.kind == LODE_SITE_NOTHING && report->others.answer) {
		place.kind = LODE_SITE_QUESTION;
		place.question = &report->others;
	}
	return place;
}

const char *lode_site_param(const struct lode_site_query *query, const char *key)
{
	for (size_t i = 0; i < query->n; i++)
		if (strcmp(query->at[i].key, key) == 0)
			return query->at[i].value;
	return NULL;
}

bool lode_site_param_number(const struct lode_site_query *query, const char *key, int64_t least,
			    int64_t most, int64_t *out)
{
	const char *text = lode_site_param(query, key);
	long long value;
	char *end;

	if (!text)
		return true;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end || errno || value < least || value > most)
		return false;
	*out = value;
	return true;
}
