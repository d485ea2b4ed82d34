/* Answers one HTTP request. */
#include "serve/answer.h"

#include <assert.h>
#include <strings.h>

#include "base/json.h"
#include "base/memory_bound.h"
#include "base/written.h"
#include "serve/apart.h"
#include "serve/server.h"

enum { MOST_PARAMETERS = 32, MOST_KEY_BYTES = 1024 };

/* One request while it lasts. While it is asked, it is the asker's. */
struct request {
	LODE_VEC(char) body;
	bool is_judged;
	bool is_too_large;
	/* of a question */
	struct lode_site_pair parameters[MOST_PARAMETERS];
	size_t n_parameters;
	bool has_too_many;
	char *key;		  /* of a lasting answer; NULL: it is none */
	struct lode_shown *shown; /* from its first line to its end */
	const struct lode_answers *answers;
	struct MHD_Connection *connection;
	const struct lode_site_question *question;
	struct lode_asker_job job;
	/* what came of it: one of both */
	bool is_answered;
	struct lode_made *made;
	char *json;
	size_t json_bytes;
	unsigned status;
};

/* ---- Responses ---- */

/* MHD asks for bytes that it could change; it never does. */
static struct MHD_Response *response_of(const char *bytes, size_t n,
					enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *response =
		mode == MHD_RESPMEM_MUST_FREE
			? lode_http.MHD_create_response_from_buffer_with_free_callback(
				  n, (void *)bytes, lode_free)
			: lode_http.MHD_create_response_from_buffer(n, (void *)bytes, mode);

	if (!response)
		lode_oom(n);
	return response;
}

enum {
	/* LIMIT: of the processes that answer at once. */
	ASKER_THREADS = 2,
};

void lode_answers_make(struct lode_answers *answers, struct lode_site *site)
{
	lode_showcase_init(&answers->showcase, lode_shown_new(site));
	answers->n_reports = lode_site_n_reports(site);
	answers->asker = lode_asker_start(answers->n_reports, ASKER_THREADS);
	if (!answers->question_ms)
		answers->question_ms = LODE_APART_MS;
}

void lode_answers_show(struct lode_answers *answers, struct lode_site *site)
{
	assert(lode_site_n_reports(site) == answers->n_reports);
	lode_showcase_put(&answers->showcase, lode_shown_new(site));
}

void lode_answers_stop(struct lode_answers *answers)
{
	atomic_store(&answers->is_stopping, true);
	if (answers->asker)
		lode_asker_stop(answers->asker);
}

void lode_answers_release(struct lode_answers *answers)
{
	lode_showcase_release(&answers->showcase);
	lode_asker_free(answers->asker);
}

static enum MHD_Result queue(struct MHD_Connection *connection, unsigned status,
			     struct MHD_Response *response)
{
	enum MHD_Result result = lode_http.MHD_queue_response(connection, status, response);

	lode_http.MHD_destroy_response(response);
	return result;
}

/* Bytes that are freed with the answer. */
static enum MHD_Result send_json(struct MHD_Connection *connection, unsigned status, char *json,
				 size_t n)
{
	struct MHD_Response *response = response_of(json, n, MHD_RESPMEM_MUST_FREE);

	lode_made_headers(response, "application/json");
	if (status == MHD_HTTP_SERVICE_UNAVAILABLE)
		lode_http.MHD_add_response_header(response, "Retry-After", "1");
	return queue(connection, status, response);
}

/* {"schema": "lode/error/1", "error": "..."}; the caller's. */
static char *json_of_refusal(const char *why, size_t *n)
{
	char *text = NULL;
	FILE *out = lode_written_open(&text, n);
	struct lode_json *json;

	json = lode_json_open(out, "lode/error/1");
	lode_json_text(json, "error", why);
	lode_json_close(json);
	lode_written_close(out);
	return text;
}

/* That, and a header if there is one to add. */
static enum MHD_Result refuse_with(struct MHD_Connection *connection, unsigned status,
				   const char *why, const char *header, const char *value)
{
	size_t n = 0;
	char *text = json_of_refusal(why, &n);
	struct MHD_Response *response = response_of(text, n, MHD_RESPMEM_MUST_FREE);

	lode_made_headers(response, "application/json");
	if (header)
		lode_http.MHD_add_response_header(response, header, value);
	return queue(connection, status, response);
}

