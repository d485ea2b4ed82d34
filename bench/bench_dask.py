"""lode-dask with two workers against one process with two threads, in CPU time: what spreading the work costs."""
import contextlib
import functools
import http.server
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from bench_startup import startup_set
from harness import TOP
from measure import Missing, run

DRIVERS = os.path.join(TOP, "drivers")
# As docs/scale.md recommends: Dask's profiler shows Python functions only, and its event loops are checked 50 times a second.
SETTINGS = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False", "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s"}


def session_ticks(sessions):
    """CPU time of the processes of these sessions, with those of their children that they waited for."""
    total = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            stat = file.read().rpartition(")")[2].split()
            if int(stat[3]) in sessions:
                total += sum(map(int, stat[11:15]))
    return total


class Cluster:
    """A scheduler and two workers with a thread each, on loopback."""

    def __init__(self, folder, lode, settings):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{s.getsockname()[1]}"
        self.env = dict(os.environ, LODE=lode, PYTHONPATH=DRIVERS, PYTHONDONTWRITEBYTECODE="1", **settings)
        self.folder, self.started = folder, []
        port = self.address.rpartition(":")[2]
        self.start("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        for i in range(2):
            self.start("worker", self.address, "--nthreads", "1", "--memory-limit", "2GB", "--no-dashboard",
                       "--local-directory", os.path.join(folder, f"worker-{i}"))

    def start(self, what, *words):
        # a session each: what runs the tasks is a child of a thread, and /proc lists children by thread
        self.started.append(subprocess.Popen([sys.executable, "-m", f"distributed.cli.dask_{what}", *words], env=self.env,
                                             start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def cpu(self):
        return session_ticks({process.pid for process in self.started}) / os.sysconf("SC_CLK_TCK")

    def settle(self):
        """Until it idles: two workers need some seconds to start. Gives what heartbeats and Dask's profiler take, in CPU
        seconds per second."""
        before = self.cpu()
        for _ in range(30):
            time.sleep(2)
            now = self.cpu()
            if now - before < 0.6:
                time.sleep(4)
                return (self.cpu() - now) / 4
            before = now
        raise Missing("a Dask cluster that idles within a minute")

    def digest(self, manifest, output, *options):
        """CPU seconds of driver and cluster, and the wall time."""
        shutil.rmtree(output + ".work", ignore_errors=True)
        before = self.cpu()
        got = run(["env", *(f"{key}={self.env[key]}" for key in ("LODE", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")),
                   os.path.join(DRIVERS, "lode-dask"), manifest, "--scheduler", self.address, "-o", output, *options], limit=1200)
        return got.cpu + self.cpu() - before, got.wall

    def stop(self):
        for process in reversed(self.started):
            process.terminate()
        for process in self.started:
            process.wait()


def same(a, b):
    with open(a, "rb") as one, open(b, "rb") as other:
        return one.read() == other.read()


def measure(bench, cluster, name, n, here, there):
    """In turns, as others use this machine too."""
    one, all_of = os.path.join(cluster.folder, "one.digest"), os.path.join(cluster.folder, "all.digest")
    ours, theirs = [], []
    for _ in range(bench.runs_small):
        theirs.append(run([bench.lode, "digest", "-j2", "--merge", one, here], limit=1200))
        ours.append(cluster.digest(there, all_of, "--parts", "16"))
    cpu, wall = (sorted(values)[len(values) // 2] for values in zip(*ours))
    alone = sorted(theirs, key=lambda f: f.cpu)[len(theirs) // 2]
    bench.report("dask", name, f"{n} recordings by two workers: CPU {cpu:.1f} s, {wall:.1f} s; one process with two "
                 f"threads: CPU {alone.cpu:.1f} s, {alone.wall:.1f} s: efficiency {alone.cpu / cpu:.2f} in CPU time, "
                 f"{alone.wall / wall:.2f} in wall time; {(cpu - alone.cpu) / n * 1e3:.2f} ms of CPU time a recording; "
                 + ("same bytes" if same(one, all_of) else "OTHER BYTES"),
                 cpu_s=cpu, wall_s=wall, alone_cpu_s=alone.cpu, alone_s=alone.wall, recordings=n)


def write_manifest(folder, name, lines):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(["#lode manifest 1", *lines]) + "\n")
    return path


def startup_copies(bench, folder, copies):
    """Links to the recordings of the startup set."""
    _, files = startup_set(bench)
    paths = []
    for i in range(copies):
        for file in files:
            paths.append(os.path.join(folder, f"{i:03d}-{os.path.basename(file)}"))
            os.symlink(file, paths[-1])
    return paths


def small_recordings(folder, n):
    """Of some kilobytes, which lode reads in less than a millisecond: what the driver does for each shows."""
    paths = []
    for i in range(n):
        paths.append(os.path.join(folder, f"small-{i:05d}.folded"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.writelines(f"app;main;{';'.join(f'f{(i * k + d) % 97}' for d in range(9))} {k}\n" for k in range(1, 40))
    return paths


class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass


def over_http(bench, cluster, small):
    """From a web server of this process, whose own CPU time is not the driver's."""
    handler = functools.partial(Quiet, directory=os.path.dirname(small[0]))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_address[1]}"
        urls = [f"{base}/{os.path.basename(path)}" for path in small]
        here = write_manifest(cluster.folder, "far-here", [f"{path}\tname={url}" for path, url in zip(small, urls)])
        measure(bench, cluster, "small recordings over HTTP", len(small), here,
                write_manifest(cluster.folder, "far", urls))
        server.shutdown()


def with_cluster(bench, name, settings, action):
    """What an idle cluster takes is part of what it takes to work, in proportion to the wall time."""
    with tempfile.TemporaryDirectory(prefix="lode-bench-", dir=bench.data) as folder:
        cluster = Cluster(folder, bench.lode, settings)
        try:
            idle = cluster.settle()
            bench.report("dask", name, f"scheduler and two workers take {idle * 1e3:.0f} ms of CPU time per second", cpu_share=idle)
            action(bench, cluster)
        finally:
            cluster.stop()


def measure_all(bench, cluster):
    folder = cluster.folder
    paths = startup_copies(bench, folder, bench.scaled(16, 1))
    for name, some in (("startup set", paths[:len(paths) // 4]), ("startup set, four times as many", paths)):
        manifest = write_manifest(folder, "startup", some)
        measure(bench, cluster, name, len(some), manifest, manifest)
    small = small_recordings(folder, bench.scaled(1000, 100))
    manifest = write_manifest(folder, "small", small)
    measure(bench, cluster, "small recordings", len(small), manifest, manifest)
    over_http(bench, cluster, small)


def bench_dask(bench):
    if not importlib.util.find_spec("distributed") or not importlib.util.find_spec("aiohttp"):
        raise Missing("Dask is not installed (python3-distributed, python3-aiohttp)")
    with_cluster(bench, "idle cluster, Dask's defaults", {}, lambda *_: None)
    with_cluster(bench, "idle cluster, as docs/scale.md sets it", SETTINGS, measure_all)


BENCHES = {"dask": bench_dask}
