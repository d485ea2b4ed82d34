"""Pages: their size, their first picture, and what following the pointer takes, in Chromium."""
import json
import os
import shutil
import statistics
import subprocess

from bench_timeline import generated
from harness import TOP
from measure import Missing, run

CALLS = 50_000_000


def driver():
    """Node with the packages of web/, and a browser; or Missing."""
    if not shutil.which("node") or not os.path.isdir(os.path.join(TOP, "web", "node_modules")):
        raise Missing("Node and the packages of web/ are not there (tools/build-pages)")
    if not shutil.which("chromium"):
        raise Missing("Chromium is not installed")
    return ["node", os.path.join(TOP, "web", "tools", "measure-timeline.mjs")]


def bench_pages(bench):
    with bench.optional("pages", "a timeline of 50 million calls, 28 threads") as row:
        measure = driver()
        trace, symbols = generated(bench, CALLS)
        index = os.path.join(bench.data, "pages.lodet")
        subprocess.run([bench.lode, "timeline", "--symbols", symbols, "--index", index, trace],
                       check=True, stdout=subprocess.DEVNULL)
        page = os.path.join(bench.data, "timeline.html")
        made = run([bench.lode, "timeline", "--html", page, index])
        rows = [json.loads(run([*measure, page]).out) for _ in range(bench.runs)]
        os.remove(index)

        def middle(key):
            return statistics.median(r[key] for r in rows)
        bench.report("pages", row,
                     f"{os.path.getsize(page) / 1e6:.2f} MB, made from the index in CPU "
                     f"{made.cpu:.1f} s; first picture after {middle('drawn_ms'):.0f} ms, best "
                     f"{min(r['drawn_ms'] for r in rows):.0f}; following the pointer "
                     f"{middle('pointer_ms'):.1f} ms, 99 % {middle('pointer_p99_ms'):.1f}; a zoom step "
                     f"{middle('zoom_ms'):.0f} ms",
                     mb=os.path.getsize(page) / 1e6, make_cpu_s=made.cpu,
                     drawn_ms=middle("drawn_ms"), pointer_ms=middle("pointer_ms"),
                     pointer_p99_ms=middle("pointer_p99_ms"), zoom_ms=middle("zoom_ms"))


BENCHES = {"pages": bench_pages}