static enum MHD_Result refuse_answer(struct MHD_Connection *connection, unsigned status,
				     const char *why)
{
	return refuse_with(connection, status, why, NULL, NULL);
}

/* ---- Documents ---- */

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
	return lode_http.MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static enum MHD_Result send_made(struct MHD_Connection *connection, const struct lode_made *made)
{
	bool takes_gzip = lode_takes_gzip(header_of(connection, "Accept-Encoding"));
	const char *known = header_of(connection, "If-None-Match");

	if (known && strstr(known, made->document.tag)) {
		struct MHD_Response *same = response_of("", 0, MHD_RESPMEM_PERSISTENT);

		lode_http.MHD_add_response_header(same, "ETag", made->document.tag);
		lode_http.MHD_add_response_header(same, "Cache-Control", "no-cache");
		return queue(connection, MHD_HTTP_NOT_MODIFIED, same);
	}
	if (takes_gzip && made->packed)
		return lode_http.MHD_queue_response(connection, MHD_HTTP_OK, made->packed);
	return lode_http.MHD_queue_response(connection, MHD_HTTP_OK, made->plain);
}

/* ---- Phases of a connection ---- */

static struct lode_overdue_connection *phases_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		lode_http.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static void set_phase(const struct lode_answers *answers, struct MHD_Connection *connection,
		      enum lode_overdue_phase phase)
{
	if (phases_of(connection))
		lode_overdue_phase(answers->overdue, phases_of(connection), phase);
}

/* ---- Questions ---- */

static enum MHD_Result add_parameter(void *context, enum MHD_ValueKind kind, const char *key,
				     const char *value)
{
	struct request *request = context;

	(void)kind;
	if (request->n_parameters == MOST_PARAMETERS) {
		request->has_too_many = true;
		return MHD_NO;
	}
	if (strcmp(key, "token") != 0)
		request->parameters[request->n_parameters++] =
			(struct lode_site_pair){key, value ? value : ""};
	return MHD_YES;
}

static unsigned status_of(int rc)
{
	switch (rc) {
	case LODE_ERR_ARG:
		return MHD_HTTP_BAD_REQUEST;
	case LODE_ERR_LIMIT:
		return MHD_HTTP_CONTENT_TOO_LARGE;
	case LODE_SITE_ABSENT:
		return MHD_HTTP_NOT_FOUND;
	case LODE_SITE_TAKEN:
		return MHD_HTTP_CONFLICT;
	case LODE_SITE_GONE:
		return MHD_HTTP_GONE;
	case LODE_SITE_NO_SUCH:
		return MHD_HTTP_UNPROCESSABLE_CONTENT;
	case LODE_SITE_PENDING:
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	case LODE_SITE_SLOW:
		return MHD_HTTP_GATEWAY_TIMEOUT;
	case LODE_SITE_NO_MEMORY:
		return MHD_HTTP_INSUFFICIENT_STORAGE;
	default:
		return MHD_HTTP_INTERNAL_SERVER_ERROR;
	}
}

/* The caller's. */
static char *json_of_error(const struct lode_error *err, size_t *n)
{
	char text[1100];

	return json_of_refusal(lode_error_text(err, text, sizeof(text)), n);
}

static int ask_here(char **json, size_t *n, const struct lode_site_question *question,
		    const struct lode_site_query *query, struct lode_error *err)
{
	FILE *out = lode_written_open(json, n);
	int rc = question->answer(question->context, query, out, err);

	lode_written_close(out);
	return rc;
}

