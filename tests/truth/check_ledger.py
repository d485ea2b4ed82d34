#!/usr/bin/env python3
"""Holds `lode mine` against recordings of a driver on SQLite whose true costs are known.

usage: check_ledger.py LODE TRACES.tsv GLOB...

All seven planted bugs end in the same library. Each must have one cluster among the top ten that goes
by a function of its own, in the line that people read, and that costs what the program itself
measured. `busy` is the waiting for another thread's lock alone: what the program measured holds the
commit after it as well, which is no part of the fault.
"""
import csv
import glob
import os
import sys

from check_startup import SKIPPED, mine, names

OWN = {
    "busy": "ledger_busy_backoff",
    "pool": "pool_acquire",
    "autoc": "statement_post_entries",
    "scan": "statement_find_history",
    "collate": "ledger_collate_names",
    "cold": "statement_load_documents",
    "metrics": "metrics_count",
}
TOP = 10
AT_LEAST = {"busy": 0.6}


def main():
    lode, table = sys.argv[1:3]
    files = sorted(f for pattern in sys.argv[3:] for f in glob.glob(pattern))
    if not files:
        print("no such recordings here: skipped")
        return SKIPPED
    wanted = {os.path.basename(f) for f in files}
    with open(table, newline="", encoding="utf-8") as f:
        rows = [r for r in csv.DictReader(f, delimiter="\t") if r["trace"] in wanted]
    doc = mine(lode, table, files, [])
    failures = []
    print(f"{'bug':8} {'truth ms':>10} {'own ms':>10} {'share':>7}  rank")
    for bug, function in OWN.items():
        ms = sum(float(r[bug + "_ms"]) for r in rows)
        its = [c for c in doc["clusters"] if c["rank"] <= TOP and c["own_ns"] > 0.02e6 * ms and
               function in names(f for hop in c["headline"] for f in hop["functions"])]
        own = its[0]["own_ns"] / 1e6 if its else 0
        print(f"{bug:8} {ms:10.1f} {own:10.1f} {own / ms:7.1%}  {[c['rank'] for c in its]}")
        if len([c for c in its if c["own_ns"] > 0.05e6 * ms]) != 1:
            failures.append(f"{bug}: {len(its)} clusters among the top {TOP}")
        if not AT_LEAST.get(bug, 0.85) <= own / ms <= 1.15:
            failures.append(f"{bug}: own cost is {own / ms:.1%} of the truth")
    for text in failures:
        print("FAILED", text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
