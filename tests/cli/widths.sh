# Terminals of 80 to 200 columns: no line is longer, and no function's name is cut, whatever the command.
samples=$LODE_TOP/samples
[ -d "$samples/startup" ] || { echo "no samples here"; exit 77; }
unset LODE_REPO
export LODE_REPO=
cp "$LODE_TOP/tests/cli/pio.sh" . && sed -n "/^cat >make.py/,/^P$/p" pio.sh >make.sh && . ./make.sh
python3 make.py one 1 100,600 300,450 800 && python3 make.py two 2 250 520 700
cat >list.py <<'P'
import os, re, subprocess, sys, unicodedata
sys.path.insert(0, os.environ["LODE_TOP"] + "/tests/cli")
from on_terminal import plain, run
lode, samples = os.environ["LODE"], os.environ["LODE_TOP"] + "/samples"
os.environ.pop("LODE_REPO", None)
def quiet(*words):
    subprocess.run([lode, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
starts = [f"{samples}/startup/startup-{n}.perf.data.zst" for n in ("08", "12", "18", "22", "24", "34")]
quiet("digest", "-o", "d", *starts)
quiet("digest", "-o", "a", *starts[:3]); quiet("digest", "-o", "b", *starts[3:])
quiet("import", "--repo", "r.lode", "--label", "release=2.0", "a"); quiet("import", "--repo", "r.lode", "--label", "release=2.1", "b")
quiet("mine", "--repo", "r.lode")
quiet("sign", "--repo", "r.lode", "--cluster", "1", "--name", "first", "--owner", "files", "--bug", "https://bugs.example.org/4711")
quiet("sign", "--repo", "r.lode", "--cluster", "2", "--name", "a problem whose name is longer than others are")
subprocess.run(f"{lode} sign --repo r.lode --export >s.txt", shell=True, stderr=subprocess.DEVNULL)
inputs = lambda name: ["--log", f"{name}.log", "-c", f"web={name}-web.csv", "-c", f"db={name}-db.csv"]
quiet("pio", "train", *inputs("one"), "--rulesets", "1", "-o", "model")
orders, mailroom = f"{samples}/orders/orders.perf.data.zst", f"{samples}/mailroom/mailroom.xray.zst"
named = ["--symbols", f"{samples}/mailroom/symbols.tsv", "--threads-names", f"{samples}/mailroom/threads.tsv"]
open("manifest", "w").write("#lode manifest 1\n" + "".join(f"{path}\n" for path in starts))
os.makedirs("folded", exist_ok=True)
open("folded/a.folded", "w").write("app;main;load_everything_from_the_disk;read_one_of_many_configuration_files 60\n"
    "app;main;draw;std::vector<Widget, std::allocator<Widget> >::emplace_back<Widget const&>(Widget const&) 40\n")
commands = [
    ["mine", "d"], ["mine", "--classic", "folded"], ["mine", "--top", "0", "d"], ["mine", "folded"], ["mine", "--min-cost", "99%", "d"],
    *(["mine", "--show", str(n), "d"] for n in (1, 2, 3, 5)), ["mine", "--repo", "r.lode"], ["mine", "--show", "1", "folded"],
    ["mine", "--reason", "disk", "d"], ["mine", starts[4]],
    ["diff", "a", "b"], ["diff", "--show", "1", "a", "b"], ["diff", "--top", "0", "--fail-on", "new", "a", "b"], ["diff", "folded", "a"],
    ["diff", "--repo", "r.lode", "release=2.0", "release=2.1"], ["diff", "--within", "host", "a", "b"],
    ["coverage", "--repo", "r.lode"], ["coverage", "--repo", "r.lode", "--by", "release"], ["coverage", "--signatures", "s.txt", "d"],
    ["triage", "--repo", "r.lode", "d"], ["triage", "--signatures", "s.txt", "d"], ["triage", "--signatures", "s.txt", "--fail-over", "10ms", "a"],
    ["next", "d"], ["next", "--repo", "r.lode"], ["next", "--compare", "d"], ["next", "--opened", os.path.basename(starts[0]), "d"],
    ["sign", "--repo", "r.lode"], ["sign", "--repo", "r.lode", "--list"], ["repo", "check", "--repo", "r.lode"],
    ["repo", "list", "--repo", "r.lode"], ["repo", "show", "--repo", "r.lode"], ["repo", "labels", "--repo", "r.lode"],
    ["info", *starts], ["info", starts[0]], ["info", orders], ["info", "folded"],
    ["suspects", orders], ["suspects", "-v", orders], ["suspects", orders, "--versus", orders], ["suspects", starts[0], "--versus", starts[3]],
    ["suspects", "--explain", "export_ledger", orders], ["suspects", "--histograms", orders], ["suspects", "--robust", "--sort", "importance", orders],
    ["suspects", orders, "--baseline", orders], ["suspects", "-v", starts[0], "--versus", starts[3]],
    ["timeline", mailroom], ["timeline", "--symbols", f"{samples}/mailroom/symbols.tsv", mailroom],
    ["pio", "-m", "model", *inputs("two")], ["pio", "show", "model"], ["pio", "train", *inputs("one"), "--rulesets", "1", "-o", "again", "--force"],
    ["analyze", "-o", "out", "--force", f"{samples}/startup"], ["analyze", "-o", "out2", "--force", f"{samples}/orders"],
    ["digest", "-o", "e", "d"], ["import", "--repo", "q.lode", "d"], ["shard", "--parts", "2", "-o", "parts", "manifest"],
    ["help"], ["help", "--schema"], *([word, "--help"] for word in ("mine", "suspects", "timeline", "pio", "diff", "repo", "sign", "record", "serve")),
]
width_of = lambda line: sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
functions = set()
for words in (["mine", "--json", "--top", "0", "d"], ["mine", "--json", "folded"], ["suspects", "--json", "--top", "0", orders],
              ["suspects", "--json", "--top", "0", starts[0], "--versus", starts[3]]):
    text = subprocess.run([lode, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    for name in re.findall(r'"((?:[^"\\]|\\.)*)"', text):
        functions.update((name, name.split("!")[-1]))
functions = sorted(functions)
def is_cut(word):
    """A part of a name, which ends in the ellipsis that stands for the rest."""
    import bisect
    start = word.rstrip("…").lstrip("(\"'")
    at = bisect.bisect_right(functions, start)
    return len(start) > 2 and at < len(functions) and functions[at].startswith(start)
def is_command(line):
    """One to copy, which stays on its line; a message of standard error."""
    return re.match(r"Next: |lode (pio )?\S+: | +(for .*; do )?(sudo )?lode ", line)
n_bad = 0
show = len(sys.argv) > 1
for words in commands:
    for columns in (80, 100, 140, 200):
        code, text = run(columns, words)
        text = text.split("\r")[-1] if "\r" in text else text
        lines = plain(text).split("\n")
        long = [line for line in lines if width_of(line) > columns and not is_command(line)]
        cut = [word for line in lines for word in re.findall(r"\S+…", line) if is_cut(word)]
        holes = [line for line in lines if re.search(r"… +…", line)]
        for what, found in (("longer", long), ("cut", cut), ("holes", holes)):
            if found:
                n_bad += 1
                print(f"{columns} columns, {what}: lode {' '.join(words).replace(samples, 'samples')}")
                for line in found[:6 if show else 2]:
                    print("   ", line)
        if show and code not in (0, 5) and columns == 80:
            print("code", code, words, text[:200])
print(f"{len(commands)} commands on terminals of 80, 100, 140 and 200 columns:", "all fit" if not n_bad else f"{n_bad} do not")
P
python3 list.py ${WIDTHS_VERBOSE:-}
