#!/usr/bin/env python3
"""The paper's pipeline with Weka's JRip, and `lode pio train --classic`, on the auction site.

usage: classic_jrip.py LODE FOLDER [--seeds N] [--log-times]

Labels P1's intervals as the paper says, draws as many LOW ones as there are others, learns both
lists with JRip, goes over P2 with them (window 5) and counts incidents whose period is known within
15 s of their first slow interval; beside it what lode finds. Written apart from lode, so that
neither can hide a mistake of the other. Needs Debian's weka.
"""
import argparse
import collections
import math
import os
import random
import re
import subprocess
import sys
import tempfile

from check_auction import incidents, judge, run
from stress_auction import SERVERS, Period

WEKA = "/usr/share/java/weka.jar"
WINDOW = 5
REQUEST = re.compile(r'- (\S+) \[.*?\] "\S+ (\S+?)(?:\?\S*)? \S+" \d+ \d+ .* (\S+) \S+(?:, \S+)* (\S+)$')


def requests(period):
    for _, line in period.log:
        match = REQUEST.search(line)
        if match:
            user, action, response, end = match.groups()
            yield float(end), float(response), (action, user)


def bounds(period, scale):
    """(action, user) -> mean + standard deviation."""
    sums = collections.defaultdict(lambda: [0, 0.0, 0.0])
    for _, response, pair in requests(period):
        s, x = sums[pair], scale(response)
        s[0], s[1], s[2] = s[0] + 1, s[1] + x, s[2] + x * x
    return {pair: a / n + math.sqrt(max(0, b / n - (a / n) ** 2)) for pair, (n, a, b) in sums.items()}


def ratios(period, bound, scale):
    counts = collections.defaultdict(lambda: [0, 0])
    for end, response, pair in requests(period):
        at = counts[math.floor(end)]
        at[0] += 1
        at[1] += scale(response) > bound.get(pair, math.inf)
    return {t: slow / n for t, (n, slow) in counts.items()}


def table(period):
    rows = collections.defaultdict(dict)
    for server in SERVERS:
        for row in period.rows[server]:
            for name, value in zip(period.header[server][1:], row[1:]):
                rows[math.floor(float(row[0])) - 1][f"{server}/{name}"] = float(value) if value else math.nan
    return rows


