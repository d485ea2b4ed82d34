#!/usr/bin/env python3
"""How often lode pio compare names the right service of simulated ones.

    bench/pio_simulated.py LODE [CASES]    200 cases by default

50 services in a random call tree (callees in series or in parallel), each a queue with 20 counters that wander, are
noisy and have odd samples (one in 2,000), and one fault of five kinds. Prints the share of cases in which the service at fault is first, by depth in
the tree and by noise, beside two plain scorers and a random walk over the calls, which is given the edges.
"""
import csv
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tempfile

SERVICES, BEFORE, AFTER = 50, 240, 120
KINDS = ("cpu", "memory", "disk", "errors", "lock")
COUNTERS = ("cpu", "memory", "requests", "lat_50", "lat_90", "lat_99", "queue", "threads", "errors", "retries", "connections",
            "net_in", "net_out", "disk_read", "disk_write", "io_wait", "gc", "cache_hits", "files", "log_lines")


class Tree:
    """Each service's callees, and what reaches it per request of the front end."""

    def __init__(self, r):
        self.parent, self.depth, self.calls, self.is_parallel = [None], [0], [1.0], [False]
        for s in range(1, SERVICES):
            p = r.randrange(max(0, s - 12), s)
            self.parent.append(p)
            self.depth.append(self.depth[p] + 1)
            self.calls.append(self.calls[p] * r.choice((0.5, 1, 1, 2)))
            self.is_parallel.append(r.random() < 0.5)
        self.callees = [[c for c in range(SERVICES) if self.parent[c] == s] for s in range(SERVICES)]
        self.service_s = [r.uniform(0.3, 0.8) / (100 * c) for c in self.calls]


def state(tree, load, at, kind, strength):
    """What each counter of each service would be without noise."""
    speed = [1.0] * SERVICES
    if at is not None:
        speed[at] = {"cpu": 1 / (1 + 0.3 * strength), "memory": 1 / (1 + 0.1 * strength), "disk": 1 / (1 + 0.3 * strength),
                     "errors": 1, "lock": 1 / (1 + 0.3 * strength)}[kind]
    latency, errors, rows = [0.0] * SERVICES, [0.0] * SERVICES, [None] * SERVICES
    for s in reversed(range(SERVICES)):
        rate, base = load * tree.calls[s], tree.service_s[s]
        use = min(rate * base / speed[s], 0.97)
        own = base / speed[s] / (1 - use)
        below = [latency[c] * tree.calls[c] / tree.calls[s] for c in tree.callees[s]]
        latency[s] = own + (max(below, default=0) if tree.is_parallel[s] else sum(below))
        is_it = s == at
        errors[s] = 0.002 + 0.5 * sum(errors[c] - 0.002 for c in tree.callees[s]) + (0.02 * strength if is_it and kind == "errors" else 0)
        busy = rate * base * 100 + (60 * strength / 3 if is_it and kind == "cpu" else 0)
        threads = rate * latency[s]
        disk = 1 + (4 * strength if is_it and kind == "disk" else 0)
        retries = rate * sum(errors[c] for c in tree.callees[s])
        rows[s] = (busy, 4e8 * (1 + (0.1 * strength if is_it and kind == "memory" else 0)), rate, latency[s], 2.2 * latency[s],
                   4 * latency[s], use / (1 - use), threads, rate * errors[s], retries, 5 + threads, rate * 900, rate * 4000, 50 * disk,
                   30 * disk, 0.5 * disk, 3 + (3 * strength if is_it and kind == "memory" else 0), rate * 0.8, 60 + threads, rate * (3 + 20 * errors[s]))
    return rows


def simulate(seed, noise):
    r = random.Random(seed)
    tree = Tree(r)
    at, kind, strength = r.randrange(SERVICES), KINDS[seed % len(KINDS)], r.uniform(0.5, 4)
    drift, wander, table = [[0.0] * len(COUNTERS) for _ in range(SERVICES)], 0.0, []
    for t in range(BEFORE + AFTER):
        wander = 0.97 * wander + r.gauss(0, 0.01)
        rows = state(tree, 100 * (1 + wander), at if t >= BEFORE else None, kind, strength)
        out = []
        for s in range(SERVICES):
            d = drift[s]
            for c, v in enumerate(rows[s]):
                d[c] = 0.9 * d[c] + r.gauss(0, noise / 3)
                odd = r.uniform(2, 11) if r.random() < 0.0005 else 1
                out.append(v * odd * max(0, 1 + (d[c] + r.gauss(0, noise)) * (0.02 if c == 1 else 1)))
        table.append(out)
    return tree, at, kind, table


