/* model/signature.h, model/signature_pattern.h: what patterns mean, and signatures as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/signature.h"
#include "model/signature_pattern.h"
#include "model/stream.h"
#include "random.h"
#include "unit/model/pattern_oracle.h"
#include "cases.h"

/* A stack from "module!function" and "→ comm" texts, parted by blanks; "[m]" has no symbol. */
static uint32_t push_stack(struct lode_calltree *tree, const char *text)
{
	char copy[256], *save = NULL;
	uint32_t stack = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *bang = strchr(word, '!');
		uint32_t frame;

		if (strncmp(word, "→", 3) == 0)
			frame = lode_frame_link(tree, word + 3);
		else if (!bang && *word == '[')
			frame = lode_frame_intern(tree, strtok(word, "[]"), "", LODE_FRAME_UNKNOWN);
		else if (bang)
			*bang = '\0', frame = lode_frame_intern(tree, word, bang + 1, 0);
		else
			frame = lode_frame_intern(tree, "", word, 0);
		stack = lode_calltree_child(tree, stack, frame);
	}
	return stack;
}

static bool holds(const char *pattern, const char *stack)
{
	lode_signature_step_vec steps = {0};
	struct lode_arena arena = {0};
	struct lode_calltree tree = {0};
	bool result;

	lode_calltree_init(&tree);
	assert_int_equal(lode_signature_pattern_parse(&steps, pattern, &arena, NULL), 0);
	result = pattern_holds(steps.at, steps.n, &tree, push_stack(&tree, stack));
	lode_calltree_release(&tree);
	lode_vec_release(&steps);
	lode_arena_release(&arena);
	return result;
}

static void patterns_mean_what_the_header_says(void **state)
{
	(void)state;
	assert_true(holds("InitComponents;*;GetHashCode", "main InitComponents x GetHashCode y"));
	assert_true(holds("InitComponents;*;GetHashCode", "InitComponents GetHashCode"));
	assert_true(holds("InitComponents;GetHashCode", "main InitComponents x y GetHashCode"));
	assert_false(holds("InitComponents;*;GetHashCode", "GetHashCode InitComponents"));
	assert_false(holds("a;a", "main a b"));
	assert_true(holds("a;a", "main a b a"));
	/* one frame between */
	assert_false(holds("a;?*;b", "a b"));
	assert_true(holds("a;?*;b", "a x b"));
	assert_false(holds("a;>?*;>b", "a x y b"));
	assert_true(holds("a;>*;>b", "a x b"));
	/* directly called, tried at every place */
	assert_true(holds("a;>b", "a x a b"));
	assert_true(holds("a;>b;>c", "a b x a b c"));
	assert_false(holds("a;>b", "a x b"));
	assert_true(holds("a;>a", "x a a"));
	assert_true(holds(">main;idle", "main x idle"));
	assert_false(holds(">main;idle", "start main idle"));
	/* names and modules */
	assert_true(holds("lib*!get_*", "main libx.so!get_it"));
	assert_false(holds("lib*!get_*", "main app!get_it"));
	assert_true(holds("get_it", "libx.so!get_it"));
	assert_true(holds("[kernel]!vfs_read", "main [kernel]!vfs_read"));
	assert_false(holds("[kernel]!vfs_read", "main k!vfs_read"));
	assert_true(holds("[abc]ell", "main bell"));
	assert_true(holds("[libc.so.6]", "main [libc.so.6]"));
	assert_true(holds("libc.so*!*", "main [libc.so.6]"));
	assert_true(holds("libc.so*!*", "main libc.so.6!read"));
	/* links */
	assert_true(holds("get;→ store;fsync", "main get →store commit fsync"));
	assert_true(holds("get; -> st* ;fsync", "main get →store commit fsync"));
	assert_true(holds("→store", "get →store"));
	assert_false(holds("store", "get →store"));
	/* backslashes */
	assert_true(holds("a\\;b", "main a;b"));
	assert_true(holds("\\*x;  y ", "*x y"));
	assert_false(holds("\\*x", "ax"));
	assert_true(holds("a\\", "a\\"));
	assert_true(holds("*", ""));
	assert_true(holds("*;*", "anything at all"));
}

