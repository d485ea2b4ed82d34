#!/usr/bin/env python3
"""Compares the shares of lode mine for CPU samples with those of `perf report`.

    perf_report_compare.py LODE                       some recordings made now
    LODE_COMPARE_ALL=1 perf_report_compare.py LODE    more programs, events, rates and kinds of stacks
    perf_report_compare.py LODE FILE...               these

Exit 77 (skipped) when perf is not there or may not record.

Compared, over all threads but idle ones: the CPU time of each program (perf's --sort pid, which gives
threads their last name, as lode does; --sort comm gives samples the name at the time), of each
function exclusive (--no-children --sort sym) and inclusive (--children). For events that count time
a sample counts its period in both, so programs and functions must agree to the nanosecond, shares of
--children to perf's last digit. Two differences are by design:

 exec    Where several programs were recorded, some became others by exec: perf looks addresses up in
         programs that are gone. Up to EXEC_PCT of the whole may differ by that.
 cycles  Samples of cycles count an interval in lode and cycles in perf: compared with a tolerance,
         and the largest difference is shown.

Functions are compared by those names that both give them alike: perf shows each address without a
symbol by itself, and parts that the compiler cut out (`.isra.0`, `.cold`) apart. Inclusive ones are not
compared where stacks were dumped: perf and lode unwind some of them to different depths
(perf_script_compare.py).
"""

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
TIMES = ("cpu-clock", "task-clock")
CYCLES_TOLERANCE_PCT = 5
EXEC_PCT = 0.5
SUFFIX = re.compile(r"( \[clone .*|\.(isra|constprop|part|cold|llvm|lto_priv|localalias).*)$")
BUSY = "import re\nfor i in range({n}): re.sub('a+', 'b', 'xaay' * 500); sorted(range(3000, 0, -1))"


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace", check=False, **options)


def plain(name):
    return SUFFIX.sub("", name.strip())


def perf_report(path, *options):
    """Rows of (first column, rest of the line)."""
    command = ["perf", "report", "--stdio", "-i", path, "-g", "none", "--no-inline",
               "--percent-limit", "0", "--percentage", "relative", *options]
    for line in run(command).stdout.splitlines():
        if line.strip() and not line.startswith("#"):
            first, _, rest = line.strip().partition("  ")
            yield first, rest.strip()


def perf_programs(path):
    sums = collections.Counter()
    for period, rest in perf_report(path, "--no-children", "-F", "period,pid"):
        name = rest.partition(":")[2].strip()
        sums["[exited]" if name == ":-1" else name] += int(period)
    return sums


def is_idle(comm):
    return re.fullmatch(r"swapper(/\d+)?|:0", comm) is not None


def perf_exclusive(path):
    """Periods by function, without idle threads."""
    sums = collections.Counter()
    separator = "\x01"
    for line in run(["perf", "report", "--stdio", "-i", path, "-g", "none", "--no-inline",
                     "--percent-limit", "0", "--no-children", "-t", separator, "-F",
                     "period,comm,sym"]).stdout.splitlines():
        parts = line.split(separator)
        if line.startswith("#") or len(parts) != 3 or is_idle(parts[1].strip()):
            continue
        sums[plain(parts[2].strip()[4:])] += int(parts[0])
    return sums


def perf_inclusive(path, comms):
    """Shares in percent by function, of the threads with these names."""
    shares = {}
    for first, rest in perf_report(path, "--children", "-F", "overhead_children,sym", "--comms",
                                   ",".join(comms)):
        name = rest[4:].strip()
        # What was cut out of a function has a row of its own, and calls it or is called by it.
        shares[plain(name)] = None if plain(name) in shares else float(first.rstrip("%"))
    return shares


def lode_stacks(lode, path):
    exclusive, inclusive = collections.Counter(), collections.Counter()
    for line in run([lode, "mine", "--folded", path]).stdout.splitlines():
        stack, _, cost = line.rpartition(" ")
        frames = [plain(f) for f in stack.split(";")]
        exclusive[frames[-1]] += int(cost)
        for name in set(frames):
            inclusive[name] += int(cost)
    return exclusive, inclusive


def compare(lode, path, event, is_dumped):
    """Faults, and the largest difference of shares in percent."""
    document = json.loads(run([lode, "mine", "--json", "--top", "0", path]).stdout)
    faults, worst = [], 0.0
    if "cpu" not in document:
        return [f"not seen as CPU samples alone: {document.get('finding')}"], 0
    ours = {p["name"]: p["cost_ns"] for p in document["cpu"]["programs"]}
    theirs = {n: v for n, v in perf_programs(path).items() if not is_idle(n)}
    whole, perf_whole = document["symptom_ns"], sum(theirs.values())
    exclusive, inclusive = lode_stacks(lode, path)
    is_exact = event in TIMES
    tolerance = (EXEC_PCT if len(theirs) > 1 else 0) if is_exact else CYCLES_TOLERANCE_PCT
    if not perf_whole:
        return ["perf report shows nothing"], 0

    def check(what, name, a, b):
        nonlocal worst
        pct = abs(100 * a / whole - 100 * b / perf_whole)
        worst = max(worst, pct)
        if pct > tolerance or (a != b and not tolerance):
            faults.append(f"{what} {name}: {a} ns of {whole}, perf {b} of {perf_whole}")

    if sum(ours.values()) != whole:
        faults.append(f"programs sum to {sum(ours.values())} of {whole} ns")
    for name in ours.keys() | theirs.keys():
        check("program", name, ours.get(name, 0), theirs.get(name, 0))
    perf_functions = perf_exclusive(path)
    n_functions = 0
    for name in exclusive.keys() & perf_functions.keys():
        if "[" not in name and "(" not in name and " " not in name:
            check("exclusive", name, exclusive[name], perf_functions[name])
            n_functions += 1
    shares = perf_inclusive(path, sorted(theirs))
    n_inclusive = 0
    for name in inclusive.keys() & (set() if is_dumped else shares.keys()):
        if "[" in name or "(" in name or " " in name or shares[name] is None:
            continue
        ours_pct = 100 * inclusive[name] / whole
        worst = max(worst, abs(ours_pct - shares[name]))
        n_inclusive += 1
        if abs(ours_pct - shares[name]) > tolerance + 0.0051:
            faults.append(f"inclusive {name}: {ours_pct:.3f} %, perf {shares[name]} %")
    print(f"    {len(ours)} programs, {n_functions} functions exclusive, {n_inclusive} inclusive; "
          f"{whole / 1e9:.2f} s; largest difference {worst:.3f} %")
    return faults, worst


