"""The miner alone."""
import json
import statistics

from harness import shared
from measure import TooSlow, run


def mine_one(bench, name, path, size, known=None):
    """`known` is how many patterns must come out, where another program counted them."""
    try:
        rows = [json.loads(run([bench.tool("bench_miner"), *size, path], limit=60).out)
                for _ in range(bench.runs_small)]
    except TooSlow as e:
        bench.report("miner", name, f"{e}: stopped")
        return
    wall, cpu = (statistics.median(r[k] for r in rows) for k in ("seconds", "cpu_seconds"))
    best, n = min(r["seconds"] for r in rows), rows[0]["patterns"]
    peak, steps = rows[0]["peak_mb"], rows[0]["steps"]
    verdict = "" if known is None else (" (as known)" if n == known else f" (NOT the known {known:,})")
    bench.report("miner", name, f"{n:,} patterns{verdict} of {rows[0]['sequences']:,} sequences in "
                 f"{wall:.3f} s, best {best:.3f}, CPU {cpu:.3f} s, {steps / 1e6:.1f} M steps, "
                 f"peak {peak:.0f} MB", patterns=n, known=known, steps=steps, lode_s=wall,
                 lode_best_s=best, lode_cpu_s=cpu, lode_peak_mb=peak)


def bench_miner(bench):
    stacks = (("layered", 1, 418), ("callgraph", 5, 214), ("layered", 0.1, 9997), ("callgraph", 1, 1519))
    for name, share, known in stacks[:bench.scaled(4, 2)]:
        with bench.optional("miner", f"{name} 100k, λ {share:g} %") as row:
            path = shared("datasets", "stacks", f"{name}-100k.folded.zst")
            mine_one(bench, row, path, ["--share", f"{share}%"], known)
    sequences = (("SIGN", 146), ("BIBLE1K", 10), ("LEVIATHAN", 117), ("BMS1", 38), ("KOSARAK25K", 50),
                 ("BIKE", 100))
    for name, support in sequences[:bench.scaled(6, 2)]:
        with bench.optional("miner", f"{name}, support {support}") as row:
            path = shared("datasets", "sequences", f"{name}.txt.zst")
            mine_one(bench, row, path, ["--support", str(support)])
    mine_one(bench, "generated 10k, λ 0.5 %", bench.folded(bench.scaled(10000, 1000)),
             ["--share", bench.scaled("0.5%", "2%")])
    mine_one(bench, "generated 1M, λ 1 %", bench.folded(bench.scaled(1000000, 10000)),
             ["--share", bench.scaled("1%", "2%")])


BENCHES = {"miner": bench_miner}
