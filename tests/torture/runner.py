"""Runs the program on one input, through a server that forks (forkserver.c), and judges what it did."""
import os
import pathlib
import shutil
import struct
import subprocess

import readers as readers_module

ANSWER, CPU_S, WALL_S = struct.Struct("<iII"), 20, 120
SANITIZER_CODE = 99
MIXED = 0.1  # share of inputs that are parts of two
SANITIZER_OPTIONS = f"abort_on_error=0:halt_on_error=1:exitcode={SANITIZER_CODE}"
# What there is to say where an input was read and holds nothing of use.
NOT_OF_THE_FILE = (b"no symptom", b"nothing to measure", b"of its recordings", b"no recording in the repository",
                   b"no interval has both", b"no recordings", b"the recording cannot be read again", b"no stack contains",
                   b"no critical path")
REPORTS = (b"ERROR: AddressSanitizer", b"ERROR: LeakSanitizer", b"runtime error:", b"Assertion `")


class Program:
    """One build of lode, ready to be run again and again.

    memory_mb limits the address space (not that of a sanitizer's build, which takes terabytes of it).
    """

    def __init__(self, path, server, folder, memory_mb=0, n_threads=1):
        self.path, self.memory_mb, self.n_threads, self.coverage = path, memory_mb, n_threads, None
        self.server, self.folder = server, folder
        self.process = None

    def start(self):
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "100", "HOME": str(home), "TZ": "UTC",
               "TMPDIR": str(home),
               "ASAN_OPTIONS": SANITIZER_OPTIONS + ":detect_stack_use_after_return=1:allocator_may_return_null=1:"
                               "verify_asan_link_order=0",
               "UBSAN_OPTIONS": SANITIZER_OPTIONS + ":print_stacktrace=1"}
        if self.coverage:
            env["TORTURE_COUNTERS"] = self.coverage.place
        # Where addresses are random, some sanitizers cannot start; lode alone is to be a server.
        command = ["setarch", os.uname().machine, "-R", "env", f"LD_PRELOAD={self.server}", self.path]
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if len(self.process.stdout.read(ANSWER.size)) != ANSWER.size:
            raise RuntimeError(f"{self.path} does not start with {self.server}")

    def run(self, folder, arguments, out, err):
        """Exit code (negative: the signal that ended it), ms of CPU, KiB of memory."""
        if not self.process:
            self.start()
        words = [str(folder), str(out), str(err), "lode", *arguments]
        text = b"".join(os.fsencode(w) + b"\0" for w in words)
        self.process.stdin.write(struct.pack("<IIIII", len(text), CPU_S, WALL_S, self.memory_mb,
                                             len(arguments) + 1) + text)
        self.process.stdin.flush()
        answer = self.process.stdout.read(ANSWER.size)
        if len(answer) != ANSWER.size:
            self.process = None
            raise RuntimeError(f"the server of {self.path} ended")
        status, cpu_ms, max_kb = ANSWER.unpack(answer)
        return os.waitstatus_to_exitcode(status), cpu_ms, max_kb

    def close(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()


def lay(folder, name, data):
    path = folder / name
    if isinstance(data, dict):
        path.mkdir(parents=True)
        for inner, content in data.items():
            (path / inner).write_bytes(content)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


class Trial:
    """An input of a reader and what is asked of it."""

    def __init__(self, reader, number, data, ask):
        self.reader, self.number, self.data = reader, number, data
        self.ask = [reader.file if word == "IN" else word.replace("=IN", "=" + reader.file) for word in ask]

    def __str__(self):
        return f"{self.reader.name} {self.number}: lode {' '.join(self.ask)}"

    def lay(self, folder):
        for name, data in self.reader.beside.items():
            lay(folder, name, data)
        lay(folder, self.reader.file, self.data)


def damaged(reader, seed, number):
    """A pure function of seed, reader and number."""
    r = readers_module.random.Random(f"{seed}/{reader.name}/{number}")
    sound = r.choice(reader.seeds)
    if reader.mix and r.random() < MIXED:
        data = reader.mix(r, sound, r.choice(reader.seeds))
    else:
        data = reader.change(r, sound)
    return Trial(reader, number, data, r.choice(reader.ask))


def judge(trial, program, code, stdout, stderr, left, max_kb, memory_mb):
    """What is wrong with a run, in words; nothing: ''."""
    if any(report in stderr for report in REPORTS):
        return "a sanitizer or an assertion speaks"
    if code in (-9, -24):
        return f"took more than {CPU_S} s of CPU"
    if code == -14:
        return f"did not end within {WALL_S} s"
    if code < 0 or code == SANITIZER_CODE:
        return f"ended by signal {-code}" if code < 0 else "exit code of a sanitizer"
    if code not in trial.reader.codes:
        return f"exit code {code}"
    if code and not (stderr or stdout):
        return f"exit code {code} without a word"
    name = trial.reader.file.split("/")[0].encode()
    if code == 3 and stderr and not any(word in stderr for word in (name, b"in.data", *NOT_OF_THE_FILE)):
        return "the message does not name the input"
    if max_kb > memory_mb * 1024:
        return f"took {max_kb // 1024} MiB of memory"
    unknown = [p for p in left if not p.startswith(trial.reader.outputs)]
    if unknown:
        return f"left {', '.join(unknown)}"
    if code >= 2 and [p for p in left if p != "out.lode"]:
        return f"exit code {code}, and yet {', '.join(left)}"
    return ""


def files_below(folder):
    return {str(pathlib.Path(where, name).relative_to(folder))
            for where, _, names in os.walk(folder) for name in names}


class Runner:
    """Tries inputs with all programs, in a folder of its own."""

    def __init__(self, programs, folder, memory_mb):
        self.programs, self.folder, self.memory_mb = programs, folder, memory_mb
        self.cpu_ms = {p.path: 0 for p in programs}
        self.slowest = (0, "")
        for program in programs:
            program.folder = folder

    def run(self, program, trial):
        """Exit code, ms of CPU, KiB of memory, and the files that are new."""
        place = self.folder / "in"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        trial.lay(place)
        before = files_below(place)
        answer = program.run(place, trial.ask, self.folder / "stdout", self.folder / "stderr")
        return *answer, sorted(files_below(place) - before) + sorted(files_below(self.folder / "home"))

    def try_one(self, trial, keep=None):
        """(what is wrong or '', exit code, was the inner loop reached: None if nobody looked)."""
        answers, reached = [], None
        for program in self.programs:
            code, cpu_ms, max_kb, left = self.run(program, trial)
            self.cpu_ms[program.path] += cpu_ms
            self.slowest = max(self.slowest, (cpu_ms, str(trial)))
            stdout, stderr = ((self.folder / name).read_bytes() for name in ("stdout", "stderr"))
            limit = self.memory_mb * (1 if program.memory_mb else 4)
            wrong = judge(trial, program, code, stdout, stderr, left, max_kb, limit)
            if not wrong and answers and answers[0] != (code, stdout, stderr):
                wrong = f"two builds do not agree: exit codes {answers[0][0]} and {code}"
            answers.append((code, stdout, stderr))
            if program.coverage and trial.reader.reached:
                reached = program.coverage.is_reached(trial.reader)
            if wrong:
                if keep:
                    self.keep(trial, keep, wrong, program, stderr)
                return f"{wrong} ({os.path.basename(os.path.dirname(program.path))})", code, reached
        return "", code, reached

    def keep(self, trial, keep, wrong, program, stderr):
        where = keep / f"{trial.reader.name.replace(' ', '-')}-{trial.number}"
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir(parents=True)
        trial.lay(where)
        (where / "what").write_text(f"{wrong}\n{program.path} {' '.join(trial.ask)}\n"
                                    f"{stderr.decode(errors='replace')[:20000]}", encoding="utf-8")
