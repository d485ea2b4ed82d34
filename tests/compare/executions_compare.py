#!/usr/bin/env python3
"""Compares what lode measures with an independent reconstruction from the text of `perf script`.

    executions_compare.py DUMP_EXECUTIONS                      the shared recordings of system calls
    LODE_COMPARE_ALL=1 executions_compare.py DUMP_EXECUTIONS   all of them, and a new recording of
                                                               this machine, where perf may make one
    executions_compare.py DUMP_EXECUTIONS FILE [SYMBOLS]       one; SYMBOLS is a build-id folder

Exit 77 (skipped) when perf, zstd or the data are not there.

Every execution must be there with the same begin, value and thread, of system calls also with the
same innermost function of the program, and nothing else may be there; begins without ends and ends
without begins must be as many. Where perf prints no callchain (it drops all of one in which a
garbage frame looks like a context marker) the function cannot be compared: these are counted.
lode must also measure the same from that text as from the recording.
"""

import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
SMALL = {"ls-03-never-cold", "ls-05-dwarf"}
LINE = re.compile(r"^\s*(?P<comm>.*?)\s+(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+\[(?P<cpu>\d+)\]\s+"
                  r"(?P<s>\d+)\.(?P<ns>\d{9}):\s+(?P<event>[\w-]+:[\w-]+):\s?(?P<trace>.*)$")
TASK = re.compile(r".*PERF_RECORD_(?P<what>FORK|EXIT)\(\d+:(?P<tid>\d+)\):")
TASK_TIME = re.compile(r"(?P<s>\d+)\.(?P<ns>\d{9}): PERF_RECORD_")
BLOCK = re.compile(r"(?P<dev>\d+,\d+) .*?\(.*?\) (?P<sector>\d+) \+ (?P<n>\d+) ")
SOFTIRQ = ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER",
           "RCU"]
WAITS = {0, 6, 9, 11, 13}


def events_of(path, symbols):
    """(t, event, pid, tid, cpu, payload, frames leaf first) in the order of perf script."""
    command = ["perf"] + (["--buildid-dir", symbols] if symbols else [])
    command += ["script", "--no-inline", "--ns", "--no-demangle", "--show-task-events", "-F",
                "comm,pid,tid,cpu,time,event,trace,ip,sym,dso", "-i", path]
    head, frames = None, []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace") as process:
        for line in process.stdout:
            line = line.rstrip("\n")
            if line.startswith("\t"):
                frames.append(line.strip())
                continue
            task = TASK.match(line)
            match = None if task else LINE.match(line)
            if not task and not match:
                continue
            if head:
                yield (*head, frames)
            frames = []
            if task:
                time = TASK_TIME.search(line)
                head = (int(time["s"]) * 10**9 + int(time["ns"]), task["what"], 0,
                        int(task["tid"]), 0, "")
            else:
                head = (int(match["s"]) * 10**9 + int(match["ns"]), match["event"],
                        int(match["pid"]), int(match["tid"]), int(match["cpu"]), match["trace"])
        if head:
            yield (*head, frames)


def innermost(frames):
    """The innermost function of the program: perf prints the kernel's frames first."""
    for frame in frames:
        address, _, rest = frame.partition(" ")
        name, _, module = rest.partition(" (")
        if int(address, 16) >> 63 == 0 and not module.startswith("[kernel"):
            return "" if name == "[unknown]" else name
    return None