/* Asks, and leaves in the request what came of it. */
static void ask(struct request *request)
{
	const struct lode_site_question *question = request->question;
	struct lode_site_query query = {.at = request->parameters, .n = request->n_parameters};
	struct lode_error err = {0};
	char *json = NULL;
	size_t n = 0;
	bool is_change = question->kind == LODE_REQUEST_CHANGE;
	const struct lode_apart_limits limits = {
		.memory_bytes = lode_memory_bound(),
		.time_ms = request->answers->question_ms,
		.patience_ms = lode_apart_patience_ms(is_change),
		/* A change that is under way comes to its end. */
		.is_stopping = is_change ? NULL : &request->answers->is_stopping,
	};
	int rc;

	if (is_change) {
		query.body = request->body.at;
		query.body_bytes = request->body.n - 1;
	}
	rc = question->is_here ? ask_here(&json, &n, question, &query, &err)
			       : lode_apart_answer(&json, &n, question->answer, question->context,
						   &query, &limits, &err);
	request->status = rc == LODE_OK ? MHD_HTTP_OK : status_of(rc);
	if (rc != LODE_OK) {
		free(json);
		json = json_of_error(&err, &n);
	} else if (request->key) {
		request->made = lode_made_of_json(json, n);
		lode_kept_put(request->shown->kept, request->key, request->made);
		free(json);
		return;
	}
	request->json = json;
	request->json_bytes = n;
}

/* On one of the asker's threads. */
static void ask_and_resume(void *context)
{
	struct request *request = context;

	/* The same may have been asked before. */
	if (request->key)
		request->made = lode_kept_find(request->shown->kept, request->key);
	if (!request->made)
		ask(request);
	request->is_answered = true;
	lode_http.MHD_resume_connection(request->connection);
}

/* The values of a lasting question's parameters, a line each, which name its answer; NULL if they
   are longer than any real question, or have lines themselves: such answers are not kept. */
static char *key_of_answer(const struct lode_site_place *place, const struct lode_site_query *query)
{
	char text[MOST_KEY_BYTES];
	int used = snprintf(text, sizeof(text), "%zu/%s", place->report, place->question->what);

	for (const char *const *p = place->question->parameters; *p; p++) {
		const char *value = lode_site_param(query, *p);
		size_t room = sizeof(text) - (size_t)used;
		int n = snprintf(text + used, room, "\n%c%s", value ? '=' : '-',
				 value ? value : "");

		if (n < 0 || (size_t)n >= room || (value && strchr(value, '\n')))
			return NULL;
		used += n;
	}
	return lode_strdup(text);
}

static enum MHD_Result start_question(struct lode_answers *answers,
				      struct MHD_Connection *connection,
				      const struct lode_site_place *place, struct request *request)
{
	struct lode_site_query query = {.at = request->parameters};

	lode_http.MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_parameter,
					    request);
	if (request->has_too_many)
		return refuse_answer(connection, MHD_HTTP_BAD_REQUEST, "too many parameters");
	query.n = request->n_parameters;
	if (place->question->parameters)
		request->key = key_of_answer(place, &query);
	if (request->key)
		request->made = lode_kept_find(request->shown->kept, request->key);
	if (request->made)
		return send_made(connection, request->made);
	if (phases_of(connection) &&
	    !lode_overdue_await_answer(answers->overdue, phases_of(connection)))
		return refuse_with(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				   "too many questions are waiting: try again in a moment",
				   "Retry-After", "1");
	request->answers = answers;
	request->connection = connection;
	request->question = place->question;
	request->job = (struct lode_asker_job){
		.lane = place->report, .run = ask_and_resume, .context = request};
	/* Before another thread can see it: it may be resumed at once. */
	lode_http.MHD_suspend_connection(connection);
	if (lode_asker_put(answers->asker, &request->job))
		return MHD_YES;
	request->json = json_of_refusal("the server is stopping", &request->json_bytes);
	request->status = MHD_HTTP_SERVICE_UNAVAILABLE;
	request->is_answered = true;
	lode_http.MHD_resume_connection(connection);
	return MHD_YES;
}

/* What the question came to. */
static enum MHD_Result send_answer(struct MHD_Connection *connection, struct request *request)
{
	char *json = request->json;

	if (request->made)
		return send_made(connection, request->made);
	request->json = NULL;
	return send_json(connection, request->status, json, request->json_bytes);
}

/* ---- Who asks ---- */

static enum MHD_Result add_lone(void *context, enum MHD_ValueKind kind, const char *key,
				const char *value)
{
	(void)kind;
	lode_lone_headers_add(context, key, value ? value : "");
	return MHD_YES;
}

static struct lode_request_marks marks_of(const struct lode_answers *answers,
					  struct MHD_Connection *connection)
{
	struct lode_lone_headers lone = {0};

