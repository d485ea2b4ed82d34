#!/usr/bin/env python3
"""Measures lode against its peers: same input, same run, whole processes, medians and ratios.

usage: bench/run.py [--build DIR] [--runs N] [--size MB] [--doc] [NAME...]

NAMEs choose benches; without any: all but `growth` (plots how cost grows, into docs/performance/)
and `large` (20 million callstacks: 8 GB of disk for a while, some minutes). Inputs that can be
generated are generated into DIR/bench-data and kept, those of `large` are not; those of ../shared
are used when they are there ($LODE_SHARED names another place). Each result is one line for people, and one JSON line in
DIR/bench.json, where the last result of each name stays. --doc writes all of these into the table
of docs/performance.md.
"""
import argparse
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys

from bench_suspects import bench_suspects
from growth import bench_growth
from measure import TooSlow, load_average, machine, median, run, warm

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("LODE_SHARED", os.path.join(os.path.dirname(TOP), "shared"))
PAGE = os.path.join(TOP, "docs", "performance.md")
MARKS = ("<!-- figures: written by bench/run.py --doc -->\n", "<!-- end of figures -->\n")


class Bench:
    """Where things are, and what came out."""

    def __init__(self, build, runs, size_mb):
        self.build = os.path.abspath(build)
        self.lode = os.path.join(self.build, "lode")
        self.runs, self.size_mb = runs, size_mb
        self.runs_small = min(3, runs)
        self.data = os.path.join(self.build, "bench-data")
        self.results = []
        os.makedirs(self.data, exist_ok=True)

    def tool(self, name):
        return os.path.join(self.build, "bench", name)

    def report(self, bench, name, text, **figures):
        print(f"{bench:9} {name}: {text}", flush=True)
        self.results.append({"bench": bench, "name": name, "text": text,
                             "load": load_average(), **figures})

    def generate(self, name, *options):
        """A folder with generated recordings; truth.json is written last, so it tells a whole one."""
        folder = os.path.join(self.data, name)
        truth = os.path.join(folder, "truth.json")
        if not os.path.exists(truth) or not os.path.getsize(truth):
            subprocess.run([self.tool("gen_stream"), *options, "-o", folder], check=True)
        return folder

    def folded(self, distinct, depth=34):
        path = os.path.join(self.data, f"stacks-{distinct}-{depth}.folded")
        if not os.path.exists(path):
            with open(path + ".part", "wb") as f:
                subprocess.run([self.tool("gen_stream"), "--depth", str(depth), "--folded",
                                str(distinct)], check=True, stdout=f)
            os.rename(path + ".part", path)
        return path

    def save(self):
        path = os.path.join(self.build, "bench.json")
        rows = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                rows = {(r["bench"], r["name"]): r for r in map(json.loads, f)}
        rows.update({(r["bench"], r["name"]): r for r in self.results})
        order = list(BENCHES)
        kept = sorted(rows.values(), key=lambda r: order.index(r["bench"]))
        with open(path, "w", encoding="utf-8") as f:
            for row in kept:
                f.write(json.dumps(row) + "\n")
        return kept


# ---- Decoding: lode info against perf script ----

