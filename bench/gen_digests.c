/*
 * Many digests out of a few: the same programs recorded again and again, on other hosts, on other
 * days, each with its own costs, and now and then with functions that only its release has.
 *
 *   gen_digests N OUT_DIR DIGEST...        OUT_DIR/00000.digest ..., OUT_DIR/manifest
 *
 * The manifest gives each the label of its release. Same arguments, same bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_random.h"
#include "gen_write.h"

struct base {
	struct lode_digest *digest;
	struct lode_digest_origin origin;
};

/* One function in four hundred gets a name of its release: code changes. */
static void rename_some(struct lode_digest *digest, unsigned release)
{
	for (size_t i = 0; i < digest->tree.frames.n; i++) {
		struct lode_frame *frame = &digest->tree.frames.at[i];
		char name[512];

		if (frame->flags || i % 400 != release % 400)
			continue;
		snprintf(name, sizeof(name), "%.480s_v%u",
			 digest->tree.strings.text.at[frame->function], release);
		frame->function = gen_intern(digest, name);
	}
}

/* Who ran instead of a ready thread: their times sum to the row's. */
static void scale_runners(struct lode_digest *digest, const struct lode_digest_row *row,
			  int64_t percent)
{
	struct lode_digest_runner *runners = digest->runners.at + row->first_runner;
	int64_t rest = row->cost_ns;

	for (uint32_t i = 0; i < row->n_runners; i++) {
		runners[i].cost_ns = runners[i].cost_ns * percent / 100;
		rest -= runners[i].cost_ns;
	}
	if (row->n_runners)
		runners[0].cost_ns += rest;
}

static void vary(struct lode_digest *digest, struct gen_random *random, unsigned number)
{
	struct lode_digest_stream *stream = &digest->streams.at[0];
	size_t kept = 0;
	char text[64];

	snprintf(text, sizeof(text), "recordings/%05u.perf.data", number);
	stream->path = gen_intern(digest, text);
	snprintf(text, sizeof(text), "web%u", gen_below(random, 200));
	stream->host = gen_intern(digest, text);
	stream->content_hash = gen_u64(random);
	stream->has_wall_clock = true;
	stream->wall_offset_ns =
		1760000000000000000 + number * 300000000000LL - stream->t0_ns; /* one in 5 min */
	for (size_t i = 0; i < digest->rows.n; i++) {
		struct lode_digest_row *row = &digest->rows.at[kept];
		int64_t percent = 50 + (int64_t)gen_below(random, 100);

		if (gen_below(random, 10) == 0)
			continue;
		*row = digest->rows.at[i];
		row->cost_ns = row->cost_ns * percent / 100 + 1;
		row->worst_cost_ns = row->worst_cost_ns * percent / 100 + 1;
		row->unsampled_ns = row->unsampled_ns * percent / 100;
		scale_runners(digest, row, percent);
		kept++;
	}
	digest->rows.n = kept;
	digest->n_events = 0;
	for (size_t i = 0; i < kept; i++)
		digest->n_events += digest->rows.at[i].n_events;
	for (size_t i = 0; i < digest->names.pairs.n; i++) {
		struct lode_name_pair *pair = &digest->names.pairs.at[i];
		uint64_t more = gen_below(random, 4);

		pair->n += more;
		digest->names.n_callee.at[pair->caller] += more;
		digest->names.n_caller.at[pair->callee] += more;
	}
}

static void fail(const struct lode_error *err)
{
	char text[1200];

	fprintf(stderr, "gen_digests: %s\n", lode_error_text(err, text, sizeof(text)));
	exit(1);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 3 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	struct gen_random random = {1};
	struct lode_error err;
	char path[4096];
	FILE *manifest;

	if (!n) {
		fprintf(stderr, "usage: gen_digests N OUT_DIR DIGEST...\n");
		return 2;
	}
	manifest = gen_manifest_open(argv[2]);
	for (unsigned i = 0; i < n; i++) {
		struct base base = {0};
		unsigned release = (unsigned)((uint64_t)i * 20 / n);

		if (lode_digest_load(&base.digest, &base.origin, argv[3 + i % (unsigned)(argc - 3)],
				     &err) < 0)
			fail(&err);
		if (!base.digest || base.digest->streams.n != 1)
			continue;
		rename_some(base.digest, release);
		vary(base.digest, &random, i);
		base.origin.key = 0;
		snprintf(path, sizeof(path), "%s/%05u.digest", argv[2], i);
		gen_digest_write(manifest, path, release, base.digest, &base.origin);
		lode_digest_free(base.digest);
		lode_digest_origin_release(&base.origin);
	}
	return fclose(manifest) == 0 ? 0 : 1;
}
