# Two sets: what is new, gone, worse, better; what is not alike or not enough is said.
python3 - <<'P'
import os, random
random.seed(4)
def write(folder, n, slow):
    os.makedirs(folder)
    for i in range(n):
        with open(f"{folder}/run{i:02}.folded", "w") as f:
            cost = lambda mean: int(mean * random.uniform(0.8, 1.2))
            f.write(f"app;main;load;parse {cost(4000)}\n")
            f.write(f"app;main;load;read_disk {cost(9000 if slow else 3000)}\n")
            f.write(f"app;main;draw;layout {cost(500 if slow else 2000)}\n")
            f.write(f"app;main;save;{'sync_all' if slow else 'write_cache'} {cost(2500)}\n")
write("old", 9, False)
write("new", 6, True)
write("old2", 7, False)
P
say() {
	"$LODE" "$@" 2>&1
	echo "exit $?"
}
# Without what names the sets.
changes() { grep -v -e '^Next: ' -e '^[AB]: '; }
echo "== before and after"
say diff --unit ns old new
echo "== the first two"
"$LODE" diff --unit ns --top 2 old new | sed -n '/^[0-9]* new/,/^[0-9]*  gone/p'
echo "== one in full, by number and by id; its costs are those of the table"
"$LODE" diff --unit ns --show 3 old new
id=$("$LODE" diff --unit ns --json old new | python3 -c 'import json,sys; print(json.load(sys.stdin)["clusters"][2]["id"])')
"$LODE" diff --unit ns --show 3 old new >three
"$LODE" diff --unit ns --show "${id:0:8}" old new | sed "s/--show ${id:0:8}/--show 3/" | cmp - three && echo same
"$LODE" diff --unit ns --show 5 old new | sed -n '1,2p'
"$LODE" diff --show 2 --fail-on gone old new >out
echo "exit $?: $(tail -n 1 out)"
say diff --show 6 old new
say diff --show sync old new
say diff --show 1 --html x.html old new 2>&1 | head -n 1
"$LODE" diff --json --top 0 old new >all.json
python3 - <<'PY'
import gzip, json, os, subprocess
of = json.load(open("all.json"))
for c in of["clusters"]:
    shown = [os.environ["LODE"], "diff", "--show", str(c["number"])]
    lines = subprocess.run([*shown, "--folded", "old", "new"], check=True, capture_output=True).stdout.decode().splitlines()
    sums = [sum(int(line.split()[at]) for line in lines) for at in (-2, -1)]
    a = c["a"]["cost_ns"] * of["b"]["symptoms"] / of["a"]["symptoms"]  # each line to the nearest
    assert abs(sums[0] - a) <= len(lines) and sums[1] == c["b"]["cost_ns"], (c["number"], sums)
    subprocess.run([*shown, "--pprof", f"{c['number']}.gz", "old", "new"], check=True)
    gzip.open(f"{c['number']}.gz").read()
print("folded stacks of each cluster cost what the table has")
PY
echo "== like with like"
say diff old old2 --fail-on new,gone,worse,better | head -n 7
"$LODE" diff old old2 --fail-on new,gone,worse,better >out
echo "exit $?: $(tail -n 1 out)"
echo "== in CI"
"$LODE" diff old new --fail-on worse >out
echo "exit $?: $(tail -n 1 out)"
"$LODE" diff new old --fail-on new,better >/dev/null
echo "exit $?"
echo "== too few"
"$LODE" diff -a old/run00.folded -a old/run01.folded -b new/run00.folded | grep few
echo "== the same streams"
mkdir mixed && cp new/*.folded mixed/
for i in 1 2 3; do cp old/run0$i.folded mixed/old$i.folded; done
cp new/run05.folded mixed/again.folded
"$LODE" diff old mixed | grep -E 'left out|counted once|^[AB]:'
say diff old old
echo "== digests"
"$LODE" digest -o d --unit ns old >/dev/null
"$LODE" digest -o e --unit ns new >/dev/null
"$LODE" diff --unit ns old new | changes >recordings
"$LODE" diff d e | changes | cmp - recordings && echo same
"$LODE" digest --merge m.digest --scope graph new >/dev/null
say diff d m.digest
say diff --within release old new
"$LODE" diff --within host old new | grep within
echo "== a repository"
"$LODE" import --repo r.lode --unit ns --label release=1 old >/dev/null
"$LODE" import --repo r.lode --label release=2 new >/dev/null
"$LODE" diff --repo r.lode release=1 'release>=2' | changes | cmp - recordings && echo same
say diff --repo r.lode release=1 release=3
say diff --repo r.lode release=1 'release=('
say diff --repo r.lode 'release>0' release=2
"$LODE" diff --repo r.lode --within release release=1 release=2 | grep -E 'Too few recordings for significance|same$'
say diff --repo missing.lode release=1 release=2
echo "== the repository of the environment, where there are no files of that name"
export LODE_REPO=r.lode
"$LODE" diff release=1 'release>=2' | changes | cmp - recordings && echo same
"$LODE" diff --unit ns old new | changes | cmp - recordings && echo same
say diff release=1 nowhere
unset LODE_REPO
echo "== bad input"
: >new/empty.folded
"$LODE" diff old new >out
echo "exit $?: $(grep skipped out)"
mkdir none
say diff old none
say diff old
say diff -a old new
say diff --level 0 old new
say diff --fail-on wrose old new
echo "== JSON"
python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is not installed"; exit 77; }
cat >check.py <<'P'
import json, sys, jsonschema
d = json.load(sys.stdin)
jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(d)
print(eval(sys.argv[2]))
P
check() { python3 check.py "$LODE_TOP/docs/schema/diff.json" "$1"; }
rm new/empty.folded
"$LODE" diff --json --unit ns old new | check '[(c["class"], c["common"][-1]) for c in d["clusters"]]'
"$LODE" diff --json --top 1 --fail-on new --within kernel old new | check 'd["failed"], d["more"], d["splits"]["strata"]'
"$LODE" diff --json --unit ns --show 3 old new | check '[(c["number"], c["id"] == d["shown"]["id"]) for c in d["clusters"]], d["more"], d["shown"]["own_ns"] == sum(d["clusters"][0][s]["cost_ns"] for s in "ab"), d["next_command"]'
"$LODE" diff --json --splits 200 --seed 7 old new | check 'd["splits"]'
"$LODE" diff --json --threads 1 old new >one && "$LODE" diff --json --threads 4 old new | cmp - one && echo "same for 1 and 4 threads"
