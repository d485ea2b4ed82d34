/* input/formats/log: a request log reads as its requests, whatever its format, and says what it
 * lacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "random.h"
#include "scratch.h"
#include "base/log_time.h"
#include "input/formats/log/request_source.h"

#define NS INT64_C(1000000000)
#define MS INT64_C(1000000)

static struct scratch scratch;
static const char *path;

/* What a log came to. */
struct log {
	struct lode_request_names names;
	struct lode_losses losses;
	LODE_VEC(struct lode_request) requests;
	struct lode_log_facts facts;
	struct lode_error err;
	int rc;
};

static int take(void *context, const struct lode_request *at, size_t n, struct lode_error *err)
{
	struct log *log = context;

	(void)err;
	for (size_t i = 0; i < n; i++)
		lode_vec_append(&log->requests, at[i]);
	return LODE_OK;
}

static void read_log(struct log *log, const char *text, size_t len,
		     const struct lode_log_options *options)
{
	struct lode_request_sink sink = {
		.context = log, .names = &log->names, .requests = take, .losses = &log->losses};

	memset(log, 0, sizeof(*log));
	scratch_write(path, text, len);
	log->rc = lode_requests_read(&sink, path, options, &log->facts, &log->err);
}

static void release(struct log *log)
{
	lode_request_names_release(&log->names);
	lode_vec_release(&log->requests);
}

/* One request as text: "end_ms response_us upstream_us action user status". */
static void request_text(const struct log *log, size_t i, char *text, size_t size)
{
	const struct lode_request *r = &log->requests.at[i];

	snprintf(text, size, "%" PRId64 " %" PRId64 " %" PRId64 " %s %s %d", r->end_ns / MS,
		 r->response_ns / 1000, r->upstream_ns < 0 ? -1 : r->upstream_ns / 1000,
		 log->names.actions.text.at[r->action],
		 r->user == LODE_NONE ? "-" : log->names.users.text.at[r->user], r->status);
}

struct sample {
	const char *what, *text, *format, *fields, *action;
	const char *expect; /* of the first request */
	size_t n;
};

