/* A series of Prometheus as a counter: server and name from its labels. */
#include "input/formats/counters/prometheus_series.h"

#include "base/slice.h"
#include "input/formats/counters/counter_reader.h"

void lode_prometheus_series_begin(struct lode_prometheus_series *series)
{
	series->text.n = series->labels.n = 0;
	series->metric.n = series->server.n = series->name.n = 0;
}

void lode_prometheus_series_release(struct lode_prometheus_series *series)
{
	lode_vec_release(&series->text);
	lode_vec_release(&series->labels);
	lode_vec_release(&series->metric);
	lode_vec_release(&series->server);
	lode_vec_release(&series->name);
}

/* Is label `a` behind a key in the order of keys? Texts in Prometheus' own order stay as they are.
 */
static bool is_behind(const struct lode_prometheus_series *series,
		      const struct lode_prometheus_label *a, const char *key, size_t key_len)
{
	size_t shorter = a->key_len < key_len ? a->key_len : key_len;
	int order = memcmp(series->text.at + a->at, key, shorter);

	return order > 0 || (order == 0 && a->key_len > key_len);
}

static void insert_label(struct lode_prometheus_series *series, const char *key, size_t key_len,
			 const char *value, size_t value_len)
{
	struct lode_prometheus_label label = {series->text.n, key_len, value_len};
	size_t at = series->labels.n;

	lode_vec_append(&series->labels, label);
	for (; at && is_behind(series, &series->labels.at[at - 1], key, key_len); at--)
		series->labels.at[at] = series->labels.at[at - 1];
	series->labels.at[at] = label;
	lode_vec_append_all(&series->text, key, key_len);
	lode_vec_append_all(&series->text, value, value_len);
}

void lode_prometheus_series_label(struct lode_prometheus_series *series, const char *key,
				  size_t key_len, const char *value, size_t value_len)
{
	struct lode_slice name = {(char *)key, key_len};

	if (lode_slice_is(name, "__name__")) {
		series->metric.n = 0;
		lode_vec_append_all(&series->metric, value, value_len);
		lode_vec_append(&series->metric, '\0');
	} else if (lode_slice_is(name, "instance")) {
		const char *colon = memrchr(value, ':', value_len);

		series->server.n = 0;
		lode_vec_append_all(&series->server, value,
				    colon ? (size_t)(colon - value) : value_len);
		lode_vec_append(&series->server, '\0');
	} else {
		insert_label(series, key, key_len, value, value_len);
	}
}

const char *lode_prometheus_series_metric(const struct lode_prometheus_series *series)
{
	return series->metric.n ? series->metric.at : "";
}

static void build_name(struct lode_prometheus_series *series, const char *unnamed)
{
	const char *metric = lode_prometheus_series_metric(series);

	if (!*metric)
		metric = unnamed ? unnamed : "value";
	lode_vec_append_all(&series->name, metric, strlen(metric));
	for (size_t i = 0; i < series->labels.n; i++) {
		const struct lode_prometheus_label *label = &series->labels.at[i];
		const char *key = series->text.at + label->at;

		lode_vec_append(&series->name, i ? ',' : '{');
		lode_vec_append_all(&series->name, key, label->key_len);
		lode_vec_append_all(&series->name, "=\"", 2);
		lode_vec_append_all(&series->name, key + label->key_len, label->value_len);
		lode_vec_append(&series->name, '"');
	}
	if (series->labels.n)
		lode_vec_append(&series->name, '}');
	lode_vec_append(&series->name, '\0');
}

void lode_prometheus_series_add(struct lode_prometheus_series *series,
				struct lode_counter_reader *reader, enum lode_counter_kind kind,
				int64_t t_ns, double value)
{
	bool has_server = series->server.n > 1 && !reader->is_server_given;

	if (!series->name.n)
		build_name(series, reader->unnamed);
	lode_counter_add(reader, has_server ? series->server.at : reader->server, series->name.at,
			 kind, t_ns, value);
}

size_t lode_counter_total_ending(const char *metric)
{
	static const char *const endings[] = {"_total", "_count", "_sum", "_bucket"};
	size_t len = strlen(metric);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(endings[i]);

		if (len > n && strcmp(metric + len - n, endings[i]) == 0)
			return n;
	}
	return 0;
}
