/*
 * Secrets on command lines, which must not leave the machine in a bundle.
 *
 *   --password=hunter2   PGPASSWORD=x   -psecret of mysql   scheme://me:pw@host   -u me:pw of curl
 *   --api-key 17           long random texts, wherever they stand
 *
 * Each is replaced by one "*", which does not tell how long it was.
 */
#pragma once

#include <stddef.h>

/*
 * Hides what looks like a secret in `size` bytes of arguments, each with a NUL behind it; blanks
 * part words as well. In place: it never gets longer. The size then.
 */
size_t lode_secrets_hide(char *arguments, size_t size);
