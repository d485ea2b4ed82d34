"""A generated fleet's digests: how merging and mining grow, and a repository of all of them.

`fleet` goes to 100,000 recordings, `fleet-large`, on request, to a million: 4 GB of digests and a repository of 4 GB.
CPU time holds on a busy machine; rates and wall times need a quiet one.
"""
import glob
import json
import os
import shutil
import subprocess
import time

from bench_growth import exponent, plot, short
from harness import TOP
from measure import Failed, run

LONG = 3 * 3600  # seconds
WORKERS = 4
N_SIGNATURES = 30


def digests(bench, n):
    """A folder with n digests, and their manifest."""
    folder = os.path.join(bench.data, f"fleet-{n}")
    manifest = os.path.join(folder, "manifest")
    whole = os.path.join(folder, "whole")  # made last
    if not os.path.exists(whole):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([bench.tool("gen_fleet"), str(n), folder], check=True)
        with open(whole, "w", encoding="utf-8"):
            pass
    return folder, manifest


# ---- Merging and mining ----

def grow(bench, name, sizes, svg):
    """One row for each size, and one with the power of the growth; the points as text beside the plot."""
    points, lines = [], ["recordings\tmerge_cpu_s\tmine_cpu_s\tmerge_peak_mb\tmine_peak_mb\tbytes"]
    for n in sizes:
        folder, manifest = digests(bench, n)
        merged = os.path.join(folder, "merged.digest")
        merge = run([bench.lode, "digest", "--merge", merged, manifest], False, LONG)
        mine = run([bench.lode, "mine", "--top", "10", merged], False, LONG)
        size = os.path.getsize(merged)
        points.append((n, max(0.001, merge.cpu + mine.cpu)))
        lines.append(f"{n}\t{merge.cpu:.3f}\t{mine.cpu:.3f}\t{merge.peak_mb:.0f}\t{mine.peak_mb:.0f}\t{size}")
        bench.report(name, f"{n:,} recordings merged and mined",
                     f"CPU {merge.cpu:.2f} + {mine.cpu:.2f} s, {(merge.cpu + mine.cpu) / n * 1e6:.0f} µs each; "
                     f"{merge.wall:.1f} + {mine.wall:.1f} s; peak {merge.peak_mb:.0f} and {mine.peak_mb:.0f} MB; "
                     f"{size / 1e6:.1f} MB", streams=n, merge_cpu_s=merge.cpu, mine_cpu_s=mine.cpu, wall_s=merge.wall + mine.wall)
    # Starting lode and mining what little there is is most of the smallest one: the last decade shows the growth.
    bench.report(name, "growth", f"with the power {exponent(points):.2f}, in the last decade {exponent(points[-2:]):.2f}",
                 points=points, exponent=exponent(points), last_exponent=exponent(points[-2:]))
    with open(svg, "w", encoding="utf-8") as f:
        f.write(plot("merging and mining digests of a fleet", "recordings", points))
    with open(os.path.splitext(svg)[0] + ".tsv", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


# ---- A repository ----

def import_one(bench, name, n, manifest, repo):
    got = run([bench.lode, "import", "--defer", "--repo", repo, manifest], False, LONG)
    bench.report(name, f"import of {n:,}, one process", f"{got.wall:.1f} s, CPU {got.cpu:.1f} s: {n / got.wall:,.0f} a second, "
                 f"{n / got.cpu:,.0f} a CPU second; peak {got.peak_mb:.0f} MB; {os.path.getsize(repo) / n:,.0f} bytes of the "
                 "file each", streams=n, wall_s=got.wall, cpu_s=got.cpu)


def import_many(bench, name, n, manifest, repo):
    """Several processes at once, each with its part of the manifest."""
    with open(manifest, encoding="utf-8") as f:
        head, *lines = f.read().splitlines()
    parts = []
    for i in range(WORKERS):
        parts.append(f"{manifest}-{i}")
        with open(parts[-1], "w", encoding="utf-8") as f:
            f.write("\n".join([head, *lines[i::WORKERS]]) + "\n")
    start = time.monotonic()
    started = [subprocess.Popen([bench.lode, "import", "--defer", "--repo", repo, part], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for part in parts]
    cpu = 0
    for process in started:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu += usage.ru_utime + usage.ru_stime
    wall = time.monotonic() - start
    known = json.loads(run([bench.lode, "repo", "show", "--repo", repo, "--json"], limit=LONG).out)["streams"]
    if known != n or any(process.returncode not in (0, 1) for process in started):
        raise Failed(f"{known} of {n} recordings were imported by {WORKERS} processes")
    bench.report(name, f"import of {n:,} by {WORKERS} processes into one", f"{wall:.1f} s, CPU {cpu:.1f} s: {n / wall:,.0f} a second, "
                 f"{n / cpu:,.0f} a CPU second", streams=n, wall_s=wall, cpu_s=cpu)


def row(bench, name, what, words, *more):
    """One command on the repository."""
    got = run([bench.lode, *words], limit=LONG)
    bench.report(name, what, f"CPU {got.cpu:.2f} s, {got.wall:.2f} s; peak {got.peak_mb:.0f} MB" + "".join(more),
                 wall_s=got.wall, cpu_s=got.cpu, peak_mb=got.peak_mb)
    return got


def without_rest(text):
    document = json.loads(text)
    for key in ("finding", "rest", "rest_other_ns"):
        document.pop(key, None)
    return document


def covers(bench, name, repo):
    """Coverage with mining, and from what the repository keeps."""
    run([bench.lode, "mine", "--repo", repo, "--top", str(2 * N_SIGNATURES)], False, LONG)
    for i in range(N_SIGNATURES):
        run([bench.lode, "sign", "--repo", repo, "--cluster", str(2 * i + 1), "--name", f"s{i}"], False)
    words = ["coverage", "--repo", repo, "--json"]
    before = os.path.getsize(repo)
    full = row(bench, name, "coverage", words)
    row(bench, name, "coverage --no-mining, the first time", [*words, "--no-mining"])
    kept = row(bench, name, "coverage --no-mining", [*words, "--no-mining"],
               f"; {(os.path.getsize(repo) - before) / 1e6:.0f} MB more in the file")
    if without_rest(full.out) != without_rest(kept.out):
        raise Failed("kept coverage is another one")


def repository(bench, name, n):
    _, manifest = digests(bench, n)
    repo, many = (os.path.join(bench.data, f"fleet-{n}{end}.lode") for end in ("", "-many"))
    for path in glob.glob(repo + "*") + glob.glob(many + "*"):
        os.remove(path)
    import_many(bench, name, n, manifest, many)
    os.remove(many)
    import_one(bench, name, n, manifest, repo)
    for where in ("host=web7", "release=3 and host~web1*", "release=3", "time>=2025-10-09 and time<2025-10-10"):
        row(bench, name, f"list --where '{where}'", ["repo", "list", "--repo", repo, "--where", where, "--top", "1"])
    row(bench, name, "compact", ["repo", "compact", "--repo", repo])
    for where in ("host=web7 or host=web11", "time>=2025-10-09 and time<2025-10-10"):
        row(bench, name, f"mine --where '{where}'", ["mine", "--repo", repo, "--where", where, "--top", "10"])
    covers(bench, name, repo)
    row(bench, name, "check", ["repo", "check", "--repo", repo])
    size = os.path.getsize(repo)
    row(bench, name, "prune --max-size, a tenth", ["repo", "prune", "--repo", repo, "--max-size", str(size * 9 // 10)])
    row(bench, name, "coverage --no-mining after it", ["coverage", "--repo", repo, "--json", "--no-mining"])
    row(bench, name, "compact after it", ["repo", "compact", "--repo", repo])
    bench.report(name, "file", f"{size / 1e6:,.0f} MB, {size / n:,.0f} bytes a recording; {os.path.getsize(repo) / 1e6:,.0f} MB "
                 "after pruning and compacting")
    os.remove(repo)


def bench_fleet(bench):
    grow(bench, "fleet", bench.scaled((1000, 10000, 100000), (100, 1000)), os.path.join(bench.data, "fleet.svg"))
    repository(bench, "fleet", bench.scaled(100000, 1000))


def bench_fleet_large(bench):
    folder = bench.scaled(os.path.join(TOP, "docs", "performance"), bench.data)
    grow(bench, "fleet-large", bench.scaled((1000, 10000, 100000, 1000000), (100, 300, 1000)), os.path.join(folder, "fleet.svg"))
    repository(bench, "fleet-large", bench.scaled(1000000, 1000))


BENCHES = {"fleet": bench_fleet, "fleet-large": bench_fleet_large}
ON_REQUEST = {"fleet-large"}
