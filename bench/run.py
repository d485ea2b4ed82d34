#!/usr/bin/env python3
"""Measures lode against its peers: same input, same run, whole processes, medians and ratios.

usage: bench/run.py [--build DIR] [--runs N] [--size MB] [--quick] [--doc] [NAME...]

NAMEs choose benches; without any: all but `growth` (plots how cost grows, into docs/performance/),
`record` (throughput of programs while this machine is recorded; needs root) and `large` (21 million
callstacks: 8 GB of disk for a while, some minutes; and all benches whose names end in -large, of which
`fleet-large` is a million digests: 12 GB of disk, half an hour of CPU time).
Generated
inputs are kept in DIR/bench-data, except those of `large`; recordings come from ../shared, or from
$LODE_SHARED. Benches whose inputs or programs are missing are reported and skipped. Each result is a
printed line, and a JSON line in DIR/bench.json, which keeps the last result of each bench. --doc
writes all of these into the table of docs/performance.md; NAME `none` measures nothing. --quick runs
every bench, those on request as well, once on a small input, to check in some minutes that they work;
its figures mean nothing and go into DIR/bench-quick.json.
"""
import argparse
import importlib
import os
import subprocess
import sys
import time

from harness import TOP, Bench
from measure import Failed, Missing, TooSlow, machine

# bench_<name>.py each; this order is that of the table.
MODULES = ("decode", "startup", "digest", "repo", "fleet", "dask", "miner", "clusters", "suspects", "timeline", "pio", "ripper",
           "sign", "diff", "pages", "serve", "growth", "record")

PAGE = os.path.join(TOP, "docs", "performance.md")
MARKS = ("<!-- figures: written by bench/run.py --doc -->\n", "<!-- end of figures -->\n")


def load_benches():
    """Name -> function of all benches, in the order of the table; and which run on request only."""
    benches, on_request = {}, set()
    for name in MODULES:
        module = importlib.import_module("bench_" + name)
        benches.update(module.BENCHES)
        on_request |= getattr(module, "ON_REQUEST", set())
    return benches, on_request


def cell(text):
    return " ".join(str(text).replace("|", "\\|").split())


def write_page(rows):
    """Puts the figures between the marks of docs/performance.md."""
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    if any(text.count(mark) != 1 for mark in MARKS):
        sys.exit(f"{PAGE}: expected each of these lines once: {' '.join(MARKS)}")
    before, rest = text.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    table = []
    if rows:
        loads = [r["load"] for r in rows]
        table = [f"{machine()}; load average while measuring {min(loads):.1f} to {max(loads):.1f}.\n\n",
                 "| bench | input | figures |\n|---|---|---|\n"]
        table += [f"| {cell(r['bench'])} | {cell(r['name'])} | {cell(r['text'])} |\n" for r in rows]
    with open(PAGE + ".part", "w", encoding="utf-8") as f:
        f.write(before + MARKS[0] + "".join(table) + MARKS[1] + after)
    os.rename(PAGE + ".part", PAGE)


def main():
    benches, on_request = load_benches()
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(TOP, "build", "bench"))
    parser.add_argument("--runs", type=int, default=5, help="runs of each command (medians)")
    parser.add_argument("--size", type=int, default=600, help="MB of the generated recording")
    parser.add_argument("--quick", action="store_true", help="small inputs: do the benches work?")
    parser.add_argument("--doc", action="store_true", help="write docs/performance.md's table")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join([*benches, "none"]))
    args = parser.parse_args()
    if "large" in args.names:
        args.names += [name for name in benches if name.endswith("-large")]
    unknown = set(args.names) - set(benches) - {"none"}
    if unknown:
        parser.error(f"no bench named {', '.join(sorted(unknown))}")
    if args.quick and args.doc:
        parser.error("--quick measures nothing that --doc could write")
    if args.quick and not args.names:
        on_request = set()
    bench = Bench(args.build, max(1, args.runs), args.size, args.quick)
    failed = []
    for name, function in benches.items():
        if name not in args.names and (args.names or name in on_request):
            continue
        start = time.monotonic()
        try:
            function(bench)
        except (Missing, TooSlow) as e:
            print(f"{name:9} stops here: {e}", flush=True)
        except (Failed, OSError, subprocess.CalledProcessError) as e:
            print(f"{name:9} FAILED: {e}", flush=True)
            failed.append(name)
        finally:  # also what was measured before an interrupt
            bench.save(list(benches))
        print(f"{name:9} took {time.monotonic() - start:.0f} s", flush=True)
    if args.doc:
        write_page(bench.save(list(benches)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
