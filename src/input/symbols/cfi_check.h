/*
 * Whether libdw may be given a table of call frame information.
 *
 * libdw makes room for every register that a rule names, whatever its number, and copies all of
 * them at each DW_CFA_remember_state: 20 damaged bytes can ask for gigabytes, at every address. So
 * all entries that libdw can get to are looked through before; a table with one that no machine's
 * compiler makes is not used at all.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>

/* All tables of that file that libdw may choose from: .debug_frame (after dwarf_begin_elf, which
   unpacks it) or .eh_frame with .eh_frame_hdr. O(bytes of the tables). */
bool lode_cfi_is_debug_frame_sound(Elf *elf);
bool lode_cfi_is_eh_frame_sound(Elf *elf);
