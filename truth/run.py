#!/usr/bin/env python3
"""Provokes known faults in real software, records them, and holds what `lode mine` says against the truth.

usage: truth/run.py [--lode PROGRAM] [--keep FOLDER] [--reuse FOLDER] [--slow N] [--healthy N] [--doc] [CASE...]

Each case (a folder of truth/cases) is recorded anew: N slow runs and N of its healthy twin, by `lode record`
as anybody would call it. They are mined with defaults. Truth is what the software's own clocks and statistics
say. Of other tools the same recordings are shown as well (truth/peers.py). --doc writes the table into
docs/truth.md. --keep leaves recordings and truth in a folder, and --reuse scores those of such a folder again.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from case import Case, Failed, Missing
from peers import Profiles
from score import score

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent
PAGE = TOP / "docs" / "truth.md"
MARKS = ("<!-- figures: written by truth/run.py --doc -->\n", "<!-- end of figures -->\n")


def load_case(name, scratch):
    path = HERE / "cases" / name / "case.py"
    spec = importlib.util.spec_from_file_location(f"case_{name.replace('-', '_')}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Fault(path.parent, scratch)


DUMPS = ("--call-graph", "dwarf")


def record(args, case, bundle, slow, options):
    """One run under lode record; gives what the command printed, and what lode did."""
    case.start(slow)
    try:
        time.sleep(0.2)
        done = subprocess.run([args.lode, "record", *args.record, *options, "-o", bundle, "--",
                               *(str(word) for word in case.command(slow))],
                              cwd=case.scratch, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=120, check=False)
    finally:
        case.stop()
    if not bundle.exists() or done.returncode == 4:
        raise Failed(f"lode record: exit {done.returncode}: {done.stderr[-600:]}")
    return done


def options_of(args, case, folder):
    """What lode record itself advises after a first run: stack dumps, where frame pointers are missing."""
    trial = folder / "trial.lode"
    advised = DUMPS if " ".join(DUMPS) in record(args, case, trial, True, ()).stderr else ()
    shutil.rmtree(trial)
    return advised


def record_all(args, case, folder):
    """Slow and healthy runs in turn, so that what drifts meets both; writes what is true of them."""
    case.need()
    case.prepare()
    options = options_of(args, case, folder)
    truth_ns = 0
    for i in range(max(args.slow, args.healthy)):
        if i < args.slow:
            truth_ns += case.truth_ns(record(args, case, folder / f"slow-{i + 1}.lode", True, options).stdout)
        if i < args.healthy:
            record(args, case, folder / f"healthy-{i + 1}.lode", False, options)
    (folder / "truth.json").write_text(json.dumps({"fault_ns": truth_ns, "has_dumps": bool(options)}))


def measure(args, name, folder, scratch):
    started = time.monotonic()
    case = load_case(name, scratch)
    if not args.reuse:
        record_all(args, case, folder)
    if args.only_record:
        print(f"{name:16} recorded in {time.monotonic() - started:.0f} s", flush=True)
        return None
    truth_ns = json.loads((folder / "truth.json").read_text())["fault_ns"]
    slow, healthy = (sorted(str(p) for p in folder.glob(f"{kind}-*.lode")) for kind in ("slow", "healthy"))
    row = {"case": name, "title": case.title, "runtime": case.runtime, "only_trend": case.only_trend,
           **score(args.lode, case, slow, healthy, truth_ns)}
    profiles = Profiles()
    for bundle in slow:
        profiles.read(args.perf, bundle, scratch)
    row["peers"] = profiles.ranks(case.culprit)
    row["seconds"] = time.monotonic() - started
    return row


def percent(row):
    return 100 * row["own_ns"] / row["truth_ns"] if row["own_ns"] and row["truth_ns"] else None


def cell(value, text="{}"):
    return "-" if value is None else text.format(value)


def print_row(row, out=sys.stdout):
    print(f"{row['case']:16} rank {cell(row['rank'])}, first line {'names it' if row['in_first_line'] else 'does not'}, "
          f"own cost {cell(percent(row), '{:.0f} %')} of {row['truth_ns'] / 1e9:.2f} s, "
          f"{row['unnamed_pct']:.1f} % without a name, {row['false_alarms']} false alarms; peers "
          f"{', '.join(cell(p) for p in row['peers'].values())}; {row['seconds']:.0f} s", file=out, flush=True)
    for cluster in row["largest"][:3]:
        print(f"    {cluster['own_ns'] / 1e9:6.2f} s  " + cluster["line"].replace("\n", "\n              "), file=out,
              flush=True)


def table(rows):
    yield "| case | runtime | rank | first line names it | own cost / truth | without a name | false alarms | " \
        "off-CPU flame graph | perf report | CPU flame graph |\n|---|---|---|---|---|---|---|---|---|---|\n"
    for row in rows:
        peers = " | ".join(cell(p) for p in row["peers"].values())
        yield (f"| {row['case']}: {row['title']} | {row['runtime']} | {cell(row['rank'])} | "
               f"{'yes' if row['in_first_line'] else 'no'} | {cell(percent(row), '{:.0f} %')}"
               f"{' (' + row['only_trend'] + ')' if row['only_trend'] else ''} | "
               f"{row['unnamed_pct']:.1f} % | {row['false_alarms']} | {peers} |\n")


def write_page(rows):
    text = PAGE.read_text(encoding="utf-8")
    if any(text.count(mark) != 1 for mark in MARKS):
        sys.exit(f"{PAGE}: expected each of these lines once: {' '.join(MARKS)}")
    before, rest = text.split(MARKS[0])
    PAGE.write_text(before + MARKS[0] + "".join(table(rows)) + MARKS[1] + rest.split(MARKS[1])[1],
                    encoding="utf-8")


def main():
    names = sorted(p.parent.name for p in (HERE / "cases").glob("*/case.py"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lode", type=lambda path: pathlib.Path(path).resolve(), default=TOP / "build" / "release" / "lode")
    parser.add_argument("--perf", default="perf")
    parser.add_argument("--slow", type=int, default=5, help="slow runs of each case")
    parser.add_argument("--healthy", type=int, default=10, help="runs of its healthy twin")
    parser.add_argument("--record", default=[], type=str.split, help="options for lode record")
    parser.add_argument("--keep", type=pathlib.Path, help="folder that the recordings are left in")
    parser.add_argument("--reuse", type=pathlib.Path, help="folder with the recordings of an earlier run")
    parser.add_argument("--only-record", action="store_true", help="with --keep: score later, with --reuse")
    parser.add_argument("--doc", action="store_true", help="write the table into docs/truth.md")
    parser.add_argument("names", nargs="*", metavar="CASE", help=", ".join(names))
    args = parser.parse_args()
    if set(args.names) - set(names):
        parser.error(f"no case named {', '.join(sorted(set(args.names) - set(names)))}")
    rows, failed = [], []
    for name in args.names or names:
        with tempfile.TemporaryDirectory(prefix="lode-truth-") as scratch:
            folder = (args.reuse or args.keep or pathlib.Path(scratch)) / name
            if not args.reuse:
                shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True, exist_ok=True)
            try:
                row = measure(args, name, folder, scratch)
                if row:
                    rows.append(row)
                    print_row(row)
            except Missing as e:
                print(f"{name:16} left out: {e}", flush=True)
            except (Failed, RuntimeError, OSError, subprocess.SubprocessError) as e:
                print(f"{name:16} FAILED: {e}", flush=True)
                failed.append(name)
    if args.only_record:
        return 1 if failed else 0
    named = sum(row["in_first_line"] for row in rows)
    top3 = sum(row["rank"] in (1, 2, 3) for row in rows)
    close = sum(percent(row) is not None and 85 <= percent(row) <= 115 for row in rows)
    print(f"{len(rows)} cases: the first line names the cause in {named}, the first three clusters hold it in {top3}, "
          f"own cost is within 15 % of the truth in {close}")
    if args.doc:
        write_page(rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
