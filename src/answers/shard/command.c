/* The command line of lode shard. */
#include "answers/shard/shard.h"
#include "tool/command.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/terminal.h"

struct shard_values {
	const char *output;
	size_t n_parts, part_size, top;
	bool wants_json;
};

#define AT(field) offsetof(struct shard_values, field)

static const struct lode_option options[] = {
	LODE_OPTION("output", "DIR", lode_set_text, AT(output),
		    "write a manifest for each part to this folder, which is created if needed and "
		    "must not contain other files",
		    .letter = 'o', .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_FOLDER,
		    .group = "Output"),
	LODE_OPTION("parts", "N", lode_set_positive, AT(n_parts), "number of parts"),
	LODE_OPTION("part-size", "SIZE", lode_set_size, AT(part_size),
		    "size of each part, in uncompressed bytes to read (default 1G)"),
	LODE_JSON_OPTION(AT(wants_json), "docs/scale.md"),
	LODE_TOP_OPTION(AT(top), "in JSON (default 50; 0: all)"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"List all files and split the list",
	 "find /data -name '*.perf.data.zst' > all && lode shard -o parts --parts 64 all"},
	{"Digest a part on any machine, then merge all digests",
	 "lode digest --merge 1.digest parts/part-00001-*.manifest; lode digest --merge all "
	 "*.digest"},
	{NULL},
};

static int shard_command_answer(const struct lode_command *self, const struct shard_values *v,
				const char *manifest)
{
	const struct lode_text_page page = lode_stdout_page();
	struct lode_shard_request request = {
		.manifest = manifest,
		.folder = v->output,
		.n_parts = v->n_parts,
		.part_bytes = v->part_size,
		.top = v->top,
	};
	struct lode_shard_answer *answer;
	struct lode_error err;
	int code = lode_shard_run(&answer, &request, &err);

	if (code < 0)
		code = lode_say_error(self, &err);
	else if (v->wants_json)
		lode_document_put(stdout, &lode_shard_document, answer, NULL);
	else
		lode_opening_put(stdout, &answer->opening, &page);
	lode_shard_free(answer);
	return code;
}

static int shard_command_run(const struct lode_command *self, int argc, char **argv)
{
	struct shard_values values = {.part_size = (size_t)1 << 30, .top = 50};
	int n, code = LODE_EXIT_OK;

	if (!lode_command_start(self, &values, argc, argv, &n, &code))
		return code;
	if (n != 1)
		return lode_command_misused(self, "give one manifest");
	if (!values.output)
		return lode_command_misused(self, "give the output folder: -o DIR");
	if (!values.part_size)
		return lode_command_misused(self, "--part-size must be greater than 0");
	return shard_command_answer(self, &values, argv[0]);
}

const struct lode_command lode_cmd_shard = {
	.name = "shard",
	.summary = "split a list of recordings into parts, for many machines",
	.usage = "[OPTION]... -o DIR MANIFEST",
	.description =
		"Reads a manifest, a file with one recording per line, and writes one manifest for "
		"each part. Parts take about the same time to read, judging by the size and kind "
		"of their recordings; the same manifest always gives the same parts. Any command "
		"that reads recordings accepts a manifest: `lode digest --merge` turns each part "
		"into a digest, and merges these in any order and any number of steps, with the "
		"same bytes as a single process would write.\n\n"
		"A line may have tab-separated attributes: name=NAME is the name of the recording "
		"in results; bytes=N its size, which is verified; any other KEY=VALUE is a label "
		"for `lode import`. Drivers for Dask and Slurm are installed with lode: "
		"`lode-dask`, `lode-slurm`.",
	.options = options,
	.examples = examples,
	.run = shard_command_run,
};
