"""Function traces: reading them alone, and against llvm-xray convert on the same log."""
import json
import os
import shutil
import statistics
import subprocess

from harness import shared
from measure import Missing, run, warm

LARGE, PEER = 50_000_000, 1_000_000  # calls


def generated(bench, calls):
    """An XRay log of so many calls of 28 threads, and its symbols; kept."""
    path = os.path.join(bench.data, f"calls-{calls}.xray")
    symbols = os.path.join(bench.data, "calls.symbols")
    if not os.path.exists(path):
        with open(path + ".truth", "wb") as truth:
            subprocess.run([bench.tool("gen_xray"), "--calls", str(calls), "--symbols", symbols,
                            path + ".part"], check=True, stdout=truth)
        os.rename(path + ".part", path)
    return path, symbols


def unpacked(bench, name, packed):
    path = os.path.join(bench.data, name)
    if not os.path.exists(path):
        subprocess.run(["zstd", "-q", "-d", "-f", packed, "-o", path], check=True)
    return path


def read_one(bench, name, path, symbols, threads):
    """What reading alone takes, on so many threads."""
    mb = warm(path)
    rows = [json.loads(run([bench.tool("bench_calls"), "--threads", str(threads), "--symbols",
                            symbols, path]).out) for _ in range(bench.runs_small)]
    wall, cpu = (statistics.median(r[k] for r in rows) for k in ("seconds", "cpu_seconds"))
    best, events = min(r["seconds"] for r in rows), rows[0]["events"]
    bench.report("timeline", f"reading {name}, {threads} thread{'s'[:threads > 1]}",
                 f"{mb:.0f} MB, {events:,} events in {wall:.2f} s, best {best:.2f}, CPU {cpu:.2f} s "
                 f"= {events / cpu / 1e6:.0f} M events per CPU second; peak "
                 f"{rows[0]['peak_mb']:.0f} MB", mb=mb, events=events, lode_s=wall,
                 lode_best_s=best, lode_cpu_s=cpu, lode_peak_mb=rows[0]["peak_mb"])
    return cpu


def convert(bench, name, path, cpu):
    """The peer: it reads a log into memory and writes yaml, its only exact output."""
    with bench.optional("timeline", f"llvm-xray convert, {name}") as row:
        if not shutil.which("llvm-xray"):
            raise Missing("llvm-xray is not installed")
        peer = run(["llvm-xray", "convert", "--output-format=yaml", "-o", "/dev/null", path],
                   keep_output=False, limit=300)
        bench.report("timeline", row, f"{peer.wall:.1f} s, CPU {peer.cpu:.1f} s, peak "
                     f"{peer.peak_mb:.0f} MB: {peer.cpu / cpu:.0f} times the CPU of lode's reading",
                     peer_s=peer.wall, peer_cpu_s=peer.cpu, peer_peak_mb=peer.peak_mb,
                     cpu_ratio=peer.cpu / cpu)


def bench_reading(bench):
    path, symbols = generated(bench, LARGE)
    for threads in (1, 2):
        read_one(bench, "a generated log of 50 million calls", path, symbols, threads)
    path, symbols = generated(bench, PEER)
    convert(bench, "generated, 1 million calls", path,
            read_one(bench, "a generated log of 1 million calls", path, symbols, 1))
    with bench.optional("timeline", "reading wiredtiger-evict"):
        folder = shared("traces", "function", "wiredtiger-evict")
        path = unpacked(bench, "wiredtiger-evict.xray", os.path.join(folder, "trace.log.zst"))
        convert(bench, "wiredtiger-evict", path,
                read_one(bench, "wiredtiger-evict", path, os.path.join(folder, "symbols.tsv"), 1))


def bench_timeline(bench):
    bench_reading(bench)


BENCHES = {"timeline": bench_timeline}
