#!/usr/bin/env python3
"""How often lode pio names the right service and counter: Sock Shop's faults, and healthy halves.

    bench/pio_compare.py LODE SOCKSHOP    SOCKSHOP/FAULT/RUN/normal.csv.zst, anomalous.csv.zst

Prints, for each run of the faults: service first, its fault's own counter first; and of the normal
times, cut at their middle, the times without a finding. First by lode pio compare, then by a model
trained on the normal time (or its first half).
"""
import glob
import json
import os
import subprocess
import sys
import tempfile


def compare(lode, *options):
    out = subprocess.run([lode, "pio", "compare", "--json", *options], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def halves(folder, normal):
    """The normal time in two files."""
    lines = subprocess.run(["zstdcat", normal], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines(True)
    paths = [os.path.join(folder, name) for name in ("first.csv", "second.csv")]
    for path, rows in zip(paths, (lines[1:len(lines) // 2], lines[len(lines) // 2:])):
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(lines[:1] + rows)
    return paths


def trained(lode, normal, analysed):
    """The longest period, as compare's services; none: there is no period."""
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        for command in (["train", "-c", normal, "-o", model], ["analyse", "-m", model, "-c", analysed, "--json"]):
            out = subprocess.run([lode, "pio", *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    periods = json.loads(out)["periods"]
    if not periods:
        return []
    longest = max(periods, key=lambda p: p["duration_ns"])
    server = longest["servers"][0]["server"]
    return [{"service": server, "counters": [c for c in longest["counters"] if c["server"] == server]}]


def by_compare(lode, normal, anomalous):
    times = compare(lode, "--before", normal, "--after", normal)["before"]
    middle = (times["start"] + times["end"]) // 2 // 10**9
    return compare(lode, "--before", normal, "--after", anomalous)["services"], compare(lode, "--at", str(middle), normal)["services"]


def by_model(lode, normal, anomalous):
    with tempfile.TemporaryDirectory() as folder:
        return trained(lode, normal, anomalous), trained(lode, *halves(folder, normal))


def measure(lode, folder, how):
    runs = {}
    for path in sorted(glob.glob(os.path.join(folder, "*-*", "*", "anomalous.csv.zst"))):
        fault, run = path.split(os.sep)[-3:-1]
        service, counter = fault.rsplit("-", 1)
        found, half = how(lode, path.replace("anomalous", "normal"), path)
        is_first = bool(found) and found[0]["service"] == service
        own = is_first and found[0]["counters"][0]["counter"] == counter
        counts = runs.setdefault(run, [0, 0, 0, 0])
        for i, value in enumerate((1, is_first, own, not half)):
            counts[i] += value
        if not (is_first and own) or half:
            print(fault, run, found[0]["service"] if found else "nothing",
                  found[0]["counters"][0]["counter"] if found else "", "halves differ" if half else "")
    for run, (n, first, own, nothing) in sorted(runs.items()):
        print(f"run {run}: {n} faults, service first {first}, own counter first {own}; healthy halves: nothing stands out {nothing}")


def main():
    for name, how in (("compare", by_compare), ("trained", by_model)):
        print(name)
        measure(*sys.argv[1:], how)


main()