static void check_mistake(const char *pattern, const char *message)
{
	lode_signature_step_vec steps = {0};
	struct lode_arena arena = {0};
	struct lode_error err = {0};

	assert_int_equal(lode_signature_pattern_parse(&steps, pattern, &arena, &err), LODE_ERR_ARG);
	assert_non_null(strstr(err.message, message));
	lode_vec_release(&steps);
	lode_arena_release(&arena);
}

static void mistakes_in_patterns_are_told(void **state)
{
	(void)state;
	check_mistake("", "step 1 of the pattern '' is empty");
	check_mistake("a;;b", "step 2");
	check_mistake("a;b;", "step 3");
	check_mistake("a;*;>b", "follows a gap");
	check_mistake("*;>b", "follows a gap");
	check_mistake("a; > ;b", "has no function after");
	check_mistake("a\nb", "control character 0x0a");
}

static const char *const name_parts[] = {"a",  "foo", "*",  "?",  "[", "]",    "\\",  ";",
					 "!",  " ",   ">",  "->", "→", "→ ",   "[k]", "\n",
					 "::", "é",   "\t", "#",  ":", "[k]!", ".",   "\x7f"};

static const char *random_name(struct test_random *random, char *buffer, size_t size)
{
	size_t n = 1 + test_random_below(random, 4);

	*buffer = '\0';
	for (size_t i = 0; i < n; i++)
		strncat(buffer,
			name_parts[test_random_below(random,
						     sizeof(name_parts) / sizeof(*name_parts))],
			size - strlen(buffer) - 1);
	return buffer;
}

/* Whatever a function is called, its pattern means it, and writing what was read changes nothing.
 */
static void patterns_of_stacks_hold_in_them(void **state)
{
	char module[64], function[64];

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(3000); seed++) {
		struct test_random random = {seed};
		struct lode_calltree tree = {0};
		struct lode_arena arena = {0};
		lode_signature_step_vec steps = {0};
		uint32_t frames[5], stack = 0;
		size_t n = 1 + test_random_below(&random, 5);
		const char *text;

		lode_calltree_init(&tree);
		for (size_t i = 0; i < n; i++) {
			random_name(&random, module, sizeof(module));
			random_name(&random, function, sizeof(function));
			switch (test_random_below(&random, 4)) {
			case 0:
				frames[i] = lode_frame_link(&tree, function);
				break;
			case 1:
				frames[i] =
					lode_frame_intern(&tree, module, "", LODE_FRAME_UNKNOWN);
				break;
			case 2:
				frames[i] = lode_frame_intern(&tree, "", function, 0);
				break;
			default:
				frames[i] = lode_frame_intern(&tree, module, function, 0);
				break;
			}
			stack = lode_calltree_child(&tree, stack, frames[i]);
		}
		text = lode_signature_pattern_of(&tree, frames, n, &arena);
		if (lode_signature_pattern_parse(&steps, text, &arena, NULL) < 0 || steps.n != n ||
		    !pattern_holds(steps.at, n, &tree, stack))
			fail_msg("seed %llu: '%s' is not its stack", (unsigned long long)seed,
				 text);
		for (size_t i = 0; i < n; i++)
			if (!pattern_step_matches(steps.at[i].glob, &tree, frames[i]))
				fail_msg("seed %llu: step %zu of '%s'", (unsigned long long)seed, i,
					 text);
		if (strcmp(lode_signature_pattern_text(steps.at, n, &arena), text) != 0)
			fail_msg("seed %llu: '%s' is written as '%s'", (unsigned long long)seed,
				 text, lode_signature_pattern_text(steps.at, n, &arena));
		lode_calltree_release(&tree);
		lode_vec_release(&steps);
		lode_arena_release(&arena);
	}
}

