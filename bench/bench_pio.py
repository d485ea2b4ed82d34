"""lode pio: training at the paper's size, the auction recordings, and RIPPER against Weka's JRip."""
import glob
import json
import os
import re
import statistics
import subprocess

from measure import TooSlow, run, warm

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("LODE_SHARED", os.path.join(os.path.dirname(TOP), "shared"))
WEKA = "/usr/share/java/weka.jar"
SETS = "/usr/share/doc/weka/examples"
JRIP = ["java", "-Xmx6g", "-cp", WEKA, "weka.classifiers.rules.JRip"]
N_SEEDS = 5
LIMIT_S = 1800


def table(bench, rows, columns):
    """Generated counters with five planted rules."""
    path = os.path.join(bench.data, f"counters-{rows}-{columns}.arff")
    if not os.path.exists(path):
        with open(path + ".part", "wb") as out:
            subprocess.run([bench.tool("bench_ripper"), "--generate", str(rows), str(columns)],
                           stdout=out, check=True)
        os.rename(path + ".part", path)
    return path


def learning_time(bench, has_weka):
    for rows in (20000, 180000):
        path = table(bench, rows, 70)
        warm(path)
        ours = json.loads(run([bench.tool("bench_ripper"), path]).out)
        text = (f"{rows:,} rows, 70 counters: {ours['rules']} rules in {ours['seconds']:.2f} s, "
                f"CPU {ours['cpu_seconds']:.2f} s")
        figures = {"rows": rows, "lode_s": ours["seconds"], "lode_cpu_s": ours["cpu_seconds"]}
        if has_weka:
            try:
                peer = run([*JRIP, "-t", path, "-no-cv", "-S", "1"], limit=LIMIT_S)
            except TooSlow:
                bench.report("pio", f"RIPPER {rows}", f"{text}; JRip was stopped after {LIMIT_S} s",
                             **figures, jrip_over_s=LIMIT_S)
                continue
            found = re.search(rb"Time taken to build model: ([\d.]+)", peer.out)
            seconds = float(found.group(1)) if found else peer.wall
            figures.update(jrip_s=seconds, jrip_cpu_s=peer.cpu)
            text += (f"; JRip {seconds:.1f} s, its process {peer.cpu:.1f} s of CPU: "
                     f"{peer.cpu / ours['cpu_seconds']:.0f} times the CPU")
        bench.report("pio", f"RIPPER {rows}", text, **figures)


def jrip_error(path, seed):
    out = run([*JRIP, "-t", path, "-x", "10", "-s", str(seed), "-S", str(seed), "-o", "-v"],
              limit=900).out.decode()
    found = re.search(r"cross-validation.*?Incorrectly Classified Instances\s+\d+\s+([\d.]+)", out,
                      re.S)
    return float(found.group(1)) if found else None


def errors(bench):
    """10-fold errors on the public sets of Debian's weka package, each over some seeds."""
    ours_all, peer_all, lines = [], [], []
    for path in sorted(glob.glob(os.path.join(SETS, "*.arff"))):
        name = os.path.basename(path)[:-5]
        if name.startswith(("Reuters", "cpu", "supermarket")):
            continue  # texts, a numeric class, and minutes of JRip
        ours = [float(x) for x in run([bench.tool("bench_ripper"), "--folds", "10", "--seeds",
                                       str(N_SEEDS), path]).out.split()]
        peer = [e for e in (jrip_error(path, s) for s in range(1, N_SEEDS + 1)) if e is not None]
        if not ours or not peer:
            continue
        ours_all.append(statistics.mean(ours))
        peer_all.append(statistics.mean(peer))
        lines.append(f"{name} {ours_all[-1]:.1f}/{peer_all[-1]:.1f}")
    if lines:
        bench.report("pio", "RIPPER's errors", f"10-fold, {N_SEEDS} seeds, percent lode/JRip: "
                     f"{', '.join(lines)}; mean {statistics.mean(ours_all):.2f}/"
                     f"{statistics.mean(peer_all):.2f}", lode=ours_all, jrip=peer_all)


def auction(bench):
    folder = os.path.join(SHARED, "pio", "auction")
    if not os.path.exists(os.path.join(folder, "P1", "access.log.zst")):
        return
    inputs = lambda p: ["--log", f"{folder}/{p}/access.log.zst"] + [
        o for s in ("web", "app", "db") for o in ("-c", f"{s}={folder}/{p}/counters_{s}.csv.zst")]
    model = os.path.join(bench.data, "auction.model")
    train = run([bench.lode, "pio", "train", *inputs("P1"), "-o", model])
    analyse = run([bench.lode, "pio", "-m", model, "--json", *inputs("P2")])
    n = len(json.loads(analyse.out)["periods"])
    bench.report("pio", "auction", f"train on P1 {train.wall:.2f} s (CPU {train.cpu:.2f}), analyse "
                 f"P2 {analyse.wall:.2f} s (CPU {analyse.cpu:.2f}): {n} slow periods",
                 train_cpu_s=train.cpu, analyse_cpu_s=analyse.cpu)


def bench_pio(bench):
    has_weka = os.path.exists(WEKA)
    auction(bench)
    d = json.loads(run([bench.tool("bench_pio")], limit=1800).out)
    bench.report("pio", "paper's size", f"{d['requests']:,} requests, {d['values']:,} counter values: "
                 f"{d['seconds']:.0f} s, CPU {d['cpu_seconds']:.0f} s, peak {d['peak_mb']:.0f} MB",
                 **d)
    learning_time(bench, has_weka)
    if has_weka:
        errors(bench)


BENCHES = {"pio": bench_pio}
