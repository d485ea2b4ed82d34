/* The shared call path of a cluster in one line per thread. */
#include "answers/clusters/common_part.h"

#include <stdio.h>

#include "base/escape.h"
#include "base/sorted.h"

/* Frames of one thread: [first, end) of the common part, behind the link frame, if any. */
struct link {
	size_t first, end;
	uint32_t link_frame; /* "→ comm", or LODE_NONE */
	bool is_last;	     /* with functions: what the chain comes to */
};

enum {
	max_links = LODE_LINE_HOPS,
	max_frames_per_link = LODE_LINE_HOP_FRAMES, /* more do not tell more */
	label_bytes = 400
};

/* Bytes of "operator<<", "operator()" and the like at `p`; 0 when there is none. */
static size_t operator_name(const char *p)
{
	size_t n = sizeof("operator") - 1;

	if (strncmp(p, "operator", n) != 0)
		return 0;
	if (strncmp(p + n, "()", 2) == 0)
		return n + 2;
	n += strspn(p + n, "<>=!+-*/%&|^~[],");
	return n > sizeof("operator") - 1 ? n : 0;
}

/* "(anonymous namespace)", "(anonymous class)", and "(*Regexp)" of Go's regexp.(*Regexp).doExecute:
   no arguments. */
static bool is_part_of_name(const char *name, const char *bracket)
{
	return bracket == name || bracket[-1] == '.' || strncmp(bracket, "(anonymous", 10) == 0;
}

/* Copies `name` without what stands inside the outermost <> and from the arguments' "(" on. */
static void fold_name(char *out, size_t size, const char *name)
{
	size_t used = 0;
	int depth = 0;

	for (const char *p = name; *p && used + 24 < size; p++) {
		size_t n = depth == 0 ? operator_name(p) : 0;

		if (n > 0 && n < 20) {
			memcpy(out + used, p, n);
			used += n;
			p += n - 1;
			continue;
		}
		/* memcpy@GLIBC_2.14: the version of a symbol tells nothing here. */
		if (*p == '@' && depth == 0 && p > name)
			break;
		if (*p == '(' && depth == 0 && !is_part_of_name(name, p))
			break;
		if (*p == '<' && p > name && depth++ == 0) {
			memcpy(out + used, "<…", sizeof("<…") - 1);
			used += sizeof("<…") - 1;
		} else if (*p == '>' && depth > 0 && p[-1] != '-') {
			depth--;
			if (depth == 0)
				out[used++] = '>';
		} else if (depth == 0) {
			out[used++] = *p;
		}
	}
	out[used] = '\0';
	/* Unbalanced: whatever that is, it is no C++ name. */
	if (depth != 0)
		snprintf(out, size, "%s", name);
}

/* The C library's own symbol for a public function: __GI___libc_write is write. */
static bool is_alias(const char *function)
{
	return strncmp(function, "__GI_", 5) == 0;
}

static const char *without_alias(const char *function)
{
	if (!is_alias(function))
		return function;
	function += 5;
	function += strncmp(function, "__libc_", 7) == 0 ? 7 : 0;
	return function + strspn(function, "_");
}

const char *lode_short_label(char *buffer, size_t size, const struct lode_calltree *tree,
			     uint32_t frame)
{
	char label[label_bytes], folded[label_bytes + 16];

	lode_frame_label(tree, frame, label, sizeof(label));
	fold_name(folded, sizeof(folded), without_alias(label));
	return lode_escape(buffer, size, folded);
}

/* How rare a function is among all stacks: what stands in every stack tells nothing. */
static double rarity_of(const struct lode_digest *digest, uint32_t frame)
{
	const struct lode_name_stats *names = &digest->names;

	if (names->n_stacks == 0 || frame >= names->n_with.n)
		return 1;
	return 1 - (double)names->n_with.at[frame] / (double)names->n_stacks;
}

static bool is_user(const struct lode_digest *digest, uint32_t frame)
{
	return !(digest->tree.frames.at[frame].flags & (LODE_FRAME_KERNEL | LODE_FRAME_UNKNOWN));
}

