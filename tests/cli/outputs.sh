# No output ever replaces an input; what is not lode's is replaced with --force alone; an earlier output
# is replaced without. Every option of every command that names a file is tried: the help says which.
"$LODE" mine --html page.html /dev/null 2>&1 | grep -q 'built without HTML pages' &&
	{ echo "this lode has no pages"; exit 77; }
cat >make.py <<'P'
import random
for name, seed, slow in ("one", 1, 40), ("two", 2, 60):
    r = random.Random(seed)
    with open(f"{name}.log", "w") as log, open(f"{name}.csv", "w") as db:
        db.write("time,cpu,waits\n")
        for t in range(300):
            d = t % 100 in range(slow, slow + 20)
            for k in range(10):
                took = r.lognormvariate(-4, 0.3) * (8 if d else 1)
                log.write(f'10.0.0.1 - u [21/Nov/2026:02:00:00 +0000] "GET /shop HTTP/1.1" 200 1 "-" "-" '
                          f'{took:.3f} {took:.3f} {1795258196 + t + k / 10 + took:.3f}\n')
            db.write(f"{1795258197 + t}.004,{40 + r.randint(0, 9) + 30 * d},{r.randint(0, 1) + 12 * d}\n")
P
python3 make.py
mkdir in sym
cp "$LODE_TOP/samples/startup/startup-08.perf.data.zst" "$LODE_TOP/tests/data/clock.perf.data.zst" .
printf 'main;load;stat 60\nmain;draw;blit 40\n' >in/a.folded
cp in/a.folded a.folded
printf 'main;load;stat 90\nmain;sync;wait 50\n' >b.folded
printf 'signature: x\npattern: load\n' >s.txt
printf 'stream\ttid\tt0_ns\tt1_ns\nnone\t1\t0\t5\n' >slow.tsv
printf '0000000000001000 T start\n' >kallsyms
cp "$LODE_TOP"/samples/mailroom/* .
cp slow.tsv sym/lib
cp "$(type -P true)" prog
"$LODE" pio train -l one.log -c db=one.csv --rulesets 1 -o m.model >/dev/null
"$LODE" import --repo r.lode a.folded >/dev/null
"$LODE" digest --merge in/d.digest b.folded >/dev/null
"$LODE" mine --json a.folded >mined.json
cat >try.py <<'P'
import os, re, shutil, subprocess, sys
LODE = os.environ["LODE"]
PIO = "-m m.model -l two.log -c db=two.csv"
BRIDGE = "--stream clock.perf.data.zst --symptom-comm python*"
# Each output: a command line that makes it, its input, and the kind of thing that an input in its
# place is. OUT is the output's name.
WRITTEN = {
    "analyze --html": ("a.folded", "a.folded", "page"),
    "mine --html": ("a.folded", "a.folded", "page"),
    "mine --speedscope": ("a.folded", "a.folded", "speedscope profile"),
    "mine --pprof": ("a.folded", "a.folded", "pprof profile"),
    "mine --chrome-trace": ("startup-08.perf.data.zst", "startup-08.perf.data.zst", "Chrome trace"),
    "suspects --html": ("startup-08.perf.data.zst", "startup-08.perf.data.zst", "page"),
    "suspects --speedscope": ("startup-08.perf.data.zst", "startup-08.perf.data.zst", "speedscope profile"),
    "suspects --pprof": ("startup-08.perf.data.zst", "startup-08.perf.data.zst", "pprof profile"),
    "timeline --html": ("--whole-only mailroom.xray.zst", "mailroom.xray.zst", "page"),
    "timeline --index": ("mailroom.xray.zst", "mailroom.xray.zst", "trace index"),
    "timeline --symptoms-out": ("mailroom.xray.zst", "mailroom.xray.zst", "symptom table"),
    "timeline --chrome-trace": ("--window +0s,+1ms mailroom.xray.zst", "mailroom.xray.zst", "Chrome trace"),
    "pio train --output": ("-l one.log -c db=one.csv --rulesets 1", "one.csv", "pio model"),
    "pio analyse --html": (PIO, "m.model", "page"),
    "pio analyse --symptoms-out": (f"{PIO} {BRIDGE}", "two.log", "symptom table"),
    "digest --merge": ("a.folded", "a.folded", "digest"),
    "sign --export": ("--repo r.lode", "r.lode", "signature file"),
    "coverage --html": ("-s s.txt a.folded", "s.txt", "page"),
    "triage --html": ("-s s.txt b.folded", "s.txt", "page"),
    "triage --rest": ("-s s.txt b.folded", "b.folded", "digest"),
    "diff --html": ("a.folded b.folded", "b.folded", "page"),
    "diff --pprof": ("-a a.folded -b b.folded", "b.folded", "pprof profile"),
    "next --html": ("a.folded b.folded", "b.folded", "page"),
}
# A folder is written to, or what is there is looked at by whoever changes it.
FOLDERS = {"digest --output", "record --output", "shard --output"}
UPDATED = {
    "import --repo": "a.folded", "sign --repo": "--import s.txt", "sign --signatures": "--import mined.json",
    "pio watch --state": f"{PIO} --once", "repo --repo": None,
}
READ = {  # what stands for it in the tests below
    "--symptoms": "slow.tsv", "--kallsyms": "kallsyms", "--buildid-dir": "sym", "--symfs": "sym", "--source-dir": "sym",
    "--repo": "r.lode", "--signatures": "s.txt", "--from": "mined.json", "--import": "s.txt",
    "--symbols": "symbols.tsv", "--thread-names": "threads.tsv", "--model": "m.model", "--log": "two.log",
    "--counters": "web=two.csv", "--stream": "clock.perf.data.zst", "--perf": "prog",
    "--baseline": "a.folded", "--versus": "a.folded", "--a": "a.folded", "--b": "b.folded",
    "--token-file": "kallsyms",
}
faults = []

def run(command, *words):
    done = subprocess.run([LODE, *command.split(), *words], capture_output=True, text=True, errors="replace")
    return done.returncode, done.stderr

def content(path):
    with open(path, "rb") as file:
        return file.read()

def expect(is_right, what, said=""):
    if not is_right:
        faults.append(f"{what}: {said}".rstrip(": \n"))

def refused(what, command, words, path, says):
    """Exit 2, the sentence, and every byte of `path` as it was."""
    before, inode = content(path), os.stat(path).st_ino
    code, said = run(command, *words)
    expect(code == 2 and says in said, f"{what}: {' '.join(words)} -> {code}", said)
    expect(content(path) == before and os.stat(path).st_ino == inode, f"{what}: {path} was changed")

def parts(name):
    command, option = name.rsplit(" ", 1)
    return command, option

def try_written(name, line, source, kind):
    command, option = parts(name)
    words = line.split()
    for force in ([], ["--force"]):
        refused(name, command, [option, source, *words, *force], source, "give")
        for make, alias in (os.link, "hard"), (os.symlink, "soft"):
            make(source, alias)
            refused(name, command, [*words, f"{option}={alias}", *force], source, "give")
            os.unlink(alias)
    with open("foreign", "w") as file:
        file.write("mine, and nobody else's\n")
    refused(name, command, [option, "foreign", *words], "foreign", f"is a text, not an earlier {kind} of lode. If it is an input, the file to write is missing: {option} FILE foreign. To replace it, add --force")
    refused(name, command, [option, "startup-08.perf.data.zst" if "startup" not in line else "clock.perf.data.zst",
            *words], "clock.perf.data.zst", f"the file to write is missing: {option} FILE ")
    refused(name, command, [option, "in", *words], "foreign", "is a folder")
    if "--force" not in run(command, "--help")[1] + subprocess.run([LODE, *command.split(), "--help"],
                                                                  capture_output=True, text=True).stdout:
        faults.append(f"{command} has no --force")
    code, said = run(command, option, "new.out", *words)
    expect(code in (0, 1) and os.path.getsize("new.out"), f"{name} -> {code}", said)
    first = os.stat("new.out").st_ino
    os.chmod("new.out", 0o640)
    code, said = run(command, option, "new.out", *words)
    expect(code in (0, 1) and os.stat("new.out").st_ino != first, f"{name}, again -> {code}", said)
    expect(os.stat("new.out").st_mode & 0o777 == 0o640, f"{name}: permissions were not kept")
    os.symlink("foreign", "soft")
    code, said = run(command, option, "soft", *words, "--force")
    expect(code in (0, 1) and os.path.islink("soft"), f"{name} --force -> {code}", said)
    expect(b"nobody else's" not in content("foreign"), f"{name} --force: foreign is as it was")
    for path in "new.out", "soft", "foreign":
        os.unlink(path)

def options_of(command):
    text = subprocess.run([LODE, *command.split(), "--help"], capture_output=True, text=True).stdout
    return re.findall(r"^  (?:-\w, )?(--[\w-]+) (?:\[SERVER=\])?(?:FILE|DIR|INPUT|PATH)\b", text, re.M)

def commands():
    text = subprocess.run([LODE, "--help"], capture_output=True, text=True).stdout
    names = re.findall(r"^  ([a-z]+) .*", text.split("Commands:")[1].split("\n\n")[0], re.M)
    pio = ["pio train", "pio analyse", "pio show", "pio watch"]
    return [n for n in names if n != "pio"] + pio

n_read = 0
for command in commands():
    options = options_of(command)
    outputs = [o for o in options if f"{command} {o}" in WRITTEN]
    for option in options:
        name = f"{command} {option}"
        if name in WRITTEN or name in FOLDERS or name == "pio watch --state":
            continue
        # An output with this option's file as its value, and --force: refused by any of its outputs.
        if option not in READ:
            faults.append(f"{name} is not in this test")
            continue
        path = READ[option].split("=")[-1]
        path = f"{path}/lib" if os.path.isdir(path) else path
        for output in outputs[:1]:
            refused(name, command, [f"{output}={path}", option, READ[option], "--force"], path, "give")
            n_read += 1
for name, (line, source, kind) in WRITTEN.items():
    try_written(name, line, source, kind)
print(len(WRITTEN), "outputs,", n_read, "options that name an input")

# What is changed in place is looked at first: nobody's file is taken for it.
for name, line in UPDATED.items():
    command, option = parts(name)
    for path in "startup-08.perf.data.zst", "kallsyms", "mined.json":
        before = content(path)
        code, said = run(command, *(["check"] if command == "repo" else []), option, path, *(line or "").split())
        expect(code in (2, 3) and content(path) == before, f"{name} {path} -> {code}", said)
refused("import", "import", ["--repo", "a.folded", "a.folded"], "a.folded", "is an input")
refused("sign", "sign", ["-s", "s.txt", "--import", "s.txt"], "s.txt", "is already used by --import: give")
refused("watch", "pio watch", [*PIO.split(), "--state", "two.log", "--once"], "two.log", "is already used by --log: give")

# Folders, and what stands beside inputs.
refused("in a folder", "mine", ["--html", "in/a.folded", "in", "--force"], "in/a.folded", "is in in, which is an input")
refused("in a folder", "digest", ["--merge", "in/d.digest", "in"], "in/d.digest", "is in in, which is an input")
os.mkdir("symbols")
shutil.copy("prog", "symbols/prog")
refused("symbols", "mine", ["--html", "symbols/prog", "a.folded", "--force"], "symbols/prog", "is in symbols, which is an input")
# One that is nowhere among the inputs: recordings may map it.
for force in ([], ["--force"]):
    refused("a program", "mine", ["--html", "prog", "a.folded", *force], "prog", "is a program or library")
shutil.copy("prog", "in/page.html")
code, said = run("mine", "--html", "in/page2.html", "in")
code, said = run("mine", "--html", "in/page2.html", "in")
expect(code == 0, f"an earlier page in an input folder -> {code}", said)
refused("environment", "mine", ["--html", "r.lode", "a.folded", "--force"] if os.environ.setdefault(
        "LODE_REPO", "r.lode") else [], "r.lode", "is already used by --repo ($LODE_REPO): give")
del os.environ["LODE_REPO"]
code, said = run("mine", "--repo", "r.lode", "--html", "r.lode-journal", "--force")
expect(code == 2 and not os.path.exists("r.lode-journal"), f"SQLite's files -> {code}", said)
for path in "a.folded", "r.lode":
    refused("a folder's place", "digest", ["-o", path, "b.folded"], path, "not a folder")
expect(run("repo", "check", "--repo", "r.lode")[0] == 0, "the repository is damaged")

# Standard output, which the shell opens. A file that it has made in an input folder is none of the inputs.
with open("list.manifest", "w") as file:
    file.write("#lode manifest 1\nb.folded\n")
for path, words in {"a.folded": "mine --folded a.folded", "r.lode": "repo list --repo r.lode", "s.txt": "coverage -s s.txt b.folded",
                    "b.folded": "mine --json list.manifest", "two.log": f"pio analyse {PIO}"}.items():
    before = content(path)
    with open(path, "ab") as out:
        done = subprocess.run([LODE, *words.split()], stdout=out, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 2 and "standard output goes to" in done.stderr and content(path) == before,
           f"{words} >>{path} -> {done.returncode}", done.stderr)
with open("in/mined.json", "wb") as out:
    done = subprocess.run([LODE, "mine", "--json", "in"], stdout=out, stderr=subprocess.PIPE, text=True)
expect(done.returncode == 0 and content("in/mined.json"), f"into an input folder -> {done.returncode}", done.stderr)
os.unlink("in/mined.json")

# Nothing in the way: empty files, what is no file; /dev/null stays what it is.
for path in "/dev/null", "/dev/stdout":
    code, said = run("mine", "--pprof", path, "a.folded")
    expect(code == 0, f"--pprof {path} -> {code}", said)
open("empty", "w").close()
expect(run("mine", "--html", "empty", "a.folded")[0] == 0, "an empty file")
os.symlink("made", "dangling")
expect(run("mine", "--html", "dangling", "a.folded")[0] == 0 and os.path.getsize("made"), "a dangling link")
os.mkfifo("pipe")
with subprocess.Popen(["cat", "pipe"], stdout=open("copy", "wb")) as reader:
    code, said = run("mine", "--html", "pipe", "a.folded")
expect(code == 0 and content("copy") == content("made"), f"a pipe -> {code}", said)

# What else the words say.
for words in (["--html", "x", "--speedscope", "./x", "a.folded"], ["--speedscope", "-", "--pprof", "-", "a.folded"],
              ["--html", "--top", "5", "a.folded"], ["--html", "-", "a.folded"], ["--html", "in/a.folded"]):
    code, said = run("mine", *words)
    print(code, said.split("\n")[0])
code, said = run("mine", "--html", "nowhere/page.html", "a.folded")
print(code, said.strip())
expect(not os.path.exists("x"), "a file was made")
expect(sorted(f for f in os.listdir(".") if f.endswith(".tmp")) == [], "temporary files were left")
print("\n".join(faults) if faults else "no faults")
sys.exit(1 if faults else 0)
P
python3 try.py
