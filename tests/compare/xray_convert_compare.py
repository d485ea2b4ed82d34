#!/usr/bin/env python3
"""dump_calls against the yaml that `llvm-xray convert` made of the same log, event by event.

Ticks become nanoseconds as floor(ticks * 10^9 / frequency); the yaml is sorted by time over all
threads, so both are compared per thread, in order. Skipped (77) without the shared recordings.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

SHARED = pathlib.Path(os.environ["LODE_TOP"]) / ".." / "shared" / "traces" / "function" / "xray-small"
# log, program or table with the names
CASES = [
    ("demo-basic", "demo"),
    ("demo-basic5us", "demo"),
    ("demo-basic5us", "symbols.tsv"),
    ("demo-fdr", "demo"),
    ("demo-fdr-tsc", "demo"),
    ("demo-fdr-tsc", "symbols.tsv"),
    ("demo-fdrwrap", "demo"),
]
KINDS = {"function-enter": "enter", "function-exit": "exit", "function-tail-exit": "tail",
         "function-enter-arg": "enter"}
RECORD = re.compile(r"func-id: (\d+), function: (.*), cpu: \d+, thread: (\d+), process: (\d+), "
                    r"kind: ([a-z-]+), tsc: (\d+)")


def expected(path):
    text = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True, text=True).stdout
    frequency = int(re.search(r"cycle-frequency: (\d+)", text).group(1))
    threads = collections.defaultdict(list)
    for line in text.splitlines():
        match = RECORD.search(line)
        if match:
            _, name, tid, pid, kind, tsc = match.groups()
            threads[f"{pid}/{tid}"].append((int(tsc) * 10**9 // frequency, KINDS[kind], name.strip("'")))
    return threads


def found(tool, log, symbols):
    run = subprocess.run([tool, "--symbols", symbols, "--threads", "2", log], check=True,
                         capture_output=True, text=True)
    threads = collections.defaultdict(list)
    for line in run.stdout.splitlines():
        thread, t_ns, kind, name = line.split("\t")
        threads[thread].append((int(t_ns), kind, name))
    return threads


def main():
    tool = sys.argv[1]
    if not SHARED.exists():
        sys.exit(77)
    failures = 0
    for log, symbols in CASES:
        want = expected(SHARED / f"{log}.yaml.zst")
        have = found(tool, SHARED / f"{log}.log.zst", SHARED / symbols)
        # The converter sorts by time and not stably: events of one thread at one time may be swapped.
        same = want.keys() == have.keys() and all(sorted(want[t]) == sorted(have[t]) and
                                                  [e[0] for e in want[t]] == [e[0] for e in have[t]]
                                                  for t in want)
        n = sum(len(events) for events in want.values())
        print(f"{'same' if same else 'DIFFERENT'}: {log} with {symbols}: {n} events of {len(want)} threads")
        if not same or n == 0:
            failures += 1
            for t in sorted(want.keys() | have.keys()):
                pairs = zip(want[t], have[t])
                first = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
                print(f"  {t}: {len(want[t])} and {len(have[t])} events, first difference at {first}",
                      want[t][first - 1:first + 2] if first else "", have[t][first - 1:first + 2] if first else "")
    sys.exit(1 if failures else 0)


main()
