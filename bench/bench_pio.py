"""lode pio: training at the paper's size, reading logs, and the auction recordings."""
import json
import os
import subprocess

from measure import run, warm

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("LODE_SHARED", os.path.join(os.path.dirname(TOP), "shared"))


def auction(bench):
    folder = os.path.join(SHARED, "pio", "auction")
    if not os.path.exists(os.path.join(folder, "P1", "access.log.zst")):
        return
    inputs = lambda p: ["--log", f"{folder}/{p}/access.log.zst"] + [
        o for s in ("web", "app", "db") for o in ("-c", f"{s}={folder}/{p}/counters_{s}.csv.zst")]
    model = os.path.join(bench.data, "auction.model")
    train = run([bench.lode, "pio", "train", *inputs("P1"), "-o", model])
    analyse = run([bench.lode, "pio", "-m", model, "--json", *inputs("P2")])
    n = len(json.loads(analyse.out)["periods"])
    bench.report("pio", "auction", f"train on P1 {train.wall:.2f} s (CPU {train.cpu:.2f}), analyse "
                 f"P2 {analyse.wall:.2f} s (CPU {analyse.cpu:.2f}): {n} slow periods",
                 train_cpu_s=train.cpu, analyse_cpu_s=analyse.cpu)


def log_file(bench):
    mb = bench.scaled(1000, 20)
    path = os.path.join(bench.data, f"access-{mb}.log")
    if not os.path.exists(path):
        with open(path + ".part", "wb") as out:
            subprocess.run([bench.tool("bench_log"), "--generate", str(mb)], stdout=out, check=True)
        os.rename(path + ".part", path)
    return path


def parsing(bench):
    """The best of some runs: what the machine can do when nobody else uses it."""
    path = log_file(bench)
    warm(path)
    for threads in (1, 2):
        runs = [json.loads(run([bench.tool("bench_log"), "--threads", str(threads), path]).out)
                for _ in range(bench.runs)]
        mb = runs[0]["bytes"] / 1e6
        best = min(r["seconds"] for r in runs)
        cpu = min(r["cpu_seconds"] for r in runs)
        bench.report("pio", f"reading logs, {threads} thread{'s' if threads > 1 else ''}",
                     f"{mb:.0f} MB, {runs[0]['requests']:,} requests in {best:.2f} s, best of {len(runs)}: "
                     f"{mb / best:.0f} MB/s; CPU {cpu:.2f} s ({mb / cpu:.0f} MB per CPU second), peak "
                     f"{runs[0]['peak_mb']:.0f} MB", mb_per_s=mb / best, mb_per_cpu_s=mb / cpu,
                     threads=threads)


def bench_pio(bench):
    auction(bench)
    parsing(bench)
    small = bench.scaled([], ["--requests", "1000000", "--intervals", "2000", "--counters", "20"])
    d = json.loads(run([bench.tool("bench_pio"), *small], limit=1800).out)
    bench.report("pio", "paper's size", f"{d['requests']:,} requests, {d['values']:,} counter values: "
                 f"{d['seconds']:.0f} s, CPU {d['cpu_seconds']:.0f} s, peak {d['peak_mb']:.0f} MB",
                 **d)


BENCHES = {"pio": bench_pio}
