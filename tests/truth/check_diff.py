#!/usr/bin/env python3
"""Holds `lode diff` against recordings of which it is known which bugs were on.

usage: check_diff.py [--splits N] LODE TRACES.tsv GLOB... [-- LODE_OPTION...]

The table has one row per recording (trace, tid, t0_ns, t1_ns, bugs). For each planted bug, runs with
it are compared with runs without it: the first cluster must be new, and hold a function of the bug's
own. And N times (default 200), recordings of one condition are parted in two at random: all of them,
or those with one bug on. Nothing changed between the halves; the share of comparisons in which
anything is called a change must stay under the level, 5 %.
"""
import argparse
import csv
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

from check_startup import OWN, SKIPPED, names

LEVEL = 0.05


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command[:6])} ...: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def diff(lode, a, b, *options):
    sets = [arg for f in a for arg in ("-a", f)] + [arg for f in b for arg in ("-b", f)]
    return json.loads(run([lode, "diff", "--json", *options, *sets]))


def digests_of(lode, table, files, options, folder):
    """Name of the recording -> its digest: the recordings are read once."""
    run([lode, "digest", "-o", folder, "--symptoms", table, *options, *files])
    made = {}
    for path in glob.glob(os.path.join(folder, "*.digest")):
        made[os.path.basename(path).rsplit("-", 1)[0]] = path
    return made


def check_bugs(lode, bugs, digests, fail):
    print(f"{'bug':8} {'off':>4} {'on':>4}  first: class, A and B per symptom, adjusted p")
    for bug, functions in OWN.items():
        with_it = sorted(d for name, d in digests.items() if bug in bugs[name])
        without = sorted(d for name, d in digests.items() if bug not in bugs[name])
        for a, b, wanted in ((without, with_it, "new"), (with_it, without, "gone")):
            first = diff(lode, a, b)["clusters"][0]
            if wanted == "new":
                print(f"{bug:8} {len(a):4} {len(b):4}  {first['class']:5}"
                      f"{first['a']['per_symptom_ns'] / 1e6:8.1f} ms"
                      f"{first['b']['per_symptom_ns'] / 1e6:8.1f} ms {first['p_adjusted']:8.4f}")
            if first["class"] != wanted or not names(first["common"]) & functions:
                fail(f"{bug}: first is {first['class']}: {first['common']}, wanted {wanted}")


def check_halves(lode, bugs, digests, n_splits, fail):
    conditions = {"any": sorted(digests)}
    for bug in OWN:
        conditions[bug] = sorted(name for name in digests if bug in bugs[name])
    called, done = [], 0
    for i in range(n_splits):
        random.seed(i)
        # Half of the splits are of all recordings, the others of those with one bug.
        condition = "any" if i % 2 == 0 else list(OWN)[i // 2 % len(OWN)]
        streams = conditions[condition][:]
        random.shuffle(streams)
        half = len(streams) // 2
        doc = diff(lode, [digests[s] for s in streams[:half]], [digests[s] for s in streams[half:]])
        done += 1
        if doc["counts"]["same"] != sum(doc["counts"].values()):
            called.append(f"seed {i}, {condition}: " + ", ".join(
                f"{c['class']} {c['common'][-1]} p {c['p_adjusted']:.3f}"
                for c in doc["clusters"] if c["class"] != "same"))
    for text in called:
        print("called a change:", text)
    print(f"{len(called)} of {done} comparisons of like with like call anything a change "
          f"({len(called) / max(done, 1):.1%}; level {LEVEL:.0%})")
    # Of a few comparisons one may be wrong at any level.
    if len(called) > max(1, LEVEL * done):
        fail(f"{len(called)} of {done} comparisons of like with like call something a change")


def main():
    args = sys.argv[1:]
    options = []
    if "--" in args:
        options = args[args.index("--") + 1:]
        args = args[:args.index("--")]
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("lode")
    parser.add_argument("table")
    parser.add_argument("recordings", nargs="+")
    args = parser.parse_args(args)
    files = sorted(f for pattern in args.recordings for f in glob.glob(pattern))
    if not files:
        print("no such recordings here: skipped")
        return SKIPPED
    with open(args.table, newline="", encoding="utf-8") as f:
        bugs = {r["trace"]: r["bugs"].split(",") for r in csv.DictReader(f, delimiter="\t")}
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        digests = digests_of(args.lode, args.table, files, options, folder)
        if len(digests) != len(files):
            sys.exit(f"{len(digests)} digests of {len(files)} recordings")
        check_bugs(args.lode, bugs, digests, failures.append)
        check_halves(args.lode, bugs, digests, args.splits, failures.append)
    for text in failures:
        print("FAILED", text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
