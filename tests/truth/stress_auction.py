#!/usr/bin/env python3
"""How lode pio's verdicts on the auction site stand worse data: a table.

usage: stress_auction.py LODE FOLDER [--only WORD] [--verbose]

Each row changes the recordings P1 and P2 in one way (a kind of incident never trained, intervals or
counters missing, values jittered or shifted in time, users unknown, requests sampled, runs that
begin in the middle of an incident), trains on one, analyses another, and counts as check_auction.py
does. Nothing here is a bound: the recordings as they are must pass check_auction.py, and what does
not hold here is a limit to write down.
"""
import argparse
import csv
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

from check_auction import incidents, judge, run_on

SERVERS = ("web", "app", "db")


class Period:
    """A recording, or a part of it: rows of counters per server, lines of the log."""

    def __init__(self, header, rows, log, manifest):
        self.header, self.rows, self.log, self.manifest = header, rows, log, manifest

    @staticmethod
    def read(folder):
        header, rows = {}, {}
        for server in SERVERS:
            text = subprocess.run(["zstd", "-dcq", f"{folder}/counters_{server}.csv.zst"], check=True,
                                  stdout=subprocess.PIPE).stdout.decode()
            table = list(csv.reader(text.splitlines()))
            header[server], rows[server] = table[0], table[1:]
        log = subprocess.run(["zstd", "-dcq", f"{folder}/access.log.zst"], check=True,
                             stdout=subprocess.PIPE).stdout.decode().splitlines(True)
        log = [(float(line.rsplit(" ", 1)[1]), line) for line in log]
        return Period(header, rows, log, list(incidents(folder)))

    def cut(self, start, end):
        """[start, end), s since the epoch; the log goes on a little."""
        rows = {s: [r for r in self.rows[s] if start <= int(float(r[0])) - 1 < end] for s in SERVERS}
        log = [line for line in self.log if start <= line[0] < end + 10]
        manifest = [m for m in self.manifest if m["t1"] / 1e9 > start and m["t0"] / 1e9 < end]
        return Period(self.header, rows, log, manifest)

    def span(self):
        times = [int(float(r[0])) - 1 for r in self.rows["web"]]
        return times[0], times[-1] + 1

    def map_rows(self, change):
        """change(server, header, row) gives a row, or None."""
        rows = {s: [c for r in self.rows[s] if (c := change(s, self.header[s], list(r)))] for s in SERVERS}
        return Period(self.header, rows, self.log, self.manifest)

    def map_log(self, change):
        return Period(self.header, self.rows, [x for i, line in enumerate(self.log) if (x := change(i, line))],
                      self.manifest)

    def without(self, is_gone):
        """Without columns for which is_gone(server, name)."""
        keep = {s: [i for i, n in enumerate(self.header[s]) if not i or not is_gone(s, n)] for s in SERVERS}
        return Period({s: [self.header[s][i] for i in keep[s]] for s in SERVERS},
                      {s: [[r[i] for i in keep[s]] for r in self.rows[s]] for s in SERVERS}, self.log,
                      self.manifest)

    def write(self, folder):
        os.makedirs(folder)
        options = []
        for server in SERVERS:
            with open(f"{folder}/{server}.csv", "w", encoding="utf-8") as f:
                f.write(",".join(self.header[server]) + "\n")
                f.writelines(",".join(r) + "\n" for r in self.rows[server])
            options += ["-c", f"{server}={folder}/{server}.csv"]
        with open(f"{folder}/access.log", "w", encoding="utf-8") as f:
            f.writelines(line for _, line in self.log)
        return options + ["--log", f"{folder}/access.log"]


def overlay(period, first, second, delay):
    """`first` as recorded, and from `delay` s after its start the counters of `second`'s server as they
    were in `second`: two faults at once."""
    begin, source = int(first["t0"] / 1e9) + delay, int(second["t0"] / 1e9) - 1
    n, tier = int((second["t1"] - second["t0"]) / 1e9) + 3, second["tier"]
    at = {int(float(r[0])) - 1: r for r in period.rows[tier]}

    def change(server, _, row):
        k = int(float(row[0])) - 1 - begin
        if server == tier and 0 <= k < n and source + k in at:
            row = row[:1] + at[source + k][1:]
        return row
    return period.map_rows(change).cut(int(first["t0"] / 1e9) - 60, int(first["t1"] / 1e9) + 60)