def decode_one(bench, name, path, symbols):
    mb = warm(path)
    options = ["--buildid-dir", symbols]
    ours = median([bench.lode, "info", "--json", *options, path], bench.runs)
    samples = json.loads(ours.out)["samples"]
    text = (f"{mb:.0f} MB, {samples:,} samples in {ours.wall:.2f} s, best {ours.best:.2f} "
            f"({mb / ours.best:.0f} MB/s), CPU {ours.cpu:.2f} s, peak {ours.peak_mb:.0f} MB = "
            f"{ours.peak_mb / mb:.0%} of the file")
    figures = {"mb": mb, "lode_s": ours.wall, "lode_best_s": ours.best, "lode_cpu_s": ours.cpu,
               "lode_peak_mb": ours.peak_mb, "samples": samples}
    if shutil.which("perf"):
        peer = ["perf", *options, "script", "--no-inline", "-i", path]
        run(peer, keep_output=False)  # its symbol caches warm
        perf = median(peer, max(1, bench.runs // 3), keep_output=False)
        text += (f"; perf script {perf.wall:.1f} s, CPU {perf.cpu:.1f} s, peak {perf.peak_mb:.0f} "
                 f"MB: {perf.wall / ours.wall:.1f} times longer, {perf.cpu / ours.cpu:.1f} times "
                 "the CPU")
        figures.update(perf_s=perf.wall, perf_cpu_s=perf.cpu, perf_peak_mb=perf.peak_mb,
                       ratio=perf.wall / ours.wall, cpu_ratio=perf.cpu / ours.cpu)
    bench.report("decode", name, text, **figures)


def bench_decode(bench):
    folder = bench.generate(f"stream-{bench.size_mb}", "--size", f"{bench.size_mb}M")
    decode_one(bench, "generated recording", os.path.join(folder, "perf.data"),
               os.path.join(folder, "symbols"))
    startup = os.path.join(SHARED, "traces", "startup")
    if os.path.isdir(startup):
        path = os.path.join(bench.data, "startup-29.perf.data")
        if not os.path.exists(path):
            subprocess.run(["zstd", "-q", "-d", "-f", os.path.join(startup,
                            "startup-29.perf.data.zst"), "-o", path], check=True)
        decode_one(bench, "real recording startup-29", path, os.path.join(startup, "symbols"))


# ---- The whole job on real recordings ----

def startup_set():
    """The recordings and their table of symptoms: the whole set, or the samples made from it."""
    for folder, table in ((os.path.join(SHARED, "traces", "startup"), "manifest.tsv"),
                          (os.path.join(TOP, "samples", "startup"), "symptoms.tsv")):
        if os.path.exists(os.path.join(folder, table)):
            return (os.path.join(folder, table),
                    sorted(glob.glob(os.path.join(folder, "*.perf.data.zst"))))
    sys.exit("no startup recordings, not even in samples/")


def bench_startup(bench):
    table, files = startup_set()
    got = median([bench.lode, "mine", "--json", "--symptoms", table, *files], bench.runs)
    doc = json.loads(got.out)
    bench.report("startup", "lode mine", f"{len(files)} recordings, {doc['symptoms']} symptoms, "
                 f"{doc['patterns']} patterns in {got.wall:.2f} s, best {got.best:.2f}, CPU "
                 f"{got.cpu:.2f} s, peak {got.peak_mb:.0f} MB", recordings=len(files),
                 lode_s=got.wall, lode_best_s=got.best, lode_cpu_s=got.cpu,
                 lode_peak_mb=got.peak_mb)


# ---- Events to digests ----

def digest_streams(bench, name, folder, options, runs):
    """Digests of generated recordings; gives the folder they are in."""
    files = sorted(glob.glob(os.path.join(folder, "*perf.data")))
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as f:
        samples = sum(s["samples"] for s in json.load(f)["streams"])
    out = os.path.join(folder, "digests" + "".join(options).replace("--", "-"))
    got = median([bench.lode, "digest", "--json", "--again", "-o", out, "--buildid-dir",
                  os.path.join(folder, "symbols"), *options, *files], runs, limit=900)
    doc = json.loads(got.out)
    bench.report("digest", name, f"{len(files)} streams, {samples:,} callstacks, "
                 f"{doc['input_bytes'] / 1e6:.0f} MB in {got.wall:.2f} s, best {got.best:.2f} "
                 f"({samples / got.best / 1e6:.2f} M callstacks/s), CPU {got.cpu:.2f} s "
                 f"({samples / got.cpu / 1e6:.2f} M per CPU second), peak {got.peak_mb:.0f} MB, "
                 f"digests {doc['digest_bytes'] / doc['input_bytes']:.2%} of the recordings",
                 samples=samples, input_bytes=doc["input_bytes"], digest_bytes=doc["digest_bytes"],
                 lode_s=got.wall, lode_best_s=got.best, lode_cpu_s=got.cpu,
                 lode_peak_mb=got.peak_mb)
    return out


def bench_digest(bench):
    folder = bench.generate("streams-4", "--streams", "4", "--events", "400000")
    digest_streams(bench, "own stacks", folder, ["--stacks", "own"], bench.runs_small)
    digest_streams(bench, "chained stacks", folder, [], 1)
    table, files = startup_set()
    out = os.path.join(bench.data, "startup-digests")
    made = run([bench.lode, "digest", "--json", "--again", "-o", out, "--symptoms", table, *files])
    doc = json.loads(made.out)
    streams = median([bench.lode, "mine", "--json", "--symptoms", table, *files], bench.runs_small)
    digests = median([bench.lode, "mine", "--json", out], bench.runs_small)
    clusters = [json.loads(g.out)["clusters"] for g in (streams, digests)]
    same = [[(c["id"], c["own_ns"], c["total_ns"]) for c in side] for side in clusters]
    bench.report("digest", "startup set", f"{len(files)} digests, {doc['digest_bytes'] / 1e6:.2f} "
                 f"MB = {doc['digest_bytes'] / doc['input_bytes']:.1%} of the compressed "
                 f"recordings, made in {made.wall:.2f} s; lode mine from streams {streams.wall:.2f} "
                 f"s, from digests {digests.wall:.2f} s (CPU {streams.cpu:.2f} and "
                 f"{digests.cpu:.2f} s, peak {streams.peak_mb:.0f} and {digests.peak_mb:.0f} MB); "
                 + ("same clusters" if same[0] == same[1] else "THE CLUSTERS DIFFER"),
                 digest_bytes=doc["digest_bytes"], input_bytes=doc["input_bytes"],
                 made_s=made.wall, streams_s=streams.wall, digests_s=digests.wall,
                 streams_peak_mb=streams.peak_mb, digests_peak_mb=digests.peak_mb,
                 same=same[0] == same[1])


def bench_large(bench):
    """Some 21 million callstacks. Generated, read, and deleted again."""
    need = 9e9
    if shutil.disk_usage(bench.data).free < 2 * need:
        sys.exit(f"large: {bench.data} has less than {2 * need / 1e9:.0f} GB free")
    folder = os.path.join(bench.data, "large")
    try:
        bench.generate("large", "--seed", "2", "--streams", "12", "--events", "1750000")
        digest_streams(bench, "21 million callstacks, own stacks", folder, ["--stacks", "own"], 1)
        digest_streams(bench, "21 million callstacks, chained stacks", folder, [], 1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# ---- The miner and clustering alone ----

def mine_one(bench, name, path, size, known=None):
    """`known` is how many patterns must come out, where somebody else counted them."""
    try:
        rows = [json.loads(run([bench.tool("bench_miner"), *size, path], limit=60).out)
                for _ in range(bench.runs_small)]
    except TooSlow as e:
        bench.report("miner", name, f"{e}: stopped")
        return
    wall, cpu = (statistics.median(r[k] for r in rows) for k in ("seconds", "cpu_seconds"))
    best, n = min(r["seconds"] for r in rows), rows[0]["patterns"]
    peak = rows[0]["peak_mb"]
    verdict = "" if known is None else (" (as known)" if n == known else f" (NOT the known {known:,})")
    bench.report("miner", name, f"{n:,} patterns{verdict} of {rows[0]['sequences']:,} sequences in "
                 f"{wall:.3f} s, best {best:.3f}, CPU {cpu:.3f} s, peak {peak:.0f} MB",
                 patterns=n, known=known, lode_s=wall, lode_best_s=best, lode_cpu_s=cpu,
                 lode_peak_mb=peak)


def bench_miner(bench):
    for name, share, known in (("layered", 1, 418), ("layered", 0.1, 9997), ("callgraph", 5, 214),
                               ("callgraph", 1, 1519)):
        path = os.path.join(SHARED, "datasets", "stacks", f"{name}-100k.folded.zst")
        if os.path.exists(path):
            mine_one(bench, f"{name} 100k, λ {share:g} %", path, ["--share", f"{share}%"], known)
    for name, support in (("SIGN", 146), ("LEVIATHAN", 117), ("BIBLE1K", 10), ("BMS1", 38),
                          ("KOSARAK25K", 50), ("BIKE", 100)):
        path = os.path.join(SHARED, "datasets", "sequences", f"{name}.txt.zst")
        if os.path.exists(path):
            mine_one(bench, f"{name}, support {support}", path, ["--support", str(support)])
    mine_one(bench, "generated 10k, λ 0.5 %", bench.folded(10000), ["--share", "0.5%"])
    mine_one(bench, "generated 1M, λ 1 %", bench.folded(1000000), ["--share", "1%"])


def bench_clusters(bench):
    for n, stacks in ((2239, 20000), (20000, 20000)):
        try:
            rows = [json.loads(run([bench.tool("bench_clusters"), "--patterns", str(n), "--stacks",
                                    str(stacks)], limit=60).out) for _ in range(bench.runs_small)]
        except TooSlow as e:
            bench.report("clusters", f"{n} patterns", f"mining them: {e}, stopped")
            continue
        wall = statistics.median(r["seconds"] for r in rows)
        bench.report("clusters", f"{n} patterns", f"{rows[0]['patterns']:,} patterns, "
                     f"{rows[0]['clusters']:,} clusters in {wall:.3f} s, best "
                     f"{min(r['seconds'] for r in rows):.3f}, peak of mining and clustering "
                     f"{rows[0]['peak_mb']:.0f} MB", patterns=rows[0]["patterns"],
                     clusters=rows[0]["clusters"], lode_s=wall, lode_peak_mb=rows[0]["peak_mb"])


def bench_plots(bench):
    bench_growth(bench, os.path.join(TOP, "docs", "performance"))


BENCHES = {"decode": bench_decode, "startup": bench_startup, "digest": bench_digest,
           "miner": bench_miner, "clusters": bench_clusters, "large": bench_large,
           "growth": bench_plots, "suspects": bench_suspects}
ON_REQUEST = {"large", "growth"}


def write_page(rows):
    """Puts the figures between the marks of docs/performance.md."""
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    before, rest = text.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    loads = [r["load"] for r in rows]
    table = [f"{machine()}; load average while measuring {min(loads):.1f} to {max(loads):.1f}.\n\n",
             "| bench | input | figures |\n|---|---|---|\n"]
    table += [f"| {r['bench']} | {r['name']} | {r['text']} |\n" for r in rows]
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(before + MARKS[0] + "".join(table) + MARKS[1] + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(TOP, "build", "bench"))
    parser.add_argument("--runs", type=int, default=5, help="runs of each command (medians)")
    parser.add_argument("--size", type=int, default=600, help="MB of the generated recording")
    parser.add_argument("--doc", action="store_true", help="write docs/performance.md's table")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    args = parser.parse_args()
    unknown = set(args.names) - set(BENCHES)
    if unknown:
        parser.error(f"no bench named {', '.join(sorted(unknown))}")
    bench = Bench(args.build, max(1, args.runs), args.size)
    for name, function in BENCHES.items():
        if name in args.names or (not args.names and name not in ON_REQUEST):
            try:
                function(bench)
            finally:  # also what was measured before an interrupt
                rows = bench.save()
            if args.doc:
                write_page(rows)


if __name__ == "__main__":
    main()