class Reconstruction:
    """The definitions of docs/metrics.md, word by word, with lists and dictionaries."""

    def __init__(self, names):
        self.executions = []  # (metric, t, value, tid, function)
        self.lost = collections.Counter()  # (metric, loss)
        self.names = names  # of raw system calls
        self.calls = collections.defaultdict(list)  # tid -> open [(name, t, function, waits)]
        self.newborn = set()
        self.handlers = collections.defaultdict(list)  # (kind, cpu[, irq]) -> open
        self.inserted, self.issued = [], []  # [dev, sector, n, t, tid]
        self.woken = {}
        self.has_raw = self.has_complete = self.has_receive = False

    def add(self, metric, t, end, tid, function=None):
        self.executions.append((metric, t, end - t, tid, function))

    def enter(self, t, tid, name, function, waits):
        self.newborn.discard(tid)
        stack = self.calls[tid]
        # A call of the same name is open: its exit was lost, and those inside of it.
        while any(c[0] == name for c in stack):
            self.lose(stack.pop(), "no end")
        stack.append((name, t, function, waits))

    def lose(self, call, loss):
        self.lost["syscall:" + call[0], loss] += 1
        if call[3]:
            self.lost["futex:wait", loss] += 1

    def leave(self, t, tid, name):
        stack = self.calls[tid]
        if tid in self.newborn:
            self.newborn.discard(tid)
            return
        if not stack:
            if name is not None:
                self.lost["syscall:" + name, "no start"] += 1
            return
        if name is not None and all(c[0] != name for c in stack):
            self.lost["syscall:" + name, "mismatched"] += 1
            self.lose(stack.pop(), "mismatched")
            return
        while name is not None and stack[-1][0] != name:
            self.lose(stack.pop(), "no end")
        name, begin, function, waits = stack.pop()
        self.add("syscall:" + name, begin, t, tid, function)
        if waits:
            self.add("futex:wait", begin, t, tid, function)

    def end_thread(self, tid):
        for call in self.calls.pop(tid, []):
            self.lose(call, "died")
        self.newborn.discard(tid)
        self.woken.pop(tid, None)

    def block(self, event, t, tid, trace):
        match = BLOCK.match(trace)
        dev, sector, n = match["dev"], int(match["sector"]), int(match["n"])
        if event == "block_rq_insert":
            self.inserted.append([dev, sector, n, t, tid])
            length = sum(1 for r in self.inserted if r[0] == dev)
            self.executions.append(("block:length", t, length, tid, None))
        elif event == "block_rq_issue":
            for r in list(self.inserted):
                inside = r[1] == sector if n == 0 else sector <= r[1] and r[1] + r[2] <= sector + n
                if r[0] == dev and (r[2] == 0) == (n == 0) and inside:
                    self.inserted.remove(r)
                    self.add("block:queue", r[3], t, r[4])
            if self.has_complete:
                self.issued.append([dev, sector, n, t, tid])
        else:
            for r in self.issued:
                if r[0] != dev or r[1] != sector:
                    continue
                if event == "block_rq_complete" and 0 < n < r[2]:
                    r[1] += n
                    r[2] -= n
                else:
                    self.issued.remove(r)
                    if event == "block_rq_complete":
                        self.add("block:device", r[3], t, r[4])
                break
            else:
                if event == "block_rq_complete":
                    self.lost["block:device", "no start"] += 1

    def handler(self, key, what, is_exit, t, tid):
        stack = self.handlers[key]
        if not is_exit:
            while any(h[0] == what for h in stack):
                self.lost[stack.pop()[0], "no end"] += 1
            stack.append([what, t, tid, False])
        elif not stack:
            if what:
                self.lost[what, "no start"] += 1
        elif what and all(h[0] != what for h in stack):
            self.lost[what, "mismatched"] += 1
            self.lost[stack.pop()[0], "mismatched"] += 1
        else:
            while what and stack[-1][0] != what:
                self.lost[stack.pop()[0], "no end"] += 1
            name, begin, who, _ = stack.pop()
            self.add(name, begin, t, who)

    def take(self, t, event, tid, cpu, trace, frames):
        system, _, name = event.partition(":")
        if event == "raw_syscalls:sys_enter":
            nr, args = re.match(r"NR (-?\d+) \((.*)\)", trace).groups()
            call = self.names.get(int(nr), nr)
            op = int(args.split(", ")[1], 16) & 0x7f
            self.enter(t, tid, call, innermost(frames),
                       call in ("futex_wait", "futex_waitv") or (call == "futex" and op in WAITS))
        elif event == "raw_syscalls:sys_exit":
            nr = int(re.match(r"NR (-?\d+) ", trace)[1])
            self.leave(t, tid, None if nr < 0 else self.names.get(nr, str(nr)))
        elif system == "syscalls" and not self.has_raw:
            call = name.removeprefix("sys_enter_").removeprefix("sys_exit_")
            if name.startswith("sys_exit_"):
                self.leave(t, tid, call)
            else:
                op = re.search(r"\bop: (0x[0-9a-f]+)", trace)
                self.enter(t, tid, call, innermost(frames), call in ("futex_wait", "futex_waitv")
                           or (call == "futex" and int(op[1], 16) & 0x7f in WAITS))
        elif system == "block":
            self.block(name, t, tid, trace)
        elif name in ("irq_handler_entry", "irq_handler_exit"):
            irq = re.search(r"irq=(\d+)", trace)[1]
            handler = re.search(r"name=(.*)$", trace)
            self.handler(("irq", cpu, irq), "irq:" + handler[1] if handler else None,
                         name.endswith("exit"), t, tid)
        elif name in ("softirq_entry", "softirq_exit"):
            vec = int(re.search(r"vec=(\d+)", trace)[1])
            self.handler(("softirq", cpu), "softirq:" + SOFTIRQ[vec], name.endswith("exit"), t, tid)
        elif name == "net_dev_queue":
            stack = self.handlers["softirq", cpu]
            if stack and not stack[-1][3]:
                stack[-1][3] = True
                self.add("net:send", stack[-1][1], t, stack[-1][2])
        elif name == "netif_receive_skb":
            if tid in self.woken:
                begin, who = self.woken.pop(tid)
                self.add("net:receive", begin, t, who)
        elif name == "sched_waking" and self.has_receive:
            self.woken[int(re.search(r"\bpid=(\d+)", trace)[1])] = (t, tid)
        elif event == "FORK" and t > 0:
            self.end_thread(tid)
            self.newborn.add(tid)
        elif event == "EXIT":
            self.end_thread(tid)

    def finish(self):
        for stack in self.calls.values():
            for call in stack:
                self.lose(call, "no end")
        for stack in self.handlers.values():
            for what, *_ in stack:
                self.lost[what, "no end"] += 1
        for _ in self.inserted:
            self.lost["block:queue", "no end"] += 1
        for _ in self.issued:
            self.lost["block:device", "no end"] += 1


