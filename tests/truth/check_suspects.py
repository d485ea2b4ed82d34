#!/usr/bin/env python3
"""Holds `lode suspects` against recordings whose cause is known: GNU ls with and without colours.

usage: check_suspects.py LODE FOLDER

FOLDER has the recordings of the third case of the PASD paper and symbols.tar.zst. With colours, ls asks for
the status of every entry: the calls that do are among the top 15 % by Increase; against a run without colours,
ls's own functions that ask come before all others of ls, and are named as the callers.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77  # Meson's word for it
STATUS = {"fstatat", "statx", "lstat", "__GI___fstatat64"}
# Those that are there for the colours: they ask for the status, read links, or print what came of it.
COLOUR = {"do_lstat", "stat_for_mode", "get_link_name", "areadlink_with_size", "make_link_name", "gobble_file",
          "print_color_indicator", "put_indicator", "print_name_with_quoting", "quote_name",
          "print_file_name_and_frills", "signal_setup", "signal_init", "signal_restore", "parse_ls_color"}
OTHERS = {"main", "print_dir", "print_current_files", "print_many_per_line", "dired_outbuf", "dired_outstring",
          "queue_directory", "extract_dirs_from_files", "sort_files", "free_pending_ent", "xmalloc", "xstrdup"}
failures = []


def check(good, text):
    if not good:
        failures.append(text)


def suspects(lode, symbols, *arguments):
    command = [lode, "suspects", "--json", "--top", "0", "--buildid-dir", symbols, *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)


def check_increase(document, name):
    functions = document["functions"]
    cut = math.ceil(0.15 * len(functions))
    ranks = [f["rank"] for f in functions if f["function"] in STATUS]
    print(f"{name}: {len(functions)} functions, status calls at rank {ranks}, the cut is {cut}")
    check(ranks and min(ranks) <= cut, f"{name}: no status call among the top 15 %")
    for f in functions:
        d, o = f["d_failed"] + f["d_success"], f["o_failed"] + f["o_success"]
        want = (f["d_failed"] / d if d else 0) - (f["o_failed"] / o if o else 0)
        check(abs(f["increase"] - want) < 1e-12, f"{name}: Increase of {f['function']}")
    order = [(-f["increase"], -f["o_failed"], f["function"], f["module"]) for f in functions]
    check(order == sorted(order), f"{name}: not ranked by Increase, O-Failed, name")


def check_versus(document):
    rank = {f["function"]: f["rank"] for f in document["functions"] if f["module"] == "ls"}
    asking = {"do_lstat", "stat_for_mode", "get_link_name", "print_color_indicator"}
    print("two sets:", {name: rank.get(name) for name in sorted(asking | {"gobble_file", "main"})})
    check(asking <= set(rank), f"{asking - set(rank)} are not there")
    last = max(rank[name] for name in asking)
    for name, r in rank.items():
        check(r > last or name in COLOUR, f"{name} comes before what asks for the status")
    for name in OTHERS & set(rank):
        check(rank[name] > last, f"{name} comes before what asks for the status")
    named = {caller.split("!")[-1] for c in document["contrasts"]
             if c["function"] == "fstatat" and c["q"] < 1e-9 for caller in c["callers"]}
    print("two sets: callers of fstatat that separate both:", sorted(named))
    check({"do_lstat", "stat_for_mode"} <= named, "the contrast does not name do_lstat and stat_for_mode")


def main():
    lode, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if not (folder / "symbols.tar.zst").exists():
        print("no such recordings here: skipped")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="lode-truth-") as symbols:
        subprocess.run(["tar", "--zstd", "-xf", folder / "symbols.tar.zst", "-C", symbols], check=True)
        for name in ("ls-01-color-cold", "ls-02-color-warm", "ls-04-color-cold-glibc"):
            check_increase(suspects(lode, symbols, "--sort", "increase", folder / f"{name}.perf.data.zst"), name)
        check_versus(suspects(lode, symbols, "--sort", "excess", folder / "ls-01-color-cold.perf.data.zst", "--versus",
                              folder / "ls-03-never-cold.perf.data.zst"))
    for text in failures:
        print("FAILED", text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
