"""Long runs: lode serve --repo while streams come and go, and lode pio watch over logs that rotate. No answer is
wrong, and memory stays where it was."""
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

import readers
import victims

SAME = ("unit", "streams", "symptoms", "symptom_ns", "aoi", "lambda_ns", "rounds", "patterns", "other_ns")
N_STREAMS = 40  # that the repository holds: each that comes lets the oldest go
SETTLE_S = 120  # how long the last change may take to be seen
SPEED = 40  # seconds of data that are written in one


def essence(document):
    """What two answers about one state of the repository must agree on."""
    clusters = [[c[k] for k in ("id", "rank", "own_ns", "total_ns", "streams", "symptoms")] for c in document["clusters"]]
    return json.dumps([{k: document[k] for k in SAME}, clusters], sort_keys=True)


class Memory(threading.Thread):
    """Samples a process's memory."""

    def __init__(self, pid, until):
        super().__init__(daemon=True)
        self.pid, self.until, self.samples_kb = pid, until, []

    def run(self):
        while time.monotonic() < self.until:
            try:
                text = pathlib.Path(f"/proc/{self.pid}/status").read_text(encoding="ascii", errors="replace")
            except OSError:
                return
            self.samples_kb += [int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS")]
            time.sleep(1)

    def judge(self, tally, name):
        """Medians of the second and the last quarter: what is needed at the start is there by then."""
        quarter = len(self.samples_kb) // 4
        early = statistics.median(self.samples_kb[quarter:2 * quarter])
        late = statistics.median(self.samples_kb[-quarter:])
        print(f"{name}: memory {early / 1024:.1f} MiB in the second quarter, {late / 1024:.1f} MiB in the last, at most "
              f"{max(self.samples_kb) / 1024:.1f} MiB")
        tally.add(f"{name}: memory", "" if late < 1.1 * early + 4096 else f"grew from {early} to {late} KiB")


class Serve(threading.Thread):
    def __init__(self, lode, folder, tally, seconds, seed):
        super().__init__()
        self.place = victims.Place(lode, folder, f"soak{os.getpid()}")
        self.tally, self.until, self.r = tally, time.monotonic() + seconds, random.Random(seed)
        self.recording = readers.content(readers.TOP / "tests/data/clock.perf.data.zst")
        self.known, self.answers, self.problems, self.counts = set(), {}, [], {"changes": 0, "answers": 0, "questions": 0}
        self.there, self.number = [], 0

    def new_stream(self):
        """A recording of its own: some samples lack."""
        recording = readers.perf_data.parse(self.recording)
        samples = [i for i, x in enumerate(recording.records) if readers.perf_data.header_of(x)[0] == 9]
        for i in sorted(self.r.sample(samples, 6), reverse=True):
            del recording.records[i]
        recording.features[3] = (8).to_bytes(4, "little") + b"h%06d\0" % self.number
        name = f"{self.number:06}.data"
        self.number += 1
        (self.place.work / name).write_bytes(recording.file())
        return name

    def change(self, ask):
        code, _, err = self.place.run(ask)
        if code not in (0, 1):
            self.problems.append(f"{' '.join(ask)}: {code} {err[-200:]}")
        code, out, err = self.place.run(["mine", "--repo", "r.lode", "--json", "--top", "0"])
        if code in (0, 1):
            self.known.add(essence(json.loads(out)))
        else:
            self.problems.append(f"mine: {code} {err[-200:]}")
        self.counts["changes"] += 1

    def add(self):
        name = self.new_stream()
        self.change(["import", "--repo", "r.lode", "--symptom", "comm=*", name])
        (self.place.work / name).unlink()
        self.there.append(name)

    def forget(self):
        self.change(["repo", "forget", "--repo", "r.lode", "--where", f"host=h{self.there.pop(0)[:6]}", "--yes"])

    def get(self, path):
        with urllib.request.urlopen(f"{self.address}/api/{path}", timeout=victims.END_S) as answer:
            return json.loads(answer.read())

    def ask(self):
        """A page's questions, as long as it lasts; whoever asks for a cluster that is gone is told so (404, 410)."""
        r = random.Random(self.r.random())
        while time.monotonic() < self.until:
            try:
                document = self.get("reports/mine")
                key = essence(document)
                self.answers[key] = self.answers.get(key, 0) + 1
                self.counts["answers"] += 1
                for cluster in r.sample(document["clusters"], min(3, len(document["clusters"]))):
                    for path in (f"cluster?id={cluster['id']}", f"streams?cluster={cluster['id']}", "signatures"):
                        self.question(path, document, cluster)
            except (OSError, ValueError, KeyError) as error:
                self.problems.append(f"{type(error).__name__}: {error}")
            time.sleep(r.random() * 0.4)

    def question(self, path, document, cluster):
        try:
            answer = self.get("reports/mine/" + path)
        except urllib.error.HTTPError as error:
            if error.code not in (404, 410):
                self.problems.append(f"{path}: {error.code}")
            return
        self.counts["questions"] += 1
        said = answer.get("cluster", answer) if path.startswith("cluster") else {}
        if "total_ns" in said and said["id"] != cluster["id"]:
            self.problems.append(f"{path}: another cluster, {said['id']}")

    def run(self):
        for _ in range(3):
            self.add()
        with self.place.start(["serve", "--port", "0", "--repo", "r.lode"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            self.address = victims.listening(process)
            memory = Memory(process.pid, self.until)
            memory.start()
            asking = [threading.Thread(target=self.ask) for _ in range(2)]
            for thread in asking:
                thread.start()
            while time.monotonic() < self.until - 5:
                self.add()
                if len(self.there) > N_STREAMS:
                    self.forget()
                time.sleep(self.r.random() * 2)
            for thread in asking:
                thread.join()
            self.judge(process, memory)

    def judge(self, process, memory):
        code, out, _ = self.place.run(["mine", "--repo", "r.lode", "--json", "--top", "0"])
        last, until = essence(json.loads(out)) if code in (0, 1) else None, time.monotonic() + SETTLE_S
        while (seen := essence(self.get("reports/mine"))) != last and time.monotonic() < until:
            time.sleep(0.5)
        self.tally.add("serve: last change is seen", "" if seen == last else "it is not")
        for key, n in self.answers.items():
            for _ in range(n):
                self.tally.add("serve: answers", "" if key in self.known else "an answer that no state gives")
        self.tally.add("serve: end", "" if victims.stop(process, signal.SIGTERM) == 0 else "does not end with 0")
        for problem in self.problems[:20]:
            self.tally.add("serve: requests", problem)
        print(f"serve: {self.counts['changes']} changes, {self.counts['answers']} documents in "
              f"{len(self.answers)} states, {self.counts['questions']} questions answered")
        memory.judge(self.tally, "serve")


class Watch(threading.Thread):
    """A service that is slow at times; its log is renamed and begun anew, its counters are copied and truncated."""

    def __init__(self, lode, folder, tally, seconds, seed):
        super().__init__()
        self.place = victims.Place(lode, folder, f"watch{os.getpid()}")
        self.tally, self.seconds, self.r = tally, seconds, random.Random(seed)
        self.t, self.slow_until, self.slow_from, self.rotations = 1795230000, 0, 0, 0

    def second(self):
        """Lines of one second: log, web, db."""
        r = self.r
        if self.t >= self.slow_until:
            self.slow_from = self.t + r.randint(60, 300)
            self.slow_until = self.slow_from + r.randint(15, 60)
        slow = self.t >= self.slow_from
        log = []
        for k in range(10):
            took = r.lognormvariate(-4, 0.3) * (8 if slow else 1)
            log.append('10.0.0.1 - u%d [21/Nov/2026:02:00:00 +0000] "GET /shop/%s HTTP/1.1" 200 100 "-" "-" '
                       '%.3f %.3f %.3f\n' % (k % 3, "cart" if k % 2 else "list", took + 0.001, took, self.t + k / 10 + took))
        web = f"{self.t + 1}.002,{40 + r.randint(0, 9)},{5 + r.randint(0, 3) + 40 * slow}\n"
        db = f"{self.t + 1}.004,{80 + r.randint(0, 9) + 90 * slow},{r.randint(0, 1) + 12 * slow}\n"
        self.t += 1
        return "".join(log), web, db

    def write(self, n, *files):
        for _ in range(n):
            for file, line in zip(files, self.second()):
                file.write(line)
        for file in files:
            file.flush()

    HEADERS = ("", "time,cpu,connections\n", "time,cpu,waits\n")
    NAMES = ("log", "web", "db")

    def begin(self, suffix=""):
        files = [open(self.place.work / (name + suffix), "a", encoding="utf-8") for name in self.NAMES]
        for file, header in zip(files, self.HEADERS):
            file.write(header)
        return files

    def ask(self, suffix, *more):
        return ["pio", "watch", "-m", "model", "--log", "log" + suffix, "-c", "web=web" + suffix, "-c", "db=db" + suffix,
                "--from", "start", "--json", *more]

    def rotate(self, files):
        """Everything that was written is read by then, as with logrotate, which waits before it takes files away."""
        time.sleep(3)
        for name, file in zip(self.NAMES, files):
            file.close()
            content = (self.place.work / name).read_bytes()
            with open(self.place.work / f"{name}.all", "ab") as whole:  # with one header
                whole.write(content if whole.tell() == 0 or name == "log" else content.partition(b"\n")[2])
            if name == "log":
                os.replace(self.place.work / name, self.place.work / f"{name}.1")
            else:
                os.truncate(self.place.work / name, 0)
        self.rotations += 1
        return self.begin()

    def run(self):
        train = self.begin(".train")
        self.write(2400, *train)
        code, _, err = self.place.run(["pio", "train", "--log", "log.train", "-c", "web=web.train", "-c",
                                       "db=db.train", "-o", "model"])
        if code not in (0, 1):
            self.tally.add("watch", f"train: {code} {err[-300:]}")
            return
        files = self.begin()
        until = time.monotonic() + self.seconds
        said_path = self.place.work / "said"
        with open(self.place.work / "told", "wb") as told, open(said_path, "wb") as said, self.place.start(
                self.ask("", "--state", "state"), stdout=told, stderr=said) as process:
            memory = Memory(process.pid, until)
            memory.start()
            rotate_at = time.monotonic() + 60
            while time.monotonic() < until:
                self.write(SPEED // 4, *files)
                time.sleep(0.25)
                if time.monotonic() > rotate_at:
                    files = self.rotate(files)
                    rotate_at = time.monotonic() + 60
            time.sleep(10)
            code = victims.stop(process, signal.SIGTERM)
        said = said_path.read_text(encoding="utf-8", errors="replace")
        # What is written between the copy and the truncation is lost: lode says that it may be.
        is_right = code == 0 or (code == 1 and "was truncated while being followed" in said)
        self.tally.add("watch: end", "" if is_right else f"exit code {code}: {said[-300:]}")
        self.rotate(files)
        self.judge(memory)

    def judge(self, memory):
        keys = ("event", "start", "end")
        code, out, err = self.place.run(self.ask(".all", "--once"))
        if code not in (0, 1):
            self.tally.add("watch: whole", f"{code} {err[-300:]}")
        whole = [tuple(json.loads(line).get(k) for k in keys) for line in out.splitlines()]
        lines = (self.place.work / "told").read_bytes().splitlines()
        told = [tuple(json.loads(line).get(k) for k in keys) for line in lines]
        print(f"watch: {self.t - 1795230000} s of data, {self.rotations} rotations, {len(told)} lines told, "
              f"{len(whole)} by one reading of all")
        for i, line in enumerate(whole[:len(told)] or [None]):
            self.tally.add("watch: lines", "" if line == told[i] else f"line {i} is {told[i]}, not {line}")
        if len(told) < len(whole) - 1:  # what the last interval tells may not be known yet
            self.tally.add("watch: lines", f"{len(whole) - len(told)} lack")
        memory.judge(self.tally, "watch")


def run(options):
    tally, lode, seconds = victims.Tally(), (options.plain + options.sanitized)[0], options.minutes * 60
    with tempfile.TemporaryDirectory(prefix="lode-torture-", dir=options.folder) as folder:
        runs = []
        for kind in (Serve, Watch):
            own = pathlib.Path(folder, kind.__name__)
            own.mkdir()
            runs.append(kind(lode, own, tally, seconds, f"{options.seed}/{kind.__name__}"))
        for run_ in runs:
            run_.start()
        for run_ in runs:
            run_.join()
    return tally.show("checks")