def syscall_names():
    top = os.environ.get("LODE_TOP", os.path.join(os.path.dirname(__file__), "..", ".."))
    with open(os.path.join(top, "src", "model", "syscalls_x86_64.inc"), encoding="utf-8") as f:
        return {int(n): name for n, name in re.findall(r'\[(\d+)\] = "(\w+)"', f.read())}


def reconstruct(path, symbols):
    result = Reconstruction(syscall_names())
    listed = subprocess.run(["perf", "evlist", "-i", path], capture_output=True, text=True,
                            check=True).stdout.split()
    result.has_raw = "raw_syscalls:sys_enter" in listed
    result.has_complete = "block:block_rq_complete" in listed
    result.has_receive = "net:netif_receive_skb" in listed
    for t, event, _, tid, cpu, trace, frames in events_of(path, symbols):
        result.take(t, event, tid, cpu, trace, frames)
    result.finish()
    return result


def measured(dump, path, symbols):
    """What lode says, as the reconstruction has it. The model's metrics are not compared."""
    command = [dump, "--threads", "2", *(["--symbols", symbols] if symbols else []), path]
    out = subprocess.run(command, capture_output=True, text=True, check=True, errors="replace")
    executions, lost = [], collections.Counter()
    losses = ["no start", "no end", "mismatched", "died", None, None, "doubtful"]
    for line in out.stdout.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "X":
            metric, t, value, tid, function = rest.rsplit(" ", 5)[:5]
            executions.append((metric, int(t), int(value), int(tid), function))
        elif kind == "M":
            metric, _, _, *counts = rest.rsplit(" ", 2 + len(losses))
            lost.update({(metric, loss): int(n) for loss, n in zip(losses, counts)
                         if loss and int(n)})
        elif kind == "S":
            raise ValueError(f"{path}: {rest}")
    model = ("offcpu:", "ready:", "cpu:", "critical:")
    return ([e for e in executions if not e[0].startswith(model)],
            collections.Counter({k: n for k, n in lost.items() if not k[0].startswith(model)}))


def measured_from_text(dump, path, symbols):
    command = ["perf"] + (["--buildid-dir", symbols] if symbols else [])
    command += ["script", "--header", "--no-inline", "--ns", "--show-task-events", "-F",
                "comm,pid,tid,cpu,time,event,trace,ip,sym,dso", "-i", path]
    with open(path + ".txt", "wb") as f:
        subprocess.run(command, stdout=f, stderr=subprocess.DEVNULL, check=True)
    try:
        return measured(dump, path + ".txt", None)
    finally:
        os.unlink(path + ".txt")


