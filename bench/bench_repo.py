"""Repositories: import, queries, and mining 1,000 and 10,000 recordings against one merged digest."""
import glob
import json
import os
import shutil
import subprocess

from bench_startup import startup_set
from measure import median, run

# The time of mining must be that of reading and of the miner's usual work, not of a λ at which the
# perturbed stacks explode.
MINE = ["--json", "--top", "10", "--min-cost", "1%"]


def digests(bench, n):
    """n digests of startup size, from those of the startup set."""
    base = os.path.join(bench.data, "startup-digests")
    table, files = startup_set(bench)
    files = [f for f in files if os.path.basename(f).startswith("startup-")] or files
    run([bench.lode, "digest", "-o", base, "--symptoms", table, *files])
    folder = os.path.join(bench.data, f"repo-digests-{n}")
    if len(glob.glob(os.path.join(folder, "*.digest"))) != n:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([bench.tool("gen_digests"), str(n), folder,
                        *sorted(glob.glob(os.path.join(base, "*startup-*.digest")))], check=True)
    return folder


def import_all(bench, n, folder, repo):
    for path in glob.glob(repo + "*"):
        os.remove(path)
    got = run([bench.lode, "import", "--repo", repo, "-l", "release=2.1", folder], limit=1800)
    again = run([bench.lode, "import", "--repo", repo, folder], limit=1800)
    one = os.path.join(folder, "00000.digest")
    known = run([bench.lode, "import", "--repo", repo, one])
    size = os.path.getsize(repo)
    plain = sum(os.path.getsize(p) for p in glob.glob(os.path.join(folder, "*.digest")))
    bench.report("repo", f"import {n:,} digests",
                 f"{got.wall:.1f} s, CPU {got.cpu:.1f} s: {n / got.wall:.0f} digests/s, "
                 f"{n / got.cpu:.0f} per CPU second; again, all there: {again.wall:.2f} s; one of "
                 f"them: {known.wall * 1e3:.0f} ms; {size / 1e6:.0f} MB, digests alone "
                 f"{plain / 1e6:.0f} MB", streams=n, wall_s=got.wall, cpu_s=got.cpu,
                 again_s=again.wall, repo_bytes=size, digest_bytes=plain)


def mine_all(bench, n, folder, repo):
    merged = os.path.join(bench.data, f"repo-merged-{n}.digest")
    run([bench.lode, "digest", "--merge", merged, folder], limit=1800)
    ours = median([bench.lode, "mine", *MINE, "--repo", repo], bench.runs_small)
    other = median([bench.lode, "mine", *MINE, merged], bench.runs_small)
    part = median([bench.lode, "mine", *MINE, "--repo", repo, "--where", "path~*/0001?.*"],
                  bench.runs_small)
    docs = [json.loads(g.out) for g in (ours, other)]
    same = [[(c["id"], c["own_ns"]) for c in d["clusters"]] for d in docs]
    bench.report("repo", f"mine {n:,} recordings",
                 f"{ours.wall:.2f} s, CPU {ours.cpu:.2f} s; the merged digest {other.wall:.2f} s, "
                 f"CPU {other.cpu:.2f} s: {ours.cpu / other.cpu:.2f} times; 10 of them, with all "
                 f"name statistics: {part.wall:.2f} s, CPU {part.cpu:.2f} s; peak "
                 f"{ours.peak_mb:.0f} MB; "
                 + ("same clusters" if same[0] == same[1] else "THE CLUSTERS DIFFER"),
                 streams=n, repo_s=ours.wall, repo_cpu_s=ours.cpu, merged_s=other.wall,
                 merged_cpu_s=other.cpu, part_s=part.wall, part_cpu_s=part.cpu)


def query(bench, n, repo):
    for text in ("host=web7", "path~*/0001?.*", "release=2.1 and host~web3*"):
        got = median([bench.lode, "repo", "list", "--top", "1", "--repo", repo, "--where", text],
                     bench.runs)
        bench.report("repo", f"query of {n:,}: {text}",
                     f"{got.wall * 1e3:.0f} ms, CPU {got.cpu * 1e3:.0f} ms", wall_s=got.wall,
                     cpu_s=got.cpu)


def bench_repo(bench):
    for n in bench.scaled((1000, 10000), (100,)):
        folder = digests(bench, n)
        repo = os.path.join(bench.data, f"repo-{n}.lode")
        import_all(bench, n, folder, repo)
        mine_all(bench, n, folder, repo)
        query(bench, n, repo)


BENCHES = {"repo": bench_repo}