/* A pattern must parse: no name is left of frames without one. */
static void stacks_without_names_match_everything(void **state)
{
	struct lode_calltree tree = {0};
	struct lode_arena arena = {0};
	uint32_t frames[2];

	(void)state;
	lode_calltree_init(&tree);
	frames[0] = frames[1] = lode_frame_intern(&tree, "", "", 0);
	tree.frames.at[frames[0]].flags = 0; /* as damaged digests have them */
	for (size_t n = 0; n <= 2; n++)
		assert_string_equal(lode_signature_pattern_of(&tree, frames, n, &arena), "*");
	lode_calltree_release(&tree);
	lode_arena_release(&arena);
}

/* ---- Lists ---- */

static int parse(struct lode_signatures *list, const char *text, struct lode_error *err)
{
	return lode_signatures_parse(list, "s.txt", text, strlen(text), err);
}

static void a_file_says_all_fields(void **state)
{
	static const char text[] = "# ours\n"
				   "format: lode/signatures/1\n"
				   "\n"
				   "signature: slow-path\n"
				   "bug: https://bugs.example.org/1?a=b:c\n"
				   "owner: files@example.org\n"
				   "state: retired\n"
				   "kind: wait, ready\n"
				   "reason: disk fault\n"
				   "created: 2026-11-21T09:30:00Z\n"
				   "updated: 2026-11-22 09:30:00+01:00\n"
				   "note: first line\n"
				   "  .\n"
				   "  ..\n"
				   "# between\n"
				   "\tlast\n"
				   "pattern: b;\n"
				   "  *; c\n"
				   "pattern: a\n"
				   "pattern: b ;c\n"
				   " \t\n\n"
				   "signature: cpu\r\n"
				   "kind: run\r\n"
				   "pattern: *\r\n";
	struct lode_signatures list = {0};
	struct lode_error err = {0};
	const struct lode_signature *s;

	(void)state;
	if (parse(&list, text, &err) < 0)
		fail_msg("line %lld: %s", (long long)err.offset, err.message);
	assert_int_equal(list.list.n, 2);
	assert_string_equal(list.list.at[0].name, "cpu");
	assert_int_equal(list.list.at[0].kinds, 1u << LODE_EVENT_RUNNING);
	assert_string_equal(list.list.at[0].patterns[0], "*");
	s = lode_signatures_find(&list, "slow-path");
	assert_non_null(s);
	assert_string_equal(s->bug, "https://bugs.example.org/1?a=b:c");
	assert_string_equal(s->owner, "files@example.org");
	assert_true(s->is_retired);
	assert_int_equal(s->kinds, 1u << LODE_EVENT_WAITING | 1u << LODE_EVENT_READY);
	assert_int_equal(s->reasons, 1u << LODE_REASON_DISK | 1u << LODE_REASON_FAULT);
	assert_int_equal(s->created_s, 1795253400);
	assert_int_equal(s->updated_s, 1795253400 + 86400 - 3600);
	assert_string_equal(s->note, "first line\n\n.\nlast");
	assert_int_equal(s->n_patterns, 2);
	assert_string_equal(s->patterns[0], "a");
	assert_string_equal(s->patterns[1], "b;c");
	lode_signatures_remove(&list, lode_signatures_find(&list, "cpu"));
	assert_null(lode_signatures_find(&list, "cpu"));
	assert_non_null(lode_signatures_find(&list, "slow-path"));
	lode_signatures_release(&list);
}

static void check_bad_file(const char *text, int status, int64_t line, const char *message)
{
	struct lode_signatures list = {0};
	struct lode_error err = {0};

	assert_int_equal(parse(&list, text, &err), status);
	if (err.offset != line || !err.is_line || !strstr(err.message, message) ||
	    strcmp(err.path, "s.txt") != 0)
		fail_msg("expected line %lld '%s', got %s line %lld '%s'", (long long)line, message,
			 err.path, (long long)err.offset, err.message);
	lode_signatures_release(&list);
}

