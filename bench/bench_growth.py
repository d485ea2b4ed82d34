"""How cost grows: series of runs, each with one quantity doubled, as SVG plots on log-log axes.

CPU seconds, since these do not depend on who else uses the machine. The dotted line is what cost in
proportion would be, from the first point on.
"""
import glob
import json
import math
import os
import statistics

from harness import TOP
from measure import TooSlow, run

WIDTH, HEIGHT = 480, 280
LEFT, ABOVE, RIGHT, BELOW = 66, 52, 20, 44  # margins of the plot


def ticks(low, high):
    """1, 2, 5 times powers of ten within [low, high]; powers alone when these would be many."""
    wide = high / low > 1000
    return [d * 10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            for d in ((1,) if wide else (1, 2, 5)) if low <= d * 10.0 ** e <= high]


def short(x):
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if x >= size:
            return f"{x / size:.3g}{unit}"
    return f"{x:g}"


def seconds(y):
    return f"{y:.2g} s" if y < 10 else f"{y:.0f} s"


def plot(title, x_label, points):
    """SVG text of [(x, CPU seconds)]; both axes are logarithmic."""
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    linear = [ys[0] * x / xs[0] for x in xs]
    x0, x1 = min(xs) / 1.15, max(xs) * 1.15
    y0, y1 = min(ys + linear) / 1.6, max(ys + linear) * 1.6

    def at(x, y):
        return (LEFT + (WIDTH - LEFT - RIGHT) * math.log(x / x0) / math.log(x1 / x0),
                HEIGHT - BELOW - (HEIGHT - ABOVE - BELOW) * math.log(y / y0) / math.log(y1 / y0))

    def path(values):
        return " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in zip(xs, values))

    middle = (HEIGHT - BELOW + ABOVE) / 2
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11" fill="#444">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
           f'<text x="{LEFT}" y="20" font-size="13" fill="#111">{title}</text>',
           f'<text x="{LEFT}" y="37">grows with the power {exponent(points):.2f}; '
           'dotted: in proportion to the first point</text>',
           f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">'
           'CPU time</text>']
    for y in ticks(y0, y1):
        _, v = at(x0, y)
        out.append(f'<path d="M{LEFT} {v:.1f}H{WIDTH - RIGHT}" stroke="#e0e0e0"/>'
                   f'<text x="{LEFT - 6}" y="{v + 4:.1f}" text-anchor="end">{y:g} s</text>')
    for x in xs:
        h, v = at(x, y0)
        out.append(f'<path d="M{h:.1f} {v:.1f}v4" stroke="#888"/>'
                   f'<text x="{h:.1f}" y="{v + 16:.1f}" text-anchor="middle">{short(x)}</text>')
    out += [f'<path d="M{LEFT} {ABOVE}V{HEIGHT - BELOW}H{WIDTH - RIGHT}" fill="none" stroke="#888"/>',
            f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{x_label}'
            '</text>',
            f'<polyline points="{path(linear)}" fill="none" stroke="#888" stroke-dasharray="2 4"/>',
            f'<polyline points="{path(ys)}" fill="none" stroke="#0b62a4" stroke-width="2"/>']
    for i, (x, y) in enumerate(points):
        h, v = at(x, y)
        # Away from the dotted line, and inside the frame.
        below = y <= linear[i] and v + 18 < HEIGHT - BELOW
        side = "start" if i == 0 else "end" if i == len(points) - 1 else "middle"
        out.append(f'<circle cx="{h:.1f}" cy="{v:.1f}" r="3.5" fill="#0b62a4"/>'
                   f'<text x="{h:.1f}" y="{v + (16 if below else -8):.1f}" text-anchor="{side}" '
                   f'fill="#0b62a4">{seconds(y)}</text>')
    return "\n".join(out + ["</svg>", ""])


def exponent(points):
    """Slope of the least-squares line through the logarithms: 1 is in proportion."""
    lx, ly = ([math.log(p[i]) for p in points] for i in (0, 1))
    mx, my = statistics.mean(lx), statistics.mean(ly)
    return sum((a - mx) * (b - my) for a, b in zip(lx, ly)) / sum((a - mx) ** 2 for a in lx)


# ---- What is run for one point; each gives CPU seconds ----

