"""Whole processes, measured: wall and CPU seconds, peak memory, standard output."""
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
import time


class TooSlow(Exception):
    """The command was stopped at its time limit."""


class Missing(Exception):
    """A peer or a data set that is not here."""


class Failed(Exception):
    """A command ended with an error."""


class Figures:
    """What one process took. `peak_mb` of processes below 20 MB is this interpreter's own."""

    def __init__(self, wall, cpu, peak_mb, out=b""):
        self.wall, self.cpu, self.peak_mb, self.out = wall, cpu, peak_mb, out
        self.best = wall


def peer(name):
    """The path of another program, or Missing."""
    found = shutil.which(name)
    if not found:
        raise Missing(f"{name} is not installed")
    return found


def run(command, keep_output=True, limit=240):
    """One run. A peer's output goes to /dev/null: reading it here would slow it down."""
    t0 = time.monotonic()
    sink = subprocess.PIPE if keep_output else subprocess.DEVNULL
    with tempfile.TemporaryFile() as said, \
            subprocess.Popen(command, stdout=sink, stderr=said) as p:
        timer = threading.Timer(limit, p.kill)
        timer.start()
        out = p.stdout.read() if keep_output else b""
        _, status, usage = os.wait4(p.pid, 0)
        timer.cancel()
        p.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - t0
        said.seek(0)
        complaint = said.read()[-500:].decode(errors="replace").strip().replace("\n", "; ")
    if p.returncode < 0 and wall >= limit:
        raise TooSlow(f"over {limit} s")
    if p.returncode not in (0, 1):
        raise Failed(f"{' '.join(command)}: exit {p.returncode}: {complaint}")
    return Figures(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out)


def median(command, runs, keep_output=True, limit=240):
    """Medians of `runs` runs; `best` is the shortest, for machines that others use as well."""
    rows = [run(command, keep_output, limit) for _ in range(runs)]
    result = Figures(*(statistics.median(getattr(r, f) for r in rows)
                       for f in ("wall", "cpu", "peak_mb")), rows[0].out)
    result.best = min(r.wall for r in rows)
    return result


def warm(path):
    """Puts a file into the page cache; gives its size in MB."""
    with open(path, "rb", buffering=0) as f:
        while f.read(1 << 20):
            pass
    return os.path.getsize(path) / 1e6


def load_average():
    with open("/proc/loadavg", encoding="ascii") as f:
        return float(f.read().split()[0])


def machine():
    """The machine in one line."""
    model = "unknown CPU"
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        for line in f:
            if line.startswith("model name"):
                model = " ".join(line.split(":", 1)[1].split())
                break
    return f"{len(os.sched_getaffinity(0))} CPUs, {model}"
