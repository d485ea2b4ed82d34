#!/usr/bin/env python3
"""Compares what lode's perf source delivers with what `perf script` prints.

    perf_script_compare.py DUMP_STREAM                       a selection of the shared recordings
    LODE_COMPARE_ALL=1 perf_script_compare.py DUMP_STREAM    all of them
    perf_script_compare.py DUMP_STREAM FILE SYMBOLS          one; SYMBOLS is a build-id folder

Exit 77 (skipped) when perf, zstd, c++filt or the data are not there.

The same samples must come in the same order with the same event, time, process, thread and CPU, and
with the same functions in their stacks. They differ where perf is wrong or says less; each such
difference is recognised for what it is, counted and shown, and anything else fails:

 next-function  perf looks return addresses up as they are. A call that never returns can be the last
                instruction of its function; then perf names the next one, at offset 0, or finds
                nothing in the padding between them. lode looks one byte back.
 dropped-chain  A frame that looks like a context marker makes perf drop the whole callchain. lode
                keeps the part before it.
 old-program    perf never forgets the maps of a program that was replaced by exec. lode does, so
                that no address is looked up in a program that is gone: there it is unknown, or a stray
                caller (below). Of few samples, as an exec is short.
 by-layout      perf knows no file for a module whose build-id it did not write down (no sample fell
                into it). lode takes the one program of the cache that has its layout.
 short-unwind   perf stops unwinding a copied stack (DWARF) in a module whose frame information it
                did not find, at a frame without a name; lode goes on down to the root.
 reused-code    Code made at run time was dropped, and its addresses used again. /tmp/perf-PID.map has no
                times: of several functions at one address perf takes one that it read early, lode the
                latest. Which is right depends on when the sample was taken; neither can know.
 nameless-plt   entries of the PLT have no symbols: their names are worked out, and one of the two finds
                none (perf's own worked-out name may be empty: "@plt").
 false-caller   Of those, lode also drops return addresses that no call in the program's file precedes.
 tracer         Frames of tracers at the leaf are not the program's: lode ends the stack at what was traced, and
                gives a sample in tracing code to [recording].
 stray-caller   Code without frame pointers gives callers that are no code. lode drops those outside of all
                mappings if the stack has code nearer to its leaf.

No difference at all are: names of JavaScript functions, which lode shows without how far they are
optimised, without folders and columns; runs of frames without a symbol in one module, which are one frame in the
model; the names of modules without a file (perf-PID.map, memfd: are [jit] in lode); parameters of
demangled names, and what compilers append to copies and parts of functions: a part below its
function is one frame.
"""

import collections
import contextlib
import glob
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

SMALL = {"startup-01", "gitstatus-01", "ls-03-never-cold", "ls-04-color-cold-glibc", "ls-05-dwarf"}
SKIPPED = 77
HEAD = re.compile(r"^\s*(?:\S.*?)?\s*(?<!\S)(?P<pid>-?\d+)/(?P<tid>-?\d+)\s+\[(?P<cpu>-?\d+)\]\s+"
                  r"(?P<time>\d+\.\d{9}):\s+(?P<event>\S+?):(?:\s+[0-9a-f]+ .*)?\s*$")
FRAME = re.compile(r"^\s+(?P<ip>[0-9a-f]+)\s+(?P<sym>.*?)(?:\+0x(?P<off>[0-9a-f]+))?\s+"
                   r"\((?P<dso>.*)\)$")


def module_of(dso):
    """lode's name of a module that perf prints."""
    name = os.path.basename(dso)
    if dso.startswith("[kernel") or name.endswith((".ko", ".ko.xz", ".ko.zst")):
        return "[kernel]"
    if re.fullmatch(r"perf-\d+\.map", name) or dso.startswith(("/memfd:", "//anon", "anon_inode:")):
        return "[jit]"
    return name