def digest(bench, **options):
    """`lode digest` of generated recordings, own stacks."""
    folder = bench.generate("growth-" + "-".join(f"{k}{v}" for k, v in options.items()),
                            *(a for k, v in options.items() for a in (f"--{k}", str(v))))
    return run([bench.lode, "digest", "--again", "-o", os.path.join(folder, "digests"),
                "--stacks", "own", "--buildid-dir", os.path.join(folder, "symbols"),
                *sorted(glob.glob(os.path.join(folder, "*perf.data")))]).cpu


def mine(bench, distinct=20000, depth=34, share=1.0):
    """The miner alone on generated stacks."""
    path = bench.folded(distinct, depth)
    return json.loads(run([bench.tool("bench_miner"), "--share", f"{share}%", path],
                          limit=60).out)["cpu_seconds"]


def cluster(bench, share):
    """Clustering alone; gives the number of patterns as well, which the share is chosen by."""
    row = json.loads(run([bench.tool("bench_clusters"), "--share", str(share)], limit=200).out)
    return row["patterns"], row["cpu_seconds"]


def median_point(bench, x, cost):
    rows = [cost(bench, x) for _ in range(bench.runs_small)]
    if isinstance(rows[0], tuple):
        return rows[0][0], max(0.001, statistics.median(y for _, y in rows))
    return x, max(0.001, statistics.median(rows))  # what is not 0 has a logarithm


# Name of the plot, its title, what x is, xs, and what is run for one of them: CPU seconds, or x and those.
# A quick run does the first two xs, small ones in their place where even those are large.
SERIES = (
    ("streams", "lode digest: recordings of 50,000 samples", "recordings", (1, 2, 4, 8, 16),
     lambda b, x: digest(b, streams=x, events=b.scaled(50000, 5000))),
    ("events", "lode digest: samples in one recording", "samples",
     (50000, 100000, 200000, 400000, 800000), lambda b, x: digest(b, events=x)),
    ("distinct", "lode digest: distinct stacks, 200,000 samples", "distinct stacks (about)",
     (2000, 8000, 32000, 128000), lambda b, x: digest(b, events=b.scaled(200000, 5000), distinct=x)),
    ("depth", "lode digest: depth of stacks, 200,000 samples", "mean depth", (10, 20, 30, 40, 50),
     lambda b, x: digest(b, events=b.scaled(200000, 5000), depth=x)),
    ("miner-distinct", "miner: distinct stacks, λ = 1 %", "distinct stacks",
     (10000, 20000, 40000, 80000, 160000), lambda b, x: mine(b, distinct=x)),
    ("miner-depth", "miner: depth of 20,000 stacks, λ = 1 %", "mean depth", (10, 20, 30, 40),
     lambda b, x: mine(b, b.scaled(20000, 1000), depth=x)),
    ("miner-lambda", "miner: 1/λ, 20,000 stacks", "1/λ", (10, 20, 50, 100, 150),
     lambda b, x: mine(b, b.scaled(20000, 1000), share=100 / x)),
    ("clusters", "clustering: patterns of 20,000 stacks", "patterns", (4, 2, 1, 0.5, 0.22), cluster),
)
QUICK = {"streams": (1, 2), "events": (5000, 10000), "distinct": (500, 1000),
         "miner-distinct": (500, 1000)}


def bench_growth(bench):
    folder = bench.scaled(os.path.join(TOP, "docs", "performance"),
                          os.path.join(bench.data, "plots"))
    os.makedirs(folder, exist_ok=True)
    for name, title, x_label, xs, cost in SERIES:
        points = []
        for x in bench.scaled(xs, QUICK.get(name, xs[:2])):
            try:
                points.append(median_point(bench, x, cost))
            except TooSlow:
                break
        if len(points) < 2:
            bench.report("growth", name, "too slow for a second point")
            continue
        with open(os.path.join(folder, name + ".svg"), "w", encoding="utf-8") as f:
            f.write(plot(title, x_label, points))
        text = ", ".join(f"{short(x)}: {y:.2f} s" for x, y in points)
        bench.report("growth", name, f"CPU {text}; grows with the power {exponent(points):.2f}",
                     points=points, exponent=exponent(points))


BENCHES = {"growth": bench_growth}
ON_REQUEST = {"growth"}
