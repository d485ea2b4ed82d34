/* Judges intervals by bounds of counters. */
#include "engine/pio/slo.h"

/* As far beyond the extremes of training; at least this share of the median away from it. */
#define MARGIN	     1.2
#define LEAST_SPREAD 0.05

/* "NAME > 0.5": the length of the name; the bound is NaN if it is to be learnt. */
struct slo_text {
	size_t name_len;
	bool is_fall, is_sound;
	double bound;
};

static struct slo_text read_slo(const char *text)
{
	const char *brace = strrchr(text, '}'), *from = brace ? brace : text;
	const char *sign = from + strcspn(from, "<>");
	struct slo_text out = {(size_t)(sign - text), *sign == '<', true, NAN};
	char *end;

	while (out.name_len && lode_is_blank(text[out.name_len - 1]))
		out.name_len--;
	if (*sign)
		sign++;
	sign += strspn(sign, " ");
	if (*sign) {
		out.bound = strtod(sign, &end);
		end += strspn(end, " ");
		out.is_sound = end > sign && !*end && isfinite(out.bound);
	}
	out.is_sound &= out.name_len > 0;
	return out;
}

const char *lode_pio_slo_misuse(const char *text)
{
	return read_slo(text).is_sound ? NULL
				       : "expected SERVICE:COUNTER, SERVICE:COUNTER > NUMBER "
					 "or < NUMBER";
}

/* With or without the server, with or without labels. */
static bool is_named(const struct lode_counter *counter, const char *text, size_t len)
{
	size_t server = strlen(counter->server), name = strlen(counter->name);
	size_t bare = strcspn(counter->name, "{");

	if (len > server && !memcmp(text, counter->server, server) && text[server] == ':' &&
	    (len - server - 1 == name || len - server - 1 == bare) &&
	    !memcmp(text + server + 1, counter->name, len - server - 1))
		return true;
	return (len == name || len == bare) && !memcmp(text, counter->name, len);
}

static bool is_known(const struct lode_pio_model *model, const struct lode_counter *counter)
{
	for (size_t i = 0; i < model->slos.n; i++)
		if (!strcmp(model->slos.at[i].server, counter->server) &&
		    !strcmp(model->slos.at[i].name, counter->name))
			return true;
	return false;
}

static const struct lode_counter *find_named(const struct lode_counters *counters,
					     const char *server, const char *name)
{
	for (size_t c = 0; c < counters->n_counters; c++)
		if (!strcmp(counters->counters[c].server, server) &&
		    !strcmp(counters->counters[c].name, name))
			return &counters->counters[c];
	return NULL;
}

/* Beyond all values of training. */
static double learn_slo(const struct lode_pio_slo *slo, struct lode_counters *const *grids,
			size_t n)
{
	LODE_VEC(double) values = {0};
	double median, extreme, sign = slo->is_fall ? -1 : 1;

	for (size_t g = 0; g < n; g++) {
		const struct lode_counter *c = find_named(grids[g], slo->server, slo->name);

		for (size_t i = 0; c && i < grids[g]->n_intervals; i++)
			if (!isnan(c->at[i]))
				lode_vec_append(&values, c->at[i]);
	}
	median = lode_percentile(values.at, values.n, 50);
	extreme = lode_percentile(values.at, values.n, slo->is_fall ? 0 : 100);
	lode_vec_release(&values);
	return median + sign * fmax(MARGIN * fabs(extreme - median), LEAST_SPREAD * fabs(median));
}

/* ---- Histograms ---- */

static const char bucket_end[] = "_bucket";

/* The bucket's bound, if the counter is one of the histogram `name` (without labels); else NaN. */
static double bucket_of(const struct lode_counter *counter, const char *server, const char *name)
{
	size_t len = strlen(name);
	const char *at = counter->name + len + 1;
	struct lode_slice key, value;

	if (strcmp(counter->server, server) != 0 || strncmp(counter->name, name, len) != 0 ||
	    counter->name[len] != '{')
		return NAN;
	while (lode_label_next(&at, &key, &value))
		if (lode_slice_is(key, "le"))
			return strtod(value.at, NULL);
	return NAN;
}