	lode_http.MHD_get_connection_values(connection, MHD_HEADER_KIND, add_lone, &lone);
	return (struct lode_request_marks){
		.is_ambiguous = lone.is_ambiguous,
		.host = header_of(connection, "Host"),
		.origin = header_of(connection, "Origin"),
		.fetch_site = header_of(connection, "Sec-Fetch-Site"),
		.authorization = header_of(connection, "Authorization"),
		.cookie = lode_http.MHD_lookup_connection_value(connection, MHD_COOKIE_KIND,
								answers->cookie),
		.content_type = header_of(connection, "Content-Type"),
		.has_change_header = header_of(connection, LODE_CHANGE_HEADER) != NULL,
	};
}

/* Whether the client may change things. */
static enum MHD_Result send_session(const struct lode_answers *answers,
				    struct MHD_Connection *connection, const struct lode_site *site)
{
	struct lode_request_marks marks = marks_of(answers, connection);
	char *text = NULL;
	size_t n = 0;
	FILE *out = lode_written_open(&text, &n);
	struct lode_json *json;

	marks.has_change_header = true;
	marks.content_type = "application/json";
	json = lode_json_open(out, "lode/session/1");
	lode_json_bool(json, "may_change",
		       lode_guard_judge(&answers->guard, &marks, LODE_REQUEST_CHANGE) ==
			       LODE_VERDICT_ALLOWED);
	lode_json_bool(json, "repo", lode_site_has_changes(site));
	lode_json_close(json);
	lode_written_close(out);
	return send_json(connection, MHD_HTTP_OK, text, n);
}

/* /?token=...: the token moves into a cookie, out of the address bar and the history. */
static enum MHD_Result let_in(const struct lode_answers *answers, struct MHD_Connection *connection)
{
	struct MHD_Response *response = response_of("", 0, MHD_RESPMEM_PERSISTENT);
	char cookie[128];

	snprintf(cookie, sizeof(cookie), "%s=%s; Path=/; HttpOnly; SameSite=Strict",
		 answers->cookie, answers->guard.token);
	lode_made_headers(response, "text/plain; charset=utf-8");
	lode_http.MHD_add_response_header(response, "Set-Cookie", cookie);
	lode_http.MHD_add_response_header(response, "Location", "/");
	return queue(connection, MHD_HTTP_SEE_OTHER, response);
}

/* ---- From request to answer ---- */

static bool is_reading(const char *method)
{
	return strcmp(method, MHD_HTTP_METHOD_GET) == 0 ||
	       strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
}

/* MHD_YES with *goes_on when nothing speaks against the request. */
static enum MHD_Result judge_answer(const struct lode_answers *answers,
				    struct MHD_Connection *connection, const char *url,
				    const char *method, const struct lode_site_place *place,
				    bool *goes_on)
{
	static const unsigned statuses[] = {
		[LODE_VERDICT_HOST] = MHD_HTTP_MISDIRECTED_REQUEST,
		[LODE_VERDICT_ORIGIN] = MHD_HTTP_FORBIDDEN,
		[LODE_VERDICT_TOKEN] = MHD_HTTP_UNAUTHORIZED,
		[LODE_VERDICT_FORM] = MHD_HTTP_FORBIDDEN,
	};
	bool is_session = strcmp(url, "/api/session") == 0;
	struct lode_request_marks marks = marks_of(answers, connection);
	enum lode_request_kind kind = strcmp(url, "/") == 0 || is_session ? LODE_REQUEST_PAGE
				      : place->kind == LODE_SITE_QUESTION ? place->question->kind
									  : LODE_REQUEST_READ;
	bool is_change = kind == LODE_REQUEST_CHANGE;
	enum lode_verdict verdict;

	*goes_on = false;
	verdict = lode_guard_judge(&answers->guard, &marks, kind);
	/* Where its body ends is not sure: what follows is not taken as a request. */
	if (verdict == LODE_VERDICT_AMBIGUOUS)
		return refuse_with(connection, MHD_HTTP_BAD_REQUEST, lode_verdict_text(verdict),
				   "Connection", "close");
	if (verdict == LODE_VERDICT_TOKEN)
		return refuse_with(connection, MHD_HTTP_UNAUTHORIZED, lode_verdict_text(verdict),
				   "WWW-Authenticate", "Bearer");
	if (verdict != LODE_VERDICT_ALLOWED)
		return refuse_answer(connection, statuses[verdict], lode_verdict_text(verdict));
	if (place->kind == LODE_SITE_NOTHING && !is_session)
		return refuse_answer(connection, MHD_HTTP_NOT_FOUND, "not found");
	if (is_change ? strcmp(method, MHD_HTTP_METHOD_POST) != 0 : !is_reading(method))
		return refuse_with(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "method not allowed",
				   "Allow", is_change ? "POST" : "GET, HEAD");
	*goes_on = true;
	return MHD_YES;
}