def lode_first(lode, folder, table, tree):
    """Without and with the calls."""
    names = [f"s{s:02}_{c}" for s in range(SERVICES) for c in COUNTERS]
    for name, first, end in (("before", 0, BEFORE), ("after", BEFORE, BEFORE + AFTER)):
        with open(os.path.join(folder, f"{name}.csv"), "w", encoding="utf-8", newline="") as f:
            out = csv.writer(f)
            out.writerow(["time", *names])
            out.writerows([1795230000 + t, *(f"{v:.6g}" for v in table[t])] for t in range(first, end))
    edges = os.path.join(folder, "edges.csv")
    with open(edges, "w", encoding="utf-8") as f:
        f.writelines(f"s{tree.parent[s]:02},s{s:02}\n" for s in range(1, SERVICES))
    for options in ((), ("--edges", edges)):
        out = subprocess.run([lode, "pio", "compare", "--json", *options, "--before", os.path.join(folder, "before.csv"),
                              "--after", os.path.join(folder, "after.csv")], stdout=subprocess.PIPE, check=True).stdout
        services = json.loads(out)["services"]
        yield int(services[0]["service"][1:]) if services else None


def plain(table, is_robust):
    """Each service's worst counter."""
    scores = [0.0] * SERVICES
    for i, column in enumerate(zip(*table)):
        before, after = sorted(column[:BEFORE]), column[BEFORE:]
        if is_robust:
            middle, spread = before[BEFORE // 2], before[3 * BEFORE // 4] - before[BEFORE // 4]
        else:
            middle, spread = statistics.fmean(before), statistics.pstdev(before)
        worst = max(abs(v - middle) for v in after) / (spread or 1)
        scores[i // len(COUNTERS)] = max(scores[i // len(COUNTERS)], worst)
    return scores


def walk(tree, scores):
    """From callers to callees, back, or to stay, in proportion to scores; the most visited service."""
    visits, at, r = [0] * SERVICES, 0, random.Random(1)
    for _ in range(20000):
        near = [(c, scores[c]) for c in tree.callees[at]]
        if tree.parent[at] is not None:
            near.append((tree.parent[at], 0.1 * scores[tree.parent[at]]))
        near.append((at, max(0.0, scores[at] - max((scores[c] for c in tree.callees[at]), default=0))))
        at = r.choices([n for n, _ in near], [w + 1e-9 for _, w in near])[0]
        visits[at] += 1
    return visits.index(max(visits))


def case(argument):
    lode, seed = argument
    noise = (0.02, 0.05, 0.1, 0.2)[seed // len(KINDS) % 4]
    tree, at, kind, table = simulate(seed, noise)
    robust, normal = plain(table, True), plain(table, False)
    with tempfile.TemporaryDirectory() as folder:
        firsts = (*lode_first(lode, folder, table, tree), robust.index(max(robust)), normal.index(max(normal)), walk(tree, robust))
    depth = tree.depth[at] // 2 * 2
    keys = ("all", f"depth {depth} to {depth + 1}" if depth < 6 else "depth 6 and more", f"noise {100 * noise:2.0f} %", f"fault {kind}")
    return keys, [first == at for first in firsts]


def main():
    lode, cases = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    shares = {}
    with multiprocessing.Pool() as pool:
        for keys, right in pool.imap_unordered(case, [(lode, seed) for seed in range(cases)]):
            for key in keys:
                counts = shares.setdefault(key, [0] * 6)
                for i, one in enumerate([True, *right]):
                    counts[i] += one
    print(f"{'':<18}{'cases':>6}{'lode':>8}{'edges':>8}{'IQR':>8}{'sd':>8}{'walk':>8}")
    for key in sorted(shares):
        n, *right = shares[key]
        print(f"{key:<18}{n:>6}" + "".join(f"{x / n:>8.2f}" for x in right))


if __name__ == "__main__":
    main()
