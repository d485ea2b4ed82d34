#!/usr/bin/env python3
"""Holds time on a CPU without a sample against programs whose functions time themselves.

usage: check_bursts.py LODE FOLDER [--record]

--record makes the recordings first, two of each program in bursts.c (needs perf, root, a C compiler and 30 s). Prints what
lode says of each function beside what it took, and the sum of the errors as a share of all of it.
"""
import collections
import pathlib
import subprocess
import sys

PROGRAMS = ("pipe", "mixed", "phases")
RUNS = 2
SECONDS = "4"


def record(lode, folder):
    folder.mkdir(exist_ok=True)
    program = folder / "bursts"
    source = pathlib.Path(__file__).with_name("bursts.c")
    subprocess.run(["cc", "-O2", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", program,
                    source, "-lpthread"], check=True)
    for name in PROGRAMS:
        for run in range(1, RUNS + 1):
            bundle = folder / f"{name}-{run}"
            with open(f"{bundle}.truth", "w", encoding="utf-8") as truth:
                subprocess.run([lode, "record", "-o", bundle, "--", program, name, SECONDS], stdout=truth,
                               stderr=subprocess.DEVNULL, check=True)


def costs(lode, bundle):
    """Running time of the workers by innermost function, in ns."""
    out = subprocess.run([lode, "mine", "--symptom", "comm=bursts,threads", "--scope", "thread", "--stacks", "own",
                          "--only", "run", "--folded", bundle], capture_output=True, text=True, check=True)
    found = collections.Counter()
    for line in out.stdout.splitlines():
        stack, cost = line.rsplit(" ", 1)
        frames = [frame.split("!")[-1] for frame in stack.split(";")]
        if "work" in frames:
            found.update({frame: int(cost) for frame in set(frames)})
    return found


def main():
    lode, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if "--record" in sys.argv:
        record(lode, folder)
    for truth in sorted(folder.glob("*.truth")):
        rows = [line.split() for line in truth.read_text(encoding="utf-8").splitlines()]
        took = {name: int(ns) for name, ns in rows if int(ns)}
        found = costs(lode, truth.with_suffix(""))
        error = sum(abs(found[name] - ns) for name, ns in took.items())
        each = ", ".join(f"{name} {found[name] / 1e6:.0f} of {ns / 1e6:.0f} ms" for name, ns in took.items())
        print(f"{truth.stem}: {100 * error / sum(took.values()):.1f} %: {each}")


main()
