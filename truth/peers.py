"""What the same recordings say in the tools that people use today."""
import collections
import functools
import json
import multiprocessing
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

from score import names_one

TOP = 10
HEAD = re.compile(r"^(?P<comm>.+?) +(?P<tid>-?\d+) +(?:\[\d+\] +)?(?P<time>\d+\.\d+): +(?:\d+ +)?(?P<event>[^:\s]+(?::\w+)?):"
                  r"(?P<rest>.*)$")
SWITCH = re.compile(r"(\d+) \[-?\d+\] (\S+) ==> .*?:(\d+) \[-?\d+\]\s*$|prev_pid=(\d+).*prev_state=(\S+) .*next_pid=(\d+)")
SAMPLES = ("cpu-clock", "task-clock", "cycles", "cpu/", "cpu_core/")


def script(perf, recording, symbols, scratch):
    """The records of a recording as perf prints them: (comm, tid, ns, event, rest, stack leaf first)."""
    plain = os.path.join(scratch, "perf.data")
    if recording.endswith(".zst"):
        subprocess.run(["zstd", "-q", "-d", "-f", recording, "-o", plain], check=True)
    else:
        shutil.copyfile(recording, plain)
    with subprocess.Popen([perf, "--buildid-dir", symbols, "script", "--no-inline", "--ns", "-i", plain,
                           "-F", "comm,tid,time,event,trace,ip,sym"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace") as process:
        head, stack = None, []
        for line in process.stdout:
            if line[0] == "\t" or (line[0] == " " and head):
                words = line.split(None, 1)
                stack.append(words[1].strip() if len(words) > 1 else "[unknown]")
                continue
            if head:
                yield (*head, stack)
            match = HEAD.match(line.rstrip())
            head, stack = None, []
            if match:
                seconds, fraction = match["time"].split(".")
                head = (match["comm"].strip(), int(match["tid"]), int(seconds) * 10**9 + int(fraction),
                        match["event"], match["rest"])
        if head:
            yield (*head, stack)


def fold(perf, bundle):
    """Off-CPU time by stack as offcputime sums it, and CPU samples by stack, of the whole machine."""
    recording = os.path.join(bundle, "perf.data.zst")
    if not os.path.exists(recording):
        recording = recording[:-4]
    off_cpu, on_cpu, left = collections.Counter(), collections.Counter(), {}
    with tempfile.TemporaryDirectory(prefix="lode-truth-") as scratch:
        for comm, tid, ns, event, rest, stack in script(perf, recording, os.path.join(bundle, "symbols"), scratch):
            stack = (comm, *reversed(stack))
            if event.startswith(SAMPLES):
                if tid != 0:
                    on_cpu[stack] += 1
            elif event == "sched:sched_switch":
                switch = SWITCH.search(rest)
                if not switch:
                    continue
                prev, state, after = switch.groups()[:3] if switch[1] else switch.groups()[3:]
                if prev != "0" and not state.startswith("R"):
                    left[prev] = (ns, stack)
                if after in left:
                    since, what = left.pop(after)
                    off_cpu[what] += ns - since
    return [list(off_cpu.items()), list(on_cpu.items())]


def folded(perf, bundle):
    """The same; perf reads each recording once, also when it is scored again."""
    kept = pathlib.Path(f"{bundle}.folded.json")
    try:
        return json.loads(kept.read_text())
    except (OSError, ValueError):
        profiles = fold(perf, bundle)
        kept.write_text(json.dumps(profiles))
        return profiles


def place(profile, names):
    """That of the first that names one of these among the ten largest, or None."""
    largest = sorted(profile, key=profile.get, reverse=True)[:TOP]
    return next((i for i, stack in enumerate(largest, 1) if names_one("\n".join(stack), names)), None)


def places(profiles, names):
    """By tool: the place of what names one of these in the sum of folded recordings."""
    off_cpu, on_cpu, functions = (collections.Counter() for _ in range(3))
    for off, on in profiles:
        for stack, ns in off:
            off_cpu[tuple(stack)] += ns
        for stack, n in on:
            on_cpu[tuple(stack)] += n
            for function in set(stack[1:]):
                functions[function,] += n
    return {"off-CPU flame graph": place(off_cpu, names), "perf report --children": place(functions, names),
            "CPU flame graph": place(on_cpu, names)}


def ranks(perf, slow, trial, names):
    """The better of two places: in the slow runs, and in the run that was recorded with defaults."""
    bundles = [*slow, *trial]
    with multiprocessing.Pool(min(os.cpu_count(), len(bundles)), signal.signal,
                              (signal.SIGTERM, signal.SIG_DFL)) as pool:
        profiles = pool.map(functools.partial(folded, perf), bundles, 1)
    sets = [places(part, names) for part in (profiles[:len(slow)], profiles[len(slow):]) if part]
    return {tool: min((s[tool] for s in sets if s[tool] is not None), default=None) for tool in sets[0]}
