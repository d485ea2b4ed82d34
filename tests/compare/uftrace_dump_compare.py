#!/usr/bin/env python3
"""dump_calls against `uftrace dump` on the same directory, event by event.

uftrace's raw dump lists every record of every file; its scheduler events (which follow in sections
of their own, one per CPU) are merged here by time into their thread: between the thread's first and
last function record, out of the CPU enters linux:schedule and back on it leaves. Skipped (77) where
uftrace or the shared recordings are not there.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SHARED = pathlib.Path(os.environ["LODE_TOP"]) / ".." / "shared" / "traces" / "function" / "uftrace-small"
RECORD = re.compile(r"^(\d+)\.(\d{9})\s+(\d+): \[(entry|exit |event|lost )\] (.*)\(([0-9a-f]+)\)(?: depth: \d+)?$")


def expected(directory):
    text = subprocess.run(["uftrace", "dump", "-d", directory], check=True, capture_output=True, text=True).stdout
    functions, switches = collections.defaultdict(list), collections.defaultdict(list)
    for line in text.splitlines():
        match = RECORD.match(line)
        if not match:
            continue
        s, ns, tid, kind, name, _ = match.groups()
        t = int(s) * 10**9 + int(ns)
        if kind in ("entry", "exit "):
            functions[tid].append((t, "enter" if kind == "entry" else "exit", name))
        elif name.startswith("linux:sched-"):
            switches[tid].append((t, name))
    merged = {}
    for tid, events in functions.items():
        first, last = events[0][0], events[-1][0]
        all_events = [(t, 1, "f", e) for t, *e in events]
        all_events += [(t, 2, "s", name) for t, name in sorted(switches[tid]) if first <= t < last]
        out, left_as = [], "linux:schedule"
        for t, _, source, what in sorted(all_events, key=lambda e: e[:2]):
            if source == "f":
                out.append((t, *what))
            elif what == "linux:sched-in":
                out.append((t, "exit", left_as))
                left_as = "linux:schedule"
            else:
                left_as = "linux:schedule" + (" (pre-empted)" if "pre-empted" in what else "")
                out.append((t, "enter", left_as))
        merged[tid] = out
    return merged


def found(tool, directory):
    text = subprocess.run([tool, directory], check=True, capture_output=True, text=True).stdout
    threads = collections.defaultdict(list)
    for line in text.splitlines():
        thread, t_ns, kind, name = line.split("\t")
        threads[thread.split("/")[1]].append((int(t_ns), kind, name))
    return threads


def main():
    tool = sys.argv[1]
    if not SHARED.exists() or not shutil.which("uftrace"):
        sys.exit(77)
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("uftrace.data.pg", "uftrace.data.if"):
            subprocess.run(["tar", "--zstd", "-xf", SHARED / f"{name}.tar.zst", "-C", scratch], check=True)
            directory = os.path.join(scratch, name)
            want, have = expected(directory), found(tool, directory)
            n = sum(len(events) for events in want.values())
            same = want == have and n > 40000
            print(f"{'same' if same else 'DIFFERENT'}: {name}: {n} events of {len(want)} threads")
            if not same:
                failures += 1
                for tid in sorted(want.keys() | have.keys()):
                    a, b = want.get(tid, []), have.get(tid, [])
                    first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), None)
                    print(f"  {tid}: {len(a)} and {len(b)} events, first difference at {first}",
                          a[first - 1:first + 2] if first else "", b[first - 1:first + 2] if first else "")
    sys.exit(1 if failures else 0)


main()
