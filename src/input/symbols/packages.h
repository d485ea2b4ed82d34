/*
 * Which package has the symbols of a program that this machine's distribution stripped.
 *
 * Debian and its kin list the files of each installed package in /var/lib/dpkg/info/PACKAGE.list;
 * the symbols of PACKAGE's programs are in PACKAGE-dbgsym.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the name of the debug symbols' package of the installed file `path`. False: no package has
 * it, or this is no such system. `root` stands before /var/lib/dpkg; "" is this machine.
 */
bool lode_debug_package(char *package, size_t size, const char *root, const char *path);
