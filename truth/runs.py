"""Records the runs of a case, within its time, and ends whatever they leave behind."""
import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from case import Failed

DUMPS = ("--call-graph", "dwarf")
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER


def adopt_orphans():
    """What servers and recorders leave behind becomes a child of this process, which ends it."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def children():
    """All processes below this one."""
    parents = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            parents[int(pid)] = int(f.read().rpartition(")")[2].split()[1])
    found, new = set(), {os.getpid()}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new} - found
        found |= new
    return found


def end_children():
    """Kills all processes below this one, and waits until they are gone."""
    for _ in range(200):
        for pid in children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not children():
            return
        time.sleep(0.05)


@contextlib.contextmanager
def within(seconds):
    """What runs longer fails."""
    def over(_number, _frame):
        raise Failed(f"took longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def record(args, case, bundle, slow, options):
    """One run under lode record; gives what the command printed, and what lode did."""
    shutil.rmtree(bundle, ignore_errors=True)
    case.start(slow)
    try:
        time.sleep(0.1)
        done = subprocess.run([args.lode, "record", *args.record, *options, "-o", bundle, "--",
                               *(str(word) for word in case.command(slow))],
                              cwd=case.scratch, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    finally:
        case.stop()
    if not bundle.exists() or done.returncode == 4:
        raise Failed(f"lode record: exit {done.returncode}: {done.stderr[-600:]}")
    return done


def write_symptoms(bundle, symptoms):
    """Replaces the command's life by a case's own symptoms, whose times are by CLOCK_MONOTONIC, as the recording's."""
    table = bundle / "symptoms.tsv"
    stream = table.read_text().splitlines()[1].partition("\t")[0]
    table.write_text("stream\ttid\tt0_ns\tt1_ns\n" +
                     "".join(f"{stream}\t{tid}\t{begin}\t{end}\n" for tid, begin, end in symptoms))


def has_dumps(bundle):
    """Whether the stacks of a recording are dumps: as they were asked for, or as lode record chose."""
    return "\nstacks     by stack dumps\n" in (bundle / "README").read_text()


def in_turn(n_slow, n_healthy):
    """Runs of both kinds, each spread evenly over the time: (is it a slow one, its number from 1)."""
    return [(is_slow, i + 1) for _, is_slow, i in sorted(
        [((i + 0.5) / n_slow, True, i) for i in range(n_slow)] +
        [((i + 0.5) / n_healthy, False, i) for i in range(n_healthy)])]


def record_all(args, case, folder):
    """Slow and healthy runs in turn, so that what drifts meets both; writes what is true of them.

    The first run is recorded with default options, and kept for the other tools. Where lode record then
    advises stack dumps, as there were too many to take them by itself, the runs that count are recorded so.
    """
    started = time.monotonic()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    case.need()
    case.prepare()
    trial = record(args, case, folder / "trial.lode", True, ())
    options = DUMPS if " ".join(DUMPS) in trial.stderr else ()
    truth_ns = 0
    for is_slow, i in in_turn(args.slow, args.healthy):
        done = record(args, case, folder / f"{'slow' if is_slow else 'healthy'}-{i}.lode", is_slow, options)
        truth_ns += case.truth_ns(done.stdout) if is_slow else 0
        if symptoms := case.symptoms(done.stdout):
            write_symptoms(folder / f"{'slow' if is_slow else 'healthy'}-{i}.lode", symptoms)
    bundles = [*folder.glob("slow-*.lode"), *folder.glob("healthy-*.lode")]
    (folder / "truth.json").write_text(json.dumps({"fault_ns": truth_ns, "advised": bool(options),
                                                   "dumps": sum(map(has_dumps, bundles)), "slow": args.slow,
                                                   "healthy": args.healthy, "recorded": time.time(),
                                                   "seconds": time.monotonic() - started}))


def need_tracefs():
    """Where the kernel's tracepoints are described, which lode record needs: a machine that has just started may lack it."""
    place = pathlib.Path("/sys/kernel/tracing")
    command = ["mount", "-t", "tracefs", "tracefs", str(place)]
    if any((folder / "events/sched").is_dir() for folder in (place, place.parent / "debug/tracing")):
        return
    if os.geteuid() == 0:
        subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
    if not (place / "events/sched").is_dir():
        sys.exit(f"truth: {place} does not show tracepoints to this user: sudo {' '.join(command)}, and run make truth "
                 "as root")


def is_recorded(folder, args):
    """Whether an earlier run recorded as many."""
    try:
        truth = json.loads((folder / "truth.json").read_text())
    except (OSError, ValueError):
        return False
    return (truth.get("slow"), truth.get("healthy")) == (args.slow, args.healthy)
