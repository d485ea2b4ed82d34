"""Pages in Chromium, from a file and from lode serve: their size, when they can be used, and how soon
they answer the pointer, a key, a click."""
import json
import os
import shutil
import statistics

from bench_serve import lode_serve
from bench_sites import mine_page, timeline_index
from harness import TOP
from measure import Missing, run

CALLS = 50_000_000


def driver(name):
    """Node with the packages of web/, and a browser; or Missing."""
    if not shutil.which("node") or not os.path.isdir(os.path.join(TOP, "web", "node_modules")):
        raise Missing("Node and the packages of web/ are not there (tools/build-pages)")
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        raise Missing("Chromium is not installed")
    return ["node", os.path.join(TOP, "web", "tools", f"measure-{name}.mjs")]


class Seen:
    """Figures of some runs: medians, and the best."""

    def __init__(self, bench, measure, place):
        self.rows = [json.loads(run([*measure, place]).out) for _ in range(bench.runs)]

    def __call__(self, key):
        return statistics.median(r[key] for r in self.rows)

    def best(self, key):
        return min(r[key] for r in self.rows)

    def figures(self, prefix=""):
        return {prefix + key: self(key) for key in self.rows[0]}


def mine_text(seen):
    return (f"interactive (the list is there, and a first click answered) after "
            f"{seen('interactive_ms'):.0f} ms, best {seen.best('interactive_ms'):.0f} (list "
            f"{seen('list_ms'):.0f} ms; CPU {seen('cpu_ms'):.0f} ms); opening a cluster "
            f"{seen('open_ms'):.0f} ms, slowest of ten {seen('open_most_ms'):.0f}; a letter in the search "
            f"{seen('search_ms'):.0f} ms, slowest {seen('search_most_ms'):.0f}")


def bench_mine(bench):
    page, made, serve = mine_page(bench)
    measure = driver("mine")
    mb = os.path.getsize(page) / 1e6
    name = f"{made['clusters']:,} clusters of {made['streams']:,} recordings"
    seen = Seen(bench, measure, page)
    bench.report("pages", f"{name}, a file", f"{mb:.2f} MB, {mine_text(seen)}", mb=mb, **made,
                 **seen.figures())
    with lode_serve(bench, *serve) as server:
        seen = Seen(bench, measure, server.url + "/#/mine")
    bench.report("pages", f"{name}, served", mine_text(seen), **made, **seen.figures())


def timeline_text(seen, zooms):
    return (f"first picture after {seen('drawn_ms'):.0f} ms, best {seen.best('drawn_ms'):.0f} (CPU "
            f"{seen('cpu_ms'):.0f} ms); following the pointer {seen('pointer_ms'):.1f} ms, 99 % "
            f"{seen('pointer_p99_ms'):.1f}, in each frame (every {seen('frame_ms'):.1f} ms, 99 % "
            f"{seen('frame_p99_ms'):.1f}); a zoom step {seen('zoom_ms'):.0f} ms, slowest "
            f"{seen('zoom_most_ms'):.0f}; {zooms} {seen('detail_ms'):.0f} ms, slowest "
            f"{seen('detail_most_ms'):.0f}")


def bench_timelines(bench):
    measure = driver("timeline")
    index = timeline_index(bench, CALLS)
    page = os.path.join(bench.data, "timeline.html")
    made = run([bench.lode, "timeline", "--html", page, index])
    mb = os.path.getsize(page) / 1e6
    name = f"a timeline of {bench.scaled('50 million calls', 'fewer calls')}, 28 threads"
    seen = Seen(bench, measure, page)
    bench.report("pages", f"{name}, a file", f"{mb:.2f} MB, made from the index in CPU {made.cpu:.1f} s; "
                 + timeline_text(seen, "with the file's finest marks"), mb=mb, make_cpu_s=made.cpu,
                 **seen.figures())
    with lode_serve(bench, index) as server:
        seen = Seen(bench, measure, server.url + "/#/timeline")
    bench.report("pages", f"{name}, served", timeline_text(seen, "with what the server was asked for"),
                 **seen.figures())


def bench_sandwich(bench):
    page, _, _ = mine_page(bench)
    measure, stacks = driver("sandwich"), bench.scaled(100_000, 5_000)
    rows = [json.loads(run([*measure, page, str(stacks)]).out) for _ in range(bench.runs)]
    seen = {key: statistics.median(r[key] for r in rows) for key in rows[0]}
    bench.report("pages", f"a function's callers and callees among {stacks:,} stacks",
                 f"{seen['nodes']:,.0f} nodes; from the click to the picture {seen['sandwich_ms']:.0f} ms, slowest of "
                 f"ten {seen['sandwich_most_ms']:.0f} (CPU {seen['cpu_ms']:.0f} ms)", **seen)


def bench_pages(bench):
    with bench.optional("pages", "mine"):
        bench_mine(bench)
    with bench.optional("pages", "sandwich"):
        bench_sandwich(bench)
    with bench.optional("pages", "timeline"):
        bench_timelines(bench)


BENCHES = {"pages": bench_pages}
