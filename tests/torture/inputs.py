"""Damaged inputs for every reader: how many were tried, how many failed, how many reached the decoder's inner
loops."""
import dataclasses
import itertools
import multiprocessing
import os
import pathlib
import queue as queue_module
import re
import tempfile
import time

import coverage
import readers
import runner

ROUND = 5000  # inputs after which it is the first reader's turn again
CPU_S_EACH = 0.03  # of both builds, with damaging and judging
LOOKED_LEAST = 50  # inputs; of fewer, the share says little
REACHED_LEAST = 0.8  # of a reader's inputs: fewer, and most damage is refused before it is decoded
MEMORY_MB = 1024  # of address space; a sanitizer's build may have four times as much memory


@dataclasses.dataclass
class Share:
    """A reader's part of the inputs, and what became of them."""
    reader: str
    tried: int = 0
    looked: int = 0
    reached: int = 0
    failed: list = dataclasses.field(default_factory=list)
    codes: dict = dataclasses.field(default_factory=dict)
    cpu_s: float = 0
    slowest: tuple = (0, "")

    def add(self, other):
        self.tried += other.tried
        self.looked += other.looked
        self.reached += other.reached
        self.failed += other.failed
        self.cpu_s += other.cpu_s
        self.slowest = max(self.slowest, other.slowest)
        for code, n in other.codes.items():
            self.codes[code] = self.codes.get(code, 0) + n


def programs(options, folder, everything):
    out = []
    for path, memory_mb in [(p, MEMORY_MB) for p in options.plain] + [(p, 0) for p in options.sanitized]:
        program = runner.Program(path, options.server, folder, memory_mb)
        wanted = {f for reader in everything for f in reader.reached}
        if not memory_mb:
            try:
                program.coverage = coverage.Coverage(path, folder, wanted)
            except LookupError: # not built so
                pass
        out.append(program)
    return out


def work(options, worker, everything, queue):
    """Every n-th input of each reader, some of all readers in turn, until they are done or the time is over."""
    with tempfile.TemporaryDirectory(prefix="lode-torture-", dir=options.folder) as folder:
        own = runner.Runner(programs(options, pathlib.Path(folder), everything), pathlib.Path(folder), MEMORY_MB)
        rounds = max(1, options.inputs // ROUND)
        for turn, (reader, n) in itertools.product(range(rounds), plan(options, everything)):
            share = Share(reader.name)
            own.cpu_ms = dict.fromkeys(own.cpu_ms, 0)
            own.slowest = (0, "")
            first, end = (options.first + n * k // rounds for k in (turn, turn + 1))
            for number in range(first + worker, end, options.jobs):
                if time.monotonic() > options.until:
                    break
                try_one(own, runner.damaged(reader, options.seed, number), share, options)
            share.cpu_s, share.slowest = sum(own.cpu_ms.values()) / 1000, own.slowest
            queue.put(share)
        for program in own.programs:
            program.close()
    queue.put(None)


def try_one(own, trial, share, options):
    wrong, code, reached = own.try_one(trial, options.keep)
    share.tried += 1
    share.codes[code] = share.codes.get(code, 0) + 1
    if reached is not None:
        share.looked += 1
        share.reached += reached
    if wrong:
        share.failed.append(f"{trial}: {wrong}")


def plan(options, everything):
    """(reader, inputs): the same number for each, binary formats twice."""
    weights = [2 if reader.reached else 1 for reader in everything]
    return [(reader, options.inputs * weight // sum(weights)) for reader, weight in zip(everything, weights)]


def check_names(everything):
    """Also where nothing is counted: a function that was renamed is found by each run, not only by `make torture`."""
    for name in (name for reader in everything for name in reader.reached):
        file, function = name.split(":")
        texts = [path.read_text(encoding="utf-8") for path in (readers.TOP / "src").rglob(file)]
        if not any(re.search(rf"^\w.*\b{function}\(", text, re.M) for text in texts):
            raise SystemExit(f"torture: src/ has no function {name}: correct `reached` in tests/torture/readers.py")


def check_questions(options, everything):
    """A question that no sound input answers asks nothing of damaged ones either."""
    with tempfile.TemporaryDirectory(prefix="lode-torture-", dir=options.folder) as folder:
        own = runner.Runner(programs(options, pathlib.Path(folder), [])[:1], pathlib.Path(folder), MEMORY_MB)
        for reader, ask in ((reader, ask) for reader in everything for ask in reader.ask):
            sound = (runner.Trial(reader, 0, data, ask) for data in reader.seeds)
            if not any(own.run(own.programs[0], trial)[0] in (0, 1) for trial in sound):
                raise SystemExit(f"torture: no sound {reader.name} answers lode {' '.join(ask)}: "
                                 f"{(own.folder / 'stderr').read_text(errors='replace')}")
        own.programs[0].close()


def run(options):
    """True: nothing failed. Prints a row per reader."""
    with tempfile.TemporaryDirectory(prefix="lode-torture-", dir=options.folder) as made:
        everything = readers.readers((options.plain + options.sanitized)[0], pathlib.Path(made), options.is_full)
    check_names(everything)
    everything = [e for e in everything if not options.reader or e.name in options.reader]
    if not options.first:
        check_questions(options, everything)
    minutes = options.inputs * CPU_S_EACH / options.jobs / 60
    print(f"{options.inputs} inputs: about {minutes:.0f} minutes of {options.jobs} idle CPUs, and none is begun after "
          f"{options.seconds / 60:.0f} minutes", flush=True)
    queue = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(options, i, everything, queue))
               for i in range(options.jobs)]
    started = time.monotonic()
    for worker in workers:
        worker.start()
    shares, ended = {e.name: Share(e.name) for e in everything}, 0
    while ended < len(workers):
        try:
            share = queue.get(timeout=5)
        except queue_module.Empty:
            # One that has failed itself says why on stderr, and puts nothing any more.
            if any(worker.exitcode for worker in workers):
                for worker in workers:
                    worker.terminate()
                raise SystemExit("torture: a worker failed; nothing more is tried") from None
            continue
        if share is None:
            ended += 1
            continue
        shares[share.reader].add(share)
        for line in share.failed:
            print(f"FAILED {line}", flush=True)
    for worker in workers:
        worker.join()
    for share in shares.values():
        if share.looked >= LOOKED_LEAST and share.reached < REACHED_LEAST * share.looked:
            share.failed.append("too few inputs")
            print(f"FAILED {share.reader}: {share.reached} of {share.looked} inputs reached the decoder, fewer than "
                  f"{REACHED_LEAST:.0%}: are checksums corrected, and is it asked to read them?")
    show(shares.values(), time.monotonic() - started)
    return not any(s.failed for s in shares.values())


def show(shares, seconds):
    print(f"{'reader':<20} {'tried':>7} {'failed':>6} {'reached':>8}  {'CPU s':>7}  exit codes")
    for s in shares:
        codes = " ".join(f"{code}: {n}" for code, n in sorted(s.codes.items()))
        reached = f"{100 * s.reached / s.looked:.1f} %" if s.looked else "-"
        print(f"{s.reader:<20} {s.tried:>7} {len(s.failed):>6} {reached:>8}  {s.cpu_s:>7.1f}  {codes}")
    slowest = max((s.slowest for s in shares), default=(0, ""))
    print(f"{sum(s.tried for s in shares)} inputs, {sum(len(s.failed) for s in shares)} failed, "
          f"{sum(s.cpu_s for s in shares):.0f} s of CPU in {seconds:.0f} s on {os.cpu_count()} CPUs; the slowest took "
          f"{slowest[0]} ms ({slowest[1]})")
