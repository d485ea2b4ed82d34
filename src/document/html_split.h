/*
 * A report in two: what its page shows at once, and the rest, which is unpacked when one asks for
 * it.
 *
 *   {"streams": 9, "clusters": [{"id": 1, "flame": ..}, {"id": 2, "flame": ..}], "frames": [..]}
 *
 *   light   {"streams": 9, "clusters": [{"id": 1}, {"id": 2}]}
 *   rest    line 0  "frames": [..]         members of the document
 *           line 1  "flame": ..            members of its first item
 *           line 2  "flame": ..            ...
 *
 * A thousand clusters are a second of unpacking and parsing, their list is a tenth of that; of the
 * rest one looks at a cluster now and then. Texts are put apart and together again as they are; no
 * number is read. Only the order of an object's members changes: those of the rest come last.
 */
#pragma once

#include "base/mem.h"

struct lode_html_text {
	LODE_VEC(char) bytes;
};

struct lode_html_split {
	struct lode_html_text light;
	struct lode_html_text rest; /* lines; a '\n' ends each */
	LODE_VEC(size_t) lines;	    /* where they begin in `rest` */
};

/*
 * Splits a document of this schema, on one line. False: there is nothing to set apart, or the text
 * is no sound JSON object; `out` is then empty. To release in either case.
 */
bool lode_html_split(struct lode_html_split *out, const char *schema, const char *json, size_t n);
void lode_html_split_release(struct lode_html_split *split);

/*
 * Puts together what lode_html_split parted: `rest` has rest_bytes, all of its lines. False: the
 * two do not belong together, or one of them is not as it was written; `out` is then of no use.
 */
bool lode_html_join(struct lode_html_text *out, const char *schema, const char *light,
		    size_t light_bytes, const char *rest, size_t rest_bytes);
