/* The command line of lode shard. */
#include <stdio.h>

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
		    "a manifest for each part goes to this folder, which is made if need be, and "
		    "has nothing else in it",
		    .letter = 'o', .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_FOLDER,
		    .group = "Output"),
	LODE_OPTION("parts", "N", lode_set_positive, AT(n_parts), "split into so many parts"),
	LODE_OPTION("part-size", "SIZE", lode_set_size, AT(part_size),
		    "as many parts as give each about so much to read, as it would be "
		    "uncompressed (default 1G)"),
	LODE_JSON_OPTION(AT(wants_json), "docs/scale.md"),
	LODE_TOP_OPTION(AT(top), "in JSON (default 50; 0: all)"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"A manifest is a list of files",
	 "find /data -name '*.perf.data.zst' > all && lode shard -o parts --parts 64 all"},
	{"The digest of a part, on any machine; that of all",
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
		return lode_command_misused(self, "say where the parts go: -o DIR");
	if (!values.part_size)
		return lode_command_misused(self, "--part-size must be above 0");
	return shard_command_answer(self, &values, argv[0]);
}

const struct lode_command lode_cmd_shard = {
	.name = "shard",
	.summary = "split a manifest of recordings into parts, for many machines",
	.usage = "[OPTION]... -o DIR MANIFEST",
	.description =
		"Reads a manifest, a file that names a recording on each line, and writes one for "
		"each part. Parts cost about the same to read, by the size and kind of their "
		"recordings, and the same manifest gives the same parts. Any command that reads "
		"recordings takes a part's manifest in their place: `lode digest --merge` makes "
		"its digest, and that of all parts of theirs, in any order and in as many steps "
		"as you like; the bytes are those that one process writes.\n\n"
		"A line may say more behind a tab: name=NAME, what results call the recording; "
		"bytes=N, which it is held to; any other KEY=VALUE is a label that `lode import` "
		"gives it. Whole drivers for Dask and Slurm are installed with lode: `lode-dask`, "
		"`lode-slurm`.",
	.options = options,
	.examples = examples,
	.run = shard_command_run,
};
