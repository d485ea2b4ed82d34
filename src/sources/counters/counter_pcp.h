/*
 * Archives of Performance Co-Pilot (pmlogger's), through libpcp; docs/formats/counters.md.
 *
 *   20261121.meta  20261121.index  20261121.0 ...     one archive; any of its files names it
 *
 * Inside of sources/counters only.
 */
#ifndef LODE_COUNTER_PCP_H
#define LODE_COUNTER_PCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lode_counter_reader;

/* First bytes of any file of an archive; of its metadata, of which each archive has one. */
bool lode_counter_is_pcp(const uint8_t *head, size_t size);
bool lode_counter_is_pcp_meta(const uint8_t *head, size_t size);

/* Reads the archive that reader->path is a file of; LODE_ERR_UNSUPPORTED when lode was built
   without libpcp. */
int lode_counter_read_pcp(struct lode_counter_reader *reader, struct lode_error *err);

#endif
