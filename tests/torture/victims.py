"""Commands that are stopped in the middle: what each needs, what it writes, and how one sees that this is sound."""
import collections
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import readers

MARK = "LODE_TORTURE"
END_S = 60  # how long a command may take to end after a signal; the machine may be loaded


@dataclasses.dataclass
class Victim:
    """One command.

    ask      its arguments, in a folder in which `files` lie
    sound    file it may leave -> arguments that read it: absent or whole, never half
    """
    name: str
    ask: list
    sound: dict = dataclasses.field(default_factory=dict)


def victims():
    symptom = ["--symptom", "comm=*"]
    service = ["--log", "log", "-c", "web=web", "-c", "db=db"]
    return [
        Victim("mine", ["mine", *symptom, "s0.data", "s1.data"]),
        Victim("mine --html", ["mine", "--html", "out.html", *symptom, "s0.data"], {"out.html": None}),
        Victim("mine --json", ["mine", "--json", "--detail", *symptom, "s0.data"]),
        Victim("info", ["info", "s0.data", "s1.data"]),
        Victim("suspects", ["suspects", "s0.data"]),
        Victim("timeline", ["timeline", "s0.data"]),
        Victim("timeline --index", ["timeline", "--index", "out.lodet", "t.xray"],
               {"out.lodet": ["timeline", "out.lodet"]}),
        Victim("digest -o", ["digest", "-o", "out.digests", *symptom, "s0.data", "s1.data"],
               {"out.digests": ["mine", "out.digests"]}),
        Victim("digest --merge", ["digest", "--merge", "out.digest", *symptom, "s0.data", "s1.data"],
               {"out.digest": ["mine", "out.digest"]}),
        Victim("diff", ["diff", *symptom, "s0.data", "s1.data"]),
        Victim("next", ["next", *symptom, "s0.data", "s1.data"]),
        Victim("analyze", ["analyze", "-o", "out.html", "s0.data", "t.xray"], {"out.html": None}),
        Victim("coverage", ["coverage", "--repo", "r.lode"]),
        Victim("triage --rest", ["triage", "--repo", "r.lode", "--rest", "out.digest", "s0.data"],
               {"out.digest": ["mine", "out.digest"]}),
        Victim("mine --repo", ["mine", "--repo", "r.lode"]),
        Victim("sign --export", ["sign", "--repo", "r.lode", "--export", "out.txt"],
               {"out.txt": ["sign", "-s", "out.txt", "--list"]}),
        Victim("repo check", ["repo", "check", "--repo", "r.lode"]),
        Victim("repo compact", ["repo", "compact", "--rebuild", "--repo", "r.lode"]),
        Victim("repo label", ["repo", "label", "a=b", "--repo", "r.lode", "--where", "host~*"]),
        Victim("pio train", ["pio", "train", *service, "-o", "out.model"], {"out.model": ["pio", "show", "out.model"]}),
        Victim("pio analyse", ["pio", "analyse", "-m", "model", *service]),
    ]


def prepare(lode, folder):
    """Files that the victims read."""
    top, r = readers.TOP, readers.random.Random(2)
    make = readers.Maker(lode, folder)
    for i, name in enumerate(("startup-08", "startup-12")):
        data = readers.content(top / f"samples/startup/{name}.perf.data.zst")
        make.put(**{f"s{i}.data": readers.perf_data.shrink(data, 6000, 2000)})
    make.put(**{"t.xray": readers.content(top / "samples/mailroom/mailroom.xray.zst")})
    make.put(web=readers.counters_csv(r, "web", 600), db=readers.counters_csv(r, "db", 600),
             log=readers.access_log(r, 600))
    make.run("pio", "train", "--log", "log", "-c", "web=web", "-c", "db=db", "-o", "model")
    make.run("import", "--repo", "r.lode", "--symptom", "comm=*", "s0.data", "s1.data")
    make.run("sign", "--repo", "r.lode", "--name", "known", "main;*")


