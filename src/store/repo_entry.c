/* Prepares what is stored of one input. */
#include "store/repo_entry.h"

#include <stdio.h>

#include "base/sorted.h"

/* Fast, and 4 % larger than at level 9. */
static const int pack_level = 3;

void lode_repo_uid(char uid[LODE_REPO_UID_BYTES], uint64_t content_hash)
{
	snprintf(uid, LODE_REPO_UID_BYTES, "%016llx", (unsigned long long)content_hash);
}

uint64_t lode_repo_uid_hash(const char *uid)
{
	return uid ? strtoull(uid, NULL, 16) : 0;
}

static const char *copy_repo_entry(struct lode_repo_entry *entry, const char *text)
{
	return lode_arena_strndup(&entry->arena, text ? text : "", text ? strlen(text) : 0);
}

/* A sum of lengths that hostile times cannot overflow. */
static int64_t add_length(int64_t sum_ns, int64_t t0_ns, int64_t t1_ns)
{
	int64_t length_ns, more_ns;

	if (__builtin_sub_overflow(t1_ns, t0_ns, &length_ns) || length_ns < 0 ||
	    __builtin_add_overflow(sum_ns, length_ns, &more_ns))
		return sum_ns;
	return more_ns;
}

static void describe_stream(struct lode_repo_entry *entry, const struct lode_digest_stream *stream,
			    int64_t file_ns)
{
	const char *const *text = entry->digest->tree.strings.text.at;
	struct lode_entry_stream *to = lode_vec_append_zero(&entry->streams);

	lode_repo_uid(to->uid, stream->content_hash);
	to->path = copy_repo_entry(entry, text[stream->path]);
	to->host = copy_repo_entry(entry, text[stream->host]);
	to->kernel = copy_repo_entry(entry, text[stream->kernel]);
	to->length_ns = add_length(0, stream->t0_ns, stream->t1_ns);
	to->is_clock = stream->has_wall_clock &&
		       !__builtin_add_overflow(stream->t0_ns, stream->wall_offset_ns, &to->time_ns);
	if (!to->is_clock)
		to->time_ns = file_ns;
}

/* Of a symptom whose ends may be further apart than fits. */
static int64_t time_of(const struct lode_digest_symptom *symptom)
{
	return symptom->is_cpu_time ? symptom->cpu_ns
				    : add_length(0, symptom->t0_ns, symptom->t1_ns);
}

LODE_COMPARE(by_comm, struct lode_entry_symptoms, strcmp(a->comm, b->comm))

static void describe_symptoms(struct lode_repo_entry *entry)
{
	const struct lode_digest *digest = entry->digest;

	for (size_t i = 0; i < digest->symptoms.n; i++) {
		const struct lode_digest_symptom *symptom = &digest->symptoms.at[i];
		struct lode_entry_stream *stream = &entry->streams.at[symptom->stream];
		struct lode_entry_symptoms one = {
			.comm = copy_repo_entry(entry, digest->tree.strings.text.at[symptom->comm]),
			.n = 1,
			.total_ns = time_of(symptom),
		};

		one.longest_ns = one.total_ns;
		stream->n_symptoms++;
		stream->symptom_ns = add_length(stream->symptom_ns, 0, one.total_ns);
		lode_vec_append(&stream->symptoms, one);
	}
	for (size_t i = 0; i < entry->streams.n; i++) {
		struct lode_entry_stream *stream = &entry->streams.at[i];
		size_t n = 0;

		lode_sort(stream->symptoms.at, stream->symptoms.n, by_comm);
		for (size_t k = 0; k < stream->symptoms.n; k++) {
			struct lode_entry_symptoms *at = &stream->symptoms.at[k];
			struct lode_entry_symptoms *last = n ? &stream->symptoms.at[n - 1] : NULL;

			if (!last || strcmp(last->comm, at->comm) != 0) {
				stream->symptoms.at[n++] = *at;
				continue;
			}
			last->n++;
			last->total_ns = add_length(last->total_ns, 0, at->total_ns);
			if (at->longest_ns > last->longest_ns)
				last->longest_ns = at->longest_ns;
		}
		stream->symptoms.n = n;
	}
}

struct lode_repo_entry *lode_repo_entry_new(struct lode_digest *digest,
					    const struct lode_digest_origin *origin,
					    const struct lode_repo_source *source,
					    const struct lode_repo_label *labels, size_t n_labels,
					    const lode_byte_vec *packed)
{
	struct lode_repo_entry *entry = lode_alloc0(1, sizeof(*entry));

	entry->digest = digest;
	entry->shape = copy_repo_entry(entry, origin->shape);
	entry->symptom_text = copy_repo_entry(entry, origin->symptom_text);
	entry->source = copy_repo_entry(entry, source->path);
	entry->key = source->key;
	entry->place = source->place;
	entry->n_beside = origin->n_beside;
	entry->input_bytes = origin->input_bytes;
	entry->content_bytes = origin->content_bytes;
	for (size_t i = 0; i < n_labels; i++) {
		struct lode_repo_label label = {copy_repo_entry(entry, labels[i].key),
						copy_repo_entry(entry, labels[i].value)};

		lode_vec_append(&entry->labels, label);
	}
	if (packed) {
		lode_vec_reserve(&entry->packed, packed->n);
		memcpy(entry->packed.at, packed->at, packed->n);
		entry->packed.n = packed->n;
	} else {
		lode_digest_pack(&entry->packed, digest, origin, pack_level);
	}
	for (size_t i = 0; i < digest->streams.n; i++)
		describe_stream(entry, &digest->streams.at[i], source->file_ns);
	describe_symptoms(entry);
	return entry;
}

void lode_repo_entry_free(struct lode_repo_entry *entry)
{
	if (!entry)
		return;
	lode_digest_free(entry->digest);
	lode_vec_release(&entry->packed);
	lode_vec_release_each(&entry->streams, it, lode_vec_release(&it->symptoms));
	lode_vec_release(&entry->labels);
	lode_arena_release(&entry->arena);
	free(entry);
}
