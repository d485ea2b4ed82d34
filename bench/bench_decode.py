"""Decoding a recording: lode info against perf script."""
import json
import os
import shutil
import subprocess

from harness import shared
from measure import median, run, warm


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
    if not shutil.which("perf"):
        text += "; perf is not installed"
    else:
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
    startup = shared("traces", "startup")
    path = os.path.join(bench.data, "startup-29.perf.data")
    if not os.path.exists(path):
        subprocess.run(["zstd", "-q", "-d", "-f", os.path.join(startup, "startup-29.perf.data.zst"),
                        "-o", path], check=True)
    decode_one(bench, "real recording startup-29", path, os.path.join(startup, "symbols"))


BENCHES = {"decode": bench_decode}