/* Takes a piece of the body; false: it is too large. */
static void take_body(struct request *request, const char *bytes, size_t n)
{
	if (request->body.n + n > LODE_SERVER_BODY_BYTES) {
		request->is_too_large = true;
		return;
	}
	lode_vec_append_all(&request->body, bytes, n);
}

static enum MHD_Result answer(struct lode_answers *answers, struct MHD_Connection *connection,
			      const char *url, const struct lode_site_place *place,
			      struct request *request)
{
	const char *token =
		lode_http.MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");

	set_phase(answers, connection, LODE_AWAITS_READER);
	if (request->is_too_large)
		return refuse_answer(connection, MHD_HTTP_CONTENT_TOO_LARGE,
				     "the request body is too large");
	if (strcmp(url, "/api/session") == 0)
		return send_session(answers, connection, request->shown->site);
	if (place->kind == LODE_SITE_DOCUMENT) {
		if (strcmp(url, "/") == 0 && token) {
			if (lode_token_is(&answers->guard, token))
				return let_in(answers, connection);
			return refuse_answer(
				connection, MHD_HTTP_FORBIDDEN,
				"wrong token: open the address that lode serve printed");
		}
		return send_made(connection, request->shown->made[place->document]);
	}
	lode_vec_append(&request->body, '\0');
	return start_question(answers, connection, place, request);
}

enum MHD_Result lode_answer_request(void *context, struct MHD_Connection *connection,
				    const char *url, const char *method, const char *version,
				    const char *upload, size_t *upload_bytes, void **state)
{
	struct lode_answers *answers = context;
	struct request *request = *state;
	struct lode_site_place place;
	bool goes_on = true;

	(void)version;
	if (!request) {
		request = lode_alloc0(1, sizeof(*request));
		request->shown = lode_showcase_take(&answers->showcase);
		*state = request;
	}
	place = lode_site_find(request->shown->site, url);
	if (!request->is_judged) {
		enum MHD_Result result =
			judge_answer(answers, connection, url, method, &place, &goes_on);

		request->is_judged = true;
		set_phase(answers, connection, goes_on ? LODE_AWAITS_BODY : LODE_AWAITS_READER);
		return result;
	}
	if (request->is_answered) {
		if (phases_of(connection))
			lode_overdue_hold(answers->overdue, phases_of(connection),
					  request->made ? 0 : request->json_bytes);
		return send_answer(connection, request);
	}
	if (*upload_bytes) {
		take_body(request, upload, *upload_bytes);
		*upload_bytes = 0;
		return MHD_YES;
	}
	return answer(answers, connection, url, &place, request);
}

void lode_answer_completed(void *context, struct MHD_Connection *connection, void **state,
			   enum MHD_RequestTerminationCode how)
{
	struct request *request = *state;

	(void)how;
	if (!request)
		return;
	set_phase(context, connection, LODE_AWAITS_HEADER);
	lode_vec_release(&request->body);
	lode_made_release(request->made);
	lode_shown_release(request->shown);
	free(request->json);
	free(request->key);
	free(request);
	*state = NULL;
}

void lode_answer_connection(void *context, struct MHD_Connection *connection, void **socket_state,
			    enum MHD_ConnectionNotificationCode what)
{
	const struct lode_answers *answers = context;
	const union MHD_ConnectionInfo *info;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		info = lode_http.MHD_get_connection_info(connection,
							 MHD_CONNECTION_INFO_CONNECTION_FD);
		*socket_state =
			info ? lode_overdue_enter(answers->overdue, info->connect_fd) : NULL;
	} else if (*socket_state) {
		lode_overdue_leave(answers->overdue, *socket_state);
		*socket_state = NULL;
	}
}
