"""The work: a manifest becomes steps, each of which one `lode digest --merge` does, anywhere and twice if need be.

    parts        step step step step step      of recordings
    merges          step      step  step       of up to FAN_IN digests each
    the last             step

A step's output is named after all that decides its bytes: lode, its options, and what it reads. So a step whose
output is there is done, in this run or in one that was cut short.
"""
import ctypes
import hashlib
import json
import os
import signal
import subprocess
import tempfile
import typing

from . import stores

FAN_IN = 16
DONE = (0, 1)  # exit codes of lode: 1 says that recordings were skipped or are incomplete


class Failure(Exception):
    """A step that could not be done, in words; `worker` is who tried."""

    def __init__(self, text, worker=""):
        super().__init__(text, worker)
        self.text, self.worker = text, worker

    def __str__(self):
        return f"{self.text} (on {self.worker})" if self.worker else self.text


class Step(typing.NamedTuple):
    name: str        # shown: part-00017, merge-2-3
    output: str      # path or URL of its digest
    recordings: int  # that its digest must contain
    bytes: int
    manifest: str    # of a part; else ""
    children: tuple  # outputs that a merge reads


def program():
    return os.environ.get("LODE", "lode")


_LIBC = ctypes.CDLL(None)


def _die_with_parent():
    _LIBC.prctl(1, signal.SIGKILL)


def _environment():
    """Without what Dask sets for its workers, which costs a quarter of the CPU time: the memory of each recording would go
    back to the kernel, to be fetched for the next."""
    return {key: value for key, value in os.environ.items() if key != "MALLOC_TRIM_THRESHOLD_"}


def run_lode(*words):
    """The code and the JSON of a command that ran; what it said is the failure's text."""
    try:
        done = subprocess.run([program(), *words], stdin=subprocess.DEVNULL, capture_output=True,
                              env=_environment(), preexec_fn=_die_with_parent, check=False)
    except OSError as error:
        raise Failure(f"{program()}: {error.strerror}; install lode on every worker, or set LODE to its path") from None
    if done.returncode not in DONE:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Failure("; ".join(said[-3:]) or f"{program()} exited with code {done.returncode}")
    return done.returncode, done.stdout.decode()


# ---- Planning ----

def _key(*what):
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:24]


def _anywhere(line):
    """A line that means the same recording in any folder: results call it what the manifest calls it."""
    fields = line.split("\t")
    path = fields[0]
    stores.check(path)
    if stores.is_url(path) or os.path.isabs(path) or line.startswith("#"):
        return line
    if not any(field.startswith("name=") for field in fields[1:]):
        fields.insert(1, "name=" + path)
    return "\t".join([os.path.abspath(path), *fields[1:]])


def _parts(manifest, work, options, split):
    version = run_lode("--version")[1]
    with tempfile.TemporaryDirectory(prefix="lode-parts-") as folder:
        _, text = run_lode("shard", "--json", "--top", "0", *split, "-o", os.path.join(folder, "x"),
                           manifest)
        for number, part in enumerate(json.loads(text)["parts"], 1):
            with open(part["path"], encoding="utf-8", errors="surrogateescape", newline="\n") as file:
                lines = [_anywhere(line) for line in file.read().split("\n") if line]
            text = "\n".join(lines) + "\n"
            name = f"part-{number:05d}"
            key = _key(version, options, text.encode(errors="surrogateescape").hex())
            yield Step(name, stores.join(work, f"{name}-{key}.digest"), part["recordings"],
                       part["bytes"], text, ())


def plan(manifest, work, options=(), split=(), fan_in=FAN_IN):
    """Steps by level: all of one may run side by side, once those of the level before are done."""
    options = list(options)
    levels = [list(_parts(manifest, work, options, split))]
    while len(levels[-1]) > 1:
        below, level = levels[-1], []
        for first in range(0, len(below), fan_in):
            group = below[first:first + fan_in]
            children = tuple(step.output for step in group)
            name = f"merge-{len(levels)}-{first // fan_in + 1}"
            level.append(Step(name, stores.join(work, f"{name}-{_key(children)}.digest"),
                              sum(step.recordings for step in group),
                              sum(step.bytes for step in group), "", children))
        levels.append(level)
    return levels