def compare(dump, path, symbols):
    ours, our_lost = measured(dump, path, symbols)
    from_text, text_lost = measured_from_text(dump, path, symbols)
    theirs = reconstruct(path, symbols)
    faults, n_without = [], 0
    if collections.Counter(e[:4] for e in ours) != collections.Counter(e[:4] for e in from_text):
        faults.append(f"other executions from text: {len(from_text)}, from the recording {len(ours)}")
    if our_lost != text_lost:
        faults.append(f"other losses from text: {text_lost}, from the recording {our_lost}")
    a = collections.Counter(e[:4] for e in ours)
    b = collections.Counter(e[:4] for e in theirs.executions)
    faults += [f"only lode: {e} x{n}" for e, n in (a - b).items()]
    faults += [f"only perf script: {e} x{n}" for e, n in (b - a).items()]
    names = {e[:4]: e[4] for e in ours}
    for e in theirs.executions:
        if not e[0].startswith(("syscall:", "futex:")) or e[:4] not in names:
            continue
        name = names[e[:4]]
        if e[4] is None:
            n_without += name != "-"
        elif (name if name != "-" else "") != e[4] and "@plt" not in e[4]:
            faults.append(f"{e[:4]}: innermost function {name}, perf script has {e[4]}")
    for key in sorted(set(our_lost) | set(theirs.lost)):
        if our_lost[key] != theirs.lost[key]:
            faults.append(f"{key}: lode lost {our_lost[key]}, perf script {theirs.lost[key]}")
    n_lost = sum(our_lost.values())
    print(f"{os.path.basename(path)}: {len(ours)} executions of {len({e[0] for e in ours})} metrics, "
          f"{n_lost} not measured, {n_without} with a stack that perf drops")
    for fault in faults[:20]:
        print("  " + fault)
    return len(faults)


def record_here(scratch):
    """A recording of this machine with everything in it, or None."""
    path = os.path.join(scratch, "here.perf.data")
    work = "import socket,threading,os\n" \
           "s=socket.socket();s.bind(('127.0.0.1',0));s.listen()\n" \
           "def f():\n c,_=s.accept()\n" \
           " while True:\n  d=c.recv(999)\n  if not d: break\n  c.sendall(d)\n" \
           "t=threading.Thread(target=f);t.start()\n" \
           "c=socket.create_connection(s.getsockname())\n" \
           "for i in range(100): c.sendall(b'x'*900);c.recv(999)\n" \
           "c.close();t.join()\n" \
           "g=open('file','wb')\n" \
           "for i in range(20): g.write(bytes(50000));g.flush();os.fsync(g.fileno())\n"
    events = ["raw_syscalls:*", "block:block_rq_insert", "block:block_rq_issue",
              "block:block_rq_complete", "block:block_rq_requeue", "irq:irq_handler_entry",
              "irq:irq_handler_exit", "irq:softirq_entry", "irq:softirq_exit", "net:net_dev_queue",
              "net:netif_receive_skb", "sched:sched_switch", "sched:sched_waking"]
    made = subprocess.run(["perf", "record", "-o", path, "-a", "-g", "-m", "8M", "-e",
                           ",".join(events), "--", sys.executable, "-c", work], cwd=scratch,
                          capture_output=True, check=False)
    return path if made.returncode == 0 and os.path.exists(path) else None


def shared(scratch):
    top = os.environ.get("LODE_TOP", os.path.join(os.path.dirname(__file__), "..", ".."))
    folder = os.path.join(top, "..", "shared", "traces", "syscalls-ls")
    packed = os.path.join(folder, "symbols.tar.zst")
    if not os.path.exists(packed):
        return
    symbols = os.path.join(scratch, "symbols")
    os.makedirs(symbols)
    subprocess.run(["tar", "-C", symbols, "--zstd", "-xf", packed], check=True)
    for path in sorted(glob.glob(os.path.join(folder, "*.perf.data.zst"))):
        name = os.path.basename(path).removesuffix(".perf.data.zst")
        if name not in SMALL and not os.environ.get("LODE_COMPARE_ALL"):
            continue
        plain = os.path.join(scratch, name + ".perf.data")
        subprocess.run(["zstd", "-q", "-d", "-f", path, "-o", plain], check=True)
        yield plain, symbols
        os.unlink(plain)


def main():
    if not shutil.which("perf") or not shutil.which("zstd"):
        sys.exit(SKIPPED)
    dump = sys.argv[1]
    if len(sys.argv) > 2:
        sys.exit(1 if compare(dump, sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None) else 0)
    n, n_faults = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for path, symbols in shared(scratch):
            n_faults += compare(dump, path, symbols)
            n += 1
        here = record_here(scratch) if os.environ.get("LODE_COMPARE_ALL") else None
        if here:
            n_faults += compare(dump, here, None)
            n += 1
    sys.exit(SKIPPED if n == 0 else 1 if n_faults else 0)


main()
