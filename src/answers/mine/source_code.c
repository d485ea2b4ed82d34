/* A function's machine code, with what each instruction cost. */
#include <inttypes.h>

#include "answers/mine/source_rows.h"
#include "base/sorted.h"

enum {
	MAX_BLOCKS = 8,		 /* LIMIT: copies of the function, the costliest first */
	MAX_INSTRUCTIONS = 4000, /* LIMIT: of one; of longer ones those near costs are shown */
	NEAR_INSTRUCTIONS = 40
};

/* A symbol that holds addresses of the function: itself, a part of it, or what it is inlined in. */
struct block {
	const struct lode_source_point *first;
	LODE_VEC(const struct lode_source_point *) points;
	struct lode_code_cost all;
};
typedef LODE_VEC(struct block) block_vec;

LODE_COMPARE_AT(by_place, struct lode_source_point,
		LODE_ORDER(a->listing, b->listing) ?: LODE_ORDER(a->place.start, b->place.start)
		?: LODE_ORDER(a->place.address, b->place.address) ?: LODE_ORDER(a->level, b->level))

LODE_COMPARE(by_cost_source_code, struct block,
	     LODE_ORDER(lode_code_cost_total(&b->all), lode_code_cost_total(&a->all))
		     ?: LODE_ORDER(a->first->place.start, b->first->place.start))

static void find_blocks(block_vec *out, const lode_source_points *points)
{
	LODE_VEC(const struct lode_source_point *) sorted = {0};

	for (size_t i = 0; i < points->n; i++)
		if (points->at[i].is_found)
			lode_vec_append(&sorted, &points->at[i]);
	lode_sort(sorted.at, sorted.n, by_place);
	for (size_t i = 0; i < sorted.n; i++) {
		const struct lode_source_point *point = sorted.at[i];
		struct block *block = out->n ? &out->at[out->n - 1] : NULL;

		if (!block || block->first->listing != point->listing ||
		    block->first->place.start != point->place.start) {
			block = lode_vec_append_zero(out);
			block->first = point;
		}
		lode_vec_append(&block->points, point);
		lode_code_cost_add(&block->all, &point->cost);
	}
	lode_vec_release(&sorted);
	lode_sort(out->at, out->n, by_cost_source_code);
}

static const char *address_text(struct lode_mine_source *source, uint64_t address)
{
	char text[24];

	return lode_arena_strndup(&source->arena, text,
				  (size_t)snprintf(text, sizeof(text), "0x%" PRIx64, address));
}

static uint32_t file_number(const struct lode_mine_source *source, const char *path)
{
	for (size_t i = 0; path && i < source->n_files; i++)
		if (strcmp(source->files[i].path, path) == 0)
			return (uint32_t)i;
	return LODE_NONE;
}

/* What each instruction cost: both are in order of addresses. */
static struct lode_code_cost *costs_of(const lode_instructions *instructions,
				       const struct block *block)
{
	struct lode_code_cost *costs = lode_alloc0(instructions->n + 1, sizeof(*costs));
	size_t i = 0;

	for (size_t p = 0; p < block->points.n; p++) {
		const struct lode_source_point *point = block->points.at[p];

		while (i < instructions->n &&
		       instructions->at[i].address + instructions->at[i].size_bytes <=
			       point->place.address)
			i++;
		if (i == instructions->n)
			break;
		if (instructions->at[i].address <= point->place.address)
			lode_code_cost_add(&costs[i], &point->cost);
	}
	return costs;
}

/* Which are shown: all of them, or those near one that cost something. */
static bool *choose_instructions(const struct lode_code_cost *costs, size_t n)
{
	bool *is_shown = lode_alloc0(n + 1, sizeof(*is_shown));

	for (size_t i = 0; i < n; i++) {
		size_t from = i > NEAR_INSTRUCTIONS ? i - NEAR_INSTRUCTIONS : 0;

		if (n <= MAX_INSTRUCTIONS)
			is_shown[i] = true;
		else if (lode_code_cost_total(&costs[i]))
			for (size_t at = from; at <= i + NEAR_INSTRUCTIONS && at < n; at++)
				is_shown[at] = true;
	}
	return is_shown;
}

static void make_instructions(struct lode_source_code_row *row, struct lode_mine_source *source,
			      const struct block *block, const lode_instructions *instructions)
{
	struct lode_code_cost *costs = costs_of(instructions, block);
	bool *is_shown = choose_instructions(costs, instructions->n);

	row->instructions = lode_arena_array(&source->arena, struct lode_source_instruction_row,
					     instructions->n);
	for (size_t i = 0; i < instructions->n; i++) {
		const struct lode_instruction *at = &instructions->at[i];
		struct lode_source_line line;

		if (!is_shown[i] || row->n_instructions == MAX_INSTRUCTIONS) {
			row->n_more++;
			continue;
		}
		line = lode_listing_line(block->first->listing, at->address);
		row->instructions[row->n_instructions++] = (struct lode_source_instruction_row){
			address_text(source, at->address), at->text, file_number(source, line.file),
			line.line, lode_source_cost_of(&costs[i])};
	}
	free(is_shown);
	free(costs);
}

static void make_block(struct lode_source_code_row *row, struct lode_mine_source *source,
		       const struct block *block)
{
	const struct lode_listing_place *place = &block->first->place;
	const char *module = lode_dso_name(block->first->dso);
	lode_instructions instructions = {0};
	struct lode_error err;
	char words[sizeof(err.path) + sizeof(err.message) + 64];

	*row = (struct lode_source_code_row){.module = lode_arena_strdup(&source->arena, module),
					     .start = address_text(source, place->start),
					     .cost = lode_source_cost_of(&block->all)};
	if (lode_listing_code(&instructions, &source->arena, block->first->listing, place->start,
			      place->end, &err) < 0) {
		const char *why = lode_error_text(&err, words, sizeof(words));

		row->missing = lode_arena_strdup(&source->arena, why);
	} else {
		make_instructions(row, source, block, &instructions);
	}
	lode_vec_release(&instructions);
}

void lode_source_make_code(struct lode_mine_source *source, const lode_source_points *points)
{
	block_vec blocks = {0};

	find_blocks(&blocks, points);
	source->code = lode_arena_array(&source->arena, struct lode_source_code_row, MAX_BLOCKS);
	for (size_t i = 0; i < blocks.n && i < MAX_BLOCKS; i++)
		make_block(&source->code[source->n_code++], source, &blocks.at[i]);
	source->n_more_code = blocks.n - source->n_code;
	lode_vec_release_each(&blocks, it, lode_vec_release(&it->points));
}
