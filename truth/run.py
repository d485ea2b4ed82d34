#!/usr/bin/env python3
"""Provokes known faults in real software, records them, and holds what `lode mine` says against the truth.

usage: truth/run.py [--lode PROGRAM] [--keep FOLDER [--resume]] [--reuse FOLDER] [--slow N] [--healthy N] [--doc] [CASE...]

Each case (a folder of truth/cases) is recorded again: N slow runs and N of its healthy twin, by a plain `lode record`. They are mined with defaults. Truth is what the software's own clocks and statistics
say. Of other tools the same recordings are shown as well (truth/peers.py). --doc writes the table into
docs/truth.md, after each case. A case that fails is tried once more when the others are done; it costs the
others nothing. --keep leaves recordings, truth and scores in a folder; with --resume a run that was interrupted
goes on there. --reuse scores the recordings of such a folder again.
"""
import argparse
import hashlib
import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import peers
from case import Failed, Missing
from page import cell, counts, percent, write_page
from runs import adopt_orphans, end_children, is_recorded, need_tracefs, record_all, within
from score import score

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent


def load_case(name, scratch):
    path = HERE / "cases" / name / "case.py"
    spec = importlib.util.spec_from_file_location(f"case_{name.replace('-', '_')}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Fault(path.parent, scratch)


def measure(args, name, folder, scratch):
    """Records a case, unless that was done, and scores it; None with --only-record."""
    load = os.getloadavg()[0]
    case = load_case(name, scratch)
    if not args.reuse and not (args.resume and is_recorded(folder, args)):
        try:
            record_all(args, case, folder)
        finally:
            case.stop()
    truth, started = json.loads((folder / "truth.json").read_text()), time.monotonic()
    if args.only_record:
        print(f"{name:16} recorded in {truth['seconds']:.0f} s", flush=True)
        return None
    slow, healthy, trial = (sorted(str(p) for p in folder.glob(f"{kind}.lode")) for kind in ("slow-*", "healthy-*", "trial"))
    return {"case": name, "title": case.title, "runtime": case.runtime, "lode": args.lode_hash,
            "recorded": truth.get("recorded", folder.stat().st_mtime), "load": load,
            "dumps": truth.get("dumps"), "runs": truth["slow"] + truth["healthy"],
            **score(args.lode, case, slow, healthy, truth["fault_ns"], scratch),
            "peers": peers.ranks(args.perf, slow, trial, case.culprit),
            "seconds": truth.get("seconds", 0) + time.monotonic() - started}


def kept_score(args, folder):
    """What an earlier run found with the same program, or None."""
    if not args.resume or not is_recorded(folder, args):
        return None
    try:
        row = json.loads((folder / "score.json").read_text())
    except (OSError, ValueError):
        return None
    return row if row["lode"] == args.lode_hash else None


def run_case(args, name):
    """The row of a case, with "failed" if it did; None with --only-record. Nothing that it started is left."""
    with tempfile.TemporaryDirectory(prefix="lode-truth-", ignore_cleanup_errors=True) as scratch:
        folder = (args.reuse or args.keep or pathlib.Path(scratch) / "runs") / name
        row = kept_score(args, folder)
        if row:
            return row
        try:
            with within(args.seconds):
                row = measure(args, name, folder, scratch)
            if row:
                (folder / "score.json").write_text(json.dumps(row))
            return row
        except Missing as e:
            return failure(name, scratch, f"{e}", True)
        except (Failed, RuntimeError, OSError, ValueError, KeyError, LookupError, subprocess.SubprocessError) as e:
            return failure(name, scratch, f"{type(e).__name__}: {e}", False)
        finally:
            end_children()


def failure(name, scratch, why, is_missing):
    case = load_case(name, scratch)
    return {"case": name, "title": case.title, "runtime": case.runtime, "failed": why, "is_missing": is_missing}


def print_row(row):
    if "failed" in row:
        print(f"{row['case']:16} {'left out' if row['is_missing'] else 'FAILED'}: {row['failed']}", flush=True)
        return
    print(f"{row['case']:16} rank {cell(row['rank'])}, first line {'names it' if row['in_first_line'] else 'does not'}, "
          f"own cost {cell(percent(row), '{:.0f} %')} of {row['truth_ns'] / 1e9:.2f} s, "
          f"{row['unnamed_pct']:.1f} % without a name, {row['false_alarms']} false alarms, {row['n_same']} the same; "
          f"diff {cell(row['rank_in_diff'])}; peers {', '.join(cell(p) for p in row['peers'].values())}; "
          f"{row['seconds']:.0f} s", flush=True)
    if 0 < (row.get("dumps") or 0) < row["runs"]:
        print(f"    stacks of two kinds: {row['dumps']} of {row['runs']} recordings have dumps", flush=True)
    for cluster in row["largest"][:3]:
        print(f"    {cluster['own_ns'] / 1e9:6.2f} s  " + cluster["line"].replace("\n", "\n              "), flush=True)


class Progress:
    """Which case it is, and how much longer all of them will take."""

    def __init__(self, n):
        self.n, self.done, self.started = n, 0, time.monotonic()

    def say(self, name):
        passed = time.monotonic() - self.started
        left = f", about {passed / self.done * (self.n - self.done) / 60:.0f} min left" if self.done else ""
        print(f"--- {self.done + 1} of {self.n}: {name} (after {passed / 60:.1f} min{left})", file=sys.stderr, flush=True)
        self.done += 1


def run_all(args, names, all_names):
    """Rows by case, of this run and, where scores are kept, of earlier ones; those that failed are tried again."""
    rows, progress = {}, Progress(len(names))
    for name in set(all_names) - set(names) if args.resume else ():
        rows[name] = kept_score(args, args.keep / name)
    again = []
    for turn in (names, again):
        for name in list(turn):
            progress.n = max(progress.n, progress.done + 1)
            progress.say(name)
            rows[name] = run_case(args, name)
            if not rows[name]:
                continue
            print_row(rows[name])
            if turn is names and not rows[name].get("is_missing", True):
                again.append(name)
            if args.doc:
                write_page([rows[n] for n in all_names if rows.get(n)], args.slow, args.healthy)
    return [rows[name] for name in all_names if rows.get(name)]


def read_arguments():
    names = sorted(p.parent.name for p in (HERE / "cases").glob("*/case.py"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lode", type=lambda path: pathlib.Path(path).resolve(), default=TOP / "build" / "release" / "lode")
    parser.add_argument("--perf", default="perf")
    parser.add_argument("--slow", type=int, default=5, help="slow runs of each case")
    parser.add_argument("--healthy", type=int, default=10, help="runs of its healthy twin")
    parser.add_argument("--seconds", type=int, default=180, help="that a case may take")
    parser.add_argument("--record", default=[], type=str.split, help="options for lode record")
    parser.add_argument("--keep", type=pathlib.Path, help="folder that recordings and scores are left in")
    parser.add_argument("--resume", action="store_true", help="with --keep: what is there already is not done again")
    parser.add_argument("--reuse", type=pathlib.Path, help="folder with the recordings of an earlier run")
    parser.add_argument("--only-record", action="store_true", help="with --keep: score later, with --reuse")
    parser.add_argument("--doc", action="store_true", help="write the table into docs/truth.md")
    parser.add_argument("names", nargs="*", metavar="CASE", help=", ".join(names))
    args = parser.parse_args()
    if set(args.names) - set(names):
        parser.error(f"no case named {', '.join(sorted(set(args.names) - set(names)))}")
    if args.resume and not args.keep:
        parser.error("--resume goes with --keep")
    args.keep, args.reuse = (folder and folder.resolve() for folder in (args.keep, args.reuse))
    args.lode_hash = hashlib.sha256(args.lode.read_bytes()).hexdigest()
    return args, names


def main():
    args, names = read_arguments()
    if not args.reuse:
        need_tracefs()
    adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    rows = run_all(args, args.names or names, names)
    done = [row for row in rows if "failed" not in row]
    if done:
        print(counts(done))
    failed = [row["case"] for row in rows if not row.get("is_missing", "failed" not in row)]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
