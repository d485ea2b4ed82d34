"""Function traces: reading them, the whole engine, windows from the index; against llvm-xray convert
on the same log, and against the authors' NonSequitur on their example and on a larger one."""
import json
import os
import shutil
import statistics
import subprocess
from random import Random

from harness import shared
from measure import Missing, median, run, warm

LARGE, PEER = 50_000_000, 1_000_000  # calls; of a quick run, as many percent of these
QUICK_PCT = 2
TANGLED = 50  # of 100 functions call two others: tens of thousands of stacks per thread
COPIES = 40  # of NonSequitur's example, one behind the other


def generated(bench, calls, fork=None):
    """An XRay log of so many calls of 28 threads (a quick run: fewer), and its symbols; kept."""
    calls = bench.scaled(calls, calls * QUICK_PCT // 100)
    path = os.path.join(bench.data, f"served-{calls}{f'-fork-{fork}' if fork else ''}.xray")
    options = ["--fork", str(fork)] if fork else []
    symbols = os.path.join(bench.data, "calls.symbols")
    if not os.path.exists(path):
        with open(path + ".truth", "wb") as truth:
            subprocess.run([bench.tool("gen_xray"), "--calls", str(calls), *options, "--symbols",
                            symbols, path + ".part"], check=True, stdout=truth)
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


def convert(bench, name, path, symbols, cpu):
    """The peer: it reads a log into memory and writes yaml, its only exact output, or trace events.

    Compared with lode's reading alone (`cpu`), and with all of lode: reading, RegTime, the report."""
    ours = median([bench.lode, "timeline", "-j1", "--symbols", symbols, path], bench.runs_small)
    for output in ("yaml", "trace_event"):
        with bench.optional("timeline", f"llvm-xray convert to {output}, {name}") as row:
            if not shutil.which("llvm-xray"):
                raise Missing("llvm-xray is not installed")
            peer = run(["llvm-xray", "convert", f"--output-format={output}",
                        "-o", "/dev/null", path], keep_output=False, limit=300)
            bench.report("timeline", row,
                         f"{peer.wall:.1f} s, CPU {peer.cpu:.1f} s, peak {peer.peak_mb:.0f} MB; "
                         f"lode timeline, one thread, whole: {ours.wall:.3f} s, CPU "
                         f"{ours.cpu:.3f} s: {peer.cpu / ours.cpu:.0f} times; its reading alone "
                         f"{cpu:.3f} s: {peer.cpu / cpu:.0f} times",
                         peer_s=peer.wall, peer_cpu_s=peer.cpu, peer_peak_mb=peer.peak_mb,
                         lode_s=ours.wall, lode_cpu_s=ours.cpu, cpu_ratio=peer.cpu / ours.cpu,
                         reading_ratio=peer.cpu / cpu)


def bench_reading(bench):
    path, symbols = generated(bench, LARGE)
    for threads in (1, 2):
        read_one(bench, "a generated log of 50 million calls", path, symbols, threads)
    path, symbols = generated(bench, PEER)
    convert(bench, "generated, 1 million calls", path, symbols,
            read_one(bench, "a generated log of 1 million calls", path, symbols, 1))
    with bench.optional("timeline", "reading wiredtiger-evict"):
        folder = shared("traces", "function", "wiredtiger-evict")
        path = unpacked(bench, "wiredtiger-evict.xray", os.path.join(folder, "trace.log.zst"))
        symbols = os.path.join(folder, "symbols.tsv")
        cpu = read_one(bench, "wiredtiger-evict", path, symbols, 1)
        if not bench.is_quick:
            convert(bench, "wiredtiger-evict", path, symbols, cpu)


# ---- The engine: read, compress, index; windows from the index ----

def whole(bench, name, path, symbols):
    """lode timeline --index, and windows of the busiest thread from that index."""
    mb = warm(path)
    index = os.path.join(bench.data, "timeline.lodet")
    ours = median([bench.lode, "timeline", "--json", "--symbols", symbols, "--index", index, path],
                  bench.runs_small)
    threads = sorted(json.loads(ours.out)["threads"], key=lambda t: -t["calls"])
    calls = json.loads(ours.out)["calls"]
    bench.report("timeline", f"read, compress, index {name}",
                 f"{mb:.0f} MB, {calls:,} calls in {ours.wall:.2f} s, best {ours.best:.2f}, CPU "
                 f"{ours.cpu:.2f} s = {ours.cpu / calls * 1e9:.0f} ns per call; peak "
                 f"{ours.peak_mb:.0f} MB; index {os.path.getsize(index) / 1e6:.0f} MB; ratios "
                 f"{min(t['ratio'] for t in threads[:8]):,.0f} to "
                 f"{max(t['ratio'] for t in threads[:8]):,.0f}, most marks "
                 f"{max(t['events_after'] for t in threads):,}",
                 mb=mb, calls=calls, lode_s=ours.wall, lode_best_s=ours.best, lode_cpu_s=ours.cpu,
                 lode_peak_mb=ours.peak_mb, index_mb=os.path.getsize(index) / 1e6)
    busiest = threads[0]
    length = (busiest["t1_ns"] - busiest["t0_ns"]) / 1e9
    for share in (0.001, 0.1, 1):
        start = (busiest["t0_ns"] - json.loads(ours.out)["t0_ns"]) / 1e9 + length * (1 - share) / 2
        window = f"+{start:.9f}s,+{start + length * share:.9f}s"
        row = median([bench.lode, "timeline", "--json", "--thread", str(busiest["tid"]),
                      "--window", window, index], bench.runs_small)
        n = json.loads(row.out)["threads"][0]["calls"]
        bench.report("timeline", f"a window of {share:.1%} from the index of {name}",
                     f"{n:,} calls of one thread again in {row.wall * 1000:.0f} ms, best "
                     f"{row.best * 1000:.0f}, CPU {row.cpu * 1000:.0f} ms, the program's start and "
                     "the index's directory included", calls=n, lode_s=row.wall,
                     lode_best_s=row.best, lode_cpu_s=row.cpu)
    os.remove(index)


def bench_engine(bench):
    path, symbols = generated(bench, LARGE)
    whole(bench, "a generated log of 50 million calls", path, symbols)
    path, symbols = generated(bench, LARGE, TANGLED)
    whole(bench, "50 million calls with very many stacks", path, symbols)
    os.remove(path)
    with bench.optional("timeline", "read, compress, index wiredtiger-evict"):
        folder = shared("traces", "function", "wiredtiger-evict")
        path = unpacked(bench, "wiredtiger-evict.xray", os.path.join(folder, "trace.log.zst"))
        whole(bench, "wiredtiger-evict", path, os.path.join(folder, "symbols.tsv"))


# ---- NonSequitur's own example ----

def repeated(source, folder, copies):
    """The texts of a folder, each `copies` times one behind the other, in time order."""
    os.makedirs(folder, exist_ok=True)
    for name in sorted(os.listdir(source)):
        with open(os.path.join(source, name), encoding="ascii") as f:
            lines = [line.split(" ") for line in f]
        span = int(lines[-1][2]) - int(lines[0][2]) + 1000
        with open(os.path.join(folder, name), "w", encoding="ascii") as f:
            for i in range(copies):
                f.writelines(f"{kind} {function} {int(t) + i * span}\n"
                             for kind, function, t in lines)


def example(bench):
    """The folder with NonSequitur's example."""
    folder = os.path.join(bench.data, "nonsequitur-1")
    source = shared("traces", "function", "nonsequitur-example")
    os.makedirs(folder, exist_ok=True)
    for name in sorted(os.listdir(source)):
        if name.startswith("trace1_"):
            unpacked(bench, os.path.join("nonsequitur-1", name[:-4]), os.path.join(source, name))
    return folder


def beside_nonsequitur(bench, name, folder, runs):
    ours = median([bench.lode, "timeline", folder], runs)
    line = f"lode {ours.wall * 1e3:.1f} ms, best {ours.best * 1e3:.1f}, CPU {ours.cpu * 1e3:.1f} ms"
    with bench.optional("timeline", f"NonSequitur, {name}, {line}") as row:
        checkout = os.environ.get("NONSEQUITUR")
        if not checkout:
            raise Missing("$NONSEQUITUR names no checkout of github.com/auggywonger/nonsequitur_vis")
        peer = median(["python3", "bench/peer_nonsequitur.py", checkout, folder],
                      bench.runs_small)
        bench.report("timeline", row,
                     f"the authors' engine {peer.wall:.2f} s, best {peer.best:.2f}, CPU "
                     f"{peer.cpu:.2f} s: {peer.wall / ours.wall:.0f} times (best of each "
                     f"{peer.best / ours.best:.0f}, CPU {peer.cpu / ours.cpu:.0f})",
                     lode_s=ours.wall, lode_best_s=ours.best, lode_cpu_s=ours.cpu,
                     peer_s=peer.wall, peer_best_s=peer.best, peer_cpu_s=peer.cpu)


def bench_nonsequitur(bench):
    with bench.optional("timeline", "NonSequitur"):
        folder = example(bench)
        copies = bench.scaled(COPIES, 2)
        large = os.path.join(bench.data, f"nonsequitur-{copies}")
        beside_nonsequitur(bench, "its example (44,076 calls)", folder, 5 * bench.runs)
        repeated(folder, large, copies)
        beside_nonsequitur(bench, f"{copies} times its example", large, bench.runs)
        shutil.rmtree(large)


# ---- The page against the text report ----

TIMES, SECONDS_PER_CALL = 3, 2e-6  # a page may cost so many times its text report, and so much more


def burst(bench):
    """5,001 calls: 5 ms of them, and one an hour later."""
    path = os.path.join(bench.data, "burst.csv")
    with open(path, "w", encoding="ascii") as f:
        for i in range(5001):
            t = 1_000_000_000 + i * 1000 + (3_600_000_000_000 if i == 5000 else 0)
            f.write(f"1,enter,f{i % 50},{t}\n1,exit,f{i % 50},{t + 500}\n")
    return path


# Traces that a part of the page might take too long for, by their shape: lines of csv, of about n calls.

def deep(n):
    """One stack, a call on the next."""
    for i in range(n):
        yield 1, "enter", i % 50, i * 1000
    for i in reversed(range(n)):
        yield 1, "exit", i % 50, (2 * n - i) * 1000


def deep_threads(n):
    """200 threads with a stack each."""
    depth = n // 200
    for d in range(depth):
        for thread in range(200):
            yield thread, "enter", d % 40, d * 100_000 + thread
    for d in reversed(range(depth)):
        for thread in range(200):
            yield thread, "exit", d % 40, (2 * depth - d) * 100_000 + thread


def irregular(n, functions=100_000):
    """Durations of all magnitudes, of very many functions."""
    random, t = Random(1), 1000
    for _ in range(n):
        function = random.randrange(functions)
        yield 1, "enter", function, (t := t + random.randrange(10, 100))
        yield 1, "exit", function, (t := t + int(random.paretovariate(0.7) * 10) % 10 ** 9)


def irregular_stacks(n):
    """The same on stacks that grow and shrink, 20,000 deep at most."""
    random, t, stack = Random(1), 1000, []
    for _ in range(2 * n):
        t += int(random.paretovariate(0.8) * 10) % 10 ** 9
        if not stack or len(stack) < 20_000 and random.random() < 0.502:
            stack.append(random.randrange(3000))
            yield 1, "enter", stack[-1], t
        else:
            yield 1, "exit", stack.pop(), t


def loops(n):
    """300 loops of 49 short calls each, again and again, now and then with a long one."""
    random, t = Random(1), 1000
    for i in range(n // 50):
        yield 1, "enter", i % 300, t
        for k in range(49):
            yield 1, "enter", 300 + k % 7, (t := t + random.randrange(20, 40))
            yield 1, "exit", 300 + k % 7, (t := t + random.randrange(10, 5000 if random.random() < .02 else 60))
        yield 1, "exit", i % 300, (t := t + 5)
        t += random.choice((10, 10, 10, 5000, 200_000))


def threads(n):
    """A call of each thread."""
    for i in range(n):
        yield i, "enter", 0, i * 1000
        yield i, "exit", 0, i * 1000 + 500


SHAPES = (("calls nested in each other", deep, 1_000_000), ("200 threads with deep stacks", deep_threads, 500_000),
          ("irregular calls of 100,000 functions", irregular, 400_000),
          ("irregular calls on deep stacks", irregular_stacks, 500_000),
          ("loops with outliers", loops, 1_000_000), ("threads with one call", threads, 200_000))


def page_of(bench, name, path, options=()):
    page = os.path.join(bench.data, "page.html")
    text = median([bench.lode, "timeline", *options, path], bench.runs_small)
    html = median([bench.lode, "timeline", *options, "--html", page, path], bench.runs_small)
    report = json.loads(run([bench.lode, "timeline", "--json", *options, path]).out)
    bound = TIMES * text.cpu + SECONDS_PER_CALL * report["calls"]
    bench.report("timeline", f"the page of {name}",
                 f"{report['calls']:,} calls: CPU {html.cpu:.3f} s, text {text.cpu:.3f} s; bound "
                 f"(3 x text + 2 s per million calls) {bound:.3f} s: "
                 f"{'held' if html.cpu <= bound else 'NOT HELD'}; "
                 f"{os.path.getsize(page) / 1e6:.1f} MB", calls=report["calls"],
                 page_cpu_s=html.cpu, text_cpu_s=text.cpu, bound_s=bound,
                 is_held=html.cpu <= bound)
    os.remove(page)


def bench_page(bench):
    page_of(bench, "a burst and a call an hour later", burst(bench))
    with bench.optional("timeline", "the page of NonSequitur's example"):
        page_of(bench, "NonSequitur's example, two clocks",
                shared("traces", "function", "nonsequitur-example"))
    with bench.optional("timeline", "the page of wiredtiger-evict"):
        folder = shared("traces", "function", "wiredtiger-evict")
        page_of(bench, "wiredtiger-evict", os.path.join(folder, "trace.log.zst"),
                ["--symbols", os.path.join(folder, "symbols.tsv")])
    path, symbols = generated(bench, PEER)
    page_of(bench, "a generated log of 1 million calls", path, ["--symbols", symbols])
    path = os.path.join(bench.data, "shape.csv")
    for name, rows, calls in SHAPES:
        with open(path, "w", encoding="ascii") as f:
            f.writelines(f"{thread},{kind},f{function},{t}\n"
                         for thread, kind, function, t in rows(bench.scaled(calls, calls // 20)))
        page_of(bench, name, path)
    os.remove(path)


def bench_timeline(bench):
    bench_page(bench)
    bench_reading(bench)
    bench_nonsequitur(bench)
    bench_engine(bench)


BENCHES = {"timeline": bench_timeline}
