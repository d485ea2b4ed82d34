"""What the same recordings say in the tools that people use today."""
import collections
import os
import re
import shutil
import subprocess

from score import names_one

TOP = 10
HEAD = re.compile(r"^(?P<comm>.+?) +(?P<tid>-?\d+) +(?:\[\d+\] +)?(?P<time>\d+\.\d+): +(?:\d+ +)?(?P<event>[^:\s]+(?::\w+)?):"
                  r"(?P<rest>.*)$")
SWITCH = re.compile(r"(\d+) \[-?\d+\] (\S+) ==> .*?:(\d+) \[-?\d+\]\s*$|prev_pid=(\d+).*prev_state=(\S+) .*next_pid=(\d+)")


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
    os.unlink(plain)


class Profiles:
    """Off-CPU time by stack as offcputime sums it, and CPU samples by stack; of whole machines."""

    def __init__(self):
        self.off_cpu, self.on_cpu = collections.Counter(), collections.Counter()
        self.children = collections.Counter()

    def read(self, perf, bundle, scratch):
        recording = os.path.join(bundle, "perf.data.zst")
        if not os.path.exists(recording):
            recording = recording[:-4]
        left = {}
        for comm, tid, ns, event, rest, stack in script(perf, recording, os.path.join(bundle, "symbols"), scratch):
            stack = (comm, *reversed(stack))
            if event.startswith("cpu-clock"):
                if tid != 0:
                    self.on_cpu[stack] += 1
                    for function in set(stack[1:]):
                        self.children[function] += 1
            elif event == "sched:sched_switch":
                switch = SWITCH.search(rest)
                if not switch:
                    continue
                prev, state, after = switch.groups()[:3] if switch[1] else switch.groups()[3:]
                if prev != "0" and not state.startswith("R"):
                    left[prev] = (ns, stack)
                if after in left:
                    since, what = left.pop(after)
                    self.off_cpu[what] += ns - since

    def ranks(self, names):
        """The place of the first that names one of these among the ten largest, or None, by profile."""
        return {"off-CPU flame graph": self.place(self.off_cpu, names),
                "perf report --children": self.place({(f,): n for f, n in self.children.items()}, names),
                "CPU flame graph": self.place(self.on_cpu, names)}

    @staticmethod
    def place(profile, names):
        largest = sorted(profile, key=profile.get, reverse=True)[:TOP]
        return next((i for i, stack in enumerate(largest, 1)
                     if names_one("\n".join(stack), names)), None)