struct bucket {
	const double *at;
	double bound;
};
typedef LODE_VEC(struct bucket) bucket_list;

static void list_buckets(bucket_list *out, const struct lode_counters *counters,
			 const struct lode_pio_slo *slo)
{
	for (size_t c = 0; c < counters->n_counters; c++) {
		double bound = bucket_of(&counters->counters[c], slo->server, slo->name);

		if (!isnan(bound))
			lode_vec_append(out, ((struct bucket){counters->counters[c].at, bound}));
	}
}

/* Requests per second up to the bound, over all labels; INFINITY: all. NaN: no value. */
static double sum_up_to(const bucket_list *buckets, double bound, size_t i)
{
	double sum = NAN;

	for (size_t k = 0; k < buckets->n; k++)
		if (buckets->at[k].bound == bound && !isnan(buckets->at[k].at[i]))
			sum = (isnan(sum) ? 0 : sum) + buckets->at[k].at[i];
	return sum;
}

/* Of healthy requests at most this share is slow. */
#define HEALTHY_SLOW 0.05

/* Whether at most so many requests of training are above the bucket. */
static bool is_healthy_bound(const struct lode_pio_slo *slo, double bound,
			     struct lode_counters *const *grids, size_t n)
{
	double all = 0, above = 0;

	for (size_t g = 0; g < n; g++) {
		bucket_list buckets = {0};

		list_buckets(&buckets, grids[g], slo);
		for (size_t i = 0; i < grids[g]->n_intervals; i++) {
			double sum = sum_up_to(&buckets, INFINITY, i);
			double low = sum_up_to(&buckets, bound, i);

			all += isnan(low) || isnan(sum) ? 0 : sum;
			above += isnan(low) || isnan(sum) ? 0 : sum - low;
		}
		lode_vec_release(&buckets);
	}
	return above <= HEALTHY_SLOW * all;
}

/* The lowest bucket from the bound on, or of which that holds; INFINITY: there is none. */
static double choose_bucket(const struct lode_pio_slo *slo, struct lode_counters *const *grids,
			    size_t n)
{
	double least = isnan(slo->bound) ? -INFINITY : slo->bound, next;

	do {
		next = INFINITY;
		for (size_t c = 0; c < grids[0]->n_counters; c++) {
			double le = bucket_of(&grids[0]->counters[c], slo->server, slo->name);

			if (le >= least && le < next)
				next = le;
		}
		least = nextafter(next, INFINITY);
	} while (isfinite(next) && isnan(slo->bound) && !is_healthy_bound(slo, next, grids, n));
	return next;
}

/* A histogram of the name; its buckets are the counters. */
static size_t add_histogram(struct lode_pio_model *model, const char *text,
			    const struct slo_text *read, struct lode_counters *const *grids,
			    size_t n)
{
	const struct lode_counters *first = grids[0];
	size_t n_added = 0;

	for (size_t c = 0; c < first->n_counters; c++) {
		size_t bare = strcspn(first->counters[c].name, "{"), end = sizeof(bucket_end) - 1;
		char *name = lode_strdup(first->counters[c].name);
		struct lode_counter histogram = {.server = first->counters[c].server, .name = name};
		bool is_bucket = bare > end && !memcmp(name + bare - end, bucket_end, end);

		name[bare - (is_bucket ? end : 0)] = '\0';
		if (is_bucket && is_named(&histogram, text, read->name_len)) {
			struct lode_pio_slo slo = {.is_histogram = true, .bound = read->bound};

			memcpy(name + bare - end, bucket_end, end + 1);
			slo.server = histogram.server;
			slo.name = name;
			slo.bound = choose_bucket(&slo, grids, n);
			/* Other buckets and labels are of the same one. */
			if (isfinite(slo.bound) && !is_known(model, &histogram)) {
				slo.server = lode_strdup(slo.server);
				slo.name = lode_strdup(name);
				lode_vec_append(&model->slos, slo);
				n_added++;
			}
		}
		free(name);
	}
	return n_added;
}

