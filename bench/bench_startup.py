"""The whole job on real recordings."""
import glob
import json
import os

from harness import SHARED, TOP
from measure import Missing, median


def startup_set(bench):
    """The recordings and their table of symptoms: the whole set, or the samples made from it."""
    for folder, table in ((os.path.join(SHARED, "traces", "startup"), "manifest.tsv"),
                          (os.path.join(TOP, "samples", "startup"), "symptoms.tsv")):
        if os.path.exists(os.path.join(folder, table)):
            files = sorted(glob.glob(os.path.join(folder, "*.perf.data.zst")))
            return os.path.join(folder, table), files[::bench.scaled(1, 5)]
    raise Missing("no startup recordings, not even in samples/")


def mine_startup(bench, name, files, options, runs):
    got = median([bench.lode, "mine", "--json", *options, *files], runs)
    doc = json.loads(got.out)
    bench.report("startup", name, f"{len(files)} recordings, {doc['symptoms']} symptoms, "
                 f"{doc['patterns']} patterns in {got.wall:.2f} s, best {got.best:.2f}, CPU "
                 f"{got.cpu:.2f} s, peak {got.peak_mb:.0f} MB", recordings=len(files),
                 lode_s=got.wall, lode_best_s=got.best, lode_cpu_s=got.cpu,
                 lode_peak_mb=got.peak_mb)


def bench_startup(bench):
    table, files = startup_set(bench)
    mine_startup(bench, "lode mine", files, ["--symptoms", table], bench.runs)
    # What people run first: every thread of the recorded commands, from start to end.
    mine_startup(bench, "lode mine, no --symptoms", files, [], bench.runs_small)


BENCHES = {"startup": bench_startup}