/* 2026-11-21 04:04:24.572 UTC is 1795233864572 ms. */
static const struct sample samples[] = {
	{"combined, times told by their look",
	 "10.0.0.1 - u8 [21/Nov/2026:04:04:24 +0000] \"GET /a/browse?u=8 HTTP/1.1\" 200 16 \"-\" "
	 "\"a \\\" b\" 0.005 0.004 1795233864.572\n",
	 NULL, NULL, NULL, "1795233864572 5000 4000 /a/browse u8 200", 1},
	{"combined behind a virtual host's name, other zone",
	 "shop 10.0.0.1 - - [21/Nov/2026:05:04:24 +0100] \"POST /cart/17/add HTTP/2.0\" 302 0 "
	 "\"-\" \"-\" 1.250\n",
	 NULL, NULL, NULL, "1795233864000 1250000 -1 POST /cart/*/add - 302", 1},
	{"named fields behind a combined line",
	 "1.2.3.4 - - [21/Nov/2026:04:04:24 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"-\" rt=0.020 "
	 "uct=\"0.001\" urt=\"0.015, 0.003\"\n",
	 NULL, NULL, NULL, "1795233864000 20000 18000 / - 200", 1},
	{"nginx's log_format as it stands in its configuration",
	 "1795233864.572|0.250|0.1, 0.1 : 0.04|-|GET /x HTTP/1.1|499\n",
	 "log_format t '$msec|$request_time|$upstream_response_time|'\n  "
	 "'$remote_user|$request|$status';",
	 NULL, NULL, "1795233864572 250000 240000 /x - 499", 1},
	{"nginx, JSON by its log_format",
	 "{\"t\":\"2026-11-21T04:04:24+00:00\",\"u\":\"a\\\"b\",\"r\":\"GET /y?z HTTP/1.1\","
	 "\"rt\":0.003}\n",
	 "{\"t\":\"$time_iso8601\",\"u\":\"$remote_user\",\"r\":\"$request\",\"rt\":$request_time}",
	 NULL, NULL, "1795233864000 3000 -1 /y a\\\"b 0", 1},
	{"nginx, the user in a header", "9.9.9.9 [21/Nov/2026:04:04:24 +0000] root alice 0.010\n",
	 "$remote_addr [$time_local] $remote_user $http_x_user $request_time", "user=http_x_user",
	 NULL, "1795233864000 10000 -1  alice 0", 1},
	{"Apache writes when a request came, and microseconds",
	 "10.0.0.1 - bob [21/Nov/2026:04:04:24 +0000] \"GET /q HTTP/1.1\" 200 77 1500000\n",
	 "%h %l %u %t \"%r\" %>s %b %D", NULL, NULL, "1795233865500 1500000 -1 /q bob 200", 1},
	{"Apache, the end of a request, ms", "1795233864572 GET /q 12 eve\n",
	 "%{end:msec}t %m %U %{ms}T %{X-User}i", "user=X-User", NULL,
	 "1795233864572 12000 -1 /q eve 0", 1},
	{"HAProxy's httplog: its times are wall clock, and of the start",
	 "Nov 21 04:04:25 lb haproxy[14389]: 10.0.1.2:33317 [21/Nov/2026:04:04:24.572] http-in "
	 "static/srv1 10/20/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} \"GET /i.html "
	 "HTTP/1.1\"\n",
	 NULL, NULL, NULL, "1795233864681 109000 119000 /i.html - 200", 1},
	{"W3C extended: columns may change on the way",
	 "#Software: Microsoft Internet Information Services 10.0\r\n#Fields: date time cs-method "
	 "cs-uri-stem cs-username sc-status time-taken\r\n2026-11-21 04:04:24 GET /d.aspx DOM\\ann "
	 "200 31\r\n#Fields: date time time-taken cs-uri-stem\r\n2026-11-21 04:04:25 7 /e\r\n",
	 NULL, NULL, NULL, "1795233864000 31000 -1 /d.aspx DOM\\ann 200", 2},
	{"JSON lines: names suggest what is what, units stand in names and texts",
	 "{\"level\":\"info\",\"ts\":1795233864.572,\"http\":{\"x\":[1,{\"ts\":3}]},"
	 "\"path\":\"/p/0a1b2c3d4e\",\"duration_ms\":12.5,\"user_id\":42,\"status\":200}\n",
	 NULL, NULL, NULL, "1795233864572 12500 -1 /p/* 42 200", 1},
	{"JSON lines with nested names that the user gives",
	 "{\"@timestamp\":\"2026-11-21T04:04:24.572Z\",\"http\":{\"route\":\"/"
	 "r\",\"took\":\"3ms\"}}"
	 "\n",
	 NULL, "response=http.took,action=http.route", NULL, "1795233864572 3000 -1 /r - 0", 1},
	{"quoted times right behind the agent are no log of HAProxy's",
	 "1.1.1.1 - - [21/Nov/2026:04:04:24 +0000] \"GET /a HTTP/1.1\" 200 9 \"-\" \"-\" "
	 "\"0.001\" \"0.020\" \"0.002\" \"0.003\"\n",
	 NULL, NULL, NULL, "1795233864000 20000 3000 /a - 200", 1},
	{"Caddy: action and method are nested, and a whole name comes first wherever it is",
	 "{\"ts\":1795233864.572,\"request\":{\"method\":\"POST\",\"uri\":\"/n\",\"status\":1,"
	 "\"headers\":{\"date\":\"x\",\"time\":\"y\"}},\"duration\":0.002,\"status\":201}\n",
	 NULL, NULL, NULL, "1795233864572 2000 -1 POST /n - 201", 1},
	{"Traefik: nanoseconds upstream",
	 "{\"StartUTC\":\"2026-11-21T04:04:24.572Z\",\"Duration\":3000000,\"RequestPath\":\"/t\","
	 "\"OriginDuration\":2000000,\"DownstreamStatus\":200,\"RequestMethod\":\"GET\"}\n",
	 NULL, "response=Duration:ns", NULL, "1795233864575 3000 2000 /t - 200", 1},
	{"CloudFront: tabs, and seconds",
	 "#Version: 1.0\n#Fields: date time cs-method cs-uri-stem sc-status time-taken\n"
	 "2026-11-21\t04:04:24\tGET\t/c\t200\t0.031\n",
	 NULL, NULL, NULL, "1795233864000 31000 -1 /c - 200", 1},
	{"a log of IIS by its own fields, without its first line",
	 "#Fields: date time cs-uri-stem sc-status sc-win32-status time-taken\n"
	 "2026-11-21 04:04:24 /i 200 0 31\n",
	 NULL, NULL, NULL, "1795233864000 31000 -1 /i - 200", 1},
	{"of two columns for one thing the first has it",
	 "time,duration_ms,latency_us,url\n1795233864,5,7,/q\n", NULL, NULL, NULL,
	 "1795233864000 5000 -1 /q - 0", 1},
	{"a table, quoted",
	 "time;duration_us;action;user\n\"2026-11-21 04:04:24,572\";900;\"say \"\"hi\"\"\";joe\n",
	 NULL, NULL, NULL, "1795233864572 900 -1 say \"hi\" joe 0", 1},
	{"a table with a byte order mark, whose header holds its delimiter in quotes",
	 "\xef\xbb\xbftime,\"client, proxies\",duration_ms,url\n1795233864.572,x,5,/q\n", "csv",
	 NULL, NULL, "1795233864572 5000 -1 /q - 0", 1},
	{"actions by a rule of the user's",
	 "time,response_ms,url\n1795233864,5,/api/v2/items/77?op=del\n", NULL,
	 "response=response_ms:ms", "^/api/v\\d+/(\\w+).*op=(\\w+)=>$1:$2",
	 "1795233864000 5000 -1 items:del - 0", 1},
	{"actions: the last element",
	 "time,response_ms,url\n1795233864,5,https://h:80/auction/report/?u=1\n", NULL,
	 "response=response_ms:ms", "last", "1795233864000 5000 -1 report - 0", 1},
};