def group_of(level, index, fan_in=FAN_IN):
    """Which step of the next level waits for this one."""
    return level + 1, index // fan_in


def is_done(step):
    return bool(stores.size(step.output))


# ---- Doing ----

def _fetched_manifest(step, folder):
    """The part's manifest, with what has to be fetched here."""
    lines, far = [], []
    for i, line in enumerate(step.manifest.splitlines()):
        path, *fields = line.split("\t")
        if stores.is_url(path) and not line.startswith("#"):
            # Under its own name, which is the thread's where a format has none.
            here = os.path.join(folder, str(i), os.path.basename(path) or "recording")
            os.mkdir(os.path.dirname(here))
            far.append((path, here))
            if not any(field.startswith("name=") for field in fields):
                fields.insert(0, "name=" + path)
            path = here
        lines.append("\t".join([path, *fields]))
    stores.fetch_all(far)  # of one that is not there, lode says so
    file = os.path.join(folder, "manifest")
    with open(file, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as out:
        out.write("\n".join(lines) + "\n")
    return [file]


def _fetched_children(step, folder):
    files = [os.path.join(folder, f"child-{i}.digest") if stores.is_url(child) else child
             for i, child in enumerate(step.children)]
    stores.fetch_all([pair for pair in zip(step.children, files) if stores.is_url(pair[0])])
    for child, file in zip(step.children, files):
        if not stores.size(file):
            raise Failure(f"{child} is missing: run again to rebuild it")
    return files


def _refuse_damaged(step, files):
    """A digest that does not count is damaged: it goes, so that the next run makes it again."""
    for child, file in zip(step.children, files):
        try:
            run_lode("digest", "--merge", "/dev/null", file)
        except Failure as failure:
            stores.remove(child)
            raise Failure(f"{child} was damaged and has been removed; run again to rebuild it: "
                          f"{failure.text}") from None


def _make(step, options, machine, folder):
    files = _fetched_manifest(step, folder) if step.manifest else _fetched_children(step, folder)
    output = os.path.join(folder, "output.digest")
    words = [*options, *machine] if step.manifest else machine
    _, text = run_lode("digest", "--json", "--top", "1", "--merge", output, *words, *files)
    recordings = json.loads(text)["streams"]
    if recordings != step.recordings:
        _refuse_damaged(step, files)
        raise Failure(f"{recordings} of {step.recordings} recordings were read")
    stores.put(output, step.output)


def do(step, options=(), threads=1, memory_bytes=0, scratch=None, worker=""):
    """Makes a step's output, unless it is there. Failures name the step and the worker."""
    machine = ["--threads", str(threads)]
    if memory_bytes:
        machine += ["--memory", str(memory_bytes)]
    try:
        if not is_done(step):
            with tempfile.TemporaryDirectory(prefix="lode-", dir=scratch) as folder:
                _make(step, options, machine, folder)
    except Failure as failure:
        raise Failure(f"{step.name}: {failure.text}", worker) from None
    except (OSError, stores.StoreError) as error:
        raise Failure(f"{step.name}: {error}", worker) from None


def finish(step, output):
    """Puts the last step's digest in place; gives lode's exit code for all that was read."""
    with tempfile.TemporaryDirectory(prefix="lode-") as folder:
        file = step.output
        if stores.is_url(file):
            file = os.path.join(folder, "last.digest")
            stores.fetch(step.output, file)
        code, text = run_lode("digest", "--json", "--top", "1", "--merge", "/dev/null", file)
        if json.loads(text)["streams"] != step.recordings:
            raise Failure(f"{step.output} is damaged: remove it and run again")
        stores.put(file, output)
    return code


def check_output(output):
    """As lode itself: an earlier digest is replaced, and nothing else."""
    stores.check(output)
    if not stores.is_url(output) and os.path.exists(output):
        with open(output, "rb") as file:
            head = file.read(8)
        if head and head != b"\x8flode\r\n\n":
            raise Failure(f"{output} exists and is not a digest of lode: choose another file")
