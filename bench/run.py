#!/usr/bin/env python3
"""Measures lode against its peers: same input, same run, whole processes, medians and ratios.

usage: bench/run.py [--build DIR] [--runs N] [--size MB] [NAME...]

Names choose benches (default all): decode, startup, miner, clusters. Inputs that can be generated are
generated into DIR/bench-data and kept; those of ../shared are used when they are there. Each result
is one line for people and one JSON line in DIR/bench.json.
"""
import argparse
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.path.join(os.path.dirname(TOP), "shared")


class Bench:
    def __init__(self, build, runs, size_mb):
        self.build = os.path.abspath(build)
        self.lode = os.path.join(self.build, "lode")
        self.runs = runs
        self.size_mb = size_mb
        self.data = os.path.join(self.build, "bench-data")
        self.results = []
        os.makedirs(self.data, exist_ok=True)

    def tool(self, name):
        return os.path.join(self.build, "bench", name)

    def report(self, name, text, **figures):
        print(f"{name:10} {text}", flush=True)
        self.results.append({"bench": name, **figures})


def run(command, env=None):
    """Wall seconds, CPU seconds, peak MB and standard output of one whole process."""
    t0 = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env) as p:
        out = p.stdout.read()
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit {p.returncode}")
    return (time.monotonic() - t0, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out)


def median(command, runs, env=None):
    rows = [run(command, env) for _ in range(runs)]
    return tuple(statistics.median(r[i] for r in rows) for i in range(3)) + (rows[0][3],)


def warm(path):
    with open(path, "rb") as f:
        while f.read(1 << 24):
            pass
    return os.path.getsize(path) / 1e6


def decode_one(bench, name, path, perf_options):
    mb = warm(path)
    wall, cpu, rss, out = median([bench.lode, "info", "--json", *perf_options[1], path], bench.runs)
    samples = json.loads(out)["samples"]
    text = (f"{name}: {mb:.0f} MB, {samples} samples: lode {wall:.2f} s ({mb / wall:.0f} MB/s, "
            f"{samples / wall / 1e6:.2f} M samples/s, cpu {cpu:.2f} s, peak {rss:.0f} MB = "
            f"{rss / mb:.0%} of the file)")
    figures = {"input": name, "mb": mb, "lode_s": wall, "lode_cpu_s": cpu, "lode_peak_mb": rss,
               "samples": samples}
    if shutil.which("perf"):
        peer = ["perf", *perf_options[0], "script", "--no-inline", "-i", path, *perf_options[2]]
        run(peer)  # its symbol caches warm
        p_wall, p_cpu, p_rss, _ = median(peer, max(1, bench.runs // 3))
        text += (f"; perf script {p_wall:.1f} s ({mb / p_wall:.0f} MB/s, peak {p_rss:.0f} MB): "
                 f"{p_wall / wall:.1f} times faster, {p_cpu / cpu:.1f} times less CPU")
        figures.update(perf_s=p_wall, perf_cpu_s=p_cpu, perf_peak_mb=p_rss, ratio=p_wall / wall)
    bench.report("decode", text, **figures)


def bench_decode(bench):
    folder = os.path.join(bench.data, f"stream-{bench.size_mb}")
    path = os.path.join(folder, "perf.data")
    if not os.path.exists(path):
        subprocess.run([bench.tool("gen_stream"), "--seed", "1", "--size", f"{bench.size_mb}M",
                        "-o", folder], check=True, stdout=subprocess.DEVNULL)
    decode_one(bench, "generated", path, ([], [], []))
    startup = os.path.join(SHARED, "traces", "startup")
    if os.path.isdir(startup):
        path = os.path.join(bench.data, "startup-29.perf.data")
        if not os.path.exists(path):
            subprocess.run(["zstd", "-q", "-d", "-f", os.path.join(startup,
                            "startup-29.perf.data.zst"), "-o", path], check=True)
        symbols = os.path.join(startup, "symbols")
        decode_one(bench, "startup-29", path,
                   (["--buildid-dir", symbols], ["--buildid-dir", symbols], []))


def bench_startup(bench):
    folder = os.path.join(SHARED, "traces", "startup")
    if not os.path.isdir(folder):
        folder = os.path.join(TOP, "samples", "startup")
    table = os.path.join(folder, "manifest.tsv")
    if not os.path.exists(table):
        table = os.path.join(folder, "symptoms.tsv")
    files = sorted(glob.glob(os.path.join(folder, "*.perf.data.zst")))
    wall, cpu, rss, out = median([bench.lode, "mine", "--json", "--symptoms", table, *files],
                                 bench.runs)
    doc = json.loads(out)
    bench.report("startup", f"{len(files)} recordings, {doc['symptoms']} symptoms, "
                 f"{doc['patterns']} patterns: lode mine {wall:.2f} s (cpu {cpu:.2f} s, "
                 f"peak {rss:.0f} MB)", recordings=len(files), lode_s=wall, lode_cpu_s=cpu,
                 lode_peak_mb=rss)


def bench_miner(bench):
    path = os.path.join(bench.data, "stacks-10000.folded")
    if not os.path.exists(path):
        with open(path, "wb") as f:
            subprocess.run([bench.tool("gen_stream"), "--seed", "1", "--folded", "10000"],
                           check=True, stdout=f)
    inputs = [("generated 10k", path, "0.5%")]
    for name, share in (("layered", "1%"), ("layered", "0.1%"), ("callgraph", "5%"),
                        ("callgraph", "1%")):
        shared = os.path.join(SHARED, "datasets", "stacks", f"{name}-100k.folded.zst")
        if os.path.exists(shared):
            inputs.append((f"{name} 100k", shared, share))
    for name, path, share in inputs:
        rows = [json.loads(run([bench.tool("bench_miner"), "--share", share, path])[3])
                for _ in range(bench.runs)]
        seconds = statistics.median(r["seconds"] for r in rows)
        bench.report("miner", f"{name} at {share}: {rows[0]['patterns']} patterns in "
                     f"{seconds:.3f} s (peak {rows[0]['peak_mb']:.0f} MB)", input=name, share=share,
                     seconds=seconds, patterns=rows[0]["patterns"], peak_mb=rows[0]["peak_mb"])


def bench_clusters(bench):
    for n in (2239, 20000):
        rows = [json.loads(run([bench.tool("bench_clusters"), "--patterns", str(n)])[3])
                for _ in range(bench.runs)]
        seconds = statistics.median(r["seconds"] for r in rows)
        bench.report("clusters", f"{n} patterns: {rows[0]['clusters']} clusters in {seconds:.3f} s "
                     f"(peak {rows[0]['peak_mb']:.0f} MB)", patterns=n, seconds=seconds,
                     clusters=rows[0]["clusters"], peak_mb=rows[0]["peak_mb"])


BENCHES = {"decode": bench_decode, "startup": bench_startup, "miner": bench_miner,
           "clusters": bench_clusters}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(TOP, "build", "release"))
    parser.add_argument("--runs", type=int, default=5, help="runs of each command (medians)")
    parser.add_argument("--size", type=int, default=600, help="MB of the generated recording")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHES))
    args = parser.parse_args()
    unknown = set(args.names) - set(BENCHES)
    if unknown:
        parser.error(f"no bench named {', '.join(sorted(unknown))}")
    bench = Bench(args.build, args.runs, args.size)
    for name, function in BENCHES.items():
        if not args.names or name in args.names:
            function(bench)
    with open(os.path.join(bench.build, "bench.json"), "w", encoding="utf-8") as f:
        for result in bench.results:
            f.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
