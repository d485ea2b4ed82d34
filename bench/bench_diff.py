"""Two sets of recordings compared, and recordings put into order: whole commands, and from costs alone."""
import csv
import json
import os

from bench_startup import startup_set
from measure import median, run


def startup_halves(bench):
    """Runs without the planted bug `path`, and with it, as digests."""
    table, files = startup_set(bench)
    files = [f for f in files if os.path.basename(f).startswith("startup-")]
    out = os.path.join(bench.data, "diff-digests")
    run([bench.lode, "digest", "-o", out, "--symptoms", table, *files])
    with open(table, newline="", encoding="utf-8") as f:
        bugs = {r["trace"]: r["bugs"].split(",") for r in csv.DictReader(f, delimiter="\t")}
    sides = ([], [])
    for name in sorted(n for n in os.listdir(out) if n.startswith("startup-")):
        sides["path" in bugs[name.rsplit("-", 1)[0]]].append(os.path.join(out, name))
    return sides


def whole_commands(bench):
    a, b = startup_halves(bench)
    sets = [arg for f in a for arg in ("-a", f)] + [arg for f in b for arg in ("-b", f)]
    got = median([bench.lode, "diff", "--json", *sets], bench.runs)
    doc = json.loads(got.out)
    first = doc["clusters"][0]
    function = [f for f in first["common"] if not f.startswith("[")][-1]
    bench.report("diff", "lode diff, startup set", f"{len(a)} and {len(b)} digests in {got.wall:.2f} "
                 f"s, CPU {got.cpu:.2f}, peak {got.peak_mb:.0f} MB; {sum(doc['counts'].values())} "
                 f"clusters, first: {first['class']} {function}, p "
                 f"{first['p_adjusted']:.4f}", lode_s=got.wall, lode_cpu_s=got.cpu)
    got = median([bench.lode, "next", "--json", "--compare", *a, *b], bench.runs)
    doc = json.loads(got.out)
    bench.report("diff", "lode next, startup set", f"{len(a) + len(b)} digests in {got.wall:.2f} s, "
                 f"CPU {got.cpu:.2f}; all clusters after "
                 f"{doc['compare']['levels'][-1]['best']} recordings (random "
                 f"{doc['compare']['levels'][-1]['random']})", lode_s=got.wall, lode_cpu_s=got.cpu)


def from_costs(bench, n_streams, n_items, in_percent):
    options = ["--streams", str(n_streams), "--items", str(n_items), "--in", str(in_percent)]
    tool = bench.tool("bench_diff")
    rows = [json.loads(run([tool, *options]).out) for _ in range(bench.runs_small)]
    best = min(rows, key=lambda r: r["cpu_seconds"])
    size = f"{n_streams:,} recordings x {n_items:,}"
    bench.report("diff", f"tests, {size}", f"{best['cells']:,} costs, {best['splits']:,} splits: CPU "
                 f"{best['cpu_seconds']:.3f} s, {best['seconds']:.3f} s, peak {best['peak_mb']:.0f} MB",
                 **best)
    rows = [json.loads(run([tool, "--order", *options]).out) for _ in range(bench.runs_small)]
    best = min(rows, key=lambda r: r["order_cpu_seconds"])
    bench.report("diff", f"order, {size}", f"CPU {best['order_cpu_seconds']:.3f} s, all four curves "
                 f"{best['curves_cpu_seconds']:.3f} s; {best['needed']} recordings show everything; "
                 f"up to there, {best['random_share']:.0%} of what a random order needs", **best)


def bench_diff(bench):
    with bench.optional("diff", "lode diff, startup set"):
        whole_commands(bench)
    from_costs(bench, 36, 30, 30)
    if not bench.is_quick:
        from_costs(bench, 1000, 100, 30)
        from_costs(bench, 10000, 1000, 10)


BENCHES = {"diff": bench_diff}
