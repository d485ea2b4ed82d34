#!/usr/bin/env python3
"""Holds `lode coverage` against recordings whose true costs are known.

usage: check_signatures.py LODE TRACES.tsv GLOB... [-- LODE_OPTION...]

The table is that of check_startup.py. One signature is typed for each planted bug, of the functions
that the recordings' README names: who calls, and the planted one. Each signature's total, and what
all of them cover, must be within 2 % of what the program itself measured; with a bug off, nearly
nothing may match. Then signatures are made of the mined clusters: each must match its cluster's
total, and triage must leave nothing but what these do not explain.
"""
import csv
import glob
import json
import os
import subprocess
import sys
import tempfile

TYPED = {
    "path": "path_canonicalize;path_query_component",
    "lock": "session_restore;session_state_get",
    "fault": "resource_pack_open;resource_index_build",
    "crc": "spellcheck_plugin_init;checksum_image",
    "helper": "license_check;helper_read_reply",
    "logrot": "plugin_dump_manifest;log_write",
}
TOLERANCE = 0.02
# Of a symptom without the bug: helper_read_reply reads some ms in every run.
QUIET = 0.03
SKIPPED = 77


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command[:6])} ...: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout) if "--json" in command else done.stdout


def main():
    args = sys.argv[1:]
    options = []
    if "--" in args:
        options = args[args.index("--") + 1:]
        args = args[:args.index("--")]
    lode, table = args[0], args[1]
    files = sorted(f for pattern in args[2:] for f in glob.glob(pattern))
    if not files:
        print("no such recordings here: skipped")
        return SKIPPED
    wanted = {os.path.basename(f) for f in files}
    with open(table, newline="", encoding="utf-8") as f:
        rows = {r["trace"]: r for r in csv.DictReader(f, delimiter="\t") if r["trace"] in wanted}
    failures = []

    def check(good, text):
        if not good:
            failures.append(text)

    with tempfile.TemporaryDirectory() as folder:
        digest = os.path.join(folder, "all.digest")
        typed = os.path.join(folder, "typed.txt")
        signed = os.path.join(folder, "signed.txt")
        mined = os.path.join(folder, "mined.json")
        run([lode, "digest", "--merge", digest, "--symptoms", table, *options, *files])
        for name, pattern in TYPED.items():
            run([lode, "sign", "--signatures", typed, "--name", name, pattern])
        doc = run([lode, "coverage", "--json", "--signatures", typed, digest])
        planted = 0
        print(f"{'bug':8} {'truth ms':>10} {'total ms':>10} {'off by':>8}")
        for s in doc["signatures"]:
            true_ms = sum(float(r[s["name"] + "_ms"]) for r in rows.values())
            planted += true_ms
            off = s["total_ns"] / 1e6 / true_ms - 1 if true_ms else 0
            print(f"{s['name']:8} {true_ms:10.1f} {s['total_ns'] / 1e6:10.1f} {off:8.2%}")
            check(abs(off) <= TOLERANCE, f"{s['name']}: {off:.2%} off the truth")
        off = doc["covered_ns"] / 1e6 / planted - 1
        print(f"{'all':8} {planted:10.1f} {doc['covered_ns'] / 1e6:10.1f} {off:8.2%}")
        check(len(doc["signatures"]) == len(TYPED), "a signature is missing")
        check(abs(off) <= TOLERANCE, f"coverage is {off:.2%} off the planted delay")

        triage = run([lode, "triage", "--json", "--top", "0", "--signatures", typed, digest])
        for stream in triage["triaged"]:
            row = rows[os.path.basename(stream["path"])]
            known = {s["name"]: s["total_ns"] for s in stream["signatures"]}
            for bug in TYPED:
                if float(row[bug + "_ms"]) == 0:
                    check(known.get(bug, 0) <= QUIET * stream["symptom_ns"],
                          f"{row['trace']}: {bug} is off, but costs {known.get(bug, 0)} ns")

        with open(mined, "w", encoding="utf-8") as f:
            document = run([lode, "mine", "--json", "--top", "0", digest])
            json.dump(document, f)
        for c in document["clusters"]:
            run([lode, "sign", "--signatures", signed, "--from", mined,
                 "--cluster", c["id"], "--name", f"c{c['rank']}"])
        doc = run([lode, "coverage", "--json", "--top", "0", "--signatures", signed, digest])
        total = {s["name"]: s["total_ns"] for s in doc["signatures"]}
        exact = 0
        for c in document["clusters"]:
            ns = total[f"c{c['rank']}"]
            exact += ns == c["total_ns"]
            check(ns == c["signature"]["total_ns"], f"cluster {c['rank']}: signed {ns}, "
                  f"announced {c['signature']['total_ns']}")
            check(abs(ns - c["total_ns"]) <= 0.01 * c["total_ns"],
                  f"cluster {c['rank']}: its signature matches {ns}, it costs {c['total_ns']}")
        print(f"{exact} of {len(document['clusters'])} signed clusters match their total exactly")
        check(exact * 4 >= 3 * len(document["clusters"]), "most clusters' totals are not met")
        check(doc["aoi_ns"] - doc["covered_ns"] <= document["other_ns"] + document["recording_ns"],
              "signatures of all clusters leave more than mining did")
    for text in failures:
        print("FAILED", text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