static void faults_of_files_name_their_line(void **state)
{
	(void)state;
	check_bad_file("signature: a\npattern: x\n\nsignature: a\npattern: y\n", LODE_ERR_FORMAT, 4,
		       "signature 'a' already exists");
	check_bad_file("signature: a\n\n", LODE_ERR_FORMAT, 1, "has no pattern");
	check_bad_file("signature: a b\npattern: x\n", LODE_ERR_FORMAT, 1, "contains a blank");
	check_bad_file("signature:\npattern: x\n", LODE_ERR_FORMAT, 1, "needs a name");
	check_bad_file("\n\npattern: x\n", LODE_ERR_FORMAT, 3, "no field signature");
	check_bad_file("signature: a\npatern: x\n", LODE_ERR_FORMAT, 2, "unknown field 'patern'");
	check_bad_file("signature: a\npattern x\n", LODE_ERR_FORMAT, 2, "has no ':'");
	check_bad_file("signature: a\nsignature: b\npattern: x\n", LODE_ERR_FORMAT, 2, "twice");
	check_bad_file("signature: a\npattern: x;;y\n", LODE_ERR_FORMAT, 1, "step 2");
	check_bad_file("signature: a\nkind: wait,nap\npattern: x\n", LODE_ERR_FORMAT, 2,
		       "unknown kind 'nap'; expected one of run, wait, ready");
	check_bad_file("signature: a\nreason: nap\npattern: x\n", LODE_ERR_FORMAT, 2,
		       "unknown wait reason 'nap'; expected one of lock, disk");
	check_bad_file("signature: a\nkind:\npattern: x\n", LODE_ERR_FORMAT, 2, "is empty");
	check_bad_file("signature: a\nstate: open\npattern: x\n", LODE_ERR_FORMAT, 2,
		       "not active or retired");
	check_bad_file("signature: a\ncreated: today\npattern: x\n", LODE_ERR_FORMAT, 2, "created");
	check_bad_file("  x\n", LODE_ERR_FORMAT, 1, "begins with a blank");
	check_bad_file("signature: a\npattern: *\n", LODE_ERR_FORMAT, 1, "every stack");
	check_bad_file("format: lode/signatures/2\n", LODE_ERR_UNSUPPORTED, 1, "newer lode");
	check_bad_file("format: x\n", LODE_ERR_FORMAT, 1, "not lode/signatures/1");
	check_bad_file("signature: a\npattern: x\n\nformat: lode/signatures/1\n", LODE_ERR_FORMAT,
		       4, "before any signature");
}

static void check_same(const struct lode_signatures *a, const struct lode_signatures *b,
		       uint64_t seed)
{
	if (a->list.n != b->list.n)
		fail_msg("seed %llu: %zu and %zu", (unsigned long long)seed, a->list.n, b->list.n);
	for (size_t i = 0; i < a->list.n; i++) {
		const struct lode_signature *p = &a->list.at[i], *q = &b->list.at[i];
		bool same = !strcmp(p->name, q->name) && p->is_retired == q->is_retired &&
			    p->kinds == q->kinds && p->reasons == q->reasons &&
			    !strcmp(p->bug, q->bug) && !strcmp(p->owner, q->owner) &&
			    !strcmp(p->note, q->note) && p->created_s == q->created_s &&
			    p->updated_s == q->updated_s && p->n_patterns == q->n_patterns;

		for (size_t k = 0; same && k < p->n_patterns; k++)
			same = !strcmp(p->patterns[k], q->patterns[k]);
		if (!same)
			fail_msg("seed %llu: signature '%s' is read back otherwise",
				 (unsigned long long)seed, p->name);
	}
}

static void random_text(struct test_random *random, char *buffer, size_t size, bool has_lines)
{
	static const char *const parts[] = {"x", " ",  "..",   ".",  ":", "#",
					    "é", "\\", "word", "\t", "\n"};
	size_t n = test_random_below(random, 9);

	*buffer = '\0';
	for (size_t i = 0; i < n; i++)
		strncat(buffer, parts[test_random_below(random, has_lines ? 11 : 10)],
			size - strlen(buffer) - 1);
}