static void count_requests(const struct lode_pio_slo *slo, const struct lode_counters *counters,
			   struct lode_request_log *requests)
{
	double step_s = (double)counters->step_ns / 1e9;
	int64_t first = counters->start_ns / counters->step_ns;
	bucket_list buckets = {0};

	list_buckets(&buckets, counters, slo);
	for (size_t i = 0; i < counters->n_intervals; i++) {
		double all = round(step_s * sum_up_to(&buckets, INFINITY, i));
		double slow = all - round(step_s * sum_up_to(&buckets, slo->bound, i));
		struct lode_interval_counts *t;

		if (!(all >= 1) || !(all < UINT32_MAX / 2) || isnan(slow))
			continue;
		t = lode_interval_tally_at(&requests->tally,
					   lode_interval_at(&counters->pauses, first, i));
		t->n += (uint32_t)all;
		t->n_slow += (uint32_t)fmax(0, slow);
		requests->n_requests += (uint64_t)all;
	}
	lode_vec_release(&buckets);
	requests->first_ns = counters->start_ns;
	requests->last_ns = lode_counters_time(counters, counters->n_intervals);
}

size_t lode_pio_slo_add(struct lode_pio_model *model, const char *text,
			struct lode_counters *const *grids, size_t n)
{
	struct slo_text read = read_slo(text);
	size_t n_added = 0;

	for (size_t g = 0; g < n; g++) {
		for (size_t c = 0; c < grids[g]->n_counters; c++) {
			const struct lode_counter *counter = &grids[g]->counters[c];
			struct lode_pio_slo slo = {.bound = read.bound, .is_fall = read.is_fall};

			if (!is_named(counter, text, read.name_len) || is_known(model, counter))
				continue;
			slo.server = counter->server;
			slo.name = counter->name;
			if (isnan(slo.bound))
				slo.bound = learn_slo(&slo, grids, n);
			if (isnan(slo.bound)) /* it has no value */
				continue;
			slo.server = lode_strdup(counter->server);
			slo.name = lode_strdup(counter->name);
			lode_vec_append(&model->slos, slo);
			n_added++;
		}
	}
	return n_added ? n_added : add_histogram(model, text, &read, grids, n);
}

static void count_interval(struct lode_request_log *requests, const struct lode_counters *counters,
			   size_t i, bool is_slow)
{
	int64_t first = counters->start_ns / counters->step_ns;
	struct lode_interval_counts *t =
		lode_interval_tally_at(&requests->tally,
				       lode_interval_at(&counters->pauses, first, i));

	if (!t->n) {
		requests->n_requests++;
		t->n = 1;
	}
	if (is_slow) /* all requests of histograms, too */
		t->n_slow = t->n;
	requests->first_ns = counters->start_ns;
	requests->last_ns = lode_counters_time(counters, counters->n_intervals);
}

void lode_pio_incidents_count(const struct lode_pio_incident *incidents, size_t n,
			      const struct lode_counters *counters,
			      struct lode_request_log *requests)
{
	for (size_t i = 0; n && i < counters->n_intervals; i++) {
		int64_t t_ns = lode_counters_time(counters, i);
		bool is_slow = false;

		for (size_t k = 0; k < n; k++)
			is_slow |= t_ns + counters->step_ns > incidents[k].start_ns &&
				   t_ns < incidents[k].end_ns;
		count_interval(requests, counters, i, is_slow);
	}
}

void lode_pio_slos_count(const struct lode_pio_model *model, const struct lode_counters *counters,
			 struct lode_request_log *requests)
{
	for (size_t s = 0; s < model->slos.n; s++)
		if (model->slos.at[s].is_histogram)
			count_requests(&model->slos.at[s], counters, requests);
	for (size_t s = 0; s < model->slos.n; s++) {
		const struct lode_pio_slo *slo = &model->slos.at[s];
		const struct lode_counter *c = find_named(counters, slo->server, slo->name);

		for (size_t i = 0; c && i < counters->n_intervals; i++)
			if (!isnan(c->at[i]))
				count_interval(requests, counters, i,
					       slo->is_fall ? c->at[i] < slo->bound
							    : c->at[i] > slo->bound);
	}
}
