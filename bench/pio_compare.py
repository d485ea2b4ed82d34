#!/usr/bin/env python3
"""How often lode pio compare names the right service: Sock Shop's faults, and healthy halves.

    bench/pio_compare.py LODE SOCKSHOP    SOCKSHOP/FAULT/RUN/normal.csv.zst, anomalous.csv.zst

Prints, for each run of the faults: service first, its fault's own counter first; and of the normal
times, cut at their middle, the times without a finding.
"""
import glob
import json
import os
import subprocess
import sys


def compare(lode, *options):
    out = subprocess.run([lode, "pio", "compare", "--json", *options], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def main():
    lode, folder = sys.argv[1:]
    runs = {}
    for path in sorted(glob.glob(os.path.join(folder, "*-*", "*", "anomalous.csv.zst"))):
        fault, run = path.split(os.sep)[-3:-1]
        service, counter = fault.rsplit("-", 1)
        normal = path.replace("anomalous", "normal")
        found = compare(lode, "--before", normal, "--after", path)["services"]
        start, end = (compare(lode, "--before", normal, "--after", normal)["before"][k] for k in ("start", "end"))
        half = compare(lode, "--at", str((start + end) // 2 // 10**9), normal)
        is_first = bool(found) and found[0]["service"] == service
        own = is_first and found[0]["counters"][0]["counter"] == counter
        counts = runs.setdefault(run, [0, 0, 0, 0])
        for i, value in enumerate((1, is_first, own, not half["stands_out"])):
            counts[i] += value
        if not (is_first and own) or half["stands_out"]:
            print(fault, run, found[0]["service"] if found else "nothing",
                  found[0]["counters"][0]["counter"] if found else "", "halves differ" if half["stands_out"] else "")
    for run, (n, first, own, nothing) in sorted(runs.items()):
        print(f"run {run}: {n} faults, service first {first}, own counter first {own}; healthy halves: nothing stands out {nothing}")


main()
