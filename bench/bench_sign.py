"""Signatures: triage of a new recording, and coverage, against a thousand of them."""
import glob
import json
import os
import random
import subprocess

from bench_startup import startup_set
from harness import shared
from measure import median, run



def sizes(bench):
    """Recordings, signatures."""
    return bench.scaled((10_000, 1_000), (100, 50))


def base_digests(bench):
    """One digest for each recording of the startup set; the last one stays out of the repository."""
    table, files = startup_set(bench)
    out = os.path.join(bench.data, "startup-digests")
    run([bench.lode, "digest", "-o", out, "--symptoms", table,
         "--buildid-dir", shared("traces", "startup", "symbols"), *files])
    return sorted(glob.glob(os.path.join(out, "*.digest")))


def repository(bench, digests):
    """Many digests, varied from a few, in a repository."""
    n = sizes(bench)[0]
    repo = os.path.join(bench.data, f"signed-{n}.lode")
    if not os.path.exists(repo):
        folder = os.path.join(bench.data, f"digests-{n}")
        if not os.path.exists(os.path.join(folder, f"{n - 1:05}.digest")):
            subprocess.run([bench.tool("gen_digests"), str(n), folder, *digests], check=True,
                           stdout=subprocess.DEVNULL)
        run([bench.lode, "import", "--repo", repo + ".part", folder], limit=1200)
        os.rename(repo + ".part", repo)
    return repo


def signatures(bench, digests):
    """As analysts have them: mined patterns in full, parts of them, and typed ones with globs. Nine in
    ten are of other releases: they have a function that the recordings lack."""
    n = sizes(bench)[1]
    path = os.path.join(bench.data, f"signatures-{n}.txt")
    if os.path.exists(path):
        return path
    mined = json.loads(run([bench.lode, "mine", "--json", "--top", "0", "--min-cost", "0.01%",
                            *digests], limit=600).out)
    patterns = [p["functions"] for c in mined["clusters"] for p in c["patterns"]]
    rng = random.Random(1)
    lines = []
    for i in range(n):
        lines.append(f"\nsignature: problem-{i:04}\n")
        for _ in range(1 + rng.randrange(5)):
            steps = rng.choice(patterns)
            form = rng.randrange(4)
            if form:  # a part: any of its functions, in order
                steps = [s for s in steps if rng.randrange(form + 1) == 0] or steps[-1:]
            steps = [s.replace("\\", "\\\\").replace("*", "\\*").replace("?", "\\?")
                     .replace(";", "\\;") for s in steps]
            if rng.randrange(10):
                steps[rng.randrange(len(steps))] += f"_r{i}"
            if form == 3:  # typed
                steps = [s.split("!")[-1][:-2] + "*" for s in steps]
            lines.append("pattern: " + "; ".join(steps) + "\n")
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(lines)
    return path


def bench_sign(bench):
    n_streams, n_signatures = sizes(bench)
    digests = base_digests(bench)
    repo = repository(bench, digests[:-1])
    text = signatures(bench, digests)
    run([bench.lode, "sign", "--repo", repo, "--import", text])
    new = digests[-1]
    one = median([bench.lode, "triage", "--repo", repo, "--json", new], bench.runs)
    match = median([bench.lode, "triage", "--repo", repo, "--json", "--no-mining", new], bench.runs)
    alone = median([bench.lode, "triage", "--signatures", text, "--json", new], bench.runs)
    known = json.loads(one.out)
    n_known = len(known["triaged"][0]["signatures"]) + known["triaged"][0].get("signatures_more", 0)
    bench.report("sign", "triage of one new recording",
                 f"against {n_signatures:,} signatures in a repository of {n_streams:,} recordings, after "
                 f"decoding: {one.wall:.2f} s, best {one.best:.2f} (CPU {one.cpu:.2f} s, "
                 f"{n_known} signatures match, the rest mined); without mining the rest "
                 f"{match.wall:.2f} s (CPU {match.cpu:.2f}); from a file of signatures "
                 f"{alone.wall:.2f} s", wall_s=one.wall, best_s=one.best, cpu_s=one.cpu,
                 match_s=match.wall, file_s=alone.wall, peak_mb=one.peak_mb)
    cover = median([bench.lode, "coverage", "--repo", repo, "--by", "day", "--json"],
                   bench.runs_small)
    doc = json.loads(cover.out)
    bench.report("sign", "coverage",
                 f"of {doc['streams']:,} recordings by {n_signatures:,} signatures, by day: "
                 f"{cover.wall:.2f} s (CPU {cover.cpu:.2f} s, peak {cover.peak_mb:.0f} MB); "
                 f"{doc['coverage']:.1%} covered", wall_s=cover.wall, cpu_s=cover.cpu,
                 peak_mb=cover.peak_mb)


BENCHES = {"sign": bench_sign}
