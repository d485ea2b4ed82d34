"""lode-dask, with recordings in files and on a web server that fails."""
import contextlib
import glob
import importlib.util
import os
import random
import signal
import subprocess
import sys

import failing
import harness


def lacks():
    if not importlib.util.find_spec("distributed"):
        return "dask is not installed (python3-distributed)"
    if not importlib.util.find_spec("aiohttp"):
        return "fsspec has no HTTP here (python3-aiohttp)"
    return ""


def start_worker(test, address, name, *before):
    return test.start(name, *before, sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1",
                      "--memory-limit", "500MB", "--no-dashboard", "--local-directory", os.path.abspath(name))


def start_cluster(test, address, n_workers):
    """Scheduler and workers, of which each has a process that starts it again."""
    protocol, _, port = address.split(":")
    scheduler = test.start("scheduler", sys.executable, "-m", "distributed.cli.dask_scheduler", "--protocol", protocol,
                           "--host", "127.0.0.1", "--port", port, "--no-dashboard")
    return scheduler, [start_worker(test, address, f"worker-{i}") for i in range(n_workers)]


def start_full_worker(test, address):
    """One with a disk of three pages, where a mount is possible."""
    os.makedirs("full", exist_ok=True)
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0:
        mount = f"mount -t tmpfs -o size=12k none '{os.path.abspath('full')}' && exec \"$@\""
        start_worker(test, address, "full", "unshare", "-m", "sh", "-c", mount, "sh")


def children_of(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]
    return []


def kill_a_worker(workers, pick):
    """Not its nanny, which starts it again."""
    victims = [child for worker in workers for child in children_of(worker.pid)]
    if victims:
        with contextlib.suppress(OSError):
            os.kill(pick.choice(victims), signal.SIGKILL)


def two_drivers_and_killed_workers(test, run, workers):
    """The same work at the same time, done by two."""
    pick = random.Random(1)
    both = [harness.Thread(target=test.driver, args=(*run, "-o", name, "--work", "work", "--retries", "20"),
                           kwargs={"says": f"{harness.N_PARTS} of {harness.N_PARTS} parts"})
            for name in ("a.digest", "b.digest")]
    for thread in both:
        thread.start()
    for n in (2, 12):
        harness.until("parts", lambda n=n: harness.n_done("work") >= n or not both[0].is_alive())
        kill_a_worker(workers, pick)
    for thread in both:
        thread.join()
    test.same("a.digest")
    test.same("b.digest")
    with open("words", encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert all("--memory 350000000 " in line for line in lines), "a worker's memory was not respected"
    assert not any(line.endswith("trims") for line in lines), "lode has the malloc settings of Dask's workers"


def store_that_is_down(test, run):
    """The part is named."""
    failing.Failing.is_down = True
    test.driver(*run, "-o", "c.digest", "--retries", "0", expect=(4,), says="part-0")
    failing.Failing.is_down = False


def scheduler_that_goes(test, run, scheduler, address, work):
    """What is done is kept, and the same cluster with other workers ends it."""
    kept = harness.n_done(work)
    last = harness.Thread(target=test.driver, args=(*run, "-o", "c.digest"), kwargs={"expect": (1, 4)})
    last.start()
    harness.until("parts", lambda: harness.n_done(work) > kept or not last.is_alive())
    scheduler.kill()
    last.join()
    harness.kill_all()
    made = {path: os.stat(path).st_mtime_ns for path in glob.glob(f"{work}/part-*")}
    start_cluster(test, address, 7)
    test.driver(*run, "-o", "c.digest")
    assert all(os.stat(path).st_mtime_ns == then for path, then in made.items()), "what was done was done again"
    test.same("c.digest")


def run(test):
    address = f"tcp://127.0.0.1:{harness.free_port()}"
    server = failing.serve(failing.Files)
    harness.write_recordings(f"http://127.0.0.1:{server.server_address[1]}")
    test.one_process()
    words = ["lode-dask", "all.manifest", "--scheduler", address, "--parts", str(harness.N_PARTS)]
    test.driver(*words[:2], "--scheduler", "tcp://192.0.2.1:1", "-o", "x", expect=(4,), says="is not encrypted")
    test.driver(*words, "-o", "all.manifest", expect=(4,), says="not a digest of lode")
    scheduler, workers = start_cluster(test, address, 2)
    start_full_worker(test, address)
    two_drivers_and_killed_workers(test, words, workers)
    store_that_is_down(test, words)
    scheduler_that_goes(test, words, scheduler, address, "c.digest.work")
    server.shutdown()
