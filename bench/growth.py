"""How cost grows: series of runs, each with one quantity doubled, as SVG plots on log-log axes.

CPU seconds, since these do not depend on who else uses the machine. The dotted line is what cost in
proportion would be, from the first point on.
"""
import glob
import json
import math
import os
import statistics
import subprocess

from measure import TooSlow, run

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 460, 260, 62, 34, 16, 42


def ticks(low, high):
    """1, 2, 5 times powers of ten within [low, high]; powers alone when these would be many."""
    wide = high / low > 100
    return [d * 10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            for d in ((1,) if wide else (1, 2, 5)) if low <= d * 10.0 ** e <= high]


def short(x):
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if x >= size:
            return f"{x / size:g}{unit}"
    return f"{x:g}"


def plot(title, x_label, points):
    """SVG text of [(x, seconds)]; colours that can be read on white and on black."""
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    linear = [ys[0] * x / xs[0] for x in xs]
    x0, x1 = min(xs) / 1.15, max(xs) * 1.15
    y0, y1 = min(ys + linear) / 1.5, max(ys + linear) * 1.5

    def at(x, y):
        return (LEFT + (WIDTH - LEFT - RIGHT) * math.log(x / x0) / math.log(x1 / x0),
                HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log(y / y0) / math.log(y1 / y0))

    def path(values):
        return " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in zip(xs, values))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11" fill="#555">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
           f'<text x="{LEFT}" y="20" font-size="13" fill="#222">{title}</text>']
    for y in ticks(y0, y1):
        _, v = at(x0, y)
        out.append(f'<path d="M{LEFT} {v:.1f}H{WIDTH - RIGHT}" stroke="#e4e4e4"/>'
                   f'<text x="{LEFT - 6}" y="{v + 4:.1f}" text-anchor="end">{short(y)} s</text>')
    for x in xs:
        h, _ = at(x, y0)
        out.append(f'<text x="{h:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{short(x)}'
                   '</text>')
    out += [f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{x_label}'
            '</text>',
            f'<polyline points="{path(linear)}" fill="none" stroke="#999" stroke-dasharray="2 4"/>',
            f'<polyline points="{path(ys)}" fill="none" stroke="#0b62a4" stroke-width="2"/>']
    for x, y in points:
        h, v = at(x, y)
        out.append(f'<circle cx="{h:.1f}" cy="{v:.1f}" r="3.5" fill="#0b62a4">'
                   f'<title>{short(x)}: {y:.3g} s</title></circle>')
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


SERIES = (
    ("streams", "lode digest: streams of 50,000 samples", "streams", (1, 2, 4, 8, 16),
     lambda b, x: digest(b, streams=x, events=50000)),
    ("events", "lode digest: samples in one stream", "samples",
     (50000, 100000, 200000, 400000, 800000), lambda b, x: digest(b, events=x)),
    ("distinct", "lode digest: distinct stacks, 200,000 samples", "distinct stacks (about)",
     (2000, 8000, 32000, 128000), lambda b, x: digest(b, events=200000, distinct=x)),
    ("depth", "lode digest: depth of stacks, 200,000 samples", "mean depth", (10, 20, 30, 40, 50),
     lambda b, x: digest(b, events=200000, depth=x)),
    ("miner-distinct", "miner: distinct stacks, λ = 1 %", "distinct stacks",
     (10000, 20000, 40000, 80000, 160000), lambda b, x: mine(b, distinct=x)),
    ("miner-depth", "miner: depth of 20,000 stacks, λ = 1 %", "mean depth", (10, 20, 30, 40),
     lambda b, x: mine(b, depth=x)),
    ("miner-lambda", "miner: 1/λ, 20,000 stacks", "1/λ", (10, 20, 50, 100, 150),
     lambda b, x: mine(b, share=100 / x)),
)


def bench_growth(bench, folder):
    os.makedirs(folder, exist_ok=True)
    for name, title, x_label, xs, cost in SERIES:
        points = []
        for x in xs:
            try:
                points.append((x, statistics.median(cost(bench, x) for _ in range(bench.runs_small))))
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
