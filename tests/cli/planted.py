#!/usr/bin/env python3
"""What bench/gen_stream planted is what lode mine finds: its waits to the nanosecond, and its chain.

usage: planted.py LODE GEN_STREAM
"""
import json
import subprocess
import sys
import tempfile

LODE, GEN_STREAM = sys.argv[1:]


def mine(folder, *options):
    command = [LODE, "mine", "--json", "--top", "0", "--scope", "thread", "--stacks", "own",
               "--buildid-dir", f"{folder}/symbols", *options, f"{folder}/perf.data"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: found {found}, expected {expected}")


def holds(pattern, chain):
    """Whether the pattern has the functions of the chain, in order."""
    functions = iter(f.rpartition("!")[2] for f in pattern["functions"])
    return all(f in functions for f in chain)


def own_ns(doc, chain):
    """What the clusters with that chain explain."""
    return sum(c["own_ns"] for c in doc["clusters"]
               if any(holds(p, chain) for p in c["patterns"]))


def check_recording(folder, seed):
    with open(f"{folder}/truth.json", encoding="utf-8") as f:
        truth = json.load(f)
    whole = mine(folder)
    check(f"seed {seed}: cost of all threads", whole["symptom_ns"], truth["streams"][0]["cost_ns"])
    planted = sorted(truth["planted"], key=lambda p: -p["cost_ns"])
    for rank, p in enumerate(planted):
        name, chain = f"seed {seed}: {p['name']}", p["functions"]
        # The first function of the chain is in no stack but those of its variants.
        alone = mine(folder, "--include", chain[0])
        aoi = alone["aoi"]
        for part in ("wait_ns", "ready_ns"):
            check(f"{name}: {part}", aoi[part], p[part])
        # Time on a CPU without a sample goes to the stacks of like runs, which may be others, and where these
        # are few to the callers that are certain, which lack the chain.
        if not p["run_ns"] * 0.85 <= aoi["run_ns"] <= p["run_ns"] * 1.001:
            check(f"{name}: run_ns", aoi["run_ns"], p["run_ns"])
        explained = own_ns(alone, chain)
        # Callers that are certain may be a part of the chain.
        all_ns = aoi["run_ns"] + aoi["wait_ns"] + aoi["ready_ns"]
        if not all_ns * 0.98 <= explained + alone["other_ns"] <= all_ns:
            check(f"{name}: found with its whole chain", explained + alone["other_ns"], all_ns)
        # Among all else, some of its stacks are explained by longer patterns beside the chain, or
        # by none; the costly ones come out whole.
        share = own_ns(whole, chain) / p["cost_ns"]
        if rank < 3 and not (0.7 if rank else 0.9) <= share <= 1:
            sys.exit(f"{name}: {share:.0%} of its cost is found")


for seed in ("1", "2", "3"):
    with tempfile.TemporaryDirectory() as made:
        subprocess.run([GEN_STREAM, "--events", "8000", "--distinct", "100", "--seed", seed,
                        "-o", made], check=True)
        check_recording(made, seed)
