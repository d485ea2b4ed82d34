/*
 * Build-ids that a recording lacks, from other recordings of its host.
 *
 *   a.perf.data   db1   /opt/ledgerd   (none)        asks for (db1, /opt/ledgerd)
 *   b.perf.data   db1   /opt/ledgerd   20a8088a...   answers
 *   c.perf.data   db1   /opt/ledgerd   31b7...       and contradicts: then it is unknown
 *
 * Others are read on demand: plain files cost a look at their header, compressed ones must
 * be unpacked whole. Thread-safe; an answer does not depend on who has asked before.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lode_build_ids;

enum lode_build_id_answer {
	LODE_BUILD_ID_UNKNOWN,
	LODE_BUILD_ID_FOUND,
	LODE_BUILD_ID_CONTRADICTED, /* several are known: the file was replaced in between */
};

/* In the order in which they are asked. */
enum lode_lender {
	LODE_LENDER_PLAIN,	  /* all of them, whatever they say */
	LODE_LENDER_PACKED_INPUT, /* compressed inputs of the job: likewise */
	LODE_LENDER_PACKED_OTHER, /* what lies beside these: only until one of them knows the path
				   */
	LODE_N_LENDERS
};

/* Adds what the next recording of this kind says, if anything. False: there are no more. */
typedef bool lode_build_ids_fill(struct lode_build_ids *build_ids, void *context,
				 enum lode_lender lender, size_t next);

struct lode_build_ids *lode_build_ids_new(lode_build_ids_fill *fill, void *context,
					  void (*free_context)(void *context));
void lode_build_ids_free(struct lode_build_ids *build_ids);

/* For `fill`. Ids of more than 20 bytes and ids of zeros are none. */
void lode_build_ids_add(struct lode_build_ids *build_ids, const char *host, const char *path,
			const uint8_t *bytes, size_t size);

enum { LODE_LENT_BUILD_ID_BYTES = 20 };

/* The one build-id that recordings of `host` have for `path`. */
enum lode_build_id_answer lode_build_ids_find(struct lode_build_ids *build_ids, const char *host,
					      const char *path, bool may_unpack,
					      uint8_t bytes[LODE_LENT_BUILD_ID_BYTES],
					      size_t *size);
