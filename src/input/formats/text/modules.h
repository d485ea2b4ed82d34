/*
 * What lode_stream.modules says for formats that carry names: how many frames of each module have
 * no symbol, and how much cost stands on them.
 */
#pragma once

struct lode_stream;

/* Fills stream->modules from the finished stream's frames and events; `symbols` is said of each. */
void lode_text_modules(struct lode_stream *stream, const char *symbols);
