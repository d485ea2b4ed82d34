"""Recording: throughput of programs under lode record, in short turns with the same programs alone.

What a machine does from one second to the next differs by more than what recording costs. So runs are
short, and come in fours: alone, recorded, recorded, alone. Within a four what drifts evenly cancels
out, and its loss is 1 - sqrt(recorded * recorded / (alone * alone)). The figure is the median over all
fours; its interval is that between two of the losses in order that holds the median with 95 %, whatever
the losses' distribution (of six fours: all of them). Programs that need one CPU are pinned to it.

Recorded with call chains alone, as a recording goes on once its first second has been looked at; what
that second costs, in which stack dumps are taken as well, is a row of its own.
"""
import contextlib
import glob
import math
import os
import pwd
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

from measure import Failed, Missing, peer

SECONDS = 1.0        # a run of a program
FEWEST_FOURS = 6     # fewer have no interval of 95 %
MINUTES = 4.5        # all programs together, beside their preparation
N_COMPARISONS = 7    # that share this time

CPUS = sorted(os.sched_getaffinity(0))
FIRST, LAST = {CPUS[0]}, {CPUS[-1]}


def as_postgres():
    """PostgreSQL's server refuses to run as root."""
    if os.geteuid():
        return []
    user = pwd.getpwnam("postgres")
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--init-groups"]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


@contextlib.contextmanager
def server(command, ask):
    """A server that answers `ask` before the block begins, and ends with it."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
        try:
            for _ in range(200):
                if subprocess.run(ask, capture_output=True, check=False).returncode == 0:
                    break
                time.sleep(0.05)
            else:
                raise Failed(f"{command[0]} does not answer")
            yield p.pid
        finally:
            p.terminate()


@contextlib.contextmanager
def postgres(scratch):
    """A cluster of pgbench's tables on the disk that holds `scratch`; gives pgbench's command and the server's pid."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not found:
        raise Missing("PostgreSQL is not installed")
    pgbench, data, port = peer("pgbench"), os.path.join(scratch, "data"), free_port()
    os.mkdir(data)
    os.chmod(scratch, 0o755)
    if not os.geteuid():
        user = pwd.getpwnam("postgres")
        os.chown(data, user.pw_uid, user.pw_gid)
    subprocess.run([*as_postgres(), f"{found[-1]}/initdb", "-A", "trust", "-U", "postgres", "-D", data], check=True,
                   capture_output=True)
    asked = ["-h", data, "-p", port, "-U", "postgres"]
    with server([*as_postgres(), f"{found[-1]}/postgres", "-D", data, "-p", port, "-k", data],
                ["psql", *asked, "-c", ""]) as pid:
        subprocess.run([pgbench, "-q", "-i", "-s", "10", *asked, "postgres"], check=True, capture_output=True)
        yield [pgbench, "-n", *asked], pid


def pinned(command, cpus):
    return ["taskset", "-c", ",".join(map(str, sorted(cpus))), *command]


def rate(command, pattern):
    """What the program itself says that it did in a second."""
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    found = re.findall(pattern, p.stdout)
    if p.returncode or not found:
        raise Failed(f"{' '.join(command)}: exit {p.returncode}: {p.stdout[-300:].strip()}")
    return float(found[-1].replace(",", ""))


def sized(command, count, pattern, cpus):
    """The command with as many operations as take SECONDS alone: `count` is its place for their number."""
    n = 2000
    while True:
        started = time.monotonic()
        rate(pinned([word if word != count else str(n) for word in command], cpus), pattern)
        took = time.monotonic() - started
        if took > SECONDS / 4 or n > 10 ** 8:
            return [word if word != count else str(max(1, int(n * SECONDS / took))) for word in command]
        n *= 4


def interval(losses):
    """The two in order that hold the median with at least 95 %: of a binomial distribution, each half 1/2."""
    n, outside, k = len(losses), 0.0, 0
    while k < n // 2 and outside + math.comb(n, k) / 2 ** n <= 0.025:
        outside += math.comb(n, k) / 2 ** n
        k += 1
    return (sorted(losses)[k - 1], sorted(losses)[n - k]) if k else (-math.inf, math.inf)


def say(losses):
    low, high = interval(losses)
    return f"{statistics.median(losses):.0%} fewer ({low:.0%} to {high:.0%}, {len(losses)} fours)"


CHAINS = ("--call-graph", "fp")


def compare(bench, name, command, pattern, options=CHAINS, cpus=frozenset(CPUS), base=None):
    """Fours of `base` (None: alone) and recorded with `options`, for this comparison's share of the time."""
    def one(recording):
        with tempfile.TemporaryDirectory(dir=bench.data) as out:
            recorded = [] if recording is None else [bench.lode, "record", *recording, "-o", f"{out}/x.lode", "--"]
            return rate([*recorded, *pinned(command, cpus)], pattern)

    one(options)  # what runs for the first time reads from the disk
    until = time.monotonic() + bench.scaled(MINUTES * 60 / N_COMPARISONS, 0)
    fours = []
    while len(fours) < bench.scaled(FEWEST_FOURS, 1) or time.monotonic() < until:
        fours.append([one(base), one(options), one(options), one(base)])
    losses = [1 - math.sqrt(b * c / (a * d)) for a, b, c, d in fours]
    alone = statistics.median([rate for four in fours for rate in (four[0], four[3])])
    low, high = interval(losses)
    bench.report("record", name, f"{alone:,.0f} a second{'' if base is None else ' recorded'}; {say(losses)}",
                 alone=alone, lost=statistics.median(losses), lost_low=low, lost_high=high, fours=len(fours))


def bench_record(bench):
    if os.geteuid():
        raise Missing("root, to record the whole machine,")
    peer("perf")
    peer("taskset")
    with bench.optional("record", "round trips over pipes"):
        pattern = r"([\d,]+) ops/sec"
        command = sized([peer("perf"), "bench", "sched", "pipe", "-l", "N"], "N", pattern, LAST)
        compare(bench, "round trips over pipes, one CPU", command, pattern, cpus=LAST)
    with bench.optional("record", "pgbench"):
        scratch = tempfile.mkdtemp(dir="/var/tmp")
        try:
            with postgres(scratch) as (pgbench, pid):
                pattern = r"tps = ([\d.]+)"
                for name, options, of_server, of_client in (
                        ("pgbench -S, 8 clients", ["-S", "-c", "8"], CPUS, CPUS),
                        ("pgbench -N, 8 clients", ["-N", "-c", "8"], CPUS, CPUS),
                        ("pgbench -N, 1 client, each side on one CPU", ["-N"], FIRST, LAST)):
                    os.sched_setaffinity(pid, of_server)
                    command = sized([*pgbench, *options, "-t", "N", "postgres"], "N", pattern, of_client)
                    compare(bench, name, command, pattern, cpus=of_client)
                    if "-S" in options:
                        compare(bench, f"{name}, the first second", command, pattern, ["--call-graph", "auto"])
        finally:
            shutil.rmtree(scratch)
    with bench.optional("record", "redis-benchmark"):
        port = free_port()
        with server([peer("redis-server"), "--port", port, "--save", ""], [peer("redis-cli"), "-p", port, "ping"]):
            pattern = r'"GET","([\d.]+)"'
            command = sized([peer("redis-benchmark"), "-p", port, "-t", "get", "-n", "N", "--csv"], "N", pattern, CPUS)
            compare(bench, "redis-benchmark, 50 clients", command, pattern)
            compare(bench, "redis-benchmark, --network beside a recording without it", command, pattern, [*CHAINS, "--network"], base=CHAINS)


BENCHES = {"record": bench_record}
ON_REQUEST = {"record"}
