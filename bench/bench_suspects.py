"""lode suspects against the paper's method in Python over perf script's text, on the same file."""
import json
import os
import shutil
import subprocess

from measure import median, run, warm

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("LODE_SHARED", os.path.join(os.path.dirname(TOP), "shared"))
N_LARGE, N_PEER = 20, 3  # how often the recording is repeated


def recording(bench):
    """(path, options): ls with colours on 45,000 files; else ls on this machine, recorded now."""
    folder = os.path.join(SHARED, "traces", "syscalls-ls")
    packed = os.path.join(folder, "ls-01-color-cold.perf.data.zst")
    path, symbols = (os.path.join(bench.data, n) for n in ("ls.perf.data", "ls-symbols"))
    if os.path.exists(packed):
        if not os.path.exists(symbols):
            os.makedirs(symbols)
            subprocess.run(["tar", "-C", symbols, "--zstd", "-xf",
                            os.path.join(folder, "symbols.tar.zst")], check=True)
        if not os.path.exists(path):
            subprocess.run(["zstd", "-q", "-d", "-f", packed, "-o", path], check=True)
        return path, ["--buildid-dir", symbols]
    path = os.path.join(bench.data, "ls-here.perf.data")
    if not os.path.exists(path) and shutil.which("perf"):
        subprocess.run(["perf", "record", "-q", "-g", "-m", "32M", "-e", "raw_syscalls:*", "-o",
                        path, "--", "ls", "-lR", "--color=always", "/usr/share"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return (path, []) if os.path.exists(path) else (None, [])


def repeated(bench, path, n):
    """The recording n times in a row, as one."""
    out = f"{path}.x{n}"
    if not os.path.exists(out):
        subprocess.run([bench.tool("repeat_stream"), str(n), path, out], check=True,
                       stdout=subprocess.DEVNULL)
    return out


def bench_suspects(bench):
    path, options = recording(bench)
    if not path:
        print("suspects  no recording of system calls, and perf cannot make one")
        return
    # From file to ranked table, on one thread.
    n_large = bench.scaled(N_LARGE, 2)
    for n, runs in ((n_large, bench.runs), (n_large * 4, 1)):
        large = repeated(bench, path, n)
        mb = warm(large)
        ours = median([bench.lode, "suspects", "--json", "--threads", "1", *options, large], runs)
        doc = json.loads(ours.out)
        events = 2 * sum(m["n"] for m in doc["metrics"])
        bench.report("suspects", f"system calls of ls, {n} times", f"{mb:.0f} MB, {events:,} events, "
                     f"{len(doc['metrics'])} metrics in {ours.wall:.2f} s, CPU {ours.cpu:.2f} s = "
                     f"{events / ours.cpu / 1e6:.2f} M events per CPU second; peak "
                     f"{ours.peak_mb:.0f} MB", mb=mb, events=events, lode_s=ours.wall,
                     lode_best_s=ours.best, lode_cpu_s=ours.cpu, lode_peak_mb=ours.peak_mb)
        if n != n_large:
            os.unlink(large)
    if not shutil.which("perf"):
        return
    small = repeated(bench, path, bench.scaled(N_PEER, 1))
    warm(small)
    ours = median([bench.lode, "suspects", "--json", "--threads", "1", *options, small],
                  bench.runs_small)
    events = 2 * sum(m["n"] for m in json.loads(ours.out)["metrics"])
    script = "perf \"$@\" script --no-inline -F tid,time,event,trace,ip,sym -i \"$FILE\" | " \
             "python3 \"$PEER\""
    peer = run(["env", f"FILE={small}",
                f"PEER={os.path.join(TOP, 'bench', 'peer_suspects.py')}", "bash", "-c", script,
                "bash", *options], limit=900)
    bench.report("suspects", "against Python over perf script", f"{events:,} events: lode CPU "
                 f"{ours.cpu:.2f} s, perf script and Python {peer.cpu:.1f} s: "
                 f"{peer.cpu / ours.cpu:.0f} times the CPU", events=events, lode_cpu_s=ours.cpu,
                 peer_cpu_s=peer.cpu, cpu_ratio=peer.cpu / ours.cpu)


BENCHES = {"suspects": bench_suspects}
