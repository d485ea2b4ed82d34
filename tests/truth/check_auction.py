#!/usr/bin/env python3
"""What lode pio says of the auction site against what was done to it (manifest.tsv).

usage: check_auction.py LODE FOLDER [--seeds N] [--train P1] [--analyse P2] [--verbose] [--no-log]

Trains on one recording, analyses another, and counts: server-side incidents found within 15 s of
their first slow interval, with the right server first; periods that overlap no server-side incident;
periods while only the client was slow. The default must find all, with no more than one false period
per 15 minutes, and say the same for every seed. --classic is counted and shown, for comparison.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

SLACK_NS = 10_000_000_000  # effects last a little beyond an incident's end
SOON_NS = 15_000_000_000


def inputs(folder, with_log=True):
    options = []
    for server in ("web", "app", "db"):
        options += ["-c", f"{server}={folder}/counters_{server}.csv.zst"]
    return options + (["--log", f"{folder}/access.log.zst"] if with_log else [])


def run_on(lode, trained, analysed, options):
    """What analysing says; `trained` and `analysed` are options that name inputs."""
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        subprocess.run([lode, "pio", "train", *trained, *options, "-o", model],
                       check=True, stdout=subprocess.DEVNULL)
        out = subprocess.run([lode, "pio", "analyse", "-m", model, "--json", "--top", "0", "--series", "none",
                              *analysed], check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout)


def run(lode, train, analyse, options, with_log=True):
    return run_on(lode, inputs(train), inputs(analyse, with_log), options)


def incidents(folder):
    with open(os.path.join(folder, "manifest.tsv"), encoding="utf-8") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            yield {**row, "t0": int(float(row["start"]) * 1e9), "t1": int(float(row["end"]) * 1e9)}


def judge(document, manifest, ratio_of):
    """(found, right, false periods, of these while the client was slow, verdicts)"""
    found = right = 0
    used, verdicts = set(), []
    for incident in manifest:
        if incident["tier"] == "client":
            continue
        # The first interval in which users were slower than in healthy time.
        slow = [t for t, ratio in ratio_of.items()
                if incident["t0"] - 10**9 <= t <= incident["t1"] and ratio > 0.3]
        first = min(slow, default=incident["t0"])
        hits = [i for i, p in enumerate(document["periods"])
                if p["start"] < incident["t1"] + SLACK_NS and p["end"] > incident["t0"]]
        used.update(hits)
        soon = [i for i in hits if document["periods"][i]["reported"] <= first + SOON_NS]
        found += bool(soon)
        servers = document["periods"][soon[0]]["servers"] if soon else []
        is_right = bool(servers) and servers[0]["server"] == incident["tier"]
        right += is_right
        verdicts.append((incident["kind"], bool(soon), servers[0]["server"] if servers else None))
    false = [p for i, p in enumerate(document["periods"]) if i not in used]
    client = sum(p["start"] < m["t1"] and p["end"] > m["t0"] for p in false for m in manifest
                 if m["tier"] == "client")
    return found, right, len(false), client, verdicts


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lode")
    parser.add_argument("folder")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--train", default="P1")
    parser.add_argument("--analyse", default="P2")
    parser.add_argument("--classic", action="store_true", help="measure --classic, too")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    train = os.path.join(arguments.folder, arguments.train)
    analyse = os.path.join(arguments.folder, arguments.analyse)
    if not os.path.exists(os.path.join(train, "manifest.tsv")):
        print("the auction recordings are not here")
        sys.exit(77)
    manifest = list(incidents(analyse))
    n = sum(m["tier"] != "client" for m in manifest)
    faults, seen, ratio_of = [], set(), None
    for seed in range(1, arguments.seeds + 1):
        for with_log in (True, False):
            document = run(arguments.lode, train, analyse, ["--seed", str(seed)], with_log)
            if ratio_of is None:
                ratio_of = {i["t"]: i.get("sa_ratio", 0) for i in document["intervals"]}
            minutes = (document["end"] - document["start"]) / 60e9
            found, right, false, client, verdicts = judge(document, manifest, ratio_of)
            seen.add(json.dumps(verdicts))
            print(f"seed {seed}{'' if with_log else ', no log'}: {found} of {n} found, {right} with "
                  f"the right server first, {false} false periods ({client} of a slow client)")
            if arguments.verbose:
                print("  ", verdicts)
            if found < n or right < n or false > minutes / 15 or client:
                faults.append(seed)
    for options in ([["--classic"], ["--classic", "--log-times"]] if arguments.classic else []):
        for seed in range(1, 6):
            document = run(arguments.lode, train, analyse, [*options, "--seed", str(seed)])
            found, right, false, client, verdicts = judge(document, manifest, ratio_of)
            print(f"{' '.join(options)} seed {seed}: {found} of {n} found, {right} right, "
                  f"{false} false ({client} of a slow client)")
            if arguments.verbose:
                print("  ", verdicts)
    if len(seen) > 1:
        faults.append("verdicts differ")
    if faults:
        print("FAILED:", faults)
        sys.exit(1)


if __name__ == "__main__":
    main()
