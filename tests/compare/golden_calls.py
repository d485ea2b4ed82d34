#!/usr/bin/env python3
"""Small real function traces (tests/golden/) against what their recorders' own tools said of them.

NAME.expected has one line per event, as dump_calls prints them: written from the output of
`llvm-xray convert --output-format=yaml` and of `uftrace dump`, and from the JSON by Python's parser.
Threads may come in any order.
"""
import os
import pathlib
import subprocess
import sys

GOLDEN = pathlib.Path(os.environ["LODE_TOP"]) / "tests" / "golden"
# trace, expected, options
CASES = [
    ("xray/fdr5.log", "xray/fdr5.expected", ["--symbols", GOLDEN / "xray" / "symbols.tsv"]),
    ("xray/basic3.log", "xray/basic3.expected", ["--symbols", GOLDEN / "xray" / "symbols.tsv"]),
    ("uftrace/data", "uftrace/data.expected", []),
    ("chrome/uftrace.json", "chrome/uftrace.expected", []),
]


def by_thread(text):
    threads = {}
    for line in text.splitlines():
        threads.setdefault(line.split("\t")[0], []).append(line)
    return threads


def main():
    failures = 0
    for trace, expected, options in CASES:
        run = subprocess.run([sys.argv[1], *options, GOLDEN / trace], capture_output=True, text=True, check=False)
        have = by_thread(run.stdout)
        want = by_thread((GOLDEN / expected).read_text(encoding="utf-8"))
        same = run.returncode == 0 and have == want
        print(f"{'same' if same else 'DIFFERENT'}: {trace}, {sum(map(len, want.values()))} events; {run.stderr.strip()}")
        for thread in sorted(want.keys() | have.keys()) if not same else []:
            a, b = want.get(thread, []), have.get(thread, [])
            pairs = [(x, y) for x, y in zip(a, b) if x != y]
            print(f"  {thread}: {len(a)} and {len(b)} events, first difference {pairs[:1]}")
        failures += not same
    sys.exit(1 if failures else 0)


main()