static void random_signature(struct lode_signatures *list, struct test_random *random, size_t i)
{
	char name[32], bug[64], owner[64], note[64], texts[4][256], part[64];
	const char *patterns[4];
	struct lode_signature s = {.name = name,
				   .bug = bug,
				   .owner = owner,
				   .note = note,
				   .is_retired = test_random_below(random, 2),
				   .kinds = test_random_below(random, 1 << LODE_N_EVENT_KINDS),
				   .reasons = test_random_below(random, 1 << LODE_N_REASONS) & ~1u,
				   .created_s = test_random_below(random, 2000000000),
				   .updated_s = test_random_below(random, 2000000000),
				   .patterns = patterns,
				   .n_patterns = 1 + test_random_below(random, 4)};

	snprintf(name, sizeof(name), "s%u-%zu", test_random_below(random, 1000), i);
	random_text(random, bug, sizeof(bug), false);
	random_text(random, owner, sizeof(owner), false);
	random_text(random, note, sizeof(note), true);
	for (size_t p = 0; p < s.n_patterns; p++) {
		patterns[p] = texts[p];
		texts[p][0] = '\0';
		for (uint32_t n = 1 + test_random_below(random, 12); n > 0; n--) {
			random_name(random, part, sizeof(part));
			for (char *c = part; *c; c++)
				if ((unsigned char)*c < ' ' || *c == 0x7f)
					*c = '_';
			strncat(texts[p], part, sizeof(texts[p]) - strlen(texts[p]) - 2);
			if (n > 1)
				strncat(texts[p], ";", 2);
		}
	}
	lode_signatures_add(list, &s, NULL); /* what is no pattern is not added */
}

static void what_is_written_is_read_back(void **state)
{
	size_t n_signatures = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= TEST_CASES(2000); seed++) {
		struct test_random random = {seed};
		struct lode_signatures list = {0}, back = {0};
		struct lode_error err = {0};
		char *text, *again;
		size_t size, again_size;

		for (size_t i = test_random_below(&random, 6); i > 0; i--)
			random_signature(&list, &random, i);
		n_signatures += list.list.n;
		text = lode_signatures_format(&list, &size);
		if (lode_signatures_parse(&back, "x", text, size, &err) < 0)
			fail_msg("seed %llu: line %lld: %s\n%s", (unsigned long long)seed,
				 (long long)err.offset, err.message, text);
		check_same(&list, &back, seed);
		again = lode_signatures_format(&back, &again_size);
		assert_int_equal(size, again_size);
		assert_memory_equal(text, again, size);
		free(text);
		free(again);
		lode_signatures_release(&list);
		lode_signatures_release(&back);
	}
	assert_true(n_signatures > TEST_CASES(1000)); /* most random patterns are fine */
}

static void lines_of_long_patterns_fit(void **state)
{
	const char *pattern = "pluginhost!config_load_all;pluginhost!config_resolve_include;"
			      "pluginhost!path_canonicalize;[kernel]!vfs_read;→ ph-store;last";
	struct lode_signature s = {.name = "long", .patterns = &pattern, .n_patterns = 1};
	struct lode_signatures list = {0};
	size_t size;
	char *text;

	(void)state;
	assert_int_equal(lode_signatures_add(&list, &s, NULL), 0);
	text = lode_signature_format(&list.list.at[0], &size);
	assert_string_equal(
		text, "signature: long\n"
		      "pattern: pluginhost!config_load_all; "
		      "pluginhost!config_resolve_include;\n"
		      "  pluginhost!path_canonicalize; [kernel]!vfs_read; → ph-store; last\n");
	free(text);
	lode_signatures_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_mean_what_the_header_says),
		cmocka_unit_test(mistakes_in_patterns_are_told),
		cmocka_unit_test(patterns_of_stacks_hold_in_them),
		cmocka_unit_test(stacks_without_names_match_everything),
		cmocka_unit_test(a_file_says_all_fields),
		cmocka_unit_test(faults_of_files_name_their_line),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(lines_of_long_patterns_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
