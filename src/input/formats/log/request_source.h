/*
 * Request logs of web servers, proxies and applications -> requests (model/requests.h).
 *
 *   blocks of lines --> workers: line -> fields -> request --> names, in order --> sink
 *   (one at a time)     (in parallel)                          (one at a time)
 *
 * Read are: the formats that nginx's log_format, Apache's LogFormat and HAProxy's httplog describe,
 * W3C extended logs (IIS), JSON lines, and tables with a header (CSV, TSV). Plain or compressed;
 * lines in any order; rotated files one after another. Memory does not depend on the log's size.
 */
#pragma once

#include "base/lines.h"
#include "model/requests.h"
#include "input/format.h"

struct lode_log_options {
	/*
	 * NULL: known from the first lines. Otherwise "combined", "haproxy", "w3c", "json", "csv",
	 * or the text of nginx's log_format ('$remote_addr ... $request_time') or of Apache's
	 * LogFormat
	 * ('%h ... %D').
	 */
	const char *format;
	/*
	 * Which fields mean what, for formats whose fields have names, over what the names suggest:
	 * "time=ts,response=took:ms,action=route,user=uid". Roles: time, start, response, upstream,
	 * request, method, action (a URL, or already an action), status, user. A unit follows
	 * response and upstream. In formats of nginx and Apache names are those of the variables:
	 * "user=http_x_user", "user=%{X-User}i". NULL: as the names suggest.
	 */
	const char *fields;
	/*
	 * URL -> action. NULL: the path without its query, where elements that are ids (numbers,
	 * hexadecimal of 8 and more digits, UUIDs) become "*"; methods other than GET and HEAD
	 * stand before it. "path": the path as it is. "last": its last element. "first": its first.
	 * Otherwise "REGEX=>TEXT" (PCRE2; $1 in TEXT), for URLs that it matches.
	 */
	const char *action;
	unsigned n_threads; /* 0: all CPUs */
	/* Bytes read so far; may be NULL. May be called from any thread. */
	void (*progress)(void *context, int64_t consumed_bytes);
	void *progress_context;
};

/* What a log turned out to be. */
struct lode_log_facts {
	uint64_t n_lines;
	uint64_t n_requests;	/* with those of a wrong time, which are dropped and counted */
	uint64_t n_no_response; /* lines without a response time ("-") */
	char format[600];	/* in words: "JSON lines; time: ts; response time: took (ms) ..." */
	bool has_action;	/* its first line has one */
	bool is_comma_assumed;	/* no number shows what commas in response times mean */
	/* Of the requests: those that took more than 10 s; those whose upstream time is longer than
	   the response time: of many the fields or units are wrong. */
	uint64_t n_long, n_longer_behind;
	bool is_zone_assumed; /* times had no zone: the process' TZ was taken */
	struct lode_request_leaps leaps;
};

/*
 * Reads one log into the sink. Lines that cannot be read are counted in the sink's losses. Fails
 * when no line can be: with what was expected, and the first line.
 */
int lode_requests_read(const struct lode_request_sink *sink, const char *path,
		       const struct lode_log_options *options, struct lode_log_facts *facts,
		       struct lode_error *err);

/* The same of a part of plain text in memory; `name` stands for its path. Bad lines of its head are
   not counted: they were, with the lines behind them. */
int lode_requests_read_text(const struct lode_request_sink *sink, const char *name,
			    const struct lode_text_part *part,
			    const struct lode_log_options *options, struct lode_log_facts *facts,
			    struct lode_error *err);

/* The options are sound: LODE_ERR_ARG tells what is not. */
int lode_log_options_check(const struct lode_log_options *options, struct lode_error *err);