static void formats_read_as_their_requests(void **state)
{
	char text[500];

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];
		struct lode_log_options options = {.format = s->format,
						   .fields = s->fields,
						   .action = s->action,
						   .n_threads = 1};
		struct log log;

		read_log(&log, s->text, strlen(s->text), &options);
		if (log.rc < 0)
			fail_msg("%s: %s", s->what, log.err.message);
		assert_int_equal(log.requests.n, s->n);
		request_text(&log, 0, text, sizeof(text));
		if (strcmp(text, s->expect) != 0)
			fail_msg("%s: '%s', expected '%s'", s->what, text, s->expect);
		assert_int_equal(log.losses.by_kind[LODE_LOSS_BAD_RECORD].count, 0);
		assert_true(s->format || s->fields ||
			    lode_format_log.recognise((const uint8_t *)s->text, strlen(s->text)));
		release(&log);
	}
}

static void what_is_no_request_is_said(void **state)
{
	static const struct {
		const char *text, *format, *fields, *action, *expect;
	} bad[] = {
		{"", NULL, NULL, NULL, "empty"},
		{"hello world\n", NULL, NULL, NULL, "not a line of a known log"},
		{"1.1.1.1 - - [21/Nov/2026:04:04:24 +0000] \"GET / HTTP/1.1\" 200 5\n", NULL, NULL,
		 NULL, "no response time"},
		{"{\"a\":1}\n", NULL, NULL, NULL, "--fields"},
		{"1.1.1.1 - - [21/Nov/2026:04:04:24 +0000] \"GET / HTTP/1.1\" 200 5 0.100 0.300\n"
		 "1.1.1.1 - - [21/Nov/2026:04:04:24 +0000] \"GET / HTTP/1.1\" 200 5 0.300 0.100\n",
		 NULL, NULL, NULL, "as long as all others"},
		{"#Fields: date time cs-uri-stem time-taken\n2026-11-21 04:04:24 /x 31\n", NULL,
		 NULL, NULL, "needs its unit"},
		{"x\n", "$time_local$request_time", NULL, NULL, "without a separator"},
		{"x\n", "$time_local $status", NULL, NULL, "no response time"},
		{"x\n", "$status $request_time", NULL, NULL, "no time"},
		{"x\n", NULL, NULL, "(=>a", "regular expression"},
		{"x\n", NULL, NULL, "sideways", "not a rule"},
		{"a b\n", "$msec $request_time", NULL, NULL, "no line is a request"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct lode_log_options options = {.format = bad[i].format,
						   .fields = bad[i].fields,
						   .action = bad[i].action,
						   .n_threads = 1};
		struct log log;

		read_log(&log, bad[i].text, strlen(bad[i].text), &options);
		assert_true(log.rc < 0);
		if (!strstr(log.err.message, bad[i].expect))
			fail_msg("'%s' lacks '%s'", log.err.message, bad[i].expect);
		release(&log);
	}
	assert_int_equal(lode_log_options_check(&(struct lode_log_options){.fields = "wer=x"},
						NULL),
			 LODE_ERR_ARG);
	assert_int_equal(
		lode_log_options_check(&(struct lode_log_options){.fields = "user=x,time=t"}, NULL),
		LODE_OK);
}

/* ---- Times without names ---- */

/* Whatever the order of a request's four times, and of what is none: they are told apart. */
static void unnamed_times_are_told_by_their_order(void **state)
{
	struct test_random random = {3};
	struct lode_log_options options = {.n_threads = 1};

	(void)state;
	for (int round = 0; round < 200; round++) {
		char *text = NULL;
		size_t size = 0, order[6] = {0, 1, 2, 3, 4, 5};
		FILE *f = open_memstream(&text, &size);
		int64_t total[12], behind[12];
		bool is_quoted = test_random_below(&random, 2);
		struct log log;

		for (size_t i = 5; i > 0; i--) {
			size_t j = test_random_below(&random, (uint32_t)i + 1), other = order[i];

			order[i] = order[j];
			order[j] = other;
		}
		for (int line = 0; line < 12; line++) {
			int64_t connect = test_random_below(&random, 50);
			int64_t header = connect + test_random_below(&random, 2000);
			bool is_local = line && test_random_below(&random, 6) == 0;
			char cells[6][40];

			behind[line] = header + test_random_below(&random, 50);
			total[line] = behind[line] + test_random_below(&random, 500);
			snprintf(cells[0], 40, "%.3f", (double)total[line] / 1e3);
			snprintf(cells[1], 40, "%.3f", (double)behind[line] / 1e3);
			snprintf(cells[2], 40, "%.3f", (double)header / 1e3);
			snprintf(cells[3], 40, "%.3f", (double)connect / 1e3);
			if (is_local)
				for (int c = 1; c < 4; c++)
					strcpy(cells[c], "-");
			if (is_local)
				behind[line] = -1;
			snprintf(cells[4], 40, "%.2f", 3 + line / 3.0); /* gzip's ratio */
			snprintf(cells[5], 40, "TLSv1.%d", line % 2 + 2);
			fputs("1.1.1.1 - - [21/Nov/2026:04:04:24 +0000] \"GET / HTTP/1.1\" 200 5 "
			      "\"-\" \"a\"",
			      f);
			for (int c = 0; c < 6; c++)
				fprintf(f, is_quoted ? " \"%s\"" : " %s", cells[order[c]]);
			fputc('\n', f);
		}
		fclose(f);
		read_log(&log, text, size, &options);
		if (log.rc < 0)
			fail_msg("%s in %s", log.err.message, text);
		assert_int_equal(log.requests.n, 12);
		assert_true(log.facts.has_action);
		for (int line = 0; line < 12; line++) {
			const struct lode_request *r = &log.requests.at[line];

			if (r->response_ns != total[line] * MS ||
			    r->upstream_ns != (behind[line] < 0 ? -1 : behind[line] * MS))
				fail_msg("line %d of %s", line + 1, text);
		}
		assert_true(log.facts.n_longer_behind == 0);
		release(&log);
		free(text);
	}
}

static void what_was_guessed_is_said(void **state)
{
	static const struct {
		const char *text, *expect;
		bool has_action;
	} logs[] = {
		{"{\"ts\":1795233864.5,\"duration\":0.5,\"request\":{\"uri\":\"/x\"}}\n",
		 "JSON lines; time: ts; response time: duration (s, for its fraction); action: "
		 "request.uri",
		 true},
		{"start,duration_ms\n1795233864,5\n",
		 "a table with a header; time: start (start); response time: duration_ms (ms)",
		 false},
		{"1.1.1.1 - - [21/Nov/2026:04:04:24 +0000] \"GET / HTTP/1.1\" 200 5 0.100 0.300\n",
		 "common log; response time (s): field 2 behind the common ones, at least as long "
		 "as "
		 "the other time in 1 line; upstream time: field 1",
		 true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct lode_log_options options = {.n_threads = 1};
		struct log log;

		read_log(&log, logs[i].text, strlen(logs[i].text), &options);
		assert_int_equal(log.rc, 0);
		assert_string_equal(log.facts.format, logs[i].expect);
		assert_int_equal(log.facts.has_action, logs[i].has_action);
		release(&log);
	}
}

#define TWO_TIMES(a, b) \
	"time,action,took_ms\n2026-11-21T04:04:24Z,/a," a "\n2026-11-21T04:04:25Z,/a," b "\n"

/* Numbers as other locales and people write them; -1: the line is no request, for `bad`. */
static void commas_mean_what_the_log_s_numbers_show(void **state)
{
	static const struct {
		const char *text;
		int64_t want_ns[2];
		const char *words, *bad;
	} logs[] = {
		{TWO_TIMES("\"1,234\"", "999.5"), {1234 * MS, 999500000}, "commas between", NULL},
		{TWO_TIMES("\"1,234\"", "\"999,5\""), {1234000, 999500000}, "decimal", NULL},
		{TWO_TIMES("\"1,234\"", "\"5,678\""),
		 {1234 * MS, 5678 * MS},
		 "commas between thousands (assumed: no number shows it)",
		 NULL},
		{TWO_TIMES("\"1,234,567.25\"", "\"1,5\""),
		 {1234567250000, -1},
		 "commas between",
		 "points or commas"},
		{TWO_TIMES("1'234", "1 234.5"), {1234 * MS, 1234500000}, "(ms); action", NULL},
		{TWO_TIMES("1.5 s", "\"1,500.5 us\""), {1500 * MS, 1500500}, "thousands", NULL},
		{"time;action;took\n2026-11-21T04:04:24Z;/a;1,234\n2026-11-21T04:04:25Z;/a;2,500\n",
		 {1234 * MS, 2500 * MS},
		 "(s, for its fraction); action: action; decimal commas (assumed",
		 NULL},
		{"sep=;\ntime;action;took\n2026-11-21T04:04:24Z;/a;0,5\n2026-11-21T04:04:25Z;/a;"
		 "1.000,25 ms\n",
		 {500 * MS, 1000250000},
		 "decimal commas",
		 NULL},
		{"{\"time\":\"2026-11-21T04:04:24Z\",\"path\":\"/a\",\"took\":\"0,25\"}\n"
		 "{\"time\":\"2026-11-21T04:04:25Z\",\"path\":\"/a\",\"took\":\"12,5 ms\"}\n",
		 {250 * MS, 12500000},
		 "decimal commas",
		 NULL},
		{"time,action,took_ms\n2026-11-21T04:04:24Z,/a,5\n03/04/2025 04:04:24,/a,5\n",
		 {5 * MS, -1},
		 "(ms)",
		 "no date of the file shows whether day or month is first"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		struct lode_log_options options = {.n_threads = 1};
		size_t n = 0;
		struct log log;

		read_log(&log, logs[i].text, strlen(logs[i].text), &options);
		assert_int_equal(log.rc, 0);
		for (int k = 0; k < 2; k++) {
			if (logs[i].want_ns[k] < 0)
				continue;
			if (n >= log.requests.n ||
			    log.requests.at[n].response_ns != logs[i].want_ns[k])
				fail_msg("log %zu, request %d", i, k);
			n++;
		}
		assert_int_equal(log.requests.n, n);
		if (!strstr(log.facts.format, logs[i].words))
			fail_msg("log %zu: %s", i, log.facts.format);
		if (logs[i].bad)
			assert_non_null(strstr(log.losses.by_kind[LODE_LOSS_BAD_RECORD].detail,
					       logs[i].bad));
		release(&log);
	}
}

/* Fields that contradict each other, and times that are long for seconds, are counted. */
static void values_are_checked(void **state)
{
	static const char text[] = "time,duration,upstream_time,url\n1795233864,25.5,12.5,/\n"
				   "1795233865,1.5,12.5,/\n";
	struct lode_log_options options = {.n_threads = 1};
	struct log log;

	(void)state;
	read_log(&log, text, strlen(text), &options);
	assert_int_equal(log.rc, 0);
	assert_true(log.facts.n_long == 1);
	assert_true(log.facts.n_longer_behind == 1);
	release(&log);
}

/* ---- Random requests, written in each format ---- */

enum written_form { WRITTEN_TEXT, WRITTEN_JSON, WRITTEN_TABLE, N_WRITTEN_FORMS };

static const char *const written_formats[N_WRITTEN_FORMS] = {
	"$remote_addr - $remote_user [$time_local] \"$request\" $status "
	"$upstream_response_time $request_time $msec",
	NULL, NULL /* told from the lines */};

static struct lode_request random_request(struct test_random *random)
{
	struct lode_request r = {0};

	r.end_ns = (1795233864000 + (int64_t)test_random_below(random, 90000000)) * MS;
	r.response_ns = test_random_below(random, 100000) * MS;
	r.upstream_ns = test_random_below(random, 5) ? test_random_below(random, 100000) * MS : -1;
	r.action = test_random_below(random, 26);
	r.user = test_random_below(random, 100);
	r.status = (uint16_t)(200 + test_random_below(random, 300));
	return r;
}

static void write_text_line(FILE *f, const struct lode_request *r, uint32_t noise)
{
	time_t second = (time_t)(r->end_ns / NS);
	char day[40];
	struct tm tm;

	gmtime_r(&second, &tm);
	strftime(day, sizeof(day), "%d/%b/%Y:%H:%M:%S +0000", &tm);
	fprintf(f, "1.2.3.4 - u%u [%s] \"GET /act%c?%" PRIu32 " HTTP/1.1\" %u ", r->user, day,
		'a' + (int)r->action, noise, r->status);
	if (r->upstream_ns < 0)
		fputs("-", f);
	else
		fprintf(f, "%.3f, 0.000", (double)r->upstream_ns / 1e9);
	fprintf(f, " %.3f %.3f\n", (double)r->response_ns / 1e9, (double)(r->end_ns / MS) / 1e3);
}

static void write_json_line(FILE *f, const struct lode_request *r)
{
	fprintf(f,
		"{\"msec\":%.3f,\"request_time\":\"%.3f\",\"url\":\"/act%c\",\"user\":\"u%u\","
		"\"status\":%u,\"upstream_response_time\":",
		(double)(r->end_ns / MS) / 1e3, (double)r->response_ns / 1e9, 'a' + (int)r->action,
		r->user, r->status);
	if (r->upstream_ns < 0)
		fputs("null}\n", f);
	else
		fprintf(f, "%.3f}\n", (double)r->upstream_ns / 1e9);
}

static void write_table_row(FILE *f, const struct lode_request *r)
{
	fprintf(f, "%" PRId64 ",%" PRId64 ",", r->end_ns / MS, r->response_ns / MS);
	if (r->upstream_ns >= 0)
		fprintf(f, "%" PRId64, r->upstream_ns / MS);
	fprintf(f, ",/act%c,u%u,%u\n", 'a' + (int)r->action, r->user, r->status);
}

/* `n` requests as text, and what they are in `truth`. To be freed. */
static char *write_requests(struct lode_request *truth, size_t n, enum written_form form,
			    struct test_random *random, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	if (form == WRITTEN_TABLE)
		fputs("end,response_ms,upstream_time_ms,url,user,status\n", f);
	for (size_t i = 0; i < n; i++) {
		truth[i] = random_request(random);
		if (form == WRITTEN_TEXT)
			write_text_line(f, &truth[i], test_random_below(random, 9));
		else if (form == WRITTEN_JSON)
			write_json_line(f, &truth[i]);
		else
			write_table_row(f, &truth[i]);
	}
	fclose(f);
	return text;
}

static void check_request(const struct log *log, size_t i, const struct lode_request *truth)
{
	const struct lode_request *r = &log->requests.at[i];
	char name[20];

	assert_true(r->end_ns == truth->end_ns);
	assert_true(r->response_ns == truth->response_ns);
	assert_true(r->upstream_ns == truth->upstream_ns);
	assert_int_equal(r->status, truth->status);
	snprintf(name, sizeof(name), "/act%c", 'a' + (int)truth->action);
	assert_string_equal(log->names.actions.text.at[r->action], name);
	snprintf(name, sizeof(name), "u%u", truth->user);
	assert_string_equal(log->names.users.text.at[r->user], name);
}

/* They come back as they were: also where blocks end, and for any number of threads. */
static void written_requests_come_back(void **state)
{
	struct test_random random = {7};
	enum { N = 30000 };
	struct lode_request *truth = calloc(N, sizeof(*truth));

	(void)state;
	for (int form = 0; form < N_WRITTEN_FORMS; form++) {
		struct lode_log_options options = {.format = written_formats[form], .n_threads = 1};
		struct log one, three;
		size_t size = 0;
		char *text = write_requests(truth, N, (enum written_form)form, &random, &size);

		read_log(&one, text, size, &options);
		options.n_threads = 3;
		read_log(&three, text, size, &options);
		assert_int_equal(one.rc, 0);
		assert_int_equal(one.requests.n, N);
		assert_int_equal(three.requests.n, N);
		assert_memory_equal(one.requests.at, three.requests.at, N * sizeof(*truth));
		for (size_t i = 0; i < N; i++)
			check_request(&one, i, &truth[i]);
		for (size_t i = 0; i < one.names.users.text.n; i++)
			assert_string_equal(one.names.users.text.at[i],
					    three.names.users.text.at[i]);
		release(&one);
		release(&three);
		free(text);
	}
	free(truth);
}

static void decimals_are_exact(void **state)
{
	static const struct {
		const char *text;
		int64_t unit_ns, want_ns; /* -1: no number */
	} cases[] = {
		{"0.063", NS, 63 * MS},
		{"1,5", NS, -1},
		{"12", MS, 12 * MS},
		{"0.0000000019", NS, 1},
		{"6.3e-05", NS, 63000},
		{"1E3", MS, 1000 * MS},
		{"9e-07", NS, 900},
		{"1e300", NS, -1},
		{"1e", NS, -1},
		{"e5", NS, -1},
		{"-1", NS, -1},
		{"1e5x", NS, -1},
		{"9223372036854775808", 1, -1},
		{"", NS, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t got = -1;

		if (!lode_log_decimal(&got, cases[i].text, strlen(cases[i].text), cases[i].unit_ns))
			got = -1;
		if (got != cases[i].want_ns)
			fail_msg("%s: %" PRId64, cases[i].text, got);
	}
}

/* Every second of the calendar, against the C library's. */
static void times_are_the_calendar_s(void **state)
{
	struct test_random random = {11};
	struct lode_log_clock clock = {0};
	struct lode_log_time got;
	char text[64];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		time_t t = (time_t)(test_random_next(&random) % 4102444800u);
		int zone = (int)test_random_below(&random, 27) - 13;
		struct tm tm;
		size_t n;

		gmtime_r(&t, &tm);
		n = strftime(text, sizeof(text), i % 2 ? "%d/%b/%Y:%H:%M:%S" : "%Y-%m-%dT%H:%M:%S",
			     &tm);
		snprintf(text + n, sizeof(text) - n, ".%03d %c%02d%s30", i % 1000,
			 zone < 0 ? '-' : '+', abs(zone), i % 3 ? ":" : "");
		assert_true(lode_log_time_parse(&got, &clock, text, strlen(text)));
		assert_true(got.has_zone);
		assert_true(got.ns ==
			    ((int64_t)t - (zone < 0 ? -1 : 1) * (abs(zone) * 3600 + 1800)) * NS +
				    i % 1000 * MS);
	}
	assert_false(lode_log_time_parse(&got, &clock, "31/Feb/2026:00:00:00 +0000", 26));
	assert_false(lode_log_time_parse(&got, &clock, "2026-11-21T25:00:00Z", 20));
	assert_false(lode_log_time_parse(&got, &clock, "1234567", 7));
}

/* A wall clock that goes back passes an hour twice; one that goes on skips one. */
static void clocks_change(void **state)
{
	static const struct {
		const char *wall;
		int64_t utc_s;
	} night[] = {
		/* Europe/Berlin, 2026-10-25: 03:00 summer time is 02:00 */
		{"2026-10-25 01:59:58", 1792886398}, {"2026-10-25 02:00:01", 1792886401},
		{"2026-10-25 02:59:59", 1792889999}, {"2026-10-25 02:00:00", 1792890000},
		{"2026-10-25 02:30:00", 1792891800}, {"2026-10-25 03:00:00", 1792893600},
	};
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct log log;
	const char *before = getenv("TZ");

	(void)state;
	fputs("time,response_ms\n", f);
	for (size_t i = 0; i < sizeof(night) / sizeof(night[0]); i++)
		fprintf(f, "%s,1\n", night[i].wall);
	fclose(f);
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	read_log(&log, text, size, &(struct lode_log_options){.n_threads = 1});
	assert_int_equal(log.rc, 0);
	assert_true(log.facts.is_zone_assumed);
	for (size_t i = 0; i < sizeof(night) / sizeof(night[0]); i++)
		assert_int_equal(log.requests.at[i].end_ns / NS, night[i].utc_s);
	release(&log);
	free(text);
	if (before)
		setenv("TZ", before, 1);
	else
		unsetenv("TZ");
	tzset();
}

static void bad_lines_are_counted_and_cost_nothing_else(void **state)
{
	static const char text[] =
		"1.1.1.1 - a [21/Nov/2026:04:04:24 +0000] \"GET / HTTP/1.1\" 200 "
		"5 \"-\" \"-\" 0.001\n"
		"\x16\x03\x01 what is this\n"
		"1.1.1.1 - a [21/Nov/2026:04:04:24 +0000] \"GET / HTTP/1.1\" 499 "
		"5 \"-\" \"-\" -\n"
		"1.1.1.1 - b [21/Nov/2026:04:04:25 +0000] \"GET / HTTP/1.1\" 200 "
		"5 \"-\" \"-\" 0.002";
	struct log log;

	(void)state;
	read_log(&log, text, sizeof(text) - 1, &(struct lode_log_options){.n_threads = 1});
	assert_int_equal(log.rc, 0);
	assert_int_equal(log.requests.n, 2);
	assert_int_equal(log.facts.n_lines, 4);
	assert_int_equal(log.facts.n_no_response, 1);
	assert_int_equal(log.losses.by_kind[LODE_LOSS_BAD_RECORD].count, 1);
	assert_non_null(strstr(log.losses.by_kind[LODE_LOSS_BAD_RECORD].detail, "line 2 "));
	release(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_read_as_their_requests),
		cmocka_unit_test(what_is_no_request_is_said),
		cmocka_unit_test(unnamed_times_are_told_by_their_order),
		cmocka_unit_test(what_was_guessed_is_said),
		cmocka_unit_test(commas_mean_what_the_log_s_numbers_show),
		cmocka_unit_test(values_are_checked),
		cmocka_unit_test(written_requests_come_back),
		cmocka_unit_test(decimals_are_exact),
		cmocka_unit_test(times_are_the_calendar_s),
		cmocka_unit_test(clocks_change),
		cmocka_unit_test(bad_lines_are_counted_and_cost_nothing_else),
	};
	int failed;

	scratch_make(&scratch);
	path = scratch_path(&scratch, "access.log");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	scratch_remove(&scratch);
	return failed;
}