def perf_samples(path, symbols, kallsyms):
    """(event, time, pid, tid, cpu), [(address, symbol, offset, module)] leaf first, per sample."""
    command = ["perf", "--buildid-dir", symbols, "script", "--no-inline", "--ns", "--no-demangle",
               "-F", "comm,tid,pid,cpu,time,event,ip,sym,symoff,dso", "-i", path]
    if kallsyms:
        command += ["--kallsyms", kallsyms]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace") as process:
        head, frames = None, []
        for line in process.stdout:
            line = line.rstrip("\n")
            if not line:
                continue
            frame = FRAME.match(line) if line[0] == "\t" else None
            if frame and head:
                offset = int(frame["off"], 16) if frame["off"] else 0
                frames.append((int(frame["ip"], 16), frame["sym"], offset, module_of(frame["dso"])))
                continue
            match = HEAD.match(line)
            if not match:
                raise ValueError(f"{path}: neither head nor frame of a sample: {line!r}")
            if head:
                yield head, frames
            seconds, ns = match["time"].split(".")
            head = (match["event"], int(seconds) * 10**9 + int(ns), int(match["pid"]),
                    int(match["tid"]), int(match["cpu"]))
            frames = []
        if head:
            yield head, frames
    if process.returncode:
        raise RuntimeError(f"{path}: perf script failed")


def lode_samples(dump_stream, path, symbols):
    """(event, time, pid, tid, cpu), [(module, function)] leaf first, per sample."""
    with subprocess.Popen([dump_stream, path, "--symbols", symbols, "--threads", "2"],
                          stdout=subprocess.PIPE, text=True, errors="replace") as process:
        head, frames = None, []
        for line in process.stdout:
            line = line.rstrip("\n")
            if line.startswith("\t"):
                module, _, function = line[1:].partition(" ")
                frames.append((module, function))
            elif line.startswith("S "):
                if head:
                    yield head, frames
                event, *numbers = line[2:].rsplit(" ", 4)
                head, frames = (event, *map(int, numbers)), []
        if head:
            yield head, frames
    if process.returncode:
        raise RuntimeError(f"{path}: dump_stream failed")


