/*
 * A model as a file: JSON, "schema": "lode/pio-model/1" (docs/pio.md), meant to be read by people:
 * when it was trained, on what, every counter's healthy range, every rule and its errors.
 *
 * What is written and read back classifies the same. A file that is none, or of a newer version, is
 * refused with the place of the fault; nothing in it is trusted.
 */
#pragma once

#include <stdio.h>

#include "engine/pio/model.h"

/* Faults of the stream show in ferror(out). */
void lode_pio_model_write(FILE *out, const struct lode_pio_model *model);
/* Any input: compressed, or "-". LIMIT: 512 MB. */
int lode_pio_model_read(struct lode_pio_model *out, const char *path, struct lode_error *err);
