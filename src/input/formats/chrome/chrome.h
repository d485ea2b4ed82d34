/*
 * Chrome's (Catapult's) trace events in JSON: B and E, X; names of threads and processes.
 */
#pragma once

#include "input/call_source.h"

extern const struct lode_format lode_format_chrome;
