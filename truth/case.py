"""What a case of `make truth` is: software with a known fault, how to provoke it, and its healthy twin."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time


class Missing(Exception):
    """Software that this case needs and that is not here."""


class Failed(Exception):
    """The software did not do what the case is about."""


class Case:
    """A case is a folder with `case.py`, which has one subclass of this, `Fault`.

    The runner calls `prepare` once; then for each run `start`, the command of `command` under
    `lode record`, and `stop`. `truth_ns` reads from what the command printed, or from the software's
    own statistics, how long the fault held up the recorded command: never from the recording.
    """

    title = ""        # one sentence: who waits for what
    runtime = ""      # C, C++, Go, Java, ...
    packages = ()     # Debian's, without which the case cannot run
    programs = ()     # looked for in PATH
    culprit = ()      # functions or threads that are the cause; one of them must be named ...
    caller = ()       # ... and one of these, who called it or whom it belongs to; () if there is none

    def __init__(self, folder, scratch):
        self.source, self.scratch = pathlib.Path(folder), pathlib.Path(scratch)
        self.servers = []

    # ---- What a case says ----

    def prepare(self):
        """Builds programs and data in self.scratch."""

    def start(self, slow):
        """Starts what the recorded command talks to."""

    def command(self, slow):
        """The command that is recorded, and whose life is the symptom."""
        raise NotImplementedError

    def truth_ns(self, printed):
        """How long the fault held up the command; by default the last `fault_ns N` that it printed."""
        found = re.findall(r"^fault_ns (\d+)$", printed, re.MULTILINE)
        if not found:
            raise Failed(f"the command did not print fault_ns; it printed {printed[-200:]!r}")
        return int(found[-1])

    def symptoms(self, _printed):
        """Times (thread, begin and end by CLOCK_MONOTONIC, in ns) that are the symptoms instead of the command's life."""
        return []

    # ---- What cases are made of ----

    def need(self):
        for program in self.programs:
            if not shutil.which(program):
                raise Missing(f"{program} is not installed (Debian: {', '.join(self.packages)})")

    def run(self, *argv, **options):
        """A command of the preparation, which must succeed; gives what it printed."""
        done = subprocess.run([str(a) for a in argv], cwd=options.pop("cwd", self.scratch), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
        if done.returncode:
            raise Failed(f"{' '.join(str(a) for a in argv)}: exit {done.returncode}\n{done.stdout[-2000:]}")
        return done.stdout

    def build(self, source, *flags, compiler="gcc"):
        """Builds a program of the case, with frame pointers; gives its path."""
        program = self.scratch / pathlib.Path(source).stem
        self.run(compiler, "-O2", "-g", "-fno-omit-frame-pointer",
                 "-mno-omit-leaf-frame-pointer", "-fno-optimize-sibling-calls",
                 "-o", program, self.source / source, *flags)
        return program

    def serve(self, *argv, port=None, path=None, stopped_by=signal.SIGTERM, **options):
        """Starts a server and waits until it answers at `port`, or until `path` is there."""
        log = open(self.scratch / "server.log", "ab")  # pylint: disable=consider-using-with
        server = subprocess.Popen([str(a) for a in argv], cwd=self.scratch, stdin=subprocess.DEVNULL,
                                  stdout=log, stderr=log, start_new_session=True, **options)
        log.close()
        self.servers.append((server, stopped_by))
        for _ in range(400):
            if server.poll() is not None:
                raise Failed(f"{argv[0]} ended: {(self.scratch / 'server.log').read_text()[-500:]}")
            if (port and answers(port)) or (path and pathlib.Path(path).exists()) or not (port or path):
                return server
            time.sleep(0.05)
        raise Failed(f"{argv[0]} does not answer")

    def stop(self):
        """Ends all servers that were started, and what they started."""
        while self.servers:
            server, stopped_by = self.servers.pop()
            for number in (stopped_by, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(server.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    server.wait(5)
                    break


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
