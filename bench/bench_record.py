"""Recording: throughput of programs under lode record, in turn with the same programs alone."""
import contextlib
import glob
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

SECONDS = 3


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
            yield
        finally:
            p.terminate()


@contextlib.contextmanager
def postgres(scratch):
    """A cluster of pgbench's tables on the disk that holds `scratch`; gives pgbench's command."""
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
    with server([*as_postgres(), f"{found[-1]}/postgres", "-D", data, "-p", port, "-k", data], ["psql", *asked, "-c", ""]):
        subprocess.run([pgbench, "-q", "-i", "-s", "10", *asked, "postgres"], check=True, capture_output=True)
        yield [pgbench, "-T", str(SECONDS), *asked]


def rate(command, pattern):
    """What the program itself says that it did in a second."""
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    found = re.findall(pattern, p.stdout)
    if p.returncode or not found:
        raise Failed(f"{' '.join(command)}: exit {p.returncode}: {p.stdout[-300:].strip()}")
    return float(found[-1].replace(",", ""))


def compare(bench, name, command, pattern, variants):
    """Medians, each variant of recording in turn with the program alone."""
    rates = {variant: [] for variant in ("alone", *variants)}
    for _ in range(bench.runs):
        for variant, options in (("alone", None), *variants.items()):
            with tempfile.TemporaryDirectory(dir=bench.data) as out:
                recorded = [] if options is None else [bench.lode, "record", *options, "-o", f"{out}/x.lode", "--"]
                rates[variant].append(rate([*recorded, *command], pattern))
    alone = statistics.median(rates["alone"])
    text, figures = [f"{alone:,.0f} a second"], {"alone": alone}
    for variant in variants:
        each = rates[variant]
        lost = 1 - statistics.median(each) / alone
        text.append(f"{variant} {statistics.median(each):,.0f} ({min(each):,.0f} to {max(each):,.0f}): {lost:.0%} fewer")
        figures[variant + "_lost"] = lost
    bench.report("record", name, "; ".join(text), **figures)


def bench_record(bench):
    if os.geteuid():
        raise Missing("root, to record the whole machine,")
    peer("perf")
    recorded = {"recorded": []}
    with bench.optional("record", "round trips over pipes"):
        compare(bench, "round trips over pipes", [peer("perf"), "bench", "sched", "pipe", "-l", bench.scaled("200000", "2000")],
                r"([\d,]+) ops/sec", recorded)
    with bench.optional("record", "pgbench"):
        scratch = tempfile.mkdtemp(dir="/var/tmp")
        try:
            with postgres(scratch) as pgbench:
                for name, options in (("pgbench -S, 8 clients", ["-S", "-c", "8"]), ("pgbench -N, 8 clients", ["-N", "-c", "8"]),
                                      ("pgbench -N, 1 client", ["-N"])):
                    compare(bench, name, [*pgbench, *options, "postgres"], r"tps = ([\d.]+)", recorded)
        finally:
            shutil.rmtree(scratch)
    with bench.optional("record", "redis-benchmark"):
        port = free_port()
        with server([peer("redis-server"), "--port", port, "--save", ""], [peer("redis-cli"), "-p", port, "ping"]):
            compare(bench, "redis-benchmark, 50 clients",
                    [peer("redis-benchmark"), "-p", port, "-t", "get", "-n", bench.scaled("300000", "3000"), "--csv"],
                    r'"GET","([\d.]+)"', {"recorded": [], "with --network": ["--network"]})


BENCHES = {"record": bench_record}
ON_REQUEST = {"record"}
