/*
 * Secrets on command lines, which must not leave the machine in a bundle. One function hides them
 * in all that is written anywhere: titles.tsv, .command, README.
 *
 *   --password=hunter2    PGPASSWORD=x    Server=x;Pwd=y;    "token": "x"     by name
 *   X-Auth: pw            Authorization: Basic bWU6cHc=                       headers
 *   -psecret    sshpass -p pw    ldapsearch -w pw    curl -u me:pw            by option
 *   scheme://me:pw@host   ?sig=x&token=y                                      in URLs
 *   AKIAIOSFODNN7EXAMPLE  long random texts, wherever they are                by shape
 *
 * Each is replaced by one "*", which does not tell how long it was. Rather too much is hidden than
 * too little; no rule finds all.
 */
#pragma once

#include <stddef.h>

/*
 * Hides what looks like a secret in `size` bytes of arguments, each with a NUL behind it; blanks
 * part words as well. In place: it never gets longer. The size then.
 */
size_t lode_secrets_hide(char *arguments, size_t size);
