"""Signals at random moments: nothing runs on, nothing is left, nothing is half, nothing that was told is lost."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

import readers
import victims


def is_half(place, victim):
    """A result under its own name that is not whole."""
    for name, ask in victim.sound.items():
        path = place.work / name
        if not path.exists():
            continue
        if path.is_dir() and not any(path.iterdir()):
            continue
        if ask is None:
            if b"</html>" not in path.read_bytes()[-200:]:
                return f"{name} is half"
        elif place.run(ask)[0] != 0:
            return f"{name} is not sound"
    return ""


def interrupt(place, victim, r, longest):
    """What is wrong after a signal at some moment of a command's life; the next start cleans up."""
    place.remove(*victim.sound)
    number = r.choice(victims.SIGNALS)
    process = place.start(victim.ask, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(r.random() * longest)
    code = victims.stop(process, number)
    said = f"signal {number}: "
    if code is None:
        return said + "did not end"
    if code not in (0, 1, 2, 3, 4, 5, -number, 128 + number):
        return said + f"exit code {code}"
    if left := place.left_running_for(5):
        return said + f"runs on: {left}"
    if wrong := is_half(place, victim):
        return said + wrong
    if "r.lode" in victim.ask and place.run(["repo", "check", "--repo", "r.lode"])[0] != 0:
        return said + "the repository is damaged"
    if place.temporaries() or r.random() < 0.3:  # to its end now: it takes away what the killed one left
        place.age()
        code, _, err = place.run(victim.ask)
        if code not in (0, 1, 5):
            return said + f"the next run ends with {code}: {err[-200:]}"
        if temporaries := place.temporaries():
            return said + f"left {temporaries}"
    return ""


def any_command(lode, folder, tally, r, n):
    place = victims.Place(lode, folder, f"any{os.getpid()}")
    victims.prepare(lode, place.work)
    everything = victims.victims()
    longest = {}
    for victim in everything:
        started = time.monotonic()
        code, _, err = place.run(victim.ask)
        if code not in (0, 1):
            raise RuntimeError(f"{victim.ask}: {code} {err}")
        longest[victim.name] = time.monotonic() - started
    for i in range(n):
        victim = everything[i % len(everything)]
        tally.add(victim.name, interrupt(place, victim, r, longest[victim.name]))


def imports(lode, folder, tally, r, n):
    """kill -9 again and again: what was told is there, and the repository is sound; in the end it has all."""
    place = victims.Place(lode, folder, f"import{os.getpid()}")
    data = readers.content(readers.TOP / "tests/data/clock.perf.data.zst")
    names = [f"{i:02}.data" for i in range(40)]
    for i, name in enumerate(names):  # each its own
        recording = readers.perf_data.parse(data)
        recording.features[3] = (8).to_bytes(4, "little") + b"host%03d\0" % i
        samples = [k for k, x in enumerate(recording.records) if readers.perf_data.header_of(x)[0] == 9]
        for k in sorted(r.sample(samples, 8), reverse=True):
            del recording.records[k]
        (place.work / name).write_bytes(recording.file())
    ask = ["import", "-v", "-j", "2", "--repo", "r.lode", "--symptom", "comm=*", *names]
    told, out = set(), place.work / "told"
    for i in range(n):
        with open(out, "wb") as file:
            process = place.start(ask, stdout=file, stderr=subprocess.DEVNULL)
            time.sleep(r.random() * r.choice((0.02, 0.1, 0.4)))
            victims.stop(process, signal.SIGKILL)
        whole_lines = out.read_bytes().split(b"\n")[:-1]
        told |= {line.split()[-1].decode() for line in whole_lines if line.startswith(b"added")}
        wrong = ""
        if (place.work / "r.lode").exists():
            code, said, err = place.run(["repo", "check", "--repo", "r.lode"])
            there = victims.streams_of(place, "r.lode")
            if code != 0 and told:
                wrong = f"repo check ends with {code}: {said[-200:]} {err[-200:]}"
            elif not told <= there:
                wrong = f"told and lost: {sorted(told - there)}"
        elif told:
            wrong = "the repository is gone"
        tally.add("import (kill -9)", wrong)
        if len(told) == len(names) or i == n - 1:
            code, _, err = place.run(ask)
            if code not in (0, 1) or victims.streams_of(place, "r.lode") != set(names):
                tally.add("import (kill -9)", f"cannot be finished: {code} {err[-200:]}")
            place.remove("r.lode", "r.lode-wal", "r.lode-shm")
            told = set()


def serves(lode, folder, tally, r, n):
    """Killed while it mines or answers, and started again at once."""
    place = victims.Place(lode, folder, f"serve{os.getpid()}")
    victims.prepare(lode, place.work)
    for _ in range(n):
        process = place.start(["serve", "--port", "0", "--repo", "r.lode"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        wrong = ""
        if r.random() < 0.7:
            address = victims.listening(process)
            if not address:
                wrong = "does not say where it listens"
            for _ in range(r.randrange(4) if address else 0):
                with urllib.request.urlopen(address + "/api/reports/mine", timeout=victims.END_S) as answer:
                    answer.read(r.choice((10, 1 << 30)))
        else:
            time.sleep(r.random() * 0.1)
        number = r.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        code = victims.stop(process, number)
        process.stdout.close()
        if code is None:
            wrong = f"signal {number}: did not end"
        elif left := place.left_running_for(5):
            wrong = f"signal {number}: runs on: {left}"
        elif place.run(["repo", "check", "--repo", "r.lode"])[0] != 0:
            wrong = f"signal {number}: the repository is damaged"
        elif temporaries := place.temporaries():
            wrong = f"signal {number}: left {temporaries}"
        tally.add("serve", wrong)


def watches(lode, folder, tally, r, n):
    """Its state is that of before or after, never half; in the end all has been told."""
    place = victims.Place(lode, folder, f"watch{os.getpid()}")
    victims.prepare(lode, place.work)
    ask = ["pio", "watch", "-m", "model", "--log", "log", "-c", "web=web", "-c", "db=db", "--from", "start", "--json"]
    whole = place.run([*ask, "--once"])[1].splitlines()
    out, kills = place.work / "told", 0
    out.write_bytes(b"")
    for i in range(n):
        with open(out, "ab") as file:
            process = place.start([*ask, "--state", "state"], stdout=file, stderr=subprocess.DEVNULL)
            time.sleep(r.random() * r.choice((0.01, 0.05, 0.2)))
            number = r.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM))
            code = victims.stop(process, number)
        kills += number == signal.SIGKILL
        wrong = "did not end" if code is None else ""
        if left := place.left_running_for(5):
            wrong = f"runs on: {left}"
        if (i + 1) % 10 == 0 or i == n - 1:  # to the end of the data, then from the start again
            with open(out, "ab") as file:
                place.start([*ask, "--state", "state", "--once"], stdout=file).wait()
            told = out.read_bytes().splitlines()
            if set(told) != set(whole):
                wrong = f"{len(set(whole) - set(told))} of {len(whole)} lines lost, {len(set(told) - set(whole))} invented"
            elif len(told) - len(whole) > kills:
                wrong = f"{len(told) - len(whole)} lines repeated after {kills} kills"
            if temporaries := place.temporaries():
                wrong = f"left {temporaries}"
            place.remove("state")
            out.write_bytes(b"")
            kills = 0
        tally.add("pio watch", wrong)


def records(lode, folder, tally, r, n):
    """perf ends with lode, and what was made is a bundle that can be read, or nothing under its name."""
    place = victims.Place(lode, folder, f"record{os.getpid()}")
    code, _, err = place.run(["record", "-o", "try.lode", "--", "true"])
    if code != 0:
        print(f"record: skipped, it does not work here: {err.decode(errors='replace').strip()[-200:]}")
        return
    for _ in range(n):
        place.remove("out.lode")
        process = place.start(["record", "-o", "out.lode", "--", "sleep", "1"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        time.sleep(r.random() * 3)
        number = r.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        code = victims.stop(process, number)
        wrong = ""
        if code is None:
            wrong = f"signal {number}: did not end"
        elif left := place.left_running_for(10):
            wrong = f"signal {number}: runs on: {left}"
            for line in left:
                os.kill(int(line.split()[0]), signal.SIGKILL)
        elif code == 0 and place.run(["info", "out.lode"])[0] not in (0, 1):
            wrong = f"signal {number}: exit code 0, and the bundle cannot be read"
        if not wrong and r.random() < 0.3:  # the next start cleans up
            place.remove("next.lode")
            place.run(["record", "-o", "next.lode", "--", "true"])
            if temporaries := place.temporaries():
                wrong = f"signal {number}: left {temporaries}"
        tally.add("record", wrong)


PARTS = ((any_command, 0.62), (imports, 0.2), (serves, 0.06), (watches, 0.1), (records, 0.02))


def run(options):
    tally = victims.Tally()
    lode = (options.plain + options.sanitized)[0]
    for part, share in PARTS:
        if options.reader and part.__name__ not in options.reader:
            continue
        r = random.Random(f"{options.seed}/{part.__name__}")
        with tempfile.TemporaryDirectory(prefix="lode-torture-", dir=options.folder) as folder:
            part(lode, folder, tally, r, max(1, int(options.kills * share)))
    return tally.show("kills")


def close_pipes(options):
    """Whoever reads goes away after some bytes: the command ends, and says nothing."""
    tally, r, lode = victims.Tally(), random.Random(f"{options.seed}/pipes"), (options.plain + options.sanitized)[0]
    with tempfile.TemporaryDirectory(prefix="lode-torture-", dir=options.folder) as folder:
        place = victims.Place(lode, folder, f"pipes{os.getpid()}")
        victims.prepare(lode, place.work)
        for i in range(options.pipes):
            everything = [v for v in victims.victims() if not v.sound]
            victim = everything[i % len(everything)]
            process = place.start(victim.ask, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            os.read(process.stdout.fileno(), r.choice((1, 100, 4096))) if r.random() < 0.7 else None
            process.stdout.close()
            try:
                err = process.communicate(timeout=victims.END_S)[1]
                wrong = f"said {err[-200:]}" if b"write" in err or b"pipe" in err.lower() else ""
                if process.returncode not in (0, 1, 3, 5, -signal.SIGPIPE, 128 + signal.SIGPIPE):
                    wrong = f"exit code {process.returncode}: {err[-200:]}"
            except subprocess.TimeoutExpired:
                process.kill()
                wrong = "did not end"
            tally.add(victim.name, wrong)
    return tally.show("closed pipes")


def fill_disks(options):
    """Results and temporary files on a disk that is too small: exit code 4 and its name, and nothing half."""
    tally, r, lode = victims.Tally(), random.Random(f"{options.seed}/disks"), (options.plain + options.sanitized)[0]
    if os.geteuid() != 0 or not shutil.which("unshare"):
        print("small disks: skipped, mounting one takes root and unshare")
        return True
    if not options.is_apart:  # mounts are this process's own
        return subprocess.run(["unshare", "--mount", "--propagation", "private", *options.again, "--apart"],
                              check=False).returncode == 0
    with tempfile.TemporaryDirectory(prefix="lode-torture-") as folder:
        place = victims.Place(lode, folder, f"disks{os.getpid()}")
        victims.prepare(lode, place.work)
        disk = place.work / "disk"
        disk.mkdir()
        writers = [(v, n) for v in victims.victims() for n in v.sound]
        for i in range(options.disks):
            victim, name = writers[i % len(writers)]
            size = r.choice((4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096))
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", disk], check=True)
            try:
                place.env["TMPDIR"] = str(disk) if r.random() < 0.5 else str(place.tmp)
                ask = [w.replace(name, f"disk/{name}") for w in victim.ask]
                code, _, err = place.run(ask)
                moved = victims.Victim(victim.name, ask, {f"disk/{n}": s and [w.replace(n, f"disk/{n}") for w in s]
                                                          for n, s in victim.sound.items()})
                place.env["TMPDIR"] = str(place.tmp)
                wrong = is_half(place, moved)
                if code not in (0, 1, 4):
                    wrong = f"exit code {code}: {err[-200:]}"
                elif code == 4 and not err:
                    wrong = "not a word"
                elif code == 4 and (left := [p.name for p in disk.iterdir() if p.name != name]):
                    wrong = f"left {left}"
                elif code in (0, 1) and not (disk / name).exists():
                    wrong = f"exit code {code}, and no {name}"
            finally:
                subprocess.run(["umount", disk], check=True)
            tally.add(f"{victim.name}", f"{wrong} ({size} KiB)" if wrong else "")
    return tally.show("small disks")
