"""Events to digests; `large` with 21 million callstacks."""
import glob
import json
import os
import shutil

from bench_startup import startup_set
from measure import Missing, median, run


def digest_streams(bench, name, folder, options, runs, of="digest"):
    """Digests of generated recordings; gives the folder they are in."""
    files = sorted(glob.glob(os.path.join(folder, "*perf.data")))
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as f:
        samples = sum(s["samples"] for s in json.load(f)["streams"])
    out = os.path.join(folder, "digests" + "".join(options).replace("--", "-"))
    got = median([bench.lode, "digest", "--json", "--again", "-o", out, "--buildid-dir",
                  os.path.join(folder, "symbols"), *options, *files], runs, limit=900)
    doc = json.loads(got.out)
    bench.report(of, name, f"{len(files)} recordings, {samples:,} callstacks, "
                 f"{doc['input_bytes'] / 1e6:.0f} MB in {got.wall:.2f} s, best {got.best:.2f} "
                 f"({samples / got.best / 1e6:.2f} M callstacks/s), CPU {got.cpu:.2f} s "
                 f"({samples / got.cpu / 1e6:.2f} M per CPU second), peak {got.peak_mb:.0f} MB, "
                 f"digests {doc['digest_bytes'] / doc['input_bytes']:.2%} of the recordings",
                 samples=samples, input_bytes=doc["input_bytes"], digest_bytes=doc["digest_bytes"],
                 lode_s=got.wall, lode_best_s=got.best, lode_cpu_s=got.cpu,
                 lode_peak_mb=got.peak_mb)
    return out


def bench_digest(bench):
    folder = bench.generate("streams-4", "--streams", "4", "--events",
                            str(bench.scaled(400000, 10000)))
    digest_streams(bench, "own stacks", folder, ["--stacks", "own"], bench.runs_small)
    digest_streams(bench, "chained stacks", folder, [], 1)
    table, files = startup_set(bench)
    out = os.path.join(bench.data, "startup-digests")
    made = run([bench.lode, "digest", "--json", "--again", "-o", out, "--symptoms", table, *files])
    doc = json.loads(made.out)
    streams = median([bench.lode, "mine", "--json", "--symptoms", table, *files], bench.runs_small)
    digests = median([bench.lode, "mine", "--json", out], bench.runs_small)
    clusters = [json.loads(g.out)["clusters"] for g in (streams, digests)]
    same = [[(c["id"], c["own_ns"], c["total_ns"]) for c in side] for side in clusters]
    bench.report("digest", "startup set", f"{len(files)} digests, {doc['digest_bytes'] / 1e6:.2f} "
                 f"MB = {doc['digest_bytes'] / doc['input_bytes']:.1%} of the compressed "
                 f"recordings, made in {made.wall:.2f} s; lode mine from recordings {streams.wall:.2f} "
                 f"s, from digests {digests.wall:.2f} s (CPU {streams.cpu:.2f} and "
                 f"{digests.cpu:.2f} s, peak {streams.peak_mb:.0f} and {digests.peak_mb:.0f} MB); "
                 + ("same clusters" if same[0] == same[1] else "THE CLUSTERS DIFFER"),
                 digest_bytes=doc["digest_bytes"], input_bytes=doc["input_bytes"],
                 made_s=made.wall, streams_s=streams.wall, digests_s=digests.wall,
                 streams_peak_mb=streams.peak_mb, digests_peak_mb=digests.peak_mb,
                 same=same[0] == same[1])


def bench_large(bench):
    """Some 21 million callstacks. Generated, read, and deleted again."""
    need = bench.scaled(9e9, 2e8)
    n_events = bench.scaled(1750000, 5000)
    if shutil.disk_usage(bench.data).free < 2 * need:
        raise Missing(f"{bench.data} has less than {2 * need / 1e9:.0f} GB free")
    folder = os.path.join(bench.data, "large")
    try:
        bench.generate("large", "--seed", "2", "--streams", "12", "--events", str(n_events))
        name = f"{12 * n_events / 1e6:g} million callstacks"
        digest_streams(bench, f"{name}, own stacks", folder, ["--stacks", "own"], 1, "large")
        digest_streams(bench, f"{name}, chained stacks", folder, [], 1, "large")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


BENCHES = {"digest": bench_digest, "large": bench_large}
ON_REQUEST = {"large"}