def two_at_once(lode, p1, p2):
    """Pairs of incidents of different servers, the second with the first or 12 s later."""
    with tempfile.TemporaryDirectory() as folder:
        model, named, n = os.path.join(folder, "model"), 0, 0
        subprocess.run([lode, "pio", "train", *p1.write(f"{folder}/train"), "-o", model], check=True,
                       stdout=subprocess.DEVNULL)
        faults = [m for m in p2.manifest if m["tier"] != "client"]
        for a, b, delay in itertools.product(faults, faults, (0, 12)):
            if a["tier"] == b["tier"]:
                continue
            what = overlay(p2, a, b, delay).write(f"{folder}/{n}")
            n += 1
            document = json.loads(subprocess.run(
                [lode, "pio", "analyse", "-m", model, "--json", "--series", "none", *what], check=True,
                stdout=subprocess.PIPE).stdout)
            servers = {s["server"] for p in document["periods"] for s in p["servers"] if s["bottleneck"]
                       if p["start"] < a["t1"] and p["end"] > a["t0"]}
            named += servers == {a["tier"], b["tier"]}
            if servers != {a["tier"], b["tier"]}:
                print(f"  {a['kind']} and {b['kind']} {delay} s later: {' '.join(sorted(servers))}")
        print(f"{'two at once, both named':44} {named:3}/{n}", flush=True)


def segments(period):
    """One per incident: the recording cut half-way between them."""
    start, end = period.span()
    order = sorted(period.manifest, key=lambda m: m["t0"])
    cuts = [start] + [int((a["t1"] + b["t0"]) / 2e9) for a, b in zip(order, order[1:])] + [end]
    return [(m, period.cut(a, b)) for m, a, b in zip(order, cuts, cuts[1:])]


def occurrence(period, number):
    """The segments with the first (0) or second (1) incident of each kind."""
    seen, chosen = {}, []
    for incident, segment in segments(period):
        n = seen[incident["kind"]] = seen.get(incident["kind"], -1) + 1
        if n == number:
            chosen.append(segment)
    return chosen


# ---- Ways to make it worse ----

def drop_rows(period, share, seed):
    r = random.Random(seed)
    return period.map_rows(lambda s, h, row: None if r.random() < share else row)


def jitter(period, share, seed):
    r = random.Random(seed)
    return period.map_rows(lambda s, h, row: [row[0]] + [
        x and f"{float(x) * r.gauss(1, share):.6g}" for x in row[1:]])


def shift(period, server, seconds):
    return period.map_rows(lambda s, h, row: [f"{float(row[0]) + seconds:.3f}"] + row[1:] if s == server else row)


def lose_counters(share, seed):
    def is_gone(server, name):
        return random.Random(f"{seed}/{server}/{name}").random() < share
    return lambda period: period.without(is_gone)


def no_users(period):
    def change(_, line):
        address, ident, _user, rest = line[1].split(" ", 3)
        return line[0], f"{address} {ident} - {rest}"
    return period.map_log(change)


def sample(period, every):
    return period.map_log(lambda i, line: line if i % every == 0 else None)