/* Functions that every program, thread, system call or context switch passes through. */
static bool is_everywhere(const char *function)
{
	static const char *const names[] = {
		"_start",
		"_start_c",
		"main",
		"start",
		"start_thread",
		"clone",
		"__clone",
		"clone3",
		"__clone3",
		"schedule",
		"__schedule",
		"__libc_start_main",
		"do_syscall_64",
		"ret_from_fork",
		"kthread",
		"ret_from_fork_asm",
		"__cp_end",
		"__syscall_cp_c",
		"x64_sys_call",
		"preempt_schedule_irq",
		"asm_exc_page_fault",
		"exc_page_fault",
		"irqentry_exit",
		"irqentry_exit_to_user_mode",
		"exit_to_user_mode_loop",
		"syscall_exit_to_user_mode",
		"preempt_schedule",
		"preempt_schedule_common",
		"schedule_preempt_disabled",
		"schedule_timeout",
		"schedule_hrtimeout_range",
		"schedule_hrtimeout_range_clock",
		"__cond_resched",
		"do_futex",
		"__futex_wait",
		"futex_do_wait",
		"futex_wait_queue",
		"futex_wait_queue_me",
	};
	static const char *const beginnings[] = {"libc_start_main", "__libc_start_",
						 "entry_SYSCALL_",  "el0t_64_sync",
						 "do_el0_svc",	    "invoke_syscall",
						 "asm_sysvec_"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(function, names[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		if (strncmp(function, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	}
	return false;
}

static bool says_nothing(const struct lode_digest *digest, uint32_t frame)
{
	const char *function = lode_frame_function(&digest->tree, frame);

	/* A library's insides: its public functions tell how a program waits. */
	return is_everywhere(function) ||
	       (function[0] == '_' && lode_frame_is_c_library(&digest->tree, frame) &&
		!is_alias(function));
}

bool lode_is_telling(const struct lode_digest *digest, uint32_t frame)
{
	return is_user(digest, frame) && !(digest->tree.frames.at[frame].flags & LODE_FRAME_LINK) &&
	       !says_nothing(digest, frame);
}

static double score_of_place(double rarity, size_t place, size_t n)
{
	return 2 * rarity + 0.9 * (double)(place + 1) / (double)n;
}

/* Of a function of the program that says something. */
static double score_of_program(double rarity, size_t place, size_t n)
{
	return score_of_place(rarity, place, n) + 3;
}

/* The program's own functions tell most; of these what is rare elsewhere, and the deeper the
   better. */
static double telling(const struct lode_digest *digest, uint32_t frame, double rarity, size_t place,
		      size_t n)
{
	double score = score_of_place(rarity, place, n);

	if (is_user(digest, frame))
		score += lode_frame_is_c_library(&digest->tree, frame) ? 1 : 3;
	else if (digest->tree.frames.at[frame].flags & LODE_FRAME_UNKNOWN)
		score -= 1;
	if (says_nothing(digest, frame))
		score -= 4;
	return score;
}

uint32_t lode_telling_frame(const struct lode_digest *digest, const uint32_t *frames, size_t n)
{
	uint32_t best = LODE_NONE;
	double best_score = 0;

	for (size_t i = 0; i < n; i++) {
		double score;

		if (!is_user(digest, frames[i]) ||
		    lode_frame_is_c_library(&digest->tree, frames[i]) ||
		    digest->tree.frames.at[frames[i]].flags & LODE_FRAME_LINK)
			continue;
		score = score_of_program(rarity_of(digest, frames[i]), i, n);
		/* Names are compared last: this runs for each stack of a mining. */
		if (score <= best_score || says_nothing(digest, frames[i]))
			continue;
		best = frames[i];
		best_score = score;
	}
	return best;
}

/* Nothing but how a thread leaves its CPU: beside other threads its name alone says as much. */
static bool only_leaves_cpu(const struct lode_digest *digest, const struct lode_line_frames *line,
			    const struct link *link)
{
	for (size_t i = link->first; i < link->end; i++)
		if (!(digest->tree.frames.at[line->frames[i]].flags & LODE_FRAME_KERNEL) ||
		    !says_nothing(digest, line->frames[i]))
			return false;
	/* The share of a branch stands behind the last functions. */
	return !(link->end == line->n && (line->n_more || line->n_forks)) &&
	       !(link->end == line->n - line->n_more && line->n_branch);
}

static size_t split_links(const struct lode_digest *digest, const struct lode_line_frames *line,
			  struct link *links)
{
	size_t n_links = 1;

	links[0] = (struct link){0, line->n, LODE_NONE, false};
	for (size_t i = 0; i < line->n; i++) {
		if (!(digest->tree.frames.at[line->frames[i]].flags & LODE_FRAME_LINK))
			continue;
		links[n_links - 1].end = i;
		if (n_links == max_links)
			break;
		links[n_links++] = (struct link){i + 1, line->n, line->frames[i], false};
	}
	for (size_t i = 0; n_links > 1 && i < n_links; i++)
		if (only_leaves_cpu(digest, line, &links[i]))
			links[i].end = links[i].first;
	for (size_t i = n_links; i-- > 0;) {
		if (links[i].first == links[i].end)
			continue;
		links[i].is_last = true;
		break;
	}
	return n_links;
}

/* Frames of a link that were chosen, by place. */
struct chosen {
	size_t at[max_frames_per_link];
	size_t n;
};

static void choose(struct chosen *chosen, size_t place)
{
	size_t i = chosen->n++;

	for (; i && chosen->at[i - 1] > place; i--)
		chosen->at[i] = chosen->at[i - 1];
	chosen->at[i] = place;
}

/* Prints the chosen frames in their order; gives the columns it takes. */
static size_t join_common_part(char *out, size_t size, const struct lode_digest *digest,
			       const struct lode_line_frames *line, const struct chosen *chosen)
{
	char label[4 * label_bytes];
	size_t used = 0;

	out[0] = '\0';
	for (size_t k = 0; k < chosen->n && used + 8 < size; k++) {
		size_t i = chosen->at[k];
		bool is_next = k && chosen->at[k - 1] == i - 1 &&
			       !(line->gap_before && line->gap_before[i]);

		used += (size_t)snprintf(out + used, size - used, "%s%s",
					 !k	   ? ""
					 : is_next ? " › "
						   : " … ",
					 lode_short_label(label, sizeof(label), &digest->tree,
							  line->frames[i]));
	}
	return lode_escape_width(out);
}

struct told {
	double score;
	size_t place;
};

LODE_COMPARE(most_telling_first, struct told,
	     LODE_ORDER(b->score, a->score) ?: LODE_ORDER(a->place, b->place))

/* For whom a thread worked stands nowhere else. */
static bool is_client(const struct lode_digest *digest, uint32_t frame)
{
	return strcmp(lode_frame_module(&digest->tree, frame), LODE_CLIENT_MODULE) == 0;
}

/* The frames of a link in the order of what they tell, the program's own alone if it has any that
   tell something; *n of them, to be freed. *end: the place of what all comes to, such as fsync, in
   the last of them; SIZE_MAX: there is none. */
static struct told *by_telling(size_t *n, size_t *end, const struct lode_digest *digest,
			       const struct lode_line_frames *line, const struct link *link)
{
	const uint32_t *frames = line->frames;
	size_t n_all = link->end - link->first;
	struct told *told = lode_alloc0(n_all + 1, sizeof(*told));
	size_t deepest = SIZE_MAX; /* of the user's that tell something */
	size_t name = SIZE_MAX;	   /* in recursion, the deepest */

	*n = 0;
	for (size_t i = link->first; i < link->end; i++)
		name = frames[i] == line->name ? i : name;
	for (size_t i = link->first; i < link->end; i++)
		if (is_user(digest, frames[i]) && !says_nothing(digest, frames[i]) &&
		    !is_client(digest, frames[i]))
			deepest = i;
	for (size_t i = link->first; i < link->end; i++)
		if (deepest == SIZE_MAX || is_user(digest, frames[i])) {
			double rarity =
				line->rarity ? line->rarity[i] : rarity_of(digest, frames[i]);

			told[(*n)++] = (struct told){
				telling(digest, frames[i], rarity, i - link->first, n_all) +
					10 * is_client(digest, frames[i]) + 5 * (i == name),
				i};
		}
	lode_sort(told, *n, most_telling_first);
	*end = link->is_last ? deepest : SIZE_MAX;
	return told;
}

/* Takes the frame if a line of `columns` has room. */
static void take_frame(struct chosen *chosen, const struct lode_digest *digest,
		       const struct lode_line_frames *frames, size_t place, size_t columns)
{
	struct chosen more = *chosen;
	char line[LODE_COMMON_LINE];

	for (size_t i = 0; i < chosen->n; i++)
		if (chosen->at[i] == place)
			return;
	choose(&more, place);
	if (columns == SIZE_MAX ||
	    join_common_part(line, sizeof(line), digest, frames, &more) <= columns)
		*chosen = more;
}

/* Takes frames in the order of what they tell; behind two of them, a function and its caller, what
   all comes to. False: the line has no room for the two that tell most. */
static bool choose_frames(struct chosen *chosen, const struct lode_digest *digest,
			  const struct lode_line_frames *frames, const struct link *link,
			  size_t columns)
{
	size_t n, end;
	struct told *told = by_telling(&n, &end, digest, frames, link);
	bool has_two = false, has_room;

	chosen->n = 0;
	for (size_t k = 0; k < n && chosen->n < max_frames_per_link; k++) {
		if (k && says_nothing(digest, frames->frames[told[k].place]))
			break;
		if (chosen->n == 2 && end != SIZE_MAX)
			take_frame(chosen, digest, frames, end, columns);
		if (chosen->n < max_frames_per_link)
			take_frame(chosen, digest, frames, told[k].place, columns);
		has_two |= k == 1 && chosen->n == 2;
	}
	if (chosen->n < max_frames_per_link && end != SIZE_MAX)
		take_frame(chosen, digest, frames, end, columns);
	has_room = has_two || (n < 2 && chosen->n == n) ||
		   (chosen->n && says_nothing(digest, frames->frames[told[1].place]));
	free(told);
	return has_room;
}

size_t lode_line_branch(uint32_t *out, const struct lode_digest *digest,
			const struct lode_line_frames *line)
{
	uint32_t told = lode_telling_frame(digest, line->branch, line->n_branch);
	uint32_t end = LODE_NONE;

	for (size_t i = 0; i < line->n_branch; i++)
		if (is_user(digest, line->branch[i]) && !says_nothing(digest, line->branch[i]))
			end = line->branch[i];
	if (told == LODE_NONE)
		return 0;
	out[0] = told;
	out[1] = end;
	return end == told ? 1 : 2;
}

/* " … sqlite3PagerCommitPhaseOne … fdatasync (75 %)"; two of them
   if two thirds of the line have room; "" if it has none for one. */
static void branch_text(char *out, size_t size, const struct lode_digest *digest,
			const struct lode_line_frames *line, size_t columns)
{
	uint32_t frames[LODE_LINE_BRANCH_FRAMES];
	size_t n = lode_line_branch(frames, digest, line);
	char label[4 * label_bytes];

	out[0] = '\0';
	for (size_t used = 0; n && !out[0]; n--, used = 0) {
		for (size_t i = 0; i < n && used < size; i++)
			used += (size_t)snprintf(out + used, size - used, " … %s",
						 lode_short_label(label, sizeof(label),
								  &digest->tree, frames[i]));
		if (used < size)
			used += (size_t)snprintf(out + used, size - used, " (%.0f %%)",
						 100 * line->branch_share);
		/* One function may take the line: it is the name. */
		if (used >= size || (n > 1 ? 3 * lode_escape_width(out) > 2 * columns
					   : lode_escape_width(out) > columns))
			out[0] = '\0';
	}
}

/* " (75 %)": of the threads at the end, and "" if all have them. */
static void share_text(char *out, size_t size, const struct lode_line_frames *line)
{
	out[0] = '\0';
	if (line->n_more && line->more_share > 0)
		snprintf(out, size, " (%.0f %%)", 100 * line->more_share);
}

static const char gap[] = " … ";

/* Where the cost goes on: in one main branch, or in several. Behind functions that say nothing,
   only that is of use: *is_all. */
static void text_behind(char *out, size_t size, const struct lode_digest *digest,
			const struct lode_line_frames *line, const struct link *link,
			size_t columns, bool *is_all)
{
	char forks[LODE_COMMON_LINE - sizeof(gap)];
	bool has_room;

	*is_all = true;
	for (size_t i = link->first; i < link->end; i++)
		*is_all &= !lode_is_telling(digest, line->frames[i]) &&
			   !(line->frames[i] == line->name);
	out[0] = '\0';
	if (link->end > line->n - line->n_more) {
		share_text(out, size, line);
	} else if (line->n_forks) {
		lode_headline_forks_text(forks, sizeof(forks), digest, line->forks, line->n_forks,
					 *is_all ? columns : 2 * columns / 3);
		has_room = forks[0] != '\0';
		snprintf(out, size, "%s%s",
			 !has_room			       ? ""
			 : *is_all || line->forks[0].is_thread ? " "
							       : gap,
			 forks);
	} else if (line->n_branch) {
		branch_text(out, size, digest, line, columns);
	}
	*is_all &= out[0] && link->end <= line->n - line->n_more;
}

static bool link_line(char *out, size_t size, const struct lode_digest *digest,
		      const struct lode_line_frames *frames, const struct link *link,
		      size_t columns)
{
	char line[LODE_COMMON_LINE], branch[LODE_COMMON_LINE] = "";
	struct chosen chosen;
	bool has_room, is_all = false;
	size_t width;

	if (link->end == frames->n || link->end == frames->n - frames->n_more)
		text_behind(branch, sizeof(branch), digest, frames, link, columns, &is_all);
	if (is_all) {
		snprintf(out, size, "%s",
			 branch + (strncmp(branch, gap, strlen(gap)) ? 1 : strlen(gap)));
		return true;
	}
	width = lode_escape_width(branch);
	has_room = choose_frames(&chosen, digest, frames, link,
				 columns > width ? columns - width
				 : columns	 ? 1
						 : 0);
	join_common_part(line, sizeof(line), digest, frames, &chosen);
	/* No name is cut: where none has room, that is said. */
	if (!line[0] && branch[0] && !frames->n_more)
		snprintf(out, size, "%s", branch + 1);
	else
		snprintf(out, size, "%s%s",
			 !chosen.n && columns && link->first < link->end ? "…" : line, branch);
	return has_room;
}

/* Is it a thread that only the main branch has? */
static bool is_more(const struct lode_line_frames *line, const struct link *link)
{
	return link->link_frame != LODE_NONE && link->first > line->n - line->n_more;
}

/* The name of the thread. In the main branch it is one, whatever the others have there. */
static const char *told_name(const struct lode_digest *digest, const struct lode_line_frames *line,
			     const struct link *link)
{
	const char *name = lode_hop_name_of(line->hop_names, line->n_hop_names, &digest->tree,
					    link->link_frame);

	return is_more(line, link) && !strcmp(name, lode_hop_any)
		       ? lode_frame_function(&digest->tree, link->link_frame)
		       : name;
}

size_t lode_line_hops(struct lode_line_hop *out, const struct lode_digest *digest,
		      const struct lode_line_frames *line)
{
	struct link links[max_links];
	size_t n_links = split_links(digest, line, links);

	for (size_t i = 0; i < n_links; i++) {
		struct chosen chosen;

		choose_frames(&chosen, digest, line, &links[i], SIZE_MAX);
		out[i] =
			(struct lode_line_hop){.link = links[i].link_frame,
					       .name = links[i].link_frame == LODE_NONE
							       ? line->who
							       : told_name(digest, line, &links[i]),
					       .n = chosen.n,
					       .is_more = is_more(line, &links[i])};
		for (size_t k = 0; k < chosen.n; k++)
			out[i].frames[k] = line->frames[chosen.at[k]];
	}
	return n_links;
}

/* What stands before a link's functions: "→ comm", or whose wait it is. */
static void link_head(char *out, size_t size, const struct lode_digest *digest,
		      const struct lode_line_frames *frames, const struct link *link,
		      size_t columns)
{
	static const char arrow[] = "→ ";
	char label[label_bytes], escaped[4 * label_bytes];
	size_t n_arrow;

	out[0] = '\0';
	if (link->link_frame != LODE_NONE)
		snprintf(label, sizeof(label), "%s%s", arrow, told_name(digest, frames, link));
	else if (frames->who && frames->who[0])
		snprintf(label, sizeof(label), "%s", frames->who);
	else
		return;
	/* What a process is called may be left out behind its name, but no part of that. */
	n_arrow = strncmp(label, arrow, strlen(arrow)) == 0 ? strlen(arrow) : 0;
	snprintf(out, size, "%.*s", (int)n_arrow, arrow);
	lode_escape_fit_names(out + n_arrow, size - n_arrow,
			      lode_escape(escaped, sizeof(escaped), label + n_arrow),
			      columns > 2 && n_arrow ? columns - 2 : columns);
}

/* As link_line, with what stands before. */
static bool whole_line(char *out, size_t size, const struct lode_digest *digest,
		       const struct lode_line_frames *frames, const struct link *link,
		       size_t columns)
{
	char head[128], line[LODE_COMMON_LINE] = "";
	bool has_room;
	size_t width;

	link_head(head, sizeof(head) - 4, digest, frames, link, columns / 2);
	if (head[0] && (link->first < link->end || (link->end == frames->n && frames->n_forks)))
		strncat(head, "  ", sizeof(head) - strlen(head) - 1);
	width = lode_escape_width(head);
	has_room = link_line(line, sizeof(line), digest, frames, link,
			     columns > width ? columns - width : 0);
	snprintf(out, size, "%s%s", head, line);
	return has_room;
}

/* The first thread's line, and if that has no room for two of its functions, a second line with all
   of them; gives how many lines. */
static size_t first_lines(char *out, size_t size, const struct lode_digest *digest,
			  const struct lode_line_frames *frames, const struct link *link,
			  size_t columns, size_t more_columns, size_t max_lines)
{
	char line[LODE_COMMON_LINE];

	if (whole_line(out, size, digest, frames, link, columns) || max_lines < 2 || !frames->who ||
	    !frames->who[0])
		return 1;
	link_head(out, size, digest, frames, link, columns);
	link_line(line, sizeof(line), digest, frames, link, more_columns);
	snprintf(out + strlen(out), size - strlen(out), "\n%s", line);
	return 2;
}

/* "→ gateway → auth → pricing": threads whose functions have no line; "…" where there are more. */
static void names_line(char *out, size_t size, const struct lode_digest *digest,
		       const struct lode_line_frames *frames, const struct link *links,
		       size_t n_links, size_t columns)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < n_links; i++) {
		char head[128];
		size_t width;

		link_head(head, sizeof(head), digest, frames, &links[i], columns);
		width = lode_escape_width(out) + (used ? 1 : 0) + lode_escape_width(head);
		if (width + (i + 1 < n_links ? 2 : 0) > columns || used + strlen(head) + 8 > size) {
			snprintf(out + used, size - used, used ? " …" : "→ …");
			return;
		}
		used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "", head);
	}
}

/* Whether a line of the link's functions names one of a program. */
static bool has_own(const struct lode_digest *digest, const struct lode_line_frames *line,
		    const struct link *link)
{
	for (size_t i = link->first; i < link->end; i++)
		if (is_user(digest, line->frames[i]) && !says_nothing(digest, line->frames[i]))
			return true;
	return false;
}

/* The last thread with a function of a program; if there is none, with any. */
static size_t told_link(const struct lode_digest *digest, const struct lode_line_frames *line,
			const struct link *links, size_t n_links)
{
	size_t any = 0;

	for (size_t i = n_links; i-- > 0;) {
		if (has_own(digest, line, &links[i]))
			return i;
		any = links[i].is_last ? i : any;
	}
	return any;
}

/* The function that the link is known by, as in a sentence; "": it has none of a program. */
static const char *known_by(char *label, size_t size, const struct lode_digest *digest,
			    const struct lode_line_frames *line, const struct link *link)
{
	uint32_t frames[max_frames_per_link], best;
	struct chosen chosen;

	choose_frames(&chosen, digest, line, link, SIZE_MAX);
	for (size_t i = 0; i < chosen.n; i++)
		frames[i] = line->frames[chosen.at[i]];
	best = lode_telling_frame(digest, frames, chosen.n);
	label[0] = '\0';
	return best == LODE_NONE ? label : lode_short_label(label, size, &digest->tree, best);
}

/* A line of the link's that names that function: with others, if they have room. */
static void told_line(char *out, size_t size, const struct lode_digest *digest,
		      const struct lode_line_frames *frames, const struct link *link,
		      const char *known, size_t columns)
{
	char head[128];

	whole_line(out, size, digest, frames, link, columns);
	if (strstr(out, known))
		return;
	link_head(head, sizeof(head), digest, frames, link, columns / 2);
	if (lode_escape_width(head) + 2 + lode_escape_width(known) <= columns)
		snprintf(out, size, "%s%s%s", head, head[0] ? "  " : "", known);
}

/* All threads in one line: names, and the functions of the last thread that has any of a program;
   behind them what it comes to: "shop → store  append_record › fsync → disk". Names are not cut:
   where functions have no room, those in the middle go, then the first, then the end. */
static void single_line(char *out, size_t size, const struct lode_digest *digest,
			const struct lode_line_frames *line, const struct link *links,
			size_t n_links, size_t columns)
{
	enum { MIDDLE_GOES = 1, FIRST_GOES, END_GOES };
	struct lode_line_frames without_share = *line;
	const struct lode_line_frames *frames = &without_share;
	char share[32];
	char first[LODE_COMMON_LINE] = "", names[LODE_COMMON_LINE] = "", end[LODE_COMMON_LINE] = "";
	char told[LODE_COMMON_LINE] = "";
	char known[4 * label_bytes];
	size_t last = told_link(digest, frames, links, n_links), width;

	share_text(share, sizeof(share), line);
	/* It stands behind the whole line. */
	without_share.more_share = 0;
	columns -= columns > lode_escape_width(share) ? lode_escape_width(share) : 0;
	known_by(known, sizeof(known), digest, frames, &links[last]);
	if (last > 0) {
		link_head(first, sizeof(first), digest, frames, &links[0], columns / 4);
		if (!first[0])
			whole_line(first, sizeof(first), digest, frames, &links[0], columns / 3);
	}
	if (last > 1)
		names_line(names, sizeof(names), digest, frames, links + 1, last - 1, columns / 3);
	if (last + 1 < n_links)
		names_line(end, sizeof(end), digest, frames, links + last + 1, n_links - 1 - last,
			   columns / 4);
	for (int gone = 0; gone <= END_GOES; gone++) {
		if (gone == MIDDLE_GOES && names[0])
			snprintf(names, sizeof(names), "→ …");
		if (gone == FIRST_GOES && first[0])
			snprintf(first, sizeof(first), names[0] ? "" : "…");
		if (gone == END_GOES && end[0])
			snprintf(end, sizeof(end), "…");
		width = lode_escape_width(first) + (first[0] != '\0') + lode_escape_width(names) +
			(names[0] != '\0') + lode_escape_width(end) + (end[0] != '\0');
		told_line(told, sizeof(told), digest, frames, &links[last], known,
			  columns > width ? columns - width : 1);
		if (strstr(told, known) && width + lode_escape_width(told) <= columns)
			break;
	}
	snprintf(out, size, "%s%s%s%s%s%s%s%s", first, first[0] ? " " : "", names,
		 names[0] ? " " : "", told, end[0] ? " " : "", end, share);
}

const char *lode_common_part_short(char *buffer, size_t size, const struct lode_digest *digest,
				   const struct lode_line_frames *frames, size_t columns,
				   size_t more_columns, size_t max_lines)
{
	struct link links[max_links];
	size_t n_links = split_links(digest, frames, links), used = 0, last_width = 0, n_last;
	bool is_first = true; /* still on the first line */
	char line[2 * (LODE_COMMON_LINE + 160)];

	buffer[0] = '\0';
	if (n_links > 1 && max_lines < 2) {
		single_line(buffer, size, digest, frames, links, n_links, columns);
		return buffer;
	}
	/* What is left for the others; with too many threads, the next line has the names of those
	   in the middle. */
	max_lines -= first_lines(line, sizeof(line), digest, frames, &links[0], columns,
				 more_columns, max_lines - (n_links > 2 ? 2 : n_links - 1));
	is_first = !strchr(line, '\n');
	n_last = n_links - 1 > max_lines ? max_lines - 1 : n_links - 1;
	for (size_t i = 0; i < n_links && used + 1 < size; i++) {
		const char *between = used ? "\n" : "";
		size_t width = 0, n_names = n_links - 1 - n_last;
		bool is_names = n_names > 0 && i == 1;

		if (is_names) {
			names_line(line, sizeof(line), digest, frames, &links[1], n_names,
				   more_columns);
			i = n_names;
		} else if (i > 0) {
			whole_line(line, sizeof(line), digest, frames, &links[i],
				   used ? more_columns : columns);
		}
		if (!line[0])
			continue;
		/* A device, or a thread whose stack is not common: behind its waiter, if it fits.
		 */
		if (used && !is_names && links[i].first == links[i].end) {
			width = last_width + 1 + lode_escape_width(line);
			if (width <= (is_first ? columns : more_columns))
				between = " ";
		}
		is_first = is_first && *between != '\n';
		last_width = *between == ' '
				     ? width
				     : lode_escape_width(strchr(line, '\n') ? strchr(line, '\n') + 1
									    : line);
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", between, line);
	}
	return buffer;
}
