/*
 * Addresses of a uftrace recording -> the sink's functions, by the maps of the session that the
 * thread was in (sid-SID.map) and the symbol files (NAME.sym) that lie beside them. Symbols'
 * addresses are relative to where their module was mapped (absolute in recordings of old versions).
 */
#pragma once

#include "model/calls.h"
#include "input/formats/uftrace/uftrace_tasks.h"

struct lode_uftrace_names;

struct lode_uftrace_names *lode_uftrace_names_new(const char *directory,
						  const struct lode_uftrace_tasks *tasks,
						  bool is_relative, struct lode_call_sink *sink);
void lode_uftrace_names_free(struct lode_uftrace_names *names);

/* The sink's id; addresses that no symbol covers are named by themselves: "0x401819". */
uint32_t lode_uftrace_function(struct lode_uftrace_names *names, uint32_t session,
			       uint64_t address);
/* Is there a symbol at `address`? */
bool lode_uftrace_is_code(struct lode_uftrace_names *names, uint32_t session, uint64_t address);