def cases(p1, p2):
    """(name, training periods, analysed period, options of train)"""
    yield "as recorded, P1 -> P2", [p1], p2, []
    yield "as recorded, P2 -> P1", [p2], p1, []
    start, end = p1.span()
    middle = (start + end) // 2
    first, second = p1.cut(start, middle), p1.cut(middle, end)
    yield "first half of P1 -> P2", [first], p2, []
    yield "second half of P1 -> P2", [second], p2, []
    yield "first half of P1 -> second", [first], second, []
    yield "second half of P1 -> first", [second], first, []
    yield "each kind's first incident -> P2", occurrence(p1, 0), p2, []
    yield "each kind's second incident -> P2", occurrence(p1, 1), p2, []
    a, b = p2.span()
    q1, q2 = p2.cut(a, (a + b) // 2), p2.cut((a + b) // 2, b)
    yield "P1 first + P2 first -> P2 second", [first, q1], q2, []
    yield "P1 second + P2 second -> P2 first", [second, q2], q1, []
    yield "P1 second + P2 second -> P1 first", [second, q2], first, []
    for kind in sorted({m["kind"] for m in p1.manifest}):
        rest = [s for m, s in segments(p1) if m["kind"] != kind]
        yield f"without {kind} -> P2", rest, p2, []
        yield f"without {kind} -> P1", rest, p1, []
    for share in (0.1, 0.3):
        for seed in (1, 2):
            worse = drop_rows(p1, share, seed)
            yield f"{share:.0%} of rows gone, P1 -> P2, {seed}", [worse], p2, []
            yield f"... in both", [worse], drop_rows(p2, share, seed), []
    for share in (0.05, 0.2):
        yield f"values jittered by {share:.0%}, P1 -> P2", [jitter(p1, share, 1)], p2, []
        yield "... in both", [jitter(p1, share, 1)], jitter(p2, share, 2), []
    for server in SERVERS:
        for seconds in (-2, -1, 1, 2):
            yield f"{server} {seconds:+} s, P1 -> P2", [shift(p1, server, seconds)], p2, []
        yield f"{server} +2 s, in P2 only", [p1], shift(p2, server, 2), []
    for share in (0.25, 0.5, 0.75):
        for seed in range(1, 6):
            lose = lose_counters(share, seed)
            yield f"{share:.0%} of counters gone, {seed}", [lose(p1)], lose(p2), []
    yield "25 % of counters gone from P2 only", [p1], lose_counters(0.25, 7)(p2), []
    yield "25 % of counters new in P2", [lose_counters(0.25, 8)(p1)], p2, []
    yield "no users", [no_users(p1)], no_users(p2), []
    yield "no users in P2 only", [p1], no_users(p2), []
    for every in (2, 5, 20):
        yield f"every {every}th request", [sample(p1, every)], sample(p2, every), []
    for step in ("2s", "5s", "10s"):
        yield f"intervals of {step}", [p1], p2, ["--interval", step]
    for window in (3, 9):
        yield f"window {window}", [p1], p2, ["--window", str(window)]
    for period, other, name in ((p1, p2, "P2"), (p2, p1, "P1")):
        for n, m in enumerate(other.manifest):
            begin = int(m["t0"] / 1e9) + 5
            yield f"{name} from 5 s into its {m['kind']} ({n + 1})", [period], other.cut(
                begin, int(m["t1"] / 1e9) + 60), []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lode")
    parser.add_argument("folder")
    parser.add_argument("--only", default="", help="rows that contain this")
    parser.add_argument("--verbose", action="store_true", help="also what went wrong")
    parser.add_argument("--no-log", action="store_true", help="analyse from counters alone")
    arguments = parser.parse_args()
    if not os.path.exists(os.path.join(arguments.folder, "P1", "manifest.tsv")):
        print("the auction recordings are not here")
        sys.exit(77)
    p1, p2 = (Period.read(os.path.join(arguments.folder, p)) for p in ("P1", "P2"))
    print(f"{'':44} {'found':>7} {'right':>7} {'false':>6} {'client':>6}")
    sums = [0, 0, 0, 0]
    for name, trained, analysed, options in cases(p1, p2):
        if arguments.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            inputs = []
            for i, period in enumerate(trained):
                inputs += (["--then"] if i else []) + period.write(f"{folder}/train{i}")
            what = analysed.write(f"{folder}/analyse")
            if arguments.no_log:
                what = what[:-2]
            document = run_on(arguments.lode, inputs, what, options)
        ratio_of = {i["t"]: i.get("sa_ratio", 0) for i in document["intervals"]}
        found, right, false, client, verdicts = judge(document, analysed.manifest, ratio_of)
        n = sum(m["tier"] != "client" for m in analysed.manifest)
        sums = [sums[0] + n, sums[1] + found, sums[2] + right, sums[3] + false]
        marks = "" if found == n and right == n and not false else "  <--"
        print(f"{name:44} {found:3}/{n:<3} {right:3}/{n:<3} {false:6} {client:6}{marks}", flush=True)
        if arguments.verbose and marks:
            tiers = {m["kind"]: m["tier"] for m in analysed.manifest}
            print("    ", [v for v in verdicts if not v[1] or v[2] != tiers[v[0]]])
            for p in document["periods"]:
                print("    ", (p["start"] - document["start"]) // 10**9, p["duration_ns"] // 10**9,
                      [(s["server"], round(s["value"], 2)) for s in p["servers"]],
                      [f'{c["server"]}/{c["counter"]} {c["value"]:.2f}' for c in p["counters"][:4]])
    if arguments.only in "two at once":
        two_at_once(arguments.lode, p1, p2)
    print(f"{'sum':44} {sums[1]:3}/{sums[0]:<3} {sums[2]:3}/{sums[0]:<3} {sums[3]:6}")


if __name__ == "__main__":
    main()