class Names:
    """perf's symbols as lode writes them."""

    def __init__(self):
        self.filter = subprocess.Popen(["c++filt", "-p", "-i"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True, bufsize=1)
        self.known = {}

    def __call__(self, symbol):
        if symbol == "[unknown]":
            return ""
        if symbol not in self.known:
            name = symbol
            if symbol.startswith("_Z"):
                self.filter.stdin.write(symbol + "\n")
                self.filter.stdin.flush()
                name = self.filter.stdout.readline().rstrip("\n")
            self.known[symbol] = script(symbol) or plain(name)
        return self.known[symbol]


def script(name):
    """V8's name of a function as lode shows it: "JS:*render /srv/pages.js:4:22" is "render pages.js:4"; None: as it is."""
    found = re.fullmatch(r"(?:JS:|LazyCompile:)[*~^+]*(.*):(\d+):\d+", name)
    if not found or " " not in found[1]:
        return None
    function, _, path = found[1].partition(" /") if " /" in found[1] else found[1].rpartition(" ")
    file = os.path.basename(path)  # eval's functions have none
    return f"{function or '(anonymous)'} {file}:{found[2]}" if file else None


def plain(name):
    """A name without what demanglers may or may not write."""
    name = re.sub(r"( \[clone [^]]*\])+$", "", name)
    name = re.sub(r"(?<=.)(\.(part|isra|constprop|cold|lto_priv|llvm|localalias|clone)(\.\d+)?)+$", "", name)
    return name.replace("> >", ">>")


def merge_parts(perf_frames, names):
    """Without frames of parts (f.part.0) whose caller is the function itself; leaf first."""
    return [frame for frame, caller in itertools.zip_longest(perf_frames, perf_frames[1:])
            if not (re.search(r"\.part(\.|$|\])", frame[1]) and caller
                    and (names(frame[1]), frame[3]) == (names(caller[1]), caller[3]))]


def collapse(frames, apart=()):
    """Runs of unknown frames of one module as one, like the model; not of the modules `apart`."""
    out = []
    for frame in frames:
        if frame[0] == "" and out and out[-1][:2] == frame[:2] and frame[1] not in apart:
            continue
        out.append(frame)
    return out


class JitMap:
    """/tmp/perf-PID.map: which names an address had, one after the other."""

    def __init__(self, pid):
        self.at = []
        with contextlib.suppress(OSError), open(f"/tmp/perf-{pid}.map", encoding="utf-8", errors="replace") as file:
            for line in file:
                start, size, name = line.rstrip("\n").split(" ", 2)
                self.at.append((int(start, 16), int(start, 16) + int(size, 16), name))

    def names(self, address, known):
        """A return address may be that behind the function's last instruction."""
        return {known(name) for start, end, name in self.at if start <= address <= end}


def drop_strays(perf_frames):
    """Without frames outside of all mappings that called code; leaf first."""
    code = [i for i, (_, _, _, module) in enumerate(perf_frames) if module not in ("[unknown]", "[kernel]")]
    return [frame for i, frame in enumerate(perf_frames)
            if not (code and i > code[0] and frame[1] == frame[3] == "[unknown]")]


TRACER = re.compile(r"__traceiter_|__bpf_trace_|bpf_trace_run|trace_call_bpf|trace_event_|event_trigger|ftrace_|_*perf_|"
                    r"k(ret)?probe_|uprobe_|uretprobe_|function_(stack_)?trace_call|trace_graph_|bpf_trampoline|__bpf_tramp|_*bpf_prog_")


def difference(perf_frames, lode_frames, names, identified, jit=None):
    """None if the stacks are the same; else why they differ ("" when there is no good reason)."""
    why = untraced_difference(perf_frames, lode_frames, names, identified, jit)
    if why != "":
        return why
    for i, (_, symbol, _, module) in enumerate(perf_frames):
        if module == "[kernel]" and TRACER.match(symbol) and (
                lode_frames == [("[recording]", "")]
                or untraced_difference(perf_frames[i + 1:], lode_frames, names, identified, jit) != ""):
            return "tracer"
    return ""


def untraced_difference(perf_frames, lode_frames, names, identified, jit):
    """The same where both have all frames."""
    if perf_frames and perf_frames[-1][0] == 2**64 - 1:
        perf_frames = perf_frames[:-1]  # where perf's unwinder met the end of the copied stack
    n_given, perf_frames = len(perf_frames), drop_strays(perf_frames)
    ours = [(plain(function), module) for module, function in lode_frames]
    theirs = [(names(symbol), module, offset, address)
              for address, symbol, offset, module in merge_parts(perf_frames, names)]
    why = stack_difference(theirs, ours, names, identified, jit)
    if why == "":  # an entry of the PLT that has a name ends a run of frames without one
        without = [[(re.sub(r"^.*@plt$", "", frame[0]), *frame[1:]) for frame in frames] for frames in (theirs, ours)]
        if without != [theirs, ours] and stack_difference(*without, names, identified, jit) != "":
            return "nameless-plt"
        if lacks_false_callers(theirs, collapse(ours)):
            return "false-caller"
    return "stray-caller" if why is None and len(perf_frames) < n_given else why


def lacks_false_callers(theirs, ours):
    """Whether lode's frames are perf's but for some of the program's, behind its innermost one."""
    code, i = False, 0
    for name, module, *_ in theirs:
        if i < len(ours) and (name, module) == ours[i]:
            i += 1
        elif not code or module == "[kernel]":
            return False
        code = code or module not in ("[unknown]", "[kernel]")
    return i == len(ours)


def stack_difference(theirs, ours, names, identified, jit):
    """The same of frames with names: perf's (name, module, offset, address), lode's (name, module)."""
    ours = collapse(ours)
    by_layout = {module for name, module in ours if name and module not in identified}
    theirs = collapse(theirs, by_layout)
    if not theirs and ours:
        return "dropped-chain"
    why = None
    for i, (a, b) in enumerate(itertools.zip_longest(theirs, ours)):
        if a is None and theirs and theirs[-1][0] == "":
            return "short-unwind"
        if b is None and i == len(theirs) - 1 and ours and ours[-1] == ("", "[unknown]"):
            return "old-program"  # and the unknown frame above it is the same one in the model
        if b is None and i > 0 and len({frame[3] for frame in theirs[i:]}) == 1:
            return "old-program"  # one address, maybe in a circle
        if a is None or b is None:
            return ""
        if a[:2] == b:
            continue
        if a[0] == "" and a[1] == b[1] and b[1] in by_layout:
            why = "by-layout"
            continue
        if b and a[1] == b[1] and all(not name or name.endswith("@plt") for name in (a[0], b[0])):
            why = why or "nameless-plt"
            continue
        if jit and a[1] == b[1] == "[jit]" and {a[0], b[0]} <= jit.names(a[3], names):
            why = why or "reused-code"
            continue
        if i > 0 and a[1] == b[1] and a[2] == 0:  # also no name, when padding comes next
            why = why or "next-function"
        elif b == ("", "[unknown]") and i == len(theirs) - 1:
            why = "old-program"
        else:
            return ""
    return why


def compare(dump_stream, path, symbols, kallsyms, names):
    """Number of samples compared; raises ValueError at the first difference without a reason."""
    reasons = collections.Counter()
    events = collections.Counter()
    listed = subprocess.run(["perf", "buildid-list", "-i", path], capture_output=True, text=True,
                            check=True).stdout.splitlines()
    identified = {module_of(line.split(" ", 1)[1]) for line in listed if " " in line}
    n, maps = 0, {}
    for theirs, ours in itertools.zip_longest(perf_samples(path, symbols, kallsyms),
                                              lode_samples(dump_stream, path, symbols)):
        n += 1
        if theirs is None or ours is None or theirs[0] != ours[0]:
            raise ValueError(f"{path}: sample {n}: perf has {theirs and theirs[0]}, "
                             f"lode {ours and ours[0]}")
        events[ours[0][0]] += 1
        pid = ours[0][2]
        if pid not in maps:
            maps[pid] = JitMap(pid)
        why = difference(theirs[1], ours[1], names, identified, maps[pid])
        if why == "":
            raise ValueError(f"{path}: sample {n} {ours[0]}: stacks differ\n" + "\n".join(
                f"  {a!s:70} {b!s}" for a, b in itertools.zip_longest(theirs[1], ours[1])))
        if why:
            reasons[why] += 1
    if reasons["old-program"] > max(10, n / 50):
        raise ValueError(f"{path}: {reasons['old-program']} of {n} samples seem to be of programs that exec replaced")
    print(f"{os.path.basename(path)}: {n} samples of {len(events)} events agree"
          + "".join(f"; {why} {count}" for why, count in sorted(reasons.items())), flush=True)
    return n


def run(main):
    """Exit code of a comparison; the difference that it found goes to stderr."""
    try:
        return main()
    except (ValueError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1


def find_kallsyms(folder):
    found = glob.glob(os.path.join(folder, ".build-id", "*", "*", "kallsyms"))
    found += glob.glob(os.path.join(folder, "kallsyms"))
    return found[0] if found else None


def shared_recordings(scratch):
    """(path of the compressed recording, symbols) of the shared sets."""
    top = os.environ.get("LODE_TOP", os.path.join(os.path.dirname(__file__), "..", ".."))
    traces = os.path.join(top, "..", "shared", "traces")
    for name in ("startup", "syscalls-ls"):
        folder = os.path.join(traces, name)
        symbols = os.path.join(folder, "symbols")
        packed = symbols + ".tar.zst"
        if os.path.exists(packed):
            symbols = os.path.join(scratch, name)
            os.makedirs(symbols)
            subprocess.run(["tar", "-C", symbols, "--zstd", "-xf", packed], check=True)
        for path in sorted(glob.glob(os.path.join(folder, "*.perf.data.zst"))):
            yield path, symbols


def main():
    dump_stream = sys.argv[1]
    if not all(map(shutil.which, ("perf", "zstd", "c++filt"))):
        return SKIPPED
    names = Names()
    if len(sys.argv) > 3:
        compare(dump_stream, sys.argv[2], sys.argv[3], find_kallsyms(sys.argv[3]), names)
        return 0
    n = 0
    with tempfile.TemporaryDirectory() as scratch:
        for packed, symbols in shared_recordings(scratch):
            name = os.path.basename(packed).removesuffix(".perf.data.zst")
            if name not in SMALL and not os.environ.get("LODE_COMPARE_ALL"):
                continue
            path = os.path.join(scratch, name + ".perf.data")
            subprocess.run(["zstd", "-q", "-d", "-o", path, packed], check=True)
            os.chmod(path, 0o600)
            n += compare(dump_stream, path, symbols, find_kallsyms(symbols), names)
            os.unlink(path)
    return 0 if n else SKIPPED


if __name__ == "__main__":
    sys.exit(run(main))