def percentile(values, p):
    values, place = sorted(values), p / 100 * (len(values) - 1)
    low = math.floor(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def jrip(rows, times, classes, names, seed):
    """[([(counter, "<=" or ">=", value)], class)], the default last."""
    columns = list(rows[times[0]])
    with tempfile.NamedTemporaryFile("w", suffix=".arff", encoding="utf-8") as f:
        f.write("@relation pio\n")
        f.writelines(f"@attribute '{c}' numeric\n" for c in columns)
        f.write(f"@attribute class {{{','.join(names)}}}\n@data\n")
        for t in times:
            cells = ("?" if math.isnan(rows[t].get(c, math.nan)) else repr(rows[t][c]) for c in columns)
            f.write(",".join(cells) + "," + classes[t] + "\n")
        f.flush()
        text = subprocess.run(["java", "-cp", WEKA, "weka.classifiers.rules.JRip", "-t", f.name, "-no-cv",
                               "-S", str(seed)], check=True, stdout=subprocess.PIPE).stdout.decode()
    rules = []
    for line in text.splitlines():
        match = re.match(r"\s*(.*?)\s*=> class=(\w+)", line)
        if match:
            rules.append(([(c, op, float(v)) for c, op, v in re.findall(
                r"\(([^()]*?) (<=|>=) ([-0-9.eE]+)\)", match[1])], match[2]))
    return rules


def classify(rules, row):
    for conditions, name in rules:
        values = ((row.get(c, math.nan), op, v) for c, op, v in conditions)
        if all(x <= v if op == "<=" else x >= v for x, op, v in values):
            return name, {c for c, _, _ in conditions}
    raise AssertionError("a list has a default")


def go_over(rows, low_other, med_high):
    """Periods as lode's JSON has them: Algorithm 1 and the rule coverage matrix."""
    periods, classes, cells, intensity = [], [], collections.Counter(), 0
    for t in sorted(rows):
        name, counters = classify(low_other, rows[t])
        if name == "OTHER":
            name, more = classify(med_high, rows[t])
            counters = counters | more if name == "HIGH" else counters
        classes.append(name)
        for c in counters:
            cells[c] = max(0, cells[c] + {"HIGH": 1, "MED": 0, "LOW": -1}[name])
        count = collections.Counter(classes[-WINDOW:])
        most = max(count.values())
        before = intensity
        intensity = (intensity + 2 if count["HIGH"] == most else
                     max(intensity - 1, 0) if count["MED"] == most else max(intensity - 2, 0))
        if intensity and not before:
            periods.append({"start": t * 10**9, "reported": (t + 1) * 10**9, "end": (t + 1) * 10**9,
                            "sums": collections.Counter()})
        if intensity:
            for c, value in cells.items():
                periods[-1]["sums"][c.split("/")[0]] += value
            if name == "HIGH":
                periods[-1]["end"] = (t + 1) * 10**9
    for p in periods:
        p["servers"] = [{"server": s} for s, _ in p["sums"].most_common()]
    return {"periods": periods}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lode")
    parser.add_argument("folder")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--log-times", action="store_true")
    arguments = parser.parse_args()
    folders = [os.path.join(arguments.folder, p) for p in ("P1", "P2")]
    if not os.path.exists(os.path.join(folders[0], "manifest.tsv")) or not os.path.exists(WEKA):
        print("the auction recordings or Weka are not here")
        sys.exit(77)
    p1, p2 = (Period.read(f) for f in folders)
    manifest = list(incidents(folders[1]))
    scale = (lambda x: math.log(max(x, 0.0005))) if arguments.log_times else float
    ratio = ratios(p1, bounds(p1, scale), scale)
    rows = {t: r for t, r in table(p1).items() if t in ratio}
    med, high = (percentile([ratio[t] for t in rows], p) for p in (85, 95))
    classes = {t: "LOW" if not ratio[t] or ratio[t] < med else "MED" if ratio[t] < high else "HIGH"
               for t in rows}
    low, other = (sorted(t for t in rows if (classes[t] == "LOW") == is_low) for is_low in (True, False))
    print(f"{len(low)} LOW, {len(other)} others; MED from {med:.4f}, HIGH from {high:.4f}")
    document = run(arguments.lode, *folders, [])
    first_slow = {i["t"]: i.get("sa_ratio", 0) for i in document["intervals"]}
    options = ["--classic"] + (["--log-times"] if arguments.log_times else [])
    sums = [0, 0, 0, 0]
    for seed in range(1, arguments.seeds + 1):
        drawn = sorted(random.Random(seed).sample(low, len(other)) + other)
        halves = {t: "LOW" if classes[t] == "LOW" else "OTHER" for t in drawn}
        peer = judge(go_over(table(p2), jrip(rows, drawn, halves, ("LOW", "OTHER"), seed),
                             jrip(rows, other, classes, ("MED", "HIGH"), seed)), manifest, first_slow)
        ours = judge(run(arguments.lode, *folders, [*options, "--seed", str(seed)]), manifest, first_slow)
        print(f"seed {seed}: lode {ours[0]} found, {ours[1]} right; JRip {peer[0]} found, {peer[1]} right",
              flush=True)
        sums = [a + b for a, b in zip(sums, (*ours[:2], *peer[:2]))]
    means = [s / arguments.seeds for s in sums]
    print("mean: lode {:.2f} found, {:.2f} right; JRip {:.2f} found, {:.2f} right".format(*means))


if __name__ == "__main__":
    main()