class Place:
    """A folder with files, a home and a folder for temporary files, and what runs there."""

    def __init__(self, lode, folder, mark):
        self.lode, self.mark = lode, mark
        self.root = pathlib.Path(folder)
        self.work, self.tmp = self.root / "work", self.root / "tmp"
        for path in (self.work, self.tmp):
            path.mkdir()
        self.env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "COLUMNS": "100", "TZ": "UTC", "HOME": str(self.root),
                    "TMPDIR": str(self.tmp), MARK: mark}

    def start(self, ask, **options):
        return subprocess.Popen([self.lode, *ask], cwd=self.work, env=self.env, stdin=subprocess.DEVNULL, **options)

    def run(self, ask):
        """Exit code, standard output, standard error of a command that may end."""
        done = subprocess.run([self.lode, *ask], cwd=self.work, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=10 * END_S, check=False)
        return done.returncode, done.stdout, done.stderr

    def left_running(self):
        """Processes that a command started and left."""
        wanted, found = f"{MARK}={self.mark}".encode(), []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                environment = pathlib.Path("/proc", pid, "environ").read_bytes().split(b"\0")
                state = pathlib.Path("/proc", pid, "stat").read_text(encoding="ascii", errors="replace")
            except OSError:
                continue
            if wanted in environment and state.rsplit(")", 1)[1].split()[0] != "Z":
                name = pathlib.Path("/proc", pid, "cmdline").read_bytes().replace(b"\0", b" ")
                found.append(f"{pid} {name.decode(errors='replace')[:80]}")
        return found

    def left_running_for(self, seconds):
        """The same, for who needs a moment to end."""
        until = time.monotonic() + seconds
        while found := self.left_running():
            if time.monotonic() > until:
                break
            time.sleep(0.05)
        return found

    def temporaries(self):
        """Files that lie where no command's result is. A folder that is still empty has no mark of lode's: for a
        minute it could be anybody's, and stays."""
        beside = [p.name for p in self.work.iterdir() if p.name.startswith(".") or p.name.endswith((".tmp", ".part"))]
        below = [p for p in self.tmp.rglob("*") if not p.is_dir() or any(p.iterdir())]
        return sorted([str(p.relative_to(self.tmp)) for p in below] + beside)

    def age(self):
        """Makes what a killed writer left old enough to be taken away: files beside others' stay for a minute."""
        long_ago = time.time() - 3600
        for path in [p for p in self.work.iterdir() if p.name.startswith(".")] + list(self.tmp.iterdir()):
            os.utime(path, (long_ago, long_ago))

    def remove(self, *names):
        for name in names:
            path = self.work / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def stop(process, number):
    """Sends a signal; exit code, or None: it did not end."""
    process.send_signal(number)
    try:
        return process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def streams_of(place, repo):
    code, out, _ = place.run(["repo", "list", "--json", "--top", "0", "--repo", repo])
    return {os.path.basename(s["path"]) for s in json.loads(out)["list"]} if code in (0, 1) else set()


class Tally:
    def __init__(self):
        self.tried, self.failed = collections.Counter(), collections.Counter()

    def add(self, name, wrong):
        self.tried[name] += 1
        if wrong:
            self.failed[name] += 1
            print(f"FAILED {name}: {wrong}", flush=True)

    def show(self, what):
        print(f"{what:<20} {'tried':>7} {'failed':>6}")
        for name, n in self.tried.items():
            print(f"{name:<20} {n:>7} {self.failed[name]:>6}")
        print(f"{sum(self.tried.values())} {what}, {sum(self.failed.values())} failed", flush=True)
        return not any(self.failed.values())


def listening(process):
    """The address that lode serve prints."""
    for line in iter(process.stdout.readline, b""):
        for word in line.decode().split():
            if word.startswith("http://"):
                return word.split("?")[0].rstrip("/")
    return None


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGKILL)
