#!/usr/bin/env python3
"""Holds `lode mine` against recordings whose true costs are known.

usage: check_startup.py LODE TRACES.tsv GLOB... [-- LODE_OPTION...]

The table has one row per recording (trace, tid, t0_ns, t1_ns) and one column BUG_ms per planted bug:
what the program itself measured. Every planted bug must be among the top clusters by own cost, with a
function of its own in the common part, at most two clusters to a bug, and within 10 % of the truth.
"""
import csv
import glob
import json
import os
import subprocess
import sys

# Functions that only the bug's own code, or the chain down to its root, has.
OWN = {
    "path": {"path_canonicalize", "path_query_component"},
    "lock": {"session_restore", "session_state_get", "store_checkpoint", "journal_append",
             "journal_flush_all", "journal_flush_segment"},
    "fault": {"resource_index_build", "resource_decode_entry"},
    "crc": {"spellcheck_plugin_init", "checksum_image", "checksum_bitwise"},
    "helper": {"license_check", "helper_read_reply", "helper_serve", "helper_poll_device"},
    "logrot": {"plugin_dump_manifest", "log_reserve", "log_rotate", "log_compress_segment"},
}
# One defect behind three call paths.
PATH_CALLERS = {"config_resolve_include", "theme_find_icon", "plugin_probe"}
# What belongs to programs that have nothing to do with the symptom.
BACKGROUND = ("idx_", "tokenizer_main", "queue_main", "merge_main", "commit_main")
TOP = 8
SKIPPED = 77  # Meson's word for it


def mine(lode, table, files, options):
    command = [lode, "mine", "--json", "--top", "0", "--symptoms", table, *options, *files]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command[:5])} ...: exit {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)


def names(frames):
    return {frame.split("!", 1)[-1] for frame in frames}


def truth(table, files):
    wanted = {os.path.basename(f) for f in files}
    with open(table, newline="", encoding="utf-8") as f:
        rows = [r for r in csv.DictReader(f, delimiter="\t") if r["trace"] in wanted]
    if len(rows) != len(wanted):
        sys.exit(f"{table} has {len(rows)} of the {len(wanted)} recordings")
    ms = {b: sum(float(r[b + "_ms"]) for r in rows) for b in OWN}
    return ms, sum(int(r["t1_ns"]) - int(r["t0_ns"]) for r in rows)


def main():
    args = sys.argv[1:]
    options = []
    if "--" in args:
        options = args[args.index("--") + 1:]
        args = args[:args.index("--")]
    lode, table = args[0], args[1]
    files = sorted(f for pattern in args[2:] for f in glob.glob(pattern))
    if not files:
        print("no such recordings here: skipped")
        return SKIPPED
    ms, symptom_ns = truth(table, files)
    doc = mine(lode, table, files, options)
    failures = []

    def check(good, text):
        if not good:
            failures.append(text)

    own = sum(c["own_ns"] for c in doc["clusters"])
    check(doc["symptom_ns"] == symptom_ns, f"symptom_ns {doc['symptom_ns']}, truth {symptom_ns}")
    check(own + doc["other_ns"] + doc["recording_ns"] == symptom_ns,
          f"own {own} + other {doc['other_ns']} + recording {doc['recording_ns']} is not the symptoms' {symptom_ns}")
    check(doc["recording_ns"] <= 0.001 * symptom_ns, f"recording took {doc['recording_ns'] / symptom_ns:.2%}")
    by_bug = {b: [] for b in OWN}
    for c in doc["clusters"]:
        common = names(c["common"])
        for bug, functions in OWN.items():
            if common & functions:
                by_bug[bug].append(c)
                break
    print(f"{'bug':8} {'truth ms':>10} {'own ms':>10} {'share':>7}  clusters (rank: own ms)")
    for bug, clusters in by_bug.items():
        clusters.sort(key=lambda c: -c["own_ns"])
        top = [c for c in clusters if c["rank"] <= TOP]
        two = sum(c["own_ns"] for c in clusters[:2]) / 1e6
        share = two / ms[bug] if ms[bug] else 0
        print(f"{bug:8} {ms[bug]:10.1f} {two:10.1f} {share:7.1%}  " +
              ", ".join(f"{c['rank']}: {c['own_ns'] / 1e6:.0f}" for c in clusters))
        if not ms[bug]:
            continue
        check(top, f"{bug}: not among the top {TOP}")
        check(abs(share - 1) <= 0.10, f"{bug}: own cost is {share:.1%} of the truth")
        if bug == "path":
            found = set().union(*(names(p["functions"]) for p in clusters[0]["patterns"]))
            check(PATH_CALLERS <= found, f"path: its three callers are not one cluster: "
                  f"{PATH_CALLERS - found} missing from the first")
    for c in doc["clusters"][:TOP]:
        intruders = [f for f in names(c["common"]) if f.startswith(BACKGROUND)]
        check(not intruders, f"cluster {c['rank']} is background work: {intruders}")
    print(f"clusters {len(doc['clusters'])}, patterns {doc['patterns']}, rounds {doc['rounds']}, "
          f"other {doc['other_ns'] / symptom_ns:.1%}")
    for text in failures:
        print("FAILED", text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
