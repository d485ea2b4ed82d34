"""Clustering alone: patterns that were mined before the clock starts; and the cut of their stacks by what they cost."""
import json
import statistics

from harness import shared
from measure import run


def cluster_one(bench, name, options, runs, limit=600):
    rows = [json.loads(run([bench.tool("bench_clusters"), *options], limit=limit).out)
            for _ in range(runs)]
    wall, cpu, cut = (statistics.median(r[k] for r in rows) for k in ("seconds", "cpu_seconds", "cut_cpu_seconds"))
    first = rows[0]
    text = (f"{first['patterns']:,} patterns, mean length {first['mean_length']}, "
            f"{first['clusters']:,} clusters in {wall:.3f} s, best "
            f"{min(r['seconds'] for r in rows):.3f}, CPU {cpu:.2f} s, peak {first['peak_mb']:.0f} MB "
            f"(mining before it {first['mining_peak_mb']:.0f}); cut by data, {first['stacks']:,} stacks in 30 symptoms: "
            f"CPU {cut:.3f} s, {cut / cpu:.1%} of it")
    figures = {}
    if "plain_seconds" in first:
        plain = statistics.median(r["plain_seconds"] for r in rows)
        text += (f"; every pair aligned and a matrix agglomerated, one thread {plain:.2f} s: "
                 f"{plain / cpu:.0f} times the CPU, "
                 + ("same clusters" if first["same"] else "THE CLUSTERS DIFFER"))
        figures = {"plain_s": plain, "cpu_ratio": plain / cpu, "same": first["same"]}
    bench.report("clusters", name, text, patterns=first["patterns"], clusters=first["clusters"],
                 lode_s=wall, lode_cpu_s=cpu, cut_cpu_s=cut, lode_peak_mb=first["peak_mb"], **figures)


def bench_clusters(bench):
    n = bench.scaled(2239, 300)
    cluster_one(bench, f"{n:,} patterns", ["--patterns", str(n), "--plain"], bench.runs_small)
    if bench.is_quick:
        return
    # The share of all cost that gives 100,000 patterns: finding it takes longer than all else.
    cluster_one(bench, "100,000 patterns", ["--share", "0.209"], 1)
    with bench.optional("clusters", "layered 100k, λ 0.1 %") as row:
        path = shared("datasets", "stacks", "layered-100k.folded.zst")
        cluster_one(bench, row, ["--share", "0.1", path], 1)


BENCHES = {"clusters": bench_clusters}