def record(path, options, command):
    done = subprocess.run(["perf", "record", "-q", "-o", path, *options, "--", *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0 and os.path.getsize(path) > 0


def recordings(folder, only):
    """Makes them (all, or those of the names `only`) one after another: (name, path, event, whether stacks were dumped)."""
    text = os.path.join(folder, "text")
    with open(text, "w", encoding="ascii") as f:
        for i in range(400000):
            f.write(f"{i * 2654435761 % 4294967291} line {i}\n")
    busy = [sys.executable, "-c", BUSY.format(n=10**6)]
    wanted = [
        ("all threads while sleep runs", "cpu-clock", ["-a", "-g", "-F", "999"], ["sleep", "1"], busy),
        ("a process while sleep runs", "task-clock", ["-g", "-F", "499"], ["sleep", "1"], busy),
        ("a program", "cpu-clock", ["-g", "-F", "999"], ["gzip", "-kc", text], None),
    ]
    if os.environ.get("LODE_COMPARE_ALL"):
        programs = {
            "xz": ["xz", "-1", "-kc", text],
            "python3": [sys.executable, "-c", BUSY.format(n=800)],
            "sqlite3": ["sqlite3", ":memory:", "with recursive c(x) as (select 1 union all select "
                        "x+1 from c where x<600000) select count(*), sum(x*x) from c"],
            "git": ["git", "grep", "-c", "struct [a-z]*_stream"],
            "openssl": ["openssl", "speed", "-seconds", "1", "sha256"],
            "gcc": ["gcc", "-O2", "-x", "c", "-o", "/dev/null", os.path.join(folder, "x.c")],
        }
        with open(os.path.join(folder, "x.c"), "w", encoding="ascii") as f:
            f.write("#include <stdio.h>\n" + "".join(
                f"int f{i}(int a) {{ int s = a; for (int k = 0; k < a; k++) s = s * {i} + k; "
                f"printf(\"%d\", s); return s; }}\n" for i in range(400)) +
                    "int main(void) { return 0; }\n")
        for name, command in programs.items():
            for event in TIMES:
                for rate, stacks in (("99", "fp"), ("999", "fp"), ("999", "dwarf")):
                    wanted.append((f"{name}, {event} at {rate} Hz, {stacks}", event,
                                   ["-F", rate, "--call-graph", stacks], command, None))
        wanted.append(("all threads, 99 Hz", "cpu-clock", ["-F", "99", "-a", "-g"],
                       ["sleep", "3"], programs["xz"]))
    for i, (name, event, options, command, beside) in enumerate(wanted):
        if only and name not in only or not shutil.which(command[0]) or beside and not shutil.which(beside[0]):
            continue
        path = os.path.join(folder, f"{i}.data")
        child = subprocess.Popen(beside, stdout=subprocess.DEVNULL) if beside else None
        try:
            pid = ["-p", str(child.pid)] if child and "-a" not in options else []
            if record(path, ["-e", event, *options, *pid], command):
                yield name, path, event, "dwarf" in options
        finally:
            if child:
                child.kill()
                child.wait()


def event_of(path):
    header = run(["perf", "report", "--header-only", "-i", path]).stdout
    found = re.search(r"^# event : name = ([^,]*)", header, re.MULTILINE)
    return found.group(1).partition(":")[0] if found else "cycles"


def main():
    lode, files = sys.argv[1], sys.argv[2:]
    bad, n_compared = set(), 0
    if not shutil.which("perf"):
        return SKIPPED
    # A busy machine may run more programs that become others by exec than EXEC_PCT allows, but not three times in turn.
    for _ in range(1 if files else 3):
        with tempfile.TemporaryDirectory(prefix="lode-report-") as folder:
            made = [(f, f, event_of(f), False) for f in files] or recordings(folder, bad)
            bad, n = set(), 0
            for name, path, event, is_dumped in made:
                print(f"{name} ({event})")
                faults, _ = compare(lode, path, event, is_dumped)
                for fault in faults[:10]:
                    print(f"    FAULT: {fault}")
                n += 1
                if faults:
                    bad.add(name)
            n_compared = max(n_compared, n)
        if not bad:
            break
    print(f"{n_compared} recordings, {len(bad)} differ")
    return 1 if bad else 0 if n_compared else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
