"""What the tests of the drivers share: recordings, what one process makes of them, processes and their end."""
import contextlib
import glob
import gzip
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
DRIVERS = os.path.join(TOP, "drivers")
N_RECORDINGS, N_PARTS = 100, 24
WAIT_S = 300  # how long on a busy machine is nobody's claim: meson ends a test that hangs
MARK = f"LODE_TEST_DRIVERS={os.getpid()}"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def until(what, holds):
    """Waits for something that will come; how long is nobody's claim."""
    end = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end, f"{what}: not within {WAIT_S} s"
        time.sleep(0.05)


def ours():
    """Pids of all that this test has started, directly or not."""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        pid = int(path.split("/")[2])
        with contextlib.suppress(OSError), open(path, "rb") as file:
            if MARK.encode() in file.read().split(b"\0") and pid != os.getpid():
                found.append(pid)
    return found


def kill_all():
    for _ in range(100):
        pids = ours()
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not pids:
            return
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.05)
    raise AssertionError(f"processes stay: {ours()}")


def write_recordings(far=None):
    """All of them, one in a hundred damaged; a manifest for the cluster, and that of one process. `far`: where every third
    of them is, which `put` brings there."""
    pick = random.Random(5)
    here, there = ["#lode manifest 1"], ["#lode manifest 1"]
    for i in range(N_RECORDINGS):
        name = f"r{i:03d}.folded"
        text = "".join(f"app;main;{';'.join(f'f{pick.randint(0, 20)}' for _ in range(pick.randint(2, 9)))} "
                       f"{pick.randint(1, 500)}\n" for _ in range(pick.randint(5, 60))).encode()
        if i == 42:
            text = b""
        elif i == 43:
            text = gzip.compress(text, mtime=0)[:-20]
        with open(name, "wb") as file:
            file.write(text)
        is_far = far and i % 3 == 0
        here.append(f"{name}\tname={far}/{name}" if is_far else name)
        there.append(f"{far}/{name}" if is_far else name)
    there.append("missing.folded")
    here.append("missing.folded")
    write_manifest("one.manifest", here)
    write_manifest("all.manifest", there)


def write_manifest(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def n_done(pattern):
    """Parts that are done, in a folder."""
    return len(glob.glob(f"{pattern}/part-*"))


class Thread(threading.Thread):
    """Whose failure is that of who joins it."""
    error = None

    def run(self):
        try:
            super().run()
        except BaseException as error:
            self.error = error

    def join(self, timeout=None):
        super().join(timeout)
        if self.error:
            raise self.error


class Test:
    def __init__(self, lode):
        self.lode = os.path.realpath(lode)
        self.env = dict(os.environ, LODE=os.path.abspath("slow-lode"), PYTHONPATH=DRIVERS, TMPDIR=os.getcwd(),
                        LODE_TEST_DRIVERS=str(os.getpid()), PYTHONDONTWRITEBYTECODE="1")
        # Slow enough to be killed while it runs; `broken` names a part that fails. Its words are kept in `words`.
        with open("slow-lode", "w", encoding="utf-8") as file:
            file.write(f"""#!/bin/sh
case "$*" in *output.digest*)
	echo "$* ${{MALLOC_TRIM_THRESHOLD_:+trims}}" >>{os.getcwd()}/words
	sleep 0.1
	if [ -e broken ] && grep -qs -f broken "$(eval echo \\${{$#}})"; then echo "lode: broken on purpose" >&2; exit 4; fi
esac
exec {self.lode} "$@"
""")
        os.chmod("slow-lode", 0o755)
        self.started = []

    def start(self, name, *words):
        with open(f"{name}.log", "ab") as log:
            process = subprocess.Popen(words, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.started.append(process)
        return process

    def driver(self, *words, expect=(1,), says=""):
        done = subprocess.run([os.path.join(DRIVERS, words[0]), *words[1:]], env=self.env, cwd=os.getcwd(),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WAIT_S, check=False)
        assert done.returncode in expect and says in done.stderr, (words, done.returncode, done.stderr)
        return done.stderr

    def one_process(self):
        code = subprocess.run([self.lode, "digest", "--merge", "one.digest", "one.manifest"], capture_output=True,
                              check=False).returncode
        assert code == 1, code

    def same(self, path):
        with open("one.digest", "rb") as one, open(path, "rb") as other:
            assert one.read() == other.read(), f"{path} is not what one process makes"
        print(f"{path}: the bytes of one process")
