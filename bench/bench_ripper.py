"""RIPPER against Weka's JRip: learning time as rows grow, and errors on the public sets it brings."""
import glob
import json
import os
import re
import statistics
import subprocess

from measure import Missing, TooSlow, run, warm

WEKA = "/usr/share/java/weka.jar"
SETS = "/usr/share/doc/weka/examples"
COLUMNS = 70
SIZES = (2500, 5000, 10000, 20000)  # JRip takes minutes for the largest
FULL = 180000
LIMIT_S = 900
FULL_LIMIT_S = 1500
N_SEEDS = 10
SLOW_SETS = {"supermarket": 5}  # seeds of those that JRip takes long for
# Serial collection: the threads of others would count as JRip's CPU time. The heap is far from full: the
# most it holds after a collection is reported.
JAVA = ["java", "-XX:+UseSerialGC", "-Xmx6g"]
JRIP = ["-cp", WEKA, "weka.classifiers.rules.JRip"]


def need_weka():
    if not os.path.exists(WEKA):
        raise Missing("Weka is not installed (Debian: weka)")


def table(bench, rows):
    """Generated counters with five planted rules."""
    path = os.path.join(bench.data, f"counters-{rows}-{COLUMNS}.arff")
    if not os.path.exists(path):
        with open(path + ".part", "wb") as out:
            subprocess.run([bench.tool("bench_ripper"), "--generate", str(rows), str(COLUMNS)],
                           stdout=out, check=True)
        os.rename(path + ".part", path)
    warm(path)
    return path


def heap(log):
    """From Java's log of collections: the most that was live after one, MB, and seconds spent."""
    live, seconds = 0, 0.0
    if os.path.exists(log):
        with open(log, encoding="utf-8") as f:
            for line in f:
                found = re.search(r"->(\d+)M\(\d+M\) ([\d.]+)ms", line)
                if found:
                    live, seconds = max(live, int(found.group(1))), seconds + float(found.group(2)) / 1e3
    return live, seconds


def jrip_learns(bench, path, limit):
    """Seconds to build the model, by its own word, CPU seconds of the process, and its heap."""
    log = os.path.join(bench.data, "jrip-gc.log")
    if os.path.exists(log):
        os.unlink(log)
    try:
        done = run([*JAVA, f"-Xlog:gc:file={log}", *JRIP, "-t", path, "-no-cv", "-S", "1"], limit=limit)
    except TooSlow:
        return None, None, *heap(log)
    found = re.search(rb"Time taken to build model: ([\d.]+)", done.out)
    return float(found.group(1)) if found else done.wall, done.cpu, *heap(log)


def compare(bench, rows, limit, of="ripper"):
    path = table(bench, rows)
    ours = json.loads(run([bench.tool("bench_ripper"), path]).out)
    seconds, cpu, live, collecting = jrip_learns(bench, path, limit)
    text = (f"{rows:,} rows, {COLUMNS} counters: {ours['rules']} rules in {ours['seconds']:.3f} s, CPU "
            f"{ours['cpu_seconds']:.3f} s; ")
    if cpu is None:
        ratio = limit / ours["seconds"]
        text += f"JRip did not end within {limit} s: at least {ratio:.0f} times longer"
    else:
        ratio = seconds / ours["seconds"]
        text += (f"JRip {seconds:.1f} s, its process {cpu:.1f} s of CPU: {ratio:.0f} times longer, "
                 f"{cpu / ours['cpu_seconds']:.0f} times the CPU")
    text += f" (heap of 6 GB, live at most {live} MB, {collecting:.1f} s of collections)"
    bench.report(of, f"learning, {rows:,} rows", text, rows=rows, lode_s=ours["seconds"],
                 lode_cpu_s=ours["cpu_seconds"], jrip_s=seconds, jrip_cpu_s=cpu, limit_s=limit,
                 ratio=ratio, jrip_live_mb=live, jrip_collecting_s=collecting)
    return cpu is not None


def bench_ripper(bench):
    need_weka()
    for rows in bench.scaled(SIZES, (250, 500)):
        if not compare(bench, rows, LIMIT_S):
            break
    errors(bench)


def bench_full(bench):
    """The size of the promise, as far as the peer gets."""
    need_weka()
    compare(bench, bench.scaled(FULL, 1000), FULL_LIMIT_S, "ripper-large")


# ---- Errors ----

def jrip_error(path, seed):
    out = run([*JAVA, *JRIP, "-t", path, "-x", "10", "-s", str(seed), "-S", str(seed), "-o", "-v"],
              limit=900).out.decode()
    found = re.search(r"cross-validation.*?Incorrectly Classified Instances\s+\d+\s+([\d.]+)", out,
                      re.S)
    return float(found.group(1)) if found else None


def spread(figures):
    """The square of the standard error of their mean."""
    return statistics.variance(figures) / len(figures) if len(figures) > 1 else 0.0


def errors(bench):
    """10-fold errors of each set over some seeds; worse is what is so by more than a point and by more
    than two standard errors of the difference."""
    ours_all, peer_all, worse = [], [], []
    paths = sorted(glob.glob(os.path.join(SETS, "*.arff")))
    for path in bench.scaled(paths, [p for p in paths if p.endswith(("iris.arff", "vote.arff"))]):
        name = os.path.basename(path)[:-5]
        if name.startswith(("Reuters", "cpu")):
            continue  # texts, and a numeric class
        n_seeds = bench.scaled(SLOW_SETS.get(name, N_SEEDS), 2)
        ours = [float(x) for x in run([bench.tool("bench_ripper"), "--folds", "10", "--seeds",
                                       str(n_seeds), path]).out.split()]
        peer = [e for e in (jrip_error(path, s) for s in range(1, n_seeds + 1)) if e is not None]
        if not ours or not peer:
            continue
        ours_all.append(statistics.mean(ours))
        peer_all.append(statistics.mean(peer))
        more, error = ours_all[-1] - peer_all[-1], (spread(ours) + spread(peer)) ** 0.5
        if more > 1 and more > 2 * error:
            worse.append(name)
        bench.report("ripper", f"error, {name}", f"{ours_all[-1]:.2f} % of 10 folds, {n_seeds} seeds; JRip "
                     f"{peer_all[-1]:.2f} %: {more:+.2f}, standard error {error:.2f}",
                     lode_pct=ours_all[-1], jrip_pct=peer_all[-1], error_pct=error, seeds=n_seeds)
    if ours_all:
        bench.report("ripper", "error, all sets", f"mean of {len(ours_all)} sets "
                     f"{statistics.mean(ours_all):.2f} %, JRip {statistics.mean(peer_all):.2f} %; worse on "
                     f"{', '.join(worse) or 'none'}", lode_pct=statistics.mean(ours_all),
                     jrip_pct=statistics.mean(peer_all), worse=worse)


BENCHES = {"ripper": bench_ripper, "ripper-large": bench_full}
ON_REQUEST = {"ripper-large"}
